"""Moves of a single act: rates and throws, what passes without dice, what a failure means."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger.rules import (
    ALONE,
    AT_ONCE,
    CAMPAIGN,
    Effect,
    Move,
    NotOneself,
    Pool,
    Refused,
    Ruling,
    Step,
    Table,
    Who,
    Words,
    pool,
    ruling,
)
from ledger.systems.syscards import consequences, rules
from ledger.systems.syscards.moves_cards import RateNumber, efficiency, mode, to_mode, waits


def setting(table: Table) -> tuple[int, int]:
    """Return from where on a throw raises, and by how much (SYS-10)."""
    return table.settings["raise_from"], table.settings["award"]


def rejection(table: Table, who: str) -> int:
    """The rate that a rejection puts in place of a challenge in this round, 0 for none (SYS-19)."""
    return rejections(table, who).get(f"round-{table.score(CAMPAIGN, 'round')}", 0)


def rejections(table: Table, who: str) -> Mapping[str, int]:
    """The rates of the rejections of a card, by the round in which they count."""
    found = table.find(who, "rejections")
    return found if isinstance(found, dict) else {}


class Throw(Move):
    """Throw for a rate that was declared, or past a rejection."""

    ids: ClassVar[tuple[str, ...]] = tuple(f"SYS-{n:02}" for n in (1, 2, 3, 4, 5, 6, 9, 10, 19))
    example: ClassVar[str] = "mara --faces 71"

    who: Who
    past: Annotated[Who | None, "the one who rejected a challenge; that rate, and nothing else"] = None

    def dice(self, table: Table) -> Pool:
        """Ask for a percentile; refuses a card without capacity, and a throw that nobody asked for (SYS-03)."""
        efficiency(table, self.who)
        if self.past == self.who:
            raise NotOneself(self.who, "challenge")
        if self.past is not None and not rejection(table, self.past):
            raise Refused(f"{self.past} rejects no challenge in this round.")
        if self.past is None and waits(table, self.who):
            hint = "Throw for all of it with 'campaign syscards clash', or deny it."
            raise Refused(f"{self.who} is in a challenge that waits.", hint)
        if not self.rate(table):
            hint = f"Declare one: campaign syscards rate {self.who} N --why TEXT"
            raise Refused(f"No rate was declared for {self.who}.", hint)
        return pool(1, rules.HIGHEST)

    def rate(self, table: Table) -> int:
        """The rate to reach."""
        return table.score(self.who, "rate") if self.past is None else rejection(table, self.past)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Reach it or not."""
        rate, known = self.rate(table), efficiency(table, self.who)
        came = worked(table, faces[0], known, rate)
        return ruling(
            told(came),
            came.success,
            result_step("result", faces[0], known, came.result),
            Step(name="rate", says="{} against {}", numbers=(came.result, rate)),
            follows=thrown(table, self.who, faces[0], came, rate, own=self.past is None),
        )


class Rate(Move):
    """Declare a necessary rate, with its reason, before the throw; and throw at once, where that is said."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-03", "SYS-05", "SYS-07", "SYS-11", "SYS-21")
    example: ClassVar[str] = 'mara 45 --why "the fog" --throw --faces 71'
    leads: ClassVar[tuple[type[Move], ...]] = (Throw,)

    who: Who
    rate: Annotated[RateNumber, ALONE, "what the throw needs to reach"]
    why: Annotated[Words, "what makes it so hard, or easy"]
    throw: Annotated[bool, AT_ONCE, "throw at once"] = False

    def then(self) -> tuple[Move, ...]:
        """Throw at once, where that is said."""
        return (Throw(who=self.who),) if self.throw else ()

    def dice(self, table: Table) -> None:
        """Throw nothing; refuses a card without capacity."""
        efficiency(table, self.who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Note it; a rate above the efficiency ends the tale (SYS-11)."""
        known = efficiency(table, self.who)
        needed = rules.needs_throw(efficiency=known, necessary_rate=self.rate).throw_required
        declared = consequences.RATE_DECLARED.of(self.who, marks={"rate": self.rate}, rate=self.rate)
        acting = to_mode(table, "action") if needed and mode(table) == "tale" else []
        return ruling(
            f"needs {self.rate}, {rules.grade(rate=self.rate).grade}",
            None,
            Step(name="throw", says="needed" if needed else "needless; it may raise"),
            *mode_steps(acting),
            follows=[declared, *acting],
        )


def worked(table: Table, natural: int, known: int, rate: int | None) -> rules.ThrowOutcome:
    """A throw, worked out by the settings in force."""
    lowest, award = setting(table)
    return rules.throw(natural=natural, efficiency=known, necessary_rate=rate, raise_from=lowest, raise_award=award)


def result_step(name: str, natural: int, known: int, result: int) -> Step:
    """The line of working of a result (SYS-04)."""
    return Step(name=name, says="throw {}, efficiency {}: {}", numbers=(natural, known, result))


def mode_steps(changes: Sequence[Effect]) -> Sequence[Step]:
    """The line that says that the tale ends, where it does (SYS-11)."""
    return [Step(name="mode", says="action, from now on") for _ in changes]


def told(came: rules.ThrowOutcome) -> str:
    """Return in words what a throw came to, nothing where it had no rate."""
    if came.success is None:
        return ""
    return "success" if came.success else f"failure by {came.degree_of_failure}"


def thrown(
    table: Table, who: str, natural: int, came: rules.ThrowOutcome, rate: int | None, *, own: bool = True
) -> Sequence[Effect]:
    """The consequences of a throw: its rate is used up, a failure waits to be told, a raise (SYS-09)."""
    known = table.score(who, "efficiency")
    marks = {"failure": came.degree_of_failure, **({"rate": None} if own else {})}
    facts: dict[str, Any] = {"natural": natural, "efficiency": known, "result": came.result}
    if rate is not None and came.success is not None:
        facts |= {"rate": rate, "success": came.success}
    if came.degree_of_failure is not None:
        facts["degree_of_failure"] = came.degree_of_failure
    raised = came.efficiency_after - known
    return [
        consequences.ACT_THROWN.of(who, marks=marks, **facts),
        *([consequences.RAISE_THROWN.of(who, {"efficiency": raised}, natural=natural)] if came.raised else []),
    ]


class Act(Move):
    """Let an act happen without dice, in tale mode: at or below the efficiency, or because the GM lets it pass."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-05", "SYS-11")
    example: ClassVar[str] = 'mara 1 --why "an open door"'

    who: Who
    rate: Annotated[RateNumber, ALONE, "what a throw would need to reach"]
    why: Annotated[Words, "what makes it so; and why it passes"]
    passes: Annotated[bool, "the GM lets it pass, above the efficiency too"] = False

    def dice(self, table: Table) -> None:
        """Throw nothing; refuses outside tale mode, and a rate above the efficiency that nobody lets pass."""
        if mode(table) != "tale":
            raise Refused(f"The table is in {mode(table)} mode; acts without dice are for tale mode.")
        known = efficiency(table, self.who)
        needed = rules.needs_throw(efficiency=known, necessary_rate=self.rate).throw_required
        if needed and not self.passes:
            hint = f"Throw for it: campaign syscards rate {self.who} {self.rate} --why TEXT --throw; or say --passes."
            raise Refused(f"{self.rate} is above the efficiency of {self.who}, {known}.", hint)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Succeed."""
        known = efficiency(table, self.who)
        ruled = self.rate > known
        step = Step(name="tale", says="efficiency {} against {}", numbers=(known, self.rate))
        follows = consequences.ACT_PASSED.of(self.who, rate=self.rate, ruled=ruled)
        return ruling("success, as the GM rules" if ruled else "success", True, step, follows=[follows])


class Means(Move):
    """Say what the last failure of a card means, as the GM describes it."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-06",)
    example: ClassVar[str] = 'mara --words "the rope slips through her hands"'

    who: Who
    words: Annotated[Words, "what becomes of it"]

    def dice(self, table: Table) -> None:
        """Throw nothing; refuses where no failure waits to be told."""
        if table.score(self.who, "failure") < 1:
            raise Refused(f"No failure of {self.who} waits to be told.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Tell it."""
        degree = table.score(self.who, "failure")
        follows = consequences.FAILURE_TOLD.of(self.who, marks={"failure": None}, degree_of_failure=degree)
        return ruling(f"a failure by {degree} is told", None, follows=[follows])
