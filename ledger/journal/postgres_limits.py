"""The limits that a host sets for a campaign in a database. The statement that locks a campaign checks them, too.

A database that an earlier version of the program made has no table of limits. Its campaigns have no limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from ledger.errors import Refused, Run, TooManyWrites, count_of
from ledger.journal.postgres_failures import PLAIN_ERRORS
from ledger.journal.postgres_schema import OVERVIEW
from ledger.journal.postgres_session import Session
from ledger.journal.records import CampaignUse, Limits

COUNT_WRITE = (
    "busy_until = least(greatest(busy_until, now()), now() + interval '1 minute')"
    " + (SELECT floor(60000000.0 / limits.writes) * interval '1 microsecond' FROM limits WHERE limits.name = $2), "
)
"""The part of an `UPDATE campaigns SET` that counts a write. With a limit of 60 writes a minute, a write is a second.

`busy_until` is the current time, plus the time of the recent writes. A write is too many if it would be more than a
minute ahead. The inner `least` corrects a time that a wrong clock stored. Without a limit, the result is NULL.
"""

CHECKED_COLUMNS = (
    ", (SELECT limits.entries FROM limits WHERE limits.name = $2),"
    " extract(epoch FROM busy_until - now())::double precision - 60"
)

USE = (
    "SELECT head, ceil(extract(epoch FROM greatest(busy_until - now(), interval '0')) * limits.writes / 60)::bigint,"
    " limits.entries, limits.writes, limits.streams"
    " FROM campaigns LEFT JOIN limits USING (name) WHERE campaign = $1"
)


def with_limits(lock: str) -> str:
    """Return the statement that locks a campaign, so that it also counts the write and returns `CHECKED_COLUMNS`."""
    return lock.replace("UPDATE campaigns SET ", f"UPDATE campaigns SET {COUNT_WRITE}", 1) + CHECKED_COLUMNS


def check_writes(session: Session, columns: Sequence[Any]) -> int | None:
    """Return the maximum number of entries, None if there is none. `columns` are empty or the `CHECKED_COLUMNS`.

    Raise `TooManyWrites` if the campaign has had too many writes. Its transaction is rolled back, so
    this write is not counted.
    """
    most_entries, seconds = columns or (None, None)
    if seconds is not None and seconds > 0:
        allowed = campaign_use(session).limits.writes
        says = f"The host of this campaign allows {count_of(allowed or 0, 'write')} a minute. Nothing was written."
        raise TooManyWrites(says, f"Try again in {count_of(ceil(seconds), 'second')}.")
    return most_entries


def campaign_use(session: Session) -> CampaignUse:
    """Return the limits of a campaign, and how much of them it uses."""
    if not session.has_limits:
        return CampaignUse(session.value("SELECT head FROM campaigns WHERE campaign = $1"), 0, Limits())
    ((head, writes, *limits),) = session.rows(USE)
    return CampaignUse(head, writes or 0, Limits(*limits))


def set_limits(session: Session, changes: Mapping[str, int | None]) -> None:
    """Change some limits of a campaign, by the names of their columns. Raise `Refused` if there is no table for them.

    Raise `ReadOnly` if the login may not do this.
    """
    if not session.has_limits:
        hint = f"To use limits, make a new database, and move the campaign there: {Run('host move', 'NAME', 'TO')}"
        raise Refused("An earlier version of the program made this database. It cannot have limits.", hint)
    values = ", ".join(f"${place}" for place in range(2, len(changes) + 2))
    updates = ", ".join(f"{column} = excluded.{column}" for column in changes)
    insert = f"INSERT INTO limits (name, {', '.join(changes)}) VALUES ($1, {values})"
    with PLAIN_ERRORS, session.connection.transaction():
        session.connection.execute(f"SET LOCAL ROLE {OVERVIEW}")
        sql = f"{insert} ON CONFLICT (name) DO UPDATE SET {updates}"
        session.connection.execute(sql, (session.address.campaign, *changes.values()))
