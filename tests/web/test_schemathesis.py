"""Schemathesis sends requests that fit the description of the interface, and others that do not."""

import subprocess
import sys
from pathlib import Path

import pytest

from at_page import Place, served
from web.people import Role

BEFORE = ("edge check mara --skill 3 --edge --faces 7,3,7", 'note "psst" --only Ana')


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("role", ["gm", "player"])
def test_schemathesis_finds_nothing(shm: Path, role: Role) -> None:
    place = Place(shm, BEFORE)
    token = place.token(role)
    with served(place) as port:
        words = ["run", f"http://127.0.0.1:{port}/api/v1/openapi.json", "--header", f"Authorization: Bearer {token}"]
        # The stream of the feed never ends. It has tests of its own.
        words += ["--exclude-path", "/feed", "--max-examples", "3", "--seed", "1"]
        command = [sys.executable, "-m", "schemathesis.cli", *words]
        done = subprocess.run(command, cwd=shm, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert [each for each in place.logged if each["event"] == "unforeseen"] == []
