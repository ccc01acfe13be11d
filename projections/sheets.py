"""Sheets: a character's scores and marks, game by game, as they stand or stood."""

from typing import Any

from ledger import systems
from ledger.accounts import NOW, When
from ledger.book import Book
from ledger.rules import System
from ledger.shape import BIGGEST, Shape


class Standing(Shape):
    """One score: where it stands, and the most that it may be, None where nothing limits it."""

    name: str
    value: int
    most: int | None


class Sheet(Shape):
    """One character in one game."""

    who: str
    system: str
    scores: tuple[Standing, ...]
    marks: tuple[tuple[str, Any], ...]
    hold: int | None


def sheet(book: Book, who: str, name: str, when: When = NOW) -> Sheet:
    """Return a sheet; scores that stand at 0 and start there are left out."""
    system = systems.find(name)
    found = []
    for score in _in_order(book, who, system):
        value = book.accounts.balance(who, f"{name}/{score}", when)
        declared = system.score(score)
        if value is None or declared is None or (value == 0 and declared.starts == 0):
            continue
        most: int | None
        if isinstance(declared.most, str):
            most = book.accounts.balance(who, f"{name}/{declared.most}", when) or 0
        else:
            most = None if declared.most == BIGGEST else declared.most
        found.append(Standing(name=score, value=value, most=most))
    marks = ((mark.name, book.accounts.mark(who, f"{name}/{mark.name}", when)) for mark in system.marks)
    shown = tuple((mark, value) for mark, value in marks if value not in {None, False})
    hold = book.accounts.mark(who, "hold", when)
    return Sheet(who=who, system=name, scores=tuple(found), marks=shown, hold=hold)


def sheets(book: Book, who: list[str], when: When = NOW) -> list[Sheet]:
    """Return the sheets of characters, in every game that they play."""
    return [sheet(book, each, name, when) for each in who for name in book.systems(each, when)]


def _in_order(book: Book, who: str, system: System) -> list[str]:
    posted = [
        full.removeprefix(f"{system.name}/") for full in book.accounts.scores(who) if full.startswith(f"{system.name}/")
    ]
    place = {score.name: number for number, score in enumerate(system.scores)}

    def key(name: str) -> tuple[int, str]:
        declared = system.score(name)
        return (place[declared.name] if declared else len(place), name)

    return sorted(posted, key=key)
