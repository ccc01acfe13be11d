"""Moves to open a contest, and to commit energy to it in secret (BYZ-21). `moves_resolving` resolves contests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ledger.rules import (
    BARE,
    CAMPAIGN,
    HIDDEN,
    Count,
    Effect,
    Flag,
    Handle,
    Move,
    Refused,
    Ruling,
    Run,
    Struct,
    Table,
    TableMove,
    Who,
    ruling,
    secret,
)
from ledger.systems.byzantine import consequences, moves_costs, moves_spending, rules
from ledger.systems.byzantine.moves_costs import Cost, cost_of
from ledger.systems.byzantine.moves_fights import check_killable
from ledger.systems.byzantine.moves_spending import NO_ABILITIES, Abilities, Ally, ProjectName
from ledger.systems.byzantine.sheet import TO_COMMIT, Commitment

Kind = Literal["task", "attack", "kill"]
Side = Mapping[str, str | None]
"""The characters on a side, in the order typed, each with the ability that counts (`None` for no ability)."""


class OpenContest(Struct):
    """An open contest. `kind` says what is at stake: a task, the losers' energy, or the life of the first opponent."""

    name: str
    kind: Kind
    acting: Side
    against: Side

    @property
    def both_sides(self) -> Side:
        """The characters of both sides, the acting side first."""
        return {**self.acting, **self.against}

    @property
    def victim(self) -> str:
        """The character to be killed: the first opponent."""
        return next(iter(self.against))

    @property
    def task(self) -> str:
        """The task whose cost the GM can set: `kill.VICTIM` for a killing, or else the contest's name."""
        return f"kill.{self.victim}" if self.kind == "kill" else self.name

    def waits_for(self, table: Table) -> list[str]:
        """The characters who have not committed yet."""
        return [who for who in self.both_sides if moves_spending.commitment(table, who, self.name) is None]

    def check_all_committed(self, table: Table, until: str = "") -> None:
        """Raise `Refused` if a character has not committed yet. `until` is added at the end of the message."""
        waits = self.waits_for(table)
        self.check_alive(table, waits)
        if waits:
            raise Refused(
                f"The contest {self.name} is waiting for {', '.join(waits)}{until}.",
                f"Commit: {Run('byzantine commit', waits[0], self.name, energy='N')}",
            )

    def check_alive(self, table: Table, who: Iterable[str]) -> None:
        """Raise `Refused` if one of these characters is dead."""
        for name in who:
            if table.find(name, "dead") is True:
                hint = f"Call it off: {Run('byzantine contest', self.name, off=True)}"
                raise Refused(f"{name} is dead, so the contest {self.name} cannot continue.", hint)

    def allies(self, table: Table, side: Side) -> tuple[Ally, ...]:
        """The members of a side who have committed, and their spending. Energy that they now lack becomes a debt."""
        return tuple(
            _ally(table, who, ability, committed)
            for who, ability in side.items()
            if (committed := moves_spending.commitment(table, who, self.name)) is not None
        )

    def obscuring(self, table: Table, who: str) -> int:
        """The energy that this character's opponents spend to hide their commitments (BYZ-25)."""
        others = self.against if who in self.acting else self.acting
        return sum(ally.obscuring for ally in self.allies(table, others))

    def cost(self, table: Table, who: str) -> Cost:
        """The cost for this character's side: the other side's total. For the acting side, the task's cost is added."""
        acting = who in self.acting
        others = self.allies(table, self.against if acting else self.acting)
        sides = {ally.who: (ally.energy, ally.rating) for ally in others}
        if self.kind == "attack" or not acting:
            return Cost(base=None, opposition=sides)
        preset = self.preset_cost(table)
        return Cost(
            base=self.usual if preset is None else preset.base,
            opposition={**(preset.opposition if preset else {}), **sides},
        )

    def preset_cost(self, table: Table) -> Cost | None:
        """The cost that the GM set for the task, or `None`. Characters in the contest do not count as opponents."""
        if self.kind == "attack":
            return None
        cost = cost_of(table, next(iter(self.acting)), self.task, self.both_sides)
        return cost.replace(base=self.usual, usual=True) if cost and cost.base is None else cost

    @property
    def usual(self) -> int | None:
        """The cost of a killing if the GM set no base (BYZ-23). A task has no usual cost."""
        return rules.KILLING if self.kind == "kill" else None

    def end_effects(self, table: Table, *, tried: bool) -> Iterator[Effect]:
        """Yield the consequences that end the contest. They remove the commitments and the learned facts about it.

        The learned cost of a task with the same name stays. If `tried`, the acting side learns a shared cost (BYZ-15).
        """
        preset, known = self.preset_cost(table), f"learned.{moves_costs.task_name(self.task)}"
        for who in self.both_sides:
            step = -table.score(who, f"contest.{self.name}")
            keeps = (task := cost_of(table, who, self.name)) and table.find(who, f"learned.{self.name}") == task.total
            ended = ("committed",) if keeps else ("committed", "learned", "split")
            marks: dict[str, Any] = {f"{what}.{self.name}": None for what in ended}
            if tried and preset and preset.shared and who in self.acting:
                marks[known] = preset.total
            scores = {f"contest.{self.name}": step} if step else {}
            yield consequences.CONTEST_ENDED.of(who, scores, marks=marks, contest=self.name)
        yield consequences.CONTEST_ENDED.of(CAMPAIGN, marks={f"sides.{self.name}": None}, contest=self.name)


def find_contest(table: Table, name: str) -> OpenContest | None:
    """The open contest with this name, or `None`."""
    value = table.find(CAMPAIGN, f"sides.{name}")
    if not isinstance(value, Mapping):
        return None
    return OpenContest(name=name, kind=value["kind"], acting=dict(value["acting"]), against=dict(value["against"]))


def contest_of(table: Table, who: str, name: str) -> OpenContest | None:
    """The open contest with this name, `None` if there is none or the character is on neither side."""
    contest = find_contest(table, name)
    return contest if contest is not None and who in contest.both_sides else None


def open_contest(table: Table, name: str) -> OpenContest:
    """The open contest with this name. Raise `Refused` if there is none."""
    contest = find_contest(table, name)
    if contest is None:
        hint = f"Open it: {Run('byzantine contest', name, acting='WHO', against='WHO')}"
        raise Refused(f"There is no open contest called {name}.", hint)
    return contest


def _ally(table: Table, who: str, ability: str | None, committed: Commitment) -> Ally:
    spend = moves_spending.draw_energy(
        table, who, committed.total, project=committed.project, order=committed.order, overdraft=True
    )
    rating = moves_spending.energy_in(table, who, f"ability.{ability}") if ability else 0
    return Ally(who=who, rating=rating, spend=spend, obscuring=committed.obscuring)


class Contest(TableMove):
    """Open a contest in which both sides commit energy in secret, or call one off.

    If you call a contest off, nobody spends the committed energy.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-21",)
    example: ClassVar[str] = "duel --acting mara --against brak --ability mara=climbing --kind attack"
    another: ClassVar[str] = "climb --acting mara --against brak"

    contest: Handle
    acting: Annotated[
        tuple[Who, ...],
        "the characters on the acting side; if they win an attack, the first character named chooses how much energy to"
        " take",
    ] = ()
    against: Annotated[
        tuple[Who, ...],
        "the characters on the opposing side; if they win an attack, the first character named chooses how much energy"
        " to take",
    ] = ()
    ability: Annotated[Abilities, "the ability that counts for each character; it must be on the character's sheet"] = (
        NO_ABILITIES
    )
    kind: Annotated[
        Kind, "what the contest is about: a task, an attack on energy, or an attempt to kill the first opponent"
    ] = "task"
    off: Annotated[bool, "call the contest off; nobody spends energy"] = False

    def dice(self, table: Table) -> None:
        everybody = (*self.acting, *self.against)
        if self.off:
            if everybody or self.ability or self.kind != "task":
                raise Refused(f"Use {Flag('off')} without other options.")
            self.ruling(table, ())  # reads all sheets that the ruling changes, so that an open question can block it
            return
        if find_contest(table, self.contest):
            hint = f"To call it off: {Run('byzantine contest', self.contest, off=True)}"
            raise Refused(f"The contest {self.contest} is already open.", hint)
        if not (self.acting and self.against):
            raise Refused(
                "A contest needs two sides.", f"Name them with {Flag('acting', 'WHO')} {Flag('against', 'WHO')}."
            )
        moves_spending.check_once(*everybody)
        moves_spending.check_alive(table, *everybody)
        stale = next((who for who in everybody if moves_spending.commitment(table, who, self.contest)), None)
        if stale is not None:
            hint = f"Cancel that commitment (see {Run('questions')}), or give the contest a different name."
            raise Refused(
                f"A contest called {self.contest} was canceled, but {stale} still has a commitment to it.", hint
            )
        stranger = next((who for who in self.ability if who not in everybody), None)
        if stranger is not None:
            raise Refused(f"You gave an ability for {stranger}, who is not on either side.")
        for who in everybody:
            moves_spending.ability(table, who, self.ability.get(who))
        if self.kind == "kill":
            check_killable(table, self.against[0])

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        if self.off:
            ends = list(open_contest(table, self.contest).end_effects(table, tried=False))
            return ruling(f"{self.contest} is called off", None, follows=ends)
        sides = {
            "kind": self.kind,
            "acting": [[who, self.ability.get(who)] for who in self.acting],
            "against": [[who, self.ability.get(who)] for who in self.against],
        }
        opens = consequences.CONTEST_OPENED
        follows = [
            opens.of(CAMPAIGN, marks={f"sides.{self.contest}": sides}, contest=self.contest),
            *(
                opens.of(who, {f"contest.{self.contest}": TO_COMMIT}, contest=self.contest)
                for who in (*self.acting, *self.against)
            ),
        ]
        says = f"{', '.join(self.acting)} against {', '.join(self.against)}: {self.contest} is open"
        return ruling(says, None, follows=follows)


class Commit(Move):
    """Commit energy to an open contest, once and in secret. The energy stays reserved until the contest ends."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-21", "BYZ-25")
    example: ClassVar[str] = "mara duel --energy 5"
    another: ClassVar[str] = "brak duel --energy 2 --obscure 1"

    contest: Handle
    energy: Annotated[Count, HIDDEN, BARE, "the energy to commit; 0 is allowed"]
    obscure: Annotated[
        Count, HIDDEN, "extra energy that hides this commitment; the other side needs that much more energy to learn it"
    ] = 0
    project: Annotated[ProjectName | None, HIDDEN, "the project whose pool pays first"] = None
    order: Annotated[
        tuple[Handle, ...],
        HIDDEN,
        "the pools that pay first, such as general,day; the others follow in the order project, day, general",
    ] = ()
    overdraft: Annotated[
        bool,
        HIDDEN,
        "commit more energy than the character has; the rest becomes a debt, and the next dawn costs twice that",
    ] = False
    deadly: Annotated[bool, HIDDEN, "commit even if the debt kills the character"] = False

    own_secrets: ClassVar[bool] = True

    @property
    def hides(self) -> bool:
        return True

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        contest = open_contest(table, self.contest)
        if self.who not in contest.both_sides:
            raise Refused(f"{self.who} is not on either side of {self.contest}.")
        if moves_spending.commitment(table, self.who, self.contest) is not None:
            raise Refused(f"{self.who} has already committed to {self.contest}, and cannot change it.")
        if self.project and not table.score(self.who, f"project.{self.project}"):
            raise Refused(f"The project {self.project} of {self.who} has no energy to spend.")
        spend = self.own_spending(table)
        if spend.owed and not self.overdraft:
            raise Refused(f"{self.who} does not have that much energy.", f"Add {Flag('overdraft')} to owe the rest.")
        if spend.kills != self.deadly:
            if self.deadly:
                raise Refused(f"This debt does not kill {self.who}.", f"Leave out {Flag('deadly')}.")
            raise Refused(f"This debt would kill {self.who}.", f"To commit anyway, add {Flag('deadly')}.")
        moves_spending.check_reserved(table, self.who, spend)

    def paying_project(self, table: Table) -> str | None:
        """The typed project, or else the project with the contest's name if its pool has energy (BYZ-13)."""
        return self.project or (self.contest if table.score(self.who, f"project.{self.contest}") > 0 else None)

    def own_spending(self, table: Table) -> moves_spending.Spending:
        """The spending that would result if the contest were resolved now."""
        energy, paying_project = self.energy + self.obscure, self.paying_project(table)
        return moves_spending.draw_energy(
            table, self.who, energy, project=paying_project, order=self.order, overdraft=True
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        value: dict[str, Any] = {
            "energy": self.energy,
            "obscuring": self.obscure,
            "project": self.paying_project(table),
            "order": list(self.order),
            "owed": self.own_spending(table).owed,
        }
        name = self.contest
        marks = {f"committed.{name}": secret(value)}
        follows = consequences.ENERGY_COMMITTED.of(self.who, {f"contest.{name}": 1}, marks=marks, contest=name)
        waits = [who for who in open_contest(table, name).waits_for(table) if who != self.who]
        rest = f"waits for {', '.join(waits)}" if waits else "all are in"
        return ruling(f"is in; {name} {rest}" if waits else f"is in, and {rest}", None, follows=[follows])
