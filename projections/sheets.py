"""Sheets: the scores and marks of a character in a game, now or at an earlier point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ledger import systems
from ledger.events.commitments import Secret
from ledger.events.subjects import CAMPAIGN, HOLD
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.system import Row, Score, SheetView, System
from ledger.values import MAX_SHEET_NUMBER, Struct
from projections.wording import replace_names, sheet_value_text


class ScoreLine(Struct):
    """A score with the value and the maximum, which is `None` if there is no limit."""

    name: str
    value: int
    most: int | None


class Sheet(Struct):
    """The sheet of one character in one game.

    `scores` and `marks` have all values. `rows` are the lines that the game makes for people. `bare` names the
    scores and marks that no row shows, except bookkeeping. `hold` is the open question that blocks the character.
    `name` is the character's name to show.
    """

    who: str
    system: str
    scores: tuple[ScoreLine, ...]
    marks: tuple[tuple[str, Any], ...]
    hold: int | None
    rows: tuple[Row, ...] = ()
    bare: tuple[str, ...] = ()
    name: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the sheet without `rows` and `bare`, which are made from the rest."""
        scores = {score.name: score.value for score in self.scores}
        facts = {"who": self.who, "name": self.name or self.who, "system": self.system}
        return {**facts, "scores": scores, "marks": dict(self.marks), "hold": self.hold}


def sheet(book: Book, who: str, name: str, when: AsOf = NOW) -> Sheet:
    """Return the sheet of a character in a game. Leave out unset or false marks, and scores of 0 (see `_shows_zero`).

    If the game is not installed here, the sheet has only the scores and marks from the accounts.
    """
    system = systems.installed(name)
    scores = []
    for score in _in_order(book, who, name, system):
        full, pattern = f"{name}/{score}", system.score(score) if system else None
        declared = pattern and pattern.for_name(score)
        value = book.accounts.balance(who, full, when)
        if value or (value is not None and declared is not None and _shows_zero(book, who, full, declared, when)):
            scores.append(ScoreLine(name=score, value=value, most=_maximum(book, who, name, declared, when)))
    marked = (full.removeprefix(f"{name}/") for full in book.accounts.mark_names(who, f"{name}/"))
    marks = ((mark, book.reveal(book.accounts.mark(who, f"{name}/{mark}", when))) for mark in marked if mark != "sheet")
    visible = tuple((mark, value) for mark, value in marks if value is not None and value is not False)
    held = (book.accounts.balance(who, HOLD, when) or 0) > 0
    hold = book.holding_question(who, when) if held else None
    shown = book.name_of(who, when)
    plain = Sheet(who=who, system=name, scores=tuple(scores), marks=visible, hold=hold, name=shown)
    return _with_full_names(book, system, _in_words(system, plain, lambda game: game.rows(view_of(plain))), when)


def rows_shown(sheet: Sheet, *, full: bool = False) -> list[Row]:
    """Return a sheet as people read it: the rows of the game, then the scores and marks that no row shows.

    With `full`, return all scores and marks by their names instead.
    """
    shown = [] if full else [*sheet.rows]
    for score in sheet.scores:
        if full or score.name in sheet.bare:
            most = "" if score.most is None else f" of {score.most}"
            shown.append(Row(label=score.name, value=sheet_value_text(score.value) + most, shows=(score.name,)))
    for name, value in sheet.marks:
        if full or name in sheet.bare:
            shown.append(Row(label=name, value=mark_in_words(f"{sheet.system}/{name}", value), shows=(name,)))
    return shown


def mark_in_words(full: str, value: Any) -> str:
    """Return the value of a mark as text. A value with several parts is in the words of the mark's game."""
    if not isinstance(value, dict) or Secret.KEY in value:
        return sheet_value_text(value)
    game, _, name = full.partition("/")
    plain = Sheet(who="", system=game, scores=(), marks=((name, value),), hold=None)
    rows = _in_words(systems.installed(game), plain, lambda system: system.rows(view_of(plain))).rows
    return next((row.value for row in rows if row.shows[:1] == (name,)), sheet_value_text(value))


def view_of(sheet: Sheet) -> SheetView:
    """Return the scores and marks of a sheet in the form that games read."""
    return SheetView(scores={line.name: line.value for line in sheet.scores}, marks=dict(sheet.marks))


def _in_words(system: System | None, sheet: Sheet, rows_of: Callable[[System], Sequence[Row]]) -> Sheet:
    """Return a sheet with the rows that `rows_of` makes. Add no rows if the game cannot read the sheet."""
    try:
        rows = tuple(rows_of(system)) if system else ()
    except Exception:  # the values may be forged
        rows = ()
    shown = {name for row in rows for name in row.shows}
    names = [line.name for line in sheet.scores] + [mark for mark, _ in sheet.marks]
    bare = tuple(name for name in names if name not in shown and not (system and system.is_bookkeeping(name)))
    return sheet.replace(rows=rows, bare=bare)


def _with_full_names(book: Book, system: System | None, sheet: Sheet, when: AsOf) -> Sheet:
    """Return a sheet with full names in the rows of the marks that name characters."""
    naming = {name: value for name, value in sheet.marks if system and (mark := system.mark(name)) and mark.names_cast}
    if not naming:
        return sheet
    cast = {who for value in naming.values() for who in (value if isinstance(value, list) else [value])}
    names = {who: name for who in cast if isinstance(who, str) and (name := book.name_of(who, when)) != who}
    rows = (
        row.replace(value=replace_names(names, row.value)) if naming.keys() & {*row.shows} else row
        for row in sheet.rows
    )
    return sheet.replace(rows=tuple(rows))


def _shows_zero(book: Book, who: str, full: str, declared: Score, when: AsOf) -> bool:
    """Return True if a sheet lists a score even when its value is 0.

    This is the case if `starts` is not 0, or if the score is `shown_at_zero` and has changed.
    """
    return declared.starts != 0 or (declared.shown_at_zero and book.has_score(who, full, when))


def sheets(book: Book, who: list[str], when: AsOf = NOW) -> list[Sheet]:
    """Return the sheets of characters in every game that they play."""
    return [sheet(book, handle, name, when) for handle in who for name in book.systems(handle, when)]


def table_sheets(book: Book, when: AsOf = NOW) -> list[Sheet]:
    """Return the whole-table sheets: one with the day, and one for each game with marks other than settings."""
    day = book.accounts.balance(CAMPAIGN, "day", when) or 0
    result = []
    if day:
        score = ScoreLine(name="day", value=day, most=None)
        result.append(Sheet(who=CAMPAIGN, system="", scores=(score,), marks=(), hold=None, bare=("day",)))
    for name in dict.fromkeys(full.partition("/")[0] for full in book.accounts.mark_names(CAMPAIGN) if "/" in full):
        system = systems.installed(name)
        marks = [
            (full.partition("/")[2], book.reveal(book.accounts.mark(CAMPAIGN, full, when)))
            for full in book.accounts.mark_names(CAMPAIGN, f"{name}/")
            if system is None or system.setting(full.partition("/")[2]) is None
        ]
        visible = tuple((mark, value) for mark, value in marks if value is not None and value is not False)
        if visible:
            plain = Sheet(who=CAMPAIGN, system=name, scores=(), marks=visible, hold=None)
            in_words = _in_words(system, plain, partial(_table_rows, book, plain, when))
            result.append(_with_full_names(book, system, in_words, when))
    return result


def _table_rows(book: Book, table: Sheet, when: AsOf, game: System) -> Sequence[Row]:
    return game.table_rows(view_of(table), lambda who: view_of(sheet(book, who, table.system, when)))


def _maximum(book: Book, who: str, name: str, declared: Score | None, when: AsOf) -> int | None:
    if declared is None or declared.tally:
        return None
    most = declared.limit(lambda score: book.accounts.balance(who, f"{name}/{score}", when) or 0)
    return None if most == MAX_SHEET_NUMBER else most


def _in_order(book: Book, who: str, game: str, system: System | None) -> list[str]:
    declared = system.scores if system else ()

    def key(name: str) -> tuple[int, str]:
        return next((place for place, score in enumerate(declared) if score.covers(name)), len(declared)), name

    return sorted((full.removeprefix(f"{game}/") for full in book.accounts.scores(who, f"{game}/")), key=key)
