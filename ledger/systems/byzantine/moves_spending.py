"""What a sheet of Byzantine comes to: the net, what will be there tomorrow, and energy that is spent."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from ledger.rules import BadInput, Count, Effect, Handle, Move, NotEnough, Refused, Step, Table, Tag, Words, total
from ledger.systems.byzantine import consequences, rules
from ledger.systems.byzantine.sheet import WITHHELD

AbilityName = Annotated[Handle, Tag(name="score", of="ability")]
ProjectName = Annotated[Handle, Tag(name="score", of="project")]
ConnectionName = Annotated[Handle, Tag(name="score", of="output")]

OUTPUT, CONNECTION = WITHHELD


def alive(table: Table, *cast: str) -> None:
    """Refuse whoever is dead."""
    for who in cast:
        if table.find(who, "dead") is True:
            raise Refused(f"{who} is dead.")


def held(table: Table, who: str, name: str) -> int:
    """The energy in a pool, 0 if a correction left it below zero."""
    return max(0, table.score(who, name))


def written(table: Table, who: str) -> dict[str, tuple[int, int]]:
    """The inputs and outputs on the sheet, by connection."""
    names = sorted({*table.names(who, "input"), *table.names(who, "output")})
    return {name: (table.score(who, f"input.{name}"), table.score(who, f"output.{name}")) for name in names}


def counting(table: Table, who: str, sides: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The inputs and outputs that count now, with what is withheld as 0 (BYZ-03)."""
    found = {}
    for name, (given, got) in sides.items():
        withheld = table.find(who, f"withheld.{name}")
        found[name] = (0 if withheld == CONNECTION else given, 0 if withheld in WITHHELD else got)
    return found


def connections(table: Table, who: str) -> dict[str, tuple[int, int]]:
    """The inputs and outputs that count now, by connection (BYZ-03)."""
    return counting(table, who, written(table, who))


def net(table: Table, who: str) -> rules.NetOutcome:
    """The net yield of the connections (BYZ-01)."""
    return net_of(who, connections(table, who))


def net_of(who: str, sides: Mapping[str, tuple[int, int]]) -> rules.NetOutcome:
    """The net yield of connections; refuses one that a correction left outside its limits."""
    for name, side in sides.items():
        try:
            rules.net_energy(connections=(side,))
        except Refused as refused:
            hint = "It is a question of its own; see 'campaign questions'."
            raise Refused(f"The connection {name} of {who} is beyond its limits: {refused.sentence}", hint) from None
    return rules.net_energy(connections=tuple(sides.values()))


def nights(table: Table, who: str) -> tuple[int, int]:
    """The bad nights in a row with the coming one, of little sleep and of none; a full one clears them."""
    night = table.find(who, "night")
    if night not in rules.LOSS_OF_NIGHT:
        return 0, 0
    little, none = held(table, who, "nights.little"), held(table, who, "nights.none")
    return little + (night == "little"), none + (night == "none")


def carried(table: Table, who: str, general: int | None = None) -> int:
    """The general pool at the next dawn, from its energy now or a given one (BYZ-07)."""
    opening = held(table, who, "general") if general is None else general
    deposited = held(table, who, "general.recouped") + held(table, who, "general.deposit")
    return rules.rollover(opening=opening, spent=0, deposited=deposited).closing


def next_net(table: Table, who: str) -> int:
    """The net of the next dawn, as it is known now: the connections withheld, the nights recorded (BYZ-07)."""
    little, none = nights(table, who)
    return rules.sleep(net=net(table, who).net, nights_little=little, nights_none=none).available


class Spent(Effect):
    """Energy that somebody spends: a consequence, with what is left where a debt is tested.

    What neither adds to a debt nor takes from the general pool is `harmless`: it tests nothing.
    """

    debt: int
    there: int
    harmless: bool

    @property
    def kills(self) -> bool:
        """Whether the debt that is left kills (BYZ-07)."""
        return not self.harmless and bool(self.debt) and rules.lethal(self.debt, self.there)


def spent(table: Table, who: str, energy: int, *, project: str | None = None, overdraft: bool = False) -> Spent:
    """Return energy drawn from the project, the day and the general pool; refuses what they do not hold (BYZ-13)."""
    day, general = table.score(who, "energy"), held(table, who, "general")
    recouped = held(table, who, "general.recouped")
    of_project = held(table, who, f"project.{project}") if project else 0
    has = of_project + max(0, day) + general + recouped
    if energy > has and not overdraft:
        raise NotEnough(who, "energy", has=has, needs=energy)
    drawn = rules.draw(commit=energy, project=of_project, day=day, general=general + recouped, overdraft=overdraft)
    of_carried = min(drawn.general, general)
    left = {"general": general - of_carried, "recouped": recouped - (drawn.general - of_carried)}
    moved = {
        "energy": -drawn.day - drawn.debt,
        "general": -of_carried,
        "general.recouped": -(drawn.general - of_carried),
    }
    if project:
        moved[f"project.{project}"] = -drawn.project
    deposited = left["recouped"] + held(table, who, "general.deposit")
    there = max(0, next_net(table, who)) + rules.rollover(opening=left["general"], spent=0, deposited=deposited).closing
    return Spent(
        kind=consequences.ENERGY_SPENT,
        who=who,
        scores={name: amount for name, amount in moved.items() if amount},
        marks={},
        facts={"energy": energy, **({"overdraft": drawn.debt} if drawn.debt else {})},
        debt=max(0, drawn.day + drawn.debt - day),
        there=there,
        harmless=not (drawn.debt or drawn.general),
    )


class Spends(Move):
    """A move that commits energy to something."""

    energy: Annotated[Count, "the energy committed; 0 is a commitment too"]
    ability: Annotated[AbilityName | None, "the ability that the GM selects, on the sheet"] = None
    project: Annotated[ProjectName | None, "the project whose pool is drawn first"] = None
    overdraft: Annotated[bool, "commit more than is there; the rest is owed, at double"] = False
    how: Annotated[Words | None, "how it comes about, where the debt kills"] = None

    def rating(self, table: Table) -> int:
        """The rating of the ability; refuses one that is not on the sheet (BYZ-14)."""
        return ability(table, self.who, self.ability)

    def spent(self, table: Table) -> Spent:
        """The consequence of spending."""
        return spent(table, self.who, self.energy, project=self.project, overdraft=self.overdraft)

    def check(self, table: Table) -> None:
        """Refuse the dead, energy that is not there, a project without a pool, and a death without words (BYZ-07)."""
        alive(table, self.who)
        self.rating(table)
        if self.project and not table.score(self.who, f"project.{self.project}"):
            raise Refused(f"{self.who} has nothing to spend in the project {self.project}.")
        found = self.spent(table)
        if found.kills and self.how is None:
            raise Refused(
                f"It would kill {self.who}: {found.debt} is owed, twice that is due, and {found.there} will be there.",
                "Where it is meant, say how it comes about with --how TEXT.",
            )
        if self.how is not None and not found.kills:
            raise BadInput(f"{self.who} does not die of it; --how is said of a death.")

    def spending(self, table: Table) -> Sequence[Effect]:
        """The consequences of spending, and of the death that it causes."""
        found = self.spent(table)
        died = (
            [consequences.DIED.of(self.who, marks={"dead": True}, debt=found.debt, there=found.there)]
            if found.kills
            else []
        )
        return [as_follows(found), *died]

    def says(self, table: Table, came: str) -> str:
        """The verdict, saying that it was the character's last act (BYZ-07)."""
        return f"{came}, and {self.who} is dead" if self.spent(table).kills else came

    def total_step(self, table: Table, to: int) -> Step:
        """The line of working of a commitment."""
        return total("total", self.energy, self.rating(table), to=to)


def as_follows(found: Spent) -> Effect:
    """The spending as a consequence."""
    return Effect(kind=found.kind, who=found.who, scores=found.scores, marks=found.marks, facts=found.facts)


def ability(table: Table, who: str, name: str | None) -> int:
    """A rating, 0 for none; refuses an ability that is not on the sheet."""
    if name is None:
        return 0
    return max(0, table.needed(who, f"ability.{name}"))


def answering(table: Table, who: str, energy: int) -> Spent:
    """The energy spent against another; refuses the dead, missing energy, and a deadly amount."""
    alive(table, who)
    found = spent(table, who, energy)
    if found.kills:
        raise Refused(f"{who} cannot spend {energy} more: it would be death.")
    return found
