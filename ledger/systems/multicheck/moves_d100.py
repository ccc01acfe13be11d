"""The test of Multicheck: one d100, six checks, points spent before or after the roll, and extra dice after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger import rules as game
from ledger.rules import (
    TYPE_OR_USE,
    Effect,
    Flag,
    Move,
    Pool,
    Refused,
    Ruling,
    Run,
    Step,
    Table,
    Who,
    Words,
    pool,
    ruling,
)
from ledger.systems.multicheck import consequences, rules
from ledger.systems.multicheck.sheet import D100, RANK_BONUS, SPECIALIZED_BONUS

AttributeName = Annotated[game.Handle, game.Tag(name="score", of="attribute")]
SkillName = Annotated[game.Handle, game.Tag(name="score", of="skill")]
SkillOrAttribute = Annotated[game.Handle, game.Tag(name="score", of="skill"), game.Tag(name="score", of="attribute")]
Defence = Annotated[game.Handle, game.Tag(name="score", of="attribute", whose="against")]
Specialization = Annotated[game.Handle, game.Tag(name="mark", of="specialization")]
FeatName = Annotated[game.Handle, game.Tag(name="score", of="feat")]
Modifier = Annotated[int, game.Within(-rules.MOST_MODIFIER, rules.MOST_MODIFIER)]
Sides = Annotated[int, game.Within(2, 1000)]
DiceToThrow = Annotated[int, game.Within(1, rules.MOST_DICE)]
MishapValue = Annotated[int, game.Within(1, D100)]


class Test(Move):
    """Roll a d100, compare it with six values, and count the successes."""

    ids: ClassVar[tuple[str, ...]] = tuple(f"MUL-{n:02}" for n in range(1, 13))
    example: ClassVar[str] = "mara deception --difficulty 30 --faces 56"
    another: ClassVar[str] = "mara deception --difficulty 30 --ps"
    verdicts: ClassVar[tuple[str, ...]] = (*rules.VERDICTS.values(),)
    offered: ClassVar[Mapping[str, str]] = {"after": "add 5 to the attribute (1 PS)", "reroll": "roll again (1 PK)"}

    who: Who
    what: Annotated[SkillOrAttribute | None, "a skill or attribute from the sheet", game.OPTIONAL_POSITIONAL] = None
    attribute: Annotated[AttributeName | None, "the attribute to test (default: the skill's attribute)"] = None
    skill: Annotated[SkillName | None, "the skill to use with an attribute (default: no skill, rank 0)"] = None
    specialization: Annotated[Specialization | None, "a specialization of the skill, from the sheet"] = None
    specialised: Annotated[bool, "treat the skill as specialized for this test"] = False
    feat: Annotated[FeatName | None, "a feat from the sheet (default: luck)"] = None
    feat_value: Annotated[game.Count | None, "a number to use instead of a feat"] = None
    feat_of: Annotated[Words | None, "what the number in --feat-value stands for"] = None
    difficulty: Annotated[game.Hidden | None, game.BARE, "the GM's difficulty (default: no difficulty check)"] = None
    secret: Annotated[bool, "hide the difficulty from the players"] = False
    against: Annotated[Who | None, game.NOT_PAYING, "the opponent"] = None
    defence: Annotated[
        Defence | None,
        ("the opponent's attribute that becomes the difficulty (default: the attribute on the sheet for this skill)"),
    ] = None
    modifier: Annotated[
        Modifier,
        game.BONUS,
        "one bonus or penalty for all circumstances; it changes only the attribute; needs --why",
    ] = 0
    why: Annotated[Words | None, "the reason for --modifier"] = None
    mishap: Annotated[MishapValue | None, "the mishap value for this test"] = None
    ps: Annotated[bool, "spend 1 PS before the test: +10 to the attribute"] = False
    advantage: Annotated[tuple[Words, ...], "give advantage (a second tens die), and say where it comes from"] = ()
    disadvantage: Annotated[tuple[Words, ...], "give disadvantage, and say where it comes from"] = ()
    after: Annotated[bool, "spend 1 PS after the test: +5 to the attribute"] = False
    reroll: Annotated[bool, "spend 1 PK: roll everything again; the new roll counts"] = False

    def dice(self, table: Table) -> Pool:
        if self.difficulty is not None and self.against is not None:
            raise game.BadInput(
                f"Use {Flag('difficulty', 'N')}, or {Flag('against', 'OPPONENT')} with"
                f" {Flag('defence', 'ATTRIBUTE')}, not both."
            )
        if self.defence is not None and self.against is None:
            raise game.LacksNeededOption(Flag("defence"), other=Flag("against"))
        if self.secret and self.difficulty is None:
            raise game.LacksNeededOption(Flag("secret"), other=Flag("difficulty"))
        if (self.feat_value is None) != (self.feat_of is None):
            raise game.IncompletePair(Flag("feat-value"), Flag("feat-of"))
        if self.feat is not None and self.feat_value is not None:
            raise game.BadInput(
                f"Use {Flag('feat', 'NAME')}, or {Flag('feat-value', 'N')} with {Flag('feat-of', 'TEXT')}, not both."
            )
        self.check_specialized(table)
        if bool(self.modifier) != (self.why is not None):
            if self.why is not None:
                hint = f"To say what {self.who} attempts, use {Flag('for', 'TEXT')}."
                raise game.BadInput(f"{Flag('why')} needs {Flag('modifier')}.", hint)
            raise game.BadInput(f"A modifier needs a reason: add {Flag('why', 'TEXT')}.")
        values = self.values(table)
        rules.modified_attribute(values["attribute"], self.modifier, self.spirit.bonus)
        return Pool(sides=self.one_roll * (2 if self.reroll else 1), tens=self.net_advantage != 0)

    @property
    def net_advantage(self) -> int:
        """The number of advantages minus the number of disadvantages (MUL-12)."""
        return len(self.advantage) - len(self.disadvantage)

    @property
    def one_roll(self) -> tuple[int, ...]:
        """The dice of one roll: a d100, and a second tens die if advantages and disadvantages do not cancel."""
        return (D100, rules.D10) if self.net_advantage else (D100,)

    @property
    def spirit(self) -> rules.SpiritBonus:
        """The bonus and the cost of a spiritual point (PS). Raise `Refused` if two points are spent (MUL-10)."""
        return rules.spirit_bonus(before=self.ps, after=self.after)

    def attribute_and_skill(self, table: Table) -> tuple[str, str | None]:
        """Return the attribute and the skill: as typed, or else from the sheet.

        Raise `BadInput` for too few or too many typed names. Raise `Refused` for a name that is ambiguous or not on the
        sheet, and for a skill without an attribute.
        """
        attribute, skill = self.attribute, self.skill
        if self.what is not None:
            if attribute is not None and skill is not None:
                raise game.BadInput("You gave three names. Give one skill and one attribute.")
            if attribute is not None or (skill is None and self.is_skill(table, self.what)):
                skill = self.what
            else:
                attribute = self.what
        if attribute is not None:
            return attribute, skill
        if skill is None:
            raise game.BadInput("Name a skill or an attribute.")
        on_sheet = table.find(self.who, f"on.{skill}")
        if on_sheet is None:
            table.needed(self.who, f"skill.{skill}")
            mark = f"multicheck/on.{skill}=NAME"
            hint = f"Add {Flag('attribute', 'NAME')}, or {TYPE_OR_USE} {Run('set', self.who, mark)}."
            raise Refused(f"The sheet does not say which attribute {skill} uses.", hint)
        return str(on_sheet), skill

    def is_skill(self, table: Table, name: str) -> bool:
        """Return True for a skill on the sheet, False for an attribute. Raise `Refused` for both or neither."""
        skill, attribute = (table.find(self.who, f"{family}.{name}") is not None for family in ("skill", "attribute"))
        if skill and attribute:
            hint = f"Use {Flag('skill', name)} or {Flag('attribute', name)}."
            raise Refused(f"{self.who} has both a skill and an attribute called {name}.", hint)
        if not (skill or attribute):
            likely = table.suggest(self.who, name, "skill", "attribute")
            hint = likely + f"See the names {game.Either('with', 'on')} {Run('sheets', self.who)}."
            raise Refused(f"{self.who} has no skill or attribute called {name} on the sheet.", hint)
        return skill

    @property
    def is_specialized(self) -> bool:
        """True if the player typed `--specialised` or a specialization for the skill (MUL-04)."""
        return self.specialised or self.specialization is not None

    def check_specialized(self, table: Table) -> None:
        """Raise `LacksNeededOption` for a specialization without a skill.

        Raise `Refused` if the sheet lacks the specialization.
        """
        if not self.is_specialized:
            return
        skill = self.attribute_and_skill(table)[1]
        if skill is None:
            raise game.LacksNeededOption(Flag("specialised"), Flag("specialization"), other="a skill")
        specializations = table.find(self.who, f"specialization.{skill}") or ()
        if self.specialization not in (None, *specializations):
            known = ", ".join(specializations) or "nothing"
            mark = f"multicheck/specialization.{skill}=NAME,NAME"
            raise Refused(
                f"{self.who} has no specialization {self.specialization} in {skill}. The sheet has: {known}.",
                f"For this test only, use {Flag('specialised')}. To add the specialization to the sheet, use"
                f" {Run('set', self.who, mark)}.",
            )

    def values(self, table: Table) -> dict[str, int]:
        """Return the inputs of `rules.six_checks`, except the dice. Raise `Refused` if one is not on the sheet."""
        attribute, skill = self.attribute_and_skill(table)
        rank = 0 if skill is None else table.needed(self.who, f"skill.{skill}")
        feat = "attribute.luck" if self.feat is None else f"feat.{self.feat}"
        difficulty = self.difficulty or 0
        if self.against is not None:
            difficulty = table.needed(self.against, f"attribute.{self.defence_attribute(table)}")
        return {
            "attribute": table.needed(self.who, f"attribute.{attribute}"),
            "skill": rules.skill_value(rank=rank, specialised=self.is_specialized),
            "feat": table.needed(self.who, feat) if self.feat_value is None else self.feat_value,
            "mishap": self.mishap or table.score(self.who, "mishap") or table.settings["mishap"],
            "difficulty": difficulty,
            "modifier": self.modifier,
            "bonus": self.spirit.bonus,
        }

    def defence_attribute(self, table: Table) -> str:
        """Return the opponent's attribute, typed or from the sheet (MUL-07). Raise `BadInput` if there is none."""
        skill = self.attribute_and_skill(table)[1]
        defence = self.defence or (skill and table.find(self.who, f"defence.{skill}"))
        if not defence:
            mark = f"multicheck/defence.{skill or 'SKILL'}=NAME"
            hint = f"Add {Flag('defence', 'ATTRIBUTE')}, or {TYPE_OR_USE} {Run('set', self.who, mark)}."
            raise game.BadInput(f"The sheet does not say which attribute {self.against} defends with.", hint)
        return str(defence)

    def offers(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        spare = {"after": table.score(self.who, "ps"), "reroll": table.score(self.who, "pk")}
        spent = {"after": bool(self.spirit.cost), "reroll": self.reroll}
        return tuple(name for name in self.offered if spare[name] > 0 and not spent[name])

    def cost(self, table: Table) -> tuple[Effect, ...]:
        spent = [consequences.PS_SPENT.of(self.who, {"ps": -1}, bonus=self.spirit.bonus)] if self.spirit.cost else []
        return (*spent, *([consequences.PK_SPENT.of(self.who, {"pk": -1})] if self.reroll else []))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        size, values = len(self.one_roll), self.values(table)
        old, last = faces[:-size], faces[-size:]
        rolls, roll = self.read_rolls(last)
        tens, units = rules.split_digits(roll)
        outcome = rules.six_checks(tens=tens, units=units, **values)
        checks: dict[str, int] = outcome.checks.__dict__
        summed = " + ".join("{}" for _ in checks)
        steps = [
            *self.attribute_steps(table),
            *self.tens_steps(rolls),
            *self.check_steps(values, outcome),
            Step(name="count", says=f"{summed} = {{}}", numbers=(*checks.values(), outcome.successes)),
            *self.throw_steps(outcome.throw_dice),
        ]
        follows = [self.record_test(outcome)]
        if self.reroll:
            before = self.read_rolls(old)[1]
            steps.insert(0, Step(name="rerolled", says="{} does not count any more", numbers=(before,)))
            follows.insert(0, consequences.TEST_REROLLED.of(self.who, roll=before))
        dropped = dict.fromkeys(range(len(old)), "rerolled") | self.dropped_tens(rolls, len(old))
        says = rules.VERDICTS[outcome.outcome]
        return ruling(says, outcome.successes > 0, *steps, dropped=dropped, follows=follows)

    def read_rolls(self, faces: Sequence[int]) -> tuple[tuple[int, ...], int]:
        """Return the roll for each tens die, and the roll that counts. On the second tens die (a d10), a 10 means 0."""
        first, units = rules.split_digits(faces[0])
        tens = (first, *(face % rules.D10 for face in faces[1:]))
        counts = {"advantages": len(self.advantage), "disadvantages": len(self.disadvantage)}
        return tuple(rules.join_digits(die, units) for die in tens), rules.advantage(tens=tens, units=units, **counts)

    def record_test(self, outcome: rules.TestOutcome) -> Effect:
        """Record the outcome and the extra dice. Unused extra dice of the previous test are lost (MUL-09)."""
        recorded = {name: value for name, value in outcome.__dict__.items() if name != "checks" and value is not None}
        facts: dict[str, Any] = {**recorded, **outcome.checks.__dict__}
        dice = {"dice": outcome.throw_dice, "roll": outcome.roll, "outcome": outcome.outcome}
        return consequences.TEST_ROLLED.of(self.who, marks={"throw": dice if outcome.throw_dice else None}, **facts)

    def throw_steps(self, dice: int | None) -> list[Step]:
        """Return the step with the number of extra dice. If `dice` is None, return no step (MUL-09)."""
        says = "{} die to throw" if dice == 1 else "{} dice to throw"
        return [] if dice is None else [Step(name="throw", says=says, numbers=(dice,))]

    def attribute_steps(self, table: Table) -> list[Step]:
        """Return the step that names the attributes from the sheet, or no step if all attributes were typed."""
        attribute, skill = self.attribute_and_skill(table)
        parts = [] if attribute in {self.attribute, self.what} else [f"goes with {attribute}"]
        if self.against is not None and self.defence is None:
            parts.append(f"is held against {self.defence_attribute(table)}")
        return [Step(name="tested", says=f"{skill} {' and '.join(parts)}")] if parts else []

    def tens_steps(self, rolls: tuple[int, ...]) -> list[Step]:
        """Return the steps that explain advantages and disadvantages, and which tens die counts (MUL-12)."""
        if not (self.advantage or self.disadvantage):
            return []
        counts = (len(self.advantage), len(self.disadvantage))
        if not self.net_advantage:
            return [Step(name="advantage", says="{} for and {} against cancel", numbers=counts)]
        choice = "lower" if self.net_advantage > 0 else "higher"
        says = f"{{}} for and {{}} against: the {choice} of {{}} and {{}}"
        steps = [Step(name="advantage", says=says, numbers=(*counts, *rolls))]
        if not self.dropped_tens(rolls, 0):
            tens = rules.split_digits(rolls[0])[:1]
            steps.append(Step(name="tens", says="the first tens die, {}, is beaten; its units count", numbers=tens))
        return steps

    def dropped_tens(self, rolls: tuple[int, ...], old: int) -> dict[int, str]:
        """Map the index of the second tens die to the reason why this die does not count; {} if it counts.

        `old` is the number of dice from before a reroll. The index counts the old dice too.
        """
        first, other = rolls[0], rolls[-1]
        if len(rolls) == 1 or self.net_advantage * (other - first) < 0:
            return {}
        return {old + 1: "equal" if other == first else "higher" if other > first else "lower"}

    def check_steps(self, values: Mapping[str, int], outcome: rules.TestOutcome) -> list[Step]:
        """Return one step for each of the six checks."""
        attribute, skill, difficulty = values["attribute"], values["skill"], values["difficulty"]
        amounts = tuple(amount for amount in (self.modifier, self.spirit.bonus) if amount)
        modified = attribute + sum(amounts)
        sums, addends = ("".join(" + {}" for _ in amounts) + " = {}", (*amounts, modified)) if amounts else ("", ())
        each_rank = SPECIALIZED_BONUS if self.is_specialized else RANK_BONUS
        excess = modified - D100
        lines: dict[str, tuple[str, tuple[int | game.Secret, ...]]] = {
            "attribute": ("{} against {}" + sums, (outcome.roll, attribute, *addends)),
            "excess": ("{} against {}", (outcome.roll, excess)) if excess > 0 else ("none above 100", ()),
            "skill": ("{} against {} × {} = {}", (outcome.roll, skill // each_rank, each_rank, skill)),
            "feat": ("{} against {}", (outcome.roll, values["feat"])),
            "mishap": ("{} against {}", (outcome.roll, values["mishap"])),
            "difficulty": ("{}, inverted, against {}", (outcome.inverse, self.hide_if_secret(difficulty)))
            if self.difficulty is not None or self.against is not None
            else ("{}, inverted, and no difficulty was said", (outcome.inverse,)),
        }
        checks: dict[str, int] = outcome.checks.__dict__
        return [
            Step(name=name, says=says + (": +{}" if checks[name] > 0 else ": {}"), numbers=(*numbers, checks[name]))
            for name, (says, numbers) in lines.items()
        ]


class Throw(Move):
    """Roll the extra dice of the last test (only once). For an earlier test, the GM decides how many dice to roll."""

    ids: ClassVar[tuple[str, ...]] = ("MUL-09",)
    completes: ClassVar[tuple[str, ...]] = ("throw",)
    example: ClassVar[str] = "mara 6 --faces 4"
    another: ClassVar[str] = 'mara 6 --count 2 --of "the leap"'

    who: Who
    sides: Annotated[Sides, "the size of each die", game.OPTIONAL_POSITIONAL]
    count: Annotated[DiceToThrow | None, "the number of dice; only for an earlier test"] = None
    of: Annotated[Words | None, "which earlier test, in your own words"] = None

    def dice(self, table: Table) -> Pool:
        if (self.count is None) != (self.of is None):
            raise game.IncompletePair(Flag("count"), Flag("of"))
        return pool(self.count or self.test(table)["dice"], self.sides)

    def test(self, table: Table) -> Mapping[str, Any]:
        """Return the extra dice, roll and outcome of the last test. Raise `Refused` if no extra dice are left."""
        test = table.find(self.who, "throw")
        if test is None:
            hint = (
                "You can roll the extra dice of a test only until the next test. For an earlier test, add"
                f" {Flag('count', 'N')} {Flag('of', 'TEXT')}."
            )
            raise Refused(f"{self.who} has no extra dice to roll.", hint)
        return dict(test)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        dice, step = f"{len(faces)}d{self.sides}", game.total("throw", *faces, to=sum(faces))
        facts: dict[str, Any] = {"sides": self.sides, "total": sum(faces)}
        if self.count is not None:
            follows = consequences.THROW_ROLLED.of(self.who, **facts)
            return ruling(f"{dice} for an earlier test: {sum(faces)}", None, step, follows=[follows])
        test = self.test(table)
        outcome = test["outcome"].replace("_", " ")
        facts |= {"roll": test["roll"], "outcome": test["outcome"]}
        follows = consequences.THROW_ROLLED.of(self.who, marks={"throw": None}, **facts)
        test_step = Step(name="test", says=f"{{}} was a {outcome}", numbers=(test["roll"],))
        return ruling(
            f"{dice} for the {outcome} of {test['roll']}: {sum(faces)}", None, test_step, step, follows=[follows]
        )
