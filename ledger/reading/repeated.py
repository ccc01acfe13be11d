"""Repeated: commands that are sent again with the same id. Their words mean the same as the first time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ledger.errors import BadInput, OnceDiffers, Refused, SecretNotHere

if TYPE_CHECKING:
    from ledger.journal.book import Book


@contextmanager
def campaign_before_repeat(book: Book, once: str | None) -> Iterator[Book]:
    """Yield the campaign as it was before the first command with the id `once`. For a new id, yield the current one.

    Raise `OnceDiffers` if the earlier campaign refuses a name that the caller looks up.
    """
    first = None if once is None else book.journal.find_by_once_id(once)
    if first is None:
        yield book
        return
    from ledger.journal.book import EarlierBook  # most commands are new

    try:
        yield EarlierBook(book, first - 1)
    except (OnceDiffers, SecretNotHere):
        raise
    except (Refused, BadInput) as error:
        act = book.journal.entry(first).act
        says = (
            f"An earlier command (#{act}) already used the ID {once!r}. The program cannot compare"
            f" the two commands: {error.sentence}"
        )
        raise OnceDiffers(says, error.hint) from error


def named_players(earlier: Book, *, writes: bool) -> list[str]:
    """Return the handles of the players whom the first command after `earlier` names.

    With `writes`, return only the handle of the command's author.
    """
    entries = earlier.current.journal.action(earlier.head() + 1)
    seats = [earlier.current.journal.entry(int(seq)) for entry in entries for seq in entry.raw.get("erased", ())]
    bodies = [{**entry.raw, "by": None} for entry in (*entries, *seats)]
    inputs = json.dumps(entries[0].by if writes else bodies)
    return [*dict.fromkeys(re.findall('"(p[0-9]+)"', inputs))]
