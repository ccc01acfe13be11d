"""Secrets that everybody may read: revealed secrets, and secrets that a contest's ruling used up."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.events.canonical import parse_json
from ledger.events.commitments import Secret, is_closed
from ledger.events.subjects import CAMPAIGN, REVEALED, STRUCK
from ledger.events.types import MovePlayed, RollImported
from ledger.journal.accounts import Accounts
from ledger.journal.store import Journal


def is_revealed(journal: Journal, accounts: Accounts, seq: int) -> bool:
    """Return True if everybody may read the secrets of an entry."""
    return accounts.mark(REVEALED, str(seq)) is not None or _is_used_up(journal, accounts, seq)


def _is_used_up(journal: Journal, accounts: Accounts, seq: int) -> bool:
    """Return True if a later ruling used up a secret that the action of this entry gave to a character.

    Only a ruling for the whole table uses up a secret: it reads the secret, and removes it from the sheet. Return
    False for a canceled action, because no such ruling read its secrets.
    """
    entry = journal.entry(seq)
    act = entry.act
    if entry.type == RollImported.type:  # it is on no sheet, and its action may be long
        return False
    if _is_struck(accounts, act):
        return False
    given = [
        (mark.who, mark.name, entry.since)
        for entry in journal.action(act)
        for mark in entry.event.marks
        if isinstance(mark.value, Secret) and mark.who != CAMPAIGN
    ]
    return any(
        _uses_up(journal.entry(journal.entry(change).cause or change).event, who, name)
        for who, name, since in given
        for change in _next_changes(journal, accounts, who, name, since)
    )


def secrets_read(accounts: Accounts, ruling: MovePlayed) -> Iterator[int]:
    """Yield the entries of the secrets that a ruling for the whole table read on characters' sheets.

    For any other ruling, yield nothing.
    """
    if ruling.who == CAMPAIGN:
        for who, values in ruling.looked.items():
            for name in values:
                rows = accounts.rows.mark_rows(who, name)
                yield from (row.seq for row in rows if is_closed(parse_json(row.value or "null")))


def _next_changes(journal: Journal, accounts: Accounts, who: str, name: str, since: int) -> list[int]:
    """Find the next value that a mark got after entry `since`. Return the entries that set it and are not struck."""
    rows = [*accounts.rows.mark_rows(who, name)][::-1]
    values = {
        row.since: row.value for row in rows
    }  # the last row of a place counts; a strike leaves a row without value
    place = next((place for place, value in values.items() if place > since and value is not None), None)
    changes = (row.seq for row in rows if row.since == place)
    return [change for change in changes if not _is_struck(accounts, journal.entry(change).act)]


def _is_struck(accounts: Accounts, act: int) -> bool:
    return bool(accounts.mark(STRUCK, str(act)))


def _uses_up(ruling: object, who: str, name: str) -> bool:
    return isinstance(ruling, MovePlayed) and ruling.who == CAMPAIGN and name in ruling.looked.get(who, {})
