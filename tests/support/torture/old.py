"""Old campaigns: what an earlier version left opens, reads as it did, goes on, and moves to another file unchanged."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.errors import LedgerError
from ledger.journal.book import open_book
from paths import GOLDEN
from torture.runs import Run, inside
from typed_evenings import FILE, OPENING, Table

KEPT = sorted((GOLDEN / "campaigns").glob("*.campaign"))
AGAIN = "again.campaign"


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            kept = trial.random.choice(KEPT)
            shutil.copy(kept, FILE)
            try:
                _goes_on(run, trial.random, json.loads(kept.with_suffix(".json").read_text(encoding="utf-8")))
            except LedgerError as refused:
                run.weakness(f"{kept.stem}: {refused}")
            run.count("files")


def _goes_on(run: Run, random: Random, kept: dict[str, Any]) -> None:
    before = _looked_at(run, FILE, kept)
    _played(run, Table(random))
    after = _looked_at(run, FILE, kept)
    moved = _looked_at(run, AGAIN, kept)
    run.count("entries", after.entries - before.entries)
    if moved.root != after.root:
        run.weakness("The file that was made of an export has another root.")
    for finding in sorted((after.findings | moved.findings) - before.findings):
        run.weakness(f"a finding that was not there before: {finding}")


def _played(run: Run, table: Table) -> None:
    """An evening in an old campaign, which some characters join in games that it may not have; then it moves."""
    stored = Path(FILE).read_bytes()
    table.type("adjust mara edge=-1000 --why x")
    if "(exit 3)" not in table.printed[-1] or Path(FILE).read_bytes() != stored:
        run.weakness(f"What is refused changes the file: {table.printed[-1]}")
    for words in OPENING.strip().splitlines():
        if words.startswith("join "):
            table.type(words)
    if table.random.random() < 0.5:
        table.type("key rotate --lost")
    table.drawn(30)
    for words in (f"-f {FILE} rebuild", f"-f {FILE} export out", f"-f {AGAIN} import out --yes"):
        table.type(words)
        if "(exit 0)" not in table.printed[-1]:
            run.weakness(table.printed[-1])


@dataclass(frozen=True)
class Looked:
    """What a file is now."""

    entries: int
    root: bytes
    findings: set[tuple[int, str]]


def _looked_at(run: Run, file: str, kept: dict[str, Any]) -> Looked:
    """Check a file; the entries that the earlier version wrote are the same to the byte."""
    with open_book(file) as book:
        whole = verify(book)
        leaves = [entry.leaf.hex() for entry in book.journal.entries()]
        if leaves[: len(kept["leaves"])] != kept["leaves"]:
            run.weakness(f"The entries that an earlier version wrote are not what they were in {file}.")
        findings = {(finding.seq, finding.says) for finding in audit(book, "2026-11-23").findings}
        return Looked(whole.entries, book.root(whole.entries), findings)
