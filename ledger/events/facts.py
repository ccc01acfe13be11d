"""Facts: what every event is, and its parts: postings, marks, dice, lines of working and verdicts."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from ledger.events.commitments import Secret
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


class Event(Struct):
    """A fact, in the past tense, with its postings and marks."""

    type: ClassVar[str]
    postings: tuple[Posting, ...] = ()
    marks: tuple[Mark, ...] = ()


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
