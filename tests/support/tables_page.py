"""The page of tables: the answers to its questions, and the reference of all tables, made from the code.

`python tests/support/tables_page.py` writes docs/tables.md; tests compare it.
"""

import re
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from paths import ROOT
from projections.exports.tables_schema import reference
from transcript import replayed

PAGE = ROOT / "docs" / "tables.md"
FILE = "the-salt-road-tables.db"
QUESTION = re.compile(r"^```sql\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
LAST_LINE = "An arrow (→) means that the value names a row of another table.\n"


def questions(text: str) -> list[tuple[str, str]]:
    """The questions in SQL, each with its answer."""
    return QUESTION.findall(text)


def answer(file: Path, sql: str) -> str:
    """What the real command prints."""
    words = [sys.executable, "-m", "sqlite_utils", "query", str(file), sql, "--table"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return "".join(f"{line.rstrip()}\n" for line in printed.splitlines())


def page(text: str, file: Path) -> str:
    """The page with the answers that the file gives, and the reference."""
    answered = QUESTION.sub(lambda found: f"```sql\n{found[1]}```\n\n```text\n{answer(file, found[1])}```\n", text)
    return answered.partition(LAST_LINE)[0] + LAST_LINE + "\n".join(reference()) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        text = replayed(PAGE.read_text(encoding="utf-8"))
        PAGE.write_text(page(text, Path(folder, FILE)), encoding="utf-8")


if __name__ == "__main__":
    main()
