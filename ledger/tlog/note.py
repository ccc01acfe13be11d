"""Notes: texts with signatures at the end (C2SP signed-note and tlog-cosignature)."""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from typing import Protocol

from ledger.errors import BadInput, Malformed, Unproven, count_of, quoted
from ledger.values import Struct

ED25519 = 1
"""The signature algorithm of a log."""

COSIGNATURE = 4
"""The signature algorithm of a witness. The signature also covers the time at which the witness saw the text."""

LARGEST_NOTE = 1_000_000
"""The maximum size of a note, in bytes."""

MOST_SIGNATURES = 100
UINT64 = 2**64
INT64 = 2**63

KEY_ID_BYTES = 4
TIME_BYTES = 8
KEY_BYTES = 32
SIGNATURE_BYTES = 64

PRIME = 2**255 - 19
"""The prime p of Ed25519 (RFC 8032, section 5.1)."""

PRIVATE_PREFIX = "PRIVATE+KEY+"
DASH = "\N{EM DASH} "

_NAME_PATTERN = re.compile(r"[^\s+\x00-\x1f\ud800-\udfff]+")
_KEY_ID_PATTERN = re.compile("[0-9a-f]{8}")
_DECIMAL_PATTERN = re.compile("0|[1-9][0-9]{0,19}")
_CONTROL_PATTERN = re.compile("[\x00-\x1f]")
_SIGNATURE_LINE_PATTERN = re.compile(f"{DASH}([^ \n]+) ([0-9A-Za-z+/]+={{0,2}})\n?")


class Vkey(Struct):
    """A public key: the name of its holder, its id (8 hexadecimal digits), its algorithm and its 32 bytes."""

    name: str
    key_id: str
    alg: int
    key: bytes

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id}+{to_base64(bytes([self.alg]) + self.key)}"


class Signer(Protocol):
    """A key that can sign: a private key, or the public half of a key that another program keeps."""

    @property
    def vkey(self) -> Vkey:
        """The public key that verifies this key's signatures."""

    def sign(self, text: str) -> str:
        """Return the line that signs a text, with its newline."""


class Skey(Struct):
    """A private key. `str` gives the whole key. `repr` never shows the secret part."""

    name: str
    key_id: str
    alg: int
    seed: bytes

    def __str__(self) -> str:
        return f"{PRIVATE_PREFIX}{self.name}+{self.key_id}+{to_base64(bytes([self.alg]) + self.seed)}"

    def __repr__(self) -> str:
        return f"Skey({self.name}+{self.key_id})"

    @property
    def vkey(self) -> Vkey:
        """The public key that verifies this key's signatures."""
        return Vkey(name=self.name, key_id=self.key_id, alg=self.alg, key=public_key(self.seed))

    def sign(self, text: str) -> str:
        """Return the line that signs a text, with its newline."""
        return signature_line(text, self)


class Signature(Struct):
    """A signature line of a note, not verified. `str` gives the line with its newline."""

    name: str
    key_id: str
    blob: bytes

    def __str__(self) -> str:
        return f"{DASH}{self.name} {to_base64(bytes.fromhex(self.key_id) + self.blob)}\n"


class SignedNote(Struct):
    """A text that at least one known key signed.

    `verified` lists the name and id of each known key that signed, in the order of the lines. `timestamps` maps each
    witness to the signing time, in seconds since 1970.
    """

    text: str
    verified: list[tuple[str, str]]
    timestamps: dict[str, int]


def to_base64(data: bytes) -> str:
    """Encode bytes in base64, with padding and without line breaks."""
    return b2a_base64(data, newline=False).decode()


def from_base64(text: str, size: int | None = None) -> bytes:
    """Decode text from `to_base64` to `size` bytes (None: any number). Raise `Malformed` for any other text."""
    try:
        data = a2b_base64(text)
    except ValueError:
        raise Malformed(
            f"{quoted(text)} is incomplete or was changed. Copy it again, completely and without changes."
        ) from None
    if to_base64(data) != text:
        raise Malformed(f"{quoted(text)} was changed while it was copied. Copy it again without changes.")
    if size is not None and len(data) != size:
        raise Malformed(f"{quoted(text)} has {count_of(len(data), 'byte')} instead of {size}.")
    return data


def from_decimal(text: str, below: int) -> int:
    """Parse a whole number less than `below` (`below` <= 2^64). Raise `Malformed` for leading zeros or other text."""
    if not _DECIMAL_PATTERN.fullmatch(text) or int(text) >= below:
        raise Malformed(f"{quoted(text)} is not a whole number from 0 to {below - 1}.")
    return int(text)


def as_text(text: str | bytes) -> str:
    """Decode UTF-8, or return a `str` unchanged. Raise `Malformed` for text that is not valid UTF-8."""
    try:
        if isinstance(text, bytes):
            return text.decode()
        text.encode()
    except UnicodeError:
        raise Malformed("This is not UTF-8 text, so some of its characters cannot be read.") from None
    return text


def parse_vkey(text: str) -> Vkey:
    """Parse `<name>+<id>+<base64>`. Raise `Malformed` for an unknown algorithm, a wrong id, or an unsafe key.

    No error quotes the text, because somebody may have typed a private key by mistake.
    """
    name, key_id, alg, key = _key_parts(text)
    if key_id != _key_id(name, alg, key):
        raise Malformed(f"The ID {key_id} does not belong to this key.")
    y = int.from_bytes(key, "little") % 2**255
    if _is_of_small_order(y):
        raise Malformed("This key is unsafe: a signature made with it can be valid for any text.")
    if y >= PRIME:  # RFC 8032, section 5.1.3, step 1
        raise Malformed("This is not a valid key.")
    return Vkey(name=name, key_id=key_id, alg=alg, key=key)


def parse_skey(text: str) -> Skey:
    """Parse `PRIVATE+KEY+<name>+<id>+<base64>`. Raise `Malformed` for anything else, without quoting the text."""
    if not text.startswith(PRIVATE_PREFIX):
        raise Malformed(f"A private key starts with {PRIVATE_PREFIX}.")
    name, key_id, alg, seed = _key_parts(text.removeprefix(PRIVATE_PREFIX))
    skey = make_skey(name, seed, alg)
    if key_id != skey.key_id:
        raise Malformed(f"The ID {key_id} does not belong to this key.")
    return skey


def make_skey(name: str, seed: bytes, alg: int = ED25519) -> Skey:
    """Make a private key from a `seed` of 32 bytes. The caller must supply random bytes."""
    if not _NAME_PATTERN.fullmatch(name):
        raise Malformed(f"{quoted(name)} cannot be the name of a key.")
    return Skey(name=name, key_id=_key_id(name, alg, public_key(seed)), alg=alg, seed=seed)


def public_key(seed: bytes) -> bytes:
    """Return the 32 bytes of the public key that verifies this seed's signatures (RFC 8032)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # lazy import: slow

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign_bytes(seed: bytes, message: bytes) -> bytes:
    """Return the 64 bytes of a signature. The same seed and message always give the same bytes (RFC 8032)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return True if `signature` is the Ed25519 signature of this message by this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def parse_signature(line: str) -> Signature:
    """Parse a signature line, with or without its newline. Raise `Malformed` for other texts."""
    match = _SIGNATURE_LINE_PATTERN.fullmatch(as_text(line))
    if not match or not _NAME_PATTERN.fullmatch(match[1]):
        raise Malformed(f"{quoted(line)} is not a signature line.")
    data = from_base64(match[2])
    if len(data) <= KEY_ID_BYTES:
        raise Malformed(f"{quoted(line)} does not contain a signature.")
    return Signature(name=match[1], key_id=data[:KEY_ID_BYTES].hex(), blob=data[KEY_ID_BYTES:])


def signature_line(text: str, skey: Skey | str, time: int | None = None) -> str:
    """Return the line that signs a text, with its newline. A witness needs the time, in seconds since 1970."""
    message = note_text(text).encode()
    key = parse_skey(skey) if isinstance(skey, str) else skey
    if (time is None) is (key.alg == COSIGNATURE):
        raise BadInput("A witness's signature must include a time. Other signatures cannot include one.")
    stamp = b""
    if time is not None:
        message = _cosigned_message(message, time)
        stamp = time.to_bytes(TIME_BYTES, "big")
    return str(Signature(name=key.name, key_id=key.key_id, blob=stamp + sign_bytes(key.seed, message)))


def sign_note(text: str, key: Signer | str, *, signatures: Sequence[str] = ()) -> bytes:
    """Return a note: the text, the earlier `signatures` by other keys, and a new signature by this key."""
    line = (parse_skey(key) if isinstance(key, str) else key).sign(text)
    ours = parse_signature(line)
    others = [parse_signature(other) for other in signatures]
    lines = [str(other) for other in others if (other.name, other.key_id) != (ours.name, ours.key_id)]
    note = "".join([text, "\n", *lines, line])
    read_note(note)
    return note.encode()


def read_note(note: bytes | str) -> tuple[str, list[Signature]]:
    """Parse a note into its text and its signature lines, in order. Nothing is verified."""
    complete = as_text(note)
    split = complete.rfind("\n\n") + 1
    text = note_text(complete[:split])
    *lines, last = complete[split + 1 :].split("\n")
    if len(complete.encode()) > LARGEST_NOTE or last or not 1 <= len(lines) <= MOST_SIGNATURES:
        raise Malformed(f"A signed text must end with 1 to {MOST_SIGNATURES} signatures.")
    return text, [parse_signature(line) for line in lines]


def open_note(note: bytes | str, vkeys: Sequence[Vkey | str]) -> SignedNote:
    """Verify a note against known keys. Ignore the lines of unknown keys.

    Use only the first line of each known key. Raise `Unproven` for an invalid line of a known key, or if no known key
    signed. Raise `Malformed` for a text that is not a note.
    """
    text, lines = read_note(note)
    known = [parse_vkey(key) if isinstance(key, str) else key for key in vkeys]
    verified: dict[tuple[str, str], int | None] = {}
    for line in lines:
        who = line.name, line.key_id
        theirs = [key for key in known if (key.name, key.key_id) == who]
        if len(theirs) > 1:
            raise Unproven(f"Two or more known keys are called {line.name}+{line.key_id}.")
        if theirs:
            verified.setdefault(who, _verify(line, theirs[0], text))
    if not verified:
        raise Unproven("This text is not signed with a known key.")
    timestamps = {name: time for (name, _), time in verified.items() if time is not None}
    return SignedNote(text=text, verified=list(verified), timestamps=timestamps)


def cosignatures(note: str) -> list[tuple[str, int]]:
    """Return the name and time (in seconds since 1970) of each witness line in a note. Nothing is verified."""
    lines = [line for line in read_note(note)[1] if len(line.blob) == TIME_BYTES + SIGNATURE_BYTES]
    return [(line.name, int.from_bytes(line.blob[:TIME_BYTES], "big")) for line in lines]


def note_text(text: str) -> str:
    """Return a text unchanged if it can be signed. Raise `Malformed` for other texts.

    A text that can be signed is UTF-8, ends with a newline, and has no other control characters than newlines.
    """
    if not as_text(text).endswith("\n") or _CONTROL_PATTERN.search(text.replace("\n", "")):
        raise Malformed(
            "A signed text must end with a line break. It cannot contain control characters other than line breaks."
        )
    return text


def _verify(line: Signature, vkey: Vkey, text: str) -> int | None:
    """Return the signing time if a witness signed, else None. Raise `Unproven` for an invalid signature."""
    time, message, signature = None, text.encode(), line.blob
    if vkey.alg == COSIGNATURE:
        time = int.from_bytes(line.blob[:TIME_BYTES], "big")
        message, signature = _cosigned_message(message, time), line.blob[TIME_BYTES:]
    if (time or 0) >= INT64 or not is_signature(vkey.key, message, signature):
        raise Unproven(f"The signature of {line.name}+{line.key_id} is not valid.")
    return time


def _cosigned_message(message: bytes, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n".encode() + message


def _key_parts(text: str) -> tuple[str, str, int, bytes]:
    name, _, rest = text.partition("+")
    key_id, _, base64 = rest.partition("+")
    try:
        alg, *key = from_base64(base64, 1 + KEY_BYTES)
    except Malformed:
        alg, key = 0, []
    if not _NAME_PATTERN.fullmatch(name) or not _KEY_ID_PATTERN.fullmatch(key_id) or alg not in {ED25519, COSIGNATURE}:
        raise Malformed("This is not a key, or its algorithm is unknown.")
    return name, key_id, alg, bytes(key)


def _is_of_small_order(y: int) -> bool:
    """Return True if a point with this y has small order: eight times the point is the neutral element."""
    # Chalkias, Garillot, Nikolaenko, "Taming the Many EdDSAs": these y are 1, −1, 0, and two where x² = −y²
    return y * (y**2 - 1) * (121666 * (2 * y**2 - 1) - 121665 * y**4) % PRIME == 0


def _key_id(name: str, alg: int, key: bytes) -> str:
    from hashlib import sha256

    return sha256(name.encode() + b"\n" + bytes([alg]) + key).digest()[:KEY_ID_BYTES].hex()
