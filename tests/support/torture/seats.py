"""Players seated more than once: after each erasure of a name or reason, the audit accuses nobody."""

from random import Random

from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.errors import LedgerError
from ledger.journal.book import open_book
from torture.runs import Run, inside
from typed_evenings import FILE, Table

OPENING = ("-f road.campaign init Road --gm Tom", "player Ana --plays mara", "join mara edge maximum=4 edge=3")

NAMES = ("Ana", "ana", "Ben", "Cleo", "p2", "Åsa", "Tom")
CHARACTERS = ("mara", "sam", "brak", "zed", "kit")

TYPED = """
player NAME --plays CHARACTER
player NAME --plays CHARACTER
player NAME --plays CHARACTER --plays CHARACTER
player NAME
player NAME --gm
erase SEATING --yes
erase SEATING --yes
erase ANY --yes
erase --player NAME --yes
undo
redo
void SEATING --why so --yes
amend SEATING --name NAME --why so --yes
adjust mara edge=-1 --why 'a toll'
note 'NAME came late'
dispute ANY --claim 'NAME says so' --player NAME
session open NAME --present NAME
session close
roll mara 2d6 --faces 3,4
""".strip().splitlines()


def run(run: Run) -> None:
    """Type evenings of players who come, change characters and have their words erased."""
    for trial in run.trials():
        with inside(trial.folder):
            _evening(run, Table(trial.random), trial.random)


def _evening(run: Run, table: Table, random: Random) -> None:
    for words in OPENING:
        table.type(words)
    for _ in range(random.choice([8, 16, 30])):
        table.type(_filled(table, random.choice(TYPED), random))
        run.count("commands")
    with open_book(FILE) as book:
        run.count("entries", book.head())
        run.count("erasures", len(table.of_type("words-erased")))
        try:
            verify(book)
            found = [f"#{finding.seq}: {finding.says}" for finding in audit(book, "2026-11-22").findings]
        except LedgerError as refused:
            found = [str(refused)]
    for finding in found:
        run.weakness(finding)


def _filled(table: Table, template: str, random: Random) -> str:
    words = [
        str(random.choice(table.of_type("player-seated")))
        if word == "SEATING"
        else str(random.randint(1, table.head()))
        if word == "ANY"
        else random.choice(CHARACTERS)
        if word == "CHARACTER"
        else word
        for word in template.split(" ")
    ]
    return " ".join(words).replace("NAME", random.choice(NAMES))
