"""Speed: whole processes of an ordinary install against an interpreter that imports click and sqlite3.

Each command runs in turn with its peer, pair by pair, after a warm-up, so that a drift in the machine's speed affects
both alike. The output is the median of the ratios with its quartiles. A missed limit is measured again; one that is
missed three times ends the run with exit 1, for a command after a profile of where the time goes.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles

from ledger.commands.play import PlayMove
from ledger.commands.table import Adjust, Join, Open
from ledger.corrections.commands import Amend
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book, open_book
from ledger.journal.sqlite import SQLite
from ledger.journal.store import Journal
from ledger.scribe import Scribe
from ledger.systems.edge.moves_check import Check
from projections.sheets import sheets

PAIRS = 60
ATTEMPTS = 3
SMALL, LARGE = 1_000, 100_000
AMENDED = 20
GIFT = Adjust(who="mara", amounts={"edge/strength": 1}, why="a gift")
MOVE = PlayMove(system="edge", move=Check(who="mara", skill=11, target=2))


def built(path: Path, entries: int) -> Path:
    """The file of a new campaign of so many entries, some of them amended; built without waiting for the disk."""
    storage = SQLite.create(str(path))
    storage.connection.execute("PRAGMA synchronous = OFF")
    with Book(Journal(storage)) as book:
        scribe = Scribe(book)
        scribe.write(Open(title="Quick", gm="GM"))
        for who in ("mara", "jonas"):
            scribe.write(Join(who=who, system="edge", scores={"maximum": 4}))
        gifts: list[int] = []
        while book.journal.head() < entries:
            if book.journal.head() >= (len(gifts) + 1) * entries // (AMENDED + 1):
                gifts.append(scribe.write(GIFT).entries[0].seq)
            scribe.write(MOVE, faces=(7, 6))
        for seq in gifts:
            inputs = {"amounts": {"edge/strength": 2}}
            scribe.write(Amend(named=seq, inputs=inputs, faces=None, cascade=False, why="it was two"))
    return path


def seconds(command: Sequence[str], env: Mapping[str, str]) -> float:
    """The wall-clock time of a whole process."""
    began = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def ratios(one: Callable[[], float], other: Callable[[], float], pairs: int) -> list[float]:
    """The ratios of two measurements that run in turn, after a warm-up."""
    one(), other()
    return [one() / other() for _ in range(pairs)]


def within(name: str, limit: float, measure: Callable[[], list[float]]) -> bool:
    """Measure and print a ratio; if it misses its limit, up to `ATTEMPTS` times."""
    for _ in range(ATTEMPTS):
        sample = measure()
        low, _, high = quantiles(sample, n=4)
        good = median(sample) <= limit
        row = f"{name:<39} {median(sample):5.2f} ×  ({low:.2f} to {high:.2f})   limit {limit:.2f} ×"
        print(row if good else f"{row}  missed", flush=True)
        if good:
            return True
    return False


def whole_processes(bin_: Path, large: Path) -> bool:
    """Compare commands with an interpreter that imports the least that each of them needs."""
    peer = [str(bin_ / "python"), "-c", "import click, sqlite3"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CAMPAIGN"))}
    campaign = [str(bin_ / "campaign"), "-f", str(large)]
    completion = {
        "COMP_WORDS": f"campaign -f {large} sheets ma",
        "COMP_CWORD": "4",
        "_CAMPAIGN_COMPLETE": "bash_complete",
    }
    commands: list[tuple[str, float, list[str], dict[str, str]]] = [
        ("campaign --help", 1.15, [str(bin_ / "campaign"), "--help"], {}),
        ("a completion", 1.3, campaign, completion),
        ("campaign sheets mara", 1.3, [*campaign, "sheets", "mara"], {}),
        ("campaign edge check mara --skill 30", 1.9, [*campaign, "edge", "check", "mara", "--skill", "30"], {}),
    ]
    good = True
    for name, limit, command, env in commands:

        def one(command: list[str] = command, env: dict[str, str] = env) -> float:
            return seconds(command, {**plain, **env})

        fits = within(name, limit, lambda one=one: ratios(one, lambda: seconds(peer, plain), PAIRS))  # type: ignore[misc]  # bound now
        if not fits:
            profile = [str(bin_ / "python"), "-X", "importtime", *command]
            output = subprocess.run(profile, env={**plain, **env}, check=False, capture_output=True, text=True).stderr
            slowest = sorted(output.splitlines()[1:], key=lambda line: -int(line.split("|")[0].split(":")[1]))[:15]
            print("\n".join(slowest))
        good &= fits
    return good


def one_move(small: Path, large: Path) -> bool:
    """Compare a durable move in a long campaign with one in a short campaign."""
    with open_book(str(small)) as short, open_book(str(large)) as long:

        def timed(book: Book) -> Callable[[], float]:
            scribe = Scribe(book)

            def one() -> float:
                began = time.perf_counter()
                scribe.write(MOVE)
                return time.perf_counter() - began

            return one

        return within("one move, 100,000 entries against 1,000", 1.1, lambda: ratios(timed(long), timed(short), 400))


def two_times(bin_: Path, large: Path) -> bool:
    """Compare a corrected sheet of half the campaign ago with today's: the whole process, then the look."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CAMPAIGN"))}
    today = [str(bin_ / "campaign"), "-f", str(large), "sheets", "mara"]
    then = [*today, "--at", str(LARGE // 2), "--corrected"]
    name = "sheets --at 50000 --corrected, to today's"
    good = within(name, 1.15, lambda: ratios(lambda: seconds(then, plain), lambda: seconds(today, plain), PAIRS))
    with open_book(str(large)) as book:

        def timed(when: AsOf) -> Callable[[], float]:
            def look() -> float:
                began = time.perf_counter()
                sheets(book, ["mara"], when)
                return time.perf_counter() - began

            return look

        corrected = AsOf(seq=LARGE // 2, corrected=True)
        return good & within("the same look in one process", 1.6, lambda: ratios(timed(corrected), timed(NOW), 400))


def main() -> None:
    """Measure, print, and exit with 1 if a limit is missed."""
    bin_ = Path(sys.argv[1]).resolve()
    print(f"against: python -c 'import click, sqlite3'; medians of {PAIRS} pairs, quartiles in brackets")
    with tempfile.TemporaryDirectory() as folder:
        small = built(Path(folder) / "small.campaign", SMALL)
        large = built(Path(folder) / "large.campaign", LARGE)
        good = whole_processes(bin_, large)
        good &= two_times(bin_, large)
        good &= one_move(small, large)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
