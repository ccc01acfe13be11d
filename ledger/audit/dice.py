"""Dice: whether they count where they were thrown for, and once, and those that lay stay where they lay.

A throw is counted by the entry after it, by the answer to a question about it, or by what takes the place of these.
What takes a place keeps the dice that lie there: only typed dice may be typed otherwise, by an amendment that says so,
and only what is chosen after a ruling throws more.
"""

from collections.abc import Iterator, Sequence

from ledger.events.entry import Entry, answered, throws_in
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
from ledger.values import Shape

Counting = MovePlayed | DiceCounted | QuestionAsked
"""The events that name throws; a question about them counts nothing yet."""


class Thrown(Shape):
    """A throw, in its place."""

    since: int
    act: int
    event: DiceThrown


class Throws:
    """What became of each throw, one entry read after the other."""

    def __init__(self, stands: Stands) -> None:
        self._stands = stands
        self._thrown: dict[int, Thrown] = {}
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
        if entry.seq == entry.act:
            self._faces, self._chosen, self._told = None, False, 0
        match entry.event:
            case DiceThrown() as thrown:
                self._thrown[entry.seq] = Thrown(since=entry.since, act=entry.act, event=thrown)
                self._waiting[entry.seq], self._held[entry.seq] = None, set()
                if any(die.dropped is not None for die in thrown.dice) and self._stands(entry):
                    yield entry.seq, "This throw says which of its dice count, before anything was ruled on them."
            case ActionAmended(faces=faces):
                self._faces = faces
            case SecretRevealed(about=about):
                self._told = about
            case ActionStruck(how="choose", strikes=strikes):
                self._chosen = True
                if strikes not in self._offered and self._stands(entry):
                    yield entry.seq, "Something was chosen here that was never offered."
            case MovePlayed() | DiceCounted() | QuestionAsked() as event:
                yield from self._counts(entry, event)

    def end(self) -> Iterator[tuple[int, str]]:
        """Yield the throws that nobody counted."""
        for seq in self._waiting:
            yield seq, "These dice were thrown, and nobody counted them."

    def _counts(self, entry: Entry, event: Counting) -> Iterator[tuple[int, str]]:
        throws, asked = throws_in(event), answered(event)
        wrong = list(self._wrong(entry, event))
        if self._stands(entry):
            yield from ((entry.seq, says) for says in wrong)
        for throw in throws:
            self._waiting.pop(throw, None)
            if not isinstance(event, QuestionAsked) and self._stands(entry):
                self._counted[throw] = entry.seq
        self._act_of[entry.seq] = entry.act if asked is None else self._act_of[asked]
        if any(mark.name == OFFER and mark.value == entry.seq for mark in event.marks):
            self._offered.add(self._act_of[entry.seq])
        if not wrong:
            for place in {entry.since, self._place(entry, throws)}:
                self._lay.setdefault(place, set()).add(throws)
            for throw in throws:
                self._held[throw] |= {entry.seq, entry.since}

    def _wrong(self, entry: Entry, event: Counting) -> Iterator[str]:
        throws, asked = throws_in(event), answered(event)
        twice = [throw for throw in throws if throw in self._counted and not isinstance(event, QuestionAsked)]
        for throw in twice:
            yield f"The dice of #{throw} count twice, for #{self._counted[throw]} before."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry, event):
                yield f"The dice of #{throw} were not thrown for this."
        if any(die.face > die.sides for die in event.dice):
            yield "It counts a die that cannot lie like that."
        place = self._place(entry, throws)
        again = place < entry.act and asked is None and place != self._told
        if again and throws not in self._lay.get(place, ()) and not self._may_change(place, throws):
            yield f"The dice that lay since #{place} were replaced."

    def _place(self, entry: Entry, throws: Sequence[int]) -> int:
        own = (self._thrown[throw] for throw in throws)
        return min([entry.since, *(each.since for each in own if each.act == entry.act)])

    def _is_for(self, throw: int, entry: Entry, event: Counting) -> bool:
        """Whether a throw was made for an entry, or for the one that it answers, or whose place it takes."""
        thrown, held = self._thrown[throw], self._held[throw]
        if (thrown.act, throw + 1) == (entry.act, entry.seq):
            return thrown.event.who == event.who
        return answered(event) in held or entry.since in held | {thrown.since}

    def _may_change(self, place: int, throws: tuple[int, ...]) -> bool:
        """Whether other dice may lie in a place: those that an amendment typed for typed ones, or more, by a choice."""
        before = self._lay.get(place, set())
        if self._chosen:
            return any(throws[: len(lay)] == lay for lay in before)
        return self._faces_of(throws) == self._faces and any(self._faces_of(lay) for lay in before)

    def _faces_of(self, throws: Sequence[int]) -> tuple[int, ...]:
        """Return what typed dice show, nothing where the machine threw any."""
        thrown = [self._thrown[throw].event for throw in throws]
        by_hand = all(each.source == "typed" for each in thrown)
        return tuple(die.face for each in thrown for die in each.dice) if by_hand else ()
