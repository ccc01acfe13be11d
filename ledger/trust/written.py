"""Written: how far this computer wrote a campaign's file, so that it notices an older copy in the file's place.

One small text file in the home stands for each campaign file, by its path. It is replaced after each write, by a rename
and without a sync: a roll does not wait for it, and a power cut may lose it but not tear it. A home that takes no files
keeps nobody from writing.
"""

from __future__ import annotations

import re
from contextlib import suppress
from os import O_CREAT, O_TRUNC, O_WRONLY, close, getpid, makedirs, path, replace
from os import open as open_file
from os import write as write_to

FOLDER = "written"
LINE = re.compile(r"([0-9a-f]{64}) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\n")
"""The leaf of the first entry, which tells campaigns apart; the number of entries; the root of their tree."""


class LastWritten:
    """What this computer wrote last into the campaign file at a path."""

    def __init__(self, home: str, file: str) -> None:
        from hashlib import sha256  # a look writes nothing

        self._file = path.join(home, FOLDER, sha256(path.realpath(file).encode(errors="surrogateescape")).hexdigest())

    def read(self, first: bytes) -> tuple[int, bytes] | None:
        """The size and root of the campaign that begins with this leaf, None if nothing is known of it."""
        with suppress(OSError, UnicodeDecodeError), open(self._file, encoding="ascii") as file:
            match = LINE.fullmatch(file.read(200))
            if match and match[1] == first.hex():
                return int(match[2]), bytes.fromhex(match[3])
        return None

    def keep(self, first: bytes, size: int, root: bytes) -> None:
        """Remember this size and root; they are committed."""
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
            write_to(descriptor, f"{first.hex()} {size} {root.hex()}\n".encode())
        finally:
            close(descriptor)
