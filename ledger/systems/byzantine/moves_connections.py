"""Moves to add, change, withhold and lend connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import (
    BadInput,
    Count,
    Flag,
    Handle,
    Move,
    Refused,
    Ruling,
    Run,
    Step,
    Table,
    Together,
    Who,
    Within,
    Words,
    minus,
    ruling,
    total,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_costs import Attempts
from ledger.systems.byzantine.moves_spending import ConnectionName

Input = Annotated[int, Within(-rules.MOST_INPUT, 0)]
Output = Annotated[int, Within(0, rules.MOST_OUTPUT)]


class Connect(Move):
    """Give a character a connection, or change one. A value that you leave out stays the same.

    If you set both values to 0, the connection ends.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-01",)
    example: ClassVar[str] = "mara workshop --input -1 --output 4"
    another: ClassVar[str] = "mara ferry --input 0 --output 2"

    who: Who
    connection: ConnectionName
    input: Annotated[
        Input | None, "the energy that the connection takes each day: 0, or a negative number down to −5"
    ] = None
    output: Annotated[Output | None, "the energy that the connection yields each day, from 0 to 5"] = None

    def dice(self, table: Table) -> None:
        if self.input is None and self.output is None:
            raise BadInput(
                f"A connection needs an input or an output. Add {Flag('input', 'N')}, {Flag('output', 'N')} or both."
            )
        moves_spending.check_alive(table, self.who)
        if not any(self.value_changes(table).values()):
            raise Refused(f"The connection {self.connection} of {self.who} already has these values.")
        rules.net_energy(connections=tuple(self.sides(table).values()))

    def value_changes(self, table: Table) -> dict[str, int]:
        """The changes that the typed values make, by score; 0 for an unchanged value."""
        wanted = {f"input.{self.connection}": self.input, f"output.{self.connection}": self.output}
        return {name: value - table.score(self.who, name) for name, value in wanted.items() if value is not None}

    def sides(self, table: Table) -> dict[str, tuple[int, int]]:
        """The input and output of each connection, with the new values for this one."""
        now = [table.score(self.who, f"{side}.{self.connection}") for side in ("input", "output")]
        cost, gain = (old if new is None else new for old, new in zip(now, (self.input, self.output), strict=True))
        return {**moves_spending.sides_of(table, self.who), self.connection: (cost, gain)}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        sides = self.sides(table)
        active = moves_spending.without_withheld(table, self.who, sides)
        net = rules.net_energy(connections=tuple(active.values())).net
        new = rules.net_energy(connections=tuple(sides.values()))
        fits = "a new character may have that" if new.valid_at_creation else "more than a new character may have"
        says = f"net {{}}, of which below zero {{}}: {fits}"
        changes = {name: amount for name, amount in self.value_changes(table).items() if amount}
        ended = not any(sides[self.connection])
        marks = {f"{what}.{self.connection}": None for what in (("lent", "withheld") if ended else ("lent",))}
        return ruling(
            f"{self.connection} ends, net {_signed(net)}" if ended else f"net {_signed(net)}",
            None,
            total("net", *(cost + gain for cost, gain in active.values()), to=net),
            Step(name="creation", says=says, numbers=(new.net, new.negatives)),
            follows=[consequences.CONNECTION_CHANGED.of(self.who, changes, marks=marks, connection=self.connection)],
        )


class Alter(Attempts):
    """Try to change the input or output of a connection. This usually costs 20 energy per point."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-14", "BYZ-15", "BYZ-16")
    example: ClassVar[str] = "mara workshop output --by 1 --energy 20"
    another: ClassVar[str] = 'mara workshop output --energy 12 --costs 12 --why "a good friend"'

    connection: ConnectionName
    side: Literal["input", "output"]
    by: Annotated[
        Annotated[int, Within(-rules.MOST_INPUT, rules.MOST_OUTPUT)],
        "the number of points to add; a number below zero subtracts",
    ] = 1
    costs: Annotated[Count | None, "the cost that the GM sets instead of 20 per point; needs --why"] = None
    why: Annotated[Words | None, "the GM's reason for a different cost"] = None

    def dice(self, table: Table) -> None:
        if (self.costs is None) != (self.why is None):
            raise Together(Flag("costs"), Flag("why"))
        self.total_cost(table)
        self.check_preset(table, typed=self.costs is not None)
        _check_connection(table, self.who, self.connection)
        now = table.score(self.who, f"{self.side}.{self.connection}")
        least, most = (-rules.MOST_INPUT, 0) if self.side == "input" else (0, rules.MOST_OUTPUT)
        if not least <= now + self.by <= most:
            says = f"The {self.side} of a connection is between {least} and {most}. This would make it {now + self.by}."
            raise Refused(minus(says))
        self.check(table)
        self.opponents(table)

    @property
    def cost_name(self) -> str:
        return f"alter.{self.connection}.{self.side}"

    def total_cost(self, table: Table) -> int:
        """The cost that the GM set in advance, else the typed or usual cost (BYZ-16). Refuse a change of 0 points."""
        if not self.by:
            raise Refused("Change a connection by at least 1 point.")
        preset = self.preset_cost(table)
        return self.usual(table) if preset is None else preset.total

    def usual(self, table: Table) -> int:
        return rules.alter_connection(points=abs(self.by)) if self.costs is None else self.costs

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        cost, preset = self.total_cost(table), self.preset_cost(table)
        outcome = rules.commit(ability=self.rating(table), energy=self.energy, cost=cost)
        changes = {f"{self.side}.{self.connection}": self.by}
        sides = sum(table.score(self.who, f"{side}.{self.connection}") != 0 for side in ("input", "output"))
        ends = sides == 1 and table.score(self.who, f"{self.side}.{self.connection}") == -self.by
        marks = {f"{what}.{self.connection}": None for what in ("lent", "withheld")} if ends else {}
        changed = consequences.CONNECTION_CHANGED.of(self.who, changes, marks=marks, connection=self.connection)
        return ruling(
            self.says(table, f"{self.side} of {self.connection} is {'altered' if outcome.success else 'not altered'}"),
            outcome.success,
            self.total_step(table, outcome.total),
            Step(name="cost", says="{} against {}", numbers=(outcome.total, cost)),
            follows=[
                *self.spending_effects(table),
                *self.opponents(table),
                *([changed] if outcome.success else []),
                *(self.resolved(table, cost=cost, success=outcome.success) if preset else []),
            ],
        )


class Withhold(Move):
    """Withhold a connection, or only its output, until you restore it. A withheld part does not count."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = 'mara workshop --why "in a cell"'
    another: ClassVar[str] = 'mara workshop --output --why "no customers"'

    who: Who
    connection: ConnectionName
    output: Annotated[bool, "withhold only the output; the input still counts"] = False
    why: Annotated[Words, "why the connection is withheld"]

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        _check_connection(table, self.who, self.connection)
        if table.find(self.who, f"withheld.{self.connection}") == self.what:
            part = f"output of {self.connection}" if self.output else f"connection {self.connection}"
            raise Refused(f"The {part} is already withheld from {self.who}.")

    @property
    def what(self) -> str:
        """The value of the mark: `connection`, or `output` if only the output is withheld."""
        return moves_spending.OUTPUT if self.output else moves_spending.CONNECTION

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        marks = {f"withheld.{self.connection}": self.what}
        follows = consequences.CONNECTION_WITHHELD.of(self.who, marks=marks, connection=self.connection)
        what = f"the output of {self.connection}" if self.output else self.connection
        return ruling(f"{what} is withheld", None, follows=[follows])


class Restore(Move):
    """Restore a withheld connection. Its input and output count again."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = "mara workshop"
    another: ClassVar[str] = "mara workshop --dry-run"

    who: Who
    connection: ConnectionName

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, f"withheld.{self.connection}") is None:
            raise Refused(f"The connection {self.connection} of {self.who} is not withheld.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        marks = {f"withheld.{self.connection}": None}
        follows = consequences.CONNECTION_RESTORED.of(self.who, marks=marks, connection=self.connection)
        return ruling(f"{self.connection} counts again", None, follows=[follows])


class Lend(Move):
    """Lend a character a connection. The loan lasts until you reclaim it."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = 'mara prison-food --output 2 --why "bread and water"'
    another: ClassVar[str] = 'brak bodyguard --input -1 --why "he eats with us"'

    who: Who
    connection: Handle
    input: Annotated[Input, "the energy that the connection takes each day: 0, or a negative number down to −5"] = 0
    output: Annotated[Output, "the energy that the connection yields each day, from 0 to 5"] = 0
    why: Annotated[Words, "where the connection comes from"]

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if not (self.input or self.output):
            raise BadInput(
                f"A connection needs an input or an output. Add {Flag('input', 'N')}, {Flag('output', 'N')} or both."
            )
        if self.connection in moves_spending.sides_of(table, self.who):
            raise Refused(f"{self.who} already has a connection called {self.connection}.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        sides = {f"input.{self.connection}": self.input, f"output.{self.connection}": self.output}
        changes = {name: amount for name, amount in sides.items() if amount}
        marks = {f"lent.{self.connection}": True}
        follows = consequences.CONNECTION_LENT.of(self.who, changes, marks=marks, connection=self.connection)
        return ruling(f"{self.connection} is lent", None, follows=[follows])


class Reclaim(Move):
    """Take back a connection that was lent."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-03",)
    example: ClassVar[str] = "mara prison-food"
    another: ClassVar[str] = "mara prison-food --dry-run"

    who: Who
    connection: ConnectionName

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, f"lent.{self.connection}") is not True:
            raise Refused(f"{self.who} has no connection called {self.connection} on loan.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        names = (f"{side}.{self.connection}" for side in ("input", "output"))
        changes = {name: -table.score(self.who, name) for name in names}
        scores = {name: amount for name, amount in changes.items() if amount}
        marks = {f"{what}.{self.connection}": None for what in ("lent", "withheld")}
        follows = consequences.CONNECTION_RECLAIMED.of(self.who, scores, marks=marks, connection=self.connection)
        return ruling(f"{self.connection} is gone", None, follows=[follows])


def _check_connection(table: Table, who: str, connection: str) -> None:
    if connection not in moves_spending.sides_of(table, who):
        raise Refused(
            f"{who} has no connection called {connection}.",
            f"Add it: {Run('byzantine connect', who, connection, output='N')}",
        )


def _signed(number: int) -> str:
    return minus(f"{number:+d}") if number else "0"
