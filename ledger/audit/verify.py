"""The check that a file is intact.

In an intact file, each entry matches its leaf hash, is in canonical form, has a known type, and is in its place. The
accounts and the tree match the entries, and the texts match their commitments. A file that somebody rewrote completely,
with new hashes, also passes. Only copies and signatures that other people have can reveal this.

The check computes the rows of each entry and compares them with the rows in the file, so later checks can rely on them.
If rows differ, the check starts over with rows computed in memory. This shows if the entries are wrong, or only the
derived tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ledger.audit.action_grammar import ActionsCheck
from ledger.audit.check import Checks, EntryCheck, Fault, OnProgress, PastEntries, no_progress, raise_first_fault
from ledger.audit.marks import HandSetCheck, RowsCheck
from ledger.audit.parts import OtherProcesses, Part, on_all_cores
from ledger.audit.places import PlacesCheck
from ledger.audit.references import BalancesCheck, ReferencesCheck
from ledger.audit.sealed_rolls import SealMatchCheck
from ledger.audit.strikes import StrikesCheck
from ledger.audit.structure import NOT_PRINTABLE, DiceCheck, FormatsCheck, can_be_shown, entry_of, erasures
from ledger.errors import TablesDiffer, WrongEntry
from ledger.events.commitments import CommittedText, Secret, text_differences
from ledger.events.entry import Entry
from ledger.events.rows import BOUND, MarkRow, PostingRow, Rows
from ledger.journal.book import Book
from ledger.journal.memory import RecomputedStorage
from ledger.journal.records import StoredEntry, StoredNode, StoredWord
from ledger.journal.store import Journal
from ledger.tlog.tree import complete_subtrees, completed_nodes, node_hash
from ledger.trust.heads import check_own_heads
from ledger.values import Struct

if TYPE_CHECKING:
    from ledger.audit.remembered import Memory

RowType = TypeVar("RowType", PostingRow, MarkRow, StoredWord)

MAX_AMOUNT = 2**62
"""A limit for amounts and balances that no real journal can reach."""


class FileCounts(Struct):
    """The counts of an intact file. `words` counts stored texts, `away` counts secrets that lack their text."""

    entries: int
    postings: int
    marks: int
    words: int
    away: int = 0

    def __add__(self, other: FileCounts) -> FileCounts:
        """Return the counts of two parts of a file together."""
        return FileCounts(**{name: count + other.__dict__[name] for name, count in self.__dict__.items()})


def verify(book: Book, progress: OnProgress = no_progress, memory: Memory | None = None) -> FileCounts:
    """Check that a file is intact. The check sees the file as it was at the start.

    With a `memory`, entries that an earlier check found intact are not checked again, if nothing stored for them has
    changed since. Everything else is checked each time.

    - Raise `WrongEntry` for the first wrong entry.
    - Raise `NotGuarded` if tables or triggers differ from those that this program creates.
    - Raise `Damaged` if the file cannot be read.
    - Raise `TablesDiffer` if only the derived tables are wrong.
    - Raise `Altered` if the signed heads do not match the entries.
    """
    check, own_work = "ledger.audit.verify:verified_part", -PROCESS_START_COST
    with book.journal.reading():
        with checked_file(book):
            earlier = memory.recall(book) if memory else None
            checked = earlier.entries if earlier else 0
            before = FileCounts(**earlier.found) if earlier else NO_ENTRIES
            if checked:
                progress(checked)

            def run(own: Part, others: OtherProcesses) -> FileCounts:
                counts = verify_part(book, *own, others.count)
                return sum((FileCounts(**result) for result in others.results()), before + counts)

            counts = on_all_cores(book.journal, check, checked, LEAST_PER_PROCESS, own_work, progress, run)
        if memory:
            memory.keep(book, counts.__dict__)
        return counts


@contextmanager
def checked_file(book: Book) -> Iterator[None]:
    """Check the tables and triggers, then run the block, which checks all entries, and then check the signed heads.

    The block must raise the errors of `verify_part`. If it finds wrong rows, find out if the entries are intact.
    """
    try:
        if wrong := book.journal.storage.check_guards():
            raise TablesDiffer(wrong)
        yield
    except TablesDiffer as differ:
        rebuilt = Book(Journal(RecomputedStorage(book.journal.storage)))
        check_entries(rebuilt, RowWriter(rebuilt).take, no_progress)
        check_own_heads(rebuilt)
        raise TablesDiffer(differ.what, intact=True) from None
    check_own_heads(book)


NO_ENTRIES = FileCounts(entries=0, postings=0, marks=0, words=0)

LEAST_PER_PROCESS = 25_000
"""The least number of entries for another process to verify. For fewer, starting the process takes too long."""

PROCESS_START_COST = 3_000
"""The time in which a process starts, minus the time for the check of the tables. The unit is the check of an entry."""


def verify_part(book: Book, first: int = 1, last: int | None = None, progress: OnProgress = no_progress) -> FileCounts:
    """Check the entries from `first` to `last` with their rows, texts and nodes. By default, check all entries.

    `first` must start an action, and `last` must end one. The check trusts everything before `first`. If all parts of
    a file are intact, the file's entries and derived tables are intact. Raise `WrongEntry` or `TablesDiffer` for a
    fault. Only `verify` makes sure that it is the first fault of the file.
    """
    comparison = RowComparison(book.journal, first, last)
    verified = check_entries(book, comparison.take, progress, first, last)
    comparison.end()
    return verified


def verified_part(book: Book, first: int, last: int, progress: OnProgress) -> dict[str, Any]:
    """Return the counts of `verify_part` as a JSON object, for another process."""
    return verify_part(book, first, last, progress).__dict__


def entry_checks(words: WordsCheck) -> tuple[EntryCheck, ...]:
    """Return all checks of an entry, in the order in which they run."""
    return (
        PlacesCheck(),  # its number, action, cause and time
        ActionsCheck(),  # the order of the entries in its action
        ReferencesCheck(),  # the players and entries that it names, and the id of its command
        StrikesCheck(),  # the actions that it strikes
        RowsCheck(),  # its marks and score changes
        HandSetCheck(),  # the scores and marks that the GM set
        DiceCheck(),  # the dice that it throws or counts
        FormatsCheck(),  # keys, policies, erasures, seals, forks
        words,
        BalancesCheck(),  # the balances and questions that it mentions
        SealMatchCheck(),  # each revealed roll is the one that was sealed
    )


def check_entries(
    book: Book, use: UseRows, progress: OnProgress, first: int = 1, last: int | None = None
) -> FileCounts:
    """Check the entries from `first` to `last`, and pass each with its rows to `use`.

    Raise the errors of `verify_part`.
    """
    words = WordsCheck(RowReader(_rows_of_part(book.words.all, first, last)), erasures(book, first))
    return check_stream(book, book.journal.stored(first, last), words, use, progress, first)


def _rows_of_part(read: Callable[[int | None], Iterator[RowType]], first: int, last: int | None) -> Iterator[RowType]:
    """Yield the rows or texts that `read` finds for the entries from `first` to `last`.

    If `first` is 1, also yield those with a number below 1, although no entry has such a number.
    """
    rows = read(first if first > 1 else None)
    return rows if last is None else takewhile(lambda row: row.seq <= last, rows)


def check_stream(
    book: Book, entries: Iterable[StoredEntry], words: WordsCheck, use: UseRows, progress: OnProgress, first: int = 1
) -> FileCounts:
    """Check `entries` and their texts. The first entry has the number `first`. Raise the errors of `verify_part`.

    Each checked entry is passed to `use`, with its rows. If the book does not have the entries yet, `use` must add
    them. `words` checks the texts. All balances are kept in memory.
    """
    before = first - 1
    all_checks = Checks(entry_checks(words), PastEntries(book, after=before))
    running = book.accounts.running_state(before)
    seq, postings, marks = before, 0, 0
    for stored in entries:
        seq, entry = stored.seq, entry_of(*stored)
        raise_first_fault(all_checks.check(entry))
        rows = running.rows_of(entry.body)
        if any(max(abs(row.amount), abs(row.balance)) > MAX_AMOUNT for row in rows.postings):
            raise WrongEntry(seq, "makes a score too large to record")
        use(entry, rows)
        postings, marks = postings + len(rows.postings), marks + len(rows.marks)
        progress(1)
    if seq == 0:
        raise WrongEntry(first, "is missing: the record has no entries")
    raise_first_fault(all_checks.final_faults())
    if words.rest.next is not None:
        raise WrongEntry(seq + 1, f"is missing, but the file has a text for entry {words.rest.next.seq}")
    return FileCounts(entries=seq - before, postings=postings, marks=marks, words=words.count, away=words.away)


class WordsCheck(EntryCheck):
    """A check that the stored texts of each entry match its commitments. It also counts the texts.

    - `words`: a reader of the texts of all entries.
    - `erased`: the result of `erasures`, or None if the erasures are not known yet.
    - `incomplete_entries`: without `erased`, the entries with missing texts.
    """

    def __init__(self, words: RowReader[StoredWord], erased: Mapping[int, Mapping[str, int]] | None) -> None:
        self.rest = words
        self._erased = erased
        self.count = self.away = 0
        self.incomplete_entries = set[int]()

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        rows = self.rest.up_to(entry.seq)
        if not rows and not entry.has_words:
            return
        words = {word.field: (word.salt, word.text) for word in rows if word.seq == entry.seq}
        expected = {field: (kind, digest) for field, kind, digest in entry.committed}
        erased = None if self._erased is None else self._erased.get(entry.seq, {})
        yield from ((entry.seq, says) for says in text_differences(expected, words, erased))
        yield from (
            (entry.seq, f"comes after a text that belongs to entry {word.seq}")
            for word in rows
            if word.seq != entry.seq
        )
        for field, (kind, _) in expected.items():
            if field in words and not can_be_shown(field, kind, words[field][1]):
                yield entry.seq, f"{NOT_PRINTABLE} ({field})"
        missing = [kind for field, (kind, _) in expected.items() if field not in words]
        if self._erased is None and CommittedText.KEY in missing:
            self.incomplete_entries.add(entry.seq)
        self.count += len(words)
        self.away += missing.count(Secret.KEY)


UseRows = Callable[[Entry, Rows], None]
"""A function that stores or compares the rows and tree nodes of a checked entry."""


class RowWriter:
    """A writer of the rows and nodes of entries. If the storage is a file, the caller must have the write lock."""

    def __init__(self, book: Book) -> None:
        self._storage = book.journal.storage
        self._tree = GrowingTree(book.journal)

    def take(self, entry: Entry, rows: Rows) -> None:
        """Write the rows of an entry, and the nodes that it completes."""
        for node in self._tree.add(entry.leaf):
            self._storage.nodes.put(node)
        if rows.postings or rows.marks:
            self._storage.rows.put(*rows)


class RowComparison:
    """A comparison of the rows and nodes of entries with the stored ones. A difference raises `TablesDiffer`."""

    def __init__(self, journal: Journal, first: int, last: int | None) -> None:
        rows = journal.storage.rows
        self._postings = RowReader(_rows_of_part(rows.postings, first, last))
        self._marks = RowReader(_rows_of_part(rows.marks, first, last))
        self._nodes = journal.nodes(first if first > 1 else None, BOUND if last is None else last)
        self._tree = GrowingTree(journal, first - 1)

    def take(self, entry: Entry, rows: Rows) -> None:
        """Compare the rows of an entry, and the nodes that it completes, with the stored ones."""
        if self._postings.up_to(entry.seq) != rows.postings:
            raise TablesDiffer(f"the score changes stored for entry {entry.seq} do not match this entry")
        if self._marks.up_to(entry.seq) != rows.marks:
            raise TablesDiffer(f"the values stored for entry {entry.seq} do not match this entry")
        self._compare_nodes(entry)

    def end(self) -> None:
        """Check that all rows and nodes of the file belong to an entry."""
        if self._postings.up_to(BOUND) or self._marks.up_to(BOUND) or next(self._nodes, None) is not None:
            raise TablesDiffer("some stored values belong to no entry")

    def _compare_nodes(self, entry: Entry) -> None:
        for node in self._tree.add(entry.leaf):
            if next(self._nodes, None) != node:
                raise TablesDiffer(f"the fingerprints (hashes) stored with entry {entry.seq} do not match the entries")


class GrowingTree:
    """The Merkle tree of the first `size` leaves. It has nodes only if the storage has a table of nodes."""

    def __init__(self, journal: Journal, size: int = 0) -> None:
        self._keeps_nodes = journal.storage.has_nodes()
        self._size = size
        # the roots of the complete subtrees, the largest first
        self._left = [journal.node(*at) for at in complete_subtrees(size)] if self._keeps_nodes else []

    def add(self, leaf: bytes) -> Iterator[StoredNode]:
        """Yield the nodes that the next leaf completes, the lowest first."""
        node = leaf
        for level, place in completed_nodes(self._size) if self._keeps_nodes else ():
            node = node_hash(self._left.pop(), node)
            yield StoredNode(level, place, node)
        self._left.append(node)
        self._size += 1


class RowReader(Generic[RowType]):
    """A reader of rows or texts, entry by entry. `next` is the first unread row."""

    def __init__(self, rows: Iterator[RowType]) -> None:
        self._rows: Iterator[RowType] = rows
        self.next: RowType | None = next(rows, None)

    def up_to(self, seq: int) -> list[RowType]:
        """Return the unread rows of all entries up to `seq`."""
        rows: list[RowType] = []
        while self.next is not None and self.next.seq <= seq:
            rows.append(self.next)
            self.next = next(self._rows, None)
        return rows


if __name__ == "__main__":
    sys.exit("This file is a part of the program and checks nothing by itself. Use ledger/archive/standalone.py.")
