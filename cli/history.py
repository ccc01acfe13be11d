"""The prompt's history file in the person's home folder, and the removal of erased texts from it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress

HISTORY_FILE = "history"
TEXT_PREFIX = "+"
"""The prefix of a row with typed text in the history file. Other rows have the time, or are empty."""


def forget_lines(folder: str, texts: Collection[str]) -> None:
    """Remove all lines that contain one of these texts from a folder's history file, if the file exists.

    Replace the file atomically. Raise `OSError` if the file cannot be read or replaced.
    """
    file = os.path.realpath(os.path.join(folder, HISTORY_FILE))
    try:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as history:
            lines = re.split("^(?=# )", history.read(), flags=re.MULTILINE)  # each starts with the row of its time
    except FileNotFoundError:
        return
    names = "|".join(re.escape(_folded(text)) for text in texts if text.strip())
    left = [line for line in lines if not (names and re.search(rf"(?<!\w)({names})(?!\w)", _folded(_typed_text(line))))]
    from ledger.journal.new_files import sync  # most lines erase nothing

    part = f"{file}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(part)  # left by a killed process with the same id
    try:
        new = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with open(new, "w", encoding="utf-8", errors="surrogateescape", newline="") as history:
            history.writelines(left)
            history.flush()
            sync(history.fileno())
        os.replace(part, file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _typed_text(line: str) -> str:
    return "\n".join(row.removeprefix(TEXT_PREFIX) for row in line.split("\n") if row.startswith(TEXT_PREFIX))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
