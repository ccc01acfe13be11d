"""The decider: what is said, turned into the events that follow, by pure functions of what stands.

A command is said; it may ask for dice, or refuse; once they lie it plans its events. It knows no clock, no chance
and no file: what stands is handed to it (`Standing`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from ledger import systems
from ledger.dice import Die, Pool, Throw
from ledger.errors import BadInput, Held, NotEnough, OutOfRange, Refused, UnknownName, sorted_names
from ledger.events import (
    CAMPAIGN,
    CAST,
    PLAYERS,
    QUESTIONS,
    CampaignOpened,
    CharacterJoined,
    Consequence,
    CountedDie,
    DiceCounted,
    DiceThrown,
    Entry,
    Event,
    Mark,
    MarksSet,
    MovePlayed,
    NoteWritten,
    PlayerSeated,
    Posting,
    QuestionAsked,
    Said,
    SceneSet,
    ScoreAdjusted,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    plain,
    secret,
)
from ledger.notation import read
from ledger.rules import HANDLE, HIDDEN, RESERVED, WORDS, Follows, Move, Score, System, Table, shortened
from ledger.shape import Shape

LONGEST_NAME = 80
LONGEST_TEXT = 10_000

UNPRINTABLE = frozenset(
    chr(point)
    for first, last in (
        (0x00, 0x1F),  # control characters
        (0x7F, 0x9F),
        (0x200E, 0x200F),  # marks and overrides of direction
        (0x202A, 0x202E),
        (0x2066, 0x2069),
        (0x2028, 0x2029),  # separators of lines and paragraphs
        (0xFEFF, 0xFEFF),  # the byte order mark
    )
    for point in range(first, last + 1)
) - {"\n", "\t"}
"""Characters that would move the cursor, or turn the reading direction, of whoever reads the text."""


class Standing(Protocol):
    """What stands, as far as a decision may look."""

    def balance(self, who: str, score: str) -> int | None:
        """Return a score, None where nothing was ever posted to it."""

    def mark(self, who: str, name: str) -> Any:
        """Return a mark, None where it has no value."""

    def players(self) -> dict[str, str]:
        """Return the names of the players by their handles."""

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """Return an entry; refuses where there is none of that number."""

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Return the entries of an action."""

    def acts_backwards(self) -> Iterator[int]:
        """Yield the actions, the latest first."""


class Plan:
    """Events on their way into the journal, in order; each knows its number before it is written."""

    def __init__(self, head: int) -> None:
        self.head = head
        self.events: list[tuple[Event, int | None]] = []

    @property
    def next(self) -> int:
        """The number of the event that is added next."""
        return self.head + len(self.events) + 1

    def add(self, event: Event, cause: int | None = None) -> int:
        """Add an event, with the entry that it follows from; return its number."""
        self.events.append((event, cause))
        return self.head + len(self.events)


class Command(Shape):
    """What somebody says; its fields are written in the entry of its first event under the same names."""

    writes: ClassVar[tuple[str, ...]]

    def pool(self, stands: Standing) -> Pool | None:
        """Return the dice to throw, None for none; refuses what cannot be done."""
        return None

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what is paid whatever the dice show."""
        return ()

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add the events that follow; refuses what cannot be done."""
        raise NotImplementedError

    def content(self) -> dict[str, Any]:
        """Return what was said, to compare it with what is said again."""
        said: dict[str, Any] = plain(self)
        return said

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where it was another command."""
        first = next((entry for entry in entries if entry.type in self.writes), None)
        return None if first is None else {name: first.body[name] for name in self._fields}


class Open(Command):
    """Open a campaign."""

    writes = (CampaignOpened.type,)
    title: str
    gm: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write the first entry, and seat the GM."""
        plan.add(CampaignOpened(title=worded("A title", self.title, LONGEST_NAME)))
        Seat(name=self.gm, plays=(), gm=True).decide(stands, plan, thrown)


class Seat(Command):
    """Seat a player, or give one who sits already other characters."""

    writes = (PlayerSeated.type,)
    name: str
    plays: tuple[str, ...]
    gm: bool

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Find the seat, or take the next one."""
        name = worded("A name", self.name, LONGEST_NAME)
        for who in self.plays:
            check_handle(who)
        known = stands.players()
        seat = next((handle for handle, held in known.items() if held.casefold() == self.name.casefold()), None)
        if seat is not None and not (self.plays or self.gm):
            raise Refused(f"{self.name} already sits at the table, as {seat}.")
        player = seat or f"p{len(known) + 1}"
        marks = [Mark(who=who, name="player", value=player) for who in self.plays]
        if self.gm:
            marks.append(Mark(who=player, name="gm", value=True))
        marks.append(Mark(who=PLAYERS, name=player, value=plan.next))
        plan.add(PlayerSeated(player=player, name=name, gm=self.gm, plays=self.plays, marks=tuple(marks)))


class Join(Command):
    """Give a character a sheet in one system."""

    writes = (CharacterJoined.type,)
    who: str
    system: str
    scores: Mapping[str, int]

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Start every score that was said or that starts above 0; refuses a second sheet in the same system."""
        check_handle(self.who)
        system = systems.find(self.system)
        if stands.mark(self.who, f"{system.name}/sheet"):
            raise Refused(f"{self.who} already has a sheet in {system.name}.")
        named = {score_name(system, name): value for name, value in self.scores.items()}
        started = {score.name: _start(system, score, named) for score in system.scores if not score.pattern} | named
        postings = [
            Posting(who=self.who, score=f"{system.name}/{name}", amount=value)
            for name, value in started.items()
            if value or name in named
        ]
        within_limits(stands, system, postings)
        marks = (
            Mark(who=CAST, name=self.who, value=plan.next),
            Mark(who=self.who, name=f"{system.name}/sheet", value=True),
        )
        plan.add(
            CharacterJoined(
                who=self.who,
                system=system.name,
                edition=system.edition,
                scores=dict(self.scores),
                postings=tuple(postings),
                marks=marks,
            )
        )


def _start(system: System, score: Score, named: Mapping[str, int]) -> int:
    if isinstance(score.starts, int):
        return score.starts
    other = system.score(score.starts)
    assert other is not None  # noqa: S101  a test holds that it is declared
    return named[score.starts] if score.starts in named else _start(system, other, named)


class OpenSession(Command):
    """Begin an evening."""

    writes = (SessionOpened.type,)
    title: str
    present: tuple[str, ...]

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Number the session; refuses while another is open."""
        current = stands.mark(CAMPAIGN, "session")
        if current is not None:
            raise Refused(f"Session {current} is still open.", "Close it with 'campaign session close'.")
        number = (stands.balance(CAMPAIGN, "session") or 0) + 1
        plan.add(
            SessionOpened(
                number=number,
                title=worded("A title", self.title, LONGEST_NAME),
                present=self.present,
                postings=(Posting(who=CAMPAIGN, score="session", amount=1),),
                marks=(Mark(who=CAMPAIGN, name="session", value=number),),
            )
        )


class CloseSession(Command):
    """End an evening."""

    writes = (SessionClosed.type,)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Close what is open; refuses where nothing is."""
        cleared = tuple(Mark(who=CAMPAIGN, name=name, value=None) for name in ("session", "scene"))
        plan.add(SessionClosed(number=_open_session(stands), marks=cleared))


class SetScene(Command):
    """Begin a part of a session."""

    writes = (SceneSet.type,)
    title: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Set the scene; refuses outside a session."""
        _open_session(stands)
        scene = Mark(who=CAMPAIGN, name="scene", value=plan.next)
        plan.add(SceneSet(title=worded("A title", self.title, LONGEST_NAME), marks=(scene,)))


def _open_session(stands: Standing) -> int:
    number = stands.mark(CAMPAIGN, "session")
    if number is None:
        raise Refused("No session is open.", "Open one with 'campaign session open TITLE'.")
    return int(number)


class Adjust(Command):
    """Move scores by hand, as the GM decides; the scores by their full names."""

    writes = (ScoreAdjusted.type,)
    who: str
    amounts: Mapping[str, int]
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Post the amounts; refuses a score that the system does not know, or one beyond its limits."""
        _free(stands, (self.who,))
        postings = tuple(Posting(who=self.who, score=score, amount=amount) for score, amount in self.amounts.items())
        for name in dict.fromkeys(score.partition("/")[0] for score in self.amounts):
            system = sheet_system(stands, self.who, name)
            own = [posting for posting in postings if posting.score.startswith(f"{name}/")]
            for posting in own:
                score_name(system, posting.score.removeprefix(f"{name}/"))
            within_limits(stands, system, own)
        why = worded("A reason", self.why)
        plan.add(ScoreAdjusted(who=self.who, amounts=dict(self.amounts), why=why, postings=postings))


class SetMarks(Command):
    """Set marks by hand, as the GM decides; the marks by their full names, the values as typed."""

    writes = (MarksSet.type,)
    who: str
    values: Mapping[str, str]
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Set the marks; refuses one that the system does not know, and a value that it cannot have."""
        _free(stands, (self.who,))
        marks = []
        for full, typed in self.values.items():
            name, _, short = full.partition("/")
            declared = sheet_system(stands, self.who, name).mark(short)
            if declared is None:
                raise UnknownName(f"There is no mark called {shortened(full)}.")
            marks.append(Mark(who=self.who, name=full, value=declared.read(typed)))
        why = worded("A reason", self.why)
        plan.add(MarksSet(who=self.who, values=dict(self.values), why=why, marks=tuple(marks)))


class Note(Command):
    """Write something down."""

    writes = (NoteWritten.type,)
    text: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write it."""
        plan.add(NoteWritten(text=worded("A note", self.text)))


class Settle(Command):
    """Change settings of a system, in force from now on; the values as typed."""

    writes = (SettingsChanged.type,)
    system: str
    values: Mapping[str, str]

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Put them in force; refuses a setting that the system does not know, and a value that it cannot have."""
        system = systems.find(self.system)
        marks = []
        for name, typed in self.values.items():
            setting = system.setting(name)
            if setting is None:
                there = sorted_names(each.name for each in system.settings) or "none"
                raise UnknownName(f"{system.name} has no setting called {shortened(name)}.", f"Its settings: {there}.")
            marks.append(Mark(who=CAMPAIGN, name=f"{system.name}/{name}", value=plain(setting.read(typed))))
        plan.add(SettingsChanged(system=system.name, values=dict(self.values), marks=tuple(marks)))


class Roll(Command):
    """Throw dice outside any system."""

    writes = (DiceCounted.type,)
    who: str
    notation: str

    def pool(self, stands: Standing) -> Pool:
        """Read the pool as typed."""
        return read(self.notation).pool

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Count the dice."""
        assert thrown is not None  # noqa: S101  a notation always asks for dice
        throw = plan.add(DiceThrown(who=self.who, source=thrown.source, dice=counted(thrown.dice, {})))
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

    writes = (MovePlayed.type, QuestionAsked.type)
    move: Move
    system: str

    def pool(self, stands: Standing) -> Pool | None:
        """Ask the move for its dice; refuses one who has no sheet, or whom a question holds."""
        for who in self.move.cast():
            sheet_system(stands, who, self.system)
        _free(stands, self.move.cast())
        return self.move.dice(table_of(stands, self.system))

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what the move declares before the dice."""
        return self.move.cost(table_of(stands, self.system))

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Rule on the dice, or ask what the rules let the player choose now that they lie."""
        system, move, table = systems.find(self.system), self.move, table_of(stands, self.system)
        move.dice(table)
        choices = move.choices(table)
        dice = thrown.dice if thrown else ()
        if not choices:
            move.agree(table, [die.face for die in dice])
        throw = None
        if thrown:
            throw = plan.add(DiceThrown(who=move.who, source=thrown.source, dice=counted(dice, {})))
        if choices:
            seq = plan.next
            held = (Mark(who=who, name="hold", value=seq) for who in move.cast())
            marks = (*held, Mark(who=QUESTIONS, name=str(seq), value=False))
            costs = move.cost(table)
            plan.add(
                QuestionAsked(
                    **_facts(system, move, table),
                    throw=throw,
                    dice=counted(dice, {}),
                    kind=choices[0],
                    asks=choices,
                    marks=marks,
                )
            )
            follow(stands, plan, system, costs, seq)
        else:
            costs = move.cost(table)
            rule_on(stands, plan, system, move, table, dice, throw=throw, costs=costs)

    def content(self) -> dict[str, Any]:
        """Return system, move and inputs."""
        return {"system": self.system, "move": self.move.name(), "inputs": plain(self.move)}

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said, None where it was no move, or the answer to a question."""
        first = next((entry for entry in entries if entry.type in self.writes), None)
        if first is None or first.body.get("answers") is not None:
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
    throw: int | None,
    costs: Sequence[Follows] = (),
    answers: int | None = None,
) -> None:
    """Add the ruling on a move, what was declared before the dice, and what follows."""
    made = move.ruling(table, [die.face for die in dice])
    marks: tuple[Mark, ...] = ()
    if answers is not None:
        freed = (Mark(who=who, name="hold", value=None) for who in move.cast())
        marks = (*freed, Mark(who=QUESTIONS, name=str(answers), value=plan.next))
    seq = plan.add(
        MovePlayed(
            **_facts(system, move, table),
            throw=throw,
            dice=counted(dice, made.dropped),
            answers=answers,
            verdict=made.verdict,
            steps=made.steps,
            marks=marks,
        )
    )
    follow(stands, plan, system, (*costs, *made.consequences), seq)


def follow(stands: Standing, plan: Plan, system: System, consequences: Iterable[Follows], cause: int) -> None:
    """Add what follows; refuses postings that go against the flow of their kind, or beyond a score's limits."""
    all_postings: list[Posting] = []
    for each in consequences:
        check_flow(system, each)
        postings = tuple(
            Posting(who=each.who, score=f"{system.name}/{name}", amount=amount) for name, amount in each.scores.items()
        )
        marks = tuple(
            Mark(who=each.who, name=f"{system.name}/{name}", value=value) for name, value in each.marks.items()
        )
        all_postings += postings
        event = Consequence(
            kind=each.kind.name,
            system=system.name,
            who=each.who,
            facts=dict(each.facts),
            postings=postings,
            marks=marks,
        )
        plan.add(event, cause)
    within_limits(stands, system, all_postings)


def check_flow(system: System, consequence: Follows) -> None:
    """Refuse a consequence whose postings come or go under the wrong name."""
    units: dict[str, list[int]] = {}
    for name, amount in consequence.scores.items():
        score = system.score(name)
        if score is None:
            raise Refused(f"{system.name} has no score called {name!r}.")
        units.setdefault(score.unit, []).append(amount)
    for unit, amounts in units.items():
        kind = consequence.kind
        fits = {"in": min(amounts) >= 0, "out": max(amounts) <= 0, "within": sum(amounts) == 0}[kind.flow]
        if not fits:
            raise Refused(f"{kind.name} is a flow {kind.flow} and cannot post {amounts} {unit}.")


def within_limits(stands: Standing, system: System, postings: Iterable[Posting]) -> None:
    """Refuse (`NotEnough`, `OutOfRange`) postings that would leave a score beyond its limits."""
    after: dict[tuple[str, str], int] = {}
    for posting in postings:
        key = (posting.who, posting.score.removeprefix(f"{system.name}/"))
        stood = after[key] if key in after else stands.balance(posting.who, posting.score) or 0
        after[key] = stood + posting.amount
    for who in dict.fromkeys(who for who, _ in after):
        moved = {name: value for (subject, name), value in after.items() if subject == who}
        bounded = [score.name for score in system.scores if isinstance(score.most, str) and score.most in moved]
        for name in dict.fromkeys([*moved, *bounded]):
            score = system.score(name)
            assert score is not None  # noqa: S101  only declared scores are posted

            def stood_at(name: str, who: str = who, moved: Mapping[str, int] = moved) -> int:
                return moved[name] if name in moved else stands.balance(who, f"{system.name}/{name}") or 0

            value = stood_at(name)
            most = stood_at(score.most) if isinstance(score.most, str) else score.most
            if value < score.least:
                if score.least or name not in moved:
                    raise OutOfRange(who, name, value, f"it is at least {score.least}")
                has = stands.balance(who, f"{system.name}/{name}") or 0
                raise NotEnough(who, name, has=has, needs=has - value)
            if value > most:
                named = f"the {score.most} of {most}" if isinstance(score.most, str) else str(most)
                raise OutOfRange(who, name, value, f"it is at most {named}")


def table_of(stands: Standing, name: str, looked: Mapping[str, Mapping[str, Any]] | None = None) -> Table:
    """Return the table of a system: what was looked at before, else what stands, and the settings in force."""
    system = systems.find(name)

    def look(who: str, full: str) -> Any:
        if looked is not None and full in looked.get(who, {}):
            return looked[who][full]
        short = full.removeprefix(f"{name}/")
        return stands.balance(who, full) if system.score(short) else stands.mark(who, full)

    return Table(name, look, settings_in_force(stands, system))


def settings_in_force(stands: Standing, system: System) -> dict[str, Any]:
    """Return every setting of a system: what the GM decided, else the page's own."""
    decided = {setting.name: stands.mark(CAMPAIGN, f"{system.name}/{setting.name}") for setting in system.settings}
    return {
        setting.name: plain(setting.default) if decided[setting.name] is None else decided[setting.name]
        for setting in system.settings
    }


def sheet_system(stands: Standing, who: str, name: str) -> System:
    """Return the system in which a character has a sheet; refuses (`UnknownName`) where there is none."""
    if stands.mark(CAST, who) is None:
        raise UnknownName(f"Nobody called {shortened(who)} plays in this campaign.")
    if not stands.mark(who, f"{name}/sheet"):
        raise UnknownName(
            f"{who} has no sheet in {shortened(name)}.", f"Make one with 'campaign join {who} {name} SCORE=N…'."
        )
    return systems.find(name)


def score_name(system: System, name: str) -> str:
    """Return the name of a score that the system declares; refuses (`UnknownName`) any other."""
    if system.score(name) is None:
        there = ", ".join(score.name for score in system.scores)
        raise UnknownName(f"{system.name} has no score called {shortened(name)}.", f"Its scores: {there}.")
    return name


def counted(dice: Sequence[Die], dropped: Mapping[int, str]) -> tuple[CountedDie, ...]:
    """Return dice as they are written, each with why it does not count."""
    return tuple(
        CountedDie(sides=die.sides, face=die.face, digits=die.digits, dropped=dropped.get(place))
        for place, die in enumerate(dice)
    )


def check_handle(who: str) -> None:
    """Refuse what is no handle for a character."""
    if not HANDLE.fullmatch(who):
        raise BadInput(
            f"{shortened(who)} is no handle for a character.",
            "A handle is short: small letters, digits and hyphens, like mara.",
        )
    if RESERVED.fullmatch(who):
        raise BadInput(f"{who!r} is reserved; no character can be called that.")


def worded(what: str, text: str, longest: int = LONGEST_TEXT) -> Said:
    """Return words to be kept; refuses (`BadInput`) none, too many, and what cannot be shown."""
    if not text.strip():
        raise BadInput(f"{what} cannot be empty.")
    if len(text) > longest:
        raise BadInput(f"{what} has at most {longest:,} characters; this one has {len(text):,}.")
    if not UNPRINTABLE.isdisjoint(text) or (longest == LONGEST_NAME and not {"\n", "\t"}.isdisjoint(text)):
        raise BadInput(f"{what} cannot hold control characters.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{what} must be UTF-8.") from None
    return Said(text=text)


def _facts(system: System, move: Move, table: Table) -> dict[str, Any]:
    return {
        "system": system.name,
        "edition": system.edition,
        "move": move.name(),
        "who": move.who,
        "inputs": {name: _closed(move, name) for name in move.fields()},
        "settings": dict(table.settings),
        "looked": {who: dict(sorted(sheet.items())) for who, sheet in table.looked.items()},
    }


def _closed(move: Move, name: str) -> Any:
    field, held = move.fields()[name], getattr(move, name)
    if held is None:
        return None
    if WORDS in field.tags:
        what = f"--{name.replace('_', '-')}"
        return [worded(what, text) for text in held] if field.many else worded(what, held)
    if HIDDEN in field.tags and move.hides:
        return secret(held)
    return held


def _free(stands: Standing, cast: Iterable[str]) -> None:
    for who in cast:
        question = stands.mark(who, "hold")
        if question is not None:
            raise Held(who, question)
