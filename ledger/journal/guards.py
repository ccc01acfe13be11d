"""Guards: checks that a file has this program's tables, indexes and triggers, and consistent pages.

Other programs may add their own tables, views and indexes to the file, such as statistics or the lock of a backup tool.
These never change our rows. A trigger could, so foreign triggers are refused.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ledger.errors import Damaged, NotGuarded
from ledger.journal.failures import DERIVED_TABLES, plain_errors
from ledger.journal.opening import check_tables
from ledger.journal.schema import TABLES, VERSION_WITH_WAITING, WAITING_QUERY

USED_FUNCTIONS = {"json_each"}
"""Functions that our statements call. SQLite would use a table with such a name instead of the function."""


class SchemaPart(NamedTuple):
    """A table, view, index or trigger. A `name_type` other than `text` shows damage."""

    kind: str
    name: str
    sql: str
    name_type: str


class Guards:
    """The tables, indexes and triggers of a file, compared with those of an empty campaign of the same version."""

    def __init__(self, connection: sqlite3.Connection, empty: sqlite3.Connection) -> None:
        self._connection = connection
        self._expected = _schema(empty)

    def check(self) -> str:
        """Describe a fault in a derived table, or return "". Raise `NotGuarded` or `Damaged` for any other fault."""
        with plain_errors():
            check_tables(self._connection)  # first, because a view with a table's name may be endless
        actual = _schema(self._connection)
        names, changed = {part.name for part in actual}, self._changed_names(actual)
        if missing := TABLES - DERIVED_TABLES - names & changed:
            raise Damaged(f"it has no table {min(missing)}")
        if changed - DERIVED_TABLES:
            raise NotGuarded(min(changed - DERIVED_TABLES))
        if changed:
            name = min(changed)
            kind = "table" if name in TABLES else "trigger" if name == "questions_wait" else "index"
            return f"the {kind} {name} was changed" if name in names else f"it has no {kind} {name}"
        fault = self._damage_in_pages() or self._waiting_fault()
        for table in sorted(TABLES - DERIVED_TABLES & names) if fault else ():
            if wrong := self._damage_in_pages(table):
                raise Damaged(wrong)
        return fault

    def foreign_names(self) -> set[str]:
        """Return the names of harmless additions by other programs."""
        actual = _schema(self._connection)
        return {part.name for part in actual - self._expected} - self._changed_names(actual)

    def _changed_names(self, actual: set[SchemaPart]) -> set[str]:
        """Return the names of our parts that `actual` lacks or changes, and of foreign parts that may harm queries."""
        missing = {part.name for part in self._expected - actual}
        protected = {part.name for part in self._expected} | USED_FUNCTIONS
        return missing | {
            part.name
            for part in actual - self._expected
            if part.name.lower() in protected or part.kind == "trigger" or part.name_type != "text"
        }

    def _damage_in_pages(self, table: str = "1") -> str:
        """Describe a fault in the pages of one table or of the whole file; "" if there isn't one."""
        with plain_errors():  # `quick_check` would miss a wrong order of rows, which makes sheets wrong
            (answer,) = self._connection.execute(f"PRAGMA integrity_check({table})").fetchone()
        reason = answer.splitlines()[-1]
        return "" if answer == "ok" else f"its internal structure is broken ({reason})"

    def _waiting_fault(self) -> str:
        """Describe a difference between the table `waiting` and the marks; "" if there isn't one."""
        stored = "SELECT name FROM waiting"
        with plain_errors():
            ((version,),) = self._connection.execute("PRAGMA user_version").fetchall()
            if version < VERSION_WITH_WAITING:
                return ""
            for one, other in ((WAITING_QUERY, stored), (stored, WAITING_QUERY)):
                if self._connection.execute(f"{one} EXCEPT {other}").fetchone() is not None:
                    return "its list of open questions does not match the questions that are marked as open"
        return ""


def _schema(connection: sqlite3.Connection) -> set[SchemaPart]:
    sql = "SELECT type, CAST(ifnull(name, '') AS TEXT), sql, typeof(name) FROM sqlite_schema WHERE sql NOT NULL"
    with plain_errors():
        return set(map(SchemaPart._make, connection.execute(sql)))
