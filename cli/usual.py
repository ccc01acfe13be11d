"""The character whom a typed line names, or else the usual character."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from cli import short_words
from cli.context import Invocation
from cli.param_types import ROLLER, SCORE, WHO
from cli.render import terminal
from ledger.reading.typed_values import SIGNS

VALUE_START_PATTERN = f"=|^[({SIGNS}]?[0-9]|{short_words.DICE_PATTERN}"
"""A pattern for words that cannot be a character's name: a change such as `edge=1`, a number, or dice."""


def with_usual(command: click.Command, ctx: click.Context, args: list[str]) -> list[str]:
    """Move the character to the front of the words. If no word is the character, insert the usual character.

    - `@jonas` may be anywhere in the line. In a command for one character, so may `all`.
    - A word without `@` is the character only if there are enough words for all arguments.
    - If the first argument of the command is not a character, the words stay unchanged.
    - If no word can be a character, and there is no usual character, raise `MissingParameter`.
    """
    if not takes_character(command):
        return args
    own = short_words.positional_words(command, args)
    people = sum(isinstance(param, click.Argument) and param.type in {WHO, ROLLER} for param in command.params)
    others = (
        word
        for word in own
        if re.fullmatch(short_words.NAME_WITH_AT_PATTERN, word) or (people == 1 and short_words.means_several(word))
    )
    other = next(others, None)
    if other is not None:
        return _with_who_first(other, args)
    bare = [word for word in own if not re.search(VALUE_START_PATTERN, word)]
    invocation = ctx.find_object(Invocation) or Invocation()
    if not invocation.has_usual:
        if own and not (bare or ctx.resilient_parsing) and {*ctx.help_option_names}.isdisjoint(args):
            raise click.MissingParameter(ctx=ctx, param=_first_argument(command))
        first = _character_of_view(command, ctx, bare) or (bare[0] if bare and own[0] not in bare else None)
        return args if first is None else _with_who_first(first, args)
    with invocation.book() as book:
        usual = invocation.usual_character(book)
        several = own and short_words.means_several(own[0])
        if usual is None or (own and (several or book.plays(own[0])) and len(bare) >= people):
            return args
        needed = sum(isinstance(param, click.Argument) and param.nargs == 1 for param in command.params)
        open_ended = any(isinstance(param, click.Argument) and param.nargs < 0 for param in command.params)
        if not (len(bare) >= people if open_ended else len(own) >= needed):
            return [usual, *args]
        cast = book.cast()  # read late, because few lines name another character
    names = (
        word
        for matches in short_words.MATCHERS_IN_ORDER
        for word in bare
        if any(matches(who, word.lower()) for who in cast)
    )
    return _with_who_first(next(names, own[0]), args)


def _first_argument(command: click.Command) -> click.Argument | None:
    return next((param for param in command.params if isinstance(param, click.Argument)), None)


def takes_character(command: click.Command) -> bool:
    """Return True if the first argument of the command must be a character."""
    first = _first_argument(command)
    return first is not None and first.required and first.type in {WHO, ROLLER}


def cast_now(ctx: click.Context) -> list[str]:
    """Open the campaign, and return the characters that play now."""
    with (ctx.find_object(Invocation) or Invocation()).book() as book:
        return book.cast()


def current_characters(ctx: click.Context) -> list[str]:
    """Open the campaign. Return the characters that play now, and the additional short names of all characters."""
    with (ctx.find_object(Invocation) or Invocation()).book() as book:
        return [*book.cast(), *book.short_names()]


def join_characters(command: click.Command, ctx: click.Context, args: Sequence[str]) -> list[str]:
    """Join the characters that are typed side by side at the prompt: `rest brak sil` becomes `rest brak,sil`.

    Names after an amount or `adv` may belong to a reason, so these names stay separate.
    """
    own = short_words.are_positional_or_amounts(command, args)
    is_word = [is_own and re.search(VALUE_START_PATTERN, word) is None for is_own, word in zip(own, args, strict=True)]
    reason = next((place for place, word in enumerate(args) if _starts_reason(word)), len(args))
    places = [place for place in range(min(reason, len(args) - 1)) if is_word[place] and is_word[place + 1]]
    if not (places and terminal.is_at_prompt(ctx)):
        return [*args]
    names = current_characters(ctx)
    for place in places:
        joined = short_words.join_names(args[place:], lambda word: word.lower() in names)
        if len(joined) < len(args) - place:
            return [*args[:place], *joined]
    return [*args]


def _character_of_view(command: click.Command, ctx: click.Context, bare: Sequence[str]) -> str | None:
    """Return the character in the words of a view at the prompt, such as `mara` in `why edge mara`.

    The character follows the first word, such as `edge`. If the first word may also be the start of a character's
    name, return `None`.
    """
    takes_names = all(param.type in {WHO, SCORE} for param in command.params if isinstance(param, click.Argument))
    if not (takes_names and bare[1:] and terminal.is_at_prompt(ctx)):
        return None
    names = current_characters(ctx)
    if any(name.startswith(bare[0].lower()) for name in names):
        return None
    return next((word for word in bare[1:] if word.lower() in names), None)


def _starts_reason(word: str) -> bool:
    return short_words.is_amount(word) or word in short_words.ADVANTAGE_WORDS


def _with_who_first(who: str, args: Sequence[str]) -> list[str]:
    place = args.index(who)
    return [who, *args[:place], *args[place + 1 :]]
