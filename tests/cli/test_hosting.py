"""A person who hosts campaigns of others lists them, creates them and ends them, with the address of the database."""

import os
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from ledger.journal.book import open_book
from table import EVENING
from terminal import Type, rows

if TYPE_CHECKING:
    from postgres_server import Server


@pytest.fixture
def database(postgres: "Server", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a database with one campaign, `first`, which has no entries."""
    from postgres_server import new_club

    monkeypatch.chdir(tmp_path)
    address = new_club(postgres, f"club_{uuid4().hex}")
    monkeypatch.setenv("CAMPAIGN_FILE", address)
    return address


def test_a_host_sees_every_campaign_with_its_number_of_entries(database: str, type_in: Type) -> None:
    assert type_in("host create salt-road 'The salt road' --gm Tom").exit_code == 0
    assert type_in("host").stdout == "first: 0 entries\nsalt-road: 2 entries\n"
    none = {"entries_limit": None, "writes_limit": None, "streams_limit": None}
    assert rows(type_in("host --json").stdout) == [
        {"name": "first", "entries": 0, **none},
        {"name": "salt-road", "entries": 2, **none},
    ]


def test_a_campaign_that_the_host_created_is_played_at_its_address(database: str, type_in: Type) -> None:
    created = type_in("host create salt-road -- '-the salt road'")
    assert created.exit_code == 0, created.output
    road = f"{database}&campaign=salt-road"
    assert f"Your campaign is in {road}." in created.stderr
    assert type_in(["-f", road, "note", "hello"]).exit_code == 0
    assert type_in(["-f", road, "checkpoint"]).exit_code == 0
    assert list((Path(os.environ["CAMPAIGN_HOME"]) / "keys").iterdir())


def test_a_name_in_use_is_refused(database: str, type_in: Type) -> None:
    refused = type_in("host create first 'The salt road'")
    assert refused.exit_code == 3
    assert "Choose a different name after campaign=." in refused.stderr


def test_a_campaign_that_has_ended_can_be_read_and_not_changed(database: str, type_in: Type) -> None:
    type_in("host create salt-road 'The salt road'")
    road = f"{database}&campaign=salt-road"
    assert type_in("host end salt-road").exit_code == 2  # there is no terminal to ask
    assert type_in(["-f", road, "note", "hello"]).exit_code == 0
    ended = type_in("host end salt-road --yes")
    assert ended.stdout == "salt-road has ended. Everybody can still read and export it.\n"
    refused = type_in(["-f", road, "note", "hello"])
    assert "This campaign is read-only. Nothing was written." in refused.stderr
    assert type_in(["-f", road, "verify"]).exit_code == 0
    assert type_in(["-f", road, "export", "out"]).exit_code == 0


def test_a_campaign_is_exported_by_its_name(database: str, type_in: Type, tmp_path: Path) -> None:
    type_in("host create salt-road 'The salt road' --gm Tom")
    type_in(["-f", f"{database}&campaign=salt-road", "note", "--secret", "the mayor is a spy"])
    exported = type_in("host export salt-road")
    assert exported.exit_code == 0, exported.output
    assert "salt-road-export contains 3 entries" in exported.stdout
    assert type_in("host export salt-road for-players --for players").exit_code == 0
    texts = [(tmp_path / folder / "words.jsonl").read_text() for folder in ("salt-road-export", "for-players")]
    assert ["the mayor is a spy" in text for text in texts] == [True, False]


def test_a_campaign_is_moved_by_its_name(database: str, type_in: Type) -> None:
    type_in("host create salt-road 'The salt road' --gm Tom")
    road = f"{database}&campaign=salt-road"
    tried = type_in("host move salt-road salt-road.campaign --dry-run")
    assert "Dry run: nothing was written." in tried.stderr
    moved = type_in("host move salt-road salt-road.campaign")
    assert f"{road} has moved to salt-road.campaign (2 entries)" in moved.stdout
    assert type_in("-f salt-road.campaign note hello").exit_code == 0
    assert "Nothing was written." in type_in(["-f", road, "note", "hello"]).stderr


def test_a_host_sets_limits_and_takes_them_away(database: str, type_in: Type) -> None:
    type_in("host create salt-road 'The salt road'")
    assert type_in("host limit salt-road").stdout.splitlines() == [
        "Entries: 2, no limit",
        "Writes a minute: no limit",
        "Open pages at each server: no limit",
    ]
    assert type_in("host limit salt-road --entries 20000 --writes 120 --streams 40").stdout.splitlines() == [
        "Entries: 2 of 20,000",
        "Writes a minute: 0 of 120",
        "Open pages at each server: at most 40",
    ]
    limits: dict[str, int | None] = {"entries_limit": 20000, "writes_limit": 120, "streams_limit": 40}
    assert rows(type_in("host --json").stdout)[1] == {"name": "salt-road", "entries": 2, **limits}
    assert "Writes a minute: no limit" in type_in("host limit salt-road --entries 0 --writes none").stdout
    limits |= {"entries_limit": None, "writes_limit": None}
    assert rows(type_in("host --json").stdout)[1] == {"name": "salt-road", "entries": 2, **limits}
    assert "You can also type: none." in type_in("host limit salt-road --writes few").stderr
    assert "There is no campaign" in type_in("host limit deep-mine --writes 5").stderr


def test_a_write_beyond_a_limit_ends_with_its_exit_code(database: str, type_in: Type) -> None:
    type_in("host create salt-road 'The salt road'")
    road = f"{database}&campaign=salt-road"
    type_in("host limit salt-road --entries 3 --writes 2")
    assert type_in(["-f", road, "note", "one"]).exit_code == 0
    full = type_in(["-f", road, "note", "two"])
    assert (full.exit_code, "The host allows this campaign 3 entries" in full.stderr) == (3, True)
    assert type_in(["-f", road, "undo"]).exit_code == 0
    type_in("host limit salt-road --entries none")
    often = type_in(["-f", road, "note", "two"])
    assert (often.exit_code, "The host of this campaign allows 2 writes a minute." in often.stderr) == (4, True)


def test_a_database_without_campaigns_says_how_to_create_one(postgres: "Server", database: str, type_in: Type) -> None:
    name = database.partition("@/")[2].partition("?")[0]
    with postgres.connect(database=name) as superuser:
        superuser.execute("DELETE FROM ledger.campaigns")
    assert type_in("host").stderr == "There are no campaigns. To create one: campaign host create NAME TITLE\n"


def test_a_host_must_name_a_database(type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "Which database?" in type_in("host").stderr
    assert "is not the address of a database" in type_in("-f road.campaign host").stderr
    assert "must not name a campaign" in type_in("-f postgresql://host/club?campaign=a host").stderr


def test_a_host_invites_the_gm_of_a_campaign_with_a_link_to_its_page(database: str, type_in: Type) -> None:
    from web.sessions import Logins, login_tables

    type_in("host create 'the deep mine' Mine --gm Tom")
    link = type_in("host invite 'the deep mine' --at https://club.example.org/").stdout.strip()
    address, _, secret = link.rpartition("/enter/")
    assert address == "https://club.example.org/c/the%20deep%20mine"
    road = f"{database}&campaign=the%20deep%20mine"
    with open_book(road) as book:
        invitation = Logins(login_tables("", book, road)).invitation(secret, int(EVENING.timestamp()))
    assert (invitation.role, invitation.seat) == ("gm", "p1")


@pytest.mark.parametrize(
    "at", ["club.example.org", "ftp://club.example.org", "https://", "https://club?x", "http://[", "http://192.0.2.5"]
)
def test_a_link_needs_the_address_of_a_page(database: str, type_in: Type, at: str) -> None:
    type_in("host create salt-road 'The salt road'")
    refused = type_in(["host", "invite", "salt-road", "--at", at])
    assert (refused.exit_code, "is not an address at which a GM can log in" in refused.stderr) == (2, True)


def test_nobody_is_invited_to_a_campaign_that_does_not_exist(database: str, type_in: Type) -> None:
    refused = type_in("host invite nothing --at https://club.example.org")
    assert (refused.exit_code, "There is no campaign" in refused.stderr) == (5, True)
