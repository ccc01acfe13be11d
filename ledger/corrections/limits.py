"""Limits: the scores that a correction left beyond what they may be."""

from collections.abc import Container, Iterator

from ledger import systems
from ledger.commands.decider import Standing
from ledger.events.types import LimitCrossed
from ledger.rules.move import Score, System


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


def value_and_most(stands: Standing, system: System, who: str, score: Score) -> tuple[int, int]:
    """Return where a score stands, and the most that it may be."""
    value = stands.balance(who, f"{system.name}/{score.name}") or 0
    most = score.most if isinstance(score.most, int) else stands.balance(who, f"{system.name}/{score.most}") or 0
    return value, most
