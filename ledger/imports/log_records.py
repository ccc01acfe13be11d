"""The records that readers find in a file, each with the rolls that it claims."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from typing import Any, Protocol

from ledger.errors import BadInput
from ledger.events.facts import CountedDie
from ledger.events.types import Precision, RolledBy, Seen
from ledger.hints import install_hint
from ledger.rules.inputs import LONGEST_TEXT, UNPRINTABLE
from ledger.values import Struct

MOST_DICE = 500
"""The maximum number of dice in one imported roll."""

LONGEST_ID = 100
LONGEST_NUMBER = 40
ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")
DECIMAL_PATTERN = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class ClaimedRoll(Struct):
    """A roll as a file claims it. The fields are those of `RollImported`, before the mapping is applied.

    - `user`: the account of the person.
    - `speaker`: the name of the character in the file.
    - `local_day`: the date, if the time has no time zone and the mapping does not name one either. Otherwise "".
    - `shares_id`: True if several private rolls may have this `id`. Such rolls differ only in their content.
    """

    id: str
    claimed_at: str | None
    exact: Precision
    seen: Seen
    user: str = ""
    speaker: str = ""
    what: str = ""
    formula: str = ""
    dice: tuple[CountedDie, ...] = ()
    total: str | None = None
    comes_to: str | None = None
    natural: bool = False
    thrown: RolledBy = "unknown"
    local_day: str = ""
    shares_id: bool = False


NO_ROLL = "no-roll"
LEFT_OUT_KINDS: Mapping[str, tuple[str, str]] = {
    NO_ROLL: ("message without rolls", "messages without rolls"),
    "not-rolled": ("message with dice that nobody rolled", "messages with dice that nobody rolled"),
    "emote": ("emote", "emotes"),
    "table": ("rollable table", "rollable tables"),
    "other-author": ("message of somebody else", "messages of other people and bots"),
    "forwarded": ("forwarded copy", "forwarded copies"),
    "pending": ("pending roll", "pending rolls"),
    "other-event": ("other event", "other events"),
}
"""The kinds of records without rolls, each with the words for one and for several."""


class LogRecord(Struct):
    """A message or a row of a file. A record with a `note` has no message or row, only a sentence about the file.

    `left_out` is the kind of a record without rolls, one of `LEFT_OUT_KINDS`.
    `wrong` says why the record cannot be read, and never quotes the record. A `note` says, for example, that the
    end of the file is cut off.
    """

    place: str
    rolls: tuple[ClaimedRoll, ...] = ()
    left_out: str = ""
    wrong: str = ""
    note: str = ""


def read_record(rolls: Iterable[ClaimedRoll], place: str) -> LogRecord:
    """Return the record with these rolls. If `rolls` raises `NoRoll` or `WrongRecord`, the record has the reason."""
    try:
        found = tuple(rolls)
    except NoRoll as kind:
        return LogRecord(place=place, left_out=str(kind))
    except WrongRecord as wrong:
        return LogRecord(place=place, wrong=str(wrong))
    return LogRecord(place=place, rolls=found, left_out="" if found else NO_ROLL)


class ReadingOptions(Struct):
    """The settings of a mapping file for readers.

    - `zone`: the time zone of times without an offset from UTC.
    - `all_private`: True if every roll is private. Then ids must not come from dice or totals, because such an id would
      confirm a guess.
    - `bots`: the accounts in Discord whose messages are read.
    """

    zone: tzinfo | None = None
    all_private: bool = False
    bots: tuple[str, ...] = ("Avrae",)


class Reader(Protocol):
    """A reader of one format.

    `recognizes` gets the first bytes of a file, or of `CURRENT` in a LevelDB folder. `records` gets the open file as a
    `BinaryIO`, or the open folder as a `Database`.

    Increase `version` when the reader starts to read files differently.
    """

    form: str
    title: str
    version: int

    def recognizes(self, start: bytes) -> bool:
        """Return True if a file that starts with these bytes has this format."""

    def records(self, stream: Any, options: ReadingOptions) -> Iterator[LogRecord]:
        """Yield the records of a file, in order.

        Raise `BadInput`, with the line or the record, if the rest of the file cannot be read.
        """


class NoRoll(Exception):
    """The error for a record without rolls. Its text is the kind of the record, one of `LEFT_OUT_KINDS`."""


class WrongRecord(Exception):
    """The error for a record that cannot be read. Other records of the file may be readable."""


def starts_with(start: bytes, pattern: bytes) -> bool:
    """Return True if a file begins with this pattern in small or capital letters. Skip a byte order mark and blanks."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*(?:" + pattern + rb")", start, re.IGNORECASE) is not None


def printable(text: str) -> str:
    """Return a text as entries store it: invisible characters become escapes, and a very long text is cut."""
    text = " ".join(text.split())
    if not UNPRINTABLE.isdisjoint(text):
        text = "".join(f"\\u{ord(letter):04x}" if letter in UNPRINTABLE else letter for letter in text)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def join_texts(*texts: str) -> str:
    """Join the texts that are not empty, and make them printable."""
    return printable(" · ".join(filter(None, texts)))


def shortest_decimal(text: str) -> str:
    """Return a decimal number in its shortest form. Raise `WrongRecord` if it is not a number, or too long."""
    if len(text) > LONGEST_NUMBER or not DECIMAL_PATTERN.fullmatch(text):
        raise WrongRecord("the total is not a number")
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, _, rest = digits.partition(".")
    shortest = f"{whole.lstrip('0') or '0'}.{rest}".rstrip("0").rstrip(".") if rest else whole.lstrip("0") or "0"
    return shortest if shortest == "0" else sign + shortest


def not_utf8(where: str) -> BadInput:
    """Return the error for a text that is not in UTF-8. `where` names the place, such as a line or a record."""
    return BadInput(f"The file is not text in the UTF-8 format ({where}).", "Save the file again as UTF-8.")


def missing_library(what: str, library: str) -> BadInput:
    """Return the error for files (`what`, in the plural) that cannot be read without an optional library."""
    return BadInput(f"{what} need the library {library}, which is not installed here.", install_hint())
