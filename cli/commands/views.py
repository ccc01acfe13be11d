"""The commands that show sheets, registers, entries, questions and games, and that try out rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli.command_types import Verb, verb, view
from cli.context import Invocation, Output, View
from cli.options import row_options
from cli.param_types import GAME, ROLLER, SCORE, WHO, SessionNumber
from cli.render import pages, terminal
from cli.short_words import means_several
from ledger.errors import BadInput, NotReadable, Refused, Run
from ledger.reading.typed_values import LAST, distinct_names, pairs, whole_number
from projections.wording import both_names, sheet_value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ledger.events.entry import Entry
    from ledger.journal.book import Book
    from projections.log import Line
    from projections.sheets import Sheet
    from projections.why import Why, WhyMark

who_option = click.option(
    "--who",
    metavar="WHO",
    type=ROLLER,
    help="Show only lines about this character. For a player: lines that the player entered, or about the player's"
    " characters.",
)
session_option = click.option("--session", type=SessionNumber(), help="Show only this session.")


@view("sheets mara", "sheets --game edge --table", "why, register, diff, log", key=("who", "system"), for_several=True)
@click.argument("who", type=WHO, required=False)
@click.option("--game", metavar="GAME", type=GAME, help="Show only the sheets in this game.")
@click.option("--table", is_flag=True, help="Show a table with one line per character.")
@click.option("--from-entries", is_flag=True, help="Compute the sheets from the entries, not from the stored scores.")
@click.option("--all", "full", is_flag=True, help="Show all values by name, even internal ones.")
def sheets(asked: View, who: str | None, game: str | None, table: bool, from_entries: bool, full: bool) -> None:
    """Show one sheet, several (such as gob-1..3 or brak,sil), or all sheets.

    `sheets campaign` shows the values that belong to the whole table, such as the day.
    """
    from ledger.events.subjects import CAST  # help needs none of it
    from projections.sheets import sheets as look
    from projections.sheets import table_sheets

    with asked.snapshot_at_point() as (stored, when):
        book = stored
        if from_entries:
            from projections.fold import with_recomputed_accounts  # only needed for `--from-entries`

            book = with_recomputed_accounts(stored)
        of_table = table_sheets(book, when) if who in {None, "campaign"} else []
        names = asked.invocation.names(book, when=when)
        is_exact = asked.at is not None or who is None or names.plays(who)  # it needs no search in a large cast
        names.left = () if is_exact else book.accounts.mark_names(CAST)
        typed = [] if who in {None, "campaign"} else distinct_names([who]) if means_several(who) else [who]
        cast = book.cast(when) if who is None else [names.character(name) for name in typed]
        all_sheets = [*of_table, *look(book, cast, when)]
        if game is not None:
            all_sheets = _in_game(all_sheets, game)
        in_table = [sheet for sheet in all_sheets if sheet not in of_table]
        show_pages = partial(pages.show_sheet_table, in_table) if table else partial(pages.show_sheets, all_sheets)
        asked.show(book, all_sheets, partial(show_pages, full=full))
        if not (all_sheets or asked.has_format):
            terminal.aside(_no_sheet(stored, cast) if asked.at is None else "Nobody had a sheet at that point.")


def _no_sheet(book: Book, cast: list[str]) -> str:
    who = cast[0] if len(cast) == 1 else "WHO"
    says = f"{book.name_of(who)} has no sheet yet." if len(cast) == 1 else "Nobody has a sheet yet."
    return f"{says} To make a sheet: {Run('join', who, 'GAME', '…')}"


def _in_game(all_sheets: list[Sheet], game: str) -> list[Sheet]:
    """Return the sheets in a game, even if the game is not installed. Raise `Refused` if there are no such sheets."""
    from ledger import systems as there  # only needed for `--game`

    own_sheets = [sheet for sheet in all_sheets if sheet.system == game]
    if not own_sheets:
        name = there.find(game).name
        raise Refused(f"Nobody has a sheet in {name}.", f"To make a sheet: {Run('join', 'WHO', name)}")
    return own_sheets


@view("register mara edge", "register mara edge --corrected", "why, sheets, assert")
@click.argument("who", type=WHO)
@click.argument("score", type=SCORE)
@click.option("-n", "limit", metavar="N", default="all", help="Show at most N changes, or `all`. [default: all]")
def register(asked: View, who: str, score: str, limit: str) -> None:
    """Show every change to one score, with the new value and the entry that changed it."""
    from projections.register import register_lines as look

    count = _count(limit)
    with asked.snapshot_at_point() as (book, when):
        names = asked.invocation.names(book, when=when)
        handle = names.character(who)
        full = names.posted_score(handle, score)
        rows = look(book, handle, full, when, most=count)
        shown = both_names(handle, book.name_of(handle, when))
        name = full.partition("/")[2] if len(book.systems(handle)) == 1 else full
        facts = ({"who": handle, "score": full, **row.__dict__} for row in rows)
        asked.show(book, facts, lambda: pages.show_register(shown, name, rows))


@view(
    "why mara edge",
    "why mara edge --at session:1",
    "register, show, sheets",
    key=("who", "counts.entry"),
    each="counts",
)
@click.argument("who", type=WHO)
@click.argument("score", type=SCORE)
@click.option("-n", "limit", metavar="N", default="10", help="Show at most N entries, or `all`. [default: 10]")
def why(asked: View, who: str, score: str, limit: str) -> None:
    """Show which entries led to a value on the sheet: moves, dice, rulings, effects and corrections.

    Type the name of a score, or of a line on the sheet.
    """
    from projections.why import why_label

    count = _count(limit)
    with asked.snapshot_at_point() as (book, when):
        names = asked.invocation.names(book, when=when)
        answers, marks = why_label(names, names.character(who), score, when, None if asked.has_format else count)
        asked.show(book, [*answers, *marks], lambda: _show_why(book, answers, marks, count))


def _show_why(book: Book, answers: Sequence[Why], marks: Sequence[WhyMark], count: int | None) -> None:
    for answer in answers:
        pages.show_why(book, answer)
    for mark in marks:
        pages.show_why_mark(mark, count)


@verb("diff 4 session:1", "diff session:1 32 --corrected", "log, register, replay")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--corrected", is_flag=True, help="At both points, also count the corrections that were made later.")
@row_options
def diff(invocation: Invocation, one: str, other: str, corrected: bool, output: Output) -> None:
    """Show what changed between two points in time, and which entries made the changes."""
    from projections.diff import changes

    with invocation.snapshot() as book:
        first, last = (invocation.point_at(book, point, corrected) for point in (one, other))
        if first.seq > last.seq:
            raise BadInput(f"{one} comes after {other}.", "Type the earlier point first.")
        rows = changes(book, first, last)
        output.show(rows, lambda: pages.show_changes(rows), book.title(), key=("who", "name"))


@view("log -n 5", "log --who mara --session 1", "search, show, questions, chronicle, replay")
@click.option("-n", "limit", metavar="N", default="20", help="Show at most N actions, or `all`. [default: 20]")
@click.option("--open", "waiting", is_flag=True, help="Show only actions with an open question.")
@click.option("--find", metavar="WORDS", default="", help="Show only actions with all these words.")
@who_option
@session_option
def log(asked: View, limit: str, waiting: bool, find: str, who: str | None, session: int | None) -> None:
    """Show the last actions, one line each. The latest is at the bottom."""
    from projections.log import each_line as look

    if find or who or session:
        _show_matches(asked, limit, find, who, session, waiting=waiting)
        return
    count = _count(limit)
    with asked.snapshot_at_point() as (book, when):
        _show_actions(asked, book, look(book, count, when, waiting=waiting))


@view("search river", "search guard --who mara --session 1", "log, show, register")
@click.argument("words", nargs=-1, required=True)
@click.option("-n", "limit", metavar="N", default="20", help="Show at most N actions, or `all`. [default: 20]")
@click.option("--secrets", is_flag=True, help="Search the GM's secrets too, and show them.")
@who_option
@session_option
def search(
    asked: View, words: tuple[str, ...], limit: str, secrets: bool, who: str | None, session: int | None
) -> None:
    """Show the last actions that contain all these words, one line each.

    The latest is at the bottom. The first letters of a word are enough. Capitals and accents do not matter.
    """
    typed = " ".join(words).strip()
    if not typed:
        raise BadInput("Type a word to search for.")
    _show_matches(asked, limit, typed, who, session, secrets=secrets)


def _show_matches(
    asked: View,
    limit: str,
    typed: str,
    who: str | None,
    session: int | None,
    *,
    waiting: bool = False,
    secrets: bool = False,
) -> None:
    """Show the last actions that fit a search. With `waiting`, show only those with an open question."""
    from itertools import islice

    from ledger.reading.points import stretch_of
    from projections.search import Query, find_lines, search_words

    count = _count(limit)
    with asked.snapshot_at_point() as (book, when):
        if secrets:
            asked.invocation.check_may_see_secrets(book)
        somebody = "" if who is None else asked.invocation.names(book, when=when).anybody(who)
        first, last = stretch_of(book, session, None, None, asked.invocation.with_local_zone)
        query = Query(words=search_words(typed), first=first, last=last)
        if somebody in book.players(when):
            query = query.replace(player=somebody, played=tuple(book.characters_of(somebody, when)))
        else:
            query = query.replace(who=somebody)
        with terminal.progress(last - first + 1) as progress:
            found = find_lines(book, query, when, secrets=secrets, progress=progress)
            actions = [*islice((each for each in found if each.waits or not waiting), count)]
        _show_actions(asked, book, reversed(actions))
        if not (actions or asked.has_format):
            terminal.aside("No line fits.")


def _show_actions(asked: View, book: Book, actions: Iterable[Line]) -> None:
    from cli.render.lines import action_row

    full = bool(asked.invocation.verbose)
    if asked.output.form in {"markdown", "html"}:
        asked.replace(key=("entry",)).show(book, (action_row(book, each) for each in actions), list)
        return
    asked.show(
        book,
        _entry_rows(asked, actions),
        lambda: terminal.print_paged(text for each in actions for text in _lines_of(book, each, full=full)),
    )


def _entry_rows(asked: View, actions: Iterable[Line]) -> Iterator[Entry | dict[str, Any]]:
    """Yield the entries of actions as rows. Every format but JSON also has the line of each action."""
    from cli.render.lines import entry_rows

    for action in actions:
        yield from action.entries if asked.output.form == "json" else entry_rows(action)


def _lines_of(book: Book, action: Line, *, full: bool) -> list[str]:
    """Return the lines of an action in the log. With `full`, add its calculation and typed texts."""
    from cli.render.lines import calculation_lines, found_rolls, headline, typed_words

    below = [*calculation_lines(book, action), *typed_words(action)] if full else []
    below = [*found_rolls(action), *below]
    return [headline(action), *(f"{terminal.INDENT}{text}" for text in below)]


def _count(limit: str) -> int | None:
    count = None if limit == "all" else whole_number(limit)
    if count is not None and count < 1:
        raise BadInput(f"{count} is not a valid number of lines.", "Type a number of 1 or more, or type all.")
    return count


@view("show 17", "show --secrets", "log, why, amend, dispute")
@click.argument("entry", required=False)
@click.option("--secrets", is_flag=True, help="Show the GM's secrets too.")
def show(asked: View, entry: str | None, secrets: bool) -> None:
    """Show an entry in full (default: the last one), with its calculation, its texts and the rest of its action."""
    from cli.render import lines
    from cli.run import say_offers
    from ledger.corrections.seals import lacks_secret
    from ledger.journal.accounts import NOW
    from projections.log import line

    with asked.snapshot_at_point() as (book, point):
        if secrets:
            asked.invocation.check_may_see_secrets(book)
        seq = min(book.head(), point.seq) if entry in {None, LAST} else whole_number(str(entry).removeprefix("#"))
        if seq > point.seq:
            raise Refused(f"Entry {seq} did not exist at that point.")
        entries = book.action(book.journal.entry(seq).act, secrets=secrets)
        asked_entry = entries[0].seq if entry in {None, LAST} else seq
        known = NOW if asked.corrected else point
        action = line(book, [entry for entry in entries if entry.seq <= point.seq], known)

        def show_page() -> None:
            verbose = asked.invocation.verbose > 0
            lines.show_entry(book, action, known, asked=asked_entry, secrets=secrets, verbose=verbose)
            say_offers(book, action.entries, lambda text: terminal.say(f"{terminal.INDENT}{text}"), known)
            lacking = [each.seq for each in action.entries if secrets and lacks_secret(each)]
            if asked_entry in lacking or asked_entry != action.act:
                lacking = [each for each in lacking if each == asked_entry]
            if lacking:
                more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
                terminal.aside(f"This copy of the campaign lacks the secrets of #{lacking[0]}{more}.")

        asked.show(book, _entry_rows(asked, [action]), show_page)


@view("questions", "questions --at session:1", "decide, choose, reveal, log --open")
@click.option("-n", "limit", metavar="N", default="50", help="Show at most N questions, or `all`. [default: 50]")
def questions(asked: View, limit: str) -> None:
    """List the open questions, the oldest first.

    Below each question is the command that answers it. After the questions come the offers: choices that a character
    may still make before the next move.
    """
    from cli.run import answer_to  # other views do not need it
    from projections.questions import due_questions, open_offers

    count = _count(limit)
    with asked.snapshot_at_point() as (book, when):
        due, offers = due_questions(book, when), open_offers(book, when)

        def show_page() -> None:
            shown = due.first(count)
            pages.show_questions(*([(each, answer_to(book, each)) for each in rows] for rows in (shown, offers)))
            if len(shown) < len(due):
                terminal.aside(
                    f"Open questions that are not listed: {len(due) - len(shown):,}. To see all:"
                    f" {Run('questions', '-n', 'all')}"
                )

        asked.show(book, [*due.first(), *offers] if asked.has_format else (), show_page)


@click.command(cls=Verb, example="systems edge", another="systems", similar="settings, try, join")
@click.argument("system", required=False, type=GAME)
@row_options
def systems(system: str | None, output: Output) -> None:
    """List the games, or show one game: its scores, settings, moves and rules."""
    from ledger import systems as there

    games = [there.find(name) for name in ([system] if system else there.names())]

    def show_page() -> None:
        if system:
            pages.show_system(games[0])
        else:
            for game in games:
                terminal.say(f"{game.name:<12}  {game.title}")

    output.show(map(pages.system_facts, games), show_page, key=("name",))


@click.command(
    "try",
    cls=Verb,
    example="try edge.rest kind=long current=0 maximum=4",
    another="try edge.check dice=9,8 mode=normal bonus=4 target_number=20",
    similar="systems, settings",
)
@click.argument("rule", required=False)
@click.argument("values", metavar="[NAME=VALUE]…", nargs=-1)
@click.option(
    "--given",
    metavar="JSON",
    help="""All values as one JSON text, such as '{"kind": "long"}'. Do not add NAME=VALUE.""",
)
@click.option(
    "--cases",
    metavar="FILE",
    help="A file that lists rules and their values, in JSON. To paste the list, type - instead of a file name.",
)
@row_options
def try_rule(rule: str | None, values: tuple[str, ...], given: str | None, cases: str | None, output: Output) -> None:
    """Try out a rule. Nothing is written."""
    from cli import try_rule as rules  # importing pydantic takes as long as a roll

    if cases is not None:
        if rule or values or given or output.form not in {None, "json"}:
            raise BadInput("--cases cannot be combined with other inputs.")
        terminal.print_exactly(rules.run_cases(_read(cases)))
    elif rule is None:
        raise BadInput("Name a rule, or use --cases.", f"The rules: {', '.join(rules.rule_names())}.")
    elif given is not None and values:
        raise BadInput("Give the values as NAME=VALUE or as --given JSON, not both.")
    else:
        inputs = rules.read_json(given) if given is not None else rules.typed_values(rule, pairs(values, "NAME=VALUE"))
        outcome = rules.rule_outcome(rule, inputs)
        output.show([outcome], lambda: _show_outcome(outcome))


def _show_outcome(outcome: Mapping[str, Any]) -> None:
    for name, value in outcome.items():
        terminal.say(f"{name}  {sheet_value_text(value)}")


def _read(name: str) -> bytes:
    if name == "-":
        from cli.pasted import read_stdin

        return read_stdin()
    try:
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise NotReadable(name, error) from None
