"""Limits: of everything the most that is taken, as a user is told it, and one more that is refused."""

from collections.abc import Callable

import pytest

from ledger.commands.at_table import Note, OpenSession
from ledger.commands.decider import Command
from ledger.commands.seats import Seat
from ledger.errors import BadInput, LedgerError, NotWithin, quoted
from ledger.rules.inputs import check_handle, read_handle
from ledger.rules.notation import read_notation
from ledger.systems.edge.rules import damage_chance
from ledger.systems.edge.sheet import read_armor, read_weapon
from table import every_game, scribe

READ: dict[str, tuple[int, Callable[[int], object]]] = {
    "dice of one kind": (100, lambda count: read_notation(f"{count}d6")),
    "dice of a pool": (100, lambda count: read_notation(f"60d6+{count - 60}d8")),
    "sides": (1000, lambda sides: read_notation(f"1d{sides}")),
    "digits of a number in a pool": (9, lambda count: read_notation("1d6+" + "1" * count)),
    "characters of a short name": (32, lambda count: read_handle("n" * count)),
    "characters of a character's name": (32, lambda count: check_handle("n" * count)),
    "dice of a weapon": (20, lambda count: read_weapon(f"{count}d6")),
    "dice of a burst": (20, lambda count: read_weapon(f"1d6,burst={count}")),
    "strength of a weapon": (1000, lambda number: read_weapon(f"1d6+{number}")),
    "threshold of armor": (1000, lambda number: read_armor(f"{number}/0")),
    "dice whose odds are counted": (20, lambda count: damage_chance(dice=count, modifier=0)),
    "percent of armor": (100, lambda number: read_armor(f"0/{number}")),
}


@pytest.mark.parametrize("what", READ)
def test_the_most_is_read_and_one_more_is_refused(what: str) -> None:
    most, read = READ[what]
    read(most)
    with pytest.raises((BadInput, NotWithin)):
        read(most + 1)


WRITTEN: dict[str, tuple[int, Callable[[int], Command]]] = {
    "characters of a title": (80, lambda count: OpenSession(title="x" * count, present=())),
    "characters of a name": (80, lambda count: Seat(name="x" * count, plays=(), gm=False)),
    "characters of a note": (10_000, lambda count: Note(text="x" * count)),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_the_most_is_written_and_one_more_is_refused(what: str) -> None:
    most, command = WRITTEN[what]
    with every_game() as book:
        with pytest.raises(LedgerError, match=f"{most:,}"):
            scribe(book).write(command(most + 1))
        scribe(book).write(command(most), dry=True)


def test_an_id_of_a_command_has_200_plain_characters_at_most() -> None:
    with every_game() as book:
        scribe(book).write(Note(text="x"), once="i" * 200)
        for wrong in ("i" * 201, "", "é"):
            with pytest.raises(BadInput, match="1 to 200 letters, digits or symbols"):
                scribe(book).write(Note(text="x"), once=wrong)


def test_what_an_error_quotes_has_50_characters_at_most() -> None:
    assert quoted("x" * 50) == repr("x" * 50)
    assert quoted("x" * 51) == repr("x" * 49 + "…")
