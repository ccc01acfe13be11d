"""Moves against another character: attacks on energy, and attempts to kill."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, ClassVar

from ledger import rules as game
from ledger.rules import Effect, Flag, IncompletePair, NotOneself, Refused, Ruling, Step, Struct, Table, ruling
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_costs import CostMove
from ledger.systems.byzantine.moves_spending import NO_ABILITIES, Abilities, AbilityName, Ally, Energies, SpendingMove


class EnergyAttack(SpendingMove):
    """Attack a character's energy. The side with more energy plus ability wins.

    The winner may take any amount of energy that does not kill.
    """

    typed_name: ClassVar[str] = "attack"
    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-21", "BYZ-22")
    example: ClassVar[str] = "mara brak --energy 3 --answer 2 --take 1"
    another: ClassVar[str] = "brak mara --energy 2 --answer 4 --take 2"
    chosen: ClassVar[tuple[str, ...]] = ("take",)

    target: Annotated[game.Who, game.NOT_PAYING]
    answer: Annotated[game.Count, "the energy that the target commits to the defense"] = 0
    guard: Annotated[AbilityName | None, "the ability that the target uses; it must be on the target's sheet"] = None
    owing: Annotated[bool, "the defenders may commit more energy than they have; the rest becomes a debt"] = False
    beside: Annotated[Energies, "the other attackers, and the energy that each of them commits"] = game.NO_NUMBERS
    beside_ability: Annotated[Abilities, "the ability that each of the other attackers uses"] = NO_ABILITIES
    against: Annotated[Energies, "the other defenders, and the energy that each of them commits"] = game.NO_NUMBERS
    against_ability: Annotated[Abilities, "the ability that each of the other defenders uses"] = NO_ABILITIES
    adjust: Annotated[game.SignedNumber, game.BONUS, "the GM's bonus or penalty to the attack; needs --why"] = 0
    adjust_answer: Annotated[game.SignedNumber, "the GM's bonus or penalty to the defense; needs --why"] = 0
    why: Annotated[game.Words | None, "the reason for the bonus or penalty"] = None
    take: Annotated[game.Count | None, "how much energy the winner takes; the loser whom you name first pays first"] = (
        None
    )

    def dice(self, table: Table) -> None:
        if self.target == self.who:
            raise NotOneself(self.who, "attack")
        moves_spending.check_no_duplicates(self.who, self.target, *self.beside, *self.against)
        if bool(self.adjust or self.adjust_answer) != (self.why is not None):
            raise IncompletePair(f"{Flag('adjust')} or {Flag('adjust-answer')}", Flag("why"))
        moves_spending.check_alive(table, self.who)
        if self.own_spending(table).kills:
            raise Refused(f"The debt for this attack would kill {self.who} before the attack could take any energy.")
        self.check(table)
        self.acting_side(table)
        self.defenders(table)

    def payers(self) -> tuple[str, ...]:
        """Return the payers, including a target that commits energy (`answer`) or may go into debt (`owing`)."""
        return (*super().payers(), *((self.target,) if self.answer or self.owing else ()))

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return ("take",) if self.take is None and self.fight(table).most else ()

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        return self.fight(table).facts_text()

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        self.fight(table).check(self.take)

    def cost(self, table: Table) -> tuple[Effect, ...]:
        return tuple(moves_spending.spending_effects_of([*self.acting_side(table), *self.defenders(table)]))

    def helpers(self, table: Table) -> Sequence[Ally]:
        return moves_spending.allies_of(table, self.beside, self.beside_ability, overdraft=self.overdraft)

    def defenders(self, table: Table) -> list[Ally]:
        """Return the defending side. With `owing`, defenders may go into debt, but not into a deadly debt (BYZ-13)."""
        guard = {} if self.guard is None else {self.target: self.guard}
        energies = {self.target: self.answer, **self.against}
        return moves_spending.allies_of(table, energies, {**guard, **self.against_ability}, overdraft=self.owing)

    def fight(self, table: Table) -> Fight:
        """Return both sides of the attack, with the GM's adjustments."""
        return Fight(
            attackers=self.acting_side(table),
            defenders=self.defenders(table),
            adjust=self.adjust,
            adjust_answer=self.adjust_answer,
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return self.fight(table).ruling(self.take or 0)


class Fight(Struct):
    """Two sides that commit energy against each other, with the GM's bonus or penalty for each (BYZ-15, BYZ-22)."""

    attackers: Sequence[Ally]
    defenders: Sequence[Ally]
    adjust: int
    adjust_answer: int

    def sides(self) -> tuple[Sequence[Ally], Sequence[Ally]] | None:
        """Return the winners, then the losers; `None` if nobody wins."""
        one, other, lead = self.attackers, self.defenders, self.adjust - self.adjust_answer
        winner = rules.attack(
            attacker=moves_spending.sum_of_side(one, max(0, lead)),
            defender=moves_spending.sum_of_side(other, max(0, -lead)),
        )
        return {"attacker": (one, other), "defender": (other, one), None: None}[winner]

    @property
    def most(self) -> int:
        """The most energy that the winners may take after both sides have spent; 0 if nobody wins."""
        sides = self.sides()
        return sum(map(_limit, sides[1])) if sides else 0

    def facts_text(self) -> str:
        """Say who wins and how much each loser can lose. Return "" if nobody wins (BYZ-22)."""
        sides = self.sides()
        if sides is None:
            return ""
        winners, losers = sides
        limits = {loser.who: _limit(loser) for loser in losers}
        says = f"{winners[0].who} wins and may take up to {self.most} energy"
        each = ", then ".join(f"up to {most} energy from {who}" for who, most in limits.items())
        return f"{says}: {each}" if len(losers) > 1 else says

    def check(self, take: int | None) -> None:
        """Raise `Refused` if `take` is more energy than the winners may take (`most`)."""
        if take is not None and take > self.most:
            why = self.facts_text() or "Nobody wins, so nothing can be taken"
            raise Refused(f"{why}.", f"Choose the amount with {Flag('take', 'N')}; 0 takes nothing.")

    def ruling(self, amount: int) -> Ruling:
        """Return a ruling that takes the amount from the losers, in the order typed. No loser gets a deadly debt."""
        sides = self.sides()
        steps = [
            moves_spending.side_step("attack", self.attackers, self.adjust),
            moves_spending.side_step("answer", self.defenders, self.adjust_answer),
            Step(name="most", says="{} can be taken", numbers=(self.most,)),
        ]
        if sides is None:
            return ruling("nobody wins", None, *steps[:2])
        winners, losers = sides
        first, follows, left = winners[0].who, [], amount
        for loser in losers:
            share = min(left, _limit(loser))
            left -= share
            if share:
                follows += loser.spend.further_loss(consequences.ENERGY_TAKEN, share, by=first, taken=share).effects()
        names = ", ".join(loser.who for loser in losers)
        return ruling(f"{first} takes {amount} from {names}", winners is self.attackers, *steps, follows=follows)


def _limit(loser: Ally) -> int:
    return rules.max_deduction(energy=loser.spend.left, next_available=loser.spend.repayable)


def check_killable(table: Table, who: str) -> None:
    """Refuse a victim who is dead, has no debt, or would survive spending 1 more energy (BYZ-23)."""
    moves_spending.check_alive(table, who)
    energy, there = table.score(who, "energy"), moves_spending.payable_at_dawn(table, who)
    one_more = moves_spending.draw_energy(table, who, 1, overdraft=True)
    if not (rules.killable(energy=energy, next_available=there) and one_more.kills):
        only = "You can kill only a character who is in debt and would die from spending 1 more energy."
        raise Refused(f"{who} cannot be killed. {only}")


class Kill(CostMove):
    "Try to kill a character who is in debt and would die from spending 1 more energy. The usual cost is 40."

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-23")
    example: ClassVar[str] = 'mara brak --energy 40 --manner "in the cistern"'
    another: ClassVar[str] = 'mara brak --energy 41 --manner "by a knife in the crowd" --dry-run'

    target: Annotated[game.Who, game.NOT_PAYING]
    guard: Annotated[AbilityName | None, "the victim's ability; its rating is added to the cost of the kill"] = None
    manner: Annotated[game.Words, "how the attacker tries to kill the victim"]
    beside: Annotated[Energies, "the other attackers, and the energy that each of them commits"] = game.NO_NUMBERS
    beside_ability: Annotated[Abilities, "the ability that each of the other attackers uses"] = NO_ABILITIES

    named: ClassVar[str] = "kill.{target}"

    def dice(self, table: Table) -> None:
        if self.target == self.who:
            raise NotOneself(self.who, "kill")
        self.check_preset(table, typed=False)
        self.check(table)
        moves_spending.ability_rating(table, self.target, self.guard)
        check_killable(table, self.target)

    @property
    def others(self) -> Collection[str]:
        return (self.target, *self.beside)

    def helpers(self, table: Table) -> list[Ally]:
        return self.allies(table, self.beside, self.beside_ability)

    def usual_cost(self, table: Table) -> int:
        return rules.KILL_COST

    def total_cost(self, table: Table) -> int:
        guard = moves_spending.ability_rating(table, self.target, self.guard)
        return rules.kill_cost(victim_ability=guard, victim_energy=0, base=super().total_cost(table))

    def result(self, table: Table, *, success: bool) -> tuple[str, Sequence[Effect]]:
        if not success:
            return f"{self.target} lives", ()
        return f"{self.target} is dead", moves_spending.death_effects(table, self.target, by=self.who)
