"""The move that resolves a contest: all commitments are revealed, the energy is spent, and one side wins (BYZ-21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from ledger.rules import (
    Change,
    Count,
    Effect,
    Flag,
    Handle,
    Refused,
    Ruling,
    Step,
    Table,
    TableMove,
    Together,
    Words,
    ruling,
    total,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_contests import find_contest, open_contest
from ledger.systems.byzantine.moves_costs import opponents_spending
from ledger.systems.byzantine.moves_fights import Fight, check_killable


class Resolve(TableMove):
    """Resolve a contest after everyone has committed. All commitments are revealed, and the energy is spent."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-21", "BYZ-22", "BYZ-23")
    example: ClassVar[str] = "duel --take 2"
    another: ClassVar[str] = 'duel --adjust 1 --why "the better ground"'
    chosen: ClassVar[tuple[str, ...]] = ("take", "how")
    opens: ClassVar[bool] = True

    contest: Handle
    adjust: Annotated[Change, "the GM's bonus or penalty to the acting side; needs --why"] = 0
    adjust_against: Annotated[Change, "the GM's bonus or penalty to the opposing side; needs --why"] = 0
    why: Annotated[Words | None, "the reason for the bonus or penalty"] = None
    how: Annotated[Words | None, "how a character dies, if the contest kills one"] = None
    take: Annotated[
        Count | None,
        "how much energy the winner of an attack takes; the losers pay one after another, in the order in which they "
        "are listed on their side",
    ] = None

    def dice(self, table: Table) -> None:
        contest = open_contest(table, self.contest)
        contest.check_all_committed(table)
        contest.check_alive(table, contest.both_sides)
        if contest.kind == "kill":
            check_killable(table, contest.victim)
        if bool(self.adjust or self.adjust_against) != (self.why is not None):
            raise Together(f"{Flag('adjust')} or {Flag('adjust-against')}", Flag("why"))
        if self.take is not None and contest.kind != "attack":
            raise Refused(f"{self.contest} is not an attack, so leave out {Flag('take')}.")
        if self.take and self.take > self.fight(table).most:  # a number in the error would reveal the commitments
            raise Refused(
                f"The winner of {self.contest} cannot take that much energy.",
                f"Leave out {Flag('take')} to see the limit.",
            )
        self.opponents(table)

    def dead(self, table: Table) -> list[str]:
        """The characters with a deadly debt, and the victim of a successful killing."""
        contest = open_contest(table, self.contest)
        debts = [ally.who for ally in contest.allies(table, contest.both_sides) if ally.spend.kills]
        killed = contest.kind == "kill" and self.outcome(table).success and contest.victim not in debts
        return [*debts, *([contest.victim] if killed else [])]

    def says(self, table: Table, verdict: str) -> str:
        """Add the deaths to a verdict (BYZ-07, BYZ-23)."""
        dead = self.dead(table)
        return f"{verdict}, and {' and '.join(dead)} {'is' if len(dead) == 1 else 'are'} dead" if dead else verdict

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        attack = open_contest(table, self.contest).kind == "attack"
        take = ("take",) if attack and self.take is None and self.fight(table).most else ()
        return (*take, "how") if self.how is None and self.dead(table) else take

    def facts(self, table: Table, faces: Sequence[int]) -> str:
        contest = find_contest(table, self.contest)
        if contest is None or contest.waits_for(table):
            return ""
        won = self.fight(table).facts() if contest.kind == "attack" else ""
        dead = self.dead(table)
        return "; ".join(filter(None, [won, f"{' and '.join(dead)} will die" if dead else ""]))

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        self.fight(table).check(self.take)

    def holds(self, table: Table) -> tuple[str, ...]:
        """Both sides, until the winner has chosen how much energy to take."""
        contest = find_contest(table, self.contest)
        return tuple(contest.both_sides) if contest else ()

    def spending_effects(self, table: Table) -> list[Effect]:
        """Spend the energy of both sides and of the task's opponents. Characters with a deadly debt die."""
        contest = open_contest(table, self.contest)
        allies = contest.allies(table, contest.both_sides)
        died = [
            effect
            for ally in allies
            if ally.spend.kills
            for effect in moves_spending.death(table, ally.who, debt=ally.spend.debt, there=ally.spend.repayable)
        ]
        return [*moves_spending.spending_effects_of(allies), *self.opponents(table), *died]

    def opponents(self, table: Table) -> Sequence[Effect]:
        """Spend the energy of the opponents that the GM set for the task."""
        preset = open_contest(table, self.contest).preset_cost(table)
        return opponents_spending(table, preset.energies, preset.owing) if preset else []

    def fight(self, table: Table) -> Fight:
        """Both sides of an attack, with the GM's adjustments."""
        contest = open_contest(table, self.contest)
        return Fight(
            attackers=contest.allies(table, contest.acting),
            defenders=contest.allies(table, contest.against),
            adjust=self.adjust,
            adjust_answer=self.adjust_against,
        )

    def outcome(self, table: Table) -> rules.CommitOutcome:
        """Compare the acting side with the cost of a task or a killing."""
        contest = open_contest(table, self.contest)
        allies = contest.allies(table, contest.acting)
        return rules.commit(
            ability=sum(ally.rating for ally in allies) + max(0, self.lead),
            energy=sum(ally.energy for ally in allies),
            cost=self.total_cost(table),
        )

    @property
    def lead(self) -> int:
        """The GM's bonus for the acting side; negative if it helps the other side."""
        return self.adjust - self.adjust_against

    def total_cost(self, table: Table) -> int:
        """The total that the acting side must reach, including the GM's bonus for the other side."""
        contest = open_contest(table, self.contest)
        return contest.cost(table, next(iter(contest.acting))).total + max(0, -self.lead)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        contest = open_contest(table, self.contest)
        ends = list(contest.end_effects(table, tried=True))
        if contest.kind == "attack":
            fought = self.fight(table).ruling(self.take or 0)
            verdict = fought.verdict.replace(says=self.says(table, fought.verdict.says))
            return fought.replace(
                verdict=verdict, consequences=(*self.spending_effects(table), *fought.consequences, *ends)
            )
        outcome, total_cost, allies = self.outcome(table), self.total_cost(table), contest.allies(table, contest.acting)
        cost = contest.cost(table, allies[0].who)
        killed = contest.kind == "kill" and outcome.success
        died = moves_spending.death(table, contest.victim, by=allies[0].who) if killed else []
        solved = consequences.TASK_RESOLVED.of(
            allies[0].who, task=contest.task, cost=total_cost, success=outcome.success
        )
        energies, ratings = [ally.energy for ally in allies], [ally.rating for ally in allies]
        return ruling(
            self.says(table, f"{self.contest} is {'done' if outcome.success else 'not done'}"),
            outcome.success,
            total("total", *energies, *ratings, *([self.lead] if self.lead > 0 else []), to=outcome.total),
            *cost.steps(),
            Step(name="contest", says="{} against {}", numbers=(outcome.total, total_cost)),
            follows=[*self.spending_effects(table), *died, solved, *ends],
        )
