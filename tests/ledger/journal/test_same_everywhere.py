"""Every engine stores random evenings as the same bytes: in memory, in a file, and in PostgreSQL."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenings import evening
from examples import examples
from ledger.audit.verify import verify
from ledger.journal.book import Book, open_book
from ledger.journal.store import engine_for
from table import every_game

if TYPE_CHECKING:
    from postgres_server import Server

Put = Callable[[Book], Book]


@pytest.fixture(scope="module")
def in_a_file() -> Iterator[Put]:
    with tempfile.TemporaryDirectory() as folder:
        names = (str(Path(folder, f"{number}.campaign")) for number in range(10**6))

        def put(book: Book) -> Book:
            address = next(names)
            with book, engine_for(address).creating(book.journal.storage):
                pass
            return open_book(address)

        yield put


def content(book: Book) -> list[object]:
    storage = book.journal.storage
    tables = (storage.entries.stored(), storage.rows.postings(), storage.rows.marks(), storage.words.all())
    return [*map(list, tables), list(storage.nodes.all()), sorted(storage.rows.waiting()), book.root(book.head())]


@given(data=st.data())
@examples(300)
def test_an_evening_is_stored_as_the_same_bytes_by_every_engine(
    in_a_file: Put, postgres: "Server", data: st.DataObject
) -> None:
    drawn = list[Any]()

    def draw(strategy: st.SearchStrategy[Any]) -> Any:
        drawn.append(data.draw(strategy))
        return drawn[-1]

    with ExitStack() as books:
        first, *others = (
            books.enter_context(put(every_game())) for put in (in_a_file, lambda book: book, postgres.put)
        )
        evening(draw, first, 6)
        for book in others:
            again = iter(drawn)
            evening(lambda _, again=again: next(again), book, 6)  # type: ignore[misc]  # bound now
            assert content(book) == content(first)
            assert verify(book).entries == first.head()
