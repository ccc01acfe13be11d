"""Commands for several characters at once. Such a command is written for all of the characters, or for none of them.

`all` leaves out the characters whose sheets lack something that the command needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from cli.asides import say_successes
from cli.context import Flags, Invocation
from cli.render import terminal
from cli.run import write_all
from cli.short_words import means_several
from ledger.commands.decider import Command
from ledger.errors import BadInput, LedgerError, NotEnough, NotOnSheet, Refused, Run, UnknownName, count_of, quoted
from ledger.events.entry import lead_of
from ledger.journal.book import Book
from ledger.reading.names import Names, open_games
from ledger.reading.typed_values import ALL, distinct_names
from ledger.rules.dice import Digits
from ledger.scribe import Written
from projections import status

if TYPE_CHECKING:
    from ledger.commands.at_table import Give

TypedRoll = Sequence[int] | Digits | None
"""The typed dice of one roll, or `None` if the computer rolls."""

MOST_LEFT_OUT = 5
"""The maximum number of left-out characters to list by name."""


def _with_reasons(book: Book, left_out: Mapping[str, str]) -> str:
    shown = [f"{book.name_of(who)} ({why})" for who, why in islice(left_out.items(), MOST_LEFT_OUT)]
    more = [f"and {len(left_out) - MOST_LEFT_OUT} more"] if len(left_out) > MOST_LEFT_OUT else []
    names = ", ".join([*shown, *more])
    return f"Not included: {names}."


def say_left_out(book: Book, left_out: Mapping[str, str], flags: Flags) -> None:
    """Print which characters a command for `all` left out."""
    if left_out and not flags.json_:
        terminal.aside(_with_reasons(book, left_out))


def _who_has(names: Names, typed: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Return the characters at the table with all of these scores. Also map each left-out character to the reason.

    Raise `Refused` if nobody at the table has all of the scores.
    """
    scores = [score.removesuffix(":") for score in typed]

    def has(who: str) -> bool:
        try:
            return all(names.score(who, score) for score in scores)
        except UnknownName:
            return False

    party, scores_text = status.party(names.book), " and ".join(map(quoted, scores))
    having = [who for who in party if has(who)]
    left_out = {who: why for who, why in status.characters_left_out(names.book).items() if has(who)}
    left_out |= {who: _what_is_missing(names, who, scores) for who in party if having and who not in having}
    if not having:
        hint = f"See the scores with {Run('sheets')}.{_how_to_add(names, party, scores)}"
        sentence = f"Nobody at the table has {scores_text}."
        raise Refused(f"{sentence} {_with_reasons(names.book, left_out)}" if left_out else sentence, hint)
    return having, left_out


def _what_is_missing(names: Names, who: str, scores: Sequence[str]) -> str:
    """Say that a character lacks these scores or, with `--new`, a sheet in a game that can have the scores."""
    games = open_games(scores) if names.new else []
    without_sheet = games and not {*games} & {*names.book.systems(who)}
    return f"no sheet in {' or '.join(games)}" if without_sheet else f"no {' and '.join(scores)}"


def _how_to_add(names: Names, party: Sequence[str], scores: Sequence[str]) -> str:
    """Say how to add these scores to the sheets of a party; "" if there is no party, or no game has such scores."""
    games = open_games(scores)
    if not games or not party:
        return ""
    if any(game in names.book.systems(who) for game in games for who in party):
        return " To add a new score, repeat the command with --new."
    return f" To add a new score: {Run('join', party[0], games[0], f'{scores[0]}=N')}"


def each_of(typed: str) -> tuple[str, ...]:
    """Return the names in a range like `bandit-1..4` or a list. Any other text is one name, and may contain commas."""
    return distinct_names([typed]) if means_several(typed) else (typed,)


def group_members(
    names: Names, typed: str, game: str | None = None, scores: Iterable[str] = (), *, npcs: bool = False
) -> tuple[Sequence[str], dict[str, str]]:
    """Return the characters that `all`, a range or a list means. Map each left-out character to the reason.

    With a `game`, `all` means the characters with a sheet in this game. With `scores`, `all` means the characters
    who have all of these scores. With `npcs`, `all` includes the non-player characters of the session.
    """
    if typed != ALL:
        return distinct_names([typed.removeprefix("@")]), {}
    if scores:
        return _who_has(names, scores)
    characters, without_sheet = status.party(names.book, game), f"no sheet in {game}"
    characters += status.session_npcs(names.book) if npcs else []
    left_out = {who: without_sheet for who in status.party(names.book) if characters and who not in characters}
    return characters, status.characters_left_out(names.book, game) | left_out


def commands_for(
    book: Book, everybody: Sequence[str], build: Callable[[str], Command], *, all_who_can: bool
) -> tuple[dict[str, Command], dict[str, str]]:
    """Map each character to its command. Also map each left-out character to the reason, such as "no edge".

    With `all_who_can`, leave out characters whose sheets lack something. Raise `Refused` if `everybody` is empty. If
    `build` fails for a character, the error names this character. If every sheet lacks something, the error names the
    last character.
    """
    if not everybody:
        raise Refused("Nobody at the table has a sheet for this command.", f"See who is here with {Run('status')}.")
    commands, left_out = dict[str, Command](), dict[str, str]()
    for place, who in enumerate(everybody, 1):
        try:
            command = build(who)
            if all_who_can:
                command.check_sheet(book)
            commands[who] = command
        except NotOnSheet as lacks:
            if not all_who_can or (place == len(everybody) and not commands):
                raise _with_character(lacks, everybody, place) from None
            left_out[who] = f"no {lacks.lacks}"
        except LedgerError as error:
            raise _with_character(error, everybody, place) from None
    return commands, left_out


def _with_character(error: LedgerError, everybody: Sequence[str], place: int) -> LedgerError:
    """Return the error of a command for a group.

    For several characters, the error also says whose command failed, and that nothing was written. `place` is the
    number of the failed command, counted from 1, or 0 if the error is not about one command.
    """
    if place and len(everybody) > 1:
        who = everybody[place - 1]
        named = error.sentence if error.sentence.startswith(f"{who} ") else f"{who}: {error.sentence}"
        error.sentence = f"{named} Nothing was written for any of the {count_of(len(everybody), 'character')}."
    return error


def check_enough_for_all(book: Book, gifts: Sequence[Give]) -> None:
    """Raise `NotEnough` if the giver has too little for all of these gifts. Each gift has the same scores."""
    giver, characters = gifts[0].who, count_of(len(gifts), "character")
    for full, amount in gifts[0].amounts.items():
        has, needs = book.balance(giver, full) or 0, amount * len(gifts)
        if has < needs:
            raise NotEnough(
                giver, full.partition("/")[2], has=has, needs=needs, where=f"{amount} for each of {characters}"
            )


def write_for_all(invocation: Invocation, book: Book, commands: Mapping[str, Command], flags: Flags) -> list[Written]:
    """Write each character's command, or none if one fails. If dice were typed, first print who has which dice.

    Raise `BadInput` if the number of typed rolls does not fit. If a command fails, the error names the character.
    """
    everybody = [*commands]
    faces = faces_of_all(everybody, flags.faces, at_prompt=invocation.at_prompt)
    if book.current is book and any(faces):
        terminal.aside(", ".join(f"{who} {_roll_text(roll)}" for who, roll in zip(everybody, faces, strict=True)))
    try:
        written = write_all(invocation, book, [*zip(commands.values(), faces, strict=True)], flags, for_group=True)
    except LedgerError as error:
        raise _with_character(error, everybody, error.place) from None
    if not flags.json_:
        if flags.seal and not flags.dry:
            _say_whose_seals(book, everybody, written)
        say_successes(written)
    return written


def _say_whose_seals(book: Book, everybody: Sequence[str], written: Sequence[Written]) -> None:
    """Print whose roll each sealed roll is, because the record keeps the character secret."""
    seals = zip(everybody, written, strict=True)
    terminal.aside(", ".join(f"#{lead_of(done.entries).seq} is {book.name_of(who)}'s roll" for who, done in seals))


def _faces_hint(rolls: Sequence[TypedRoll], size: int, *, at_prompt: bool) -> str:
    """Return a hint on how to type the dice of `size` rolls. The example uses the typed dice if possible."""
    first = next((roll for roll in rolls if roll is not None), tuple[int, ...]())
    if size == 1:
        typed = f"={first.text}" if isinstance(first, Digits) else _roll_text(first).replace(" ", ",")
        return f"Type the dice of one roll: {f'= {_roll_text(first)}' if at_prompt else f'--faces {typed}'}"
    faces = [*map(int, first.text)] if isinstance(first, Digits) else [*first]
    each = len(faces) // size
    if len(rolls) > 1 or not each or len(faces) % size:
        each, faces = 2, [7, 3, 9, 9]
    between = " " if at_prompt else ","
    several = [between.join(map(str, faces[place : place + each])) for place in range(0, len(faces), each)]
    if at_prompt:
        return f"Put a comma between the characters' dice: = {', '.join(several)}"
    return f"Put a semicolon between the characters' dice: --faces '{';'.join(several)}'"


def faces_of_all(everybody: Sequence[str], typed: Any, *, at_prompt: bool) -> list[TypedRoll]:
    """Return the typed dice of each character.

    Without typed dice, return `None` for each character. Raise `BadInput` for a wrong number of rolls.
    """
    if typed is None:
        return [None] * len(everybody)
    rolls = typed if isinstance(typed, list) else [typed]
    if len(rolls) == len(everybody) + 1 and rolls[-1] is None:  # a comma at the end
        rolls = rolls[:-1]
    if len(rolls) != len(everybody):
        hint = _faces_hint(rolls, len(everybody), at_prompt=at_prompt)
        hint = (
            f"To let the computer roll for a character, leave that character's place empty. {hint}"
            if len(rolls) < len(everybody)
            else hint
        )
        roll_count = count_of(len(rolls), "roll")
        roll = count_of(len(everybody), "character rolls", "characters roll")
        raise BadInput(f"You typed dice for {roll_count}, but {roll}: {', '.join(everybody)}.", hint)
    return rolls


def _roll_text(roll: TypedRoll) -> str:
    if roll is None:
        return "(computer)"
    return roll.text if isinstance(roll, Digits) else " ".join(map(str, roll))
