"""The differences between two points of a campaign, by character and score, with the entries that caused them."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ledger.events.subjects import LENT, OFFER, PLAYER, STRUCK
from ledger.events.types import ActionStruck
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import cancellation
from projections.register import cause_of
from projections.sheets import mark_in_words
from projections.wording import is_bookkeeping


class ChangeCause(Struct):
    """An entry that contributed to a change. `amount` is `None` for a mark."""

    seq: int
    amount: int | None
    says: str


class SheetChange(Struct):
    """A score or mark (full name) that differs between two points. Players do not see `bookkeeping` changes.

    `before` and `after` are the two values, and `values` has both as text. `did` has the causes. `shown` is the name to
    show for `who`.
    """

    who: str
    name: str
    before: Any
    after: Any
    did: tuple[ChangeCause, ...]
    bookkeeping: bool = False
    shown: str = ""
    values: tuple[str, str] = ("", "")

    def as_json(self) -> dict[str, Any]:
        """Return the change for JSON. The causes have entry numbers and amounts, but no words."""
        entries = [{"entry": cause.seq, "amount": cause.amount} for cause in self.did]
        return {"who": self.who, "name": self.name, "before": self.before, "after": self.after, "entries": entries}


def changes(book: Book, one: AsOf, other: AsOf) -> list[SheetChange]:
    """Return the changes of sheets from the point `one` to the later point `other`, sorted by character and game.

    Both points include corrections, or neither does. For the causes of a change, see `_is_cause`.
    """
    result = []
    for who in dict.fromkeys(book.cast(other) + book.cast(one)):
        entries = []
        for score in book.accounts.scores(who):
            before, after = (book.accounts.balance(who, score, when) or 0 for when in (one, other))
            if before != after and "/" in score:
                entries.append((score, before, after, _posting_causes(book, who, score, one, other)))
        for name in book.accounts.mark_names(who):
            before, after = (book.reveal(book.accounts.mark(who, name, when)) for when in (one, other))
            if before != after and name != OFFER and not name.endswith("/sheet"):
                entries.append((name, before, after, _mark_causes(book, who, name, one, other)))
        entries.sort(key=lambda change: change[0].partition("/")[0])
        result += [
            SheetChange(
                who=who,
                name=name,
                before=before,
                after=after,
                did=did,
                bookkeeping=is_bookkeeping(name),
                shown=book.name_of(who),
                values=(_value_in_words(book, name, before), _value_in_words(book, name, after)),
            )
            for name, before, after, did in entries
        ]
    return result


def _value_in_words(book: Book, name: str, value: Any) -> str:
    """Return the value of a score or mark as text. A player's handle becomes the player's name."""
    if name == LENT and value:
        return book.name_of(value["player"])
    return book.name_of(value) if name == PLAYER and value else mark_in_words(name, value)


def _posting_causes(book: Book, who: str, score: str, one: AsOf, other: AsOf) -> tuple[ChangeCause, ...]:
    latest = book.accounts.latest_postings(who, score, other)
    rows = takewhile(lambda row: (row.since if other.corrected else row.seq) > one.seq, latest)
    between = [row for row in rows if _is_cause(book, row.seq, one, other)][::-1]
    return tuple(ChangeCause(seq=row.seq, amount=row.amount, says=cause_of(book, row.seq)) for row in between)


def _mark_causes(book: Book, who: str, name: str, one: AsOf, other: AsOf) -> tuple[ChangeCause, ...]:
    rows = book.accounts.mark_entries(who, name, other, one.seq + 1)
    later = (seq for seq, since in rows if since > one.seq or not other.corrected)
    between = [seq for seq in later if _is_cause(book, seq, one, other)]
    return tuple(ChangeCause(seq=seq, amount=None, says=cause_of(book, seq)) for seq in between)


def _is_cause(book: Book, seq: int, one: AsOf, other: AsOf) -> bool:
    """Return True if entry `seq`, which comes after the point `one`, is a cause of a change.

    If a strike canceled only actions after `one`, neither the strike nor the canceled actions are causes. If the points
    include corrections, no strike and no canceled action is a cause.
    """
    entry = book.entry(seq)
    if other.corrected:
        return not isinstance(entry.event, ActionStruck) and cancellation(book, entry.act) is None
    by = book.accounts.mark(STRUCK, str(entry.act), other)
    strikes = [*([entry] if isinstance(entry.event, ActionStruck) else []), *([book.journal.entry(by)] if by else [])]
    return not any(all(act > one.seq for act in strike.targets) for strike in strikes)
