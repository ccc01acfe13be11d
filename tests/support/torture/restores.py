"""Restores killed at random moments: the file is always whole, the same command finishes, and lost entries are listed."""

import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import LedgerError
from ledger.journal.book import open_book
from table import scribe
from torture.runs import SHM, Run, Trial, environment, inside, started
from typed_evenings import Table

FILE, STICK = "road.campaign", "stick.backup"
KILLS = 3
"""The maximum number of kills before a restore may finish."""

LOST = re.compile(r"(?:entry is|entries are) lost: #(\d+)(?: to #(\d+))?\.")
READS = """
import sys
from ledger.journal.book import open_book
with open_book(sys.argv[1]) as book, book.journal.reading():
    book.head()
    print("reads", flush=True)
    sys.stdin.readline()
"""


def run(run: Run) -> None:
    with TemporaryDirectory(dir=SHM) as folder:
        base = Path(folder)
        last = _laid(base)
        for trial in run.trials():
            shutil.copytree(base, trial.folder, dirs_exist_ok=True)
            with inside(trial.folder):
                _trial(run, trial, last)


def _laid(base: Path) -> int:
    """Make a campaign with a backup of its first part; return the last entry of the backup."""
    with inside(base):
        table = Table(Random(7))  # noqa: S311  on purpose
        for words in ("init Road --gm Tom", "join mara edge maximum=4 edge=4", "session open One"):
            table.type(f"-f {FILE} {words}")
        notes(40, 30)
        table.type(f"-f {FILE} session close")
        table.type(f"-f {FILE} backup {STICK}")
    with open_book(str(base / FILE)) as book:
        return book.head()


def notes(count: int, length: int) -> int:
    """Write notes that are reported; return the last entry."""
    with open_book(FILE) as book:
        for number in range(count):
            scribe(book, seed=book.head()).write(Note(text=f"{number} " + "x" * length))
        return book.head()


@contextmanager
def reader(holds: bool) -> Iterator["subprocess.Popen[bytes] | None"]:
    """Start another process that holds the log open, if `holds` is set."""
    if not holds:
        yield None
        return
    words = [sys.executable, "-c", READS, FILE]
    with subprocess.Popen(words, env=environment(Path.cwd()), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def _trial(run: Run, trial: Trial, kept: int) -> None:
    random = trial.random
    notes(random.randrange(80), random.choice([5, 300]))
    holds, dies = random.random() < 0.8, random.random() < 0.5
    with reader(holds) as process:
        old = notes(random.randrange(1, 60), random.choice([5, 300]))
        if process is not None and dies:
            process.kill()
            process.wait()
        run.count("readers", holds)
        name = FILE
        if random.random() < 0.2:
            Path("linked").symlink_to(FILE)
            name = "linked"
            run.count("symbolic links")
        words = ["-f", name, "restore", STICK, "--yes"]
        said = _killed(run, trial, words, kept, old)
        done = started(Path.cwd(), words)
        out, err = done.communicate(timeout=60)
        _judge(run, f"{out.decode()}{err.decode()}", done.returncode, said, (kept, old))


def _killed(run: Run, trial: Trial, words: list[str], kept: int, old: int) -> str:
    """Kill restores at random moments, check what each leaves, and return their output."""
    said = ""
    for _ in range(trial.random.randint(1, KILLS)):
        process = started(Path.cwd(), words)
        time.sleep(trial.random.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        said += f"{out.decode()}{err.decode()}"
        killed = process.returncode == -signal.SIGKILL
        run.count("kills", killed)
        try:
            with open_book(FILE) as book:
                verify(book)
                head = book.head()
                if head != old and not (kept < head < kept + 5 and book.entry(kept + 1).type == "history-forked"):
                    run.weakness(
                        f"after a kill the file has {head} entries, and not {old} or {kept} and what records it"
                    )
        except LedgerError as broken:
            run.weakness(f"after a kill: {broken.sentence}")
        if not killed:
            break
    return said


def _judge(run: Run, said: str, code: int, before: str, sizes: tuple[int, int]) -> None:
    kept, old = sizes
    if code:
        run.weakness(f"the same command ends with {code}: {said}")
        return
    named = {(int(first), int(to or first)) for first, to in LOST.findall(before + said)}
    finished = "holds this backup already" in said
    if named != {(kept + 1, old)}:
        run.weakness(f"lost are #{kept + 1} to #{old}, and {sorted(named)} were named")
    run.count("finished by a killed one", finished)
    with open_book(FILE) as book:
        verify(book)
        if {entry.type for entry in book.journal.entries(kept + 1)} != {"history-forked"}:
            run.weakness("the restored file does not end with what records the restore")
        root = book.root(kept)
    with open_book(STICK) as backup:
        if backup.root(kept) != root:
            run.weakness("the restored file is not the backup")
    files = [each for each in Path().glob("*.before-restore-*") if not each.name.endswith(("-wal", "-shm"))]
    heads = []
    for each in files:
        with open_book(str(each)) as book:
            verify(book)
            heads.append(book.head())
    if heads != [old]:
        run.weakness(f"the old file of {old} entries is kept as {heads}")
    note = started(Path.cwd(), ["-f", FILE, "note", "on"])
    shown, refused = note.communicate(timeout=60)
    if note.returncode:
        run.weakness(f"after a restore a note is answered with {shown!r} {refused!r}")
