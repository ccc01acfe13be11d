"""The quick part of the benchmark, as a check: rows 1, 2, 4, 5, 7, 8, 11, 16, 17, 19 to 21 at 20,000 entries.

`python benchmarks/quick.py .venv-bench/bin`. A missed row is measured again. If a row
is missed three times, the run ends with exit code 1; for a row of whole processes, it first prints a profile. The first
run makes the campaigns.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import rows_journal
import rows_looks
import rows_moves
import rows_page
import rows_processes
from bed import Bed
from measuring import Row, plain_environment, process, ratios, row

ATTEMPTS = 3
LENGTH = 20_000

FOR_NOW = {
    "edge check, durable": 4.2,
    "rollunder plain": 4.2,
    "edge check with words": 4.3,
    "syscards rate and throw": 5.3,
    "roll 4d6kh3": 5.0,
    "adjust, durable": 3.4,
    "note, durable": 3.4,
    "a completion": 1.3,
    "a durable edge check": 2.2,
    "campaign sheets kell": 1.4,
    "import of": 16,
    "verify of 20,000 entries, against": 80,
    "verify of 20,000 entries after": 9,
    "audit of 20,000 entries, against": 420,
    "audit of 20,000 entries after": 16,
}
"""The present limits, with a little room, where docs/performance.md has lower limits that are not reached yet.

Those of row 1 are for a disk that takes no time. A limit here is only ever lowered, and is removed when the limit of
the page is reached.
"""


def then_and_now(bed: Bed) -> Iterator[Row]:
    """A corrected sheet of half the campaign ago, as a whole process, against today's."""
    plain = plain_environment()
    today = [str(bed.programs / "campaign"), "-f", str(bed.long), "sheets", "mara"]
    then = [*today, "--at", str(bed.length // 2), "--corrected"]
    sample = ratios(process(then, plain), process(today, plain), pairs=rows_processes.PAIRS)
    yield row("5", f"sheets --at {bed.length // 2:,} --corrected, to today's", sample, 1.15)


ROWS: tuple[Callable[[Bed], Iterator[Row]], ...] = (
    rows_processes.starts,
    then_and_now,
    rows_moves.durable,
    rows_moves.long_and_short,
    rows_looks.sheets,
    rows_looks.looks,
    rows_moves.corrections,
    rows_journal.imported,
    rows_journal.verified,
    rows_journal.audited,
    rows_page.first_page,
    rows_page.to_phones,
    rows_page.busy,
)


def main() -> None:
    """Measure, print, and exit with 1 if a limit is missed."""
    began, programs = time.monotonic(), Path(sys.argv[1]).absolute()
    with Bed(LENGTH, programs, programs) as bed:
        missed = [name for measure in ROWS for name in within(bed, measure)]
        if any("whole process" in name for name in missed):
            print("\n".join(slowest_imports(bed)))
    print(f"in {time.monotonic() - began:.0f} seconds; missed: {', '.join(missed) or 'nothing'}")
    sys.exit(1 if missed else 0)


def within(bed: Bed, measure: Callable[[Bed], Iterator[Row]]) -> set[str]:
    """Measure rows and print them, again those that miss a limit; the names of those that missed it each time."""
    missed: set[str] | None = None
    for _ in range(ATTEMPTS):
        again = set()
        for measured in measure(bed):
            own = next((limit for name, limit in FOR_NOW.items() if measured.name.startswith(name)), measured.limit)
            now = replace(measured, limit=own)
            if missed is None or now.name in missed:
                print(now, flush=True)
                again |= set() if now.good else {now.name}
        missed = again
        if not missed:
            break
    return missed or set()


def slowest_imports(bed: Bed) -> list[str]:
    """Where the start of a sheet goes: the slowest imports."""
    words = ["-f", str(bed.long), "sheets", "mara"]
    command = [str(bed.programs / "python"), "-X", "importtime", str(bed.programs / "campaign"), *words]
    told = subprocess.run(command, env=plain_environment(), check=False, capture_output=True, text=True).stderr
    lines = [line for line in told.splitlines()[1:] if line.startswith("import time:")]
    return sorted(lines, key=lambda line: -int(line.split("|")[0].split(":")[1]))[:15]


if __name__ == "__main__":
    main()
