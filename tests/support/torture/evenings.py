"""Honest evenings: verify and audit have no finding, whatever was typed, in the file and in every copy of it."""

from random import Random

from ledger.audit.report import audit
from ledger.errors import LedgerError
from ledger.journal.book import open_book
from torture.runs import Run, Trial, inside
from typed_evenings import OPENING, Table

FILE, AGAIN, PLAYERS, BACKUP = (f"{name}.campaign" for name in ("road", "again", "players", "kept"))


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            _evening(run, trial)


def _evening(run: Run, trial: Trial) -> None:
    table = Table(trial.random)
    for words in OPENING.strip().splitlines():
        table.type(words)
    played(table, trial.random)
    for words in ("export whole", "export told --for players", f"backup {BACKUP}"):
        table.type(f"-f {FILE} {words}")
    for copy, folder in ((AGAIN, "whole"), (PLAYERS, "told")):
        table.type(f"-f {copy} import {folder} --yes")
    for file in (FILE, AGAIN, PLAYERS, BACKUP):
        run.count("files")
        if not (trial.folder / file).exists():
            run.weakness(f"{file} was not made: {table.printed[-1]}")
            continue
        with open_book(file) as book:
            run.count("entries", book.head())
            try:
                report = audit(book, "2026-11-22")
            except LedgerError as refused:
                run.weakness(f"{file}: {refused}")
                continue
        for finding in report.findings:
            run.weakness(f"{file} #{finding.seq}: {finding.says}")


def played(table: Table, random: Random) -> None:
    """Type an evening, in which keys are changed and words erased now and then."""
    table.drawn(30)
    if random.random() < 0.3:
        table.type("key rotate")
        table.drawn(15)
    if random.random() < 0.3:
        table.type("erase --player Ana --yes")
        table.drawn(12)
