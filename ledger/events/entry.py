"""Journal entries and their JSON: a flat object with the header, the postings and marks, and the event's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ledger.events.canonical import ATOMIC_TYPES
from ledger.events.commitments import CommittedText, commitments, lacks_secret_text, with_words
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.events.facts import Header
    from ledger.events.types import Event

LARGEST_ENTRY = 60_000
"""The maximum size of an entry, in bytes."""


class Entry(Struct):
    """A stored entry: its place, its JSON with commitments (`raw`), its bytes and its leaf hash.

    `texts` has the stored texts by field, or is None if they were not looked up. With `with_secrets`, secrets are open.
    """

    __slots__ = ("committed", "event", "has_words")
    event: ClassVar[Event]
    """The event, decoded on first use. Raises `WrongEntry` if the fields do not fit the type."""

    has_words: ClassVar[bool]
    """True if the entry has commitments to typed texts or secrets."""

    committed: ClassVar[tuple[tuple[str, str, str], ...]]
    """The field, kind (`word` or `secret`) and hash of each commitment."""

    seq: int
    since: int
    at: str
    by: str
    act: int
    cause: int | None
    type: str
    raw: dict[str, Any]
    stored: bytes
    leaf: bytes
    texts: Mapping[str, str] | None = None
    with_secrets: bool = False

    @classmethod
    def of_body(cls, seq: int, body: dict[str, Any], stored: bytes, leaf: bytes) -> Entry:
        """Make an entry from its parsed JSON. The caller must have checked the types of the header's fields."""
        return cls.of_checked(
            {
                "seq": seq,
                "since": body["since"],
                "at": body["at"],
                "by": body["by"],
                "act": body["act"],
                "cause": body["cause"],
                "type": body["type"],
                "raw": body,
                "stored": stored,
                "leaf": leaf,
                "texts": None,
                "with_secrets": False,
            }
        )

    @property
    def body(self) -> dict[str, Any]:
        """The entry's JSON with `texts` filled in, including secrets if `with_secrets`."""
        return self.raw if self.texts is None else with_words(self.raw, self.texts, secrets=self.with_secrets)

    def __getattr__(self, name: str) -> Any:
        """Compute `event`, `has_words` or `committed` on first use, and cache it."""
        if name == "event":
            from ledger.events.decode import decode  # not needed to show a sheet

            found: Any = decode(
                self.seq, self.type, self.raw, self.texts, with_secrets=self.with_secrets, has_words=self.has_words
            )
        elif name == "has_words":
            found = WORD_START in self.stored or SECRET_START in self.stored
        elif name == "committed":
            found = tuple(commitments(self.raw)) if self.has_words else ()
        else:
            raise AttributeError(name)
        object.__setattr__(self, name, found)
        return found

    def with_event(self, event: Event) -> Entry:
        """Return a copy of the entry with another event. The JSON and the bytes do not change."""
        entry = self.replace()
        object.__setattr__(entry, "event", event)
        return entry

    def as_json(self) -> dict[str, Any]:
        """Return the entry's JSON with texts and leaf hash. For an opened sealed roll, add the fields of the ruling."""
        from ledger.events.types import RollSealed  # not needed to show a sheet

        sealed = self.event if self.type == RollSealed.type else None
        ruling = sealed.ruling.value or {} if isinstance(sealed, RollSealed) else {}
        return {**self.body, **ruling, "type": self.type, "leaf": self.leaf.hex()}

    @property
    def clock(self) -> str:
        """The time on the writer's clock, usually equal to `at` and in the same format."""
        clock: str | None = self.raw.get("clock")
        return self.at if clock is None else clock

    @property
    def line(self) -> int | None:
        """The first entry of the typed line, if the line was for several actions; None for a single action."""
        line: int | None = self.raw.get("line")
        return line

    @property
    def once(self) -> str | None:
        """The caller's own id for the command."""
        once: str | None = self.raw["once"]
        return once

    @property
    def throws(self) -> tuple[int, ...]:
        """The numbers of the entries that record the dice of this ruling; empty for other entries."""
        throw: int | None = getattr(self.event, "throw", None)  # a `DiceCounted` has one throw; a move has `throws`
        throws: tuple[int, ...] = getattr(self.event, "throws", ()) if throw is None else (throw,)
        return throws

    @property
    def answers(self) -> int | None:
        """The question that a move answers with a choice; None for other entries."""
        question: int | None = getattr(self.event, "answers", None)  # only moves have it
        return question

    @property
    def settled_question(self) -> int | None:
        """The question that an entry answers with a choice or a decision; None for other entries."""
        question: int | None = getattr(self.event, "question", None)  # only decisions have it
        return self.answers if question is None else question

    @property
    def about(self) -> int | None:
        """The entry that a correction is about; None for other entries."""
        about: int | None = getattr(self.event, "about", None)
        return about

    @property
    def targets(self) -> list[int]:
        """The actions that a strike cancels; empty for other entries."""
        targets: list[int] = getattr(self.event, "targets", [])
        return targets

    @property
    def lacks_secret(self) -> bool:
        """True if this copy of the campaign lacks a secret of the entry, which must be read with its secrets."""
        return SECRET_START in self.stored and lacks_secret_text(jsonable(self.event))

    def earliest_place(self, lookup: Callable[[int], Entry]) -> int:
        """Return the entry at which the part with this root takes effect: the first of its `places`."""
        return min(self.places(lookup))

    def places(self, lookup: Callable[[int], Entry]) -> set[int]:
        """Return the entries at which a root (the first entry of a part) and its dice take effect.

        `lookup` returns the entry with a number. An answer has the places of its question. Leave out dice from another
        action, unless the root is backdated: then the root is a copy, and has its dice from that action.
        """
        root = self if self.answers is None else lookup(self.answers)
        is_backdated = root.since < root.seq
        return {
            root.since,
            *(throw.since for throw in map(lookup, root.throws) if is_backdated or throw.act == root.act),
        }


SECRET_START, WORD_START = b'{"secret":"', b'{"word":"'
"""Bytes in stored entries: an entry with a secret contains `SECRET_START`, and one with a typed text `WORD_START`."""


def jsonable(value: Any) -> Any:
    """Return a value as JSON, but keep typed texts and secrets as `CommittedText` objects."""
    if type(value) in ATOMIC_TYPES or isinstance(value, CommittedText | str | int):
        return value
    if isinstance(value, Struct):
        value = value.__dict__
    if isinstance(value, dict | Mapping):  # `dict` comes first because that check is faster
        return {name: item if type(item) in ATOMIC_TYPES else jsonable(item) for name, item in value.items()}
    return [jsonable(item) for item in value]


def type_of(event: Event) -> str:
    """Return the type of an event as the journal stores it."""
    from ledger.events.types import Consequence  # not needed to show a sheet

    return event.kind if isinstance(event, Consequence) else event.type


def event_json(event: Event) -> dict[str, Any]:
    """Return an event as JSON with its type. Keep typed texts and secrets as `CommittedText` objects."""
    from ledger.events.types import Consequence

    facts: dict[str, Any] = jsonable(event)
    facts.pop("kind", None) if isinstance(event, Consequence) else None
    return {**facts, "type": type_of(event)}


def entry_json(event: Event, place: Header) -> dict[str, Any]:
    """Return a whole entry as JSON. Keep typed texts and secrets as `CommittedText` objects."""
    return event_json(event) | place.__dict__


def lead_of(entries: Sequence[Entry]) -> Entry:
    """Return the entry that represents an action: the first that has no cause and is not a throw."""
    return next((entry for entry in entries if entry.cause is None and entry.type != "dice-thrown"), entries[0])
