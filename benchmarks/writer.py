"""One of several processes that write at once: so many moves, and how long each took, as JSON."""

from __future__ import annotations

import json
import sys
import time

from rows_moves import CHECK

from ledger.errors import LedgerError
from ledger.journal.book import open_book
from ledger.scribe import Scribe


def main() -> None:
    """Write, and tell the waits."""
    waits, refused = [], 0
    with open_book(sys.argv[1]) as book:
        scribe = Scribe(book)
        for _ in range(int(sys.argv[2])):
            began = time.perf_counter()
            try:
                scribe.write(CHECK)
            except LedgerError:
                refused += 1
            waits.append(time.perf_counter() - began)
    print(json.dumps({"waits": waits, "refused": refused}))


if __name__ == "__main__":
    main()
