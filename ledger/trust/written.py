"""Written: this computer's last write to each campaign. The record shows if an older copy replaced a campaign's file.

The record of a campaign is a small text file in the home. Each write to the campaign replaces the record. A roll does
not wait until the record is on disk. After a power failure, the record may be old or missing, but never damaged. An old
record is harmless, because the campaign still has the older entries. Errors when writing a record are ignored.
"""

from __future__ import annotations

from contextlib import suppress
from os import O_CREAT, O_TRUNC, O_WRONLY, close, getpid, makedirs, path, replace
from os import open as open_file
from os import write as write_to

from ledger.journal.store import engine_for

RECORDS_FOLDER = "written"
LONGEST_RECORD = 200
"""The maximum number of bytes to read from a record. This program does not write longer records."""


class LastWritten:
    """The record of this computer's last write to one campaign. `address` says where the campaign is stored."""

    def __init__(self, home: str, address: str) -> None:
        from hashlib import sha256  # lazy import: views never write

        identity = engine_for(address).canonical().encode(errors="surrogateescape")
        self._file = path.join(home, RECORDS_FOLDER, sha256(identity).hexdigest())

    def read(self, first: bytes) -> tuple[int, bytes] | None:
        """Return the recorded size and root, or None. `first` is the first leaf, which identifies the campaign."""
        with suppress(OSError, ValueError), open(self._file, "rb") as file:
            line = file.read(LONGEST_RECORD)
            _, digits, text = line.split()
            size, root = int(digits), bytes.fromhex(text.decode())
            if line == _line(first, size, root) and digits.isdigit() and len(root) == len(first):
                return size, root
        return None

    def keep(self, first: bytes, size: int, root: bytes) -> None:
        """Record the committed size and root of the campaign with this `first` leaf. Ignore file system errors."""
        with suppress(OSError):
            new = f"{self._file}.{getpid()}"
            try:
                self._write(new, first, size, root)
            except FileNotFoundError:
                makedirs(path.dirname(path.dirname(new)), 0o700, exist_ok=True)
                makedirs(path.dirname(new), 0o700, exist_ok=True)
                self._write(new, first, size, root)
            replace(new, self._file)

    def _write(self, file: str, first: bytes, size: int, root: bytes) -> None:
        descriptor = open_file(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try:
            write_to(descriptor, _line(first, size, root))
        finally:
            close(descriptor)


def _line(first: bytes, size: int, root: bytes) -> bytes:
    return f"{first.hex()} {size} {root.hex()}\n".encode()
