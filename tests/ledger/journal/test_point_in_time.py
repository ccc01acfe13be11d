"""A database that is restored to a point in time: its campaigns are as they were then, whole, and go on."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import psycopg
import pytest

from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from ledger.journal.postgres_session import close_idle
from ledger.journal.store import engine_for
from postgres_server import Server, free_port, make_tables, programs_of, running_server
from table import scribe

USER = "nobody" if os.geteuid() == 0 else None


@pytest.fixture
def archive() -> Iterator[Path]:
    """A folder that the database's own user may write."""
    folder = Path(tempfile.mkdtemp(prefix="campaign-archive-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def write(address: str, *texts: str) -> int:
    with open_book(address) as book:
        for text in texts:
            scribe(book).write(Note(text=text))
        return book.head()


def restored(server: Server, base: Path, archive: Path) -> tuple[subprocess.Popen[bytes], Server]:
    """Start the base backup on another port, and let it replay the archived log up to the point `before`."""
    port = free_port()
    (base / "recovery.signal").touch()
    settings = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_name": "before",
        "recovery_target_action": "promote",
        "archive_mode": "off",
        "listen_addresses": "",
        "unix_socket_directories": str(archive),
        "max_connections": "60",
    }
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command: list[str | Path] = [programs_of(server) / "postgres", "-D", base, "-p", str(port), *words]
    process = subprocess.Popen(command, user=USER, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return process, Server(archive, port)


def wait_until_writable(server: Server) -> None:
    ends = monotonic() + 60
    while True:
        try:
            with server.connect() as connection:
                if connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,):
                    return
        except psycopg.OperationalError:  # it does not listen yet
            assert monotonic() < ends
        sleep(0.05)


def archive_all(server: Server) -> None:
    """End the current segment of the log, and wait until the database has archived all segments."""
    with server.connect() as superuser:
        (last,) = superuser.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone() or ("",)
        ends = monotonic() + 60
        while (superuser.execute("SELECT last_archived_wal FROM pg_stat_archiver").fetchone() or ("",))[0] != last:
            assert monotonic() < ends
            sleep(0.05)


@pytest.mark.slow
def test_a_database_restored_to_a_point_in_time_has_what_was_written_before_and_goes_on(
    file: Path, archive: Path
) -> None:
    base = archive / "base"
    with running_server("archive_mode=on", f"archive_command=cp %p {archive}/%f") as server:
        make_tables(server)
        address = server.address("salt-road")
        with open_book(str(file)) as book, engine_for(address).creating(book.journal.storage):
            pass
        write(address, "one")
        backup: list[str | Path] = [
            programs_of(server) / "pg_basebackup",
            "-h",
            server.folder,
            "-p",
            str(server.port),
            "-U",
            "postgres",
        ]
        subprocess.run([*backup, "-D", base, "-c", "fast", "-X", "none", "-w"], user=USER, check=True)
        before = write(address, "two", "three")
        with server.connect() as superuser:
            superuser.execute("SELECT pg_create_restore_point('before')")
        write(address, "lost")
        archive_all(server)
        process, again = restored(server, base, archive)
        try:
            wait_until_writable(again)
            address = again.address("salt-road")
            with open_book(address) as book:
                assert (book.head(), verify(book).entries) == (before, before)
            assert write(address, "four") == before + 1
        finally:
            close_idle()
            process.terminate()
            process.wait(60)
