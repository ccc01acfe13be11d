"""Verify: whether the file is whole.

Every stored body hashes to its leaf, is its own canonical form, has a known shape and its right place; the accounts and
the tree are what the entries say; the words are what was committed to. A file that was rewritten throughout, hashes and
all, is whole too: only what others keep of it can prove more.

The rows that an entry adds are made from it and compared with those of the file; what stood before an entry is then
read from rows that were compared. Where they differ, the same is done again with rows made in memory, to tell a journal
that is not whole from derived tables that are not.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Protocol

from ledger.audit.structure import CARRYING, Check, number
from ledger.corrections.seals import unsealed
from ledger.errors import TablesDiffer, WrongEntry
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Secret, check_words
from ledger.events.entry import Entry, plain, type_of
from ledger.events.rows import BOUND, Body, MarkRow, PostingRow, Rows
from ledger.events.subjects import QUESTIONS, REVEALED
from ledger.events.types import LimitCrossed, RollSealed, ScoreAsserted, SecretRevealed, WordsErased
from ledger.journal.accounts import Accounts, When
from ledger.journal.book import Book
from ledger.journal.memory import Anew
from ledger.journal.storage import StoredEntry
from ledger.journal.store import Journal
from ledger.tlog.tree import completed, node_hash
from ledger.trust.heads import check_own
from ledger.values import Shape

PROGRESS_STEP = 1000

MOST = 2**62
"""More than all amounts that fit into a journal come to."""

SEALED = ("thrown", "ruling", "consequences")
"""What a sealed roll keeps."""

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
        body = check.entry(expected, *kept)
        away += check_words(expected, body, texts.pop(expected, {}), erased.get(expected, {}))
        check_standing(body, book.accounts)
        rows = derived.take(kept, body)
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

    def take(self, kept: StoredEntry, body: Body) -> Rows:
        """Take an entry that was checked; return its rows."""

    def end(self) -> None:
        """Come to an end after the last entry."""


class Writer:
    """Writes the rows and nodes of entries; the write lock is held, or they lie in memory."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def take(self, kept: StoredEntry, body: Body) -> Rows:
        """Write those of an entry."""
        if self._book.journal.storage.has_nodes():
            self._book.journal.complete(kept.seq, kept.leaf)
        return self._book.accounts.post(body)

    def end(self) -> None:
        """All is written."""


class Compared:
    """Compares the rows and nodes that entries make with those that a file keeps."""

    def __init__(self, journal: Journal) -> None:
        self._accounts = Accounts(journal.storage.rows, journal.storage.entries)
        self._postings, self._marks = _ByEntry(self._accounts.rows.postings()), _ByEntry(self._accounts.rows.marks())
        self._has_nodes, self._nodes = journal.storage.has_nodes(), journal.nodes()
        self._left: dict[tuple[int, int], bytes] = {}

    def take(self, kept: StoredEntry, body: Body) -> Rows:
        """Refuse (`TablesDiffer`) where those of an entry are others."""
        rows = self._accounts.rows_of(body)
        for name, made, stored in (("postings", rows.postings, self._postings), ("marks", rows.marks, self._marks)):
            if stored.up_to(kept.seq) != made:
                raise TablesDiffer(f"entry {kept.seq} has other {name} than it says")
        self._compare_nodes(kept)
        return rows

    def end(self) -> None:
        """Refuse (`TablesDiffer`) rows and nodes of no entry."""
        if self._postings.up_to(BOUND) or self._marks.up_to(BOUND) or next(self._nodes, None) is not None:
            raise TablesDiffer("there are rows of no entry")

    def _compare_nodes(self, kept: StoredEntry) -> None:
        """Work out the nodes that a leaf completes, from the leaf and from those on their left."""
        at, below = (0, kept.seq - 1), kept.leaf
        for level, place in completed(kept.seq - 1) if self._has_nodes else ():
            below = node_hash(self._left.pop((level - 1, 2 * place)), below)
            at = (level, place)
            if next(self._nodes, None) != (level, place, below):
                raise TablesDiffer(f"entry {kept.seq} has other nodes of the tree than its leaves make")
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


def check_standing(body: Body, accounts: Accounts) -> None:
    """Refuse what an entry says of the accounts as they stood before it, where they stood otherwise."""
    seq, before = body["seq"], When(seq=body["seq"] - 1)
    asked = body.get("answers", body.get("question"))
    if asked is not None and accounts.mark(QUESTIONS, str(asked), before) is not False:
        raise WrongEntry(seq, f"answers #{asked}, which did not wait")
    if body["type"] in CARRYING:
        for mark in body["marks"]:
            if mark["who"] == QUESTIONS and not accounts.mark(QUESTIONS, mark["name"], before):
                raise WrongEntry(seq, f"takes over #{mark['name']}, which nobody had settled")
    if body["type"] == SecretRevealed.type and accounts.mark(REVEALED, str(body["about"]), before) is not None:
        raise WrongEntry(seq, f"reveals #{body['about']}, which was told already")
    said = {body["score"]: body["value"]} if body["type"] == LimitCrossed.type else {}
    if body["type"] == ScoreAsserted.type:
        said = body["stood"]
        if said.keys() != body["claimed"].keys():
            raise WrongEntry(seq, "asserts other scores than it compares")
    for score, stood in said.items():
        if (accounts.balance(body["who"], score, before) or 0) != stood:
            raise WrongEntry(seq, f"says that {score} of {body['who']} stood at {stood}, which it did not")


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
    for telling in book.journal.naming((SecretRevealed.type,), 1, ("about",)):
        sealed = book.entry(telling.body["about"], secrets=True)
        if sealed.type != RollSealed.type or any(_is_kept(sealed.body[name]) for name in SEALED):
            continue
        try:
            events = list(unsealed(sealed, telling.seq + 1))
        except (AttributeError, KeyError, TypeError, ValueError):  # whoever sealed it wrote what they liked
            raise WrongEntry(sealed.seq, "has sealed what is no roll") from None
        told = list(book.journal.entries(telling.seq + 1, telling.seq + len(events)))
        for (event, cause), entry in zip_longest(events, told):
            place = {"type": type_of(event), "since": sealed.seq, "act": telling.act, "cause": cause or telling.seq}
            if entry is None or not _is_told(plain(event) | place, _copied(book, entry), book.words.of(entry.seq)):
                raise WrongEntry(telling.seq, f"does not tell what #{sealed.seq} had sealed")


def _copied(book: Book, entry: Entry) -> dict[str, Any]:
    place = {"type": entry.type, "since": entry.since, "act": entry.act, "cause": entry.cause}
    return {**plain(book.copy(entry.seq)), **place}


def _is_told(event: Mapping[str, Any], body: Mapping[str, Any], left: Container[str]) -> bool:
    """Whether an entry says what an event does, as far as its words are still in the file."""
    said = {name: body[name] for name in event if name in body}
    gone = {path: "" for path, held in nodes(said) if isinstance(held, Said) and path not in left}
    return bool(changed({name: event[name] for name in said}, gone) == changed(said, gone))


def _is_kept(held: Any) -> bool:
    return isinstance(held, dict) and (held.keys() == {Said.KEY} or held.keys() == {Secret.KEY})
