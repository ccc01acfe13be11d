"""What single checks of the audit find in a book, whether or not it is whole."""

from collections.abc import Iterator, Mapping

from ledger import systems
from ledger.audit.check import Fault, PastEntries
from ledger.audit.dice_checks import ThrowsCheck
from ledger.audit.games import GamesCheck
from ledger.audit.redecide import Agreement, DecisionsCheck
from ledger.audit.report import faults
from ledger.events.subjects import STRUCK
from ledger.journal.book import Book


def checked(book: Book) -> Iterator[Fault]:
    """What is found of dice and consequences, and by the games."""
    struck = {int(act) for act in book.accounts.mark_names(STRUCK) if book.is_struck(int(act))}
    return faults(PastEntries(book, struck), (ThrowsCheck(), GamesCheck()))


def decided(book: Book) -> tuple[list[Fault], Mapping[int, Agreement]]:
    """What is found when all actions are decided again, and the outcomes of the rulings."""
    decisions = DecisionsCheck(book, systems.installed)
    return list(faults(PastEntries(book), (decisions,))), decisions.outcomes
