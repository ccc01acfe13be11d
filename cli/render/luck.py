"""Everybody's rolls, as sentences and bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cli.render.layout import USUAL_WIDTH
from cli.render.terminal import colored, width
from projections.imported_luck import ImportedDice
from projections.luck import DieLuck, DieRolls, PartRolls
from projections.luck_words import die_title, face_groups, rolls_and_fair_mean, rolls_in_words, verdict_sentence

BAR, EXPECTED_MARK = "█", "│"
MOST_SESSIONS = 8
"""The number of sessions to list. Earlier sessions share one item."""

LARGEST_SHOWN_POWER = 6
"""The largest power of ten to print as odds. Stronger evidence is printed as "more than 1,000,000 to 1"."""


def luck_lines(dice: Iterable[DieLuck], *, all_charts: bool = False, more: bool = False) -> Iterator[str]:
    """Yield the lines about each die, with an empty line between two dice. `more` adds the evidence.

    Without `all_charts`, a die with fewer rolls than sides has no chart.
    """
    for place, luck in enumerate(dice):
        yield from ([""] if place else [])
        yield from _die_lines(luck, chart=all_charts or luck.rolls >= luck.sides, more=more)


def _die_lines(luck: DieLuck, *, chart: bool, more: bool) -> Iterator[str]:
    yield f"{colored(die_title(luck), 'title')}: {rolls_and_fair_mean(luck)}"
    yield from _histogram(luck) if chart else ()
    yield from _parts_line("rolls by character", _by_character(luck))
    yield from _parts_line("rolls by session", _by_session(luck.parts))
    yield f"  {_verdict(luck)}"
    if more:
        yield f"  {_evidence(luck)}"


def imported_lines(dice: Sequence[ImportedDice], *, all_charts: bool = False) -> Iterator[str]:
    """Yield the lines about imported dice, which get no verdict.

    Without `all_charts`, a die with fewer rolls than sides has no chart.
    """
    if not dice:
        yield "There are no imported rolls."
        return
    for luck in dice:
        yield f"{colored(f'{luck.name}: d{luck.sides}, imported', 'title')}: {rolls_and_fair_mean(luck)}"
        yield from _histogram(luck) if all_charts or luck.rolls >= luck.sides else ()
        yield ""
    yield "There is no verdict on imported rolls, because nobody knows which rolls are missing."


def no_rolls_sentence(who: str | None, die: int | None, session: int | None) -> str:
    """Say that there are no rolls of this character, of this die, or in this session."""
    dice = "dice" if die is None else f"d{die}"
    whose = "" if who is None else f" of {who}"
    return f"There are no {dice} rolls{whose}{'' if session is None else f' in session {session}'} yet."


def _histogram(luck: DieRolls) -> Iterator[str]:
    """Yield a line for each face, or each group of faces. A mark in the bar shows how many rolls were expected."""
    groups = face_groups(luck)
    titles = ("face", "rolled", "expected")
    cells = [(group.faces, f"{group.rolled:,}", f"{group.expected:,.1f}") for group in groups]
    wide = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    yield "  {:>{}}  {:>{}}  {:>{}}".format(*_texts_and_widths(titles, wide))
    most = max(max(group.rolled, group.expected) for group in groups)
    for group, row in zip(groups, cells, strict=True):
        text = "  {:>{}}  {:>{}}  {:>{}}  ".format(*_texts_and_widths(row, wide))
        yield f"{text}{_bar(group.rolled / most, group.expected / most, min(width(), USUAL_WIDTH) - len(text))}"


def _texts_and_widths(texts: Iterable[str], wide: Iterable[int]) -> list[object]:
    return [each for pair in zip(texts, wide, strict=True) for each in pair]


def _bar(rolled: float, expected: float, columns: int) -> str:
    """Return a bar with a mark. `rolled` sets the length of the bar, and `expected` the place of the mark.

    Both are numbers from 0 to 1. A bar for 1 fills the `columns`, together with the mark.
    """
    longest = max(columns - 1, 1)
    bar, place = BAR * round(longest * rolled), round(longest * expected)
    return f"{bar[:place]:<{place}}{EXPECTED_MARK}{bar[place:]}"


def _parts_line(title: str, parts: list[str]) -> Iterator[str]:
    if len(parts) > 1:
        yield f"  {title}: {'; '.join(parts)}"


def _by_character(luck: DieLuck) -> list[str]:
    """Return the rolls of each character, and the rolls that the player made without a character."""
    names = {part.who: part.name for part in luck.parts}
    rolls = {who: _sum_of_parts(part for part in luck.parts if part.who == who) for who in names}
    return [f"{name} {rolls_in_words(rolls[who])}" for who, name in names.items()]


def _by_session(parts: Iterable[PartRolls]) -> list[str]:
    """Return texts about a player's rolls, in the order of the sessions.

    Each of the last `MOST_SESSIONS` sessions has its own text. If there are earlier sessions, the first text sums
    them up. If there are rolls outside sessions, the last text has them.
    """
    numbers: list[int | None] = [*sorted({part.session for part in parts if part.session is not None})]
    early, last = numbers[:-MOST_SESSIONS], numbers[-MOST_SESSIONS:]
    groups: list[list[int | None]] = [early, *([number] for number in last), [None]]
    parts_by_name = {
        _sessions_text(group): [part for part in parts if part.session in group] for group in groups if group
    }
    return [f"{name}: {rolls_in_words(_sum_of_parts(rolls))}" for name, rolls in parts_by_name.items() if rolls]


def _sessions_text(sessions: list[int | None]) -> str:
    if sessions[0] is None:
        return "not in a session"
    return str(sessions[0]) if len(sessions) == 1 else f"{sessions[0]} to {sessions[-1]}"


def _sum_of_parts(parts: Iterable[PartRolls]) -> DieRolls:
    return DieRolls(faces=tuple(map(sum, zip(*(part.faces for part in parts), strict=True))))


def _verdict(luck: DieLuck) -> str:
    """Return the sentence that says if the dice are fair, with the verdict in color."""
    sentence, verdict = verdict_sentence(luck), luck.test.verdict
    if verdict is None:
        return sentence
    return sentence.replace(verdict, colored(verdict, "good" if verdict.startswith("consistent") else "bad"))


def _evidence(luck: DieLuck) -> str:
    """Return the evidence for loaded dice, and the limit above which the verdict changes, in words.

    Both are odds, such as "20 to 1".
    """
    evidence, limit = _odds(luck.test.evidence), _odds(luck.test.limit)
    return f"The evidence for loaded dice is {evidence}. Above {limit}, the verdict changes."


def _odds(power: float) -> str:
    if power > LARGEST_SHOWN_POWER:
        most = 10**LARGEST_SHOWN_POWER
        return f"more than {most:,} to 1"
    return f"{10**power:,.2f} to 1" if power < 1 else f"{10**power:,.0f} to 1"
