"""Known: the heads of a campaign that this computer knows, and its last write to the file."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.journal.book import Book
from ledger.trust.home import Head, Home
from ledger.trust.written import LastWritten


class Known:
    """The heads of a campaign that this computer knows, from a home and from its record of writes, if they exist."""

    def __init__(self, home: Home | None, last_written: LastWritten | None) -> None:
        self._home = home
        self._last_written = last_written

    def heads(self, book: Book) -> Sequence[Head]:
        """Return the home's heads, then the head that this computer wrote last (with an empty origin)."""
        origin = None if self._home is None else book.origin()
        heads = [] if origin is None or self._home is None else self._home.heads(origin)
        if self._last_written is not None and (first := book.first_leaf()):
            size, root = self._last_written.read(first) or (0, b"")
            heads += [Head(origin="", size=size, root=root, note="")] if size else []
        return heads

    def state_after_commit(self, book: Book) -> tuple[bytes, int, bytes] | None:
        """Return the first leaf, and the size and root after the coming commit; None if nothing is recorded."""
        size = 0 if self._last_written is None else book.head()
        return (book.first_leaf(), size, book.root(size)) if size else None

    def keep(self, wrote: tuple[bytes, int, bytes] | None) -> None:
        """Record a state that `state_after_commit` returned. Call this only after the commit."""
        if wrote is not None and self._last_written is not None:
            self._last_written.keep(*wrote)
