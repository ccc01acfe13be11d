"""Story: the replay and the chronicle."""

from typing import TYPE_CHECKING, Any

import click

from cli.context import Invocation
from cli.inputs import WholeNumber
from cli.options import Verb, looks, pass_invocation
from cli.render import story, terminal
from ledger.errors import BadInput
from ledger.values import Within

if TYPE_CHECKING:
    from ledger.journal.accounts import AsOf
    from ledger.journal.book import Book

SPEED = 1.5
"""Seconds for which an entry stays on screen at speed 1."""

NUMBER = WholeNumber(Within(1, 10**6))


@click.command(
    cls=Verb, example="replay --session 1", another="replay --from 12 --to session:1", near="chronicle, log, diff"
)
@click.option("--session", type=NUMBER, help="A session, by its number.")
@click.option("--from", "first", metavar="POINT", help="The first point; else the beginning.")
@click.option("--to", "last", metavar="POINT", help="The last point; else the end.")
@click.option("--step", is_flag=True, help="Wait for a key at each entry: forward, back, or quit.")
@click.option("--speed", type=click.FloatRange(0.1, 100), help="Show an entry at a time, so many times as quick.")
@looks
@pass_invocation
def replay(invocation: Invocation, session: int | None, first: str | None, last: str | None, **flags: Any) -> None:
    """Tell a session, or any stretch, again: entry by entry, with the sheets as they move."""
    from ledger.reading.points import stretch_of
    from projections.replay import frame, stretch

    if flags["step"] and flags["speed"]:
        raise BadInput("Say --step or --speed, not both.")
    with invocation.look() as book:
        when = invocation.when(book, flags["at"], flags["corrected"])
        seqs = stretch(book, *stretch_of(book, session, first, last, invocation.zone), when)
        if flags["json_"]:
            terminal.say_json(story.frame_json(frame(book, seq, when)) for seq in seqs)
            return
        moving = terminal.interactive() and (flags["step"] or flags["speed"])
        show = _plainly if not moving else _step if flags["step"] else _run
        show(book, seqs, when, flags["speed"] or 1)


def _plainly(book: "Book", seqs: list[int], when: "AsOf", speed: float) -> None:
    from projections.replay import frame

    for seq in seqs:
        story.show_frame(frame(book, seq, when))


def _run(book: "Book", seqs: list[int], when: "AsOf", speed: float) -> None:
    from time import sleep  # only `--speed` needs it

    from projections.replay import frame

    for seq in seqs:
        story.show_frame(frame(book, seq, when))
        sleep(SPEED / speed)


def _step(book: "Book", seqs: list[int], when: "AsOf", speed: float) -> None:
    from projections.replay import frame

    place = 0
    while seqs:
        click.clear()
        story.show_frame(frame(book, seqs[place], when))
        terminal.aside("")
        terminal.aside(f"Entry {place + 1} of {len(seqs)}. Space or → on, b or ← back, q ends.")
        key = click.getchar()
        if key in {"q", "Q", "\x1b", "\x04"}:
            return
        back = key in {"b", "B", "\x7f", "\x1b[D", "k"}
        place = min(max(place + (-1 if back else 1), 0), len(seqs) - 1)


@click.command(cls=Verb, example="chronicle --session 1", another="chronicle --markdown", near="replay, log, session")
@click.option("--session", type=NUMBER, help="A session alone, by its number.")
@click.option("--markdown", is_flag=True, help="As Markdown.")
@looks
@pass_invocation
def chronicle(
    invocation: Invocation, session: int | None, markdown: bool, at: str | None, corrected: bool, json_: bool
) -> None:
    """Tell the story by session and scene, safe for players; what was struck is struck through."""
    from ledger.reading.points import session as reached
    from projections.chronicle import chronicle as look

    with invocation.look() as book:
        if session is not None:
            reached(book, session)
        chapters = look(book, invocation.when(book, at, corrected), session)
        if json_:
            terminal.say_json(story.chapter_json(chapter) for chapter in chapters)
        elif markdown:
            for text in story.markdown(book.title(), chapters):
                terminal.say(text)
        else:
            terminal.paged(story.chapters(book.title(), chapters))
