"""Everybody's rolls, as sentences and bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil

from cli.render.layout import USUAL_WIDTH
from cli.render.terminal import colored, width
from ledger.errors import count_of
from projections.luck import DieLuck, DieRolls, PartRolls

BAR, EXPECTED = "█", "│"
MOST_LINES = 20
"""The maximum number of lines of a histogram. A die with more faces shows several faces in each line."""

MOST_SESSIONS = 8
"""The number of sessions to list. Earlier sessions share one item."""

MOST_SHOWN = 6
"""The power of ten above which the evidence is not printed exactly."""

SOURCES: Mapping[str, str] = {"machine": "rolled by the computer", "typed": "typed in"}


def luck_lines(dice: Iterable[DieLuck], *, all_charts: bool = False, more: bool = False) -> Iterator[str]:
    """Yield the lines about dice, with an empty line between them. `more` adds the evidence.

    Without `all_charts`, a die with fewer rolls than sides has no chart.
    """
    for place, luck in enumerate(dice):
        yield from ([""] if place else [])
        yield from _of_die(luck, chart=all_charts or luck.rolls >= luck.sides, more=more)


def _of_die(luck: DieLuck, *, chart: bool, more: bool) -> Iterator[str]:
    title = f"{luck.name}: d{luck.sides}, {SOURCES.get(luck.source, luck.source)}"
    yield f"{colored(title, 'title')}: {_rolls(luck)}; fair dice: {luck.expected_mean:.2f}"
    yield from _histogram(luck) if chart else ()
    yield from _parts("by character", _by_character(luck))
    yield from _parts("by session", _by_session(luck.parts))
    yield f"  {_verdict(luck)}"
    if more:
        yield f"  {_evidence(luck)}"


def no_rolls_sentence(who: str | None, die: int | None, session: int | None) -> str:
    """Say that there are no rolls of this character, of this die, or in this session."""
    what = "dice" if die is None else f"d{die}"
    of = "" if who is None else f" of {who}"
    where = "" if session is None else f" in session {session}"
    return f"There are no {what} rolls{of}{where} yet."


def _rolls(rolls: DieRolls) -> str:
    return f"{count_of(rolls.rolls, 'roll')}, mean {rolls.mean:.2f}"


def _histogram(luck: DieLuck) -> Iterator[str]:
    """Yield a line for each face, or each group of faces. A mark in the bar shows how many rolls were expected."""
    size = ceil(luck.sides / MOST_LINES)
    groups = [luck.faces[first : first + size] for first in range(0, luck.sides, size)]
    expected = [luck.rolls * len(group) / luck.sides for group in groups]
    names = [_faces(place * size + 1, place * size + len(group)) for place, group in enumerate(groups)]
    rolled = [f"{sum(group):,}" for group in groups]
    fair = [f"{number:,.1f}" for number in expected]
    wide = [max(map(len, column)) for column in (("face", *names), ("rolled", *rolled), ("expected", *fair))]
    yield "  {:>{}}  {:>{}}  {:>{}}".format(*_pairs(("face", "rolled", "expected"), wide))
    most = max(*expected, *map(sum, groups))
    for place, group in enumerate(groups):
        text = "  {:>{}}  {:>{}}  {:>{}}  ".format(*_pairs((names[place], rolled[place], fair[place]), wide))
        yield f"{text}{_bar(sum(group) / most, expected[place] / most, min(width(), USUAL_WIDTH) - len(text))}"


def _pairs(texts: Iterable[str], wide: Iterable[int]) -> list[object]:
    return [each for pair in zip(texts, wide, strict=True) for each in pair]


def _faces(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _bar(rolled: float, expected: float, columns: int) -> str:
    """Return a bar for a share of the longest bar, with a mark at the expected share."""
    longest = max(columns - 1, 1)
    bar, place = BAR * round(longest * rolled), round(longest * expected)
    return f"{bar[:place]:<{place}}{EXPECTED}{bar[place:]}"


def _parts(title: str, parts: list[str]) -> Iterator[str]:
    if len(parts) > 1:
        yield f"  {title}: {'; '.join(parts)}"


def _by_character(luck: DieLuck) -> list[str]:
    """Return the rolls of each character, and those that the player made without a character."""
    names = {part.who: part.name for part in luck.parts}
    return [f"{name} {_rolls(_sum(part for part in luck.parts if part.who == who))}" for who, name in names.items()]


def _by_session(parts: Iterable[PartRolls]) -> list[str]:
    """Return the rolls of the last sessions, one item each, after the rolls of all earlier sessions together."""
    numbers: list[int | None] = [*sorted({part.session for part in parts if part.session is not None})]
    early, last = numbers[:-MOST_SESSIONS], numbers[-MOST_SESSIONS:]
    groups: list[list[int | None]] = [early, *([number] for number in last), [None]]
    parts_by_name = {_name(group): [part for part in parts if part.session in group] for group in groups if group}
    return [f"{name}: {_rolls(_sum(rolls))}" for name, rolls in parts_by_name.items() if rolls]


def _name(sessions: list[int | None]) -> str:
    if sessions[0] is None:
        return "outside sessions"
    return str(sessions[0]) if len(sessions) == 1 else f"{sessions[0]} to {sessions[-1]}"


def _sum(parts: Iterable[PartRolls]) -> DieRolls:
    return DieRolls(faces=tuple(map(sum, zip(*(part.faces for part in parts), strict=True))))


def _verdict(luck: DieLuck) -> str:
    """Return the verdict, or the number of rolls that are missing. Say which rolls it uses if not all are shown."""
    test = luck.test
    if test.verdict is None:
        missing = count_of(test.missing, "more roll")
        says = f"No verdict yet: {missing} needed (at least {test.least:,} for a d{luck.sides})."
    else:
        meaning = "good" if test.verdict.startswith("consistent") else "bad"
        uses = "" if test.rolls == luck.rolls else f" of all {count_of(test.rolls, 'roll')}"
        says = f"Verdict{uses}: {colored(test.verdict, meaning)}."
    sealed = count_of(luck.sealed, "roll was", "rolls were")
    return f"{says} {sealed} sealed and not tested." if luck.sealed else says


def _evidence(luck: DieLuck) -> str:
    """Return the evidence and its limit in words, as odds to one."""
    evidence, limit = _odds(luck.test.evidence), _odds(luck.test.limit)
    return f"Evidence that the dice are loaded: {evidence}. If it rises above {limit}, the verdict changes."


def _odds(power: float) -> str:
    if power > MOST_SHOWN:
        return f"more than {10**MOST_SHOWN:,} to 1"
    return f"{10**power:,.2f} to 1" if power < 1 else f"{10**power:,.0f} to 1"
