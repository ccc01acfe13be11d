"""Move: a campaign goes to another address, such as from a file to a database. The old campaign can then only be read.

| step | old address | new address |
|---|---|---|
| 1. The copy is made and checked. | locked | nothing |
| 2. The old campaign is marked as moved. | read-only | nothing |
| 3. The copy gets its address. | read-only | accepts writes |

Steps 2 and 3 are transactions, each in one place. The two places never accept writes at the same time. If the program
is killed before step 2, the old campaign accepts writes again. If it is killed between steps 2 and 3, neither place
accepts writes until somebody repeats the command. The repeated command makes a new copy of the old campaign, which
nobody has been able to change, and continues with step 3. After step 3, a repeated command finds that the move is done.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from ledger.audit.check import OnProgress, no_progress
from ledger.audit.verify import verify
from ledger.errors import BadInput, NotWhole, Run, Taken, Unreadable, WriteFailed
from ledger.journal.book import Book, open_book
from ledger.journal.failures import moved_away
from ledger.journal.storage import Storage, copy_all
from ledger.journal.store import Journal, engine_for

PING_SECONDS = 20
"""The seconds between reads of the old campaign while the copy is checked. A server ends an idle transaction."""


def can_move(source: Book, address: str) -> bool:
    """Return True if a campaign can move to an address, and False if it has moved there already.

    Raise `Taken` if the address is in use, and `ReadOnly` if the campaign has moved to another address.
    """
    engine, moved_to = engine_for(address), source.journal.storage.moved_to()
    if moved_to is not None and not engine.owns(moved_to):
        raise moved_away(moved_to)
    if not engine.canonical().isprintable():
        raise BadInput("The new address has characters that cannot be saved.")
    try:
        engine.check_free()
    except Taken:
        if moved_to is not None and _is_at(address, source):
            return False
        raise Taken(address, "Choose a different name.") from None
    return True


def _is_at(address: str, source: Book) -> bool:
    """Return True if the campaign at an address has all entries of `source`."""
    with suppress(Unreadable, NotWhole), open_book(address) as book, book.journal.reading():
        return book.contains_head(source.head(), source.root(source.head()))
    return False


class _NothingToWrite(Exception):
    """The exception that ends a transaction without a change."""


def check_can_leave(source: Book) -> None:
    """Raise an error, such as `Busy`, if `move` could not change the old campaign now. Write nothing."""
    storage = source.journal.storage
    if storage.moved_to() is None:  # otherwise, it is already marked as moved
        with suppress(_NothingToWrite), storage.writing():
            raise _NothingToWrite


def move(
    source: Book,
    address: str,
    progress: OnProgress = no_progress,
    check: Callable[[Book], object] = lambda _: None,
) -> None:
    """Move a campaign to an address for which `can_move` returned True. Check the copy, then call `check` with it.

    Raise `ReadOnly` if the campaign cannot be changed, the errors of `verify`, and those of `Engine.creating`. Raise
    `WriteFailed` if the old campaign is already marked as moved, but the copy cannot get its address.
    """
    storage, engine = source.journal.storage, engine_for(address)
    is_marked = storage.moved_to() is not None
    if not is_marked:
        with source.journal.writing():  # upgrades an older file, which makes a backup: the folder is not locked yet
            pass
    try:
        with engine.creating() as new:
            with source.journal.reading() if is_marked else source.journal.writing():
                copy_all(storage, new)
                copy = Book(Journal(new))
                verify(copy, _with_pings(storage, progress))
                check(copy)
                if not is_marked:
                    storage.mark_moved(engine.canonical())
            is_marked = True
    except (WriteFailed, Taken, Unreadable) as error:
        if not is_marked:
            raise
        raise WriteFailed(
            f"{error.sentence} The old campaign is already marked as moved, but the new one may not be there yet.",
            f"Repeat the command: {Run('move', 'FROM', 'TO')}",
        ) from error


def _with_pings(storage: Storage, progress: OnProgress) -> OnProgress:
    last = monotonic()

    def count(entries: int) -> None:
        nonlocal last
        progress(entries)
        if monotonic() - last > PING_SECONDS:
            storage.moved_to()  # always asks the server
            last = monotonic()

    return count
