"""The attack of Edge: check, damage and armor as one action, and a way to continue an attack that stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from ledger.rules import (
    BARE,
    IN_PLACE,
    NOT_PAYING,
    BadInput,
    Change,
    Effect,
    Flag,
    Handle,
    Hidden,
    Move,
    Named,
    Pool,
    Refused,
    Ruling,
    Run,
    Table,
    Who,
    Words,
    ruling,
)
from ledger.systems.edge import consequences, moves_gear
from ledger.systems.edge.moves_check import AttributeName, Check, Face, SkillName
from ledger.systems.edge.moves_fights import Damage, Soak, WeaponName
from ledger.systems.edge.sheet import TARGETS

GO_ON = "attack {who} --go-on"
"""The command that continues an unfinished attack."""


class DamageRoll(Damage):
    """Roll the damage of an attack that hit, as a part of it."""

    called: ClassVar[str] = "damage-roll"
    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara pistol --to brak --faces 6,6"
    leads: ClassVar[tuple[type[Move], ...]] = (Soak,)
    is_part: ClassVar[bool] = True
    resumed: ClassVar[str] = GO_ON

    def then(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return () if self.to is None else (Soak(who=self.to),)

    def dice(self, table: Table) -> Pool | None:
        hit = moves_gear.last_hit(table, self.who)
        if hit is None or hit.rolled or (hit.item, hit.whom) != (self.item, self.to):
            raise Refused(
                f"{self.who} has not hit this target with this weapon, or the damage is already rolled.",
                f"Roll damage with {Run('edge damage', self.who, 'WEAPON')}.",
            )
        return super().dice(table)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        rolled = super().ruling(table, faces)
        hit = moves_gear.last_hit(table, self.who)
        assert hit is not None  # noqa: S101  `dice` refused everything else
        marks = {"attacking": dict(hit.replace(rolled=True).__dict__)}
        return rolled.replace(consequences=(*rolled.consequences, consequences.ATTACK_ROLLED.of(self.who, marks=marks)))


class AttackRoll(Check):
    """Roll the check of an attack, as a part of it."""

    called: ClassVar[str] = "attack-roll"
    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara --skill 11 --advantage map --item pistol --whom brak --faces 9,8,7"
    leads: ClassVar[tuple[type[Move], ...]] = (DamageRoll, Soak)
    is_part: ClassVar[bool] = True
    resumed: ClassVar[str] = GO_ON

    item: Annotated[WeaponName | None, "a weapon from the sheet"] = None
    whom: Annotated[Who | None, NOT_PAYING, "the target of the attack"] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False

    def dice(self, table: Table) -> Pool:
        if self.item is None or self.whom is None:
            raise BadInput(f"This roll needs {Flag('item')} and {Flag('whom')}.")
        moves_gear.weapon(table, self.who, self.item)
        return super().dice(table)

    def then(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        if not self.outcome(table, faces).success:
            return ()
        return (DamageRoll(who=self.who, item=self.item, to=self.whom, burst=self.burst),)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        checked = super().ruling(table, faces)
        return checked.replace(consequences=(*checked.consequences, *self.hit_effects(table, faces)))

    def hit_effects(self, table: Table, faces: Sequence[int]) -> Sequence[Effect]:
        """Record a hit, or remove an earlier hit from the sheet after a miss."""
        if self.outcome(table, faces).success:
            hit = moves_gear.Attacking(item=self.item or "", whom=self.whom or "", burst=self.burst)
            return [consequences.ATTACK_HIT.of(self.who, marks={"attacking": dict(hit.__dict__)})]
        earlier = moves_gear.last_hit(table, self.who)
        return [consequences.ATTACK_MISSED.of(self.who, marks={"attacking": None})] if earlier else []


class Attack(Move):
    """Attack with a weapon: check, damage and armor in one command. Stops when a player or the GM has a choice."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-09",)
    example: ClassVar[str] = "mara pistol brak --target challenging --faces 7,6,4,2"
    another: ClassVar[str] = "mara pistol brak --skill 9"
    leads: ClassVar[tuple[type[Move], ...]] = (AttackRoll, DamageRoll, Soak)

    who: Who
    weapon: Annotated[WeaponName | None, "a weapon from the sheet", IN_PLACE] = None
    whom: Annotated[Who | None, NOT_PAYING, "the target of the attack", IN_PLACE] = None
    go_on: Annotated[bool, "continue an attack that stopped"] = False
    skill: Annotated[Change | None, "the total skill bonus"] = None
    ranks: Annotated[SkillName | None, "the skill (default: the weapon's skill)"] = None
    attributes: Annotated[tuple[AttributeName, ...], "two attributes for this check (default: the skill's)"] = ()
    bonus: Annotated[Change, "a bonus or penalty from the GM; needs --why"] = 0
    why: Annotated[Words | None, "the reason for --bonus or --not-related"] = None
    target: Annotated[Hidden, Named(numbers=TARGETS), BARE, "a number, or a name like challenging"] = 20
    secret: Annotated[bool, "hide the target number from the players"] = False
    advantage: Annotated[tuple[Words, ...], "give advantage, and say where it comes from"] = ()
    disadvantage: Annotated[tuple[Words, ...], "give disadvantage, and say where it comes from"] = ()
    related: Annotated[bool, "this check is related: use the advantage or disadvantage saved for one"] = False
    related_to: Annotated[
        tuple[Handle, ...], "what else the check is related to, apart from its skill; for example climbing"
    ] = ()
    not_related: Annotated[bool, "ignore advantage and disadvantage granted for related checks; needs --why"] = False
    edge: Annotated[bool, "1 edge on the check: choose the die to drop, or remove disadvantage"] = False
    drop: Annotated[Face | None, "the number on the die to drop from the check; needs --edge"] = None
    burst: Annotated[bool, "fire a burst: add the weapon's burst dice"] = False

    def dice(self, table: Table) -> None:
        if self.go_on and self != Attack(who=self.who, go_on=True):
            raise BadInput(f"Use {Flag('go-on')} without other inputs. The program remembers the rest of the attack.")
        if not self.go_on:
            self.check_ended(table)
        self.following(table)

    def check_ended(self, table: Table) -> None:
        """Refuse a new attack if the last hit still needs its damage roll or its check against armor (EDG-09)."""
        hit = moves_gear.last_hit(table, self.who)
        if hit is not None and not hit.rolled:
            raise Refused(
                f"{self.who} hit {hit.whom} and has not rolled the damage yet.",
                f"To continue: {Run('edge attack', self.who, go_on=True)}; or to cancel the hit:"
                f" {Run('set', self.who, 'attacking=none', why='TEXT')}",
            )
        if self.whom is not None:
            moves_gear.check_soaked(table, self.whom)

    def then(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return (self.following(table),)

    def following(self, table: Table) -> Move:
        """The next move. Refuse an incomplete attack, and `--go-on` without an unfinished attack."""
        if self.go_on:
            return self.unfinished_move(table)
        if self.weapon is None or self.whom is None:
            hint = f"Name both: {Run('edge attack', self.who, 'WEAPON', 'WHOM')}"
            raise BadInput("An attack needs a weapon and a target.", hint)
        known = moves_gear.weapon(table, self.who, self.weapon)
        skill = self.ranks or known.skill
        if skill is None and self.skill is None:
            hint = (
                f"Add {Flag('ranks', 'SKILL')} or {Flag('skill', 'N')}, or set the weapon's skill on the sheet, as in"
                " 2d6+4,skill=NAME."
            )
            raise Refused(f"The sheet does not say which skill {self.weapon} uses.", hint)
        if self.burst and not known.burst:
            raise Refused(f"{self.weapon} has no burst dice on {self.who}'s sheet.")
        inputs = {name: value for name, value in self.__dict__.items() if name in AttackRoll.fields()}
        return AttackRoll(**{**inputs, "item": self.weapon, "ranks": skill, "attack": True})

    def unfinished_move(self, table: Table) -> Move:
        """The next move of an unfinished attack. Refuse if there is none."""
        hit = moves_gear.last_hit(table, self.who)
        if hit is None or (hit.rolled and moves_gear.pending_damage(table, hit.whom) is None):
            hint = f"Start one with {Run('edge attack', self.who, 'WEAPON', 'WHOM')}."
            raise Refused(f"{self.who} has no unfinished attack.", hint)
        if hit.rolled:
            return Soak(who=hit.whom)
        return DamageRoll(who=self.who, item=hit.item, to=hit.whom, burst=hit.burst)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("goes on" if self.go_on else f"attacks {self.whom} with {self.weapon}", None)
