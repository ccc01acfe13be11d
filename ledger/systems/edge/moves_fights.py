"""The moves of Edge for fights: damage, armor, and the attack (a check, damage and armor in one action)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Flag,
    Move,
    Pool,
    Refused,
    Ruling,
    Run,
    Step,
    Struct,
    Table,
    Unfinished,
    Who,
    pool,
    ruling,
    total,
)
from ledger.systems.edge import consequences, rules
from ledger.systems.edge.moves_check import Check, CheckInputs, Face, SkillName
from ledger.systems.edge.sheet import DAMAGE_KINDS, GENERAL_ARMOR, HITS, STRENGTH, Armor, Weapon, from_mark

WeaponName = Annotated[game.Handle, game.Tag(name="mark", of="weapon"), game.Label(text="weapon name")]
DamageKind = Literal["physical", "stun"]
Percent = Annotated[int, game.Within(0, 100)]


class ArmorPiece(Struct):
    """A piece of armor, and the mark that stores it.

    `mark` is `armor.NAME`, or `armor` in edition edge/1. No mark stores a general class of armor: `mark` is then "".
    """

    armor: Armor
    mark: str = ""


def _weapon_on_sheet(table: Table, who: str, name: str) -> Weapon:
    weapon = from_mark(Weapon, table.find(who, f"weapon.{name}"))
    if weapon is None:
        hint = f"Add it with {Run('set', who, f'weapon.{name}=2d6+4')}."
        raise Refused(f"{who} has no weapon called {name} on the sheet.", hint)
    return weapon


def armor_piece(table: Table, who: str, name: str) -> ArmorPiece:
    """Return a general class of armor, or armor from a sheet. Raise `Refused` if the name is neither (EDG-10)."""
    if name in GENERAL_ARMOR:
        return ArmorPiece(armor=GENERAL_ARMOR[name])
    if armor := from_mark(Armor, table.find(who, f"armor.{name}")):
        return ArmorPiece(armor=armor, mark=f"armor.{name}")
    if is_edition_1(table, who, name):
        return _edition_1_armor(table, who)
    hint = f"Add it with {Run('set', who, f'armor.{name}=15/30')}."
    raise Refused(f"{who} has no armor called {name} on the sheet.", hint)


def _edition_1_armor(table: Table, who: str) -> ArmorPiece:
    armor = Armor(threshold=table.score(who, "armor.threshold"), reduction=table.score(who, "armor.reduction"))
    return ArmorPiece(armor=armor, mark="armor")


def named_or_worn_armor(table: Table, who: str, name: str | None) -> ArmorPiece:
    """Return the armor with this name, or else the worn armor. Raise `Refused` for unknown armor."""
    if name is not None:
        return armor_piece(table, who, name)
    worn = table.find(who, "worn") or table.find(who, "armor")
    return (
        _edition_1_armor(table, who)
        if worn is None or is_edition_1(table, who, worn)
        else armor_piece(table, who, worn)
    )


def is_edition_1(table: Table, who: str, name: str) -> bool:
    """Return True if the numbers of this armor are in scores (edition edge/1), not in a mark."""
    return name == table.find(who, "armor") and from_mark(Armor, table.find(who, f"armor.{name}")) is None


class PendingDamage(Struct):
    """Damage that must still be checked against armor. `by` is the attacker."""

    damage: int
    kind: str
    by: str


class LastHit(Struct):
    """An attack that hit. `item` is the weapon, `whom` the target, and `rolled` is True after the damage roll."""

    item: str
    whom: str
    burst: bool
    rolled: bool = False


def _last_hit(table: Table, who: str) -> LastHit | None:
    return from_mark(LastHit, table.find(who, "attacking"))


def _pending_damage(table: Table, who: str) -> PendingDamage | None:
    return from_mark(PendingDamage, table.find(who, "dealt"))


def _check_soaked(table: Table, who: str) -> None:
    """Refuse to hit a character whose last damage still needs an armor check (EDG-09)."""
    waits = _pending_damage(table, who)
    if waits is not None:
        raise Unfinished(
            f"{waits.damage} damage from {waits.by} must still be checked against {who}'s armor.",
            f"Do that first: {Run('edge soak', who)}. To cancel the damage instead: {Run('set', who, 'dealt=none')}",
            who=who,
            name="dealt",
        )


class Damage(Move):
    "Roll damage: d6s for the weapon, the attack and a burst. Each edge that you spend adds one more d6."

    ids: ClassVar[tuple[str, ...]] = ("EDG-08", "EDG-09")
    example: ClassVar[str] = "mara pistol --to brak --faces 6,6"
    another: ClassVar[str] = "mara --weapon 2 --modifier 4 --margin 3 --to brak"
    offered: ClassVar[Mapping[str, str]] = {"boost": "add dice (1 edge each)"}

    item: Annotated[WeaponName | None, "a weapon from the sheet", game.OPTIONAL_POSITIONAL] = None
    weapon: Annotated[
        game.Count | None, game.Label(text="weapon dice"), "number of weapon dice (default: from the sheet)"
    ] = None
    modifier: Annotated[game.SignedNumber | None, "the number to add to the dice (default: the weapon's own bonus)"] = (
        None
    )
    melee: Annotated[bool, "add the attacker's strength to the dice"] = False
    kind: Annotated[DamageKind | None, "the kind of damage (default: the weapon's, or physical)"] = None
    margin: Annotated[
        game.SignedNumber | None,
        "the attack's margin; it sets the number of extra dice (default: from the last attack)",
    ] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False
    extra: Annotated[game.Count, "more dice to add, for example for special ammunition"] = 0
    edge: Annotated[game.Count, "edge to spend; 1 edge adds 1 die"] = 0
    to: Annotated[Who | None, game.NOT_PAYING, game.Label(text="target"), "the target; their armor is checked next"] = (
        None
    )
    boost: Annotated[Annotated[int, game.Within(1, game.MOST_DICE)] | None, "edge to spend now; 1 edge adds 1 die"] = (
        None
    )

    def dice(self, table: Table) -> Pool | None:
        count = sum(self._dice_by_source(table).values())
        if self.to is not None:
            _check_soaked(table, self.to)
        rules.check_enough(self.who, table.score(self.who, "edge"), self._edge_cost)
        if count > game.MOST_DICE:
            raise Refused(f"This would be {count} dice. The limit is {game.MOST_DICE}.")
        return pool(count, rules.DAMAGE_SIDES) if count else None

    def _used_weapon(self, table: Table) -> Weapon:
        """Return the weapon. Typed values replace those on the sheet. Refuse incomplete or contradictory inputs."""
        if self.item is None and (self.weapon is None or (self.modifier is None) != self.melee):
            raise BadInput(
                f"Name a weapon. Or give {Flag('weapon', 'DICE')} with {Flag('modifier', 'N')} or {Flag('melee')}."
            )
        if self.melee and self.modifier is not None:
            raise BadInput(f"Use either {Flag('modifier', 'N')} or {Flag('melee')} (the attacker's strength).")
        known = Weapon(dice=0, strength=None) if self.item is None else _weapon_on_sheet(table, self.who, self.item)
        if self.burst and not known.burst:
            raise Refused(
                f"This weapon has no burst dice on {self.who}'s sheet.",
                f"Instead of {Flag('burst')}, give the number of dice with {Flag('extra', 'N')}.",
            )
        strength = None if self.melee else known.strength if self.modifier is None else self.modifier
        dice = known.dice if self.weapon is None else self.weapon
        return known.replace(dice=dice, strength=strength, kind=self.kind or known.kind)

    @property
    def _edge_cost(self) -> int:
        return self.edge + (self.boost or 0)

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        room = len(faces) < game.MOST_DICE and self.boost is None
        return (*self.offered,) if room and table.score(self.who, "edge") > self.edge else ()

    def may_still_accept(self, table: Table, faces: Sequence[int]) -> bool:
        """Return True if the player can still spend edge to add damage dice (EDG-09).

        Without a target, the player always can. With a target, the player can until the damage is checked against
        armor.
        """
        if self.to is None:
            return True
        return _pending_damage(table, self.to) == self._damage(table, faces)[-1]

    def cost(self, table: Table) -> tuple[game.Effect, ...]:
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -self._edge_cost}),) if self._edge_cost else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        modifier, damage, dealt = self._damage(table, faces)
        granted = table.score(self.who, "attack-dice")
        used = [consequences.ATTACK_DICE_USED.of(self.who, {"attack-dice": -granted})] if granted > 0 else []
        marks = None if self.to is None else {"dealt": dict(dealt.__dict__)}
        shares = {name: share for name, share in self._dice_by_source(table).items() if share}
        says = " + ".join(f"{name} {{}}" for name in shares) or "nothing"
        return ruling(
            f"{damage} {'' if dealt.kind == DAMAGE_KINDS[0] else f'{dealt.kind} '}damage",
            None,
            Step(name="pool", says=f"{says} = {{}}d6", numbers=(*shares.values(), len(faces))),
            total("damage", *faces, modifier, to=damage),
            follows=[*used, consequences.DAMAGE_DEALT.of(self.to or self.who, marks=marks, damage=damage)],
        )

    def _dice_by_source(self, table: Table) -> dict[str, int]:
        weapon, attack = self._used_weapon(table), self._attack_dice(table)
        burst = self.extra + (weapon.burst if self.burst else 0)
        return {"weapon": weapon.dice, "attack": attack, "burst": burst, "edge": self._edge_cost}

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        dice = self._attack_dice(table)
        return f"the attack adds {dice}d6 of damage" if dice else ""

    def _damage(self, table: Table, faces: Sequence[int]) -> tuple[int, int, PendingDamage]:
        """Return the modifier, the damage, and the pending damage.

        The pending damage will be checked against armor. It is at least 0, even if the damage is below 0.
        """
        weapon = self._used_weapon(table)
        modifier = self._strength(table) if weapon.strength is None else weapon.strength
        damage = rules.damage(dice=tuple(faces), modifier=modifier)
        return modifier, damage, PendingDamage(damage=max(damage, 0), kind=weapon.kind, by=self.who)

    def _strength(self, table: Table) -> int:
        strength = STRENGTH if table.find(self.who, STRENGTH) is not None else f"attribute.{STRENGTH}"
        return table.score(self.who, strength)

    def _attack_dice(self, table: Table) -> int:
        """Return the extra dice for the typed margin, or else the extra dice on the sheet."""
        margin = self.margin
        if margin is None:
            waiting = table.score(self.who, "attack-dice")
            margin = next((least for least, dice in rules.BONUS_DICE if dice <= waiting), 0)
        return rules.damage_dice(weapon=0, margin=margin)


class Soak(Move):
    """Check damage against armor. The character takes the damage that gets through."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-09", "EDG-10")
    by_gm: ClassVar[bool] = True
    completes: ClassVar[tuple[str, ...]] = ("dealt",)
    example: ClassVar[str] = "brak --damage 16 --threshold 15 --reduction 30"
    another: ClassVar[str] = "brak"

    damage: Annotated[game.Count | None, game.BARE, "the damage (default: the last damage roll)"] = None
    kind: Annotated[DamageKind | None, "the kind of damage (default: the roll's, or physical)"] = None
    armor: Annotated[
        game.Handle | None,
        "armor from the sheet, or one of light, medium, heavy, none (default: the worn armor)",
        game.OPTIONAL_POSITIONAL,
    ] = None
    threshold: Annotated[game.Count | None, "the threshold (default: the armor's own)"] = None
    reduction: Annotated[
        Percent | None, "the percentage of the damage to absorb (default: the armor's own percentage)"
    ] = None

    def dice(self, table: Table) -> None:
        self._incoming(table)
        self._piece(table)

    def _incoming(self, table: Table) -> PendingDamage:
        dealt = _pending_damage(table, self.who)
        if dealt is None and self.damage is None:
            hint = f"Add {Flag('damage', 'N')}, or roll damage with {Flag('to', self.who)}."
            raise Refused(f"{self.who} has no damage to check against armor.", hint)
        dealt = dealt or PendingDamage(damage=0, kind=DAMAGE_KINDS[0], by="")
        damage = dealt.damage if self.damage is None else self.damage
        return dealt.replace(damage=damage, kind=self.kind or dealt.kind)

    def _piece(self, table: Table) -> ArmorPiece:
        typed = {name: value for name in Armor._fields if (value := getattr(self, name)) is not None}
        if len(typed) == len(Armor._fields):
            return ArmorPiece(armor=Armor(**typed))
        known = named_or_worn_armor(table, self.who, self.armor)
        return known.replace(armor=known.armor.replace(**typed))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        hit, known = self._incoming(table), self._piece(table)
        armor, name = known.armor, known.mark.partition(".")[2]
        outcome = rules.armor(
            damage=hit.damage, penetration_threshold=armor.threshold, damage_reduction=armor.reduction
        )
        cleared = {} if _pending_damage(table, self.who) is None else {"dealt": None}
        facts = {"soaked": outcome.soaked, "damage": outcome.damage}
        counted = {f"{HITS}.{name}": 1} if name else {}
        follows = [consequences.DAMAGE_SOAKED.of(self.who, counted, marks=cleared, **facts)]
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


RESUME_ATTACK = "attack {who} --go-on"
"""The command that continues an unfinished attack."""


class DamageRoll(Damage):
    """Roll the damage of an attack that hit. The roll is a part of the attack."""

    typed_name: ClassVar[str] = "damage-roll"
    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara pistol --to brak --faces 6,6"
    may_lead_to: ClassVar[tuple[type[Move], ...]] = (Soak,)
    is_part: ClassVar[bool] = True
    completes: ClassVar[tuple[str, ...]] = ("attacking",)
    resume_command: ClassVar[str] = RESUME_ATTACK

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return () if self.to is None else (Soak(who=self.to),)

    def dice(self, table: Table) -> Pool | None:
        hit = _last_hit(table, self.who)
        if hit is None or hit.rolled or (hit.item, hit.whom) != (self.item, self.to):
            raise Refused(
                (
                    f"There is no damage to roll. {self.who} has not hit this target with this weapon, or the"
                    " damage is already rolled."
                ),
                f"Roll damage with {Run('edge damage', self.who, 'WEAPON')}.",
            )
        return super().dice(table)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        rolled = super().ruling(table, faces)
        marks = {"attacking": {**table.find(self.who, "attacking"), "rolled": True}}
        return rolled.replace(consequences=(*rolled.consequences, consequences.ATTACK_ROLLED.of(self.who, marks=marks)))


class AttackRoll(Check):
    """Roll the check of an attack. The roll is a part of the attack."""

    typed_name: ClassVar[str] = "attack-roll"
    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara --skill 11 --advantage map --item pistol --whom brak --faces 9,8,7"
    may_lead_to: ClassVar[tuple[type[Move], ...]] = (DamageRoll, Soak)
    is_part: ClassVar[bool] = True
    resume_command: ClassVar[str] = RESUME_ATTACK

    item: Annotated[WeaponName | None, "a weapon from the sheet"] = None
    whom: Annotated[Who | None, game.NOT_PAYING, "the target of the attack"] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False

    def dice(self, table: Table) -> Pool:
        if self.item is None or self.whom is None:
            raise BadInput(f"This roll needs {Flag('item')} and {Flag('whom')}.")
        _weapon_on_sheet(table, self.who, self.item)
        return super().dice(table)

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        hits = self._outcome(table, faces).success
        return (DamageRoll(who=self.who, item=self.item, to=self.whom, burst=self.burst),) if hits else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        checked = super().ruling(table, faces)
        follows = list(checked.consequences)
        if checked.verdict.good:
            hit = LastHit(item=self.item or "", whom=self.whom or "", burst=self.burst)
            follows.append(consequences.ATTACK_HIT.of(self.who, marks={"attacking": dict(hit.__dict__)}))
        elif _last_hit(table, self.who):
            follows.append(consequences.ATTACK_MISSED.of(self.who, marks={"attacking": None}))
        return checked.replace(consequences=tuple(follows))


class Attack(CheckInputs):
    """Attack with a weapon. One command rolls the check and the damage, and checks the armor.

    It stops when a player or the GM must choose something.
    """

    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara pistol brak --target challenging --faces 7,6,4,2"
    another: ClassVar[str] = "mara pistol brak --skill 9"
    may_lead_to: ClassVar[tuple[type[Move], ...]] = (AttackRoll, DamageRoll, Soak)
    completes: ClassVar[tuple[str, ...]] = ("attacking", "dealt")
    _fields = ("who", "weapon", "whom", "go_on", *CheckInputs._fields[1:])  # as people type them

    weapon: Annotated[WeaponName | None, "a weapon from the sheet", game.OPTIONAL_POSITIONAL] = None
    whom: Annotated[
        Who | None, game.NOT_PAYING, game.Label(text="opponent"), "the target of the attack", game.OPTIONAL_POSITIONAL
    ] = None
    go_on: Annotated[bool, "continue an unfinished attack", game.WITHOUT_OTHERS] = False
    ranks: Annotated[SkillName | None, "the skill (default: the weapon's skill)"] = None
    edge: Annotated[bool, "spend 1 edge on the check to drop any die or remove disadvantage"] = False
    drop: Annotated[Face | None, "for the check: drop the die that shows this number; needs --edge"] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False

    def dice(self, table: Table) -> None:
        if self.go_on and self != Attack(who=self.who, go_on=True):
            raise BadInput(f"Use {Flag('go-on')} without other options. The program remembers the rest of the attack.")
        hit = _last_hit(table, self.who)
        if not self.go_on and hit is not None and not hit.rolled:
            # the next attack also cancels the extra dice of the hit
            raise Unfinished(
                f"{self.who} hit {hit.whom} and has not rolled the damage yet.",
                f"To continue: {Run('edge attack', self.who, go_on=True)}. To cancel the hit:"
                f" {Run('set', self.who, 'attacking=none')}",
                who=self.who,
                name="attacking",
            )
        if self.whom is not None:
            _check_soaked(table, self.whom)
        self._next_move(table)

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return (self._next_move(table),)

    def _next_move(self, table: Table) -> Move:
        """Return the next move. Refuse an attack that lacks an input, and `--go-on` if no attack is unfinished."""
        if self.go_on:
            return self._unfinished_move(table)
        if self.weapon is None or self.whom is None:
            hint = f"Name both: {Run('edge attack', self.who, 'WEAPON', 'WHOM')}"
            raise BadInput("An attack needs a weapon and a target.", hint)
        known = _weapon_on_sheet(table, self.who, self.weapon)
        skill = self.ranks or known.skill
        if skill is None and self.skill is None:
            hint = (
                f"Add {Flag('ranks', 'SKILL')} or {Flag('skill', 'N')}. You can also set the weapon's skill on the"
                " sheet, like 2d6+4,skill=NAME."
            )
            raise Refused(f"The sheet does not say which skill {self.weapon} uses.", hint)
        if self.burst and not known.burst:
            raise Refused(f"{self.weapon} has no burst dice on {self.who}'s sheet.")
        inputs = {name: value for name, value in self.__dict__.items() if name in AttackRoll.fields()}
        return AttackRoll(**{**inputs, "item": self.weapon, "ranks": skill, "attack": True})

    def _unfinished_move(self, table: Table) -> Move:
        hit = _last_hit(table, self.who)
        if hit is None or (hit.rolled and _pending_damage(table, hit.whom) is None):
            hint = f"Start one with {Run('edge attack', self.who, 'WEAPON', 'WHOM')}."
            raise Refused(f"{self.who} has no unfinished attack.", hint)
        if hit.rolled:
            return Soak(who=hit.whom)
        return DamageRoll(who=self.who, item=hit.item, to=hit.whom, burst=hit.burst)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("goes on" if self.go_on else f"attacks {self.whom} with {self.weapon}", None)
