"""The output of `campaign` without a command: the state of play and the likely next commands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from cli.context import Invocation
from cli.render import terminal
from cli.render.help import rows_of
from ledger.errors import NoCampaign, count_of
from ledger.hints import hint_text

if TYPE_CHECKING:
    from ledger.journal.book import Book
    from projections.status import Moment

ACTIONS_SEARCHED = 10
"""The number of latest actions in which to look for the last move."""

MOST_SUGGESTIONS = 3

FIRST_STEPS = (
    ("init TITLE --gm NAME", "start a campaign in this folder"),
    ("systems", "see the games"),
    ("--help", "see all commands"),
)


def print_dashboard(invocation: Invocation) -> None:
    """Print the state of play, and the three most likely next commands."""
    from projections.status import moment  # other commands do not need it

    try:
        with invocation.snapshot() as book:
            now = moment(book)
            terminal.say(f"{book.title()}: {_state_in_words(now)}.")
            _say_next(list(islice(_likely_commands(book, now), MOST_SUGGESTIONS)))
    except NoCampaign as none:
        terminal.say(none.sentence)
        _say_next(list(FIRST_STEPS))


def _say_next(rows: list[tuple[str, str]]) -> None:
    terminal.say("Likely next commands:")
    for line in rows_of([(f"campaign {words}", says) for words, says in rows], terminal.width()):
        terminal.say(line)


def _state_in_words(now: Moment) -> str:
    parts = [
        f"session {now.session}, {now.title}" if now.session else "no session is open",
        f"scene {now.scene}" if now.scene else "",
        f"day {now.day}" if now.day else "",
        count_of(now.waiting, "open question") if now.waiting else "",
    ]
    return "; ".join(filter(None, parts))


def _likely_commands(book: Book, now: Moment) -> Iterator[tuple[str, str]]:
    cast = book.cast()
    if not cast:
        yield "player NAME --plays WHO", "add a player, with a character"
        yield "join WHO GAME", "give the character a sheet"
        yield "systems", "see the games"
        return
    if now.waiting:
        yield _answer_first_question(book)
    yield from _offers(book)
    if now.session is None:
        yield "session open TITLE", "start the evening"
        yield "sheets", "see all sheets"
        yield "log", "see the last actions"
        return
    yield _example_move(book, cast)
    yield "undo", "undo your last action"
    yield "sheets", "see all sheets"


def _answer_first_question(book: Book) -> tuple[str, str]:
    from cli.run import answer_to
    from projections.questions import due_questions

    open_, _ = due_questions(book).split_sealed()
    (first,) = open_.first(1)
    return hint_text(answer_to(book, first), program=""), f"answer #{first.seq}"


def _offers(book: Book) -> Iterator[tuple[str, str]]:
    from cli.run import answer_to
    from projections.questions import open_offers

    for offer in open_offers(book):
        yield hint_text(answer_to(book, offer), program=""), f"{offer.name} {offer.says}"


def _example_move(book: Book, cast: list[str]) -> tuple[str, str]:
    """Return an example command and its description. The example repeats the last move if possible."""
    from ledger import systems
    from ledger.events.types import MoveEvent
    from projections.log import lines

    for line in reversed(lines(book, ACTIONS_SEARCHED)):
        if isinstance(line.event, MoveEvent) and line.struck is None and systems.is_installed(line.event.system):
            return f"{line.event.system} {line.event.move} {line.event.who} …", "repeat the last move"
    sheets = ((who, name) for who in cast for name in book.systems(who) if systems.is_installed(name))
    moves = (
        (f"{name} {move} {who} …", f"play a move in {name}")
        for who, name in sheets
        for move in systems.find(name).playable()
    )
    return next(moves, (f"roll {cast[0]} 3d6", "roll dice"))
