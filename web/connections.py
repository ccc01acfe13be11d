"""Limits for connections: how many may be open, and how long a client may take to send a request or read an answer."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from socket import IPPROTO_TCP, TCP_NODELAY
from time import monotonic
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from web.guard import REQUEST_SECONDS, Log

MOST_PER_ADDRESS = 100
"""The maximum number of open connections per IP address. `EXEMPT_ADDRESS` has no limit: a proxy may use it."""

EXEMPT_ADDRESS = "127.0.0.1"

CONNECTIONS_ACCEPTED_AT_ONCE = 20
"""The number of connections that the server accepts in one step, and by which it may briefly exceed the limits."""

READ_LIMITS, UNREAD_LIMIT = {h11.IDLE: 1, h11.SEND_BODY: 2}, 4  # the guard refuses a slow body earlier
"""The limits for a request's head, its body, and the reading of an answer, as multiples of `timeout_seconds`."""

LOG_PAUSE_SECONDS = 60
"""The minimum number of seconds between two log lines about too many connections."""


class Config(uvicorn.Config):
    """The settings of the server: at most `most` open connections, and `most_per_address` from one IP address.

    `timeout_seconds` is the unit of `READ_LIMITS` and `UNREAD_LIMIT`.
    """

    def __init__(
        self,
        app: ASGIApp,
        log: Log,
        *,
        most: int,
        most_per_address: int = MOST_PER_ADDRESS,
        timeout_seconds: float = REQUEST_SECONDS,
        **options: Any,
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
            backlog=CONNECTIONS_ACCEPTED_AT_ONCE,
            **options,
        )
        self.most = most
        self.most_per_address = most_per_address
        self.timeout_seconds = timeout_seconds
        self.log = log
        self._logged_at = -float(LOG_PAUSE_SECONDS)

    def log_too_many(self, client: str) -> None:
        """Log at most once a minute that there are too many connections."""
        if monotonic() - self._logged_at >= LOG_PAUSE_SECONDS:
            self._logged_at = monotonic()
            self.log("full", client=client)


class Connection(H11Protocol):
    """A connection. The server closes it if there are too many or if the client is too slow."""

    config: Config

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # uvicorn does the same
        """Start the time limit for a request, or close the connection if there are too many."""
        super().connection_made(transport)
        if (client := transport.get_extra_info("socket")) is not None:
            client.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # asyncio does this only for its own sockets
        self._part: object = h11.IDLE
        self._late = self._unread = self._close_after(READ_LIMITS[h11.IDLE])
        transport.set_write_buffer_limits(high=1, low=0)  # so that any unread data calls `pause_writing`
        if len(self.connections) > self.config.most or self._has_too_many():
            self.config.log_too_many(self._client)
            transport.abort()

    def _has_too_many(self) -> bool:
        """Return True if too many connections are open from this address."""
        if self._client == EXEMPT_ADDRESS:  # there may be thousands, so they are not even counted
            return False
        same = [each for each in self.connections if isinstance(each, Connection) and each._client == self._client]
        return len(same) > self.config.most_per_address

    def data_received(self, data: bytes) -> None:
        """Read data. When the head or the body of a request is complete, start the next time limit."""
        super().data_received(data)
        if self.conn.their_state is not self._part:
            self._part = self.conn.their_state
            self._late.cancel()
            if self._part in READ_LIMITS:
                self._late = self._close_after(READ_LIMITS[self._part])

    def send_400_response(self, msg: str) -> None:
        """Refuse invalid HTTP, and log the client."""
        self.config.log("malformed", client=self._client)
        super().send_400_response(msg)

    def pause_writing(self) -> None:
        """Start the time limit for reading an answer, because some data is still unread."""
        super().pause_writing()
        self._unread = self._close_after(UNREAD_LIMIT)

    def resume_writing(self) -> None:
        """Stop the time limit for reading an answer, because the client has read everything."""
        super().resume_writing()
        self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all time limits."""
        super().connection_lost(exc)
        self._late.cancel()
        self._unread.cancel()

    @property
    def _client(self) -> str:
        return self.client[0] if self.client else ""

    def _close_after(self, times: int) -> TimerHandle:
        return self.loop.call_later(times * self.config.timeout_seconds, self.transport.abort)
