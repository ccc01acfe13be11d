"""Moves to set the cost of a task, to attempt it, and to learn its cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger import rules as game
from ledger.rules import BadInput, Effect, Flag, Refused, Ruling, Run, Step, Table, TableMove, ruling, secret
from ledger.systems.byzantine import consequences, moves_contests, moves_costs, moves_spending, rules
from ledger.systems.byzantine.moves_costs import Cost, CostMove, TaskName
from ledger.systems.byzantine.moves_spending import NO_ABILITIES, Abilities, Ally, Energies, SpendingMove

Opposition = Annotated[Mapping[str, game.Count], game.HIDDEN]


class Task(TableMove):
    """Set or change the cost of a task, or close the task. The cost is secret unless you add --told."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-15", "BYZ-21")
    example: ClassVar[str] = "climb --costs 12"
    another: ClassVar[str] = "climb --costs 12 --ability climbing --told"

    task: TaskName
    costs: Annotated[game.Hidden | None, "the base cost (leave it out if the cost depends only on the opponents)"] = (
        None
    )
    ability: Annotated[game.Handle | None, game.HIDDEN, "the ability that counts in every attempt at the task"] = None
    opposed_energy: Annotated[Opposition, "the energy that each opponent commits"] = game.NO_NUMBERS
    opposed_ability: Annotated[Opposition, "the ability of each opponent, as a number"] = game.NO_NUMBERS
    owing: Annotated[
        tuple[game.Handle, ...], game.HIDDEN, "the opponents who may go into debt to commit this energy"
    ] = ()
    told: Annotated[bool, "show the cost to the players"] = False
    close: Annotated[bool, "close the task and forget its cost"] = False
    why: Annotated[game.Words | None, "the reason; required to change a cost"] = None

    @property
    def hides(self) -> bool:
        return not self.told

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        has_cost = bool(moves_costs.cost_of(table, self.who, self.task).keeper)
        typed = self.costs is not None or self.ability is not None or bool(self.opponents or self.owing)
        if self.close and (typed or not has_cost):
            raise Refused(
                f"Use {Flag('close')} without other options." if has_cost else f"{self.task} has no cost yet."
            )
        if self.close:
            return
        cost = self.cost_now(table)
        is_usual = moves_costs.has_usual_cost(self.task) and cost.ability is not None  # the GM chose only the ability
        if not typed or not (cost.base is not None or cost.opposition or is_usual):
            raise BadInput(
                f"A task needs a cost, opponents, or both. Add {Flag('costs', 'N')} or {Flag('opposed-energy')} WHO=N."
            )
        if self.who in self.opponents:
            raise game.NotOneself(self.who, "oppose")
        if has_cost and self.why is None:
            raise BadInput(f"{self.task} already has a cost. Add {Flag('why', 'TEXT')} to change it.")

    @property
    def opponents(self) -> list[str]:
        """The opponents for whom energy or ability was typed."""
        return sorted({*self.opposed_energy, *self.opposed_ability})

    def cost_now(self, table: Table) -> Cost:
        """Return the new cost. Parts that are not typed stay the same."""
        before = moves_costs.cost_of(table, self.who, self.task)
        sides = dict(before.opposition)
        for name in self.opponents:
            energy, ability = sides.get(name, (0, 0))
            sides[name] = (self.opposed_energy.get(name, energy), self.opposed_ability.get(name, ability))
        opposition = {name: side for name, side in sides.items() if any(side)}
        return Cost(
            base=before.base if self.costs is None else self.costs,
            opposition=opposition,
            ability=self.ability or before.ability,
            owing=tuple(name for name in opposition if name in {*before.owing, *self.owing}),
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        name = moves_costs.task_name(self.task)
        if self.close:
            closed = consequences.TASK_CLOSED.of(self.who, marks={f"task.{name}": None}, task=self.task)
            return ruling(f"{self.task} is closed", None, follows=[closed])
        cost = self.cost_now(table)
        value: dict[str, Any] = {
            "base": cost.base,
            "opposition": {who: list(side) for who, side in cost.opposition.items()},
        }
        parts = {"ability": cost.ability, "owing": list(cost.owing)}
        value |= {part: content for part, content in parts.items() if content}
        marks: dict[str, Any] = {f"task.{name}": value if self.told else secret(value)}
        if self.who != game.CAMPAIGN:
            marks[f"learned.{name}"] = None
        follows = consequences.TASK_SET.of(self.who, marks=marks, task=self.task)
        more = (
            "{} more than usual" if self.told and cost.base is None and moves_costs.has_usual_cost(self.task) else "{}"
        )
        step = Step(name="cost", says=more, numbers=(self.hide_if_secret(cost.total),))
        says = "has another cost" if moves_costs.cost_of(table, self.who, self.task).keeper else "has a cost"
        return ruling(f"{self.task} {says}", None, step, follows=[follows])


class Attempt(CostMove):
    """Commit energy to a task. Energy plus ability must reach the cost. A project of the same name pays first."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-14", "BYZ-15", "BYZ-21")
    example: ClassVar[str] = "mara climb --costs 12 --energy 3"
    another: ClassVar[str] = "mara climb --costs 12 --energy 3 --project climb"

    task: Annotated[game.Handle, game.Tag(name="mark", of="task", whose=game.CAMPAIGN)]
    costs: Annotated[game.Count | None, "the cost, if the GM has not set one"] = None
    beside: Annotated[Energies, "the helpers, and the energy that each of them commits"] = game.NO_NUMBERS
    beside_ability: Annotated[Abilities, "the ability that each helper uses"] = NO_ABILITIES

    named: ClassVar[str] = "{task}"
    verdict_step: ClassVar[str] = "task"

    @property
    def others(self) -> Collection[str]:
        return self.beside

    def helpers(self, table: Table) -> list[Ally]:
        return self.allies(table, self.beside, self.beside_ability)

    def paying_project(self, table: Table) -> str | None:
        return self.project or moves_spending.funded_project(table, self.who, self.task)

    def dice(self, table: Table) -> None:
        if not self.cost_now(table).keeper and self.costs is None:
            hint = f"Add {Flag('costs', 'N')}, or set it: {Run('byzantine task', self.task, costs='N')}"
            raise BadInput(f"{self.task} has no cost yet.", hint)
        self.check_preset(table, typed=self.costs is not None)
        self.check(table)

    def cost_now(self, table: Table) -> Cost:
        """Return the cost that the GM set, or else the typed cost."""
        cost = super().cost_now(table)
        return cost if cost.keeper else cost.replace(base=self.costs)

    def cost_steps(self, table: Table) -> Sequence[Step]:
        return self.cost_now(table).steps()

    def result(self, table: Table, *, success: bool) -> tuple[str, Sequence[Effect]]:
        return f"{self.task} is {'done' if success else 'not done'}", ()


class Know(SpendingMove):
    """Try to learn the cost of a task in advance.

    If the task has opponents, learn the total cost first. After that, learn its parts with --split.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-24", "BYZ-25")
    example: ClassVar[str] = "mara climb --energy 10"
    another: ClassVar[str] = "mara climb --costs 4 --energy 5"

    task: TaskName
    split: Annotated[bool, "learn how the total cost is split between the opponents' ability and their energy"] = False
    costs: Annotated[
        game.Hidden | None,
        game.FOR_GM,
        (
            "how much energy it takes to learn the cost; the GM sets this number in secret (default:"
            " four fifths of the cost)"
        ),
    ] = None
    obscured: Annotated[Mapping[str, game.Count], "the energy that each opponent spends to hide the cost"] = (
        game.NO_NUMBERS
    )
    owing: Annotated[tuple[game.Handle, ...], "the opponents who may go into debt to pay for hiding the cost"] = ()

    own_secrets: ClassVar[bool] = True

    @property
    def hides(self) -> bool:
        """True, because the energy needed to learn a cost would reveal that cost."""
        return True

    def dice(self, table: Table) -> None:
        contest, cost = moves_contests.contest_of(table, self.who, self.task), self.cost_now(table)
        if contest is not None:
            contest.check_all_committed(table, "Try to learn the cost after everyone has committed.")
            if self.obscured:
                raise BadInput(
                    f"Leave out {Flag('obscured')}. In a contest, opponents add {Flag('obscure')} to their own 'commit'"
                    " instead."
                )
        elif not cost.keeper or (cost.base is None and moves_costs.has_usual_cost(self.task)):
            raise Refused(
                f"{self.task} has no cost yet.", f"The GM can set it: {Run('byzantine task', self.task, costs='N')}"
            )
        name = moves_costs.task_name(self.task)
        known = table.find(self.who, f"learned.{name}") == cost.total
        if self.split and not (known and cost.opposition):
            raise Refused(
                f"{self.who} cannot learn how the cost is divided: the task has no opponents, or {self.who} does not"
                " know its total cost yet."
            )
        if known and (not self.split or table.find(self.who, f"split.{name}") == cost.split):
            what = f"how the cost of {self.task} is divided" if self.split else f"the cost of {self.task}"
            raise Refused(f"{self.who} already knows {what}.")
        stranger = next((who for who in self.owing if who not in self.obscured), None)
        if stranger is not None:
            raise BadInput(f"{stranger} is in {Flag('owing')}, but not in {Flag('obscured')}. Add {stranger} to both.")
        self.check(table)
        moves_costs.opponents_spending(table, self.obscured, self.owing)

    def cost_now(self, table: Table) -> Cost:
        """Return the cost that the character learns: in an open contest, the cost for the character's side."""
        contest = moves_contests.contest_of(table, self.who, self.task)
        return moves_costs.cost_of(table, self.who, self.task) if contest is None else contest.cost(table, self.who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        contest = moves_contests.contest_of(table, self.who, self.task)
        cost, side = self.cost_now(table), self.acting_side(table)
        price = rules.knowing_cost(cost=cost.total) if self.costs is None else self.costs
        opponents = contest.committed_opponents(table, self.who) if contest else []
        needed = price + sum(self.obscured.values()) + sum(ally.obscuring for ally in opponents)
        outcome = moves_spending.compare_with_cost(side, needed)
        learned, answer = self.learned(cost, of_contest=contest is not None) if outcome.success else ([], [])
        what = f"{'the split' if self.split else 'the cost'} of {self.task}"
        return ruling(
            self.with_death(table, f"{what} is {'learned' if outcome.success else 'not learned'}"),
            outcome.success,
            moves_spending.side_step("total", side),
            Step(name="knowing", says="{} against {}", numbers=(outcome.total, self.hide_if_secret(needed))),
            *answer,
            follows=[
                *self.spending_effects(table),
                *moves_costs.opponents_spending(table, self.obscured, self.owing),
                *learned,
            ],
        )

    def learned(self, cost: Cost, *, of_contest: bool) -> tuple[list[Effect], list[Step]]:
        """Return the effect and the step with the numbers that the character learns. With `of_contest`, hide them."""
        mark, says = ("split", "ability {}, energy {}") if self.split else ("learned", "the cost is {}")
        parts = {"ability": cost.rating, "energy": cost.energy} if self.split else {"cost": cost.total}
        value = cost.split if self.split else cost.total
        effect = consequences.COST_LEARNED.of(
            self.who,
            marks={f"{mark}.{moves_costs.task_name(self.task)}": secret(value) if of_contest else value},
            task=self.task,
            **({} if of_contest else parts),  # type: ignore[arg-type]
        )
        numbers = tuple(secret(number) if of_contest else number for number in parts.values())
        return [effect], [Step(name="learned", says=says, numbers=numbers)]
