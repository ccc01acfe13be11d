"""Facts: what every event is, and its parts: postings, marks, dice, lines of working and verdicts."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Protocol, Self

from ledger.events.commitments import Secret
from ledger.events.subjects import ABOUT, QUESTIONS
from ledger.values import BIGGEST, Struct, Within

Seq = Annotated[int, Within(1, BIGGEST)]
Amount = Annotated[int, Within(-BIGGEST, BIGGEST)]
Named = Annotated[str, Within(1, 100, length=True)]

Offset = Annotated[int, Within(-1439, 1439), "the time zone of the group: the number of minutes ahead of UTC"]

BOOK_EDITION = 5
"""The edition of the book's own rules: what a correction strikes, copies and asks.

By the first, whose entries name none, an action that was brought back could count beside another in its place. By the
second, what had followed at once from an amended move was copied as it was. By the third, an undo struck the last
action of anybody. By the fourth, a sealed roll that was revealed waited again once an offer of it was taken up.
"""


class Posting(Struct):
    """One change to one score."""

    who: Named
    score: Named
    amount: Amount


class Mark(Struct):
    """One value of a named fact that is no number. None removes the value."""

    who: Named
    name: Named
    value: Any


class Position(NamedTuple):
    """The number of an entry, and the entry from which it counts."""

    seq: int
    since: int

    @property
    def is_old(self) -> bool:
        """Return True if a correction writes the entry in the place of an earlier one."""
        return self.since < self.seq


class StateBefore(Protocol):
    """The entries and marks before an event, as far as its own marks depend on them."""

    def entry(self, seq: int) -> Any:
        """Return an earlier entry (an `Entry`, which is defined in a module above the events)."""

    def mark(self, who: str, name: str) -> Any:
        """Return the value of a mark, None if it has none."""


class Event(Struct):
    """A fact, in the past tense, with the postings and marks that it carries.

    The event says which they are: `own_postings` and `own_marks` make them when it is written, and the audit compares
    what is stored with them. What depends on the rules of a game, or on the state in an old place, is stated: a command
    passes it in `postings` and `marks`, and these methods take it from there as far as the event may have it.
    """

    type: ClassVar[str]
    phrase: ClassVar[str] = ""
    """The event in words, with fields in braces. `projections.phrases` has those that need more than a template."""

    story: ClassVar[Literal["always", "accompanied", "never"]] = "always"
    """Whether the chronicle tells the event; `accompanied`: only if something else happened in its action."""

    stays: ClassVar[bool] = False
    """Whether a rewind leaves it alone."""

    stands_alone: ClassVar[bool] = True
    """Whether it may be an action by itself."""

    may_wait: ClassVar[bool] = False
    """Whether it may wait for an answer."""

    choices: ClassVar[tuple[str, ...]] = ()
    """The decisions that the GM may take about it. The first keeps the ruling, or the book, as it is."""

    postings: tuple[Posting, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def subject(self) -> str:
        """The handle of the character whom it is about. Default: that of its field `who`; "" if it has none."""
        return getattr(self, "who", "")

    def own_postings(self) -> tuple[Posting, ...]:
        """Return the postings of the event. Default: none."""
        return ()

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        """Return the marks of the event in its place. Default: that of a question, if it may wait for an answer."""
        return (waits(at),) if self.may_wait else ()

    def takes_over(self) -> tuple[str, ...]:
        """Return the subjects of the marks that it takes over from other entries. Default: none.

        They follow from all entries that the event replaces. So a command states them, and the audit checks each one.
        """
        return ()

    def all_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        """Return its own marks and those that it takes over. A copy takes over what was said about the original."""
        own, subjects = self.own_marks(at, before), self.takes_over()
        if at.is_old:
            subjects = (*subjects, ABOUT)
        if not self.marks or not subjects:
            return own
        return *own, *(mark for mark in self.marks if mark.who in subjects and mark.name != str(at.seq))

    def with_rows(self, at: Position, before: StateBefore) -> Self:
        """Return the event with its postings and marks."""
        return self.replace(postings=self.own_postings(), marks=self.all_marks(at, before))

    def stated(self, who: str, name: str) -> Any:
        """Return the value of a mark that a command passed, or that is stored; None without one."""
        return next((mark.value for mark in self.marks if (mark.who, mark.name) == (who, name)), None)


def waits(at: Position) -> Mark:
    """Return the mark of a question that waits for its answer."""
    return Mark(who=QUESTIONS, name=str(at.seq), value=False)


def settles(question: int, at: Position) -> Mark:
    """Return the mark of a question that an entry answers."""
    return Mark(who=QUESTIONS, name=str(question), value=at.seq)


def speaks_about(action: int, at: Position) -> Mark:
    """Return the mark that ties an entry to the action that it speaks about."""
    return Mark(who=ABOUT, name=f"{action}:{at.seq}", value=True)


class CountedDie(Struct):
    """A natural die; `dropped` says why it does not count, and is None if it does."""

    _whole = True
    sides: Seq
    face: Seq
    digits: tuple[int, int] | None = None
    dropped: str | None = None


class Step(Struct):
    """One line of working: a name, a sentence with a `{}` for each number, and the numbers."""

    _whole = True
    name: str
    says: str
    numbers: tuple[int | Secret, ...] = ()


class Verdict(Struct):
    """The headline of a ruling; `good` is None if there is nothing to win or lose."""

    _whole = True
    says: str
    good: bool | None
    margin: int | Secret | None = None


class SharedStart(Struct):
    """The entries up to `last`, which two histories share: their root, and two proofs, all in hexadecimal.

    Both proofs (RFC 6962) start at these entries. `left` leads to the history that was left, and `before` to the entry
    before the one with this proof.
    """

    last: Seq
    root: Named
    left: tuple[Named, ...]
    before: tuple[Named, ...]


Source = Literal["machine", "typed"]


class Header(Struct):
    """The place of an event in the journal.

    `since` is the entry from which it counts, `act` the first entry of its action, `cause` the entry that it follows
    from, `at` the time in UTC, `by` the player at the keyboard, `once` the caller's own id for the command.

    `at` keeps the order: it is never earlier than that of the entry before. `clock` is the reading of
    the writer's clock if it differs, in the form of `at`. Entries of earlier versions do not have it.
    """

    seq: Seq
    since: Seq
    at: Annotated[str, Within(20, 20, length=True)]
    by: Named
    act: Seq
    cause: Seq | None
    once: str | None
    clock: Annotated[str, Within(20, 20, length=True)] | None = None


OUTSIDE = frozenset({*Header._fields, "type"})
"""The fields of an entry that do not belong to its event."""

ADDED_LATER = frozenset(Header._defaults)
"""The fields outside the event that older entries lack."""
