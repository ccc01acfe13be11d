"""Entries: an event in its place in the journal, and the JSON of both.

An entry is one flat JSON object: its place (`facts.Header`), its postings and marks, and the facts of its event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ledger.events.canonical import ATOMS
from ledger.events.commitments import CommittedText, commitments, is_away, with_words
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.events.facts import Header
    from ledger.events.types import Event


LARGEST_ENTRY = 60_000
"""Bytes."""


class Entry(Struct):
    """An entry as the file has it: its place, its JSON with words closed, the stored bytes and their leaf hash.

    `texts` are the words beside it by field, None if they were not looked up; `told` opens secrets too.
    """

    __slots__ = ("event", "is_worded")
    event: ClassVar[Event]
    """The event, decoded on first use; refuses (`WrongEntry`) facts that do not fit its type."""

    is_worded: ClassVar[bool]
    """Whether the entry has words or secrets."""

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
        """The entry's JSON with its words filled in, as far as they are here and may be seen."""
        return self.closed if self.texts is None else with_words(self.closed, self.texts, secrets=self.told)

    def __getattr__(self, name: str) -> Any:
        """Compute a derived value when it is first needed, and keep it."""
        if name == "event":
            from ledger.events.decode import decode  # not needed to show a sheet

            found: Any = decode(self.seq, self.type, self.closed, self.texts, told=self.told, worded=self.is_worded)
        elif name == "is_worded":
            found = WORD in self.stored or SECRET in self.stored
        else:
            raise AttributeError(name)
        object.__setattr__(self, name, found)
        return found

    def committed(self) -> Iterator[tuple[str, str, str]]:
        """Yield field, kind (`word` or `secret`) and hash of each commitment."""
        return commitments(self.closed) if self.is_worded else iter(())

    def saying(self, event: Event) -> Entry:
        """The same entry with another event; its JSON and bytes stay."""
        entry = self.replace()
        object.__setattr__(entry, "event", event)
        return entry

    def as_json(self) -> dict[str, Any]:
        """The entry's JSON with its words, and its leaf; an opened sealed roll includes its ruling."""
        from ledger.events.types import RollSealed  # not needed to show a sheet

        sealed = self.event if self.type == RollSealed.type else None
        ruling = sealed.ruling.value or {} if isinstance(sealed, RollSealed) else {}
        return {**self.body, **ruling, "type": self.type, "leaf": self.leaf.hex()}

    @property
    def clock(self) -> str:
        """Return the reading of the writer's clock, in the form of `at`. It is usually equal to `at`."""
        clock: str | None = self.closed.get("clock")
        return self.at if clock is None else clock

    @property
    def once(self) -> str | None:
        """The caller's own id for the command."""
        once: str | None = self.closed["once"]
        return once

    @property
    def throws(self) -> tuple[int, ...]:
        """The entries that threw its dice."""
        throw: int | None = getattr(self.event, "throw", None)  # of a count; a move has all of its throws
        throws: tuple[int, ...] = getattr(self.event, "throws", ()) if throw is None else (throw,)
        return throws

    @property
    def answers(self) -> int | None:
        """The question that a move answers by a choice; None for other entries."""
        question: int | None = getattr(self.event, "answers", None)  # of moves alone
        return question

    @property
    def settles(self) -> int | None:
        """The question that an entry answers by a choice or a decision; None for other entries."""
        question: int | None = getattr(self.event, "question", None)  # of a decision alone
        return self.answers if question is None else question

    @property
    def about(self) -> int | None:
        """The entry that a correction is about; None for other entries."""
        about: int | None = getattr(self.event, "about", None)
        return about

    @property
    def targets(self) -> list[int]:
        """The actions that a strike cancels, none in another entry."""
        targets: list[int] = getattr(self.event, "targets", [])
        return targets

    @property
    def lacks_secret(self) -> bool:
        """Return True if secrets were asked for, and this file lacks one of them."""
        return SECRET in self.stored and is_away(plain(self.event))

    def place(self, lookup: Callable[[int], Entry]) -> int:
        """The entry from which a part counts, given its root: that of its first dice, or of its question."""
        return min(self.places(lookup))

    def places(self, lookup: Callable[[int], Entry]) -> set[int]:
        """The entries from which a root and its dice count.

        A root written in an old place, such as a copy, keeps its dice in the action that threw them. Otherwise dice of
        another action belong to the question that the root answers.
        """
        root = self if self.answers is None else lookup(self.answers)
        late = root.since < root.seq
        return {root.since, *(throw.since for throw in map(lookup, root.throws) if late or throw.act == root.act)}


SECRET, WORD = b'{"secret":"', b'{"word":"'
"""The bytes of an entry contain these where it has a secret, and where it has words."""


def plain(value: Any) -> Any:
    """A value as JSON, except for words and secrets, which stay objects."""
    if type(value) in ATOMS or isinstance(value, CommittedText | str | int):
        return value
    if isinstance(value, Struct):
        value = value.__dict__
    if isinstance(value, dict | Mapping):  # a dict is told at once
        return {name: item if type(item) in ATOMS else plain(item) for name, item in value.items()}
    return [plain(item) for item in value]


def type_of(event: Event) -> str:
    """The name under which an event is written."""
    from ledger.events.types import Consequence  # not needed to show a sheet

    return event.kind if isinstance(event, Consequence) else event.type


def event_json(event: Event) -> dict[str, Any]:
    """An event as JSON, except for words and secrets, which stay objects."""
    from ledger.events.types import Consequence

    facts: dict[str, Any] = plain(event)
    facts.pop("kind", None) if isinstance(event, Consequence) else None
    return {**facts, "type": type_of(event)}


def entry_json(event: Event, place: Header) -> dict[str, Any]:
    """A whole entry as JSON, except for words and secrets, which stay objects."""
    return event_json(event) | place.__dict__


def lead_of(entries: Sequence[Entry]) -> Entry:
    """The entry that stands for an action: the first without a cause that is no throw."""
    return next((entry for entry in entries if entry.cause is None and entry.type != "dice-thrown"), entries[0])
