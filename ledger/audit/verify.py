"""Verify: whether the file is whole.

Every stored body hashes to its leaf, is its own canonical form, has a known shape and its right place; the accounts and
the tree are what the entries say; the words are what was committed to. A file that was rewritten throughout, hashes and
all, is whole too: only what others keep of it can prove more.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from ledger.audit.structure import CARRYING, Check, number
from ledger.corrections.seals import unsealed
from ledger.errors import WrongEntry
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Secret, check_words
from ledger.events.entry import plain, type_of
from ledger.events.rows import MarkRow, PostingRow
from ledger.events.subjects import QUESTIONS, REVEALED
from ledger.events.types import LimitCrossed, RollSealed, ScoreAsserted, SecretRevealed, WordsErased
from ledger.journal.accounts import Accounts
from ledger.journal.book import Book
from ledger.journal.storage import RowTable
from ledger.journal.store import Journal, memory_journal
from ledger.trust.heads import check_own
from ledger.values import Shape

PROGRESS_STEP = 1000

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
    `Damaged` where it cannot be read. At last the heads that it carries: `Altered` where they are of other entries. It
    is checked as it stands at the beginning, whoever writes meanwhile.
    """
    beside = Book(memory_journal())
    try:
        with book.journal.reading():
            book.journal.storage.check_guards()
            problem, entries, away = _replayed(book, beside, progress)
            derived = _accounts_differ(book.accounts.rows, beside.accounts.rows)
            nodes = None if problem else _nodes_differ(book.journal, beside.journal)
            told = None if problem else _told_otherwise(book)
            wrong = [found for found in (problem, derived, nodes, told) if found is not None]
            if wrong:
                raise min(wrong, key=lambda found: found.seq)
            check_own(book)
            rows = book.accounts.rows
            postings, marks = (sum(1 for _ in each()) for each in (rows.postings, rows.marks))
            words = sum(1 for _ in book.words.all())
            return Whole(entries=entries, postings=postings, marks=marks, words=words, away=away)
    finally:
        beside.close()


def _replayed(book: Book, beside: Book, progress: Progress) -> tuple[WrongEntry | None, int, int]:
    check = Check()
    words, erased = _words_by_entry(book), _erased(book)
    expected, away = 1, 0
    try:
        for seq, stored, leaf in book.journal.stored():
            body = check.entry(expected, seq, stored, leaf)
            away += check_words(seq, body, words.pop(seq, {}), erased.get(seq, {}))
            check_standing(seq, body, beside.accounts)
            beside.journal.append(seq, stored)
            beside.accounts.post(body)
            if seq % PROGRESS_STEP == 0:
                progress(PROGRESS_STEP)
            expected += 1
        check.end()
    except WrongEntry as found:
        return found, expected - 1, away
    except OverflowError:
        return WrongEntry(expected, "moves scores beyond all that is ever written"), expected - 1, away
    progress((expected - 1) % PROGRESS_STEP)
    if expected == 1:
        return WrongEntry(1, "is missing: the journal is empty"), 0, away
    if words:
        missing = f"is missing, though there are words for entry {min(words)}"
        return WrongEntry(expected, missing), expected - 1, away
    return None, expected - 1, away


def check_standing(seq: int, body: Mapping[str, Any], accounts: Accounts) -> None:
    """Refuse what an entry says of the accounts as they stood before it, where they stood otherwise."""
    asked = body.get("answers", body.get("question"))
    if asked is not None and accounts.mark(QUESTIONS, str(asked)) is not False:
        raise WrongEntry(seq, f"answers #{asked}, which did not wait")
    if body["type"] in CARRYING:
        for mark in body["marks"]:
            if mark["who"] == QUESTIONS and not accounts.mark(QUESTIONS, mark["name"]):
                raise WrongEntry(seq, f"takes over #{mark['name']}, which nobody had settled")
    if body["type"] == SecretRevealed.type and accounts.mark(REVEALED, str(body["about"])) is not None:
        raise WrongEntry(seq, f"reveals #{body['about']}, which was told already")
    said = {body["score"]: body["value"]} if body["type"] == LimitCrossed.type else {}
    if body["type"] == ScoreAsserted.type:
        said = body["stood"]
        if said.keys() != body["claimed"].keys():
            raise WrongEntry(seq, "asserts other scores than it compares")
    for score, stood in said.items():
        if (accounts.balance(body["who"], score) or 0) != stood:
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


def _told_otherwise(book: Book) -> WrongEntry | None:
    """Return the first entry that is not what was sealed, though it says so, None where all are."""
    for telling in book.journal.naming((SecretRevealed.type,), 1, ("about",)):
        sealed = book.entry(telling.body["about"], secrets=True)
        if sealed.type != RollSealed.type or any(_is_kept(sealed.body[name]) for name in SEALED):
            continue
        try:
            events = list(unsealed(sealed, telling.seq + 1))
        except (AttributeError, KeyError, TypeError, ValueError):  # whoever sealed it wrote what they liked
            return WrongEntry(sealed.seq, "has sealed what is no roll")
        told = list(book.journal.entries(telling.seq + 1, telling.seq + len(events)))
        for (event, cause), entry in zip_longest(events, told):
            place = {"type": type_of(event), "since": sealed.seq, "act": telling.act, "cause": cause or telling.seq}
            if entry is None or not _is_told(plain(event) | place, book.copy(entry.seq), book.words.of(entry.seq)):
                return WrongEntry(telling.seq, f"does not tell what #{sealed.seq} had sealed")
    return None


def _is_told(event: Mapping[str, Any], body: Mapping[str, Any], left: Container[str]) -> bool:
    """Whether an entry says what an event does, as far as its words are still in the file."""
    said = {name: body[name] for name in event if name in body}
    gone = {path: "" for path, held in nodes(said) if isinstance(held, Said) and path not in left}
    return bool(changed({name: event[name] for name in said}, gone) == changed(said, gone))


def _is_kept(held: Any) -> bool:
    return isinstance(held, dict) and (held.keys() == {Said.KEY} or held.keys() == {Secret.KEY})


def _nodes_differ(stored: Journal, worked_out: Journal) -> WrongEntry | None:
    """Return the first entry whose nodes of the tree are not those of the leaves, None where all are."""
    both = zip_longest(stored.nodes(), worked_out.nodes() if stored.storage.has_nodes() else ())
    for one, other in both:
        if one != other:
            seqs = ((row[1] + 1) << row[0] for row in (one, other) if row is not None)
            return WrongEntry(min(seqs), "has other nodes of the tree than its leaves make")
    return None


def _accounts_differ(stored: RowTable, worked_out: RowTable) -> WrongEntry | None:
    """Return the first entry whose postings or marks are not as the entries say, None where all are."""
    differing: list[tuple[int, str]] = []
    tables: dict[str, Callable[[RowTable], Iterator[PostingRow | MarkRow]]] = {
        "postings": lambda rows: rows.postings(),
        "marks": lambda rows: rows.marks(),
    }
    for table, rows in tables.items():
        for one, other in zip_longest(rows(stored), rows(worked_out)):
            if one != other:
                differing.append((min(row.seq for row in (one, other) if row is not None), table))
                break
    if not differing:
        return None
    seq, table = min(differing)
    return WrongEntry(seq, f"has other {table} than it says")
