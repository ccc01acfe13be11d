"""The meaning of a line that does not start with a command but with a move, dice, a change to a score, or a letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import cast

import click

from cli.context import Invocation
from cli.sections import VIEW_COMMANDS
from cli.short_words import (
    DICE_PATTERN,
    DICE_SIGN,
    HELP,
    MATCHERS_IN_ORDER,
    NAME_PATTERN,
    NAME_WITH_AT_PATTERN,
    NEVER_SHORTENED,
    REASON_SIGN,
    are_positional,
    full_name,
    is_amount,
    join_names,
    means_several,
    text_argument,
)
from cli.typed_amounts import SCORE_CHANGE_PATTERN
from cli.typed_dice import split_faces, subtracts_dice
from ledger import systems
from ledger.errors import MINUS, AmbiguousName, Nobody, Refused, Run, UnknownName, Unreadable, join_sorted, quoted
from ledger.events.subjects import CAMPAIGN, CAST
from ledger.journal.book import Book
from ledger.reading.move_inputs import own_names
from ledger.reading.names import Names
from ledger.reading.placing import AT_SIGN, has_place
from ledger.reading.typed_values import ALL, distinct_names
from ledger.rules.inputs import CAST as CHARACTER
from ledger.rules.inputs import NOTATION, name_prefixes, sheet_tag
from ledger.rules.system import System

PROGRAM = "campaign"
"""The name of the program. It may start a line, even at the prompt."""

LETTERS: Mapping[str, str] = {"u": "undo", "w": "why", "v": "show", "?": "status"}
"""The single letters that mean commands at the prompt. `MAIN_LETTER` is separate: it means a move of the game."""

LETTERS_ALONE: Mapping[str, str] = {**LETTERS, "w": "show"}
"""The meaning of a letter without other words. `w` then asks about the last action, not about a score."""

MAIN_LETTER = "c"
AGAIN, WITH = "again", "with"
QUIT_WORDS = frozenset({"quit", "exit", "q"})
PROMPT_WORDS = frozenset({AGAIN, WITH, HELP, *QUIT_WORDS})
"""The words with a special meaning at the prompt."""

ROLL_WORDS = frozenset({"/r", "/roll", "!r", "!roll"})
"""The words that start a roll in chat programs."""

TEXT_COMMANDS = ("note", "scene", "session")
"""The commands that take a text, and the group that has such a command (`session`)."""

HYPHEN_NUMBER_PATTERN = r"([^\W\d](?:[^\W\d]|[.-])*)-([0-9]+)"


def command_index(group: click.Command, words: Sequence[str]) -> int:
    """Return the index of the word after the flags in front, and their values: a command, move, dice or change."""
    places = are_positional(group, words)
    starts_line = not any(places) or is_amount(words[0]) or subtracts_dice(words[0])
    return 0 if starts_line else places.index(True)


def expand_first_word(invocation: Invocation, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first word of a line to a full command. Return other lines unchanged.

    The first match in this list is used:

    - dice, or a change like `edge=1`
    - at the prompt, one of the `LETTERS`
    - the first letters of a command in `VIEW_COMMANDS` (the line then stays unchanged)
    - the full name of a move; at the prompt, also the first letters of a move
    - a change like `edge-1`
    - at the prompt, a character's name or its first letters, or several names (the rest of the line is expanded)

    Raise `AmbiguousName` if several games have the move, and `UsageError` if several moves start with the word.
    """
    word = words[0]
    if word in ROLL_WORDS or re.search(DICE_PATTERN, word):
        return ["roll", *words[word in ROLL_WORDS :]]
    if "=" in word[1:] or is_amount(word):
        return ["adjust", *words]
    if invocation.at_prompt and word in LETTERS:
        return [(LETTERS if words[1:] else LETTERS_ALONE)[word], *words[1:]]
    if _matches_only_views(word, ctx):
        return [*words]
    try:
        with invocation.book() as book:
            return _expand_with_sheets(invocation, book, words, ctx)
    except Unreadable:
        return [*words]


def _expand_with_sheets(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first word of a line if it is a move, one or several characters, or a score with its change."""
    if invocation.at_prompt:
        words = words if words[0] == MAIN_LETTER else _with_short_name(book, words)
        words = join_names(words, lambda word: Names(book).named_in_full(word) is not None)
        if means_several(words[0]):
            return _expand_after_name(invocation, book, words[0], words[1:], ctx)
    who = _character_from_name(invocation, book, words[0])
    if who is None:
        with_faces = split_faces(words, (not before.startswith("--") for before in ["", *words[:-1]]))
        expanded = _expand_move(invocation, book, with_faces, ctx)
        if expanded == with_faces:
            expanded = _change_command(invocation, book, words, ctx)
        who = _character_from_start(invocation, book, words, ctx) if expanded == [*words] else None
        if who is None:
            if invocation.at_prompt and expanded == [*words]:
                _check_game(invocation, book, words, ctx)
            return expanded
    return _expand_after_name(invocation, book, who, words[1:], ctx)


def _with_short_name(book: Book, words: Sequence[str]) -> Sequence[str]:
    """Shorten a full name of several words at the start of a line: `Old Snaggle d20` becomes `gob-1 d20`."""
    from ledger.rules.spelling import folded  # most lines start with a command

    for who, name in book.full_names().items():
        size = len(name.split())
        if size > 1 and folded(" ".join(words[:size])) == folded(" ".join(name.split())) and book.plays(who):
            return [who, *words[size:]]
    return words


def _character_from_name(invocation: Invocation, book: Book, word: str) -> str | None:
    """At the prompt, return the character if `word` is `@` with a name, or a whole short name. Else return `None`."""
    if invocation.at_prompt and re.fullmatch(NAME_WITH_AT_PATTERN, word):
        return Names(book).character(word)
    return Names(book).named_in_full(word) if invocation.at_prompt else None


def _character_from_start(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> str | None:
    """Return the only character whose name starts with the first word of a line at the prompt; `None` if none fits.

    If the word may also be the start of a command, it means a character only before a move, dice or a change, as
    in `jo c guns`. If it cannot mean a command, raise `AmbiguousName` if it fits several characters, and `Nobody`
    if it names a character who is not here.
    """
    if not (invocation.at_prompt and words[1:]):
        return None
    commands = [name for name in cast(click.Group, ctx.command).list_commands(ctx) if name.startswith(words[0])]
    try:
        who = Names(book).character(words[0])
    except (AmbiguousName, Nobody) as error:
        if commands or (isinstance(error, Nobody) and words[0] not in book.accounts.mark_names(CAST)):
            return None
        raise
    takes_text = len(commands) == 1 and commands[0] in TEXT_COMMANDS
    return None if commands and (takes_text or not _starts_command(invocation, book, who, words[1])) else who


def _starts_command(invocation: Invocation, book: Book, who: str, word: str) -> bool:
    """Return True if a word after a character starts a move, dice or a change of a score."""
    if word == MAIN_LETTER or is_amount(word) or re.search(DICE_PATTERN, word):
        return True
    games = usual_games(_invocation_for(invocation, book, who), book)
    return len(word) > 1 and any(move.startswith(word) for game in games for move in game.playable())


def _check_game(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> None:
    """Raise `Refused` if a line starts with a move of a game in which the line's character has no sheet."""
    who = for_named_character(invocation, book, words[1:])[0].who
    commands = {*cast(click.Group, ctx.command).list_commands(ctx)} - NEVER_SHORTENED
    if who is None or len(words[0]) == 1 or any(name.startswith(words[0]) for name in commands):
        return
    for game in _every_game(book, None):
        move = next((move for move in game.playable() if move.startswith(words[0])), None)
        if move is not None:
            lacks = f"{move!r} is a move of {game.name}, but {who} has no sheet in {game.name}."
            raise Refused(lacks, f"To make this sheet: {Run('join', who, game.name, '…')}")


def _change_command(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Turn `maximum = 3`, `hp -2 brak`, `hp brak -2` or `edge-1` into a command that changes the score.

    Leave other lines unchanged.

    `edge-1` is a change only if there is a usual character, or if a character follows.
    """
    commands = cast(click.Group, ctx.command).list_commands(ctx)
    after = words[1] if words[1:] else ""
    is_name = re.fullmatch(NAME_PATTERN, words[0]) and not any(name.startswith(words[0]) for name in commands)
    if (is_name and (after.startswith(DICE_SIGN) or is_amount(after))) or re.fullmatch(SCORE_CHANGE_PATTERN, words[0]):
        return ["adjust", *words]
    starts_with_character = after and (
        means_several(after) or any(who.startswith(after.removeprefix(AT_SIGN)) for who in book.cast())
    )
    if is_name and starts_with_character and any(map(is_amount, words[2:])):
        return ["adjust", *words]
    hyphened = re.fullmatch(HYPHEN_NUMBER_PATTERN, words[0]) if invocation.has_usual or starts_with_character else None
    return [*words] if hyphened is None else ["adjust", f"{hyphened[1]}=-{hyphened[2]}", *words[1:]]


def _matches_only_views(word: str, ctx: click.Context) -> bool:
    """Return True if a word can only be short for `VIEW_COMMANDS`. Ignore the commands in `NEVER_SHORTENED`."""
    commands = cast(click.Group, ctx.command).list_commands(ctx)
    matching = {name for name in commands if name.startswith(word) and name not in NEVER_SHORTENED}
    return bool(matching) and matching <= VIEW_COMMANDS


def _expand_move(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first word to a game and a move. If the word stands for no move, return the words unchanged."""
    word = words[0]
    acting, others = (
        for_named_character(invocation, book, words[1:]) if invocation.at_prompt else (invocation, [*words[1:]])
    )
    if invocation.at_prompt and word == MAIN_LETTER:
        game = _main_game(acting, book, others)
        return [*words] if game is None else [game.name, *_main_move(game, words[1:]), *words[1:]]
    who = acting.usual_character(book)
    every = _every_game(book, who) if acting.game is None else []
    usual = usual_games(invocation, book)
    choices = [usual_games(acting, book), every, usual]
    if invocation.has_usual and any(_takes_target(game, word) for game in usual):  # `attack brak` may name a target
        choices = [*choices[2:], *choices[:2]]
    having = next(filter(None, ([(game, word) for game in games if word in game.playable()] for games in choices)), [])
    if having:
        is_other = not invocation.has_usual or any(word.startswith(AT_SIGN) for word in words)
        return _line_of(having, acting if is_other else invocation, book, words, ctx)
    return _expand_shortened_move(acting, book, words, ctx) if invocation.at_prompt else [*words]


def _takes_target(game: System, move: str) -> bool:
    """Return True if a move of the game names a character besides the one who acts."""
    fields = game.playable()[move].fields().values() if move in game.playable() else ()
    return any(field.name != "who" and CHARACTER in field.tags and has_place(field) for field in fields)


def _expand_shortened_move(invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context) -> list[str]:
    """Expand the first letters of a move. With several games, change nothing if a command starts with these letters."""
    word, games = words[0], usual_games(invocation, book)
    if len(games) == 1:
        move = full_name(word, [*games[0].playable()], ctx)
        return [*words] if move is None else [games[0].name, move, *words[1:]]
    commands = cast(click.Group, ctx.command).list_commands(ctx)
    begun = [] if any(name.startswith(word) for name in commands) else games
    moves = [(game, move) for game in begun for move in game.playable() if move.startswith(word)]
    return _line_of(moves, invocation, book, words, ctx) if moves else [*words]


def _line_of(
    moves: Sequence[tuple[System, str]], invocation: Invocation, book: Book, words: Sequence[str], ctx: click.Context
) -> list[str]:
    """Put a game and its move into a line.

    Of several `moves`, use the only one that accepts a name in the line. If there is not exactly one, ask the user.
    """
    fitting = matching_moves(moves, book, invocation.usual_character(book), words[1:]) if len(moves) > 1 else [*moves]
    if len(fitting) != 1:
        names = Names(book) if ctx.resilient_parsing else invocation.names(book)
        by_name = {f"{game.name} {move}": (game, move) for game, move in moves}
        fitting = [by_name[names.decide_meaning(words[0], [*by_name])]]
    game, move = fitting[0]
    return [game.name, move, *words[1:]]


def _expand_after_name(
    invocation: Invocation, book: Book, who: str, words: Sequence[str], ctx: click.Context
) -> list[str]:
    """Expand the words after a character, as in `jonas c guns`, and put the character after the command.

    `who` may also be several characters: `all`, or a range like `gob-1..3`.
    """
    several = means_several(who)
    if not words and several:
        raise Refused(f"Type an action after {who}.", f"For example: {Run('roll', who, 'd20')}")
    if not words:
        raise Refused(f"Type an action after {who}.", f"To switch to {who}, type 'with {who}'.")
    group = cast(click.Group, ctx.command)
    if is_amount(words[0]) or (words[1:] and words[1].startswith(DICE_SIGN) and words[0] in systems.names()):
        words = ["adjust", *words]
    elif subtracts_dice(words[0]):
        words = ["roll", *words]
    elif group.get_command(ctx, words[0]) is None:
        words = expand_first_word(
            _group_invocation(invocation, book, who) if several else _invocation_for(invocation, book, who), words, ctx
        )
    name = full_name(words[0], group.list_commands(ctx), ctx) or words[0]
    command = group.get_command(ctx, name)
    if command is not None and text_argument(command) is not None:
        raise Refused(f"{name!r} is not a command for one character. Type it without {who}.")
    if command is None and not several:
        from ledger.reading.similar import suggestions  # only a wrong word needs it

        own = {word: f"{who} {typed}" for word, typed in likely_words(_invocation_for(invocation, book, who)).items()}
        if near := suggestions(name, own, book.cast()):
            raise click.UsageError(f"No such command {name!r}. Did you mean {' or '.join(near)}?", ctx)
    place = 2 if isinstance(command, click.Group) else 1
    return [*words[:place], who if several else f"{AT_SIGN}{who}", *words[place:]]


def _invocation_for(invocation: Invocation, book: Book, who: str) -> Invocation:
    """Return the invocation for a line about this character. Keep the chosen game if the character plays it."""
    return invocation.replace(who=who, game=invocation.game if invocation.game in book.systems(who) else None)


def _group_invocation(invocation: Invocation, book: Book, several: str) -> Invocation:
    """Return the invocation for a line about several characters.

    The usual character is the first of these characters. For `all`, there is no usual character.
    """
    first = None if several == ALL else distinct_names([several])[0]
    return _invocation_for(invocation, book, first) if first and book.plays(first) else invocation.replace(who=None)


def for_named_character(invocation: Invocation, book: Book, words: Sequence[str]) -> tuple[Invocation, list[str]]:
    """Return the invocation for the character in a line, and the line without the word for this character.

    The word starts with `@` or is a short name. Without a usual character, the first letters of a short name are
    enough. If no word names a character, nothing changes. For a range or a list of characters, see `_group_invocation`.
    """
    if several := next(filter(means_several, words), None):
        return _group_invocation(invocation, book, several), [word for word in words if word is not several]
    names = Names(book)
    name_words = [word for word in words if re.fullmatch(NAME_WITH_AT_PATTERN, word)] or [
        *filter(names.named_in_full, words)
    ]
    if not (name_words or invocation.has_usual):
        name_words = [*words]
    for word in name_words:
        own = word.removeprefix(AT_SIGN)
        character = names.named_in_full(own)
        candidates = [character] if character else names.starting_with(own)
        if len(candidates) == 1:
            return _invocation_for(invocation, book, candidates[0]), [other for other in words if other is not word]
    return invocation, [*words]


def _main_game(invocation: Invocation, book: Book, words: Sequence[str]) -> System | None:
    """Return the game for a main move with these words: the only game, or the game whose sheet has one of the words.

    Return `None` if there is no game. Raise `Refused` if several games remain, and `UnknownName` if none has the words.
    """
    who = invocation.usual_character(book)
    games = usual_games(invocation, book)
    if who is not None and not games:
        roll = Run("roll", who, "DICE", vs="N")
        hint = f"To make a sheet: {Run('join', who, 'GAME', '…')}; to roll without a sheet: {roll}"
        raise Refused(f"{who} has no sheet yet.", hint)
    every = games if who is None else _every_game(book, who)
    if who is not None and len(every) > 1:
        chosen = games if invocation.game is not None else every
        fitting = matching_moves(_main_moves(chosen), book, who, words) or matching_moves(
            _main_moves(every), book, who, words
        )
        if not fitting:
            _check_names_in_games(book, who, words, games, every)
        games = [game for game, _ in fitting] or games
    elif games and invocation.game is None:
        having = _games_with(book, words)
        games = games if len(games) == 1 and games[0] in having else having or games
    if len(games) > 1:
        names = sorted(game.name for game in games)
        example = f"To pick one: with {who or 'NAME'} {names[0]}"
        raise Refused(f"{MAIN_LETTER!r} could mean several games: {', '.join(names)}.", example)
    return games[0] if games else None


def _check_names_in_games(
    book: Book, who: str, words: Sequence[str], games: Sequence[System], every: Sequence[System]
) -> None:
    """Raise `Refused` if the first name in `words` is a number on a sheet of `who`, or `UnknownName` if it is unknown.

    `every` has all games of `who`, and `games` has the games that the line may mean. If there is only one such game,
    its command reports the unknown name, except if the most similar name is on the sheet of another game.
    """
    typed = _names_in([*takewhile(lambda word: not word.startswith("-"), words)])
    if not typed:
        return
    from difflib import get_close_matches  # only a wrong name needs it

    with_numbers = [f"{game.name}/" for game in every if _takes_notation(game, main_move_name(game))]
    numbers = {name for prefix in with_numbers for name in book.scores(who, prefix)}
    if typed[0] in numbers:
        hint = f"Type dice before it: d20+{typed[0]}"
        raise Refused(f"{quoted(typed[0])} is a number on the sheet of {who}, not a roll.", hint)
    names = {game.name: _own_names(book, who, game, main_move_name(game)) for game in every}
    known = numbers.union(*names.values())
    near = get_close_matches(typed[0], known, n=2)
    if len(games) > 1 or (near and near[0] not in names[games[0].name]):
        hint = f"Did you mean {' or '.join(near)}?" if near else f"{who} has: {join_sorted(known)}."
        raise UnknownName(f"{who} has no {quoted(typed[0])} in any game.", hint)


def check_character_named(book: Book, game: System, move: str, words: Sequence[str]) -> None:
    """Raise `Refused` if `words` have a name from somebody's sheet, but no character. The error says whose sheet."""
    names = Names(book)
    having = [who for who in book.cast() if matching_moves([(game, move)], book, who, words)]
    if having and not any(AT_SIGN in word or names.named_in_full(word) for word in words):
        own = next(word for word in words if matching_moves([(game, move)], book, having[0], [word]))
        has, numbers = "has" if len(having) == 1 else "have", filter(str.isdecimal, words)
        says = f"This line names no character. {join_sorted(having)} {has} {quoted(_without_terms(own))}."
        raise Refused(says, f"For {having[0]}: {Run(f'{game.name} {move}', own, *numbers, having[0])}")


def _games_with(book: Book, words: Sequence[str]) -> list[System]:
    """Return the games in which somebody's sheet has one of the typed names."""
    by_name = dict[str, System]()
    for who in book.cast():
        games = [systems.find(name) for name in book.systems(who) if systems.is_installed(name)]
        by_name |= {game.name: game for game, _ in matching_moves(_main_moves(games), book, who, words)}
    return [*by_name.values()]


def matching_moves(
    moves: Iterable[tuple[System, str]], book: Book, who: str | None, words: Sequence[str]
) -> list[tuple[System, str]]:
    """Return the moves that accept a typed name from the sheet of `who`. Try full names first, then first letters.

    If no move does, and dice were typed, return the moves that take dice notation.
    """
    typed = _names_in(words) if who is not None else []
    own = [((game, move), _own_names(book, str(who), game, move)) for game, move in moves] if typed else []
    for matches in MATCHERS_IN_ORDER:
        fitting = [pair for pair, names in own if any(matches(name, word) for name in names for word in typed)]
        if fitting:
            return fitting
    dice = any(re.search(DICE_PATTERN, word) for word in typed)
    return [(game, move) for (game, move), _ in own if dice and _takes_notation(game, move)]


def _names_in(words: Sequence[str]) -> list[str]:
    """Return the words that may name something on a sheet. Stop before typed dice or a reason."""
    before = takewhile(lambda word: not word.startswith((DICE_SIGN, REASON_SIGN)), words)
    return [_without_terms(word).lower() for word in before if word[:1].isalpha() or re.search(DICE_PATTERN, word)]


def _without_terms(word: str) -> str:
    """Return the roll or number before joined terms: `stealth` for `stealth adv`. Dice stay as typed."""
    return word if re.search(DICE_PATTERN, word) else re.split(f"[+*/{MINUS} ]", word)[0]


def _own_names(book: Book, who: str, game: System, move: str) -> set[str]:
    """Return the names on the character's sheet that a move of the game accepts without a flag."""
    fields = [field for field in game.playable()[move].fields().values() if has_place(field) and name_prefixes(field)]
    whose = [(CAMPAIGN if sheet_tag(field).whose == CAMPAIGN else who, field) for field in fields]
    return {name for subject, field in whose for name in own_names(Names(book), subject, field, game.name)}


def _takes_notation(game: System, move: str) -> bool:
    return any(NOTATION in field.tags for field in game.playable()[move].fields().values())


def _main_moves(games: Iterable[System]) -> list[tuple[System, str]]:
    return [(game, main_move_name(game)) for game in games]


def main_move_name(game: System) -> str:
    """Return the name of the move that `c` usually means in this game."""
    return game.main or next(iter(game.playable()))


def _main_move(game: System, words: Sequence[str]) -> list[str]:
    """Return the meaning of `c` in a line with these words: a move, and its flags if there are any."""
    before_dice = takewhile(lambda word: not word.startswith(DICE_SIGN), words)
    has_number = any(word.partition(DICE_SIGN)[0].isdecimal() for word in before_dice)
    with_number = game.main_with_number if has_number else ""
    return (with_number or main_move_name(game)).split()


def _every_game(book: Book, who: str | None) -> list[System]:
    """Return the installed games of a character's sheets, or of all sheets. Secondary games come last."""
    named = [name for _, name in book.sheets()] if who is None else book.systems(who)
    games = [systems.find(name) for name in dict.fromkeys(named) if systems.is_installed(name)]
    return sorted(games, key=lambda game: game.secondary)


def likely_words(invocation: Invocation) -> dict[str, str]:
    """Map moves, and names on the usual character's sheets, to the words to type at the prompt."""
    with invocation.book() as book:
        who, games = invocation.usual_character(book), usual_games(invocation, book)
        own = {name for game in games if who for name in _own_names(book, who, game, main_move_name(game))}
        moves = {move: move for game in games for move in game.playable()}
        return {name: f"{MAIN_LETTER} {name}" for name in own} | moves


def usual_games(invocation: Invocation, book: Book) -> list[System]:
    """Return the game chosen at the prompt, else the games of the usual character, else the games of all sheets.

    Leave out games that are not installed. Leave out secondary games if there are others.
    """
    if invocation.game is not None:
        return [systems.find(invocation.game)]
    usual = invocation.usual_character(book)
    played = [name for _, name in book.sheets()] if usual is None else book.systems(usual)
    names = dict.fromkeys(name for name in played if systems.is_installed(name))
    games = [systems.find(name) for name in names]
    return systems.main_games(games)
