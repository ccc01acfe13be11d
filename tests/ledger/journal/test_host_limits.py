"""The limits that a host sets for a campaign in a database: entries, writes a minute, and open pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg
import pytest

from ledger.commands.at_table import CloseSession, Note, OpenSession
from ledger.commands.days import NextDay
from ledger.commands.roll import Roll
from ledger.corrections.undoing import Undo, Void
from ledger.errors import CampaignFull, DiskRefused, NoCampaign, ReadOnly, Refused, TooManyWrites
from ledger.events.canonical import canonical_json
from ledger.journal.book import Book, open_book
from ledger.journal.postgres_club import PostgresClub
from ledger.journal.records import CampaignHead, CampaignUse, Limits, StoredEntry
from ledger.journal.store import Journal, engine_for
from ledger.scribe import Request
from table import counting_dice, opened_book, scribe

if TYPE_CHECKING:
    from ledger.journal.postgres import PostgresStorage
    from postgres_server import Server


class Hosted:
    """A campaign with no entries, in a database of a club."""

    def __init__(self, server: "Server", database: str = "club") -> None:
        from postgres_server import club_address

        self.server, self.database, self.name = server, database, str(uuid4())
        self.club = PostgresClub(club_address(server, database))
        self.address = self.club.address(self.name)
        with engine_for(self.address).creating():
            pass

    def limit(self, **changes: int | None) -> None:
        self.club.limit(self.name, changes)

    @contextmanager
    def opened(self) -> "Iterator[PostgresStorage]":
        from ledger.journal.postgres import PostgresStorage

        storage = engine_for(self.address).open()
        assert isinstance(storage, PostgresStorage)
        try:
            yield storage
        finally:
            storage.close()

    def write(self, times: int = 1) -> None:
        """Write an entry, as many times."""
        with self.opened() as storage:
            for _ in range(times):
                with storage.writing():
                    seq = storage.entries.head() + 1
                    body = canonical_json({"seq": seq, "since": seq, "type": "note-written"})
                    storage.entries.append(StoredEntry(seq, body, bytes(32)))

    def wait(self, seconds: int) -> None:
        """Let the campaign be as it would be after this time."""
        with self.server.connect(database=self.database) as superuser:
            superuser.execute(
                "UPDATE ledger.campaigns SET busy_until = busy_until - make_interval(secs => %s) WHERE name = %s",
                (seconds, self.name),
            )


@pytest.fixture
def hosted(postgres: "Server") -> Hosted:
    return Hosted(postgres)


@pytest.fixture
def old(postgres: "Server") -> Hosted:
    """A campaign in a database that an earlier version of the program made."""
    from postgres_server import new_club

    database = f"club_{uuid4().hex}"
    new_club(postgres, database)
    with postgres.connect("owner", database) as owner:
        owner.execute("DROP TABLE ledger.limits; ALTER TABLE ledger.campaigns DROP COLUMN busy_until")
    return Hosted(postgres, database)


# Setting them


def test_a_host_sees_the_limits_of_all_campaigns_and_the_use_of_one(hosted: Hosted) -> None:
    assert hosted.club.use(hosted.name) == CampaignUse(0, 0, Limits())
    hosted.limit(entries=30, writes=60)
    hosted.limit(writes=20, streams=5)
    hosted.write(2)
    listed = {campaign.name: campaign for campaign in hosted.club.campaigns()}
    assert listed[hosted.name] == CampaignHead(hosted.name, 2, Limits(30, 20, 5))
    assert hosted.club.use(hosted.name) == CampaignUse(2, 2, Limits(30, 20, 5))
    assert engine_for(hosted.address).stream_limit() == 5
    hosted.limit(entries=None, writes=None, streams=None)
    hosted.write()
    assert hosted.club.use(hosted.name) == CampaignUse(3, 0, Limits())


def test_a_campaign_that_is_not_there_has_no_limits_to_set(hosted: Hosted) -> None:
    with pytest.raises(NoCampaign):
        hosted.club.limit(str(uuid4()), {"entries": 5})


def test_a_gm_cannot_change_limits_and_reads_only_those_of_the_campaign(hosted: Hosted, postgres: "Server") -> None:
    other = Hosted(postgres)
    for campaign in (hosted, other):
        campaign.limit(entries=30)
    gm = PostgresClub(hosted.club.address("any").partition("&campaign")[0].replace("host@", "gm@"))
    with pytest.raises(ReadOnly, match="Your database login is not allowed to do this"):
        gm.limit(hosted.name, {"entries": 40})
    with hosted.opened() as storage:
        connection = storage._session.connection
        assert connection.execute("SELECT name, entries FROM limits").fetchall() == [(hosted.name, 30)]
        for statement in ("UPDATE limits SET entries = 40", "DELETE FROM limits", "INSERT INTO limits VALUES ('x')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_a_database_of_an_earlier_version_has_no_limits(old: Hosted) -> None:
    with pytest.raises(Refused, match="An earlier version of the program made this database") as refused:
        old.limit(entries=5)
    assert "campaign host move NAME TO" in refused.value.hint
    old.write(3)
    assert old.club.use(old.name) == CampaignUse(3, 0, Limits())
    assert CampaignHead(old.name, 3) in old.club.campaigns()
    assert engine_for(old.address).stream_limit() is None


def test_a_backup_in_place_of_a_campaign_has_the_same_limits(hosted: Hosted) -> None:
    hosted.limit(entries=5)
    hosted.write(2)
    with opened_book() as backup:
        engine_for(hosted.address).replace(backup.journal.storage, "2026-11-20", lambda: None)
        assert hosted.club.use(hosted.name) == CampaignUse(backup.head(), 0, Limits(entries=5))


def test_a_limited_write_needs_no_further_statement(hosted: Hosted, old: Hosted) -> None:
    hosted.limit(entries=30, writes=60, streams=5)
    counts = list[int]()
    for campaign in (hosted, old):
        with opened_book() as source:
            engine_for(campaign.address).replace(source.journal.storage, "2026-11-20", lambda: None)
        with campaign.opened() as storage:
            scribe(Book(Journal(storage))).write(Note(text="x"))
            counts.append(storage._session.statements)
    assert counts[0] == counts[1]


# Writes a minute


def test_a_write_too_many_is_refused_and_the_message_says_when_to_try_again(hosted: Hosted) -> None:
    hosted.limit(writes=2)
    hosted.write(2)
    with pytest.raises(TooManyWrites, match=r"allows 2 writes a minute\. Nothing was written\.") as refused:
        hosted.write()
    assert refused.value.hint in {"Try again in 30 seconds.", "Try again in 29 seconds."}
    assert hosted.club.use(hosted.name) == CampaignUse(2, 2, Limits(writes=2))


def test_a_refused_write_does_not_count(hosted: Hosted) -> None:
    hosted.limit(writes=2)
    hosted.write(2)
    for _ in range(5):
        with pytest.raises(TooManyWrites):
            hosted.write()
    hosted.wait(30)
    hosted.write()
    with pytest.raises(TooManyWrites):
        hosted.write()
    hosted.wait(600)
    hosted.write(2)
    assert hosted.club.head(hosted.name) == 5


@pytest.mark.parametrize("most", [1, 7, 13])
def test_exactly_as_many_writes_as_the_limit_fit_into_a_minute(hosted: Hosted, most: int) -> None:
    hosted.limit(writes=most)
    hosted.write(most)
    hosted.wait(-1)  # even if this took a second
    with pytest.raises(TooManyWrites):
        hosted.write()


def test_a_clock_that_was_wrong_for_a_time_locks_nobody_out(hosted: Hosted) -> None:
    hosted.limit(writes=2)
    hosted.write(2)
    hosted.wait(-(10**9))
    with pytest.raises(TooManyWrites) as refused:
        hosted.write()
    assert "Try again in 30 seconds." in refused.value.hint


def test_a_host_ends_a_campaign_that_has_too_many_writes(hosted: Hosted) -> None:
    hosted.limit(writes=1)
    hosted.write()
    hosted.club.end(hosted.name)
    with pytest.raises(DiskRefused, match="read-only"):
        hosted.write()


# Entries


@contextmanager
def full(hosted: Hosted, spare: int = 0) -> Iterator[Book]:
    """Open a campaign with a session that has as many entries as its host allows, or a few less."""
    with opened_book() as source:
        scribe(source).write(OpenSession(title="The bridge", present=()))
        engine_for(hosted.address).replace(source.journal.storage, "2026-11-20", lambda: None)
    with open_book(hosted.address) as book:
        hosted.limit(entries=book.head() + spare)
        yield book


def test_an_entry_too_many_is_refused_before_the_dice_are_thrown(hosted: Hosted) -> None:
    with full(hosted) as book:
        head, chance = book.head(), counting_dice()
        says = rf"allows this campaign {head} entries\. With this command, it would have {head + 1}\. Nothing was written\."
        with pytest.raises(CampaignFull, match=says) as refused:
            scribe(book, chance=chance).write(Roll(who="mara", notation="d20"))
        assert "Ask the host to allow more." in refused.value.hint
        assert (chance.count, book.head()) == (0, head)
        hosted.limit(entries=head + 1)
        scribe(book, chance=chance).write(Note(text="x"))
        assert book.head() == head + 1


def test_a_line_of_which_only_a_part_fits_is_refused_as_a_whole(hosted: Hosted) -> None:
    with full(hosted, spare=1) as book:
        head = book.head()
        with pytest.raises(CampaignFull, match=f"would have {head + 2}"):
            scribe(book).write_all([Request(command=Note(text="x")), Request(command=Note(text="y"))])
        assert book.head() == head


def test_a_planned_command_is_refused_by_the_number_of_its_entries(hosted: Hosted) -> None:
    with full(hosted, spare=2) as book:
        head = book.head()
        with pytest.raises(CampaignFull, match=f"would have {head + 3}"):
            scribe(book).write(NextDay(count=3))
        scribe(book).write(NextDay(count=2))
        assert book.head() == head + 2


def test_a_full_campaign_can_still_be_corrected_and_its_session_closed(hosted: Hosted) -> None:
    with full(hosted, spare=2) as book:
        for text in ("x", "y"):
            scribe(book).write(Note(text=text))
        scribe(book).write(Undo())
        scribe(book).write(Void(strikes=book.head() - 2, why="not so"))
        scribe(book).write(CloseSession())
        with pytest.raises(CampaignFull):
            scribe(book).write(Note(text="z"))


def test_the_reserve_for_corrections_ends_too(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ledger.journal.store.RESERVED_ENTRIES", 1)
    with full(hosted, spare=2) as book:
        for text in ("x", "y"):
            scribe(book).write(Note(text=text))
        scribe(book).write(Undo())
        with pytest.raises(CampaignFull) as refused:
            scribe(book).write(Undo())
        assert refused.value.hint == "Ask the host to allow more."


def test_a_command_that_was_saved_can_be_repeated_in_a_full_campaign(hosted: Hosted) -> None:
    with full(hosted, spare=1) as book:
        first = scribe(book).write(Note(text="x"), once="a")
        again = scribe(book).write(Note(text="x"), once="a")
        assert (again.again, again.entries) == (True, first.entries)


def test_a_dry_run_works_in_a_full_campaign_and_takes_no_lock(hosted: Hosted) -> None:
    with full(hosted) as book:
        with pytest.raises(CampaignFull):
            scribe(book).write(Note(text="x"))
        assert scribe(book).write(Note(text="x"), dry=True).entries
