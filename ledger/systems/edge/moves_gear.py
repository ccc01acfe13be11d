"""Gear of Edge: the weapons and the armor that moves find on a sheet, how armor is worn, and how it degrades."""

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
from ledger.systems.edge.sheet import NO_ARMOR, RULES_OF_THUMB, Armor, Weapon, kept


class Piece(Struct):
    """Armor: a `mark` on a sheet, `scores` as edge/1 stored them, or a general class of armor."""

    armor: Armor
    mark: str | None = None
    scores: bool = False


def weapon(table: Table, who: str, name: str) -> Weapon:
    """A weapon of a sheet; refuses one that is not there (EDG-09)."""
    found = kept(Weapon, table.find(who, f"weapon.{name}"))
    if found is None:
        hint = f"Add it with {Run('set', who, f'weapon.{name}=2d6+4', why='TEXT')}."
        raise Refused(f"{who} has no weapon called {name} on the sheet.", hint)
    return found


def piece(table: Table, who: str, name: str) -> Piece:
    """A piece of armor of a sheet, or a rule of thumb by its name; refuses one that is not there (EDG-10)."""
    if name == NO_ARMOR:
        return Piece(armor=Armor(threshold=0, reduction=0))
    if name in RULES_OF_THUMB:
        threshold, reduction = RULES_OF_THUMB[name]
        return Piece(armor=Armor(threshold=threshold, reduction=reduction))
    found = kept(Armor, table.find(who, f"armor.{name}"))
    if found is not None:
        return Piece(armor=found, mark=f"armor.{name}")
    if is_nameless(table, who, name):
        return nameless(table, who)
    hint = f"Add it with {Run('set', who, f'armor.{name}=15/30', why='TEXT')}."
    raise Refused(f"{who} has no armor called {name} on the sheet.", hint)


def nameless(table: Table, who: str) -> Piece:
    """The armor whose numbers are scores."""
    armor = Armor(threshold=table.score(who, "armor.threshold"), reduction=table.score(who, "armor.reduction"))
    return Piece(armor=armor, scores=True)


def worn(table: Table, who: str) -> Piece:
    """The worn piece. Refuse one that is no longer on the sheet.

    Without a worn piece, it is the armor of edge/1: named by its mark, with its numbers as scores.
    """
    name = table.find(who, "worn") or table.find(who, "armor")
    return nameless(table, who) if name is None or is_nameless(table, who, name) else piece(table, who, name)


def worn_or(table: Table, who: str, name: str | None) -> Piece:
    """The piece of this name, or else the worn one."""
    return worn(table, who) if name is None else piece(table, who, name)


def is_nameless(table: Table, who: str, name: str) -> bool:
    """True if this is the name that edge/1 gave to the armor with numbers as scores, such as light."""
    return name == table.find(who, "armor") and kept(Armor, table.find(who, f"armor.{name}")) is None


class Dealt(Struct):
    """Damage that must still be checked against armor: how much, of which kind, and by whom."""

    damage: int
    kind: str
    by: str


class Attacking(Struct):
    """An attack that hit: the weapon, the target, whether it was a burst, and whether damage was rolled."""

    item: str
    whom: str
    burst: bool
    rolled: bool = False


def attacking(table: Table, who: str) -> Attacking | None:
    """The last attack of a character that hit, `None` without one, or after a miss."""
    return kept(Attacking, table.find(who, "attacking"))


def dealt(table: Table, who: str) -> Dealt | None:
    """The last damage to a character that still waits for armor, `None` without any."""
    return kept(Dealt, table.find(who, "dealt"))


def check_soaked(table: Table, who: str) -> None:
    """Refuse to hit a character whose armor must still be checked for an earlier hit (EDG-09)."""
    waits = dealt(table, who)
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
        if is_nameless(table, self.who, self.armor):
            return
        if self.armor in RULES_OF_THUMB:
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
        its = worn_or(table, self.who, self.armor)
        if not (its.mark or its.scores):
            worn_none = f"{self.who} wears no armor from the sheet."
            raise Refused(
                worn_none if self.armor is None else f"{self.armor} is not armor from {self.who}'s sheet.",
                f"Name a piece: {Run('edge degrade', self.who, 'ARMOR', threshold='N', why='TEXT')}",
            )
        for name, lost in self.lost().items():
            has: int = getattr(its.armor, name)
            if has < lost:
                raise Refused(f"The armor has a {name} of {has} and cannot lose {lost}.")

    def lost(self) -> dict[str, int]:
        """The loss of each number, zeros left out."""
        both = {"threshold": self.threshold, "reduction": self.reduction}
        return {name: lost for name, lost in both.items() if lost}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        its, lost = worn_or(table, self.who, self.armor), self.lost()
        if its.mark is None:
            degraded = consequences.ARMOR_DEGRADED.of(self.who, {f"armor.{name}": -loss for name, loss in lost.items()})
            return ruling("armor degraded", None, follows=[degraded])
        armor = its.armor
        less = armor.replace(threshold=armor.threshold - self.threshold, reduction=armor.reduction - self.reduction)
        degraded = consequences.ARMOR_DEGRADED.of(self.who, marks={its.mark: dict(less.__dict__)})
        return ruling(f"armor degraded to {less.threshold}/{less.reduction}", None, follows=[degraded])
