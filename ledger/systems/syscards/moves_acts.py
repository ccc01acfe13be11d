"""Moves for a single act: rates, rolls, acts without dice, and the meaning of a failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from ledger import rules as game
from ledger.rules import CAMPAIGN, Effect, Flag, Move, Pool, Refused, Ruling, Run, Step, Table, Who, Words, pool, ruling
from ledger.systems.syscards import consequences, rules
from ledger.systems.syscards.moves_cards import (
    RateNumber,
    efficiency,
    has_not_rolled,
    mode_change,
    number_map,
    roll_or_deny_hint,
    table_mode,
)


def settings_for_raises(table: Table) -> dict[str, int]:
    """Return the settings for raises: the lowest roll that raises an efficiency, and the points gained (SYS-10)."""
    return {"raise_from": table.settings["raise_from"], "raise_award": table.settings["award"]}


def rejection_rate(table: Table, who: str) -> int:
    """Return the rate that a card's challengers must reach in this round, 0 if the card accepts challenges (SYS-19)."""
    return number_map(table, who, "rejections").get(round_key(table), 0)


def round_key(table: Table) -> str:
    """Return the key of this round in the marks `rejections` and `intensities`, such as `round-2`."""
    return f"round-{table.score(CAMPAIGN, 'round')}"


class ThrowPercentile(Move):
    "Roll 1d100 against a declared rate. With --past, the roll must reach the rate of a card that rejects challenges."

    typed_name: ClassVar[str] = "throw"
    ids: ClassVar[tuple[str, ...]] = tuple(f"SYS-{n:02}" for n in (1, 2, 3, 4, 5, 6, 9, 10, 19))
    example: ClassVar[str] = "mara --faces 71"
    another: ClassVar[str] = "mara"

    who: Who
    past: Annotated[
        Who | None,
        game.NOT_PAYING,
        "a card that rejects challenges; the roll must reach the rate that this card demands",
    ] = None

    def dice(self, table: Table) -> Pool:
        efficiency(table, self.who)
        if self.past == self.who:
            raise game.NotOneself(self.who, "challenge")
        if self.past is not None and not rejection_rate(table, self.past):
            raise Refused(f"{self.past} does not reject challenges in this round.")
        if self.past is None and has_not_rolled(table, self.who):
            raise Refused(f"{self.who} is in a challenge that has not been rolled yet.", roll_or_deny_hint(table))
        if not self.rate(table):
            hint = f"To declare a rate: {Run('syscards rate', self.who, 'N')}"
            raise Refused(f"{self.who} has no declared rate.", hint)
        return pool(1, rules.MAX_ROLL)

    def rate(self, table: Table) -> int:
        """Return the rate to reach: the declared one, or the one that the card in `past` demands."""
        return table.score(self.who, "rate") if self.past is None else rejection_rate(table, self.past)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        rate, before = self.rate(table), efficiency(table, self.who)
        raising = settings_for_raises(table)
        outcome = rules.throw(natural=faces[0], efficiency=before, necessary_rate=rate, **raising)
        intensity = None if self.past is None else number_map(table, self.past, "intensities").get(round_key(table))
        stated = [] if intensity is None else [Step(name="intensity", says="{}", numbers=(intensity,))]
        return ruling(
            roll_in_words(outcome),
            outcome.success,
            result_step("result", faces[0], before, outcome.result),
            Step(name="rate", says="{} against {}", numbers=(outcome.result, rate)),
            *stated,
            follows=record_roll(table, self.who, faces[0], outcome, rate, own=self.past is None),
        )


class Rate(Move):
    """Declare the rate that a card must reach. Add --throw to roll right away."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-03", "SYS-05", "SYS-07", "SYS-11", "SYS-21")
    example: ClassVar[str] = "mara 45 --throw --faces 71"
    another: ClassVar[str] = 'mara 60 --why "a steep wall" --throw'
    may_lead_to: ClassVar[tuple[type[Move], ...]] = (ThrowPercentile,)

    who: Who
    rate: Annotated[RateNumber, game.POSITIONAL, "the rate that the roll must reach"]
    why: Annotated[Words | None, "the reason for the rate"] = None
    throw: Annotated[bool, game.NOT_AMENDABLE, "roll right away"] = False

    @property
    def may_continue(self) -> bool:
        return self.throw

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return (ThrowPercentile(who=self.who),)

    def dice(self, table: Table) -> None:
        efficiency(table, self.who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        before = efficiency(table, self.who)
        needed = rules.needs_throw(efficiency=before, necessary_rate=self.rate).throw_required
        declared = consequences.RATE_DECLARED.of(self.who, marks={"rate": self.rate}, rate=self.rate)
        acting = mode_change(table, "action") if needed else []
        return ruling(
            f"needs {self.rate}, {rules.grade(rate=self.rate)}",
            None,
            Step(name="throw", says="needed" if needed else "needless; it may raise"),
            *mode_steps(acting),
            follows=[declared, *acting],
        )


def result_step(name: str, natural: int, before: int, result: int) -> Step:
    """Make the step that shows a result: the higher of the roll and the efficiency `before` it (SYS-04)."""
    return Step(name=name, says="throw {}, efficiency {}: {}", numbers=(natural, before, result))


def mode_steps(changes: Sequence[Effect]) -> Sequence[Step]:
    """Return the step that announces action mode, or no step if `changes` is empty (SYS-11)."""
    return [Step(name="mode", says="action, from now on") for _ in changes]


def roll_in_words(outcome: rules.ThrowOutcome) -> str:
    """Return the outcome of a roll in words; "" without a rate or for an undecided tie."""
    if outcome.success is None:
        return ""
    if outcome.degree_of_failure is None:
        return "success" if outcome.success else "failure, without priority"
    return f"failure by {outcome.degree_of_failure}"


def record_roll(
    table: Table, who: str, natural: int, outcome: rules.ThrowOutcome, rate: int | None, *, own: bool = True
) -> Sequence[Effect]:
    """Record a roll and any raise (SYS-09). If the roll is against the card's own rate (`own`), remove this rate."""
    before = table.score(who, "efficiency")
    marks = {"failure": outcome.degree_of_failure, **({"rate": None} if own else {})}
    facts: dict[str, Any] = {"natural": natural, "efficiency": before, "result": outcome.result, "rate": rate}
    facts |= {"success": outcome.success, "degree_of_failure": outcome.degree_of_failure}
    raised = outcome.efficiency_after - before
    return [
        consequences.ACT_THROWN.of(
            who, marks=marks, **{name: fact for name, fact in facts.items() if fact is not None}
        ),
        *([consequences.RAISE_THROWN.of(who, {"efficiency": raised}, natural=natural)] if outcome.raised else []),
    ]


class Act(Move):
    """Let an act succeed without dice. In tale mode, the GM can allow this even if the rate is above the efficiency."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-05", "SYS-11")
    example: ClassVar[str] = "mara 1"
    another: ClassVar[str] = 'mara 90 --why "nobody is near" --passes'

    who: Who
    rate: Annotated[RateNumber, game.POSITIONAL, "the rate that a roll would have to reach"]
    why: Annotated[Words | None, "the reason for the rate, or for --passes"] = None
    passes: Annotated[bool, "let the act succeed even though its rate is above the efficiency; needs --why"] = False

    def dice(self, table: Table) -> None:
        limit = efficiency(table, self.who)
        if not rules.needs_throw(efficiency=limit, necessary_rate=self.rate).throw_required:
            return
        roll = f"To roll: {Run('syscards rate', self.who, self.rate, throw=True)}"
        above = f"A rate of {self.rate} is above the efficiency of {self.who} ({limit})."
        current = table_mode(table)
        if current != "tale":
            only = f"In tale mode, the GM could let the act succeed anyway, but the table is in {current} mode."
            raise Refused(" ".join([above, only]), roll)
        if not self.passes:
            passes = f"To let the act succeed without a roll, add {Flag('passes')} and {Flag('why', 'TEXT')}."
            raise Refused(above, ". ".join([roll, passes]))
        if self.why is None:
            raise game.LacksNeededOption(Flag("passes"), other=Flag("why"))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        limit = efficiency(table, self.who)
        ruled = self.rate > limit
        step = Step(name="tale", says="efficiency {} against {}", numbers=(limit, self.rate))
        follows = consequences.ACT_PASSED.of(self.who, rate=self.rate, ruled=ruled)
        return ruling("success, as the GM rules" if ruled else "success", True, step, follows=[follows])


class Means(Move):
    """Describe what happens because of a card's last failure."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-06",)
    example: ClassVar[str] = 'mara --words "the rope slips through her hands"'
    another: ClassVar[str] = 'mara --words "the lamp goes out"'

    who: Who
    words: Annotated[Words, "what happens"]

    def dice(self, table: Table) -> None:
        if table.score(self.who, "failure") < 1:
            raise Refused(f"{self.who} has no failure to describe.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        degree = table.score(self.who, "failure")
        follows = consequences.FAILURE_TOLD.of(self.who, marks={"failure": None}, degree_of_failure=degree)
        return ruling(f"a failure by {degree} is told", None, follows=[follows])
