"""Export: a copy of a campaign as plain files, with a one-file program that checks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from os import makedirs, mkdir, path, walk
from typing import Any

from ledger.archive.format import (
    CHECKPOINT_FILE,
    CHECKPOINTS_FILE,
    FOR_PLAYERS_FILE,
    JOURNAL_FILE,
    README_FILE,
    SCHEMA_FILE,
    VERIFIER_FILE,
    VERIFY_PAGE_FILE,
    WORDS_FILE,
    CheckpointLine,
    Word,
    tiles_of,
)
from ledger.archive.verify_page import verify_page
from ledger.audit.verify import RowReader
from ledger.errors import Altered, entry_count
from ledger.events.canonical import canonical_json
from ledger.events.commitments import CommittedText, Secret, check_words, commitments
from ledger.events.entry import SECRET_START, Entry
from ledger.events.subjects import REVEALED
from ledger.events.types import RollSealed
from ledger.journal.book import Book
from ledger.journal.new_files import atomic_file, folder_lock, sync, sync_names, write_synced
from ledger.journal.schema import SCHEMA_VERSION
from ledger.values import Struct

OWNER_FOLDER_MODE, PLAYERS_FOLDER_MODE = 0o700, 0o777
"""The permissions of a folder with secrets, and of a folder for all players. The umask may reduce them."""

PLAYERS_NOTICE = b"This copy is for players: to be looked at and checked, without what the GM keeps secret.\n"

PLAYERS_README = b"""\
This folder is a player's copy of a campaign. You can read it and check it, but not change it.
The copy has every entry, but not the secrets that you may not read.

To check the copy, type this in this folder:

    python3 verify.py --key KEY

KEY is the campaign's key, from your character sheet. With --key, verify.py needs the Python package "cryptography".
Without --key, verify.py checks the entries, but not the signatures.

Without Python, open verify.html in a browser, and choose this folder. It gives the same answers, and uses no network.
On a phone, choose this folder as a zip file.

The answer starts with one of these words:

    OK             Nothing is missing or altered.
    Not proved     The entries are complete, but your key or your checkpoint does not prove them.
    Check failed   The copy was damaged or changed. The answer says where.
    Error          The check could not start. The answer says why.

Anyone can alter verify.py or verify.html so that they lie. To check the copy with the program itself:

    campaign import FOLDER --dry-run

The files:

    journal.jsonl       the entries, one per line
    words.jsonl         the texts that people typed
    checkpoints.jsonl   the signed checkpoints, one per line
    checkpoint          the latest signed checkpoint
    tile/               the hashes of all entries
    schema              the version of the format
"""


class ExportReport(Struct):
    """The counts of an export. `kept` counts the secrets in the export, and `left_out` the missing secrets.

    `signed` is the size of the longest signed head, or 0. `verifier` is the SHA-256 of `verify.py`.
    """

    entries: int
    words: int
    kept: int
    left_out: int
    checkpoints: int
    signed: int
    root: bytes
    verifier: str


def keeps_secrets(book: Book, *, players: bool = False, reader: str | None = None) -> bool:
    """Return True if an export with these inputs would contain a secret, such as a note for the player `reader`."""
    for entry, fields in _entries_with_secrets(book):
        kinds = {kind for field, kind, _ in entry.committed if field in fields} if fields else set[str]()
        is_kept = Secret.KEY in kinds and not _is_revealed(book, entry)
        if is_kept and (not players or may_read(book, entry, Secret.KEY, reader)):
            return True
    return False


def lacks_secrets(book: Book) -> bool:
    """Return True if the file lacks the text of a secret, as a player copy does."""
    return any(
        kind == Secret.KEY and field not in fields
        for entry, fields in _entries_with_secrets(book)
        for field, kind, _ in entry.committed
    )


def _entries_with_secrets(book: Book) -> Iterator[tuple[Entry, set[str]]]:
    """Yield each entry that was written with a secret, and the fields whose texts are in the file."""
    stored_words = RowReader(book.words.all())
    for entry in map(book.journal.read, (stored for stored in book.journal.stored() if SECRET_START in stored.body)):
        yield entry, {word.field for word in stored_words.up_to(entry.seq) if word.seq == entry.seq}


def export(
    book: Book,
    folder: str,
    *,
    players: bool = False,
    reader: str | None = None,
    progress: Callable[[int], object] = abs,
) -> ExportReport:
    """Write a campaign into a new folder, and sync it to disk. After an error, no folder remains.

    With `players`, leave out the secrets and everything that would reveal them. If the copy is for the player `reader`,
    keep the secret notes that this player may read. A folder with secrets can be opened only by its owner. Raise
    `Taken` if the name exists, `NotMade` if the disk fails, `WrongEntry` for words that do not match their commitment,
    and `Altered` for a signed head that covers missing entries.
    """
    with folder_lock(folder), atomic_file(folder, hint="Choose a different folder, or remove this one.") as part:
        mkdir(part, PLAYERS_FOLDER_MODE if players and reader is None else OWNER_FOLDER_MODE)
        with book.journal.reading():
            exported = _write_export(book, part, progress, players=players, reader=reader)
        for within, _, _ in walk(part):
            sync_names(within)
        return exported


def _write_export(
    book: Book, folder: str, progress: Callable[[int], object], *, players: bool, reader: str | None
) -> ExportReport:
    head, words, secrets, left_out, stored_words = book.head(), 0, 0, 0, RowReader(book.words.all())
    with open(path.join(folder, JOURNAL_FILE), "xb") as journal, open(path.join(folder, WORDS_FILE), "xb") as lines:
        for entry in book.journal.entries(1):
            journal.write(entry.stored + b"\n")
            words_by_field = {word.field: word for word in stored_words.up_to(entry.seq) if word.seq == entry.seq}
            kinds: dict[str, Any] = {field: kind for field, kind, _ in entry.committed}
            if words_by_field:
                check_words(
                    entry.seq, entry.raw, {field: (word.salt, word.text) for field, word in words_by_field.items()}
                )
            for seq, field, salt, text in words_by_field.values():
                if players and not may_read(book, entry, kinds[field], reader):
                    left_out += 1
                else:
                    secrets += kinds[field] == Secret.KEY and not _is_revealed(book, entry)
                    lines.write(_json_line(Word(entry=seq, field=field, kind=kinds[field], salt=salt.hex(), text=text)))
                    words += 1
            left_out += sum(kind == Secret.KEY and field not in words_by_field for field, kind in kinds.items())
            progress(1)
        for stream in (journal, lines):
            stream.flush()
            sync(stream.fileno())
    signed = book.journal.checkpoints()
    if beyond := [size for size in signed if not 0 < size <= head]:
        raise Altered(f"The file has {entry_count(head)}, but one of its checkpoints covers {entry_count(beyond[0])}.")
    notes = b"".join(_json_line(CheckpointLine(size=size, note=note)) for size, note in signed.items())
    longest = max(signed, default=0)
    source = files("ledger.archive").joinpath("standalone.py").read_bytes()
    schema = f"{min(book.journal.storage.version(), SCHEMA_VERSION)}\n".encode()  # an export never moves
    parts = {CHECKPOINTS_FILE: notes, VERIFIER_FILE: source, VERIFY_PAGE_FILE: verify_page(), SCHEMA_FILE: schema} | (
        {CHECKPOINT_FILE: signed[longest].encode()} if signed else {}
    )
    parts |= {FOR_PLAYERS_FILE: PLAYERS_NOTICE, README_FILE: PLAYERS_README} if players else {}
    for name, data in chain(parts.items(), tiles_of(book, head, longest)):
        makedirs(path.dirname(path.join(folder, name)), exist_ok=True)
        write_synced(path.join(folder, name), data)
    return ExportReport(
        entries=head,
        words=words,
        kept=secrets,
        left_out=left_out,
        checkpoints=len(signed),
        signed=longest,
        root=book.journal.root(head),
        verifier=sha256(source).hexdigest(),
    )


def _json_line(shape: Struct) -> bytes:
    return canonical_json(shape.__dict__) + b"\n"


def may_read(book: Book, entry: Entry, kind: str, reader: str | None) -> bool:
    """Return True if a player may read a text of an entry.

    `kind` is `word` or `secret`. If `reader` is None, the text must be readable for every player.
    """
    return kind == CommittedText.KEY or _is_revealed(book, entry) or reader in book.note_readers(entry)


def _is_revealed(book: Book, entry: Entry) -> bool:
    """Return True if players may read the secrets of an entry."""
    if not book.revealed(entry.seq) or entry.type != RollSealed.type:
        return book.revealed(entry.seq)
    # a revealed roll may contain a number that is still secret; then its words stay secret too
    reveal = book.journal.entry(book.mark(REVEALED, str(entry.seq)))
    copies = (copy for copy in book.journal.action(reveal.act) if copy.seq > reveal.seq)
    return not any(
        kind == Secret.KEY and not book.revealed(copy.seq) for copy in copies for _, kind, _ in commitments(copy.body)
    )
