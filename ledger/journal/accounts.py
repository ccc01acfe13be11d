"""The accounts: marks, and postings with a running balance per score. Both are derived from the entries.

Every row has the entry that wrote it (`seq`) and the entry at which it takes effect (`since`). The state as known at N
uses the rows with `seq <= N`. The corrected state uses those with `since <= N`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby, takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from ledger.errors import TablesDiffer
from ledger.events.canonical import canonical_json
from ledger.events.rows import BOUND, Body, MarkRow, PostingRow, Rows, rows_of, strikes_of
from ledger.events.subjects import QUESTIONS, STRUCK
from ledger.journal.records import NUMBER_TOO_LARGE
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.journal.storage import EntryTable, RowTable


class AsOf(Struct):
    """A point in the journal: the state at entry `seq`. With `corrected`, it has later corrections up to `known`."""

    seq: int = BOUND
    corrected: bool = False
    known: int = BOUND

    @property
    def last(self) -> int:
        """The last entry whose rows count at this point."""
        return self.known if self.corrected else min(self.seq, self.known)


NOW = AsOf()

MANY_NAMES = 200
"""The number of names above which one pass over all marks is faster than a lookup for each name."""


class Accounts:
    """The accounts of an open campaign. A method that is called without `when` uses the constructor's `now`."""

    def __init__(self, rows: RowTable, entries: EntryTable, now: AsOf = NOW) -> None:
        self.rows = rows
        self._entries = entries
        self._now = now

    def _at(self, when: AsOf) -> AsOf:
        return self._now if when is NOW else when

    # Reading

    def balance(self, who: str, score: str, when: AsOf = NOW) -> int | None:
        """Return a score's balance at a point, or None if the score has no posting. This is usually one index seek."""
        when = self._at(when)
        balance = self.rows.balance_at(who, score, min(when.seq, when.known))
        if when.last <= when.seq:
            return balance
        late = [row.amount for row in self.rows.corrections(who, score, when.seq, when.seq + 1, when.last)]
        if abs(total := (balance or 0) + sum(late)) > BOUND:
            raise TablesDiffer(NUMBER_TOO_LARGE)
        return total if late else balance

    def last_gain_action(self, who: str, score: str, when: AsOf = NOW) -> int:
        """Return the last entry at which a score rose, or 0 if it never rose.

        If a correction raised the score, return the entry that was corrected.
        """
        return max((since for since, change in self._changes(who, score, when) if change > 0), default=0)

    def change_entries(self, who: str, score: str, when: AsOf = NOW) -> list[int]:
        """Return, in order, the entries at which a score changed. Omit entries whose changes add up to 0.

        If a correction changed the score, the list has the entry that was corrected.
        """
        return sorted(since for since, change in self._changes(who, score, when) if change)

    def _changes(self, who: str, score: str, when: AsOf) -> Iterable[tuple[int, int]]:
        changes = Counter[int]()
        for row in self.postings(who, score, when):
            changes[row.since] += row.amount
        return changes.items()

    def mark(self, who: str, name: str, when: AsOf = NOW) -> Any:
        """Return the value of a mark, or None for a mark without a value."""
        row = self.mark_row(who, name, when)
        return None if row is None else _value(row)

    def mark_row(self, who: str, name: str, when: AsOf = NOW) -> MarkRow | None:
        """Return the row that gives a mark its value, or None if the mark has no value.

        Take the row with the greatest `seq` for each `since`. Return the last of these rows that has a value.
        """
        when = self._at(when)
        return row_in_effect(self.rows.mark_rows(who, name, when.seq, when.last))

    def mark_entry(self, who: str, name: str, when: AsOf = NOW) -> int:
        """Return the number of the entry that set or restored the value of a mark. Return 0 for a mark not set."""
        row = self.mark_row(who, name, when)
        return 0 if row is None else row.seq

    def values(self, who: str, when: AsOf = NOW) -> dict[str, Any]:
        """Return the values of a subject's marks, sorted by name, in one pass. Leave out marks without a value."""
        when = self._at(when)
        rows = self.rows.marks_of(who, when.seq, when.last)
        current = {name: row_in_effect(history) for name, history in groupby(rows, key=attrgetter("name"))}
        values = {name: _value(row) for name, row in current.items() if row is not None}
        return {name: value for name, value in values.items() if value is not None}

    def values_between(self, who: str, least: str, most: str, when: AsOf = NOW) -> dict[str, Any]:
        """Return the values at `when` of the marks that ever had a value from `least` to `most` (JSON texts)."""
        return self.values_of(who, list(self.rows.mark_names_between(who, least, most)), when)

    def values_of(self, who: str, names: Collection[str], when: AsOf = NOW) -> dict[str, Any]:
        """Return the values of the marks with these names: one seek per name, or one pass if there are many."""
        if len(names) > MANY_NAMES:
            values = self.values(who, when)
            return {name: values[name] for name in names if name in values}
        pairs = ((name, self.mark(who, name, when)) for name in names)
        return {name: value for name, value in pairs if value is not None}

    def subjects_with(self, table: Literal["postings", "marks"], prefix: str) -> list[str]:
        """Return every subject that ever had a score or mark with this prefix, and possibly more subjects."""
        return list(self.rows.subjects_with(table, prefix))

    def open_questions(self, when: AsOf = NOW) -> Iterable[str]:
        """Return the names of all questions that are open at a point, and perhaps of some that are closed."""
        when = self._at(when)
        return self.rows.waiting() if min(when.seq, when.known) == BOUND else self.values(QUESTIONS, when)

    def scores(self, who: str, prefix: str = "") -> list[str]:
        """Return the scores with this prefix that ever had a posting, in order."""
        return list(self.rows.names("postings", who, prefix))

    def mark_names(self, who: str, prefix: str = "", suffix: str = "") -> list[str]:
        """Return the marks with this prefix and suffix that ever had a value, in order."""
        return list(self.rows.names("marks", who, prefix, suffix))

    def postings(self, who: str, score: str, when: AsOf = NOW) -> list[PostingRow]:
        """Return the postings of a score, sorted by `seq`. If `when` is `corrected`, sort by `since`, then `seq`."""
        when = self._at(when)
        rows = [*_check_balances(self.rows.posting_rows(who, score, last=when.last))][::-1]
        return sorted((row for row in rows if row.since <= when.seq), key=since_and_seq) if when.corrected else rows

    def latest_postings(self, who: str, score: str, when: AsOf = NOW) -> Iterator[PostingRow]:
        """Yield the same postings as `postings`, the last first. Raise `TablesDiffer` if the balances do not add up."""
        when = self._at(when)
        postings = _check_balances(self.rows.posting_rows(who, score, last=min(when.seq, when.known)))
        if not when.corrected:
            return postings
        from heapq import merge  # not needed to show a sheet

        late = self.rows.corrections(who, score, when.seq, last=when.known)
        original_rows = (row for row in postings if row.since == row.seq)
        return merge(late, original_rows, key=since_and_seq, reverse=True)

    def count_postings(self, who: str, score: str, when: AsOf = NOW) -> int:
        """Count the postings of a score. Leave out backdated postings (corrections)."""
        when = self._at(when)
        return self.rows.original_count(who, score, min(when.seq, when.known))

    def backdated_postings(self, who: str, score: str, when: AsOf) -> Iterator[PostingRow]:
        """Yield the postings to one score at each corrected entry, in order of these entries.

        At each entry, the original postings come first, and then the corrections.
        """
        late = list(self.rows.corrections(who, score, when.seq, last=when.known))[::-1]
        for since, rows in groupby(late, key=attrgetter("since")):
            yield from (row for row in self.rows.posting_rows(who, score, since, since) if row.since == since)
            yield from rows

    def postings_between(self, first: int, last: int, accounts: list[tuple[str, str]]) -> Iterator[PostingRow]:
        """Yield the postings to these accounts in entries `first` to `last`, account by account."""
        for who, score in accounts:
            yield from reversed([*self.rows.posting_rows(who, score, first, last)])

    def last_value_entry(self, who: str, name: str, value: Any) -> tuple[int, int | None] | None:
        """Return the last entry that gave a mark this value, and the next entry that changed the value (or None).

        If all entries with the value were struck, the second number is the strike. Return None for a value never given.
        """
        text, rows = canonical_json(value).decode(), list(self.rows.mark_rows(who, name))[::-1]
        values = {row.since: row.value for row in rows}
        starts = [since for since, at_start in values.items() if at_start is not None]
        matching = [since for since in starts if values[since] == text]
        if matching:
            return matching[-1], next((since for since in starts if since > matching[-1]), None)
        struck = [row.since for row in rows if row.value == text]
        if not struck:
            return None
        return struck[-1], next(row.seq for row in reversed(rows) if row.since == struck[-1])

    def mark_entries(self, who: str, name: str, when: AsOf = NOW, first: int = 1) -> list[tuple[int, int]]:
        """Return the `seq` and `since` of each entry that set or removed a mark, sorted by `since`, then `seq`.

        Leave out the entries before `first`.
        """
        return [*self.newest_mark_entries_first(who, name, when, first)][::-1]

    def newest_mark_entries_first(
        self, who: str, name: str, when: AsOf = NOW, first: int = 1
    ) -> Iterator[tuple[int, int]]:
        """Yield the items of `mark_entries`, the last first."""
        when = self._at(when)
        return ((row.seq, row.since) for row in self.rows.mark_rows(who, name, when.seq, when.last, first))

    def entries_with_value(self, who: str, name: str, value: str) -> set[int]:
        """Return the entries at which a mark took this value, even if the value was canceled. `value` is JSON text."""
        return {*self.rows.entries_with_value(who, name, value)}

    def first_entry_with_value(self, who: str, name: str) -> int:
        """Return the first entry at which a mark took a value, even if the value was canceled later."""
        return min(row.since for row in self.rows.mark_rows(who, name))

    def names_ever_set(self, who: str, when: AsOf = NOW) -> set[str]:
        """Return the names of a subject's marks that had any value up to a point, even a value that was struck."""
        return {row.name for row in self.rows.marks_of(who, self._at(when).seq)}

    # Writing

    def post(self, entry: Body) -> Rows:
        """Write and return the rows of a stored entry (JSON with commitments). The caller has the write lock."""
        rows = rows_of(entry, self.state_before(entry["seq"]))
        if rows.postings or rows.marks:
            self.rows.put(*rows)
        return rows

    def state_before(self, seq: int) -> PastRows:
        """Return the rows and strikes before an entry."""
        return PastRows(self.rows, self._entries, seq)

    def running_state(self, after: int = 0) -> RunningPast:
        """Return the state before each entry in turn, for a pass over all entries after `after`."""
        return RunningPast(self.rows, self._entries, after)


class PastRows:
    """The state before an entry, from the rows of earlier entries. See `ledger.events.rows.Past`."""

    _parse: Callable[[bytes], Body] = staticmethod(json.loads)

    def __init__(self, rows: RowTable, entries: EntryTable, seq: int) -> None:
        self._rows = rows
        self._entries = entries
        self._last = seq - 1
        self._action: tuple[tuple[int, int], list[Body]] = (0, 0), []

    def balance(self, who: str, score: str) -> int | None:
        return self._rows.balance_at(who, score, self._last)

    def action(self, act: int) -> list[Body]:
        """Return the entries of an action, in order. The last result is cached, because callers often need it twice."""
        key = act, self._last
        if self._action[0] != key:
            bodies = (self._parse(entry.body) for entry in self._entries.stored(act, self._last))
            self._action = key, list(takewhile(lambda body: body["act"] == act, bodies))
        return self._action[1]

    def strikers(self, act: int) -> list[int]:
        entries = (entry for entry in self.entries_that_set_mark(STRUCK, str(act)) if act in strikes_of(entry))
        return [entry["act"] for entry in entries]

    def entries_that_set_mark(self, who: str, name: str, since: int | None = None) -> Iterator[Body]:
        """Yield the entries that set or canceled a mark, the latest first.

        With `since`, yield only the entries that set or canceled the value that starts at entry `since`. If `who` is
        `#struck`, leave out the entries that only canceled the mark, because there may be many of them.
        """
        rows = self._rows.mark_rows(who, name, BOUND if since is None else since, self._last)
        if since is not None:
            rows = takewhile(lambda row: row.since == since, rows)
        seqs = (row.seq for row in rows if who != STRUCK or row.since == row.seq)
        for seq in dict.fromkeys(seqs):
            for entry in self._entries.stored(seq, seq):
                yield self._parse(entry.body)


class RunningPast(PastRows):
    """The state before each entry in turn. It keeps all balances in memory, about 300 bytes per balance."""

    def __init__(self, rows: RowTable, entries: EntryTable, after: int) -> None:
        from orjson import loads  # not needed to show a sheet

        super().__init__(rows, entries, after + 1)
        self._parse = loads
        self._after = after
        self._balances: dict[tuple[str, str], int | None] = {}

    def rows_of(self, entry: Body) -> Rows:
        """Return the rows that the next entry adds."""
        self._last = entry["seq"] - 1
        rows = rows_of(entry, self)
        for row in rows.postings:
            self._balances[row.who, row.score] = row.balance
        return rows

    def balance(self, who: str, score: str) -> int | None:
        if self._after and (who, score) not in self._balances:
            self._balances[who, score] = self._rows.balance_at(who, score, self._after)
        return self._balances.get((who, score))


def _check_balances(rows: Iterator[PostingRow]) -> Iterator[PostingRow]:
    """Yield the postings of a score, the latest first. Raise `TablesDiffer` if the balances do not add up."""
    before = None
    for row in rows:
        if before not in {None, row.balance}:
            raise TablesDiffer(f"the stored changes to {row.score} for {row.who} do not add up")
        before = row.balance - row.amount
        yield row
    if before:
        raise TablesDiffer(f"the stored changes to {row.score} for {row.who} do not add up")


def since_and_seq(row: PostingRow | MarkRow) -> tuple[int, int]:
    """Return the sort key that puts the rows of a score or mark in the order in which they take effect."""
    return row.since, row.seq


def row_in_effect(rows: Iterable[MarkRow]) -> MarkRow | None:
    """Return the row that gives a mark its value, or None if the mark has no value.

    `rows` must be sorted by `since`, then `seq`, both descending.
    """
    last_since = None
    for row in rows:
        if row.since != last_since and row.value is not None:
            return row
        last_since = row.since
    return None


def _value(row: MarkRow) -> Any:
    try:
        return json.loads(row.value or "null")
    except ValueError:
        raise TablesDiffer(f"the value {row.name!r} of {row.who} cannot be read") from None
