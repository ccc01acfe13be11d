"""Strikes: an action is canceled by name, and what answered it falls with it."""

from collections.abc import Iterable, Iterator

from ledger.commands.decider import Standing
from ledger.corrections.parts import NO_OPENING, part_of, parts
from ledger.errors import Refused
from ledger.events.commitments import Said
from ledger.events.entry import head_of
from ledger.events.facts import Mark
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.events.types import LASTING, ActionStruck, How, KnockOnFound, MovePlayed, QuestionAsked
from ledger.rules.inputs import worded


def decided_in(stands: Standing, act: int) -> list[int]:
    """Return the questions that an action decided, or took over from one that it replaced."""
    marks = (mark for each in stands.action(act) if each.type not in RULED for mark in each.body["marks"])
    return [int(mark["name"]) for mark in marks if mark["who"] == QUESTIONS and mark["value"] not in {False, None}]


RULED = frozenset({MovePlayed.type, QuestionAsked.type, KnockOnFound.type})


def check_stands(stands: Standing, act: int, about: int | None = None) -> None:
    """Refuse to strike the opening of the campaign, and what was struck already; perhaps for the sake of an entry."""
    if act == 1:
        raise Refused(NO_OPENING)
    if stands.entry(act).type in LASTING:
        raise Refused(f"#{act} is about the book itself, and is never struck.")
    by = stands.mark(STRUCK, str(act))
    if by is not None:
        strike = stands.entry(by)
        heads = [head_of(stands.action(each)).seq for each in (act, strike.act)]
        instead = instead_of(stands, heads[0] if about is None else about)
        hint = f"In its place stands #{instead}." if instead else f"See 'campaign show {heads[1]}'."
        raise Refused(f"#{heads[0]} does not stand: it was struck by #{heads[1]}.", hint)


def instead_of(stands: Standing, about: int) -> int | None:
    """Return the ruling, or what stands for one, that stands in the place of an entry that was struck."""
    act, part = part_of(stands, about)
    seen = {act}
    while (by := stands.mark(STRUCK, str(act))) is not None:
        act = stands.entry(by).act
        found = next((each for each in parts(stands, act) if each.place == part.place), None)
        if found is None or act in seen:
            return None
        seen.add(act)
        part = found
    return part.root


def struck(
    stands: Standing, act: int, seq: int, how: How, *, why: str | None = None, whole: bool = False
) -> ActionStruck:
    """Return the strike of an action, with the answers that fall with it; `whole`, with what it struck in its turn."""
    falls = [act]
    for fallen in falls if whole else ():
        falls += [each for each in struck_by(stands, fallen) if each not in falls]
    while answers := [each for each in _answers(stands, stands.flipped(falls, seq)[0]) if each not in falls]:
        falls += answers
    for risen in stands.flipped(falls, seq)[1]:
        _check_unanswered(stands, risen, falls)
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in dict.fromkeys(falls))
    return ActionStruck(strikes=act, how=how, why=reason(why), marks=marks)


def _check_unanswered(stands: Standing, act: int, falls: Iterable[int]) -> None:
    """Refuse to let an answer stand again to a question that something else has answered since."""
    for entry in stands.action(act):
        asked = entry.body.get("answers", entry.body.get("question"))
        answer = None if asked is None else stands.mark(QUESTIONS, str(asked))
        if answer and stands.entry(answer).act not in falls:
            raise Refused(f"#{entry.seq} would answer #{asked} again, which #{answer} has answered since.")


def reason(why: str | None) -> Said | None:
    """Return a reason to be kept, None where none was given."""
    return None if why is None else worded("A reason", why)


def _answers(stands: Standing, acts: Iterable[int]) -> Iterator[int]:
    """Yield the actions that played on from the questions of these."""
    for act in acts:
        for entry in stands.action(act):
            answer = stands.mark(QUESTIONS, str(entry.seq)) if entry.type == QuestionAsked.type else None
            if answer:
                yield stands.entry(answer).act


def struck_by(stands: Standing, act: int) -> list[int]:
    """Return the actions that the strikes of an action canceled, each once."""
    strikes = (entry for entry in stands.action(act) if entry.type == ActionStruck.type)
    return list(dict.fromkeys(int(mark["name"]) for strike in strikes for mark in strike.body["marks"]))
