"""Moves against another character: attacks on energy, and killing."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from ledger.rules import Count, Effect, NotOneself, Refused, Ruling, Step, Table, Who, Words, ruling, total
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_costs import Attempts
from ledger.systems.byzantine.moves_spending import AbilityName, Spends


class Attack(Spends):
    """Attack somebody's energy; whoever commits strictly more takes what they like, short of killing."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-22")
    example: ClassVar[str] = "mara brak --energy 3 --answer 2 --take 1"
    chosen: ClassVar[tuple[str, ...]] = ("take",)

    target: Who
    answer: Annotated[Count, "the energy that the other commits"] = 0
    guard: Annotated[AbilityName | None, "the ability of the other, on their sheet"] = None
    owing: Annotated[bool, "the other commits more than is there; the rest is owed, at double"] = False
    take: Annotated[Count | None, "what the winner takes"] = None

    def dice(self, table: Table) -> None:
        """No dice. Refuses oneself, the dead, missing energy, and a spending that kills."""
        if self.target == self.who:
            raise NotOneself(self.who, "attack")
        moves_spending.alive(table, self.who)
        if self.spent(table).kills:
            raise Refused(f"{self.who} would be dead of it before anything is taken.")
        self.check(table)
        moves_spending.ability(table, self.target, self.guard)
        self.answered(table)

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        """The winner says how much to take, if anything can be taken."""
        return ("take",) if self.take is None and self.most(table) else ()

    def agree(self, table: Table, faces: Sequence[int]) -> None:
        """Refuse to take more than `most`, which is 0 if nobody wins (BYZ-22)."""
        most = self.most(table)
        if self.take is not None and self.take > most:
            why = f"At most {most} can be taken" if self.winner(table) else "Nobody wins, and nothing can be taken"
            raise Refused(f"{why}.")

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """Both sides spend their energy, whoever wins."""
        both = (self.spent(table), self.answered(table))
        return tuple(effect for spend in both if spend.facts["energy"] for effect in spend.effects())

    def answered(self, table: Table) -> moves_spending.Spent:
        """The spending of the other, who may go into debt, and not die of it (BYZ-13)."""
        return moves_spending.answering(table, self.target, self.answer, overdraft=self.owing)

    def winner(self, table: Table) -> str | None:
        """The character who wins, `None` for nobody."""
        sides = (rules.Side(energy=self.energy, ability=self.rating(table)), self.other_side(table))
        side = rules.attack(attacker=sides[0], defender=sides[1]).winner
        return {"attacker": self.who, "defender": self.target, None: None}[side]

    def other_side(self, table: Table) -> rules.Side:
        """The opponent's energy and ability."""
        return rules.Side(energy=self.answer, ability=moves_spending.ability(table, self.target, self.guard))

    def most(self, table: Table) -> int:
        """The most that the winner may take, once both have spent."""
        winner = self.winner(table)
        if winner is None:
            return 0
        spent = self.spent(table) if winner == self.target else self.answered(table)
        return rules.max_deduction(energy=spent.left, next_available=spent.there).most

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """The loser loses the energy; nobody gains it."""
        winner, amount, other = self.winner(table), self.take or 0, self.other_side(table)
        loser = self.target if winner == self.who else self.who
        reached = self.energy + self.rating(table)
        steps = [
            total("attack", self.energy, self.rating(table), to=reached),
            total("answer", other.energy, other.ability, to=other.energy + other.ability),
            Step(name="most", says="{} can be taken", numbers=(self.most(table),)),
        ]
        if winner is None:
            return ruling("nobody wins", None, *steps[:2])
        left = (self.spent(table) if loser == self.who else self.answered(table)).left
        follows = taken(loser, amount, left=left, by=winner)
        return ruling(f"{winner} takes {amount} from {loser}", winner == self.who, *steps, follows=follows)


def taken(who: str, amount: int, *, left: int, by: str) -> list[Effect]:
    """What an attack takes of the energy left, down to zero; the rest is a debt, as an event of its own (BYZ-13)."""
    of_day = min(amount, max(0, left))
    effect = consequences.ENERGY_TAKEN.of(who, {"energy": -of_day} if of_day else {}, by=by, taken=amount)
    return [effect, *moves_spending.owing(who, amount - of_day)] if amount else []


class Kill(Attempts):
    """Kill somebody whose energy is below zero, and who would die of one more spent: a contest at 40."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-23")
    example: ClassVar[str] = 'mara brak --energy 40 --manner "in the cistern"'

    target: Who
    guard: Annotated[AbilityName | None, "the ability of the victim, on their sheet"] = None
    manner: Annotated[Words, "how it is done"]

    def dice(self, table: Table) -> None:
        """No dice. Refuses oneself, a victim who cannot be killed, and missing energy."""
        if self.target == self.who:
            raise NotOneself(self.who, "kill")
        self.check_free(table, said=False)
        self.check(table)
        self.opponents(table)
        moves_spending.alive(table, self.target)
        moves_spending.ability(table, self.target, self.guard)
        energy = table.score(self.target, "energy")
        one_more = moves_spending.spent(table, self.target, 1, overdraft=True)
        there = moves_spending.spent(table, self.target, 0).there
        if not (rules.killable(energy=energy, next_available=there).killable and one_more.kills):
            raise Refused(f"{self.target} cannot be killed: that takes energy below zero, and death of one more spent.")

    @property
    def named(self) -> str:
        """What a cost of this killing is set under."""
        return f"kill.{self.target}"

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        """Kill if energy and ability reach the cost."""
        guard = moves_spending.ability(table, self.target, self.guard)
        ahead = self.ahead(table)
        base = rules.KILLING if ahead is None else ahead.total
        cost = rules.kill_cost(victim_ability=guard, victim_energy=0, base=base).cost
        outcome = rules.commit(ability=self.rating(table), energy=self.energy, cost=cost)
        died: list[Effect] = moves_spending.death(table, self.target, by=self.who) if outcome.success else []
        return ruling(
            self.says(table, f"{self.target} is dead" if outcome.success else f"{self.target} lives"),
            outcome.success,
            self.total_step(table, outcome.total),
            Step(name="cost", says="{} against {}", numbers=(outcome.total, cost)),
            follows=[
                *self.spending(table),
                *self.opponents(table),
                *died,
                *(self.resolved(table, cost=cost, success=outcome.success) if ahead else []),
            ],
        )
