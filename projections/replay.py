"""The replay of a part of the journal, entry by entry, with the changed sheets. It does not run any rules."""

from __future__ import annotations

from typing import Any

from ledger.corrections.actions import OPENING
from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import CORRECTION_TYPES, RollSealed, ScoreAsserted
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line
from projections.sheets import Sheet, sheet

SHOWN_TYPES = frozenset({ScoreAsserted.type, RollSealed.type})
"""The only types of `Correction` that a corrected replay shows: assertions of a paper sheet, and sealed rolls."""


class Frame(Struct):
    """One entry, and the changed sheets right after the entry.

    `holds` is True if the record matches the paper sheet of an assertion, and `None` for other entries.
    """

    line: Line
    sheets: tuple[Sheet, ...]
    holds: bool | None

    def as_json(self) -> dict[str, Any]:
        """Return the entry, the changed scores, and the scores of the sheets."""
        (entry,) = self.line.entries
        return {
            "entry": entry.body,
            "struck": self.line.struck.by if self.line.struck else None,
            "holds": self.holds,
            "moved": self.line.moved,
            "sheets": [{name: sheet.as_json()[name] for name in ("who", "system", "scores")} for sheet in self.sheets],
        }


def entries_between(book: Book, first: int, last: int, when: AsOf = NOW) -> list[int]:
    """Return the numbers of the entries from `first` to `last`, in the order in which they were written.

    If `when` includes corrections, use the range and the order in which entries take effect. Then omit canceled
    entries, and corrections that are not in `SHOWN_TYPES`.
    """
    if not when.corrected:
        return list(range(first, min(last, when.seq) + 1))
    counting = [
        (entry.since, entry.seq)
        for entry in book.journal.entries_since(first, min(last, when.seq, book.head()))
        if entry.seq <= when.known
        and (entry.type not in CORRECTION_TYPES or entry.type in SHOWN_TYPES)
        and book.accounts.mark(STRUCK, str(entry.act), NOW.replace(corrected=True, known=when.known)) is None
    ]
    renamed = {since for since, seq in counting if since < seq and book.journal.entry(since).act == OPENING}
    return [
        seq for _, seq in sorted(counting) if seq not in renamed
    ]  # the opening entry cannot be struck, so its replacement hides it


def frame(book: Book, seq: int, when: AsOf = NOW) -> Frame:
    """Return one entry of a replay. Frames do not depend on each other, so a replay can also step back."""
    entry = book.entry(seq)
    after = AsOf(seq=entry.since, corrected=True) if when.corrected else AsOf(seq=seq)
    action = line(book, [entry], NOW.replace(corrected=True) if when.corrected else when)
    touched = {(posting.who, posting.score) for posting in entry.event.postings}
    touched |= {(mark.who, mark.name) for mark in entry.event.marks}
    touched |= {(moved.who, moved.score) for moved in action.moved}
    cast = book.cast(after)
    games = sorted({(who, full.partition("/")[0]) for who, full in touched if who in cast})
    sheets = [sheet(book, who, game, after) for who, game in games if game in book.systems(who, after)]
    return Frame(line=action, sheets=tuple(sheets), holds=_holds(book, entry, after))


def _holds(book: Book, entry: Entry, then: AsOf) -> bool | None:
    event = entry.event
    if not isinstance(event, ScoreAsserted):
        return None
    return all((book.accounts.balance(event.who, full, then) or 0) == value for full, value in event.claimed.items())
