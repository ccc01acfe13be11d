"""Import: a new campaign from an export, with a check of each line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from os import path, walk

from ledger.archive.export import keeps_secrets
from ledger.archive.format import (
    CHECKPOINT_FILE,
    CHECKPOINTS_FILE,
    FOR_PLAYERS_FILE,
    JOURNAL_FILE,
    TILES_FOLDER,
    WORDS_FILE,
    CheckpointLine,
    Word,
    check_is_export,
    has_exact_content,
    lines_in,
    objects_in,
    tiles_of,
    wrong_line,
)
from ledger.audit.check import OnProgress, no_progress
from ledger.audit.structure import erasures
from ledger.audit.verify import (
    FileCounts,
    RowReader,
    RowWriter,
    WordsCheck,
    check_stream,
)
from ledger.errors import Altered, BadInput, NotWhole, Unproven, WrongEntry, entry_count
from ledger.events.commitments import COMMITMENT_PATTERN, check_words
from ledger.events.entry import LARGEST_ENTRY, Entry
from ledger.events.rows import Rows
from ledger.journal.book import Book
from ledger.journal.records import StoredEntry, StoredWord
from ledger.journal.storage import Storage
from ledger.journal.store import Journal, engine_for, memory_journal
from ledger.tlog.note import open_note
from ledger.tlog.tree import leaf_hash
from ledger.trust.heads import campaign_keys, check_own_heads
from ledger.values import Struct


class ImportReport(Struct):
    """The result of an import: the counts, the number of signed heads, and the root of the tree."""

    counts: FileCounts
    checkpoints: int
    root: bytes
    read_only: bool


def import_export(
    folder: str,
    address: str | None,
    progress: OnProgress = no_progress,
    check: Callable[[Book], object] = lambda _: None,
) -> ImportReport:
    """Read an export into a new campaign. Check the entries, signed heads and tiles, then call `check`.

    An export for players becomes a read-only campaign. Others on this computer can read it, unless it has secrets,
    such as notes for one player. Without an `address`, nothing is written. After an error, no
    campaign remains. Raise `WrongEntry` for the first wrong entry, `NotWhole` for an invalid line or tile, and
    `Altered` for a wrong signed head.
    """
    check_is_export(folder)
    read_only = path.isfile(path.join(folder, FOR_PLAYERS_FILE))
    making: AbstractContextManager[Storage] = (
        nullcontext(memory_journal().storage) if address is None else engine_for(address).creating(read_only=read_only)
    )
    with making as storage:
        try:
            with Book(Journal(storage)) as book, book.journal.writing():
                imported = _read_campaign(folder, book, progress, read_only)
                check(book)
                is_public = read_only and not keeps_secrets(book)
        except OSError as error:
            raise BadInput(f"{folder} cannot be read: {error.strerror}. Nothing was written.") from None
    if is_public and address is not None:
        with suppress(OSError):  # the campaign is complete, and its owner can read it
            engine_for(address).let_others_read()
    return imported


def _read_campaign(folder: str, book: Book, progress: OnProgress, read_only: bool) -> ImportReport:
    counts = _read_entries(folder, book, progress)
    longest, note = 0, b""
    for number, signed in enumerate(objects_in(folder, CHECKPOINTS_FILE, CheckpointLine), 1):
        if signed.size <= longest:
            raise wrong_line(number, CHECKPOINTS_FILE)
        book.journal.keep_checkpoint(signed.size, signed.note)
        longest, note = signed.size, signed.note.encode()
    check_own_heads(book)
    if not has_exact_content(folder, CHECKPOINT_FILE, note):
        raise Altered(f"The file {CHECKPOINT_FILE} is not the same as the latest checkpoint in {CHECKPOINTS_FILE}.")
    signed_heads = book.journal.checkpoints()
    own_keys = list(dict.fromkeys(vkey for _, vkey in campaign_keys(book)))
    for size, text in signed_heads.items():
        try:
            open_note(text, own_keys)
        except Unproven:
            raise Altered(f"The checkpoint of {entry_count(size)} is not signed with the campaign's own key.") from None
    _check_tiles(folder, book, longest)
    return ImportReport(
        counts=counts,
        checkpoints=len(signed_heads),
        root=book.journal.root(counts.entries),
        read_only=read_only,
    )


def _read_entries(folder: str, book: Book, progress: OnProgress) -> FileCounts:
    """Check and write the entries and words. Look for missing words at the end, when all erasures are known."""
    importer = Importer(book, folder)
    words = WordsCheck(RowReader(importer.words()), erased=None)
    counts = check_stream(book, _entries(folder), words, importer.take, progress)
    erased = erasures(book)
    for seq in sorted(words.incomplete_entries | erased.keys()):
        check_words(seq, book.journal.entry(seq).raw, book.words.salts_and_texts(seq), erased.get(seq, {}))
    return counts


def _entries(folder: str) -> Iterator[StoredEntry]:
    for seq, line in enumerate(lines_in(folder, JOURNAL_FILE, LARGEST_ENTRY + 1), 1):
        if not line.endswith(b"\n"):
            raise WrongEntry(seq, "is cut off or too long")
        stored = line[:-1]
        yield StoredEntry(seq, stored, leaf_hash(stored))


class Importer(RowWriter):
    """A writer of checked entries, with their rows, tree nodes and texts. A text is kept until its entry is written."""

    def __init__(self, book: Book, folder: str) -> None:
        super().__init__(book)
        self._folder = folder
        self._waiting = deque[Word]()

    def words(self) -> Iterator[StoredWord]:
        """Yield the words of the export, in order of entry and field."""
        before = (0, "")
        for number, word in enumerate(objects_in(self._folder, WORDS_FILE, Word), 1):
            if (word.entry, word.field) <= before or not COMMITMENT_PATTERN.fullmatch(word.salt):
                raise wrong_line(number, WORDS_FILE)
            before = (word.entry, word.field)
            self._waiting.append(word)
            yield _stored_word(word)

    def take(self, entry: Entry, rows: Rows) -> None:
        super().take(entry, rows)
        self._storage.entries.append(StoredEntry(entry.seq, entry.stored, entry.leaf))
        kinds = {field: kind for field, kind, _ in entry.committed} if entry.has_words else {}
        while self._waiting and self._waiting[0].entry == entry.seq:
            word = self._waiting.popleft()
            if kinds[word.field] != word.kind:
                raise WrongEntry(
                    entry.seq,
                    (f"has a wrong mark ({word.field}): a text is marked as a secret, or a secret is marked as a text"),
                )
            self._storage.words.keep(_stored_word(word))


def _stored_word(word: Word) -> StoredWord:
    return StoredWord(word.entry, word.field, bytes.fromhex(word.salt), word.text)


def _check_tiles(folder: str, book: Book, signed: int) -> None:
    """Raise `NotWhole` if a tile is wrong, missing or extra. `signed` is the size of the longest signed head."""
    top = path.join(folder, TILES_FOLDER)
    remaining = {path.relpath(path.join(at, name), folder) for at, _, names in walk(top) for name in names}
    if not path.isdir(top):
        return  # then only a signed head or a stored text can show that the last entries are missing
    for name, data in tiles_of(book, book.head(), signed):
        if not has_exact_content(folder, name, data):
            raise NotWhole(f"{name} does not match the entries.")
        remaining.discard(path.normpath(name))
    if remaining:
        raise NotWhole(f"The file {min(remaining)} does not belong to these entries.")
