"""Backup: a checked copy of a campaign, made while others may write."""

from __future__ import annotations

from os import path

from ledger.audit.verify import OnProgress, Verified, no_progress, verify
from ledger.errors import BadInput
from ledger.journal.book import Book, open_book
from ledger.journal.new_files import folder_lock, whole_files


def backup(book: Book, file: str, progress: OnProgress = no_progress) -> Verified:
    """Copy a campaign as it is now into a new file, which gets its name once it is checked and on disk.

    Refuses a name that is in use (`Taken`), a place that takes no file (`NoRoom`), and a campaign that is not whole,
    like `verify`. A refusal leaves nothing.
    """
    if not path.basename(file):
        raise BadInput(f"{file!r} is not a file name.")
    with folder_lock(file), whole_files(file) as (copy,):
        book.journal.storage.copy(copy)
        with open_book(copy) as copied:
            return verify(copied, progress)
