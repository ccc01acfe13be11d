"""Verify: whether the file is whole.

Every stored body hashes to its leaf, is its own canonical form, has a known shape and its right place; the accounts and
the tree are what the entries say; the words are what was committed to. A file that was rewritten throughout, hashes and
all, is whole too: only what others keep of it can prove more.

The rows that an entry adds are made from it and compared with those of the file; what stood before an entry is then
read from rows that were compared. Where they differ, the same is done again with rows made in memory, to tell a journal
that is not whole from derived tables that are not.
"""

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Protocol

from ledger.audit.structure import CARRYING, Check, number
from ledger.corrections.seals import unsealed
from ledger.errors import Away, TablesDiffer, WrongEntry
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Secret, check_words
from ledger.events.entry import Entry, answered, plain, type_of
from ledger.events.rows import BOUND, MarkRow, PostingRow, Rows
from ledger.events.subjects import QUESTIONS, REVEALED
from ledger.events.types import (
    AnyEvent,
    Event,
    LimitCrossed,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    WordsErased,
)
from ledger.journal.accounts import Accounts, When
from ledger.journal.book import Book
from ledger.journal.memory import Anew
from ledger.journal.store import Journal
from ledger.tlog.tree import completed, node_hash
from ledger.trust.heads import check_own
from ledger.values import Shape

PROGRESS_STEP = 1000

MOST = 2**62
"""More than all amounts that fit into a journal come to."""

Progress = Callable[[int], None]
"""Called with the number of entries that were looked at since the last call."""


class Whole(Shape):
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
            return check_entries(book, Compared(book.journal), progress)
        except TablesDiffer as differ:
            anew = Book(Journal(Anew(book.journal.storage)))
            check_entries(anew, Writer(anew), quiet)
            raise TablesDiffer(differ.what, whole=True) from None


def check_entries(book: Book, derived: "Derived", progress: Progress) -> Whole:
    """Check the entries, their words and the signed heads, one entry after the other; each is handed to `derived`.

    What stood before an entry is read from the rows of the book. Refuses like `verify`.
    """
    check, expected, away, postings, marks = Check(), 1, 0, 0, 0
    texts, erased = _words_by_entry(book), _erased(book)
    words = sum(map(len, texts.values()))
    for kept in book.journal.stored():
        entry = check.entry(expected, *kept)
        away += check_words(expected, entry.body, texts.pop(expected, {}), erased.get(expected, {}))
        check_standing(entry, book.accounts)
        rows = derived.take(entry)
        if any(abs(row.balance) > MOST for row in rows.postings):
            raise WrongEntry(expected, "moves scores beyond all that is ever written")
        postings, marks = postings + len(rows.postings), marks + len(rows.marks)
        if expected % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
        expected += 1
    check.end()
    derived.end()
    progress((expected - 1) % PROGRESS_STEP)
    if expected == 1:
        raise WrongEntry(1, "is missing: the journal is empty")
    if texts:
        raise WrongEntry(expected, f"is missing, though there are words for entry {min(texts)}")
    _check_told(book)
    check_own(book)
    return Whole(entries=expected - 1, postings=postings, marks=marks, words=words, away=away)


class Derived(Protocol):
    """What is to be done with the rows and nodes that entries make."""

    def take(self, entry: Entry) -> Rows:
        """Take an entry that was checked; return its rows."""

    def end(self) -> None:
        """Come to an end after the last entry."""


class Writer:
    """Writes the rows and nodes of entries; the write lock is held, or they lie in memory."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def take(self, entry: Entry) -> Rows:
        """Write those of an entry."""
        if self._book.journal.storage.has_nodes():
            self._book.journal.complete(entry.seq, entry.leaf)
        return self._book.accounts.post(entry.body)

    def end(self) -> None:
        """All is written."""


class Compared:
    """Compares the rows and nodes that entries make with those that a file keeps."""

    def __init__(self, journal: Journal) -> None:
        self._accounts = Accounts(journal.storage.rows, journal.storage.entries)
        self._postings, self._marks = _ByEntry(self._accounts.rows.postings()), _ByEntry(self._accounts.rows.marks())
        self._has_nodes, self._nodes = journal.storage.has_nodes(), journal.nodes()
        self._left: dict[tuple[int, int], bytes] = {}

    def take(self, entry: Entry) -> Rows:
        """Refuse (`TablesDiffer`) where those of an entry are others."""
        rows = self._accounts.rows_of(entry.body)
        for name, made, stored in (("postings", rows.postings, self._postings), ("marks", rows.marks, self._marks)):
            if stored.up_to(entry.seq) != made:
                raise TablesDiffer(f"entry {entry.seq} has other {name} than it says")
        self._compare_nodes(entry)
        return rows

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


class _ByEntry:
    """Rows in the order of the entries that wrote them, handed out entry by entry."""

    def __init__(self, rows: Iterator[PostingRow] | Iterator[MarkRow]) -> None:
        self._rows = rows
        self._ahead = next(rows, None)

    def up_to(self, seq: int) -> list[PostingRow | MarkRow]:
        """Return the rows that were not handed out yet, up to those of an entry."""
        found: list[PostingRow | MarkRow] = []
        while self._ahead is not None and self._ahead.seq <= seq:
            found.append(self._ahead)
            self._ahead = next(self._rows, None)
        return found


def check_standing(entry: Entry, accounts: Accounts) -> None:
    """Refuse what an entry says of the accounts as they stood before it, where they stood otherwise."""
    seq, event, before = entry.seq, entry.event, When(seq=entry.seq - 1)
    asked = answered(event)
    if asked is not None and accounts.mark(QUESTIONS, str(asked), before) is not False:
        raise WrongEntry(seq, f"answers #{asked}, which did not wait")
    if isinstance(event, CARRYING):
        for mark in event.marks:
            if mark.who == QUESTIONS and not accounts.mark(QUESTIONS, mark.name, before):
                raise WrongEntry(seq, f"takes over #{mark.name}, which nobody had settled")
    if isinstance(event, SecretRevealed) and accounts.mark(REVEALED, str(event.about), before) is not None:
        raise WrongEntry(seq, f"reveals #{event.about}, which was told already")
    if isinstance(event, ScoreAsserted) and event.stood.keys() != event.claimed.keys():
        raise WrongEntry(seq, "asserts other scores than it compares")
    for who, score, stood in _stood(event):
        if (accounts.balance(who, score, before) or 0) != stood:
            raise WrongEntry(seq, f"says that {score} of {who} stood at {stood}, which it did not")


def _stood(event: AnyEvent) -> Iterator[tuple[str, str, int]]:
    """Yield what an event says that scores stood at before it."""
    match event:
        case LimitCrossed(who=who, score=score, value=value):
            yield who, score, value
        case ScoreAsserted(who=who, stood=stood):
            yield from ((who, score, value) for score, value in stood.items())


def _words_by_entry(book: Book) -> dict[int, dict[str, tuple[bytes, str]]]:
    found: dict[int, dict[str, tuple[bytes, str]]] = {}
    for seq, field, salt, text in book.words.all():
        found.setdefault(seq, {})[field] = (salt, text)
    return found


def _erased(book: Book) -> dict[int, dict[str, int]]:
    """Return which words were erased, by entry and field, with the entry that says so."""
    found: dict[int, dict[str, int]] = {}
    for entry in book.journal.naming((WordsErased.type,), 1, ("erased",)):
        erased = entry.body.get("erased")
        for seq, fields in erased.items() if isinstance(erased, dict) else ():
            named = (field for field in fields if isinstance(field, str)) if isinstance(fields, list) else ()
            found.setdefault(number(seq), {}).update(dict.fromkeys(named, entry.seq))
    return found


def _check_told(book: Book) -> None:
    """Refuse (`WrongEntry`) the first entry that is not what was sealed, though it says so."""
    tellings = book.journal.naming((SecretRevealed.type,), 1, ("about",))
    for telling, about in ((each, each.event.about) for each in tellings if isinstance(each.event, SecretRevealed)):
        sealed = book.entry(about, secrets=True)
        kept = sealed_in(sealed.event) if isinstance(sealed.event, RollSealed) else ()
        if not kept or any(each.state != "open" for each in kept):
            continue
        try:
            events = list(unsealed(sealed, telling.seq + 1))
        except (AttributeError, KeyError, TypeError, ValueError):  # whoever sealed it wrote what they liked
            raise WrongEntry(sealed.seq, "has sealed what is no roll") from None
        told = list(book.journal.entries(telling.seq + 1, telling.seq + len(events)))
        for (event, cause), entry in zip_longest(events, told):
            place = sealed.seq, telling.act, cause or telling.seq
            if entry is None or (entry.since, entry.act, entry.cause) != place or not _tells(book, entry, event):
                raise WrongEntry(telling.seq, f"does not tell what #{sealed.seq} had sealed")


def sealed_in(event: RollSealed) -> tuple[Secret, Secret, Secret]:
    """Return what a sealed roll keeps."""
    return event.thrown, event.ruling, event.consequences


def _tells(book: Book, entry: Entry, event: Event) -> bool:
    """Whether an entry says what an event does, as far as its words are still in the file.

    Refuses (`Away`) one of which a secret is not in this file.
    """
    said, left = plain(entry.event), book.words.of(entry.seq)
    words = {path: held for path, held in nodes(said) if isinstance(held, Said)}
    if any(isinstance(held, Secret) and path not in left for path, held in words.items()):
        raise Away(entry.seq)
    gone = {path: "" for path in words if path not in left}
    here = {path: type(held)(text=left[path]) for path, held in words.items() if path in left}
    return type_of(event) == entry.type and bool(changed(plain(event), gone) == changed(said, gone | here))
