"""Sheets, registers, questions, settings and games as pages of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.render.layout import display_width
from cli.render.terminal import INDENT, aside, colored, say, width
from ledger.errors import Run, count_of, entry_count, with_minus_sign
from ledger.events.facts import DICE_SOURCES
from projections.wording import both_names, sheet_value_text, short_name, type_words

if TYPE_CHECKING:
    from ledger.audit.verify import FileCounts
    from ledger.journal.book import Book
    from ledger.rules.system import System
    from projections.diff import ChangeCause, SheetChange
    from projections.questions import OpenQuestion
    from projections.register import RegisterLine
    from projections.sheets import Sheet
    from projections.why import Why, WhyMark


def show_sheets(all_sheets: Sequence[Sheet], *, full: bool) -> None:
    """Show sheets one below the other. With `full`, every score and mark is listed by its name."""
    from projections.sheets import rows_shown  # completion needs no sheets

    for place, sheet in enumerate(all_sheets):
        if place:
            say("")
        say(colored(f"{both_names(sheet.who, sheet.name)} · {sheet.system}" if sheet.system else sheet.who, "title"))
        rows = [(row.label, row.value) for row in rows_shown(sheet, full=full)]
        width = max((display_width(label) for label, _ in rows), default=0)
        for label, value in rows:
            say(f"  {label}{' ' * (width - display_width(label))}  {value}")
        if sheet.hold:
            say(colored(f"  open question: #{sheet.hold}", "waits"))


def show_sheet_table(all_sheets: Sequence[Sheet], *, full: bool) -> None:
    """Show a table for each game, with one line per character.

    Below each table, name the values for which it has no room.
    """
    for place, game in enumerate(dict.fromkeys(sheet.system for sheet in all_sheets)):
        if place:
            say("")
        _show_game_table(game, [sheet for sheet in all_sheets if sheet.system == game], full=full)


def _show_game_table(game: str, game_sheets: Sequence[Sheet], *, full: bool) -> None:
    """Show a table with the columns that fit. Prefer columns with more values, then narrower columns."""
    from projections.sheets import rows_shown

    rows = {sheet.name: {row.label: row.value for row in rows_shown(sheet, full=full)} for sheet in game_sheets}
    waits = {sheet.name: "" if sheet.hold is None else f"#{sheet.hold}" for sheet in game_sheets}
    labels = list(dict.fromkeys(label for row in rows.values() for label in row))
    cells = {label: [label, *(row.get(label, "–") for row in rows.values())] for label in labels}
    widths = {label: _column_width(column) for label, column in cells.items()}
    having = Counter(label for row in rows.values() for label in row)
    first = [[game, *rows], *([["question", *waits.values()]] if any(waits.values()) else [])]
    room = width() - sum(_column_width(column) for column in first)
    chosen = set()
    for label in sorted(labels, key=lambda label: (-having[label], widths[label])):
        if widths[label] <= room:
            chosen.add(label)
            room -= widths[label]
    shown = [first[0], *(cells[label] for label in labels if label in chosen), *first[1:]]
    wide = [_column_width(column) for column in shown]
    for number, line in enumerate(zip(*shown, strict=True)):
        text = "".join(cell + " " * (room - display_width(cell)) for cell, room in zip(line, wide, strict=True))
        say(colored(text.rstrip(), "title") if number == 0 else text.rstrip())
    left = [label for label in labels if label not in chosen]
    if left:
        names = ", ".join(left)
        aside(f"The table has no room for {count_of(len(left), 'value')}: {names}.")


def _column_width(column: Sequence[str]) -> int:
    return max(map(display_width, column)) + 2


def show_register(who: str, score: str, rows: Sequence[RegisterLine]) -> None:
    """Show the register of a score, one change per line. `who` is the name to show."""
    say(colored(f"{who} · {score}", "title"))
    numbers = max((len(str(row.seq)) for row in rows), default=1)
    amounts = max((len(f"{row.amount:+d}") for row in rows), default=1)
    balances = max((len(sheet_value_text(row.balance)) for row in rows), default=1)
    for row in rows:
        amount = with_minus_sign(f"{row.amount:+d}")
        since = "" if row.since == row.seq else f", takes effect from #{row.since}"
        number = colored(f"#{row.seq:<{numbers}}", "number")
        say(f"  {number}  {amount:>{amounts}}  {sheet_value_text(row.balance):>{balances}}  {row.says}{since}")


def show_why(book: Book, answer: Why) -> None:
    """Show the entries that led to a value on the sheet, the latest first. Add the calculation and comments of each."""
    from cli.render.lines import calculation_lines, headline, typed_words  # views of sheets do not need it

    say(
        colored(
            f"{both_names(answer.who, answer.name)} · {short_name(answer.score)} is {sheet_value_text(answer.value)}",
            "title",
        )
    )
    for reason in reversed(answer.reasons):
        amount = with_minus_sign(f"{reason.amount:+d}")
        say(f"├─ {amount} → {sheet_value_text(reason.balance)}  {headline(reason.line)}")
        event = "" if reason.seq == reason.line.seq else f"{type_words(reason.event)} #{reason.seq}"
        since = "" if reason.since == reason.seq else f"takes effect from #{reason.since}"
        thrown = DICE_SOURCES[reason.thrown] if reason.thrown else ""
        facts = ", ".join(fact for fact in (event, since, thrown) if fact)
        for text in (
            facts,
            *calculation_lines(book, reason.line),
            *typed_words(reason.line),
            *reason.replaced,
            *reason.spoken,
        ):
            if text:
                say(f"│       {text}")
    if answer.earlier:
        earlier, value = count_of(answer.earlier, "earlier entry", "earlier entries"), answer.opening_balance
        say(
            f"├─ After {earlier}, the value was {sheet_value_text(value)}. To see all entries, add -n all to the"
            " command."
        )
    for gone in answer.gone:
        amount = with_minus_sign(f"{gone.amount:+d}")
        say(f"├─ canceled: {amount}  {gone.says}, {gone.struck.how} by #{gone.struck.by}")
    count = answer.earlier + len(answer.reasons)
    say(f"└─ {count_of(count, 'entry counts', 'entries count')}.")


def show_why_mark(answer: WhyMark, most: int | None) -> None:
    """Show the entries that set a mark, the latest first. Show at most `most` entries, or all if `most` is `None`."""
    from cli.render.lines import headline
    from projections.sheets import mark_in_words

    value = mark_in_words(answer.mark, answer.value)
    say(colored(f"{both_names(answer.who, answer.name)} · {short_name(answer.mark)} is {value}", "title"))
    for line in reversed(answer.lines if most is None else answer.lines[-most:]):
        say(f"├─ {headline(line)}")
    say(f"└─ {count_of(len(answer.lines), 'entry counts', 'entries count')}.")


MOST_TOLD = 4
MOST_NAMED = 8
"""The maximum number of entries listed for one change. Up to `MOST_TOLD` entries are listed with descriptions."""


def show_changes(rows: Sequence[SheetChange]) -> None:
    """Show each change with its entries, grouped by character and game. Hide values that only the full sheet shows."""
    shown = [change for change in rows if not change.bookkeeping]
    names = max((len(short_name(change.name)) for change in shown), default=0)
    moves = [" → ".join(change.values) for change in shown]
    heading = ""
    for change, moved in zip(shown, moves, strict=True):
        game = change.name.rpartition("/")[0]
        who = both_names(change.who, change.shown)
        if heading != (heading := f"{who} · {game}" if game else who):
            say(colored(heading, "title"))
        say(f"  {short_name(change.name):<{names}}  {moved:<{max(map(len, moves))}}  {_causes_text(change.did)}")
    if not shown:
        aside("No sheet changed.")


def _causes_text(causes: Sequence[ChangeCause]) -> str:
    if len(causes) == 1:
        return f"#{causes[0].seq} {causes[0].says}"
    described = len(causes) <= MOST_TOLD
    texts = [
        f"#{cause.seq}{'' if cause.amount is None else with_minus_sign(f' {cause.amount:+d}')}"
        f"{' ' + cause.says.partition(',')[0] if described else ''}"
        for cause in causes[:MOST_NAMED]
    ]
    more = len(causes) - len(texts)
    return ", ".join(texts) + (f" and {count_of(more, 'more entry', 'more entries')}" if more else "")


def show_since_agreement(book: Book, who: str, scores: Sequence[str]) -> None:
    """Show the register of each score since the entry where the paper sheet and the record last agreed."""
    from ledger.events.subjects import ASSERTED
    from projections.register import register_lines

    for full in scores:
        seq = book.accounts.mark(ASSERTED, f"{who}:{full}") or 0
        moved = register_lines(book, who, full, after=seq)
        since = f"since #{seq}, when the paper sheet last matched the record" if seq else "since the start"
        if moved:
            say(f"{INDENT}{since.capitalize()}:")
            show_register(both_names(who, book.name_of(who)), short_name(full), moved)
        else:
            score = short_name(full)
            say(f"{INDENT}{score} has not changed {since}.")


def show_questions(rows: Sequence[tuple[OpenQuestion, str]], offers: Sequence[tuple[OpenQuestion, str]]) -> None:
    """Show the open questions and the open offers, each with the command that answers it."""
    from cli.render.status import question_sentence  # views of sheets do not need it
    from ledger.events.types import KnockOnFound

    for question, answer in rows:
        say(f"{colored(f'#{question.seq}', 'waits')} {question_sentence(question)}")
        say(f"{INDENT}{answer}")
    if not rows:
        aside("No open questions.")
    if sum(question.type == KnockOnFound.type for question, _ in rows) > 1:
        redo = Run("decide", "QUESTION", "amend", cascade=True, why="TEXT")
        aside(f"To redo a result, and the later results that depend on it: {redo}")
    for offer, answer in offers:
        say(f"{colored(f'#{offer.seq}', 'number')} Before the next move, {question_sentence(offer)}")
        say(f"{INDENT}{answer}")


def show_settings(game: System, in_force: Mapping[str, Any]) -> None:
    """Show the settings of a game, each with its value and its meaning."""
    if not game.settings:
        say(f"{game.name} has no settings.")
    for setting in game.settings:
        value = in_force[setting.name]
        say(f"{game.name} {setting.name} = {setting.shows(value) if setting.shows else sheet_value_text(value)}")
        say(f"{INDENT}{setting.says}")


def show_system(game: System) -> None:
    """Show a game: its scores, marks, settings, moves and rules, and the rules for `campaign try`."""
    say(colored(f"{game.title} ({game.edition})", "title"))
    rulebook = game.rulebook()
    sections = {
        "Scores": [(score.name, score.says) for score in game.scores],
        "Marks": [(mark.name, mark.says) for mark in game.marks],
        "Settings": [(setting.name, setting.says) for setting in game.settings],
        "Moves": [(name, (move.__doc__ or "").splitlines()[0]) for name, move in game.playable().items()],
        "Rules": [*rulebook.page.items()],
        "Rules that you can test": [(rule.name, ", ".join(rule.ids)) for rule in rulebook.rules],
    }
    for title, rows in sections.items():
        if rows:
            say(f"{title}:")
            width = max(len(name) for name, _ in rows)
            for name, text in rows:
                say(f"  {name:<{width}}  {text}")


def system_facts(game: System) -> dict[str, Any]:
    """Return the names that a game defines, such as its scores, moves and rules, as a JSON object."""
    rulebook = game.rulebook()
    return {
        "name": game.name,
        "edition": game.edition,
        "title": game.title,
        "scores": [score.name for score in game.scores],
        "marks": [mark.name for mark in game.marks],
        "settings": [setting.name for setting in game.settings],
        "moves": [move.name() for move in rulebook.moves],
        "page": dict(rulebook.page),
        "rules": [rule.name for rule in rulebook.rules],
        "consequences": [kind.name for kind in rulebook.kinds],
    }


def show_verified(facts: FileCounts, longest: tuple[int, str], signed: int, *, contradicted: bool) -> None:
    """Print that the file is intact, and what this does not prove.

    - `longest`: the size and name of the longest head from outside the file, or (0, "") if none
    - `signed`: the size of the longest signed head in the file
    - `contradicted`: true if a head from outside does not fit
    """
    covered, name = longest
    say(f"OK: {entry_count(facts.entries)}, nothing missing or altered. The scores, marks and texts match the entries.")
    if facts.away:
        say(f"The file lacks {count_of(facts.away, 'secret')}. It is a player copy, or somebody removed secrets.")
    if covered:
        say(f"Up to #{covered}, the file matches {name}.")
        later = facts.entries - max(covered, signed)
        if later:
            last = max(covered, signed)
            say(f"{entry_count(later)} after #{last} {'is' if later == 1 else 'are'} not signed yet.")
    elif not contradicted:
        say(
            "This check cannot tell whether somebody rewrote the whole file. To find out, compare the file with a"
            " checkpoint that you saved earlier: add --checkpoint FILE."
        )
