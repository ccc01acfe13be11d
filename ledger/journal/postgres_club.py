"""A club: all campaigns in one PostgreSQL database, at an address without a campaign, such as `postgresql://host/db`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from ledger.journal.postgres import PostgresEngine
from ledger.journal.postgres_failures import PLAIN_ERRORS
from ledger.journal.postgres_limits import campaign_use, set_limits
from ledger.journal.postgres_schema import OVERVIEW
from ledger.journal.postgres_session import Address, Session
from ledger.journal.records import CampaignHead, CampaignUse, Limits, WatchedHead

WATCHED_HEADS = "SELECT name, campaign, head FROM campaigns WHERE name = ANY($1)"

HEADS = "SELECT name, head FROM campaigns"
"""The query for the name and the head of each campaign. It needs no other column, so the overview's role may run it."""

HEADS_AND_LIMITS = (
    "SELECT name, head, limits.entries, limits.writes, limits.streams FROM campaigns LEFT JOIN limits USING (name)"
)
"""The query `HEADS` with the limits, for a database that has a table of limits."""


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
            has_limits = session.connection.execute("SELECT to_regclass('limits') IS NOT NULL").fetchone() == (True,)
            query = HEADS_AND_LIMITS if has_limits else HEADS
            rows = session.connection.execute(f"{query} ORDER BY name").fetchall()
        return [CampaignHead(name, head, Limits(*limits)) for name, head, *limits in rows]

    def heads(self, campaigns: Sequence[str]) -> dict[str, WatchedHead]:
        with self._overview() as session:
            rows = session.connection.execute(WATCHED_HEADS, ([*campaigns],)).fetchall()
        return {name: WatchedHead(campaign, head) for name, campaign, head in rows}

    def head(self, campaign: str) -> int:
        storage = PostgresEngine(self.address(campaign)).open()
        try:
            return storage.entries.head()
        finally:
            storage.close()

    def end(self, campaign: str) -> None:
        storage = PostgresEngine(self.address(campaign)).open()
        try:
            storage.end()
        finally:
            storage.close()

    def use(self, campaign: str) -> CampaignUse:
        with self._session(campaign) as session:
            return campaign_use(session)

    def limit(self, campaign: str, changes: Mapping[str, int | None]) -> None:
        with self._session(campaign) as session:
            set_limits(session, changes)

    @contextmanager
    def _session(self, campaign: str) -> Iterator[Session]:
        session = Session.of_campaign(Address(self.address(campaign)))
        try:
            yield session
        finally:
            session.close()

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
