"""Deciding: what every command is made of, and the checks that they share.

What is said is turned into the events that follow by pure functions of what stands. A command may ask for dice, or
refuse; once they lie it plans its events. It knows no clock, no chance and no file: what stands is handed to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from ledger import systems
from ledger.errors import BadInput, Held, NotEnough, OutOfRange, UnknownName, shortened
from ledger.events.entry import Entry, head_of, plain
from ledger.events.facts import CAST, HOLD, Posting, Said, Secret
from ledger.events.types import Event
from ledger.rules.dice import Pool, Throw
from ledger.rules.inputs import HANDLE, RESERVED
from ledger.rules.move import Follows, Score, System
from ledger.values import Shape

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


def within_limits(stands: Standing, system: System, postings: Iterable[Posting]) -> None:
    """Refuse (`NotEnough`, `OutOfRange`) postings that would push a score beyond its limits.

    A score that lies beyond a limit already, through a correction, may move towards it.
    """
    moved: dict[tuple[str, str], int] = {}
    for posting in postings:
        key = (posting.who, posting.score.removeprefix(f"{system.name}/"))
        moved[key] = moved.get(key, 0) + posting.amount
    for who in dict.fromkeys(who for who, _ in moved):
        own = {name: amount for (subject, name), amount in moved.items() if subject == who}
        bounded = [score.name for score in system.scores if isinstance(score.most, str) and own.get(score.most, 0) < 0]
        for name in dict.fromkeys([*own, *bounded]):
            score = system.score(name)
            assert score is not None  # noqa: S101  only declared scores are posted
            _within(stands, system, who, score.but(name=name), own)


def _within(stands: Standing, system: System, who: str, score: Score, moved: Mapping[str, int]) -> None:
    def after(name: str) -> int:
        return (stands.balance(who, f"{system.name}/{name}") or 0) + moved.get(name, 0)

    value, amount = after(score.name), moved.get(score.name, 0)
    most = after(score.most) if isinstance(score.most, str) else score.most
    if value < score.least and amount < 0:
        if score.least:
            raise OutOfRange(who, score.name, value, f"it is at least {score.least}")
        raise NotEnough(who, score.name, has=value - amount, needs=-amount)
    if value > most and amount >= 0:
        named = f"the {score.most} of {most}" if isinstance(score.most, str) else str(most)
        raise OutOfRange(who, score.name, value, f"it is at most {named}")


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


def free(stands: Standing, cast: Iterable[str]) -> None:
    """Refuse (`Held`) whom a question holds."""
    for who in cast:
        if (stands.balance(who, HOLD) or 0) > 0:
            raise Held(who, stands.holding(who))


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
