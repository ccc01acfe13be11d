"""Honest evenings: verify and audit have no finding, whatever was typed, in the file and in every copy of it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.errors import LedgerError
from ledger.journal.book import Book, open_book
from torture.runs import SHM, Run, Trial, inside
from typed_evenings import OPENING, Table

FILE, AGAIN, PLAYERS, BACKUP = (f"{name}.campaign" for name in ("road", "again", "players", "kept"))
FORK = "fork"
"""The folder of a copy in which somebody goes on with another history."""


def run(run: Run) -> None:
    with TemporaryDirectory(dir=SHM) as begun:
        with inside(Path(begun)):
            table = Table(Random(run.seed))  # noqa: S311  on purpose
            for words in OPENING.strip().splitlines():
                table.type(words)
        for trial in run.trials():
            shutil.copytree(begun, trial.folder, dirs_exist_ok=True)
            with inside(trial.folder):
                _evening(run, trial, table.minutes)


def _evening(run: Run, trial: Trial, minutes: int) -> None:
    table, random = Table(trial.random), trial.random
    table.minutes = minutes
    forks = random.random() < 0.15
    if forks:
        shutil.copytree(".", FORK, ignore=shutil.ignore_patterns("home", FORK))
    played(table, random)
    for words in ("export whole", "export told --for players", f"backup {BACKUP}"):
        table.type(f"-f {FILE} {words}")
    for copy, folder in ((AGAIN, "whole"), (PLAYERS, "told")):
        table.type(f"-f {copy} import {folder} --yes")
    audited = random.choice([AGAIN, BACKUP])
    for file in (FILE, AGAIN, PLAYERS, BACKUP):
        run.count("files")
        if not Path(file).exists():
            run.weakness(f"{file} was not made: {table.printed[-1]}")
            continue
        _look(run, file, _findings if file in {FILE, PLAYERS, audited} else _refusals)
    if forks:
        os.chdir(FORK)
        table.type(f"-f {FILE} note 'Elsewhere' --fork")
        table.drawn(10)
        run.count("files of another history")
        _look(run, FILE, _findings)


def _look(run: Run, file: str, findings: Callable[[Book], list[str]]) -> None:
    with open_book(file) as book:
        run.count("entries", book.head())
        try:
            found = findings(book)
        except LedgerError as refused:
            found = [str(refused)]
    for finding in found:
        run.weakness(f"{file}: {finding}")


def _findings(book: Book) -> list[str]:
    return [f"#{finding.seq}: {finding.says}" for finding in audit(book, "2026-11-22").findings]


def _refusals(book: Book) -> list[str]:
    verify(book)
    return []


def played(table: Table, random: Random) -> None:
    """Type an evening, in which keys are changed and words erased now and then."""
    table.drawn(random.choice([10, 10, 30]))
    if random.random() < 0.3:
        table.type("key rotate")
        table.drawn(15)
    if random.random() < 0.3:
        table.type("erase --player Ana --yes")
        table.drawn(12)
