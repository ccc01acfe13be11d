"""Looks: sheets and stories of a long campaign against those of a short one, and the proofs of the tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from bed import SHORT, Bed
from click.testing import CliRunner
from measuring import Row, Work, milliseconds, ratios, row

from cli.main import campaign
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import open_book
from projections.sheets import sheet

LOOKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("why", ("why", "mara", "edge/edge", "-n", "4")),
    ("log --open", ("log", "--open")),
    ("chronicle --session 1", ("chronicle", "--session", "1")),
    ("diff of the last 200", ("diff", "{before}", "{head}")),
    ("questions", ("questions",)),
    ("register", ("register", "mara", "multicheck/save.toughness")),
    ("replay of the first 100", ("replay", "--from", "1", "--to", "100")),
)


def sheets(bed: Bed) -> Iterator[Row]:
    """Row 5: a sheet now, as known at old entries, and as now known of them."""
    random = Random(1)
    with open_book(str(bed.long)) as book:
        places = [random.randrange(SHORT // 2, bed.length) for _ in range(100)]

        def now() -> None:
            for _ in places:
                sheet(book, "mara", "edge", NOW)

        def known() -> None:
            for place in places:
                sheet(book, "mara", "edge", AsOf(seq=place))

        def corrected() -> None:
            for place in places:
                sheet(book, "mara", "edge", AsOf(seq=place, corrected=True))

        one = [each / len(places) for each in milliseconds(now)]
        yield row("5", f"a sheet now, at {bed.length:,} entries", one, 1.0, unit="ms")
        yield row("5", "as known at an old entry, against now", ratios(known, now, pairs=15), 1.2)
        yield row("5", "as now known of it, against now", ratios(corrected, now, pairs=15), 1.5)


def tree(bed: Bed) -> Iterator[Row]:
    """Row 10: the root of the tree and its proofs."""
    random = Random(1)
    with open_book(str(bed.long)) as book:
        journal, sizes = book.journal, [random.randrange(1, bed.length) for _ in range(50)]

        def roots() -> None:
            for size in sizes:
                journal.root(size)

        def inclusions() -> None:
            for size in sizes:
                journal.inclusion_proof(size, bed.length)

        def consistencies() -> None:
            for size in sizes:
                journal.consistency_proof(size, bed.length)

        for name, work in (
            ("a root", roots),
            ("an inclusion proof", inclusions),
            ("a consistency proof", consistencies),
        ):
            each = [taken / len(sizes) for taken in milliseconds(work)]
            yield row("10", f"{name} at {bed.length:,} entries", each, 1.0, unit="ms")


def typed(file: Path, words: tuple[str, ...], head: int) -> Work:
    """A command typed in this process, with what it prints."""
    line = ["-f", str(file), *(word.format(head=head, before=head - 200) for word in words)]

    def work() -> None:
        done = CliRunner().invoke(campaign, line, prog_name="campaign")
        if done.exit_code:
            raise RuntimeError(f"{' '.join(line)}: {done.output}")

    return work


def looks(bed: Bed) -> Iterator[Row]:
    """Row 16: a look that shows as much, in a long campaign and in a short one."""
    for name, words in LOOKS:
        sample = ratios(typed(bed.long, words, bed.length), typed(bed.short, words, SHORT), pairs=9)
        yield row("16", f"{name} at {bed.length:,} entries, against 1,000", sample, 1.5)
