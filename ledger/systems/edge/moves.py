"""Moves for armor, healing, injuries, rest and edge, and the list of all moves of Edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger import rules as game
from ledger.rules import Flag, Handle, Move, Refused, Ruling, Run, Table, Words, ruling
from ledger.systems.edge import consequences, moves_check, moves_fights, rules
from ledger.systems.edge.sheet import BURN_AT_ZERO, GENERAL_ARMOR, NO_ARMOR

Severity = Annotated[Handle, game.Tag(name="score", of="injury", setting="injuries")]


class Wear(Move):
    """Put on a piece of armor, or take it off."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    example: ClassVar[str] = "brak vest"
    another: ClassVar[str] = "brak none"

    armor: Annotated[Handle, game.POSITIONAL, "a piece from the sheet, or 'none' to take armor off"]

    def dice(self, table: Table) -> None:
        if moves_fights.is_edition_1(table, self.who, self.armor):
            return
        if self.armor in GENERAL_ARMOR and self.armor != NO_ARMOR:
            raise Refused(
                f"{self.armor} is a general class of armor, not a piece that {self.who} can wear.",
                f"To use it for one hit: {Run('edge soak', self.who, self.armor)}",
            )
        moves_fights.armor_piece(table, self.who, self.armor)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        says = "takes off the armor" if self.armor == NO_ARMOR else f"wears {self.armor}"
        return ruling(says, None, follows=[consequences.ARMOR_WORN.of(self.who, marks={"worn": self.armor})])


class Degrade(Move):
    "After many hits, the GM can lower the protection of armor."

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'brak --threshold 5 --why "three bursts in one fight"'
    another: ClassVar[str] = 'brak --threshold 5 --reduction 10 --why "a torn strap"'

    armor: Annotated[Handle | None, "a piece from the sheet (default: the worn piece)", game.OPTIONAL_POSITIONAL] = None
    threshold: Annotated[game.Count, "how much to subtract from the armor's threshold"] = 0
    reduction: Annotated[game.Count, "how many percentage points to subtract from the armor's reduction"] = 0
    why: Annotated[Words | None, "what happened to the armor"] = None

    def dice(self, table: Table) -> None:
        if not (self.threshold or self.reduction):
            raise game.BadInput(f"Give {Flag('threshold', 'N')}, {Flag('reduction', 'N')}, or both.")
        chosen = moves_fights.named_or_worn_armor(table, self.who, self.armor)
        if not chosen.mark:
            worn_none = f"{self.who} wears no armor from the sheet."
            raise Refused(
                worn_none if self.armor is None else f"{self.armor} is not armor from {self.who}'s sheet.",
                f"Name a piece: {Run('edge degrade', self.who, 'ARMOR', threshold='N')}",
            )
        for name, lost in self._losses().items():
            has: int = getattr(chosen.armor, name)
            if has < lost:
                raise Refused(f"The armor has a {name} of {has} and cannot lose {lost}.")

    def _losses(self) -> dict[str, int]:
        both = {"threshold": self.threshold, "reduction": self.reduction}
        return {name: lost for name, lost in both.items() if lost}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        chosen, lost = moves_fights.named_or_worn_armor(table, self.who, self.armor), self._losses()
        if chosen.mark == "armor":
            degraded = consequences.ARMOR_DEGRADED.of(self.who, {f"armor.{name}": -loss for name, loss in lost.items()})
            return ruling("armor degraded", None, follows=[degraded])
        armor = chosen.armor
        less = armor.replace(threshold=armor.threshold - self.threshold, reduction=armor.reduction - self.reduction)
        degraded = consequences.ARMOR_DEGRADED.of(self.who, marks={chosen.mark: dict(less.__dict__)})
        return ruling(f"armor degraded to {less.threshold}/{less.reduction}", None, follows=[degraded])


class Heal(Move):
    """Heal damage. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'brak physical --amount 4 --why "a night in the clinic"'
    another: ClassVar[str] = 'brak stun --amount 2 --why "an hour of rest"'

    kind: moves_fights.DamageKind
    amount: Annotated[Annotated[int, game.Within(1, game.MAX_SHEET_NUMBER)], game.BARE, "the amount of damage"]
    why: Annotated[Words | None, "what healed the damage"] = None

    def dice(self, table: Table) -> None:
        taken = table.score(self.who, f"damage.{self.kind}")
        if taken < self.amount:
            raise Refused(f"{self.who} has {taken} {self.kind} damage and cannot heal {self.amount}.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        healed = consequences.DAMAGE_HEALED.of(self.who, {f"damage.{self.kind}": -self.amount})
        return ruling(f"{self.amount} {self.kind} damage healed", None, follows=[healed])


class Injure(Move):
    """Record an injury."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-11",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'mara serious --why "a bullet in the shoulder"'
    another: ClassVar[str] = 'brak minor --why "a sprained ankle"'

    severity: Severity
    why: Annotated[Words | None, "what happened"] = None

    def dice(self, table: Table) -> None:
        rules.check_severity(self.severity, table.settings["injuries"])

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        follows = consequences.INJURY_TAKEN.of(self.who, {f"injury.{self.severity}": 1})
        return ruling(f"{self.severity} injury", None, follows=[follows])


class Lessen(Move):
    "Spend edge to make an injury less severe. Each edge makes the injury one step less severe."

    ids: ClassVar[tuple[str, ...]] = ("EDG-11", "EDG-15")
    example: ClassVar[str] = "mara serious"
    another: ClassVar[str] = "mara serious --edge 1 --dry-run"

    severity: Severity
    edge: Annotated[Annotated[int, game.Within(1, 100)], "how much edge to spend (1 for each step)"] = 1

    def dice(self, table: Table) -> None:
        rules.check_severity(self.severity, table.settings["injuries"])
        if table.score(self.who, f"injury.{self.severity}") < 1:
            raise Refused(f"{self.who} has no {self.severity} injury.")
        self._final_severity(table)
        rules.check_enough(self.who, table.score(self.who, "edge"), self.edge)

    def _final_severity(self, table: Table) -> str:
        severity = self.severity
        for _ in range(self.edge):
            severity = rules.lessen_injury(severity=severity, steps=tuple(table.settings["injuries"]))
        return severity

    def cost(self, table: Table) -> tuple[game.Effect, ...]:
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self.edge}),)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        severity = self._final_severity(table)
        follows = consequences.INJURY_LESSENED.of(self.who, {f"injury.{self.severity}": -1, f"injury.{severity}": 1})
        return ruling(f"{self.severity} injury is now {severity}", None, follows=[follows])


class Rest(Move):
    """Take a rest. A short rest restores 1 edge, and a long rest restores all edge.

    If edge is already above the maximum, a rest does not lower it.
    """

    ids: ClassVar[tuple[str, ...]] = ("EDG-12",)
    example: ClassVar[str] = "mara short"
    another: ClassVar[str] = "brak long"

    kind: Literal["short", "long"]

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        current, maximum = _edge(table, self.who)
        gained = rules.rest(kind=self.kind, current=current, maximum=max(current, maximum)) - current
        follows = [consequences.EDGE_GAINED.of(self.who, {"edge": gained})] if gained else []
        return ruling(f"{self.kind} rest", None, follows=follows)


class Award(Move):
    """Award edge for an achievement or a setback, up to the maximum. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-13", "EDG-15")
    example: ClassVar[str] = 'mara --amount 1 --why "found the way out"'
    another: ClassVar[str] = 'brak --amount 1 --why "lost the duel bravely"'

    amount: Annotated[Annotated[int, game.Within(1, 1000)], game.BARE, "the amount of edge"]
    why: Annotated[Words | None, "the achievement or the setback"] = None

    def dice(self, table: Table) -> None:
        current, maximum = _edge(table, self.who)
        rules.award(amount=self.amount, current=current, maximum=maximum)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("award", None, follows=[consequences.EDGE_GAINED.of(self.who, {"edge": self.amount})])


class Burn(Move):
    "Burn 1 edge permanently to survive certain death. This also lowers the maximum by 1."

    ids: ClassVar[tuple[str, ...]] = ("EDG-14",)
    example: ClassVar[str] = 'mara --against "the fall from the tower"'
    another: ClassVar[str] = 'brak --against "the arrow" --dry-run'

    against: Annotated[Words, "what would have killed the character"]

    def dice(self, table: Table) -> None:
        changes = self._changes(table)
        if changes["edge"]:
            rules.check_burnable(table.score(self.who, "maximum"))

    def _changes(self, table: Table) -> dict[str, int]:
        current, maximum = _edge(table, self.who)
        highest = max(current, maximum)  # a correction can leave edge above the maximum, and it stays there
        after = rules.edge_burn(current=current, maximum=highest, at_zero=table.settings[BURN_AT_ZERO] == "on")
        return {"edge": after.current - current, "maximum": after.maximum - highest}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        changes = self._changes(table)
        follows = consequences.EDGE_BURNED.of(self.who, changes, marks={"care": True})
        return ruling("lives, and needs care", None, follows=[follows])


def _edge(table: Table, who: str) -> tuple[int, int]:
    return table.score(who, "edge"), table.score(who, "maximum")


MOVES = (
    moves_check.Check,
    moves_fights.Attack,
    moves_fights.AttackRoll,
    moves_fights.DamageRoll,
    moves_fights.Damage,
    moves_fights.Soak,
    Heal,
    Rest,
    moves_check.Grant,
    Award,
    Injure,
    Lessen,
    Burn,
    Wear,
    Degrade,
)
