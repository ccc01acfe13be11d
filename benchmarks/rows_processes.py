"""Processes: whole commands of an ordinary install, their memory, and several that write at once."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from bed import SHORT, Bed
from measuring import Row, Timer, peaks, plain_environment, process, processor_seconds, ratios, row, taken

from ledger.commands.at_table import Join
from ledger.journal.book import open_book
from ledger.scribe import Scribe

IMPORTS = "import click, sqlite3"
PAIRS = 20
WRITERS = (2, 4, 8)
MOVES = 200
STEADY = 32
"""MiB that what streams a journal may take more for a long one."""


def peer(bed: Bed) -> list[str]:
    """The least that a command of an ordinary install could cost: an interpreter with the imports that it needs."""
    return [str(bed.programs / "python"), "-c", IMPORTS]


def compared(
    bed: Bed,
    words: Sequence[str],
    more: Mapping[str, str] | None = None,
    clock: Timer = processor_seconds,
    pairs: int = PAIRS,
) -> list[float]:
    """The ratios of a whole command to the least that it could cost."""
    plain = plain_environment()
    command = [str(bed.programs / "campaign"), *words]
    ours, theirs = process(command, {**plain, **(more or {})}), process(peer(bed), plain)
    return ratios(ours, theirs, clock, pairs)


def starts(bed: Bed) -> Iterator[Row]:
    """Row 11: help, a completion, a sheet and a check that is saved, each as a whole process.

    The character plays one game."""
    file = str(bed.copy(bed.middle))
    with open_book(file) as book:
        Scribe(book).write(Join(who="kell", system="edge", scores={"maximum": 4}))
    completion = {
        "COMP_WORDS": f"campaign -f {file} sheets ke",
        "COMP_CWORD": "4",
        "_CAMPAIGN_COMPLETE": "bash_complete",
    }
    check = ["-f", file, "edge", "check", "kell", "--skill", "30"]
    yield row("11", "campaign --help, whole process", compared(bed, ["--help"]), 1.15)
    yield row("11", "a completion, whole process", compared(bed, [], completion), 1.25)
    yield row("11", "campaign sheets kell, whole process", compared(bed, ["-f", file, "sheets", "kell"]), 1.3)
    yield row("11", "a durable edge check, whole process", compared(bed, check, clock=time.perf_counter), 1.7)


def short_checks(bed: Bed) -> Iterator[Row]:
    """Row 12: verify and audit of 100 entries, each as a whole process."""
    file = str(bed.campaign(100))
    for name, limit in (("verify", 2.5), ("audit", 3.0)):
        yield row("12", f"{name} of 100 entries, whole process", compared(bed, ["-f", file, name]), limit)


def init(bed: Bed) -> Iterator[Row]:
    """14a: a new campaign, as a whole process."""
    plain = plain_environment()
    folder = bed.fresh("-init")

    def ours() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        process([str(bed.programs / "campaign"), "init", "Road"], plain, str(folder))()

    sample = ratios(ours, process(peer(bed), plain), pairs=PAIRS)
    yield row("14a", "campaign init, whole process", sample, 2.0)


def memory(bed: Bed) -> Iterator[Row]:
    """Row 9: how much more memory all processes of a command take for a long campaign than for a short one."""
    plain = plain_environment()
    for name, words, limit in (
        ("verify", ("-f", "{file}", "verify"), STEADY),
        ("audit", ("-f", "{file}", "audit"), 64),
        ("rebuild", ("-f", "{copy}", "rebuild"), STEADY),
        ("import", ("-f", "{new}", "import", "{folder}", "--yes"), STEADY),
        ("export", ("-f", "{file}", "export", "{new}"), STEADY),
        ("chronicle --all", ("-f", "{file}", "chronicle", "--all"), 64),
    ):
        longest = bed.length if limit == STEADY else min(bed.length, 100_000)  # the others take hours, and grow
        (short,), each = (_peaks_of(bed, entries, words, plain) for entries in (SHORT, longest))
        says = f"{name} at {longest:,} entries, more than at 1,000"
        note = f"{short:.0f} MiB and {' + '.join(f'{peak:.0f}' for peak in each)} MiB"
        yield row("9", says, [sum(peak - short for peak in each)], limit, unit="MiB", note=note)


def _peaks_of(bed: Bed, entries: int, words: Sequence[str], env: Mapping[str, str]) -> list[float]:
    file = bed.campaign(entries)
    names = {"file": file, "new": bed.fresh()}
    if "{copy}" in words:
        names["copy"] = bed.copy(file)
    if "{folder}" in words:
        names["folder"] = bed.exported(entries)
    used = peaks([str(bed.programs / "campaign"), *(word.format(**names) for word in words)], env)
    for made in (names["new"], names.get("copy")):
        if made is not None and made.is_dir():
            shutil.rmtree(made)
        elif made is not None:
            made.unlink(missing_ok=True)
    return used


def other_books(bed: Bed) -> Iterator[Row]:
    """Row 13: sheets of a long campaign against the balances of the same postings in hledger and ledger."""
    length = min(bed.length, 100_000)
    programs = {name: shutil.which(name) for name in ("hledger", "ledger")}
    text = bed.fresh(".journal")
    text.write_text("\n".join(transactions(bed.middle)))
    plain = plain_environment()
    ours = process([str(bed.programs / "campaign"), "-f", str(bed.middle), "sheets", "mara"], plain)
    for name, limit in (("hledger", 30), ("ledger", 5)):
        says = f"{name} balance of {length:,} transactions, against sheets"
        program = programs[name]
        if program is None:
            print(f"13   {says}: not measured here, {name} is not installed (make peers)")
            continue
        theirs = process([program, "-f", str(text), "balance", "mara"], plain)
        yield row("13", says, ratios(theirs, ours, pairs=7), limit, at_least=True)
    yield from accounting(bed, plain)


def accounting(bed: Bed, plain: Mapping[str, str]) -> Iterator[Row]:
    """Row 13: the export of a long campaign for hledger and Beancount, and what its assertions cost hledger."""
    length, files = min(bed.length, 100_000), [bed.fresh(".journal") for _ in range(2)]
    campaign = [str(bed.programs / "campaign"), "-f", str(bed.middle), "export", "--format"]
    for form, file in (("hledger", files[0]), ("beancount", bed.fresh(".beancount"))):
        seconds = taken(process([*campaign, form, str(file)], plain))
        yield row("13", f"export --format {form} of {length:,} entries", [seconds], 6, unit="s")
    if program := shutil.which("hledger"):
        files[1].write_text(re.sub(r" = -?\d+ \"[^\"]+\"", "", files[0].read_text()))
        ours, theirs = (process([program, "check", "-f", str(file)], plain) for file in files)
        yield row("13", "hledger check of this file, against one without assertions", ratios(ours, theirs, pairs=7), 2)


def transactions(file: Path) -> Iterator[str]:
    """A campaign as a plain text journal: a transaction an entry, with its postings and one that balances them."""
    with open_book(str(file)) as book:
        for entry in book.journal.entries():
            yield f"{entry.at[:10]} {entry.type}"
            postings = entry.body["postings"]
            for posting in postings:
                yield f"  {posting['who']}:{posting['score'].replace('/', ':')}  {posting['amount']}"
            yield f"  journal  {-sum(posting['amount'] for posting in postings)}"
            yield ""


def together(bed: Bed) -> Iterator[Row]:
    """Row 15: several processes that write at once: none is refused, and nobody waits long."""
    refused, shares, worst = 0, [], []
    for writers in WRITERS:
        file = bed.copy(bed.short)
        script = str(Path(__file__).parent / "writer.py")
        command = [sys.executable, script, str(file), str(MOVES)]
        children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(writers)]
        told = [json.loads(child.communicate()[0]) for child in children]
        waits = sorted(wait for one in told for wait in one["waits"])
        refused += sum(one["refused"] for one in told)
        shares.append(waits[len(waits) * 99 // 100] / fmean(waits))
        worst.append(waits[-1])
        note = f"mean {1000 * fmean(waits):.1f} ms, worst {waits[-1]:.2f} s"
        yield row("15", f"{writers} processes at once: the 99th of 100 waits, to the mean", shares[-1:], 15, note=note)
    yield row("15", "the worst wait of all", [max(worst)], 2.0, unit="s")
    yield row("15", f"refused, of {sum(WRITERS) * MOVES:,}", [float(refused)], 0, unit="of them")
