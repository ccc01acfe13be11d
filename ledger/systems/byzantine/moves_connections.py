"""Moves to add, change, withhold and lend connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Effect,
    Flag,
    Kind,
    Move,
    Refused,
    Ruling,
    Run,
    Step,
    Table,
    ruling,
    total,
    with_minus_sign,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_costs import CostMove
from ledger.systems.byzantine.moves_spending import ConnectionName

SIDES = ("input", "output")
Input = Annotated[
    int,
    game.Within(-game.MAX_SHEET_NUMBER, 0),
    "the energy that the connection costs each day: 0 or a negative number",
]
Output = Annotated[game.Count, "the energy that the connection yields each day"]


class ConnectionMove(Move):
    """A move that changes a connection and costs no energy."""

    who: game.Who
    connection: ConnectionName


class Connect(ConnectionMove):
    """Give a character a connection, or change one. A value that you leave out stays the same.

    If you set both values to 0, the connection ends.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-01",)
    example: ClassVar[str] = "mara workshop --input -1 --output 4"
    another: ClassVar[str] = "mara ferry --input 0 --output 2"

    input: Input | None = None
    output: Output | None = None

    def dice(self, table: Table) -> None:
        if self.input is None and self.output is None:
            raise _no_side_error()
        moves_spending.check_alive(table, self.who)
        if not any(self.changes(table).values()):
            raise Refused(f"The connection {self.connection} of {self.who} already has these values.")
        moves_spending.check_limits(table, self.who, self.connection, self.connections(table)[self.connection])

    def changes(self, table: Table) -> dict[str, int]:
        """Return the change of each typed value (`input`, `output`), 0 if the value stays the same."""
        now, typed = _sides(table, self), {"input": self.input, "output": self.output}
        return {side: value - now[side] for side, value in typed.items() if value is not None}

    def connections(self, table: Table) -> dict[str, tuple[int, int]]:
        """Return the input and output of each connection as they are after this move."""
        now, changes = _sides(table, self), self.changes(table)
        cost, gain = (now[side] + changes.get(side, 0) for side in SIDES)
        return {**moves_spending.connection_values(table, self.who), self.connection: (cost, gain)}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        sides = self.connections(table)
        active = moves_spending.without_withheld(table, self.who, sides)
        net = moves_spending.net_outcome(table, active).net
        new = moves_spending.net_outcome(table, sides)
        says = "a new character may have that" if new.valid_at_creation else "more than a new character may have"
        ended = not any(sides[self.connection])
        marks = {"lent": None, "withheld": None} if ended else {"lent": None}
        return ruling(
            f"{self.connection} ends, net {_signed(net)}" if ended else f"net {_signed(net)}",
            None,
            total("net", *(cost + gain for cost, gain in active.values()), to=net),
            Step(name="creation", says=f"net {{}}, of which below zero {{}}: {says}", numbers=(new.net, new.negatives)),
            follows=[_connection_effect(consequences.CONNECTION_CHANGED, self, self.changes(table), **marks)],
        )


class Withhold(ConnectionMove):
    """Withhold a connection until you restore it.

    Until then, its input and output do not count. With --output, you withhold only the output, and the input still
    counts.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = 'mara workshop --why "in a cell"'
    another: ClassVar[str] = 'mara workshop --output --why "no customers"'

    output: Annotated[bool, "withhold only the output; the input still counts"] = False
    why: Annotated[game.Words | None, "why the connection is withheld"] = None

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        _check_connection(table, self.who, self.connection)
        if table.find(self.who, f"withheld.{self.connection}") == self.mark_value:
            part = f"output of {self.connection}" if self.output else f"connection {self.connection}"
            raise Refused(f"The {part} is already withheld from {self.who}.")

    @property
    def mark_value(self) -> str:
        """The value of the mark `withheld.*`: `connection`, or `output` if only the output is withheld."""
        return moves_spending.OUTPUT if self.output else moves_spending.CONNECTION

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        withheld = _connection_effect(consequences.CONNECTION_WITHHELD, self, withheld=self.mark_value)
        what = f"the output of {self.connection}" if self.output else self.connection
        return ruling(f"{what} is withheld", None, follows=[withheld])


class Restore(ConnectionMove):
    """Restore a withheld connection. Its input and output count again."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = "mara workshop"
    another: ClassVar[str] = "mara workshop --dry-run"

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, f"withheld.{self.connection}") is None:
            raise Refused(f"The connection {self.connection} of {self.who} is not withheld.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        restored = _connection_effect(consequences.CONNECTION_RESTORED, self, withheld=None)
        return ruling(f"{self.connection} counts again", None, follows=[restored])


class Lend(ConnectionMove):
    """Lend a character a connection. The loan lasts until you reclaim it."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = 'mara prison-food --output 2 --why "bread and water"'
    another: ClassVar[str] = 'brak bodyguard --input -1 --why "he eats with us"'

    connection: game.Handle
    input: Input = 0
    output: Output = 0
    why: Annotated[game.Words | None, "where the connection comes from"] = None

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if not (self.input or self.output):
            raise _no_side_error()
        if self.connection in moves_spending.connection_values(table, self.who):
            raise Refused(f"{self.who} already has a connection called {self.connection}.")
        moves_spending.check_limits(table, self.who, self.connection, (self.input, self.output))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        sides = {"input": self.input, "output": self.output}
        lent = _connection_effect(consequences.CONNECTION_LENT, self, sides, lent=True)
        return ruling(f"{self.connection} is lent", None, follows=[lent])


class Reclaim(ConnectionMove):
    """Take back a connection that was lent."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = "mara prison-food"
    another: ClassVar[str] = "mara prison-food --dry-run"

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, f"lent.{self.connection}") is not True:
            raise Refused(f"{self.who} has not borrowed a connection called {self.connection}.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        scores = {side: -amount for side, amount in _sides(table, self).items()}
        reclaimed = _connection_effect(consequences.CONNECTION_RECLAIMED, self, scores, lent=None, withheld=None)
        return ruling(f"{self.connection} is gone", None, follows=[reclaimed])


class Alter(CostMove):
    """Try to change the input or output of a connection. This usually costs 20 energy per point."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-14", "BYZ-15", "BYZ-16")
    example: ClassVar[str] = "mara workshop output --by 1 --energy 20"
    another: ClassVar[str] = 'mara workshop output --energy 12 --costs 12 --why "a good friend"'

    connection: ConnectionName
    side: Literal["input", "output"]
    by: Annotated[game.SignedNumber, "the number of points to add; a number below zero subtracts"] = 1
    costs: Annotated[game.Count | None, "the cost that the GM sets instead of 20 per point; needs --why"] = None
    why: Annotated[game.Words | None, "the GM's reason for a different cost"] = None

    named: ClassVar[str] = "alter.{connection}.{side}"

    def dice(self, table: Table) -> None:
        if (self.costs is None) != (self.why is None):
            raise game.IncompletePair(Flag("costs"), Flag("why"))
        if not self.by:
            raise Refused("Change a connection by at least 1 point.")
        self.check_preset(table, typed=self.costs is not None)
        _check_connection(table, self.who, self.connection)
        moves_spending.check_limits(table, self.who, self.connection, self.altered_values(table))
        self.check(table)

    def altered_values(self, table: Table) -> tuple[int, int]:
        """Return the input and the output after a successful change."""
        cost, gain = (value + (self.by if side == self.side else 0) for side, value in _sides(table, self).items())
        return cost, gain

    def usual_cost(self, table: Table) -> int:
        return rules.alter_connection(points=abs(self.by)) if self.costs is None else self.costs

    def result(self, table: Table, *, success: bool) -> tuple[str, Sequence[Effect]]:
        marks = {} if any(self.altered_values(table)) else {"lent": None, "withheld": None}
        changed = _connection_effect(consequences.CONNECTION_CHANGED, self, {self.side: self.by}, **marks)
        says = f"{self.side} of {self.connection} is {'altered' if success else 'not altered'}"
        return says, [changed] if success else []


def _sides(table: Table, move: ConnectionMove | Alter) -> dict[str, int]:
    return {side: table.score(move.who, f"{side}.{move.connection}") for side in SIDES}


def _connection_effect(
    kind: Kind, move: ConnectionMove | Alter, scores: Mapping[str, int] = game.NO_NUMBERS, **marks: str | bool | None
) -> Effect:
    """Make an effect of this `kind` on the connection that a move names.

    The keys of `scores` and `marks` are families, such as `input`. This function adds the connection's name.
    """
    return kind.of(
        move.who,
        {f"{family}.{move.connection}": amount for family, amount in scores.items() if amount},
        marks={f"{family}.{move.connection}": value for family, value in marks.items()},
        connection=move.connection,
    )


def _no_side_error() -> BadInput:
    return BadInput(
        f"A connection needs an input or an output. Add {Flag('input', 'N')}, {Flag('output', 'N')} or both."
    )


def _check_connection(table: Table, who: str, connection: str) -> None:
    if connection not in moves_spending.connection_values(table, who):
        raise Refused(
            f"{who} has no connection called {connection}.",
            f"Add it: {Run('byzantine connect', who, connection, output='N')}",
        )


def _signed(number: int) -> str:
    return with_minus_sign(f"{number:+d}") if number else "0"
