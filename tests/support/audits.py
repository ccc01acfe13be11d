"""What single checks of the audit find in a book, whether or not it is whole."""

from collections.abc import Iterator, Mapping

from ledger import systems
from ledger.audit.check import Before, Fault
from ledger.audit.dice_checks import Throws
from ledger.audit.games import GameChecks
from ledger.audit.redecide import Agreement, Decisions
from ledger.audit.report import faults
from ledger.events.subjects import STRUCK
from ledger.journal.book import Book


def checked(book: Book) -> Iterator[Fault]:
    """What is found of dice and consequences, and by the games."""
    struck = {int(act) for act in book.accounts.marked(STRUCK) if book.is_struck(int(act))}
    return faults(Before(book, struck), (Throws(), GameChecks()))


def decided(book: Book) -> tuple[list[Fault], Mapping[int, Agreement]]:
    """What is found when all actions are decided again, and the outcomes of the rulings."""
    decisions = Decisions(book, systems.installed)
    return list(faults(Before(book), (decisions,))), decisions.outcomes
