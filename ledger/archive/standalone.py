r"""A checker for a campaign's record: an export, or the campaign's file. It does not need the rest of the program.

    python verify.py [FOLDER or FILE.campaign] [--key KEY] [--checkpoint FILE]

Without a name, verify.py checks its own folder. `--key` is the campaign's key, or a file with it, and needs the package
`cryptography`; the rest needs only Python 3.11. `--checkpoint` is a file with a signed head that you saved.
The format, which verify.py checks:

- The entries are numbered 1, 2, 3, each in the only JSON form that is hashed: no white space, keys in order.
- Texts that people typed are stored beside the entries, each with 32 random bytes, its salt. The entry contains only
  the HMAC-SHA-256 of the text, with the salt as key. So a text can be erased or hidden from players, but not replaced.
- The leaf of an entry is SHA-256 of the byte 0 and its line; a node is SHA-256 of the byte 1 and the two hashes below
  it (RFC 6962). The top hash, the root, changes with any byte of any entry. Tiles and stored hashes match this tree.
- A checkpoint has the number of entries and the root. Both match the record. If you give a checkpoint that you
  saved (`--checkpoint`), later changes to its entries are noticed. With `--key`, it counts only if that key signed it.

It does not check the rules and the sheets: `campaign verify` and `campaign audit` do. A record that somebody rewrote
from the beginning also passes. To notice this, give the key of a signed record, or a checkpoint that you saved.
By hand: `(printf '\0'; head -n 1 journal.jsonl | tr -d '\n') | sha256sum` gives the first 32 bytes of tile/0/000 (or of
tile/0/000.p/N). `printf %s TEXT | openssl dgst -sha256 -mac HMAC -macopt hexkey:SALT` gives TEXT's hash in an entry.
Exit codes: 0 complete, 6 check failed, 7 complete but something is not proved, 2 not checked.
"""

import argparse
import hmac
import json
import os
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from html import unescape
from io import StringIO
from itertools import islice, pairwise
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple, TextIO

COMPLETE, NOT_CHECKED, FAILED, NOT_PROVED = 0, 2, 6, 7
LONGEST_ENTRY, LONGEST_LINE, LONGEST_ORIGIN, LARGEST_NOTE, LARGEST_SENT = 60_000, 2**24, 255, 1_000_000, 2**20
SCHEMA = 5  # the newest version of a record that this program knows
NUMBER_LIMIT, WIDTH, HEIGHT, HASH, KEY_ID, ED25519, PRIME = 2**53, 256, 8, 32, 4, 1, 2**255 - 19
HEX = re.compile("[0-9a-f]{64}")
Key = tuple[str, bytes, bytes]  # name, id, public key
Word = tuple[int, str, str | None, bytes, str]  # entry, field, kind if known, salt, text
NAME = re.compile(r"[^\s+\x00-\x1f]+")
SIGNATURE = re.compile(f"\N{EM DASH} ({NAME.pattern}) ([0-9A-Za-z+/]{{7,}}={{0,2}})\n")
HEAD = r"([^\x00-\x1f]+)\n([1-9][0-9]{0,18})\n([^=\n]{43}=)\n(?:[^\x00-\x1f]+\n)*"
B64 = "[A-Za-z0-9+/]"
LOOSE_LINE = re.compile(  # a chat or mail program may change the dash, and put spaces where it wraps lines
    rf"(?:[\u2010-\u2015\u2212\u2022*]|-{{1,3}}) ?([^\s+]+) ((?:{B64} ?){{102}}==|(?:{B64} ?){{91}}=)(?![A-Za-z0-9+/=])"
)
LOOSE_HEAD = re.compile(rf"(?<!\S)(\S+) ([0-9]+) ((?:{B64} ?){{43}}=)((?: {LOOSE_LINE.pattern})+)")
INVISIBLE = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
NOTE = re.compile(rf"\A({HEAD})\n((?:{SIGNATURE.pattern}){{1,100}})\Z")
# entries, words, heads by size; then "tiles" and files by path, or "stored fingerprints (hashes)", by level and place
ExportContents = tuple[list[bytes], list[Word], list[tuple[int, str]], str, dict[Any, Any]]
UNSIGNED = "one of your checkpoints proves nothing, because none of your keys signed it"

NO_PACKAGE = "the signatures were not checked, because the Python package 'cryptography' is not installed"


class CheckFailed(Exception):
    """The error for a record that was damaged or changed."""


class UsageError(Exception):
    """The error for a wrong command line, or for a file that the program cannot use."""


class SignedHead(NamedTuple):
    """A checkpoint. `text` is the signed part. A signature is a name, and bytes that start with the key id."""

    origin: str
    size: int
    root: bytes
    text: str
    signatures: tuple[tuple[str, bytes], ...]


def main(typed: Sequence[str]) -> int:
    """Check the record that the command line names, and return the exit code."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Check a campaign's record.")
    parser.add_argument("record", nargs="?", default=Path(__file__).parent, help="an export folder, or a campaign file")
    parser.add_argument("--key", action="append", default=[], help="the campaign's key, from your character sheet")
    parser.add_argument("--checkpoint", action="append", default=[], help="a file with a checkpoint that you saved")
    options = parser.parse_args(typed)
    try:
        keys = [key_of(key) for key in options.key]
        errors = {name: UsageError(f"{name} does not contain a checkpoint") for name in options.checkpoint}
        saved_heads = [find_head(read_text(name), error) for name, error in errors.items()]
        where, is_file = Path(options.record), os.path.isfile(options.record)
        if not is_file and not os.path.isfile(where / "journal.jsonl"):
            raise UsageError(f"There is no export or campaign at {where}")
        return check(read_campaign(where) if is_file else read_export(where), keys, saved_heads)
    except (UsageError, MemoryError) as wrong:
        say(f"Error: {str(wrong) or 'This computer does not have enough memory for this record'}.", sys.stderr)
        return NOT_CHECKED
    except CheckFailed as wrong:
        say(f"Check failed: {wrong}.")
    except OSError as failed:
        say(f"Check failed: {os.path.basename(failed.filename)} cannot be read: {failed.strerror}.")
    except (RecursionError, ValueError, TypeError, LookupError, AttributeError):
        say("Check failed: part of the record cannot be read.")
    return FAILED


def check(record: ExportContents, keys: list[Key], saved_heads: list[SignedHead]) -> int:
    """Check a record, print the results, and return the exit code."""
    entries, words, heads, kind, stored = record
    bodies = [body_of(seq, entry) for seq, entry in enumerate(entries or [b""], 1)]
    here, away = check_words(bodies, words)
    tree = Tree([sha256(b"\x00" + entry).digest() for entry in entries])
    unreadable = CheckFailed("a checkpoint stored with the entries cannot be read")
    signed_heads = [head_of(note, unreadable) for _, note in heads]
    if [head.size for head in signed_heads] != [size for size, _ in heads]:
        raise unreadable
    for head in signed_heads:
        tree.check_head(head)
    vkeys = keys_in(bodies)
    origin = vkeys[0].partition("+")[0] if vkeys else "unsigned"
    if others := {head.origin for head in saved_heads} - {origin}:
        raise UsageError(f"A checkpoint that you gave belongs to {min(others)}, not to this campaign ({origin})")
    for head in signed_heads if keys else ():
        if (bad := why_unproved(head, [key for text in vkeys for key in read_keys(text)])) not in {"", NO_PACKAGE}:
            raise CheckFailed(f"the checkpoint of {head.size} entries is not signed with the campaign's own key; {bad}")
    evidence, lacking = check_checkpoints(tree, signed_heads, keys, saved_heads)
    hashes: dict[Any, bytes] = {(at, on): h for at, row in enumerate(tree.levels) if at for on, h in enumerate(row)}
    if kind == "tiles":
        hashes = tree.tiles({tree.size, *(head.size for head in signed_heads[-1:])}, entries)
    wrong = [name for name in hashes.keys() | stored.keys() if not has_content(stored.get(name), hashes.get(name))]
    fingerprints = "fingerprint (hash) files" if kind == "tiles" else kind
    if wrong and stored:
        raise CheckFailed(f"the {fingerprints} do not match the entries (first mismatch: {min(wrong)})")
    size = f"{tree.size} {'entry' if tree.size == 1 else 'entries'}"
    for reason in dict.fromkeys(lacking):
        say(f"Not proved: {reason}.")
    say(f"{'Complete' if lacking else 'OK'}: {size}. Fingerprint: {b64encode(tree.root(tree.size)).decode()}")
    say(f"Texts: {here} match; {away} not in this copy (erased or secret)." if away else f"Texts: {here} match.")
    say(f"The {fingerprints} match the entries." if stored else f"There are no {fingerprints} to check.")
    say("This program does not check the rules or the sheets.")
    if evidence:
        say(evidence)
    return NOT_PROVED if lacking else COMPLETE


def keys_in(bodies: list[dict[str, Any]]) -> list[str]:
    """Return the keys in the entries, in order. Raise `CheckFailed` if the keys have different names."""
    with_keys = [body for body in bodies if body.get("type") in {"campaign-opened", "key-rotated"} and body.get("key")]
    names = [str(body["key"]).partition("+")[0] for body in with_keys]
    for body, name in zip(with_keys, names, strict=True):
        if name != names[0]:
            raise wrong_entry(body["seq"], "adds the key of a different campaign")
    return [str(body["key"]) for body in with_keys]


def wrong_entry(seq: int, problem: str) -> CheckFailed:
    """Return the error for an entry that was damaged or changed."""
    return CheckFailed(
        f"entry {seq} {problem}; {f'the last good entry is {seq - 1}' if seq > 1 else 'there is no earlier entry'}"
    )


def body_of(seq: int, stored: bytes) -> dict[str, Any]:
    """Parse entry `seq`. Raise `CheckFailed` for an entry with another number, or not in the form that is hashed."""
    try:
        body = parse_strictly(stored if len(stored) <= LONGEST_ENTRY else b"")
    except ValueError:
        raise wrong_entry(seq, "is missing, cut off, too long, or not in the program's exact format") from None
    opens = isinstance(body, dict) and body.get("type") == "campaign-opened"
    if not isinstance(body, dict) or type(body.get("seq")) is not int or (body["seq"], opens) != (seq, seq == 1):
        raise wrong_entry(seq, "is in the wrong place")
    return body


def parse_strictly(stored: bytes) -> Any:
    """Parse JSON in the form that is hashed. Raise `ValueError` for any other form."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs) or any(max(name, default="") > "\uffff" for name, _ in pairs):
            raise ValueError
        return dict(pairs)

    def whole(digits: str) -> int:
        if not -NUMBER_LIMIT < int(digits) < NUMBER_LIMIT:
            raise ValueError
        return int(digits)

    text = stored.decode()
    value = json.loads(text, object_pairs_hook=unique, parse_int=whole, parse_float=whole, parse_constant=whole)
    if json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() != stored:
        raise ValueError
    return value


def check_words(bodies: list[dict[str, Any]], words: list[Word]) -> tuple[int, int]:
    """Count the texts that match their commitments, and the commitments without a text."""
    unmatched, here, away = {word[:2]: word[2:] for word in words}, 0, 0
    if last := max((word[0] for word in words if word[0] > len(bodies)), default=0):
        raise wrong_entry(len(bodies) + 1, f"is missing, but the file has a text for entry {last}")
    erasures = [body["erased"] for body in bodies if body.get("type") == "words-erased"]
    erased = {(seq, field) for erasure in erasures for seq, fields in erasure.items() for field in fields}
    for seq, body in enumerate(bodies, 1):
        for field, kind, committed in commitments(body, ""):
            word, is_erased = unmatched.pop((seq, field), None), (str(seq), field) in erased
            if word is None and kind == "word" and not is_erased:
                raise wrong_entry(seq, f"has lost its text ({field})")
            if word is not None and is_erased:
                raise wrong_entry(seq, f"still contains text ({field}) that was erased")
            digest = word and hmac.digest(word[1], word[2].encode(), "sha256").hex()
            if word and (digest != committed or word[0] not in {None, kind}):
                raise wrong_entry(seq, f"has a text that differs from the original ({field})")
            here, away = here + (word is not None), away + (word is None)
    for seq, field in sorted(unmatched):
        raise wrong_entry(seq, f"has an extra text that does not belong to it ({field})")
    return here, away


def commitments(value: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the commitments in an entry: the field, the kind (`word` or `secret`), and the hash."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        where = f"{path}.{name}" if path else str(name)
        for kind, committed in item.items() if isinstance(item, dict) and len(item) == 1 else ():
            if kind in {"word", "secret"} and isinstance(committed, str) and HEX.fullmatch(committed):
                yield where, kind, committed
        yield from commitments(item, where)


class Tree:
    """The hash tree of the entries. `levels[0]` has the leaves. A hash above combines two hashes one level below."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.size, self.levels = len(leaves), [leaves]
        while len(below := self.levels[-1]) > 1:
            pairs = range(0, len(below) - 1, 2)
            self.levels.append([sha256(b"\x01" + below[at] + below[at + 1]).digest() for at in pairs])

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` entries. Combine the roots of complete subtrees, the smallest first."""
        root = b""
        for level in range(size.bit_length()):
            if size >> level & 1:
                part = self.levels[level][(size >> level) - 1]
                root = sha256(b"\x01" + part + root).digest() if root else part
        return root

    def check_head(self, head: SignedHead, end: str = "") -> None:
        """Raise `CheckFailed` if a checkpoint does not match these entries. Add `end` at the end of the message."""
        if head.size > self.size:
            raise CheckFailed(
                f"a checkpoint covers {head.size} entries, but the record ends earlier or has a different history{end}"
            )
        if self.root(head.size) != head.root:
            raise CheckFailed(
                f"one of the entries 1 to {head.size} does not match the checkpoint of {head.size} entries{end}"
            )

    def tiles(self, sizes: set[int], entries: list[bytes]) -> dict[Any, bytes]:
        """Return the tiles for trees of these sizes, by path: hash tiles for every eighth level, and entry tiles."""
        files: dict[Any, bytes] = {}
        for size, level in ((size, level) for size in sizes for level in range(0, len(self.levels), HEIGHT)):
            for first in range(0, size >> level, WIDTH):
                last, at = min(first + WIDTH, size >> level), first // WIDTH
                name = f"{at % 1000:03}" + ("" if last - first == WIDTH else f".p/{last - first}")
                while at := at // 1000:
                    name = f"x{at % 1000:03}/{name}"
                files[f"tile/{level // HEIGHT}/{name}"] = b"".join(self.levels[level][first:last])
                if not level:
                    bundle = (len(entry).to_bytes(2, "big") + entry for entry in entries[first:last])
                    files[f"tile/entries/{name}"] = b"".join(bundle)
        return files


def check_checkpoints(
    tree: Tree, own: list[SignedHead], keys: list[Key], saved_heads: list[SignedHead]
) -> tuple[str, list[str]]:
    """Check the record's `own` checkpoints and the saved ones. Return the result in words, and what is not proved."""
    if not keys and not saved_heads:
        return "You gave no key and no saved checkpoint. Add --key KEY or --checkpoint FILE.", []
    lacking, proved, by, who = [], 0, "", "its signature was not checked, because no --key was given"
    for head in dict.fromkeys([*own, *saved_heads] if keys else saved_heads):
        wrong = why_unproved(head, [key for key in keys if key[0] == head.origin]) if keys else ""
        if not wrong:
            tree.check_head(head, "" if keys else f"; {who}")
            proved, by = max((proved, by), (head.size, head.origin))
        elif head in saved_heads or wrong != UNSIGNED:
            lacking.append(wrong)
    if not proved:
        return "", [*lacking, "none of your keys proves a checkpoint of these entries"]
    who, later = f"it is signed by {by}" if keys else who, tree.size - proved
    after = f" {later} {'entry' if later == 1 else 'entries'} after #{proved} {'is' if later == 1 else 'are'}"
    after += " not signed yet." if keys else " not in that checkpoint."
    return f"The entries up to {proved} match a checkpoint; {who}." + (after if later else ""), lacking


def why_unproved(head: SignedHead, keys: list[Key]) -> str:
    """Return the reason why none of these keys proves a checkpoint, or "" if one of them does."""
    signed = [(key[2], line[KEY_ID:]) for key in keys for by, line in head.signatures if (by, line[:KEY_ID]) == key[:2]]
    for public, signature in signed:
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

            Ed25519PublicKey.from_public_bytes(public).verify(signature, head.text.encode())
        except ImportError:
            return NO_PACKAGE
        except InvalidSignature:
            return f"the checkpoint at entry {head.size} proves nothing, because its signature is not valid"
    return "" if signed else UNSIGNED


def head_of(note: str, error: Exception) -> SignedHead:
    """Parse a checkpoint. Raise `error` if the text is not a checkpoint."""
    with suppress(ValueError):
        ((text, origin, size, root, below, *_),) = NOTE.findall(note)
        signatures = tuple((name, bytes_of(blob)) for name, blob in SIGNATURE.findall(below))
        if len(origin.encode()) <= LONGEST_ORIGIN and len(note.encode()) <= LARGEST_NOTE and int(size) < 2**63:
            return SignedHead(origin, int(size), bytes_of(root), text, signatures)
    raise error


def find_head(text: str, error: Exception) -> SignedHead:
    """Parse a checkpoint, even if a chat or mail program changed its form. Raise `error` if there is none."""
    lines = re.sub(r"(?m)^[\s>]+", "", "\n".join(re.split("[\r\n\u2028\u2029]+", INVISIBLE.sub("", unescape(text)))))
    notes, heads = [text], []
    for origin, size, root, below, *_ in LOOSE_HEAD.findall(" ".join(lines.split())):
        signed = "".join(f"\N{EM DASH} {who} {blob.replace(' ', '')}\n" for who, blob in LOOSE_LINE.findall(below))
        notes.append(f"{origin}\n{size}\n{root.replace(' ', '')}\n\n{signed}")
    for note in notes:
        with suppress(type(error)):
            heads.append(head_of(note, error))
    if not heads:
        raise error
    return max(heads, key=lambda head: (head.size, len(head.signatures)))


def read_text(name: str) -> str:
    """Return a file's text. Leave out chat markup, and the hints and proofs that our program adds to a checkpoint."""
    try:
        with open(name, "rb") as file:
            data = file.read(LARGEST_SENT)
    except OSError as failed:
        raise UsageError(f"{name} cannot be read: {failed.strerror}") from None
    coded = ("utf-16", "replace") if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else ("utf-8-sig", "surrogateescape")
    text = data.decode(*coded)
    lines = [re.sub("^(> ?)+", "", line).rstrip() for line in text.split("\n")]
    note = (line for line in lines if not re.match(r"```|#\d+ |The sealed |Send |For the players to keep:$", line))
    return re.sub(r"\A(?:old [0-9]+\n(?:[^\n=]{43}=\n)*\n)+", "", "\n".join(note).strip("\n") + "\n")


def key_of(typed: str) -> Key:
    """Read a key, typed as `NAME+ID+KEY` or as the name of its file. Raise `UsageError` if there is no valid key."""
    with suppress(ValueError):
        keys = [typed] if "+" in typed else re.findall(r"^[^\s+]+\+[0-9a-f]{8}\+\S+$", read_text(typed), re.MULTILINE)
        name, key_id, encoded = (keys or [""])[0].split("+", 2)
        data = bytes_of(encoded)
        own_id, y = sha256(name.encode() + b"\n" + data).digest()[:KEY_ID], int.from_bytes(data[1:], "little") % 2**255
        if NAME.fullmatch(name) and own_id.hex() == key_id and data[:1] == bytes([ED25519]) and len(data) == 1 + HASH:
            # RFC 8032, 5.1.3: y < p; "Taming the Many EdDSAs": the order is small if y = 0, 1 or -1, or x^2 = -y^2
            if not 1 < y < PRIME - 1 or (121666 * (2 * y**2 - 1) - 121665 * y**4) % PRIME == 0:
                raise UsageError("This key is unsafe: either anybody can sign with it, or its format is not standard")
            return name, own_id, data[1:]
    raise UsageError("This is not a campaign's key. A key has the form NAME+ID+KEY")


def read_keys(text: str) -> list[Key]:
    """Return a list with the key in a text, or an empty list if the text has no key that a campaign can sign with."""
    with suppress(UsageError):
        return [key_of(text)]
    return []


def bytes_of(base64: str) -> bytes:
    """Decode base64. Raise `ValueError` for a form that is not standard."""
    if b64encode(data := b64decode(base64)).decode() != base64:
        raise ValueError
    return data


def check_version(version: int) -> None:
    """Raise `UsageError` for a record of a newer version."""
    if version > SCHEMA:
        raise UsageError(f"A newer program wrote this (format {version}; this verify.py reads up to {SCHEMA})")


def read_export(folder: Path) -> ExportContents:
    """Read an export's entries, texts, checkpoints and tiles. Raise `CheckFailed` if one of its files is not valid."""
    if (folder / "schema").exists():
        lines = [line for _, line in islice(lines_in(folder / "schema", 100), 2)]
        if len(lines) != 1 or not re.fullmatch(b"[1-9][0-9]{0,8}", lines[0]):
            raise CheckFailed("the file 'schema' does not contain a version number")
        check_version(int(lines[0]))
    entries = [line for seq, line in lines_in(folder / "journal.jsonl", LONGEST_ENTRY + 1) if body_of(seq, line)]
    words = []
    for line in objects_in(folder / "words.jsonl", entry=int, field=str, kind=str, salt=str, text=str):
        if not HEX.fullmatch(line["salt"]):
            raise wrong_entry(line["entry"], "has a text with an invalid salt (the random number stored with the text)")
        words.append((line["entry"], line["field"], line["kind"], bytes.fromhex(line["salt"]), line["text"]))
    heads = [(line["size"], line["note"]) for line in objects_in(folder / "checkpoints.jsonl", size=int, note=str)]
    if any(one[:2] >= two[:2] for one, two in pairwise(words)) or any(one[0] >= two[0] for one, two in pairwise(heads)):
        raise CheckFailed("a line in words.jsonl or checkpoints.jsonl is repeated or in the wrong place")
    longest, note = folder / "checkpoint", heads[-1][1].encode() if heads else b""
    if not has_content(longest if longest.exists() else b"", note):
        raise CheckFailed("the file 'checkpoint' is not the same as the latest checkpoint in checkpoints.jsonl")
    tiles = {at.relative_to(folder).as_posix(): at for at in folder.glob("tile/**/*") if not at.is_dir()}
    return entries, words, heads, "tiles", tiles


def lines_in(path: Path, longest: int) -> Iterator[tuple[int, bytes]]:
    """Yield numbered lines of a file; b"" for a cut-off or too long line. Raise `CheckFailed` for a folder or pipe."""
    if path.exists() and not path.is_file():
        raise CheckFailed(f"{path.name} is not a file")
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(longest), b""), 1):
            yield number, line[:-1] if line.endswith(b"\n") else b""


def has_content(stored: bytes | Path | None, expected: bytes | None) -> bool:
    """Return True if stored bytes, or a file's bytes, equal `expected`. Read at most one byte more than `expected`."""
    if expected is None or not isinstance(stored, Path) or not stored.is_file():
        return stored == expected
    with stored.open("rb") as file:
        return file.read(len(expected) + 1) == expected


def objects_in(path: Path, **kinds: type) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file, one per line. Raise `CheckFailed` if the fields of a line differ from `kinds`."""
    for number, line in lines_in(path, LONGEST_LINE):
        with suppress(ValueError):
            value = parse_strictly(line)
            if isinstance(value, dict) and {name: type(item) for name, item in value.items()} == kinds:
                yield value
                continue
        raise CheckFailed(f"line {number} of {path.name} is not valid in an export")


def read_campaign(file: Path, attempts: int = 99) -> ExportContents:
    """Read a campaign's file without changing it. If another program changes it, try again, up to `attempts` times."""
    import sqlite3

    real, before, failure = file.resolve(), file_stats(file), None
    log = "-wal" in before  # then SQLite may make a -shm file
    without_shm = log and "-shm" not in before and not os.access(real.parent, os.W_OK)  # no -shm can be made
    try:
        how = "mode=ro" if log else "immutable=1"  # without a -wal, nobody has the file open
        how += f"&vfs={'unix' if os.name == 'posix' else 'win32'}-none" * without_shm
        with closing(sqlite3.connect(f"{real.as_uri()}?{how}", uri=True)) as database:
            ask = database.execute
            if without_shm:
                ask("PRAGMA locking_mode = EXCLUSIVE")  # keeps the content of the -shm in memory
            ask("BEGIN")  # all tables as of one moment
            check_version(ask("PRAGMA user_version").fetchone()[0])
            entries = ask("SELECT seq, CAST(body AS BLOB), leaf FROM entries ORDER BY seq").fetchall()
            words = ask("SELECT seq, field, NULL, salt, text FROM words ORDER BY seq, field").fetchall()
            later = ask("PRAGMA user_version").fetchone()[0] > 1  # the first version had no nodes and no checkpoints
            nodes = ask("SELECT level, place, hash FROM nodes").fetchall() if later else []
            heads = ask("SELECT size, note FROM checkpoints ORDER BY size").fetchall() if later else []
    except sqlite3.Error as error:
        failure = error
    if (without_shm or failure or not log) and attempts and file_stats(file) != before:
        sleep(0.05)
        return read_campaign(file, attempts - 1)
    if failure:
        raise CheckFailed(f"{file} cannot be read as a campaign ({failure})")
    for expected, (seq, stored, leaf) in enumerate(entries, 1):
        if seq != expected:
            raise wrong_entry(expected, "is missing")
        if not isinstance(stored, bytes) or sha256(b"\x00" + stored).digest() != leaf:
            raise wrong_entry(seq, "does not match its fingerprint (hash)")
    return [row[1] for row in entries], words, heads, "stored fingerprints (hashes)", {row[:2]: row[2] for row in nodes}


def file_stats(file: Path) -> dict[str, tuple[int, int]]:
    """Return the modification time and size of a file, and of its -wal and -shm files if they exist."""
    facts: dict[str, tuple[int, int]] = {}
    for end in ("", "-wal", "-shm"):
        with suppress(OSError):
            stats = os.stat(f"{file.resolve()}{end}")
            facts[end] = stats.st_mtime_ns, stats.st_size
    return facts


def say(text: str, to: TextIO | None = None) -> None:
    """Print a line in ASCII, with escapes for all other characters. A closed pipe is not an error."""
    out = to or sys.stdout or StringIO()  # sys.stdout is None if it was closed
    try:
        out.write(text.encode("unicode_escape").decode() + "\n")
        out.flush()
    except OSError as failed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        if not isinstance(failed, BrokenPipeError):
            say(f"Error: The output is incomplete: {failed.strerror}.", sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
