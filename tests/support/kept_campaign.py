"""A campaign written by this version, which continues the one of the previous version.

`python tests/support/kept_campaign.py` writes it into `tests/golden/campaigns/`, with what a look at it says.
"""

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from ledger.audit.verify import verify
from ledger.commands.at_table import Adjust, CloseSession, Note, OpenSession
from ledger.commands.play import PlayMove
from ledger.corrections.undoing import Undo
from ledger.journal.book import Book, open_book
from ledger.journal.schema import SCHEMA_VERSION
from ledger.systems.edge.moves_check import Check
from paths import GOLDEN
from projections.questions import questions
from projections.sheets import sheets
from table import scribe


def continue_book(book: Book) -> None:
    """Play an evening with a correct clock, then one a day ahead, then a correct one again."""
    began = datetime.fromisoformat(book.journal.entry(book.head()).at) + timedelta(hours=1)
    for place, (ahead, command) in enumerate(
        (
            (0, CloseSession()),
            (0, OpenSession(title="On three clocks", present=())),
            (0, Note(text="the clock is right")),
            (1, Note(text="the clock is a day ahead")),
            (0, Adjust(who="mara", amounts={"edge/edge": -1}, why="the clock is right again")),
            (0, PlayMove(system="edge", move=Check(who="mara", skill=9))),
            (0, Undo()),
            (0, CloseSession()),
        )
    ):
        now = began + timedelta(days=ahead, minutes=place)
        scribe(book, seed=place, clock=lambda now=now: now).write(command)


def facts_of(book: Book) -> dict[str, object]:
    """Return what the views show of a kept campaign."""
    whole = {name: count for name, count in verify(book).__dict__.items() if name != "away"}
    return {
        "whole": whole,
        "leaves": [entry.leaf.hex() for entry in book.journal.entries()],
        "sheets": {
            f"{sheet.who}/{sheet.system}": {score.name: score.value for score in sheet.scores}
            for sheet in sheets(book, book.cast())
        },
        "questions": [question.seq for question in questions(book)],
    }


def keep(file: Path) -> None:
    """Write the campaign of this version to a file."""
    shutil.copy(GOLDEN / "campaigns" / f"v{SCHEMA_VERSION - 1}.campaign", file)
    with open_book(str(file)) as book:
        continue_book(book)
        facts = facts_of(book)
    file.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    keep(GOLDEN / "campaigns" / f"v{SCHEMA_VERSION}.campaign")
