"""Entries: an event in its place in the journal, and the JSON of both.

An entry is one JSON object, flat: its place (`Header`), the postings and marks that it carries, and the facts of its
event.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ledger.events.commitments import Said, Secret, commitments, filled, opened
from ledger.events.facts import Named, Seq
from ledger.events.subjects import STRUCK, number
from ledger.values import Struct, Within

if TYPE_CHECKING:
    from ledger.events.types import ActionStruck, AnyEvent, Event


LARGEST_ENTRY = 60_000
"""Bytes that one entry holds at most."""


class Header(Struct):
    """Where an event stands in the journal.

    `since` is the entry since which it counts, `act` the first entry of its action, `cause` the entry that it
    follows from, `at` UTC, `by` the player whose hand it was, `once` the caller's own id for the command.
    """

    seq: Seq
    since: Seq
    at: Annotated[str, Within(20, 20, length=True)]
    by: Named
    act: Seq
    cause: Seq | None
    once: str | None


class Entry(Struct):
    """An entry as it stands in the file: its place, its JSON with words closed, the stored bytes and their leaf.

    `texts` are the words that lie beside it, by field, None where they were not looked up; `told` says that secrets are
    opened too.
    """

    __slots__ = ("_event",)
    _event: ClassVar["AnyEvent"]

    seq: int
    since: int
    at: str
    by: str
    act: int
    cause: int | None
    type: str
    closed: dict[str, Any]
    stored: bytes
    leaf: bytes
    texts: Mapping[str, str] | None = None
    told: bool = False

    @property
    def body(self) -> dict[str, Any]:
        """The entry as JSON has it, its words in their places, as far as they are here and to be seen."""
        return self.closed if self.texts is None else opened(self.closed, self.texts, secrets=self.told)

    @property
    def event(self) -> "AnyEvent":
        """The event, decoded when it is asked for; refuses (`WrongEntry`) what this program does not know so."""
        try:
            return self._event
        except AttributeError:
            from ledger.events.decode import decode  # a look at a sheet reads no entry

            facts = {name: held for name, held in self.closed.items() if name not in OUTSIDE}
            object.__setattr__(self, "_event", decode(self.seq, self.type, facts, self.texts, told=self.told))
            return self._event

    def committed(self) -> Iterator[tuple[str, str, str]]:
        """Yield what the entry committed to: field, kind (`word` or `secret`), and the commitment."""
        return commitments(self.closed)

    def saying(self, event: "AnyEvent") -> "Entry":
        """The entry as if it said another event; what is stored of it stays as it is."""
        found = self.replace()
        object.__setattr__(found, "_event", event)
        return found

    @property
    def once(self) -> str | None:
        """The caller's own id for the command."""
        once: str | None = self.closed["once"]
        return once


OUTSIDE = frozenset({*Header._fields, "type"})
"""The fields of an entry that are none of its event."""


COMMITTED = tuple(f'{{"{kind.KEY}":"'.encode() for kind in (Said, Secret))
"""What stands in the bytes of an entry that holds words or secrets."""


def filled_in(entry: Entry) -> "AnyEvent":
    """The event of an entry, with the words and secrets that may be seen here."""
    if not any(each in entry.stored for each in COMMITTED):
        return entry.event
    found: AnyEvent = filled(entry.event)
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it, with words and secrets still open."""
    if isinstance(value, Said) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Struct):
        return {name: plain(held) for name, held in value.__dict__.items()}
    if isinstance(value, Mapping):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value]


def type_of(event: "Event") -> str:
    """The name under which an event is written."""
    from ledger.events.types import Consequence  # a look writes nothing

    return event.kind if isinstance(event, Consequence) else event.type


def tree(event: "Event", place: Header) -> dict[str, Any]:
    """A whole entry as JSON has it, with words and secrets still open."""
    from ledger.events.types import Consequence

    entry: dict[str, Any] = plain(event)
    entry.pop("kind", None) if isinstance(event, Consequence) else None
    return entry | place.__dict__ | {"type": type_of(event)}


def head_of(entries: Sequence[Entry]) -> Entry:
    """The entry by which an action is told: the first that follows from none, and is no throw."""
    return next((each for each in entries if each.cause is None and each.type != "dice-thrown"), entries[0])


def throws_in(event: "Event") -> tuple[int, ...]:
    """The entries in which the dice of an event lie."""
    from ledger.events.types import DiceCounted, MoveEvent

    if isinstance(event, DiceCounted):
        return (event.throw,)
    return event.throws if isinstance(event, MoveEvent) else ()


def answered(event: "Event") -> int | None:
    """The question that an event answers, by a choice or a decision, None where it answers none."""
    from ledger.events.types import QuestionDecided

    return event.question if isinstance(event, QuestionDecided) else chosen_after(event)


def chosen_after(event: "Event") -> int | None:
    """The question that a move answers by a choice, None where it answers none."""
    from ledger.events.types import MovePlayed

    return event.answers if isinstance(event, MovePlayed) else None


def struck_in(event: "ActionStruck") -> list[int]:
    """The actions that a strike names: the one that it is of, and what falls with it."""
    return [number(mark.name) for mark in event.marks if mark.who == STRUCK]


def about_of(event: "Event") -> int | None:
    """The entry that an event speaks about, None where it speaks about none."""
    from ledger.events.types import ActionAmended, DisputeRaised, KnockOnFound, SecretRevealed, VerdictOverridden

    speaking = ActionAmended | DisputeRaised | KnockOnFound | SecretRevealed | VerdictOverridden
    return event.about if isinstance(event, speaking) else None


def place_of(entry: Entry, lookup: Callable[[int], Entry]) -> int:
    """Return since when a part counts, by its root: since its first dice; of an answer, since what asked."""
    return min(places_of(entry, lookup))


def places_of(entry: Entry, lookup: Callable[[int], Entry]) -> set[int]:
    """Return since when a root and its dice count.

    What is written in an old place, a copy too, keeps its dice in the action where they were thrown. Else dice of
    another action are those of a question that it answers.
    """
    asked = chosen_after(entry.event)
    if asked is not None:
        entry = lookup(asked)
    thrown = map(lookup, throws_in(entry.event))
    late = entry.since < entry.seq
    return {entry.since, *(each.since for each in thrown if late or each.act == entry.act)}
