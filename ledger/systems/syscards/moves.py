"""The GM's decisions about challenges, and the list of all moves of SySCards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from ledger.rules import CAMPAIGN, NOT_PAYING, POSITIONAL, Count, Move, Refused, Ruling, Run, Table, Who, Words, ruling
from ledger.systems.syscards import consequences
from ledger.systems.syscards import moves_cards as cards
from ledger.systems.syscards.moves_acts import Act, Means, Rate, ThrowPercentile
from ledger.systems.syscards.moves_challenges import (
    Challenge,
    ChallengeMove,
    Clash,
    enter_challenge,
    place_without_roll,
)


class CancelAct(Move):
    """Let an act cancel a later act of the same challenge. The GM must agree."""

    typed_name: ClassVar[str] = "cancel"
    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-14", "SYS-16", "SYS-17", "SYS-18")
    example: ClassVar[str] = 'mara brak --why "she shoots first"'
    another: ClassVar[str] = 'mara brak --why "the door is shut before he is through" --dry-run'

    who: Who
    target: Annotated[Who, NOT_PAYING]
    why: Annotated[Words, "how the first act cancels the other"]

    def dice(self, table: Table) -> None:
        cards.efficiency(table, self.who)
        both = (self.who, self.target)
        place, other = (table.score(who, "priority") for who in both)
        challenges, rounds = ({table.score(who, mark) for who in both} for mark in ("challenge", "entered"))
        if not (place and other) or len(challenges) > 1 or rounds != {table.score(CAMPAIGN, "round")}:
            raise Refused(f"{self.who} and {self.target} have no settled challenge in this round.")
        if table.find(self.who, "indirect") is True:
            raise Refused("An indirect challenge sets only the order. No act in it can cancel another.")
        if place >= other:
            raise Refused(f"{self.who} has no priority over {self.target}.")
        if table.find(self.who, "failed") is True or table.find(self.who, "cancelled") is True:
            raise Refused(f"The act of {self.who} failed or was canceled, so it cannot cancel another act.")
        if table.find(self.target, "cancelled") is True:
            raise Refused(f"The act of {self.target} is already canceled.")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        follows = consequences.ACT_CANCELLED.of(self.target, marks={"cancelled": True}, by=self.who)
        return ruling(f"cancels the act of {self.target}", None, follows=[follows])


class Reject(Move):
    """Reject challenges. Each challenger must then reach a rate that the GM sets."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-19",)
    example: ClassVar[str] = 'mara 40 --why "she ducks behind the cart"'
    another: ClassVar[str] = "mara 60 --intensity 3"

    who: Who
    rate: Annotated[cards.RateNumber, POSITIONAL, "the rate that a challenger must reach"]
    why: Annotated[Words | None, "how the card rejects challenges"] = None
    intensity: Annotated[Count | None, "a second number; the GM decides what it means"] = None

    def dice(self, table: Table) -> None:
        cards.efficiency(table, self.who)
        if table.find(self.who, "rejects") is not True:
            hint = f"Allow it: {Run('syscards card', self.who, rejects=True)}"
            raise Refused(f"{self.who} cannot reject challenges.", hint)
        if not table.score(CAMPAIGN, "round"):
            raise Refused("No round has started yet.", f"Start one: {Run('syscards round', 'begin')}")

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        now = table.score(CAMPAIGN, "round")
        effective_round = now if table.find(CAMPAIGN, "phase") == "begin" else now + 1
        marks: dict[str, Any] = {}
        for mark, number in (("rejections", self.rate), ("intensities", self.intensity)):
            before = cards.number_map(table, self.who, mark)
            after = {name: n for name, n in before.items() if name == f"round-{now}"}  # older rounds are over
            after.pop(f"round-{effective_round}", None)
            after |= {} if number is None else {f"round-{effective_round}": number}
            marks |= {mark: after} if before or after else {}
        facts: dict[str, Any] = {} if self.intensity is None else {"intensity": self.intensity}
        more = "".join(f", {name} {number}" for name, number in facts.items())
        follows = consequences.REJECTION_ANNOUNCED.of(
            self.who, marks=marks, rate=self.rate, round=effective_round, **facts
        )
        return ruling(f"challengers need {self.rate} in round {effective_round}{more}", None, follows=[follows])


class Outright(ChallengeMove):
    """Let an act come first and succeed without a roll."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-01", "SYS-20")
    example: ClassVar[str] = 'mara --against brak --why "a ship against a man"'
    another: ClassVar[str] = 'mara --against brak --why "she was there before" --priority-only'

    why: Annotated[Words, "the reason, such as a difference in size or a card's info"]
    priority_only: Annotated[bool, "give the act priority only; whether it succeeds stays open"] = False

    def dice(self, table: Table) -> None:
        for who in self.acts():
            cards.efficiency(table, who)

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        acts, number = self.acts(), table.score(CAMPAIGN, "challenges") + 1
        marks = {"challenges": number, "in-challenge": list(acts)}
        follows = [consequences.PRIORITY_GIVEN.of(CAMPAIGN, marks=marks, number=number)]
        for who in acts:
            follows += [enter_challenge(table, who, number), place_without_roll(who, self.who)]
        success = "" if self.priority_only else " and success"
        says = f"priority over {', '.join(self.against)}{success}, as the GM rules"
        return ruling(says, None if self.priority_only else True, follows=follows)


class Deny(ChallengeMove):
    """Deny a challenge because the order does not matter. This also ends a challenge that is already declared."""

    ids: ClassVar[tuple[str, ...]] = ("SYS-16", "SYS-20")
    example: ClassVar[str] = 'mara --against brak --why "they do not meet"'
    another: ClassVar[str] = 'brak --against mara --why "each takes another road"'

    why: Annotated[Words, "why the order does not matter"]

    def dice(self, table: Table) -> None:
        self.acts()

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        acts = self.acts()
        declared = set(acts) == set(cards.challenge_acts(table))
        marks = {"in-challenge": None} if declared else {}
        waited = declared and set(cards.waiting_acts(table)) == set(acts)
        cleared = {"priority": None, **({"rate": None} if waited else {})} if declared else {}
        denials = [consequences.CHALLENGE_DENIED.of(who, marks=cleared) for who in acts]
        for_table = consequences.CHALLENGE_DENIED.of(CAMPAIGN, marks=marks)
        return ruling(f"no challenge of {', '.join(acts)}", None, follows=[for_table, *denials])


MOVES = (
    Rate,
    ThrowPercentile,
    Challenge,
    Clash,
    Act,
    Means,
    cards.Card,
    cards.Round,
    cards.Mode,
    CancelAct,
    Reject,
    Outright,
    Deny,
    cards.Price,
    cards.Buy,
)
