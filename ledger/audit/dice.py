"""Dice: whether they count where they were thrown for, and once, and those that lay stay where they lay.

A throw is counted by the entry after it, by the answer to a question about it, or by what takes the place of these.
What takes a place keeps the dice that lie there: only typed dice may be typed otherwise, by an amendment that says so,
and only what is chosen after a ruling throws more.
"""

from collections.abc import Iterator, Sequence

from ledger.events.entry import Entry, throws_of
from ledger.events.subjects import OFFER
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    DiceCounted,
    DiceThrown,
    MovePlayed,
    QuestionAsked,
    SecretRevealed,
)
from ledger.rules.system import Stands

COUNTS = frozenset({MovePlayed.type, DiceCounted.type})
"""The types of the entries that dice are counted in; a question about them counts nothing yet."""


class Throws:
    """What became of each throw, one entry read after the other."""

    def __init__(self, stands: Stands) -> None:
        self._stands = stands
        self._thrown: dict[int, Entry] = {}
        self._waiting: dict[int, None] = {}
        self._counted: dict[int, int] = {}
        self._held: dict[int, set[int]] = {}
        self._lay: dict[int, set[tuple[int, ...]]] = {}
        self._act_of: dict[int, int] = {}
        self._offered: set[int] = set()
        self._faces: Sequence[int] | None = None
        self._chosen = False
        self._told = 0

    def look(self, entry: Entry) -> Iterator[tuple[int, str]]:
        """Read an entry, and yield what is wrong with the dice of it."""
        body = entry.body
        if entry.seq == entry.act:
            self._faces, self._chosen, self._told = None, False, 0
        if entry.type == DiceThrown.type:
            self._thrown[entry.seq], self._waiting[entry.seq], self._held[entry.seq] = entry, None, set()
            if any(die["dropped"] is not None for die in body["dice"]) and self._stands(entry):
                yield entry.seq, "This throw says which of its dice count, before anything was ruled on them."
        elif entry.type == ActionAmended.type:
            self._faces = body["faces"]
        elif entry.type == SecretRevealed.type:
            self._told = body["about"]
        elif entry.type == ActionStruck.type and body["how"] == "choose":
            self._chosen = True
            if body["strikes"] not in self._offered and self._stands(entry):
                yield entry.seq, "Something was chosen here that was never offered."
        elif entry.type in COUNTS or entry.type == QuestionAsked.type:
            yield from self._counts(entry)

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the throws that nobody counted."""
        for seq in self._waiting:
            yield seq, "These dice were thrown, and nobody counted them."

    def _counts(self, entry: Entry) -> Iterator[tuple[int, str]]:
        throws = tuple(throws_of(entry))
        wrong = list(self._wrong(entry, throws))
        if self._stands(entry):
            yield from ((entry.seq, says) for says in wrong)
        for throw in throws:
            self._waiting.pop(throw, None)
            if entry.type in COUNTS and self._stands(entry):
                self._counted[throw] = entry.seq
        asked = entry.body.get("answers")
        self._act_of[entry.seq] = entry.act if asked is None else self._act_of[asked]
        if any(mark["name"] == OFFER and mark["value"] == entry.seq for mark in entry.body["marks"]):
            self._offered.add(self._act_of[entry.seq])
        if not wrong:
            for place in {entry.since, self._place(entry, throws)}:
                self._lay.setdefault(place, set()).add(throws)
            for throw in throws:
                self._held[throw] |= {entry.seq, entry.since}

    def _wrong(self, entry: Entry, throws: tuple[int, ...]) -> Iterator[str]:
        twice = [throw for throw in throws if throw in self._counted and entry.type in COUNTS]
        for throw in twice:
            yield f"The dice of #{throw} count twice, for #{self._counted[throw]} before."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry):
                yield f"The dice of #{throw} were not thrown for this."
        if any(die["face"] > die["sides"] for die in entry.body["dice"]):
            yield "It counts a die that cannot lie like that."
        place = self._place(entry, throws)
        again = place < entry.act and entry.body.get("answers") is None and place != self._told
        if again and throws not in self._lay.get(place, ()) and not self._may_change(place, throws):
            yield f"The dice that lay since #{place} were replaced."

    def _place(self, entry: Entry, throws: Sequence[int]) -> int:
        own = (self._thrown[throw] for throw in throws)
        return min([entry.since, *(each.since for each in own if each.act == entry.act)])

    def _is_for(self, throw: int, entry: Entry) -> bool:
        """Whether a throw was made for an entry, or for the one that it answers, or whose place it takes."""
        thrown, held = self._thrown[throw], self._held[throw]
        if (thrown.act, throw + 1) == (entry.act, entry.seq):
            return bool(thrown.body["who"] == entry.body["who"])
        return entry.body.get("answers") in held or entry.since in held | {thrown.since}

    def _may_change(self, place: int, throws: tuple[int, ...]) -> bool:
        """Whether other dice may lie in a place: those that an amendment typed for typed ones, or more, by a choice."""
        before = self._lay.get(place, set())
        if self._chosen:
            return any(throws[: len(lay)] == lay for lay in before)
        return self._faces_of(throws) == self._faces and any(self._faces_of(lay) for lay in before)

    def _faces_of(self, throws: Sequence[int]) -> list[int]:
        """Return what typed dice show, nothing where the machine threw any."""
        thrown = [self._thrown[throw].body for throw in throws]
        by_hand = all(each["source"] == "typed" for each in thrown)
        return [die["face"] for each in thrown for die in each["dice"]] if by_hand else []
