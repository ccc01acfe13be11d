"""Click types for arguments and options, and shell completion with names from the campaign."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cli import short_words
from cli.context import Invocation
from cli.render.terminal import escaped
from ledger.errors import BadInput, LedgerError
from ledger.reading.names import Names, game_named
from ledger.reading.typed_values import LAST, whole_number
from ledger.values import Field, Within

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from ledger.journal.book import Book


class WholeNumber(click.ParamType[int]):
    """A whole number within limits. The user can also type a name from `named` instead of the number."""

    name = "N"

    def __init__(self, limit: Within | None = None, named: Mapping[str, int] | None = None) -> None:
        self.limit = limit
        self.named = named or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert to a whole number within the limits. Raise `BadParameter` for any other text."""
        if isinstance(value, int):
            return value
        if value in self.named:
            return self.named[value]
        try:
            number = whole_number(value)
        except BadInput as error:
            names = f" You can also type: {', '.join(self.named)}." if self.named else ""
            self.fail(error.sentence + names, param, ctx)
        if self.limit and not self.limit.least <= number <= self.limit.most:
            self.fail(f"{number} is not between {self.limit.least} and {self.limit.most}.", param, ctx)
        return number

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names in `named` that start with the typed letters."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        return [CompletionItem(name) for name in self.named if name.startswith(incomplete)]


class OneOf(click.Choice[str]):
    """A choice among a few words. The error for a missing word is shorter than click's."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return all choices in one line."""
        return f"Choose one of {', '.join(self.choices)}."


SESSION_PREFIX = "session:"


class SessionNumber(WholeNumber):
    """The number of a session: `1`, `session:1`, `last` or `session:last`."""

    def __init__(self) -> None:
        super().__init__(Within(1, 10**6))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert a typed session, such as `last`, to its number. Raise `BadParameter` if the text names no session."""
        if value in {LAST, f"{SESSION_PREFIX}{LAST}"}:
            from ledger.reading.points import last_session  # most sessions are typed as numbers

            with ((ctx and ctx.find_object(Invocation)) or Invocation()).book() as book:
                return last_session(book)
        return super().convert(value.removeprefix(SESSION_PREFIX) if isinstance(value, str) else value, param, ctx)


class Faces(click.ParamType[Any]):
    """Typed dice: the faces in the order rolled, separated by commas. With `of_all`, `;` separates several rolls.

    The computer makes each roll that is left empty, as in `7,3;;4`.
    """

    name = "N,N…"

    def __init__(self, *, of_all: bool = False) -> None:
        self.of_all = of_all

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert typed dice. Raise `BadParameter` for anything that is not a whole number.

        - `7,3` becomes a tuple of faces (`00` means 100)
        - `=737` becomes `Digits`
        - several rolls become a list, with None for each roll by the computer
        """
        if not isinstance(value, str):
            return value
        if ";" in value and self.of_all:
            return [self.convert(roll, param, ctx) if roll.strip() else None for roll in value.split(";")]
        if value.startswith(short_words.DICE_SIGN) and value[1:].isdecimal():
            from ledger.rules.dice import Digits  # only typed dice need it

            return Digits(text=value[1:])
        from ledger.rules.dice import D100, FATE_SIGNS

        known = {"00": D100, **FATE_SIGNS}
        try:
            return tuple(known[face] if face in known else whole_number(face) for face in value.split(","))
        except BadInput as error:
            numbers = re.fullmatch(r"[0-9]+([ .;/][0-9]+)+", value)
            commas = f" Put commas between the dice: {re.sub('[ .;/]', ',', value)}" if numbers else ""
            self.fail(error.sentence + commas, param, ctx)


class Die(click.ParamType[int]):
    """A die such as `d20`, converted to its number of sides."""

    name = "DIE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert `d20`, `1d20`, `20` or `d%` to the number of sides. Raise `BadParameter` for any other text."""
        from ledger.rules.dice import D100, LEAST_SIDES, MOST_SIDES  # help needs no dice

        match = re.fullmatch(r"1?d?(%|[0-9]{1,4})", str(value).lower())
        sides = 0 if match is None else D100 if match[1] == "%" else int(match[1])
        if not LEAST_SIDES <= sides <= MOST_SIDES:
            self.fail(f"{value} is not a die. Type a die such as d20.", param, ctx)
        return sides

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the usual dice that start with the typed letters."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        return [CompletionItem(die) for die in USUAL_DICE if die.startswith(incomplete)]


USUAL_DICE = ("d4", "d6", "d8", "d10", "d12", "d20", "d100")


def completion_invocation(ctx: click.Context) -> Invocation:
    """Return the invocation for completing a word, with the file from `-f` if typed."""
    base, file = ctx.find_object(Invocation) or Invocation(), ctx.find_root().params.get("file")
    return base if file is None else base.replace(file=file)


class Completed(click.ParamType[str]):
    """A word that the shell completes with names from the campaign."""

    name = "text"

    def __init__(self, name: str, complete: Callable[[Book, click.Context], list[str]]) -> None:
        self.name = name
        self.complete = complete

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that fit the typed letters; none if the campaign cannot be read."""
        try:
            with completion_invocation(ctx).book() as book:
                return self.items(book, self.complete(book, ctx), incomplete)
        except LedgerError:
            return []

    def items(self, book: Book, names: Sequence[str], incomplete: str) -> list[CompletionItem]:
        """Return completions for the names that start with the typed letters."""
        from click.shell_completion import CompletionItem  # only a completion needs it

        return [CompletionItem(name) for name in map(escaped, names) if name.startswith(incomplete)]


class ShortName(Completed):
    """A short name. The shell shows it with the full name, and completes it from the first letters of either name."""

    def items(self, book: Book, names: Sequence[str], incomplete: str) -> list[CompletionItem]:
        """Return the short names that fit the typed letters, with their full names."""
        from click.shell_completion import CompletionItem

        start, shown = _folded(incomplete), {who: escaped(book.name_of(who)) for who in names}
        matches = {who: name for who, name in shown.items() if who.startswith(start) or _folded(name).startswith(start)}
        return [CompletionItem(escaped(who), help=name if name != who else None) for who, name in matches.items()]


def _folded(text: str) -> str:
    if text.isascii():
        return text.casefold()
    from ledger.rules.spelling import folded  # slow to load, and most names are ASCII

    return folded(text)


def _scores(book: Book, ctx: click.Context, end: str = "") -> list[str]:
    who, names = _sheet_owner(ctx), Names(book)
    return [] if who is None else [full.partition("/")[2] + end for full in names.known_scores(names.character(who))]


def _sheet_owner(ctx: click.Context, whose: str = "who") -> str | None:
    from ledger.events.subjects import CAMPAIGN  # only a completion needs it

    if whose == CAMPAIGN:
        return CAMPAIGN
    typed = [*ctx.params.get("typed", ()), *ctx.args]
    who: str | None = ctx.params.get(whose) or (next(iter(typed), None) if whose == "who" else None)
    return who


GAME = click.types.FuncParamType(game_named)
"""The type of a game's name, which may be shortened to its first letters. An unknown name stays unchanged."""

WHO = ShortName("WHO", lambda book, ctx: book.cast())
ROLLER = ShortName("WHO", lambda book, ctx: [*book.cast(), *book.players()])
SCORE = Completed("SCORE", _scores)
SCORE_CHANGE = Completed("SCORE=±N", partial(_scores, end="="))
SCORE_CLAIM = Completed("SCORE=N", partial(_scores, end="="))


def named_on_sheet(field: Field, game: str) -> Completed:
    """Return a type that completes an input with names from the character's sheet, such as the names of all skills."""

    def complete(book: Book, ctx: click.Context) -> list[str]:
        from ledger.reading.move_inputs import own_names
        from ledger.rules.inputs import sheet_tag

        who, names = _sheet_owner(ctx, sheet_tag(field).whose), Names(book)
        return [] if who is None else sorted(own_names(names, names.subject(who), field, game))

    return Completed("NAME", complete)
