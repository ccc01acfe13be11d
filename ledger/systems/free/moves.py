"""The moves of a free sheet: a check with dice, and a rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Flag,
    Move,
    NotOnSheet,
    Pool,
    Ruling,
    Run,
    SheetRoll,
    Step,
    Table,
    Who,
    ruling,
)
from ledger.systems.free import rules
from ledger.systems.free.consequences import REFILLED
from ledger.systems.free.sheet import AT_MOST, find_number, find_on_sheet, roll_of

Number = Annotated[int, game.Within(-game.MAX_SHEET_NUMBER, game.MAX_SHEET_NUMBER), game.HIDDEN, game.BARE]


class FreeCheck(Move):
    """Roll dice that you type, or a roll from the sheet.

    With --vs, compare the total with a number, such as 15 or gob-1.ac.
    """

    typed_name: ClassVar[str] = "check"
    ids: ClassVar[tuple[str, ...]] = ("FRE-01",)
    example: ClassVar[str] = "mara stealth --vs 15 --faces 12"
    another: ClassVar[str] = "mara d20+dex adv"

    who: Who
    roll: Annotated[
        str,
        game.POSITIONAL,
        game.NOTATION,
        game.Tag(name="mark", of="roll"),
        "a roll from the sheet, or dice like d20+dex",
    ]
    vs: Annotated[Number | None, "the number to compare the total with"] = None
    target: Annotated[Who | None, game.NOT_PAYING, "the character whose sheet has the number to compare with"] = None
    number: Annotated[str | None, "the name of the target's number, like ac"] = None
    secret: Annotated[bool, "hide the number of --vs from the players"] = False

    def dice(self, table: Table) -> Pool:
        if self.secret and self.vs is None:
            raise BadInput(f"{Flag('secret')} needs {Flag('vs', 'NUMBER')}.")
        if (self.target is None) != (self.number is None):
            raise game.IncompletePair(Flag("target"), Flag("number"))
        if self.target is not None and self.number is not None:
            if self.vs is not None:
                raise BadInput(f"Type either {Flag('vs', 'N')} or the name of a number on {self.target}'s sheet.")
            if find_number(table, self.target, self.number) is None:
                hint = f"To add it: {Run('adjust', self.target, f'{self.number}=N', new=True)}"
                says = f"{self.target} has no number called {game.quoted(self.number)}."
                raise NotOnSheet(says, hint, lacks=self.number)
        return self._roll(table).pool

    def _number_to_compare(self, table: Table) -> int | None:
        """Return the typed number, or the target's number, to compare the total with; None without a comparison."""
        if self.target is None or self.number is None:
            return self.vs
        return find_number(table, self.target, self.number) or 0

    def _roll(self, table: Table) -> SheetRoll:
        return roll_of(table, self.who, self._text(table))

    def _text(self, table: Table) -> str:
        """Return the text of the dice to roll.

        If the typed text starts with the name of a roll on the sheet, replace the name with the dice of that roll.
        """
        return game.with_stored(self.roll, lambda name: find_on_sheet(table, self.who, name))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        text, roll, against = self._text(table), self._roll(table), self._number_to_compare(table)
        counted = roll.count(faces)
        steps = [Step(name="roll", says=text)] if text != self.roll else []
        if roll.values:
            says = ", ".join(f"{name} {{}}" for name in roll.values)
            steps.append(Step(name="numbers", says=says, numbers=tuple(roll.values.values())))
        if len(counted.addends) > 1:
            name = "total" if against is None else "count"
            steps.append(game.total(name, *counted.addends, to=counted.total))
        if against is not None:
            says = "{} against {} or less" if table.settings["success"] == AT_MOST else "{} against {}"
            steps.append(Step(name="against", says=says, numbers=(counted.total, self.hide_if_secret(against))))
            margin = self._verdict(table, counted.total).margin
            if isinstance(margin, int):
                steps.append(Step(name="margin", says="+{}" if margin >= 0 else "{}", numbers=(margin,)))
        dropped = {place: why for place, why in enumerate(counted.dropped) if why}
        return Ruling(verdict=self._verdict(table, counted.total), steps=tuple(steps), dropped=dropped)

    def exact_odds(self, table: Table) -> tuple[Sequence[tuple[game.Verdict, int]], int]:
        totals, of = self._roll(table).totals()
        return [(self._verdict(table, total), ways) for total, ways in totals.items()], of

    def _verdict(self, table: Table, total: int) -> game.Verdict:
        against = self._number_to_compare(table)
        if against is None:
            return game.Verdict(says=game.with_minus_sign(total), good=None)
        outcome = rules.check(total=total, target=against, success=table.settings["success"])
        says = "success" if outcome.success else "failure"
        return game.Verdict(says=says, good=outcome.success, margin=self.hide_if_secret(outcome.margin))


class FreeRest(Move):
    """Set each number in the sheet's refill list to its maximum."""

    typed_name: ClassVar[str] = "rest"
    ids: ClassVar[tuple[str, ...]] = ("FRE-02",)
    example: ClassVar[str] = "mara"
    another: ClassVar[str] = "all"

    who: Who

    def dice(self, table: Table) -> None:
        if not self._names(table):
            hint = f"To choose the numbers that a rest refills: {Run('set', self.who, 'refill=hp')}"
            raise NotOnSheet(f"The sheet of {self.who} has no refill list.", hint, lacks="refill list")

    def _names(self, table: Table) -> Sequence[str]:
        return table.find(self.who, "refill") or ()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        lacks = {name: self._maximum(table, name) - table.score(self.who, name) for name in self._names(table)}
        refilled = {name: amount for name, amount in lacks.items() if amount > 0}
        follows = [REFILLED.of(self.who, refilled)] if refilled else []
        return ruling("rests" if refilled else "rests, but every number is already full", None, follows=follows)

    def _maximum(self, table: Table, name: str) -> int:
        return table.score(self.who, f"{name}.max")


MOVES = (FreeCheck, FreeRest)
