"""Entries: an event in its place in the journal, and the JSON of both.

An entry is one JSON object, flat: its place (`Place`), the postings and marks that it carries, and the facts of its
event.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from ledger.events.facts import Named, Said, Seq
from ledger.values import Shape, Within

if TYPE_CHECKING:
    from ledger.events.types import Event


class Place(Shape):
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


class Entry(Shape):
    """An entry as it stands in the file: its place, its whole body, the stored bytes and their leaf."""

    seq: int
    since: int
    at: str
    by: str
    act: int
    cause: int | None
    type: str
    body: dict[str, Any]
    stored: bytes
    leaf: bytes


def plain(value: Any) -> Any:
    """Return a value as JSON has it, with words and secrets still open."""
    if isinstance(value, Said) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Shape):
        return {name: plain(held) for name, held in value.__dict__.items()}
    if isinstance(value, Mapping):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value]


def type_of(event: "Event") -> str:
    """Return the name under which an event is written."""
    from ledger.events.types import Consequence  # a look writes nothing

    return event.kind if isinstance(event, Consequence) else event.type


def tree(event: "Event", place: Place) -> dict[str, Any]:
    """Return a whole entry as JSON has it, with words and secrets still open."""
    from ledger.events.types import Consequence

    entry: dict[str, Any] = plain(event)
    entry.pop("kind", None) if isinstance(event, Consequence) else None
    return entry | place.__dict__ | {"type": type_of(event)}


def head_of(entries: Sequence[Entry]) -> Entry:
    """Return the entry by which an action is told: the first that follows from none, and is no throw."""
    return next((each for each in entries if each.cause is None and each.type != "dice-thrown"), entries[0])
