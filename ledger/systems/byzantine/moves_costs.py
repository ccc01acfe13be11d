"""Costs that the GM sets in advance, and the base class of moves that use them: tasks, alterations, ways, killings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from ledger.rules import ALONE, CAMPAIGN, BadInput, Effect, Flag, Refused, Run, Step, Struct, Table, handle, total
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_spending import Ally, Spends

TaskName = Annotated[
    str, ALONE, "any name, or one of go.PLACE, kill.WHO, alter.CONNECTION.input, alter.CONNECTION.output"
]


class Cost(Struct):
    """The cost of a task: a base (`None` if only opponents count), and the energy and ability of each opponent.

    `ability` is the ability that the GM chose. Opponents in `owing` may go into debt. A `shared` cost is for everyone;
    edition 1 also had costs for one character. If `usual`, the base is the usual cost, because the GM set none.
    """

    base: int | None
    opposition: Mapping[str, tuple[int, int]]
    ability: str | None = None
    owing: tuple[str, ...] = ()
    shared: bool = False
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
        """The energy of each opponent."""
        return {who: energy for who, (energy, _) in self.opposition.items()}

    @property
    def energy(self) -> int:
        """The sum of the opponents' energy."""
        return sum(self.energies.values())

    @property
    def rating(self) -> int:
        """The sum of the opponents' ability."""
        return sum(ability for _, ability in self.opposition.values())

    def steps(self) -> list[Step]:
        """The step that adds the opposition to the base; no step if there is no opposition."""
        base = () if self.base is None else (self.base,)
        return [total("cost", *base, self.energy, self.rating, to=self.total)] if self.opposition else []


def task_name(task: str) -> str:
    """Turn the typed name of a task into its name in scores and marks. Raise `BadInput` if it is not valid (BYZ-15)."""
    kind, dot, rest = task.partition(".")
    connection, _, side = rest.partition(".")
    if not dot:
        return handle(task)
    if kind in {"go", "kill"}:
        return f"{kind}.{handle(rest)}"
    if kind == "alter" and side in {"input", "output"}:
        return f"alter.{side}.{handle(connection)}"
    raise BadInput(
        f"{task} cannot be the name of a task.", "Examples: climb, go.market, kill.brak, alter.smithy.output."
    )


def cost_of(table: Table, who: str, task: str, beside: Collection[str] = ()) -> Cost | None:
    """The cost that the GM set for a task, or `None`. `who` and `beside` do not count as opponents."""
    for keeper in dict.fromkeys((who, CAMPAIGN)):
        value = table.find(keeper, f"task.{task_name(task)}")
        if isinstance(value, Mapping):
            opposition = {name: (energy, ability) for name, (energy, ability) in value["opposition"].items()}
            return Cost(
                base=value["base"],
                opposition={name: side for name, side in opposition.items() if name not in {who, *beside}},
                ability=value.get("ability"),
                owing=tuple(value.get("owing", ())),
                shared=keeper == CAMPAIGN,
            )
    return None


def opponents_spending(table: Table, energies: Mapping[str, int], owing: Sequence[str] = ()) -> Sequence[Effect]:
    """Spend the energy of opponents who have a sheet. The error has no details, because the cost is secret (BYZ-15)."""
    opponents = [who for who in energies if table.find(who, "sheet") is True]
    try:
        effects = {
            who: moves_spending.other_spending(table, who, energies[who], overdraft=who in owing) for who in opponents
        }
    except Refused:
        raise Refused(
            "The opponents cannot spend that much energy.", "The GM can check their sheets and change the numbers."
        ) from None
    return [effect for who, spend in effects.items() if energies[who] for effect in spend.effects()]


class Attempts(Spends):
    """A move whose cost and ability the GM may have set in advance (BYZ-15)."""

    @property
    @abstractmethod
    def cost_name(self) -> str:
        """The name of the task whose cost the GM can set."""

    def preset_cost(self, table: Table) -> Cost | None:
        """The cost that the GM set in advance, or `None`. If it has no base, use the usual cost as its base."""
        cost, usual = cost_of(table, self.who, self.cost_name, self.others), self.usual(table)
        if cost is None or cost.base is not None or usual is None:
            return cost
        return cost.replace(base=usual, usual=True)

    def usual(self, table: Table) -> int | None:
        """The cost to use if the GM set no base. Default: none."""
        return None

    @property
    def others(self) -> Collection[str]:
        """The other characters on the acting side. Default: none."""
        return ()

    def check_preset(self, table: Table, *, typed: bool) -> None:
        """Refuse a typed cost if the GM set one, and an ability other than the one that the GM chose."""
        preset = self.preset_cost(table)
        if preset is not None and typed and not preset.usual:
            hint = f"The GM can change it: {Run('byzantine task', self.cost_name, costs='N', why='TEXT')}"
            raise BadInput(f"{self.cost_name} already has a cost.", hint)
        if preset is not None and preset.ability is not None and self.ability not in {None, preset.ability}:
            raise Refused(
                f"The GM has already chosen the ability for {self.cost_name}.", f"Leave out {Flag('ability')}."
            )

    def opponents(self, table: Table) -> Sequence[Effect]:
        """Spend the energy of the opponents that the GM set. No effect if there are none."""
        preset = self.preset_cost(table)
        return opponents_spending(table, preset.energies, preset.owing) if preset else []

    def allies(self, table: Table, energies: Mapping[str, int], abilities: Mapping[str, str]) -> list[Ally]:
        """The other characters on the acting side. If the GM chose an ability, only that ability counts for them."""
        preset = self.preset_cost(table)
        if preset is not None and preset.ability is not None:
            if {*abilities.values()} - {preset.ability}:
                raise Refused(
                    f"The GM has already chosen the ability for {self.cost_name}.",
                    f"Leave out {Flag('beside-ability')}.",
                )
            names = dict.fromkeys((*energies, *abilities))
            abilities = {who: preset.ability for who in names if table.find(who, f"ability.{preset.ability}")}
        return moves_spending.allies(table, energies, abilities, overdraft=self.overdraft)

    def rating(self, table: Table) -> int:
        """The rating of the ability that the GM chose (0 if it is not on the sheet), or else of the typed ability."""
        preset = self.preset_cost(table)
        if preset is None or preset.ability is None:
            return super().rating(table)
        return moves_spending.energy_in(table, self.who, f"ability.{preset.ability}")

    def resolved(self, table: Table, *, cost: int, success: bool) -> list[Effect]:
        """Record an attempt. The character then knows a shared cost (BYZ-15). A cost for one character is removed."""
        preset, name = self.preset_cost(table), task_name(self.cost_name)
        known = {f"learned.{name}": preset.total} if preset and preset.shared else {}
        removed = {f"task.{name}": None, f"learned.{name}": None} if preset and not preset.shared else {}
        marks = {**known, **removed}
        return [consequences.TASK_RESOLVED.of(self.who, marks=marks, task=self.cost_name, cost=cost, success=success)]
