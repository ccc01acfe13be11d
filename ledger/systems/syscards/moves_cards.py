"""Moves about cards and the table: cards, modes, rounds, and The Log (the price list)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ledger import rules as game
from ledger.rules import CAMPAIGN, NOT_PAYING, Effect, Move, Refused, Ruling, Run, Step, Table, TableMove, Who, ruling
from ledger.systems.syscards import consequences, rules
from ledger.systems.syscards.sheet import info_words

MOST_ACTS = 100

EFFICIENCY = "efficiency"
"""The name of the efficiency, both as a score and in The Log (SYS-12)."""

InfoRate = Annotated[int, game.Within(0, rules.MAX_ROLL)]
"""A rate that a card's info forces on others; 0 lets the GM choose the number (SYS-16)."""

RateNumber = Annotated[int, game.Within(1, rules.MAX_ROLL)]


def table_mode(table: Table) -> str:
    """Return the mode of the table. A campaign starts in tale mode (SYS-11)."""
    return str(table.find(CAMPAIGN, "mode") or "tale")


def mode_change(table: Table, wanted: str) -> Sequence[Effect]:
    """Return the effect that changes the table's mode to `wanted`. Return no effect if the table is already in it."""
    before = table_mode(table)
    change = consequences.MODE_CHANGED.of(CAMPAIGN, marks={"mode": wanted}, before=before, mode=wanted)
    return [] if before == wanted else [change]


def efficiency(table: Table, who: str) -> int:
    """Return a card's efficiency, 1 to 100. Raise `Refused` for another value, or a card without capacity (SYS-01)."""
    if table.find(who, "incapable") is True:
        raise Refused(f"{who} has no capacity to act.")
    value = table.score(who, EFFICIENCY)
    if not 1 <= value <= rules.MAX_ROLL:
        hint = f"Correct it: {Run('adjust', who, 'syscards/efficiency=+N')}"
        raise Refused(f"The efficiency of {who} is {value}, but must be 1 to {rules.MAX_ROLL}.", hint)
    return value


def velocity(table: Table, who: str) -> int:
    """Return the velocity of a card, at least 1 (SYS-15)."""
    return max(1, table.score(who, "velocity"))


def number_map(table: Table, who: str, mark: str) -> Mapping[str, int]:
    """Return a mark that maps cards, kinds or rounds to numbers. Return {} if the mark does not exist."""
    return dict(table.find(who, mark) or {})


def priority_names(table: Table, who: str) -> set[str]:
    """Return the cards and kinds over which a card has priority by its own info (SYS-22)."""
    return set(table.find(who, "over") or ())


class Card(Move):
    """Describe a card, or show it if you type only its name. Values that you leave out do not change."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-08", "SYS-12", "SYS-15", "SYS-19", "SYS-22")
    example: ClassVar[str] = "mara --velocity 2 --rejects"
    another: ClassVar[str] = "mara"

    who: Who
    owner: Annotated[
        Who | None,
        (
            "the card's owner (a new card without an owner becomes its own owner, and gets the core"
            " points of a new player)"
        ),
    ] = None
    kind: Annotated[game.Handle | None, "the kind of card in one word, such as skill"] = None
    velocity: Annotated[
        Annotated[int, game.Within(1, MOST_ACTS)] | None, "how many times the card acts in a round (a new card: 1)"
    ] = None
    incapable: Annotated[bool, "the card has no capacity to act"] = False
    rejects: Annotated[bool, "the card can reject challenges"] = False
    info: Annotated[str | None, "the text to put into the card's info; 'erase' cannot remove this text later"] = None
    forces: Annotated[
        Mapping[str, InfoRate],
        NOT_PAYING,
        (
            "another card or kind of card, and the rate that this card forces on it; with a rate of"
            " 0, the GM chooses the rate"
        ),
    ] = game.NO_NUMBERS
    over: Annotated[tuple[game.Handle, ...], "the cards or kinds that this card has priority over"] = ()

    def dice(self, table: Table) -> None:
        if self.info is not None:
            info_words(self.info)

    @property
    def shows_sheet(self) -> bool:
        return self == type(self)(who=self.who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        before = table.find(self.who, "owner")
        owner = self.owner or before or self.who
        incapable = self.incapable or table.find(self.who, "incapable") is True
        has, speed = max(0, table.score(self.who, EFFICIENCY)), self.velocity or velocity(table, self.who)
        granted = {
            "core-points": table.settings["core-points"] if before is None and owner == self.who else 0,
            EFFICIENCY: 1 if not incapable and not has else 0,
            "velocity": speed - table.score(self.who, "velocity"),
        }
        said = {name: value for name in ("incapable", "rejects", "kind", "info") if (value := getattr(self, name))}
        marks: dict[str, Any] = {"owner": owner, **said}
        marks |= {"forces": {**number_map(table, self.who, "forces"), **self.forces}} if self.forces else {}
        marks |= {"over": sorted(priority_names(table, self.who) | set(self.over))} if self.over else {}
        scores = {name: amount for name, amount in granted.items() if amount}
        lost = [consequences.CAPACITY_LOST.of(self.who, {EFFICIENCY: -has})] if incapable and has else []
        rejects = self.rejects or table.find(self.who, "rejects") is True
        says = [f"a card of {owner}" if owner != self.who else "a card"]
        says += ["without capacity"] if incapable else []
        says += ["able to reject challenges"] if rejects else []
        times = ", ".join(rules.action_times(velocity=min(speed, MOST_ACTS)))
        return ruling(
            ", ".join(says),
            None,
            Step(name="acts", says=f"at {times} of a round"),
            follows=[consequences.CARD_CREATED.of(self.who, scores, marks=marks, owner=owner), *lost],
        )


class Mode(TableMove):
    """Change the table's mode: tale, action or deal."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-11",)
    example: ClassVar[str] = "deal"
    another: ClassVar[str] = "action"

    mode: Literal["tale", "action", "deal"]

    def dice(self, table: Table) -> None:
        if table_mode(table) == self.mode:
            raise Refused(f"The table is already in {self.mode} mode.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        return ruling(f"{self.mode} mode", None, follows=mode_change(table, self.mode))


def challenge_acts(table: Table) -> tuple[str, ...]:
    """Return the acts of the last challenge (SYS-13)."""
    return tuple(table.find(CAMPAIGN, "in-challenge") or ())


def waiting_acts(table: Table) -> tuple[str, ...]:
    """Return the acts that have not rolled yet in the last challenge."""
    return tuple(who for who in challenge_acts(table) if has_not_rolled(table, who))


def has_not_rolled(table: Table, who: str) -> bool:
    """Return True if an act is in the last challenge and has not rolled yet."""
    return who in challenge_acts(table) and not table.score(who, "priority")


def challenge_open_error(table: Table) -> Refused:
    """Make the error for a command that must wait until the players roll the challenge, or the GM ends it."""
    names = " and ".join(challenge_acts(table))
    answer = f"If the challenge waits for an answer, {Run('questions')} shows how to answer it."
    return Refused(f"The challenge between {names} is still open.", " ".join([roll_or_deny_hint(table), answer]))


def roll_or_deny_hint(table: Table) -> str:
    """Make the hint with the two commands that can end an open challenge."""
    who, *others = challenge_acts(table)
    against = ",".join(others)
    return (
        f"Roll with {Run('syscards clash', who, against=against)}, or end the challenge with"
        f" {Run('syscards deny', who, against=against, why='TEXT')}."
    )


class Round(TableMove):
    "Start a round, or move it on to its prep, action or post time."

    ids: ClassVar[tuple[str, ...]] = ("SYS-15", "SYS-19")
    example: ClassVar[str] = "begin"
    another: ClassVar[str] = "action"

    phase: Literal["begin", "prep", "action", "post"]

    def dice(self, table: Table) -> None:
        order, current = ("begin", "prep", "action", "post"), table.find(CAMPAIGN, "phase")
        if self.phase == "begin":
            if waiting_acts(table):
                raise challenge_open_error(table)
        elif current not in order:
            raise Refused("No round has started yet.", f"Start one: {Run('syscards round', 'begin')}")
        elif order.index(self.phase) <= order.index(current):
            number, phases = table.score(CAMPAIGN, "round"), ", ".join(order)
            raise Refused(f"Round {number} is already in its {current} phase. The phases come in this order: {phases}.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        number = table.score(CAMPAIGN, "round") + (self.phase == "begin")
        marks = {"phase": self.phase, "round": number}
        follows = consequences.ROUND_MOVED.of(CAMPAIGN, marks=marks, round=number, phase=self.phase)
        phrases = {"begin": "begins", "prep": "prep time", "action": "action time", "post": "post time"}
        return ruling(f"round {number}: {phrases[self.phase]}", None, follows=[follows])


class Price(TableMove):
    """Set the price of an item, or of 1 point of efficiency, in The Log (the price list)."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-12",)
    example: ClassVar[str] = "efficiency 3"
    another: ClassVar[str] = "lantern 2"

    item: game.Handle
    points: Annotated[game.Count, game.POSITIONAL, "the price in core points"]

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        marks = {f"price.{self.item}": self.points}
        follows = consequences.PRICE_SET.of(CAMPAIGN, marks=marks, item=self.item, price=self.points)
        return ruling(f"{self.item} costs {self.points}", None, follows=[follows])


class Buy(Move):
    """Buy efficiency or an item at the prices in The Log. The table must be in deal mode."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-12",)
    example: ClassVar[str] = "mara efficiency --points 2"
    another: ClassVar[str] = "mara lantern"

    who: Who
    item: game.Handle
    points: Annotated[Annotated[int, game.Within(1, 10**6)], "how many to buy"] = 1
    card: Annotated[Who | None, NOT_PAYING, "the card that gets the efficiency or item (default: the buyer)"] = None

    @property
    def receiving_card(self) -> str:
        """The card that receives the purchase."""
        return self.card or self.who

    def dice(self, table: Table) -> None:
        if table_mode(table) != "deal":
            raise Refused("You can buy only in deal mode.", f"Change the mode: {Run('syscards mode', 'deal')}")
        if self.receiving_card != self.who and table.find(self.receiving_card, "owner") != self.who:
            raise Refused(f"{self.receiving_card} does not belong to {self.who}.")
        price = self.price(table)
        before = efficiency(table, self.receiving_card) if self.item == EFFICIENCY else None
        has, needs = table.score(self.who, "core-points"), price * self.points
        if has == 0 < needs and table.find(self.who, "owner") is None:
            hint = f"Set the owner: {Run('syscards card', self.who, owner=self.who)}"
            raise Refused(f"The card {self.who} has no owner yet, so it has no core points.", hint)
        if has < needs:
            raise game.NotEnough(self.who, "core points", has=has, needs=needs)
        if before is not None:
            rules.purchase(core_points=has, efficiency=before, price=price, points=self.points)

    def price(self, table: Table) -> int:
        """Return the price of one item, in core points. Raise `Refused` for an item without a price in The Log."""
        price = table.find(CAMPAIGN, f"price.{self.item}")
        if price is None:
            hint = f"Set a price: {Run('syscards price', self.item, 'N')}"
            raise Refused(f"The Log has no price for {self.item}.", hint)
        return int(price)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        price = self.price(table)
        cost = price * self.points
        name = EFFICIENCY if self.item == EFFICIENCY else f"item.{self.item}"
        purchase = consequences.ITEM_BOUGHT.of(self.receiving_card, {name: self.points}, item=self.item, price=price)
        payment = [consequences.POINTS_SPENT.of(self.who, {"core-points": -cost})] if cost else []
        step = Step(name="price", says="{} at {}: {} core points", numbers=(self.points, price, cost))
        return ruling(f"bought for {cost} core points", None, step, follows=[*payment, purchase])
