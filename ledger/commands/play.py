"""Play: a move, or dice outside any game, from what was said to the ruling and all that follows from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ledger import systems
from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.sheet import free, sheet_system, table_of, within_limits
from ledger.errors import BadInput, Held, Refused, UnknownName, shortened
from ledger.events.commitments import Secret, secret
from ledger.events.entry import Entry, head_of, plain
from ledger.events.facts import CountedDie, Mark, Posting
from ledger.events.subjects import CAMPAIGN, CAST, CHOICE, HOLD, OFFER, PLAYERS, QUESTIONS
from ledger.events.types import Consequence, DiceCounted, DiceThrown, MovePlayed, QuestionAsked
from ledger.rules.dice import Die, Pool, Throw
from ledger.rules.inputs import WORDS, Tag, handle, worded
from ledger.rules.move import Move, Table
from ledger.rules.rulings import Follows
from ledger.rules.system import System

MOST_REPEATS = 20


class Roll(Command):
    """Throw dice outside any system."""

    writes: ClassVar[tuple[str, ...]] = (DiceCounted.type,)
    who: str
    notation: str

    def pool(self, stands: Standing, *, by_hand: bool) -> Pool:
        """Read the pool as typed; refuses one who neither plays nor sits at the table."""
        if stands.mark(CAST, self.who) is None and stands.mark(PLAYERS, self.who) is None:
            raise UnknownName(f"Nobody called {shortened(self.who)} plays in this campaign.")
        from ledger.rules.notation import read  # a move of a game has no notation

        return read(self.notation).pool

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Count the dice."""
        from ledger.rules.notation import read

        assert thrown is not None  # noqa: S101  a notation always asks for dice
        (throw,) = lay(plan, self.who, thrown)
        count = read(self.notation).count(thrown.faces)
        dropped = {place: why for place, why in enumerate(count.dropped) if why}
        plan.add(
            DiceCounted(
                who=self.who,
                notation=self.notation,
                throw=throw,
                dice=counted(thrown.dice, dropped),
                addends=count.addends,
                total=count.total,
            )
        )


class Play(Command):
    """Play a move."""

    writes: ClassVar[tuple[str, ...]] = (MovePlayed.type, QuestionAsked.type)
    move: Move
    system: str

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Play the move, and those that are played after it at once; refuses what is chosen after the ruling alone."""
        early = next((name for name in self.move.offered if getattr(self.move, name)), None)
        if early is not None:
            flag = early.replace("_", "-")
            hint = f"Play the move, then 'campaign choose ENTRY --{flag}'."
            raise Refused(f"--{flag} is chosen after the ruling, until the character's next move.", hint)
        yield self
        yield from (Play(system=self.system, move=move) for move in self.move.then())

    def pool(self, stands: Standing, *, by_hand: bool) -> Pool | None:
        """Ask the move for its dice; refuses one who has no sheet, or whom a question holds."""
        for who in self.move.cast():
            sheet_system(stands, who, self.system)
        free(stands, self.move.cast())
        said_inputs(self.move)
        table = table_of(stands, self.system)
        pool = self.move.dice(table)
        costs = self.move.cost(table)
        self._others_free(stands, table)
        early = [name for name in self.move.chosen if getattr(self.move, name) is not None]
        if early and pool and not by_hand:
            flag = early[0].replace("_", "-")
            raise Refused(f"--{flag} is chosen once the dice lie; beforehand it stands beside typed dice alone.")
        within_limits(stands, systems.find(self.system), follows_as_postings(self.system, costs))
        return pool

    def _others_free(self, stands: Standing, table: Table) -> None:
        """Refuse where a question holds somebody whose sheet is read, and whom nobody named."""
        try:
            free(stands, (who for who in table.looked if who != CAMPAIGN))
        except Held:
            others = "Somebody else whom this concerns is held by a question until it is answered."
            raise Refused(others, "See what it waits for with 'campaign questions'.") from None

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what the move declares before the dice."""
        return self.move.cost(table_of(stands, self.system))

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Rule on the dice, or ask what the rules let the player choose now that they lie."""
        system, move, table = systems.find(self.system), self.move, table_of(stands, self.system)
        move.dice(table)
        dice = thrown.dice if thrown else ()
        choices = move.choices(table, [die.face for die in dice])
        if not choices:
            move.agree(table, [die.face for die in dice])
        throws = lay(plan, move.who, thrown) if thrown else ()
        costs = move.cost(table)
        if not choices:
            rule_on(stands, plan, system, move, table, dice, throws=throws, costs=costs)
            plan.opens = any(isinstance(held, Secret) for sheet in table.looked.values() for held in sheet.values())
            return
        settle_offer = lapsed(stands, move.who)
        seq = plan.next
        question = QuestionAsked(
            **_facts(system, move, table),
            throws=throws,
            dice=counted(dice, {}),
            kind=CHOICE,
            asks=choices,
            postings=tuple(Posting(who=who, score=HOLD, amount=1) for who in move.cast()),
            marks=(Mark(who=QUESTIONS, name=str(seq), value=False), *settle_offer),
        )
        plan.add(question)
        follow(plan, system, costs, seq)

    def content(self) -> dict[str, Any]:
        """Return system, move and inputs."""
        return {"system": self.system, "move": self.move.name(), "inputs": plain(self.move)}

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said, None where it was no move, or the answer to a question."""
        first = head_of(entries)
        if first.type not in self.writes or first.body.get("answers") is not None:
            return None
        return {name: first.body[name] for name in ("system", "move", "inputs")}


def rule_on(
    stands: Standing,
    plan: Plan,
    system: System,
    move: Move,
    table: Table,
    dice: Sequence[Die],
    *,
    throws: tuple[int, ...],
    costs: Sequence[Follows] = (),
    answers: int | None = None,
) -> None:
    """Add the ruling on a move, what was declared before the dice, and what follows."""
    faces = [die.face for die in dice]
    made = move.ruling(table, faces)
    offers = bool(move.offers(table, faces))
    marks = (Mark(who=move.who, name=OFFER, value=plan.next),) if offers else lapsed(stands, move.who)
    freed: tuple[Posting, ...] = ()
    if answers is not None:
        freed = tuple(Posting(who=who, score=HOLD, amount=-1) for who in move.cast())
        marks += (Mark(who=QUESTIONS, name=str(answers), value=plan.next),)
    seq = plan.add(
        MovePlayed(
            **_facts(system, move, table),
            throws=throws,
            dice=counted(dice, made.dropped),
            answers=answers,
            verdict=made.verdict,
            steps=made.steps,
            postings=freed,
            marks=marks,
        )
    )
    if not dice:
        within_limits(stands, system, follows_as_postings(system.name, (*costs, *made.consequences)))
    follow(plan, system, (*costs, *made.consequences), seq)


def lapsed(stands: Standing, who: str) -> tuple[Mark, ...]:
    """Return what ends the offer of the character's last move, where there is one."""
    return () if stands.mark(who, OFFER) is None else (Mark(who=who, name=OFFER, value=None),)


def lay(plan: Plan, who: str, thrown: Throw) -> tuple[int, ...]:
    """Return the entries in which dice lie; write them down where they do not lie yet."""
    return thrown.written or (plan.add(DiceThrown(who=who, source=thrown.source, dice=counted(thrown.dice, {}))),)


def follows_as_postings(system: str, consequences: Iterable[Follows]) -> tuple[Posting, ...]:
    """Return what consequences post, by the full names of the scores."""
    return tuple(
        Posting(who=each.who, score=f"{system}/{name}", amount=amount)
        for each in consequences
        for name, amount in each.scores.items()
    )


def follow(plan: Plan, system: System, consequences: Iterable[Follows], cause: int) -> None:
    """Add what follows; refuses postings that go against the flow of their kind."""
    for each in consequences:
        check_flow(system, each)
        marks = tuple(
            Mark(who=each.who, name=f"{system.name}/{name}", value=value) for name, value in each.marks.items()
        )
        event = Consequence(
            kind=each.kind.name,
            system=system.name,
            who=each.who,
            facts=dict(each.facts),
            postings=follows_as_postings(system.name, [each]),
            marks=marks,
        )
        plan.add(event, cause)


def check_flow(system: System, consequence: Follows) -> None:
    """Refuse a consequence whose postings come or go under the wrong name."""
    units: dict[str, list[int]] = {}
    for name, amount in consequence.scores.items():
        score = system.score(name)
        if score is None:
            raise Refused(f"{system.name} has no score called {name!r}.")
        if not score.tally:
            units.setdefault(score.unit, []).append(amount)
    for unit, amounts in units.items():
        kind = consequence.kind
        fits = {"in": min(amounts) >= 0, "out": max(amounts) <= 0, "within": sum(amounts) == 0}[kind.flow]
        if not fits:
            raise Refused(f"{kind.name} is a flow {kind.flow} and cannot post {amounts} {unit}.")


def counted(dice: Sequence[Die], dropped: Mapping[int, str]) -> tuple[CountedDie, ...]:
    """Return dice as they are written, each with why it does not count."""
    return tuple(
        CountedDie(sides=die.sides, face=die.face, digits=die.digits, dropped=dropped.get(place))
        for place, die in enumerate(dice)
    )


def _facts(system: System, move: Move, table: Table) -> dict[str, Any]:
    return {
        "system": system.name,
        "edition": system.edition,
        "move": move.name(),
        "who": move.who,
        "inputs": said_inputs(move),
        "settings": dict(table.settings),
        "looked": {who: dict(sorted(sheet.items())) for who, sheet in table.looked.items()},
    }


def said_inputs(move: Move) -> dict[str, Any]:
    """Return the inputs of a move as they are written; refuses (`BadInput`) words that cannot be, or too many."""
    return {name: _closed(move, name) for name in move.fields()}


def _closed(move: Move, name: str) -> Any:
    field, held = move.fields()[name], getattr(move, name)
    flag = f"--{name.replace('_', '-')}"
    if (field.many or field.keyed) and len(held or ()) > MOST_REPEATS:
        raise BadInput(f"{flag} can be said {MOST_REPEATS} times at most.")
    if held is None:
        return None
    if field.keyed or {tag.name for tag in field.tags if isinstance(tag, Tag)} & {"handle", "score"}:
        for short in held if field.many or field.keyed else [held]:
            handle(short)
    if WORDS in field.tags:
        return [worded(flag, text) for text in held] if field.many else worded(flag, held)
    if name in move.hidden():
        return secret(plain(held))
    return dict(held) if field.keyed else held
