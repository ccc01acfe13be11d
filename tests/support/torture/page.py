"""Put the totals of docs/reliability.json into docs/reliability.md: python tests/support/torture/page.py."""

import json
import re
from collections import Counter
from collections.abc import Mapping

from paths import ROOT
from torture import APART, KINDS

KEPT, PAGE = ROOT / "docs" / "reliability.json", ROOT / "docs" / "reliability.md"
PLURAL = re.compile(r"([\w-]+?)(ies|(?<=ss)es|s)\b")
TABLE = re.compile(r"(?<=<!-- sums -->\n).*?(?=<!-- /sums -->)", re.DOTALL)

LABELS: Mapping[str, str] = {
    "a key with another name": "keys with a different name",
    "actions doubled": "doubled actions",
    "actions exchanged": "swapped actions",
    "actions made one": "merged actions",
    "actions made two": "split actions",
    "actions taken out": "removed actions",
    "characters whom nobody knows": "unknown characters",
    "damaged files that say the same": "damaged files with the same content",
    "done": "commands done",
    "ended with 0": "ended with exit code 0",
    "ended with 1": "ended with exit code 1",
    "ended with 2": "ended with exit code 2",
    "ended with 3": "ended with exit code 3",
    "ended with 7": "ended with exit code 7",
    "entries appended to an action": "entries added to the end of an action",
    "entries doubled": "doubled entries",
    "entries exchanged": "swapped entries",
    "entries put into an action": "entries inserted into an action",
    "entries taken out of an action": "entries removed from an action",
    "entries written again": "entries copied as new actions",
    "equivalents": "equivalent mutants",
    "exchanges": "replaced files",
    "exports that are said to lack a secret": "exports reported to lack a secret",
    "facts edited": "changed facts",
    "facts that come to the same": "changed facts with the same result",
    "files of another history": "files with a different history",
    "files that are said to lack a secret": "files reported to lack a secret",
    "finished by a killed one": "restores that a killed command had finished",
    "forged files shown to others": "forged files shown to a witness or the stand-alone verifier",
    "hangs": "mutants that made a test hang",
    "inputs kept": "inputs kept for further changes",
    "keys, policies and erasures": "forged keys, policies and erasures",
    "logs that fit": "logs that belong to their file",
    "looks": "views",
    "marks forged": "forged values on sheets",
    "mixed files that were named": "mixed files that were reported",
    "mutants kills": "mutants that made a test fail",
    "notes put in between": "inserted notes",
    "postings forged": "forged changes of scores",
    "readers": "readers that had the file open",
    "secrets edited": "changed secrets",
    "times, hands and ids of a part": "forged times, authors and ids",
    "witnesses replaced": "replaced witnesses",
    "words exchanged": "changed words",
}
"""The words on the page for the counts in the list; a count of one kind can have its own, after the name of the kind."""


def table() -> str:
    """Make a row for each kind that ran: its runs, minutes, counts and weaknesses, as totals of all listed runs."""
    rows = ["| kind | runs | minutes | tried | weaknesses |", "|---|---|---|---|---|"]
    runs = json.loads(KEPT.read_text(encoding="utf-8"))
    for kind in sorted(KINDS | APART):
        own = [run for run in runs if run["kind"] == kind]
        counts: Counter[str] = sum((Counter(run["counts"]) for run in own), Counter())
        labeled = ((LABELS.get(f"{kind} {name}", LABELS.get(name, name)), count) for name, count in counts.items())
        tried = ", ".join(f"{count:,} {label if count != 1 else _singular(label)}" for label, count in sorted(labeled))
        minutes, weak = sum(run["minutes"] for run in own), sum(len(run["weaknesses"]) for run in own)
        rows += [f"| {kind} | {len(own)} | {minutes:.0f} | {tried} | {weak} |"] if own else []
    return "\n".join(rows) + "\n"


def _singular(label: str) -> str:
    """Return the label for a count of one: "forged files shown to a witness" becomes "forged file shown …"."""
    return PLURAL.sub(lambda word: word[1] + ("y" if word[2] == "ies" else ""), label, count=1)


if __name__ == "__main__":
    page = TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
