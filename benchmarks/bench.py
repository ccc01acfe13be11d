"""The benchmark: all rows of the table in docs/performance.md, each against its real peer or floor in the same run.

`python benchmarks/bench.py --length 100000 --programs .venv-bench/bin --peers .venv-peers/bin [ROW …]`
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pictures
import profiles
import rows_crowds
import rows_database
import rows_journal
import rows_looks
import rows_moves
import rows_page
import rows_processes
from bed import Bed
from measuring import Row

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"

ROWS: tuple[tuple[str, Callable[[Bed], Iterator[Row]]], ...] = (
    ("1", rows_moves.durable),
    ("2", rows_moves.long_and_short),
    ("3", rows_moves.against_eventsourcing),
    ("4", rows_journal.imported),
    ("5", rows_looks.sheets),
    ("6", rows_journal.replayed),
    ("7", rows_journal.verified),
    ("8", rows_journal.audited),
    ("9", rows_processes.memory),
    ("10", rows_looks.tree),
    ("11", rows_processes.starts),
    ("12", rows_processes.short_checks),
    ("13", rows_processes.other_books),
    ("14", rows_journal.size),
    ("14a", rows_journal.exported),
    ("14a", rows_processes.init),
    ("15", rows_processes.together),
    ("16", rows_looks.looks),
    ("17", rows_moves.corrections),
    ("18", rows_moves.cascades),
    ("19", rows_page.first_page),
    ("20", rows_page.to_phones),
    ("21", rows_page.busy),
    ("22", rows_page.crowd),
    ("23", rows_crowds.lines),
    ("24", rows_crowds.sheets),
    ("25", rows_database.crowded),
)
"""All rows, by their numbers."""


def machine() -> dict[str, object]:
    """What it was measured on."""
    processors = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.partition(":")[2].strip() for line in processors if line.startswith("model name")), "unknown")
    return {
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "processor": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[2], 1),
    }


def keep(results: Mapping[str, Any]) -> None:
    """Write the results down."""
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def replace_rows(length: int, numbers: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Put rows that were measured again into the results of a run of the same length."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"length": 0}
    if results["length"] == length:
        order = list(dict.fromkeys(number for number, _ in ROWS))
        kept = [row for row in results["rows"] if row["number"] not in numbers]
        keep({**results, "rows": sorted([*kept, *rows], key=lambda row: order.index(row["number"]))})


def main() -> None:
    """Measure, print, write the results and the pictures; exit with 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rows", nargs="*", help="the numbers of rows; all, if none is named")
    parser.add_argument("--length", type=int, default=100_000)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--peers", type=Path, required=True)
    typed = parser.parse_args()
    began, measured = time.monotonic(), list[Row]()
    with Bed(typed.length, typed.programs.absolute(), typed.peers.absolute()) as bed:
        rows_journal.warmed(bed)
        for number, measure in ROWS:
            if typed.rows and number not in typed.rows:
                continue
            for row in measure(bed):
                measured.append(row)
                print(row, flush=True)
        if not typed.rows:
            lengths, stages = pictures.measured(bed)
            shares = profiles.measured(bed)
    rows = [{**asdict(row), "good": row.good} for row in measured]
    if typed.rows:
        replace_rows(typed.length, typed.rows, rows)
    else:
        results = {
            "machine": machine(),
            "day": datetime.now(UTC).date().isoformat(),
            "length": typed.length,
            "minutes": round((time.monotonic() - began) / 60),
            "rows": rows,
            "lengths": lengths,
            "stages": stages,
            "profiles": shares,
        }
        keep(results)
        pictures.draw(lengths, stages)
    missed = [row for row in measured if not row.good]
    print(f"{len(measured)} measured, {len(missed)} missed, in {(time.monotonic() - began) / 60:.0f} minutes")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
