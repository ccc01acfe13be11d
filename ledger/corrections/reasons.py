"""The reasons for the questions that corrections ask, and the end of a question whose reason is gone.

A correction closes such a question with an entry. It keeps a question open if a game that the question needs is not
installed. It never closes disputes and seals, because the GM decides these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from ledger import systems
from ledger.commands.decider import BookDraft, Record, StateAndRoster
from ledger.commands.sheet import value_and_limits
from ledger.corrections import in_place, left_out, missed
from ledger.corrections.actions import part_of, replacement_of
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import ASSERTED

ASKED_TYPES = frozenset(name for name, event in events.EVENTS.items() if issubclass(event, events.FollowUp))
"""The types of the questions that corrections ask."""

Reason = Literal["canceled", "settled"]


def contradictions(record: Record, head: int) -> Iterator[events.FollowUp]:
    """Yield a question for each paper sheet, gift and adjustment that no longer fits.

    Ask only if the cause is a correction after entry `head`, and only about paper sheets that were agreed. After
    a rewind, do not ask about paper sheets from the canceled time, because people correct their paper too.
    """
    late, first_event = [*record.corrected_rows(head)], record.entry(head + 1).event
    last = first_event.to if isinstance(first_event, events.PlayRewound) else head
    scores = sorted({(who, name) for who, name, _ in late})
    for who, full in scores:
        about = record.mark(ASSERTED, f"{who}:{full}")
        if about is not None and about <= last:
            yield from _broken_assertion(record, head, record.entry(about), full)
    first = min((since for _, _, since in late), default=head)
    for gift in record.search((events.ScoresGiven.type,), first, ("to",)) if late else ():
        if gift.since >= first and not record.is_struck(gift.act):
            yield from _uncovered_gifts(record, head, gift)
    names = [name for _, name in scores]
    for adjustment in record.search((events.ScoreAdjusted.type,), first, names) if scores else ():
        yield from _unneeded_adjustment(record, head, adjustment)


def _unneeded_adjustment(record: Record, head: int, adjustment: Entry) -> Iterator[events.FollowUp]:
    """Yield a question if corrections after `head` removed the reason for an adjustment that a decision made."""
    decision = record.entry(adjustment.cause or adjustment.seq)
    if not isinstance(decision.event, events.QuestionDecided) or record.is_struck(decision.act):
        return
    question, event = record.entry(decision.event.question).event, adjustment.event
    assert isinstance(event, events.ScoreAdjusted)  # noqa: S101  only these were searched
    if not isinstance(question, events.LimitCrossed | events.AssertionBroken):
        return
    place = adjustment.since
    if _is_wrong(record.as_of(place, head), question) and not _is_wrong(record.as_of(place), question):
        amount = event.amounts[question.score]
        about, who, score = decision.seq, question.who, question.score
        yield events.AdjustmentUnneeded(about=about, who=who, score=score, amount=amount)


def _is_wrong(state: StateAndRoster, question: events.LimitCrossed | events.AssertionBroken) -> bool:
    """Return True if the score of a question is beyond its limits, or differs from the paper sheet."""
    if isinstance(question, events.LimitCrossed):
        return _is_beyond(state, question)
    return (state.balance(question.who, question.score) or 0) != question.claimed


def _broken_assertion(record: Record, head: int, paper: Entry, full: str) -> Iterator[events.FollowUp]:
    event = paper.event
    assert isinstance(event, events.ScoreAsserted)  # noqa: S101  the mark names only these
    now, was = (record.as_of(paper.seq, known).balance(event.who, full) or 0 for known in (None, head))
    if now != event.claimed[full] == was:
        claimed = event.claimed[full]
        yield events.AssertionBroken(about=paper.seq, who=event.who, score=full, claimed=claimed, value=now)


def _uncovered_gifts(record: Record, head: int, gift: Entry) -> Iterator[events.FollowUp]:
    event = gift.event
    assert isinstance(event, events.ScoresGiven)  # noqa: S101  only these were searched
    for full, given in event.amounts.items():
        had, was = (record.as_of(gift.since, known).balance(event.who, full) or 0 for known in (None, head))
        if had < given <= was:
            yield events.GiftUncovered(about=gift.seq, who=event.who, score=full, given=given, had=had)


def close_questions(draft: BookDraft, cause: int, questions: Iterable[int] | None = None) -> None:
    """Close each question that lost its reason, if a correction asked it. Default for `questions`: all open ones."""
    for seq in draft.questions() if questions is None else questions:
        question = draft.entry(seq)
        if seq <= draft.head_before and question.type in ASKED_TYPES and (reason := _reason_to_close(draft, question)):
            draft.add(events.QuestionClosed(question=seq, reason=reason), cause)
            about = question.event.about if isinstance(question.event, events.KnockOnFound) else None
            if reason == "settled" and about is not None and in_place.has_read_a_secret(draft.entry(about)):
                draft.declare_secret()


def _reason_to_close(record: Record, question: Entry) -> Reason | None:
    event = question.event
    match event:
        case events.KnockOnFound(about=about) | events.GiftUncovered(about=about):
            root = replacement_of(record, about) if record.is_struck(record.entry(about).act) else about
            if root is None:
                return "canceled"
            applies = _still_applies(record, event, root)
        case events.AssertionBroken(about=about):
            if record.is_struck(record.entry(about).act):
                return "canceled"
            is_newest = record.mark(ASSERTED, f"{event.who}:{event.score}") == about
            applies = is_newest and (record.as_of(about).balance(event.who, event.score) or 0) != event.claimed
        case events.AdjustmentUnneeded(about=about):
            decision = record.entry(about)
            if record.is_struck(decision.act):
                return "canceled"
            assert isinstance(decision.event, events.QuestionDecided)  # noqa: S101  the question names only these
            answered = record.entry(decision.event.question).event
            assert isinstance(answered, events.LimitCrossed | events.AssertionBroken)  # noqa: S101  only these ask
            applies = not _is_wrong(record.as_of(about), answered)
        case events.MovesMissed():
            applies = not systems.is_installed(event.system) or bool(missed.still_missed(record, event))
        case events.LinesMissed():
            applies = bool(left_out.still_left_out(record, event))
        case _:
            assert isinstance(event, events.LimitCrossed)  # noqa: S101  the last type of such questions
            applies = _is_beyond(record, event)
    return None if applies else "settled"


def _is_beyond(record: StateAndRoster, event: events.LimitCrossed) -> bool:
    name, _, short = event.score.partition("/")
    score = systems.find(name).score(short) if systems.is_installed(name) else None
    if score is None:
        return True  # nobody knows the limits here
    value, least, most = value_and_limits(record, systems.find(name), event.who, score.for_name(short))
    return not least <= value <= most


def _still_applies(record: Record, question: events.FollowUp, root: int) -> bool:
    """Return True if a question about a ruling or gift still has a reason.

    `root` is the root of the current version of that ruling or gift.
    """
    entry = record.entry(root)
    if isinstance(question, events.GiftUncovered) and isinstance(entry.event, events.ScoresGiven):
        had = record.as_of(entry.since).balance(entry.event.who, question.score) or 0
        return had < entry.event.amounts.get(question.score, 0)
    if isinstance(entry.event, events.MoveEvent) and not systems.is_installed(entry.event.system):
        return True  # nobody knows the rules here
    return in_place.is_outdated(record, *part_of(record, root))
