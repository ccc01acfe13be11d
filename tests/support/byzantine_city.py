"""A city for the tests of Byzantine: mara and brak, and short words for what is played there."""

from collections.abc import Mapping
from typing import Any

from ledger.commands.at_table import Adjust, Join
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove
from ledger.journal.book import Book
from ledger.rules.move import Move
from projections.sheets import sheet
from table import last, opened_book, scribe

MARA = {
    "energy": 10,
    "general": 8,
    "project.climb": 6,
    "invested.climb": 25,
    "input.workshop": -1,
    "output.workshop": 5,
    "ability.climbing": 4,
    "ability.streets": 2,
}
BRAK = {"energy": 6, "output.alms": 5, "ability.guard": 3, "ability.streets": 7}


def in_the_city(mara: Mapping[str, int] = MARA, brak: Mapping[str, int] = BRAK) -> Book:
    book = opened_book(games=())
    scribe(book).write(Join(who="mara", system="byzantine", scores=mara))
    scribe(book).write(Join(who="brak", system="byzantine", scores=brak))
    return book


def play(book: Book, move: Move) -> dict[str, Any]:
    """Play a move; return what its ruling wrote."""
    return last(scribe(book).write(PlayMove(system="byzantine", move=move)), "move-played")


def says(book: Book, move: Move) -> str:
    found: str = play(book, move)["verdict"]["says"]
    return found


def follows(book: Book, move: Move) -> list[str]:
    """Play a move; return the consequences, by name."""
    done = scribe(book).write(PlayMove(system="byzantine", move=move))
    return [entry.type for entry in done.entries if entry.cause is not None]


def days(book: Book, count: int = 1) -> list[str]:
    """Begin so many days; return what was written, by name."""
    return [entry.type for entry in scribe(book).write(NextDay(count=count, until=None)).entries]


def score(book: Book, who: str, name: str) -> int:
    return book.balance(who, f"byzantine/{name}") or 0


def energies(book: Book, who: str, *names: str) -> tuple[int, ...]:
    return tuple(score(book, who, name) for name in names)


def mark(book: Book, who: str, name: str) -> Any:
    return book.mark(who, f"byzantine/{name}")


def row(book: Book, who: str, label: str) -> str:
    """The value of a row of a sheet."""
    (found,) = [row.value for row in sheet(book, who, "byzantine").rows if row.label == label]
    return found


def adjust(book: Book, who: str, **amounts: int) -> None:
    full = {f"byzantine/{name.replace('__', '.')}": amount for name, amount in amounts.items()}
    scribe(book).write(Adjust(who=who, amounts=full, why="so it is"))


def asked(book: Book, move: Move) -> int:
    """Play a move that must ask; return the question."""
    done = scribe(book).write(PlayMove(system="byzantine", move=move))
    return next(entry.seq for entry in done.entries if entry.type == "question-asked")


def step(played: Mapping[str, Any], name: str) -> str:
    """A line of working, with its numbers in it."""
    (found,) = [each for each in played["steps"] if each["name"] == name]
    line: str = found["says"].format(*found["numbers"])
    return line
