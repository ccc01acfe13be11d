"""The accounts: postings by score with a running balance, and marks, written in the transaction of their entry.

Both are derived from the entries. Every row knows the entry that wrote it (`seq`) and the entry since which it
counts (`since`). As known at N: rows with `seq <= N`. As now known of N: rows with `since <= N`.
"""

import json
from collections.abc import Iterator
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any

from ledger.errors import TablesDiffer
from ledger.events.rows import BOUND, Body, MarkRow, PostingRow, Rows, rows_of, struck_by
from ledger.events.subjects import STRUCK
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.journal.storage import EntryTable, RowTable
    from ledger.journal.stored import Late


class AsOf(Struct):
    """A point in the journal, and whether it is meant as known then or as now known of then.

    `known` is for the second alone: what was known of the point at that entry, where it is not now.
    """

    seq: int = BOUND
    corrected: bool = False
    known: int = BOUND


NOW = AsOf()


class Accounts:
    """The accounts of an open campaign."""

    def __init__(self, rows: "RowTable", entries: "EntryTable") -> None:
        self.rows = rows
        self._entries = entries

    # Looking

    def balance(self, who: str, score: str, when: AsOf = NOW) -> int | None:
        """Balance of a score as of a point, None if it was never posted to. One index seek."""
        known = self.rows.balance_at(who, score, min(when.seq, when.known))
        if known is not None and type(known) is not int:
            raise TablesDiffer(f"a balance of {who} {score} is no number")
        late = self.rows.late_sum(who, score, when.seq, when.known) if when.corrected else None
        return known if late is None else (known or 0) + late

    def mark(self, who: str, name: str, when: AsOf = NOW) -> Any:
        """The value of a mark, None where it has none.

        The greatest `since` shows; of equal ones the latest row; a row without a value hides its `since`.
        """
        last_since = None
        for row in self.rows.mark_rows(who, name, when.seq, when.known if when.corrected else when.seq):
            if row.since != last_since and row.value is not None:
                return _value(row)
            last_since = row.since
        return None

    def scores(self, who: str, prefix: str = "") -> list[str]:
        """The scores that were ever posted to, in order; those that begin with the prefix."""
        return list(self.rows.names("postings", who, prefix))

    def marked(self, who: str, prefix: str = "") -> list[str]:
        """The names of the marks that were ever given, in order; those that begin with the prefix."""
        return list(self.rows.names("marks", who, prefix))

    def register(self, who: str, score: str, when: AsOf = NOW) -> list[PostingRow]:
        """The postings of a score in the order written; as now known, in the order in which they count."""
        last = when.known if when.corrected else min(when.seq, when.known)
        rows = list(self.rows.posting_rows(who, score, last=last))
        if any(row.balance != sum_ for row, sum_ in zip(rows, accumulate(row.amount for row in rows), strict=True)):
            raise TablesDiffer(f"the balances of {who} {score} do not add up")
        if not when.corrected:
            return rows
        return sorted((row for row in rows if row.since <= when.seq), key=lambda row: (row.since, row.seq))

    def moved(self, first: int, last: int, accounts: list[tuple[str, str]]) -> Iterator[PostingRow]:
        """Yield what the entries from first to last posted to these accounts."""
        for who, score in accounts:
            yield from self.rows.posting_rows(who, score, first, last)

    def given(self, who: str, name: str, value: Any) -> tuple[int, int | None] | None:
        """Return since when a mark last had a value, and since when another one; None where it never had it.

        A value that was struck counts where nothing took its place: the mark had it until the strike.
        """
        rows = [(row, _value(row) if row.value else STRUCK) for row in self.rows.mark_rows(who, name)][::-1]
        shown = {row.since: held for row, held in rows}
        stands = [since for since, held in shown.items() if held != STRUCK]
        found = [since for since in stands if shown[since] == value]
        if found:
            return found[-1], next((since for since in stands if since > found[-1]), None)
        fallen = [row.since for row, held in rows if held == value]
        if not fallen:
            return None
        return fallen[-1], next(row.seq for row, _ in reversed(rows) if row.since == fallen[-1])

    def touched(self, who: str, name: str, when: AsOf = NOW) -> list[tuple[int, int]]:
        """The entries that touched a mark, each with the one since which it counts, in that order."""
        last = when.known if when.corrected else min(when.seq, when.known)
        rows = self.rows.mark_rows(who, name, when.seq if when.corrected else BOUND, last)
        return [(row.seq, row.since) for row in rows][::-1]

    def first(self, who: str, name: str) -> int:
        """The first entry since which a mark had a value that counts or once counted."""
        return min(row.since for row in self.rows.mark_rows(who, name))

    def late(self, head: int) -> "Iterator[Late]":
        """Yield what was put right after an entry: the scores and marks of characters and of the campaign."""
        yield from self.rows.late(head)

    # Writing

    def post(self, entry: Body) -> Rows:
        """Write the rows of an entry, its words as commitments, and return them; the write lock is held."""
        rows = self.rows_of(entry)
        self.rows.put(*rows)
        return rows

    def rows_of(self, entry: Body) -> Rows:
        """The rows that an entry adds to those of the entries before it."""
        return rows_of(entry, PastRows(self.rows, self._entries, entry["seq"]))

    def before(self, seq: int) -> "PastRows":
        """The rows and strikes before an entry."""
        return PastRows(self.rows, self._entries, seq)


class PastRows:
    """What stood before an entry, by the rows that were written before it (`ledger.events.rows.Past`)."""

    def __init__(self, rows: "RowTable", entries: "EntryTable", seq: int) -> None:
        self._rows = rows
        self._entries = entries
        self._last = seq - 1

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, None if it was never posted to."""
        return self._rows.balance_at(who, score, self._last)

    def action(self, act: int) -> list[Body]:
        """Entries of an action, in order."""
        bodies = map(_body, (kept.body for kept in self._entries.stored(act, self._last)))
        return list(takewhile(lambda body: body["act"] == act, bodies))

    def strikers(self, act: int) -> list[int]:
        """Actions that strike an action, whether they stand or not."""
        given = (entry for entry in self.givers(STRUCK, str(act)) if act in struck_by(entry))
        return [entry["act"] for entry in given]

    def givers(self, who: str, name: str, since: int | None = None) -> Iterator[Body]:
        """Entries that gave a mark, or turned it round, the latest first.

        Of marks of `#struck` those alone that strikes gave, which are few; later strikes turn them round often.
        """
        rows = self._rows.mark_rows(who, name, BOUND if since is None else since, self._last)
        seqs = (
            row.seq
            for row in rows
            if since in {None, row.since} and (who != STRUCK or row.since == row.seq or row.value == str(row.seq))
        )
        for seq in dict.fromkeys(seqs):
            for kept in self._entries.stored(seq, seq):
                yield _body(kept.body)


def _body(stored: bytes) -> Body:
    body: Body = json.loads(stored)
    return body


def _value(row: MarkRow) -> Any:
    try:
        return json.loads(row.value or "null")
    except ValueError:
        raise TablesDiffer(f"the mark {row.name!r} of {row.who} cannot be read") from None
