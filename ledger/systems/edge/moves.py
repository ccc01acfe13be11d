"""The moves of Edge beside the check: damage, armor, injuries, and edge itself."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import (
    MOST_DICE,
    BadInput,
    Change,
    Count,
    Effect,
    Handle,
    Move,
    Pool,
    Refused,
    Ruling,
    Step,
    Table,
    Tag,
    Who,
    Within,
    Words,
    pool,
    ruling,
    total,
)
from ledger.systems.edge import consequences, rules
from ledger.systems.edge.moves_check import Check, Grant

Severity = Annotated[Handle, Tag(name="score", of="injury")]
Percent = Annotated[int, Within(0, 100)]


class Damage(Move):
    """Roll d6s of damage: the weapon's, the attack's, a burst's, and one for each edge."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-08", "EDG-09")
    example: ClassVar[str] = "mara --weapon 2 --modifier 4 --faces 6,6"

    who: Who
    weapon: Annotated[Count, "dice of the weapon"]
    modifier: Annotated[Change | None, "the weapon's own strength"] = None
    melee: Annotated[bool, "the wielder's strength, on the sheet"] = False
    margin: Annotated[Change | None, "margin of the attack; else what the last attack granted"] = None
    extra: Annotated[Count, "dice of a burst and the like"] = 0
    edge: Annotated[Count, "edge to spend, a die each"] = 0

    def dice(self, table: Table) -> Pool | None:
        """The d6s, `None` for none; refuses missing edge, and more dice than a table holds."""
        if (self.modifier is None) != self.melee:
            raise BadInput("Say the modifier once: --modifier N, or --melee for the wielder's strength.")
        rules.enough(self.who, table.score(self.who, "edge"), self.edge)
        count = self.count(table)
        if count > MOST_DICE:
            raise Refused(f"{count} dice are more than the {MOST_DICE} that a table holds.")
        return pool(count, rules.DAMAGE_SIDES) if count else None

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """One edge for each extra die (EDG-09)."""
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self.edge}),) if self.edge else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Add up the dice and the modifier."""
        modifier = table.score(self.who, "strength") if self.modifier is None else self.modifier
        dealt = rules.damage(dice=tuple(faces), modifier=modifier).damage
        granted = table.score(self.who, "attack-dice")
        used = [consequences.ATTACK_DICE_USED.of(self.who, {"attack-dice": -granted})] if granted > 0 else []
        return ruling(
            f"{dealt} damage",
            None,
            total("pool", self.weapon, self.attack_share(table), self.extra, self.edge, to=len(faces)),
            total("damage", *faces, modifier, to=dealt),
            follows=[*used, consequences.DAMAGE_DEALT.of(self.who, damage=dealt)],
        )

    def worked_margin(self, table: Table) -> int:
        """The margin given, else the least that grants the dice waiting on the sheet."""
        if self.margin is not None:
            return self.margin
        waiting = table.score(self.who, "attack-dice")
        return next((least for least, dice in rules.BONUS_DICE if dice <= waiting), 0)

    def count(self, table: Table) -> int:
        """All dice of the throw."""
        margin = self.worked_margin(table)
        return rules.damage_dice(weapon=self.weapon, margin=margin, extra=self.extra, edge=self.edge).dice

    def attack_share(self, table: Table) -> int:
        """The dice that the attack adds."""
        return rules.damage_dice(weapon=0, margin=self.worked_margin(table)).dice


class Soak(Move):
    """Say what armor does to damage: the item's own numbers, on the sheet or typed."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    example: ClassVar[str] = "brak --damage 16 --threshold 15 --reduction 30"

    who: Who
    damage: Annotated[Count, "the damage that hits"]
    threshold: Annotated[Count | None, "penetration threshold, else the sheet's"] = None
    reduction: Annotated[Percent | None, "percent that is soaked, else the sheet's"] = None

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Stop damage below the threshold; soak a share of the rest."""
        threshold = table.score(self.who, "armor.threshold") if self.threshold is None else self.threshold
        reduction = table.score(self.who, "armor.reduction") if self.reduction is None else self.reduction
        outcome = rules.armor(damage=self.damage, penetration_threshold=threshold, damage_reduction=reduction)
        return ruling(
            f"{outcome.damage} of {self.damage} damage passes",
            None,
            Step(name="threshold", says="{} against {}", numbers=(self.damage, threshold)),
            Step(name="soaked", says="{} of {}, at {}%", numbers=(outcome.soaked, self.damage, reduction)),
            follows=[consequences.DAMAGE_SOAKED.of(self.who, soaked=outcome.soaked, damage=outcome.damage)],
        )


class Degrade(Move):
    """Lower the worth of armor that was hit often, as the GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    example: ClassVar[str] = 'brak --threshold 5 --why "three bursts in one fight"'

    who: Who
    threshold: Annotated[Count, "points off the penetration threshold"] = 0
    reduction: Annotated[Count, "points off the damage reduction"] = 0
    why: Annotated[Words, "what the armor went through"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses a loss of nothing, and a score below 0."""
        if not (self.threshold or self.reduction):
            raise BadInput("Say what the armor loses: --threshold N, --reduction N, or both.")
        for name, lost in self.lost().items():
            has = table.score(self.who, name)
            if has < lost:
                raise Refused(f"{self.who} has {has} {name} and cannot lose {lost}.")

    def lost(self) -> dict[str, int]:
        """The loss of each armor score, zeros left out."""
        both = {"armor.threshold": self.threshold, "armor.reduction": self.reduction}
        return {name: lost for name, lost in both.items() if lost}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Lower the scores."""
        follows = consequences.ARMOR_DEGRADED.of(self.who, {name: -lost for name, lost in self.lost().items()})
        return ruling("armor degraded", None, follows=[follows])


class Injure(Move):
    """Write down an injury."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-11",)
    example: ClassVar[str] = 'mara serious --why "a bullet in the shoulder"'

    who: Who
    severity: Severity
    why: Annotated[Words, "what happened"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses an unknown severity."""
        _check_severity(table, self.severity)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Add it to the sheet."""
        follows = consequences.INJURY_TAKEN.of(self.who, {f"injury.{self.severity}": 1})
        return ruling(f"{self.severity} injury", None, follows=[follows])


class Lessen(Move):
    """Spend edge to lessen an injury, a step for each edge."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-11", "EDG-15")
    example: ClassVar[str] = "mara serious"

    who: Who
    severity: Severity
    edge: Annotated[Annotated[int, Within(1, 100)], "edge to spend, a step each"] = 1

    def dice(self, table: Table) -> None:
        """No dice. Refuses a missing injury, a step below the least, and missing edge."""
        _check_severity(table, self.severity)
        if table.score(self.who, f"injury.{self.severity}") < 1:
            raise Refused(f"{self.who} has no {self.severity} injury.")
        self.lessened(table)
        rules.enough(self.who, table.score(self.who, "edge"), self.edge)

    def lessened(self, table: Table) -> str:
        """The severity after all steps."""
        severity = self.severity
        for _ in range(self.edge):
            severity = rules.lessen_injury(severity=severity, steps=tuple(table.settings["injuries"])).severity
        return severity

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """One edge for each step."""
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self.edge}),)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Move the injury down the steps."""
        severity = self.lessened(table)
        follows = consequences.INJURY_LESSENED.of(self.who, {f"injury.{self.severity}": -1, f"injury.{severity}": 1})
        return ruling(f"{self.severity} injury is now {severity}", None, follows=[follows])


class Rest(Move):
    """Rest: a short one gives 1 edge, a long one all, up to the maximum; what is above it stays."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-12",)
    example: ClassVar[str] = "mara short"

    who: Who
    kind: Literal["short", "long"]

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Give edge back."""
        current, maximum = _edge(table, self.who)
        after = rules.rest(kind=self.kind, current=current, maximum=max(current, maximum)).current
        return ruling(f"{self.kind} rest", None, follows=_gain(self.who, after - current))


class Award(Move):
    """Give edge for an achievement or a setback, as the GM decides, up to the maximum."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-13", "EDG-15")
    example: ClassVar[str] = 'mara --amount 1 --why "found the way out"'

    who: Who
    amount: Annotated[Annotated[int, Within(1, 1000)], "edge given"]
    why: Annotated[Words, "the achievement or the setback"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses more than the maximum."""
        self.after(table)

    def after(self, table: Table) -> int:
        """The edge after the award."""
        current, maximum = _edge(table, self.who)
        return rules.award(amount=self.amount, current=current, maximum=maximum).current

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Give the edge."""
        return ruling("award", None, follows=_gain(self.who, self.after(table) - _edge(table, self.who)[0]))


class Burn(Move):
    """Burn edge for good to survive what would kill outright."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-14",)
    example: ClassVar[str] = 'mara --against "the fall from the tower"'

    who: Who
    against: Annotated[Words, "the death that is escaped"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses a burn without current edge, or without a maximum."""
        current, maximum = _edge(table, self.who)
        if current and not maximum:
            raise Refused("A burn takes a point of the maximum, and there is none.")
        rules.edge_burn(current=current, maximum=max(current, maximum))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Live, and need care."""
        current, maximum = _edge(table, self.who)
        highest = max(current, maximum)  # what a correction left above the maximum stays above it
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
        raise Refused(f"{severity!r} is no severity; they are {', '.join(steps)}.")


MOVES = (Check, Grant, Damage, Soak, Degrade, Injure, Lessen, Rest, Award, Burn)
