"""Moves: what it costs to write one, durable, and what corrections of it cost."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import Connection
from statistics import median

from bed import Bed
from floors import insert, raw, rows_since
from measuring import PAIRS, Row, Work, processor_seconds, ratios, row, taken
from table_talk import played

from ledger.commands.at_table import Adjust, Note
from ledger.commands.decider import Command
from ledger.commands.roll import Roll
from ledger.corrections.answers import Decide, Dispute
from ledger.corrections.undoing import Amend, Redo, Undo, Void
from ledger.events.types import MovePlayed, ScoreAdjusted
from ledger.journal.book import Book, open_book
from ledger.scribe import Scribe, Written

CHECK = played("edge", "check", who="mara", skill=11, target=20)
MOVES: tuple[tuple[str, Command, float], ...] = (
    ("edge check", CHECK, 2.5),
    ("rollunder plain", played("rollunder", "plain", who="mara", characteristic="cunning", factor="1.5"), 2.5),
    (
        "edge check with words",
        played("edge", "check", who="mara", skill=11, target=20, bonus=1, why="a bridge in the rain"),
        3.2,
    ),
    ("syscards rate and throw", played("syscards", "rate", who="mara", rate=60, why="fog", throw=True), 3.2),
    ("roll 4d6kh3", Roll(who="mara", notation="4d6kh3"), 2.5),
    ("adjust", Adjust(who="mara", amounts={"edge/strength": 1}, why="a gift"), 1.6),
    ("note", Note(text="It rains."), 1.6),
)
TIMES = 60
"""How often each durable move is written, each time against its rows."""

REST = 0.01
"""Seconds before each of both."""


def durable(bed: Bed) -> Iterator[Row]:
    """Row 1: a durable move against raw `sqlite3` that writes the same rows in one transaction."""
    ours, theirs = bed.copy(bed.short), bed.copy(bed.short)
    with open_book(str(ours)) as book, closing(raw(theirs)) as connection:
        for name, command, limit in MOVES:
            pairs = [_against_rows(book, ours, command, connection) for _ in range(TIMES)][5:]
            computing = median(each for _, each in pairs)
            note = f"{computing:.2f} in processor time"
            yield row("1", f"{name}, durable, against its rows", [wall for wall, _ in pairs], limit, note=note)


def _against_rows(book: Book, file: Path, command: Command, connection: Connection) -> tuple[float, float]:
    """The ratios of a move to its rows, in wall time and in processor time; each begins after a rest."""
    head = book.head()
    levels = {level: head >> level for level in range(1, head.bit_length() + 1)}
    wall, computing = _rested(lambda: Scribe(book).write(command))
    rows = rows_since(file, head, levels)
    floor_wall, floor_computing = _rested(lambda: insert(connection, rows))
    return wall / floor_wall, computing / floor_computing


def _rested(work: Work) -> tuple[float, float]:
    """Wall and processor time after a rest, as on a busy machine whoever has just computed waits longer."""
    time.sleep(REST)
    wall, computing = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - computing


def long_and_short(bed: Bed) -> Iterator[Row]:
    """Row 2: the same move in a long campaign and in a short one."""
    with open_book(str(bed.copy(bed.long))) as long, open_book(str(bed.copy(bed.short))) as short:
        sample = ratios(
            lambda: Scribe(long).write(CHECK), lambda: Scribe(short).write(CHECK), time.perf_counter, pairs=100
        )
        yield row("2", f"a move at {bed.length:,} entries, against 1,000", sample, 1.10)


class Peer:
    """A process that runs a library to compare with, in the environment of these libraries. It times itself."""

    def __init__(self, python: Path, script: str, *words: str) -> None:
        command = [str(python), str(Path(__file__).parent / script), *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, what: str) -> float:
        """Let the process do one task. Return how many seconds it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        return float(json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        """Let it end."""
        self._process.communicate()


@contextmanager
def eventsourcing(bed: Bed) -> Iterator[Peer]:
    """The peer `eventsourcing`, over a new SQLite file."""
    peer = Peer(bed.peers / "python", "peer_eventsourcing.py", str(bed.fresh(".db")))
    try:
        yield peer
    finally:
        peer.end()


def against_eventsourcing(bed: Bed) -> Iterator[Row]:
    """Row 3: get, change and save an aggregate of 1,000 events, against one move of ours."""
    with eventsourcing(bed) as peer, open_book(str(bed.copy(bed.short))) as book:
        sample = [peer.ask("move") / taken(lambda: Scribe(book).write(CHECK), time.perf_counter, 5) for _ in range(12)]
    yield row("3", "eventsourcing: get, change, save, against a move", sample[2:], 20, at_least=True)


def corrections(bed: Bed) -> Iterator[Row]:
    """Row 17: corrections of what was just said, in a long campaign and in a short one."""
    with open_book(str(bed.copy(bed.long))) as long, open_book(str(bed.copy(bed.short))) as short:
        for name, correct in (("undo", _undo), ("void", _void), ("amend", _amend), ("decide", _decide)):
            sample = [correct(long) / correct(short) for _ in range(25)]
            yield row("17", f"{name} at {bed.length:,} entries, against 1,000", sample[2:], 1.2)


def _seconds(book: Book, command: Command) -> float:
    return taken(lambda: Scribe(book).write(command), time.perf_counter)


def _undo(book: Book) -> float:
    Scribe(book).write(CHECK)
    seconds = _seconds(book, Undo())
    Scribe(book).write(Redo())
    return seconds


def _void(book: Book) -> float:
    return _seconds(book, Void(strikes=Scribe(book).write(CHECK).entries[0].act, why="so"))


def _amend(book: Book) -> float:
    done = Scribe(book).write(CHECK)
    return _seconds(book, Amend(named=_ruling(done), inputs={"skill": 12}, faces=None, cascade=False, why="so"))


def _decide(book: Book) -> float:
    about = _ruling(Scribe(book).write(CHECK))
    question = Scribe(book).write(Dispute(about=about, player="p2", claim="no")).entries[0].seq
    return _seconds(book, Decide(question=question, choice="uphold", why="so", inputs={}, faces=None, cascade=False))


def _ruling(written: Written) -> int:
    return next(entry.seq for entry in written.entries if isinstance(entry.event, MovePlayed))


def cascades(bed: Bed) -> Iterator[Row]:
    """Row 18: an amendment that replays what followed: what each ruling costs, far back and near."""
    far, near = min(bed.length, 100_000), 1_000
    with open_book(str(bed.long)) as book:
        works = [_cascade(book, back) for back in (far, near)]
        counts = [work() for work in works]
        sample = [
            taken(works[0], processor_seconds) / counts[0] / (taken(works[1], processor_seconds) / counts[1])
            for _ in range(PAIRS)
        ]
    name = f"amend --cascade {far:,} back ({counts[0]} rulings), a ruling, against {near:,} back"
    yield row("18", name, sample, 1.5, note=f"{counts[0]} and {counts[1]} rulings are played again")


def _cascade(book: Book, back: int) -> Callable[[], int]:
    """An amendment, planned and not written, of the first gift of strength after a place; how much it replays."""
    first = max(1, book.head() - back)
    for entry in book.journal.entries(first):
        event = entry.event
        amounts = event.amounts if isinstance(event, ScoreAdjusted) else {}
        if "edge/strength" in amounts and not book.is_struck(entry.act):
            break
    inputs = {"amounts": {"edge/strength": amounts["edge/strength"] + 1}}
    command = Amend(named=entry.seq, inputs=inputs, faces=None, cascade=True, why="so")

    def work() -> int:
        written = Scribe(book).write(command, dry=True)
        return sum(isinstance(entry.event, MovePlayed) for entry in written.entries)

    return work
