"""A club: all campaigns in one PostgreSQL database, at an address without a campaign, such as `postgresql://host/db`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ledger.journal.postgres import PostgresEngine
from ledger.journal.postgres_failures import PLAIN_ERRORS
from ledger.journal.postgres_schema import OVERVIEW
from ledger.journal.postgres_session import Address, Session
from ledger.journal.records import CampaignHead

HEADS = "SELECT name, head FROM campaigns"
"""The query for the name and the head of each campaign. It needs no other column, so the overview's role may run it."""


class PostgresClub:
    """The campaigns of one database; see `ledger.journal.storage.Club`.

    The login needs the role `ledger_overview`, and those of a GM.
    """

    def __init__(self, typed: str) -> None:
        self._address = Address(typed, is_database=True)

    def address(self, campaign: str) -> str:
        return self._address.standard_address(campaign)

    def campaigns(self) -> list[CampaignHead]:
        with self._overview() as session:
            rows = session.connection.execute(f"{HEADS} ORDER BY name").fetchall()
        return [CampaignHead(name, head) for name, head in rows]

    def heads(self, campaigns: Sequence[str]) -> dict[str, int]:
        with self._overview() as session:
            rows = session.connection.execute(f"{HEADS} WHERE name = ANY($1)", ([*campaigns],)).fetchall()
        return dict(rows)

    def head(self, campaign: str) -> int:
        storage = PostgresEngine(self.address(campaign)).open()
        try:
            return storage.entries.head()
        finally:
            storage.close()

    def end(self, campaign: str) -> None:
        storage = PostgresEngine(self.address(campaign)).open()
        try:
            with storage.writing():
                storage.make_read_only()
        finally:
            storage.close()

    @contextmanager
    def _overview(self) -> Iterator[Session]:
        """Yield a session in a transaction that may read the names and heads of all campaigns, and nothing else."""
        session = Session.enter(self._address)
        try:
            session.find_campaign()  # finds none, but raises `NotACampaign` if the database has no tables
            with PLAIN_ERRORS, session.connection.transaction():
                session.connection.execute(f"SET LOCAL ROLE {OVERVIEW}")
                yield session
        finally:
            session.close()
