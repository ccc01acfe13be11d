"""Knock-ons: the rulings after what was put right that looked at numbers which would now be others.

Each is looked at again in its place, and ruled again with the dice that lie; nothing is written here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ledger import systems
from ledger.commands.decider import Standing
from ledger.commands.play import Play
from ledger.commands.sheet import Sheets, comparable
from ledger.corrections.parts import Part, part_of, recorded
from ledger.corrections.redecide import play_again
from ledger.errors import Away, LedgerError, OtherDice
from ledger.events.commitments import is_closed, revealed
from ledger.events.entry import Entry, place_of, plain
from ledger.events.facts import Verdict
from ledger.events.subjects import CAMPAIGN, HOLD, OFFER, QUESTIONS, STRUCK
from ledger.events.types import MovePlayed, QuestionAsked
from ledger.values import Shape

Looked = frozenset[tuple[str, str]]
"""Scores and marks, by whose they are and their full names."""

NOTHING_AGAIN: Mapping[int, Looked] = {}


class KnockOn(Shape):
    """A ruling that looked at numbers which would now be others, and what came of ruling again.

    `numbers` holds, by character and name, what it would look at now.
    """

    act: int
    part: Part
    finds: Literal["same", "otherwise", "refused", "other-dice"]
    numbers: Mapping[str, Mapping[str, Any]]
    verdict: Verdict | None = None
    says: str | None = None


def knock_on(stands: Standing, head: int, again: Mapping[int, Looked] = NOTHING_AGAIN) -> Iterator[KnockOn]:
    """Yield the standing rulings that looked at what was put right after an entry, in the order of their places.

    Each is looked at when it is asked for, so that what is amended meanwhile is seen by the next. Of the places to be
    asked about `again`, with what was looked at there, also those whose numbers were others before already.
    """
    seen: list[tuple[str, str, int]] | None = None
    after = (0, 0)
    while (late := list(stands.late(head))) != seen:  # something was amended meanwhile: more may have moved
        seen = late
        for place, entry in _candidates(stands, head, late, again):
            if (place, entry.seq) <= after or not _waits_or_stands(stands, entry):
                continue
            moved = {(who, name) for who, name, _ in late} | again.get(place, frozenset())
            numbers = _other_numbers(stands, entry, place, None if place in again else head, moved)
            if numbers:
                after, written = (place, entry.seq), stands.head()
                yield _ruled_again(stands, *part_of(stands, entry.seq), numbers)
                if stands.head() > written and list(stands.late(head)) != late:
                    break


def looked_at(ruling: Entry) -> Looked:
    """Return what a ruling looked at: the scores and marks of sheets, and the settings."""
    name, body = ruling.body["system"], ruling.body
    sheets = {(who, full) for who, sheet in body["looked"].items() for full in sheet}
    return frozenset(sheets | {(CAMPAIGN, f"{name}/{each}") for each in body["settings"]})


def ruled_now(stands: Standing, part: Part, head: int) -> KnockOn | None:
    """Return what would come of ruling on a part again, None where it would look at the same numbers as it did."""
    ruling = part.rulings[-1]
    if "looked" not in ruling.body:
        return None
    moved = {(who, name) for who, name, _ in stands.late(head)}
    numbers = _other_numbers(stands, ruling, part.place, head, moved)
    return _ruled_again(stands, ruling.act, part, numbers) if numbers else None


def _candidates(
    stands: Standing, head: int, late: Sequence[tuple[str, str, int]], again: Mapping[int, Looked]
) -> list[tuple[int, Entry]]:
    """Return the rulings that looked at what was put right, with their places, in the order of these."""
    moved = {(who, name) for who, name, _ in late}.union(*again.values())
    names = {short for who, name in moved for short in _names_of(who, name)}
    first = min([*(since for _, _, since in late), *again], default=head)
    rulings = stands.written((MovePlayed.type, QuestionAsked.type), first, names)
    return sorted(
        ((place_of(entry, stands.entry), entry) for entry in rulings), key=lambda each: (each[0], each[1].seq)
    )


def _names_of(who: str, full: str) -> tuple[str, ...]:
    """Return by what names a ruling may have looked at a score or mark: its own, its pattern, that of a setting."""
    return (full, f"{full.partition('.')[0]}.*", full.partition("/")[2] if who == CAMPAIGN else full)


def _waits_or_stands(stands: Standing, entry: Entry) -> bool:
    """Whether a ruling stands, and a question still waits; what was answered is told by the answer."""
    if stands.mark(STRUCK, str(entry.act)) is not None:
        return False
    return entry.type == MovePlayed.type or stands.mark(QUESTIONS, str(entry.seq)) is False


def _other_numbers(
    stands: Standing, entry: Entry, place: int, head: int | None, moved: set[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """Return what a ruling would look at now; of what it would have looked at before a correction, nothing.

    Refuses (`Away`) where it looked at something there that is not in this file.
    """
    name = entry.body["system"]
    settings = {f"{name}/{each}": held for each, held in entry.body["settings"].items()}
    sheets = stands.entry(entry.seq, secrets=True).body["looked"]
    looked = {**sheets, CAMPAIGN: {**sheets.get(CAMPAIGN, {}), **settings}}
    there = moved | {(who, f"{full.partition('.')[0]}.*") for who, full in moved}
    touched = [(who, full) for who, sheet in looked.items() for full in sheet if (who, full) in there]
    found: dict[str, dict[str, Any]] = {}
    if touched and systems.known(name):
        now, was = (Sheets(stands.at(place, known), systems.find(name)) for known in (None, head))
        for who, full in touched:
            value = now.value(who, full)
            unmoved = head is not None and value == was.value(who, full)
            if is_closed(looked[who][full]) and not unmoved:
                raise Away(entry.seq)
            if value != comparable(looked[who][full]) and not unmoved:
                found.setdefault(who, {})[full] = now.plain(who, full)
    return found


def _ruled_again(stands: Standing, act: int, part: Part, numbers: Mapping[str, Mapping[str, Any]]) -> KnockOn:
    try:
        plan = play_again(stands, part, stands.head(), part.said)
    except OtherDice as error:
        return KnockOn(act=act, part=part, finds="other-dice", numbers=numbers, says=error.sentence)
    except Away:
        raise
    except LedgerError as error:
        secret = isinstance(part.said, Play) and part.said.move.hides  # the sentence might tell what is kept
        return KnockOn(act=act, part=part, finds="refused", numbers=numbers, says=None if secret else error.sentence)
    bodies = [plain(event) for event, _, _ in plan.events]
    same = _came_to(bodies) == _came_to(entry.body for entry in recorded(stands, part))
    verdict = next((event.verdict for event, _, _ in plan.events if isinstance(event, MovePlayed)), None)
    return KnockOn(act=act, part=part, finds="same" if same else "otherwise", numbers=numbers, verdict=verdict)


def _came_to(bodies: Iterable[Mapping[str, Any]]) -> tuple[Any, dict[str, int], dict[str, Any]]:
    """Return what a ruling came to: the verdict, and what moved."""
    verdict: Any = None
    moved: dict[str, int] = {}
    marks: dict[str, Any] = {}
    for body in bodies:
        verdict = revealed(body.get("verdict")) or verdict
        for posting in body["postings"]:
            if posting["score"] != HOLD:
                name = f"{posting['who']}:{posting['score']}"
                moved[name] = moved.get(name, 0) + posting["amount"]
        marks |= {f"{mark['who']}:{mark['name']}": revealed(mark["value"]) for mark in body["marks"] if _is_fact(mark)}
    return verdict, {name: amount for name, amount in moved.items() if amount}, marks


def _is_fact(mark: Mapping[str, Any]) -> bool:
    """Whether a mark says something of a sheet, and does not name an entry."""
    return not str(mark["who"]).startswith("#") and bool(mark["name"] != OFFER)
