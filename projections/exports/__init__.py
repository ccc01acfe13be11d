"""Exports: copies of a campaign for other programs. Each format of `campaign export --format` has one writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from ledger.reading.points import Zone


class FormatReport(NamedTuple):
    """The result of an export: its contents in words, the facts for `--json`, and tips for the reader."""

    says: str
    facts: Mapping[str, Any]
    tips: tuple[str, ...]


class Writer(Protocol):
    """A function that writes a campaign in one format, and calls `progress` with the number of entries in each part.

    With `players`, it leaves out all secrets, except the notes that the player `reader` may read. Dates are in the time
    zone of the session, or in `zone` before the first session. It raises `Taken` if the name exists and the format
    does not refresh its files.
    """

    def __call__(
        self, book: Book, path: str, *, players: bool, reader: str | None, zone: Zone, progress: Callable[[int], object]
    ) -> FormatReport: ...


class ExportFormat(NamedTuple):
    """A format: the ending of the default name, and a function that imports the writer.

    `has_secrets` is True if a file in this format can contain secrets: all secrets in a file for the GM, and a player's
    secret notes in a file for this player.
    """

    ending: str
    writer: Callable[[], Writer]
    has_secrets: bool = False


def _hledger_writer() -> Writer:
    from projections.exports.accounting import write_hledger

    return write_hledger


def _beancount_writer() -> Writer:
    from projections.exports.accounting import write_beancount

    return write_beancount


def _obsidian_writer() -> Writer:
    from projections.exports.vault import write_vault

    return write_vault


FORMATS: Mapping[str, ExportFormat] = {
    "hledger": ExportFormat(".journal", _hledger_writer),
    "beancount": ExportFormat(".beancount", _beancount_writer),
    "obsidian": ExportFormat("-vault", _obsidian_writer, has_secrets=True),
}
"""The formats of `campaign export --format`, by name."""
