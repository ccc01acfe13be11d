"""The decider: what every command is made of, and what it is handed.

What is said is turned into the events that follow by pure functions of what stands. A command may ask for dice, or
refuse; once they lie it plans its events. It knows no clock, no chance and no file: what stands is handed to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from ledger.events.commitments import Secret
from ledger.events.entry import Entry, head_of, plain
from ledger.events.types import Event
from ledger.rules.dice import Pool, Throw
from ledger.rules.rulings import Follows
from ledger.values import Shape


class Standing(Protocol):
    """What stands, as far as a decision may look."""

    def balance(self, who: str, score: str) -> int | None:
        """Return a score, None where nothing was ever posted to it."""

    def mark(self, who: str, name: str) -> Any:
        """Return a mark, None where it has no value."""

    def head(self) -> int:
        """Return the number of the last entry."""

    def at(self, place: int, known: int | None = None) -> "Standing":
        """Return what stood before an entry, as now known of it, or as known of it at another."""

    def scores(self, who: str, prefix: str) -> list[str]:
        """Return what the scores under a prefix are called, those that are not 0, in order."""

    def secret(self, mark: Mapping[str, Any]) -> Secret:
        """Return what a mark holds that the GM keeps secret; refuses (`Away`) what is not in this file."""

    def late(self, head: int) -> Iterator[tuple[str, str, int]]:
        """Yield the scores and marks that were put right after an entry, with the entry since which each row counts."""

    def flipped(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """Return which actions stand no more once a strike of these is written in an action, and which stand again."""

    def spoken(self, act: int) -> list[int]:
        """Return the entries that say something about an action, and stand."""

    def everyone(self) -> dict[str, str]:
        """Return the names of the players as they are now, whenever this is about, by their handles."""

    def copy(self, seq: int) -> dict[str, Any]:
        """Return an entry as it was said, its words and secrets open to be kept again; refuses (`Away`) one in part."""

    def check_words(self, seq: int) -> None:
        """Refuse (`WrongEntry`) words of an entry that are not those that it committed to."""

    def root(self, size: int) -> bytes:
        """Return the root of the tree of the first so many entries."""

    def erasable(self, seq: int) -> dict[int, tuple[str, ...]]:
        """Return the words of an entry that are still there, and those that were written again, by entry."""

    def written(self, types: Iterable[str], first: int, naming: Iterable[str]) -> Iterator[Entry]:
        """Yield the entries of some types, from one on, that name any of these."""

    def sheets(self) -> list[tuple[str, str]]:
        """Return who has a sheet in which game, game by game."""

    def questions(self) -> list[int]:
        """Return the questions that wait, by number."""

    def players(self) -> dict[str, str]:
        """Return the names of the players by their handles."""

    def seats(self) -> int:
        """Return how many seats were ever taken; none is given to somebody else."""

    def holding(self, who: str) -> int:
        """Return the first question that holds a character."""

    def entry(self, seq: int, *, secrets: bool = False) -> Entry:
        """Return an entry; refuses where there is none of that number."""

    def action(self, act: int, *, secrets: bool = False) -> list[Entry]:
        """Return the entries of an action."""

    def acts_backwards(self) -> Iterator[int]:
        """Yield the actions, the latest first."""


class Plan:
    """Events on their way into the journal, in order; each knows its number before it is written.

    `opens` says that they tell what the GM kept secret until then, so that a dry run does not show them.
    """

    def __init__(self, head: int) -> None:
        self.head = head
        self.opens = False
        self.events: list[tuple[Event, int | None, int | None]] = []

    @property
    def next(self) -> int:
        """The number of the event that is added next."""
        return self.head + len(self.events) + 1

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event, with the entry that it follows from, and the one since which it counts; return its number."""
        self.events.append((event, cause, since))
        return self.head + len(self.events)


class Command(Shape):
    """What somebody says; its fields are written in the entry of its first event under the same names.

    After one that `scrubs` nothing of what was deleted is left in the file.
    """

    writes: ClassVar[tuple[str, ...]]
    scrubs: ClassVar[bool] = False

    def stages(self, stands: Standing) -> "Iterator[Command]":
        """Yield the commands that this one is made of: one action; each sees what those before it wrote."""
        yield self

    def pool(self, stands: Standing, *, by_hand: bool) -> Pool | None:
        """Return the dice to throw, None for none; refuses what cannot be done. By hand, they lie already."""
        return None

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what is paid whatever the dice show."""
        return ()

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Add the events that follow; refuses what cannot be done."""

    def content(self) -> dict[str, Any]:
        """Return what was said, to compare it with what is said again."""
        said: dict[str, Any] = plain(self)
        return said

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where it was another command."""
        first = head_of(entries)
        return {name: first.body.get(name) for name in self._fields} if first.type in self.writes else None
