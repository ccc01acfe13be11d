"""Moves with several acts: a challenge, and the roll for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Annotated, Any, ClassVar

from ledger import rules as game
from ledger.rules import CAMPAIGN, CAST, Effect, Flag, Move, Pool, Refused, Ruling, Run, Step, Table, Who, Words, ruling
from ledger.systems.syscards import consequences, rules
from ledger.systems.syscards import moves_cards as cards
from ledger.systems.syscards.moves_acts import (
    mode_steps,
    record_roll,
    rejection_rate,
    result_step,
    roll_in_words,
    settings_for_raises,
)
from ledger.systems.syscards.sheet import NONE

AlsoRolling = Annotated[
    tuple[Who, ...], game.POSITIONAL, "cards that must roll, even if no other card has their velocity"
]


class ChallengeMove(Move):
    """A move about several acts: the act of `who`, and those of the cards in `against`."""

    against: Annotated[tuple[Who, ...], game.POSITIONAL, game.NOT_PAYING, "the other cards in the challenge"]

    def acts(self) -> tuple[str, ...]:
        """Return all acts. Raise `Refused` if there is only one, or if a card is named twice (SYS-13)."""
        acts = (self.who, *self.against)
        if len(acts) < 2:  # noqa: PLR2004  one act has nobody to challenge
            raise Refused("A challenge needs two cards or more.", f"Name the other cards with {Flag('against')}.")
        if len(set(acts)) < len(acts):
            raise Refused("You named a card twice.")
        return acts


class Clash(ChallengeMove):
    """Roll for a declared challenge. The highest result comes first.

    If results are tied, the higher efficiency comes first. If efficiencies are tied too, the GM decides.
    """

    ids: ClassVar[tuple[str, ...]] = tuple(f"SYS-{n:02}" for n in (1, 2, 3, 4, 9, 10, 13, 14, 15, 16, 18))
    example: ClassVar[str] = "mara --against brak --faces 71,40"
    another: ClassVar[str] = "mara --against brak"
    chosen: ClassVar[tuple[str, ...]] = ("order", "why")

    also: AlsoRolling = ()
    order: Annotated[
        tuple[Who, ...] | None, game.POSITIONAL, game.NOT_PAYING, "the order of the tied cards, as the GM chooses"
    ] = None
    why: Annotated[Words | None, "the reason for this order"] = None

    def dice(self, table: Table) -> Pool | None:
        acts = self.acts()
        if (self.order is None) != (self.why is None):
            raise game.IncompletePair(Flag("order"), Flag("why"))
        if set(cards.challenge_acts(table)) != set(acts):
            hint = f"Declare it: {Run('syscards challenge', self.who, against=','.join(self.against))}"
            raise Refused("These cards are not in a challenge with each other.", hint)
        if set(cards.waiting_acts(table)) != set(acts):
            raise Refused("This challenge is already settled.")
        check_challengeable(table, acts)
        if not set(self.also) <= set(acts):
            raise Refused(f"{Flag('also')} can name only cards in the challenge.")
        names = tuple(self.throwing_acts(table))
        return Pool(sides=(rules.MAX_ROLL,) * len(names), of=names) if names else None

    def throwing_acts(self, table: Table) -> list[str]:
        """Return the acts that roll. The first die belongs to the first act, and so on."""
        acts = self.ranked_acts(table, {})
        must = rules.throwers(acts)
        return [act.id for act in acts if act.id in must or act.id in self.also]

    def ranked_acts(self, table: Table, natural_rolls: Mapping[str, int]) -> list[rules.RankedAct]:
        """Return all acts of the challenge. An act without a roll has `None` as its natural roll."""
        return [
            rules.RankedAct(
                id=who,
                efficiency=cards.efficiency(table, who),
                natural=natural_rolls.get(who),
                velocity=cards.velocity(table, who),
                necessary_rate=table.score(who, "rate") or None,
            )
            for who in self.acts()
        ]

    def natural_rolls(self, table: Table, faces: Sequence[int]) -> Mapping[str, int]:
        """Map each card that rolls to its natural roll."""
        return dict(zip(self.throwing_acts(table), faces, strict=True))

    def outcome(self, table: Table, faces: Sequence[int]) -> rules.ChallengeOutcome:
        """Return the outcome of the challenge. Refuse an `order` that does not name exactly the tied acts (SYS-14)."""
        acts = tuple(self.ranked_acts(table, self.natural_rolls(table, faces)))
        forced: rules.SuccessCondition = "both" if self.must_also_be_first(table) else "rate"
        return rules.challenge(acts=acts, ruling=self.order, forced=forced, **settings_for_raises(table))

    def must_also_be_first(self, table: Table) -> bool:
        """Return True if forced acts must also come first (SYS-16). An indirect challenge never requires that."""
        return table.settings.get("forced") == "both" and table.find(self.who, "indirect") is not True

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return ("order", "why") if self.order is None and self.outcome(table, faces).ruling_required else ()

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        if not faces:
            return ""
        outcome = self.outcome(table, faces)
        ties = [
            (
                f"{' and '.join(group)} are tied, each with result {result.result} and efficiency"
                f" {result.efficiency_after}"
            )
            for group in outcome.order
            for result in [outcome.results[group[0]]]
            if len(group) > 1
        ]
        failed = [
            f"{name} fails by {result.degree_of_failure}"
            for name, result in sorted(outcome.results.items())
            if result.degree_of_failure is not None
        ]
        return "; ".join([*ties, *failed])

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        self.outcome(table, faces)

    def roll_effects(self, table: Table, faces: Sequence[int]) -> tuple[Effect, ...]:
        """Return the results and the raises of efficiency. Both count even before the GM decides a tie (SYS-14)."""
        outcome, natural_rolls = self.outcome(table, faces), self.natural_rolls(table, faces)
        return tuple(
            effect
            for group in outcome.order
            for name in group
            if name in natural_rolls
            for effect in record_roll(
                table, name, natural_rolls[name], outcome.results[name], table.score(name, "rate") or None
            )
        )

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        outcome, natural_rolls = self.outcome(table, faces), self.natural_rolls(table, faces)
        names = [name for group in outcome.order for name in group]
        rates = {name: rate for name in names if (rate := table.score(name, "rate"))}
        reached = rates.keys() - natural_rolls.keys()  # without a roll, because the efficiency is enough
        both = self.must_also_be_first(table)
        follows: list[Effect] = []
        steps: list[Step] = []
        for place, name in enumerate(names, start=1):
            result = outcome.results.get(name)
            success = result.success if result else None
            marks = {"priority": place, "failed": True if success is False else None}
            marks |= {"rate": None} if name in reached else {}
            facts: dict[str, Any] = {"success": success} if both and success is not None else {}
            follows.append(consequences.CHALLENGE_SETTLED.of(name, marks=marks, priority=place, **facts))
            if result:
                steps.append(result_step(name, natural_rolls[name], cards.efficiency(table, name), result.result))
                if name in rates:
                    steps.append(Step(name="rate", says="{} against {}", numbers=(result.result, rates[name])))
        words = {name: roll_in_words(result) for name, result in outcome.results.items()} | dict.fromkeys(
            reached, "success"
        )
        says = (f"{name} ({words[name]})" if words.get(name) else name for name in names)
        return ruling(", then ".join(says), None, *steps, follows=follows)


class Challenge(ChallengeMove):
    "Declare a challenge between cards, and roll for it. If you add --rates, the challenge is forced."

    ids: ClassVar[tuple[str, ...]] = tuple(f"SYS-{n:02}" for n in (1, 3, 11, 13, 15, 16, 18, 20, 21, 22))
    example: ClassVar[str] = "mara --against brak --faces 71,40"
    another: ClassVar[str] = "mara --against brak"
    may_lead_to: ClassVar[tuple[type[Move], ...]] = (Clash,)
    chosen: ClassVar[tuple[str, ...]] = ("first", "first_why")

    rates: Annotated[Mapping[str, cards.RateNumber], CAST, "the rate that a card must reach"] = game.NO_NUMBERS
    first: Annotated[
        game.Handle | None,
        (
            "which card comes first if the info of one card conflicts with the info of another; type"
            " none to let the dice decide"
        ),
    ] = None
    first_why: Annotated[Words | None, "the reason for --first"] = None
    why: Annotated[Words | None, "the reason for --rates"] = None
    also: AlsoRolling = ()
    indirect: Annotated[bool, "the challenge sets only the order; no act can cancel another"] = False
    no_info: Annotated[bool, "ignore the rates and priorities in the info of the cards"] = False
    wait: Annotated[bool, game.NOT_AMENDABLE, "declare the challenge now, and roll later with 'clash'"] = False

    @property
    def may_continue(self) -> bool:
        """True if the roll follows right away: there is no `--wait`, and the GM did not choose who is first."""
        return not self.wait and self.first in {None, NONE}

    def next_moves(self, table: Table, faces: Sequence[int]) -> tuple[Move, ...]:
        return (Clash(who=self.who, against=self.against, also=self.also),)

    def dice(self, table: Table) -> None:
        self.check_declarable(table)
        for who, (rate, by) in self.rates_by_info(table).items():
            if not rate:
                hint = f"Add {Flag('rates')} {who}=N, or add {Flag('no-info')} to ignore the info of all cards."
                raise Refused(f"The info of {by} forces a rate on {who}. The GM must choose that rate.", hint)

    def check_declarable(self, table: Table) -> None:
        """Raise `Refused` or `BadInput` if the challenge cannot be declared, for example while another one is open."""
        if self.why is not None and not self.rates:
            raise game.LacksNeededOption(Flag("why"), other=Flag("rates"))
        if (self.first is None) is not (self.first_why is None):
            raise game.IncompletePair(Flag("first"), Flag("first-why"))
        if cards.waiting_acts(table):
            raise cards.challenge_open_error(table)
        if self.wait and self.also:
            against, also = ",".join(self.against), ",".join(self.also)
            hint = f"Add it when you roll: {Run('syscards clash', self.who, against=against, also=also)}"
            raise game.BadInput(f"You cannot use {Flag('also')} before the roll.", hint)
        acts = self.acts()
        if not set(self.rates) <= set(acts):
            raise Refused(f"{Flag('rates')} can name only cards in the challenge.")
        check_challengeable(table, acts)

    def proposals(self, table: Table) -> tuple[game.Proposal, ...]:
        """Return the rates that the cards' info forces (SYS-22). Raise the errors of `check_declarable`."""
        self.check_declarable(table)
        return tuple(
            game.Proposal(
                input="rates",
                name=who,
                number=rate or None,
                says=f"The rate that the card of {by} sets for {who}",
            )
            for who, (rate, by) in sorted(self.rates_by_info(table).items())
        )

    def info_pairs(self) -> list[tuple[str, str]]:
        """Return all pairs of acts in both orders, because info works both ways. Return [] if info is ignored."""
        return [] if self.no_info or self.indirect else list(permutations(self.acts(), 2))

    def rates_by_info(self, table: Table) -> dict[str, tuple[int, str]]:
        """Map each act to the highest rate that another card's info forces on it, and to the name of that card.

        Skip acts with a typed rate. Only the info of cards with the same velocity counts (SYS-22).
        """
        forced: dict[str, tuple[int, str]] = {}
        for who, other in self.info_pairs():
            forces = cards.number_map(table, other, "forces")
            rates = [rate for name, rate in forces.items() if name in info_names(table, who)]
            same_time = rates and cards.velocity(table, other) == cards.velocity(table, who)
            if same_time and max(rates) > forced.get(who, (-1, ""))[0]:
                forced[who] = max(rates), other
        return {who: rate for who, rate in forced.items() if who not in self.rates}

    def priority_pairs(self, table: Table) -> list[tuple[str, str]]:
        """Return the pairs of acts in which the first act has priority by the info on its own card (SYS-22)."""
        return [(a, b) for a, b in self.info_pairs() if info_names(table, b) & cards.priority_names(table, a)]

    def conflicts(self, table: Table) -> list[tuple[str, str]]:
        """Return the pairs of acts that both claim priority over each other, sorted by name.

        An act claims priority by the info on its own card.
        """
        pairs = self.priority_pairs(table)
        return sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)

    def choices(self, table: Table, faces: Sequence[int]) -> tuple[str, ...]:
        return self.chosen if self.first is None and self.conflicts(table) else ()

    def facts_text(self, table: Table, faces: Sequence[int]) -> str:
        return "; ".join(f"the info of {a} and the info of {b} conflict" for a, b in self.conflicts(table))

    def check_choice(self, table: Table, faces: Sequence[int]) -> None:
        if self.first is None:
            return
        names = sorted({name for pair in self.conflicts(table) for name in pair})
        if not names:
            hint = (
                f"To let a card come first without a roll: {Run('syscards outright', 'WHO', against='WHO', why='TEXT')}"
            )
            raise Refused(f"The cards' info does not conflict in this challenge, so {Flag('first')} has no use.", hint)
        choices = [*names, NONE]
        if self.first not in choices:
            raise Refused(f"{Flag('first')} must be one of these: {', '.join(choices)}.")

    def cost(self, table: Table) -> tuple[Effect, ...]:
        """Return the effects that declare the challenge.

        They happen before the first question is asked. Thus no other challenge can start while a question is open.
        """
        acts = self.acts()
        number = table.score(CAMPAIGN, "challenges") + 1
        marks = {"in-challenge": list(acts), "challenges": number}
        declared = consequences.CHALLENGE_DECLARED.of(CAMPAIGN, marks=marks, number=number, indirect=self.indirect)
        entries = [enter_challenge(table, who, number, indirect=self.indirect) for who in acts]
        return (declared, *entries, *cards.mode_change(table, "action"))

    def ruling(self, table: Table, faces: Sequence[int]) -> Ruling:
        acts, info = self.acts(), dict(sorted(self.rates_by_info(table).items()))
        rates = sorted({**self.rates, **{who: rate for who, (rate, _) in info.items()}}.items())
        reasons = {who: {"reason": f"info of {by}"} for who, (_, by) in info.items()}
        forced = [
            consequences.RATE_DECLARED.of(who, marks={"rate": rate}, rate=rate, **dict[str, Any](reasons.get(who, {})))
            for who, rate in rates
        ]
        kind = "an indirect challenge" if self.indirect else "a forced challenge" if rates else "a challenge"
        pairs, conflicts = self.priority_pairs(table), self.conflicts(table)
        says = [f"{kind} of {', '.join(acts)}"]
        says += [f"{who} needs {rate}, info of {by}" for who, (rate, by) in info.items()]
        says += [f"{a} has priority over {b} by its info, for you to rule" for a, b in pairs if (b, a) not in pairs]
        first = self.first if conflicts and self.first != NONE else None
        if conflicts:
            says.append(f"{'the dice say who is' if first is None else first} first, as the GM rules")
        return ruling(
            "; ".join(says),
            None,
            *(Step(name="rate", says=f"{who} needs {{}}", numbers=(rate,)) for who, rate in rates),
            *mode_steps(cards.mode_change(table, "action")),
            follows=[*forced, *([] if first is None else [place_without_roll(who, first) for who in acts])],
        )


def info_names(table: Table, who: str) -> set[str]:
    """Return the names that other cards' info may use for this card: its name and its kind."""
    return {who, str(table.find(who, "kind") or who)}


def place_without_roll(who: str, first: str) -> Effect:
    """Return the effect that puts `who` in place 1 if `who` is `first`, else in place 2, without a roll (SYS-20)."""
    place = 1 if who == first else 2
    return consequences.CHALLENGE_SETTLED.of(who, marks={"priority": place}, priority=place)


def check_challengeable(table: Table, acts: Iterable[str]) -> None:
    """Raise `Refused` if a card has no capacity (SYS-01) or rejects challenges in this round (SYS-19)."""
    for who in acts:
        cards.efficiency(table, who)
        rate = rejection_rate(table, who)
        if rate:
            hint = f"Challengers roll against a rate of {rate}: {Run('syscards throw', 'WHO', past=who)}"
            raise Refused(f"{who} rejects challenges in this round.", hint)


def enter_challenge(table: Table, who: str, number: int, *, indirect: bool = False) -> Effect:
    """Enter a card into the challenge `number`. Clear the card's marks from its previous challenge."""
    cleared = dict.fromkeys(("priority", "failed", "cancelled", "rate"))
    now = table.score(CAMPAIGN, "round")
    marks = {"challenge": number, "entered": now, "indirect": indirect or None, **cleared}
    return consequences.CHALLENGE_ENTERED.of(who, marks=marks, challenge=number)
