"""The decider: what every command is made of, and what it is handed.

A command is decided by a straight line of code: it looks at what stands, may refuse, may ask for dice, and adds events
to the draft that it is handed; what it has added is seen by the next line. It knows no clock, no chance and no file.

The ports are small. `State` answers what stands, `Roster` who plays; `History` and `Custody` are for the few commands
that speak about other entries, or about the book itself. A `Draft` is a unit of work. Three classes keep its protocol:
`scribe.LiveDraft` writes, `corrections.in_place.InPlace` decides again in an old place, and `Sketch` keeps what is
added in memory, to show what would come of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, Self

from ledger.errors import Away
from ledger.events.canonical import canonical_json
from ledger.events.commitments import Said, Secret, is_away, told
from ledger.events.entry import Entry, head_of, plain
from ledger.events.subjects import Question
from ledger.events.types import AnyEvent, Event
from ledger.rules.dice import Pool, Throw
from ledger.rules.rulings import Effect
from ledger.values import Struct


class State(Protocol):
    """What stands."""

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, None if it was never posted to."""

    def mark(self, who: str, name: str) -> Any:
        """Value of a mark, None if it has none."""

    def scores(self, who: str, prefix: str) -> list[str]:
        """What the scores under a prefix are called, those that are not 0, in order."""

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """What a mark holds that the GM keeps secret; refuses (`Away`) what is not in this file."""

    def is_struck(self, act: int) -> bool:
        """Whether an action was canceled."""

    def question(self, seq: int) -> Question:
        """What became of a question."""

    def questions(self) -> list[int]:
        """Questions that wait, by number."""

    def holding(self, who: str) -> int:
        """First question that holds a character."""

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """An entry, its words open; refuses where there is none of that number."""

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Entries of an action, their words open."""


class Roster(Protocol):
    """Who sits at the table, and who plays what."""

    def players(self) -> dict[str, str]:
        """Names of the players, by handle."""

    def everyone(self) -> dict[str, str]:
        """Names of the players as they are now, whenever this is about, by handle."""

    def seats(self) -> int:
        """How many seats were ever taken; none is given to somebody else."""

    def sheets(self) -> list[tuple[str, str]]:
        """Who has a sheet in which game, game by game."""


class History(Protocol):
    """What was written before, and what was put right since."""

    def head(self) -> int:
        """Number of the last entry."""

    def as_of(self, place: int, known: int | None = None) -> "Seen":
        """What stood before an entry, as now known of it, or as known of it at another."""

    def late(self, head: int) -> Iterator[tuple[str, str, int]]:
        """Scores and marks that were put right after an entry, with the entry from which each row counts."""

    def written(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        """Entries of some types, from one on, that name any of these; their words are closed."""

    def flipped(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """Actions that stand no more once a strike of these is written in an action, and those that stand again."""

    def spoken(self, act: int) -> list[int]:
        """Entries that say something about an action, and stand."""

    def acts_backwards(self) -> Iterator[int]:
        """Actions, the latest first."""

    def copy(self, seq: int) -> AnyEvent:
        """An entry as it was said, its words to be kept again; refuses (`Away`) one of which a secret is not here."""


class Custody(Protocol):
    """What the book says of itself."""

    def root(self, size: int) -> bytes:
        """Root of the tree of the first so many entries."""

    def erasable(self, seq: int) -> dict[int, tuple[str, ...]]:
        """Words of an entry that are still there, and those that were written again, by entry."""

    def check_words(self, seq: int) -> None:
        """Refuse (`WrongEntry`) words of an entry that are not those that it committed to."""


class Seen(State, Roster, Protocol):
    """What stands or stood, and who played."""


class Record(Seen, History, Protocol):
    """All that was written before, and what stands."""


class Draft(State, Protocol):
    """A unit of work: what a command adds stands from the next line on, and all of it is written, or none."""

    @property
    def began(self) -> int:
        """Number of the last entry before the command."""

    @property
    def next(self) -> int:
        """Number of the event that is added next."""

    @property
    def by_hand(self) -> bool:
        """Whether the dice lie already: they were typed, or are those of an old place."""

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> Throw | None:
        """Roll the dice, or take those that lie, None for none; `cost` is paid whatever they show.

        It is the last point of refusal. A dry run that would let the computer roll ends here (`Unseen`).
        """

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event, with the entry that it follows from, and the one from which it counts; return its number."""

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        """Say that what was added tells what the GM keeps; a dry run ends here (`Unseen`), and shows the cost alone."""


class TableDraft(Draft, Roster, Protocol):
    """A draft of what is said at the table: now, or again in its place."""


class BookDraft(TableDraft, History, Custody, Protocol):
    """A draft in the open book, for commands that speak about other entries."""


class Unseen(Exception):
    """The end of a dry run, before anything is shown that must not be. It is no error: the scribe alone catches it."""

    def __init__(self, pool: Pool, cost: tuple[Effect, ...]) -> None:
        super().__init__()
        self.pool = pool
        self.cost = cost


class SeenThrough:
    """Answers what another answers; the drafts that are not written begin with it."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, None if it was never posted to."""
        return self._seen.balance(who, score)

    def mark(self, who: str, name: str) -> Any:
        """Value of a mark, None if it has none."""
        return self._seen.mark(who, name)

    def scores(self, who: str, prefix: str) -> list[str]:
        """What the scores under a prefix are called."""
        return self._seen.scores(who, prefix)

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """What a mark holds that the GM keeps secret."""
        return self._seen.secret(mark)

    def is_struck(self, act: int) -> bool:
        """Whether an action was canceled."""
        return self._seen.is_struck(act)

    def question(self, seq: int) -> Question:
        """What became of a question."""
        return self._seen.question(seq)

    def questions(self) -> list[int]:
        """Questions that wait."""
        return self._seen.questions()

    def holding(self, who: str) -> int:
        """First question that holds a character."""
        return self._seen.holding(who)

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """An entry, its words open."""
        return self._seen.entry(seq, secrets=secrets)

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Entries of an action, their words open."""
        return self._seen.action(act, secrets=secrets)

    def players(self) -> dict[str, str]:
        """Names of the players."""
        return self._seen.players()

    def everyone(self) -> dict[str, str]:
        """Names of the players as they are now."""
        return self._seen.everyone()

    def seats(self) -> int:
        """How many seats were taken."""
        return self._seen.seats()

    def sheets(self) -> list[tuple[str, str]]:
        """Who has a sheet in which game."""
        return self._seen.sheets()


class Sketch(SeenThrough):
    """A draft that is never written: it keeps what is added in memory, numbered as it would be, and shows it.

    It rolls no dice and draws no salts. `conceals` says that what was added tells what the GM keeps.
    """

    by_hand = True

    def __init__(self, seen: Seen, began: int) -> None:
        super().__init__(seen)
        self.began = began
        self.added: list[Added] = []
        self.conceals = False

    @property
    def next(self) -> int:
        """Number of the event that is added next."""
        return self.began + len(self.added) + 1

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> Throw | None:
        """Nobody rolls for a sketch: who decides on one needs no dice, or has them."""
        assert pool is None  # noqa: S101
        return None

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Keep an event; return its number."""
        self.added.append(Added(event=event, cause=cause, since=since))
        return self.next - 1

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        """Note it."""
        self.conceals = True

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, with what was added."""
        before, postings = super().balance(who, score), (each for added in self.added for each in added.event.postings)
        moved = [each.amount for each in postings if (each.who, each.score) == (who, score)]
        return (before or 0) + sum(moved) if moved else before

    def mark(self, who: str, name: str) -> Any:
        """Value of a mark, with what was added."""
        marks = (each for added in self.added for each in added.event.marks)
        given = [each.value for each in marks if (each.who, each.name) == (who, name)]
        return given[-1] if given else super().mark(who, name)


class Added(Struct):
    """An event that was added to a draft: with the entry that it follows from, and the one from which it counts."""

    event: Event
    cause: int | None
    since: int | None


class Command(Struct):
    """What somebody says; its fields are written in the entry of its first event under the same names.

    After one that `scrubs` nothing of what was deleted is left in the file.
    """

    writes: ClassVar[tuple[str, ...]]
    scrubs: ClassVar[bool] = False

    def decide(self, draft: BookDraft) -> None:
        """Add the events that follow; refuses what cannot be done."""

    def same_as(self, entries: Sequence[Entry]) -> str | None:
        """Compare it with what was said when an action was written: "" if that is the same, else what differs.

        None if it was another command. Refuses (`Away`) what was said with a secret that is not in this file.
        """
        first = head_of(entries)
        if first.type not in self.writes:
            return None
        return differing(first, {name: getattr(first.event, name, None) for name in self._fields}, plain(self))


def differing(entry: Entry, before: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    """The first input that differs from an entry's, "" for none; erased words count as equal."""
    if is_away(plain(before)):
        raise Away(entry.seq)
    return _difference(plain(before), plain(said), "")


def _difference(before: Any, said: Any, name: str) -> str:
    if isinstance(before, Secret):
        return "" if before.value == said else f"other {name}"
    if isinstance(before, Said) and before.text is None:
        return ""
    if isinstance(before, dict) and isinstance(said, dict):
        each = ((before.get(key), said.get(key), key) for key in sorted(before.keys() | said.keys()))
        return next((found for found in (_difference(*pair) for pair in each) if found), "")
    lists = isinstance(before, list) and isinstance(said, list) and len(before) == len(said)
    if lists and not any(_difference(*pair, name) for pair in zip(before, said, strict=True)):
        return ""
    was = told(before)
    return "" if was == said else f"other {name}: {_shown(was)}, not {_shown(said)}"


def _shown(value: Any) -> str:
    return "none" if value is None else canonical_json(value).decode()


class TableCommand(Command):
    """What is said at the table, and can be said again in its place."""

    def decide(self, draft: TableDraft) -> None:
        """Add the events that follow; refuses what cannot be done."""

    @classmethod
    def from_entry(cls, entry: Entry) -> Self:
        """Read back what was said from the entry that it wrote first, its words and secrets open."""
        return cls(**{name: told(getattr(entry.event, name)) for name in cls._fields})

    def replay(self, draft: TableDraft) -> None:
        """Decide it again in its place: what came after it at once is a part of its own."""
        self.decide(draft)
