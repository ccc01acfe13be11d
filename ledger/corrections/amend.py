"""Amend: an action is struck, and played again in its place with one of its parts said otherwise."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.commands.decider import BookDraft, Record, State
from ledger.commands.play import PlayMove
from ledger.corrections.in_place import InPlace, otherwise, replay, sketched
from ledger.corrections.knock_on import ruled_now
from ledger.corrections.parts import Part, part_of, parts, recorded
from ledger.corrections.strike import check_stands, decided_in, reason, struck
from ledger.events.commitments import Secret
from ledger.events.entry import Entry, about_of, plain
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, CAMPAIGN, HOLD, OFFER, QUESTIONS, number
from ledger.events.types import ActionAmended, Correction, DiceThrown, Event, MoveEvent, MovePlayed, QuestionDecided
from ledger.values import Struct


def amend(
    draft: BookDraft,
    about: int,
    inputs: Mapping[str, Any],
    faces: tuple[int, ...] | None = None,
    *,
    why: str | None = None,
    cascade: bool = False,
    cause: int | None = None,
) -> None:
    """Strike an action and play it again in its place, with one of its parts said otherwise.

    The others are copied as they were; in a cascade those that would be ruled otherwise by now are played again too.
    Refuses what cannot be struck, and what the rules refuse in that place.
    """
    act, replaced = part_of(draft, about)
    kept = [(part, [] if part.root == replaced.root else copied(draft, part)) for part in parts(draft, act)]
    said = otherwise(replaced.said, inputs)
    check_stands(draft, act, replaced.root)
    sketch = sketched(draft, replaced, said, faces)
    root = next(each.event for each in sketch.added if not isinstance(each.event, DiceThrown))
    held = root.inputs if isinstance(root, MoveEvent) else plain(root)
    settled = [Mark(who=QUESTIONS, name=str(question), value=draft.next) for question in decided_in(draft, act)]
    amendment = ActionAmended(
        named=about,
        about=replaced.root,
        inputs={name: each if isinstance(each, Mapping) else held[name] for name, each in inputs.items()},
        faces=faces,
        cascade=cascade,
        why=reason(why),
        marks=tuple(settled),
    )
    cancel = struck(draft, act, draft.next + 1, "amend", whole=True)
    strike = draft.add(cancel, draft.add(amendment, cause))
    if sketch.conceals or _hides(replaced):
        draft.conceal()
    for part, copies in kept:
        now = ruled_now(draft, part, draft.began) if cascade else None
        again = part.replace(said=said) if part.root == replaced.root else part
        if again is not part or (now is not None and now.finds == "otherwise" and not is_held(draft, part)):
            typed = faces if part.root == replaced.root else None
            replay(InPlace(draft, part, draft, cause=strike, faces=typed), part, again.said)
            if _hides(again):
                draft.conceal()
        else:
            write_again(draft, copies, strike)


class Copied(Struct):
    """An entry to be written again, as it was said, with the entries that say something about it."""

    entry: Entry
    event: Event
    spoken: tuple[int, ...]


def copied(record: Record, part: Part) -> list[Copied]:
    """All of a part as it is, before its action is struck; refuses (`Away`) where a secret is not in this file.

    What was said about it (disputes, decisions, overrides) goes with it.
    """
    found = []
    for entry in recorded(record, part):
        spoken = [] if isinstance(entry.event, Correction) else record.spoken(entry.act)
        same = tuple(seq for seq in spoken if place_of_any(record, seq) == part.place)
        found.append(Copied(entry=entry, event=record.copy(entry.seq), spoken=same))
    return found


def write_again(draft: BookDraft, copies: Sequence[Copied], cause: int) -> None:
    """Write a part again as it was, each entry counting from where it did; nothing is ruled anew."""
    numbers: dict[int | None, int] = {}
    for each in copies:
        numbers[each.entry.seq] = draft.next
        marks = [renumbered(mark, numbers) for mark in each.event.marks]
        marks += [Mark(who=ABOUT, name=f"{draft.began + 1}:{seq}", value=True) for seq in each.spoken]
        event = each.event.replace(marks=tuple(marks))
        if isinstance(event, MovePlayed) and event.answers in numbers:
            event = event.replace(answers=numbers[event.answers])
        draft.add(event, numbers.get(each.entry.cause, cause), each.entry.since)


def place_of_any(state: State, seq: int) -> int:
    """The place of the part that an entry which speaks about others is about, 0 where it is of none."""
    event = state.entry(seq).event
    about = about_of(state.entry(event.question).event if isinstance(event, QuestionDecided) else event)
    return 0 if about is None else part_of(state, about)[1].place


def renumbered(mark: Mark, numbers: Mapping[int | None, int]) -> Mark:
    """A mark of an entry that is copied; what the journal keeps by number goes with the copy."""
    name, value = mark.name, mark.value
    if mark.who == QUESTIONS:
        name = str(numbers.get(number(name), name))
    if type(value) is int and (mark.who[0] == "#" or name == OFFER or (mark.who, name) == (CAMPAIGN, "scene")):
        value = numbers.get(value, value)
    return Mark(who=mark.who, name=name, value=value)


def looked_at_a_secret(ruling: Entry) -> bool:
    """Whether a ruling was made with something that the GM keeps, and has not told."""
    event = ruling.event
    assert isinstance(event, MoveEvent)  # noqa: S101  nothing else looks at anything
    held = [*event.inputs.values(), *(each for sheet in event.looked.values() for each in sheet.values())]
    return any(isinstance(each, Secret) and each.text is None for each in held)


def is_held(state: State, part: Part) -> bool:
    """Whether a question holds one of those whom a part is about."""
    cast = part.said.move.cast() if isinstance(part.said, PlayMove) else ()
    return any((state.balance(who, HOLD) or 0) > 0 for who in cast)


def _hides(part: Part) -> bool:
    return isinstance(part.said, PlayMove) and part.said.move.hides
