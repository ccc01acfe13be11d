"""What single checks of the audit find in a book, whether or not it is whole."""

from collections.abc import Iterator, Mapping

from ledger import systems
from ledger.audit.check import Fault, PastEntries, faults
from ledger.audit.dice_checks import ThrowsCheck
from ledger.audit.games import STRETCH_ENTRIES, GamesCheck
from ledger.audit.redecide import Agreement, DecisionsCheck
from ledger.events.subjects import STRUCK
from ledger.journal.book import Book


def checked(book: Book) -> Iterator[Fault]:
    """What is found of dice and consequences, and by the games."""
    return faults(at_the_end(book), (ThrowsCheck(), GamesCheck()))


def checked_by_games(book: Book, stretch: int = STRETCH_ENTRIES) -> tuple[list[Fault], GamesCheck]:
    """What is found by the games, a stretch of so many entries at a time, and the check with what it keeps."""
    check = GamesCheck(stretch)
    return list(faults(at_the_end(book), (check,))), check


def at_the_end(book: Book) -> PastEntries:
    """Nothing yet, but with what is struck at the end of a book."""
    return PastEntries(book, {int(act) for act in book.accounts.mark_names(STRUCK) if book.is_struck(int(act))})


def decided(book: Book) -> tuple[list[Fault], Mapping[int, Agreement]]:
    """What is found when all actions are decided again, and the outcomes of the rulings."""
    decisions = DecisionsCheck(book, systems.installed)
    return list(faults(PastEntries(book), (decisions,))), decisions.outcomes
