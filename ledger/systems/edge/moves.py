"""Moves for injuries, rest and edge, and the list of all moves of Edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import BARE, Effect, Handle, Move, Refused, Ruling, Table, Tag, Who, Within, Words, ruling
from ledger.systems.edge import consequences, rules
from ledger.systems.edge.moves_attack import Attack, AttackRoll, DamageRoll
from ledger.systems.edge.moves_check import Check, Grant
from ledger.systems.edge.moves_fights import Damage, Heal, Soak
from ledger.systems.edge.moves_gear import Degrade, Wear

Severity = Annotated[Handle, Tag(name="score", of="injury", setting="injuries")]


class Injure(Move):
    """Record an injury."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-11",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'mara serious --why "a bullet in the shoulder"'
    another: ClassVar[str] = 'brak minor --why "a sprained ankle"'

    who: Who
    severity: Severity
    why: Annotated[Words, "what happened"]

    def dice(self, table: Table) -> None:
        _check_severity(table, self.severity)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        follows = consequences.INJURY_TAKEN.of(self.who, {f"injury.{self.severity}": 1})
        return ruling(f"{self.severity} injury", None, follows=[follows])


class Lessen(Move):
    """Spend edge to make an injury less severe, one step for each edge."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-11", "EDG-15")
    example: ClassVar[str] = "mara serious"
    another: ClassVar[str] = "mara serious --edge 1 --dry-run"

    who: Who
    severity: Severity
    edge: Annotated[Annotated[int, Within(1, 100)], "edge to spend, 1 for each step"] = 1

    def dice(self, table: Table) -> None:
        _check_severity(table, self.severity)
        if table.score(self.who, f"injury.{self.severity}") < 1:
            raise Refused(f"{self.who} has no {self.severity} injury.")
        self.final_severity(table)
        rules.check_enough(self.who, table.score(self.who, "edge"), self.edge)

    def final_severity(self, table: Table) -> str:
        """The severity after `edge` steps."""
        severity = self.severity
        for _ in range(self.edge):
            severity = rules.lessen_injury(severity=severity, steps=tuple(table.settings["injuries"]))
        return severity

    def cost(self, table: Table) -> tuple[Effect, ...]:
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self.edge}),)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        severity = self.final_severity(table)
        follows = consequences.INJURY_LESSENED.of(self.who, {f"injury.{self.severity}": -1, f"injury.{severity}": 1})
        return ruling(f"{self.severity} injury is now {severity}", None, follows=[follows])


class Rest(Move):
    """Take a rest. A short rest restores 1 edge, and a long rest restores all edge.

    If edge is already above the maximum, a rest does not lower it.
    """

    ids: ClassVar[tuple[str, ...]] = ("EDG-12",)
    example: ClassVar[str] = "mara short"
    another: ClassVar[str] = "brak long"

    who: Who
    kind: Literal["short", "long"]

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        current, maximum = _edge(table, self.who)
        after = rules.rest(kind=self.kind, current=current, maximum=max(current, maximum))
        return ruling(f"{self.kind} rest", None, follows=_gain(self.who, after - current))


class Award(Move):
    """Award edge for an achievement or a setback, up to the maximum. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-13", "EDG-15")
    example: ClassVar[str] = 'mara --amount 1 --why "found the way out"'
    another: ClassVar[str] = 'brak --amount 1 --why "lost the duel bravely"'

    who: Who
    amount: Annotated[Annotated[int, Within(1, 1000)], BARE, "how much edge"]
    why: Annotated[Words, "the achievement or the setback"]

    def dice(self, table: Table) -> None:
        self.edge_after(table)

    def edge_after(self, table: Table) -> int:
        """The edge after the award. Refuse an award above the maximum."""
        current, maximum = _edge(table, self.who)
        return rules.award(amount=self.amount, current=current, maximum=maximum)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("award", None, follows=_gain(self.who, self.edge_after(table) - _edge(table, self.who)[0]))


class Burn(Move):
    """Burn 1 edge for good to survive certain death."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-14",)
    example: ClassVar[str] = 'mara --against "the fall from the tower"'
    another: ClassVar[str] = 'brak --against "the arrow" --dry-run'

    who: Who
    against: Annotated[Words, "what would have killed the character"]

    def dice(self, table: Table) -> None:
        current, maximum = _edge(table, self.who)
        if current and not maximum:
            raise Refused("A burn also lowers the maximum edge by 1, but the maximum is already 0.")
        rules.edge_burn(current=current, maximum=max(current, maximum))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        current, maximum = _edge(table, self.who)
        highest = max(current, maximum)  # a correction can leave edge above the maximum, and it stays there
        after = rules.edge_burn(current=current, maximum=highest)
        changes = {"edge": after.current - current, "maximum": after.maximum - highest}
        follows = consequences.EDGE_BURNED.of(self.who, changes, marks={"care": True})
        return ruling("lives, and needs care", None, follows=[follows])


def _edge(table: Table, who: str) -> tuple[int, int]:
    return table.score(who, "edge"), table.score(who, "maximum")


def _gain(who: str, amount: int) -> Sequence[Effect]:
    return [consequences.EDGE_GAINED.of(who, {"edge": amount})] if amount else []


def _check_severity(table: Table, severity: str) -> None:
    steps = table.settings["injuries"]
    if severity not in steps:
        raise Refused(f"{severity!r} is not a severity. Use one of {', '.join(steps)}.")


MOVES = (
    Check,
    Grant,
    Attack,
    AttackRoll,
    DamageRoll,
    Damage,
    Soak,
    Wear,
    Degrade,
    Heal,
    Injure,
    Lessen,
    Rest,
    Award,
    Burn,
)
