"""Commands that play a move. They add the ruling and its consequences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

from ledger import systems
from ledger.commands.decider import Draft, Record, State, TableCommand, TableDraft, describe_difference
from ledger.commands.sheet import check_flow, check_limits, check_not_held, plays, sheet_system, table_of
from ledger.errors import BadInput, Held, LedgerError, Refused, SecretNotHere, UnknownName, WrongFaces
from ledger.events.canonical import canonical_json, substitute, walk
from ledger.events.commitments import CommittedText, Secret, secret, with_texts
from ledger.events.entry import LARGEST_ENTRY, Entry, jsonable, lead_of
from ledger.events.facts import CountedDie, Mark, Posting
from ledger.events.subjects import CAMPAIGN, CHOICE, HOLD, OFFER
from ledger.events.types import MOVE_TYPES, Consequence, DiceThrown, MoveEvent, MovePlayed, QuestionAsked
from ledger.hints import TYPE_OR_USE, Flag, Run
from ledger.rules.dice import Pool, ThrownDice, pool_of_dice
from ledger.rules.inputs import WORDS, Deed, Tag, checked_text, read_handle
from ledger.rules.move import Move, Table
from ledger.rules.rulings import Effect
from ledger.rules.system import System
from ledger.values import Field, Struct

MOST_REPEATS = 20


class RollingCommand(TableCommand):
    """A command that may roll dice. First `ask` returns the dice to roll, then `rule` makes a ruling on them."""

    @abstractmethod
    def ask(self, draft: Draft) -> MoveNeeds:
        """Return the dice that the command needs, and the costs of rolling. Anything not allowed is refused here."""

    @abstractmethod
    def rule(self, draft: Draft, asked: MoveNeeds, thrown: ThrownDice | None) -> None:
        """Add the ruling on the `thrown` dice. `asked` comes from `ask`. If the computer has rolled, refuse nothing."""

    def decide(self, draft: TableDraft) -> None:
        asked = self.ask(draft)
        self.rule(draft, asked, draft.roll(asked.pool, asked.costs))


class MoveNeeds(Struct):
    """The dice and the costs of a command, and the table that its move reads. The costs are due with every result."""

    pool: Pool | None
    costs: tuple[Effect, ...] = ()
    table: Table | None = None


class PlayMove(RollingCommand):
    """A command that plays a move, and the moves that follow immediately from it."""

    writes: ClassVar[tuple[str, ...]] = (MovePlayed.type, QuestionAsked.type)
    for_players: ClassVar[bool] = True
    move: Move
    system: str
    deed: Deed | None = None

    def decide(self, draft: TableDraft) -> None:
        """Check the inputs (`check_not_early`). Then play the move and its followers, up to a question or an offer."""
        self.check_not_early()
        first = draft.next
        self.replay(draft)
        self.continue_with(draft, first)

    def continue_with(self, draft: TableDraft, first: int) -> None:
        """Play the moves that follow from this move's ruling, whose entries start at `first`.

        If the ruling is a question or has an offer, play none. If this move has a `resume_command`, stop before the
        first follower that does not pass `is_ready`.
        """
        ruling = first_ruling(draft, first)
        is_offered = draft.mark(self.move.who, OFFER) == ruling.seq
        for move in () if is_offered else following_moves(draft, self.move, ruling):
            follower = PlayMove(system=self.system, move=move)
            if self.move.resume_command and not follower.is_ready(draft, ruling):
                return
            follower.decide(draft)

    def is_ready(self, draft: TableDraft, ruling: Entry) -> bool:
        """Return True if the rules allow the move right after a ruling.

        After a ruling on typed dice, the dice of the move must be typed too.
        """
        try:
            asked = self.ask(draft)
        except LedgerError:
            return False
        throws = (draft.entry(seq).event for seq in ruling.throws)
        typed = any(isinstance(throw, DiceThrown) and throw.source == "typed" for throw in throws)
        return asked.pool is None or draft.has_faces or not typed

    def replay(self, draft: TableDraft) -> None:
        """Play only this move, not the moves that follow.

        If typed dice do not fit, add the facts of the move (`facts_text`) to the message of the `WrongFaces` error.
        """
        try:
            super().decide(draft)
        except WrongFaces as wrong:
            facts_text = self.move.facts_text(table_of(draft, self.system), ())
            raise WrongFaces(f"{wrong.sentence[:-1]} ({facts_text}).", wrong.hint) if facts_text else wrong from None

    def input_fields(self) -> Mapping[str, Field]:
        return {**self.move.fields(), "deed": deed_field(type(self.move))}

    def input_values(self) -> Mapping[str, Any]:
        return {**self.move.__dict__, "deed": self.deed}

    def changed(self, changes: Mapping[str, Any]) -> Self:
        inputs = {**self.input_values(), **changes}
        return self.replace(deed=inputs.pop("deed"), move=self.move.replace(**inputs))

    def moves_after(self, state: State, ruling: Entry) -> tuple[Move, ...]:
        if self.move.may_continue and ruling.lacks_secret:
            raise SecretNotHere(ruling.seq)
        return following_moves(state, self.move, ruling)

    def check_not_early(self) -> None:
        """Raise `Refused` if the move already has an input that can only be chosen after the ruling."""
        early = next((name for name in self.move.offered if getattr(self.move, name)), None)
        if early is not None:
            hint = f"Make the roll first, then {TYPE_OR_USE} {Run('choose', 'ENTRY', **{early: True})}."
            raise Refused(f"{Flag(early)} can only be chosen between the roll and the character's next move.", hint)

    def ask(self, draft: Draft) -> MoveNeeds:
        for who in self.move.characters():
            sheet_system(draft, who, self.system)
        check_not_held(draft, self.move.characters())
        stored_inputs(self.move)
        self.stored_deed()
        table = table_of(draft, self.system)
        pool = self.move.dice(table)
        costs = self.move.cost(table)
        _check_others_not_held(draft, table)
        early = [name for name in self.move.chosen if getattr(self.move, name) is not None]
        if early and pool and not draft.has_known_dice:
            raise Refused(
                f"{Flag(early[0])} can only be chosen after the roll. If you have already rolled, add your dice"
                f" with {Flag('faces')}."
            )
        system = systems.find(self.system)
        check_limits(draft, system, postings_of(self.system, costs))
        if pool:
            self._check_fits(table)
        return MoveNeeds(pool=pool, costs=costs, table=table)

    def check_sheet(self, state: State) -> None:
        self.move.dice(table_of(state, self.system))

    def rule(self, draft: Draft, asked: MoveNeeds, thrown: ThrownDice | None) -> None:
        """Add the ruling on the `thrown` dice, or a question if the player must make a choice after seeing them."""
        move, table = self.move, asked.table
        assert table is not None  # noqa: S101  a move always has one
        dice = thrown.dice if thrown else ()
        faces = [die.face for die in dice]
        choices = move.choices(table, faces)
        if not choices:
            move.check_choice(table, faces)
        effects = (*asked.costs, *(move.roll_effects(table, faces) if dice else ()))
        throws = record_dice(draft, move.who, thrown) if thrown else ()
        if choices:
            hold = tuple(Posting(who=who, score=HOLD, amount=1) for who in move.blocked_characters(table))
            question = QuestionAsked(
                **self._facts(table),
                throws=throws,
                dice=counted_dice(dice, {}),
                kind=CHOICE,
                asks=choices,
                postings=hold,
                marks=offer_end_marks(draft, move),
            )
            add_consequences(draft, systems.find(self.system), effects, draft.add(question))
        else:
            self.rule_on(draft, table, dice, throws=throws, costs=effects)
        if any(isinstance(value, Secret) for sheet in table.looked.values() for value in sheet.values()):
            draft.declare_secret(asked.costs)

    def rule_on(
        self,
        draft: Draft,
        table: Table,
        dice: Sequence[CountedDie],
        *,
        throws: tuple[int, ...],
        costs: Sequence[Effect] = (),
        answers: int | None = None,
    ) -> None:
        """Add the ruling, with costs and consequences.

        The entries `throws` record the dice. `answers` is the question that the move answers.
        """
        system, move, faces = systems.find(self.system), self.move, [die.face for die in dice]
        ruling = move.ruling(table, faces)
        offers = bool(move.offers(table, faces))
        marks = (Mark(who=move.who, name=OFFER, value=draft.next),) if offers else offer_end_marks(draft, move)
        releases: tuple[Posting, ...] = ()
        if answers is not None:
            releases = tuple(Posting(who=who, score=HOLD, amount=-1) for who in move.blocked_characters(table))
        seq = draft.add(
            MovePlayed(
                **self._facts(table),
                throws=throws,
                dice=counted_dice(dice, ruling.dropped),
                answers=answers,
                verdict=ruling.verdict,
                steps=ruling.steps,
                postings=releases,
                marks=marks,
            )
        )
        if not dice:
            check_limits(draft, system, postings_of(system.name, (*costs, *ruling.consequences)))
        add_consequences(draft, system, (*costs, *ruling.consequences), seq)

    def stored_deed(self) -> CommittedText | None:
        """Return the deed as an entry stores it. Raise `BadInput` for an invalid text."""
        if self.deed is None:
            return None
        words = checked_text(Flag("for"), self.deed)
        return secret(words.text) if self.move.hides else words

    def _facts(self, table: Table) -> dict[str, Any]:
        return {
            "system": self.system,
            "edition": systems.find(self.system).edition,
            "move": self.move.name(),
            "who": self.move.who,
            "inputs": stored_inputs(self.move),
            "settings": dict(table.settings),
            "looked": {who: dict(sorted(sheet.items())) for who, sheet in table.looked.items()},
            "deed": self.stored_deed(),
        }

    def _check_fits(self, table: Table) -> None:
        """Raise `BadInput` if the inputs and scores leave no room for a ruling in the entry. Check before a roll."""
        most = LARGEST_ENTRY - RULING_BYTES
        if sum(len(repr(values)) for values in (table.settings, table.looked, self.move.__dict__)) <= most:
            return
        facts = jsonable(self._facts(table))
        closed = substitute(
            facts, {path: {words.KEY: "0" * 64} for path, words in walk(facts) if isinstance(words, CommittedText)}
        )
        if len(canonical_json(closed)) > most:
            raise BadInput(f"This is too long for one entry ({LARGEST_ENTRY:,} bytes at most).")

    @classmethod
    def from_entry(cls, entry: Entry) -> Self:
        event = entry.event
        assert isinstance(event, MoveEvent)  # noqa: S101  this command writes nothing else
        move = move_of(entry).from_inputs(with_texts(event.inputs))
        return cls(system=event.system, move=move, deed=with_texts(event.deed))

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        if not self.move.fits_players():
            return (CAMPAIGN,)
        return [who for who in self.move.payers() if who == self.move.who or plays(record, who)]

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        first = lead_of(entries)
        event = first.event
        if not isinstance(event, MoveEvent) or first.answers is not None:
            return None
        before = {
            "system": event.system,
            "move": event.move,
            "inputs": event.inputs,
            "what the character attempts": event.deed,
        }
        now = {
            "system": self.system,
            "move": self.move.name(),
            "inputs": self.move,
            "what the character attempts": self.deed,
        }
        return describe_difference(first, before, now)


def with_first_roll(wrong: WrongFaces, entries: Iterable[Entry], before: State, *, unused: bool) -> WrongFaces:
    """Add to the error `wrong` how many dice the first roll took, and which values on the sheet decided this number.

    `entries` are the entries of the action so far, with their secrets.
    `before` is the state before the action. If dice are left over (`unused`), also explain why an action such
    as an attack stopped before it used them.
    """
    moves = [(entry, entry.event) for entry in entries if isinstance(entry.event, MoveEvent)]
    if unused and moves:
        wrong = WrongFaces(f"{wrong.sentence}{_why_it_stops([event for _, event in moves])}", wrong.hint)
    first = next(((entry, event) for entry, event in moves if event.dice), None)
    if first is None:
        return wrong
    entry, event = first
    move = move_of(entry).from_inputs(with_texts(event.inputs))
    facts_text = move.facts_text(table_of(before, event.system), ())
    if not facts_text:
        return wrong
    took = f"The {event.move.replace('-', ' ')} took {pool_of_dice(event.dice)}: {facts_text}."
    return WrongFaces(f"{wrong.sentence} {took}", wrong.hint)


def _why_it_stops(moves: Sequence[MoveEvent]) -> str:
    """Explain why an action of several moves, such as an attack, rolls no more dice; "" for a single move."""
    if len(moves) == 1:
        return ""
    move, last = moves[0].move, moves[-1]
    offers = any(mark.name == OFFER and mark.value is not None for mark in last.marks)
    if offers or isinstance(last, QuestionAsked):
        return f" The {move} stops after this roll, because the player may still choose something."
    if isinstance(last, MovePlayed) and last.verdict.good is False:
        failed_roll = last.move.replace("-", " ")
        return f" The {failed_roll} failed, so the {move} needs no other dice."
    return ""


def deed_field(move: type[Move]) -> Field:
    """Return the field for the deed: what the character attempts with a move.

    For a move of the GM, the help of the field does not mention an attempt.
    """
    field = PlayMove.fields()["deed"]
    return field.replace(says="what happens, in words") if move.is_for_gm() else field


def following_moves(state: State, move: Move, ruling: Entry) -> tuple[Move, ...]:
    """Return the moves that follow from the ruling on a move. If `ruling` is an open question, no moves follow."""
    if not move.may_continue or ruling.type != MovePlayed.type:
        return ()
    event = ruling.event
    assert isinstance(event, MovePlayed)  # noqa: S101  its type was checked
    return move.next_moves(table_of(state, event.system, event), [die.face for die in event.dice])


def move_of(entry: Entry) -> type[Move]:
    """Return the move of an entry. Raise `UnknownName` if the installed game lacks this move or one of its inputs."""
    event = entry.event
    assert isinstance(event, MoveEvent)  # noqa: S101  only these have a move
    move = systems.find(event.system).move(event.move)
    if move is None or not event.inputs.keys() <= move.fields().keys():
        raise UnknownName(f"The version of {event.system} on this computer does not know the move of #{entry.seq}.")
    return move


def installed_move(event: MoveEvent) -> type[Move] | None:
    """Return the move of an event, or `None` if its game is not installed."""
    game = systems.installed(event.system)
    return game.move(event.move) if game else None


def first_ruling(draft: Draft, first: int) -> Entry:
    """Return a draft's first ruling or question from entry `first` on, with its secrets."""
    written = (draft.entry(seq, secrets=True) for seq in range(first, draft.next))
    return next(entry for entry in written if entry.type in MOVE_TYPES)


RULING_BYTES = 20_000
"""The number of bytes in an entry that are reserved for the result of a ruling: dice, steps, verdict."""


def _check_others_not_held(state: State, table: Table) -> None:
    """Raise `Refused` if a question holds a character whose sheet the move reads. Do not name that character."""
    try:
        check_not_held(state, (who for who in table.looked if who != CAMPAIGN))
    except Held:
        sentence = "Another character in this move has an open question."
        raise Refused(sentence, f"List the open questions with {Run('questions')}.") from None


def offer_end_marks(state: State, move: Move) -> tuple[Mark, ...]:
    """Return the marks that end the open offer of a move's character, if any. Moves by the GM do not end offers."""
    is_open = not move.by_gm and state.mark(move.who, OFFER) is not None
    return (Mark(who=move.who, name=OFFER, value=None),) if is_open else ()


def record_dice(draft: Draft, who: str, thrown: ThrownDice) -> tuple[int, ...]:
    """Return the numbers of the entries that record these dice.

    If the dice have no entries yet, add one entry for each character who rolled. Dice without a name belong to `who`.
    """
    return thrown.written or tuple(
        draft.add(DiceThrown(who=name, source=thrown.source, dice=counted_dice(dice, {})))
        for name, dice in thrown.by_thrower(who)
    )


def postings_of(system: str, consequences: Iterable[Effect]) -> tuple[Posting, ...]:
    """Return the postings of consequences, with full score names."""
    return tuple(
        Posting(who=effect.who, score=f"{system}/{name}", amount=amount)
        for effect in consequences
        for name, amount in effect.scores.items()
    )


def add_consequences(draft: Draft, system: System, consequences: Iterable[Effect], cause: int) -> None:
    """Add consequences as events. Raise `Refused` if one breaks the rule of its kind, such as "can only add"."""
    for effect in consequences:
        check_flow(system, effect)
        marks = tuple(
            Mark(who=effect.who, name=f"{system.name}/{name}", value=value) for name, value in effect.marks.items()
        )
        event = Consequence(
            kind=effect.kind.name,
            system=system.name,
            who=effect.who,
            facts=dict(effect.facts),
            postings=postings_of(system.name, [effect]),
            marks=marks,
        )
        draft.add(event, cause)


def counted_dice(dice: Sequence[CountedDie], dropped: Mapping[int, str]) -> tuple[CountedDie, ...]:
    """Return dice as an entry stores them. `dropped` maps an index to the reason why that die does not count."""
    return tuple(die.replace(dropped=dropped.get(place)) for place, die in enumerate(dice))


def stored_inputs(move: Move) -> dict[str, Any]:
    """Return the inputs of a move as an entry stores them. Raise `BadInput` for invalid text or too many values."""
    hidden, values = move.hidden(), move.__dict__
    return {name: _stored_value(field, values[name], hidden) for name, field in move.fields().items()}


def _stored_value(field: Field, value: Any, hidden: Sequence[str]) -> Any:
    if value is None or (isinstance(value, int) and field.name not in hidden):
        return value
    if value == () and field.name not in hidden:
        return []
    repeats = field.many or field.keyed
    if repeats and len(value) > MOST_REPEATS:
        raise BadInput(f"You can give {Flag(field.name)} at most {MOST_REPEATS} times.")
    if field.keyed or any(isinstance(tag, Tag) and tag.name in {"handle", "score"} for tag in field.tags):
        for short in value if repeats else [value]:
            read_handle(short)
    if WORDS in field.tags:
        flag = Flag(field.name)
        return [checked_text(flag, text) for text in value] if field.many else checked_text(flag, value)
    if field.name in hidden:
        return secret(jsonable(value))
    return dict(value) if field.keyed else list(value) if field.many else value


class ResumingCommand(Struct):
    """A command that can continue an action after a ruling.

    `words` is the command as people type it, and `pool` has its dice. If the rules refuse it, `refused` says why.
    """

    words: str
    pool: Pool | None
    refused: str | None


def resumed_move(state: State, seq: int) -> ResumingCommand | None:
    """Return the command that can continue the action after a ruling, or `None` if there is nothing to continue."""
    ruling = state.entry(seq, secrets=True)
    played = PlayMove.from_entry(ruling)
    following = following_moves(state, played.move, ruling) if played.move.resume_command else ()
    if not following:
        return None
    words = f"{played.system} {played.move.resume_command.format(who=played.move.who)}"
    try:
        return ResumingCommand(words=words, pool=following[0].dice(table_of(state, played.system)), refused=None)
    except LedgerError as refused:
        return ResumingCommand(words=words, pool=None, refused=refused.sentence)
