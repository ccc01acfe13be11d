"""Moves of the day: nights, dawns, investments, canceled projects, and losses of energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Effect,
    Flag,
    IncompletePair,
    Move,
    Refused,
    Ruling,
    Run,
    Step,
    Table,
    ruling,
    total,
    with_minus_sign,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.sheet import ENERGY_PER_GAIN

POOLS = ("project", "deposit")
"""The families of scores for a project's pool. Only edition 1 uses `deposit`."""

RULED_WORDS: Mapping[str | None, str] = {
    "lives": "lives, as the GM rules; ",
    "owes": "lives and still owes, as the GM rules; ",
}
"""The first words of a verdict if the GM decides that a character survives a debt (BYZ-07)."""

InvestedIn = Annotated[game.Handle, game.Tag(name="score", of="invested")]


class Night(Move):
    """Record how much a character sleeps tonight. A night that you do not record counts as full sleep."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-04",)
    example: ClassVar[str] = "mara little"
    another: ClassVar[str] = "brak none"

    who: game.Who
    sleep: Literal["full", "little", "none"]

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        marks = {"night": None if self.sleep == "full" else self.sleep}
        phrases = {"full": "a full night", "little": "a night of little sleep", "none": "a night of no sleep"}
        recorded = consequences.NIGHT_RECORDED.of(self.who, marks=marks, sleep=self.sleep)
        return ruling(phrases[self.sleep], None, follows=[recorded])


class Dawn(Move):
    """Start the next day for one character.

    Unused energy is lost, and every pool shrinks a little. Then the character gains the net energy and repays any debt.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-02", "BYZ-04", "BYZ-05", "BYZ-06", "BYZ-07", "BYZ-11")
    example: ClassVar[str] = "sam"
    another: ClassVar[str] = "sam --dry-run"
    chosen: ClassVar[tuple[str, ...]] = ("fate", "how")

    who: game.Who
    fate: Annotated[
        Literal["dies", "lives", "owes"] | None,
        "the GM's decision if the character cannot repay the debt: the character dies, lives without the debt, or lives"
        " and still owes it",
    ] = None
    how: Annotated[game.Words | None, "how the character dies or survives"] = None

    @classmethod
    def is_due(cls, table: Table, who: str) -> bool:
        """Return True if the character lives and has not had this day's dawn. Refuse a character in an open contest."""
        _check_contests(table, who)
        return table.find(who, "dead") is not True and table.score(who, "dawned") < table.day()

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if not table.day():
            raise Refused("No day has started yet.", f"Start one with {Run('day next')}.")
        if table.score(self.who, "dawned") >= table.day():
            raise Refused(
                f"The dawn of day {table.day()} has already come for {self.who}.",
                f"Start the next day with {Run('day next')}.",
            )
        _check_contests(table, self.who)
        fatal = self.is_fatal(table)
        if (self.fate is None) != (self.how is None):
            raise IncompletePair(Flag("fate"), Flag("how"))
        if self.fate is not None and not fatal:
            raise Refused(f"{self.who} can repay the debt, so leave out {Flag('fate')} and {Flag('how')}.")

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return ("fate", "how") if self.fate is None and self.is_fatal(table) else ()

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        morning, general = self.morning(table), moves_spending.general_pool_at_dawn(table, self.who)
        debt, new_debt = self.debt(table), -morning.after_sleep
        facts = [
            f"net energy {morning.after_sleep}",
            f"debt {debt}, must repay {morning.due}",
            f"general pool {general}",
        ]
        return with_minus_sign(", ".join(facts + [f"new debt {new_debt}"] * (new_debt > 0)))

    def debt(self, table: Table) -> int:
        """Return the energy owed this morning, 0 or more."""
        return max(0, -table.score(self.who, "energy"))

    def morning(self, table: Table) -> rules.DawnOutcome:
        """Return the outcome of the dawn under the rules, before the GM forgives any debt."""
        little, none = moves_spending.nights_without_full_sleep(table, self.who)
        return rules.dawn(
            net=moves_spending.net_yield(table, self.who),
            nights_little=little,
            nights_none=none,
            debt=self.debt(table),
            general=moves_spending.general_pool_at_dawn(table, self.who),
        )

    def is_fatal(self, table: Table) -> bool:
        """Return True if the debt cannot be repaid, or if this dawn makes a debt that will kill at the next dawn."""
        morning = self.morning(table)
        if morning.available is None or morning.general is None:
            return True
        return rules.lethal(-morning.available, self.energy_tomorrow(table, morning.general))

    def energy_tomorrow(self, table: Table, general: int) -> int:
        """Return the energy at the dawn after this one. Assume a full night, and `general` in the general pool."""
        return max(0, moves_spending.net_yield(table, self.who)) + general - rules.decay(pool=general)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        morning, debt, net = self.morning(table), self.debt(table), moves_spending.net_yield(table, self.who)
        last = table.score(self.who, "dawned")
        day = last + 1 if last else table.day()
        nets = [sum(sides) for sides in moves_spending.connections(table, self.who).values()]
        steps = [total("net", *(nets or [0]), to=net)]
        if morning.after_sleep != net:
            says = "{} of {} left; nights of little sleep {}, of none {}"
            numbers = (morning.after_sleep, net, *moves_spending.nights_without_full_sleep(table, self.who))
            steps.append(Step(name="sleep", says=says, numbers=numbers))
        if debt:
            steps.append(Step(name="debt", says="{} owed, {} due", numbers=(debt, morning.due)))
        repayment, says, good = self.settle_debt(table, morning, debt)
        return ruling(
            f"day {day}: {says}",
            good,
            *steps,
            follows=[*self.end_of_day(table), self.start_of_day(table, day, morning), *repayment],
        )

    def end_of_day(self, table: Table) -> Sequence[Effect]:
        """End the previous day: unused energy is lost, pools shrink, and investments are added (BYZ-02, BYZ-11)."""
        unused = table.score(self.who, "energy")
        effects = [consequences.ENERGY_LAPSED.of(self.who, {"energy": -unused})] if unused > 0 else []
        projects = sorted({name for kind in POOLS for name in table.names(self.who, kind)})
        for pool in ("general", *(f"project.{name}" for name in projects)):
            before = moves_spending.energy_in(table, self.who, pool)
            lost = rules.decay(pool=before)
            if lost:
                effects.append(consequences.DECAY_TICKED.of(self.who, {pool: -lost}, pool=pool, held=before, lost=lost))
        effects += moves_spending.all_investment_effects(table, self.who)
        sources = {"general.recouped": "general", "general.deposit": "general"}
        for source, pool in (sources | {f"deposit.{name}": f"project.{name}" for name in projects}).items():
            if amount := moves_spending.energy_in(table, self.who, source):
                effects.append(consequences.DEPOSIT_MATURED.of(self.who, {source: -amount, pool: amount}, pool=pool))
        return effects

    def start_of_day(self, table: Table, day: int, morning: rules.DawnOutcome) -> Effect:
        """Start the day (BYZ-04).

        Add the net energy that is left after the loss for bad nights. Count the bad nights, and clear the mark for
        tonight's sleep.
        """
        little, none = moves_spending.nights_without_full_sleep(table, self.who)
        changes = {
            "energy": max(0, morning.after_sleep),
            "nights.little": little - table.score(self.who, "nights.little"),
            "nights.none": none - table.score(self.who, "nights.none"),
        }
        scores, marks = moves_spending.nonzero(changes), {"dawned": day, "night": None}
        return consequences.DAWN_BROKEN.of(self.who, scores, marks=marks, day=day, net=morning.after_sleep)

    def settle_debt(
        self, table: Table, morning: rules.DawnOutcome, debt: int
    ) -> tuple[Sequence[Effect], str, bool | None]:
        """Return the debt's consequences, the verdict's text, and the ruling's `good`: False for a death, else None."""
        general = moves_spending.general_pool_at_dawn(table, self.who)
        if self.fate == "dies":
            return [consequences.DIED.of(self.who, marks={"dead": True}, debt=debt, due=morning.due)], "dies", False
        from_day = min(max(0, morning.after_sleep), morning.due)
        from_general = min(morning.due - from_day, general)
        short = morning.due - from_day - from_general
        owed = max(0, -morning.after_sleep)
        still = -(-short // 2) if self.fate == "owes" else 0  # half of what is due, because a debt is repaid twice
        effects: list[Effect] = []
        if from_general:
            effects.append(consequences.ENERGY_DRAWN.of(self.who, {"general": -from_general, "energy": from_general}))
        if debt:
            scores = {"energy": -max(0, debt - short + still)}
            effects.append(consequences.DEBT_REPAID.of(self.who, scores, debt=debt, paid=morning.due - short))
        effects += moves_spending.debt_effects(self.who, owed)
        new_debt = min(owed, self.energy_tomorrow(table, general - from_general) // 2) if self.fate == "lives" else owed
        if (short and not still) or new_debt < owed:
            forgiven = max(0, short - debt) + owed - new_debt
            effects.append(
                consequences.DEBT_FORGIVEN.of(self.who, {"energy": forgiven}, due=short, owed=owed - new_debt)
            )
        start = max(0, morning.after_sleep) - from_day - new_debt - still
        return effects, with_minus_sign(f"{RULED_WORDS.get(self.fate, '')}{start} energy"), None


def _check_contests(table: Table, who: str) -> None:
    """Refuse a dawn while a contest is open, because the committed energy would be lost (BYZ-21)."""
    contests = moves_spending.open_contests(table, who)
    if contests:
        raise Refused(
            f"A new day cannot start while a contest is open: {', '.join(contests)}.",
            f"Resolve it, or call it off: {Run('byzantine contest', contests[0], off=True)}",
        )


class Invest(Move):
    """Invest the day's energy in the general pool or in a project.

    At the end of the day, every 5 energy invested adds 1 to the general pool, or 4 to the project. The remainder is
    lost. With --from-pool general, you invest energy from the general pool in a project instead.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-08", "BYZ-09", "BYZ-10")
    example: ClassVar[str] = "mara 10 --project election"
    another: ClassVar[str] = "mara 5"

    who: game.Who
    energy: Annotated[int, game.Within(1, game.MAX_SHEET_NUMBER), game.POSITIONAL]
    project: Annotated[InvestedIn | None, "the project to invest in (default: the general pool)"] = None
    from_pool: Annotated[
        Literal["general"] | None,
        "take the energy for a project from the general pool (default: from the day's energy)",
    ] = None
    lose: Annotated[bool, "an option from older versions; it has no effect"] = False

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if self.project and table.find(self.who, f"closed.{self.project}") is True:
            raise Refused(f"The project {self.project} of {self.who} is closed for good.")
        if self.from_pool and not self.project:
            raise BadInput(f"Energy from the general pool can only go into a project. Add {Flag('project', 'NAME')}.")
        has, where = self.available(table)
        if has < self.energy:
            raise game.NotEnough(self.who, where, has=has, needs=self.energy)
        if self.from_pool:
            self.check_debt(self.general_spending(table))
        moves_spending.check_reserved(table, self.who, *self.ruling(table, ()).consequences)

    def available(self, table: Table) -> tuple[int, str]:
        """Return the energy that can be invested, and words for this energy, such as "energy left today"."""
        if self.from_pool is None:
            return max(0, table.score(self.who, "energy")), "energy left today"
        pools = ("general", "general.recouped")
        return sum(moves_spending.energy_in(table, self.who, name) for name in pools), "energy in the general pool"

    def general_spending(self, table: Table) -> moves_spending.Spending:
        """Return the spending that takes the energy from the general pool."""
        return moves_spending.draw_energy(table, self.who, self.energy, order=("general",))

    def check_debt(self, paid: moves_spending.Spending) -> None:
        """Refuse to invest general energy (`paid`) that must repay a debt at the next dawn (BYZ-07)."""
        if paid.kills:
            due = 2 * paid.debt
            raise Refused(
                f"{self.who} cannot invest {self.energy} energy from the general pool. At the next dawn,"
                f" the debt of {paid.debt} takes {due} energy, and only {paid.repayable} would be left to"
                " pay it."
            )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        source = moves_spending.today_score(self.project)
        now = moves_spending.energy_in(table, self.who, source) + self.energy
        gain, missing = moves_spending.pool_gain(self.project, now), -now % ENERGY_PER_GAIN
        paid = self.general_spending(table).scores if self.from_pool else {"energy": -self.energy}
        changes = {**paid, source: self.energy}
        ever = {f"invested.{self.project}": self.energy} if self.project else {}
        opened = self.project is not None and table.find(self.who, f"invested.{self.project}") is None
        follows = [
            *([consequences.PROJECT_OPENED.of(self.who, project=str(self.project))] if opened else []),
            consequences.ENERGY_INVESTED.of(self.who, changes | ever, energy=self.energy, today=now, fives=gain),
        ]
        where = f"the project {self.project}" if self.project else "the general pool"
        lacks = f"; {missing} more make the next five" if missing else ""
        step = Step(name="stored", says="{} of {} today, {} missing to the next five", numbers=(gain, now, missing))
        return ruling(f"{gain} into {where} from the next dawn{lacks}", None, step, follows=follows)


class Cancel(Move):
    """Cancel a project for good. You get back 1 energy for every 10 ever invested. The project's pool is lost."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-10", "BYZ-12")
    example: ClassVar[str] = "mara election"
    another: ClassVar[str] = "mara election --dry-run"

    who: game.Who
    project: InvestedIn

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, f"closed.{self.project}") is True:
            raise Refused(f"The project {self.project} of {self.who} is closed for good.")
        if not any(table.score(self.who, f"{what}.{self.project}") for what in ("invested", "invested-today", *POOLS)):
            raise Refused(f"{self.who} has no project called {self.project}.")
        moves_spending.check_reserved(table, self.who, *self.ruling(table, ()).consequences)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        gained = moves_spending.pool_gain(self.project, self.amount(table, "invested-today"))
        pools = {f"{what}.{self.project}": self.amount(table, what) for what in POOLS}
        pools[f"project.{self.project}"] += gained
        invested, pool = self.amount(table, "invested"), sum(pools.values())
        back = rules.cancel_project(invested=invested, pool=pool)
        follows = moves_spending.investment_effects(table, self.who, self.project)
        closed = {f"closed.{self.project}": True}
        follows.append(consequences.PROJECT_CANCELLED.of(self.who, marks=closed, project=self.project, recouped=back))
        if pool:
            lost = {name: -amount for name, amount in pools.items() if amount}
            follows.append(consequences.POOL_LOST.of(self.who, lost, project=self.project, held=pool))
        if back:
            follows.append(consequences.ENERGY_RECOUPED.of(self.who, {"general.recouped": back}, project=self.project))
        step = Step(
            name="recouped", says="{} for each full ten of {}; a pool of {} is lost", numbers=(back, invested, pool)
        )
        return ruling(f"{back} comes back, {pool} is lost", None, step, follows=follows)

    def amount(self, table: Table, what: str) -> int:
        """Return a score of the project, at least 0. `what` is the family of the score, such as `invested`."""
        return moves_spending.energy_in(table, self.who, f"{what}.{self.project}")


class Harm(Move):
    """Take energy from a character, for example for a fall, a poison or a fine. Energy below zero is a debt."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-06", "BYZ-07")
    example: ClassVar[str] = 'mara 3 --why "a falling roof"'
    another: ClassVar[str] = 'brak 2 --why "a fine from the guild"'

    who: game.Who
    energy: Annotated[int, game.Within(1, game.MAX_SHEET_NUMBER), game.POSITIONAL]
    why: Annotated[game.Words | None, "what causes the loss"] = None
    how: Annotated[game.Words | None, "how the character dies, if the debt kills"] = None

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        self.loss(table).check_death(self.how)

    def loss(self, table: Table) -> moves_spending.Spending:
        """Return the spending for the lost energy, including any debt."""
        now = moves_spending.draw_energy(table, self.who, 0)
        return now.further_loss(consequences.ENERGY_LOST, self.energy, lost=self.energy)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        loss = self.loss(table)
        says = f"loses {self.energy}{', and is dead' if loss.kills else ''}"
        return ruling(says, None, follows=[*loss.effects(), *loss.death(table)])
