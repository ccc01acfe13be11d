"""The base class of events, and the parts of events: postings, marks, dice, steps and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from ledger.events.commitments import Secret
from ledger.events.subjects import ABOUT, QUESTIONS
from ledger.values import MAX_STORED_NUMBER, Struct, Within

Seq = Annotated[int, Within(1, MAX_STORED_NUMBER)]
Amount = Annotated[int, Within(-MAX_STORED_NUMBER, MAX_STORED_NUMBER)]
ShortText = Annotated[str, Within(1, 100, length=True)]

Offset = Annotated[int, Within(-1439, 1439), "the group's time zone, in minutes ahead of UTC"]

BOOK_EDITION = 8
"""The edition of the book's own rules: the actions that a correction strikes or copies, and the questions it asks.

Earlier editions had other rules:
- Edition 1 (entries without an edition): a restored action could count together with its replacement.
- Edition 2: if a move was amended, the entries directly after the move were copied without changes.
- Edition 3: an undo struck the last action of any player.
- Edition 4: if somebody accepted an offer from a revealed sealed roll, the roll became open again.
- Edition 5: the questions of corrections stayed open until the GM decided them. Corrections did not ask about agreed
  paper sheets, gifts, and missed moves. If an attack was voided, a later armor check of its damage stayed.
- Edition 6: only corrections closed questions by themselves. Corrections did not ask about adjustments that were no
  longer needed. If an attack was amended to a miss, a later armor check of its damage stayed.
- Edition 7: corrections did not ask about lines for the group that left out a character. If somebody canceled a
  departure, the correction did not ask about missed moves.
"""


class Posting(Struct):
    """One change to one score."""

    who: ShortText
    score: ShortText
    amount: Amount


class Mark(Struct):
    """A new value of a named mark. None removes the mark."""

    who: ShortText
    name: ShortText
    value: Any


class Position:
    """An entry's number (`seq`), and the number of the entry at which it takes effect (`since`)."""

    __slots__ = ("seq", "since")

    def __init__(self, seq: int, since: int) -> None:
        self.seq, self.since = seq, since

    @property
    def is_backdated(self) -> bool:
        """True if the entry is backdated: a correction wrote it in the place of an earlier entry."""
        return self.since < self.seq


if TYPE_CHECKING:  # it takes time to define a protocol, and only annotations use it
    from typing import Protocol

    class StateBefore(Protocol):
        """The earlier entries and marks, which an event may need to compute its own marks."""

        def entry(self, seq: int) -> Any:
            """Return an earlier entry. Its type is `Entry`, which this module cannot import."""

        def mark(self, who: str, name: str) -> Any:
            """Return the value of a mark, or None if the mark is not set."""

else:
    StateBefore = object


class Event(Struct):
    """The base class of all events. An event is something that happened, with its postings and marks.

    A command passes in the postings and marks that depend on a game's rules or on earlier entries. The event
    computes the others, with `own_postings` and `own_marks`. These methods also drop each posting or mark that
    the type may not have. The audit compares the result with the stored postings and marks.
    """

    type: ClassVar[str]
    phrase: ClassVar[str] = ""
    """The event in words: a template with fields in braces. `projections.phrases` covers events that need more."""

    chronicle_rule: ClassVar[Literal["always", "accompanied", "never"]] = "always"
    """The rule for the chronicle. `accompanied` shows the event only if its action has other events to show."""

    survives_rewind: ClassVar[bool] = False
    """True if a rewind does not cancel the event."""

    stands_alone: ClassVar[bool] = True
    """True if the event may be an action by itself."""

    may_wait: ClassVar[bool] = False
    """True if the event may be a question that waits for an answer."""

    choices: ClassVar[tuple[str, ...]] = ()
    """The decisions that the GM may make about the event. The first one changes nothing."""

    postings: tuple[Posting, ...] = ()
    marks: tuple[Mark, ...] = ()

    @classmethod
    def _needed(cls) -> Set[str]:
        return super()._needed() | {"postings", "marks"}

    @property
    def subject(self) -> str:
        """The handle of the character that the event is about. Default: the field `who`, or "" if there is none."""
        return getattr(self, "who", "")

    @property
    def is_automatic(self) -> bool:
        """True if the program added the event after somebody's action. `undo` leaves such an event alone."""
        return False

    def own_postings(self) -> tuple[Posting, ...]:
        """Return the postings that the event must have. Default: none."""
        return ()

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        """Return the marks that the event must have at this position.

        Default: the mark of an open question if `may_wait` is True, and otherwise none.
        """
        return (open_mark(at),) if self.may_wait else ()

    def takeover_subjects(self) -> tuple[str, ...]:
        """Return the subjects of the marks that the event takes over from replaced entries. Default: none.

        A command passes in these marks, because they depend on all replaced entries. The audit checks each mark.
        """
        return ()

    def all_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        """Return the event's own marks, those taken over from replaced entries, and the `#about` marks if backdated."""
        own, subjects = self.own_marks(at, before), self.takeover_subjects()
        if at.is_backdated:
            subjects = (*subjects, ABOUT)
        if not self.marks or not subjects:
            return own
        others = (mark for mark in self.marks if mark not in own)
        return *own, *(mark for mark in others if mark.who in subjects and mark.name != str(at.seq))

    def with_rows(self, at: Position, before: StateBefore) -> Self:
        """Return a copy of the event with the postings and marks that it must have at this position."""
        return self.replace(postings=self.own_postings(), marks=self.all_marks(at, before))

    def given_value(self, who: str, name: str) -> Any:
        """Return the value of one mark in `marks`, or None if `marks` lacks it.

        `marks` comes from the command that adds the event, or from the file.
        """
        return next((mark.value for mark in self.marks if (mark.who, mark.name) == (who, name)), None)


def open_mark(at: Position) -> Mark:
    """Return the mark that says: the entry at this position is an open question."""
    return Mark(who=QUESTIONS, name=str(at.seq), value=False)


def answer_mark(question: int, at: Position) -> Mark:
    """Return the mark that says: the entry at this position answers the question."""
    return Mark(who=QUESTIONS, name=str(question), value=at.seq)


def about_mark(action: int, at: Position) -> Mark:
    """Return the mark that says: the entry at this position is about the action."""
    return Mark(who=ABOUT, name=f"{action}:{at.seq}", value=True)


class CountedDie(Struct):
    """A rolled die.

    A d100 has `digits`: the tens and the units. The digits 0 and 0 mean 100. A d10 may be a second tens die of a
    d100. Then its `digits` are its tens and 0. If the die does not count, `dropped` is the reason.
    """

    _all_required = True
    sides: Seq
    face: Seq
    digits: tuple[int, int] | None = None
    dropped: str | None = None

    @property
    def is_tens(self) -> bool:
        """True for a second tens die."""
        return self.sides == 10 and self.digits is not None  # noqa: PLR2004  a d10

    @property
    def shown(self) -> str:
        """The text that people see on the die: 00 to 90 on a second tens die, the face on other dice."""
        return f"{self.digits[0]}0" if self.is_tens and self.digits else str(self.face)


class Step(Struct):
    """One step of a calculation: a name, a sentence with a `{}` for each number, and the numbers."""

    _all_required = True
    name: str
    says: str
    numbers: tuple[int | Secret, ...] = ()


class Verdict(Struct):
    """The headline of a ruling. `good` is None if there is nothing to win or lose."""

    _all_required = True
    says: str
    good: bool | None
    margin: int | Secret | None = None


class SharedHistoryProof(Struct):
    """A proof that two histories share the entries from #1 to `last`. `root` is the tree root of these entries.

    Two consistency proofs (RFC 6962) start at this root: `left` leads to the abandoned history, and `before` leads to
    this journal just before the fork. Hashes are in hexadecimal.
    """

    last: Seq
    root: ShortText
    left: tuple[ShortText, ...]
    before: tuple[ShortText, ...]


Source = Literal["machine", "typed"]
DICE_SOURCES: Mapping[Source, str] = {"typed": "typed in", "machine": "rolled by the computer"}
"""The words for each source of dice."""


class Header(Struct):
    """The place of an event in the journal.

    - `since`: the entry at which the event takes effect.
    - `act`: the first entry of the action.
    - `cause`: the entry that the event follows from.
    - `at`: the time in UTC, never earlier than in the previous entry.
    - `by`: the player who typed the command.
    - `once`: the caller's own id for the command.
    - `clock`: the time on the writer's clock if it was not `at`.
    - `line`: the first entry of the typed line, if the line was for several actions, or for a group such as `all`.

    Entries from earlier versions may lack `clock` or `line`.
    """

    seq: Seq
    since: Seq
    at: Annotated[str, Within(20, 20, length=True)]
    by: ShortText
    act: Seq
    cause: Seq | None
    once: str | None
    clock: Annotated[str, Within(20, 20, length=True)] | None = None
    line: Seq | None = None


HEADER_FIELDS = frozenset({*Header._fields, "type"})
"""The fields of a stored entry that are not fields of its event."""

LATER_FIELDS = frozenset(Header._defaults)
"""The fields of `HEADER_FIELDS` that entries from earlier versions may lack."""
