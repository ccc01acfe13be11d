"""A session: one connection to a PostgreSQL server for one campaign, at an address such as `postgresql://host/db`.

Every wait has an end. PostgreSQL's own limits do not bound a commit that waits for another server, so the session has
its own deadline, and closes the connection when it passes.
"""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, count
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.array import ListBinaryDumper
from psycopg.types.numeric import Int8BinaryDumper

from ledger.errors import BadInput, Damaged, NoCampaign, NotACampaign, Run
from ledger.journal.failures import BUSY_SECONDS, password_in_address
from ledger.journal.postgres_failures import PLAIN_ERRORS, unreachable
from ledger.journal.postgres_schema import PROGRAM

CONNECT_SECONDS = 10
"""The longest wait for each server of an address."""

ANSWER_SECONDS = 30
"""The longest wait for the answer to a statement. Then the program closes the connection."""

IDLE_SECONDS = 120
"""The longest time for which a transaction may do nothing. Then the server ends it, as a computer may hang."""

FIRST_PAGE_ROWS, LARGEST_PAGE_ROWS = 10, 1000
"""The number of rows in the first page and in the largest. Pages grow, because callers often need only a few rows."""

MOST_UNSENT_ROWS = 1000
"""The number of new rows of a table at which the program sends all new rows, with one statement."""

NEW_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "entries": {"seq": "bigint", "body": "text", "leaf": "bytea"},
    "postings": {
        "who": "text",
        "score": "text",
        "seq": "bigint",
        "since": "bigint",
        "amount": "bigint",
        "balance": "bigint",
    },
    "marks": {"who": "text", "name": "text", "since": "bigint", "seq": "bigint", "value": "text"},
    "words": {"seq": "bigint", "field": "text", "salt": "bytea", "text": "text"},
    "nodes": {"level": "bigint", "place": "bigint", "hash": "bytea"},
    "commands": {"id": "uuid", "saved": "boolean"},
}
"""The columns of a new row, and their types. The column of the campaign is added to them."""


@cache
def _insert(*tables: str) -> str:
    """Return the statement that inserts any number of rows into some tables.

    After `$1`, each of its values is a list: one column of all rows of a table.
    """
    places = count(2)
    parts = []
    for table in tables:
        values = ", ".join(f"${next(places)}::{kind}[]" for kind in NEW_COLUMNS[table].values())
        columns = ", ".join(NEW_COLUMNS[table])
        parts.append(f"INSERT INTO {table} (campaign, {columns}) SELECT $1, * FROM unnest({values})")
    *others, last = parts
    together = ", ".join(f"insert_{number} AS ({part})" for number, part in enumerate(others))
    return f"WITH {together} {last}" if together else last


TABLE_CHANGED_BY = {"entries": "campaigns"}
"""The table that a trigger changes when rows are inserted into another table."""

LONGEST_NAME = 255
"""The maximum number of bytes of a campaign's name, as in a file's name."""

SECRETS = {"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}
"""The parts of an address that are secrets."""

MOST_IDLE_CONNECTIONS = 16
"""The maximum number of unused connections that a process keeps for the next time, for all campaigns together."""

ENTER = "SELECT set_config('ledger.name', $1, false), set_config('ledger.campaign', '', false)"
"""The statement that prepares a kept connection for a campaign. It can no longer see the rows of the last campaign."""

Row = tuple[Any, ...]

logging.getLogger("psycopg").setLevel(logging.ERROR)  # otherwise, the screen would show its warnings


class Address:
    """An address such as `postgresql://host1,host2/db?campaign=salt-road`. All parts but `campaign` are libpq's.

    The address of a whole database does not name a campaign. Its `campaign` is "", which is not a valid name.
    """

    def __init__(self, typed: str, *, is_database: bool = False) -> None:
        place, _, query = typed.partition("?")
        pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)  # for libpq, a plus is not a space
        names = [value for key, value in pairs if key == "campaign"]
        self.options = sorted((key, value) for key, value in pairs if key != "campaign")
        self.place = f"postgresql://{place.partition('://')[2]}"
        try:
            self.settings = conninfo_to_dict(self._url(self.options))
        except (psycopg.Error, UnicodeError):  # its text may quote a password
            raise BadInput("This is not a valid address of a PostgreSQL database.", EXAMPLE) from None
        if SECRETS & self.settings.keys():
            raise password_in_address()
        self.database = self._url(self.options)
        self.campaign = ""
        if is_database:
            if names:
                raise BadInput("The address of a whole database must not name a campaign.", DATABASE_EXAMPLE)
            return
        if len(names) != 1 or not names[0].isprintable() or not names[0].strip():
            raise BadInput("The address of a PostgreSQL database must name one campaign.", EXAMPLE)
        if len(names[0].encode()) > LONGEST_NAME:
            raise BadInput(f"The campaign's name in the address is longer than {LONGEST_NAME} bytes.", EXAMPLE)
        self.campaign = names[0]

    def standard_address(self, campaign: str) -> str:
        """Return the address of any campaign in this database, in its standard form."""
        return self._url([*self.options, ("campaign", campaign)])

    def _url(self, pairs: Sequence[tuple[str, str]]) -> str:
        return f"{self.place}?{urlencode(pairs, quote_via=quote)}" if pairs else self.place

    def is_same_campaign(self, other: Address) -> bool:
        """Return True if two addresses have the same servers, database and campaign."""
        keys = ("host", "hostaddr", "port", "dbname", "service")
        same = all(self.settings.get(key) == other.settings.get(key) for key in keys)
        return same and self.campaign == other.campaign

    def connect(self, *, as_program: bool = True) -> BoundedConnection:
        """Connect to the server that can write, as the role of the program. Raise psycopg's errors."""
        given: dict[str, Any] = {
            "connect_timeout": CONNECT_SECONDS,
            "target_session_attrs": "read-write",
            "application_name": "campaign",
            **self.settings,
            "client_encoding": "utf8",
        }
        settings = {
            "search_path": "ledger",
            "client_min_messages": "warning",
            "lock_timeout": f"{BUSY_SECONDS}s",
            "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
            "ledger.name": self.campaign,
        }
        if as_program:
            settings["role"] = PROGRAM
        escaped = {name: value.replace("\\", "\\\\").replace(" ", "\\ ") for name, value in settings.items()}
        own = " ".join(f"-c {name}={value}" for name, value in escaped.items())
        given["options"] = f"{given.get('options', '')} {own}".strip()
        connection = BoundedConnection.connect(**given, autocommit=True, cursor_factory=psycopg.RawCursor)
        connection.server_cursor_factory = psycopg.RawServerCursor
        connection.adapters.register_dumper(list, ListBinaryDumper)
        # one type for all numbers: one plan for each statement
        connection.adapters.register_dumper(int, Int8BinaryDumper)
        return connection


EXAMPLE = "An address looks like this: postgresql://host/database?campaign=salt-road"
DATABASE_EXAMPLE = "An address looks like this: postgresql://host/database"


class BoundedConnection(psycopg.Connection[Row]):
    """A connection that is closed if an answer takes longer than `patience` seconds."""

    patience: float = ANSWER_SECONDS

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        """Wait for an answer. After `patience` seconds, close the connection and raise `OperationalError`."""
        kwargs.setdefault("timeout", self.patience)
        try:
            return super().wait(gen, *args, **kwargs)
        except pg._WaitTimeout:
            self.pgconn.finish()
            raise psycopg.OperationalError("the server does not answer") from None


_idle: dict[int, list[tuple[str, BoundedConnection]]] = {}
_idle_lock = Lock()


def _take_idle(database: str) -> BoundedConnection | None:
    """Return the unused connection that was used last, so that the others become old and are closed."""
    with _idle_lock:
        kept = _idle.setdefault(os.getpid(), [])  # a forked process must not use the connections of its parent
        places = (place for place in reversed(range(len(kept))) if kept[place][0] == database)
        place = next(places, None)
        return None if place is None else kept.pop(place)[1]


def _keep_idle(database: str, connection: BoundedConnection) -> None:
    with _idle_lock:
        kept = _idle.setdefault(os.getpid(), [])
        kept.append((database, connection))
        oldest = kept.pop(0)[1] if len(kept) > MOST_IDLE_CONNECTIONS else None
    if oldest is not None:
        oldest.close()


@atexit.register
def close_idle() -> None:
    """Close all unused connections of this process."""
    with _idle_lock:
        kept = _idle.pop(os.getpid(), [])
    for _, connection in kept:
        connection.close()


class Session:
    """A connection and the id of its campaign. All statements have this id as their first value, `$1`.

    New rows wait until a statement needs them, or until there are many of them, because each message takes time.
    """

    def __init__(self, address: Address, connection: BoundedConnection, campaign: str) -> None:
        self.address = address
        self.connection = connection
        self.campaign = campaign
        self.version = 0
        self.has_limits = False
        self.statements = 0
        self._is_closed = False
        self.unsent: dict[str, list[Row]] = {table: [] for table in NEW_COLUMNS}

    @classmethod
    def of_campaign(cls, address: Address) -> Session:
        """Open the campaign at an address. Raise `NoCampaign`, `NotACampaign` or `Unreadable`."""
        session, is_there = cls.enter(address), False
        try:
            is_there = session.find_campaign()
        finally:
            if not is_there:
                session.close()
        if not is_there:
            raise NoCampaign(address.standard_address(address.campaign))
        return session

    @classmethod
    def enter(cls, address: Address) -> Session:
        """Connect to the database of an address, whether or not the campaign is there."""
        kept = _take_idle(address.database)
        if kept is not None:
            try:
                kept.execute(ENTER, (address.campaign,))
            except psycopg.Error:
                kept.close()
            else:
                return cls(address, kept, "")
        try:
            return cls(address, address.connect(), "")
        except psycopg.ProgrammingError:
            raise BadInput("This is not a valid address of a PostgreSQL database.", EXAMPLE) from None
        except psycopg.OperationalError as error:
            if PROGRAM not in str(error):  # the role is not the problem
                raise unreachable(error) from None
            raise _login_error(address) from None

    def find_campaign(self) -> bool:
        """Find the campaign by its name, and let this connection see its rows. Return False if there is none.

        Raise `NotACampaign` if the database has no tables for campaigns.
        """
        enter = "set_config('ledger.campaign', campaign::text, false)"
        has_limits = "to_regclass('limits') IS NOT NULL"  # earlier versions made databases without this table
        sql = f"SELECT campaign::text, version, {has_limits}, {enter} FROM campaigns WHERE name = $1"
        try:
            with PLAIN_ERRORS:
                row = self.connection.execute(sql, (self.address.campaign,)).fetchone()
        except Damaged:
            raise _no_tables_error() from None
        self.campaign, self.version, self.has_limits, _ = row or ("", 0, False, "")
        return row is not None

    def reconnect(self) -> None:
        """Connect again after a lost connection. Raise psycopg's errors."""
        self.connection.close()
        self.connection = self.address.connect()
        self.connection.execute("SELECT set_config('ledger.campaign', $1, false)", (self.campaign,))

    def close(self) -> None:
        """Keep the connection for the next time, or close it if it is not ready for other statements.

        A second call does nothing, because the connection may belong to another session then.
        """
        if self._is_closed:
            return
        self._is_closed = True
        if self.connection.info.transaction_status == TransactionStatus.IDLE:
            _keep_idle(self.address.database, self.connection)
        else:
            self.connection.close()

    @property
    def in_transaction(self) -> bool:
        """True within a transaction, also after an error in it."""
        return self.connection.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}

    def run(self, sql: str, *values: Any) -> psycopg.Cursor[Row]:
        """Run a statement. `$1` is the campaign, and `$2` is the first of `values`.

        If the statement names a table with new rows, all new rows are sent first.
        """
        if any(
            rows and (table in sql or TABLE_CHANGED_BY.get(table, table) in sql) for table, rows in self.unsent.items()
        ):
            self.send()
        return self.run_without_sending(sql, *values)

    def run_without_sending(self, sql: str, *values: Any) -> psycopg.Cursor[Row]:
        """Run a statement, but do not send the new rows first. The statement must not need them."""
        self.statements += 1
        with PLAIN_ERRORS:
            return self.connection.execute(sql, (self.campaign, *values))

    def command(self, sql: str) -> psycopg.Cursor[Row]:
        """Run a statement without values, such as `BEGIN`, after the new rows are sent."""
        self.send()
        with PLAIN_ERRORS:
            return self.connection.execute(sql)

    def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows into a table. They are sent before the next statement that names the table."""
        for row in rows:
            self.unsent[table].append(row)
            if len(self.unsent[table]) >= MOST_UNSENT_ROWS:
                self.send()

    def send(self) -> None:
        """Send the new rows."""
        waiting = {table: rows for table, rows in self.unsent.items() if rows}
        if waiting:
            self.forget_unsent()
            columns = (map(list, zip(*rows, strict=True)) for rows in waiting.values())
            self.run_without_sending(_insert(*waiting), *chain.from_iterable(columns))

    def forget_unsent(self) -> None:
        """Forget the new rows that were not sent, because their transaction has failed."""
        self.unsent = {table: [] for table in NEW_COLUMNS}

    def value(self, sql: str, *values: Any) -> Any:
        """Return the first column of the first row, or None if there is no row."""
        row = self.run(sql, *values).fetchone()
        return None if row is None else row[0]

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Return all rows of a query."""
        return self.run(sql, *values).fetchall()

    def rows_in_pages(self, select: str, order: Sequence[int], down: bool, *values: Any) -> Iterator[Row]:
        """Yield the rows of a query, page by page, in the order of some of its columns.

        - `select`: the query, without `ORDER BY`. Its columns have no expressions.
        - `order`: the places of the columns by which the rows are sorted. No two rows have the same values there.
        """
        columns = select.removeprefix("SELECT ").partition(" FROM ")[0].split(", ")
        names = [columns[place] for place in order]
        sorts = ", ".join(f"{name} DESC" if down else name for name in names)
        places = range(len(values) + 2, len(values) + 2 + len(order))
        after = f"AND ({', '.join(names)}) {'<' if down else '>'} ({', '.join(f'${place}' for place in places)})"
        size, last = FIRST_PAGE_ROWS, ()
        while True:
            sql = f"{select} {after if last else ''} ORDER BY {sorts} LIMIT {size}"
            rows = self.rows(sql, *values, *last)
            yield from rows
            if len(rows) < size:
                return
            size, last = min(size * 10, LARGEST_PAGE_ROWS), tuple(rows[-1][place] for place in order)

    def stream(self, sql: str, *values: Any) -> Iterator[Row]:
        """Yield the rows of a long query whose order has no index. The server sorts them once."""
        self.send()
        cursor: Any = self.connection.cursor(f"rows_{id(object())}", withhold=not self.in_transaction)
        cursor.itersize = LARGEST_PAGE_ROWS
        try:
            with PLAIN_ERRORS:
                cursor.execute(sql, (self.campaign, *values))
                yield from cursor
        finally:
            with suppress(psycopg.Error):
                cursor.close()


def _login_error(address: Address) -> Exception:
    """Return the error for a login without the program's role. To find the cause, connect with the login's own role."""
    try:
        with address.connect(as_program=False) as connection:
            has_tables = connection.execute("SELECT to_regnamespace('ledger') IS NOT NULL").fetchone()
    except psycopg.OperationalError as failure:
        return unreachable(failure)
    if has_tables == (True,):
        hint = f"Ask the owner of the database: GRANT {PROGRAM} TO your login."
        return NotACampaign("Your login may not use the campaigns in this database.", hint)
    return _no_tables_error()


def _no_tables_error() -> NotACampaign:
    hint = f"The owner of the database makes the tables with the first {Run('init', 'TITLE')}."
    return NotACampaign("This database has no tables for campaigns.", hint)
