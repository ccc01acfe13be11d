"""Dice: whether each throw counts once, for what it was thrown for, and keeps its place.

The entry after a throw counts it, or the answer to a question about it, or what takes the place of these. What takes
a place keeps the dice there. Only an amendment that says so changes them, typed dice for typed dice in order, and only
a choice after a ruling adds more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.audit.check import Before, EntryCheck, Fault
from ledger.events.entry import Entry
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
"""The events that name throws. A question names them, and counts nothing yet."""


class Throws(EntryCheck):
    """Whether each throw was used by one entry that may use it."""

    def __init__(self, stands: Stands) -> None:
        self._stands = stands
        self._waiting: dict[int, None] = {}  # throws that nothing has counted yet
        self._counted: dict[int, int] = {}  # by throw, the entry that counts it
        self._held: dict[int, set[int]] = {}  # by throw, the entries that it was thrown for, and their places
        self._lay: dict[int, set[tuple[int, ...]]] = {}  # by place, the throws that lay there
        self._act_of: dict[int, int] = {}  # by entry that names throws, its action, or the one that this goes on from
        self._begun: dict[int, int] = {}  # by action that answers, the one that asked
        self._offered: set[int] = set()  # the actions after which something may be chosen
        self._faces: Sequence[int] = ()  # for the current action: what its amendment typed, and nothing took yet,
        self._chosen = False  # whether it chooses after a ruling,
        self._told = 0  # and the sealed roll that it reveals

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if entry.seq == entry.act:
            self._faces, self._chosen, self._told = (), False, 0
        match entry.event:
            case DiceThrown() as thrown:
                self._waiting[entry.seq], self._held[entry.seq] = None, set()
                if any(die.dropped is not None for die in thrown.dice) and self._stands(entry):
                    yield (
                        entry.seq,
                        "Some dice of this roll are marked as dropped too early: no result had used this roll yet.",
                    )
            case ActionAmended(faces=faces):
                self._faces = faces or ()
            case SecretRevealed(about=about):
                self._told = about
            case ActionStruck(how="choose", strikes=strikes):
                self._chosen = True
                if strikes not in self._offered and self._stands(entry):
                    yield entry.seq, "This choice was never offered."
            case MovePlayed() | DiceCounted() | QuestionAsked() as event:
                yield from self._counts(entry, event, before)

    def end(self) -> Iterator[Fault]:
        for seq in self._waiting:
            yield seq, "These dice were rolled, but no result uses them."

    def _counts(self, entry: Entry, event: Counting, before: Before) -> Iterator[Fault]:
        throws, question = entry.throws, entry.answers
        wrong = list(self._wrong(entry, event, before))
        if self._stands(entry):
            yield from ((entry.seq, says) for says in wrong)
        for throw in throws:
            self._waiting.pop(throw, None)
            if not isinstance(event, QuestionAsked) and self._stands(entry):
                self._counted[throw] = entry.seq
        if question is not None:
            self._begun[entry.act] = self._act_of[question]
        self._act_of[entry.seq] = self._begun.get(entry.act, entry.act)
        if any(mark.name == OFFER and mark.value == entry.seq for mark in event.marks):
            self._offered.add(self._act_of[entry.seq])
        if not wrong:
            places = {entry.since, *entry.places(before.entry)}
            for place in places:
                self._lay.setdefault(place, set()).add(throws)
            for throw in throws:
                self._held[throw] |= {entry.seq, *places}

    def _wrong(self, entry: Entry, event: Counting, before: Before) -> Iterator[str]:
        throws, question = entry.throws, entry.answers
        twice = [throw for throw in throws if throw in self._counted and not isinstance(event, QuestionAsked)]
        for throw in twice:
            yield f"The dice of #{throw} are used twice: #{self._counted[throw]} already used them."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry, event, before):
                yield f"The dice of #{throw} were rolled for something else."
        if any(die.face > die.sides for die in event.dice):
            yield "It uses a die that shows an impossible number."
        place = entry.place(before.entry)
        again = place < entry.act and question is None and place != self._told
        if again and throws not in self._lay.get(place, ()) and not self._may_change(place, throws, before):
            yield f"The dice of #{place} were replaced."

    def _is_for(self, throw: int, entry: Entry, event: Counting, before: Before) -> bool:
        """Whether a throw was made for an entry, for the one that it answers, or for one whose place it takes."""
        owners, throws = self._held[throw], entry.throws
        right_before = entry.seq - len(throws) + throws.index(throw)
        if (before.entry(throw).act, throw) == (entry.act, right_before):
            others = () if isinstance(event, DiceCounted) else event.looked
            return _throw(throw, before).who in {event.who, *others}
        return entry.answers in owners or entry.since in owners | {before.entry(throw).since}

    def _may_change(self, place: int, throws: tuple[int, ...], before: Before) -> bool:
        """Whether a place may get other dice: an amendment retypes typed ones, a choice adds more."""
        earlier = self._lay.get(place, set())
        if self._chosen:
            return any(throws[: len(old)] == old for old in earlier)
        faces = _faces_of(throws, before)
        typed, self._faces = self._faces[: len(faces)], self._faces[len(faces) :]
        return bool(faces) and faces == typed and any(_faces_of(old, before) for old in earlier)


def _throw(throw: int, before: Before) -> DiceThrown:
    event = before.entry(throw).event
    assert isinstance(event, DiceThrown)  # noqa: S101  verify lets nothing else be counted
    return event


def _faces_of(throws: Sequence[int], before: Before) -> tuple[int, ...]:
    """The faces of typed dice, none if the machine threw any."""
    events = [_throw(throw, before) for throw in throws]
    by_hand = all(event.source == "typed" for event in events)
    return tuple(die.face for event in events for die in event.dice) if by_hand else ()
