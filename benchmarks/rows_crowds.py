"""Crowds: compares a line for everybody with single lines, and a table of many sheets with reading its rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

from bed import Bed
from click.testing import CliRunner
from measuring import PAIRS, Row, plain_environment, processor_seconds, row, taken

from cli.main import campaign
from ledger.commands.at_table import Join, Open
from ledger.journal.book import Book
from ledger.journal.store import Journal, engine_for
from ledger.scribe import Request, Scribe

FEW, CROWD = 300, 10_000

LINES: tuple[tuple[str, str], ...] = (
    ("roll all d20", "roll {who} d20"),
    ("turns roll all d20", "turns roll {who} d20"),
    ("edge rest all short", "edge rest {who} short"),
    ("edge check all --skill 9 --target 20", "edge check {who} --skill 9 --target 20"),
    ("adjust all edge=-1 --why toll", "adjust {who} edge=-1 --why toll"),
)
"""A line for everybody, and the same for one."""


def lines(bed: Bed) -> Iterator[Row]:
    """Time a line for everybody against the same number of single lines, both typed at a prompt (row 23)."""
    table = _table(bed, FEW)
    for for_all, for_one in LINES:
        single = "".join(f"{for_one.format(who=f'c{number}')}\n" for number in range(FEW))
        sample = [_typed(bed, table, f"{for_all}\n") / _typed(bed, table, single) for _ in range(PAIRS)]
        yield row("23", f"{for_all}, {FEW} characters, against single lines", sample, 4.0)


def sheets(bed: Bed) -> Iterator[Row]:
    """Time the table of many sheets against reading the same rows, and measure how it grows (row 24)."""
    table, tenth = _table(bed, CROWD), _table(bed, CROWD // 10)
    shown = [taken(_shown(table)) for _ in range(PAIRS)]
    rows = [taken(_read(table)) for _ in range(PAIRS)]
    few = [taken(_shown(tenth)) for _ in range(PAIRS)]
    note = f"{median(shown):.1f} s"
    against = [one / other for one, other in zip(shown, rows, strict=True)]
    yield row("24", f"sheets --table of {CROWD:,} characters, against its rows", against, 100, note=note)
    growth = [one / other for one, other in zip(shown, few, strict=True)]
    yield row("24", f"sheets --table of {CROWD:,} characters, against a tenth of them", growth, 12)


def _table(bed: Bed, characters: int) -> Path:
    """Make a campaign with this many characters."""
    file = bed.fresh()
    with engine_for(str(file)).creating() as storage, Book(Journal(storage)) as book:
        scribe = Scribe(book)
        scribe.write(Open(title="A crowd", gm="Tom", key=None))
        joins = [Join(who=f"c{n}", system="edge", scores={"maximum": 4, "edge": 3}) for n in range(characters)]
        scribe.write_all([Request(command=join) for join in joins])
    return file


def _typed(bed: Bed, table: Path, typed: str) -> float:
    """Return the processor seconds for lines at a prompt, in a copy of a campaign."""
    command = ["-f", str(bed.copy(table)), "play"]
    home = bed.fresh(".home")
    env = {**plain_environment(), "CAMPAIGN_HOME": str(home)}
    return taken(_invoked(command, typed, env), processor_seconds)


def _shown(table: Path) -> Callable[[], None]:
    return _invoked(["-f", str(table), "sheets", "--game", "edge", "--table"], None, {})


def _invoked(words: list[str], typed: str | None, env: dict[str, str]) -> Callable[[], None]:
    """Return a function that runs a command in this process and fails if the command fails."""

    def work() -> None:
        done = CliRunner().invoke(campaign, words, input=typed, env=env)
        assert done.exit_code == 0, done.output[-500:]

    return work


def _read(table: Path) -> Callable[[], None]:
    """Return a function that reads a campaign's postings and marks with plain SQL."""

    def work() -> None:
        with closing(sqlite3.connect(table)) as db:
            db.execute("SELECT who, score, sum(amount) FROM postings GROUP BY who, score").fetchall()
            db.execute("SELECT who, name, value FROM marks ORDER BY who, name").fetchall()

    return work
