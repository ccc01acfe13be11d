"""Import: read an export into a new campaign, and check each line as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from os import chmod, path, walk

from ledger.archive.format import (
    CHECKPOINT,
    CHECKPOINTS,
    FOR_PLAYERS,
    JOURNAL,
    TILES,
    WORDS,
    CheckpointLine,
    Word,
    entries_in,
    has_bytes,
    lines_in,
    objects_in,
    tiles_of,
    wrong_line,
)
from ledger.audit.check import Checks, refuse
from ledger.audit.structure import entry_of
from ledger.audit.verify import PROGRESS_STEP, OnProgress, Verified, WordsCheck, entry_checks, quiet, verify
from ledger.errors import Altered, BadInput, NotWhole, TablesDiffer, Unproven, WrongEntry
from ledger.events.commitments import COMMITMENT, commitments
from ledger.events.entry import LARGEST_ENTRY
from ledger.journal.book import Book
from ledger.journal.making import alone, made
from ledger.journal.store import Journal, create_journal, memory_journal
from ledger.journal.stored import StoredWord
from ledger.tlog.note import open_note
from ledger.trust.heads import keys
from ledger.values import Struct

READ_BY_ALL = 0o444


class Imported(Struct):
    """An import: the counts, the number of signed heads, the root of the tree, and whether it is for reading."""

    whole: Verified
    checkpoints: int
    root: bytes
    read_only: bool


def take_in(folder: str, file: str | None, progress: OnProgress = quiet) -> Imported:
    """Read an export into a new campaign file. It checks each entry as it comes, and the whole file at the end.

    Refuses the first entry that is wrong (`WrongEntry`), lines and tiles that no export contains (`NotWhole`), and
    signed heads of other entries or by another key (`Altered`); then no file remains. A copy for players becomes a file
    to read. Without a `file` it checks everything and writes nothing. `progress` counts each entry twice.
    """
    entries_in(folder)
    if file is None:
        return _taken_in(folder, memory_journal(), progress)
    with alone(file), made(file, hint="Name another file with -f FILE.") as (part,):
        imported = _taken_in(folder, create_journal(part), progress)
        if imported.read_only:
            chmod(part, READ_BY_ALL)
        return imported


def _taken_in(folder: str, journal: Journal, progress: OnProgress) -> Imported:
    try:
        with Book(journal) as book, journal.writing():
            return _read(folder, book, progress)
    except OSError as error:
        raise BadInput(f"{folder} cannot be read: {error.strerror}; nothing was written.") from None


def _read(folder: str, book: Book, progress: OnProgress) -> Imported:
    _read_entries(folder, book, progress)
    longest, note = 0, b""
    for number, signed in enumerate(objects_in(folder, CHECKPOINTS, CheckpointLine), 1):
        if signed.size <= longest:
            raise wrong_line(number, CHECKPOINTS)
        book.journal.keep_checkpoint(signed.size, signed.note)
        longest, note = signed.size, signed.note.encode()
    whole = verify(book, progress)
    if not has_bytes(folder, CHECKPOINT, note):
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
    return Imported(
        whole=whole,
        checkpoints=len(signed_heads),
        root=book.journal.root(whole.entries),
        read_only=path.isfile(path.join(folder, FOR_PLAYERS)),
    )


def _read_entries(folder: str, book: Book, progress: OnProgress) -> None:
    seq, words_of = 0, dict[int, list[StoredWord]]()
    all_checks = Checks(entry_checks(book, WordsCheck(lambda seq: words_of.pop(seq, []), erased=None)), book)
    by_entry = groupby(_words(folder), key=lambda word: word.entry)
    ahead = next(by_entry, None)
    for seq, line in enumerate(lines_in(folder, JOURNAL, LARGEST_ENTRY + 1), 1):
        words: list[Word] = []
        if ahead is not None and ahead[0] == seq:
            words = list(ahead[1])
            words_of[seq] = [StoredWord(seq, word.field, bytes.fromhex(word.salt), word.text) for word in words]
            ahead = next(by_entry, None)
        try:
            _read_entry(book, all_checks, seq, line, words)
        except (RecursionError, OverflowError, TablesDiffer):
            raise WrongEntry(seq, "is beyond all that is ever written") from None
        if seq % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
    if ahead is not None:
        raise WrongEntry(seq + 1, f"is missing, though there are words for entry {ahead[0]}")
    progress(seq % PROGRESS_STEP)


def _read_entry(book: Book, all_checks: Checks, seq: int, line: bytes, words: list[Word]) -> None:
    """Check an entry, then write it with its rows and words."""
    from ledger.tlog.tree import leaf_hash

    stored = line.removesuffix(b"\n")
    if stored == line:
        raise WrongEntry(seq, "is cut off, or longer than an entry may be")
    entry = entry_of(seq, stored, leaf_hash(stored))
    refuse(all_checks.look(entry))
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
    """Refuse (`NotWhole`) tiles that differ from those of the entries, one too many, or one too few.

    An export may have no tiles at all. But only they show a journal cut off after its last signed head and words.
    """
    top = path.join(folder, TILES)
    remaining = {path.relpath(path.join(at, name), folder) for at, _, names in walk(top) for name in names}
    if not path.isdir(top):
        return
    for name, data in tiles_of(book, book.head(), signed):
        if not has_bytes(folder, name, data):
            raise NotWhole(f"{name} is not the tile that the entries make.")
        remaining.discard(path.normpath(name))
    if remaining:
        raise NotWhole(f"{min(remaining)} is no tile of these entries.")
