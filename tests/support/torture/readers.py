"""Readers without write access beside a writer: none calls an honest file damaged or sees it shrink.

The writer opens the file for each entry and closes it, so that its log comes and goes. The readers are in this process,
as somebody who owns nothing, if the superuser runs it.
"""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from click.testing import CliRunner

from cli.main import campaign
from engine import written_meanwhile
from laid import nobody
from ledger.archive import standalone
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from ledger.scribe import Request
from table import opened_book, scribe
from torture.runs import Run, Trial, inside

FILE = "road.campaign"
LOOKS = (
    "verify",
    "audit",
    "log -n 3",
    "log -n all --json",
    "questions",
    "status",
    "show",
    "sheets --json",
    "chronicle",
)
PAUSES = (0.0, 0.003, 0.01, 0.02, 0.05)
ROUNDS = 12

BUSY = 4


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            _looked_at(run, trial)


def _looked_at(run: Run, trial: Trial) -> None:
    file, random = trial.folder / FILE, trial.random
    with opened_book(str(file)) as book:
        notes = [
            Request(command=Note(text="word " * random.randrange(1, 200))) for _ in range(random.randrange(1, 300))
        ]
        scribe(book).write_all(notes)
    file.chmod(0o644)
    trial.folder.chmod(0o755)
    for words in (*LOOKS, ""):
        _look(run, words, file)  # this user may not load our modules
    before = 0
    with written_meanwhile(file, random.choice(PAUSES)), nobody():
        for _ in range(ROUNDS):
            _look(run, random.choice((*LOOKS, "")), file)
            with open_book(str(file)) as book:
                entries = verify(book).entries
            run.count("files checked")
            if entries < before:
                run.weakness(f"{entries} entries, where there were {before}")
            before = entries
    run.count("entries", before)


def _look(run: Run, words: str, file: Path) -> None:
    """Look with the command line, or without words with the stand-alone verifier."""
    run.count("looks")
    if not words:
        with redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()):
            code = standalone.main([str(file)])
        says = said.getvalue()
    else:
        done = CliRunner().invoke(campaign, ["-f", str(file), *words.split()], prog_name="campaign")
        code, says = done.exit_code, done.stderr
    if code == BUSY:
        run.count("busy")
    elif code:
        run.weakness(f"{words or 'verify.py'} ends with {code}: {says}")
