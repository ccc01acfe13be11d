"""The page on a phone's home screen: its name, its icons, and the files that the phone keeps."""

import json
import re
from pathlib import Path

import pytest

from at_page import Place

pytestmark = pytest.mark.usefixtures("unhurried")


@pytest.fixture
def place(shm: Path) -> Place:
    return Place(shm)


def test_the_manifest_has_the_campaigns_title_and_icons_that_exist(place: Place) -> None:
    assert 'rel="manifest" href="manifest.webmanifest"' in place.ask("player", "GET", "/").text
    told = place.ask("player", "GET", "/manifest.webmanifest")
    assert told.headers["content-type"] == "application/manifest+json"
    assert told.told["name"] == "The salt road"
    for icon in told.told["icons"]:
        image = place.ask("player", "GET", f"/{icon['src']}").body
        width, height = int.from_bytes(image[16:20]), int.from_bytes(image[20:24])
        assert (image[1:4], f"{width}x{height}") == (b"PNG", icon["sizes"])


def test_a_phone_keeps_only_files_that_say_nothing_about_the_campaign(place: Place) -> None:
    worker = place.ask("nobody", "GET", "/worker.js")
    assert worker.headers["content-type"].startswith("text/javascript")
    kept = json.loads(re.search(r"const files = (.+);", worker.text)[1])  # type: ignore[index]  # None fails, too
    assert [path.split("?")[0] for path in kept] == ["offline.html", "static/page.css", "static/icon.svg"]
    assert all(place.ask("nobody", "GET", f"/{path}").status == 200 for path in kept)
    assert "The table cannot be reached" in place.ask("nobody", "GET", f"/{kept[0]}").text
