"""Known: what this computer knows of a campaign: the heads in its home, and what it wrote last into the file."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.journal.book import Book
from ledger.trust.home import Head, Home
from ledger.trust.written import LastWritten


class Known:
    """The heads of one campaign that this computer knows; none without a home and a memory of what was written."""

    def __init__(self, home: Home | None, last_written: LastWritten | None) -> None:
        self._home = home
        self._last_written = last_written

    def heads(self, book: Book) -> Sequence[Head]:
        """The heads that are known at home, and last, without an origin, what this computer wrote."""
        origin = None if self._home is None else book.origin()
        heads = [] if origin is None or self._home is None else self._home.heads(origin)
        if self._last_written is not None and (first := book.first_leaf()):
            size, root = self._last_written.read(first) or (0, b"")
            heads += [Head(origin="", size=size, root=root, note="")] if size else []
        return heads

    def will_be(self, book: Book) -> tuple[bytes, int, bytes] | None:
        """What this computer will have written once the book is committed: its first leaf, its size and its root."""
        size = 0 if self._last_written is None else book.head()
        return (book.first_leaf(), size, book.root(size)) if size else None

    def keep(self, wrote: tuple[bytes, int, bytes] | None) -> None:
        """Remember what is on disk by now; never what may still be undone."""
        if wrote is not None and self._last_written is not None:
            self._last_written.keep(*wrote)
