"""The logins of a campaign in a database: all servers of the campaign share them, and no other campaign sees them."""

from threading import Thread, current_thread
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from ledger.errors import LedgerError, Refused
from ledger.journal.book import open_book
from ledger.journal.store import engine_for
from terminal import Type
from web.problems import NotEntered, NotInvited
from web.sessions import VISIT_SECONDS, Logins

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from at_page import Place
    from ledger.journal.storage import RunSql
    from postgres_server import Server


def address_of(postgres: "Server") -> str:
    address = postgres.address(str(uuid4()))
    with engine_for(address).creating():
        pass
    return address


def logins_at(address: str) -> Logins:
    tables = engine_for(address).login_tables()
    assert tables is not None
    return Logins(tables)


@pytest.fixture
def servers(postgres: "Server") -> tuple[Logins, Logins]:
    """The logins of one campaign, as two servers have them."""
    address = address_of(postgres)
    return logins_at(address), logins_at(address)


def test_a_login_at_one_server_is_a_login_at_the_other(servers: tuple[Logins, Logins]) -> None:
    one, two = servers
    visit = one.use_invitation(two.invite("player", "p2", 5), 5, "a phone")
    assert two.person(visit, 6).seat == one.person(visit, 6).seat == "p2"
    assert [visit.device for visit in two.visits(6)] == ["a phone"]


def test_an_invitation_is_used_at_only_one_server(servers: tuple[Logins, Logins]) -> None:
    one, two = servers
    secret = one.invite("player", "p2", 5)
    assert two.invitation(secret, 6).seat == "p2"
    one.use_invitation(secret, 6)
    with pytest.raises(NotInvited):
        two.use_invitation(secret, 6)
    with pytest.raises(NotInvited):
        two.invitation(secret, 6)


def test_a_login_that_one_server_ended_ends_at_the_other(
    servers: tuple[Logins, Logins], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = servers
    monkeypatch.setattr("ledger.journal.postgres_logins.CACHE_SECONDS", 0)
    visit = one.use_invitation(one.invite("player", "p2", 5), 5)
    assert two.person(visit, 6).seat == "p2"
    assert one.end(one.visits(6)[0].name)
    with pytest.raises(NotEntered):
        two.person(visit, 6)


def test_a_login_ends_after_its_time(servers: tuple[Logins, Logins]) -> None:
    one, two = servers
    visit = one.use_invitation(one.invite("player", "p2", 5), 5)
    with pytest.raises(NotEntered):
        two.person(visit, 5 + VISIT_SECONDS)
    one.invite("player", "p2", 5 + VISIT_SECONDS)
    assert two.visits(0) == []


def test_a_token_works_at_every_server_until_somebody_ends_it(servers: tuple[Logins, Logins]) -> None:
    one, two = servers
    secret = one.make_token("dice-bot", "player", "p2", 5, bytes(32))
    assert two.person(secret, 10**12).seat == "p2"
    assert two.is_login_secret(secret)
    with pytest.raises(Refused, match="exists already"):
        two.make_token("dice-bot", "player", "p2", 5, b"x" * 32)
    assert two.end(one.tokens()[0].name)
    assert (one.tokens(), two.end("nothing")) == ([], False)


def test_no_campaign_sees_the_logins_of_another(postgres: "Server", servers: tuple[Logins, Logins]) -> None:
    one, other = servers[0], logins_at(address_of(postgres))
    secret = one.invite("gm", "p1", 5)
    visit = one.use_invitation(one.invite("gm", "p1", 5), 5)
    token = one.make_token("dice-bot", "gm", "p1", 5, b"o" * 32)
    for unknown in (visit, token):
        with pytest.raises(NotEntered):
            other.person(unknown, 6)
    with pytest.raises(NotInvited):
        other.use_invitation(secret, 6)
    names = (
        [row.name for row in one.visits(6)],
        [row.name for row in one.tokens()],
        [row.name for row in one.invitations(6)],
    )
    assert [other.end(name) for (name,) in names] == [False] * 3
    other._campaign = one._campaign  # even if the program mistakes the campaign
    assert (other.visits(6), other.tokens(), other.invitations(6)) == ([], [], [])
    with pytest.raises(LedgerError):
        other.invite("gm", "p1", 6)


def test_the_database_has_only_hashes_of_the_secrets(postgres: "Server", servers: tuple[Logins, Logins]) -> None:
    secret = servers[0].invite("gm", "p1", 5)
    with postgres.connect() as superuser:
        stored = str(superuser.execute("SELECT * FROM ledger.invitations").fetchall())
    assert secret not in stored


def test_logins_are_no_part_of_the_campaign(postgres: "Server") -> None:
    address = address_of(postgres)
    with open_book(address) as book:
        before = book.journal.storage.digests([0])
        logins_at(address).invite("gm", "p1", 5)
        assert book.journal.storage.digests([0]) == before
        assert book.journal.storage.foreign_names() == []
        assert book.journal.storage.check_guards() == ""


def test_requests_wait_for_a_slow_database_in_a_thread_so_that_it_does_not_stop_the_page(
    place: "Place", monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, reading = list[Thread](), place.logins._tables.reading

    def record() -> "AbstractContextManager[RunSql]":
        threads.append(current_thread())
        return reading()

    monkeypatch.setattr(place.logins._tables, "reading", record)
    place.logins._forget_cache()
    assert place.ask("player", "GET", "/").status == 200
    assert threads
    assert current_thread() not in threads


def test_a_database_of_an_earlier_version_has_no_logins(postgres: "Server") -> None:
    from postgres_server import new_club

    name = f"club_{uuid4().hex}"
    new_club(postgres, name)
    with postgres.connect("owner", name) as owner:
        owner.execute("DROP TABLE ledger.visits")
    assert engine_for(postgres.address("first").replace("@/club?", f"@/{name}?")).login_tables() is None


def test_the_terminal_makes_lists_and_ends_tokens_in_the_database(
    postgres: "Server", type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres.address(str(uuid4()))
    monkeypatch.setenv("CAMPAIGN_FILE", address)
    type_in("init Road --gm Tom")
    assert "There are no tokens." in type_in("token").stderr
    secret = type_in("token add dice-bot").stdout.strip()
    assert logins_at(address).person(secret, 10**12).role == "spectator"
    assert type_in("token").stdout.startswith("dice-bot: a spectator")
    assert type_in("token end dice-bot").exit_code == 0
    with pytest.raises(NotEntered):
        logins_at(address).person(secret, 10**12)
