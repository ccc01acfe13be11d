"""The replay of a part of the journal, with the changed scores. It does not run any rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from ledger.corrections.actions import OPENING
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import STRUCK
from ledger.events.types import CORRECTION_TYPES, DiceThrown, RollSealed, ScoreAsserted
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line
from projections.sheets import Sheet, sheet
from projections.telling import sentences_of

SHOWN_TYPES = frozenset({ScoreAsserted.type, RollSealed.type})
"""The only types of `Correction` that a corrected replay shows: assertions of a paper sheet, and sealed rolls."""


class Frame(Struct):
    """One step of a replay: an entry or an action, with the changed sheets right after it.

    `told` tells the entry or action in sentences. For an assertion of a paper sheet, `holds` is True if the
    record matches the paper. For any other entry, `holds` is `None`.
    """

    line: Line
    told: str
    sheets: tuple[Sheet, ...]
    holds: bool | None

    def as_json(self) -> dict[str, Any]:
        """Return the entry, the changed scores, and the scores of the sheets."""
        (entry,) = self.line.entries
        return {
            "entry": entry.body,
            "struck": self.line.struck.by if self.line.struck else None,
            "holds": self.holds,
            "moved": self.line.moved,
            "sheets": [{name: sheet.as_json()[name] for name in ("who", "system", "scores")} for sheet in self.sheets],
        }


def entries_between(book: Book, first: int, last: int, when: AsOf = NOW) -> list[int]:
    """Return the numbers of the entries from `first` to `last`, in the order in which they were written.

    If `when` includes corrections, use the range and the order in which entries take effect. Then omit canceled
    entries, and corrections that are not in `SHOWN_TYPES`.
    """
    if not when.corrected:
        return list(range(first, min(last, when.seq) + 1))
    counting = [
        (entry.since, entry.seq)
        for entry in book.journal.entries_since(first, min(last, when.seq, book.head()))
        if entry.seq <= when.known
        and (entry.type not in CORRECTION_TYPES or entry.type in SHOWN_TYPES)
        and book.accounts.mark(STRUCK, str(entry.act), NOW.replace(corrected=True, known=when.known)) is None
    ]
    renamed = {since for since, seq in counting if since < seq and book.journal.entry(since).act == OPENING}
    return [
        seq for _, seq in sorted(counting) if seq not in renamed
    ]  # the opening entry cannot be struck, so its replacement hides it


OnProgress = Callable[[int], object]


def actions_of(book: Book, seqs: Iterable[int], when: AsOf = NOW) -> list[list[Entry]]:
    """Return the entries of a replay, grouped by action.

    If `when` includes corrections, leave out the entries of dice, because the rulings already show the dice.
    """
    if when.corrected:
        return [*grouped_by_root(book, seqs)]
    return [[*entries] for _, entries in groupby(map(book.entry, seqs), key=lambda entry: entry.act)]


def grouped_by_root(book: Book, seqs: Iterable[int], progress: OnProgress = abs) -> Iterable[list[Entry]]:
    """Group the given entries: consequences with their ruling, and answers with their question.

    Leave out the entries of dice. No given entry may be canceled. Call `progress` with 1 for each entry.
    """
    roots: dict[int, list[Entry]] = {}
    for seq in seqs:
        entry = book.entry(seq)
        progress(1)
        if entry.type == DiceThrown.type:  # the ruling shows the dice
            continue
        root = entry.cause if entry.cause in roots else seq
        _, *paid = roots.pop(entry.answers or 0, [entry])
        roots.setdefault(root, paid).append(entry)
    return roots.values()


def frame(book: Book, entries: Sequence[Entry], when: AsOf = NOW) -> Frame:
    """Return a frame of a replay. Frames do not depend on each other, so a replay can also step back."""
    last = entries[-1]
    after = AsOf(seq=last.since, corrected=True) if when.corrected else AsOf(seq=last.seq)
    action = line(book, entries, NOW.replace(corrected=True) if when.corrected else when)
    changes = [(posting.who, posting.score) for entry in entries for posting in entry.event.postings]
    marks = [(mark.who, mark.name) for entry in entries for mark in entry.event.marks]
    touched = {*changes, *marks, *((moved.who, moved.score) for moved in action.moved)}
    cast = book.cast(after)
    games = sorted({(who, full.partition("/")[0]) for who, full in touched if who in cast})
    sheets = [sheet(book, who, game, after) for who, game in games if game in book.systems(who, after)]
    told = " ".join(sentences_of(book, action))
    return Frame(line=action, told=told, sheets=tuple(sheets), holds=_agrees_with_paper(book, lead_of(entries), after))


def _agrees_with_paper(book: Book, entry: Entry, then: AsOf) -> bool | None:
    event = entry.event
    if not isinstance(event, ScoreAsserted):
        return None
    return all((book.accounts.balance(event.who, full, then) or 0) == value for full, value in event.claimed.items())
