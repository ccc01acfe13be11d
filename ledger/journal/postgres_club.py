"""A club: all campaigns in one PostgreSQL database, at an address without a campaign, such as `postgresql://host/db`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ledger.journal.postgres_failures import PLAIN_ERRORS
from ledger.journal.postgres_schema import OVERVIEW
from ledger.journal.postgres_session import Address, Session

HEADS = "SELECT name, head FROM campaigns"
"""The query for the name and the head of each campaign. It needs no other column, so the overview's role may run it."""


class CampaignHead(NamedTuple):
    """A campaign in a list: its name, and the number of its last entry."""

    name: str
    head: int


class Club:
    """The campaigns of one database. The login needs the role `ledger_overview`, and those of a GM."""

    def __init__(self, typed: str) -> None:
        self._address = Address(typed, is_database=True)

    def address(self, campaign: str) -> str:
        """Return the address of one of the campaigns, which need not be there."""
        return self._address.standard_address(campaign)

    def campaigns(self) -> list[CampaignHead]:
        """Return all campaigns, sorted by name. The list is read with one statement."""
        with self._overview() as session:
            rows = session.connection.execute(f"{HEADS} ORDER BY name").fetchall()
        return [CampaignHead(name, head) for name, head in rows]

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
