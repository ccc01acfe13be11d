"""A proxy between our program and a PostgreSQL server, which cuts a connection at any message of the protocol."""

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class Proxy:
    """Passes messages on, both ways. After `arm(5)`, the fifth message is not passed on: both sides are cut off."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.left = 0
        self.was_cut = False
        Thread(target=self._accept, daemon=True).start()

    def arm(self, message: int) -> None:
        self.left, self.was_cut = message, False

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._server_port)) as server, suppress(OSError):
            for each in (client, server):  # each message is sent at once
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            unread = {client: b"", server: b""}
            started = {client: False, server: True}  # the first message of a client has no letter
            while True:
                for side in select.select([client, server], [], [])[0]:
                    other = server if side is client else client
                    data = side.recv(65536)
                    if not data:
                        return
                    unread[side] += data
                    while message := _first_message(unread[side], has_letter=started[side]):
                        started[side] = True
                        unread[side] = unread[side][len(message) :]
                        if self._cuts():
                            return
                        other.sendall(message)

    def _cuts(self) -> bool:
        if self.left == 0:
            return False
        self.left -= 1
        self.was_cut = self.left == 0
        return self.was_cut


def _first_message(data: bytes, *, has_letter: bool) -> bytes:
    start = 1 if has_letter else 0
    if len(data) < start + 4:
        return b""
    length = start + int.from_bytes(data[start : start + 4], "big")
    return data[:length] if len(data) >= length else b""


@contextmanager
def cutting_proxy(server_port: int) -> Iterator[Proxy]:
    proxy = Proxy(server_port)
    try:
        yield proxy
    finally:
        proxy.close()
