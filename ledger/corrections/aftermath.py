"""Aftermath: after a strike, what is asked about: scores beyond their limits, and rulings that looked at what moved."""

from collections.abc import Container, Iterable, Iterator, Mapping

from ledger import systems
from ledger.commands.decider import BookDraft, Record, State
from ledger.commands.sheet import value_and_most
from ledger.corrections.amend import amend, is_held, looked_at_a_secret
from ledger.corrections.knock_on import KnockOn, Looked, candidates, knock_on, knock_ons, looked_at
from ledger.corrections.strike import struck_by
from ledger.events.entry import Entry, place_of, struck_in
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS
from ledger.events.types import ActionStruck, KnockOnFound, LimitCrossed, MoveEvent
from ledger.rules.system import Score, System


def aftermath(draft: BookDraft, waiting: Iterable[int], *, cascade: bool = False) -> None:
    """Ask about each later ruling that would be otherwise, and each score beyond its limits.

    In a cascade what would be ruled otherwise is amended instead, in the order of the places, unless a question holds
    somebody in it. Questions that waited before the command are asked again where they fell with what was struck and
    still hold, and so are those about a ruling that was struck.
    """
    head, cause = draft.began, draft.began + 1
    places, scores = _asked_before(draft, waiting)
    places = {place_of(each, draft.entry): looked_at(each) for each in _standing_again(draft, cause)} | places
    if cascade:
        _cascade(draft, head, cause, places)
    else:
        for found in list(knock_ons(draft, head, places)):
            ask_about(draft, found, cause)
    for crossed in list(limits_crossed(draft, head, scores)):
        ask(draft, crossed, cause)


def _asked_before(draft: BookDraft, waiting: Iterable[int]) -> tuple[dict[int, Looked], set[tuple[str, str]]]:
    """The places and the scores that waiting questions were about, and that are to be asked about again."""
    places: dict[int, Looked] = {}
    scores = set()
    for seq in waiting:
        event, question = draft.entry(seq).event, draft.question(seq)
        if isinstance(event, LimitCrossed) and question.struck:
            scores.add((event.who, event.score))
        if isinstance(event, KnockOnFound):
            ruling = draft.entry(event.about)
            if question.struck or draft.is_struck(ruling.act):
                places[place_of(ruling, draft.entry)] = looked_at(ruling)
    return places, scores


def _standing_again(state: State, act: int) -> Iterator[Entry]:
    """Yield the rulings that an action, which struck a strike, let stand again."""
    for strike in state.action(act):
        fallen = struck_in(strike.event) if isinstance(strike.event, ActionStruck) else []
        risen = {each for fell in fallen for each in struck_by(state, fell) if not state.is_struck(each)}
        for entry in (each for risen_act in sorted(risen) for each in state.action(risen_act)):
            if isinstance(entry.event, MoveEvent):
                yield entry


def _cascade(draft: BookDraft, head: int, cause: int, places: Mapping[int, Looked]) -> None:
    """Amend one ruling after the other, in the order of their places; what an amendment moves is seen by the next."""
    after, seen = (0, 0), None
    while (late := list(draft.late(head))) != seen:
        seen = late
        for place, entry in candidates(draft, head, late, places):
            found = knock_on(draft, head, place, entry, late, places) if (place, entry.seq) > after else None
            if found is None:
                continue
            after = (place, entry.seq)
            if found.finds == "otherwise" and found.act != cause and not is_held(draft, found.part):
                amend(draft, found.part.root, {}, cascade=True, cause=cause)
            else:
                ask_about(draft, found, cause)
            if list(draft.late(head)) != late:
                break


def ask_about(draft: BookDraft, found: KnockOn, cause: int) -> None:
    """Ask what is to become of a ruling that would be otherwise now."""
    if found.finds == "same":
        return
    event = KnockOnFound(
        about=found.part.root,
        finds=found.finds,
        numbers={who: dict(names) for who, names in found.numbers.items()},
        verdict=found.verdict,
        says=found.says,
    )
    ask(draft, event, cause)
    if looked_at_a_secret(draft.entry(event.about)):
        draft.conceal()


def ask(draft: BookDraft, event: KnockOnFound | LimitCrossed, cause: int) -> None:
    """Add a question that waits, in place of an older one about the same ruling."""
    marks = [Mark(who=QUESTIONS, name=str(draft.next), value=False)]
    if isinstance(event, KnockOnFound):
        place = place_of(draft.entry(event.about), draft.entry)
        older = ((seq, draft.entry(seq).event) for seq in draft.questions())
        same = [
            seq
            for seq, asked in older
            if isinstance(asked, KnockOnFound) and place_of(draft.entry(asked.about), draft.entry) == place
        ]
        marks += [Mark(who=QUESTIONS, name=str(seq), value=draft.next) for seq in same]
    draft.add(event.replace(marks=tuple(marks)), cause)


def limits_crossed(record: Record, head: int, again: Container[tuple[str, str]]) -> Iterator[LimitCrossed]:
    """Yield the scores that a correction moved beyond their limits, or that are to be asked about again."""
    asked = [record.entry(seq).event for seq in record.questions()]
    waiting = [(each.who, each.score) for each in asked if isinstance(each, LimitCrossed)]
    for who, full in sorted({(who, full) for who, full, _ in record.late(head)}):
        name, slash, short = full.partition("/")
        system = systems.installed(name) if slash else None
        score = system.score(short) if system else None
        if system is None or score is None:
            continue
        for each in (score.replace(name=short), *system.bounded_by(short)):
            known = None if (who, f"{name}/{each.name}") in again else head
            crossed = _crossed(record, known, system, who, each)
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
