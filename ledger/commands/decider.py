"""The decider: the base classes of commands, and the ports that they get.

A command decides in straight-line code: it reads the state, may refuse, may ask for dice, and adds events to its draft;
the next line sees each added event. It knows no clock, no randomness and no file.

The ports are small. `State` answers what counts, `Roster` who plays; `History` and `Custody` are for the few commands
about other entries, or about the book itself. A `Draft` is a unit of work. Three classes implement it:
`draft.LiveDraft` writes, `corrections.in_place.InPlace` decides again in an old place, and `Sketch` keeps the events
in memory, to show the outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

from ledger.errors import Away
from ledger.events.canonical import canonical_json
from ledger.events.commitments import CommittedText, Secret, is_away, plain_value
from ledger.events.entry import Entry, lead_of, plain
from ledger.events.facts import Position
from ledger.events.subjects import Question
from ledger.events.types import Event
from ledger.rules.dice import Pool, ThrownDice
from ledger.rules.rulings import Effect
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.rules.move import Move


class State(Protocol):
    """The current balances, marks, questions and entries."""

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, `None` if it was never posted to."""

    def gained(self, who: str, score: str) -> int:
        """The action from which the last gain of a score counts, 0 if the score never rose."""

    def mark(self, who: str, name: str) -> Any:
        """Value of a mark, `None` if it has none."""

    def scores(self, who: str, prefix: str) -> list[str]:
        """Names of the scores under a prefix that are not 0, in order."""

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """Secret behind a mark; refuses (`Away`) if this file lacks it."""

    def is_struck(self, act: int) -> bool:
        """Whether an action is struck."""

    def question(self, seq: int) -> Question:
        """State of a question: waiting, answered or struck."""

    def questions(self) -> list[int]:
        """Numbers of the waiting questions."""

    def holding(self, who: str) -> int:
        """First question that holds a character."""

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """An entry, its words open; refuses a number that was never written."""

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Entries of an action, their words open."""


class Roster(Protocol):
    """The players at the table, and their characters."""

    def players(self) -> dict[str, str]:
        """Names of the players, by handle."""

    def everyone(self) -> dict[str, str]:
        """Current names of the players, even in a draft of an old place, by handle."""

    def seats(self) -> int:
        """Number of seats ever taken; no seat goes to a second player."""

    def sheets(self) -> list[tuple[str, str]]:
        """Characters and the games of their sheets, game by game."""


class History(Protocol):
    """Earlier entries, and their corrections."""

    def head(self) -> int:
        """Number of the last entry."""

    def as_of(self, place: int, known: int | None = None) -> Seen:
        """State before an entry, with all corrections since, or with those up to entry `known`."""

    def late(self, head: int) -> Iterator[tuple[str, str, int]]:
        """The scores and marks that were corrected after an entry, each with the entry from which its row counts."""

    def written(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        """Entries of these types, from `first` on, that name any of `naming`; their words are closed."""

    def flipped(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """The actions that fall if action `act` strikes these `targets`, and the struck ones that count again."""

    def comments_on(self, act: int) -> list[int]:
        """Standing entries that speak about an action."""

    def acts_backwards(self) -> Iterator[int]:
        """Actions, the latest first."""

    def copy(self, seq: int) -> Event:
        """The event of an entry with its words, to be written again. Refuse (`Away`) if a secret of it is missing."""


class Custody(History, Protocol):
    """Earlier entries, their hash tree, and the words beside them."""

    def root(self, size: int) -> bytes:
        """Root of the tree of the first `size` entries."""

    def consistency_proof(self, size1: int, size2: int) -> list[bytes]:
        """Return the proof that the tree of `size2` entries continues that of `size1`."""

    def erasable(self, seq: int) -> dict[int, tuple[str, ...]]:
        """The fields whose words can still be erased, by entry: those of an entry and of its copies."""

    def check_words(self, seq: int) -> None:
        """Refuse (`WrongEntry`) words that do not match the commitments of their entry."""


class Seen(State, Roster, Protocol):
    """State and roster, of now or of an old place."""


class Record(Seen, History, Protocol):
    """State, roster and history."""


class Draft(State, Protocol):
    """A unit of work. Each added event is visible to the next line; all events are written, or none."""

    @property
    def began(self) -> int:
        """Number of the last entry before the command."""

    @property
    def next(self) -> int:
        """Number of the next event."""

    @property
    def by_hand(self) -> bool:
        """Return True if the dice are fixed already: typed, or thrown in an old place."""

    @property
    def has_faces(self) -> bool:
        """Return True if typed dice are left that no move has asked for."""

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        """Roll a pool, or take the dice that are fixed already; `cost` is paid whatever they show.

        After it, nothing may be refused. A dry run in which the computer would roll ends here (`Unseen`).
        """

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event that follows from entry `cause` and counts from entry `since`; return its number."""

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        """Declare that the added events reveal a secret; a dry run ends here (`Unseen`), and shows only the cost."""


class TableDraft(Draft, Roster, Protocol):
    """A draft for the commands of the table: now, or again in an old place."""


class BookDraft(TableDraft, Custody, Protocol):
    """A draft for commands about other entries, or about the book itself."""

    @property
    def by(self) -> str:
        """Handle of the player who writes."""


class Unseen(Exception):
    """Ends a dry run before it shows dice or secrets. It is no error: only the scribe catches it."""

    def __init__(self, pool: Pool, cost: tuple[Effect, ...]) -> None:
        super().__init__()
        self.pool = pool
        self.cost = cost


class SeenThrough:
    """Reads the state from another draft or book. The base of the drafts that are not written."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self.gained, self.scores, self.secret, self.is_struck = seen.gained, seen.scores, seen.secret, seen.is_struck
        self.question, self.questions, self.holding = seen.question, seen.questions, seen.holding
        self.entry, self.action = seen.entry, seen.action
        self.players, self.everyone, self.seats, self.sheets = seen.players, seen.everyone, seen.seats, seen.sheets

    def balance(self, who: str, score: str) -> int | None:
        return self._seen.balance(who, score)

    def mark(self, who: str, name: str) -> Any:
        return self._seen.mark(who, name)


class Sketch(SeenThrough):
    """A draft that is never written. It keeps the events in memory, numbered as if they were written, and shows them.

    It rolls no dice and draws no salts. `conceals` is True if its events reveal a secret.
    """

    by_hand = True
    has_faces = False

    def __init__(self, seen: Seen, began: int) -> None:
        super().__init__(seen)
        self.began = began
        self.added: list[Added] = []
        self.conceals = False

    @property
    def next(self) -> int:
        return self.began + len(self.added) + 1

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        assert pool is None  # noqa: S101
        return None

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        at = Position(self.next, since or self.next)
        self.added.append(Added(event=event.with_rows(at, self), cause=cause, since=since))
        return self.next - 1

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        self.conceals = True

    def balance(self, who: str, score: str) -> int | None:
        before = super().balance(who, score)
        postings = (posting for added in self.added for posting in added.event.postings)
        amounts = [posting.amount for posting in postings if (posting.who, posting.score) == (who, score)]
        return (before or 0) + sum(amounts) if amounts else before

    def mark(self, who: str, name: str) -> Any:
        marks = (mark for added in self.added for mark in added.event.marks)
        values = [mark.value for mark in marks if (mark.who, mark.name) == (who, name)]
        return values[-1] if values else super().mark(who, name)


class Added(Struct):
    """An event in a draft, with the entry that it follows from and the entry from which it counts."""

    event: Event
    cause: int | None
    since: int | None


class PageForm(NamedTuple):
    """The form of a command on the GM's page: the command's name there, a heading, and the text of the button."""

    name: str
    heading: str
    button: str


class Command(Struct):
    """A person's request, and the events that it leads to. The first event has fields of the same names.

    `writes` names the types of that first event; for a strike, `how` adds which kind of strike. A slow command is
    `planned`: it is decided without the write lock, which is held only to append the result. After a command that
    `scrubs`, the file has no trace of deleted words. A command that `asks` is written once people agreed to its plan.
    After a command that `signs`, the head of the history is signed. On the page, the GM may use every command, and
    players may use those that are `for_players`, if the `acting` characters are their own. A command with a `form` is
    on the page without more. Others have a place of their own in `web`, or none.
    """

    writes: ClassVar[tuple[str, ...]]
    how: ClassVar[str] = ""
    planned: ClassVar[bool] = False
    scrubs: ClassVar[bool] = False
    asks: ClassVar[bool] = False
    signs: ClassVar[bool] = False
    for_players: ClassVar[bool] = False
    form: ClassVar[PageForm | None] = None

    def decide(self, draft: BookDraft) -> None:
        """Add the resulting events. Refuse what cannot be done."""

    def acting(self, record: Record, seat: str) -> Sequence[str]:
        """The acting characters if a seat's player says it; `CAMPAIGN` if only the GM may say it. Default: none."""
        return ()

    def same_as(self, entries: Sequence[Entry]) -> str | None:
        """Compare with the command that wrote an action: "" if they are equal, else what differs.

        `None` if it was another command. Refuses (`Away`) if this file lacks a secret input.
        """
        first = lead_of(entries)
        if not self.wrote(first):
            return None
        return differing(first, self.recorded(first), plain(self))

    def in_full(self, custody: Custody) -> Self:
        """The command with all that its entry names, found in the book before that entry. Default: itself."""
        return self

    @classmethod
    def wrote(cls, first: Entry) -> bool:
        """Return True if this kind of command wrote an action that begins with an entry."""
        return first.type in cls.writes and getattr(first.event, "how", "") == cls.how

    @classmethod
    def from_entry(cls, entry: Entry) -> Self:
        """Read a command back from the entry that it wrote first, its words and secrets open."""
        return cls(**plain_value(cls.recorded(entry)))

    @classmethod
    def recorded(cls, entry: Entry) -> dict[str, Any]:
        """The inputs in the entry that it wrote first. Default: the facts with the names of its fields."""
        return {name: getattr(entry.event, name, None) for name in cls._fields}

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self | None:
        """Read a command back from its action, its words and secrets open; `state` is the state before the action.

        `None` if the file lacks what the command needs: a private key, another history, words that were erased.
        Default: `from_entry`.
        """
        return cls.from_entry(lead_of(entries))


CommandT = TypeVar("CommandT", bound=Command)


def kinds_below(base: type[CommandT]) -> list[type[CommandT]]:
    """A command and its subclasses that are defined by now."""
    kinds = [base]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return kinds


def by_what_they_write(base: type[CommandT]) -> dict[str, list[type[CommandT]]]:
    """The subclasses of a command that are defined by now, by the type of their first event."""
    found = dict[str, list[type[CommandT]]]()
    for kind in kinds_below(base):
        for written in kind.__dict__.get("writes", ()):
            found.setdefault(written, []).append(kind)
    return found


def differing(entry: Entry, before: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    """The first input that differs from an entry's, "" if none does. Erased words count as equal."""
    if is_away(plain(before)):
        raise Away(entry.seq)
    return _difference(plain(before), plain(said), "")


def _difference(before: Any, now: Any, name: str) -> str:
    if isinstance(before, Secret):
        return "" if before.value == now else f"different {name}"
    if isinstance(before, CommittedText) and before.text is None:
        return ""
    if isinstance(before, dict) and isinstance(now, dict):
        fields = ((before.get(key), now.get(key), key) for key in sorted(before.keys() | now.keys()))
        return next(filter(None, (_difference(*field) for field in fields)), "")
    lists = isinstance(before, list) and isinstance(now, list) and len(before) == len(now)
    if lists and not any(_difference(*pair, name) for pair in zip(before, now, strict=True)):
        return ""
    was = plain_value(before)
    return "" if was == now else f"different {name}: {_text(was)}, not {_text(now)}"


def _text(value: Any) -> str:
    return "none" if value is None else canonical_json(value).decode()


class TableCommand(Command):
    """A command at the table. Amendments can decide it again in its old place."""

    def decide(self, draft: TableDraft) -> None:
        """Add the resulting events. Refuse what cannot be done."""

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """The command with changed inputs. For an input by name, other names keep their values."""
        own = self.__dict__
        merged = {name: {**own[name], **new} if isinstance(new, Mapping) else new for name, new in changes.items()}
        return self.replace(**merged)

    def moves_after(self, state: State, ruling: Entry) -> tuple[Move, ...]:
        """The moves that follow at once from its ruling. Refuse (`Away`) if a secret behind them is missing here."""
        return ()

    def replay(self, draft: TableDraft) -> None:
        """Decide again in an old place, without the moves that follow at once: they are parts of their own."""
        self.decide(draft)
