"""Exports: a campaign as a folder of plain files, and back.

    journal.jsonl       the entries, byte for byte, one a line
    words.jsonl         the words that are still there, each with its salt and the entry and field that it belongs to
    checkpoints.jsonl   the signed heads, one a line
    checkpoint          the longest of them, as it was signed
    tile/               the tree and the entries as static files (C2SP tlog-tiles)
    verify.py           checks all this without our program (`ledger.archive.standalone`)

For players, what the GM keeps secret is left out; the entries stay whole, since they hold commitments alone.
"""

from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from itertools import groupby, takewhile
from os import makedirs, mkdir, path, rename, unlink, walk
from shutil import rmtree
from typing import Annotated, Any, Literal, TypeVar

from ledger.audit.structure import Check
from ledger.audit.verify import PROGRESS_STEP, Progress, Whole, check_standing, quiet, verify
from ledger.errors import Altered, BadInput, NoRoom, NotCanonical, NotWhole, Refused, Unproven, WrongEntry
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.entry import Entry
from ledger.events.facts import REVEALED, Said, Secret, Seq
from ledger.events.types import RollSealed
from ledger.journal.book import Book
from ledger.journal.store import create_journal, memory_journal
from ledger.journal.words import COMMITMENT, check_words, commitments
from ledger.scribe import LARGEST_ENTRY
from ledger.tlog.note import open_note
from ledger.tlog.tiles import ENTRIES, WIDTH, entry_bundle, tile_path, tiles_for_size
from ledger.trust.heads import keys
from ledger.values import Shape, Within

JOURNAL, WORDS, CHECKPOINTS, CHECKPOINT = "journal.jsonl", "words.jsonl", "checkpoints.jsonl", "checkpoint"
TILES, VERIFIER = "tile", "verify.py"

LONGEST_LINE = 2**24
"""Bytes; far beyond the words of one field, or the signatures of one head."""

HEIGHT = WIDTH.bit_length() - 1
"""Levels of the tree that one tile holds."""

Salt = Annotated[str, Within(64, 64, length=True)]
Line = TypeVar("Line", bound=Shape)


class Word(Shape):
    """One line of `words.jsonl`."""

    entry: Seq
    field: str
    kind: Literal["word", "secret"]
    salt: Salt
    text: str


class Signed(Shape):
    """One line of `checkpoints.jsonl`."""

    size: Seq
    note: str


class Exported(Shape):
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


class Imported(Shape):
    """What was imported: all of it whole, the signed heads, and the root of the tree."""

    whole: Whole
    checkpoints: int
    root: bytes


def export(book: Book, folder: str, *, players: bool = False) -> Exported:
    """Write a campaign into a new folder, as it stands now; nothing is left where it is refused or interrupted.

    Refuses (`Refused`) where there is something of that name, and (`WrongEntry`) words that are not those that an entry
    committed to. For `players` what the GM keeps secret is left out, and all that would tell it.
    """
    beside = f"{folder}.part"
    for each in (folder, beside):
        if path.lexists(each):
            raise Refused(f"There is already something called {each}.", "Name another folder, or remove it.")
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
    for name, data in [*parts.items(), *_tiles(book, head, longest)]:
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


def _line(shape: Shape) -> bytes:
    return canonical_json(shape.__dict__) + b"\n"


def _words_of(book: Book, entry: Entry) -> Iterator[Word]:
    """Yield the words of an entry that are still there, in the order of their fields."""
    kinds: dict[str, Any] = {field: kind for field, kind, _ in commitments(entry.body)}
    kept = book.words.kept(entry.seq)
    check_words(entry.seq, entry.body, kept, _not_here(entry.seq, kinds, kept))
    for field, (salt, text) in sorted(kept.items()):
        yield Word(entry=entry.seq, field=field, kind=kinds[field], salt=salt.hex(), text=text)


def _not_here(seq: int, kinds: dict[str, Any], kept: Any) -> dict[str, int]:
    """Return the fields whose words are not here; whether they were erased, or lost, only the whole journal says."""
    return {field: seq for field, kind in kinds.items() if kind == Said.KEY and field not in kept}


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


def _tiles(book: Book, *sizes: int) -> Iterator[tuple[str, bytes]]:
    """Yield the tiles of the trees of some sizes: where each lies, and what it holds."""
    for level, index, width in sorted({tile for size in sizes for tile in tiles_for_size(size)}):
        first = index * WIDTH
        if level:
            hashes = [book.journal.node(HEIGHT * level, place) for place in range(first, first + width)]
        else:
            rows = list(book.journal.stored(first + 1, first + width))
            yield tile_path(ENTRIES, index, width), entry_bundle([stored for _, stored, _ in rows])
            hashes = [leaf for _, _, leaf in rows]
        yield tile_path(level, index, width), b"".join(hashes)


def entries_in(folder: str) -> int:
    """Return how many lines the journal of an export has; refuses (`Refused`) a folder that is no export."""
    missing = [name for name in (JOURNAL, WORDS, CHECKPOINTS) if not path.isfile(path.join(folder, name))]
    if missing:
        raise Refused(f"There is no export in {folder}: it has no {missing[0]}.")
    try:
        lines = _lines(folder, JOURNAL, LARGEST_ENTRY + 1)
        return sum(1 for _ in takewhile(lambda line: line.endswith(b"\n"), lines))
    except OSError as error:
        raise BadInput(f"{folder} cannot be read: {error.strerror}.") from None


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
    for number, signed in enumerate(_objects(folder, CHECKPOINTS, Signed), 1):
        if signed.size <= longest:
            raise _wrong_line(number, CHECKPOINTS)
        book.journal.keep_checkpoint(signed.size, signed.note)
        longest, note = signed.size, signed.note.encode()
    whole = verify(book, progress)
    if not _holds(folder, CHECKPOINT, note):
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
    check, seq, ids = Check(), 0, set[str]()
    by_entry = groupby(_words(folder), key=lambda word: word.entry)
    ahead = next(by_entry, None)
    for seq, line in enumerate(_lines(folder, JOURNAL, LARGEST_ENTRY + 1), 1):
        words: list[Word] = []
        if ahead is not None and ahead[0] == seq:
            words = list(ahead[1])
            ahead = next(by_entry, None)
        try:
            _entry(book, check, seq, line, words, ids)
        except (RecursionError, OverflowError):
            raise WrongEntry(seq, "is beyond all that is ever written") from None
        if seq % PROGRESS_STEP == 0:
            progress(PROGRESS_STEP)
    check.end()
    if ahead is not None:
        raise WrongEntry(seq + 1, f"is missing, though there are words for entry {ahead[0]}")
    progress(seq % PROGRESS_STEP)


def _entry(book: Book, check: Check, seq: int, line: bytes, words: list[Word], ids: set[str]) -> None:
    """Check an entry and write it, with all that lies beside it; `ids` are those of the commands before."""
    from ledger.tlog.tree import leaf_hash

    stored = line.removesuffix(b"\n")
    if stored == line:
        raise WrongEntry(seq, "is cut off, or longer than an entry may be")
    body = check.entry(seq, seq, stored, leaf_hash(stored))
    kinds = {field: kind for field, kind, _ in commitments(body)}
    kept = {word.field: (bytes.fromhex(word.salt), word.text) for word in words}
    check_words(seq, body, kept, _not_here(seq, kinds, kept))
    check_standing(seq, body, book.accounts)
    if body["once"] in ids:
        raise WrongEntry(seq, "bears the id of an earlier command")
    ids |= {body["once"]} - {None}
    book.journal.append(seq, stored)
    book.accounts.post(seq, body["since"], body)
    for word in words:
        if kinds[word.field] != word.kind:
            raise WrongEntry(seq, f"has words of another kind than it committed to ({word.field})")
        book.words.restore(seq, word.field, *kept[word.field])


def _words(folder: str) -> Iterator[Word]:
    before = (0, "")
    for number, word in enumerate(_objects(folder, WORDS, Word), 1):
        if (word.entry, word.field) <= before or not COMMITMENT.fullmatch(word.salt):
            raise _wrong_line(number, WORDS)
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
    for name, data in _tiles(book, book.head(), signed):
        if not _holds(folder, name, data):
            raise NotWhole(f"{name} is not the tile that the entries make.")
        there.discard(path.normpath(name))
    if there:
        raise NotWhole(f"{min(there)} is no tile of these entries.")


def _objects(folder: str, name: str, shape: type[Line]) -> Iterator[Line]:
    """Yield the lines of a file, each checked against its shape."""
    from pydantic import TypeAdapter, ValidationError  # only what comes in is checked

    reads = TypeAdapter(shape)
    for number, line in enumerate(_lines(folder, name), 1):
        try:
            canonical = canonical_json(parse_json(line)) + b"\n"
            found = reads.validate_json(line)
        except (NotCanonical, ValidationError, RecursionError):
            raise _wrong_line(number, name) from None
        if canonical != line:
            raise _wrong_line(number, name)
        yield found


def _wrong_line(number: int, name: str) -> NotWhole:
    return NotWhole(f"Line {number} of {name} is not as an export has it.")


def _lines(folder: str, name: str, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yield the lines of a file, with what ends them; one that is longer in parts."""
    with open(path.join(folder, name), "rb") as file:
        while line := file.readline(longest):
            yield line


def _holds(folder: str, name: str, data: bytes) -> bool:
    """Whether a file holds this and no more; what is not there holds nothing.

    Refuses (`NotWhole`) what is no file: a pipe, or a device, may be without an end.
    """
    full = path.join(folder, name)
    if not path.lexists(full):
        return data == b""
    if not path.isfile(full):
        raise NotWhole(f"{name} is no file.")
    with open(full, "rb") as file:
        return file.read(len(data) + 1) == data
