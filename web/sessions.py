"""Invitations, visits (logins) and tokens, in a file outside the campaign, or in tables of its database.

Only hashes of the secrets are stored.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Hashable, Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from math import inf
from os import chmod, path, stat
from secrets import token_urlsafe
from threading import Lock
from time import monotonic, time
from typing import TYPE_CHECKING, Any, TypeVar

from sqlite_utils import Database

from ledger.errors import BadInput, DiskRefused, LedgerError, NotMade, NotReadable, NotWhole, Refused, quoted
from ledger.journal.book import Book
from ledger.journal.failures import plain_errors
from ledger.journal.store import engine_for
from ledger.trust.home import make_home
from ledger.values import Struct
from web.people import TOKEN_PREFIX, Person, Role
from web.problems import NotEntered, NotInvited

if TYPE_CHECKING:
    from ledger.journal.storage import LoginTables, RunSql

S = TypeVar("S", bound=Struct)

LOGINS_FILE = "doors.db"

VISIT_SECONDS = 30 * 24 * 3600
INVITATION_SECONDS = 24 * 3600
"""The number of seconds for which an invitation is valid. A visit is valid for `VISIT_SECONDS`."""

MOST_USES = 100

LONGEST_NAME = 40
"""The maximum length of a token's name, in characters."""

CLOCK_RESOLUTION_SECONDS, RETRY_SECONDS = 3, 1
"""The file's time may be the same after two changes within `CLOCK_RESOLUTION_SECONDS`.

A file that was read so soon after a change is read again after `RETRY_SECONDS`.
"""

INVITATIONS: dict[str, Any] = {"hash": str, "campaign": str, "role": str, "seat": str, "expires": int, "uses": int}
VISITS: dict[str, Any] = {
    "hash": str,
    "campaign": str,
    "role": str,
    "seat": str,
    "begun": int,
    "expires": int,
    "device": str,
}
TOKENS: dict[str, Any] = {"hash": str, "campaign": str, "role": str, "seat": str, "begun": int, "label": str}
LOGIN_TABLES = ("visits", "invitations", "tokens")


class Invitation(Struct):
    """An invitation. `name` is the public name, `expires` is in seconds since 1970, and `uses` counts the uses left."""

    name: str
    role: Role
    seat: str
    expires: int
    uses: int


class Visit(Struct):
    """The login of a person. `name` is the public name, and `begun` is in seconds since 1970.

    `device` names the device and the browser. It is "" if they are unknown, as for logins of earlier versions.
    """

    name: str
    role: Role
    seat: str
    begun: int
    device: str


class Token(Struct):
    """The login of a program. `label` is the name that the GM gave it. The other fields are as in a `Visit`."""

    name: str
    label: str
    role: Role
    seat: str
    begun: int


def has_logins(folder: str) -> bool:
    """Return True if the home `folder` has a file of invitations and logins."""
    return path.exists(path.join(folder, LOGINS_FILE))


class LoginFile:
    """The logins of one campaign in the file that all campaigns of a home share."""

    def __init__(self, folder: str, campaign: str) -> None:
        self._file = path.join(folder, LOGINS_FILE)
        self.campaign = campaign
        self._lock = Lock()
        make_home(folder)
        try:
            with self._open() as file:
                file.table("invitations").create(INVITATIONS, pk="hash", if_not_exists=True)
                file.table("visits").create(
                    VISITS, pk="hash", if_not_exists=True, not_null={"device"}, defaults={"device": ""}
                )
                if "device" not in file.table("visits").columns_dict:  # a file of an earlier version
                    file.table("visits").add_column("device", str, not_null_default="")
                file.table("tokens").create(TOKENS, pk="hash", if_not_exists=True)
            chmod(self._file, 0o600)
        except OSError as error:
            raise NotMade(self._file, error) from None

    @contextmanager
    def _open(self) -> Iterator[Database]:
        """Open the file. Errors of SQLite become `LedgerError`s, with messages that name this file."""
        what = f"The file of invitations and logins ({self._file})"
        try:
            with self._lock, plain_errors(), closing(Database(self._file, execute_plugins=False).conn) as connection:
                connection.isolation_level = None
                yield Database(connection, execute_plugins=False)
        except NotWhole:
            hint = "Move that file to another folder, then invite everybody again."
            raise Refused(f"{what} cannot be read.", hint) from None
        except DiskRefused:
            raise DiskRefused(f"{what} cannot be opened or written.") from None

    @contextmanager
    def reading(self) -> Iterator[RunSql]:
        with self._open() as file:

            def run(sql: str, *values: Any) -> list[dict[str, Any]]:
                rows = file.conn.execute(sql, {str(place): value for place, value in enumerate(values, 1)})
                names = [column for column, *_ in rows.description or ()]
                return [dict(zip(names, row, strict=True)) for row in rows]

            yield run

    writing = reading

    def stamp(self) -> tuple[Hashable, float]:
        """Return the state of the file. After a change, its time may hide another change for a few seconds."""
        try:
            status = stat(self._file)
        except OSError as error:
            raise NotReadable(self._file, error) from None
        is_new = status.st_mtime + CLOCK_RESOLUTION_SECONDS > time()
        return (status.st_ino, status.st_mtime_ns, status.st_size), monotonic() + RETRY_SECONDS if is_new else inf


class Logins:
    """The invitations, visits and tokens of one campaign.

    They survive a restart. Another server may change them too.
    """

    def __init__(self, tables: LoginTables) -> None:
        self._tables = tables
        self._campaign = tables.campaign
        self._cache: tuple[Hashable, float, dict[str, tuple[Person, float]]] = (None, 0.0, {})

    def invite(self, role: Role, seat: str, now: int, *, valid_seconds: int = INVITATION_SECONDS, uses: int = 1) -> str:
        """Store an invitation that is valid for `valid_seconds` seconds. Return its secret, which is not stored."""
        secret = token_urlsafe(32)
        row = self._row(secret, role, seat)
        with self._tables.writing() as run:
            self._delete_expired(run, now)
            _insert(run, "invitations", {**row, "expires": now + valid_seconds, "uses": uses})
        return secret

    def invitation(self, secret: str, now: int) -> Invitation:
        """Return the invitation with this secret. Raise `NotInvited` if it is unknown, expired or used up."""
        where = "campaign = $1 AND hash = $2"
        rows = self._select("invitations", where, _hash(secret))
        if not rows or rows[0]["expires"] <= now or rows[0]["uses"] < 1:
            raise NotInvited
        return _struct_from_row(Invitation, rows[0])

    def use_invitation(self, secret: str, now: int, device: str = "") -> str:
        """Use an invitation once, and return the secret of a new visit. Raise `NotInvited` as `invitation` does."""
        visit_secret = token_urlsafe(32)
        with self._tables.writing() as run:
            self._delete_expired(run, now)
            taken = run(
                "UPDATE invitations SET uses = uses - 1"
                " WHERE campaign = $1 AND hash = $2 AND expires > $3 AND uses > 0 RETURNING role, seat",
                self._campaign,
                _hash(secret),
                now,
            )
            if not taken:
                raise NotInvited
            row = self._row(visit_secret, **taken[0])
            _insert(run, "visits", {**row, "begun": now, "expires": now + VISIT_SECONDS, "device": device})
        self._forget_cache()
        return visit_secret

    def person(self, secret: str, now: int) -> Person:
        """Return the person whose unexpired visit or token has this secret. Raise `NotEntered` if there is none."""
        own = _hash(secret)
        known = self._visits().get(own) or self._visits(reread=True).get(own)
        if known is None or known[1] <= now:
            raise NotEntered
        return known[0]

    def is_login_secret(self, secret: str) -> bool:
        """Return True if the secret belongs to a token, or to a visit, even an expired one.

        Return False if the logins cannot be read.
        """
        with suppress(LedgerError):
            return _hash(secret) in self._visits()
        return False

    def was_login_secret(self, secret: str) -> bool:
        """Return True if `is_login_secret` was true when the logins were last read. This does not read them."""
        return _hash(secret) in self._cache[2]

    def must_be_read(self) -> bool:
        """Return True if the next check of a login reads the tables, which may take long in a database."""
        return monotonic() >= self._cache[1]

    def _visits(self, *, reread: bool = False) -> dict[str, tuple[Person, float]]:
        """Return the person and the expiry of each visit and token, by the hash of its secret.

        Read the tables again only if they have changed, if their stamp may hide a change, or if `reread` is set.
        """
        (stamp, reliable_until), (known_stamp, read_again, known) = self._tables.stamp(), self._cache
        if reread or stamp != known_stamp or monotonic() >= read_again:
            with self._tables.reading() as run:
                rows = [row for name in ("visits", "tokens") for row in self._own_rows(run, name)]
            known = {
                row["hash"]: (
                    Person(role=row["role"], seat=row["seat"], visit=_public_name(row["hash"])),
                    row.get("expires", inf),
                )
                for row in rows
            }
            self._cache = (stamp, reliable_until, known)
        return known

    def _forget_cache(self) -> None:
        self._cache = (None, 0.0, self._cache[2])

    def _own_rows(self, run: RunSql, table: str) -> list[dict[str, Any]]:
        return run(f"SELECT * FROM {table} WHERE campaign = $1", self._campaign)  # noqa: S608  our own names

    def _select(self, table: str, where: str, *values: Any) -> list[dict[str, Any]]:
        with self._tables.reading() as run:
            return run(f"SELECT * FROM {table} WHERE {where}", self._campaign, *values)  # noqa: S608  our own names

    def _row(self, secret: str, role: Role, seat: str) -> dict[str, Any]:
        return {"hash": _hash(secret), "campaign": self._campaign, "role": role, "seat": seat}

    def _delete_expired(self, run: RunSql, now: int) -> None:
        for table in ("visits", "invitations"):
            run(f"DELETE FROM {table} WHERE expires <= $1", now)  # noqa: S608  our own names

    def visits(self, now: int) -> list[Visit]:
        """Return the visits that have not expired, the oldest first."""
        where = "campaign = $1 AND expires > $2 ORDER BY begun"
        return [_struct_from_row(Visit, row) for row in self._select("visits", where, now)]

    def invitations(self, now: int) -> list[Invitation]:
        """Return the valid invitations, sorted by expiry."""
        where = "campaign = $1 AND expires > $2 AND uses > 0 ORDER BY expires"
        return [_struct_from_row(Invitation, row) for row in self._select("invitations", where, now)]

    def make_token(self, label: str, role: Role, seat: str, now: int, seed: bytes) -> str:
        """Store a token that is valid until somebody ends it. Return its secret, which is not stored.

        `seed` has 32 random bytes, from which the secret is made.

        Raise `BadInput` for a label that cannot be shown, and `Refused` if another token has this label.
        """
        label = label.strip()
        if not 1 <= len(label) <= LONGEST_NAME or not label.isprintable():
            raise BadInput(
                f"A token needs a name of 1 to {LONGEST_NAME} characters.", "Name the token after the program."
            )
        secret = TOKEN_PREFIX + urlsafe_b64encode(seed).decode().rstrip("=")
        row = self._row(secret, role, seat)
        with self._tables.writing() as run:
            if any(row["label"] == label for row in self._own_rows(run, "tokens")):
                hint = "Choose another name, or end the old token first."
                raise Refused(f"A token called {quoted(label)} exists already.", hint)
            _insert(run, "tokens", {**row, "begun": now, "label": label})
        self._forget_cache()
        return secret

    def tokens(self) -> list[Token]:
        """Return the tokens, the oldest first."""
        return [_struct_from_row(Token, row) for row in self._select("tokens", "campaign = $1 ORDER BY begun")]

    def end(self, name: str) -> bool:
        """End the visit or token, or cancel the invitation, with this public name. Return False if there is none."""
        where, ended = "campaign = $1 AND substr(hash, 1, 12) = $2", list[dict[str, Any]]()
        with self._tables.writing() as run:
            for table in LOGIN_TABLES:
                ended += run(f"DELETE FROM {table} WHERE {where} RETURNING hash", self._campaign, name)  # noqa: S608  our own names
        self._forget_cache()
        return bool(ended)


def campaign_key(book: Book) -> str:
    """Return the name under which the logins of a campaign are stored: its origin, else the hash of its first entry.

    Campaigns without a key have no origin. The names of their files may be the same.
    """
    return book.origin() or book.first_leaf().hex()


def login_tables(folder: str, book: Book, address: str) -> LoginTables:
    """Return the tables with the logins of a campaign: in its database, or else in the home `folder`."""
    return engine_for(address).login_tables() or LoginFile(folder, campaign_key(book))


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _public_name(secret_hash: str) -> str:
    """Return the public name of a login or invitation, from the hash of its secret. Nobody can log in with the name."""
    return secret_hash[:12]


def _insert(run: RunSql, table: str, row: dict[str, Any]) -> None:
    places = ", ".join(f"${place}" for place in range(1, len(row) + 1))
    run(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", *row.values())  # noqa: S608  our own names


def _struct_from_row(kind: type[S], row: dict[str, Any]) -> S:
    row = {**row, "name": _public_name(row["hash"])}
    return kind(**{field: row[field] for field in kind.fields()})
