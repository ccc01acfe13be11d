"""Upgrading: the backup that is made beside a file before this program raises the version of the file.

An older program cannot read the upgraded file, but it can read the backup.
"""

from __future__ import annotations

from contextlib import closing, suppress
from glob import escape, glob
from itertools import count
from os import chmod, path, stat

from ledger.errors import NotWhole, Unreadable
from ledger.journal.new_files import atomic_file, folder_lock
from ledger.journal.replacing import COMPANION_SUFFIXES, KEPT_SUFFIX, stored_content
from ledger.journal.schema import SCHEMA_VERSION
from ledger.journal.sqlite import SQLite

BACKUP_SUFFIX = ".backup-format-"
"""The text between the campaign's name and the version in the name of the backup."""


def back_up(storage: SQLite, file: str) -> str | None:
    """Copy the campaign in `file` to a new file in the same folder. Return the path of the copy, which is then on disk.

    If a killed command has already made this copy, return it. Return None if another process has upgraded the file. The
    caller holds no lock. Raise `Busy` if another command makes a file in the folder, and `NotMade` or `DiskRefused` if
    the disk refuses. After such an error, there is no copy.
    """
    with folder_lock(file), storage.reading():
        if storage.version() >= SCHEMA_VERSION:
            return None
        first = f"{file}{BACKUP_SUFFIX}{storage.version()}"
        names = (first if number == 1 else f"{first}-{number}" for number in count(1))
        name = next(each for each in names if _is_free(each) or _is_copy(each, storage))
        if _is_free(name):
            with atomic_file(name) as part:
                storage.copy(part)
                chmod(part, stat(file).st_mode & 0o777)
        return name


def _is_free(name: str) -> bool:
    return not any(path.lexists(f"{name}{end}") for end in ("", *COMPANION_SUFFIXES))


def _is_copy(name: str, storage: SQLite) -> bool:
    with suppress(NotWhole, Unreadable), closing(SQLite.open(name)) as copy:
        return copy.version() == storage.version() and stored_content(copy) == stored_content(storage)
    return False


def backup_sentence(name: str) -> str:
    """Say that a backup with this name was made."""
    return (
        "This version of the program writes a newer format. A backup in the old format is in the campaign's folder:"
        f" {name}"
    )


def kept_copies(file: str) -> list[str]:
    """Return the copies of a campaign that an upgrade or a restore kept beside its file, in order of their names."""
    names = (name for suffix in (BACKUP_SUFFIX, KEPT_SUFFIX) for name in glob(f"{escape(file)}{suffix}*"))
    return sorted(name for name in names if not name.endswith(COMPANION_SUFFIXES))
