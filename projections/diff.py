"""Diff: what differs between two points, by character and score, with the entries that did it."""

from typing import Any

from ledger.events.subjects import OFFER
from ledger.events.types import ActionStruck
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import how_struck
from projections.register import cause_of


class Did(Struct):
    """A posting or mark behind a change; `amount` is `None` for a mark."""

    seq: int
    amount: int | None
    says: str


class SheetChange(Struct):
    """A score or mark, by its full name, that differs between two points."""

    who: str
    name: str
    before: Any
    after: Any
    did: tuple[Did, ...]


def changes(book: Book, one: AsOf, other: AsOf) -> list[SheetChange]:
    """The changes from one point to a later one, both as known then or both corrected."""
    result = []
    for who in book.cast(other) + [gone for gone in book.cast(one) if gone not in book.cast(other)]:
        for score in book.accounts.scores(who):
            before, after = (book.accounts.balance(who, score, when) or 0 for when in (one, other))
            if before != after and "/" in score:
                result.append(
                    SheetChange(
                        who=who, name=score, before=before, after=after, did=_posted(book, who, score, one, other)
                    )
                )
        for name in book.accounts.marked(who):
            before, after = (book.accounts.mark(who, name, when) for when in (one, other))
            if before != after and name != OFFER:
                result.append(
                    SheetChange(
                        who=who, name=name, before=before, after=after, did=_marked(book, who, name, one, other)
                    )
                )
    return result


def _did(book: Book, seq: int, when: AsOf) -> bool:
    """Whether an entry is listed under a change. Corrected, a struck entry and its strike are not."""
    entry = book.journal.entry(seq)
    return not when.corrected or (entry.type != ActionStruck.type and how_struck(book, entry.act) is None)


def _posted(book: Book, who: str, score: str, one: AsOf, other: AsOf) -> tuple[Did, ...]:
    rows = book.accounts.register(who, score, other)
    between = [
        row for row in rows if (row.since if other.corrected else row.seq) > one.seq and _did(book, row.seq, other)
    ]
    return tuple(Did(seq=row.seq, amount=row.amount, says=cause_of(book, row.seq)) for row in between)


def _marked(book: Book, who: str, name: str, one: AsOf, other: AsOf) -> tuple[Did, ...]:
    rows = book.accounts.touched(who, name, other)
    later = [seq for seq, since in rows if (since if other.corrected else seq) > one.seq]
    between = [seq for seq in later if _did(book, seq, other)]
    return tuple(Did(seq=seq, amount=None, says=cause_of(book, seq)) for seq in between)
