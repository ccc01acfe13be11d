"""The insides of uvicorn that `web/connections.py` and `web/serve.py` use, and that a new version may change.

If a test here fails after an update, read uvicorn's changes and mend `web/connections.py` first.
"""

import asyncio
import inspect
from unittest.mock import Mock

import h11
import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

METHODS = {
    "connection_made": ["self", "transport"],
    "data_received": ["self", "data"],
    "send_400_response": ["self", "msg"],
    "pause_writing": ["self"],
    "resume_writing": ["self"],
    "connection_lost": ["self", "exc"],
}


@pytest.mark.parametrize("name", METHODS)
def test_a_connection_of_uvicorn_has_the_methods_that_ours_replaces(name: str) -> None:
    assert [*inspect.signature(getattr(H11Protocol, name)).parameters] == METHODS[name]


def test_a_connection_of_uvicorn_has_the_fields_that_ours_reads() -> None:
    async def connected() -> H11Protocol:
        config = uvicorn.Config(Mock(), http=H11Protocol, ws="none", lifespan="off", log_config=None)
        config.load()
        protocol = H11Protocol(config, ServerState(), {})
        peer = {"peername": ("192.0.2.7", 4711)}
        transport = Mock(get_extra_info=lambda name, default=None: peer.get(name, default))
        protocol.connection_made(transport)
        assert protocol.transport is transport
        protocol.timeout_keep_alive_task = None
        return protocol

    protocol = asyncio.run(connected())
    assert protocol.client == ("192.0.2.7", 4711)
    assert protocol.connections == {protocol}
    assert isinstance(protocol.conn, h11.Connection)
    assert protocol.conn.their_state is h11.IDLE
    assert isinstance(protocol.loop, asyncio.AbstractEventLoop)


def test_uvicorn_calls_400_when_a_request_is_not_http() -> None:
    source = inspect.getsource(H11Protocol)
    assert source.count("self.send_400_response(") == 1


def test_a_server_of_uvicorn_starts_and_stops_by_the_methods_that_ours_replaces() -> None:
    for name in ("startup", "shutdown"):
        method = getattr(uvicorn.Server, name)
        assert inspect.iscoroutinefunction(method)
        assert [*inspect.signature(method).parameters] == ["self", "sockets"]


def test_uvicorn_takes_the_settings_that_we_set() -> None:
    ours = {"http", "ws", "lifespan", "log_config", "access_log", "server_header"}
    limits = {"timeout_graceful_shutdown", "timeout_keep_alive", "backlog", "ssl_certfile", "ssl_keyfile"}
    assert ours | limits <= inspect.signature(uvicorn.Config).parameters.keys()
