"""The page of a campaign at an address that is no path."""

from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest

from ledger.commands.at_table import Note, Open
from ledger.journal import store
from ledger.journal.book import Book
from ledger.journal.store import Journal
from ledger.trust.home import Home
from table import scribe
from toy_engine import Toys
from web.campaign import Campaign, WriteOptions
from web.people import Person

GM = Person(role="gm", seat="p1", visit="Tom")


@pytest.mark.parametrize("engine", ["toy", "postgres"])
def test_the_page_writes_at_any_address_and_notices_what_was_written(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast(Any, store.OTHER_ENGINES), "toy", Toys())
    table = "toy://table" if engine == "toy" else request.getfixturevalue("postgres").address(str(uuid4()))
    monkeypatch.chdir(tmp_path)
    with store.engine_for(table).creating() as storage:
        scribe(Book(Journal(storage))).write(Open(title="The salt road", gm="Tom"))
    page = Campaign(table, Home(str(tmp_path / "home")))
    before = page.engine.stamp()
    assert page.engine.stamp() == before
    (written,) = page.write(GM, lambda names: [(Note(text="one"), None)], WriteOptions())
    after = page.engine.stamp()
    assert (after.identity == before.identity, after.version == before.version) == (True, False)
    with page.snapshot() as book:
        assert book.head() == written.entries[-1].seq
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
