"""Aftermath: what to ask after a correction, of scores beyond their limits and rulings that read changed numbers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from ledger import systems
from ledger.commands.decider import BookDraft, Record, State
from ledger.commands.sheet import value_and_most
from ledger.corrections.amend import amend, is_held, looked_at_a_secret
from ledger.corrections.knock_on import KnockOn, Looked, knock_ons, looked_at
from ledger.corrections.strike import targets_of
from ledger.events.entry import Entry, place_of, struck_in
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS
from ledger.events.types import ActionStruck, KnockOnFound, LimitCrossed, MoveEvent
from ledger.rules.system import Score, System

FOUND_BY_CORRECTIONS = frozenset({KnockOnFound.type, LimitCrossed.type})


def ask_about_changes(draft: BookDraft, waiting: Iterable[int], *, cascade: bool = False) -> None:
    """Ask about each later ruling that would come out differently, and each score beyond its limits.

    A cascade amends such a ruling instead, in order of place, unless a question holds one of its characters. A question
    that waited before the command is asked again if it, or its ruling, was struck and it still applies.
    """
    head, cause = draft.began, draft.began + 1
    places, scores = _asked_before(draft, waiting)
    places = {place_of(ruling, draft.entry): looked_at(ruling) for ruling in _standing_again(draft, cause)} | places
    if cascade:
        _cascade(draft, head, cause, places)
    else:
        for outcome in list(knock_ons(draft, head, places)):
            ask_about(draft, outcome, cause)
    for crossed in list(limits_crossed(draft, head, scores)):
        add_question(draft, crossed, cause)


def _asked_before(draft: BookDraft, waiting: Iterable[int]) -> tuple[dict[int, Looked], set[tuple[str, str]]]:
    """The places and the scores of waiting questions that must be asked again."""
    places: dict[int, Looked] = {}
    scores = set()
    for seq, event in _found_by_corrections(draft, waiting):
        struck = draft.question(seq).struck
        if isinstance(event, LimitCrossed) and struck:
            scores.add((event.who, event.score))
        if isinstance(event, KnockOnFound):
            ruling = draft.entry(event.about)
            if struck or draft.is_struck(ruling.act):
                places[place_of(ruling, draft.entry)] = looked_at(ruling)
    return places, scores


def _found_by_corrections(
    record: Record, questions: Iterable[int]
) -> Iterator[tuple[int, KnockOnFound | LimitCrossed]]:
    """Yield the questions that corrections asked, with their numbers. It does not decode any other questions."""
    found = (entry for entry in map(record.entry, questions) if entry.type in FOUND_BY_CORRECTIONS)
    events = ((entry.seq, entry.event) for entry in found)
    yield from ((seq, event) for seq, event in events if isinstance(event, KnockOnFound | LimitCrossed))


def _standing_again(state: State, act: int) -> Iterator[Entry]:
    """Yield the rulings that stand again because an action struck their strike."""
    for strike in state.action(act):
        falls = struck_in(strike.event) if isinstance(strike.event, ActionStruck) else []
        risen = {target for fallen in falls for target in targets_of(state, fallen) if not state.is_struck(target)}
        entries = (entry for target in sorted(risen) for entry in state.action(target))
        yield from (ruling for ruling in entries if isinstance(ruling.event, MoveEvent))


def _cascade(draft: BookDraft, head: int, cause: int, places: Mapping[int, Looked]) -> None:
    """Amend ruling after ruling, in order of place; each sees what the amendments before it moved."""
    for outcome in knock_ons(draft, head, places):
        if outcome.finds == "otherwise" and outcome.act != cause and not is_held(draft, outcome.part):
            amend(draft, outcome.part.root, {}, cascade=True, cause=cause)
        else:
            ask_about(draft, outcome, cause)


def ask_about(draft: BookDraft, found: KnockOn, cause: int) -> None:
    """Ask what to do about a ruling that would now come out differently."""
    if found.finds == "same":
        return
    event = KnockOnFound(
        about=found.part.root,
        finds=found.finds,
        numbers={who: dict(names) for who, names in found.numbers.items()},
        verdict=found.verdict,
        says=found.says,
    )
    add_question(draft, event, cause)
    if looked_at_a_secret(draft.entry(event.about)):
        draft.conceal()


def add_question(draft: BookDraft, event: KnockOnFound | LimitCrossed, cause: int) -> None:
    """Add a waiting question; it replaces an older one about the same ruling."""
    marks = [Mark(who=QUESTIONS, name=str(draft.next), value=False)]
    if isinstance(event, KnockOnFound):
        place = place_of(draft.entry(event.about), draft.entry)
        same = [
            seq
            for seq, question in _found_by_corrections(draft, draft.questions())
            if isinstance(question, KnockOnFound) and place_of(draft.entry(question.about), draft.entry) == place
        ]
        marks += [Mark(who=QUESTIONS, name=str(seq), value=draft.next) for seq in same]
    draft.add(event.replace(marks=tuple(marks)), cause)


def limits_crossed(record: Record, head: int, again: Container[tuple[str, str]]) -> Iterator[LimitCrossed]:
    """Yield the scores that a correction pushed beyond their limits, and those of `again` that are still beyond."""
    late = sorted({(who, full) for who, full, _ in record.late(head)})
    asked = _found_by_corrections(record, record.questions() if late else ())
    waiting = [(question.who, question.score) for _, question in asked if isinstance(question, LimitCrossed)]
    for who, full in late:
        name, slash, short = full.partition("/")
        system = systems.installed(name) if slash else None
        score = system.score(short) if system else None
        if system is None or score is None:
            continue
        for bounded in (score.replace(name=short), *system.bounded_by(short)):
            before = None if (who, f"{name}/{bounded.name}") in again else head
            crossed = _crossed(record, before, system, who, bounded)
            if crossed is not None and (who, crossed.score) not in waiting:
                waiting.append((who, crossed.score))
                yield crossed


def _crossed(record: Record, head: int | None, system: System, who: str, score: Score) -> LimitCrossed | None:
    value, most = value_and_most(record, system, who, score)
    if score.least <= value <= most:
        return None
    if head is not None and (value, most) == value_and_most(record.as_of(head + 1, head), system, who, score):
        return None
    return LimitCrossed(who=who, score=f"{system.name}/{score.name}", value=value, least=score.least, most=most)
