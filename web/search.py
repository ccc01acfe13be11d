"""The index of the page's search; `projections.search` decides which lines fit a query.

The index is in memory. It has the words of each line that everybody may read. For lines with secrets, each
reader has a text with the secrets that this reader may read. The first search makes the index: the latest
lines at once, and all others in a thread. Each search adds the new lines. A reveal updates a
line. After an erasure, the index is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from threading import Lock, Thread
from time import sleep

from ledger.errors import LedgerError
from ledger.events import types as events
from ledger.journal.book import Book
from ledger.rules.spelling import folded
from ledger.values import Struct
from projections.chronicle import SessionSpan
from projections.log import line
from projections.search import Query, SearchedLine, line_text, search_words, searched_line
from web.campaign import Campaign
from web.fragments import affected_acts, canceled_or_restored, hides_secret, secrets_for
from web.people import Person, own_characters

LINES_AT_ONCE = 200
"""The number of lines that the index reads at once."""

PAUSE_SECONDS = 0.05
"""The pause after each `LINES_AT_ONCE` lines, so that other threads can use the processor."""

Reader = tuple[str, ...]
"""A group of people who may read the same secrets: ("gm",), or a player's seat and characters."""


class IndexedLine(Struct):
    """A line in the index, with the words that everybody may read.

    `has_secret` is True if the action has an unrevealed secret.
    """

    line: SearchedLine
    has_secret: bool


SEARCH_FIELDS = frozenset({"words", "who", "player", "session", "kind"})


def read_query(asked: Mapping[str, str], sessions: Iterable[SessionSpan]) -> Query:
    """Make a query from the fields of the search form. If the session in the form does not exist, no line fits."""
    query = Query(
        words=search_words(asked.get("words", "")),
        who=asked.get("who", ""),
        player=asked.get("player", ""),
        kind=asked.get("kind", ""),
    )
    if not (number := asked.get("session", "")):
        return query
    span = next((span for span in sessions if str(span.number) == number), None)
    return query.replace(first=span.first, last=span.last) if span else query.replace(last=0)


class Index:
    """The search index of one campaign. Several threads may use it."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._lock = Lock()
        self._reader: Thread | None = None
        self._stopped = False
        self._lines: dict[int, IndexedLine] = {}
        self._own: dict[Reader, dict[int, str]] = {}
        """For each reader, the texts of the actions with secrets."""
        self.first = 1
        """The first entry that the index has read. A thread reads the earlier entries later."""
        self._last = 0
        self._leaf = b""

    def search(self, book: Book, person: Person, query: Query) -> list[int]:
        """Return the actions of the lines that fit, the latest first."""
        with self._lock, self._campaign.snapshot() as now:  # `book` may be older than the index
            self._update(now)
            own, last = self._own_texts(now, person), min(query.last, book.head())
            return [
                act
                for act in sorted(self._lines, reverse=True)
                if query.first <= act <= last
                if self._lines[act].line.fits(query, own.get(act))
            ]

    @property
    def is_reading(self) -> bool:
        """True while a thread reads earlier entries."""
        return self._reader is not None and self._reader.is_alive()

    def stop(self) -> None:
        """Stop reading earlier entries, because the server stops."""
        self._stopped = True

    def _own_texts(self, book: Book, person: Person) -> Mapping[int, str]:
        """Map each action with secrets to its search text, with only the secrets that this person may read."""
        reader: Reader = ("gm",) if person.is_gm else (person.seat, *own_characters(book, person))
        texts = self._own.setdefault(reader, {})
        for act, indexed in self._lines.items():
            if indexed.has_secret and act not in texts:
                own = line_text(line(book, book.action(act, secrets=True))) if person.is_gm else ""
                texts[act] = " ".join([indexed.line.text, own, *map(folded, secrets_for(book, person, act))])
        return texts

    def _update(self, book: Book) -> None:
        """Add the lines since the last search, and start to read the earlier lines if they are missing."""
        head = book.head()
        if not self._may_continue(book):
            self._lines.clear()
            self._own.clear()
            self.first, self._last = head + 1, head
        while self._last < head:
            entries = book.action(book.journal.entry(self._last + 1).act)
            changed = [*entries, *canceled_or_restored(book, entries)]
            for act in {*affected_acts(book, changed)}:
                if act >= self.first:
                    self._add(book, act)
            self._last = entries[-1].seq
        self._leaf = book.journal.entry(head).leaf
        if self.first > head:
            self._read_earlier(book)
        if self.first > 1 and not self.is_reading:
            self._reader = Thread(target=self._read_all, name="search")
            self._reader.start()

    def _may_continue(self, book: Book) -> bool:
        """Return True if the index only needs the new lines. Return False if it must be made again.

        It must be made again in these cases:

        - It is empty, or belongs to another history.
        - Somebody has erased texts since the last search.
        - There are more than `LINES_AT_ONCE` new entries.
        """
        head = book.head()
        if not self._lines or self._last > head or book.journal.entry(self._last).leaf != self._leaf:
            return False
        if head - self._last > LINES_AT_ONCE:
            return False  # it is quicker to start with the latest lines
        return not any(book.journal.of_type(events.WordsErased.type, range(self._last + 1, head + 1)))

    def _read_all(self) -> None:
        with suppress(LedgerError):  # the file may be busy or missing for a moment: the next search continues
            while self.first > 1 and not self._stopped:
                with self._lock, self._campaign.snapshot() as book:
                    if not self._may_continue(book):
                        return  # the next search starts again
                    self._read_earlier(book)
                sleep(PAUSE_SECONDS)

    def _read_earlier(self, book: Book) -> None:
        for act in islice(book.acts_backwards(self.first - 1), LINES_AT_ONCE):
            self._add(book, act)
            self.first = act

    def _add(self, book: Book, act: int) -> None:
        shown = line(book, book.action(act))
        for texts in self._own.values():
            texts.pop(act, None)
        hides = any(hides_secret(book, entry) for entry in shown.entries)
        self._lines[act] = IndexedLine(line=searched_line(shown), has_secret=hides)
