"""Replay: a stretch of the journal told again, entry by entry, with the sheets as they move. No rule is worked out."""

from ledger.events.entry import Entry
from ledger.events.subjects import STRUCK
from ledger.events.types import CORRECTING, ScoreAsserted
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line
from projections.sheets import Sheet, sheet


class Frame(Struct):
    """One entry, and the sheets of those whom it moved, as they stood after it.

    `holds` is of an assertion alone: whether the book says there what the paper said, as known or as now known.
    """

    line: Line
    sheets: tuple[Sheet, ...]
    holds: bool | None


def stretch(book: Book, first: int, last: int, when: AsOf = NOW) -> list[int]:
    """The entries of a stretch in the order in which they are told.

    As known, in the order written; as now known, what counts there and stands, in the order in which it counts.
    """
    if not when.corrected:
        return list(range(first, min(last, when.seq) + 1))
    entries = (entry for entry in book.journal.entries(first, min(book.head(), when.known)))
    counting = [
        (entry.since, entry.seq)
        for entry in entries
        if first <= entry.since <= min(last, when.seq)
        and (entry.type not in CORRECTING or entry.type == ScoreAsserted.type)
        and book.mark(STRUCK, str(entry.act)) is None
    ]
    return [seq for _, seq in sorted(counting)]


def frame(book: Book, seq: int, when: AsOf = NOW) -> Frame:
    """One entry as it is told, by a seek, so that one can go forward and back."""
    entry = book.entry(seq)
    after = AsOf(seq=entry.since, corrected=True) if when.corrected else AsOf(seq=seq)
    told = line(book, [entry], NOW.replace(corrected=when.corrected))
    touched = {(each.who, each.score) for each in entry.event.postings}
    touched |= {(each.who, each.name) for each in entry.event.marks}
    touched |= {(each.who, each.score) for each in told.moved}
    cast = book.cast(after)
    games = sorted({(who, full.partition("/")[0]) for who, full in touched if who in cast})
    shown = [sheet(book, who, game, after) for who, game in games if game in book.systems(who, after)]
    return Frame(line=told, sheets=tuple(shown), holds=_holds(book, entry, after))


def _holds(book: Book, entry: Entry, then: AsOf) -> bool | None:
    event = entry.event
    if not isinstance(event, ScoreAsserted):
        return None
    return all((book.accounts.balance(event.who, full, then) or 0) == held for full, held in event.claimed.items())
