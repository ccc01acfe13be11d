"""Answers: disputes, assertions, overrides and choices, and what settles a question.

A die to drop waits for the player, and holds whom it names. A dispute, a knock-on, a score beyond its limits and a
false assertion wait for the GM, and hold nothing: play goes on.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ledger import systems
from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.play import rule_on
from ledger.commands.recorded import revived
from ledger.commands.sheet import score_name, sheet_system, table_of, value_and_most
from ledger.commands.table import Adjust
from ledger.corrections.aftermath import aftermath
from ledger.corrections.parts import check_not_told, part_of, parts
from ledger.corrections.questions import CHOICES, asked_move, offers_of, open_question, wrong_choice
from ledger.corrections.redecide import otherwise
from ledger.corrections.stages import Kept, Retaken, Strike, amended, looked_at_a_secret
from ledger.corrections.strike import check_stands, instead_of
from ledger.errors import BadInput, Refused, UnknownName
from ledger.events.entry import Entry, plain
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, ASSERTED, PLAYERS, QUESTIONS, STRUCK
from ledger.events.types import (
    CORRECTING,
    ActionStruck,
    DisputeRaised,
    MovePlayed,
    QuestionDecided,
    ScoreAsserted,
    VerdictOverridden,
)
from ledger.rules.dice import Throw
from ledger.rules.inputs import LONGEST_NAME, worded


class Choose(Command):
    """Choose what the rules let one choose after the dice; `chosen` are the inputs that were missing."""

    writes: ClassVar[tuple[str, ...]] = (MovePlayed.type,)
    question: int
    chosen: Mapping[str, Any]

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Rule on the dice that lie; refuses a question that waits no more, and a choice that they do not allow."""
        asked = open_question(stands, self.question)
        system = systems.find(asked.body["system"])
        move = asked_move(asked, self.chosen)
        table = table_of(stands, system.name, stands.copy(asked.seq))
        dice = [revived(die) for die in asked.body["dice"]]
        move.agree(table, [die.face for die in dice])
        throws = tuple(asked.body["throws"])
        rule_on(stands, plan, system, move, table, dice, throws=throws, answers=self.question)
        plan.opens = looked_at_a_secret(stands.entry(self.question))

    def content(self) -> dict[str, Any]:
        """Return the question and what was chosen."""
        return {"question": self.question, **plain(self.chosen)}

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where it answered nothing."""
        first = next((entry for entry in entries if entry.body.get("answers") is not None), None)
        if first is None:
            return None
        return {"question": first.body["answers"], **{name: first.body["inputs"].get(name) for name in self.chosen}}


class Take(Command):
    """Choose what the rules offered after a ruling: it is struck, and played again in its place, its dice kept."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)
    ruling: int
    chosen: Mapping[str, Any]

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Play it again, then look at what that would change; refuses an offer that has lapsed."""
        head, waiting, ruling = stands.head(), stands.questions(), stands.entry(self.ruling)
        if not offers_of(stands, ruling):
            raise Refused(f"#{self.ruling} offers nothing any more.")
        again = next((name for name in self.chosen if ruling.body["inputs"].get(name)), None)
        if again is not None:
            raise Refused(f"--{again.replace('_', '-')} was chosen for #{self.ruling} already.")
        act, taken = part_of(stands, self.ruling)
        kept = parts(stands, act)
        yield Strike(act=act, how="choose", why=None, whole=True)
        for part in kept:
            if part.root == taken.root:
                yield Retaken(part=part, said=otherwise(part.said, self.chosen), cause=head + 1)
            else:
                yield Kept(part=part, cause=head + 1)
        yield from aftermath(stands, head, head + 1, waiting)

    def content(self) -> dict[str, Any]:
        """Return what was chosen."""
        return dict(self.chosen)

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where nothing was taken up."""
        strike = entries[0]
        if strike.body.get("how") != "choose" or not strike.body["strikes"] <= self.ruling < strike.seq:
            return None
        *_, played = (entry for entry in entries if entry.type == MovePlayed.type)
        return {name: played.body["inputs"].get(name) for name in self.chosen}


class Dispute(Command):
    """Object to an entry, for a player."""

    writes: ClassVar[tuple[str, ...]] = (DisputeRaised.type,)
    about: int
    player: str
    claim: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Ask the GM; refuses one who does not sit at the table."""
        if stands.mark(PLAYERS, self.player) is None:
            raise UnknownName(f"Nobody called {self.player} sits at this table.")
        check_not_told(stands, stands.entry(self.about))
        claim = worded("A claim", self.claim)
        marks = (_about(stands, self.about, plan.next), _waits(plan.next))
        plan.add(DisputeRaised(about=self.about, player=self.player, claim=claim, marks=marks))


class Override(Command):
    """Decide against the dice: they stay, and so does all that followed; the verdict alone changes."""

    writes: ClassVar[tuple[str, ...]] = (VerdictOverridden.type,)
    about: int
    verdict: str
    good: bool | None
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write the GM's verdict; refuses an entry that is no ruling, or that does not stand."""
        ruling = stands.entry(self.about)
        if ruling.type != MovePlayed.type:
            raise Refused(f"#{self.about} is no ruling, and has no verdict.")
        check_stands(stands, ruling.act)
        verdict, why = worded("A verdict", self.verdict, LONGEST_NAME), worded("A reason", self.why)
        marks = (_about(stands, self.about, plan.next),)
        plan.add(VerdictOverridden(about=self.about, verdict=verdict, good=self.good, why=why, marks=marks))


class Assert(Command):
    """Say what the paper sheet says of scores, by their full names."""

    writes: ClassVar[tuple[str, ...]] = (ScoreAsserted.type,)
    who: str
    claimed: Mapping[str, int]

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write what was claimed and what stood; where they differ it is a question."""
        for full in self.claimed:
            name, _, short = full.partition("/")
            score_name(sheet_system(stands, self.who, name), short)
        stood = {full: stands.balance(self.who, full) or 0 for full in self.claimed}
        marks = [
            Mark(who=ASSERTED, name=f"{self.who}:{full}", value=plan.next)
            for full, number in self.claimed.items()
            if number == stood[full]
        ]
        if stood != self.claimed:
            marks.append(_waits(plan.next))
        plan.add(ScoreAsserted(who=self.who, claimed=dict(self.claimed), stood=stood, marks=tuple(marks)))


class Decide(Command):
    """Decide what a question asks, as the GM; with `amend`, what was disputed is said otherwise."""

    writes: ClassVar[tuple[str, ...]] = (QuestionDecided.type,)
    question: int
    choice: str
    why: str
    inputs: Mapping[str, Any]
    faces: tuple[int, ...] | None
    cascade: bool

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Write the decision, and do what it says."""
        head, waiting = stands.head(), stands.questions()
        asked = open_question(stands, self.question)
        if self.choice not in CHOICES.get(asked.type, ()):
            raise wrong_choice(asked, self.choice)
        if self.choice != "amend" and (self.inputs or self.faces or self.cascade):
            raise BadInput("What is said otherwise goes with amend.")
        yield Settled(question=self.question, choice=self.choice, why=self.why)
        yield from self._done(stands, asked, head + 1)
        yield from aftermath(stands, head, head + 1, waiting, cascade=self.cascade)

    def _done(self, stands: Standing, asked: Entry, cause: int) -> Iterator[Command]:
        """Yield what a decision does; what was struck meanwhile needs nothing more, unless it is said otherwise."""
        if self.choice == "adjust":
            amounts = _differences(stands, asked)
            yield Adjusted(command=Adjust(who=asked.body["who"], amounts=amounts, why=self.why), cause=cause)
        elif self.choice in {"void", "amend"}:
            about = asked.body["about"]
            act = _action_of(stands, about)
            stood = stands.mark(STRUCK, str(act)) is None
            instead = None if stood else instead_of(stands, about)
            if self.choice == "void" and instead is not None:
                raise Refused(f"In the place of #{about} stands #{instead}.", "Amend that, or void it first.")
            if self.choice == "void" and stood:
                yield Strike(act=act, how="void", why=None, cause=cause)
            elif self.choice == "amend" and not stood and instead is None:
                raise Refused(f"#{about} counts no more, so that there is nothing to amend.", "Say void.")
            elif self.choice == "amend" and (stood or self.inputs or self.faces):
                now = instead or about
                yield from amended(stands, now, self.inputs, self.faces, cascade=self.cascade, cause=cause)

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when a question was decided, None where it was another command."""
        if entries[0].type != QuestionDecided.type:
            return None
        own = {name: entries[0].body[name] for name in ("question", "choice", "why")}
        body = entries[1].body if self.choice == "amend" and len(entries) > 1 else {}
        return {**own, **{name: body.get(name, held) for name, held in NOTHING_AMENDED.items()}}


NOTHING_AMENDED: Mapping[str, Any] = {"inputs": {}, "faces": None, "cascade": False}


class Settled(Command):
    """A stage: write down what was decided."""

    question: int
    choice: str
    why: str

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Answer the question."""
        asked = stands.entry(self.question)
        marks = [Mark(who=QUESTIONS, name=str(self.question), value=plan.next)]
        if "about" in asked.body:
            marks.append(_about(stands, asked.body["about"], plan.next))
        why = worded("A reason", self.why)
        plan.add(QuestionDecided(question=self.question, choice=self.choice, why=why, marks=tuple(marks)))


class Adjusted(Command):
    """A stage: move scores to where a decision wants them."""

    command: Adjust
    cause: int

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Move them; refuses what is beyond their limits."""
        own = Plan(plan.head)
        self.command.decide(stands, own, None)
        for event, _, _ in own.events:
            plan.add(event, self.cause)


def _action_of(stands: Standing, about: int) -> int:
    """Return the action that falls when what an entry says is voided: of an answer, the one that asked."""
    entry = stands.entry(about)
    return entry.act if entry.type in CORRECTING else part_of(stands, about)[0]


def _differences(stands: Standing, asked: Entry) -> dict[str, int]:
    """Return what a score must move by: to what the paper says, as now known of then, or to its nearest limit.

    Refuses where nothing differs any more.
    """
    body, who = asked.body, asked.body["who"]
    if asked.type == ScoreAsserted.type:
        then = stands.at(asked.seq)
        both = {full: claimed - (then.balance(who, full) or 0) for full, claimed in body["claimed"].items()}
    else:
        name, _, short = body["score"].partition("/")
        score = sheet_system(stands, who, name).score(short)
        assert score is not None  # noqa: S101  it was crossed
        value, most = value_and_most(stands, systems.find(name), who, score.but(name=short))
        both = {body["score"]: min(max(value, score.least), most) - value}
    differ = {full: amount for full, amount in both.items() if amount}
    if not differ:
        raise Refused("Nothing differs any more.", f"Say so: campaign decide {asked.seq} stand --why TEXT")
    return differ


def _waits(seq: int) -> Mark:
    return Mark(who=QUESTIONS, name=str(seq), value=False)


def _about(stands: Standing, about: int, seq: int) -> Mark:
    """Return the mark that ties an entry to the action that it speaks about."""
    return Mark(who=ABOUT, name=f"{stands.entry(about).act}:{seq}", value=True)
