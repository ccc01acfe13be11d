"""A check that the dice of each throw count once, and only for the roll for which they were thrown.

The entry after a throw may use its dice. If that entry is a question, its answer may also use them. An entry that
replaces such an entry or answer keeps the old dice. Only an amendment with typed faces may change dice, and only if
the old dice were typed too. Only a choice after a ruling may add dice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.audit.check import EntryCheck, Fault, PastEntries, Root
from ledger.corrections.spots import is_added_by_correction
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import CountedDie
from ledger.events.subjects import OFFER
from ledger.rules.dice import pool_of_dice


class ThrowsCheck(EntryCheck):
    """A check that each throw is used exactly once, by an entry that may use it."""

    kept = (
        *("_unused", "_used_by", "_originals", "_other_owners", "_other_throws"),
        *("_act_of", "_question_acts", "_offering_acts"),
    )

    def __init__(self) -> None:
        self._unused: dict[int, None] = {}  # the throws that no entry has used yet
        self._used_by: dict[int, int] = {}  # by throw, the ruling or total that used it
        self._originals: dict[int, int] = {}  # by place or throw, the first root there, which used its own throws
        self._other_owners: dict[int, set[int]] = {}  # by throw, the other entries that used it, and their places
        self._other_throws: dict[int, set[tuple[int, ...]]] = {}  # by place, the throws that other roots used there
        self._act_of: dict[int, int] = {}  # by question, its action; for a question in an answer, the first question's
        self._question_acts: dict[int, int] = {}  # by action with an answer, the action of the question
        self._offering_acts: set[int] = set()  # the actions that offer a choice
        self._faces: Sequence[int] = ()  # the faces typed for the current amendment that no entry has used yet

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        if entry.seq == entry.act:
            self._faces = ()
        match entry.event:
            case events.DiceThrown() as thrown:
                self._unused[entry.seq] = None
                if any(die.dropped is not None for die in thrown.dice) and past.is_in_force(entry):
                    yield (
                        entry.seq,
                        "Dice of this roll were marked as dropped before the roll had a result."
                        " Only a result can drop dice.",
                    )
            case events.ActionAmended(faces=faces):
                self._faces = faces or ()
            case events.ActionStruck(how="choose", strikes=strikes) if strikes not in self._offering_acts:
                if past.is_in_force(entry):
                    yield entry.seq, "This choice was never offered."
            case events.MovePlayed() | events.DiceCounted() | events.QuestionAsked() as event:
                yield from self._check_use(entry, event, past)

    def final_faults(self, past: PastEntries) -> Iterator[Fault]:
        for seq in self._unused:
            yield seq, "These dice were rolled, but no result uses them."

    def _check_use(self, entry: Entry, event: Root, past: PastEntries) -> Iterator[Fault]:
        throws, question = entry.throws, entry.answers
        errors = list(self._errors(entry, event, past))
        if past.is_in_force(entry):
            yield from ((entry.seq, says) for says in errors)
        for throw in throws:
            self._unused.pop(throw, None)
            if not isinstance(event, events.QuestionAsked) and past.is_in_force(entry):
                self._used_by[throw] = entry.seq
        if question is not None:
            self._question_acts[entry.act] = self._act_of[question]
        act = self._question_acts.get(entry.act, entry.act)
        if isinstance(event, events.QuestionAsked):
            self._act_of[entry.seq] = act
        if any(mark.name == OFFER and mark.value == entry.seq for mark in event.marks):
            self._offering_acts.add(act)
        if not errors:
            self._record_use(entry, past)

    def _record_use(self, entry: Entry, past: PastEntries) -> None:
        throws, places = entry.throws, {entry.since, *entry.places(past.entry)}
        if entry.answers is None and places == {entry.seq, *throws}:
            self._originals |= dict.fromkeys(places, entry.seq)
            return
        for place in places:
            self._other_throws.setdefault(place, set()).add(throws)
        for throw in throws:
            self._other_owners.setdefault(throw, set()).update({entry.seq, *places})

    def _owners(self, throw: int, past: PastEntries) -> set[int]:
        """Return the entries that used a throw, and their places."""
        original = self._originals.get(throw)
        places = () if original is None else (original, *past.entry(original).throws)
        return self._other_owners.get(throw, set()).union(places)

    def _throws_at(self, place: int, past: PastEntries) -> set[tuple[int, ...]]:
        """Return the throws that entries used at a place. Each item has the throws of one entry."""
        original = self._originals.get(place)
        own = () if original is None else (past.entry(original).throws,)
        return self._other_throws.get(place, set()).union(own)

    def _errors(self, entry: Entry, event: Root, past: PastEntries) -> Iterator[str]:
        throws, question = entry.throws, entry.answers
        twice = [throw for throw in throws if throw in self._used_by and not isinstance(event, events.QuestionAsked)]
        for throw in twice:
            yield f"The dice of #{throw} are used twice: #{self._used_by[throw]} already used them."
        for throw in throws:
            if throw not in twice and not self._is_for(throw, entry, event, past):
                yield f"The dice of #{throw} were rolled for something else."
        if any(die.face > die.sides for die in event.dice):
            yield "This entry uses a die that shows an impossible number."
        place = entry.earliest_place(past.entry)
        is_backdated = place < entry.act and question is None and place not in past.action(entry.act).reveals
        if is_backdated and throws not in self._throws_at(place, past) and not self._may_change(place, entry, past):
            yield f"This entry replaced the dice of #{place}, which is not allowed."

    def _is_for(self, throw: int, entry: Entry, event: Root, past: PastEntries) -> bool:
        """Return True if a throw belongs to this entry, to its question, or to the entry that it replaces."""
        throws = entry.throws
        own_throw = entry.seq - len(throws) + throws.index(throw)
        if (past.entry(throw).act, throw) == (entry.act, own_throw):
            others = () if isinstance(event, events.DiceCounted) else event.looked
            return _thrown_event(throw, past).who in {event.who, *others}
        owners = self._owners(throw, past)
        return entry.answers in owners or entry.since in owners | {past.entry(throw).since}

    def _may_change(self, place: int, entry: Entry, past: PastEntries) -> bool:
        """Return True if an entry may use other dice at `place` than the entry that it replaces.

        - In an amendment, the newly typed faces may replace typed dice.
        - In a choice after a ruling, dice may be added to the old ones.
        - For a part that a correction added, return True if it has no dice.
        """
        old_throws, throws, first = self._throws_at(place, past), entry.throws, past.entry(entry.act).event
        if is_added_by_correction(entry, past.entry):
            return not throws
        if isinstance(first, events.ActionStruck) and first.how == "choose":
            return any(throws[: len(old)] == old for old in old_throws)
        dice = _typed_dice(throws, past)
        typed, self._faces = self._faces[: len(dice)], self._faces[len(dice) :]
        as_typed = pool_of_dice(dice).resolved(typed) == [die.face for die in dice]
        return bool(dice) and as_typed and any(_typed_dice(old, past) for old in old_throws)


def _thrown_event(throw: int, past: PastEntries) -> events.DiceThrown:
    event = past.entry(throw).event
    assert isinstance(event, events.DiceThrown)  # noqa: S101  `verify` rejects entries that name other entries as throws
    return event


def _typed_dice(throws: Sequence[int], past: PastEntries) -> tuple[CountedDie, ...]:
    """Return the dice of these throws, or an empty tuple if the computer rolled any of them."""
    thrown = [_thrown_event(throw, past) for throw in throws]
    typed = all(event.source == "typed" for event in thrown)
    return tuple(die for event in thrown for die in event.dice) if typed else ()
