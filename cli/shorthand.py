"""The meaning of a line that does not start with a command but with a move, dice, a change to a score, or a letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import cast

import click

from cli.context import Invocation
from cli.sections import VIEW_COMMANDS
from cli.short_words import DICE, HAS_DICE, IN_FULL, are_positional, full_name, is_amount
from cli.typed_amounts import SCORE_WITH_AMOUNT
from cli.typed_dice import subtracts_dice
from ledger import systems
from ledger.errors import Refused, Unreadable
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.placing import OTHER
from ledger.rules.system import System

LETTERS: Mapping[str, str] = {"u": "undo", "w": "why", "v": "show", "?": "status"}
"""The single letters that mean commands at the prompt. The letter `MAIN` is separate: it means a move of the game."""

MAIN = "c"
ROLLS = frozenset({"/r", "/roll", "!r", "!roll"})
"""The words that start a roll in chat programs."""

HYPHENED = "([a-z][a-z.-]*)-([0-9]+)"


def flags_in_front(group: click.Command, words: Sequence[str]) -> int:
    """Return the number of words before the first command, move, dice or change: flags with their values."""
    places = are_positional(group, words)
    starts_line = not any(places) or is_amount(words[0]) or subtracts_dice(words[0])
    return 0 if starts_line else places.index(True)


def expand_first_word(invocation: Invocation, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first word of a line to a full command. If the word means no command, return the line unchanged.

    The first match in this list counts:

    - dice, or a change like `edge=1`
    - at the prompt, one of the `LETTERS`
    - the first letters of a command in `VIEW_COMMANDS` (the line then stays unchanged)
    - the full name of a move; at the prompt, if there is one usual game, also the first letters of a move
    - a change like `edge-1`

    Raise `AmbiguousName` if several games have the move, and `UsageError` if several moves start with the word.
    """
    word = words[0]
    if word in ROLLS or re.search(HAS_DICE, word):
        return ["roll", *words[word in ROLLS :]]
    if "=" in word[1:]:
        return ["adjust", *words]
    if invocation.at_prompt and word in LETTERS:
        return [LETTERS[word], *words[1:]]
    if _matches_only_views(word, ctx):
        return [*words]
    try:
        with invocation.book() as book:
            expanded = _expand_move(invocation, book, words, ctx)
    except Unreadable:
        return [*words]
    return _change(invocation, words, ctx) if expanded == [*words] else expanded


def _change(invocation: Invocation, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Turn a line like `maximum = 3` or `edge-1` into a command that changes the score. Leave other lines unchanged."""
    commands = cast(click.Group, ctx.command).list_commands(ctx)
    sets = words[1:2] and words[1].startswith("=") and not any(name.startswith(words[0]) for name in commands)
    if sets or re.fullmatch(SCORE_WITH_AMOUNT, words[0]):
        return ["adjust", *words]
    hyphened = re.fullmatch(HYPHENED, words[0]) if invocation.has_usual else None
    return [*words] if hyphened is None else ["adjust", f"{hyphened[1]}=-{hyphened[2]}", *words[1:]]


def _matches_only_views(word: str, ctx: click.Context) -> bool:
    """Return True if a word is short only for commands in `VIEW_COMMANDS`. Commands in `IN_FULL` do not count."""
    commands = cast(click.Group, ctx.command).list_commands(ctx)
    matching = {name for name in commands if name.startswith(word) and name not in IN_FULL}
    return bool(matching) and matching <= VIEW_COMMANDS


def _expand_move(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first word to a game and a move. If the word stands for no move, return the words unchanged."""
    word, games = words[0], usual_games(invocation, book)
    if invocation.at_prompt and book.plays(word.removeprefix(OTHER)):
        who = word.removeprefix(OTHER)
        raise Refused(f"Put the action first, then {who}.", f"To switch to {who}, type 'with {who}'.")
    having = {f"{game.name} {word}": game for game in games if word in game.playable()}
    if len(having) > 1:
        game = having[(Names(book) if ctx.resilient_parsing else invocation.names(book)).which(word, [*having])]
        return [game.name, *words]
    if having:
        return [next(iter(having.values())).name, *words]
    if invocation.at_prompt and word == MAIN and len(games) > 1:
        names = ", ".join(sorted(game.name for game in games))
        raise Refused(f"{MAIN!r} could mean several games: {names}.", "To pick one, type 'with NAME GAME'.")
    if len(games) != 1 or not invocation.at_prompt:
        return [*words]
    if word == MAIN:
        return [games[0].name, *_main_move(games[0], words[1:]), *words[1:]]
    move = full_name(word, [*games[0].playable()], ctx)
    return [*words] if move is None else [games[0].name, move, *words[1:]]


def _main_move(game: System, words: Sequence[str]) -> list[str]:
    """Return the move, with its flags, that `c` before these words stands for."""
    before_dice = takewhile(lambda word: not word.startswith(DICE), words)
    has_number = any(word.partition(DICE)[0].isdecimal() for word in before_dice)
    with_number = game.main_with_number if has_number else ""
    return (with_number or game.main or next(iter(game.playable()))).split()


def usual_games(invocation: Invocation, book: Book) -> list[System]:
    """Return the game chosen at the prompt, else the games of the usual character, else the games of all sheets.

    Leave out games that are not installed. Leave out secondary games if there are others.
    """
    if invocation.game is not None:
        return [systems.find(invocation.game)]
    usual = invocation.usual(book)
    played = [name for _, name in book.sheets()] if usual is None else book.systems(usual)
    names = dict.fromkeys(name for name in played if systems.known(name))
    games = [systems.find(name) for name in names]
    return systems.main_games(games)
