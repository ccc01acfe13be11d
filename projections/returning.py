"""The changed scores of non-player characters who return to play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ledger import systems
from ledger.errors import minus
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.wording import score_label


class ChangedScore(Struct):
    """A score (by its full name), its first value on the sheet (with later corrections), and its value at a point."""

    full: str
    first: int
    value: int


def changed_scores(book: Book, who: str, when: AsOf = NOW) -> list[ChangedScore]:
    """Return the scores on a character's sheets that have changed since the sheet was made."""
    changed = []
    for name in filter(systems.known, book.systems(who, when)):
        row = book.accounts.row(who, f"{name}/sheet", when)
        start = AsOf(seq=0 if row is None else row.since, corrected=True)
        for full in book.accounts.scores(who, f"{name}/"):
            first, value = (book.accounts.balance(who, full, point) or 0 for point in (start, when))
            if value != first:
                changed.append(ChangedScore(full=full, first=first, value=value))
    return changed


def npcs_seated(book: Book, names: Sequence[str], seq: int) -> str:
    """Describe entry `seq`, with which these characters join, and list the changed scores of those who return."""
    changed = ((who, ", ".join(_shown(changed_scores(book, who, AsOf(seq=seq - 1))))) for who in names)
    back = "".join(f"; {who} still has {scores}" for who, scores in changed if scores)
    return f"{', '.join(names)} {'joins' if len(names) == 1 else 'join'} this session{back}"


def _shown(scores: Iterable[ChangedScore]) -> Iterator[str]:
    for one in scores:
        game, _, name = one.full.partition("/")
        if not systems.find(game).bookkeeping(name):
            yield f"{score_label(one.full)} {minus(one.value)}"
