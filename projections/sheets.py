"""Sheets: a character's scores and marks, game by game, as they stand or stood."""

from typing import Any

from ledger import systems
from ledger.events.subjects import CAMPAIGN, HOLD
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.system import Score, System
from ledger.values import LARGEST, Struct


class ScoreLine(Struct):
    """One score: where it stands, and the most that it may be, None where nothing limits it."""

    name: str
    value: int
    most: int | None


class Sheet(Struct):
    """One character in one game."""

    who: str
    system: str
    scores: tuple[ScoreLine, ...]
    marks: tuple[tuple[str, Any], ...]
    hold: int | None


def sheet(book: Book, who: str, name: str, when: AsOf = NOW) -> Sheet:
    """A sheet; scores that stand at 0 and start there are left out, marks that say no too.

    A sheet of a game that is not installed here is shown as the accounts have it.
    """
    system = systems.installed(name)
    found = []
    for score in _in_order(book, who, name, system):
        value = book.accounts.balance(who, f"{name}/{score}", when)
        declared = system.score(score) if system else None
        if value or (value is not None and declared is not None and declared.starts != 0):
            found.append(ScoreLine(name=score, value=value, most=_most(book, who, name, declared, when)))
    named = (full.removeprefix(f"{name}/") for full in book.accounts.marked(who, f"{name}/"))
    marks = ((mark, book.told(book.accounts.mark(who, f"{name}/{mark}", when))) for mark in named if mark != "sheet")
    shown = tuple((mark, value) for mark, value in marks if value is not None and value is not False)
    held = (book.accounts.balance(who, HOLD, when) or 0) > 0
    hold = book.holding(who, when) if held else None
    return Sheet(who=who, system=name, scores=tuple(found), marks=shown, hold=hold)


def sheets(book: Book, who: list[str], when: AsOf = NOW) -> list[Sheet]:
    """The sheets of characters, in every game that they play."""
    return [sheet(book, each, name, when) for each in who for name in book.systems(each, when)]


def tables(book: Book, when: AsOf = NOW) -> list[Sheet]:
    """The sheet of the whole table: the day and the games' own scores and marks, without settings."""
    day = book.accounts.balance(CAMPAIGN, "day", when) or 0
    found = [_table("", (ScoreLine(name="day", value=day, most=None),), ())] if day else []
    for name in dict.fromkeys(full.partition("/")[0] for full in book.accounts.marked(CAMPAIGN) if "/" in full):
        system = systems.installed(name)
        held = [
            (full.partition("/")[2], book.accounts.mark(CAMPAIGN, full, when))
            for full in book.accounts.marked(CAMPAIGN, f"{name}/")
            if system is None or system.setting(full.partition("/")[2]) is None
        ]
        shown = tuple((mark, value) for mark, value in held if value is not None and value is not False)
        found += [_table(name, (), shown)] if shown else []
    return found


def _table(name: str, scores: tuple[ScoreLine, ...], marks: tuple[tuple[str, Any], ...]) -> Sheet:
    return Sheet(who=CAMPAIGN, system=name, scores=scores, marks=marks, hold=None)


def _most(book: Book, who: str, name: str, declared: Score | None, when: AsOf) -> int | None:
    if declared is None or declared.tally or declared.most == LARGEST:
        return None
    return declared.limit(lambda score: book.accounts.balance(who, f"{name}/{score}", when) or 0)


def _in_order(book: Book, who: str, game: str, system: System | None) -> list[str]:
    posted = [full.removeprefix(f"{game}/") for full in book.accounts.scores(who, f"{game}/")]
    place = {score.name: number for number, score in enumerate(system.scores)} if system else {}

    def key(name: str) -> tuple[int, str]:
        declared = system.score(name) if system else None
        return (place[declared.name] if declared else len(place), name)

    return sorted(posted, key=key)
