"""The changed scores of non-player characters who return to play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger import systems
from ledger.commands.sheet import is_played_by_gm, plays
from ledger.errors import Refused, with_minus_sign
from ledger.events.subjects import CAST
from ledger.events.types import ActionStruck
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from projections.wording import is_bookkeeping, score_label

if TYPE_CHECKING:
    from ledger.commands.at_table import Adjust
    from ledger.commands.seats import SeatNpcs


def changed_scores(book: Book, who: str, when: AsOf = NOW) -> dict[str, tuple[int, int]]:
    """Return the starting value of each changed score and its value at `when`, by the score's full name.

    The starting value is the value when the character's sheet was made, with later corrections.
    """
    changed = {}
    for name in filter(systems.is_installed, book.systems(who, when)):
        row = book.accounts.mark_row(who, f"{name}/sheet", when)
        start = AsOf(seq=0 if row is None else row.since, corrected=True)
        for full in book.accounts.scores(who, f"{name}/"):
            first, value = (book.accounts.balance(who, full, point) or 0 for point in (start, when))
            if value != first:
                changed[full] = first, value
    return changed


def start_over(book: Book, seats: SeatNpcs) -> list[SeatNpcs | Adjust]:
    """Return commands that let the characters of `seats` join, and reset their scores to their starting values.

    For characters who have already joined, return only the commands that reset scores. Raise `Refused` if there
    is nothing to do.
    """
    from ledger.commands.at_table import Adjust

    changes = {who: changed_scores(book, who) for who in seats.names}
    here = [who for who in changes if plays(book, who) and is_played_by_gm(book, who)]
    joining = tuple(who for who in changes if who not in here)
    resets = [
        Adjust(who=who, amounts={}, sets={full: first for full, (first, _) in scores.items()}, why="a fresh start")
        for who, scores in changes.items()
        if scores
    ]
    if not joining and not resets:
        raise Refused(f"Nothing to reset: all scores of {', '.join(here)} still have their starting values.")
    return [*([seats.replace(names=joining)] if joining else []), *resets]


def describe_wounds(book: Book, who: str, when: AsOf = NOW) -> str:
    """Describe the scores that differ from their starting values. Leave out scores that only the rules use."""
    changed = changed_scores(book, who, when).items()
    shown = [f"{score_label(full)} {with_minus_sign(now)}" for full, (_, now) in changed if not is_bookkeeping(full)]
    return ", ".join(shown)


def describe_npcs_joining(book: Book, names: Sequence[str], seq: int) -> str:
    """Describe entry `seq`, in which these characters join. Say who returns, with the changed scores."""
    before = AsOf(seq=seq - 1)
    back = {who: describe_wounds(book, who, before) for who in names if _was_here(book, who, before)}
    unchanged = [book.name_of(who) for who, scores in back.items() if not scores]
    parts = [f"{', '.join(map(book.name_of, names))} {'joins' if len(names) == 1 else 'join'} this session"]
    parts += [f"{', '.join(unchanged)} {'is' if len(unchanged) == 1 else 'are'} back"] if unchanged else []
    parts += [f"{book.name_of(who)} is back with {scores}" for who, scores in back.items() if scores]
    return "; ".join(parts)


def _was_here(book: Book, who: str, when: AsOf) -> bool:
    """Return True if a character had joined the cast by the point `when`. Canceled entries do not count."""
    entries = (book.journal.entry(seq) for seq, _ in book.accounts.newest_mark_entries_first(CAST, who, when))
    return any(entry.type != ActionStruck.type and not book.is_struck(entry.act, when) for entry in entries)
