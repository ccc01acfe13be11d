"""Checkpoints: the size and root of a log at one moment, and proofs that the log contains a leaf (C2SP)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.errors import Malformed, quoted
from ledger.tlog.note import INT64, UINT64, as_text, from_base64, from_decimal, note_text, to_base64
from ledger.tlog.tree import HASH_BYTES
from ledger.values import Struct

LONGEST_ORIGIN = 255
"""The maximum length of a log's name, in bytes."""

LEAST_LINES = 3
MOST_HASHES = 63
PROOF_HEADER = "c2sp.org/tlog-proof@v1"

_PROOF_PATTERN = re.compile(f"{re.escape(PROOF_HEADER)}\n(?:extra ([^\n]+)\n)?index ([^\n]+)((?:\n[^\n]+)*)")


class Checkpoint(Struct):
    """A log's name, its size, and the root of its tree. `str` gives the text to sign."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.origin, str(self.size), to_base64(self.root), *self.extensions]
        return "".join(f"{line}\n" for line in lines)


def parse_checkpoint(text: str | bytes) -> Checkpoint:
    """Parse the text of a checkpoint. Raise `Malformed` for any other text, and for a note with signatures."""
    lines = note_text(as_text(text)).split("\n")[:-1]
    if len(lines) < LEAST_LINES or not all(lines):
        raise Malformed(
            f"This checkpoint is incomplete. It needs at least {LEAST_LINES} lines before its"
            " signatures, and no empty lines between them. Copy all of it."
        )
    origin, size, root, *extensions = lines
    if len(origin.encode()) > LONGEST_ORIGIN:
        raise Malformed(f"{quoted(origin)} is too long for the name of a log.")
    return Checkpoint(
        origin=origin, size=from_decimal(size, INT64), root=from_base64(root, HASH_BYTES), extensions=tuple(extensions)
    )


def checkpoint_text(origin: str, size: int, root: bytes, extensions: Sequence[str] = ()) -> str:
    """Return the text of a checkpoint. Raise `Malformed` if parsing the text would give a different checkpoint."""
    checkpoint = Checkpoint(origin=origin, size=size, root=root, extensions=tuple(extensions))
    if parse_checkpoint(str(checkpoint)) != checkpoint:
        raise Malformed("A line of a checkpoint cannot contain a line break.")
    return str(checkpoint)


def rotation_text(origin: str, size: int, root: bytes, key: str) -> str:
    """Return the text that both keys sign in a key rotation: the head before the rotation, and the new key."""
    return checkpoint_text(origin, size, root, (f"key {key}",))


def format_tlog_proof(index: int, hashes: Sequence[bytes], checkpoint: str | bytes, extra: bytes | None = None) -> str:
    """Format a proof that the log of a signed checkpoint contains the leaf at `index`. Nothing is verified.

    The `extra` data is stored with the proof, but proves nothing.
    """
    lines = [PROOF_HEADER, f"index {index}", *map(to_base64, hashes)]
    if extra is not None:
        lines.insert(1, f"extra {to_base64(extra)}")
    text = "\n".join([*lines, "", as_text(checkpoint)])
    parse_tlog_proof(text)
    return text


def parse_tlog_proof(text: str | bytes) -> tuple[int, list[bytes], str, bytes | None]:
    """Parse a proof into its index, hashes, checkpoint and extra data. The caller must verify the proof."""
    head, _, checkpoint = as_text(text).partition("\n\n")
    match = _PROOF_PATTERN.fullmatch(head)
    if not match or not checkpoint.endswith("\n"):
        raise Malformed(
            f"This is not a complete proof. A proof starts with the line {PROOF_HEADER} and ends with a checkpoint."
            " Copy all of it."
        )
    extra, index, below = match.groups()
    hashes = [from_base64(line, HASH_BYTES) for line in below.split("\n")[1:]]
    if len(hashes) > MOST_HASHES:
        raise Malformed(f"This proof is too long: it has more than {MOST_HASHES} lines of hashes. Ask for it again.")
    extra_data = None if extra is None else from_base64(extra)
    return from_decimal(index, UINT64), hashes, checkpoint, extra_data
