"""Costs that the GM sets in advance, and the base class of moves that use them: tasks, alterations, ways, killings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, ClassVar

from ledger import rules as game
from ledger.rules import BadInput, Effect, Flag, Refused, Ruling, Run, Step, Struct, Table, ruling, total
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_spending import Ally, SpendingMove

TaskName = Annotated[
    str,
    game.POSITIONAL,
    (
        "any name for the task; for a trip, type go.PLACE; for a killing, kill.WHO; to change a"
        " connection, alter.CONNECTION.input or alter.CONNECTION.output"
    ),
]


class Cost(Struct):
    """The cost of a task: a base (`None` if only opponents count), and the energy and ability of each opponent.

    - `ability`: the ability that the GM chose for the task.
    - `owing`: the opponents who may go into debt.
    - `keeper`: the owner of the sheet that has the cost, or "" if the GM set no cost. In edition 1, this may be a
      character. In later editions, it is the campaign.
    - `usual`: True if `base` is the usual base, because the GM set none.
    """

    base: int | None
    opposition: Mapping[str, tuple[int, int]]
    ability: str | None = None
    owing: tuple[str, ...] = ()
    keeper: str = ""
    usual: bool = False

    @property
    def total(self) -> int:
        """The base plus the energy and ability of all opponents (BYZ-21)."""
        if not self.opposition:
            return self.base or 0
        sides = (rules.Side(energy=energy, ability=ability) for energy, ability in self.opposition.values())
        return rules.contest(base=self.base, opposition=tuple(sides))

    @property
    def energies(self) -> dict[str, int]:
        """The energy of each opponent, by the opponent's name."""
        return {who: energy for who, (energy, _) in self.opposition.items()}

    @property
    def energy(self) -> int:
        """The sum of the opponents' energy."""
        return sum(self.energies.values())

    @property
    def rating(self) -> int:
        """The sum of the opponents' ability ratings."""
        return sum(ability for _, ability in self.opposition.values())

    @property
    def split(self) -> dict[str, int]:
        """The value of the mark `split.*` for a learned cost: the total, and the opponents' ability and energy."""
        return {"cost": self.total, "ability": self.rating, "energy": self.energy}

    def steps(self) -> list[Step]:
        """Return the step that adds the opposition to the base. If there is no opposition, return no step."""
        base = () if self.base is None else (self.base,)
        return [total("cost", *base, self.energy, self.rating, to=self.total)] if self.opposition else []


NO_COST = Cost(base=None, opposition={})


def task_name(task: str) -> str:
    """Turn a typed task into a name for scores and marks (BYZ-15). Raise `BadInput` if that is not possible."""
    kind, dot, rest = task.partition(".")
    connection, _, side = rest.partition(".")
    if not dot:
        return game.read_handle(task)
    if kind in {"go", "kill"}:
        return f"{kind}.{game.read_handle(rest)}"
    if kind == "alter" and side in {"input", "output"}:
        return f"alter.{side}.{game.read_handle(connection)}"
    raise BadInput(
        f"{task} cannot be the name of a task.", "Examples: climb, go.market, kill.brak, alter.smithy.output."
    )


def has_usual_cost(task: str) -> bool:
    """Return True for a task with a usual cost: a trip, a killing or an alteration."""
    return "." in task


def cost_of(table: Table, who: str, task: str, beside: Collection[str] = (), usual: int | None = None) -> Cost:
    """Return the cost that the GM set for a task. If the GM set no base, `usual` is the base.

    `who` and the characters in `beside` do not count as opponents.
    """
    for keeper in dict.fromkeys((who, game.CAMPAIGN)):
        value = table.find(keeper, f"task.{task_name(task)}")
        if isinstance(value, Mapping):
            break
    else:
        keeper, value = "", {"base": None, "opposition": {}}
    return Cost(
        base=usual if value["base"] is None else value["base"],
        opposition={
            name: (energy, ability)
            for name, (energy, ability) in value["opposition"].items()
            if name not in {who, *beside}
        },
        ability=value.get("ability"),
        owing=tuple(value.get("owing", ())),
        keeper=keeper,
        usual=value["base"] is None and usual is not None,
    )


def opponents_spending(table: Table, energies: Mapping[str, int], owing: Sequence[str]) -> list[Effect]:
    """Return the effects that spend the energy of opponents with a sheet. Those in `owing` may go into debt.

    A refusal gives no details, because the cost is secret (BYZ-15).
    """
    opponents = [who for who in energies if table.find(who, "sheet") is True]
    try:
        spends = [moves_spending.other_spending(table, who, energies[who], overdraft=who in owing) for who in opponents]
    except Refused:
        raise Refused(
            "The opponents cannot spend that much energy.",
            "The GM can check the opponents' sheets and change the numbers.",
        ) from None
    return [effect for spend in spends if energies[spend.who] for effect in spend.effects()]


class CostMove(SpendingMove):
    """A move that must reach a cost. The GM may have set the cost and the ability in advance (BYZ-15)."""

    named: ClassVar[str]
    """The name of the task whose cost the GM can set, with inputs in braces: `go.{place}`."""
    verdict_step: ClassVar[str] = "cost"
    """The name of the step that compares the total with the cost."""

    @property
    def cost_name(self) -> str:
        """The name of the task whose cost the GM can set."""
        return self.named.format_map(self.__dict__)

    @abstractmethod
    def result(self, table: Table, *, success: bool) -> tuple[str, Sequence[Effect]]:
        """Return the text of the verdict, and all consequences other than the spent energy."""

    @property
    def others(self) -> Collection[str]:
        """The characters in the attempt besides `who`. They do not count as opponents. Default: none."""
        return ()

    def usual_cost(self, table: Table) -> int | None:
        """Return the usual base cost, or `None` without a usual cost. Default: `None`."""
        return None

    def cost_now(self, table: Table) -> Cost:
        """Return the cost that the GM set in advance, or else the usual cost."""
        return cost_of(table, self.who, self.cost_name, self.others, self.usual_cost(table))

    def total_cost(self, table: Table) -> int:
        """Return the total that energy and ability must reach."""
        return self.cost_now(table).total

    def cost_steps(self, table: Table) -> Sequence[Step]:
        """Return the steps that show how the cost adds up. Default: none."""
        return ()

    def check_preset(self, table: Table, *, typed: bool) -> None:
        """Refuse a typed cost if the GM set the cost. Refuse a typed ability if the GM chose a different ability."""
        cost = self.cost_now(table)
        if cost.keeper and typed and not cost.usual:
            hint = f"The GM can change the cost: {Run('byzantine task', self.cost_name, costs='N', why='TEXT')}"
            raise BadInput(f"{self.cost_name} already has a cost.", hint)
        self.check_ability(cost, [self.ability], Flag("ability"))

    def check_ability(self, cost: Cost, typed: Iterable[str | None], flag: Flag) -> None:
        """Refuse typed abilities other than the one that the GM chose. `flag` is the flag of the typed abilities."""
        if cost.ability is not None and {*typed} - {None, cost.ability}:
            raise Refused(f"The GM has already chosen the ability for {self.cost_name}.", f"Leave out {flag}.")

    def check(self, table: Table) -> None:
        super().check(table)
        moves_spending.check_no_duplicates(self.who, *self.others)
        self.helpers(table)
        self.opponent_effects(table)

    def opponent_effects(self, table: Table) -> list[Effect]:
        """Return the effects that spend the opponents' energy, in the amounts that the GM set."""
        cost = self.cost_now(table)
        return opponents_spending(table, cost.energies, cost.owing)

    def allies(self, table: Table, energies: Mapping[str, int], abilities: Mapping[str, str]) -> list[Ally]:
        """Return the characters who help. If the GM chose an ability, no other ability counts."""
        cost = self.cost_now(table)
        self.check_ability(cost, abilities.values(), Flag("beside-ability"))
        if cost.ability is not None:
            names = dict.fromkeys((*energies, *abilities))
            abilities = {who: cost.ability for who in names if table.find(who, f"ability.{cost.ability}")}
        return moves_spending.allies_of(table, energies, abilities, overdraft=self.overdraft)

    def rating(self, table: Table) -> int:
        """Return the rating of the ability that the GM chose (0 if the sheet lacks it), or else of the typed one."""
        chosen = self.cost_now(table).ability
        if chosen is None:
            return super().rating(table)
        return moves_spending.energy_in(table, self.who, f"ability.{chosen}")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        side, cost = self.acting_side(table), self.total_cost(table)
        outcome = moves_spending.compare_with_cost(side, cost)
        verdict, changes = self.result(table, success=outcome.success)
        return ruling(
            self.with_death(table, verdict),
            outcome.success,
            moves_spending.side_step("total", side),
            *self.cost_steps(table),
            Step(name=self.verdict_step, says="{} against {}", numbers=(outcome.total, cost)),
            follows=[
                *self.spending_effects(table),
                *moves_spending.spending_effects_of(side[1:]),
                *self.opponent_effects(table),
                *changes,
                *self.attempt_effects(table, cost=cost, success=outcome.success),
            ],
        )

    def attempt_effects(self, table: Table, *, cost: int, success: bool) -> list[Effect]:
        """Return the effect that records an attempt; none if the GM set nothing and the usual cost applies.

        If the GM set the cost for all characters, the character learns it (BYZ-15). A cost that the GM set for this
        character alone is removed.
        """
        preset, name = self.cost_now(table), task_name(self.cost_name)
        if preset.usual and not preset.keeper:
            return []
        learned = preset.total if preset.keeper == game.CAMPAIGN else None
        marks = {f"learned.{name}": learned} if preset.keeper else {}
        if preset.keeper == self.who:
            marks[f"task.{name}"] = None
        return [consequences.TASK_RESOLVED.of(self.who, marks=marks, task=self.cost_name, cost=cost, success=success)]
