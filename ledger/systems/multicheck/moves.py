"""Multicheck's moves for saves, conditions and turns, and the list of all its moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from ledger import rules as game
from ledger.rules import BadInput, Effect, Flag, Move, Pool, Ruling, Step, Table, Who, Words, pool, ruling, total
from ledger.systems.multicheck import consequences, rules
from ledger.systems.multicheck.moves_d100 import Test, Throw
from ledger.systems.multicheck.sheet import SCORES, Malice, SaveName

Charges = Annotated[int, game.Within(1, 1000)]
ConditionName = Annotated[game.Handle, game.Tag(name="score", of="condition")]
ScoreName = Annotated[str, game.ANY_SCORE, game.Within(1, 80, length=True)]

RAISED_FAMILIES = ("harm", "condition")
"""The families of scores that go up when an effect changes them. Scores of other families go down."""


class Save(Move):
    """Roll d20 + a save value against a difficulty. The result decides how much of an effect remains."""

    ids: ClassVar[tuple[str, ...]] = ("MUL-13", "MUL-14", "MUL-15", "MUL-16", "MUL-17")
    by_gm: ClassVar[bool] = True  # the opponent acts here, not the character who saves
    example: ClassVar[str] = "mara toughness --against brak --malice physical --faces 11"
    another: ClassVar[str] = "mara bravery --effect fear=5"

    who: Who
    save: Annotated[SaveName, "the save (its value is 0 if it is not on the sheet)"]
    grade: Annotated[rules.Grade, "how hard the save is"] = "normal"
    against: Annotated[Who | None, game.NOT_PAYING, "the opponent who causes the save"] = None
    malice: Annotated[Malice | None, "which of the opponent's kinds of malice to use"] = None
    malice_value: Annotated[game.Count | None, "the malice of an opponent without a sheet"] = None
    condition: Annotated[ConditionName | None, "the condition that the save resists"] = None
    charges: Annotated[Charges | None, "the charges of the condition before the save"] = None
    effect: Annotated[Mapping[game.Handle, Charges], "an effect with its size, like damage=9"] = game.NO_NUMBERS
    to: Annotated[
        ScoreName | None,
        game.Label(text="score to change"),
        "the score that the effect changes: harm.* and condition.* go up, all others go down",
    ] = None

    def dice(self, table: Table) -> Pool:
        if (self.against is None) != (self.malice is None):
            raise game.IncompletePair(Flag("against"), Flag("malice"))
        if self.against is not None and self.malice_value is not None:
            raise BadInput(
                f"Use {Flag('against', 'OPPONENT')} with {Flag('malice', 'KIND')}, or"
                f" {Flag('malice-value', 'N')}, not both."
            )
        if (self.condition is None) != (self.charges is None):
            raise game.IncompletePair(Flag("condition"), Flag("charges"))
        self.opposing_malice(table)
        if self.condition is not None:
            check_room(table, self.who, f"condition.{self.condition}", most_after_save(self.charges or 0))
        if self.to is not None:
            self.check_target_score(table, self.to)
        return pool(1, rules.D20)

    def check_target_score(self, table: Table, to: str) -> None:
        """Check that the effect of the save can change the score `to`.

        Raise `BadInput` if the save does not have exactly one effect, if the score is unknown, or if it is the score
        of the save's own condition. Raise `OutOfRange` if the score could get too high. Raise `Refused` if the sheet
        lacks a score that must be there.
        """
        if len(self.effect) != 1:
            raise BadInput(f"{Flag('to')} needs exactly one {Flag('effect')}.")
        score = next((score for score in SCORES if score.covers(to)), None)
        if score is None:
            raise BadInput(f"multicheck has no score called {game.quoted(to)}.")
        if to == f"condition.{self.condition}":
            raise BadInput(f"{Flag('charges')} already changes that condition. Leave out {Flag('to')}.")
        if score.is_pattern and not is_raised_by_effects(to):
            table.needed(self.who, to)
        (number,) = self.effect.values()
        if is_raised_by_effects(to):
            check_room(table, self.who, to, most_after_save(number))

    def opposing_malice(self, table: Table) -> int | None:
        """Return the opponent's malice, from the sheet or as typed, or `None` without an opponent."""
        if self.against is None:
            return self.malice_value
        return table.needed(self.against, f"malice.{self.malice or ''}")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        (natural,), value, malice = faces, table.score(self.who, f"save.{self.save}"), self.opposing_malice(table)
        difficulty = rules.save_difficulty(grade=self.grade, malice=malice)
        outcome = rules.save_outcome(natural=natural, save=value, difficulty=difficulty)
        steps = [
            Step(
                name="difficulty",
                says=("no opponent" if malice is None else "malice") + f", {self.grade}: {{}} + {{}} = {{}}",
                numbers=(rules.UNOPPOSED_MALICE if malice is None else malice, rules.GRADES[self.grade], difficulty),
            ),
            total(self.save, natural, value, to=outcome.total),
            Step(name="save", says="{} against {}", numbers=(outcome.total, difficulty)),
        ]
        follows = [
            consequences.SAVE_ROLLED.of(self.who, total=outcome.total, difficulty=difficulty, outcome=outcome.outcome)
        ]
        if self.condition is not None and self.charges is not None:
            remaining = rules.save_effect(charges=self.charges, outcome=outcome.outcome)
            steps.append(Step(name="charges", says="{} of {}", numbers=(remaining, self.charges)))
            follows += add_charges(self.who, self.condition, remaining)
        for name, number in sorted(self.effect.items()):  # sorted as in a stored entry
            becomes = rules.save_effect(charges=number, outcome=outcome.outcome)
            steps.append(Step(name=name, says="{} of {}", numbers=(becomes, number)))
            follows.append(self.record_effect(table, name, number, becomes))
        return ruling(
            outcome.outcome.replace("_", " "),
            outcome.total >= difficulty,
            *steps,
            margin=outcome.total - difficulty,
            follows=follows,
        )

    def record_effect(self, table: Table, name: str, was: int, becomes: int) -> Effect:
        """Record that a save changed an effect from `was` to `becomes`. Change the score that `--to` names, if any."""
        if self.to is None or is_raised_by_effects(self.to):
            scores = {} if self.to is None or not becomes else {self.to: becomes}
            return consequences.EFFECT_SUFFERED.of(self.who, scores, effect=name, was=was, becomes=becomes)
        least = next(score.least for score in SCORES if score.covers(self.to))
        taken = min(becomes, max(table.score(self.who, self.to) - least, 0))
        scores = {self.to: -taken} if taken else {}
        return consequences.EFFECT_TAKEN.of(self.who, scores, effect=name, was=was, becomes=becomes)


class Afflict(Move):
    """Give a character a condition without a save. The GM decides."""

    ids: ClassVar[tuple[str, ...]] = ("MUL-17",)
    by_gm: ClassVar[bool] = True
    example: ClassVar[str] = 'mara blind --charges 4 --why "sand in the eyes"'
    another: ClassVar[str] = 'brak afraid --charges 2 --why "the howl in the fog"'

    who: Who
    condition: Annotated[ConditionName, "the condition"]
    charges: Annotated[Charges, game.BARE, "the number of charges"]
    why: Annotated[Words | None, "the reason"] = None

    def dice(self, table: Table) -> None:
        check_room(table, self.who, f"condition.{self.condition}", self.charges)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling(self.condition, None, follows=add_charges(self.who, self.condition, self.charges))


class Turn(Move):
    """Start a turn: lower the charges of each condition by the character's recovery. At 0 charges, a condition ends."""

    ids: ClassVar[tuple[str, ...]] = ("MUL-17",)
    example: ClassVar[str] = "mara"
    another: ClassVar[str] = "brak"

    who: Who

    @classmethod
    def is_due(cls, table: Table, who: str) -> bool:
        return bool(condition_charges(table, who))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        recovery = table.score(self.who, "recovery")
        steps, follows = [], []
        for name, had in condition_charges(table, self.who).items():
            remaining = rules.recover(charges=had, recovery=recovery)
            steps.append(Step(name=name, says="{} less {}: {}", numbers=(had, recovery, remaining)))
            kind = consequences.CONDITION_LESSENED if remaining else consequences.CONDITION_ENDED
            follows += [kind.of(self.who, {f"condition.{name}": remaining - had})] if remaining < had else []
        ended = sum(effect.kind is consequences.CONDITION_ENDED for effect in follows)
        counts = {"lessened": len(follows) - ended, "over": ended}
        verdict = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        return ruling(verdict or "nothing lessens", None, *steps, follows=follows)


def is_raised_by_effects(score: str) -> bool:
    """Return True if effects raise this score, such as `harm.damage`, and False if effects lower it."""
    return score.partition(".")[0] in RAISED_FAMILIES


def condition_charges(table: Table, who: str) -> dict[str, int]:
    """Return the charges of each condition. Skip a condition below 1, for example after a correction."""
    scores = {name: table.score(who, f"condition.{name}") for name in table.names(who, "condition")}
    return {name: score for name, score in scores.items() if score > 0}


def most_after_save(size: int) -> int:
    """Return how much of an effect of this size remains after the worst save, a critical failure.

    For a condition, the size is its number of charges.
    """
    return rules.save_effect(charges=size, outcome="critical_failure")


def check_room(table: Table, who: str, score: str, more: int) -> None:
    """Raise `OutOfRange` if adding `more` would lift a score above the highest number that a sheet can have."""
    after = table.score(who, score) + more
    if after > game.MAX_SHEET_NUMBER:
        raise game.OutOfRange(f"The {score} of {who} would be {after}; it cannot be above {game.MAX_SHEET_NUMBER}.")


def add_charges(who: str, condition: str, charges: int) -> list[Effect]:
    """Add charges to a condition. Return no effect for 0 charges."""
    return [consequences.CONDITION_APPLIED.of(who, {f"condition.{condition}": charges})] if charges else []


MOVES = (Test, Throw, Save, Afflict, Turn)
NEW_TURN = Turn
