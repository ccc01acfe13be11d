"""The engines' port: what each engine promises about an address, tried on files and on an engine of the tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest

from ledger.errors import NoCampaign, ReadOnly, Refused, Taken
from ledger.events.canonical import canonical_json
from ledger.events.rows import MarkRow, PostingRow
from ledger.journal import store
from ledger.journal.records import StoredEntry, StoredNode, StoredWord
from ledger.journal.storage import Engine, Storage
from ledger.journal.store import engine_for, memory_journal
from ledger.tlog.tree import leaf_hash
from toy_engine import Toys

At = Callable[[str], Engine]

LONG = 2300
"""More entries than a database gets in one message."""


@pytest.fixture(params=["file", "toy", "postgresql"])
def at(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> At:
    """The engine for a name at an address of each kind."""
    monkeypatch.setitem(cast(Any, store.OTHER_ENGINES), "toy", Toys())
    if request.param == "postgresql":
        server, test = request.getfixturevalue("postgres"), uuid4()
        return lambda name: engine_for(server.address(f"{name} {test}"))
    return lambda name: engine_for(f"toy://{name}" if request.param == "toy" else str(tmp_path / name))


def fill(storage: Storage, count: int = 2) -> None:
    """Append entries with a word, a node and a signed head."""
    with storage.writing():
        for seq in range(storage.entries.head() + 1, storage.entries.head() + count + 1):
            body = canonical_json({"seq": seq, "since": seq, "once": None})
            storage.entries.append(StoredEntry(seq, body, leaf_hash(body)))
            storage.words.keep(StoredWord(seq, "text", bytes(32), "a plan"))
            storage.nodes.put(StoredNode(1, seq, bytes(32)))
            storage.checkpoints.put(seq, "note")


def content(storage: Storage) -> list[object]:
    rows = storage.rows
    tables = (storage.entries.stored(), rows.postings(), rows.marks(), storage.words.all(), storage.nodes.all())
    return [*map(list, tables), storage.checkpoints.all()]


def made(engine: Engine, count: int = 2) -> Engine:
    with engine.creating() as storage:
        fill(storage, count)
    return engine


def opened(engine: Engine) -> list[object]:
    storage = engine.open()
    try:
        return content(storage)
    finally:
        storage.close()


def test_a_campaign_has_its_address_once_it_is_whole(at: At) -> None:
    engine = at("road.campaign")
    with engine.creating() as storage:
        fill(storage)
        assert not engine.exists()
        engine.check_free()
        whole = content(storage)
    assert (engine.exists(), engine.looks_like_campaign(), opened(engine)) == (True, True, whole)


def test_after_an_error_nothing_is_at_the_address(at: At) -> None:
    engine = at("road.campaign")
    with pytest.raises(ValueError, match="no"), engine.creating() as storage:
        fill(storage)
        raise ValueError("no")
    assert not engine.exists()
    with pytest.raises(NoCampaign):
        engine.open()


def test_no_campaign_is_made_over_another(at: At) -> None:
    engine = made(at("road.campaign"))
    before = opened(engine)
    with pytest.raises(Taken):
        made(engine, 3)
    with pytest.raises(Taken):
        engine.check_free()
    assert opened(engine) == before


def test_a_copy_has_all_that_the_campaign_had_and_follows_it_no_longer(at: At) -> None:
    engine = made(at("road.campaign"))
    before, source = opened(engine), engine.open()
    with at("copy").creating(source) as copy:
        fill(source)
        assert content(copy) == before
    source.close()
    assert opened(at("copy")) == before != opened(engine)


def test_a_copy_of_a_long_campaign_is_whole(at: At) -> None:
    engine, seqs = made(at("road.campaign"), LONG), range(1, LONG + 1)
    source = engine.open()
    with source.writing():
        postings = (PostingRow("mara", "edge", seq, seq, 1, seq) for seq in seqs)
        source.rows.put(postings, (MarkRow("mara", "place", seq, seq, '"mill"') for seq in seqs))
    with at("copy").creating(source):
        pass
    before = content(source)
    source.close()
    assert opened(at("copy")) == before
    assert [len(cast(list[object], table)) for table in before[:4]] == [LONG] * 4


@pytest.mark.usefixtures("at")
@pytest.mark.parametrize(("one", "other"), [("toy://a", "a"), ("a", "toy://a")])
def test_a_campaign_is_copied_from_one_engine_to_another(
    one: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = made(engine_for(one)).open()
    with engine_for(other).creating(source) as copy:
        assert content(copy) == content(source)
    source.close()
    assert opened(engine_for(other)) == opened(engine_for(one))


def test_a_replaced_campaign_is_kept_at_an_address_with_the_day(at: At) -> None:
    engine, new = made(at("road.campaign")), memory_journal().storage
    before = opened(engine)
    fill(new, 3)
    kept = engine.replace(new, "2026-11-20", lambda: None)
    assert kept is not None
    assert "2026-11-20" in kept
    assert (opened(engine), opened(engine_for(kept))) == (content(new), before)
    new.close()


def test_nothing_is_kept_if_a_restore_finds_no_campaign(at: At) -> None:
    engine, new = at("road.campaign"), memory_journal().storage
    fill(new)
    assert engine.replace(new, "2026-11-20", lambda: None) is None
    assert opened(engine) == content(new)
    new.close()


def test_a_restore_that_its_check_refuses_changes_nothing(at: At) -> None:
    engine, new = made(at("road.campaign")), memory_journal().storage
    before = opened(engine)

    def check() -> None:
        raise Refused("Somebody wrote.")

    with pytest.raises(Refused, match="Somebody wrote"):
        engine.replace(new, "2026-11-20", check)
    assert opened(engine) == before
    new.close()


def test_a_stamp_shows_a_write_and_another_campaign_at_the_same_address(at: At) -> None:
    engine = made(at("road.campaign"))
    first, storage = engine.stamp(), engine.open()
    fill(storage)
    storage.close()
    second = engine.stamp()
    assert second.identity == first.identity
    assert second.version != first.version
    assert second == engine.stamp() or not second.is_settled


def test_a_campaign_owns_its_address_and_no_other(at: At) -> None:
    engine, other = made(at("road.campaign")), made(at("other"))
    assert engine.owns(engine.canonical())
    assert not engine.owns(other.canonical())
    assert engine_for(engine.canonical()).resolved() == engine.canonical()


def test_a_place_that_cannot_be_read_has_no_campaigns(at: At) -> None:
    assert at("nowhere").campaigns() == []


# Moves


@contextmanager
def opening(engine: Engine) -> Iterator[Storage]:
    storage = engine.open()
    try:
        yield storage
    finally:
        storage.close()


def test_a_campaign_that_has_moved_says_where_it_went_and_can_only_be_read(at: At) -> None:
    engine = made(at("road.campaign"))
    before = opened(engine)
    with opening(engine) as storage, opening(engine) as other:
        assert storage.moved_to() is other.moved_to() is None
        with storage.writing():
            storage.mark_moved("road in another place")
        assert storage.moved_to() == other.moved_to() == "road in another place"
        for each in (storage, other):
            with (
                pytest.raises(ReadOnly, match=r"^This campaign has moved to road in another place\. Nothing"),
                each.writing(),
            ):
                pass
    assert opened(engine) == before


def test_a_campaign_has_not_moved_if_the_transaction_of_the_mark_fails(at: At) -> None:
    engine = made(at("road.campaign"))
    with opening(engine) as storage:
        with pytest.raises(ValueError, match="no"), storage.writing():
            storage.mark_moved("road in another place")
            raise ValueError("no")
        assert storage.moved_to() is None
        fill(storage)


def test_a_campaign_that_has_moved_is_whole(at: At) -> None:
    engine = made(at("road.campaign"))
    with opening(engine) as storage:
        with storage.writing():
            storage.mark_moved("road in another place")
        assert (storage.check_guards(), storage.foreign_names()) == ("", [])
