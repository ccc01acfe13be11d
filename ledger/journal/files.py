"""Files: the engine for campaigns whose address is the path of an SQLite file.

SQLite keeps the files `-wal` and `-shm` in the folder of the real file. So the engine first resolves symbolic links.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from os import chmod, listdir, path, stat
from time import time_ns
from typing import TYPE_CHECKING

from ledger.errors import BadInput, NoCampaign, NotACampaign, Taken, join_sorted
from ledger.journal.opening import SQLITE_MAGIC, WRITE_BITS, file_facts, header_of
from ledger.journal.records import Stamp
from ledger.journal.schema import CAMPAIGN_SUFFIX
from ledger.journal.sqlite import SQLite

if TYPE_CHECKING:
    from ledger.journal.storage import Storage

SETTLED_NS, SECOND_NS = 50_000_000, 1_000_000_000
"""Two durations in nanoseconds. A write `SETTLED_NS` after the last one is sure to change the file's timestamp.

Some disks, such as most USB sticks, store timestamps in steps of two seconds. So if the timestamp is a whole number of
seconds (a multiple of `SECOND_NS`), the program waits three seconds, not `SETTLED_NS`.
"""

OWNER_READS_MODE, ALL_READ_MODE = 0o400, 0o444
OTHERS_READ_BITS, OTHERS_ENTER_BITS = 0o044, 0o011
"""The permission bits that let the group and others read a file, and pass through a folder."""

NAME_HINT = "Choose a different file name with -f FILE."


class FileEngine:
    """The engine for a campaign in a file; see `ledger.journal.storage.Engine`."""

    def __init__(self, address: str) -> None:
        self._file = address

    def open(self) -> SQLite:
        real = path.realpath(self._file)

        def back_up(storage: SQLite) -> str | None:
            from ledger.journal.upgrading import back_up  # few files are older

            return back_up(storage, real)

        return SQLite.open(self._file, back_up)

    @contextmanager
    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> Iterator[SQLite]:
        from ledger.journal.new_files import atomic_file, folder_lock  # few commands make a campaign

        if not path.basename(self._file):
            raise BadInput(f"{self._file!r} is not a file name.")
        hint = NAME_HINT if source is None else "Choose a different name."
        with folder_lock(self._file), atomic_file(self._file, hint=hint) as part:
            with closing(SQLite.create(part) if source is None else SQLite.copy_into(source, part)) as storage:
                yield storage
            if read_only:
                chmod(part, OWNER_READS_MODE)

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        from ledger.journal.replacing import replace  # few commands restore a backup

        assert isinstance(new, SQLite)  # noqa: S101  a campaign in memory
        return replace(self._file, new, day, check)

    def exists(self) -> bool:
        return path.exists(self._file)

    def check_free(self) -> None:
        if path.lexists(self._file):
            self.tidy()
            raise Taken(self._file, NAME_HINT)

    def tidy(self) -> None:
        from ledger.journal.new_files import remove_leftovers  # few commands make a campaign

        remove_leftovers(self._file)

    def campaigns(self) -> list[str]:
        try:
            return sorted(name for name in listdir(self._file) if name.endswith(CAMPAIGN_SUFFIX))
        except OSError:
            return []

    def nearest(self) -> str:
        folder, above = self._file, ""
        while folder != above:
            names = FileEngine(folder).campaigns()
            if len(names) > 1:
                raise NotACampaign(
                    f"There are several campaigns in {folder}: {join_sorted(names)}.", "Pick one with -f FILE."
                )
            if names:
                return path.join(folder, names[0])
            folder, above = path.dirname(folder), folder
        raise NoCampaign

    def resolved(self) -> str:
        return path.realpath(self._file) if path.islink(self._file) else self._file

    def canonical(self) -> str:
        return path.realpath(self._file)

    def name(self) -> str:
        return path.basename(self._file)

    def stamp(self) -> Stamp:
        """Return a stamp of inode, time and size. It is not settled if the log has content or the file just changed."""
        # The log comes first: if it is empty, the file has all earlier writes. The log's time changes too early.
        log, file = file_facts(f"{self._file}-wal"), file_facts(self._file)
        changed = file.changed if file else 0
        wait = SETTLED_NS if changed % SECOND_NS else 3 * SECOND_NS
        return Stamp(file and file.inode, file, not (log and log.size) and changed + wait < time_ns())

    def owns(self, address: str) -> bool:
        own_files = (self._file, f"{self._file}-wal", f"{self._file}-shm")
        exists = path.exists(address)
        return any(
            path.realpath(address) == path.realpath(file)
            or (exists and path.exists(file) and path.samefile(address, file))
            for file in own_files
        )

    def kept_copies(self) -> list[str]:
        from ledger.journal.upgrading import kept_copies  # only `erase` needs it

        return kept_copies(path.realpath(self._file))

    def read_by_others(self) -> bool:
        real = path.realpath(self._file)
        facts = stat(real)
        if not hasattr(os, "geteuid") or facts.st_uid != os.geteuid() or not facts.st_mode & WRITE_BITS:
            return False
        ways, folder = facts.st_mode & OTHERS_READ_BITS, path.dirname(real)
        while ways and folder != path.dirname(folder):
            ways &= (stat(folder).st_mode & OTHERS_ENTER_BITS) << 2
            folder = path.dirname(folder)
        return bool(ways)

    def let_others_read(self) -> None:
        chmod(self._file, ALL_READ_MODE)

    @property
    def asks_server(self) -> bool:
        return False

    def login_tables(self) -> None:
        """Return None: a campaign's file has no logins, so that you can give it to anybody."""

    def stream_limit(self) -> None:
        """Return None: a file has no host."""

    def looks_like_campaign(self) -> bool:
        return path.isfile(self._file) and header_of(self._file).startswith(SQLITE_MAGIC)
