r"""Check a campaign's record without the program that wrote it: an export, or the campaign's file itself.

    python verify.py [FOLDER or FILE.campaign] [--key KEY] [--checkpoint FILE]

Without a folder it checks the one that it lies in. `--key` is the campaign's key, as it stands on your character sheet
(that needs the package `cryptography`; all else needs Python 3.11 alone). `--checkpoint` is a signed head that you
kept, or were sent. What is checked, in the order of `check` below:

- The entries are numbered 1, 2, 3 without gaps, each in the one form of JSON that is hashed: no white space, keys in
  order, whole numbers.
- Words that people typed lie beside the entries, each with 32 bytes of chance, its salt. The entry holds HMAC-SHA-256
  of salt and words: they can be erased, or kept from the players, but not exchanged.
- The leaf of an entry is SHA-256 of a zero byte and its line; above two hashes stands SHA-256 of a one byte and both
  (RFC 6962). The last one, the root, changes with every byte of every entry. Tiles and stored hashes are of this tree.
- A checkpoint says how many entries there are, and their root. Signed, and kept by players, it cannot be taken back.

Not checked are the rules and the sheets: `campaign verify` and `campaign audit` do that. A record that was rewritten
from its beginning is whole too, unless you bring a checkpoint that you kept, or the key, and the record is signed.

By hand: `(printf '\0'; head -n 1 journal.jsonl | tr -d '\n') | sha256sum` gives the first 32 bytes of tile/0/000 (or of
tile/0/000.p/N); `printf %s TEXT | openssl dgst -sha256 -mac HMAC -macopt hexkey:SALT` what an entry holds for words.

It ends with 0 where all is whole, 6 where something is not, 7 where all is whole and what was to be proved is not, and
2 where it was not told what to check.
"""

import argparse
import hashlib
import hmac
import json
import re
import sys
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

WHOLE, USAGE, NOT_WHOLE, LACKING = 0, 2, 6, 7
LONGEST_ENTRY, NUMBERS = 60_000, 2**53
WIDTH, HEIGHT, HASH, KEY_ID, ED25519 = 256, 8, 32, 4, 1
HEX = re.compile("[0-9a-f]{64}")
Key = tuple[str, bytes, bytes]  # its name, its id, and what verifies
SIGNATURE = re.compile("\N{EM DASH} ([^ \n]+) ([0-9A-Za-z+/=]+)")


class NotWhole(Exception):
    """Something is not as it was written."""


class Lacking(Exception):
    """All is whole, and a signature does not hold."""


class Usage(Exception):
    """What was asked for cannot be done."""


class Word(NamedTuple):
    """Words beside an entry, by their place in it; a campaign's file does not say their kind."""

    seq: int
    field: str
    kind: str | None
    salt: bytes
    text: str


class Head(NamedTuple):
    """A checkpoint: whose it is, how many entries, and their root; the text that says so, and who signed it."""

    origin: str
    size: int
    root: bytes
    text: str
    signatures: tuple[tuple[str, bytes], ...]


class Record(NamedTuple):
    """What is to be checked: entries, words, checkpoints by size, and the tiles or the stored hashes of the tree."""

    entries: list[bytes]
    words: list[Word]
    heads: list[tuple[int, str]]
    exported: bool
    hashes: dict[Any, bytes]


def main(typed: Sequence[str]) -> int:
    """Check what was named; return how it ends."""
    said = argparse.ArgumentParser(prog="verify.py", description="Check a campaign's record.")
    said.add_argument("record", nargs="?", default=str(Path(__file__).parent), help="an export's folder, or a campaign")
    said.add_argument("--key", action="append", default=[], help="the campaign's key, from your character sheet")
    said.add_argument("--checkpoint", action="append", default=[], help="a file with a signed head that you kept")
    asked = said.parse_args(typed)
    try:
        keys = [key_of(each) for each in asked.key]
        notes = [(name, Path(name).read_bytes().replace(b"\r\n", b"\n")) for name in asked.checkpoint]
        brought = [head_of(note, Usage(f"{name} is no checkpoint")) for name, note in notes]
        where = Path(asked.record)
        if not (where.is_file() or (where / "journal.jsonl").is_file()):
            raise Usage(f"There is no export and no campaign at {where}")
        return check(campaign(where) if where.is_file() else exported(where), keys, brought)
    except (Usage, OSError) as wrong:
        sys.stderr.write(f"Error: {wrong}.\n")
        return USAGE
    except NotWhole as wrong:
        say(f"Not whole: {wrong}.")
    except (RecursionError, ValueError, TypeError, LookupError, AttributeError):
        say("Not whole: something has a form in which nothing is ever written.")
    return NOT_WHOLE


def check(record: Record, keys: list[Key], brought: list[Head]) -> int:
    """Check all, in the order in which it is told above."""
    bodies = [body_of(seq, stored) for seq, stored in enumerate(record.entries, 1)]
    told, away = check_words(bodies, record.words)
    tree = Tree([hashlib.sha256(b"\x00" + stored).digest() for stored in record.entries])
    unread = NotWhole("a checkpoint beside the entries cannot be read")
    own = [head_of(note.encode(), unread) for _, note in record.heads]
    if [head.size for head in own] != [size for size, _ in record.heads]:
        raise unread
    for head in [*own, *brought]:
        if head.size > tree.size:
            raise NotWhole(f"it was cut off; a checkpoint speaks of {head.size} entries, and there are {tree.size}")
        if tree.root(head.size) != head.root:
            raise NotWhole(f"one of the first {head.size} entries is not what a checkpoint of them speaks of")
    made, kind = tree.inner(), "stored hashes"
    if record.exported:
        made, kind = tree.tiles({tree.size, *(head.size for head in own[-1:])}, record.entries), "tiles"
    wrong = [name for name in made.keys() | record.hashes.keys() if made.get(name) != record.hashes.get(name)]
    if wrong and record.hashes:
        raise NotWhole(f"of the {kind}, {min(wrong)} is not as the entries make it")
    missing = f", and not here, since erased or kept secret: {away}" if away else ""
    say(f"Whole: {tree.size} entries, root {tree.root(tree.size).hex()}.")
    say(f"Words as committed to: {told}{missing}.")
    say(f"The {kind} are those of the entries." if record.hashes else f"There are no {kind} to check.")
    say("Not checked here: whether the rules were followed, and what the sheets say.")
    lacking = check_evidence(tree.size, own, keys, brought)
    for each in lacking:
        say(f"Not proved: {each}.")
    return LACKING if lacking else WHOLE


def wrong_entry(seq: int, what: str) -> NotWhole:
    """Return that an entry is not as it was written."""
    return NotWhole(f"entry {seq} {what}; {f'the last good entry is {seq - 1}' if seq > 1 else 'it is the first'}")


def body_of(seq: int, stored: bytes) -> dict[str, Any]:
    """Read an entry, which stands in its place and in the one form that is hashed."""
    if len(stored) > LONGEST_ENTRY:
        raise wrong_entry(seq, "is longer than an entry may be")
    try:
        body = strict(stored)
    except ValueError:
        raise wrong_entry(seq, "is not in its canonical form") from None
    if not isinstance(body, dict) or type(body.get("seq")) is not int or body["seq"] != seq:
        raise wrong_entry(seq, "does not stand in its place")
    return body


def strict(stored: bytes) -> Any:
    """Read JSON that is written in its one form; all else is a `ValueError`."""

    def once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs) or not all(name.isascii() for name, _ in pairs):
            raise ValueError
        return dict(pairs)

    def whole(digits: str) -> int:
        if not -NUMBERS < int(digits) < NUMBERS:
            raise ValueError
        return int(digits)

    numbers: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), whole)
    value = json.loads(stored.decode(), object_pairs_hook=once_each, **numbers)
    if json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() != stored:
        raise ValueError
    return value


def check_words(bodies: list[dict[str, Any]], words: list[Word]) -> tuple[int, int]:
    """Return how many words are as committed to, and how many commitments have no words here."""
    beside, told, away = {(word.seq, word.field): word for word in words}, 0, 0
    if last := max((word.seq for word in words if word.seq > len(bodies)), default=0):
        raise wrong_entry(len(bodies) + 1, f"is missing, though there are words for entry {last}")
    said = [body["erased"] for body in bodies if body.get("type") == "words-erased"]
    erased = {(seq, field) for each in said for seq, fields in each.items() for field in fields}
    for seq, body in enumerate(bodies, 1):
        for field, kind, committed in commitments(body, ""):
            word, gone = beside.pop((seq, field), None), (str(seq), field) in erased
            if word is None and kind == "word" and not gone:
                raise wrong_entry(seq, f"has lost its words ({field})")
            if word is not None and gone:
                raise wrong_entry(seq, f"has words that were erased ({field})")
            made = word and hmac.digest(word.salt, word.text.encode(), "sha256").hex()
            if word and (made != committed or word.kind not in {None, kind}):
                raise wrong_entry(seq, f"was given other words than it committed to ({field})")
            told, away = told + (word is not None), away + (word is None)
    for seq, field in sorted(beside):
        raise wrong_entry(seq, f"has words that it never committed to ({field})")
    return told, away


def commitments(value: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield where in an entry words were committed to, of which kind, and the commitment."""
    held = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in held:
        where = f"{path}.{name}" if path else str(name)
        ((kind, committed),) = each.items() if isinstance(each, dict) and len(each) == 1 else [("", "")]
        if kind in {"word", "secret"} and isinstance(committed, str) and HEX.fullmatch(committed):
            yield where, kind, committed
        yield from commitments(each, where)


class Tree:
    """All hashes over the entries: `levels[0]` are the leaves, and each level above has one hash for two below."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.size = len(leaves)
        self.levels = [leaves]
        while len(below := self.levels[-1]) > 1:
            self.levels.append([node(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])

    def root(self, size: int) -> bytes:
        """Return the root of the first so many entries: their whole parts, the shortest first, joined to the left."""
        found = b""
        for level in range(size.bit_length()):
            if size >> level & 1:
                part = self.levels[level][(size >> level) - 1]
                found = node(part, found) if found else part
        return found

    def inner(self) -> dict[Any, bytes]:
        """Return the hashes above the leaves, by level and place."""
        return {(at, place): held for at, level in enumerate(self.levels) if at for place, held in enumerate(level)}

    def tiles(self, sizes: set[int], entries: list[bytes]) -> dict[Any, bytes]:
        """Return the tiles of the first so many entries, by name: 256 hashes of every eighth level, and the entries."""
        made: dict[Any, bytes] = {}
        for size, level in ((size, level) for size in sizes for level in range(0, len(self.levels), HEIGHT)):
            for first in range(0, size >> level, WIDTH):
                last, at = min(first + WIDTH, size >> level), first // WIDTH
                name = f"{at % 1000:03}" + ("" if last - first == WIDTH else f".p/{last - first}")
                while at := at // 1000:
                    name = f"x{at % 1000:03}/{name}"
                made[f"tile/{level // HEIGHT}/{name}"] = b"".join(self.levels[level][first:last])
                if not level:
                    bundle = (len(each).to_bytes(2, "big") + each for each in entries[first:last])
                    made[f"tile/entries/{name}"] = b"".join(bundle)
        return made


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash above two."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def check_evidence(size: int, own: list[Head], keys: list[Key], brought: list[Head]) -> list[str]:
    """Say who stands behind the entries; return what was asked for and is lacking."""
    if not keys and not brought:
        say("Nobody's word was asked for: say --key, or --checkpoint with a head that you kept.")
        return []
    lacking, proved, by = [], 0, ""
    for head in dict.fromkeys([*own, *brought] if keys else brought):
        try:
            signer = signer_of(head, keys)
        except Lacking as wrong:
            lacking.append(str(wrong))
            continue
        if keys and head in brought and not signer:
            lacking.append(f"the checkpoint of {head.size} entries is not signed by a key that you named")
        if (signer or not keys) and head.size >= proved:
            proved, by = head.size, signer
    if proved:
        who = f"it is signed by {by}" if by else "who signed it was not checked, since no --key was given"
        say(f"The first {proved} entries are those of a checkpoint; {who}.")
    return lacking + ([f"of the last {size - proved} entries no such checkpoint speaks"] if proved < size else [])


def signer_of(head: Head, keys: list[Key]) -> str:
    """Return who signed a checkpoint, "" where no key did; a signature that does not hold is `Lacking`."""
    lines = [(name, blob[:KEY_ID], blob[KEY_ID:]) for name, blob in head.signatures if name == head.origin]
    for public, signature in [(key[2], line[2]) for key in keys for line in lines if line[:2] == key[:2]]:
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            raise Lacking("signatures cannot be checked here without the package 'cryptography'") from None
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, head.text.encode())
        except InvalidSignature:
            raise Lacking(f"a signature below the checkpoint of {head.size} entries does not hold") from None
        return head.origin
    return ""


def head_of(note: bytes, unread: Exception) -> Head:
    """Read a checkpoint: its name, a number of entries, their root, and below an empty line who signed that."""
    try:
        text, _, below = note.decode().strip("\n").rpartition("\n\n")
        origin, size, root, *_ = [*text.split("\n"), "", ""]
        lines = [SIGNATURE.fullmatch(line) for line in below.split("\n")]
        signatures = tuple((line[1], b64decode(line[2], validate=True)) for line in lines if line)
        head = Head(origin, int(size), b64decode(root, validate=True), f"{text}\n", signatures)
    except ValueError:
        raise unread from None
    if str(head.size) != size or head.size < 1 or len(head.root) != HASH or not all(lines):
        raise unread
    return head


def key_of(typed: str) -> Key:
    """Read a key: a name, its id, and the key in base64."""
    name, key_id, held = [*typed.split("+", 2), "", ""][:3]
    try:
        data = b64decode(held, validate=True)
    except ValueError:
        data = b""
    found = hashlib.sha256(name.encode(errors="replace") + b"\n" + data).digest()[:KEY_ID]
    if len(data) != 1 + HASH or data[0] != ED25519 or found.hex() != key_id:
        raise Usage("That is no key that signs for a campaign; it reads NAME+ID+KEY")
    return name, found, data[1:]


def exported(folder: Path) -> Record:
    """Read an export."""
    *entries, rest = bytes_in(folder / "journal.jsonl").split(b"\n")
    if rest or not entries:
        raise wrong_entry(len(entries) + 1, "is cut off" if rest else "is missing")
    words = []
    for line in objects(folder / "words.jsonl", entry=int, field=str, kind=str, salt=str, text=str):
        if not HEX.fullmatch(line["salt"]):
            raise wrong_entry(line["entry"], "has words with a salt that is none")
        words.append(Word(line["entry"], line["field"], line["kind"], bytes.fromhex(line["salt"]), line["text"]))
    heads = [(line["size"], line["note"]) for line in objects(folder / "checkpoints.jsonl", size=int, note=str)]
    if any(one[:2] >= two[:2] for one, two in pairwise(words)) or any(one[0] >= two[0] for one, two in pairwise(heads)):
        raise NotWhole("words.jsonl or checkpoints.jsonl has a line twice, or not in its place")
    longest = folder / "checkpoint"
    if (bytes_in(longest) if longest.exists() else b"") != (heads[-1][1].encode() if heads else b""):
        raise NotWhole("the file checkpoint is not the longest of checkpoints.jsonl")
    tiles = {path.relative_to(folder).as_posix(): bytes_in(path) for path in folder.glob("tile/**/*") if path.is_file()}
    return Record(entries, words, heads, True, tiles)


def objects(path: Path, **kinds: type) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, each an object with these fields."""
    for number, line in enumerate(bytes_in(path).splitlines(keepends=True), 1):
        try:
            held = strict(line.removesuffix(b"\n"))
        except ValueError:
            held = None
        found = {name: type(each) for name, each in held.items()} if isinstance(held, dict) else None
        if found != kinds or line[-1:] != b"\n":
            raise NotWhole(f"line {number} of {path.name} is not as an export has it")
        yield held


def campaign(file: Path) -> Record:
    """Read a campaign's file, without touching it."""
    import sqlite3

    query = "mode=ro" if Path(f"{file}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?{query}", uri=True)) as database:
            ask = database.execute
            entries = ask("SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq").fetchall()
            words = ask("SELECT seq, field, NULL, salt, text FROM words ORDER BY seq, field").fetchall()
            later = ask("PRAGMA user_version").fetchone()[0] > 1  # the first version had neither
            nodes = ask("SELECT level, place, hash FROM nodes").fetchall() if later else []
            heads = ask("SELECT size, note FROM checkpoints ORDER BY size").fetchall() if later else []
    except sqlite3.Error as wrong:
        raise NotWhole(f"{file} cannot be read as a campaign ({wrong})") from None
    for expected, (seq, stored, leaf) in enumerate(entries or [(0, b"", b"")], 1):
        if seq != expected:
            raise wrong_entry(expected, "is missing")
        if not isinstance(stored, bytes) or hashlib.sha256(b"\x00" + stored).digest() != leaf:
            raise wrong_entry(seq, "does not match its leaf")
    stored_hashes = {(level, place): held for level, place, held in nodes}
    return Record([row[1] for row in entries], [Word(*row) for row in words], heads, False, stored_hashes)


def bytes_in(path: Path) -> bytes:
    """Return what a file holds."""
    try:
        return path.read_bytes()
    except OSError as failed:
        raise NotWhole(f"{path.name} cannot be read: {failed.strerror}") from None


def say(text: str) -> None:
    """Write a line that every terminal shows, and that moves nothing on it."""
    sys.stdout.write(text.encode("unicode_escape").decode() + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
