"""The parts that only PostgreSQL has: addresses, roles, the isolation of campaigns, locks, and its errors."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import sleep
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from ledger.errors import (
    BadInput,
    Busy,
    Damaged,
    DiskRefused,
    LedgerError,
    NewerCampaign,
    NoCampaign,
    NotACampaign,
    NotGuarded,
    NotWhole,
    OtherCampaign,
    ReadOnly,
    TablesDiffer,
    Taken,
    Unreadable,
    WriteFailed,
)
from ledger.events.canonical import canonical_json
from ledger.events.rows import MarkRow, PostingRow
from ledger.journal import postgres_ahead, postgres_tables
from ledger.journal.records import StoredEntry, StoredNode, StoredWord
from ledger.journal.store import engine_for, memory_journal
from paths import ROOT

if TYPE_CHECKING:
    from ledger.journal.postgres import PostgresStorage
    from postgres_server import Server


LOCK_WAITS = "SELECT EXISTS (SELECT FROM pg_locks WHERE $1 <> '' AND NOT granted)"


def entry(seq: int) -> StoredEntry:
    return StoredEntry(seq, canonical_json({"seq": seq, "since": seq, "type": "note-written"}), seq.to_bytes(32, "big"))


@pytest.fixture
def address(postgres: "Server") -> str:
    """The address of a campaign with two entries and a text."""
    address = postgres.address(str(uuid4()))
    with engine_for(address).creating() as storage, storage.writing():
        for seq in (1, 2):
            storage.entries.append(entry(seq))
        storage.words.keep(StoredWord(1, "text", bytes(32), "a plan"))
    return address


@contextmanager
def opened(address: str) -> "Iterator[PostgresStorage]":
    from ledger.journal.postgres import PostgresStorage

    storage = engine_for(address).open()
    assert isinstance(storage, PostgresStorage)
    try:
        yield storage
    finally:
        storage.close()


def heads(address: str) -> int:
    with opened(address) as storage:
        return storage.entries.head()


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://tom:hunter2@host/club?campaign=road",
        "postgresql://tom@host/club?campaign=road&password=hunter2",
        "postgres://tom@host/club?campaign=road&sslpassword=hunter2",
        "postgresql://tom:%68unter2@host/club?campaign=road",
        "postgresql://tom@host/club?campaign=road&oauth_client_secret=hunter2",
    ],
)
def test_a_password_in_an_address_is_refused_and_never_shown(address: str) -> None:
    with pytest.raises(BadInput, match="must not contain a password") as refused:
        engine_for(address)
    assert "unter2" not in refused.value.sentence + refused.value.hint


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://host/club",
        "postgresql://host/club?campaign=",
        "postgresql://host/club?campaign=a&campaign=b",
        "postgresql://host/club?campaign=a%0Ab",
        "postgresql://host/club?campaign=a&unheard=of",
        "postgresql://tom:hunter2@[host/club?campaign=a",
        "postgresql://tom:hunter2@ho\udcffst/club?campaign=a",
        f"postgresql://host/club?campaign={'é' * 128}",
    ],
)
def test_an_address_that_names_no_campaign_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(BadInput) as refused:
        engine_for(address)
    assert "postgresql://host/database?campaign=salt-road" in refused.value.hint
    assert "hunter2" not in refused.value.sentence


def test_a_plus_in_an_address_is_a_plus_as_in_programs_of_postgresql() -> None:
    address = "postgresql://host/club?passfile=a+b&campaign=salt+road"
    engine = engine_for(address)
    assert (engine.name(), engine.canonical()) == ("salt+road", address.replace("+", "%2B"))


def test_a_setting_that_the_library_cannot_read_is_refused_with_an_example() -> None:
    with pytest.raises(BadInput, match="not a valid address") as refused:
        engine_for("postgresql://host/club?campaign=a&connect_timeout=soon").exists()
    assert "campaign=salt-road" in refused.value.hint


def test_a_server_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from ledger.journal.postgres_session import Address

    asked, connect = list[bool](), Address.connect

    def counted(address: Address, *, as_program: bool = True) -> object:
        asked.append(as_program)
        return connect(address, as_program=as_program)

    monkeypatch.setattr(Address, "connect", counted)
    with pytest.raises(Unreadable, match="Connection refused"):
        engine_for("postgresql://127.0.0.1:1/club?campaign=a").exists()
    assert asked == [True]


def test_two_addresses_lead_to_the_same_campaign_whatever_their_other_parts() -> None:
    engine = engine_for("postgresql://one,two/club?campaign=road")
    assert engine.owns("postgres://ana@one,two/club?connect_timeout=3&campaign=road")
    for other in ("postgresql://one/club?campaign=road", "postgresql://one,two/club?campaign=sea", "road"):
        assert not engine.owns(other)


def test_a_campaign_is_open_at_its_address_once_it_is_made(postgres: "Server") -> None:
    engine = engine_for(postgres.address(str(uuid4())))
    with engine.creating() as storage:
        assert storage.address() is None
    storage = engine.open()
    assert storage.address() == engine.canonical() == engine.resolved()
    storage.close()
    engine.let_others_read()  # the database decides
    assert not engine.read_by_others()
    with pytest.raises(NoCampaign):
        engine.nearest()


def test_a_campaign_s_name_may_have_any_printable_letters(postgres: "Server") -> None:
    name = f'Zoë\'s \\ 100% "{uuid4()}" 🎲 & co'
    engine = engine_for(postgres.address(name))
    with engine.creating():
        pass
    assert (engine.exists(), engine.name(), engine_for(engine.canonical()).exists()) == (True, name, True)
    assert not engine_for(postgres.address(f"{name} ")).exists()


def test_without_its_libraries_the_program_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("psycopg", "ledger.journal.postgres"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadInput, match="psycopg, which is not installed") as refused:
        engine_for("postgresql://host/club?campaign=road")
    assert "[all]" in refused.value.hint


# Roles and isolation


REFUSED_STATEMENTS = (
    "UPDATE entries SET body = body",
    "DELETE FROM entries",
    "TRUNCATE entries",
    "DELETE FROM words",
    "DELETE FROM postings",
    "DELETE FROM marks",
    "DELETE FROM nodes",
    "DELETE FROM campaigns",
    "DELETE FROM commands",
    "DROP TABLE words",
    "ALTER TABLE entries DISABLE TRIGGER ALL",
)


@pytest.mark.parametrize("role", ["ledger_program", "ledger_eraser", "ledger_rebuilder"])
@pytest.mark.parametrize("statement", REFUSED_STATEMENTS)
def test_no_role_of_the_program_may_do_what_is_not_its_own(address: str, statement: str, role: str) -> None:
    own = {"ledger_eraser": ("words",), "ledger_rebuilder": ("postings", "marks", "nodes")}.get(role, ())
    if statement.startswith("DELETE") and statement.rsplit(maxsplit=1)[-1] in own:
        return
    with opened(address) as storage:
        storage._session.command(f"SET ROLE {role}")
        with pytest.raises(ReadOnly, match="not allowed"):
            storage._session.command(statement)
        storage._session.connection.close()
    assert heads(address) == 2


@pytest.mark.parametrize("statement", REFUSED_STATEMENTS[:3])
def test_even_a_superuser_changes_no_entry_by_mistake(postgres: "Server", address: str, statement: str) -> None:
    import psycopg

    with postgres.connect() as superuser, pytest.raises(psycopg.errors.IntegrityError, match="never changed"):
        superuser.execute(f"SET search_path = ledger; {statement}")
    assert heads(address) == 2


def test_an_entry_that_is_not_the_next_is_refused(address: str) -> None:
    import psycopg

    wrong = StoredEntry(3, entry(4).body, bytes(32))
    for each in (entry(1), entry(2), entry(4), wrong):
        with opened(address) as storage, pytest.raises(psycopg.errors.IntegrityError), storage.writing():
            storage.entries.append(each)
    assert heads(address) == 2


def test_a_connection_sees_the_rows_of_its_own_campaign_whatever_it_asks_for(postgres: "Server", address: str) -> None:
    with opened(address) as storage:
        assert len(storage._session.command("SELECT * FROM campaigns").fetchall()) == 1
        for table, rows in (("entries", 2), ("words", 1), ("commands", 1)):
            assert len(storage._session.command(f"SELECT * FROM {table}").fetchall()) == rows
        with pytest.raises(ReadOnly):
            sql = "INSERT INTO words VALUES (gen_random_uuid(), 1, 'why', decode(repeat('00', 32), 'hex'), 'x')"
            storage._session.command(sql)


def test_the_overview_reads_the_names_and_heads_of_all_campaigns_and_nothing_else(
    postgres: "Server", address: str
) -> None:
    import psycopg

    with postgres.connect() as superuser:
        superuser.execute("SET ROLE ledger_overview")
        found: dict[str, int] = dict(superuser.execute("SELECT name, head FROM ledger.campaigns").fetchall())
        assert (found[engine_for(address).name()], found["first"]) == (2, 0)
        for statement in ("SELECT version FROM ledger.campaigns", "SELECT seq FROM ledger.entries"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                superuser.execute(statement)


# Locks


def impatient(storage: "PostgresStorage") -> "PostgresStorage":
    """Wait 50 ms for a lock instead of five seconds."""
    storage._session.command("SET lock_timeout = '50ms'")
    return storage


def test_writers_of_one_campaign_wait_for_each_other_and_those_of_others_do_not(
    postgres: "Server", address: str
) -> None:
    other = postgres.address(str(uuid4()))
    with engine_for(other).creating():
        pass
    with opened(address) as one, opened(address) as two, opened(other) as apart, one.writing():
        one.entries.append(entry(3))
        with pytest.raises(Busy, match="Nothing was written"), impatient(two).writing():
            raise AssertionError("nobody comes in here")
        assert two.entries.head() == 2
        with impatient(apart).writing():
            apart.entries.append(entry(1))
    assert (heads(address), heads(other)) == (3, 1)


def test_a_writer_that_waited_sees_the_signed_head_that_it_waited_for(address: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def wait_and_read() -> tuple[int, str | None]:
        with opened(address) as other, other.writing():
            return other.entries.head(), other.checkpoints.get(other.entries.head())

    with opened(address) as storage, ThreadPoolExecutor() as threads:
        for seq, note in ((3, "signed"), (3, "signed twice")):
            with storage.writing():
                waiting = threads.submit(wait_and_read)
                while not storage._session.value(LOCK_WAITS):
                    sleep(0.01)
                if storage.entries.head() < seq:
                    storage.entries.append(entry(seq))
                storage.checkpoints.put(seq, note)
            assert waiting.result() == (seq, note)


def test_a_reader_waits_for_nobody_and_sees_the_campaign_as_it_was(address: str) -> None:
    with opened(address) as one, opened(address) as two, two.reading():
        with one.writing():
            one.entries.append(entry(3))
        assert two.entries.head() == 2
        with two.reading(), two.paused():
            pass
        assert two.entries.head() == 3
    with opened(address) as one, one.paused():
        assert one.entries.head() == 3


def test_a_writer_that_waited_while_a_backup_was_restored_writes_into_neither_campaign(address: str) -> None:
    new = memory_journal().storage
    with new.writing():
        new.entries.append(entry(1))
    with opened(address) as before:
        kept = engine_for(address).replace(new, "2026-11-20", lambda: None)
        with pytest.raises(OtherCampaign), before.writing():
            raise AssertionError("nobody comes in here")
    new.close()
    assert kept is not None
    assert (heads(address), heads(kept)) == (1, 2)


def test_the_second_backup_that_is_restored_on_a_day_keeps_the_campaign_under_another_name(address: str) -> None:
    new = memory_journal().storage
    one, two = (engine_for(address).replace(new, "2026-11-20", lambda: None) for _ in range(2))
    new.close()
    assert one is not None
    assert two == f"{one}-2"


def test_nobody_writes_to_a_campaign_that_was_made_to_be_read(postgres: "Server") -> None:
    address = postgres.address(str(uuid4()))
    with engine_for(address).creating(read_only=True) as storage, storage.writing():
        storage.entries.append(entry(1))
    with opened(address) as storage, pytest.raises(DiskRefused, match="read-only"), storage.writing():
        raise AssertionError("nobody comes in here")
    assert heads(address) == 1


# What goes wrong


def test_what_cannot_be_reached_says_why_in_one_sentence(postgres: "Server", address: str) -> None:
    for other, kind, says in (
        (postgres.address("none"), NoCampaign, "There is no campaign at postgresql://gm@/club"),
        (postgres.address("a", host="127.0.0.1", port="1"), Unreadable, "cannot be opened: Connection refused"),
        (postgres.address("a").replace("/club", "/hall"), Unreadable, 'cannot be opened: database "hall" does not'),
        (postgres.address("a").replace("/club", "/ledger_program"), Unreadable, '"ledger_program" does not exist'),
        (postgres.address("a", login="nobody"), Unreadable, 'cannot be opened: role "nobody" does not exist'),
        (
            postgres.address("a", options="-c default_transaction_read_only=on"),
            Unreadable,
            "This database server is read-only",
        ),
        (postgres.address("a").replace("/club", "/postgres"), NotACampaign, "has no tables for campaigns"),
    ):
        with pytest.raises(kind) as refused:
            engine_for(other).open()
        assert says in refused.value.sentence
        assert "\n" not in refused.value.sentence


def test_a_login_that_may_not_use_the_campaigns_is_told_whom_to_ask(postgres: "Server", address: str) -> None:
    with postgres.connect() as superuser:
        superuser.execute("CREATE ROLE stranger LOGIN")
    with pytest.raises(NotACampaign, match="may not use the campaigns") as refused:
        engine_for(postgres.address("first", login="stranger")).open()
    assert "GRANT ledger_program" in refused.value.hint
    engine = engine_for(postgres.address("new", login="stranger"))
    with pytest.raises(NotACampaign, match="may not use the campaigns"), engine.creating():
        raise AssertionError("nobody comes in here")


def test_a_login_without_the_right_password_is_told_where_to_put_it() -> None:
    from psycopg import OperationalError

    from ledger.journal.postgres_failures import unreachable

    said = 'connection failed: FATAL:  password authentication failed for user "tom"'
    told = unreachable(OperationalError(said))
    assert (told.sentence, "password file" in told.hint) == ("The database server refused the login.", True)


def test_only_the_owner_of_a_database_makes_the_tables(postgres: "Server") -> None:
    with postgres.connect() as superuser:
        superuser.execute("CREATE DATABASE hall OWNER owner")
    for login in ("gm", "owner"):
        engine = engine_for(postgres.address("road", login).replace("/club", "/hall"))
        engine.check_free()
        if login == "gm":
            with pytest.raises(NotACampaign, match="no tables"), engine.creating():
                raise AssertionError("nobody comes in here")
        else:
            with engine.creating():
                pass
            with pytest.raises(Taken):
                engine.check_free()


def test_a_temporary_table_does_not_take_the_place_of_the_campaigns_when_an_entry_is_added(
    postgres: "Server", address: str
) -> None:
    from psycopg.errors import IntegrityConstraintViolation

    with postgres.connect("gm") as connection:
        connection.execute("SET ROLE ledger_program")
        connection.execute("SELECT set_config('ledger.name', %s, false)", [engine_for(address).name()])
        (campaign,) = connection.execute("SELECT campaign FROM ledger.campaigns").fetchone() or ()
        connection.execute("SELECT set_config('ledger.campaign', %s, false)", [str(campaign)])
        connection.execute("CREATE TEMP TABLE campaigns AS SELECT * FROM ledger.campaigns")
        connection.execute("UPDATE pg_temp.campaigns SET head = 98")
        body = '{"seq":99,"since":99,"type":"x"}'
        with pytest.raises(IntegrityConstraintViolation, match="an entry is appended after the last one"):
            connection.execute("INSERT INTO ledger.entries VALUES (%s, 99, %s, %s)", [campaign, body, bytes(32)])


def test_two_groups_with_databases_of_their_own_cannot_read_each_other(postgres: "Server") -> None:
    """The roles belong to the whole server, so a database lets in only the logins that the page's statements name."""
    from psycopg import OperationalError

    with postgres.connect() as superuser:
        superuser.execute("CREATE DATABASE theirs OWNER owner")
        page = (ROOT / "docs" / "postgresql.md").read_text(encoding="utf-8")
        (closes,) = re.findall("^REVOKE CONNECT .*;$", page, re.MULTILINE)
        (lets_in,) = re.findall("^GRANT CONNECT .*;$", page, re.MULTILINE)
        superuser.execute(closes.replace("club", "theirs"))
    theirs = postgres.address("road", "owner").replace("/club", "/theirs")
    with engine_for(theirs).creating():
        pass
    gm = postgres.address("road").replace("/club", "/theirs")
    with pytest.raises(Unreadable, match="permission denied for database"):
        engine_for(gm).open()
    with pytest.raises(OperationalError):
        postgres.connect("gm", "theirs").close()
    with postgres.connect("owner", "theirs") as owner:
        owner.execute(lets_in.replace("club", "theirs").replace("tom", "gm"))
    engine_for(gm).open().close()


def test_a_campaign_of_a_newer_program_is_not_opened(postgres: "Server", address: str) -> None:
    with postgres.connect() as superuser:
        superuser.execute("UPDATE ledger.campaigns SET version = 99 WHERE name = %s", (engine_for(address).name(),))
    with pytest.raises(NewerCampaign, match="format 99"), opened(address):
        raise AssertionError("nobody comes in here")


def end_connection(server: "Server", storage: "PostgresStorage") -> None:
    with server.connect() as superuser:
        superuser.execute("SELECT pg_terminate_backend(%s, 5000)", (storage._session.connection.info.backend_pid,))


def test_a_connection_that_is_lost_before_the_end_of_a_write_writes_nothing(postgres: "Server", address: str) -> None:
    lost = pytest.raises(WriteFailed, match="The connection to the database was lost")
    with opened(address) as storage, lost, storage.writing():
        storage.entries.append(entry(3))
        end_connection(postgres, storage)
        storage.entries.head()
    assert heads(address) == 2


def test_a_connection_that_is_lost_while_reading_is_told_and_not_used_again(postgres: "Server", address: str) -> None:
    with opened(address) as storage, pytest.raises(Unreadable, match="was lost"), storage.reading():
        end_connection(postgres, storage)
        storage.entries.head()
    with opened(address) as storage:
        end_connection(postgres, storage)
    assert heads(address) == 2  # the unused connection that was kept is dead


def test_a_transaction_that_did_nothing_for_too_long_is_a_lost_connection(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.journal import postgres_session

    monkeypatch.setattr(postgres_session, "IDLE_SECONDS", 1)
    postgres_session.close_idle()
    with opened(address) as storage, pytest.raises(Unreadable, match="was lost"), storage.reading():
        sleep(1.5)
        storage.entries.head()


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        ("53100", DiskRefused, "could not save the data"),
        ("25006", ReadOnly, "server is read-only"),
        ("57014", WriteFailed, "stopped the command"),
        ("XX001", NotWhole, "The database server found damaged data: no."),
        ("XX002", NotWhole, "The database server found damaged data: no."),
    ],
)
def test_what_the_server_refuses_is_told_and_nothing_is_written(
    postgres: "Server", address: str, code: str, kind: type[LedgerError], says: str
) -> None:
    with opened(address) as storage, pytest.raises(kind, match=says), storage.writing():
        storage.entries.append(entry(3))
        storage._session.command(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")
    assert heads(address) == 2


def test_a_commit_that_the_server_refuses_is_told_and_nothing_is_written(tampered: Callable[[str], str]) -> None:
    address = tampered(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;"
        "CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON commands DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION full_disk()"
    )
    with opened(address) as storage, pytest.raises(DiskRefused, match="Nothing was written"), storage.writing():
        storage.entries.append(entry(2))
    assert heads(address) == 1


def test_a_step_after_a_failed_one_is_told_and_nothing_is_written(address: str) -> None:
    with opened(address) as storage, pytest.raises(WriteFailed, match="An earlier step"), storage.writing():
        storage.entries.append(entry(3))
        with suppress(DiskRefused):
            storage._session.command("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$")
    assert heads(address) == 2


def test_a_text_with_an_invisible_null_character_is_refused_and_nothing_is_written(address: str) -> None:
    null = canonical_json({"seq": 3, "since": 3, "type": "note-written", "once": "a\0b"})
    with opened(address) as storage:
        with pytest.raises(BadInput, match="NUL"), storage.writing():
            storage.entries.append(StoredEntry(3, null, bytes(32)))
        with pytest.raises(BadInput, match="NUL"), storage.writing():
            storage.words.keep(StoredWord(2, "text", bytes(32), "a\0b"))
    assert heads(address) == 2


def test_a_number_that_is_too_large_is_told_as_it_is_with_files(address: str) -> None:
    with opened(address) as storage, pytest.raises(TablesDiffer, match="too large"), storage.writing():
        storage.rows.put([PostingRow("mara", "edge", 3, 3, 2**63, 1)], [])


def test_a_fault_of_the_program_is_not_taken_for_one_of_the_database(address: str) -> None:
    import psycopg

    with opened(address) as storage, pytest.raises(psycopg.errors.SyntaxError):
        storage._session.command("SELEC")


@pytest.fixture
def tampered(postgres: "Server") -> Callable[[str], str]:
    """Make a campaign in a database of its own, and change its tables as a superuser; return its address."""
    name = f"hall-{uuid4()}"

    def change(statement: str) -> str:
        with postgres.connect() as superuser:
            superuser.execute(f'CREATE DATABASE "{name}" OWNER owner')
        address = postgres.address("road", "owner").replace("/club", f"/{name}")
        with engine_for(address).creating() as storage, storage.writing():
            storage.entries.append(entry(1))
        with postgres.connect(database=name) as superuser:
            superuser.execute(f"SET search_path = ledger; {statement}")
        return address

    return change


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("DROP TRIGGER entries_stay ON entries", NotGuarded),
        ("ALTER TABLE entries DISABLE TRIGGER entries_are_appended", NotGuarded),
        ("DROP POLICY own_rows ON words", NotGuarded),
        ("ALTER TABLE marks NO FORCE ROW LEVEL SECURITY", NotGuarded),
        ("UPDATE campaigns SET head = 5", Damaged),
    ],
)
def test_guards_that_are_not_as_they_were_made_are_refused(
    tampered: Callable[[str], str], statement: str, kind: type[LedgerError]
) -> None:
    with opened(tampered(statement)) as storage, pytest.raises(kind):
        storage.check_guards()


def test_a_table_of_another_program_is_listed_and_is_not_damage(tampered: Callable[[str], str]) -> None:
    with opened(tampered("CREATE TABLE mine (x integer)")) as storage:
        assert (storage.check_guards(), storage.foreign_names()) == ("", ["mine"])


def test_a_table_that_is_missing_is_damage(tampered: Callable[[str], str]) -> None:
    with opened(tampered("DROP TABLE words")) as storage, pytest.raises(Damaged, match="words"):
        list(storage.words.all())


# Digests


def test_a_digest_is_that_of_the_first_entries_whatever_comes_later(address: str) -> None:
    with opened(address) as storage:
        before = storage.digests([1, 2])
        assert before == [*storage.digests([1]), *storage.digests([2])]
        assert before[0] != before[1]
        with storage.writing():
            storage.entries.append(entry(3))
        assert storage.digests([1, 2]) == before
        with storage.writing():
            storage.words.delete(1, ["text"])
        assert storage.digests([1, 2]) != before


# Reading ahead


@pytest.fixture
def played(postgres: "Server") -> str:
    """The address of a campaign with an entry, a text, a posting and a mark for each of 20 numbers."""
    address = postgres.address(str(uuid4()))
    with engine_for(address).creating() as storage, storage.writing():
        for seq in range(1, 21):
            storage.entries.append(entry(seq))
            storage.words.keep(StoredWord(seq, "text", bytes(32), f"plan {seq}"))
            storage.rows.put([PostingRow("mara", f"edge/{seq}", seq, seq, seq, seq)], [])
            storage.rows.put([], [MarkRow("mara", f"edge/{seq}", seq, seq, str(seq))])
    return address


def statements(storage: "PostgresStorage", read: Callable[[], object]) -> int:
    before = storage._session.statements
    read()
    return storage._session.statements - before


def test_in_a_snapshot_one_statement_reads_a_block_of_entries_or_texts(
    played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_ahead, "BLOCK_ENTRIES", 5)
    monkeypatch.setattr(postgres_tables, "BLOCK_ENTRIES", 5)
    monkeypatch.setattr(postgres_ahead, "MOST_BLOCKS", 2)
    with opened(played) as storage, storage.reading():

        def read(*seqs: int) -> None:
            for seq in seqs:
                assert [each.seq for each in storage.entries.stored(seq, seq)] == [seq]
                assert storage.words.texts_of(seq) == {"text": f"plan {seq}"}

        assert statements(storage, lambda: read(3, 1, 5)) == 2
        assert statements(storage, lambda: read(8, 11)) == 4
        assert statements(storage, lambda: read(7, 15)) == 0
        assert statements(storage, lambda: read(2)) == 2  # only the last blocks are kept
        assert [each.seq for each in storage.entries.stored(4)] == [*range(4, 21)]


def test_in_a_snapshot_one_statement_reads_the_newest_rows_of_a_subject(
    played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(storage: "PostgresStorage") -> list[object]:
        rows = storage.rows
        return [
            *([rows.balance_at("mara", f"edge/{seq}"), next(rows.mark_rows("mara", f"edge/{seq}"))] for seq in (1, 9)),
            rows.balance_at("mara", "no"),
            [*rows.mark_rows("mara", "no")],
            [*rows.names("postings", "mara", "edge/1")],
        ]

    with opened(played) as storage:
        without = read(storage)
        # of a subject with many rows, only the newest are read; with too many names, each of them is read alone
        for most, scanned, expected in ((300, 200, 1), (300, 5, 3), (20, 200, 8)):
            monkeypatch.setattr(postgres_ahead, "MOST_NAMES", most)
            monkeypatch.setattr(postgres_ahead, "MOST_SCANNED_ROWS", scanned)
            with storage.reading():
                assert statements(storage, lambda: read(storage)) == expected
                assert read(storage) == without


@pytest.mark.parametrize(("per_statement", "most", "expected"), [(40, 200_000, 3), (2, 200_000, 11), (40, 19, 30)])
def test_after_many_statements_in_a_snapshot_all_rows_are_read_into_memory(
    played: str, monkeypatch: pytest.MonkeyPatch, per_statement: int, most: int, expected: int
) -> None:
    monkeypatch.setattr(postgres_ahead, "LEAST_STATEMENTS", 3)
    monkeypatch.setattr(postgres_ahead, "ENTRIES_PER_STATEMENT", per_statement)
    monkeypatch.setattr(postgres_ahead, "MOST_ENTRIES", most)
    with opened(played) as storage, storage.reading():
        asked = statements(storage, lambda: [storage.rows.original_count("mara", "edge/3") for _ in range(30)])
        assert asked - 1 == expected  # and one for the length of the campaign


def test_what_was_read_ahead_is_forgotten_with_its_snapshot(played: str) -> None:
    with opened(played) as storage, opened(played) as other:

        def read() -> list[object]:
            rows = storage.rows
            known = [rows.balance_at("mara", "edge/1"), [each.value for each in rows.mark_rows("mara", "edge/1")]]
            return [*known, storage.words.texts_of(21), len([*storage.entries.stored(20)])]

        with storage.reading():
            before = read()
            with other.writing():
                other.entries.append(entry(21))
                other.words.keep(StoredWord(21, "text", bytes(32), "late"))
                other.rows.put([PostingRow("mara", "edge/1", 21, 21, 1, 2)], [MarkRow("mara", "edge/1", 21, 21, "2")])
            assert read() == before == [1, ["1"], {}, 1]
            with storage.paused():
                assert read() == [2, ["2", "1"], {"text": "late"}, 2]
            assert read() == [2, ["2", "1"], {"text": "late"}, 2]


def test_a_write_sees_the_rows_that_it_adds_although_it_reads_ahead(played: str) -> None:
    with opened(played) as storage, storage.writing():

        def read() -> list[object]:
            rows = storage.rows
            return [
                storage.entries.head(),
                rows.balance_at("mara", "edge/1"),
                [each.value for each in rows.mark_rows("mara", "edge/1")],
            ]

        assert read() == [20, 1, ["1"]]
        storage.entries.append(entry(21))
        storage.rows.put([PostingRow("mara", "edge/1", 21, 21, 1, 2)], [MarkRow("mara", "edge/1", 21, 21, "2")])
        assert read() == [21, 2, ["2", "1"]]
        assert statements(storage, lambda: storage.rows.balance_at("mara", "edge/2")) == 0
        storage.rows.clear()
        assert read() == [21, None, []]


def test_a_write_reads_in_advance_what_the_last_write_needed(played: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(storage: "PostgresStorage") -> list[object]:
        rows = storage.rows
        own = [rows.balance_at("mara", "edge/1"), next(rows.mark_rows("mara", "edge/1")).value, *rows.waiting()]
        return [*own, *rows.mark_rows("ines", "edge/1")]

    def look_during_a_write() -> int:
        with storage.writing():
            return statements(storage, lambda: look(storage))

    with opened(played) as storage:
        without = look(storage)
        assert [look_during_a_write() for _ in range(3)] == [2, 0, 0]
        with storage.writing():
            assert look(storage) == without == [1, "1"]
        monkeypatch.setattr(postgres_ahead, "MOST_EXPECTED_SUBJECTS", 1)  # a command for a group needs many
        assert [look_during_a_write() for _ in range(3)] == [0, 2, 2]


def test_a_write_sees_the_questions_that_it_opens_and_closes(played: str) -> None:
    with opened(played) as storage:
        for seq, value, waiting in ((21, "false", ["9"]), (22, "22", [])):
            with storage.writing():
                storage.entries.append(entry(seq))
                storage.rows.put([], [MarkRow("#questions", "9", 9, seq, value)])
                assert [*storage.rows.waiting()] == waiting
            with storage.writing():
                assert statements(storage, lambda: [*storage.rows.waiting()]) == 0
                assert [*storage.rows.waiting()] == waiting
        with storage.writing():
            storage.rows.put([], [MarkRow("#questions", "10", 10, 22, "false")])
            storage.rows.clear()
            assert [*storage.rows.waiting()] == []


def test_a_write_knows_the_nodes_that_the_next_entries_complete(played: str) -> None:
    with opened(played) as storage, storage.writing():
        storage.nodes.put(StoredNode(4, 0, bytes(32)))
        storage.nodes.put(StoredNode(2, 4, bytes([1] * 32)))
    with opened(played) as storage, storage.writing():
        assert statements(storage, lambda: (storage.nodes.get(4, 0), storage.nodes.get(2, 4))) == 0
        assert (storage.nodes.get(4, 0), storage.nodes.get(2, 4)) == (bytes(32), bytes([1] * 32))
        storage.nodes.clear()
        assert (storage.nodes.get(4, 0), storage.nodes.get(2, 4)) == (None, None)


def test_new_rows_of_all_tables_are_sent_with_one_statement(played: str) -> None:
    with opened(played) as storage, storage.writing():
        storage.entries.append(entry(21))
        storage.words.keep(StoredWord(21, "text", bytes(32), "plan 21"))
        storage.rows.put([PostingRow("mara", "edge/1", 21, 21, 1, 2)], [MarkRow("mara", "edge/1", 21, 21, "2")])
        storage.nodes.put(StoredNode(3, 0, bytes(32)))
        assert statements(storage, storage._session.send) == 1
    with opened(played) as storage:
        assert [each.seq for each in storage.entries.stored(21)] == [21]
        assert storage.words.texts_of(21) == {"text": "plan 21"}
        assert (storage.rows.balance_at("mara", "edge/1"), storage.nodes.get(3, 0)) == (2, bytes(32))
        assert next(storage.rows.mark_rows("mara", "edge/1")).value == "2"


def test_new_rows_wait_until_a_statement_needs_them(played: str) -> None:
    with opened(played) as storage, storage.writing():
        storage.entries.append(entry(21))
        assert statements(storage, lambda: [*storage.rows.posting_rows("mara", "edge/1")]) == 1
        assert statements(storage, lambda: [*storage.entries.stored(21)]) == 2


def test_a_write_knows_the_last_entry_s_leaf_and_checkpoint_without_a_question(played: str) -> None:
    with opened(played) as storage:
        leaf = storage.nodes.get(0, 19)
        with storage.writing():
            assert statements(storage, lambda: (storage.nodes.get(0, 19), storage.checkpoints.get(20))) == 0
            assert (storage.nodes.get(0, 19), storage.checkpoints.get(20)) == (leaf, None)
            storage.checkpoints.put(20, "signed")
            assert storage.checkpoints.get(20) == "signed"
        with storage.writing():
            assert statements(storage, lambda: storage.checkpoints.get(20)) == 0
            assert storage.checkpoints.get(20) == "signed"
