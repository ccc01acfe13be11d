"""Put the sums of docs/reliability.json into docs/reliability.md: python tests/support/torture/page.py."""

import json
import re
from collections import Counter

from paths import ROOT
from torture import KINDS

KEPT, PAGE = ROOT / "docs" / "reliability.json", ROOT / "docs" / "reliability.md"
TABLE = re.compile(r"(?<=<!-- sums -->\n).*?(?=<!-- /sums -->)", re.DOTALL)


def table() -> str:
    """A row for each kind that ran: its runs, minutes, counts and weaknesses, summed over all runs that are kept."""
    rows = ["| kind | runs | minutes | tried | weaknesses |", "|---|---|---|---|---|"]
    runs = json.loads(KEPT.read_text(encoding="utf-8"))
    for kind in sorted(KINDS):
        own = [run for run in runs if run["kind"] == kind]
        counts: Counter[str] = sum((Counter(run["counts"]) for run in own), Counter())
        tried = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
        minutes, weak = sum(run["minutes"] for run in own), sum(len(run["weaknesses"]) for run in own)
        rows += [f"| {kind} | {len(own)} | {minutes:.0f} | {tried} | {weak} |"] if own else []
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    page = TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
