"""Coin: a toy game in one module, found like a game from another package. It uses what a game can use."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from ledger.rules import (
    NOT_PAYING,
    Effect,
    Hidden,
    Kind,
    MarkSpec,
    Move,
    NotEnough,
    Pool,
    Refused,
    Rulebook,
    Ruling,
    Score,
    Setting,
    Step,
    Struct,
    System,
    Table,
    Who,
    Whole,
    Within,
    Words,
    check_dice,
    read_handle,
    read_yes_no,
    rule,
    ruling,
)

WON = Kind(name="coins-won", says="coins come in", rule="COI-01", flow="in")
LOST = Kind(name="coins-lost", says="coins go out", rule="COI-01", flow="out")
GIVEN = Kind(name="coins-given", says="coins change hands", rule="COI-02")


class FlipOutcome(Struct):
    heads: bool


class DrawOutcome(Struct):
    hit: bool


@rule("coin.flip", "COI-01")
def flip(*, dice: tuple[int, ...]) -> FlipOutcome:
    check_dice(dice, count=1, sides=2)
    return FlipOutcome(heads=dice[0] == 1)


@rule("coin.draw", "COI-03")
def draw(*, dice: tuple[int, ...], number: Whole) -> DrawOutcome:
    check_dice(dice, count=1, sides=100)
    return DrawOutcome(hit=dice[0] <= number)


class Flip(Move):
    """Flip a coin for a stake. Call heads or tails before the flip or after it."""

    ids: ClassVar[tuple[str, ...]] = ("COI-01",)
    example: ClassVar[str] = "mara --stake 1 --call heads --faces 1"
    another: ClassVar[str] = "brak --stake 2 --call tails --faces 2"
    chosen: ClassVar[tuple[str, ...]] = ("call",)
    who: Who
    stake: Annotated[Annotated[int, Within(1, 100)], "coins at stake"] = 1
    call: Annotated[Literal["heads", "tails"] | None, "the side that wins"] = None

    def dice(self, table: Table) -> Pool:
        has = table.score(self.who, "coins")
        if has < self.stake:
            raise NotEnough(self.who, "coins", has=has, needs=self.stake)
        return Pool(sides=(2,))

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return ("call",) if self.call is None else ()

    def cost(self, table: Table) -> tuple[Effect, ...]:
        return (LOST.of(self.who, {"coins": -self.stake}),)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        side = "heads" if flip(dice=tuple(faces)).heads else "tails"
        won = side == self.call
        follows = [WON.of(self.who, {"coins": 2 * self.stake}, marks={"lucky": True})] if won else []
        return ruling(f"{side}", won, Step(name="coin", says="{}", numbers=tuple(faces)), follows=follows)


class Give(Move):
    """Give coins to somebody, or to several."""

    ids: ClassVar[tuple[str, ...]] = ("COI-02",)
    example: ClassVar[str] = "mara --to brak --each 1"
    another: ClassVar[str] = "brak --to mara --each 2"
    who: Who
    to: Annotated[tuple[Who, ...], NOT_PAYING, "who gets them"] = ()
    each: Annotated[Annotated[int, Within(1, 100)], "coins for each"] = 1
    why: Annotated[Words | None, "what for"] = None

    def dice(self, table: Table) -> None:
        if not self.to or self.who in self.to or len(set(self.to)) < len(self.to):
            raise Refused("Coins are given to others, to each once.")
        has, needs = table.score(self.who, "coins"), self.each * len(self.to)
        if has < needs:
            raise NotEnough(self.who, "coins", has=has, needs=needs)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        given = [GIVEN.of(self.who, {"coins": 0})] if table.settings["taxed"] else []
        lost = [LOST.of(self.who, {"coins": -self.each * len(self.to)})]
        return ruling("given", None, follows=[*given, *lost, *(WON.of(to, {"coins": self.each}) for to in self.to)])


class Draw(Move):
    """Draw a lot: a percentile at or below a number that the GM keeps secret."""

    ids: ClassVar[tuple[str, ...]] = ("COI-03",)
    example: ClassVar[str] = "mara --number 40 --secret --faces 73"
    another: ClassVar[str] = "mara --number 60"
    who: Who
    number: Annotated[Hidden, "the number to draw"] = 50
    secret: Annotated[bool, "keep the number from the players"] = False

    def dice(self, table: Table) -> Pool:
        return Pool(sides=(100,))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        hit = draw(dice=tuple(faces), number=self.number).hit
        step = Step(name="lot", says="{} against {}", numbers=(faces[0], self.hide_if_secret(self.number)))
        return ruling("hit" if hit else "miss", hit, step, margin=self.hide_if_secret(self.number - faces[0]))


class Wait(Move):
    """Wait a turn."""

    ids: ClassVar[tuple[str, ...]] = ("COI-04",)
    example: ClassVar[str] = "mara"
    another: ClassVar[str] = "brak"
    who: Who


PAGE = {
    "COI-01": "A coin is flipped for a stake.",
    "COI-02": "Coins change hands.",
    "COI-03": "A lot is drawn against a number.",
    "COI-04": "Waiting is a move.",
}

SYSTEM = System(
    name="coin",
    edition="coin/1",
    title="Coin: a toy of the tests",
    scores=(
        Score(name="coins", unit="coin", says="coins to stake", starts=3),
        Score(name="rank", unit="rank", says="reputation among gamblers", least=1, most=5, starts=1),
        Score(name="debt.*", unit="coin", says="coins owed to a person"),
    ),
    marks=(
        MarkSpec(name="lucky", says="won the last flip", read=read_yes_no),
        MarkSpec(name="bank", says="the character who keeps the other coins", read=read_handle),
    ),
    settings=(Setting(name="taxed", says="gifts are recorded twice", default=False, read=read_yes_no),),
    rulebook=lambda: Rulebook(
        moves=(Flip, Give, Draw, Wait), rules=(flip, draw), kinds=(WON, LOST, GIVEN), page=PAGE, new_day=Wait
    ),
)
