"""The moves of roll-under: a check with a skill, and a check without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger import rules as game
from ledger.rules import BadInput, Flag, Move, NotOnSheet, Pool, Ruling, Run, Step, Table, Who, pool, quoted, ruling
from ledger.systems.rollunder import consequences, rules
from ledger.systems.rollunder.sheet import LEVELS, Levels, fifths_of_number, levels_in

SkillName = Annotated[game.Handle, game.Tag(name="score", of="skill")]
CharacteristicName = Annotated[game.Handle, game.Tag(name="score", of="characteristic")]
Circumstances = Annotated[
    Mapping[game.Handle, game.SignedNumber],
    game.BONUS,
    "a circumstance that makes the action harder or easier, like fog=-3; the sum of all circumstances must be −10 to +5"
    " (ROL-04)",
]


class Skill(Move):
    """Roll 1d20 against a skill: level + natural ability + circumstances."""

    ids: ClassVar[tuple[str, ...]] = ("ROL-01", "ROL-02", "ROL-04", "ROL-05", "ROL-06", "ROL-07")
    example: ClassVar[str] = "mara stealth --circumstance fog=-3 --faces 7"
    another: ClassVar[str] = "mara stealth --on agility,wits"

    who: Who
    skill: Annotated[SkillName, "a skill from the sheet"]
    on: Annotated[
        tuple[CharacteristicName, ...],
        "the characteristic to use for this check; name several to use their average (default: as on the sheet)",
    ] = ()
    circumstance: Circumstances = game.NO_NUMBERS

    def dice(self, table: Table) -> Pool:
        if len(set(self.on)) < len(self.on):
            raise BadInput(f"{Flag('on')} names the same characteristic twice.")
        return _checked_pool(table, self.number(table))

    def number(self, table: Table) -> int:
        """Compute the difficulty number of a check with a skill (ROL-02)."""
        return rules.skill_number(
            level=self._level(table),
            characteristics=self.characteristics(table),
            difficulty_factor=sum(self.circumstance.values()),
        )

    def _level(self, table: Table) -> int:
        """Return the level of the skill. If its name is only that of a characteristic, the error suggests `plain`."""
        name = f"skill.{self.skill}"
        if table.find(self.who, name) is None and table.find(self.who, f"characteristic.{self.skill}") is not None:
            says = f"{self.who} has no skill {quoted(self.skill)}. {self.skill.capitalize()} is a characteristic."
            hint = f"To roll against it: {Run('rollunder plain', self.who, self.skill)}"
            raise NotOnSheet(says, hint, lacks=name)
        return table.needed(self.who, name)

    def characteristics(self, table: Table) -> tuple[int, ...]:
        """Return the values of the characteristics whose average is the natural ability."""
        return tuple(table.needed(self.who, f"characteristic.{name}") for name in self.characteristic_names(table))

    def characteristic_names(self, table: Table) -> tuple[str, ...]:
        """Return the names of the characteristics, typed or from the sheet. Raise `BadInput` if there are none."""
        characteristics = self.on or table.find(self.who, f"on.{self.skill}")
        if characteristics is None:
            mark = f"rollunder/on.{self.skill}=NAME,NAME"
            hint = f"You can also add the characteristic to the sheet with {Run('set', self.who, mark)}."
            raise BadInput(
                f"The sheet does not say which characteristic {self.skill} uses; add {Flag('on', 'CHARACTERISTIC')}.",
                hint,
            )
        return tuple(characteristics)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        scores = self.characteristics(table)
        count = len(scores)
        ability = "{}" if count == 1 else f"({' + '.join(['{}'] * count)}) / {count}"
        level = self._level(table)
        graded = _graded_ruling(self, table, faces[0], f"{{}} + {ability}", (level, *scores), sum(scores) % count)
        names = ", ".join(self.characteristic_names(table))
        step = Step(name="ability", says=f"{self.skill} is based on {names}")
        return graded if self.on else graded.replace(steps=(step, *graded.steps))


class Plain(Move):
    """Roll 1d20 against a characteristic. Use this if no skill covers the action."""

    ids: ClassVar[tuple[str, ...]] = ("ROL-01", "ROL-03", "ROL-04", "ROL-05", "ROL-06", "ROL-07")
    example: ClassVar[str] = "mara strength --factor 0.5 --circumstance rain=-2 --faces 3"
    another: ClassVar[str] = "mara luck"

    who: Who
    characteristic: Annotated[CharacteristicName, "the characteristic from the sheet that fits the action best"]
    factor: Annotated[
        rules.Complexity,
        ("the complexity factor, a number that multiplies the characteristic; a lower factor makes the action harder"),
    ] = "1"
    circumstance: Circumstances = game.NO_NUMBERS

    def dice(self, table: Table) -> Pool:
        return _checked_pool(table, self.number(table))

    def number(self, table: Table) -> int:
        """Compute the difficulty number of a check without a skill (ROL-03)."""
        return rules.plain_number(
            characteristic=table.needed(self.who, f"characteristic.{self.characteristic}"),
            complexity_factor=self.factor,
            difficulty_factor=sum(self.circumstance.values()),
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        characteristic = table.needed(self.who, f"characteristic.{self.characteristic}")
        half = characteristic * rules.HALVES[self.factor] % 2
        return _graded_ruling(self, table, faces[0], f"{{}} × {self.factor}", (characteristic,), half)


def _checked_pool(table: Table, number: int) -> Pool:
    _levels_in_force(table).row(number)  # refuses a number that no row covers
    return pool(1, rules.SIDES)


def _levels_in_force(table: Table) -> Levels:
    return levels_in(table.settings["levels"])


def _graded_ruling(
    move: Skill | Plain, table: Table, roll: int, says: str, numbers: tuple[int, ...], rest: int
) -> Ruling:
    """Make the ruling of a check.

    `says` is the text of the formula without circumstances, and `numbers` are its numbers. `rest` is not 0 if the
    difficulty number was rounded down. A step of the ruling then says so.
    """
    steps, levels, number = [], _levels_in_force(table), move.number(table)
    if circumstances := sorted(move.circumstance.items()):  # as in a stored entry
        factor = sum(move.circumstance.values())
        names = " + ".join(f"{name} {{}}" for name, _ in circumstances)
        amounts = (amount for _, amount in circumstances)
        steps.append(Step(name="factor", says=f"{names} = {{}}", numbers=(*amounts, factor)))
        says, numbers = f"{says} + {{}}", (*numbers, factor)
    rounded = ", rounded down" if rest else ""
    steps.append(Step(name="number", says=f"{says} = {{}}{rounded}", numbers=(*numbers, number)))
    steps.append(Step(name="roll", says="{} against {}", numbers=(roll, number)))
    if roll == rules.SIDES:
        natural = "not critical: {} is above {}" if number > rules.SIDES else "critical: {} is not above {}"
        steps.append(Step(name="natural 20", says=natural, numbers=(number, rules.SIDES)))
    outcome = rules.check(difficulty_number=number, roll=roll, table=table.settings["levels"])
    facts: dict[str, Any] = {"roll": roll, "number": number, "outcome": outcome.outcome}
    facts |= {"table": levels.name, "version": levels.version}
    facts |= {"reconstructed": True} if levels.reconstructed else {}
    verdict = outcome.outcome.replace("_", " ")
    if outcome.level is not None:
        facts |= {"margin": outcome.margin, "level": outcome.level}
        verdict = f"success, {outcome.level} ({levels})"
        steps.append(_level_step(levels, number, roll, outcome.level))
    follows = consequences.CHECK_ROLLED.of(move.who, **facts)
    return ruling(verdict, outcome.outcome == "success", *steps, margin=outcome.margin, follows=[follows])


def _level_step(levels: Levels, number: int, roll: int, level: str) -> Step:
    row = levels.row(number)
    numbers: tuple[int, ...]
    if row is None:
        says, numbers = f"{level}: 5 × {{}} / {{}}, rounded up, is {{}}", (roll, number, fifths_of_number(number, roll))
    else:
        says, numbers = f"{level}: the margin {{}} is at least {{}}", (number - roll, row.least[LEVELS.index(level)])
    by = f"by {levels.name} version {levels.version}" + (", reconstructed" if levels.reconstructed else "")
    return Step(name="level", says=f"{says}; {by}", numbers=numbers)


MOVES = (Skill, Plain)
