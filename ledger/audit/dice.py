"""Dice: whether they count where they were thrown for, and once, and those that lay stay where they lay.

A throw is counted by the entry after it, by the answer to a question about it, or by what takes the place of these.
What takes a place keeps the dice that lie there: only typed dice may be typed otherwise, by an amendment that says so,
and only what is chosen after a ruling throws more.
"""

from collections.abc import Iterator, Sequence

from ledger.audit.check import Before, Check, Fault
from ledger.events.entry import Entry, chosen_after, place_of, places_of, throws_in
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

Counting = MovePlayed | DiceCounted | QuestionAsked
"""The events that name throws; a question about them counts nothing yet."""


class Throws(Check):
    """What became of each throw."""

    def __init__(self, stands: Stands) -> None:
        self._stands = stands
        self._waiting: dict[int, None] = {}  # throws that nobody counted so far
        self._counted: dict[int, int] = {}  # by throw, the entry that counts it
        self._held: dict[int, set[int]] = {}  # by throw, the entries that it was thrown for, and their places
        self._lay: dict[int, set[tuple[int, ...]]] = {}  # by place, the throws that lay there
        self._act_of: dict[int, int] = {}  # by entry that names throws, its action; of an answer, that of the question
        self._offered: set[int] = set()  # the actions after which something may be chosen
        self._faces: Sequence[int] | None = None  # of the action that is read: what its amendment typed,
        self._chosen = False  # whether it chooses after a ruling,
        self._told = 0  # and the sealed roll that it tells

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield what is wrong with the dice of an entry, a sentence each."""
        if entry.seq == entry.act:
            self._faces, self._chosen, self._told = None, False, 0
        match entry.event:
            case DiceThrown() as thrown:
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
                yield from self._counts(entry, event, before)

    def end(self) -> Iterator[Fault]:
        """Yield the throws that nobody counted."""
        for seq in self._waiting:
            yield seq, "These dice were thrown, and nobody counted them."

    def _counts(self, entry: Entry, event: Counting, before: Before) -> Iterator[Fault]:
        throws, asked = throws_in(event), chosen_after(event)
        wrong = list(self._wrong(entry, event, before))
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
            for place in {entry.since, *places_of(entry, before.entry)}:
                self._lay.setdefault(place, set()).add(throws)
            for throw in throws:
                self._held[throw] |= {entry.seq, entry.since}

    def _wrong(self, entry: Entry, event: Counting, before: Before) -> Iterator[str]:
        throws, asked = throws_in(event), chosen_after(event)
        twice = [throw for throw in throws if throw in self._counted and not isinstance(event, QuestionAsked)]
        for throw in twice:
            yield f"The dice of #{throw} count twice, for #{self._counted[throw]} before."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry, event, before):
                yield f"The dice of #{throw} were not thrown for this."
        if any(die.face > die.sides for die in event.dice):
            yield "It counts a die that cannot lie like that."
        place = place_of(entry, before.entry)
        again = place < entry.act and asked is None and place != self._told
        if again and throws not in self._lay.get(place, ()) and not self._may_change(place, throws, before):
            yield f"The dice that lay since #{place} were replaced."

    def _is_for(self, throw: int, entry: Entry, event: Counting, before: Before) -> bool:
        """Whether a throw was made for an entry, or for the one that it answers, or whose place it takes."""
        held = self._held[throw]
        if (before.entry(throw).act, throw + 1) == (entry.act, entry.seq):
            return _thrown(throw, before).who == event.who
        return chosen_after(event) in held or entry.since in held | {before.entry(throw).since}

    def _may_change(self, place: int, throws: tuple[int, ...], before: Before) -> bool:
        """Whether other dice may lie in a place: those that an amendment typed for typed ones, or more, by a choice."""
        there = self._lay.get(place, set())
        if self._chosen:
            return any(throws[: len(lay)] == lay for lay in there)
        return _faces_of(throws, before) == self._faces and any(_faces_of(lay, before) for lay in there)


def _thrown(throw: int, before: Before) -> DiceThrown:
    event = before.entry(throw).event
    assert isinstance(event, DiceThrown)  # noqa: S101  verify counts nothing else
    return event


def _faces_of(throws: Sequence[int], before: Before) -> tuple[int, ...]:
    """The faces of typed dice, none where the machine threw any."""
    thrown = [_thrown(throw, before) for throw in throws]
    by_hand = all(each.source == "typed" for each in thrown)
    return tuple(die.face for each in thrown for die in each.dice) if by_hand else ()
