"""Import: an export read back, each line checked as it comes, into a new campaign."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from os import path, unlink, walk

from ledger.archive.format import (
    CHECKPOINT,
    CHECKPOINTS,
    JOURNAL,
    TILES,
    WORDS,
    Signed,
    Word,
    entries_in,
    holds,
    lines_in,
    objects_in,
    tiles_of,
    wrong_line,
)
from ledger.audit.check import Checks, refuse
from ledger.audit.structure import entry_of
from ledger.audit.verify import PROGRESS_STEP, Progress, Whole, Words, checks, quiet, verify
from ledger.errors import Altered, BadInput, NotWhole, Unproven, WrongEntry
from ledger.events.commitments import COMMITMENT, commitments
from ledger.events.entry import LARGEST_ENTRY
from ledger.journal.book import Book
from ledger.journal.store import create_journal, memory_journal
from ledger.journal.stored import StoredWord
from ledger.tlog.note import open_note
from ledger.trust.heads import keys
from ledger.values import Struct


class Imported(Struct):
    """What was imported: all of it whole, the signed heads, and the root of the tree."""

    whole: Whole
    checkpoints: int
    root: bytes


def take_in(folder: str, file: str | None, progress: Progress = quiet) -> Imported:
    """Read an export into a new campaign file, checking each entry as it comes, and at the end the whole.

    Refuses with the first entry that is wrong (`WrongEntry`), with lines and tiles that are not as an export has them
    (`NotWhole`), and with signed heads that are of other entries, or signed by another key (`Altered`); then there is
    no file. Without a `file` all is checked, and nothing is written. `progress` is called twice for each entry.
    """
    entries_in(folder)
    journal = memory_journal() if file is None else create_journal(file)
    try:
        with Book(journal) as book, journal.writing():
            return _taken_in(folder, book, progress)
    except BaseException as failed:
        for made in [] if file is None else [file, f"{file}-wal", f"{file}-shm"]:
            with suppress(FileNotFoundError):
                unlink(made)
        if isinstance(failed, OSError):
            raise BadInput(f"{folder} cannot be read: {failed.strerror}; nothing was written.") from None
        raise


def _taken_in(folder: str, book: Book, progress: Progress) -> Imported:
    _entries(folder, book, progress)
    longest, note = 0, b""
    for number, signed in enumerate(objects_in(folder, CHECKPOINTS, Signed), 1):
        if signed.size <= longest:
            raise wrong_line(number, CHECKPOINTS)
        book.journal.keep_checkpoint(signed.size, signed.note)
        longest, note = signed.size, signed.note.encode()
    whole = verify(book, progress)
    if not holds(folder, CHECKPOINT, note):
        raise Altered(f"The file {CHECKPOINT} is not the longest of the signed heads in {CHECKPOINTS}.")
    signed_heads = book.journal.checkpoints()
    own = list(dict.fromkeys(vkey for _, vkey in keys(book)))
    for size, text in signed_heads.items():
        try:
            open_note(text, own)
        except Unproven:
            raise Altered(
                f"The head of {size} entries does not bear the signature of the campaign's own key."
            ) from None
    _check_tiles(folder, book, longest)
    return Imported(whole=whole, checkpoints=len(signed_heads), root=book.journal.root(whole.entries))


def _entries(folder: str, book: Book, progress: Progress) -> None:
    seq, beside = 0, dict[int, list[StoredWord]]()
    every = Checks(checks(book, Words(lambda seq: beside.pop(seq, []), erased=None)), book)
    by_entry = groupby(_words(folder), key=lambda word: word.entry)
    ahead = next(by_entry, None)
    for seq, line in enumerate(lines_in(folder, JOURNAL, LARGEST_ENTRY + 1), 1):
        words: list[Word] = []
        if ahead is not None and ahead[0] == seq:
            words = list(ahead[1])
            beside[seq] = [StoredWord(seq, word.field, bytes.fromhex(word.salt), word.text) for word in words]
            ahead = next(by_entry, None)
        try:
            _entry(book, every, seq, line, words)
        except (RecursionError, OverflowError):
            raise WrongEntry(seq, "is beyond all that is ever written") from None
        if seq % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
    refuse(every.end())
    if ahead is not None:
        raise WrongEntry(seq + 1, f"is missing, though there are words for entry {ahead[0]}")
    progress(seq % PROGRESS_STEP)


def _entry(book: Book, every: Checks, seq: int, line: bytes, words: list[Word]) -> None:
    """Check an entry and write it, with all that lies beside it."""
    from ledger.tlog.tree import leaf_hash

    stored = line.removesuffix(b"\n")
    if stored == line:
        raise WrongEntry(seq, "is cut off, or longer than an entry may be")
    entry = entry_of(seq, stored, leaf_hash(stored))
    refuse(every.look(entry))
    book.journal.append(seq, stored)
    book.accounts.post(entry.body)
    kinds = {field: kind for field, kind, _ in commitments(entry.body)}
    for word in words:
        if kinds[word.field] != word.kind:
            raise WrongEntry(seq, f"has words of another kind than it committed to ({word.field})")
        book.words.keep(StoredWord(seq, word.field, bytes.fromhex(word.salt), word.text))


def _words(folder: str) -> Iterator[Word]:
    before = (0, "")
    for number, word in enumerate(objects_in(folder, WORDS, Word), 1):
        if (word.entry, word.field) <= before or not COMMITMENT.fullmatch(word.salt):
            raise wrong_line(number, WORDS)
        before = (word.entry, word.field)
        yield word


def _check_tiles(folder: str, book: Book, signed: int) -> None:
    """Refuse (`NotWhole`) tiles that are not those of the entries, one too many and one too few, where there are any.

    An export whose journal was cut off behind its last signed head and its last words is known by them alone.
    """
    top = path.join(folder, TILES)
    there = {path.relpath(path.join(at, name), folder) for at, _, names in walk(top) for name in names}
    if not path.isdir(top):
        return
    for name, data in tiles_of(book, book.head(), signed):
        if not holds(folder, name, data):
            raise NotWhole(f"{name} is not the tile that the entries make.")
        there.discard(path.normpath(name))
    if there:
        raise NotWhole(f"{min(there)} is no tile of these entries.")
