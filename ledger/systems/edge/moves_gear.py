"""Functions that read weapons and armor from a sheet, and the moves to wear and degrade armor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from ledger.rules import (
    ALONE,
    IN_PLACE,
    BadInput,
    Count,
    Flag,
    Handle,
    Move,
    Refused,
    Ruling,
    Run,
    Struct,
    Table,
    Who,
    Words,
    ruling,
)
from ledger.systems.edge import consequences
from ledger.systems.edge.sheet import GENERAL_ARMOR, NO_ARMOR, Armor, Weapon, from_mark


class Piece(Struct):
    """Armor from the mark with the name `mark`, or from scores (edition edge/1). A general class has neither."""

    armor: Armor
    mark: str | None = None
    scores: bool = False


def weapon(table: Table, who: str, name: str) -> Weapon:
    """Return a weapon from a sheet. Raise `Refused` if the sheet does not have it (EDG-09)."""
    found = from_mark(Weapon, table.find(who, f"weapon.{name}"))
    if found is None:
        hint = f"Add it with {Run('set', who, f'weapon.{name}=2d6+4', why='TEXT')}."
        raise Refused(f"{who} has no weapon called {name} on the sheet.", hint)
    return found


def piece(table: Table, who: str, name: str) -> Piece:
    """Return a general class of armor, or armor from a sheet. Raise `Refused` if the name is neither (EDG-10)."""
    if name == NO_ARMOR:
        return Piece(armor=Armor(threshold=0, reduction=0))
    if name in GENERAL_ARMOR:
        threshold, reduction = GENERAL_ARMOR[name]
        return Piece(armor=Armor(threshold=threshold, reduction=reduction))
    found = from_mark(Armor, table.find(who, f"armor.{name}"))
    if found is not None:
        return Piece(armor=found, mark=f"armor.{name}")
    if is_edition_1(table, who, name):
        return edition_1_armor(table, who)
    hint = f"Add it with {Run('set', who, f'armor.{name}=15/30', why='TEXT')}."
    raise Refused(f"{who} has no armor called {name} on the sheet.", hint)


def edition_1_armor(table: Table, who: str) -> Piece:
    """The armor of edition edge/1, which has its numbers in scores."""
    armor = Armor(threshold=table.score(who, "armor.threshold"), reduction=table.score(who, "armor.reduction"))
    return Piece(armor=armor, scores=True)


def worn(table: Table, who: str) -> Piece:
    """The worn armor, or the armor of edition edge/1. Raise `Refused` if it is no longer on the sheet."""
    name = table.find(who, "worn") or table.find(who, "armor")
    return edition_1_armor(table, who) if name is None or is_edition_1(table, who, name) else piece(table, who, name)


def named_or_worn(table: Table, who: str, name: str | None) -> Piece:
    """The armor with this name, or the worn armor if the name is None."""
    return worn(table, who) if name is None else piece(table, who, name)


def is_edition_1(table: Table, who: str, name: str) -> bool:
    """Return True if this armor has its numbers in scores (edition edge/1), not in a mark."""
    return name == table.find(who, "armor") and from_mark(Armor, table.find(who, f"armor.{name}")) is None


class Dealt(Struct):
    """Damage that must still be checked against armor. `by` is the attacker."""

    damage: int
    kind: str
    by: str


class Attacking(Struct):
    """An attack that hit. `item` is the weapon, `whom` the target, and `rolled` is True after the damage roll."""

    item: str
    whom: str
    burst: bool
    rolled: bool = False


def last_hit(table: Table, who: str) -> Attacking | None:
    """The last attack of a character if it hit, else `None`."""
    return from_mark(Attacking, table.find(who, "attacking"))


def pending_damage(table: Table, who: str) -> Dealt | None:
    """The damage to a character that must still be checked against armor, `None` if there is none."""
    return from_mark(Dealt, table.find(who, "dealt"))


def check_soaked(table: Table, who: str) -> None:
    """Refuse to hit a character again before the damage of the last hit is checked against armor (EDG-09)."""
    waits = pending_damage(table, who)
    if waits is not None:
        raise Refused(
            f"{waits.damage} damage from {waits.by} must still be checked against {who}'s armor.",
            f"Do that first: {Run('edge soak', who)}",
        )


class Wear(Move):
    """Put on a piece of armor, or take it off."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    example: ClassVar[str] = "brak vest"
    another: ClassVar[str] = "brak none"

    who: Who
    armor: Annotated[Handle, ALONE, "a piece from the sheet, or none to take armor off"]

    def dice(self, table: Table) -> None:
        if is_edition_1(table, self.who, self.armor):
            return
        if self.armor in GENERAL_ARMOR:
            raise Refused(
                f"{self.armor} is a general class of armor, not a piece that {self.who} can wear.",
                f"To use it for one hit: {Run('edge soak', self.who, self.armor)}",
            )
        piece(table, self.who, self.armor)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        says = "takes off the armor" if self.armor == NO_ARMOR else f"wears {self.armor}"
        return ruling(says, None, follows=[consequences.ARMOR_WORN.of(self.who, marks={"worn": self.armor})])


class Degrade(Move):
    """Lower the protection of armor after many hits. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'brak --threshold 5 --why "three bursts in one fight"'
    another: ClassVar[str] = 'brak --threshold 5 --reduction 10 --why "a torn strap"'

    who: Who
    armor: Annotated[Handle | None, "a piece from the sheet (default: the worn piece)", IN_PLACE] = None
    threshold: Annotated[Count, "how much to lower the threshold"] = 0
    reduction: Annotated[Count, "how much to lower the reduction"] = 0
    why: Annotated[Words, "what happened to the armor"]

    def dice(self, table: Table) -> None:
        if not (self.threshold or self.reduction):
            raise BadInput(f"Give {Flag('threshold', 'N')}, {Flag('reduction', 'N')}, or both.")
        chosen = named_or_worn(table, self.who, self.armor)
        if not (chosen.mark or chosen.scores):
            worn_none = f"{self.who} wears no armor from the sheet."
            raise Refused(
                worn_none if self.armor is None else f"{self.armor} is not armor from {self.who}'s sheet.",
                f"Name a piece: {Run('edge degrade', self.who, 'ARMOR', threshold='N', why='TEXT')}",
            )
        for name, lost in self.lost().items():
            has: int = getattr(chosen.armor, name)
            if has < lost:
                raise Refused(f"The armor has a {name} of {has} and cannot lose {lost}.")

    def lost(self) -> dict[str, int]:
        """The points that the threshold and the reduction lose, without zeros."""
        both = {"threshold": self.threshold, "reduction": self.reduction}
        return {name: lost for name, lost in both.items() if lost}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        chosen, lost = named_or_worn(table, self.who, self.armor), self.lost()
        if chosen.mark is None:
            degraded = consequences.ARMOR_DEGRADED.of(self.who, {f"armor.{name}": -loss for name, loss in lost.items()})
            return ruling("armor degraded", None, follows=[degraded])
        armor = chosen.armor
        less = armor.replace(threshold=armor.threshold - self.threshold, reduction=armor.reduction - self.reduction)
        degraded = consequences.ARMOR_DEGRADED.of(self.who, marks={chosen.mark: dict(less.__dict__)})
        return ruling(f"armor degraded to {less.threshold}/{less.reduction}", None, follows=[degraded])
