"""Code that decides a part again in its place, with the corrected sheets of that place and the part's own dice.

A knock-on is a later ruling that read a number that a correction changed. Knock-ons are found here, and decided again
in the same way, to see whether the result differs. This module writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import Any, Literal

from ledger import systems
from ledger.commands.decider import Record, Sketch, State, StateAndRoster, StateProxy, TableCommand, TableDraft
from ledger.commands.play import PlayMove, RollingCommand, record_dice
from ledger.commands.sheet import Balances, Sheets, comparable
from ledger.corrections.actions import OPENING_SEQ, Action, ActionPart, part_of
from ledger.corrections.spots import is_added_by_correction
from ledger.errors import Flag, LedgerError, OtherDice, Refused, Run, SecretNotHere, WrongFaces
from ledger.events.commitments import Secret, lacks_secret_text, open_secrets, with_known_texts
from ledger.events.entry import Entry, jsonable
from ledger.events.facts import Position, Verdict
from ledger.events.subjects import CAMPAIGN, HOLD, OFFER
from ledger.events.types import RULING_TYPES, DiceCounted, Event, MoveEvent, MovePlayed, QuestionAsked, RulingEvent
from ledger.rules.dice import TENS_HINT, Pool, ThrownDice, typed_dice
from ledger.rules.rulings import Effect
from ledger.values import Struct


class StateAfterStart(StateProxy):
    """The state just after entry `place` has started a day or a turn.

    The campaign's own scores and marks include the changes by this entry. Those of characters do not.
    """

    def __init__(self, record: Record, place: int, known: int | None = None) -> None:
        super().__init__(record.as_of(place, known))
        self._started = record.as_of(place + 1, known)

    def balance(self, who: str, score: str) -> int | None:
        return self._started.balance(who, score) if who == CAMPAIGN else super().balance(who, score)

    def mark(self, who: str, name: str) -> Any:
        return self._started.mark(who, name) if who == CAMPAIGN else super().mark(who, name)


def state_before(record: Record, place: int, known: int | None = None, *, is_added: bool) -> StateAndRoster:
    """Return the state in which the part at a place was decided, with the corrections up to entry `known` (or all).

    `is_added`: a correction added the part to the day, turn or line at this place.
    """
    return StateAfterStart(record, place, known) if is_added else record.as_of(place, known)


class InPlaceDraft(StateProxy):
    """A draft that decides a part again in the state before it, and adds the new events to the draft `to`.

    - `cause`: the cause of each new event that has no cause of its own.
    - `faces`: the typed dice. Used dice are removed from this list. Without typed dice, the part keeps its own
      dice.
    - `first`: for error messages, the number of the first entry with typed dice.
    - `rolls_missing_dice`: if True, the computer rolls the dice that the part lacks.
    """

    has_known_dice = True
    has_faces = False

    def __init__(
        self,
        record: Record,
        part: ActionPart,
        to: TableDraft,
        *,
        cause: int | None = None,
        faces: list[int] | None = None,
        first: int | None = None,
        rolls_missing_dice: bool = False,
    ) -> None:
        super().__init__(state_before(record, part.place, is_added=part.is_added_by_correction))
        self._part = part
        self._to = to
        self._cause = cause
        self._faces = faces
        self._first = first
        self._rolls_missing_dice = rolls_missing_dice
        self.costs: tuple[Effect, ...] = ()
        self.scores_used_before = self._scores_of_part

    def decide(self, command: TableCommand) -> None:
        """Decide the part again, with a command. Raise `SecretNotHere` if this file lacks a secret input."""
        if isinstance(command, PlayMove) and lacks_secret_text(jsonable(command.move)):
            raise SecretNotHere(self._part.root)
        if not isinstance(command, RollingCommand):
            self.roll(None)
        command.replay(self)

    def _scores_of_part(self) -> Collection[str]:
        event = self._part.rulings[-1].event
        return event.scores if isinstance(event, DiceCounted) else ()

    @property
    def head_before(self) -> int:
        return self._to.head_before

    @property
    def next(self) -> int:
        return self._to.next

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        """Return the part's dice, or the next typed faces.

        Raise `OtherDice` if the part needs different dice, and `Refused` if faces are typed but the computer rolled.
        """
        part, old = self._part, self._part.thrown
        self.costs = cost
        pool = pool and pool.after(self._faces or (old.faces if old else ()))
        if self._rolls_missing_dice:
            return self._roll_missing_dice(pool, cost)
        if not self._faces or old is None or pool is None:
            _check_dice(part, pool, self._first)
            return old
        if old.source == "machine":
            raise Refused(
                f"The computer rolled the dice of #{part.root}, so you cannot change them.",
                f"Void it with {Run('void', part.root, why='TEXT')}, then roll again.",
            )
        faces = self._faces[: len(pool.sides)]
        del self._faces[: len(pool.sides)]
        if pool.tens and 0 in faces:  # the entry of the amendment cannot contain a 0
            raise WrongFaces("A second tens die cannot show 0.", TENS_HINT)
        return typed_dice(pool, faces)

    def _roll_missing_dice(self, pool: Pool | None, cost: tuple[Effect, ...]) -> ThrownDice | None:
        old = self._part.thrown
        have = len(old.dice) if old else 0
        missing = pool.replace(sides=pool.sides[have:], of=pool.of[have:]) if pool else None
        new = self._to.roll(missing, cost) if missing and missing.sides else None
        if new is None or old is None:
            return new or old
        written = (*old.written, *record_dice(self, self._part.who, new))
        return ThrownDice(dice=(*old.dice, *new.dice), source=old.source, written=written)

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event in the part's place, and compute its postings and marks there. Ignore `since`."""
        event = event.with_rows(Position(self.next, self.next), self)
        return self._to.add(event, cause or self._cause, self._part.place)

    def declare_secret(self, cost: tuple[Effect, ...] = ()) -> None:
        self._to.declare_secret(cost if self._rolls_missing_dice else ())


def _check_dice(part: ActionPart, pool: Pool | None, first: int | None) -> None:
    """Raise `OtherDice` if a part now needs different dice. `first` is the first entry with typed dice."""
    thrown, asked = part.thrown, pool or Pool(sides=())
    old = Pool(sides=tuple(die.sides for die in thrown.dice), of=thrown.of) if thrown else Pool(sides=())
    in_one_entry = len(old.sides) > 1 and thrown is not None and len(thrown.written) == 1  # old editions did this
    if asked.sides != old.sides or (asked.of and not in_one_entry and asked.of != old.of):
        typed = thrown is not None and thrown.source == "typed"
        rolled = f"{old.in_words() if asked.of else old} {'was' if len(old.sides) == 1 else 'were'}"
        faces = Flag("faces") if first in {None, part.root} else f"{Flag('faces')}, starting with the dice of #{first}"
        raise OtherDice(part.root, asked.in_words(), rolled, typed=typed, faces=faces)


def decide_again(
    record: Record, action: Action, part: ActionPart, command: TableCommand, faces: list[int] | None = None
) -> Sketch:
    """Decide a part again in its place, and return a sketch of the new events. Remove used dice from `faces`.

    The events get the numbers that they would have in an amendment, where copies of all earlier parts come first.
    Raise `OtherDice` if the part needs different dice, and `SecretNotHere` if this file lacks a secret input. If the
    rules refuse the part, raise their error.
    """
    strike = record.head() + (1 if action.act == OPENING_SEQ else 2)
    before = sum(len(other.entries) for other in action.parts[: action.parts.index(part)])
    sketch = Sketch(record, strike + before)
    InPlaceDraft(record, part, sketch, cause=strike, faces=faces).decide(command)
    return sketch


ReadNames = frozenset[tuple[str, str]]
"""Scores and marks, as pairs of subject and full name."""


class KnockOn(Struct):
    """A ruling that would read different numbers now. `sketch` has the events of the new decision.

    `numbers` maps each character to the new values of the changed numbers, by name.
    """

    action: Action
    part: ActionPart
    result: Literal["same", "otherwise", "refused", "other-dice"]
    numbers: Mapping[str, Mapping[str, Any]]
    sketch: Sketch | None = None
    verdict: Verdict | None = None
    says: str | None = None


def knock_ons(
    record: Record, head: int, recheck: Mapping[int, ReadNames], prepare: Callable[[int], object] = lambda place: None
) -> Iterator[KnockOn]:
    """Yield each ruling that read a number corrected after entry `head`, in order of place. Leave out struck rulings.

    - `recheck`: maps the place of a ruling to the numbers to compare even if no entry after `head` corrected them.
    - `prepare`: a function to call with the place of each ruling, before its numbers are compared. This function
      may correct entries before that place.

    The caller may make corrections during the iteration. The rulings yielded after that take them into account.
    """
    candidates = Candidates(record, head, recheck)
    for place, entry in candidates:
        prepare(place)
        is_question = entry.type == QuestionAsked.type
        if record.is_struck(entry.act) or (is_question and not record.question(entry.seq).is_open):
            continue  # an answered question; its answer is a candidate of its own
        moved = candidates.moved | recheck.get(place, frozenset())
        numbers = _other_numbers(record, entry, place, None if place in recheck else head, moved)
        if numbers:
            yield _rule_again(record, *part_of(record, entry.seq), numbers)
            candidates.find_more()  # the caller may have amended this ruling before it asked for the next one


class Candidates:
    """The rulings that may have read a corrected number, with their places, in order of place."""

    def __init__(self, record: Record, head: int, recheck: Mapping[int, ReadNames]) -> None:
        self._record = record
        self._head = head
        self._first = min(recheck, default=head)
        self._names: set[str] = set()
        self._searched = head
        self._found: set[int] = set()
        self._waiting: list[tuple[int, int, Entry]] = []
        self._passed = (0, 0)
        self.moved: set[tuple[str, str]] = set().union(*recheck.values())
        self.find_more()

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        while self._waiting:
            place, seq, entry = heappop(self._waiting)
            self._passed = (place, seq)
            yield place, entry

    def find_more(self) -> None:
        """Look for more candidates after further corrections.

        Search old entries only for newly corrected names. But if a new correction takes effect earlier than all
        corrections so far, search the old entries again for all names.
        """
        late = [*self._record.corrected_rows(self._head)]
        self.moved |= {(who, name) for who, name, _ in late}
        names = {short for who, name in self.moved for short in _names_of(who, name)} - self._names
        first = min((since for _, _, since in late), default=self._first)
        if first < self._first:
            names, self._names, self._first = names | self._names, set(), first
        self._add_candidates(self._first, names)
        self._add_candidates(self._searched, self._names)
        self._names |= names
        self._searched = self._record.head()

    def _add_candidates(self, first: int, names: set[str]) -> None:
        for entry in self._record.search(RULING_TYPES, first, names) if names else ():
            key = (entry.earliest_place(self._record.entry), entry.seq)
            if key > self._passed and entry.seq not in self._found:
                heappush(self._waiting, (*key, entry))
            self._found |= {entry.seq}


def numbers_read_by(ruling: Entry) -> ReadNames:
    """Return the scores, marks and settings that a ruling read."""
    event = ruling.event
    assert isinstance(event, RulingEvent)  # noqa: S101  only rulings read sheets
    return frozenset((who, full) for who, sheet in event.numbers_read().items() for full in sheet)


def rule_now(record: Record, action: Action, part: ActionPart, head: int) -> KnockOn | None:
    """Decide a move's part again. Return `None` if no number that it read was changed after entry `head`."""
    ruling = part.rulings[-1]
    if not isinstance(ruling.event, RulingEvent):
        return None
    moved = {(who, name) for who, name, _ in record.corrected_rows(head)}
    numbers = _other_numbers(record, ruling, part.place, head, moved)
    return _rule_again(record, action, part, numbers) if numbers else None


def is_outdated(record: Record, action: Action, part: ActionPart) -> bool:
    """Return True if the current numbers at the place of a ruling would change its result."""
    ruling = part.rulings[-1]
    numbers = _other_numbers(record, ruling, part.place, None, set(numbers_read_by(ruling)))
    return bool(numbers) and _rule_again(record, action, part, numbers).result != "same"


def would_change(record: Record, outcome: KnockOn | None) -> bool:
    """Return True if a cascade amends the ruling of `outcome`.

    This is the case if the result of the ruling would differ, and if no open question holds one of its characters.
    """
    if outcome is None or outcome.result != "otherwise":
        return False
    command = outcome.part.command
    cast = command.move.characters() if isinstance(command, PlayMove) else ()
    return not any((record.balance(who, HOLD) or 0) > 0 for who in cast)


def has_read_a_secret(ruling: Entry) -> bool:
    """Return True if a ruling used a secret that was not revealed. The caller must load `ruling` without secrets."""
    event = ruling.event
    if not isinstance(event, MoveEvent):
        return False
    values = [*event.inputs.values(), *(value for sheet in event.looked.values() for value in sheet.values())]
    return any(isinstance(value, Secret) and value.text is None for value in values)


def _names_of(who: str, full: str) -> tuple[str, ...]:
    """Return the names under which a ruling may have stored a score or mark that it read.

    These are the full name, and the pattern for the first part of the full name (`x.*`). If `who` is the campaign, the
    mark is a setting, and its name without the game is added.
    """
    return (full, f"{full.partition('.')[0]}.*", full.partition("/")[2] if who == CAMPAIGN else full)


def _other_numbers(
    record: Record, entry: Entry, place: int, head: int | None, moved: set[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """Return the numbers that differ now from what a ruling read at `place`, each with its current value.

    Consider only numbers in `moved`. With `head`, consider only numbers that changed after entry `head`.
    """
    ruling = record.entry(entry.seq, secrets=True).event
    assert isinstance(ruling, RulingEvent)  # noqa: S101  a candidate is one
    looked = ruling.numbers_read()
    names = moved | {(who, f"{full.partition('.')[0]}.*") for who, full in moved}
    touched = [(who, full) for who, sheet in looked.items() for full in sheet if (who, full) in names]
    numbers: dict[str, dict[str, Any]] = {}
    if touched and not (isinstance(ruling, MoveEvent) and not systems.is_installed(ruling.system)):
        is_added = is_added_by_correction(entry, record.entry)
        now, was = (_values_of(ruling, state_before(record, place, at, is_added=is_added)) for at in (None, head))
        for who, full in touched:
            value, old = now.comparable_value(who, full), looked[who][full]
            unmoved = head is not None and value == was.comparable_value(who, full)
            if isinstance(old, Secret) and old.text is None and not unmoved:
                raise SecretNotHere(entry.seq)
            if value != comparable(open_secrets(old)) and not unmoved:
                numbers.setdefault(who, {})[full] = now.stored_value(who, full)
    return numbers


def _values_of(ruling: RulingEvent, state: State) -> Sheets | Balances:
    return Sheets(state, systems.find(ruling.system)) if isinstance(ruling, MoveEvent) else Balances(state)


def _rule_again(record: Record, action: Action, part: ActionPart, numbers: Mapping[str, Mapping[str, Any]]) -> KnockOn:
    try:
        sketch = decide_again(record, action, part, part.command)
    except OtherDice as error:
        return KnockOn(action=action, part=part, result="other-dice", numbers=numbers, says=error.sentence)
    except SecretNotHere:
        raise
    except LedgerError as error:
        says = None if part.hides else error.sentence  # it might reveal a secret
        return KnockOn(action=action, part=part, result="refused", numbers=numbers, says=says)
    events = [added.event for added in sketch.added]
    same = _outcome(events) == _outcome(entry.event for entry in part.entries)
    verdict = next((found for event in events if (found := _verdict_of(event)) is not None), None)
    finds: Literal["same", "otherwise"] = "same" if same else "otherwise"
    return KnockOn(action=action, part=part, result=finds, numbers=numbers, sketch=sketch, verdict=verdict)


def _verdict_of(event: Event) -> Verdict | None:
    if isinstance(event, DiceCounted):
        return Verdict(says=f"a total of {event.total}", good=None)
    return event.verdict if isinstance(event, MovePlayed) else None


def _outcome(events: Iterable[Event]) -> tuple[Any, Counter[str], dict[str, Any]]:
    """Return the verdict, the total of the postings for each score, and the marks set on sheets."""
    verdict: Any = None
    moved = Counter[str]()
    marks: dict[str, Any] = {}
    for event in events:
        verdict = with_known_texts(_verdict_of(event)) or verdict
        for posting in event.postings:
            if posting.score != HOLD:
                moved[f"{posting.who}:{posting.score}"] += posting.amount
        marks |= {
            f"{mark.who}:{mark.name}": with_known_texts(mark.value)
            for mark in event.marks
            if mark.who[0] != "#" and mark.name != OFFER
        }
    return verdict, moved, marks
