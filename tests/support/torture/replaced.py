"""Files replaced under an open prompt or beside an old log: nothing is written into another file."""

import io
import shutil
import signal
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from cli.context import Invocation
from cli.main import campaign
from cli.prompt import Prompt
from ledger.audit.verify import verify
from ledger.errors import ForeignLog
from ledger.journal.book import open_book
from torture.restores import FILE, STICK, notes, reader
from torture.runs import SHM, Run, Trial, inside

OTHER, NEWEST, OLDER, ASIDE = "other/other.campaign", "newest", "older", "road (conflicted copy).campaign"
LINES = 12
EXCHANGES = ("other", "older", "away", "second", "own", "own")


def run(run: Run) -> None:
    with TemporaryDirectory(dir=SHM) as folder:
        with inside(base := Path(folder)):
            _said("-f", FILE, "init", "Road", "--gm", "Tom")
            Path("other").mkdir()
            _said("-f", OTHER, "init", "Other", "--gm", "Eva")
        for trial in run.trials():
            shutil.copytree(base, trial.folder, dirs_exist_ok=True)
            with inside(trial.folder):
                _at_a_prompt(run, trial.random)
                _beside_a_log(run, trial)


def _said(*words: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out), suppress(SystemExit):
        campaign.main(args=[*words], prog_name="campaign", obj=Invocation())
    return out.getvalue()


def head(file: str) -> int:
    """Return the last entry of a file."""
    with open_book(file) as book:
        return book.head()


def _at_a_prompt(run: Run, random: Random) -> None:
    """Type notes at an open prompt while the file is replaced between two lines."""
    invocation = Invocation(file=FILE)
    if linked := random.random() < 0.3:
        Path("linked").symlink_to(FILE)
        invocation = Invocation(file="linked")
    run.count("symbolic links", linked)
    prompt = Prompt(invocation, campaign)
    prompt.begin()
    shutil.copy(FILE, OLDER)
    _said("-f", FILE, "note", "newer")
    wrote, there, others = head(FILE), "own", head(OTHER)
    for number in range(LINES):
        wanted = random.choice(EXCHANGES)
        if wanted != there:
            there = _exchange(there, wanted)
            run.count("exchanges")
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            if not prompt.do(f"note {number}"):
                run.weakness("the prompt ended")
        written = f"note: {number}" in out.getvalue()
        if written != (there in {"own", "second"}):
            run.weakness(f"a note beside {there!r} is answered with {out.getvalue()!r}")
        wrote += written
        run.count("refused lines", not written)
    _exchange(there, "own")
    with open_book(FILE) as book:
        if verify(book).entries != wrote:
            run.weakness(f"{wrote} entries were reported, and the file has {book.head()}")
    if head(OTHER) != others:
        run.weakness("a note went into another campaign")


def _exchange(there: str, wanted: str) -> str:
    """Put another file under the name, and keep the newest one until it comes back."""
    Path(ASIDE).unlink(missing_ok=True)
    if there in {"own", "second"} and wanted in {"other", "older", "away"}:
        Path(FILE).rename(NEWEST)
    elif there not in {"own", "second"}:
        Path(FILE).unlink(missing_ok=True)
        if wanted in {"own", "second"}:
            Path(NEWEST).rename(FILE)
    if wanted in {"other", "older"}:
        shutil.copy(OTHER if wanted == "other" else OLDER, FILE)
    if wanted == "second":
        shutil.copy(FILE, ASIDE)
    return wanted


def _beside_a_log(run: Run, trial: Trial) -> None:
    """Copy an older backup over the name of a file whose log a kill left, and look."""
    random = trial.random
    Path(STICK).unlink(missing_ok=True)
    notes(random.randrange(60), 20)
    _said("-f", FILE, "backup", STICK)
    notes(random.randrange(80), random.choice([5, 300]))
    with reader(holds=True) as process:
        last = notes(random.randrange(1, 60), random.choice([5, 300]))
        assert process is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
    Path(FILE).rename("broken")
    shutil.copy(STICK, FILE)
    try:
        open_book(FILE).close()
        run.weakness("a backup is read with the log of another file")
    except ForeignLog:
        run.count("logs that were refused")
        Path(f"{FILE}-wal").rename("broken-wal")
        with open_book("broken") as book:
            if verify(book).entries != last:
                run.weakness("what a refused log held is lost")
        with open_book(FILE) as book:
            verify(book)
