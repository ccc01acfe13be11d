"""Verify: whether the file is whole.

Every stored body hashes to its leaf, is its own canonical form, has a known shape and its right place; the accounts and
the tree are what the entries say; the words are what was committed to. A file that was rewritten throughout, hashes and
all, is whole too: only what others keep of it can prove more.

The rows that an entry adds are made from it and compared with those of the file; what stood before an entry is then
read from rows that were compared. Where they differ, the same is done again with rows made in memory, to tell a journal
that is not whole from derived tables that are not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from ledger.audit.check import Before, Check, Checks, Fault, refuse
from ledger.audit.marks import Marks, Moves
from ledger.audit.places import Places, Retakes
from ledger.audit.references import Balances, Ids, References
from ledger.audit.seals import Told
from ledger.audit.strikes import Strikes
from ledger.audit.structure import Dice, Facts, entry_of
from ledger.errors import NotCanonical, TablesDiffer, WrongEntry
from ledger.events.canonical import parse_json
from ledger.events.commitments import Secret, committed, wrong_words
from ledger.events.entry import Entry
from ledger.events.rows import BOUND, MarkRow, PostingRow, Rows
from ledger.events.subjects import number
from ledger.events.types import WordsErased
from ledger.journal.book import Book
from ledger.journal.memory import Anew
from ledger.journal.store import Journal
from ledger.journal.stored import StoredWord
from ledger.tlog.tree import completed, node_hash
from ledger.trust.heads import check_own
from ledger.values import Struct

OfEntry = TypeVar("OfEntry", PostingRow, MarkRow, StoredWord)

PROGRESS_STEP = 1000

MOST = 2**62
"""More than all amounts that fit into a journal come to."""

Progress = Callable[[int], None]
"""Called with the number of entries that were looked at since the last call."""


class Whole(Struct):
    """What was found whole, by count; `away` are secrets whose words are not in this file."""

    entries: int
    postings: int
    marks: int
    words: int
    away: int = 0


def quiet(entries: int) -> None:
    """Show no progress."""


def verify(book: Book, progress: Progress = quiet) -> Whole:
    """Check a whole file; refuses (`WrongEntry`) with the first entry that is wrong, whatever is wrong with it.

    Before that the file's own guards: `NotGuarded` where its tables or triggers are not as this program makes them,
    `Damaged` where it cannot be read. At last the heads that it carries: `Altered` where they are of other entries.
    `TablesDiffer` where all that is well, and the derived tables alone are not. It is checked as it stands at the
    beginning, whoever writes meanwhile.
    """
    with book.journal.reading():
        try:
            if wrong := book.journal.storage.check_guards():
                raise TablesDiffer(wrong)
            return check_entries(book, Comparison(book.journal), progress)
        except TablesDiffer as differ:
            anew = Book(Journal(Anew(book.journal.storage)))
            check_entries(anew, Writer(anew), quiet)
            raise TablesDiffer(differ.what, whole=True) from None


def checks(book: Book, words: "Words") -> tuple[Check, ...]:
    """All that is checked of each entry, in order: what is found first is what the entry is refused for."""
    return (
        Places(),  # where it stands
        References(),  # whom and which entries it names
        Strikes(),  # what it strikes
        Marks(),  # what it marks
        Moves(),  # what it posts
        Dice(),  # what was thrown, and is counted
        Retakes(),  # in whose place it counts
        Facts(),  # keys, policies, days
        words,
        Balances(),  # how the accounts stood
        Ids(book),  # under which id it was written
        Told(book),  # whether what was told of sealed rolls is what was sealed
    )


def check_entries(book: Book, derived: "Derived", progress: Progress) -> Whole:
    """Check the entries, their words and the signed heads, one entry after the other; each is handed to `derived`.

    What stood before an entry is read from the rows of the book. Refuses like `verify`.
    """
    beside = ByEntry(book.words.all())
    words = Words(beside.up_to, _erased(book))
    every = Checks(checks(book, words), book)
    seq = postings = marks = 0
    for seq, kept in enumerate(book.journal.stored(), 1):
        if kept.seq != seq:
            raise WrongEntry(seq, "is missing")
        entry = entry_of(*kept)
        refuse(every.look(entry))
        rows = book.accounts.rows_of(entry.body)
        if any(max(abs(row.amount), abs(row.balance)) > MOST for row in rows.postings):
            raise WrongEntry(seq, "moves scores beyond all that is ever written")
        derived.take(entry, rows)
        postings, marks = postings + len(rows.postings), marks + len(rows.marks)
        if seq % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
    if seq == 0:
        raise WrongEntry(1, "is missing: the journal is empty")
    refuse(every.end())
    if beside.next is not None:
        raise WrongEntry(seq + 1, f"is missing, though there are words for entry {beside.next.seq}")
    derived.end()
    progress(seq % PROGRESS_STEP)
    check_own(book)
    return Whole(entries=seq, postings=postings, marks=marks, words=words.count, away=words.away)


class Words(Check):
    """Whether the words beside an entry are those that it committed to, and counts them.

    `words` is asked for those of each entry, in order, once; `erased` says by entry and field which were erased, None
    where that is not known yet.
    """

    def __init__(
        self, words: Callable[[int], Iterable[StoredWord]], erased: Mapping[int, Mapping[str, int]] | None
    ) -> None:
        self._words = words
        self._erased = erased
        self.count = self.away = 0

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield what is wrong with the words of an entry."""
        kept = {word.field: (word.salt, word.text) for word in self._words(entry.seq)}
        erased = None if self._erased is None else self._erased.get(entry.seq, {})
        said = committed(entry.body)
        yield from ((entry.seq, says) for says in wrong_words(said, kept, erased))
        self.count += len(kept)
        self.away += sum(kind == Secret.KEY and field not in kept for field, (kind, _) in said.items())


class Derived(Protocol):
    """What is to be done with the rows and nodes that entries make."""

    def take(self, entry: Entry, rows: Rows) -> None:
        """Take an entry that was checked, and the rows that it makes."""

    def end(self) -> None:
        """Come to an end after the last entry."""


class Writer:
    """Writes the rows and nodes of entries; the write lock is held, or they lie in memory."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def take(self, entry: Entry, rows: Rows) -> None:
        """Write those of an entry."""
        if self._book.journal.storage.has_nodes():
            self._book.journal.complete(entry.seq, entry.leaf)
        self._book.accounts.rows.put(*rows)

    def end(self) -> None:
        """All is written."""


class Comparison:
    """Compares the rows and nodes that entries make with those that a file keeps."""

    def __init__(self, journal: Journal) -> None:
        self._postings, self._marks = ByEntry(journal.storage.rows.postings()), ByEntry(journal.storage.rows.marks())
        self._has_nodes, self._nodes = journal.storage.has_nodes(), journal.nodes()
        self._left: dict[tuple[int, int], bytes] = {}

    def take(self, entry: Entry, rows: Rows) -> None:
        """Refuse (`TablesDiffer`) where those of an entry are others."""
        for name, made, stored in (("postings", rows.postings, self._postings), ("marks", rows.marks, self._marks)):
            if stored.up_to(entry.seq) != made:
                raise TablesDiffer(f"entry {entry.seq} has other {name} than it says")
        self._compare_nodes(entry)

    def end(self) -> None:
        """Refuse (`TablesDiffer`) rows and nodes of no entry."""
        if self._postings.up_to(BOUND) or self._marks.up_to(BOUND) or next(self._nodes, None) is not None:
            raise TablesDiffer("there are rows of no entry")

    def _compare_nodes(self, entry: Entry) -> None:
        """Work out the nodes that a leaf completes, from the leaf and from those on their left."""
        at, below = (0, entry.seq - 1), entry.leaf
        for level, place in completed(entry.seq - 1) if self._has_nodes else ():
            below = node_hash(self._left.pop((level - 1, 2 * place)), below)
            at = (level, place)
            if next(self._nodes, None) != (level, place, below):
                raise TablesDiffer(f"entry {entry.seq} has other nodes of the tree than its leaves make")
        self._left[at] = below


class ByEntry(Generic[OfEntry]):
    """What lies beside the entries, in their order, handed out entry by entry; `next` is what comes then."""

    def __init__(self, rows: Iterator[OfEntry]) -> None:
        self._rows: Iterator[OfEntry] = rows
        self.next: OfEntry | None = next(rows, None)

    def up_to(self, seq: int) -> list[OfEntry]:
        """The remaining items up to those of an entry."""
        found: list[OfEntry] = []
        while self.next is not None and self.next.seq <= seq:
            found.append(self.next)
            self.next = next(self._rows, None)
        return found


def _erased(book: Book) -> dict[int, dict[str, int]]:
    """Which words were erased, by entry and field, with the entry that says so.

    These entries are read before they are checked: what is no erasure is left for its turn.
    """
    found: dict[int, dict[str, int]] = {}
    for kept in book.journal.storage.entries.naming((WordsErased.type,), 1, ("erased",)):
        with suppress(NotCanonical):
            body = parse_json(kept.body)
            is_erasure = isinstance(body, dict) and body.get("type") == WordsErased.type
            erased = body.get("erased") if is_erasure else None
            for seq, fields in erased.items() if isinstance(erased, dict) else ():
                named = (field for field in fields if isinstance(field, str)) if isinstance(fields, list) else ()
                found.setdefault(number(seq), {}).update(dict.fromkeys(named, kept.seq))
    return found
