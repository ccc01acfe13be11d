"""Invitations, visits (logins) and tokens, in a file outside the campaign. The file has only hashes of the secrets."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from math import inf
from os import chmod, path, stat
from secrets import token_urlsafe
from threading import Lock
from time import monotonic, time
from typing import Any, TypeVar

from sqlite_utils import Database

from ledger.errors import BadInput, DiskRefused, LedgerError, NotMade, NotReadable, NotWhole, Refused, quoted
from ledger.journal.book import Book
from ledger.journal.failures import plain_errors
from ledger.journal.store import engine_for
from ledger.trust.home import make_home
from ledger.values import Struct
from web.people import TOKEN_PREFIX, Person, Role
from web.problems import NotEntered, NotInvited

S = TypeVar("S", bound=Struct)

FILE = "doors.db"

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
TABLES = ("visits", "invitations", "tokens")


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
    return path.exists(path.join(folder, FILE))


class Logins:
    """The invitations, visits and tokens of one campaign.

    They survive a restart. Another server may change them too.
    """

    def __init__(self, folder: str, campaign: str) -> None:
        self._file = path.join(folder, FILE)
        self._campaign = campaign
        self._known: dict[str, tuple[Person, float]] = {}  # by hash
        self._stamp: tuple[int, ...] | None = None
        self._again = 0.0
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

    def invite(self, role: Role, seat: str, now: int, *, lasts: int = INVITATION_SECONDS, uses: int = 1) -> str:
        """Store an invitation that is valid for `lasts` seconds. Return its secret, which is not stored."""
        token = token_urlsafe(32)
        row = {"hash": _hash(token), "campaign": self._campaign, "role": role, "seat": seat}
        with self._open() as file:
            _delete_expired(file, now)
            file.table("invitations").insert({**row, "expires": now + lasts, "uses": uses})
        return token

    def invitation(self, token: str, now: int) -> Invitation:
        """Return the invitation with this token. Raise `NotInvited` if it is unknown, expired or used up."""
        with self._open() as file:
            rows = [*_rows(file, "invitations", "hash = ? AND campaign = ?", _hash(token), self._campaign)]
        if not rows or rows[0]["expires"] <= now or rows[0]["uses"] < 1:
            raise NotInvited
        return _record(Invitation, rows[0])

    def take(self, token: str, now: int, device: str = "") -> str:
        """Use an invitation once, and return the secret of a new visit. Raise `NotInvited` as `invitation` does."""
        secret, hashed = token_urlsafe(32), _hash(token)
        with self._open() as file:
            _delete_expired(file, now)
            taken = file.execute(
                "UPDATE invitations SET uses = uses - 1"
                " WHERE hash = ? AND campaign = ? AND expires > ? AND uses > 0 RETURNING role, seat",
                (hashed, self._campaign, now),
            ).fetchall()
            if not taken:
                raise NotInvited
            role, seat = taken[0]
            row = {"hash": _hash(secret), "campaign": self._campaign, "role": role, "seat": seat}
            file.table("visits").insert({**row, "begun": now, "expires": now + VISIT_SECONDS, "device": device})
            self._stamp = None
        return secret

    def person(self, secret: str, now: int) -> Person:
        """Return the person whose unexpired visit or token has this secret. Raise `NotEntered` if there is none."""
        own = _hash(secret)
        known = self._visits().get(own) or self._visits(reread=True).get(own)
        if known is None or known[1] <= now:
            raise NotEntered
        return known[0]

    def has_visit(self, secret: str) -> bool:
        """Return True if the secret belongs to a token, or to a visit, even an expired one.

        Return False if the file of logins cannot be read.
        """
        with suppress(LedgerError):
            return _hash(secret) in self._visits()
        return False

    def _visits(self, *, reread: bool = False) -> dict[str, tuple[Person, float]]:
        """Return the person and the expiry of each visit and token, by the hash of its secret.

        Read the file again only in these cases:

        - The file has changed.
        - `reread` is set.
        - The last read came so soon after a change that the time stamp of the file may hide another change.
        """
        try:
            status = stat(self._file)
        except OSError as error:
            raise NotReadable(self._file, error) from None
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if reread or stamp != self._stamp or monotonic() >= self._again:
            with self._open() as file:
                rows = [*self._own_rows(file, "visits"), *self._own_rows(file, "tokens")]
                self._known = {
                    row["hash"]: (
                        Person(role=row["role"], seat=row["seat"], visit=_public_name(row["hash"])),
                        row.get("expires", inf),
                    )
                    for row in rows
                }
                self._stamp, self._again = (
                    stamp,
                    monotonic() + RETRY_SECONDS if status.st_mtime + CLOCK_RESOLUTION_SECONDS > time() else inf,
                )
        return self._known

    def _own_rows(self, file: Database, table: str) -> Iterator[dict[str, Any]]:
        return _rows(file, table, "campaign = ?", self._campaign)

    def visits(self, now: int) -> list[Visit]:
        """Return the visits that have not expired, the oldest first."""
        with self._open() as file:
            where = "campaign = ? AND expires > ? ORDER BY begun"
            return [_record(Visit, row) for row in _rows(file, "visits", where, self._campaign, now)]

    def invitations(self, now: int) -> list[Invitation]:
        """Return the valid invitations, sorted by expiry."""
        with self._open() as file:
            where = "campaign = ? AND expires > ? AND uses > 0 ORDER BY expires"
            return [_record(Invitation, row) for row in _rows(file, "invitations", where, self._campaign, now)]

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
        row = {"hash": _hash(secret), "campaign": self._campaign, "role": role, "seat": seat}
        with self._open() as file:
            if any(row["label"] == label for row in self._own_rows(file, "tokens")):
                hint = "Choose another name, or end the old token first."
                raise Refused(f"A token called {quoted(label)} exists already.", hint)
            file.table("tokens").insert({**row, "begun": now, "label": label})
            self._stamp = None
        return secret

    def tokens(self) -> list[Token]:
        """Return the tokens, the oldest first."""
        with self._open() as file:
            return sorted((_record(Token, row) for row in self._own_rows(file, "tokens")), key=lambda each: each.begun)

    def end(self, name: str) -> bool:
        """End the visit or token, or cancel the invitation, with this public name. Return False if there is none."""
        with self._open() as file:
            ended = 0
            for table in TABLES:
                where = "campaign = ? AND substr(hash, 1, 12) = ?"
                ended += file.execute(f"DELETE FROM {table} WHERE {where}", (self._campaign, name)).rowcount  # noqa: S608  the table names are ours
            self._stamp = None
        return ended > 0


def campaign_key(book: Book, address: str) -> str:
    """Return the name under which the logins of a campaign are stored: its origin, else the name in its address."""
    return book.origin() or engine_for(address).name()


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _public_name(secret_hash: str) -> str:
    """Return the public name of a login or invitation, from the hash of its secret. Nobody can log in with the name."""
    return secret_hash[:12]


def _delete_expired(file: Database, now: int) -> None:
    for table in ("visits", "invitations"):
        file.table(table).delete_where("expires <= ?", [now])


def _rows(file: Database, table: str, where: str, *values: Any) -> Iterator[dict[str, Any]]:
    return file.table(table).rows_where(where, values)


def _record(kind: type[S], row: dict[str, Any]) -> S:
    row = {**row, "name": _public_name(row["hash"])}
    return kind(**{field: row[field] for field in kind.fields()})
