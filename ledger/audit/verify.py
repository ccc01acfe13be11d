"""Verify: whether the file is whole.

Every stored body hashes to its leaf, is in canonical form, has a known shape and is in its place. The accounts and the
tree are what the entries say, and the words match their commitments. A file that was rewritten throughout, hashes and
all, is whole too: only what others keep of it can prove more.

The rows of each entry are made from it and compared with the file's, so that the checks of later entries read only
rows that were compared. If rows differ, everything is checked again with rows made in memory, to tell whether the
journal is wrong or only its derived tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from ledger.audit.action_grammar import ActionGrammar
from ledger.audit.check import Before, Checks, EntryCheck, Fault, refuse
from ledger.audit.marks import ByHand, Marks, Moves
from ledger.audit.places import Places
from ledger.audit.references import Balances, Ids, References
from ledger.audit.sealed_rolls import MatchesSeal
from ledger.audit.strikes import Strikes
from ledger.audit.structure import UNSHOWN, Dice, Facts, can_be_shown, entry_of
from ledger.errors import NotCanonical, TablesDiffer, WrongEntry
from ledger.events.canonical import parse_json
from ledger.events.commitments import CommittedText, Secret, word_faults
from ledger.events.entry import Entry
from ledger.events.rows import BOUND, MarkRow, PostingRow, Rows
from ledger.events.subjects import entry_number
from ledger.events.types import WordsErased
from ledger.journal.book import Book
from ledger.journal.memory import Recomputed
from ledger.journal.records import StoredEntry, StoredNode, StoredWord
from ledger.journal.store import Journal
from ledger.tlog.tree import completed, node_hash
from ledger.trust.heads import check_own
from ledger.values import Struct

OfEntry = TypeVar("OfEntry", PostingRow, MarkRow, StoredWord)

PROGRESS_STEP = 1000

MOST = 2**62
"""More than all amounts that fit into a journal add up to."""

OnProgress = Callable[[int], None]
"""Called with the number of entries checked since the last call."""


class Verified(Struct):
    """Counts of an intact file; `away` counts secrets whose words are not in this file."""

    entries: int
    postings: int
    marks: int
    words: int
    away: int = 0


def no_progress(entries: int) -> None:
    """Show no progress."""


def verify(book: Book, progress: OnProgress = no_progress) -> Verified:
    """Check a whole file. Raise `WrongEntry` for the first entry that is wrong.

    First come the file's own guards: `NotGuarded` if its tables or triggers are not as this program makes them,
    `Damaged` if it cannot be read. Last come its signed heads: `Altered` if they do not match the entries.
    `TablesDiffer` if only the derived tables are wrong. The check sees the file as it is at the start, even if others
    write meanwhile.
    """
    with book.journal.reading():
        try:
            if wrong := book.journal.storage.check_guards():
                raise TablesDiffer(wrong)
            verified = check_entries(book, Comparison(book.journal), progress)
        except TablesDiffer as differ:
            rebuilt = Book(Journal(Recomputed(book.journal.storage)))
            check_entries(rebuilt, RowWriter(rebuilt), no_progress)
            check_own(rebuilt)
            raise TablesDiffer(differ.what, whole=True) from None
        check_own(book)
        return verified


def entry_checks(book: Book, words: WordsCheck) -> tuple[EntryCheck, ...]:
    """All checks of an entry, in order. The first fault becomes the error."""
    return (
        Places(),  # where it is
        ActionGrammar(book),  # whether its action is what one command writes
        References(),  # whom and which entries it names
        Strikes(),  # what it strikes
        Marks(),  # what it marks
        Moves(),  # what it posts
        ByHand(),  # what the GM sets
        Dice(),  # which dice it throws or counts
        Facts(),  # keys, policies, days
        words,
        Balances(),  # how the accounts stood
        Ids(book),  # the id of its command
        MatchesSeal(book),  # sealed rolls are told as they were sealed
    )


def check_entries(book: Book, derived: Derived, progress: OnProgress) -> Verified:
    """Check the entries of a book with their words; refuses like `verify`.

    `derived` gets each entry after its checks. The checks read what came before it from the rows of the book.
    """
    words = WordsCheck(ByEntry(book.words.all()), erasures(book))
    return check_stream(book, book.journal.stored(), words, derived, progress)


def check_stream(
    book: Book, entries: Iterable[StoredEntry], words: WordsCheck, derived: Derived, progress: OnProgress
) -> Verified:
    """Check entries as they come, with their words; refuses like `verify`.

    The book may get each entry from `derived` only. The balances of all scores are kept in memory.
    """
    all_checks, past = Checks(entry_checks(book, words), book), book.accounts.running()
    seq = postings = marks = 0
    for stored in entries:
        seq, entry = stored.seq, entry_of(*stored)
        refuse(all_checks.look(entry))
        rows = past.rows_of(entry.body)
        if any(max(abs(row.amount), abs(row.balance)) > MOST for row in rows.postings):
            raise WrongEntry(seq, "makes a score too large to record")
        derived.take(entry, rows)
        postings, marks = postings + len(rows.postings), marks + len(rows.marks)
        if seq % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
    if seq == 0:
        raise WrongEntry(1, "is missing: the record has no entries")
    refuse(all_checks.end())
    if words.rest.next is not None:
        raise WrongEntry(seq + 1, f"is missing, but the file has a text for entry {words.rest.next.seq}")
    derived.end()
    progress(seq % PROGRESS_STEP)
    return Verified(entries=seq, postings=postings, marks=marks, words=words.count, away=words.away)


class WordsCheck(EntryCheck):
    """Whether the words beside an entry match its commitments; counts them.

    `rest` are the words of all entries that come. `erased` says by entry and field which were erased. If that is not
    known yet (`None`), the entries that lack words are collected.
    """

    def __init__(self, words: ByEntry[StoredWord], erased: Mapping[int, Mapping[str, int]] | None) -> None:
        self.rest = words
        self._erased = erased
        self.count = self.away = 0
        self.lacking = set[int]()

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        rows = self.rest.up_to(entry.seq)
        if not rows and not entry.is_worded:
            return
        words = {word.field: (word.salt, word.text) for word in rows if word.seq == entry.seq}
        expected = {field: (kind, digest) for field, kind, digest in entry.committed()}
        erased = None if self._erased is None else self._erased.get(entry.seq, {})
        yield from ((entry.seq, says) for says in word_faults(expected, words, erased))
        yield from (
            (entry.seq, f"comes after a misplaced text, which is for entry {word.seq}")
            for word in rows
            if word.seq != entry.seq
        )
        for field, (kind, _) in expected.items():
            if field in words and not can_be_shown(field, kind, words[field][1]):
                yield entry.seq, f"{UNSHOWN} ({field})"
        if self._erased is None and any(
            kind == CommittedText.KEY and field not in words for field, (kind, _) in expected.items()
        ):
            self.lacking.add(entry.seq)
        self.count += len(words)
        self.away += sum(kind == Secret.KEY and field not in words for field, (kind, _) in expected.items())


class Derived(Protocol):
    """Takes the rows and nodes that entries make."""

    def take(self, entry: Entry, rows: Rows) -> None:
        """Take a checked entry, and the rows that it makes."""

    def end(self) -> None:
        """Finish after the last entry."""


class RowWriter:
    """Writes the rows and nodes of entries. The caller holds the write lock, unless they are in memory."""

    def __init__(self, book: Book) -> None:
        self._storage = book.journal.storage
        self._tree = GrowingTree(book.journal)

    def take(self, entry: Entry, rows: Rows) -> None:
        for node in self._tree.add(entry.leaf):
            self._storage.nodes.put(node)
        if rows.postings or rows.marks:
            self._storage.rows.put(*rows)

    def end(self) -> None:
        """Do nothing: the rows of each entry are written as it comes."""


class Comparison:
    """Compares the rows and nodes that entries make with those in a file."""

    def __init__(self, journal: Journal) -> None:
        self._postings, self._marks = ByEntry(journal.storage.rows.postings()), ByEntry(journal.storage.rows.marks())
        self._nodes, self._tree = journal.nodes(), GrowingTree(journal)

    def take(self, entry: Entry, rows: Rows) -> None:
        for name, expected, stored in (
            ("score changes", rows.postings, self._postings),
            ("marks", rows.marks, self._marks),
        ):
            if stored.up_to(entry.seq) != expected:
                raise TablesDiffer(f"the {name} stored for entry {entry.seq} do not match this entry")
        self._compare_nodes(entry)

    def end(self) -> None:
        if self._postings.up_to(BOUND) or self._marks.up_to(BOUND) or next(self._nodes, None) is not None:
            raise TablesDiffer("some of them belong to no entry")

    def _compare_nodes(self, entry: Entry) -> None:
        for node in self._tree.add(entry.leaf):
            if next(self._nodes, None) != node:
                raise TablesDiffer(f"the fingerprints (hashes) stored with entry {entry.seq} do not match the entries")


class GrowingTree:
    """Makes the nodes that each leaf completes; makes none for a file without nodes."""

    def __init__(self, journal: Journal) -> None:
        self._keeps_nodes = journal.storage.has_nodes()
        self._size = 0
        self._left: list[bytes] = []  # of the complete subtrees, the largest first

    def add(self, leaf: bytes) -> Iterator[StoredNode]:
        """Yield the nodes that the next leaf completes, the lowest first."""
        below = leaf
        for level, place in completed(self._size) if self._keeps_nodes else ():
            below = node_hash(self._left.pop(), below)
            yield StoredNode(level, place, below)
        self._left.append(below)
        self._size += 1


class ByEntry(Generic[OfEntry]):
    """Rows or words of the entries, in their order, handed out entry by entry; `next` is the first of the rest."""

    def __init__(self, rows: Iterator[OfEntry]) -> None:
        self._rows: Iterator[OfEntry] = rows
        self.next: OfEntry | None = next(rows, None)

    def up_to(self, seq: int) -> list[OfEntry]:
        """The remaining rows up to those of an entry."""
        rows: list[OfEntry] = []
        while self.next is not None and self.next.seq <= seq:
            rows.append(self.next)
            self.next = next(self._rows, None)
        return rows


def erasures(book: Book) -> dict[int, dict[str, int]]:
    """The erased words, by entry and field, with the entry that erased them.

    It reads these entries before they are checked, and skips malformed ones: their own checks report them later.
    """
    all_erased: dict[int, dict[str, int]] = {}
    for stored in book.journal.storage.entries.naming((WordsErased.type,), 1, ("erased",)):
        with suppress(NotCanonical):
            body = parse_json(stored.body)
            is_erasure = isinstance(body, dict) and body.get("type") == WordsErased.type
            erased = body.get("erased") if is_erasure else None
            for seq, fields in erased.items() if isinstance(erased, dict) else ():
                names = (field for field in fields if isinstance(field, str)) if isinstance(fields, list) else ()
                all_erased.setdefault(entry_number(seq), {}).update(dict.fromkeys(names, stored.seq))
    return all_erased
