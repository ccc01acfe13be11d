"""The moves of Edge for damage: rolling it, checking it against armor, and healing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import (
    BARE,
    IN_PLACE,
    LARGEST,
    MOST_DICE,
    NOT_PAYING,
    BadInput,
    Change,
    Count,
    Effect,
    Flag,
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
from ledger.systems.edge import consequences, moves_gear, rules
from ledger.systems.edge.sheet import KINDS, STRENGTH, Armor, Weapon

WeaponName = Annotated[Handle, Tag(name="mark", of="weapon")]
DamageKind = Literal["physical", "stun"]
Percent = Annotated[int, Within(0, 100)]


class Damage(Move):
    """Roll damage: d6s for the weapon, the attack and a burst, plus one for each edge spent."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-08", "EDG-09")
    example: ClassVar[str] = "mara pistol --to brak --faces 6,6"
    another: ClassVar[str] = "mara --weapon 2 --modifier 4 --margin 3 --to brak"
    offered: ClassVar[Mapping[str, str]] = {"boost": "add dice (1 edge each)"}

    who: Who
    item: Annotated[WeaponName | None, "a weapon from the sheet", IN_PLACE] = None
    weapon: Annotated[Count | None, "number of weapon dice (default: from the sheet)"] = None
    modifier: Annotated[Change | None, "the number to add to the dice (default: the weapon's own bonus)"] = None
    melee: Annotated[bool, "add the attacker's strength to the dice"] = False
    kind: Annotated[DamageKind | None, "the kind of damage (default: the weapon's, or physical)"] = None
    margin: Annotated[
        Change | None,
        "the attack's margin, which sets the number of extra dice (if you leave it out, the last attack sets it)",
    ] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False
    extra: Annotated[Count, "further dice to add, such as for special ammunition"] = 0
    edge: Annotated[Count, "edge to spend; each one adds a die"] = 0
    to: Annotated[Who | None, NOT_PAYING, "the target; their armor is checked next"] = None
    boost: Annotated[Annotated[int, Within(1, MOST_DICE)] | None, "edge to spend now; each one adds a die"] = None

    def dice(self, table: Table) -> Pool | None:
        count = self.count(table)
        if self.to is not None:
            moves_gear.check_soaked(table, self.to)
        rules.check_enough(self.who, table.score(self.who, "edge"), self.spends)
        if count > MOST_DICE:
            raise Refused(f"This would be {count} dice. The limit is {MOST_DICE}.")
        return pool(count, rules.DAMAGE_SIDES) if count else None

    def used_weapon(self, table: Table) -> Weapon:
        """The weapon from the sheet, with typed values replacing its own. Refuse incomplete or contradictory inputs."""
        if self.item is None and (self.weapon is None or (self.modifier is None) != self.melee):
            raise BadInput(
                f"Name a weapon, or give {Flag('weapon', 'DICE')} with {Flag('modifier', 'N')} or {Flag('melee')}."
            )
        if self.melee and self.modifier is not None:
            raise BadInput(f"Use {Flag('modifier', 'N')}, or {Flag('melee')} for the attacker's strength, not both.")
        known = Weapon(dice=0, strength=None) if self.item is None else moves_gear.weapon(table, self.who, self.item)
        if self.burst and not known.burst:
            raise Refused(
                f"This weapon has no burst dice on {self.who}'s sheet.",
                f"Instead of {Flag('burst')}, give the number of dice with {Flag('extra', 'N')}.",
            )
        strength = None if self.melee else known.strength if self.modifier is None else self.modifier
        dice = known.dice if self.weapon is None else self.weapon
        return known.replace(dice=dice, strength=strength, kind=self.kind or known.kind)

    @property
    def spends(self) -> int:
        """The edge that the damage roll costs, before and after the roll."""
        return self.edge + (self.boost or 0)

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        room = len(faces) < MOST_DICE and self.boost is None
        return (*self.offered,) if room and table.score(self.who, "edge") > self.edge else ()

    def still_offers(self, table: Table, faces: Sequence[int]) -> bool:
        """Return True until the target's damage is checked against armor (EDG-09). Always True without a target."""
        if self.to is None:
            return True
        return moves_gear.pending_damage(table, self.to) == self.damage_mark(*self.damage_parts(table, faces))

    def cost(self, table: Table) -> tuple[Effect, ...]:
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self.spends}),) if self.spends else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        weapon, modifier, dealt = self.damage_parts(table, faces)
        granted = table.score(self.who, "attack-dice")
        used = [consequences.ATTACK_DICE_USED.of(self.who, {"attack-dice": -granted})] if granted > 0 else []
        return ruling(
            f"{dealt} {'' if weapon.kind == KINDS[0] else f'{weapon.kind} '}damage",
            None,
            self.pool_step(table, len(faces)),
            total("damage", *faces, modifier, to=dealt),
            follows=[*used, self.record_damage(weapon, modifier, dealt)],
        )

    def pool_step(self, table: Table, count: int) -> Step:
        """The step that lists the dice by source: weapon, attack, burst and edge."""
        weapon, attack, burst = self.used_weapon(table).dice, self.margin_dice(table), self.burst_dice(table)
        shares = {"weapon": weapon, "attack": attack, "burst": burst}
        shares = {name: share for name, share in {**shares, "edge": self.spends}.items() if share}
        says = " + ".join(f"{name} {{}}" for name in shares) or "nothing"
        return Step(name="pool", says=f"{says} = {{}}d6", numbers=(*shares.values(), count))

    def facts(self, table: Table, faces: Sequence[int]) -> str:
        dice = self.margin_dice(table)
        return f"the attack adds {dice}d6 of damage" if dice else ""

    def damage_parts(self, table: Table, faces: Sequence[int]) -> tuple[Weapon, int, int]:
        """The weapon, the modifier, and the damage."""
        weapon = self.used_weapon(table)
        modifier = self.strength(table) if weapon.strength is None else weapon.strength
        return weapon, modifier, rules.damage(dice=tuple(faces), modifier=modifier)

    def strength(self, table: Table) -> int:
        """The attacker's strength: the score `strength`, or else the attribute with that name."""
        own = STRENGTH if table.find(self.who, STRENGTH) is not None else f"attribute.{STRENGTH}"
        return table.score(self.who, own)

    def record_damage(self, weapon: Weapon, modifier: int, dealt: int) -> Effect:
        """Record the damage. With a target, the damage is then checked against armor."""
        if self.to is None:
            return consequences.DAMAGE_DEALT.of(self.who, damage=dealt)
        pending = self.damage_mark(weapon, modifier, dealt)
        return consequences.DAMAGE_DEALT.of(self.to, marks={"dealt": dict(pending.__dict__)}, damage=dealt)

    def damage_mark(self, weapon: Weapon, modifier: int, dealt: int) -> moves_gear.Dealt:
        """The value of the mark for the damage on the target's sheet. Damage below zero counts as 0."""
        return moves_gear.Dealt(damage=max(dealt, 0), kind=weapon.kind, by=self.who)

    def attack_margin(self, table: Table) -> int:
        """The typed margin, or else the lowest margin that gives the attack dice on the sheet."""
        if self.margin is not None:
            return self.margin
        waiting = table.score(self.who, "attack-dice")
        return next((least for least, dice in rules.BONUS_DICE if dice <= waiting), 0)

    def burst_dice(self, table: Table) -> int:
        """The sum of extra dice and burst dice."""
        return self.extra + (self.used_weapon(table).burst if self.burst else 0)

    def count(self, table: Table) -> int:
        """The number of dice to roll."""
        weapon, margin = self.used_weapon(table), self.attack_margin(table)
        extra = self.burst_dice(table)
        return rules.damage_dice(weapon=weapon.dice, margin=margin, extra=extra, edge=self.spends)

    def margin_dice(self, table: Table) -> int:
        """The number of dice that the attack's margin adds."""
        return rules.damage_dice(weapon=0, margin=self.attack_margin(table))


class Soak(Move):
    """Check damage against armor. The character takes the damage that gets through."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-09", "EDG-10")
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = "brak --damage 16 --threshold 15 --reduction 30"
    another: ClassVar[str] = "brak"

    who: Who
    damage: Annotated[Count | None, BARE, "the damage (default: the last damage roll)"] = None
    kind: Annotated[DamageKind | None, "the kind of damage (default: as rolled, or physical)"] = None
    armor: Annotated[
        Handle | None, "armor from the sheet, or light, medium, heavy or none (default: the worn armor)", IN_PLACE
    ] = None
    threshold: Annotated[Count | None, "the threshold (default: the armor's own)"] = None
    reduction: Annotated[Percent | None, "percent of the damage to absorb (default: the armor's own)"] = None

    def dice(self, table: Table) -> None:
        self.incoming(table)
        self.numbers(table)

    def incoming(self, table: Table) -> moves_gear.Dealt:
        """The damage to check against armor. Refuse if there is none."""
        dealt = moves_gear.pending_damage(table, self.who)
        if self.damage is not None:
            pending = dealt or moves_gear.Dealt(damage=0, kind=KINDS[0], by="")
            return pending.replace(damage=self.damage, kind=self.kind or pending.kind)
        if dealt is None:
            hint = f"Add {Flag('damage', 'N')}, or roll damage with {Flag('to', self.who)}."
            raise Refused(f"{self.who} has no damage to check against armor.", hint)
        return dealt.replace(kind=self.kind or dealt.kind)

    def numbers(self, table: Table) -> Armor:
        """The threshold and the reduction, each as typed or else from the armor."""
        if self.threshold is not None and self.reduction is not None:
            return Armor(threshold=self.threshold, reduction=self.reduction)
        own = moves_gear.named_or_worn(table, self.who, self.armor).armor
        threshold = own.threshold if self.threshold is None else self.threshold
        return Armor(threshold=threshold, reduction=own.reduction if self.reduction is None else self.reduction)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        hit, armor = self.incoming(table), self.numbers(table)
        outcome = rules.armor(
            damage=hit.damage, penetration_threshold=armor.threshold, damage_reduction=armor.reduction
        )
        cleared = {} if moves_gear.pending_damage(table, self.who) is None else {"dealt": None}
        follows = [consequences.DAMAGE_SOAKED.of(self.who, marks=cleared, soaked=outcome.soaked, damage=outcome.damage)]
        if not outcome.penetrates:
            return ruling(f"stopped ({hit.damage} under {armor.threshold})", None, follows=follows)
        if outcome.damage:
            follows.append(consequences.DAMAGE_TAKEN.of(self.who, {f"damage.{hit.kind}": outcome.damage}))
        return ruling(
            f"{outcome.damage} of {hit.damage} damage passes",
            None,
            Step(name="threshold", says="{} against {}", numbers=(hit.damage, armor.threshold)),
            Step(name="soaked", says="{} of {}, at {}%", numbers=(outcome.soaked, hit.damage, armor.reduction)),
            follows=follows,
        )


class Heal(Move):
    """Heal damage. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-10",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'brak physical --amount 4 --why "a night in the clinic"'
    another: ClassVar[str] = 'brak stun --amount 2 --why "an hour of rest"'

    who: Who
    kind: Literal["physical", "stun"]
    amount: Annotated[Annotated[int, Within(1, LARGEST)], BARE, "how much damage"]
    why: Annotated[Words, "what healed it"]

    def dice(self, table: Table) -> None:
        taken = table.score(self.who, f"damage.{self.kind}")
        if taken < self.amount:
            raise Refused(f"{self.who} has {taken} {self.kind} damage and cannot heal {self.amount}.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        healed = consequences.DAMAGE_HEALED.of(self.who, {f"damage.{self.kind}": -self.amount})
        return ruling(f"{self.amount} {self.kind} damage healed", None, follows=[healed])
