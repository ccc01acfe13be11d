"""The load of a club: many live tables at two servers, with phones that watch, while a server and the database die.

`python benchmarks/club_load.py --tables 500 --seconds 60 [--calm]`

Every table rolls every six seconds and has five phones with an open stream. The rolls are sent again until they are
answered, with the same ID. At the end, every phone must have seen every entry of its table once, in order. In the
first third nothing is broken; then one server is killed and started again, and then the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests" / "support")]

import postgres_server  # noqa: E402  it is beside the tests
from ledger.journal.book import open_book  # noqa: E402  after the path is set
from ledger.journal.store import club_for, engine_for  # noqa: E402  after the path is set
from postgres_server import club_address, make_tables, running_server  # noqa: E402  after the path is set
from web.sessions import Logins, login_tables  # noqa: E402  after the path is set
from web.site import login_cookie_name  # noqa: E402  after the path is set

APART, PHONES = 6.0, 5
"""Seconds between two rolls of a table, and the phones of a table."""

DOWN_SECONDS = 3
"""The time for which a killed server or database is down."""

ENTRIES = 100
OK, EMPTY = 200, 404
AGAIN = {0, 429, 503}
"""The statuses after which a roll is sent again. All phones have one IP address here, so 429 comes after an outage."""

HOST = "127.0.0.1"
EVENT = re.compile(rb"^id: (\d+)-", re.MULTILINE)
ROLL = {"game": "edge", "move": "check", "inputs": {"who": "mara", "skill": 11, "target": 20}}


@dataclass
class Table:
    """A live table: its cookie, its first entry to watch, and what its phones saw and its rolls took."""

    name: str
    cookie: str
    head: int
    place: int
    """The server that a proxy chooses for this table while it runs."""
    seen: list[list[int]] = field(default_factory=lambda: [[] for _ in range(PHONES)])
    rolls: int = 0


@dataclass
class Times:
    """The milliseconds of each kind of request, in the calm part and in all."""

    calm: dict[str, list[float]] = field(default_factory=dict)
    all: dict[str, list[float]] = field(default_factory=dict)
    is_calm: bool = True

    def add(self, kind: str, seconds: float) -> None:
        for part in (self.all, self.calm) if self.is_calm else (self.all,):
            part.setdefault(kind, []).append(seconds * 1000)


class Servers:
    """Two servers of the club, which can be killed and started again at their ports."""

    def __init__(self, store: str, home: Path) -> None:
        self._store, self._home = store, home
        self.ports = [postgres_server.free_port() for _ in range(2)]
        self._processes = [self._start(port) for port in self.ports]

    def _start(self, port: int) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "cli", "serve", "--store", self._store, "--port", str(port)]
        env = {**os.environ, "PYTHONPATH": str(HERE.parent), "CAMPAIGN_HOME": str(self._home)}
        log = ["--log", str(self._home / f"log-{port}")]
        process = subprocess.Popen([*words, *log], env=env, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    async def die(self, number: int) -> None:
        self._processes[number].send_signal(signal.SIGKILL)
        self._processes[number].wait()
        await asyncio.sleep(DOWN_SECONDS)
        self._processes[number] = await asyncio.to_thread(self._start, self.ports[number])

    def processor_seconds(self) -> float:
        ticks = 0
        for process in self._processes:
            with suppress(OSError):
                fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        for process in self._processes:
            process.kill()


def database_dies(server: postgres_server.Server, stack: ExitStack) -> None:
    """Kill the database with all its processes, and start it again: it recovers from its log."""
    data = server.folder / "data"
    pid = int((data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])
    options = (data / "postmaster.opts").read_text(encoding="utf-8")
    os.kill(pid, signal.SIGKILL)
    time.sleep(DOWN_SECONDS)
    words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', options)]
    user = "nobody" if os.geteuid() == 0 else None
    for lock in (data / "postmaster.pid", *server.folder.glob(".s.PGSQL.*.lock")):
        lock.unlink(missing_ok=True)
    nowhere = subprocess.DEVNULL
    again = subprocess.Popen(words, user=user, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    stack.callback(again.kill)


async def request(port: int, method: str, path: str, cookie: str, body: bytes = b"", once: str = "") -> int:
    """Send one request on a connection of its own. Return the status, 0 if the server is not there."""
    try:
        reader, writer = await asyncio.open_connection(HOST, port)
    except OSError:
        return 0
    head = f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n"
    if once:
        head += f"Idempotency-Key: {once}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    try:
        writer.write(head.encode() + body)
        line = await reader.readline()
        await reader.read()
        return int(line.split()[1]) if line else 0
    except OSError:
        return 0
    finally:
        writer.close()


def parts_of(table: Table, number: int) -> tuple[str, bytes, str]:
    """Return the path, the body and the ID of a roll."""
    return f"/c/{table.name}/api/v1/say/play", json.dumps(ROLL).encode(), f"{table.name}.{number}"


async def rolls(table: Table, servers: Servers, times: Times, ends: float, random: Random) -> None:
    """Roll every six seconds."""
    await asyncio.sleep(random.random() * APART)
    number = 0
    while time.monotonic() < ends:
        number += 1
        began, place = time.monotonic(), table.place
        path, body, once = parts_of(table, number)
        while True:
            sent = time.monotonic()
            status = await request(servers.ports[place], "POST", path, table.cookie, body, once)
            if status == OK:
                break
            if status not in AGAIN:
                raise SystemExit(f"a roll was answered with {status}")
            place = 1 - place
            await asyncio.sleep(0.2)
        times.add("roll", time.monotonic() - sent)
        times.add("roll with repeats", time.monotonic() - began)
        table.rolls += 1
        await asyncio.sleep(max(0, began + APART - time.monotonic()))


async def watches(table: Table, phone: int, servers: Servers, done: asyncio.Event) -> None:
    """Read a stream, and continue at the other server if it ends."""
    after, place = str(table.head), table.place
    while not done.is_set():
        try:
            reader, writer = await asyncio.open_connection(HOST, servers.ports[place])
            path = f"/c/{table.name}/stream?after={after}"
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: {table.cookie}\r\n\r\n".encode())
            is_open, rest = b" 200 " in await reader.readline(), b""
            while is_open and (data := await reader.read(65536)):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if line.startswith(b"id: "):
                        after = line[4:].strip().decode()
                        table.seen[phone].append(int(after.partition("-")[0]))
            writer.close()
        except OSError:
            pass
        place = 1 - place
        await asyncio.sleep(0.5)


async def empty(servers: Servers, times: Times, cookie: str, name: str, ends: float) -> None:
    """Ask for a page without content and without the database, under the same load."""
    while time.monotonic() < ends:
        began = time.monotonic()
        if await request(servers.ports[0], "GET", f"/c/{name}/certificate", cookie) == EMPTY:
            times.add("empty", time.monotonic() - began)
        await asyncio.sleep(0.1)


async def play(
    tables: Sequence[Table], servers: Servers, database: postgres_server.Server, seconds: float, stack: ExitStack | None
) -> tuple[Times, float]:
    """Play for `seconds` seconds. Return the times, and the processor time of both servers."""
    times, done, random = Times(), asyncio.Event(), Random(1)
    phones = [asyncio.create_task(watches(table, phone, servers, done)) for table in tables for phone in range(PHONES)]
    await asyncio.sleep(5 + len(tables) / 20)  # until all campaigns are open
    busy, ends = servers.processor_seconds(), time.monotonic() + seconds
    rolling = [asyncio.create_task(rolls(table, servers, times, ends, random)) for table in tables]
    rolling.append(asyncio.create_task(empty(servers, times, tables[0].cookie, tables[0].name, ends)))
    if stack is not None:
        await asyncio.sleep(seconds / 3)
        times.is_calm = False
        print("killing a server", flush=True)
        await servers.die(1)
        await asyncio.sleep(seconds / 3 - DOWN_SECONDS)
        print("killing the database", flush=True)
        await asyncio.to_thread(database_dies, database, stack)
    await asyncio.gather(*rolling)
    busy = servers.processor_seconds() - busy
    heads = club_for(club_address(database)).heads([table.name for table in tables])
    waits = time.monotonic() + 30
    while time.monotonic() < waits and any(
        (seen or [table.head])[-1] < heads[table.name].head for table in tables for seen in table.seen
    ):
        await asyncio.sleep(0.2)
    done.set()
    for task in phones:
        task.cancel()
    await asyncio.gather(*phones, return_exceptions=True)
    return times, busy


def checked(tables: Sequence[Table], address: str) -> Iterator[str]:
    """Say what is missing or doubled."""
    for table in tables:
        with open_book(f"{address}&campaign={table.name}") as book:
            acts = sorted({book.entry(seq).act for seq in range(table.head + 1, book.head() + 1)})
            last = [book.action(act)[-1].seq for act in acts]
        if len(acts) != table.rolls:
            yield f"{table.name}: {table.rolls} rolls were answered, and {len(acts)} are there"
        for phone, seen in enumerate(table.seen):
            if seen != last:
                yield f"{table.name}: phone {phone} saw {len(seen)} of {len(last)} rolls"


@contextmanager
def club(number: int, folder: Path) -> Iterator[tuple[postgres_server.Server, list[Table]]]:
    """A database with `number` campaigns of about `ENTRIES` entries, each with a login."""
    from at_page import played

    lines = tuple(f"edge check mara --skill {skill % 12} --target 20" for skill in range(ENTRIES // 2))
    for name, content in played(lines).items():
        (folder / name).write_bytes(content)
    tables = []
    with running_server("fsync=on", "max_connections=200", "shared_buffers=128MB") as server:
        make_tables(server)
        address = club_address(server)
        now = int(time.time())
        for place in range(number):
            own = f"{address}&campaign=table-{place}"
            with open_book(str(folder / "road.campaign")) as book, engine_for(own).creating(book.journal.storage):
                pass
            with open_book(own) as book:
                logins = Logins(login_tables("", book, own))
                secret = logins.use_invitation(logins.invite("gm", "p1", now), now)
                tables.append(Table(f"table-{place}", f"{login_cookie_name(book)}={secret}", book.head(), place % 2))
        with server.connect() as superuser:
            superuser.execute("VACUUM ANALYZE")  # otherwise the database does this in the middle of the load
        yield server, tables


def quantile(times: Sequence[float], share: float) -> float:
    """Return a quantile: `share` of the times are not longer, such as 0.99 of them."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def main() -> None:
    """Run the load, and print the times, the ratios, and everything that was missed."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--tables", type=int, default=500)
    words.add_argument("--seconds", type=float, default=60)
    words.add_argument("--calm", action="store_true", help="kill nothing")
    typed: Any = words.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, tables = stack.enter_context(club(typed.tables, folder))
        servers = Servers(club_address(server), folder)
        stack.callback(servers.stop)
        print(f"{len(tables)} tables, {len(tables) * PHONES} phones", flush=True)
        times, busy = asyncio.run(play(tables, servers, server, typed.seconds, None if typed.calm else stack))
        wrong = [*checked(tables, club_address(server))]
    for part, kinds in (("calm", times.calm), ("all", times.all)):
        for kind, each in sorted(kinds.items()):
            shown = ", ".join(f"{share:.0%} {quantile(each, share):.0f} ms" for share in (0.5, 0.99))
            print(f"{part}: {kind}: {len(each)}, {shown}")
        ratio = quantile(kinds["roll"], 0.5) / quantile(kinds["empty"], 0.5)
        print(f"{part}: a roll takes {ratio:.1f} times an empty route, as medians")
    print(f"processor time of both servers: {busy:.1f} s in {typed.seconds:.0f} s")
    print("\n".join(wrong[:20]) or "every phone saw every roll once, in order")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
