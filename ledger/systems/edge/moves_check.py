"""The success check of Edge, and the advantage that the GM grants for a later one."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import (
    BadInput,
    Change,
    Effect,
    Handle,
    Hidden,
    Move,
    Named,
    Pool,
    Refused,
    Ruling,
    Step,
    Table,
    Tag,
    Together,
    Who,
    Within,
    Words,
    pool,
    ruling,
    total,
)
from ledger.systems.edge import consequences, rules
from ledger.systems.edge.sheet import TARGETS

SkillName = Annotated[Handle, Tag(name="score", of="skill")]
AttributeName = Annotated[Handle, Tag(name="score", of="attribute")]

SOURCES = ("advantage", "disadvantage")
MODES = {
    "advantage": Step(name="advantage", says="the lowest of three goes"),
    "disadvantage": Step(name="disadvantage", says="the highest of three goes"),
    "edge": Step(name="edge", says="the player names the die that goes"),
}


class Check(Move):
    """Roll 2d10 and the skill bonus against a target number."""

    ids: ClassVar[tuple[str, ...]] = tuple(f"EDG-0{n}" for n in range(1, 9))
    example: ClassVar[str] = "mara --skill 11 --target 20 --faces 7,6"

    chosen: ClassVar[tuple[str, ...]] = ("drop",)

    who: Who
    skill: Annotated[Change | None, "the whole skill bonus, as a number"] = None
    ranks: Annotated[SkillName | None, "the skill whose ranks on the sheet count"] = None
    attributes: Annotated[tuple[AttributeName, ...], "the two attributes of the skill, on the sheet"] = ()
    bonus: Annotated[Change, "a flat bonus or penalty that the GM gives; say why"] = 0
    why: Annotated[Words | None, "the reason of the bonus"] = None
    target: Annotated[Hidden, Named(numbers=TARGETS), "the target number, or its name"] = 20
    secret: Annotated[bool, "keep the target number from the players"] = False
    advantage: Annotated[tuple[Words, ...], "an advantage: where it comes from"] = ()
    disadvantage: Annotated[tuple[Words, ...], "a disadvantage: where it comes from"] = ()
    related: Annotated[bool, "what waits for a related check fits this one"] = False
    edge: Annotated[bool, "spend 1 edge: gain, or remove a disadvantage"] = False
    drop: Annotated[Annotated[int, Within(1, rules.SIDES)] | None, "the face of the die to drop, with edge"] = None
    attack: Annotated[bool, "the check is an attack"] = False
    simple: Annotated[bool, "success or failure alone, no margin"] = False

    def dice(self, table: Table) -> Pool:
        """2d10 or 3d10; refuses a missing bonus, missing edge, and a die named without edge."""
        by_name = self.ranks is not None or bool(self.attributes)
        if (self.skill is not None) == by_name:
            raise BadInput("Say the skill bonus: --skill N, or --ranks SKILL and its two --attributes.")
        if by_name and self.ranks is None:
            raise BadInput("--attributes go with --ranks.")
        if bool(self.bonus) != (self.why is not None):
            raise Together("A --bonus other than 0", "its --why")
        mode = self.mode(table)
        self.worked_bonus(table)
        if self.edge:
            rules.enough(self.who, table.score(self.who, "edge"), 1)
        if self.drop is not None and mode != "edge":
            raise Refused("A die to drop is named only where edge gains.")
        return pool(2 if mode == "normal" else 3, rules.SIDES)

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """With edge, the player names the die to drop after the throw (EDG-04)."""
        return ("drop",) if self.mode(table) == "edge" and self.drop is None else ()

    def agree(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse a face to drop that was not thrown (EDG-04)."""
        rules.may_drop(faces, self.mode(table), self.drop)

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """One edge, declared before the dice (EDG-04)."""
        return (consequences.EDGE_SPENT.of(self.who, {"edge": -1}),) if self.edge else ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Succeed by meeting the target number; a double widens the margin."""
        mode, bonus = self.mode(table), self.worked_bonus(table)
        outcome = rules.check(dice=tuple(faces), mode=mode, bonus=bonus, target_number=self.target, drop=self.drop)
        steps = [*self.bonus_steps(table, bonus)]
        if mode in MODES:
            steps.append(MODES[mode])
        elif self.edge:
            steps.append(Step(name="edge", says="removes the disadvantage"))
        steps += [
            total("dice", *outcome.kept, bonus, to=outcome.total),
            Step(name="target", says="{} against {}", numbers=(outcome.total, self.veil(self.target))),
        ]
        if outcome.double and not self.simple:
            steps.append(Step(name="double", says="triumph  +5" if outcome.success else "despair  −5"))
        gone = rules.dropped_place(faces, mode, self.drop)
        says = outcome.magnitude.replace("_", " ")
        return ruling(
            ("success" if outcome.success else "failure") if self.simple else says,
            outcome.success,
            *steps,
            margin=None if self.simple else self.veil(outcome.margin),
            dropped={} if gone is None else {gone: rules.DROPS[mode]},
            follows=(*self.used(table), *self.attack_dice(table, says), *self.setback(says)),
        )

    def waiting(self, table: Table, what: str) -> dict[str, int]:
        """The waiting advantages and disadvantages that fit this check: name and count."""
        scopes = ("any", "related") if self.related else ("any",)
        counts = {f"{what}.{scope}": table.score(self.who, f"{what}.{scope}") for scope in scopes}
        return {name: count for name, count in counts.items() if count > 0}

    def mode(self, table: Table) -> rules.Mode:
        """The mode of the throw, by the inputs and the advantages that wait on the sheet."""
        advantage = bool(self.advantage or self.waiting(table, "advantage"))
        disadvantage = bool(self.disadvantage or self.waiting(table, "disadvantage"))
        weighs = disadvantage and not advantage
        use: rules.EdgeUse | None = ("remove" if weighs else "gain") if self.edge else None
        return rules.dice_mode(advantage=advantage, disadvantage=disadvantage, edge=use).mode

    def worked_bonus(self, table: Table) -> int:
        """The skill bonus; refuses a skill or attribute that is not on the sheet (EDG-02)."""
        if self.skill is not None:
            return self.skill + self.bonus
        named = [*(f"attribute.{name}" for name in self.attributes), f"skill.{self.ranks}"]
        for name in named:
            if table.find(self.who, name) is None:
                raise Refused(f"{self.who} has no {name} on the sheet.", "Say the whole bonus with --skill N.")
        *attributes, ranks = (table.score(self.who, name) for name in named)
        return rules.skill_bonus(attributes=tuple(attributes), ranks=ranks, flat=self.bonus).bonus

    def bonus_steps(self, table: Table, bonus: int) -> Sequence[Step]:
        """The step that adds up the bonus, none for a single number."""
        if self.skill is not None:
            return (total("skill", self.skill, self.bonus, to=bonus),) if self.bonus else ()
        named = [*(f"attribute.{name}" for name in self.attributes), f"skill.{self.ranks}"]
        addends = [table.score(self.who, name) for name in named]
        return (total("skill", *addends, *([self.bonus] if self.bonus else []), to=bonus),)

    def used(self, table: Table) -> Sequence[Effect]:
        """Use up every waiting advantage and disadvantage that fits this check (EDG-08)."""
        kind_of = {"advantage": consequences.ADVANTAGE_USED, "disadvantage": consequences.DISADVANTAGE_USED}
        waiting = {what: self.waiting(table, what) for what in SOURCES}
        return [
            kind_of[what].of(self.who, {name: -count for name, count in counts.items()})
            for what, counts in waiting.items()
            if counts
        ]

    def attack_dice(self, table: Table, says: str) -> Sequence[Effect]:
        """Damage dice for a good attack; unused dice of the last attack lapse (EDG-08)."""
        if not self.attack:
            return ()
        unused = table.score(self.who, "attack-dice")
        gained = 0 if self.simple else {"significant success": 1, "complete success": 2}.get(says, 0)
        lapsed = [consequences.ATTACK_DICE_LAPSED.of(self.who, {"attack-dice": -unused})] if unused > 0 else []
        granted = [consequences.ATTACK_DICE_GRANTED.of(self.who, {"attack-dice": gained})] if gained else []
        return lapsed + granted

    def setback(self, says: str) -> Sequence[Effect]:
        """The disadvantage after a bad failure (EDG-08)."""
        scope = {"significant failure": "related", "complete failure": "any"}.get(says)
        if scope is None or self.simple:
            return ()
        return (consequences.DISADVANTAGE_GRANTED.of(self.who, {f"disadvantage.{scope}": 1}),)


class Grant(Move):
    """Grant advantage or disadvantage on a later check, as the GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("EDG-03", "EDG-08")
    example: ClassVar[str] = 'mara advantage --scope related --why "she knows the guard now"'

    who: Who
    what: Literal["advantage", "disadvantage"]
    scope: Annotated[Literal["any", "related"], "the next check of any kind, or the next related one"] = "any"
    why: Annotated[Words, "where it comes from"]

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Put it on the sheet until a check uses it."""
        kind = consequences.ADVANTAGE_GRANTED if self.what == "advantage" else consequences.DISADVANTAGE_GRANTED
        follows = kind.of(self.who, {f"{self.what}.{self.scope}": 1})
        return ruling(f"{self.what} on the next {self.scope_words}", None, follows=[follows])

    @property
    def scope_words(self) -> str:
        """The scope in words."""
        return "check of any kind" if self.scope == "any" else "related check"
