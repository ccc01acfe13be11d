"""A club: many campaigns in one database, which share the connections of a process."""

import sys
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from ledger.errors import BadInput, DiskRefused, NoCampaign, NotACampaign, ReadOnly
from ledger.events.canonical import canonical_json
from ledger.journal.postgres_club import PostgresClub
from ledger.journal.postgres_session import MOST_IDLE_CONNECTIONS, Address, Session, close_idle
from ledger.journal.records import CampaignHead, StoredEntry
from ledger.journal.store import club_for, engine_for

if TYPE_CHECKING:
    from postgres_server import Server


@pytest.fixture
def club(postgres: "Server") -> PostgresClub:
    """The club at the address of the host, whose login may list the campaigns."""
    from postgres_server import club_address

    return PostgresClub(club_address(postgres))


def database(postgres: "Server", login: str) -> str:
    return Address(postgres.address("any", login)).database


def create(address: str, entries: int) -> None:
    with engine_for(address).creating() as storage, storage.writing():
        for seq in range(1, entries + 1):
            body = canonical_json({"seq": seq, "since": seq, "type": "note-written"})
            storage.entries.append(StoredEntry(seq, body, bytes(32)))


def backends(postgres: "Server") -> int:
    with postgres.connect() as superuser:
        row = superuser.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'campaign'").fetchone()
    assert row is not None
    return int(row[0])


def test_campaigns_of_a_database_share_one_connection(postgres: "Server") -> None:
    addresses = [postgres.address(str(uuid4())) for _ in range(5)]
    close_idle()
    for address in addresses:
        create(address, 1)
    for address in addresses:
        engine_for(address).open().close()
    assert backends(postgres) == 1


def test_a_shared_connection_shows_no_row_of_its_last_campaign(postgres: "Server") -> None:
    address = postgres.address(str(uuid4()))
    create(address, 3)
    close_idle()
    engine_for(address).open().close()
    session = Session.enter(Address(postgres.address(str(uuid4()))))
    try:
        for table in ("campaigns", "entries", "nodes", "commands"):
            assert session.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    finally:
        session.close()


def test_a_session_that_is_closed_twice_gives_back_its_connection_once(postgres: "Server") -> None:
    addresses = [Address(postgres.address(str(uuid4()))) for _ in range(2)]
    closed = Session.enter(addresses[0])
    closed.close()
    closed.close()
    one, other = map(Session.enter, addresses)
    try:
        assert one.connection is not other.connection
    finally:
        one.close()
        other.close()


def test_a_process_closes_the_connections_that_it_has_not_used_for_the_longest_time(postgres: "Server") -> None:
    address = Address(postgres.address("first"))
    close_idle()
    sessions = [Session.enter(address) for _ in range(MOST_IDLE_CONNECTIONS + 2)]
    pids = [session.connection.info.backend_pid for session in sessions]
    for session in sessions:
        session.close()
    again = Session.enter(address)
    assert again.connection.info.backend_pid == pids[-1]
    again.close()
    assert [session.connection.closed for session in sessions] == [True, True, *[False] * MOST_IDLE_CONNECTIONS]
    close_idle()


def test_a_club_lists_all_campaigns_with_their_last_entries(postgres: "Server", club: PostgresClub) -> None:
    names = sorted(str(uuid4()) for _ in range(3))
    for entries, name in enumerate(names):
        create(club.address(name), entries)
    listed = [campaign for campaign in club.campaigns() if campaign.name in names]
    assert listed == [CampaignHead(name, entries) for entries, name in enumerate(names)]


def test_a_login_that_may_not_list_campaigns_is_told_so(postgres: "Server") -> None:
    with pytest.raises(ReadOnly, match="Your database login is not allowed to do this"):
        PostgresClub(database(postgres, "gm")).campaigns()


def test_a_database_without_tables_has_no_list(postgres: "Server") -> None:
    name = f"empty_{uuid4().hex}"
    with postgres.connect() as superuser:
        superuser.execute(f"CREATE DATABASE {name} OWNER owner")
    empty = database(postgres, "gm").replace("/club?", f"/{name}?")
    with pytest.raises(NotACampaign, match="This database has no tables for campaigns"):
        PostgresClub(empty).campaigns()


def test_the_address_of_a_whole_database_names_no_campaign() -> None:
    with pytest.raises(BadInput, match="must not name a campaign") as refused:
        PostgresClub("postgresql://host/club?campaign=road")
    assert "postgresql://host/database" in refused.value.hint


def test_a_campaign_that_has_ended_can_be_read_and_not_changed(postgres: "Server", club: PostgresClub) -> None:
    name = str(uuid4())
    create(club.address(name), 2)
    club.end(name)
    assert club.head(name) == 2
    storage = engine_for(club.address(name)).open()
    try:
        with pytest.raises(DiskRefused, match="This campaign is read-only"), storage.writing():
            raise AssertionError("nobody comes in here")
    finally:
        storage.close()
    with pytest.raises(DiskRefused, match="read-only"):
        club.end(name)


def test_a_campaign_that_is_not_there_cannot_end(club: PostgresClub) -> None:
    with pytest.raises(NoCampaign):
        club.end(str(uuid4()))


@pytest.mark.parametrize("address", ["road.campaign", "mysql://host/club"])
def test_only_a_database_has_a_club(address: str) -> None:
    with pytest.raises(BadInput, match="is not the address of a database"):
        club_for(address)


def test_a_computer_without_the_library_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "ledger.journal.postgres_club")
    for name in [name for name in sys.modules if name.startswith("ledger.journal.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(BadInput, match="needs psycopg, which is not installed here"):
        club_for("postgresql://host/club")
