"""Moves about tasks (their cost, attempts, learning the cost), and ways through the city."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ledger.rules import (
    HIDDEN,
    NO_NUMBERS,
    BadInput,
    Change,
    Count,
    Effect,
    Handle,
    Hidden,
    Move,
    NotOneself,
    Refused,
    Ruling,
    Step,
    Struct,
    Table,
    Together,
    Who,
    Words,
    minus,
    ruling,
    secret,
    total,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_spending import Spends

Opposition = Annotated[Mapping[str, Count], HIDDEN]


class Cost(Struct):
    """The cost of a task: a base, `None` if there is only opposition, and each opponent's energy and ability."""

    base: int | None
    opposition: Mapping[str, tuple[int, int]]

    @property
    def total(self) -> int:
        """The base and all opposition (BYZ-21)."""
        if not self.opposition:
            return self.base or 0
        sides = (rules.Side(energy=energy, ability=ability) for energy, ability in self.opposition.values())
        return rules.contest(base=self.base, opposition=tuple(sides)).cost

    @property
    def energies(self) -> dict[str, int]:
        """The energy of each opponent."""
        return {who: energy for who, (energy, _) in self.opposition.items()}

    @property
    def energy(self) -> int:
        """The energy of the opposition."""
        return sum(self.energies.values())

    @property
    def ability(self) -> int:
        """The ability of the opposition."""
        return sum(ability for _, ability in self.opposition.values())


def cost_of(table: Table, who: str, task: str) -> Cost | None:
    """The cost that the GM set for a task, `None` if there is none."""
    value = table.find(who, f"task.{task}")
    if not isinstance(value, Mapping):
        return None
    sides = {name: (energy, ability) for name, (energy, ability) in value["opposition"].items()}
    return Cost(base=value["base"], opposition=sides)


def opposing(table: Table, energies: Mapping[str, int]) -> Sequence[Effect]:
    """The spending of opponents who have a sheet (BYZ-21).

    Refuses the dead and missing energy without naming who or how much: that would reveal the cost (BYZ-15).
    """
    opponents = [who for who in energies if table.find(who, "sheet") is True]
    try:
        effects = {who: moves_spending.answering(table, who, energies[who]) for who in opponents}
    except Refused:
        raise Refused(
            "The opposition cannot spend what the GM says it does.",
            "The GM looks at their sheets, and says otherwise.",
        ) from None
    return [effect for who, spend in effects.items() if energies[who] for effect in spend.effects()]


class Task(Move):
    """Set what a task costs, or adjust it, in secret unless the players are told; what is not said stays."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-15", "BYZ-21")
    example: ClassVar[str] = "mara climb --costs 12"

    who: Who
    task: Handle
    costs: Annotated[Hidden | None, "what the GM asks; none where opposition is all there is"] = None
    opposed_energy: Annotated[Opposition, "energy that opponents commit"] = NO_NUMBERS
    opposed_ability: Annotated[Opposition, "ability of opponents"] = NO_NUMBERS
    told: Annotated[bool, "tell the players"] = False
    why: Annotated[Words | None, "why it costs that; of another cost it must be said"] = None

    @property
    def hides(self) -> bool:
        """Hidden, unless the players are told."""
        return not self.told

    def dice(self, table: Table) -> None:
        """No dice. Refuses a task without a cost, oneself as an opponent, and an adjustment without a reason."""
        moves_spending.alive(table, self.who)
        if self.costs is None and not self.opposition():
            raise BadInput("Say what it costs: --costs N, or what the opposition brings, or both.")
        if self.who in self.opposition():
            raise NotOneself(self.who, "oppose")
        if cost_of(table, self.who, self.task) is not None and self.why is None:
            raise BadInput("A cost that was set already is adjusted with --why.")

    def opposition(self) -> dict[str, tuple[int, int]]:
        """Each opponent's energy and ability."""
        names = sorted({*self.opposed_energy, *self.opposed_ability})
        return {name: (self.opposed_energy.get(name, 0), self.opposed_ability.get(name, 0)) for name in names}

    def cost_now(self, table: Table) -> Cost:
        """The cost from now on; parts that were not given stay."""
        before = cost_of(table, self.who, self.task) or Cost(base=None, opposition={})
        sides = {**before.opposition, **self.opposition()}
        opposition = {name: side for name, side in sides.items() if any(side)}
        return Cost(base=before.base if self.costs is None else self.costs, opposition=opposition)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Keep the cost on the sheet until the task is resolved."""
        cost = self.cost_now(table)
        value = {"base": cost.base, "opposition": {name: list(side) for name, side in cost.opposition.items()}}
        marks = {f"task.{self.task}": value if self.told else secret(value), f"learned.{self.task}": None}
        follows = consequences.TASK_SET.of(self.who, marks=marks, task=self.task)
        step = Step(name="cost", says="{}", numbers=(self.veil(cost.total),))
        says = "has a cost" if cost_of(table, self.who, self.task) is None else "has another cost"
        return ruling(f"{self.task} {says}", None, step, follows=[follows])


class Attempt(Spends):
    """Commit energy to a task; it succeeds where energy and ability reach its cost."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-14", "BYZ-15", "BYZ-21")
    example: ClassVar[str] = "mara climb --costs 12 --energy 3"

    task: Handle
    costs: Annotated[Count | None, "what it costs, where the task was not set before"] = None

    def dice(self, table: Table) -> None:
        """No dice. Refuses a task without a cost or with two, and missing energy."""
        cost = cost_of(table, self.who, self.task)
        if cost is None and self.costs is None:
            hint = f"Say --costs N, or set it: campaign byzantine task {self.who} {self.task} --costs N"
            raise BadInput(f"Nobody said what {self.task} costs.", hint)
        if cost is not None and self.costs is not None:
            raise BadInput(f"{self.task} has a cost already.", "Adjust it with the move 'task' and --why.")
        self.check(table)
        opposing(table, self.asked(table).energies)

    def asked(self, table: Table) -> Cost:
        """The cost that was set, else `--costs`."""
        return cost_of(table, self.who, self.task) or Cost(base=self.costs, opposition={})

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Resolve the task, and show its cost."""
        cost = self.asked(table)
        outcome = rules.commit(ability=self.rating(table), energy=self.energy, cost=cost.total)
        steps = [self.total_step(table, outcome.total)]
        if cost.opposition:
            base = () if cost.base is None else (cost.base,)
            steps.append(total("cost", *base, cost.energy, cost.ability, to=cost.total))
        steps.append(Step(name="task", says="{} against {}", numbers=(outcome.total, cost.total)))
        marks = {f"task.{self.task}": None, f"learned.{self.task}": None}
        resolved = consequences.TASK_RESOLVED.of(
            self.who, marks=marks, task=self.task, cost=cost.total, success=outcome.success
        )
        return ruling(
            self.says(table, "done" if outcome.success else "not done"),
            outcome.success,
            *steps,
            follows=[*self.spending(table), *opposing(table, cost.energies), resolved],
        )


class Know(Spends):
    """Try to learn what a task costs before it is attempted; of a contested one the total first, then the split."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-24", "BYZ-25")
    example: ClassVar[str] = "mara climb --energy 10"

    task: Handle
    split: Annotated[bool, "learn what of it is ability and what energy; the total is known"] = False
    costs: Annotated[Hidden | None, "what the GM asks for the attempt; else four fifths, kept from the players"] = None
    obscured: Annotated[Mapping[str, Count], "energy that opponents spend to obscure it"] = NO_NUMBERS

    @property
    def hides(self) -> bool:
        """Always: the cost of learning would reveal the cost of the task."""
        return True

    def dice(self, table: Table) -> None:
        """No dice. Refuses a task without a cost, a split before the total, and missing energy."""
        cost = cost_of(table, self.who, self.task)
        if cost is None:
            raise Refused(f"Nobody set what {self.task} costs.", "The GM sets it with the move 'task'.")
        known = table.find(self.who, f"learned.{self.task}") is not None
        if self.split and not (known and cost.opposition):
            raise Refused("A split is learned of a contested cost whose total is known.")
        if known and not self.split:
            raise Refused(f"What {self.task} costs is known.")
        self.check(table)
        opposing(table, self.obscured)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Tell the total or the split, if energy and ability reach the cost of learning it."""
        cost = cost_of(table, self.who, self.task) or Cost(base=0, opposition={})
        price = rules.knowing_cost(cost=cost.total).suggested if self.costs is None else self.costs
        needed = price + sum(self.obscured.values())
        outcome = rules.commit(ability=self.rating(table), energy=self.energy, cost=needed)
        learned, answer = [], []
        if outcome.success and self.split:
            learned = [consequences.COST_LEARNED.of(self.who, task=self.task, ability=cost.ability, energy=cost.energy)]
            answer = [Step(name="learned", says="ability {}, energy {}", numbers=(cost.ability, cost.energy))]
        elif outcome.success:
            marks = {f"learned.{self.task}": cost.total}
            learned = [consequences.COST_LEARNED.of(self.who, marks=marks, task=self.task, cost=cost.total)]
            answer = [Step(name="learned", says="the cost is {}", numbers=(cost.total,))]
        return ruling(
            self.says(table, "learned" if outcome.success else "nothing learned"),
            outcome.success,
            self.total_step(table, outcome.total),
            Step(name="knowing", says="{} against {}", numbers=(outcome.total, self.veil(needed))),
            *answer,
            follows=[*self.spending(table), *opposing(table, self.obscured), *learned],
        )


class Go(Spends):
    """Move one area or way through the city, alone or led."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-17", "BYZ-18", "BYZ-19", "BYZ-20")
    example: ClassVar[str] = "mara old-market --energy 5"

    place: Handle
    to: Annotated[Literal["area", "way"], "what it is"] = "area"
    base: Annotated[Count, "the base cost, 4 to 6"] = 5
    level: Annotated[bool, "the city level is another"] = False
    district: Annotated[bool, "the district is another"] = False
    adjust: Annotated[Change, "what the GM adds or takes; say why"] = 0
    why: Annotated[Words | None, "why the cost is adjusted"] = None
    among: Annotated[tuple[Who, ...], "the others of a led group"] = ()
    daily: Annotated[bool, "the character goes there every day"] = False

    def dice(self, table: Table) -> None:
        """No dice. Refuses a base outside 4 to 6, a cost below 0, no energy unless daily, and missing energy."""
        if bool(self.adjust) != (self.why is not None):
            raise Together("An --adjust other than 0", "its --why")
        if self.among and self.ability is None:
            raise BadInput("A led group goes by the best --ability among them.")
        if self.asked() < 0:
            raise Refused(minus(f"A move costs 0 or more, not {self.asked()}."))
        self.check(table)
        moves_spending.alive(table, *self.among)
        self.came(table)

    def asked(self) -> int:
        """The cost: base, level, district, and the GM's adjustment (BYZ-17)."""
        cost = rules.move_cost(base=self.base, level_change=self.level, district_change=self.district).cost
        return cost + self.adjust

    def rating(self, table: Table) -> int:
        """The character's rating, or the best of a led group (BYZ-20)."""
        if self.ability is None or not any(table.find(who, f"ability.{self.ability}") for who in self.among):
            return super().rating(table)
        return max(moves_spending.energy_in(table, who, f"ability.{self.ability}") for who in (self.who, *self.among))

    def came(self, table: Table) -> rules.MoveOutcome:
        """The outcome: arrived, arrived lost, or stayed (BYZ-18, BYZ-19)."""
        return rules.move(
            cost=self.asked(),
            ability=self.rating(table),
            commit=self.energy,
            daily=self.daily,
            destination=self.to,
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Arrive, arrive lost, or stay."""
        outcome = self.came(table)
        lost = outcome.lost or table.find(self.who, "lost") is True
        where = f"in {self.place}{', lost' if lost else ''}" if outcome.moved else "does not get there"
        marks: dict[str, Any] = {"place": self.place, **({"lost": True} if lost else {})}
        arrival = [consequences.MOVED.of(self.who, marks=marks, to=self.place, lost=lost)] if outcome.moved else []
        reached = self.rating(table) + self.energy
        extras = (self.level * 1, self.district * 2, self.adjust)
        return ruling(
            self.says(table, where),
            outcome.success,
            self.total_step(table, reached),
            total("cost", self.base, *(extra for extra in extras if extra), to=self.asked()),
            Step(name="way", says="{} against {}", numbers=(reached, self.asked())),
            follows=[*self.spending(table), *arrival],
        )


class Found(Move):
    """Say that somebody who was lost has found their way."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-19",)
    example: ClassVar[str] = 'mara --why "a lamplighter"'

    who: Who
    why: Annotated[Words, "how"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses a character who is not lost."""
        moves_spending.alive(table, self.who)
        if table.find(self.who, "lost") is not True:
            raise Refused(f"{self.who} is not lost.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Remove the mark."""
        return ruling("has found the way", None, follows=[consequences.WAY_FOUND.of(self.who, marks={"lost": None})])
