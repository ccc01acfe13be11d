"""Aftermath: after a strike, what is asked about: scores beyond their limits, and rulings that looked at what moved."""

from collections.abc import Container, Iterable, Iterator

from ledger import systems
from ledger.commands.decider import Command, Standing
from ledger.commands.sheet import value_and_most
from ledger.corrections.knock_on import KnockOn, Looked, knock_on, looked_at
from ledger.corrections.stages import Say, amended, is_held
from ledger.corrections.strike import struck_by
from ledger.events.entry import Entry, place_of
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.events.types import KnockOnFound, LimitCrossed
from ledger.rules.system import Score, System


def limits_crossed(stands: Standing, head: int, again: Container[tuple[str, str]]) -> Iterator[LimitCrossed]:
    """Yield the scores that a correction moved beyond their limits, or that are to be asked about again."""
    asked = [stands.entry(seq) for seq in stands.questions()]
    waiting = [(each.body["who"], each.body["score"]) for each in asked if each.type == LimitCrossed.type]
    for who, full in sorted({(who, full) for who, full, _ in stands.late(head)}):
        name, slash, short = full.partition("/")
        system = systems.installed(name) if slash else None
        score = system.score(short) if system else None
        if system is None or score is None:
            continue
        bounded = [each for each in system.scores if each.most == short]
        for each in (score.but(name=short), *bounded):
            known = None if (who, f"{name}/{each.name}") in again else head
            crossed = _crossed(stands, known, system, who, each)
            if crossed is not None and (who, crossed.score) not in waiting:
                waiting.append((who, crossed.score))
                yield crossed


def _crossed(stands: Standing, head: int | None, system: System, who: str, score: Score) -> LimitCrossed | None:
    value, most = value_and_most(stands, system, who, score)
    if score.least <= value <= most:
        return None
    if head is not None and (value, most) == value_and_most(stands.at(head + 1, head), system, who, score):
        return None
    return LimitCrossed(who=who, score=f"{system.name}/{score.name}", value=value, least=score.least, most=most)


def aftermath(
    stands: Standing, head: int, cause: int, waiting: Iterable[int], *, cascade: bool = False
) -> Iterator[Command]:
    """Yield a question for each later ruling that would be otherwise, and for each score beyond its limits.

    In a cascade what would be ruled otherwise is amended instead, in order, until somebody must be asked: what was
    played of whom a question holds is asked about. What waited before, and fell with what was
    struck, is asked again where it still holds, and so is what waited about a ruling that was struck.
    """
    places: dict[int, Looked] = {
        place_of(each, stands.entry): looked_at(each) for each in _standing_again(stands, cause)
    }
    scores = set()
    for asked in map(stands.entry, waiting):
        fell = stands.mark(QUESTIONS, str(asked.seq)) is None
        if asked.type == LimitCrossed.type and fell:
            scores.add((asked.body["who"], asked.body["score"]))
        if asked.type == KnockOnFound.type:
            ruling = stands.entry(asked.body["about"])
            if fell or stands.mark(STRUCK, str(ruling.act)) is not None:
                places[place_of(ruling, stands.entry)] = looked_at(ruling)
    touched = knock_on(stands, head, places)
    for found in touched if cascade else list(touched):
        if found.finds == "otherwise" and cascade and found.act != cause and not is_held(stands, found.part):
            yield from amended(stands, found.part.root, {}, cascade=True, cause=cause, head=head)
        elif found.finds != "same":
            yield Say(event=_knocked_on(found), cause=cause)
    for crossed in limits_crossed(stands, head, scores):
        yield Say(event=crossed, cause=cause)


def _standing_again(stands: Standing, act: int) -> Iterator[Entry]:
    """Yield the rulings that an action, which struck a strike, let stand again."""
    for strike in stands.action(act):
        fallen = [int(mark["name"]) for mark in strike.body["marks"] if mark["who"] == STRUCK]
        risen = {each for fell in fallen for each in struck_by(stands, fell) if stands.mark(STRUCK, str(each)) is None}
        for entry in (each for risen_act in sorted(risen) for each in stands.action(risen_act)):
            if "looked" in entry.body:
                yield entry


def _knocked_on(found: KnockOn) -> KnockOnFound:
    assert found.finds != "same"  # noqa: S101  asked about others alone
    return KnockOnFound(
        about=found.part.root,
        finds=found.finds,
        numbers={who: dict(names) for who, names in found.numbers.items()},
        verdict=found.verdict,
        says=found.says,
    )
