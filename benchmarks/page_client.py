"""A client of the page, as small as can be: requests over one connection, and streams that note when entries came."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ledger.journal.book import open_book
from web.sessions import LoginFile, Logins, campaign_key
from web.site import login_cookie_name

ID = re.compile(rb"^id: (\d+)-", re.MULTILINE)

EMPTY = """
import socket, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
async def nothing(request):
    return Response()
bound = socket.socket(proto=socket.IPPROTO_TCP)
bound.bind(("127.0.0.1", 0))
bound.listen(2048)
print(f"at http://127.0.0.1:{bound.getsockname()[1]}", flush=True)
config = uvicorn.Config(Starlette(routes=[Route("/", nothing)]), log_config=None, access_log=False, lifespan="off")
uvicorn.Server(config).run(sockets=[bound])
"""
"""The same server with an empty route."""

OK = 200

SOON = 30
"""Seconds in which a server answers, and what was written has come."""


@contextmanager
def running(command: Sequence[str], env: dict[str, str]) -> Iterator[int]:
    """A server that tells its address in its first line; its port."""
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        yield int(server.stdout.readline().rpartition(":")[2])
    finally:
        server.terminate()
        server.communicate()


@contextmanager
def empty(programs: Path) -> Iterator[int]:
    """A server of an empty route; its port."""
    with running([str(programs / "python"), "-c", EMPTY], dict(os.environ)) as port:
        yield port


class Page:
    """A campaign that is served, and everybody who came in."""

    def __init__(self, port: int, file: Path, home: Path) -> None:
        self.port = port
        self._file = file
        with open_book(str(file)) as book:
            self._logins, self._cookie = (
                Logins(LoginFile(str(home), campaign_key(book))),
                login_cookie_name(book),
            )

    def head(self) -> int:
        """The last entry."""
        with open_book(str(self._file)) as book:
            return book.head()

    def visit(self) -> str:
        """A GM's visit, as its cookie."""
        now = int(time.time())
        return f"{self._cookie}={self._logins.use_invitation(self._logins.invite('gm', 'p1', now), now)}"

    def visits(self, many: int) -> list[str]:
        """So many GM's visits, as their cookies: each may ask only so often."""
        return [self.visit() for _ in range(many)]


@contextmanager
def served(programs: Path, file: Path, home: Path) -> Iterator[Page]:
    """A campaign, served by a process of its own."""
    words = [str(programs / "campaign"), "-f", str(file), "serve", "--port", "0", "--log", f"{file}.log"]
    with running(words, {**os.environ, "CAMPAIGN_HOME": str(home), "PYTHONUNBUFFERED": "1"}) as port:
        yield Page(port, file, home)


class Client:
    """Requests over one connection that stays open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=SOON)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def get(self, address: str, *headers: str) -> tuple[int, bytes]:
        """A page: its status, and its body as it was sent."""
        self._socket.sendall(head_of("GET", address, self._port, *headers))
        return self._answer()

    def _answer(self) -> tuple[int, bytes]:
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        while length is not None and len(body) < int(length[1]):
            body += self._more()
        return int(head.split(b" ", 2)[1]), body

    def _more(self) -> bytes:
        got = self._socket.recv(1 << 16)
        if not got:
            raise ConnectionResetError("the server hung up")
        return got


def head_of(method: str, address: str, port: int, *headers: str) -> bytes:
    """The head of a request."""
    lines = (f"{method} {address} HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers)
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Watching(asyncio.Protocol):
    """One open stream: the entries that came, in order, and when."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._rest = b""
        self.came: dict[int, float] = {}
        self.ids: list[int] = []
        self.open = asyncio.Event()
        self.lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Note which entries came."""
        now = time.perf_counter()
        whole, _, self._rest = (self._rest + data).rpartition(b"\n")
        for found in ID.findall(whole):
            self.ids.append(int(found))
            self.came[int(found)] = now
        if b"retry:" in whole:
            self.open.set()

    def connection_lost(self, error: Exception | None) -> None:
        """Note that it ended."""
        self.lost = True

    def close(self) -> None:
        """End it."""
        self._transport.close()


async def watched(port: int, cookies: Sequence[str], many: int, after: int) -> list[Watching]:
    """So many streams, open."""
    loop, streams = asyncio.get_running_loop(), list[Watching]()
    for number in range(many):
        head = head_of("GET", f"/stream?after={after}", port, f"Cookie: {cookies[number % len(cookies)]}")
        _, stream = await loop.create_connection(lambda head=head: Watching(head), "127.0.0.1", port)  # type: ignore[misc]  # bound now
        streams.append(stream)
    for stream in streams:
        await asyncio.wait_for(stream.open.wait(), SOON)
    return streams


async def posted(port: int, cookie: str, address: str, body: bytes) -> tuple[int, bytes]:
    """Say something over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    own = ("Sec-Fetch-Site: same-origin", "Content-Type: application/json", f"Content-Length: {len(body)}")
    writer.write(head_of("POST", address, port, f"Cookie: {cookie}", "Connection: close", *own) + body)
    answer = await reader.read()
    writer.close()
    head, _, got = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), got
