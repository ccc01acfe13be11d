"""The rolls of earlier imports, to compare with a file. They are read in one pass, because there may be many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import count, groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ledger.events.canonical import canonical_json, parse_json
from ledger.events.commitments import CommittedText
from ledger.events.entry import Entry, jsonable
from ledger.events.rows import BOUND
from ledger.events.subjects import IMPORTED, LAST_LOG
from ledger.events.types import RollImported
from ledger.imports.doubles import Trace, trace_of
from ledger.imports.log_records import ClaimedRoll
from ledger.journal.book import Book

MAPPED_FIELDS = frozenset({"log", "place", "who", "player", "marks", "hidden"})
"""The fields that a comparison ignores. The file does not state them, or a new export of the roll may change them."""

FRAME_FIELDS = ("id", "claimed_at", "exact", "seen")
CONTENT_FIELDS = ("formula", "total", "comes_to", "natural", "thrown")
TEXT_FIELDS = ("speaker", "what")


class EarlierRoll(NamedTuple):
    """A roll in the campaign: its entry, action and import, its character and player, and a digest of its content.

    `digest` and `trace` are None if a text is missing, such as an erased one. `is_closed` is True if this file lacks
    the content of a private roll, as a player copy does.
    """

    seq: int
    act: int
    log: int
    who: str | None
    player: str | None
    digest: bytes | None
    trace: Trace | None
    is_closed: bool = False


def earlier_rolls(book: Book) -> dict[str, EarlierRoll]:
    """Return the imported rolls that are not canceled, by id."""
    ids = {seq: id_ for id_, seq in book.accounts.values(IMPORTED).items() if id_ != LAST_LOG}
    return {ids[entry.seq]: _earlier_roll(entry, texts) for entry, texts in _with_texts(book, ids)}


def _with_texts(book: Book, seqs: Mapping[int, str]) -> Iterator[tuple[Entry, Mapping[str, str]]]:
    """Yield the entries in `seqs`, each with its texts by field.

    One pass over the tables is much faster than a lookup for each entry.
    """
    words = groupby(book.words.all(), key=attrgetter("seq")) if seqs else iter(())
    seq, group = next(words, (BOUND, iter(())))
    for entry in book.journal.entries(min(seqs), max(seqs)) if seqs else ():
        while seq < entry.seq:
            seq, group = next(words, (BOUND, iter(())))
        if entry.seq in seqs:
            yield entry, {word.field: word.text for word in group} if seq == entry.seq else {}


def _earlier_roll(entry: Entry, texts: Mapping[str, str]) -> EarlierRoll:
    frame, who, player = entry.raw, None, None
    place = entry.seq, entry.act, entry.raw.get("log", 0)
    try:
        content = frame if frame["hidden"] is None else parse_json(texts["hidden"])
        who, player = content["who"], content["player"]
        words = texts if content is frame else content
        shown = {name: None if content[name] is None else words[name] for name in TEXT_FIELDS}
        content = {**content, **shown}
        trace = trace_of(frame, content, who, [(die["sides"], die["face"]) for die in content["dice"]])
        return EarlierRoll(*place, who, player, _digest(frame, content, content["dice"]), trace)
    except (KeyError, TypeError, AttributeError, ValueError):  # an erased text, or a forged entry
        is_closed = frame.get("hidden") is not None and "hidden" not in texts
        return EarlierRoll(*place, who, player, None, None, is_closed)


def has_same_content(book: Book, earlier: EarlierRoll, roll: ClaimedRoll, event: Any) -> bool:
    """Return True if a roll in the campaign has the content of a roll in the file. A missing text fits every text.

    `event` is called only if the stored event must be compared. It returns the event of the roll in the file.
    """
    if earlier.digest is not None:
        fields = roll.__dict__
        shown = {name: fields[name] or None for name in TEXT_FIELDS}
        return earlier.digest == _digest(fields, {**fields, **shown}, [die.__dict__ for die in roll.dice])
    before, now = _content(book.entry(earlier.seq, secrets=True).event), _content(event())
    return all(now[name] == value or value is ... for name, value in before.items())


def _digest(frame: Mapping[str, Any], content: Mapping[str, Any], dice: Any) -> bytes:
    values = [frame[name] for name in FRAME_FIELDS], [content[name] for name in (*CONTENT_FIELDS, *TEXT_FIELDS)]
    shown = [(die["sides"], die["face"], die["digits"] and (*die["digits"],), die["dropped"]) for die in dice]
    return sha256(repr((values, shown)).encode()).digest()


def _content(event: Any) -> dict[str, Any]:
    return {name: _without_commitments(value) for name, value in event.__dict__.items() if name not in MAPPED_FIELDS}


def _without_commitments(value: Any) -> Any:
    if isinstance(value, CommittedText):
        return ... if value.text is None else value.text
    return jsonable(value)


class NumberedIds:
    """The final ids of private rolls. A number is added, because a file may give several rolls the same id.

    If the campaign has a roll with the same id in the file and the same content, even a canceled one, the new roll
    gets its number. So the file may be imported again with more rolls, or in another order. A player copy lacks the
    contents. There, a roll gets the number of any roll in the campaign with the same id in the file.
    """

    def __init__(self, book: Book) -> None:
        self._book = book
        self._earlier_roll: dict[str, tuple[dict[str, list[str]], Iterator[int]]] = {}

    def id_of(self, event: RollImported) -> str:
        """Return the id for a roll, and never return the same id again."""
        if event.id not in self._earlier_roll:
            self._earlier_roll[event.id] = self._read(event.id)
        by_content, numbers = self._earlier_roll[event.id]
        ids = by_content.get(_hidden_content(event)) or by_content.get(NO_CONTENT)
        return ids.pop(0) if ids else f"{event.id}:{next(numbers)}"

    def _read(self, shared_id: str) -> tuple[dict[str, list[str]], Iterator[int]]:
        accounts, by_content = self._book.accounts, dict[str, list[str]]()
        ids = accounts.mark_names(IMPORTED, f"{shared_id}:")
        for id_ in ids:
            first, _ = accounts.mark_entries(IMPORTED, id_)[0]
            by_content.setdefault(_hidden_content(self._book.entry(first, secrets=True).event), []).append(id_)
        return by_content, count(len(ids))


NO_CONTENT = "{}"


def _hidden_content(event: Any) -> str:
    """Return the hidden content of a private roll as JSON, without the `MAPPED_FIELDS`.

    Return `NO_CONTENT` if this file lacks the content.
    """
    content = event.hidden.value or {}
    return canonical_json({name: value for name, value in content.items() if name not in MAPPED_FIELDS}).decode()
