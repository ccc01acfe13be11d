"""Two servers of all campaigns of a database: what one writes, the phones at the other see, and one may die."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from at_page import HERE
from ledger.journal.book import open_book
from paths import ROOT
from terminal import PROGRAM, Type

if TYPE_CHECKING:
    from postgres_server import Server


@contextmanager
def serving(address: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`campaign serve --store` in a process of its own: it, and its port."""
    env = {**os.environ, "CAMPAIGN_HOME": str(folder), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    words = [*PROGRAM, "serve", "--store", address, "--port", "0", "--log", str(folder.with_suffix(".log"))]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline().rpartition(":")[2])
    finally:
        process.kill()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def answered(port: int, path: str, cookie: str = "", text: str | None = None) -> Iterator[http.client.HTTPResponse]:
    """The answer to a request; with a text, to a command that sends it."""
    connection = http.client.HTTPConnection(HERE, port, timeout=20)
    headers = {"Cookie": cookie, "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    body = None if text is None else json.dumps({"text": text})
    connection.request("GET" if text is None else "POST", path, body, headers)
    with closing(connection), connection.getresponse() as answer:
        yield answer


def status_of_note(port: int, campaign: str, cookie: str, text: str) -> int:
    with answered(port, f"/c/{campaign}/api/v1/say/note", cookie, text) as answer:
        return answer.status


@pytest.mark.slow
def test_a_phone_sees_what_is_written_at_another_server_and_goes_on_there_when_its_own_dies(
    postgres: "Server", tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    from postgres_server import new_club

    address = new_club(postgres, f"club_{uuid4().hex}")
    monkeypatch.setenv("CAMPAIGN_FILE", address)
    for name in ("salt-road", "deep-mine"):
        assert type_in(f"host create {name} {name} --gm Tom").exit_code == 0
    with serving(address, tmp_path / "one") as (first, one), serving(address, tmp_path / "two") as (_, two):
        cookies = []
        for name in ("salt-road", "deep-mine"):
            link = type_in(f"host invite {name} --at http://{HERE}:{one}").stdout.strip()
            with answered(one, link.partition(str(one))[2], text="") as entered:
                cookies.append(str(entered.getheader("set-cookie")).partition(";")[0])
        road, mine = cookies
        with answered(two, "/c/salt-road/api/v1/feed?after=2", road) as stream:
            for number in range(5):
                assert status_of_note(one, "salt-road", road, f"before {number}") == 200
                assert status_of_note(one, "deep-mine", mine, f"elsewhere {number}") == 200
            first.send_signal(signal.SIGKILL)
            for number in range(5):
                assert status_of_note(two, "salt-road", road, f"after {number}") == 200
            got, ends = "", monotonic() + 20
            while "after 4" not in got and monotonic() < ends:
                got += stream.readline().decode()
    told = [text for text in (f"{when} {each}" for when in ("before", "after") for each in range(5)) if text in got]
    assert len(told) == 10
    assert [got.count(text) for text in told] == [got.count("before 0")] * 10
    assert "elsewhere" not in got
    with open_book(f"{address}&campaign=salt-road") as book:
        assert book.head() == 12


@pytest.mark.slow
def test_a_server_of_many_campaigns_signs_each_with_its_key_in_a_folder(
    postgres: "Server", tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    from postgres_server import new_club

    address = new_club(postgres, f"club_{uuid4().hex}")
    (tmp_path / "keys").mkdir()
    monkeypatch.setenv("CAMPAIGN_KEYS", str(tmp_path / "keys"))
    monkeypatch.setenv("CAMPAIGN_FILE", address)
    with serving(address, tmp_path / "one") as (_, port):
        for name in ("salt-road", "deep-mine"):
            assert type_in(f"host create {name} {name} --gm Tom").exit_code == 0
            link = type_in(f"host invite {name} --at http://{HERE}:{port}").stdout.strip()
            with answered(port, link.partition(str(port))[2], text="") as entered:
                cookie = str(entered.getheader("set-cookie")).partition(";")[0]
            with answered(port, f"/c/{name}/checkpoint", cookie, "") as signed:
                assert "The checkpoint is signed." in signed.read().decode()
