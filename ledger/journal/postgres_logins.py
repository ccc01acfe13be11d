"""Logins in PostgreSQL: the invitations, visits and tokens of a campaign, in tables that all servers share."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from ledger.errors import OtherCampaign
from ledger.journal.postgres_failures import PLAIN_ERRORS
from ledger.journal.postgres_session import Address, Session
from ledger.journal.storage import RunSql

CACHE_SECONDS = 1
"""The time for which a server relies on what it has read. Meanwhile, a login that another server ended still works."""


class PostgresLogins:
    """The tables of logins; see `ledger.journal.storage.LoginTables`. Row-level security hides other campaigns."""

    def __init__(self, address: Address, campaign: str) -> None:
        self._address = address
        self.campaign = campaign

    @classmethod
    def of_campaign(cls, address: Address) -> PostgresLogins | None:
        """Return the tables, or None for a database that an earlier version of the program made, without them."""
        session = Session.of_campaign(address)
        try:
            has_tables = session.connection.execute("SELECT to_regclass('visits') IS NOT NULL").fetchone()
            return cls(address, session.campaign) if has_tables == (True,) else None
        finally:
            session.close()

    @contextmanager
    def reading(self) -> Iterator[RunSql]:
        session = Session.of_campaign(self._address)
        try:
            if session.campaign != self.campaign:  # somebody restored a backup
                raise OtherCampaign(self._address.campaign)
            with PLAIN_ERRORS, session.connection.transaction():

                def run(sql: str, *values: Any) -> list[dict[str, Any]]:
                    done = session.connection.execute(sql, values)
                    names = [column.name for column in done.description or ()]
                    return [dict(zip(names, row, strict=True)) for row in done.fetchall()] if names else []

                yield run
        finally:
            session.close()

    writing = reading

    def stamp(self) -> tuple[Hashable, float]:
        """Return a stamp without asking the server. It is never relied on for longer than `CACHE_SECONDS`."""
        return "", monotonic() + CACHE_SECONDS
