"""Moves and reads in the campaigns of a cluster, as a writer makes them, and what the campaigns have at the end."""

from collections.abc import Collection
from random import Random

from click.testing import CliRunner

from cli.main import campaign
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.errors import LedgerError, NotWhole, Unsettled
from ledger.journal.book import Book, open_book
from ledger.scribe import Scribe
from ledger.systems.edge.moves_check import Check
from torture.nodes.history import REFUSED, UNKNOWN, WRITTEN, Final

OPENING = ("init Road --gm Tom", "player Ana --plays mara", "join mara edge maximum=4 edge=4 strength=6")
WRITERS = 8
"""The number of writers on each node."""

MOVES = 0.7
"""The share of moves among the commands that write; the rest are rolls and notes."""


def campaign_of(address: str) -> str:
    """Return the name of the campaign in an address."""
    return address.rpartition("campaign=")[2]


def lay(address: str) -> None:
    """Make a campaign with a player and a character."""
    for words in OPENING:
        done = CliRunner().invoke(campaign, ["-f", address, *words.split()], prog_name="campaign")
        assert done.exit_code == 0, done.output


class Writer:
    """Somebody who keeps campaigns open, and opens one again after an error."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._books: dict[str, Book] = {}

    def write(self, address: str, once: str) -> tuple[str, int]:
        """Write a random command with an id; return how that ended, and the number of its entry."""
        try:
            (entry, *_) = Scribe(self._open(address), clock_ok=True).write(self._command(), once=once).entries
        except LedgerError as error:
            self.close(address)
            return UNKNOWN if isinstance(error, Unsettled) else REFUSED, 0
        return WRITTEN, entry.seq

    def read(self, address: str) -> tuple[int, str]:
        """Return the number of entries, and their root."""
        book = self._open(address)
        with book.journal.reading():
            head = book.head()
            return head, book.root(head).hex()

    def close(self, address: str) -> None:
        """Close a campaign; the next call opens it again."""
        book = self._books.pop(address, None)
        if book is not None:
            book.close()

    def _open(self, address: str) -> Book:
        if address not in self._books:
            self._books[address] = open_book(address)
        return self._books[address]

    def _command(self) -> Command:
        random = self._random
        if random.random() < MOVES:
            return PlayMove(system="edge", move=Check(who="mara", skill=random.randrange(20)))
        return random.choice((Roll(who="mara", notation="3d6"), Note(text="word " * random.randrange(1, 40))))


def final(address: str, sizes: Collection[int]) -> Final:
    """Return a campaign's commands and its roots of these sizes at the end, and what `verify` finds."""
    damage = ""
    with open_book(address) as book, book.journal.reading():
        try:
            verify(book)
        except NotWhole as error:
            damage = error.sentence
        once = {entry.seq: entry.body.get("once") for entry in book.journal.entries()}
        ids = {seq: id_ for seq, id_ in once.items() if id_}
        roots = {size: book.root(size).hex() for size in sizes if size <= book.head()}
    return Final(ids, roots, damage)
