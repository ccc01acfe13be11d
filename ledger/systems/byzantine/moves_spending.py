"""Numbers computed from a sheet, such as the net, and the base class of all moves that spend energy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ledger import rules as game
from ledger.rules import BadInput, Effect, Flag, Kind, Move, Refused, Run, Step, Struct, Table, total
from ledger.systems.byzantine import consequences, rules
from ledger.systems.byzantine.sheet import ENERGY_PER_GAIN, HIGHEST_OUTPUT, LOWEST_INPUT, SETTINGS, WITHHELD, Commitment

AbilityName = Annotated[game.Handle, game.Tag(name="score", of="ability")]
ProjectName = Annotated[game.Handle, game.Tag(name="score", of="project")]
ConnectionName = Annotated[game.Handle, game.Tag(name="score", of="output")]

PayingOrder = Annotated[
    tuple[game.Handle, ...],
    (
        "the pools that pay first, with a comma between them, like general,day; the other pools"
        " follow in the order project, day, general"
    ),
]
Overdraft = Annotated[
    bool, "commit more energy than the character has; the rest becomes a debt, which costs double at the next dawn"
]

Energies = Annotated[Mapping[str, game.Count], game.CAST]
Abilities = Annotated[Mapping[str, game.Handle], game.CAST]
"""Characters on a side, each with the ability that they use."""

NO_ABILITIES: Mapping[str, str] = {}

OUTPUT, CONNECTION = WITHHELD


def check_alive(table: Table, *cast: str) -> None:
    """Raise `Refused` if one of these characters is dead."""
    for who in cast:
        if table.find(who, "dead") is True:
            raise Refused(f"{who} is dead.")


def energy_in(table: Table, who: str, name: str) -> int:
    """Return the energy in a pool, 0 if a correction left it below zero."""
    return max(0, table.score(who, name))


def connection_values(table: Table, who: str) -> dict[str, tuple[int, int]]:
    """Return the input and output of each connection on the sheet."""
    names = sorted({*table.names(who, "input"), *table.names(who, "output")})
    return {name: (table.score(who, f"input.{name}"), table.score(who, f"output.{name}")) for name in names}


def nonzero(changes: Mapping[str, int]) -> dict[str, int]:
    """Leave out the scores whose change is 0."""
    return {name: amount for name, amount in changes.items() if amount}


def without_withheld(table: Table, who: str, pairs: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Replace withheld inputs and outputs in `pairs` with 0 (BYZ-03)."""
    withheld = {name: table.find(who, f"withheld.{name}") for name in pairs}
    return {
        name: (0 if withheld[name] == CONNECTION else cost, 0 if withheld[name] in WITHHELD else gain)
        for name, (cost, gain) in pairs.items()
    }


def connections(table: Table, who: str) -> dict[str, tuple[int, int]]:
    """Return the input and output of each connection on the sheet, with 0 for a withheld part (BYZ-03)."""
    return without_withheld(table, who, connection_values(table, who))


def net_outcome(table: Table, pairs: Mapping[str, tuple[int, int]]) -> rules.NetOutcome:
    """Add up the inputs and outputs in `pairs` (BYZ-01).

    A connection outside the GM's limits still counts in full, because it can be older than the limits.
    """
    lowest, highest = _connection_limits(table)
    costs, gains = [lowest, *(cost for cost, _ in pairs.values())], [highest, *(gain for _, gain in pairs.values())]
    return rules.net_energy(connections=tuple(pairs.values()), lowest_input=min(costs), highest_output=max(gains))


def _connection_limits(table: Table) -> tuple[int, int]:
    # older editions did not record these settings
    lowest, highest = (table.settings.get(setting.name, setting.default) for setting in SETTINGS)
    return lowest, highest


def check_limits(table: Table, who: str, name: str, pair: tuple[int, int]) -> None:
    """Refuse a connection whose input or output (`pair`) is outside the GM's limits (BYZ-01)."""
    (cost, gain), (lowest, highest) = pair, _connection_limits(table)
    try:
        rules.net_energy(connections=(pair,), lowest_input=lowest, highest_output=highest)
    except Refused as refused:
        low = [f"{LOWEST_INPUT.name}={cost}"] if cost < lowest else []
        high = [f"{HIGHEST_OUTPUT.name}={gain}"] if gain > highest else []
        change = f"To change the limit: {Run('settings', 'byzantine', *low, *high)}" if low or high else ""
        raise Refused(_outside_limits(who, name, refused), change) from None


def _outside_limits(who: str, name: str, refused: Refused) -> str:
    return " ".join([f"The connection {name} of {who} is outside the limits.", refused.sentence])


def net_yield(table: Table, who: str) -> int:
    """Return the net yield of the connections (BYZ-01). Refuse an input above 0 or an output below 0."""
    pairs = connections(table, who)
    for name, pair in pairs.items():
        try:
            net_outcome(table, {name: pair})
        except Refused as refused:
            hint = f"If a correction caused this, answer the open question first ({Run('questions')})."
            raise Refused(_outside_limits(who, name, refused), hint) from None
    return net_outcome(table, pairs).net


def nights_without_full_sleep(table: Table, who: str) -> tuple[int, int]:
    """Count the nights with little sleep, and those without sleep, since the last full night. Tonight counts too."""
    night = table.find(who, "night")
    if night not in rules.SLEEP_LOSS_PERCENT:
        return 0, 0
    little, none = energy_in(table, who, "nights.little"), energy_in(table, who, "nights.none")
    return little + (night == "little"), none + (night == "none")


def pool_gain(project: str | None, energy: int) -> int:
    """Return the gain of a pool for the energy invested in one day. `None` stands for the general pool."""
    if not energy:
        return 0
    return rules.invest_specific(energy=energy).added if project else rules.invest_general(energy=energy).stored


def today_score(project: str | None) -> str:
    """Return the name of the score for energy invested today. `None` stands for the general pool (BYZ-10)."""
    return "general.invested-today" if project is None else f"invested-today.{project}"


def investment_effects(table: Table, who: str, project: str | None) -> list[Effect]:
    """Return the effects that add today's investment to a project, or to the general pool for `None` (BYZ-10).

    Only full sets of 5 energy are added. The rest is lost.
    """
    source, pool = today_score(project), "general" if project is None else f"project.{project}"
    energy = energy_in(table, who, source)
    gain = pool_gain(project, energy)
    effects = []
    if gain:
        scores = {source: -gain, pool: gain}
        effects.append(consequences.INVESTMENT_COUNTED.of(who, scores, pool=pool, invested=energy, gained=gain))
    if energy > gain:
        wasted = {source: gain - energy}
        effects.append(consequences.ENERGY_WASTED.of(who, wasted, pool=pool, over=energy % ENERGY_PER_GAIN))
    return effects


def all_investment_effects(table: Table, who: str) -> list[Effect]:
    """Return the effects that add today's investments to all pools, starting with the general pool."""
    projects = (None, *table.names(who, "invested-today"))
    return [effect for project in projects for effect in investment_effects(table, who, project)]


def general_pool_at_dawn(table: Table, who: str, changes: Mapping[str, int] = game.NO_NUMBERS) -> int:
    """Return the energy in the general pool at the next dawn (BYZ-07).

    The result includes the given changes of scores, today's investments and the nightly loss.
    """

    def after(name: str) -> int:
        return energy_in(table, who, name) + changes.get(name, 0)

    gain = pool_gain(None, after(today_score(None)))
    deposited = after("general.recouped") + after("general.deposit") + gain
    return rules.rollover(opening=after("general"), spent=0, deposited=deposited).closing


def payable_at_dawn(table: Table, who: str, changes: Mapping[str, int] = game.NO_NUMBERS) -> int:
    """Return the energy that can repay a debt at the next dawn, after these changes of scores (BYZ-07)."""
    little, none = nights_without_full_sleep(table, who)
    after_sleep = rules.sleep(net=net_yield(table, who), nights_little=little, nights_none=none)
    return max(0, after_sleep) + general_pool_at_dawn(table, who, changes)


class Spending(Effect):
    """Energy that a character spends. `scores` has the changes of the pools.

    - `owed`: the new debt.
    - `left`: the day's energy afterward, negative for a debt.
    - `repayable`: the energy that can repay a debt at the next dawn.
    - `harmless`: True if the spending adds no debt and leaves the general pool alone, so nobody can die.
    """

    owed: int
    left: int
    repayable: int
    harmless: bool

    @property
    def debt(self) -> int:
        """The debt after the spending, 0 or more (BYZ-06)."""
        return max(0, -self.left)

    @property
    def kills(self) -> bool:
        """True if the debt after the spending kills the character (BYZ-07)."""
        return not self.harmless and rules.lethal(self.debt, self.repayable)

    def check_death(self, how: str | None) -> None:
        """Refuse a deadly debt without a description of the death (`how`), and a `how` if nobody dies (BYZ-07)."""
        if self.kills and how is None:
            due = 2 * self.debt
            raise Refused(
                f"This would kill {self.who}: a debt of {self.debt} costs {due} energy at the next dawn, but only"
                f" {self.repayable} will be available.",
                f"To do it anyway, describe the death with {Flag('how', 'TEXT')}.",
            )
        if how is not None and not self.kills:
            raise BadInput(f"{self.who} does not die from this, so leave out {Flag('how')}.")

    def effects(self) -> list[Effect]:
        """Return this spending and, if there is a new debt, a separate effect that records the debt (BYZ-13)."""
        return [self, *debt_effects(self.who, self.owed)]

    def death(self, table: Table) -> list[Effect]:
        """Return the effects of the character's death if the debt kills, else none."""
        return death_effects(table, self.who, debt=self.debt, there=self.repayable) if self.kills else []

    def further_loss(self, kind: Kind, energy: int, **facts: int | str) -> Spending:
        """Return a loss of `energy` after this spending. The day's energy pays first; the rest is debt (BYZ-13)."""
        from_day = min(energy, max(0, self.left))
        return self.replace(
            kind=kind,
            scores=nonzero({"energy": -from_day}),
            facts=facts,
            owed=energy - from_day,
            left=self.left - energy,
            harmless=False,
        )


def debt_effects(who: str, debt: int) -> list[Effect]:
    """Return the effect that records a new debt (BYZ-06), or no effect for 0."""
    return [consequences.DEBT_INCURRED.of(who, {"energy": -debt}, debt=debt)] if debt else []


def draw_energy(
    table: Table,
    who: str,
    energy: int,
    *,
    project: str | None = None,
    order: tuple[str, ...] = (),
    overdraft: bool = False,
) -> Spending:
    """Return the spending of `energy` from the project's pool, the day's energy and the general pool (BYZ-13).

    The pools in `order` pay first. If all three have too little, the rest is a debt with `overdraft`. Without
    `overdraft`, raise `NotEnough`.
    """
    day, general = table.score(who, "energy"), energy_in(table, who, "general")
    recouped = energy_in(table, who, "general.recouped")
    pools = {f"project {project}": energy_in(table, who, f"project.{project}")} if project else {}
    of_project = sum(pools.values())
    pools |= {"day": max(0, day), "general pool": general + recouped}
    has = sum(pools.values())
    if energy > has and not overdraft:
        where = ", ".join(f"{name} {held}" for name, held in pools.items())
        raise game.NotEnough(who, "energy", has=has, needs=energy, where=where)
    drawn = rules.draw(
        commit=energy, project=of_project, day=day, general=general + recouped, order=order, overdraft=overdraft
    )
    of_carried = min(drawn.general, general)
    changes = {"energy": -drawn.day, "general": -of_carried, "general.recouped": of_carried - drawn.general}
    if project:
        changes[f"project.{project}"] = -drawn.project
    return Spending(
        kind=consequences.ENERGY_SPENT,
        who=who,
        scores=nonzero(changes),
        marks={},
        facts={"energy": energy} | nonzero({"overdraft": drawn.debt}),
        owed=drawn.debt,
        left=day - drawn.day - drawn.debt,
        repayable=payable_at_dawn(table, who, changes),
        harmless=not (drawn.debt or drawn.general),
    )


def commitment_to(table: Table, who: str, contest: str) -> Commitment | None:
    """Return a character's commitment to a contest, or `None` if the character has not committed."""
    value = table.find(who, f"committed.{contest}")
    return Commitment(**{**value, "order": tuple(value["order"])}) if isinstance(value, Mapping) else None


def open_contests(table: Table, who: str) -> list[str]:
    """Return the names of a character's open contests. Leave out contests whose opening was canceled."""
    return [name for name in table.names(who, "contest") if table.find(game.CAMPAIGN, f"sides.{name}") is not None]


def check_reserved(table: Table, who: str, *effects: Effect) -> None:
    """Refuse to use energy reserved for contests. The error hides the amount, because commitments are secret."""
    names = open_contests(table, who)
    reserved = [item for item in (commitment_to(table, who, name) for name in names) if item is not None]
    changes: Counter[str] = Counter()
    for effect in effects:
        changes.update(effect.scores)
    if reserved and _missing_energy(table, who, reserved, changes) > _missing_energy(table, who, reserved, Counter()):
        raise Refused(
            f"{who} does not have that much free energy: some energy is committed to a contest.",
            f"To release the energy, resolve or call off {', '.join(names)}.",
        )


def _missing_energy(table: Table, who: str, reserved: Sequence[Commitment], changes: Counter[str]) -> int:
    """Return how much energy is missing for the `reserved` commitments after these `changes` of the scores.

    The pool of a project pays only for the commitments that name this project.
    """

    def after(name: str) -> int:
        return max(0, table.score(who, name) + changes[name])

    needs: Counter[str | None] = Counter()
    for item in reserved:
        needs[item.project] += item.total - item.owed
    rest = sum(max(0, need - after(f"project.{project}")) if project else need for project, need in needs.items())
    return max(0, rest - sum(after(name) for name in ("energy", "general", "general.recouped")))


class SpendingMove(Move):
    """A move for which a character commits energy."""

    energy: Annotated[game.Count, game.BARE, "the energy to commit; 0 is allowed"]
    ability: Annotated[AbilityName | None, "the ability that the GM chooses; it must be on the sheet"] = None
    project: Annotated[ProjectName | None, "the project whose pool pays first"] = None
    order: PayingOrder = ()
    overdraft: Overdraft = False
    how: Annotated[game.Words | None, "how the character dies, if the debt kills"] = None

    def committed_energy(self, table: Table) -> int:
        """Return the energy that the move commits. Default: the typed `energy`."""
        return self.energy

    def paying_project(self, table: Table) -> str | None:
        """Return the project that pays first, or `None` (BYZ-13). Default: the typed `project`."""
        return self.project

    def rating(self, table: Table) -> int:
        """Return the rating of the typed ability. Refuse an ability that is not on the sheet (BYZ-14)."""
        return ability_rating(table, self.who, self.ability)

    def own_spending(self, table: Table) -> Spending:
        """Return the spending that the committed energy causes, including any debt."""
        return draw_energy(
            table,
            self.who,
            self.committed_energy(table),
            project=self.paying_project(table),
            order=self.order,
            overdraft=self.overdraft,
        )

    def check(self, table: Table) -> None:
        """Refuse a dead character, a lack of energy, an empty project, and a deadly debt without `--how` (BYZ-07)."""
        check_alive(table, self.who)
        self.rating(table)
        check_project(table, self.who, self.project)
        spend = self.own_spending(table)
        spend.check_death(self.how)
        check_reserved(table, self.who, spend)

    def helpers(self, table: Table) -> Sequence[Ally]:
        """Return the acting side without the character who acts. Default: none."""
        return ()

    def acting_side(self, table: Table) -> list[Ally]:
        """Return the acting side, led by the character who acts."""
        first = Ally(who=self.who, rating=self.rating(table), spend=self.own_spending(table))
        return [first, *self.helpers(table)]

    def spending_effects(self, table: Table) -> Sequence[Effect]:
        """Return the effects that spend the committed energy and, if the debt kills, those of the character's death."""
        spend = self.own_spending(table)
        return [*spend.effects(), *spend.death(table)]

    def with_death(self, table: Table, verdict: str) -> str:
        """Add the character's death to a verdict if the debt kills (BYZ-07)."""
        return f"{verdict}, and {self.who} is dead" if self.own_spending(table).kills else verdict


def check_project(table: Table, who: str, project: str | None) -> None:
    """Refuse a project that has no energy."""
    if project and not table.score(who, f"project.{project}"):
        raise Refused(f"The project {project} of {who} has no energy to spend.")


def funded_project(table: Table, who: str, name: str) -> str | None:
    """Return `name` if the character has a project with this name and energy in it, else `None` (BYZ-13)."""
    return name if table.score(who, f"project.{name}") > 0 else None


def death_effects(table: Table, who: str, **facts: Any) -> list[Effect]:
    """Return the effects that record a death. Before that, they add the energy invested today to the pools (BYZ-10)."""
    return [*all_investment_effects(table, who), consequences.DIED.of(who, marks={"dead": True}, **facts)]


def ability_rating(table: Table, who: str, name: str | None) -> int:
    """Return the rating of an ability, or 0 if `name` is `None`. Refuse an ability that is not on the sheet."""
    if name is None:
        return 0
    return max(0, table.needed(who, f"ability.{name}"))


def other_spending(table: Table, who: str, energy: int, *, overdraft: bool = False) -> Spending:
    """Return an opponent's or helper's spending. Refuse the dead, a deadly debt, and any debt without `overdraft`."""
    check_alive(table, who)
    spend = draw_energy(table, who, energy, overdraft=overdraft)
    if spend.kills:
        raise Refused(f"{who} cannot spend {energy} energy: the debt would be deadly.")
    check_reserved(table, who, spend)
    return spend


class Ally(Struct):
    """A member of a side. `obscuring` is the energy that only makes the commitment harder to learn (BYZ-25)."""

    who: str
    rating: int
    spend: Spending
    obscuring: int = 0

    @property
    def energy(self) -> int:
        """The energy that counts for the side, without `obscuring`."""
        return int(self.spend.facts["energy"]) - self.obscuring


def allies_of(
    table: Table, energies: Mapping[str, int], abilities: Mapping[str, str], *, overdraft: bool = False
) -> list[Ally]:
    """Return the characters in `energies` as members of a side. Refuse an ability for any other character.

    With `overdraft`, the members may go into debt.
    """
    stranger = next((who for who in abilities if who not in energies), None)
    if stranger is not None:
        raise BadInput(f"You gave {stranger} an ability but no energy. To count only the ability, give 0 energy.")
    return [
        Ally(
            who=who,
            rating=ability_rating(table, who, abilities.get(who)),
            spend=other_spending(table, who, energy, overdraft=overdraft),
        )
        for who, energy in energies.items()
    ]


def check_no_duplicates(*cast: str) -> None:
    """Raise `BadInput` if a character is named twice, on one side or on both."""
    name = next((who for place, who in enumerate(cast) if who in cast[:place]), None)
    if name is not None:
        raise BadInput(f"You named {name} more than once. Name each character once, on one side.")


def spending_effects_of(side: Sequence[Ally]) -> list[Effect]:
    """Return the effects that spend the energy of all members of a side."""
    return [effect for ally in side if ally.spend.facts["energy"] for effect in ally.spend.effects()]


def sum_of_side(side: Sequence[Ally], bonus: int = 0) -> rules.Side:
    """Add up the energy and the ability of a side. The GM's `bonus` counts as ability."""
    return rules.Side(energy=sum(ally.energy for ally in side), ability=sum(ally.rating for ally in side) + bonus)


def compare_with_cost(side: Sequence[Ally], cost: int, bonus: int = 0) -> rules.CommitOutcome:
    """Compare the total of a side, including the GM's `bonus`, with a cost (BYZ-14)."""
    sums = sum_of_side(side, bonus)
    return rules.commit(ability=sums.ability, energy=sums.energy, cost=cost)


def side_step(name: str, side: Sequence[Ally], bonus: int = 0) -> Step:
    """Make the step that adds up a side's energy and abilities, and the GM's `bonus`."""
    numbers = [*(ally.energy for ally in side), *(ally.rating for ally in side), *([bonus] if bonus else [])]
    return total(name, *numbers, to=sum(numbers))
