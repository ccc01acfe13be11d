"""The replay of a part of the journal, with the changed scores. It does not run any rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

from ledger.corrections.actions import OPENING_SEQ
from ledger.events.entry import Entry, lead_of
from ledger.events.types import CORRECTION_TYPES, DiceThrown, QuestionAsked, RollSealed, ScoreAsserted
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.log import Line, line
from projections.sentences import sentences_of
from projections.sheets import Sheet, sheet

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

    If `when` includes corrections, each entry has a place: the entry at which it takes effect. Then return the entries
    with places from `first` to `last`, in order of place, without canceled entries. Of the corrections, return only
    those of `SHOWN_TYPES`.
    """
    if not when.corrected:
        return list(range(first, min(last, when.seq) + 1))
    return [entry.seq for _, part in _parts_in_effect(book, first, last, when) for entry in part]


OnProgress = Callable[[int], object]

ENTRIES_AT_ONCE = 100
"""The number of entries that are read at a time for a view with corrections. An action is never divided."""


def _parts_in_effect(book: Book, first: int, last: int, when: AsOf) -> Iterator[tuple[int, list[Entry]]]:
    """Yield the entries of `entries_between` in parts. Before each part comes its last place.

    `when` includes corrections.
    """
    last = min(last, when.seq, book.head())
    while first <= last:
        act = book.journal.entry(min(first + ENTRIES_AT_ONCE - 1, last)).act
        end = min(book.journal.action(act)[-1].seq, last)
        yield end, _entries_in_effect(book, first, end, when)
        first = end + 1


def _entries_in_effect(book: Book, first: int, last: int, when: AsOf) -> list[Entry]:
    is_struck = cache(partial(book.is_struck, when=NOW.replace(corrected=True, known=when.known)))
    counting = [
        entry
        for entry in book.journal.entries_since(first, last)
        if entry.seq <= when.known
        and (entry.type not in CORRECTION_TYPES or entry.type in SHOWN_TYPES)
        and not is_struck(entry.act)
    ]
    # The opening entry cannot be struck, so its replacement hides it.
    late = {entry.since for entry in counting if entry.since < entry.seq}
    renamed = {since for since in late if book.journal.entry(since).act == OPENING_SEQ}
    counting.sort(key=lambda entry: (entry.since, entry.seq))
    return [entry for entry in counting if entry.seq not in renamed]


def actions_of(book: Book, first: int, last: int, when: AsOf = NOW) -> Iterator[list[Entry]]:
    """Yield the entries from `first` to `last`, grouped by action, as in `entries_between`.

    If `when` includes corrections, leave out the entries of dice, because the rulings already show the dice.
    """
    if when.corrected:
        return corrected_actions(book, first, last, when)
    entries = map(book.entry, entries_between(book, first, last, when))
    return ([*group] for _, group in groupby(entries, key=lambda entry: entry.act))


def corrected_actions(
    book: Book, first: int, last: int, when: AsOf, progress: OnProgress = abs
) -> Iterator[list[Entry]]:
    """Yield the entries of `entries_between` in groups: consequences with their ruling, answers with their question.

    Leave out the entries of dice. `when` includes corrections. Call `progress` with 1 for each entry. Only a small part
    of the entries is in memory at a time.
    """
    answered_later = dict[int, list[Entry]]()
    for end, part in _parts_in_effect(book, first, last, when):
        for root, entries in _grouped_by_root(map(book.fill_words, part), progress, answered_later).items():
            if end < _place_of_answer(book, root, entries, when) <= last:
                answered_later[root] = entries
            else:
                yield entries


def _place_of_answer(book: Book, root: int, entries: Sequence[Entry], when: AsOf) -> int:
    """Return the entry at which the answer to a question takes effect, 0 if the group has no answered question."""
    question = next(entry for entry in entries if entry.seq == root)
    known = NOW.replace(corrected=True, known=when.known)
    by = book.question(root, known).answered_by if question.type == QuestionAsked.type else None
    answer = None if by is None else book.journal.entry(by)
    return answer.since if answer is not None and answer.answers == root else 0


def _grouped_by_root(
    part: Iterable[Entry], progress: OnProgress, answered_later: dict[int, list[Entry]]
) -> dict[int, list[Entry]]:
    """Group entries by root: a ruling with its consequences. Leave out the entries of dice.

    `answered_later` has the groups of earlier questions that still wait for their answers. The group of an answer takes
    the other entries from the group of its question, such as paid costs.
    """
    roots: dict[int, list[Entry]] = {}
    for entry in part:
        progress(1)
        if entry.type == DiceThrown.type:  # the ruling shows the dice
            continue
        root, question = entry.cause if entry.cause in roots else entry.seq, entry.answers or 0
        _, *paid = roots.pop(question, None) or answered_later.pop(question, [entry])
        roots.setdefault(root, paid).append(entry)
    return roots


def replay_frame(book: Book, entries: Sequence[Entry], when: AsOf = NOW) -> Frame:
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
