"""Strikes: an action is canceled by name, and what answered it falls with it."""

from collections.abc import Iterable, Iterator

from ledger.commands.decider import Record, State
from ledger.corrections.parts import NO_OPENING, part_of, parts
from ledger.errors import Refused
from ledger.events.commitments import Said
from ledger.events.entry import answered, head_of, struck_in
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.events.types import ActionStruck, How, KnockOnFound, MoveEvent, OfTheBook, QuestionAsked
from ledger.rules.inputs import worded


def decided_in(state: State, act: int) -> list[int]:
    """The questions that an action decided, or took over from one that it replaced."""
    settling = [each.event for each in state.action(act) if not isinstance(each.event, MoveEvent | KnockOnFound)]
    marks = (mark for event in settling for mark in event.marks if mark.who == QUESTIONS)
    return [int(mark.name) for mark in marks if mark.value not in {False, None}]


def check_stands(state: State, act: int, about: int | None = None) -> None:
    """Refuse to strike the opening of the campaign, and what was struck already; perhaps for the sake of an entry."""
    if act == 1:
        raise Refused(NO_OPENING)
    if isinstance(state.entry(act).event, OfTheBook):
        raise Refused(f"#{act} is about the book itself, and is never struck.")
    by = state.mark(STRUCK, str(act))
    if by is not None:
        strike = state.entry(by)
        heads = [head_of(state.action(each)).seq for each in (act, strike.act)]
        instead = instead_of(state, heads[0] if about is None else about)
        hint = f"In its place stands #{instead}." if instead else f"See 'campaign show {heads[1]}'."
        raise Refused(f"#{heads[0]} does not stand: it was struck by #{heads[1]}.", hint)


def instead_of(state: State, about: int) -> int | None:
    """The ruling, or what stands for one, that stands in the place of an entry that was struck."""
    act, part = part_of(state, about)
    seen = {act}
    while (by := state.mark(STRUCK, str(act))) is not None:
        act = state.entry(by).act
        found = next((each for each in parts(state, act) if each.place == part.place), None)
        if found is None or act in seen:
            return None
        seen.add(act)
        part = found
    return part.root


def struck(
    record: Record, act: int, seq: int, how: How, *, why: str | None = None, whole: bool = False
) -> ActionStruck:
    """The strike of an action, numbered `seq`, with the answers that fall with it.

    A `whole` action falls with what it struck in its turn. Refuses to let an answer stand again to a question that
    something else has answered since.
    """
    falls = [act]
    for fallen in falls if whole else ():
        falls += [each for each in struck_by(record, fallen) if each not in falls]
    while answers := [each for each in _answers(record, record.flipped(falls, seq)[0]) if each not in falls]:
        falls += answers
    for risen in record.flipped(falls, seq)[1]:
        _check_unanswered(record, risen, falls)
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in dict.fromkeys(falls))
    return ActionStruck(strikes=act, how=how, why=reason(why), marks=marks)


def _check_unanswered(state: State, act: int, falls: Iterable[int]) -> None:
    for entry in state.action(act):
        asked = answered(entry.event)
        answer = None if asked is None else state.question(asked).answered_by
        if answer and state.entry(answer).act not in falls:
            raise Refused(f"#{entry.seq} would answer #{asked} again, which #{answer} has answered since.")


def reason(why: str | None) -> Said | None:
    """A reason to be kept, None where none was given."""
    return None if why is None else worded("A reason", why)


def _answers(state: State, acts: Iterable[int]) -> Iterator[int]:
    """Yield the actions that played on from the questions of these."""
    for act in acts:
        for entry in state.action(act):
            answer = state.question(entry.seq).answered_by if isinstance(entry.event, QuestionAsked) else None
            if answer is not None:
                yield state.entry(answer).act


def struck_by(state: State, act: int) -> list[int]:
    """The actions that the strikes of an action canceled, each once."""
    strikes = (each.event for each in state.action(act) if isinstance(each.event, ActionStruck))
    return list(dict.fromkeys(each for strike in strikes for each in struck_in(strike)))
