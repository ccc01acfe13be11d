"""Backup: a checked copy of a campaign, made while others may write."""

from os import link, path, rename
from tempfile import TemporaryDirectory

from ledger.audit.verify import OnProgress, Verified, quiet, verify
from ledger.errors import BadInput, NotMade, Taken
from ledger.journal.book import Book, open_book
from ledger.trust.keyfile import sync_names


def backup(book: Book, file: str, progress: OnProgress = quiet) -> Verified:
    """Copy a campaign as it is now into a new file, which gets its name once it is checked and on disk.

    Refuses a name that is in use (`Taken`), a place that takes no file (`NoRoom`), and a campaign that is not whole,
    like `verify`. A refusal leaves nothing; a kill may leave a folder `.backup-…`, and never half a file of that name.
    """
    folder, name = path.split(file)
    if not name:
        raise BadInput(f"{file!r} names no file.")
    if path.lexists(file):
        raise Taken(file, "Name another file.")
    try:
        with TemporaryDirectory(prefix=".backup-", dir=path.abspath(folder)) as part:
            copy = path.join(part, name)
            book.journal.storage.copy(copy)
            with open_book(copy) as copied:
                whole = verify(copied, progress)
            _give_name(copy, file)
        sync_names(path.abspath(folder))
    except FileExistsError:
        raise Taken(file, "Name another file.") from None
    except OSError as error:
        raise NotMade(file, error) from None
    return whole


def _give_name(copy: str, file: str) -> None:
    """Put a finished file in its place, unless something is there by now."""
    try:
        link(copy, file)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.lexists(file):
            raise FileExistsError from None
        rename(copy, file)
