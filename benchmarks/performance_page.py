"""Put what was measured into docs/performance.md: `python benchmarks/performance_page.py`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE, RESULTS = HERE.parent / "docs" / "performance.md", HERE / "results.json"
FILLED = re.compile(r"(?<=<!-- (measured|profiles) -->\n).*?(?=<!-- /\1 -->)", re.DOTALL)
PARTS = 6
"""How many parts of a profile the page names, the largest first."""


def measured(results: Mapping[str, Any]) -> str:
    """The part of the page that a run fills."""
    machine = results["machine"]
    load = f", with a load of {machine['load']}" if "load" in machine else ""
    cores = f"{machine['cores']} cores of {machine['processor']}{load}"
    lines = [
        f"Measured on {results['day']} with campaigns of up to {results['length']:,} entries, in"
        f" {results['minutes']:,} minutes: Python {machine['python']} on {machine['system']}, {cores}.",
        "",
        "| row | what, compared with what | median | quartiles | limit | |",
        "|---|---|---|---|---|---|",
        *map(_line, results["rows"]),
        "",
    ]
    return "\n".join(lines)


def _line(row: Mapping[str, Any]) -> str:
    unit, bound = row["unit"], "at least" if row["at_least"] else "at most"
    note = f" ({row['note']})" if row["note"] else ""
    between = "" if row["low"] == row["high"] else f"{row['low']:.2f} to {row['high']:.2f}"
    limit = f"{bound} {row['limit']:g} {unit}"
    verdict = "good" if row["good"] else "**missed**"
    return f"| {row['number']} | {row['name']}{note} | {row['value']:.2f} {unit} | {between} | {limit} | {verdict} |"


def profiles(results: Mapping[str, Any]) -> str:
    """Where the time of each long piece of work goes."""
    lines = ["| task (row) | where its time goes |", "|---|---|"]
    for work, shares in results["profiles"].items():
        told = ", ".join(f"{name} {share:.0%}" for name, share in [*shares.items()][:PARTS])
        lines.append(f"| {work} | {told} |")
    return "\n".join([*lines, ""])


def page() -> str:
    """The page as it should be."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    filled = {"measured": measured, "profiles": profiles}
    return FILLED.sub(lambda found: filled[found[1]](results), PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
