"""Moves for the map, for travel through the city, and for lost characters who find the way again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ledger import rules as game
from ledger.rules import (
    BadInput,
    Effect,
    Flag,
    Move,
    Refused,
    Ruling,
    Step,
    Table,
    TableMove,
    ruling,
    total,
    with_minus_sign,
)
from ledger.systems.byzantine import consequences, moves_spending, rules
from ledger.systems.byzantine.moves_costs import CostMove

PlaceName = Annotated[game.Handle, game.Tag(name="mark", of="map", whose=game.CAMPAIGN)]

TYPICAL_COST = 5


class Map(TableMove):
    """Put a place (an area or a way) on the map with its level and district. With --off, remove the place."""

    ids: ClassVar[tuple[str, ...]] = ("BYZ-17",)
    example: ClassVar[str] = "market --level streets --district harbor"
    another: ClassVar[str] = "ferry --way --level streets --district harbor"

    place: game.Handle
    level: Annotated[
        game.Handle | None,
        ("the city level of the place; a trip there uses the ability with the same name as this level"),
    ] = None
    district: Annotated[game.Handle | None, "the district of the place"] = None
    way: Annotated[bool, "the place is a way between areas, not an area"] = False
    off: Annotated[bool, "remove the place from the map"] = False

    def dice(self, table: Table) -> None:
        before = map_position(table, self.place)
        if self.off and (before is None or self.level or self.district or self.way):
            raise Refused(
                f"{self.place} is not on the map." if before is None else f"Use {Flag('off')} without other options."
            )
        if not self.off and not (self.level and self.district):
            raise BadInput(f"A place needs {Flag('level')} and {Flag('district')}.")
        if before is not None and before == self.value:
            raise Refused(f"The map already shows {self.place} with these values.")

    @property
    def value(self) -> Mapping[str, Any] | None:
        """The value of the place's mark, `None` to remove it."""
        return None if self.off else {"way": self.way, "level": self.level, "district": self.district}

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        follows = consequences.MAP_DRAWN.of(game.CAMPAIGN, marks={f"map.{self.place}": self.value}, place=self.place)
        what = "a way" if self.way else "an area"
        says = "is off the map" if self.off else f"is {what}, level {self.level}, district {self.district}"
        return ruling(f"{self.place} {says}", None, follows=[follows])


def map_position(table: Table, place: Any) -> Mapping[str, Any] | None:
    """Return the kind, level and district of a place, `None` if it is not on the map."""
    value = table.find(game.CAMPAIGN, f"map.{place}") if isinstance(place, str) else None
    return value if isinstance(value, Mapping) else None


class Go(CostMove):
    """Go to the next area or way in the city, alone or as the leader of a group.

    For places on the map, leave out --to, --level, --district and --ability.
    """

    ids: ClassVar[tuple[str, ...]] = ("BYZ-13", "BYZ-15", "BYZ-17", "BYZ-18", "BYZ-19", "BYZ-20")
    example: ClassVar[str] = "mara old-market --energy 5"
    another: ClassVar[str] = "mara harbor --base 4 --energy 4"

    place: PlaceName
    # Other attempts need this number. Here it can be left out, because a move through the city has a usual cost.
    energy: Annotated[game.Count | None, game.BARE, "the energy to commit (default: enough for the usual cost)"] = None  # type: ignore[assignment]
    to: Annotated[
        Literal["area", "way"] | None,
        game.Label(text="kind of place"),
        "the kind of place (default: the kind on the map, or area)",
    ] = None
    base: Annotated[game.Count, "the base cost, from 4 to 6"] = TYPICAL_COST
    level: Annotated[bool, "the trip leads to a different city level"] = False
    district: Annotated[bool, "the trip leads to a different district"] = False
    adjust: Annotated[game.SignedNumber, game.BONUS, "the GM's change to the cost; needs --why"] = 0
    why: Annotated[game.Words | None, "the reason for the change"] = None
    among: Annotated[
        tuple[game.Who, ...], game.NOT_PAYING, "the other members of the group, if the character leads one"
    ] = ()
    daily: Annotated[bool, "the character makes this trip every day (default: as on the sheet)"] = False

    named: ClassVar[str] = "go.{place}"
    verdict_step: ClassVar[str] = "way"

    def dice(self, table: Table) -> None:
        if bool(self.adjust) != (self.why is not None):
            raise game.IncompletePair(Flag("adjust"), Flag("why"))
        self.check_preset(table, typed=bool(self.base != TYPICAL_COST or self.level or self.district or self.adjust))
        if self.among and self.effective_ability(table) is None:
            raise BadInput(
                f"To lead a group, add {Flag('ability', 'NAME')}. The best rating in that ability counts for the whole"
                " group."
            )
        cost = self.total_cost(table)
        if cost < 0:
            raise Refused(with_minus_sign(f"A trip cannot cost less than 0 energy, but this trip would cost {cost}."))
        self.check(table)
        moves_spending.check_alive(table, *self.among)
        self.outcome(table)  # refuses 0 energy

    def committed_energy(self, table: Table) -> int:
        """Return the energy to commit: the typed energy, or else the usual cost minus the ability.

        Without typed energy, the result is at least 1, or at least 0 for a daily trip.
        """
        if self.energy is not None:
            return self.energy
        return max(0 if self.is_daily(table) else 1, self.usual_cost(table) - self.rating(table))

    def is_daily(self, table: Table) -> bool:
        """Return True if the trip is daily, as typed or on the sheet (BYZ-18)."""
        return self.daily or table.find(self.who, f"daily.{self.place}") is True

    def changes_level_and_district(self, table: Table) -> tuple[bool, bool]:
        """Return True for a new level, and True for a new district, as typed or from the map (BYZ-17)."""
        here, there = map_position(table, table.find(self.who, "place")), map_position(table, self.place)
        if here is None or there is None:
            return self.level, self.district
        level, district = (here[name] != there[name] for name in ("level", "district"))
        return self.level or level, self.district or district

    def usual_cost(self, table: Table) -> int:
        level, district = self.changes_level_and_district(table)
        return rules.travel_cost(base=self.base, level_change=level, district_change=district) + self.adjust

    def effective_ability(self, table: Table) -> str | None:
        """Return the name of the ability that counts (BYZ-17).

        The GM's choice comes first, then the typed ability, then the level of the place on the map.
        """
        there = map_position(table, self.place)
        return self.cost_now(table).ability or self.ability or (str(there["level"]) if there else None)

    def rating(self, table: Table) -> int:
        name, cast = self.effective_ability(table), (self.who, *self.among)
        if name is None or (name == self.ability and not any(table.find(who, f"ability.{name}") for who in cast)):
            return super().rating(table)
        return max(moves_spending.energy_in(table, who, f"ability.{name}") for who in cast)

    def outcome(self, table: Table) -> rules.TravelOutcome:
        """Return the outcome under the rules: the character arrives, arrives but is lost, or stays (BYZ-18, BYZ-19)."""
        there = map_position(table, self.place)
        return rules.travel(
            cost=self.total_cost(table),
            ability=self.rating(table),
            commit=self.committed_energy(table),
            daily=self.is_daily(table),
            destination=self.to or ("way" if there and there["way"] else "area"),
        )

    def cost_steps(self, table: Table) -> list[Step]:
        cost = self.cost_now(table)
        if not cost.usual:
            return cost.steps()
        level, district = self.changes_level_and_district(table)
        extras = [extra for extra in (level * 1, district * 2, self.adjust) if extra]
        opposed = (cost.energy, cost.rating) if cost.opposition else ()
        return [total("cost", self.base, *extras, *opposed, to=cost.total)]

    def result(self, table: Table, *, success: bool) -> tuple[str, Sequence[Effect]]:
        outcome = self.outcome(table)
        if not outcome.moved:
            return "does not get there", ()
        marks = {"place": self.place, "lost": outcome.lost or None}
        moved = consequences.MOVED.of(self.who, marks=marks, to=self.place, lost=outcome.lost)
        return f"in {self.place}{', lost' if outcome.lost else ''}", [moved]


class FindWay(Move):
    """Record that a lost character finds the way again."""

    typed_name: ClassVar[str] = "found"
    ids: ClassVar[tuple[str, ...]] = ("BYZ-19",)
    example: ClassVar[str] = 'mara --why "a lamplighter"'
    another: ClassVar[str] = 'mara --why "the sound of the bells"'

    who: game.Who
    why: Annotated[game.Words | None, "how the character finds the way"] = None

    def dice(self, table: Table) -> None:
        moves_spending.check_alive(table, self.who)
        if table.find(self.who, "lost") is not True:
            raise Refused(f"{self.who} is not lost.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling("has found the way", None, follows=[consequences.WAY_FOUND.of(self.who, marks={"lost": None})])
