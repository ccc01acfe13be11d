"""Moves to open a contest, to commit energy to it in secret, and to resolve it (BYZ-21)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ledger import rules as game
from ledger.rules import Effect, Flag, Move, Refused, Ruling, Run, Step, Struct, Table, TableMove, ruling, secret
from ledger.systems.byzantine import consequences, moves_costs, moves_spending, rules
from ledger.systems.byzantine.moves_costs import NO_COST, Cost
from ledger.systems.byzantine.moves_fights import Fight, check_killable
from ledger.systems.byzantine.moves_spending import NO_ABILITIES, Abilities, Ally, Overdraft, PayingOrder, ProjectName
from ledger.systems.byzantine.sheet import NOT_COMMITTED, Commitment

ON_SIDE = (
    "the characters on the {side} side; if they win an attack, the first one listed chooses how much energy to take"
)
ContestKind = Literal["task", "attack", "kill"]
SideMembers = Mapping[str, str | None]
"""The characters on a side, in the order typed, each with the ability that counts (`None` for no ability)."""


class OpenContest(Struct):
    """An open contest. `kind` says what is at stake: a task, the losers' energy, or the life of the first opponent."""

    name: str
    kind: ContestKind
    acting: SideMembers
    against: SideMembers

    @property
    def both_sides(self) -> SideMembers:
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

    def uncommitted(self, table: Table) -> list[str]:
        """Return the characters who have not committed yet."""
        return [who for who in self.both_sides if moves_spending.commitment_to(table, who, self.name) is None]

    def check_all_committed(self, table: Table, advice: str = "") -> None:
        """Raise `Refused` if a character has not committed yet. `advice` is added at the end of the message."""
        waits = self.uncommitted(table)
        self.check_alive(table, waits)
        if waits:
            raise Refused(
                " ".join(
                    [f"The contest {self.name} is waiting for {', '.join(waits)}.", *([advice] if advice else [])]
                ),
                f"Commit: {Run('byzantine commit', waits[0], self.name, energy='N')}",
            )

    def check_alive(self, table: Table, who: Iterable[str]) -> None:
        """Raise `Refused` if one of these characters is dead."""
        for name in who:
            if table.find(name, "dead") is True:
                hint = f"Call it off: {Run('byzantine contest', self.name, off=True)}"
                raise Refused(f"The contest {self.name} cannot continue, because {name} is dead.", hint)

    def allies(self, table: Table, side: SideMembers) -> list[Ally]:
        """Return the members of a side who have committed, with the spending of each. Missing energy becomes debt."""
        allies = []
        for who, ability in side.items():
            committed = moves_spending.commitment_to(table, who, self.name)
            if committed is not None:
                spend = moves_spending.draw_energy(
                    table, who, committed.total, project=committed.project, order=committed.order, overdraft=True
                )
                rating = moves_spending.energy_in(table, who, f"ability.{ability}") if ability else 0
                allies.append(Ally(who=who, rating=rating, spend=spend, obscuring=committed.obscuring))
        return allies

    def committed_opponents(self, table: Table, who: str) -> list[Ally]:
        """Return the opponents of `who` who have committed."""
        return self.allies(table, self.against if who in self.acting else self.acting)

    def cost(self, table: Table, who: str) -> Cost:
        """Return the opponents' total, as the cost for the side of `who`. For the acting side, add the task's cost."""
        preset = self.preset_cost(table) if who in self.acting else NO_COST
        sides = {ally.who: (ally.energy, ally.rating) for ally in self.committed_opponents(table, who)}
        return Cost(base=preset.base, opposition={**preset.opposition, **sides})

    def preset_cost(self, table: Table) -> Cost:
        """Return the cost that the GM set, or else the usual cost of a killing (BYZ-23). An attack has no cost."""
        if self.kind == "attack":
            return NO_COST
        usual = rules.KILL_COST if self.kind == "kill" else None
        return moves_costs.cost_of(table, next(iter(self.acting)), self.task, self.both_sides, usual)

    def end_effects(self, table: Table, *, tried: bool) -> Iterator[Effect]:
        """Yield the effects that end the contest.

        Commitments disappear. Both sides forget what they learned about the contest's cost. But if they know the cost
        of a task with the contest's name, they keep this knowledge. If the acting side `tried` the task, and the GM
        set its cost for all characters, the acting side learns this cost (BYZ-15).
        """
        preset, known = self.preset_cost(table), f"learned.{moves_costs.task_name(self.task)}"
        for who in self.both_sides:
            change = -table.score(who, f"contest.{self.name}")
            task = moves_costs.cost_of(table, who, self.name)
            keeps = task.keeper and table.find(who, f"learned.{self.name}") == task.total
            ended = ("committed",) if keeps else ("committed", "learned", "split")
            marks: dict[str, Any] = {f"{what}.{self.name}": None for what in ended}
            if tried and preset.keeper == game.CAMPAIGN and who in self.acting:
                marks[known] = preset.total
            scores = {f"contest.{self.name}": change} if change else {}
            yield consequences.CONTEST_ENDED.of(who, scores, marks=marks, contest=self.name)
        yield consequences.CONTEST_ENDED.of(game.CAMPAIGN, marks={f"sides.{self.name}": None}, contest=self.name)


def find_contest(table: Table, name: str) -> OpenContest | None:
    """Return the open contest with this name, or `None`."""
    value = table.find(game.CAMPAIGN, f"sides.{name}")
    if not isinstance(value, Mapping):
        return None
    return OpenContest(name=name, kind=value["kind"], acting=dict(value["acting"]), against=dict(value["against"]))


def contest_of(table: Table, who: str, name: str) -> OpenContest | None:
    """Return the open contest with this name, `None` if there is none or the character is on neither side."""
    contest = find_contest(table, name)
    return contest if contest is not None and who in contest.both_sides else None


def open_contest(table: Table, name: str) -> OpenContest:
    """Return the open contest with this name. Raise `Refused` if there is none."""
    contest = find_contest(table, name)
    if contest is None:
        hint = f"Open it: {Run('byzantine contest', name, acting='WHO', against='WHO')}"
        raise Refused(f"There is no open contest called {name}.", hint)
    return contest


class Contest(TableMove):
    """Open a contest, or call off an open contest.

    In a contest, both sides commit energy in secret. If you call the contest off, nobody spends that energy.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-21",)
    example: ClassVar[str] = "duel --acting mara --against brak --ability mara=climbing --kind attack"
    another: ClassVar[str] = "climb --acting mara --against brak"

    contest: game.Handle
    acting: Annotated[tuple[game.Who, ...], ON_SIDE.format(side="acting")] = ()
    against: Annotated[tuple[game.Who, ...], ON_SIDE.format(side="opposing")] = ()
    ability: Annotated[Abilities, "the ability that each character uses; it must be on the character's sheet"] = (
        NO_ABILITIES
    )
    kind: Annotated[
        ContestKind, "what the contest is about: a task, an attack on energy, or an attempt to kill the first opponent"
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
        moves_spending.check_no_duplicates(*everybody)
        moves_spending.check_alive(table, *everybody)
        stale = next((who for who in everybody if moves_spending.commitment_to(table, who, self.contest)), None)
        if stale is not None:
            hint = f"Cancel the commitment of {stale} (see {Run('questions')}), or give the contest a different name."
            raise Refused(
                f"A contest called {self.contest} was canceled, but {stale} still has a commitment to it.", hint
            )
        stranger = next((who for who in self.ability if who not in everybody), None)
        if stranger is not None:
            raise Refused(f"You gave an ability for {stranger}, who is not on either side.")
        for who in everybody:
            moves_spending.ability_rating(table, who, self.ability.get(who))
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
        opens, name = consequences.CONTEST_OPENED, self.contest
        follows = [opens.of(game.CAMPAIGN, marks={f"sides.{name}": sides}, contest=name)]
        follows += [
            opens.of(who, {f"contest.{name}": NOT_COMMITTED}, contest=name) for who in (*self.acting, *self.against)
        ]
        says = f"{', '.join(self.acting)} against {', '.join(self.against)}: {name} is open"
        return ruling(says, None, follows=follows)


class Commit(Move):
    """Commit energy to an open contest, in secret and only once. The energy stays reserved until the contest ends."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-21", "BYZ-25")
    example: ClassVar[str] = "mara duel --energy 5"
    another: ClassVar[str] = "brak duel --energy 2 --obscure 1"

    contest: game.Handle
    energy: Annotated[game.Count, game.HIDDEN, game.BARE, "the energy to commit; 0 is allowed"]
    obscure: Annotated[
        game.Count,
        game.HIDDEN,
        (
            "extra energy to hide this commitment; to learn the commitment, the other side must"
            " spend the same extra amount"
        ),
    ] = 0
    project: Annotated[ProjectName | None, game.HIDDEN, "the project whose pool pays first"] = None
    order: Annotated[PayingOrder, game.HIDDEN] = ()
    overdraft: Annotated[Overdraft, game.HIDDEN] = False
    deadly: Annotated[bool, game.HIDDEN, "commit even if the debt kills the character"] = False

    own_secrets: ClassVar[bool] = True

    @property
    def hides(self) -> bool:
        return True

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        contest = open_contest(table, self.contest)
        if self.who not in contest.both_sides:
            raise Refused(f"{self.who} is not on either side of {self.contest}.")
        if moves_spending.commitment_to(table, self.who, self.contest) is not None:
            raise Refused(f"{self.who} has already committed to {self.contest}, and cannot change the commitment.")
        moves_spending.check_project(table, self.who, self.project)
        spend = self.own_spending(table)
        if spend.owed and not self.overdraft:
            raise Refused(f"{self.who} does not have that much energy.", f"Add {Flag('overdraft')} to owe the rest.")
        if spend.kills != self.deadly:
            if self.deadly:
                raise Refused(f"This debt does not kill {self.who}.", f"Leave out {Flag('deadly')}.")
            raise Refused(f"This debt would kill {self.who}.", f"To commit anyway, add {Flag('deadly')}.")
        moves_spending.check_reserved(table, self.who, spend)

    def paying_project(self, table: Table) -> str | None:
        """Return the typed project, or else the project with the contest's name."""
        return self.project or moves_spending.funded_project(table, self.who, self.contest)

    def own_spending(self, table: Table) -> moves_spending.Spending:
        """Return the spending that would result if the contest were resolved now."""
        energy, paying_project = self.energy + self.obscure, self.paying_project(table)
        return moves_spending.draw_energy(
            table, self.who, energy, project=paying_project, order=self.order, overdraft=True
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        name = self.contest
        committed = Commitment(
            energy=self.energy,
            obscuring=self.obscure,
            project=self.paying_project(table),
            order=self.order,
            owed=self.own_spending(table).owed,
        )
        marks = {f"committed.{name}": secret(committed.as_json())}
        follows = consequences.ENERGY_COMMITTED.of(self.who, {f"contest.{name}": 1}, marks=marks, contest=name)
        waits = [who for who in open_contest(table, name).uncommitted(table) if who != self.who]
        rest = f"waits for {', '.join(waits)}" if waits else "all are in"
        return ruling(f"is in; {name} {rest}" if waits else f"is in, and {rest}", None, follows=[follows])


class Resolve(TableMove):
    """Resolve a contest after everyone has committed. This reveals all commitments and spends the energy."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-21", "BYZ-22", "BYZ-23")
    example: ClassVar[str] = "duel --take 2"
    another: ClassVar[str] = 'duel --adjust 1 --why "the better ground"'
    chosen: ClassVar[tuple[str, ...]] = ("take", "how")
    may_show_secrets: ClassVar[bool] = True

    contest: game.Handle
    adjust: Annotated[game.SignedNumber, game.BONUS, "the GM's bonus or penalty to the acting side; needs --why"] = 0
    adjust_against: Annotated[game.SignedNumber, "the GM's bonus or penalty to the opposing side; needs --why"] = 0
    why: Annotated[game.Words | None, "the reason for the bonus or penalty"] = None
    how: Annotated[game.Words | None, "how the character dies, if the contest kills somebody"] = None
    take: Annotated[
        game.Count | None,
        "how much energy the winner of an attack takes; the loser who was listed first pays first",
    ] = None

    def dice(self, table: Table) -> None:
        contest = open_contest(table, self.contest)
        contest.check_all_committed(table)
        contest.check_alive(table, contest.both_sides)
        if contest.kind == "kill":
            check_killable(table, contest.victim)
        if bool(self.adjust or self.adjust_against) != (self.why is not None):
            raise game.IncompletePair(f"{Flag('adjust')} or {Flag('adjust-against')}", Flag("why"))
        if self.take is not None and contest.kind != "attack":
            raise Refused(f"{self.contest} is not an attack, so leave out {Flag('take')}.")
        if self.take and self.take > self.fight(table).most:  # a number in the error would reveal the commitments
            raise Refused(
                f"The winner of {self.contest} cannot take that much energy.",
                f"Leave out {Flag('take')} to see the limit.",
            )
        self.opponent_effects(table)

    def dead_characters(self, table: Table) -> list[str]:
        """Return the characters who die: those with a deadly debt, and the victim of a successful killing."""
        contest = open_contest(table, self.contest)
        debts = [ally.who for ally in contest.allies(table, contest.both_sides) if ally.spend.kills]
        killed = contest.kind == "kill" and self.outcome(table).success and contest.victim not in debts
        return [*debts, *([contest.victim] if killed else [])]

    def with_death(self, table: Table, verdict: str) -> str:
        """Add the deaths to a verdict (BYZ-07, BYZ-23)."""
        dead = self.dead_characters(table)
        return f"{verdict}, and {' and '.join(dead)} {'is' if len(dead) == 1 else 'are'} dead" if dead else verdict

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        attack = open_contest(table, self.contest).kind == "attack"
        take = ("take",) if attack and self.take is None and self.fight(table).most else ()
        return (*take, "how") if self.how is None and self.dead_characters(table) else take

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        contest = find_contest(table, self.contest)
        if contest is None or contest.uncommitted(table):
            return ""
        won = self.fight(table).facts_text() if contest.kind == "attack" else ""
        dead = self.dead_characters(table)
        return "; ".join(filter(None, [won, f"{' and '.join(dead)} will die" if dead else ""]))

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        self.fight(table).check(self.take)

    def blocked_characters(self, table: Table) -> tuple[str, ...]:
        """Return both sides. They cannot act until the winner has chosen how much energy to take."""
        contest = find_contest(table, self.contest)
        return tuple(contest.both_sides) if contest else ()

    def spending_effects(self, table: Table) -> list[Effect]:
        """Return the effects that spend the energy of both sides and of the task's opponents. A deadly debt kills."""
        contest = open_contest(table, self.contest)
        allies = contest.allies(table, contest.both_sides)
        died = [effect for ally in allies for effect in ally.spend.death(table)]
        return [*moves_spending.spending_effects_of(allies), *self.opponent_effects(table), *died]

    def opponent_effects(self, table: Table) -> list[Effect]:
        """Return the effects that spend the opponents' energy, in the amounts that the GM set for the task."""
        preset = open_contest(table, self.contest).preset_cost(table)
        return moves_costs.opponents_spending(table, preset.energies, preset.owing)

    def fight(self, table: Table) -> Fight:
        """Return both sides of an attack, with the GM's adjustments."""
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
        return moves_spending.compare_with_cost(
            contest.allies(table, contest.acting), self.total_cost(table), max(0, self.net_bonus)
        )

    @property
    def net_bonus(self) -> int:
        """The GM's bonus for the acting side; negative for a bonus to the other side."""
        return self.adjust - self.adjust_against

    def total_cost(self, table: Table) -> int:
        """Return the total that the acting side must reach, including the GM's bonus for the other side."""
        contest = open_contest(table, self.contest)
        return contest.cost(table, next(iter(contest.acting))).total + max(0, -self.net_bonus)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        contest = open_contest(table, self.contest)
        ends = list(contest.end_effects(table, tried=True))
        if contest.kind == "attack":
            fought = self.fight(table).ruling(self.take or 0)
            verdict = fought.verdict.replace(says=self.with_death(table, fought.verdict.says))
            return fought.replace(
                verdict=verdict, consequences=(*self.spending_effects(table), *fought.consequences, *ends)
            )
        outcome, total_cost, allies = self.outcome(table), self.total_cost(table), contest.allies(table, contest.acting)
        first = allies[0].who
        killed = contest.kind == "kill" and outcome.success
        died = moves_spending.death_effects(table, contest.victim, by=first) if killed else []
        solved = consequences.TASK_RESOLVED.of(first, task=contest.task, cost=total_cost, success=outcome.success)
        return ruling(
            self.with_death(table, f"{self.contest} is {'done' if outcome.success else 'not done'}"),
            outcome.success,
            moves_spending.side_step("total", allies, max(0, self.net_bonus)),
            *contest.cost(table, first).steps(),
            Step(name="contest", says="{} against {}", numbers=(outcome.total, total_cost)),
            follows=[*self.spending_effects(table), *died, solved, *ends],
        )
