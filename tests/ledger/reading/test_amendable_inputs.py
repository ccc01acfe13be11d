"""Every input of every entry can be amended, except for those in a small table with a reason for each."""

from __future__ import annotations

from ledger import systems
from ledger.commands import calendar, imports, naming, roll, seats, turns  # noqa: F401  they define the commands
from ledger.commands.decider import TableCommand, class_and_subclasses
from ledger.commands.play import PlayMove
from ledger.rules.inputs import AT_TABLE, NOT_AMENDABLE
from ledger.values import Field

FIXED = {
    "Adjust.sets": "the changes in `amounts` can be amended; they count, and `sets` only explains them",
    "RecordArrival.acted": "the program names the action that showed that a player is present",
    "BeginDay.count": "each day is an action part of its own; undo the days, or start more",
    "BeginDay.until": "each day is an action part of its own; undo the days, or start more",
    "ImportSheet.sets": "as for `Adjust.sets`; the entry is an ordinary change of scores",
    "Note.players": "only a secret note has readers; these can be amended",
    "Note.secret": "everybody may have read an open note; erase its words, and write a secret note",
    "Seat.no_gm": "a GM who gives up the role is a change of its own",
    "Seat.session": "a loan ends with its session; leave it with `leave`, or name the player again",
    "SetCalendar.calendar": "the text of a calendar is stored whole; set another one",
}
"""The inputs of commands that cannot be amended, each with the reason and with what to do instead."""

FIXED_IN_MOVES = {
    "syscards rate.throw": "rolling right away is a second move; amend that one",
    "syscards challenge.wait": "a declared challenge is rolled by a later move; void that one, or the challenge",
}
"""The inputs of moves that cannot be amended. The table's own moves have no character either."""


def is_fixed(field: Field) -> bool:
    return NOT_AMENDABLE in field.tags


def test_every_input_of_a_command_can_be_amended_or_has_a_reason() -> None:
    kinds = [
        kind
        for kind in class_and_subclasses(TableCommand)
        if kind is not PlayMove and kind.__module__.startswith("ledger.")
    ]
    found = {f"{kind.__name__}.{name}" for kind in kinds for name, field in kind.fields().items() if is_fixed(field)}
    assert found == FIXED.keys()


def test_every_input_of_a_move_can_be_amended_or_has_a_reason() -> None:
    moves = [(game, move) for game in systems.BUILT_IN_GAMES for move in systems.find(game).rulebook().moves]
    found = {
        f"{game} {move.name()}.{name}"
        for game, move in moves
        for name, field in move.fields().items()
        if is_fixed(field) and AT_TABLE not in field.tags
    }
    assert found == FIXED_IN_MOVES.keys()


def test_a_move_without_a_character_is_the_table_s_own() -> None:
    moves = [move for game in systems.BUILT_IN_GAMES for move in systems.find(game).rulebook().moves]
    fixed = {name for move in moves for name, field in move.fields().items() if AT_TABLE in field.tags}
    assert fixed == {"who"}
