"""The journal: what reads or writes all of it, against the least that reading or writing the same rows costs."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from bed import Bed
from floors import Rows, empty_copy, hash_rows, insert, over, parse_rows, raw, schema_of
from measuring import PAIRS, Row, Timer, Work, processor_seconds, ratios, row, taken
from rows_moves import CHECK, eventsourcing

from ledger.archive.export import export
from ledger.archive.import_ import import_export
from ledger.audit.remembered import Memory
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.journal.book import open_book
from ledger.scribe import Scribe
from projections.fold import with_recomputed_accounts

TODAY = "2026-12-01"

AUDITS = 3
"""The number of times that an audit is measured. It takes longer than all other rows."""


def raw_rows(bed: Bed, rows: Rows) -> Work:
    """Write rows into a new file with the same tables, by `executemany`."""
    schema = schema_of(bed.middle)

    def work() -> None:
        file = bed.fresh()
        with closing(empty_copy(schema, file)) as connection:
            insert(connection, rows)
        file.unlink()

    return work


def imports(bed: Bed, file: Path) -> Work:
    """Import the export of a campaign."""
    with closing(raw(file)) as connection:
        (entries,) = connection.execute("SELECT max(seq) FROM entries").fetchone()
    folder = bed.exported(entries)

    def work() -> None:
        made = bed.fresh()
        import_export(str(folder), str(made))
        made.unlink()

    return work


def exports(bed: Bed, file: Path) -> Work:
    """Export a campaign."""

    def work() -> None:
        folder = bed.fresh("-export")
        with open_book(str(file)) as book:
            export(book, str(folder))
        shutil.rmtree(folder)

    return work


def verifies(file: Path, home: str = "") -> Work:
    """Verify a campaign. With a home, remember there which entries were intact."""

    def work() -> None:
        with open_book(str(file)) as book:
            verify(book, memory=Memory(home, "verify", TODAY) if home else None)

    return work


def audits(file: Path, home: str = "") -> Work:
    """Audit a campaign. With a home, remember there what the audit found."""

    def work() -> None:
        with open_book(str(file)) as book:
            audit(book, TODAY, memory=Memory(home, "audit", TODAY) if home else None)

    return work


def replays(file: Path) -> Work:
    """Replay a campaign from the bodies of its entries into all sheets, in memory."""

    def work() -> None:
        with open_book(str(file)) as book:
            with_recomputed_accounts(book)

    return work


def once(one: Work, other: Work, pairs: int = PAIRS, clock: Timer = processor_seconds) -> list[float]:
    """The ratios of long pieces of work that run in turn, each once."""
    return [taken(one, clock) / taken(other, clock) for _ in range(pairs)]


def imported(bed: Bed) -> Iterator[Row]:
    """Row 4: an import with all its checks, against raw `executemany` of the same rows."""
    sample = once(imports(bed, bed.middle), raw_rows(bed, bed.middle_rows))
    yield row("4", f"import of {min(bed.length, 100_000):,} entries, against executemany", sample, 9)


def exported(bed: Bed) -> Iterator[Row]:
    """14a: an export, against raw `executemany` of the same rows."""
    sample = once(exports(bed, bed.middle), raw_rows(bed, bed.middle_rows))
    yield row("14a", f"export of {min(bed.length, 100_000):,} entries, against executemany", sample, 6)


def replayed(bed: Bed) -> Iterator[Row]:
    """Row 6: a replay from the bodies, against reading and parsing them, and against eventsourcing's replay."""
    sample = once(replays(bed.long), over(bed.long, parse_rows))
    yield row("6", f"replay of {bed.length:,} entries, against rows and json.loads", sample, 1.3)
    with eventsourcing(bed) as peer:
        sample = [peer.ask("replay") / (taken(replays(bed.middle)) / min(bed.length, 100_000)) for _ in range(PAIRS)]
    yield row("6", "eventsourcing's replay of an event, against an entry", sample, 5, at_least=True)


def verified(bed: Bed) -> Iterator[Row]:
    """Row 7: verify on all cores, and again after an evening, against reading and hashing the rows on one core."""
    name = f"verify of {min(bed.length, 100_000):,} entries"
    sample = once(verifies(bed.middle), over(bed.middle, hash_rows), clock=time.perf_counter)
    yield row("7", f"{name}, against rows and SHA-256", sample, 34)
    yield row("7", f"{name} after one more evening, against the same", _after_an_evening(bed, verifies), 5)


def audited(bed: Bed) -> Iterator[Row]:
    """Row 8: audit against the same."""
    name = f"audit of {min(bed.length, 100_000):,} entries"
    sample = once(audits(bed.middle), over(bed.middle, hash_rows), AUDITS, time.perf_counter)
    yield row("8", f"{name}, against rows and SHA-256", sample, 220)
    yield row("8", f"{name} after one more evening, against the same", _after_an_evening(bed, audits, AUDITS), 8)


def _after_an_evening(bed: Bed, check: Callable[[Path, str], Work], pairs: int = PAIRS) -> list[float]:
    """The ratios of a check after 200 more entries, if an earlier check found the others intact."""
    file, home = bed.copy(bed.middle), bed.fresh("-home")
    checked, known = check(file, str(home)), bed.fresh("-home")
    checked()
    shutil.copytree(home, known)
    with open_book(str(file)) as book:
        last = book.head() + 200
        while book.head() < last:
            Scribe(book).write(CHECK)
    sample = []
    for _ in range(pairs):
        shutil.rmtree(home)
        shutil.copytree(known, home)
        sample.append(taken(checked, time.perf_counter) / taken(over(bed.middle, hash_rows), time.perf_counter))
    return sample


def size(bed: Bed) -> Iterator[Row]:
    """Row 14: the file against its canonical bytes."""
    with closing(raw(bed.copy(bed.long))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (body,) = connection.execute("SELECT sum(length(CAST(body AS BLOB))) FROM entries").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    yield row("14", "the file, against the canonical bytes of its entries", [pages * page / body], 1.5)


def warmed(bed: Bed) -> None:
    """Import what is needed once, so that no measurement pays for it."""
    for work in (verifies(bed.short), audits(bed.short), replays(bed.short), imports(bed, bed.short)):
        ratios(work, over(bed.short, hash_rows), pairs=1)
