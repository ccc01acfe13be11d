"""Two campaigns that differ in what is secret alone give the players the same bytes, sizes, order and SQL.

That an entry is secret may be seen, and that two are not the same: what is committed to is salted and hashed, and so are
leaves, roots and signatures. These alone are made equal here before the comparison, and the QR code of a signed head.
"""

import http.client
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from at_page import COOKIE, UNHURRIED, Answer, Place, served
from engine import connection_of
from ledger.journal.book import Book, open_book
from web import campaign
from who_may import ASKED, SAID, SAID_AND_TOKENS

LINES = (
    'edge check mara --skill 11 --advantage "high ground" --target {target} --secret --for {deed} --faces 7,6,4',  # 15 16
    "note {kept} --secret",  # 17
    "edge check brak --skill 3 --target 20 --faces {faces} --for {deed} --seal",  # 18
    "edge check mara --skill 3 --target 20 --faces 7,6",  # 19 20
    "dispute 15 --claim dark --player Ana",  # 21
    "byzantine contest duel --acting mara --against brak",  # 22
    "byzantine commit brak duel --energy {energy}",  # 23
    "byzantine task wall --costs {costs}",
    "note first --by Ana",
    "note {kept} --only Ben --about 15",
    "note {kept} --secret --by Ben",
    "checkpoint",
)
ONE = {"target": 5, "kept": "'the guide is a spy'", "faces": "7,6", "energy": 3, "costs": 5, "deed": "lies"}
OTHER = {
    "target": 6,
    "kept": "'the innkeeper is a ghost, and brak knows it'",
    "faces": "1,2",
    "energy": 12,
    "costs": 17,
    "deed": "'climbs the wall in the rain'",
}

NEVER = 10**18
"""Nanoseconds until the server may keep a page: it then reads the file for every page, however slow the test is."""

HASHES = re.compile(rb"[0-9A-Fa-f]{64}|[A-Za-z0-9+/_-]{40,}={0,2}|(?<=[0-9]-)[0-9a-f]{12}\b")
OWN = re.compile(rb'"visit": ?"[0-9a-f]{12}"')  # the asker's own
DRAWN = re.compile(rb'<div class="qr">.*?</div>', re.DOTALL)


def plain(body: bytes) -> bytes:
    """Bytes without what is hashed or signed."""
    return HASHES.sub(b"HASH", DRAWN.sub(b"QR", OWN.sub(b"SESSION", body)))


def typed(secrets: dict[str, object]) -> list[str]:
    return [line.format(**secrets) for line in LINES]


@pytest.fixture
def both(shm: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Place, Place]:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    monkeypatch.setattr("ledger.journal.files.SETTLED_NS", NEVER)
    made = []
    for name, secrets in (("one", ONE), ("other", OTHER)):
        (shm / name).mkdir()
        made.append(Place(shm / name, typed(secrets)))
    assert made[0].head() == made[1].head()
    return made[0], made[1]


@contextmanager
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that SQLite runs for the page, with their values."""
    ran: list[str] = []

    def opened(file: str) -> Book:
        book = open_book(file)
        connection_of(book).set_trace_callback(ran.append)
        return book

    with monkeypatch.context() as patch:
        patch.setattr(campaign, "open_book", opened)
        yield ran


def asked(head: int) -> Sequence[tuple[str, str, dict[str, str] | None]]:
    found = [
        (method, path, dict(form or {}) if method == "POST" else None) for (method, _), (path, _, form) in ASKED.items()
    ]
    found += [("GET", f"/entry/{seq}", None) for seq in range(1, head + 1)]
    found += [("GET", f"/answer/{seq}", None) for seq in range(14, head + 1)]
    found += [("GET", f"/then?at={seq}{more}", None) for seq in range(15, head + 1) for more in ("", "&corrected=true")]
    found += [("GET", f"/api/v1/sheets?at={seq}", None) for seq in range(15, head + 1)]
    found += [
        ("GET", path, None)
        for path in ("/sheet/mara", "/do/brak", "/do/mara/byzantine/commit", "/api/v1/questions?at=19")
    ]
    found += [
        ("GET", f"/why/{who}?score={score}", None)
        for who in ("mara", "brak")
        for score in ("edge", "energy", "cunning")
    ]
    return found


def shows(
    place: Place, who: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[tuple[str, int, int, bytes]], list[str]]:
    """What somebody is answered everywhere, with the sizes, and the SQL of it."""
    answers, ran = [], list[str]()
    for method, path, form in asked(place.head()):
        last = f"id: {place.head()}-".encode() if "stream" in path else b""
        with statements(monkeypatch) as now:
            done = place.ask(who, method, path, form=form, until=last)
        size = 0 if "/trust" in path else len(done.body)
        answers.append((f"{method} {path}", done.status, size, plain(done.body)))
        sql = [plain(each.encode()).decode() for each in now]
        ran += sorted(set(sql)) if "stream" in path else sql  # two threads read for a stream, at any moment
    return answers, ran


@pytest.mark.parametrize("who", ["player", "spectator"])
def test_players_see_the_same_bytes_sizes_order_and_sql_whatever_the_secrets_are(
    both: tuple[Place, Place], who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, ran), (other, ran_there) = (shows(place, who, monkeypatch) for place in both)
    assert len([answer for answer in one if answer[1] == 200]) > 60
    for here, there in zip(one, other, strict=True):
        assert here == there
    assert len(ran) > 1000
    assert ran == ran_there


def test_the_campaigns_do_differ(both: tuple[Place, Place]) -> None:
    stored = [place.file.read_bytes() for place in both]
    for file, spy, ghost in zip(stored, (True, False), (False, True), strict=True):
        assert (b"the guide is a spy" in file, b"the innkeeper is a ghost" in file) == (spy, ghost)
    for place in both:
        assert place.say("gm", "reveal", {"entry": 15}).status == 200
        assert place.say("gm", "reveal", {"entry": 18}).status == 200
    texts = [place.ask("player", "GET", "/then").text for place in both]
    assert texts[0] != texts[1], "what is revealed is shown, so the comparison could have failed"


def test_what_players_may_say_is_answered_alike(both: tuple[Place, Place], monkeypatch: pytest.MonkeyPatch) -> None:
    """What they try, too: a refusal that told a secret from a guess would be an oracle."""
    for command, row in SAID.items():
        if row.before:
            continue
        for who in ("player", "spectator"):
            done = [place.say(who, command, row.own) for place in both]
            assert alike(done), command
            for place in both:
                place.put_back()
    guesses = [("amend", {"entry": 15, "why": "x", "inputs": {"target": guess}}) for guess in (5, 6, 7)]
    guesses += [("amend", {"entry": 18, "why": "x", "faces": faces}) for faces in ([7, 6], [1, 2], [3, 4])]
    guesses += [
        ("decide", {"entry": 21, "choice": "amend", "why": "x", "inputs": {"target": guess}}) for guess in (5, 6)
    ]
    guesses += [
        ("override", {"entry": 15, "verdict": "success", "why": "x"}),
        ("reveal", {"entry": 17}),
        ("void", {"entry": 18, "why": "x"}),
    ]
    guesses += [
        ("undo", {}),
        ("choose", {"entry": 15, "inputs": {"drop": 1}}),
        ("choose", {"entry": 18, "inputs": {"drop": 1}}),
    ]
    for command, body in guesses:
        assert alike([place.say("player", command, body) for place in both]), (command, body)
        assert alike([place.fills_in("player", command, body) for place in both]), (command, body)


def alike(done: Sequence[Answer]) -> bool:
    return (done[0].status, plain(done[0].body)) == (done[1].status, plain(done[1].body))


def test_a_stream_of_a_real_server_brings_the_same_in_the_same_pieces(both: tuple[Place, Place]) -> None:
    brought = []
    for place in both:
        place.put_back()
        with served(place) as port:
            last = f"id: {place.head()}-".encode()
            brought.append(plain(read_stream(port, place.secrets["player"], last)))
    assert brought[0] == brought[1]
    assert brought[0].count(b"\nid: ") > 10


def read_stream(port: int, secret: str, last: bytes) -> bytes:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("GET", "/stream?after=3", headers={"Cookie": f"{COOKIE}={secret}"})
        answer, got = line.getresponse(), b""
        while last not in got or not got.endswith(b"\n\n"):
            got += answer.read1()
        return got
    finally:
        line.close()


def test_every_route_that_a_player_may_ask_is_compared() -> None:
    assert {path for _, path, _ in asked(0)} >= {path for path, _, _ in ASKED.values()}
    assert {("POST", "/say/{command}"), ("GET", "/enter/{token}")} <= SAID_AND_TOKENS


@pytest.mark.parametrize("who", ["player", "spectator"])
def test_the_feed_for_programs_is_the_same_in_both(both: tuple[Place, Place], who: str) -> None:
    until = f"id: {both[0].head()}-".encode()
    told = [plain(place.ask(who, "GET", "/api/v1/feed?after=14", until=until).body) for place in both]
    assert told[0] == told[1]
    assert told[0].count(b"data: ") > 10
