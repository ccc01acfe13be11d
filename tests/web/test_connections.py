"""Connections: who says nothing, half of something, or too much at once is hung up on, and nobody else waits."""

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from time import monotonic, sleep

import pytest

from at_page import COOKIE, HERE, Place, call, served
from certificate import certificate
from web.app import application
from web.guard import SECURITY_HEADERS
from web.site import static_address

SHORT = 0.2
"""Seconds of patience."""


@contextmanager
def line(port: int, said: bytes = b"", source: str = HERE) -> Iterator[socket.socket]:
    """A connection over which this was said."""
    with socket.create_connection((HERE, port), timeout=10, source_address=(source, 0)) as opened:
        opened.sendall(said)
        yield opened


def heard(opened: socket.socket) -> bytes:
    """All that comes until the server hangs up."""
    got = b""
    with suppress(ConnectionResetError):
        while more := opened.recv(1 << 16):
            got += more
    return got


def answer(opened: socket.socket) -> bytes:
    """Read one whole answer; a server may send its head and its body separately."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += opened.recv(1 << 16)
    head, _, body = got.partition(b"\r\n\r\n")
    (length,) = re.findall(rb"content-length: (\d+)", head.lower())
    while len(body) < int(length):
        body += opened.recv(1 << 16)
    return head


def head(method: str, path: str, place: Place, port: int, *more: str) -> bytes:
    own = (f"Host: {HERE}:{port}", f"Cookie: {COOKIE}={place.secrets['player']}", f"Origin: http://{HERE}:{port}")
    return ("\r\n".join((f"{method} {path} HTTP/1.1", *own, *more)) + "\r\n\r\n").encode()


def test_the_body_of_an_answer_does_not_wait_until_the_client_confirms_the_head(place: Place) -> None:
    """A client may confirm only after 40 ms. With Nagle's algorithm, each answer would take this long."""
    waits = []
    with served(place) as port, line(port) as opened:
        for _ in range(40):
            began = monotonic()
            opened.sendall(head("GET", "/nothing", place, port))
            answer(opened)
            waits.append(monotonic() - began)
    assert min(waits[-10:]) < 0.03


def test_who_says_nothing_or_half_a_head_is_hung_up_on(place: Place) -> None:
    with served(place, timeout_seconds=SHORT) as port:
        for said in (b"", b"GET / HTTP/1.1\r\nHost: x"):
            with line(port, said) as opened:
                began = monotonic()
                assert heard(opened) == b""
                assert SHORT / 2 < monotonic() - began < 5


def test_to_say_a_head_a_byte_at_a_time_wins_no_time(place: Place) -> None:
    with served(place, timeout_seconds=SHORT) as port, line(port) as opened:
        began = monotonic()
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while monotonic() - began < 5:
                opened.sendall(b"G")
                sleep(SHORT / 10)


def test_after_an_answer_half_of_another_request_is_hung_up_on_too(place: Place) -> None:
    with served(place, timeout_seconds=SHORT) as port, line(port, head("GET", "/api/v1/status", place, port)) as opened:
        assert answer(opened).startswith(b"HTTP/1.1 200")
        sleep(2 * SHORT)
        opened.sendall(head("GET", "/api/v1/status", place, port))
        assert answer(opened).startswith(b"HTTP/1.1 200"), "the wait begins with the first byte"
        opened.sendall(b"GET / HT")
        assert heard(opened) == b""


def test_half_a_body_is_refused_with_a_sentence(place: Place) -> None:
    place.app = application(place.site, (HERE,), timeout_seconds=SHORT)
    with served(place, timeout_seconds=SHORT) as port:
        kind, before = "Content-Type: application/json", place.head()
        for more in ((kind, "Content-Length: 12"), (kind, "Transfer-Encoding: chunked")):
            for path in ("/api/v1/say/note", "/say/note"):
                with line(port, head("POST", path, place, port, *more) + b'{"te') as opened:
                    answer = heard(opened).decode()
                assert answer.startswith("HTTP/1.1 408 ")
                assert "The request took too long to arrive." in answer
                assert f"content-security-policy: {SECURITY_HEADERS['Content-Security-Policy']}" in answer
        assert place.head() == before
    assert {line["status"] for line in place.logged if line["event"] == "request"} == {408}


def test_a_body_that_nobody_waits_for_is_not_taken_for_ever(place: Place) -> None:
    with served(place, timeout_seconds=SHORT) as port:
        said = head("POST", "/say/note", place, port, "Content-Length: 99999")
        with line(port, said) as opened:
            began = monotonic()
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                while monotonic() - began < 5:
                    opened.sendall(b"x")
                    sleep(SHORT / 10)


def test_who_does_not_read_is_hung_up_on(place: Place) -> None:
    with served(place, timeout_seconds=SHORT / 4) as port, socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.settimeout(10)
        opened.connect((HERE, port))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while True:
                opened.sendall(head("GET", static_address("vendor/htmx-4.0.1.min.js"), place, port) * 100)


def test_a_stream_stays_though_it_says_nothing(place: Place) -> None:
    place.app = application(place.site, (HERE,), timeout_seconds=SHORT)
    with served(place, timeout_seconds=SHORT) as port, line(port, head("GET", "/stream", place, port)) as opened:
        opened.recv(1 << 16)
        sleep(6 * SHORT)
        opened.settimeout(5)
        place.say("player", "note", {"text": "x"})
        got = b""
        while b"id: " not in got:
            got += opened.recv(1 << 16)


def test_beyond_the_limit_of_all_nobody_comes_in_until_others_are_gone(place: Place) -> None:
    with served(place, most=5) as port, ExitStack() as opened:
        lines = [opened.enter_context(line(port)) for _ in range(5)]
        with line(port, head("GET", "/api/v1/status", place, port)) as sixth:
            assert heard(sixth) == b""
        assert [each["client"] for each in place.logged if each["event"] == "full"] == [HERE]
        lines[0].close()
        assert answers(place, port)
    assert len([each for each in place.logged if each["event"] == "full"]) == 1, "it is said once a minute"


def test_one_address_takes_no_place_from_others_and_this_computer_is_as_many_as_come(place: Place) -> None:
    other = "127.0.0.2"
    with served(place, most_per_address=3) as port, ExitStack() as opened:
        for _ in range(3):
            opened.enter_context(line(port, source=other))
        with line(port, head("GET", "/api/v1/status", place, port), source=other) as fourth:
            assert heard(fourth) == b""
        for _ in range(9):
            opened.enter_context(line(port))
        assert answers(place, port)
        with line(port, head("GET", "/api/v1/status", place, port), source="127.0.0.3") as third:
            assert third.recv(99).startswith(b"HTTP/1.1 200")


def test_over_tls_a_silent_connection_is_hung_up_on_too(place: Place) -> None:
    pem, key = certificate(place.folder)
    trusts = ssl.create_default_context(cafile=pem)
    with (
        served(place, pem, key, timeout_seconds=SHORT) as port,
        line(port) as opened,
        trusts.wrap_socket(opened, server_hostname=HERE) as safe,
        suppress(ssl.SSLError, ConnectionResetError),
    ):
        assert safe.recv(1) == b""


def answers(place: Place, port: int) -> bool:
    """Whether somebody is let in within a while."""
    until = monotonic() + 5
    while monotonic() < until:
        try:
            return call(port, "GET", "/api/v1/status", Cookie=f"{COOKIE}={place.secrets['player']}").status == 200
        except OSError:
            sleep(0.05)
    return False
