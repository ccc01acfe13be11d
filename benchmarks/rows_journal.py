"""The journal: what reads or writes all of it, against the least that reading or writing the same rows costs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bed import Bed
from floors import Rows, empty_copy, hash_rows, insert, over, parse_rows, raw, schema_of
from measuring import PAIRS, Row, Work, ratios, row, taken
from rows_moves import eventsourcing

from ledger.archive.export import export
from ledger.archive.import_ import import_export
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.journal.book import open_book
from projections.fold import recomputed

TODAY = "2026-12-01"


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


def verifies(file: Path) -> Work:
    """Verify a campaign."""

    def work() -> None:
        with open_book(str(file)) as book:
            verify(book)

    return work


def audits(file: Path) -> Work:
    """Audit a campaign."""

    def work() -> None:
        with open_book(str(file)) as book:
            audit(book, TODAY)

    return work


def replays(file: Path) -> Work:
    """Replay a campaign from the bodies of its entries into all sheets, in memory."""

    def work() -> None:
        with open_book(str(file)) as book:
            recomputed(book)

    return work


def once(one: Work, other: Work, pairs: int = PAIRS) -> list[float]:
    """The ratios of long pieces of work that run in turn, each once."""
    return [taken(one) / taken(other) for _ in range(pairs)]


def imported(bed: Bed) -> Iterator[Row]:
    """4: an import with all its checks, against raw `executemany` of the same rows."""
    sample = once(imports(bed, bed.middle), raw_rows(bed, bed.middle_rows))
    yield row("4", f"import of {min(bed.length, 100_000):,} entries, against executemany", sample, 8)


def exported(bed: Bed) -> Iterator[Row]:
    """14a: an export, against raw `executemany` of the same rows."""
    sample = once(exports(bed, bed.middle), raw_rows(bed, bed.middle_rows))
    yield row("14a", f"export of {min(bed.length, 100_000):,} entries, against executemany", sample, 6)


def replayed(bed: Bed) -> Iterator[Row]:
    """6: a replay from the bodies, against reading and parsing them, and against eventsourcing's replay."""
    sample = once(replays(bed.long), over(bed.long, parse_rows))
    yield row("6", f"replay of {bed.length:,} entries, against rows and json.loads", sample, 1.0)
    with eventsourcing(bed) as peer:
        sample = [peer.ask("replay") / (taken(replays(bed.middle)) / min(bed.length, 100_000)) for _ in range(PAIRS)]
    yield row("6", "eventsourcing's replay of an event, against an entry", sample, 5, at_least=True)


def verified(bed: Bed) -> Iterator[Row]:
    """7: verify against reading the rows and one SHA-256 each."""
    sample = once(verifies(bed.middle), over(bed.middle, hash_rows))
    yield row("7", f"verify of {min(bed.length, 100_000):,} entries, against rows and SHA-256", sample, 20)


def audited(bed: Bed) -> Iterator[Row]:
    """8: audit against the same."""
    sample = once(audits(bed.middle), over(bed.middle, hash_rows))
    yield row("8", f"audit of {min(bed.length, 100_000):,} entries, against rows and SHA-256", sample, 100)


def size(bed: Bed) -> Iterator[Row]:
    """14: the file against its canonical bytes."""
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
