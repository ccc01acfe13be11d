"""Make a campaign of real moves of all five games: `python benchmarks/make_campaign.py --entries N [--seed S] FILE`.

Every entry is written by the public API, a round of an evening in a transaction. The disk is waited for once, at the
end; then `verify` reads all of it. The same seed makes the same bytes on the same day.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random

from table_talk import FOUND, answers, begins, corrects, corrects_found, ends, move, opening, play

from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.decider import Command
from ledger.commands.turns import NextTurn
from ledger.errors import LedgerError
from ledger.events.entry import Entry
from ledger.events.types import ScoreAdjusted
from ledger.journal.book import Book
from ledger.journal.sqlite import SQLite
from ledger.journal.store import Journal
from ledger.scribe import Request, Scribe

# The clock check refuses entries from the future, so the evenings end before today.
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
FIRST_EVENING, APART, STEP = TODAY - timedelta(days=120), timedelta(minutes=30), timedelta(seconds=2)
"""When the first evening begins, and the time between two evenings and two commands.

A million entries are less than 120 days, so what is written now is neither before the last entry nor 400 days after it.
"""
LONGEST_EVENING = 600
"""More entries than an evening has."""

LONGEST_MOVE = 40
"""More entries than a move has."""

OLD_AMENDED = 20
"""How many gifts of long ago are amended."""


class Campaign:
    """A campaign that is being made: its scribe, with seeded chance, salts and clock."""

    def __init__(self, book: Book, seed: int) -> None:
        self.book = book
        self.random = Random(seed)
        self.refused = 0
        self._found: list[int] = []
        self._moment = FIRST_EVENING
        self._salts = 0
        dice = Random(seed + 1)
        self._seed = seed
        self._scribe = Scribe(book, clock=self._clock, chance=dice.randrange, salts=self._salt)

    def _clock(self) -> datetime:
        self._moment += STEP
        return self._moment

    def _salt(self) -> bytes:
        self._salts += 1
        return sha256(f"{self._seed} {self._salts}".encode()).digest()

    def say(self, commands: Sequence[Command]) -> list[Entry]:
        """Write commands at once; what is refused is left out, and the rest is said again."""
        requests = [Request(command=command) for command in commands]
        while requests:
            try:
                written = self._scribe.write_all(requests)
            except LedgerError as refused:
                self.refused += 1
                if "-v" in sys.argv:
                    print(requests[(refused.place or 1) - 1].command, refused.sentence, file=sys.stderr)
                del requests[(refused.place or 1) - 1]
            else:
                return [entry for one in written for entry in one.entries]
        return []

    def evening(self, number: int) -> None:
        """Play an evening, correct something of it, and answer what it asked."""
        self._moment = FIRST_EVENING + number * APART
        self.say(begins(self.random, number))
        entries = self.say(play(self.random))
        self.say([*answers(self.random, self.book)])
        for command in corrects(self.random, entries):
            self.say([command])
        self.say([*answers(self.random, self.book), *ends(self.random)])
        gifts = (entry for entry in entries if isinstance(entry.event, ScoreAdjusted) and entry.event.amounts == FOUND)
        self._found += [entry.seq for entry in gifts]

    def make(self, entries: int) -> None:
        """Play until there are exactly so many entries."""
        self.say(opening())
        evening = amended = 0
        while (head := self.book.head()) < entries - LONGEST_EVENING:
            evening += 1
            self.evening(evening)
            if self._found and head * (OLD_AMENDED + 1) // entries > amended:
                amended += 1
                self.say([corrects_found(self.random, self._found.pop(self.random.randrange(len(self._found))))])
            if sys.stderr.isatty():
                print(f"\r{head:,} of {entries:,} entries", end="", file=sys.stderr)
        while self.book.head() < entries - LONGEST_MOVE:
            command = move(self.random)
            self.say([] if isinstance(command, NextTurn) else [command])
        while self.book.head() < entries:
            self.say([Note(text="The end is near.")])


def make(path: Path, entries: int, seed: int = 1) -> None:
    """Make a campaign in a new file."""
    storage = SQLite.create(str(path))
    storage.connection.execute("PRAGMA synchronous = OFF")
    with Book(Journal(storage)) as book:
        campaign = Campaign(book, seed)
        campaign.make(entries)
        storage.connection.execute("PRAGMA synchronous = EXTRA")
        storage.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if campaign.refused:
        print(f"{campaign.refused} commands were refused, and left out", file=sys.stderr)


def main() -> None:
    """Make it, check it, and say how long both took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--entries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="name what is refused")
    typed = parser.parse_args()
    began = time.perf_counter()
    make(typed.file, typed.entries, typed.seed)
    made = time.perf_counter()
    with Book(Journal(SQLite.open(str(typed.file)))) as book:
        whole = verify(book)
    checked = time.perf_counter()
    print(
        f"{whole.entries:,} entries, {whole.postings:,} postings, {whole.marks:,} marks, {whole.words:,} words;"
        f" {whole.entries / (made - began):,.0f} entries a second, checked at {whole.entries / (checked - made):,.0f}"
    )


if __name__ == "__main__":
    main()
