"""Seals: rolls that the GM keeps closed, and the telling of what was kept.

A sealed roll is a question that waits for the GM: its entry commits to the dice, the ruling and the consequences, and
posts nothing. Revealed, they are written as they were, counting since the sealed entry; nothing is ruled anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.play import Play, Roll
from ledger.corrections.aftermath import aftermath
from ledger.corrections.questions import open_question
from ledger.corrections.stages import Say, renumbered
from ledger.errors import Away, BadInput, Refused, WrongEntry
from ledger.events.canonical import changed, nodes, parse_json
from ledger.events.commitments import Said, Secret, commitments, is_closed, secret
from ledger.events.entry import Entry, plain, type_of
from ledger.events.facts import Mark
from ledger.events.subjects import CAMPAIGN, QUESTIONS, REVEALED
from ledger.events.types import TYPES, Consequence, DiceThrown, Event, RollSealed, SecretRevealed
from ledger.rules.dice import Pool, Throw
from ledger.rules.rulings import Follows

SESSION_END = "session-end"


class Sealed(Command):
    """Throw the dice of a move, or loose dice, and keep closed what comes of them."""

    writes: ClassVar[tuple[str, ...]] = (RollSealed.type,)
    said: Play | Roll
    until: str | None
    unseen: bool

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Refuse what leads to other moves, and an end of a session where none is open."""
        following = list(self.said.stages(stands))[1:]
        if following:
            raise Refused("This move leads to others, and cannot be sealed.")
        if self.until == SESSION_END and stands.mark(CAMPAIGN, "session") is None:
            raise Refused("No session is open, so that no seal can last until its end.")
        yield self

    def pool(self, stands: Standing, *, by_hand: bool) -> Pool | None:
        """Ask for the dice; refuses a move that throws none."""
        pool = self.said.pool(stands, by_hand=by_hand)
        if pool is None:
            raise Refused("This throws no dice, so that there is nothing to seal.")
        return pool

    def cost(self, stands: Standing) -> tuple[Follows, ...]:
        """Return what is declared before the dice; it is paid when the roll is revealed."""
        return self.said.cost(stands)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Work all out, and commit to it."""
        own = Plan(plan.head)
        self.said.decide(stands, own, thrown)
        closed = [_closed(event) for event, _, _ in own.events]
        dice = [each for each in closed if each["type"] == DiceThrown.type]
        ruling, *consequences = closed[len(dice) :]
        plan.add(
            RollSealed(
                until=self.until,
                unseen=self.unseen,
                thrown=secret(dice),
                ruling=secret(ruling),
                consequences=secret(consequences),
                marks=(Mark(who=QUESTIONS, name=str(plan.next), value=False),),
            )
        )

    def content(self) -> dict[str, Any]:
        """Return what was said, and how long it is kept closed."""
        return {**self.said.content(), "until": self.until, "unseen": self.unseen}

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where it was another command.

        Refuses (`Away`) a sealed roll that is not in this file.
        """
        sealed = entries[0]
        if sealed.type != RollSealed.type:
            return None
        if is_closed(sealed.body["ruling"]):
            raise Away(sealed.seq)
        ruling = _told(sealed.body["ruling"])
        if not ruling.keys() >= self.said.content().keys():
            return None
        held = {name: ruling[name] for name in self.said.content()}
        return {**held, "until": sealed.body["until"], "unseen": sealed.body["unseen"]}


class Reveal(Command):
    """Tell what the GM had kept of an entry; a sealed roll counts since it was sealed."""

    writes: ClassVar[tuple[str, ...]] = (SecretRevealed.type,)
    entry: int

    def stages(self, stands: Standing) -> Iterator[Command]:
        """Check the commitments, and tell; refuses where nothing is kept, or its words are not in this file.

        What a score cannot pay by then, and what later rulings would have seen, are questions.
        """
        head, waiting, named = stands.head(), stands.questions(), stands.entry(self.entry)
        if named.type == RollSealed.type:
            open_question(stands, self.entry)
            yield self._telling(stands, named.seq)
            yield Unsealed(sealed=named.seq, cause=head + 1)
            yield from aftermath(stands, head, head + 1, waiting)
            return
        kept = [each.seq for each in stands.action(named.act) if _keeps(stands, each)]
        if not kept:
            raise Refused(f"Nothing of #{self.entry} is kept secret.")
        for seq in kept:
            yield self._telling(stands, seq)

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was told, None where it was another command."""
        told = [entry.body["about"] for entry in entries if entry.type in self.writes]
        return {"entry": self.entry if self.entry in told else told[0]} if told else None

    def _telling(self, stands: Standing, seq: int) -> Command:
        stands.check_words(seq)
        closed, opened = stands.entry(seq).body, dict(nodes(stands.entry(seq, secrets=True).body))
        if any(opened[field] == {kind: held} for field, kind, held in commitments(closed) if kind == Secret.KEY):
            raise Away(seq)
        sealed = stands.entry(seq).type == RollSealed.type
        now = stands.head() + 1
        marks = [Mark(who=REVEALED, name=str(seq), value=now)]
        marks += [Mark(who=QUESTIONS, name=str(seq), value=now)] if sealed else []
        return Say(event=SecretRevealed(about=seq, marks=tuple(marks)))


class Unsealed(Command):
    """A stage: write what a sealed roll came to, counting since it was sealed."""

    sealed: int
    cause: int

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Write it as it was."""
        for event, cause in unsealed(stands.entry(self.sealed, secrets=True), plan.next):
            plan.add(event, cause or self.cause, self.sealed)


def unsealed(sealed: Entry, first: int) -> Iterator[tuple[Event, int | None]]:
    """Yield the events that a sealed roll, opened, holds, numbered from `first` on, with the ruling as their cause."""
    dice, ruling, consequences = (sealed.body[name] for name in ("thrown", "ruling", "consequences"))
    numbers: dict[int | None, int] = {sealed.seq + place: first + place for place in range(1 + len(dice))}
    for each in [*dice, ruling, *consequences]:
        body = changed(each, {path: Said(text=held[Said.KEY]) for path, held in nodes(each) if _is(held, Said)})
        body = changed(body, {path: Secret(text=held[Secret.KEY]) for path, held in nodes(each) if _is(held, Secret)})
        kind = body.pop("type")
        body["marks"] = [renumbered(mark, numbers) for mark in body["marks"]]
        for name in {"throws", "throw"} & body.keys():
            held = body[name]
            if not numbers.keys() >= set(held if isinstance(held, list) else [held]):
                raise WrongEntry(sealed.seq, "holds what was sealed at another")
            body[name] = [numbers[seq] for seq in held] if isinstance(held, list) else numbers[held]
        shape = TYPES.get(kind, Consequence)
        facts = {name: body.get(name, kind) for name in shape._fields}
        yield shape(**facts), first + len(dice) if shape is Consequence else None


def until(typed: str) -> str:
    """Read until when a seal lasts: `session-end`, or a date; refuses (`BadInput`) all else."""
    from datetime import date  # no clock is read

    if typed == SESSION_END:
        return typed
    try:
        return date.fromisoformat(typed).isoformat()
    except ValueError:
        raise BadInput(f"{typed!r} is neither {SESSION_END} nor a date like 2026-12-31.") from None


def _closed(event: Event) -> dict[str, Any]:
    """Return an event as JSON has it, its words and secrets told in their places."""
    body: dict[str, Any] = plain(event)
    body.pop("kind", None) if isinstance(event, Consequence) else None
    told = {path: {held.KEY: held.text} for path, held in nodes(body) if isinstance(held, Said)}
    found: dict[str, Any] = changed(body, told)
    return {**found, "type": type_of(event)}


def _told(value: Any) -> Any:
    """Return a value with its words and secrets as they were said."""
    words = {path: held[Said.KEY] for path, held in nodes(value) if _is(held, Said)}
    secrets = {path: parse_json(held[Secret.KEY]) for path, held in nodes(value) if _is(held, Secret)}
    return changed(value, words | secrets)


def _is(held: Any, kind: type[Said]) -> bool:
    return isinstance(held, Mapping) and held.keys() == {kind.KEY}


def _keeps(stands: Standing, entry: Entry) -> bool:
    secrets = (kind for _, kind, _ in commitments(entry.body) if kind == Secret.KEY)
    return any(secrets) and stands.mark(REVEALED, str(entry.seq)) is None
