"""The commands for the replay, the chronicle and the recap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from cli.command_types import F, view
from cli.context import Invocation, View
from cli.param_types import SessionNumber
from cli.render import document, terminal
from ledger.errors import BadInput

if TYPE_CHECKING:
    from cli.render.document import DocumentLine
    from ledger.events.entry import Entry
    from ledger.journal.accounts import AsOf

SECONDS_PER_ACTION = 1.5
"""The number of seconds that an action stays on the screen with `--speed 1`."""

SESSION_KEY = f"{__name__}.session"
"""The key in `Context.meta` for the session that was typed as a word, without `--session`."""


def session_option(says: str) -> Callable[[F], F]:
    """Let a command take a session: as a word (`session:1`), or with `--session`. `says` is the help of the option."""

    def keep(ctx: click.Context, param: click.Parameter, word: int | None) -> None:
        ctx.meta[SESSION_KEY] = word

    def session_number(ctx: click.Context, param: click.Parameter, number: int | None) -> int | None:
        word = ctx.meta[SESSION_KEY]
        if word is not None and number is not None:
            raise click.UsageError("You named the session twice. Name it once.", ctx)
        return number if word is None else int(word)

    def added(command: F) -> F:
        command = click.option("--session", type=SessionNumber(), help=says, callback=session_number)(command)
        word = click.argument(
            "word",
            metavar="[SESSION]",
            type=SessionNumber(),
            required=False,
            is_eager=True,
            expose_value=False,
            callback=keep,
        )
        return word(command)

    return added


@view("replay session:1", "replay --from 12 --to session:1", "chronicle, log, diff", key=("entry.seq",))
@session_option("Replay this session.")
@click.option("--from", "first", metavar="POINT", help="Where to start (default: the first entry).")
@click.option("--to", "last", metavar="POINT", help="Where to stop (default: the last entry).")
@click.option("--step", is_flag=True, help="Wait for a key after each action: next, back or quit.")
@click.option("--speed", type=click.FloatRange(0.1, 100), help="Playback speed (2 is twice as fast).")
def replay(
    asked: View, session: int | None, first: str | None, last: str | None, step: bool, speed: float | None
) -> None:
    """Replay a session, or any other part of the campaign, in sentences, with the changes to the sheets."""
    from cli.render import story  # completion needs none of it
    from ledger.reading.points import stretch_of
    from projections.replay import actions_of, entries_between, replay_frame

    if step and speed:
        raise BadInput("Use --step or --speed, not both.")
    invocation = asked.invocation
    with asked.snapshot_at_point() as (book, when):
        span = stretch_of(book, session, first, last, invocation.with_local_zone)
        if asked.output.form in {"json", "csv"}:
            frames = (replay_frame(book, [book.entry(seq)], when) for seq in entries_between(book, *span, when))
            as_csv = asked.output.form == "csv"
            asked.show(book, ({"told": each.told, **each.as_json()} if as_csv else each for each in frames), list)
            return
        actions = actions_of(book, *span, when)
        if asked.has_format:
            _tell(asked, story.replay_lines(book.title(), (replay_frame(book, entries, when) for entries in actions)))
            return
        if not (terminal.is_interactive() and (step or speed)):
            for entries in actions:
                story.show_frame(replay_frame(book, entries, when))
            return
        head, steps = book.head(), [*actions]
    when = when.replace(seq=min(when.seq, head), known=head)  # leave out entries that are written during the replay
    if speed:
        _replay_at_speed(invocation, steps, when, speed)
    else:
        _replay_step_by_step(invocation, steps, when)


def _show(invocation: Invocation, entries: Sequence[Entry], when: AsOf) -> None:
    from cli.render import story  # completion needs none of it
    from projections.replay import replay_frame

    with invocation.snapshot() as book:
        story.show_frame(replay_frame(book, entries, when))


def _replay_at_speed(invocation: Invocation, actions: Sequence[Sequence[Entry]], when: AsOf, speed: float) -> None:
    from time import sleep  # only `--speed` needs it

    for entries in actions:
        _show(invocation, entries, when)
        sleep(SECONDS_PER_ACTION / speed)


def _replay_step_by_step(invocation: Invocation, actions: Sequence[Sequence[Entry]], when: AsOf) -> None:
    place = 0
    while actions:
        click.clear()
        _show(invocation, actions[place], when)
        terminal.aside("")
        terminal.aside(f"Action {place + 1} of {len(actions)}. Space or →: next. b or ←: back. q: quit.")
        key = click.getchar()
        if key in {"q", "Q", "\x1b", "\x04"}:
            return
        back = key in {"b", "B", "\x7f", "\x1b[D", "k"}
        place = min(max(place + (-1 if back else 1), 0), len(actions) - 1)


def story_options(command: F) -> F:
    """Let a command take a session and the options `--markdown` and `--html`."""
    command = click.option("--html", "html_", is_flag=True, help="Print it as an HTML page.")(command)
    command = click.option("--markdown", "markdown_", is_flag=True, help="Print it as Markdown.")(command)
    return session_option("Show only this session.")(command)


def _tell(asked: View, parts: Iterable[DocumentLine]) -> None:
    if asked.has_format:
        write = document.as_markdown if asked.output.form == "markdown" else document.as_html
        for line in write(parts):
            terminal.print_exactly(line)
    else:
        terminal.print_paged(document.as_text(parts))


@view("chronicle --session 1", "chronicle --all --markdown", "recap, replay, log", each="scenes.lines")
@click.option(
    "--all",
    "full",
    is_flag=True,
    help="Include canceled actions, bookkeeping entries, and entries where characters join.",
)
@story_options
def chronicle(asked: View, session: int | None, full: bool) -> None:
    """Tell the story by session and scene, without secrets or canceled actions."""
    from cli.render import story  # completion needs none of it
    from ledger.reading.points import check_opened
    from projections.chronicle import chronicle as look
    from projections.chronicle import full_chronicle

    with asked.snapshot_at_point() as (book, when):
        if session is not None:
            check_opened(book, session)
        with terminal.progress(2 * book.head(), prints=True) as count:
            chapters = (full_chronicle if full else look)(book, when, session, count)
            if asked.output.form in {"json", "csv"}:
                asked.show(book, map(story.chapter_json, chapters), lambda: None)
            else:
                _tell(asked, story.chronicle_lines(book.title(), chapters))


@view("recap", "recap --session 1 --html", "chronicle, replay, questions")
@story_options
def recap(asked: View, session: int | None) -> None:
    """Summarize a session for reading aloud (default: the last one).

    The summary lists players, events, changes and open questions.
    """
    from cli.render import story  # completion needs none of it
    from projections.recap import recap as look

    with asked.snapshot_at_point() as (book, when):
        page = look(book, when, session)
        if asked.output.form in {"json", "csv"}:
            found = [story.recap_json(page)] if asked.output.form == "json" else story.recap_rows(page)
            asked.show(book, found, lambda: None)
        else:
            _tell(asked, story.recap_lines(book.title(), page))
