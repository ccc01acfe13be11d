"""Edge at the table: moves played in a test, and what they come to."""

from collections.abc import Sequence
from typing import Any

from ledger.commands.at_table import SetMarks
from ledger.commands.play import PlayMove
from ledger.journal.book import Book
from ledger.rules.move import Move
from table import last, scribe


def play(book: Book, move: Move, faces: Sequence[int] | None = None) -> dict[str, Any]:
    """Play a move; return what its ruling wrote."""
    return last(scribe(book).write(PlayMove(system="edge", move=move), faces=faces), "move-played")


def kinds(book: Book, move: Move, faces: Sequence[int] | None = None) -> list[str]:
    """Play a move; return the consequences, by name."""
    done = scribe(book).write(PlayMove(system="edge", move=move), faces=faces)
    return [entry.type for entry in done.entries if entry.cause is not None]


def edge(book: Book, who: str = "mara", score: str = "edge") -> int:
    return book.balance(who, f"edge/{score}") or 0


def has(book: Book, who: str = "mara", **marks: str) -> None:
    """Put facts on a sheet, as typed; a name may have `__` for a dot."""
    values = {f"edge/{name.replace('__', '.')}": typed for name, typed in marks.items()}
    scribe(book).write(SetMarks(who=who, values=values, why="the sheet"))
