"""Moves for mara with every combination of inputs that may charge brak."""

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from evenings import MOVES
from ledger.errors import LedgerError
from ledger.rules.inputs import AT_TABLE, CAST, WORDS
from ledger.rules.move import Move, Table
from ledger.rules.rulings import Effect
from ledger.systems import find
from ledger.systems.edge.sheet import Weapon
from ledger.values import Field

FOR_PLAYERS = [(system, move) for system, move in MOVES if not (move.by_gm or AT_TABLE in move.fields()["who"].tags)]
TAKEN = {"energy-attacked", "debt-incurred"}
"""Kinds of consequences by which an opponent loses a score, or owes it, without spending anything."""


MUCH = 12
MARKS = {
    "byzantine/task.x": {"base": 4, "opposition": {}},
    "edge/weapon.x": dict(Weapon(dice=2, strength=1, skill="x", burst=1).__dict__),
    "syscards/rejects": True,
}


def rich_table(system: str) -> Table:
    """Make a table where everybody has much of each score, and few marks."""
    game = find(system)

    def look(who: str, full: str) -> Any:
        name = full.removeprefix(f"{system}/")
        if name.endswith(".*"):
            return ["x"]
        if full in MARKS or (score := game.score(name)) is None:
            return MARKS.get(full)
        return max(score.least, min(MUCH, score.most if isinstance(score.most, int) else MUCH))

    return Table(system, look, {setting.name: setting.default for setting in game.settings})


def samples(field: Field) -> list[Any]:
    """Return some values of an input; an input for a character gets brak."""
    one: list[Any]
    if field.keyed:
        return [{"brak": "x"}] if field.kind is str else [{"brak": 2}]
    if CAST in field.tags:
        one = ["brak"]
    elif field.choices:
        one = list(field.choices)
    elif field.kind is bool:
        one = [True]
    elif field.kind is int:
        one = [2, 20]
    else:
        one = ["because"] if WORDS in field.tags else ["x", "brak"]
    return [(value,) for value in one] if field.many else one


def fillings(move: type[Move]) -> Iterator[Move]:
    """Yield the move for mara with its required inputs, and with every one or two of the others."""
    fields = [field for field in move.fields().values() if field.name != "who"]
    required = [field for field in fields if field.required]
    optional = [field for field in fields if not field.required]
    for few in (*combinations(optional, 0), *combinations(optional, 1), *combinations(optional, 2)):
        filled = [*required, *few]
        for chosen in product(*map(samples, filled)):
            yield move(who="mara", **{field.name: value for field, value in zip(filled, chosen, strict=True)})


def effects(move: Move, table: Table) -> tuple[Effect, ...]:
    """Return everything that a move changes on the sheets if every die shows 1; nothing if it is refused."""
    try:
        pool = move.dice(table)
        faces = [1] * len(pool.sides) if pool else []
        if "take" in move.choices(table, faces):
            move = move.replace(take=1)
        move.check_choice(table, faces)
        return (*move.cost(table), *move.roll_effects(table, faces), *move.ruling(table, faces).consequences)
    except LedgerError:
        return ()


def charged(effects: tuple[Effect, ...]) -> set[str]:
    """Return the characters who lose a score that they spent."""
    spent = (each for each in effects if each.kind.name not in TAKEN)
    return {each.who for each in spent if any(amount < 0 for amount in each.scores.values())}
