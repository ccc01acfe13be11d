"""Put the results of the benchmark into docs/performance.md: `python benchmarks/performance_page.py`."""

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

PLAIN: Mapping[str, str] = {
    r"^as known at an old entry,": "a past sheet as it was then,",
    r"^as now known of it,": "a past sheet with later corrections,",
    r"^amend --cascade (\S+) back \((.*)\), a ruling,": r"amend --cascade, for each ruling: \1 entries back (\2),",
    r"^refused, of": "refused commands of",
    r": missed$": ": rolls missed",
    r"^of ([\d,]+); the 99th of 100 waits (.*)": r"of \1; 99th percentile of the waits \2",
    r"the 99th of 100 waits, to the mean": "99th percentile of the waits, compared with the mean",
    r"the 99th of 100 waits": "99th percentile of the waits",
    r"^(.*), more than at": r"memory of \1, in addition to the memory at",
    r", durable,": ", on disk,",
    r"a durable edge check": "an edge check, on disk",
    r"'s page, kept,": "'s page that the server has ready,",
    r"with all that it loads": "with everything that it loads",
    r"rulings are played again": "rulings are made again",
    r"^an empty route": "an empty route takes",
    r" in processor time$": " × in processor time",
    r", against ": ", compared with ",
}
"""Patterns in the names and notes of the rows, and the words for them on the page."""


def measured(results: Mapping[str, Any]) -> str:
    """Make the part of the page that a run fills."""
    machine = results["machine"]
    load = f" The load of the computer was {machine['load']}." if "load" in machine else ""
    lines = [
        f"This run of {results['day']} took {results['minutes']:,} minutes. It used campaigns of up to"
        f" {results['length']:,} entries, Python {machine['python']}, {machine['system']}, and {machine['cores']} cores"
        f" of an {machine['processor']}.{load}",
        "",
        "| row | what, compared with what | median | quartiles | limit | |",
        "|---|---|---|---|---|---|",
        *map(_line, results["rows"]),
        "",
    ]
    return "\n".join(lines)


def _line(row: Mapping[str, Any]) -> str:
    unit, bound = row["unit"].replace("of them", ""), "at least" if row["at_least"] else "at most"
    note = f" ({_plain(row['note'])})" if row["note"] else ""
    between = "" if row["low"] == row["high"] else f"{row['low']:.2f} to {row['high']:.2f}"
    limit = f"{bound} {row['limit']:g} {unit}".strip()
    value = f"{row['value']:.2f} {unit}".strip()
    verdict = "good" if row["good"] else "**missed**"
    return f"| {row['number']} | {_plain(row['name'])}{note} | {value} | {between} | {limit} | {verdict} |"


def _plain(text: str) -> str:
    """Reword the name or the note of a row for the page."""
    for pattern, words in PLAIN.items():
        text = re.sub(pattern, words, text)
    return text


def profiles(results: Mapping[str, Any]) -> str:
    """Make the table of the parts of the program in which each long task spends its time."""
    lines = ["| task (row) | where its time goes |", "|---|---|"]
    for work, shares in results["profiles"].items():
        told = ", ".join(f"{name} {share:.0%}" for name, share in [*shares.items()][:PARTS])
        lines.append(f"| {work} | {told} |")
    return "\n".join([*lines, ""])


def page() -> str:
    """Return the page with the results of the last run."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    filled = {"measured": measured, "profiles": profiles}
    return FILLED.sub(lambda found: filled[found[1]](results), PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
