"""Group: one line for everybody at the table, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from cli.context import Flags, Invocation
from cli.render import terminal
from cli.run import write_all
from cli.short_words import ALL
from ledger.errors import BadInput, LedgerError, Refused, Run, UnknownName, shortened
from ledger.reading.names import Names, distinct_names

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.journal.book import Book
    from ledger.rules.dice import Digits
    from ledger.scribe import Written

MOST_LEFT_OUT = 5
"""The most left-out characters that a line for all names."""


def party_at(names: Names, game: str | None = None) -> list[str]:
    """The characters of the players who are here; with a game, only those with a sheet in it."""
    from projections.status import party

    return party(names.book, game)


def left_out(names: Names, game: str | None = None) -> dict[str, str]:
    """The characters that `party_at` leaves out, each with the reason."""
    from projections import status

    left = status.left_out(names.book, game)
    return {who: f"{player} is absent" if player else "no player" for who, player in left.items()}


def _with_reasons(left: Mapping[str, str]) -> str:
    shown = [f"{who} ({why})" for who, why in islice(left.items(), MOST_LEFT_OUT)]
    more = [f"and {len(left) - MOST_LEFT_OUT} more"] if len(left) > MOST_LEFT_OUT else []
    return f"Not included: {', '.join([*shown, *more])}."


def say_left_out(left: Mapping[str, str], flags: Flags) -> None:
    """After a line for all, name the characters that it left out."""
    if left and not flags.json_:
        terminal.aside(_with_reasons(left))


def who_has(names: Names, typed: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """List the characters here who have all these scores, and those that a line for all leaves out, with reasons.

    Raise `Refused` if nobody here has them.
    """
    scores = [score.removesuffix(":") for score in typed]

    def has(who: str) -> bool:
        try:
            return all(names.score(who, score) for score in scores)
        except UnknownName:
            return False

    party, named = party_at(names), " and ".join(map(shortened, scores))
    found = [who for who in party if has(who)]
    left = {who: why for who, why in left_out(names).items() if has(who)}
    left |= {who: f"no {' and '.join(scores)}" for who in party if found and who not in found}
    if not found:
        hint = f"See the scores with {Run('sheets')}. To add a new score to sheets of the game 'free', add --new."
        sentence = f"Nobody at the table has {named}."
        raise Refused(f"{sentence} {_with_reasons(left)}" if left else sentence, hint)
    return found, left


def everybody(names: Names, typed: str, game: str | None = None) -> list[str]:
    """The characters that `all` means, in a game if one is named, or that a range like `gob-1..3` means."""
    if typed == ALL:
        return party_at(names, game)
    return [names.character(name) for name in distinct_names([typed.removeprefix("@")])]


def write_for_all(
    invocation: Invocation, book: Book, everybody: Sequence[str], build: Callable[[str], Command], flags: Flags
) -> list[Written]:
    """Write a command for each, all or none. With typed faces, a terminal shows to whom they belong, and asks.

    Refuse (`Refused`) if there is nobody, and (`BadInput`) faces for more or fewer rolls. An error names the character
    by its place.
    """
    if not everybody:
        raise Refused("Nobody at the table has a sheet for this.", f"See who is here with {Run('status')}.")
    faces = faces_of_all(everybody, flags.faces, at_prompt=invocation.at_prompt)
    commands = []
    place = 0
    try:
        for place, who in enumerate(everybody):
            commands.append((build(who), faces[place]))
        if book.now is book and not _agreed(everybody, faces):
            return []
        return write_all(invocation, book, commands, flags)
    except LedgerError as error:
        about = error.place or (place + 1 if len(commands) < len(everybody) else 0)
        if about:
            error.sentence = f"{everybody[about - 1]} ({about} of {len(everybody)}): {error.sentence}"
        raise


def _faces_hint(rolls: Sequence[Sequence[int] | Digits], size: int, *, at_prompt: bool) -> str:
    """Show how to type the dice of `size` rolls. The typed dice are divided among the rolls if that comes out even."""
    from ledger.rules.dice import Digits

    if size == 1:
        first = f"={rolls[0].text}" if isinstance(rolls[0], Digits) else _told(rolls[0]).replace(" ", ",")
        return f"Type the dice of one roll: {f'= {_told(rolls[0])}' if at_prompt else f'--faces {first}'}"
    faces = [*map(int, rolls[0].text)] if isinstance(rolls[0], Digits) else [*rolls[0]]
    each = len(faces) // size
    if len(rolls) > 1 or not each or len(faces) % size:
        each, faces = 2, [7, 3, 9, 9]
    between = " " if at_prompt else ","
    several = [between.join(map(str, faces[place : place + each])) for place in range(0, len(faces), each)]
    if at_prompt:
        return f"Put a comma after each character's dice: = {', '.join(several)}"
    return f"Put a semicolon after each character's dice: --faces '{';'.join(several)}'"


def faces_of_all(everybody: Sequence[str], typed: Any, *, at_prompt: bool) -> list[Sequence[int] | Digits | None]:
    """The typed faces of each, `None` where the computer rolls; refuses (`BadInput`) those of more or fewer rolls."""
    if typed is None:
        return [None] * len(everybody)
    rolls = typed if isinstance(typed, list) else [typed]
    if len(rolls) != len(everybody):
        hint = _faces_hint(rolls, len(everybody), at_prompt=at_prompt)
        typed_for = "1 roll" if len(rolls) == 1 else f"{len(rolls)} rolls"
        roll = "1 character rolls" if len(everybody) == 1 else f"{len(everybody)} characters roll"
        raise BadInput(f"You typed dice for {typed_for}, but {roll}: {', '.join(everybody)}.", hint)
    return rolls


def _agreed(everybody: Sequence[str], faces: Sequence[Sequence[int] | Digits | None]) -> bool:
    if faces[0] is None:
        return True
    terminal.aside(", ".join(f"{who} {_told(roll)}" for who, roll in zip(everybody, faces, strict=True)))
    return not terminal.interactive() or click.confirm("Save this?", default=True, err=True)


def _told(roll: Sequence[int] | Digits | None) -> str:
    from ledger.rules.dice import Digits

    return roll.text if isinstance(roll, Digits) else " ".join(map(str, roll or ()))
