"""Connections: how many may be open, and how long one may stay that says nothing, or half of something."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from time import monotonic
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from web.guard import BODY_SECONDS, Log

MOST_OF_ONE = 100
"""So many connections of one address are open, unless it is that of this computer, where a proxy may be."""

EXEMPT = "127.0.0.1"

AT_ONCE = 20
"""So many connections are taken at a time; a few times as many are open before those that are too many are closed."""

PARTS, UNREAD = {h11.IDLE: 1, h11.SEND_BODY: 2}, 4
"""How many times the patience a head may take, a body (the guard refuses it before), and an answer to be read."""

FULL_AGAIN = 60
"""Seconds after which the log says again that connections are turned away."""


class Config(uvicorn.Config):
    """The server's settings; `most` connections may be open at once, and `patience` is in seconds."""

    def __init__(
        self,
        app: ASGIApp,
        log: Log,
        *,
        most: int,
        of_one: int = MOST_OF_ONE,
        patience: float = BODY_SECONDS,
        **how: Any,
    ) -> None:
        super().__init__(
            app,
            http=Connection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            timeout_keep_alive=30,
            backlog=AT_ONCE,
            **how,
        )
        self.most = most
        self.of_one = of_one
        self.patience = patience
        self._log = log
        self._told = -float(FULL_AGAIN)

    def turned_away(self, client: str) -> None:
        """Log that there are too many connections, from one address or in total; at most once a minute."""
        if monotonic() - self._told >= FULL_AGAIN:
            self._told = monotonic()
            self._log("full", client=client)

    def malformed(self, client: str) -> None:
        """Log that somebody sent invalid HTTP."""
        self._log("malformed", client=client)


class Connection(H11Protocol):
    """A connection. The server closes it if there are too many, or if it is too slow."""

    config: Config

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for a request, or hang up."""
        super().connection_made(transport)
        self._part: object = h11.IDLE
        self._late = self._unread = self._hang_up_after(PARTS[h11.IDLE])
        transport.set_write_buffer_limits(high=1, low=0)  # so that `pause_writing` tells of anything unread
        too_many = (
            self._client != EXEMPT and sum(self._is_of_same(each) for each in self.connections) > self.config.of_one
        )
        if too_many or len(self.connections) > self.config.most:
            self.config.turned_away(self._client)
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Wait for what comes next, once a part of a request is whole."""
        super().data_received(data)
        if self.conn.their_state is not self._part:
            self._part = self.conn.their_state
            self._late.cancel()
            if self._part in PARTS:
                self._late = self._hang_up_after(PARTS[self._part])

    def send_400_response(self, msg: str) -> None:
        """Refuse invalid HTTP, and log who sent it."""
        self.config.malformed(self._client)
        super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Wait for who does not read."""
        super().pause_writing()
        self._unread = self._hang_up_after(UNREAD)

    def resume_writing(self) -> None:
        """Wait no more: everything was read."""
        super().resume_writing()
        self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._late.cancel()
        self._unread.cancel()

    @property
    def _client(self) -> str:
        return self.client[0] if self.client else ""

    def _is_of_same(self, other: object) -> bool:
        return isinstance(other, Connection) and other._client == self._client

    def _hang_up_after(self, times: int) -> TimerHandle:
        return self.loop.call_later(times * self.config.patience, self.transport.abort)
