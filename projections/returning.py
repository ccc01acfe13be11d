"""The changed scores of non-player characters who return to play."""

from __future__ import annotations

from collections.abc import Sequence

from ledger import systems
from ledger.errors import with_minus_sign
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from projections.wording import is_bookkeeping, score_label


def changed_scores(book: Book, who: str, when: AsOf = NOW) -> dict[str, tuple[int, int]]:
    """Map the full name of each changed score to the starting value and the value at `when`.

    The starting value is the value when the character's sheet was made, with later corrections.
    """
    changed = {}
    for name in filter(systems.known, book.systems(who, when)):
        row = book.accounts.mark_row(who, f"{name}/sheet", when)
        start = AsOf(seq=0 if row is None else row.since, corrected=True)
        for full in book.accounts.scores(who, f"{name}/"):
            first, value = (book.accounts.balance(who, full, point) or 0 for point in (start, when))
            if value != first:
                changed[full] = first, value
    return changed


def describe_npcs_joining(book: Book, names: Sequence[str], seq: int) -> str:
    """Describe entry `seq`, in which these characters join. List the changed scores of those who return."""
    back = ""
    for who in names:
        changed = changed_scores(book, who, AsOf(seq=seq - 1))
        shown = [
            f"{score_label(full)} {with_minus_sign(now)}"
            for full, (_, now) in changed.items()
            if not is_bookkeeping(full)
        ]
        back += f"; {book.name_of(who)} still has {', '.join(shown)}" if shown else ""
    return f"{', '.join(map(book.name_of, names))} {'joins' if len(names) == 1 else 'join'} this session{back}"
