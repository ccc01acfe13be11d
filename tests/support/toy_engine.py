"""An engine of the tests: campaigns in memory, at addresses that are no paths, such as `toy://table`."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from ledger.errors import NoCampaign, Taken
from ledger.journal.memory import StorageWrapper
from ledger.journal.records import Stamp
from ledger.journal.sqlite import SQLite
from ledger.journal.storage import Storage, copy_all


def blank() -> SQLite:
    """An empty campaign that several threads may use, one after the other."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with closing(SQLite.memory()) as empty:
        connection.deserialize(empty.connection.serialize())
    return SQLite(connection)


class Toys:
    """All campaigns of the engine by address. To close one leaves it open, for whoever opens it next."""

    def __init__(self) -> None:
        self.kept: dict[str, SQLite] = {}

    def __call__(self, address: str) -> "Toy":
        return Toy(self.kept, address)


class Toy:
    """One address; see `ledger.journal.storage.Engine`."""

    def __init__(self, kept: dict[str, SQLite], address: str) -> None:
        self._kept = kept
        self._address = address

    def open(self) -> Storage:
        if self._address not in self._kept:
            raise NoCampaign(self._address)
        return StorageWrapper(self._kept[self._address])

    @contextmanager
    def creating(self, source: Storage | None = None, *, read_only: bool = False) -> Iterator[Storage]:
        assert not read_only
        self.check_free()
        new = blank()
        if source is not None:
            copy_all(source, new)
        yield StorageWrapper(new)
        self._kept[self._address] = new

    def replace(self, new: Storage, day: str, check: Callable[[], None]) -> str | None:
        check()
        kept = f"{self._address}-before-{day}"
        old = self._kept.pop(self._address, None)
        if old is not None:
            self._kept[kept] = old
        with self.creating(new):
            pass
        return kept if old is not None else None

    def exists(self) -> bool:
        return self._address in self._kept

    def check_free(self) -> None:
        if self.exists():
            raise Taken(self._address)

    def tidy(self) -> None:
        pass

    def campaigns(self) -> list[str]:
        return []

    def nearest(self) -> str:
        raise NoCampaign

    def resolved(self) -> str:
        return self._address

    def canonical(self) -> str:
        return self._address

    def name(self) -> str:
        return self._address.removeprefix("toy://")

    def stamp(self) -> Stamp:
        storage = self._kept[self._address]
        return Stamp(id(storage), storage.connection.total_changes, is_settled=True)

    def owns(self, address: str) -> bool:
        return address == self._address

    def kept_copies(self) -> list[str]:
        return []

    def read_by_others(self) -> bool:
        return False

    def let_others_read(self) -> None:
        """Nobody else can read what is in memory."""

    def login_tables(self) -> None:
        return None

    @property
    def asks_server(self) -> bool:
        return False

    def stream_limit(self) -> None:
        return None

    def looks_like_campaign(self) -> bool:
        return self.exists()
