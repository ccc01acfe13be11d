"""What single checks of the audit find in a book, whether or not it is whole."""

from collections.abc import Iterator

from ledger import systems
from ledger.audit.check import Fault, Remark
from ledger.audit.dice import Throws
from ledger.audit.games import Following, Games
from ledger.audit.manual import ManualEntries
from ledger.audit.observations import Observations
from ledger.audit.rederive import REWORKED, Reworked, rework
from ledger.audit.report import faults
from ledger.events.entry import Entry
from ledger.journal.book import Book


def checked(book: Book) -> Iterator[Fault]:
    """What is found of dice and consequences, and by the games."""

    def stands(entry: Entry) -> bool:
        return not book.is_struck(entry.act)

    return faults(book, (Throws(stands), Following(), Games(book, stands)))


def stood(book: Book) -> Iterator[Fault]:
    """What is found of what rulings looked at."""
    return faults(book, (Observations(book, systems.installed),))


def by_hand(book: Book) -> list[tuple[int, str, bool]]:
    """What is found of what was said by hand, and whether it is certain."""
    return [(*found, not isinstance(found, Remark)) for found in faults(book, (ManualEntries(book),))]


def reworked(book: Book) -> Iterator[Reworked]:
    """What comes of all rulings."""
    return (rework(book, entry) for entry in book.journal.entries() if entry.type in REWORKED)
