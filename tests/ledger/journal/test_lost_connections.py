"""If the connection is cut during a write to PostgreSQL, the program never reports a lost write as saved."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import getpid, kill
from signal import SIGINT, default_int_handler, signal
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from ledger.errors import DiskRefused, Unsettled, WriteFailed
from ledger.events.canonical import canonical_json
from ledger.journal.records import StoredEntry, StoredWord
from ledger.journal.storage import Storage
from ledger.journal.store import engine_for

if TYPE_CHECKING:
    from postgres_server import Server


@pytest.fixture
def address(postgres: "Server") -> str:
    address = postgres.address(str(uuid4()))
    with engine_for(address).creating():
        pass
    return address


def append(storage: Storage) -> None:
    with storage.writing():
        seq = storage.entries.head() + 1
        storage.entries.append(StoredEntry(seq, canonical_json({"seq": seq, "since": seq}), bytes(32)))
        storage.words.keep(StoredWord(seq, "text", bytes(32), "a plan"))


def heads(address: str) -> int:
    storage = engine_for(address).open()
    try:
        assert len(list(storage.words.all())) == storage.entries.head()
        return storage.entries.head()
    finally:
        storage.close()


def acknowledged(storage: Storage) -> bool:
    """Append an entry. Return True if the program reports it as saved, False if it reports that nothing was written."""
    try:
        append(storage)
    except Unsettled:
        raise
    except WriteFailed:
        return False
    return True


def test_a_write_that_is_cut_at_any_message_is_reported_as_it_is(postgres: "Server", address: str) -> None:
    from cutting import cutting_proxy

    outcomes = list[bool]()
    name = engine_for(address).name()
    with cutting_proxy(postgres.port) as proxy:
        way = {"host": "127.0.0.1", "port": str(proxy.port), "sslmode": "disable", "gssencmode": "disable"}
        proxied = engine_for(postgres.address(name, **way))
        for message in range(1, 1000):
            before, storage = heads(address), proxied.open()
            proxy.arm(message)
            outcomes.append(acknowledged(storage))
            was_cut = proxy.was_cut
            proxy.arm(0)
            assert not outcomes[-1] or storage.entries.head() == before + 1  # the storage can be used again
            storage.close()
            assert heads(address) == before + outcomes[-1], f"cut at message {message}"
            if not was_cut:
                break
    assert outcomes == sorted(outcomes)
    assert outcomes.count(False) > 10  # cut before the server had the commit
    assert outcomes.count(True) == 3  # cut at one of the two messages of the answer, or not at all


def test_a_campaign_whose_making_is_cut_at_any_message_is_there_or_not_as_it_is_reported(postgres: "Server") -> None:
    from cutting import cutting_proxy

    outcomes = list[bool]()
    with cutting_proxy(postgres.port) as proxy:
        way = {"host": "127.0.0.1", "port": str(proxy.port), "sslmode": "disable", "gssencmode": "disable"}
        for message in range(1, 1000):
            name = str(uuid4())
            try:
                with engine_for(postgres.address(name, **way)).creating() as storage:
                    proxy.arm(message)
                    append(storage)
            except WriteFailed:
                outcomes.append(False)
            else:
                outcomes.append(True)
            was_cut = proxy.was_cut
            proxy.arm(0)
            assert engine_for(postgres.address(name)).exists() == outcomes[-1], f"cut at message {message}"
            if not was_cut:
                break
    assert outcomes == sorted(outcomes)
    assert outcomes.count(True) == 3


def set_standbys(server: "Server", names: str) -> None:
    with server.connect() as superuser:
        superuser.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        superuser.execute("SELECT pg_reload_conf()")
        while superuser.execute("SHOW synchronous_standby_names").fetchone() != (names,):
            sleep(0.01)


@pytest.fixture
def without_standby(postgres: "Server", address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Let commits wait for a missing server until the yielded function is called. The program's limits are short."""
    from ledger.journal import postgres as engine

    monkeypatch.setattr(engine, "COMMIT_SECONDS", 0.5)
    monkeypatch.setattr(engine, "SETTLE_SECONDS", 2)
    set_standbys(postgres, "*")
    try:
        yield lambda: set_standbys(postgres, "")
    finally:
        set_standbys(postgres, "")


@contextmanager
def soon(act: Callable[[], Any]) -> Iterator[None]:
    """Do something in another thread, a moment after the block began."""

    def later() -> None:
        sleep(0.2)
        act()

    thread = Thread(target=later)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def cancel_commits(server: "Server") -> None:
    with server.connect() as superuser:
        superuser.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")


def test_a_commit_that_no_other_server_confirms_ends_and_is_unsettled(
    address: str, without_standby: Callable[[], None]
) -> None:
    storage, began = engine_for(address).open(), monotonic()
    with pytest.raises(Unsettled, match="may or may not be saved") as unsettled:
        append(storage)
    assert monotonic() - began < 15
    assert "log" in unsettled.value.hint
    storage.close()
    without_standby()
    ends = monotonic() + 10
    while heads(address) == 0 and monotonic() < ends:  # the server still finishes the write
        sleep(0.05)
    assert heads(address) == 1


def test_a_canceled_wait_is_not_taken_for_a_confirmation(
    postgres: "Server", address: str, without_standby: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.journal import postgres as engine

    monkeypatch.setattr(engine, "COMMIT_SECONDS", 4)  # the cancel ends the first wait, but not the marker's
    monkeypatch.setattr(engine, "SETTLE_SECONDS", 1)
    storage = engine_for(address).open()
    with soon(lambda: cancel_commits(postgres)), pytest.raises(Unsettled):
        append(storage)
    storage.close()


def test_a_write_is_acknowledged_once_the_marker_behind_it_is_confirmed(
    postgres: "Server", address: str, without_standby: Callable[[], None]
) -> None:
    storage = engine_for(address).open()

    def confirm() -> None:
        cancel_commits(postgres)
        without_standby()

    with soon(confirm):
        append(storage)
    assert storage.entries.head() == heads(address) == 1
    storage.close()


def test_a_command_that_is_stopped_while_it_waits_for_other_servers_is_unsettled(
    address: str, without_standby: Callable[[], None]
) -> None:
    storage = engine_for(address).open()
    before = signal(SIGINT, default_int_handler)  # a run in the background ignores Ctrl-C
    try:
        with soon(lambda: kill(getpid(), SIGINT)), pytest.raises(Unsettled, match="You stopped the command"):
            append(storage)
    finally:
        signal(SIGINT, before)
    storage.close()


def test_a_login_that_does_not_wait_for_other_servers_confirms_nothing_by_itself(
    postgres: "Server", address: str, without_standby: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.journal import postgres as engine

    monkeypatch.setattr(engine, "COMMIT_SECONDS", 2)
    name = engine_for(address).name()
    storage = engine_for(postgres.address(name, options="-c synchronous_commit=local")).open()
    with soon(lambda: cancel_commits(postgres)), pytest.raises(Unsettled):  # the marker waits for other servers, too
        append(storage)
    storage.close()


def test_a_failure_while_a_write_is_looked_up_says_nothing_about_the_write(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ledger.journal import postgres as engine

    storage = engine_for(address).open()
    assert isinstance(storage, engine.PostgresStorage)
    commit = storage._commit

    def refuse() -> None:
        raise DiskRefused("The disk is full. Nothing was written.")

    monkeypatch.setattr(engine, "SETTLE_SECONDS", 0.5)
    monkeypatch.setattr(storage, "_commit", lambda session: commit(session) and False)
    monkeypatch.setattr(storage._session, "reconnect", refuse)
    with pytest.raises(Unsettled):
        append(storage)
    assert heads(address) == 1
