"""Phrases for imported rolls. Each says that the roll is only claimed, and by which file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.errors import count_of, with_minus_sign
from ledger.events import types as events
from ledger.events.commitments import ERASED, CommittedText
from ledger.events.entry import Entry
from ledger.events.facts import CountedDie
from ledger.journal.book import Book
from ledger.times import local_date
from ledger.values import Struct
from projections.wording import typed_words


class ShownRoll(Struct):
    """An imported roll as text, without the name of its file.

    `who` is the character and `player` is the player. Each is `None` if the mapping has none, or if it is secret.
    """

    seq: int
    says: str
    who: str | None
    player: str | None


class RollDifference(Struct):
    """A field of a roll with different texts in the campaign (`here`) and in the file (`file`)."""

    name: str
    here: str
    file: str


def tell_import(book: Book, event: events.OfImport) -> str:
    """Describe an import (its number of rolls), or one imported roll. Name the file that claims the rolls."""
    if isinstance(event, events.LogImported):
        private = event.counts.get("private", 0)
        of_them = f" ({private:,} of them private)" if private else ""
        rolls = count_of(event.counts.get("new", 0), "roll")
        return f"{rolls} imported, claimed by {typed_words(event.file)}{of_them}"
    assert isinstance(event, events.RollImported)  # noqa: S101  the only other event of an import
    return f"{_roll_words(book, event)} ({_claim(book, event)})"


def tell_rolls(book: Book, entries: Sequence[Entry]) -> str:
    """Give the number and the date of an evening's imported rolls, and the file that claims them."""
    first = entries[0].event
    assert isinstance(first, events.RollImported)  # noqa: S101  callers pass only imported rolls
    at = first.claimed_at
    date = "" if at is None else f" of {at if first.exact == 'day' else local_date(at, book.zone(entries[0].act))}"
    return f"{count_of(len(entries), 'roll')}{date} ({_claim(book, first)})"


def _claim(book: Book, event: events.RollImported) -> str:
    log = book.entry(event.log).event
    assert isinstance(log, events.LogImported)  # noqa: S101  `verify` checks it
    return f"imported, claimed by {typed_words(log.file)}"


def shown_roll(book: Book, entry: Entry) -> ShownRoll:
    """Return an imported roll as text, with the character and the player that the mapping gave it."""
    assert isinstance(entry.event, events.RollImported)  # noqa: S101  callers pass only imported rolls
    roll = opened_roll(entry.event)
    return ShownRoll(seq=entry.seq, says=_roll_words(book, entry.event), who=roll.who, player=roll.player)


def differences(book: Book, seq: int, in_file: events.RollImported) -> Iterator[RollDifference]:
    """Yield the differences between an imported roll and the roll of the file, unless one of them is private.

    Leave out fields with an erased text.
    """
    here = book.entry(seq).event
    assert isinstance(here, events.RollImported)  # noqa: S101  callers pass only imported rolls
    if "all" == here.seen == in_file.seen:
        before, now = _shown_fields(here), _shown_fields(in_file)
        for name, value in before.items():
            if ERASED not in (value, now[name]) and value != now[name]:
                yield RollDifference(name=name, here=value, file=now[name])


def _shown_fields(roll: events.RollImported) -> dict[str, str]:
    """Return the fields of a public roll as texts, by their names for people. A field without a value is "none"."""
    fields = {
        "time": roll.claimed_at and roll.claimed_at.replace("T", " ").replace("Z", " UTC"),
        "name": roll.speaker and typed_words(roll.speaker),
        "purpose": roll.what and typed_words(roll.what),
        "roll": roll.formula,
        "dice": " ".join(die.shown for die in roll.dice),
        "total": roll.total and with_minus_sign(roll.total),
        "rolled by": {"machine": "computer", "manual": "hand", "unknown": "unknown"}[roll.thrown],
    }
    return {name: value or "none" for name, value in fields.items()}


def _roll_words(book: Book, event: events.RollImported) -> str:
    """Describe an imported roll. If the file names no speaker, name the character or the player of the mapping."""
    private = "private roll: " if event.seen != "all" else ""
    if event.hidden is not None:
        if event.hidden.text is None:
            return "a private roll"
        event = opened_roll(event)
    handle = event.who or event.player
    somebody = book.name_of(handle) if handle else "somebody"
    who = typed_words(event.speaker) if isinstance(event.speaker, CommittedText) else somebody
    faces = " ".join(die.shown for die in event.dice)
    total = "" if event.total is None else f": {with_minus_sign(event.total)}"
    differs = f", but the dice come to {with_minus_sign(event.comes_to)}" if event.differs else ""
    what = f": {typed_words(event.what)}" if isinstance(event.what, CommittedText) else ""
    rolls = f"{who} rolls {event.formula}".rstrip()
    return f"{private}{rolls}{total}{differs}{f' [{faces}]' if faces else ''}{what}"


def opened_roll(event: events.RollImported) -> events.RollImported:
    """Return a private roll with the fields from its opened secret. Return every other roll unchanged."""
    from ledger.events.compiled import part_reader  # only a GM who asks for secrets needs it

    hidden = None if event.hidden is None else event.hidden.value
    if hidden is None:
        return event
    texts = {name: None if hidden[name] is None else CommittedText(text=hidden[name]) for name in ("speaker", "what")}
    return event.replace(**{**hidden, **texts, "dice": part_reader(tuple[CountedDie, ...])(hidden["dice"])})
