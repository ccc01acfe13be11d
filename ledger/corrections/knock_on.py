"""Knock-ons: the rulings after what was put right that looked at numbers which would now be others.

Each is looked at again in its place, and ruled again with the dice that lie; nothing is written here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ledger import systems
from ledger.commands.decider import Record
from ledger.commands.play import PlayMove
from ledger.commands.sheet import Sheets, comparable
from ledger.corrections.in_place import sketched
from ledger.corrections.parts import Part, part_of, recorded
from ledger.errors import Away, LedgerError, OtherDice
from ledger.events.commitments import Secret, revealed
from ledger.events.entry import Entry, place_of, plain
from ledger.events.facts import Mark, Verdict
from ledger.events.subjects import CAMPAIGN, HOLD, OFFER
from ledger.events.types import RULINGS, Event, MoveEvent, MovePlayed
from ledger.values import Struct

Looked = frozenset[tuple[str, str]]
"""Scores and marks, by whose they are and their full names."""

Late = Sequence[tuple[str, str, int]]
"""Scores and marks that were put right, each with the entry from which its row counts."""

NOTHING_AGAIN: Mapping[int, Looked] = {}


class KnockOn(Struct):
    """A ruling that looked at numbers which would now be others, and what came of ruling again.

    `numbers` holds, by character and name, what it would look at now.
    """

    act: int
    part: Part
    finds: Literal["same", "otherwise", "refused", "other-dice"]
    numbers: Mapping[str, Mapping[str, Any]]
    verdict: Verdict | None = None
    says: str | None = None


def knock_ons(record: Record, head: int, again: Mapping[int, Looked] = NOTHING_AGAIN) -> Iterator[KnockOn]:
    """Yield the standing rulings that looked at what was put right after an entry, in the order of their places.

    Places in `again`, with what was looked at there, are looked at also if their numbers were others before already.
    """
    late = list(record.late(head))
    for place, entry in candidates(record, head, late, again):
        found = knock_on(record, head, place, entry, late, again)
        if found is not None:
            yield found


def candidates(record: Record, head: int, late: Late, again: Mapping[int, Looked]) -> list[tuple[int, Entry]]:
    """The rulings that may have looked at what was put right, with their places, in the order of these."""
    moved = {(who, name) for who, name, _ in late}.union(*again.values())
    names = {short for who, name in moved for short in _names_of(who, name)}
    first = min([*(since for _, _, since in late), *again], default=head)
    rulings = record.written(RULINGS, first, names)
    return sorted(
        ((place_of(entry, record.entry), entry) for entry in rulings), key=lambda each: (each[0], each[1].seq)
    )


def knock_on(
    record: Record, head: int, place: int, entry: Entry, late: Late, again: Mapping[int, Looked]
) -> KnockOn | None:
    """The knock-on of a ruling, None if it would read the same numbers."""
    if not _waits_or_stands(record, entry):
        return None
    moved = {(who, name) for who, name, _ in late} | again.get(place, frozenset())
    numbers = _other_numbers(record, entry, place, None if place in again else head, moved)
    return _ruled_again(record, *part_of(record, entry.seq), numbers) if numbers else None


def looked_at(ruling: Entry) -> Looked:
    """The numbers that a ruling read: scores and marks of sheets, and settings."""
    event = ruling.event
    assert isinstance(event, MoveEvent)  # noqa: S101  nothing else looks at anything
    sheets = {(who, full) for who, sheet in event.looked.items() for full in sheet}
    return frozenset(sheets | {(CAMPAIGN, f"{event.system}/{each}") for each in event.settings})


def ruled_now(record: Record, part: Part, head: int) -> KnockOn | None:
    """The outcome of ruling on a part again, None if it would read the same numbers."""
    ruling = part.rulings[-1]
    if not isinstance(ruling.event, MoveEvent):
        return None
    moved = {(who, name) for who, name, _ in record.late(head)}
    numbers = _other_numbers(record, ruling, part.place, head, moved)
    return _ruled_again(record, ruling.act, part, numbers) if numbers else None


def _names_of(who: str, full: str) -> tuple[str, ...]:
    """By what names a ruling may have looked at a score or mark: its own, its pattern, that of a setting."""
    return (full, f"{full.partition('.')[0]}.*", full.partition("/")[2] if who == CAMPAIGN else full)


def _waits_or_stands(record: Record, entry: Entry) -> bool:
    """Whether a ruling stands, and a question still waits; what was answered is told by the answer."""
    if record.is_struck(entry.act):
        return False
    return entry.type == MovePlayed.type or record.question(entry.seq).waits


def _other_numbers(
    record: Record, entry: Entry, place: int, head: int | None, moved: set[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """The numbers that a ruling would read now, except those that had changed before the correction.

    Refuses (`Away`) where it looked at something there that is not in this file.
    """
    ruling = record.entry(entry.seq, secrets=True).event
    assert isinstance(ruling, MoveEvent)  # noqa: S101  a candidate is one
    settings = {f"{ruling.system}/{each}": held for each, held in ruling.settings.items()}
    looked = {**ruling.looked, CAMPAIGN: {**ruling.looked.get(CAMPAIGN, {}), **settings}}
    there = moved | {(who, f"{full.partition('.')[0]}.*") for who, full in moved}
    touched = [(who, full) for who, sheet in looked.items() for full in sheet if (who, full) in there]
    found: dict[str, dict[str, Any]] = {}
    if touched and systems.known(ruling.system):
        now, was = (Sheets(record.as_of(place, known), systems.find(ruling.system)) for known in (None, head))
        for who, full in touched:
            value, held = now.value(who, full), looked[who][full]
            unmoved = head is not None and value == was.value(who, full)
            if isinstance(held, Secret) and held.text is None and not unmoved:
                raise Away(entry.seq)
            if value != comparable(revealed(held)) and not unmoved:
                found.setdefault(who, {})[full] = now.plain(who, full)
    return found


def _ruled_again(record: Record, act: int, part: Part, numbers: Mapping[str, Mapping[str, Any]]) -> KnockOn:
    try:
        sketch = sketched(record, part, part.said)
    except OtherDice as error:
        return KnockOn(act=act, part=part, finds="other-dice", numbers=numbers, says=error.sentence)
    except Away:
        raise
    except LedgerError as error:
        secret = isinstance(part.said, PlayMove) and part.said.move.hides  # the sentence might tell what is kept
        return KnockOn(act=act, part=part, finds="refused", numbers=numbers, says=None if secret else error.sentence)
    events = [added.event for added in sketch.added]
    same = _came_to(events) == _came_to(entry.event for entry in recorded(record, part))
    verdict = next((event.verdict for event in events if isinstance(event, MovePlayed)), None)
    return KnockOn(act=act, part=part, finds="same" if same else "otherwise", numbers=numbers, verdict=verdict)


def _came_to(events: Iterable[Event]) -> tuple[Any, dict[str, int], dict[str, Any]]:
    """The verdict of a ruling, and the scores that it moved."""
    verdict: Any = None
    moved: dict[str, int] = {}
    marks: dict[str, Any] = {}
    for event in events:
        verdict = revealed(plain(event.verdict)) if isinstance(event, MovePlayed) else verdict
        for posting in event.postings:
            if posting.score != HOLD:
                name = f"{posting.who}:{posting.score}"
                moved[name] = moved.get(name, 0) + posting.amount
        marks |= {f"{mark.who}:{mark.name}": revealed(mark.value) for mark in event.marks if _is_fact(mark)}
    return verdict, {name: amount for name, amount in moved.items() if amount}, marks


def _is_fact(mark: Mark) -> bool:
    """Whether a mark says something of a sheet, and does not name an entry."""
    return not mark.who.startswith("#") and mark.name != OFFER
