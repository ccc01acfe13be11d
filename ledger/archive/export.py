"""Export: a campaign written as plain files, with a program of one file that checks them."""

from collections.abc import Iterator
from importlib.resources import files
from os import makedirs, mkdir, path, rename
from shutil import rmtree
from typing import Any

from ledger.archive.format import CHECKPOINT, CHECKPOINTS, JOURNAL, VERIFIER, WORDS, Signed, Word, tiles_of
from ledger.errors import NoRoom, Taken
from ledger.events.canonical import canonical_json
from ledger.events.commitments import Secret, check_words, commitments
from ledger.events.entry import Entry
from ledger.events.subjects import REVEALED
from ledger.events.types import RollSealed
from ledger.journal.book import Book
from ledger.values import Struct


class Exported(Struct):
    """What an export holds, by count; `kept` are words that players may not read, and `left_out` those that it lacks.

    `signed` is how many entries its signed head speaks of, 0 where there is none.
    """

    entries: int
    words: int
    kept: int
    left_out: int
    checkpoints: int
    signed: int
    root: bytes


def export(book: Book, folder: str, *, players: bool = False) -> Exported:
    """Write a campaign into a new folder, as it stands now; nothing is left where it is refused or interrupted.

    Refuses (`Refused`) where there is something of that name, and (`WrongEntry`) words that are not those that an entry
    committed to. For `players` what the GM keeps secret is left out, and all that would tell it.
    """
    beside = f"{folder}.part"
    for each in (folder, beside):
        if path.lexists(each):
            raise Taken(each, "Name another folder, or remove it.")
    try:
        mkdir(beside)
        try:
            with book.journal.reading():
                done = _written(book, beside, players=players)
            rename(beside, folder)
        finally:
            rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise NoRoom(f"{folder} cannot be written: {error.strerror}; nothing was written.") from None
    return done


def _written(book: Book, folder: str, *, players: bool) -> Exported:
    head, words, secrets = book.head(), 0, 0
    with open(path.join(folder, JOURNAL), "xb") as journal, open(path.join(folder, WORDS), "xb") as lines:
        for entry in book.journal.entries(1):
            journal.write(entry.stored + b"\n")
            for word in _words_of(book, entry):
                kept = word.kind == Secret.KEY and not _is_told(book, entry)
                secrets += kept
                if not (players and kept):
                    lines.write(_line(word))
                    words += 1
    signed = book.journal.checkpoints()
    notes = b"".join(_line(Signed(size=size, note=note)) for size, note in signed.items())
    longest = max(signed, default=0)
    source = files("ledger.archive").joinpath("standalone.py").read_bytes()
    parts = {CHECKPOINTS: notes, VERIFIER: source} | ({CHECKPOINT: signed[longest].encode()} if signed else {})
    for name, data in [*parts.items(), *tiles_of(book, head, longest)]:
        makedirs(path.dirname(path.join(folder, name)), exist_ok=True)
        with open(path.join(folder, name), "xb") as file:
            file.write(data)
    return Exported(
        entries=head,
        words=words,
        kept=0 if players else secrets,
        left_out=secrets if players else 0,
        checkpoints=len(signed),
        signed=longest,
        root=book.journal.root(head),
    )


def _line(shape: Struct) -> bytes:
    return canonical_json(shape.__dict__) + b"\n"


def _words_of(book: Book, entry: Entry) -> Iterator[Word]:
    """Yield the words of an entry that are still there, in the order of their fields."""
    kinds: dict[str, Any] = {field: kind for field, kind, _ in commitments(entry.body)}
    kept = book.words.kept(entry.seq)
    check_words(entry.seq, entry.body, kept)
    for field, (salt, text) in sorted(kept.items()):
        yield Word(entry=entry.seq, field=field, kind=kinds[field], salt=salt.hex(), text=text)


def _is_told(book: Book, entry: Entry) -> bool:
    """Whether players may read what the GM had kept of an entry.

    A sealed roll that was revealed may hold a number that is still secret: in its own words, which no entry that tells
    it opens, it would stand for all to read.
    """
    if not book.revealed(entry.seq) or entry.type != RollSealed.type:
        return book.revealed(entry.seq)
    telling = book.journal.entry(book.mark(REVEALED, str(entry.seq)))
    told = (each for each in book.journal.action(telling.act) if each.seq > telling.seq)
    return not any(
        kind == Secret.KEY and not book.revealed(each.seq) for each in told for _, kind, _ in commitments(each.body)
    )
