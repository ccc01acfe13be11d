"""A check that the dice of each throw count once, and only for the roll for which they were thrown.

These may use a throw: the entry after it, the answer if that entry is a question, and entries that replace either. A
replacement keeps the dice of the replaced entry. Only an amendment with typed faces may change them, and only if the
old dice were typed too. Only a choice after a ruling may add dice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.audit.check import Before, EntryCheck, Fault, Root
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import OFFER


class Throws(EntryCheck):
    """A check that each throw is used exactly once, by an entry that may use it."""

    def __init__(self) -> None:
        self._waiting: dict[int, None] = {}  # throws that no entry has used yet
        self._counted: dict[int, int] = {}  # by throw, the entry that counts it
        self._owners: dict[int, set[int]] = {}  # by throw, the entries that used it, and their places
        self._throws_at: dict[int, set[tuple[int, ...]]] = {}  # by place, the throws that were used there
        self._act_of: dict[int, int] = {}  # by entry with throws, its action, or the action of its question
        self._asking: dict[int, int] = {}  # by action with an answer, the action of the question
        self._offered: set[int] = set()  # the actions that offer a choice
        self._faces: Sequence[int] = ()  # the typed faces of the action's amendment that no entry has used yet

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if entry.seq == entry.act:
            self._faces = ()
        match entry.event:
            case events.DiceThrown() as thrown:
                self._waiting[entry.seq], self._owners[entry.seq] = None, set()
                if any(die.dropped is not None for die in thrown.dice) and before.stands(entry):
                    yield (
                        entry.seq,
                        "Some dice of this roll are marked as dropped too early: no result had used this roll yet.",
                    )
            case events.ActionAmended(faces=faces):
                self._faces = faces or ()
            case events.ActionStruck(how="choose", strikes=strikes) if strikes not in self._offered:
                if before.stands(entry):
                    yield entry.seq, "This choice was never offered."
            case events.MovePlayed() | events.DiceCounted() | events.QuestionAsked() as event:
                yield from self._counts(entry, event, before)

    def end(self, before: Before) -> Iterator[Fault]:
        for seq in self._waiting:
            yield seq, "These dice were rolled, but no result uses them."

    def _counts(self, entry: Entry, event: Root, before: Before) -> Iterator[Fault]:
        throws, question = entry.throws, entry.answers
        wrong = list(self._wrong(entry, event, before))
        if before.stands(entry):
            yield from ((entry.seq, says) for says in wrong)
        for throw in throws:
            self._waiting.pop(throw, None)
            if not isinstance(event, events.QuestionAsked) and before.stands(entry):
                self._counted[throw] = entry.seq
        if question is not None:
            self._asking[entry.act] = self._act_of[question]
        self._act_of[entry.seq] = self._asking.get(entry.act, entry.act)
        if any(mark.name == OFFER and mark.value == entry.seq for mark in event.marks):
            self._offered.add(self._act_of[entry.seq])
        if not wrong:
            places = {entry.since, *entry.places(before.entry)}
            for place in places:
                self._throws_at.setdefault(place, set()).add(throws)
            for throw in throws:
                self._owners[throw] |= {entry.seq, *places}

    def _wrong(self, entry: Entry, event: Root, before: Before) -> Iterator[str]:
        throws, question = entry.throws, entry.answers
        twice = [throw for throw in throws if throw in self._counted and not isinstance(event, events.QuestionAsked)]
        for throw in twice:
            yield f"The dice of #{throw} are used twice: #{self._counted[throw]} already used them."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry, event, before):
                yield f"The dice of #{throw} were rolled for something else."
        if any(die.face > die.sides for die in event.dice):
            yield "It uses a die that shows an impossible number."
        place = entry.place(before.entry)
        is_old = place < entry.act and question is None and place not in before.action(entry.act).reveals
        if is_old and throws not in self._throws_at.get(place, ()) and not self._may_change(place, entry, before):
            yield f"The dice of #{place} were replaced."

    def _is_for(self, throw: int, entry: Entry, event: Root, before: Before) -> bool:
        """Return True if a throw was made for an entry, for the question that it answers, or for what it replaces."""
        owners, throws = self._owners[throw], entry.throws
        right_before = entry.seq - len(throws) + throws.index(throw)
        if (before.entry(throw).act, throw) == (entry.act, right_before):
            others = () if isinstance(event, events.DiceCounted) else event.looked
            return _throw(throw, before).who in {event.who, *others}
        return entry.answers in owners or entry.since in owners | {before.entry(throw).since}

    def _may_change(self, place: int, entry: Entry, before: Before) -> bool:
        """Return True if the dice at a place may change: an amendment retypes typed dice, or a choice adds dice."""
        earlier, throws, first = self._throws_at.get(place, set()), entry.throws, before.entry(entry.act).event
        if isinstance(first, events.ActionStruck) and first.how == "choose":
            return any(throws[: len(old)] == old for old in earlier)
        faces = _faces_of(throws, before)
        typed, self._faces = self._faces[: len(faces)], self._faces[len(faces) :]
        return bool(faces) and faces == typed and any(_faces_of(old, before) for old in earlier)


def _throw(throw: int, before: Before) -> events.DiceThrown:
    event = before.entry(throw).event
    assert isinstance(event, events.DiceThrown)  # noqa: S101  `verify` rejects entries that name other entries as throws
    return event


def _faces_of(throws: Sequence[int], before: Before) -> tuple[int, ...]:
    """Return the faces of typed dice, or an empty tuple if the computer rolled any of them."""
    thrown = [_throw(throw, before) for throw in throws]
    by_hand = all(event.source == "typed" for event in thrown)
    return tuple(die.face for event in thrown for die in event.dice) if by_hand else ()
