"""The table: who sits at it, who plays, which evening it is, and what the GM decides by hand."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger import systems
from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.sheet import free, score_name, sheet_system, within_limits
from ledger.errors import BadInput, Refused, UnknownName, shortened, sorted_names
from ledger.events.entry import Entry, plain
from ledger.events.facts import Mark, Posting
from ledger.events.subjects import CAMPAIGN, CAST, KEY, PLAYERS
from ledger.events.types import (
    CampaignOpened,
    CharacterJoined,
    DayBegun,
    MarksSet,
    NoteWritten,
    PlayerSeated,
    SceneSet,
    ScoreAdjusted,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
)
from ledger.rules.dice import Throw
from ledger.rules.inputs import AT_ONCE, LONGEST_NAME, RESERVED, check_handle, worded
from ledger.rules.system import Score, System


class Open(Command):
    """Open a campaign."""

    writes: ClassVar[tuple[str, ...]] = (CampaignOpened.type,)
    title: str
    gm: str
    key: str | None = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write the first entry, and seat the GM; refuses where there is one already."""
        if plan.head:
            raise Refused("This campaign was opened already.", "Name another file with -f FILE.")
        marks = () if self.key is None else (Mark(who=CAMPAIGN, name=KEY, value=self.key),)
        plan.add(CampaignOpened(title=worded("A title", self.title, LONGEST_NAME), key=self.key, marks=marks))
        Seat(name=self.gm, plays=(), gm=True).decide(stands, plan, thrown)

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return the title and the name of the GM, None where it was another command."""
        if entries[0].type != CampaignOpened.type:
            return None
        return {"title": entries[0].body["title"], "gm": entries[1].body["name"]}

    def content(self) -> dict[str, Any]:
        """Return the title and the name of the GM; a key is made anew each time."""
        return {"title": self.title, "gm": self.gm}


class Seat(Command):
    """Seat a player, or give one who sits already more characters."""

    writes: ClassVar[tuple[str, ...]] = (PlayerSeated.type,)
    name: str
    plays: tuple[str, ...]
    gm: bool

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Find the seat, or take the next one."""
        name = worded("A name", self.name, LONGEST_NAME)
        if RESERVED.fullmatch(self.name) or "," in self.name or self.name != self.name.strip():
            raise BadInput(
                f"{shortened(self.name)} is no name for a player: it is a seat, or has commas or spaces around."
            )
        for who in self.plays:
            check_handle(who)
        known = stands.players()
        seat = next((handle for handle, held in known.items() if held.casefold() == self.name.casefold()), None)
        if seat is not None and not (self.plays or self.gm):
            raise Refused(f"{self.name} already sits at the table, as {seat}.")
        player = seat or f"p{stands.seats() + 1}"
        for handle, held in stands.everyone().items():
            if held.casefold() == self.name.casefold() and handle != player:
                raise Refused(f"{held} already sits at the table, as {handle}.")
        marks = [Mark(who=who, name="player", value=player) for who in self.plays]
        if self.gm:
            marks.append(Mark(who=player, name="gm", value=True))
        marks.append(Mark(who=PLAYERS, name=player, value=plan.next))
        plan.add(PlayerSeated(player=player, name=name, gm=self.gm, plays=self.plays, marks=tuple(marks)))


class Join(Command):
    """Give a character a sheet in one system."""

    writes: ClassVar[tuple[str, ...]] = (CharacterJoined.type,)
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

    writes: ClassVar[tuple[str, ...]] = (SessionOpened.type,)
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

    writes: ClassVar[tuple[str, ...]] = (SessionClosed.type,)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Close what is open; refuses where nothing is."""
        cleared = tuple(Mark(who=CAMPAIGN, name=name, value=None) for name in ("session", "scene"))
        plan.add(SessionClosed(number=_open_session(stands), marks=cleared))


class SetScene(Command):
    """Begin a part of a session."""

    writes: ClassVar[tuple[str, ...]] = (SceneSet.type,)
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


class BeginDay(Command):
    """Begin the next day; `count` and `until` say how far a skip goes that begins with it."""

    writes: ClassVar[tuple[str, ...]] = (DayBegun.type,)
    count: Annotated[int | None, AT_ONCE] = None
    until: Annotated[int | None, AT_ONCE] = None

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Number the day."""
        day = (stands.balance(CAMPAIGN, "day") or 0) + 1
        posting = Posting(who=CAMPAIGN, score="day", amount=1)
        plan.add(DayBegun(day=day, count=self.count, until=self.until, postings=(posting,)))


class Adjust(Command):
    """Move scores by hand, as the GM decides; the scores by their full names."""

    writes: ClassVar[tuple[str, ...]] = (ScoreAdjusted.type,)
    who: str
    amounts: Mapping[str, int]
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Post the amounts; refuses a score that the system does not know, or one beyond its limits."""
        free(stands, (self.who,))
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

    writes: ClassVar[tuple[str, ...]] = (MarksSet.type,)
    who: str
    values: Mapping[str, str]
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Set the marks; refuses one that the system does not know, and a value that it cannot have."""
        free(stands, (self.who,))
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

    writes: ClassVar[tuple[str, ...]] = (NoteWritten.type,)
    text: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write it."""
        plan.add(NoteWritten(text=worded("A note", self.text)))


class Settle(Command):
    """Change settings of a system, in force from now on; the values as typed."""

    writes: ClassVar[tuple[str, ...]] = (SettingsChanged.type,)
    system: str
    values: Mapping[str, str]
    why: str | None = None

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
        why = None if self.why is None else worded("A reason", self.why)
        plan.add(SettingsChanged(system=system.name, values=dict(self.values), why=why, marks=tuple(marks)))
