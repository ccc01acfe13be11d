"""The page beside the command line: one file, many writers, and everybody sees everything within a second."""

import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from sqlite3 import connect
from statistics import quantiles
from typing import Any
from urllib.parse import urlencode

import pytest

from ledger.journal.book import open_book
from terminal import command
from web.sessions import LoginFile, Logins, campaign_key
from web.site import login_cookie_name

pytestmark = pytest.mark.slow

SECONDS = 12
MOST_WAITED = 3
"""Seconds after which nearly all must have come, on a machine that others use too; it is tenths on a free one."""


class Server:
    """A served campaign, as a process of its own, and a visit of the GM at it."""

    def __init__(self, file: Path, home: Path) -> None:
        self.file = file
        self._home = home
        words = [*command(file, "serve", "--port", "0", "--log", str(home / "serve.log"))]
        env = {**os.environ, "CAMPAIGN_HOME": str(home), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().rpartition(":")[2])
        with open_book(str(file)) as book:
            self._logins, self.cookie = (
                Logins(LoginFile(str(home), campaign_key(book))),
                login_cookie_name(book),
            )

    def visit(self) -> str:
        now = int(time.time())
        return self._logins.use_invitation(self._logins.invite("gm", "p1", now), now)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        try:
            self.process.communicate(timeout=20)
        finally:
            self.process.kill()
            self.process.communicate()
        return self.process.returncode

    def opened(self) -> list[str]:
        """What of the campaign the server has open."""
        found = []
        for held in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with suppress(OSError):
                found.append(os.readlink(held))
        return [name for name in found if name.startswith(str(self.file))]


@pytest.fixture
def served(file: Path, tmp_path: Path) -> Iterator[Server]:
    server = Server(file, tmp_path)
    yield server
    server.end(signal.SIGKILL)


class Client:
    """Somebody who says things, by the forms or by the interface."""

    def __init__(self, server: Server, *, forms: bool) -> None:
        self._server = server
        self._secret = server.visit()
        self._forms = forms
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def note(self, text: str) -> bool:
        """Write a note; whether the server says that it is written."""
        headers = {"Cookie": f"{self._server.cookie}={self._secret}", "Idempotency-Key": text}
        if self._forms:
            sent, kind, way = urlencode({"text": text}), "application/x-www-form-urlencoded", "/say/note"
        else:
            sent, kind, way = json.dumps({"text": text}), "application/json", "/api/v1/say/note"
        own = {**headers, "Content-Type": kind, "Sec-Fetch-Site": "same-origin"}
        self._connection.request("POST", way, body=sent, headers=own)
        answer = self._connection.getresponse()
        answer.read()
        return answer.status == 200

    def get(self, address: str) -> bytes:
        self._connection.request("GET", address, headers={"Cookie": f"{self._server.cookie}={self._secret}"})
        return self._connection.getresponse().read()

    def close(self) -> None:
        self._connection.close()


class Watcher(threading.Thread):
    """Somebody who reads the stream, and comes back by `Last-Event-ID` where it is cut off, also by own doing."""

    def __init__(self, server: Server, after: int, *, cuts: Random | None = None) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._secret = server.visit()
        self._last = after
        self._cuts = cuts
        self.came: list[tuple[int, float]] = []
        self.texts = ""
        self.connections = 0
        self.stop = False

    def run(self) -> None:
        while not self.stop:
            with suppress(OSError):
                self._read()
            time.sleep(0.02)

    def _read(self) -> None:
        with closing(socket.create_connection(("127.0.0.1", self._server.port), timeout=0.5)) as line:
            cookie = f"{self._server.cookie}={self._secret}"
            head = f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nLast-Event-ID: {self._last}\r\n\r\n"
            line.sendall(head.encode())
            self.connections += 1
            until = time.monotonic() + (self._cuts.uniform(0.01, 0.6) if self._cuts else 1000)
            rest = b""
            while not self.stop and time.monotonic() < until:
                try:
                    got = line.recv(65536)
                except TimeoutError:
                    continue
                if not got:
                    return
                *events, rest = (rest + got).split(b"\n\n")
                for event in events:
                    self._note(event.decode())

    def _note(self, event: str) -> None:
        for text in event.splitlines():
            if text.startswith("id: "):
                self._last = int(text[4:].partition("-")[0])
                self.came.append((self._last, time.time()))
                self.texts += event

    def close(self) -> None:
        self.stop = True
        self.join(5)


def actions(file: Path, after: int) -> list[int]:
    """The last entry of each action after an entry."""
    with open_book(str(file)) as book:
        acts = [book.journal.entry(seq).act for seq in range(after + 1, book.head() + 1)]
    numbered = list(enumerate(acts, after + 1))
    return [seq for seq, act in numbered if seq == numbered[-1][0] or acts[seq - after] != act]


def notes(file: Path) -> list[str]:
    with open_book(str(file)) as book:
        entries = (book.entry(seq) for seq in range(1, book.head() + 1))
        return [str((entry.texts or {})["text"]) for entry in entries if entry.type == "note-written"]


def head(file: Path) -> int:
    with open_book(str(file)) as book:
        return book.head()


def wait_for(true: Callable[[], bool], seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.02)


def looks_right(file: Path) -> None:
    for words in ("verify",), ("audit",):
        done = subprocess.run(command(file, *words), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def close(*everybody: Client | Watcher) -> None:
    for each in everybody:
        each.close()


def together(*work: Callable[[], Any]) -> None:
    failed: list[BaseException] = []

    def run(one: Callable[[], Any]) -> None:
        try:
            one()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_terminals_forms_and_programs_write_one_file_and_everybody_sees_each_action_once(
    served: Server, file: Path
) -> None:
    before, until = head(file), time.monotonic() + SECONDS
    written: dict[str, float] = {}
    watchers = [Watcher(served, before) for _ in range(3)]
    watchers += [Watcher(served, before, cuts=Random(seed)) for seed in range(3)]  # noqa: S311  when a stream is cut off
    for watcher in watchers:
        watcher.start()

    def says(name: str, say: Callable[[str], bool], pause: float) -> None:
        number = 0
        while time.monotonic() < until:
            number += 1
            text = f"{name}.{number}"
            if say(text):
                written[text] = time.time()
            time.sleep(pause)

    def type_in(text: str) -> bool:
        return subprocess.run(command(file, "note", text), capture_output=True, check=False).returncode == 0

    clients = [Client(served, forms=number % 2 == 0) for number in range(4)]
    together(
        *(lambda name=f"terminal-{n}": says(name, type_in, 0.05) for n in range(2)),
        *(lambda n=n, one=one: says(f"client-{n}", one.note, 0.15) for n, one in enumerate(clients)),
    )
    wait_for(lambda: all(watcher.came and watcher.came[-1][0] == head(file) for watcher in watchers))
    close(*watchers, *clients)

    assert sorted(notes(file)) == sorted(written)
    assert {text.partition(".")[0] for text in written} == {f"client-{n}" for n in range(4)} | {
        "terminal-0",
        "terminal-1",
    }
    expected = actions(file, before)
    assert len(expected) == len(written)
    assert all([seq for seq, _ in watcher.came] == expected for watcher in watchers)
    assert all(watcher.connections > 5 for watcher in watchers[3:])
    with open_book(str(file)) as book:
        when = {seq: written[(book.entry(seq).texts or {})["text"]] for seq in expected}
    for watcher in watchers:
        late = [came - when[seq] for seq, came in watcher.came]
        assert quantiles(late, n=20)[-1] < MOST_WAITED, sorted(late)[-10:]
    looks_right(file)


def test_with_streams_open_no_descriptor_and_no_lock_is_held_while_nobody_writes(served: Server, file: Path) -> None:
    watchers = [Watcher(served, head(file)) for _ in range(5)]
    for watcher in watchers:
        watcher.start()
    client = Client(served, forms=True)
    assert client.note("It rains.")
    assert b"mara" in client.get("/sheet/mara")
    assert client.get("/then")
    time.sleep(1)
    for _ in range(20):
        assert served.opened() == []
        time.sleep(0.02)
    assert not Path(f"{file}-wal").exists()
    with closing(connect(f"file:{file}?mode=rw", uri=True, timeout=0, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
    wait_for(lambda: all(watcher.came for watcher in watchers))
    assert all(len(watcher.came) == 1 for watcher in watchers)
    close(*watchers, client)


def test_a_busy_file_is_waited_for_and_shown_once_it_is_free(served: Server, file: Path) -> None:
    watcher = Watcher(served, head(file))
    watcher.start()
    client = Client(served, forms=False)
    with closing(connect(f"file:{file}?mode=rw", uri=True, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = threading.Thread(target=client.note, args=("after all",))
        writing.start()
        time.sleep(1)
        other.execute("ROLLBACK")
        writing.join()
    wait_for(lambda: bool(watcher.came))
    assert notes(file) == ["after all"]
    assert [seq for seq, _ in watcher.came] == [head(file)]
    close(watcher, client)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda how: how.name)
def test_a_server_that_is_stopped_while_it_writes_loses_nothing_that_it_reported(
    file: Path, tmp_path: Path, how: signal.Signals
) -> None:
    reported: list[str] = []
    server = Server(file, tmp_path)
    watcher = Watcher(server, head(file))
    watcher.start()
    clients = [Client(server, forms=number == 0) for number in range(3)]

    def writes(number: int, client: Client) -> None:
        with suppress(OSError, http.client.HTTPException):
            for each in range(10_000):
                if not client.note(f"{number}.{each}"):
                    time.sleep(0.1)
                    continue
                reported.append(f"{number}.{each}")

    threads = [threading.Thread(target=writes, args=each) for each in enumerate(clients)]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(reported) > 30)
    server.end(how)
    for thread in threads:
        thread.join(10)
    close(watcher, *clients)
    assert len(reported) > 30
    there = notes(file)
    assert set(reported) <= set(there)
    assert len(there) == len(set(there)) <= len(reported) + len(clients)
    looks_right(file)
    assert not Path(f"{file}-wal").exists()
    again = Server(file, tmp_path)
    try:
        client = Client(again, forms=False)
        assert client.note(reported[-1])
        assert len(notes(file)) == len(there)
        client.close()
    finally:
        again.end()


def test_whoever_comes_as_soon_as_the_link_is_shown_is_let_in_and_small_answers_leave_at_once(served: Server) -> None:
    with closing(socket.create_connection(("127.0.0.1", served.port), timeout=30)):
        client = Client(served, forms=True)
    client.get("/sheet/mara")
    time.sleep(0.1)
    took = []
    for _ in range(40):
        began = time.monotonic()
        client.get("/sheet/mara")
        took.append(time.monotonic() - began)
    close(client)
    assert sorted(took)[10] < 0.03, "the answer waits for what the browser acknowledges late, some 40 ms"
