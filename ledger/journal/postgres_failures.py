"""PostgreSQL's errors as errors of this program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as pg

from ledger import errors
from ledger.journal.failures import BUSY_SECONDS
from ledger.journal.records import NUMBER_TOO_LARGE

if TYPE_CHECKING:
    from types import TracebackType

LOST_MESSAGE = "The connection to the database was lost."
LOST_HINT = f"If you entered something, check with {errors.Run('log')} whether it was saved."
NOT_SAVED_MESSAGE = "The database could not save the data. Nothing was written."
CANCELED_MESSAGE = "The database server stopped the command before its end. Nothing was written."
FAILED_BEFORE_MESSAGE = "An earlier step of this command failed in the database. Nothing was written."
DAMAGED_HINT = (
    "Ask the person who looks after the server to check its disk, and to use another server or a copy of the database."
)
NUL_MESSAGE = (
    "A text in a PostgreSQL database cannot contain the invisible character U+0000 (NUL). Nothing was written."
)
NOT_ALLOWED_MESSAGE = "Your database login is not allowed to do this"
ROLES_HINT = "Ask the owner of the database. The page docs/postgresql.md lists the roles."
STANDBY_MESSAGE = "This database server is read-only: it is a copy of another server"
STANDBY_HINT = "Name all servers in the address, separated by commas. The program then finds the one that can write."


def is_connection_lost(error: Exception) -> bool:
    """Return True if an error means that the connection is gone, so that no later statement can use it."""
    lost = pg.AdminShutdown | pg.CrashShutdown | pg.CannotConnectNow | psycopg.InterfaceError
    if isinstance(error, psycopg.Error) and error.diag.severity_nonlocalized in {"FATAL", "PANIC"}:
        return True  # for example after a time without a statement
    return isinstance(error, lost) or (isinstance(error, psycopg.OperationalError) and error.sqlstate is None)


def plain_error(error: Exception) -> Exception:
    """Convert an error of PostgreSQL to an error of this program. Return it unchanged if the program caused it."""
    if is_connection_lost(error):
        return errors.Unreadable(LOST_MESSAGE, LOST_HINT)
    # psycopg refuses single texts, the server lists of texts and JSON
    if type(error) in {psycopg.DataError, pg.CharacterNotInRepertoire, pg.UntranslatableCharacter}:
        return errors.BadInput(NUL_MESSAGE)
    return next((make(error) for kinds, make in CONVERSIONS if isinstance(error, kinds)), error)


CONVERSIONS: Sequence[tuple[tuple[type[Exception], ...], Callable[[Exception], errors.LedgerError]]] = (
    ((pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure), lambda _: errors.Busy(BUSY_SECONDS)),
    ((pg.ReadOnlySqlTransaction,), lambda _: errors.ReadOnly(STANDBY_MESSAGE, STANDBY_HINT)),
    ((pg.InsufficientPrivilege,), lambda _: errors.ReadOnly(NOT_ALLOWED_MESSAGE, ROLES_HINT)),
    ((pg.DiskFull, pg.IoError, pg.OutOfMemory), lambda _: errors.DiskRefused(NOT_SAVED_MESSAGE)),
    ((pg.QueryCanceled,), lambda _: errors.WriteFailed(CANCELED_MESSAGE)),
    ((pg.InFailedSqlTransaction,), lambda _: errors.WriteFailed(FAILED_BEFORE_MESSAGE)),
    (
        (pg.DataCorrupted, pg.IndexCorrupted),
        lambda error: errors.NotWhole(f"The database server found damaged data: {_message(error)}.", DAMAGED_HINT),
    ),
    ((pg.NumericValueOutOfRange, OverflowError), lambda _: errors.TablesDiffer(NUMBER_TOO_LARGE)),
    (
        (pg.UndefinedTable, pg.UndefinedColumn),
        lambda error: errors.Damaged(f"its tables were changed ({_message(error)})"),
    ),
)


def unreachable(error: Exception) -> errors.LedgerError:
    """Return the error for a server that does not answer, or that refuses the login or the database."""
    says = _message(error)
    if "read-only" in says:
        return errors.Unreadable(f"{STANDBY_MESSAGE}.", STANDBY_HINT)
    if "password" in says:
        hint = "Put the password into a password file or a service file of PostgreSQL, never into the address."
        return errors.Unreadable("The database server refused the login.", hint)
    return errors.Unreadable(f"The database cannot be opened: {says}.")


def _message(error: Exception) -> str:
    """Return the reason in an error of PostgreSQL, without the server's name and the period at its end."""
    said = error.diag.message_primary if isinstance(error, psycopg.Error) else None
    lines = [line for line in str(error).splitlines() if line and not line.startswith(("\t", "DETAIL"))]
    return re.sub(r"^.*(?:failed|FATAL): +", "", said or lines[-1]).strip(" .")


class PostgresErrors:
    """A context manager that converts each error of PostgreSQL in its block to an error of this program."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, psycopg.Error | OverflowError):  # the second is for numbers that are too large
            raise plain_error(error) from error


PLAIN_ERRORS = PostgresErrors()
