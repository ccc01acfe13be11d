"""Seals: rolls that the GM keeps closed, and the telling of what was kept.

A sealed roll is a question that waits for the GM: its entry commits to the dice, the ruling and the consequences, and
posts nothing. Revealed, they are written as they were, counting since the sealed entry; nothing is ruled anew.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ledger.commands.decider import BookDraft, Command, Sketch, State, differing
from ledger.commands.play import PlayMove, Roll, words_of
from ledger.corrections.aftermath import aftermath
from ledger.corrections.amend import renumbered
from ledger.corrections.questions import open_question
from ledger.errors import Away, BadInput, Refused, WrongEntry
from ledger.events.canonical import changed, nodes
from ledger.events.commitments import Said, Secret, is_away, secret
from ledger.events.decode import decode_sealed
from ledger.events.entry import Entry, plain, throws_in, type_of
from ledger.events.facts import Mark
from ledger.events.subjects import CAMPAIGN, QUESTIONS, REVEALED
from ledger.events.types import (
    AnyEvent,
    Consequence,
    DiceCounted,
    DiceThrown,
    Event,
    MoveEvent,
    RollSealed,
    SecretRevealed,
)

SESSION_END = "session-end"


class Sealed(Command):
    """Throw the dice of a move, or loose dice, and keep closed what comes of them."""

    writes: ClassVar[tuple[str, ...]] = (RollSealed.type,)
    said: PlayMove | Roll
    until: str | None
    unseen: bool

    def decide(self, draft: BookDraft) -> None:
        """Work all out, and commit to it; refuses a move that leads to others, and one that throws no dice."""
        if isinstance(self.said, PlayMove):
            self.said.check_not_early()
            if self.said.move.then():
                raise Refused("This move leads to others, and cannot be sealed.")
        if self.until == SESSION_END and draft.mark(CAMPAIGN, "session") is None:
            raise Refused("No session is open, so that no seal can last until its end.")
        asked = self.said.ask(draft)
        if asked.pool is None:
            raise Refused("This throws no dice, so that there is nothing to seal.")
        sketch = Sketch(draft, draft.began)
        self.said.rule(sketch, asked, draft.roll(asked.pool, asked.costs))
        closed = [_closed(added.event) for added in sketch.added]
        dice = [each for each in closed if each["type"] == DiceThrown.type]
        ruling, *consequences = closed[len(dice) :]
        draft.add(
            RollSealed(
                until=self.until,
                unseen=self.unseen,
                thrown=secret(dice),
                ruling=secret(ruling),
                consequences=secret(consequences),
                marks=(Mark(who=QUESTIONS, name=str(draft.next), value=False),),
            )
        )

    def same_as(self, entries: Sequence[Entry]) -> str | None:
        """Compare what was said, and how long it is kept closed; refuses (`Away`) a sealed roll that is not here."""
        seal = entries[0].event
        if not isinstance(seal, RollSealed):
            return None
        if seal.ruling.text is None:
            raise Away(entries[0].seq)
        ruling = next(event for event in sealed_events(entries[0]) if not isinstance(event, DiceThrown))
        kind = MoveEvent if isinstance(self.said, PlayMove) else DiceCounted
        if not isinstance(ruling, kind):
            return None
        before = {**words_of(ruling), "until": seal.until, "unseen": seal.unseen}
        return differing(entries[0], before, {**self.said.words(), "until": self.until, "unseen": self.unseen})


class Reveal(Command):
    """Tell what the GM had kept of an entry; a sealed roll counts since it was sealed."""

    writes: ClassVar[tuple[str, ...]] = (SecretRevealed.type,)
    entry: int

    def decide(self, draft: BookDraft) -> None:
        """Check the commitments, and tell; refuses where nothing is kept, or its words are not in this file.

        What a score cannot pay by then, and what later rulings would have seen, are questions.
        """
        waiting, named = draft.questions(), draft.entry(self.entry)
        if isinstance(named.event, RollSealed):
            open_question(draft, self.entry)
            telling = _tell(draft, named.seq)
            for event, cause in list(unsealed(draft.entry(named.seq, secrets=True), draft.next)):
                draft.add(event, cause or telling, named.seq)
            aftermath(draft, waiting)
            return
        kept = [each.seq for each in draft.action(named.act) if _keeps(draft, each)]
        if not kept:
            raise Refused(f"Nothing of #{self.entry} is kept secret.")
        for seq in kept:
            _tell(draft, seq)

    def same_as(self, entries: Sequence[Entry]) -> str | None:
        """Compare what was told."""
        told = [entry.event.about for entry in entries if isinstance(entry.event, SecretRevealed)]
        if not told:
            return None
        return "" if self.entry in told else f"other entry: {told[0]}, not {self.entry}"


def _tell(draft: BookDraft, seq: int) -> int:
    """Say that what the GM kept of an entry is told from here on; return the entry that says so."""
    draft.check_words(seq)
    if is_away(plain(draft.entry(seq, secrets=True).event)):
        raise Away(seq)
    marks = [Mark(who=REVEALED, name=str(seq), value=draft.next)]
    if isinstance(draft.entry(seq).event, RollSealed):
        marks.append(Mark(who=QUESTIONS, name=str(seq), value=draft.next))
    telling = draft.add(SecretRevealed(about=seq, marks=tuple(marks)))
    draft.conceal()
    return telling


def unsealed(sealed: Entry, first: int) -> Iterator[tuple[AnyEvent, int | None]]:
    """Yield the events that a sealed roll, opened, holds, numbered from `first` on, with the ruling as their cause.

    Refuses (`WrongEntry`) what is no roll: whoever sealed it wrote what they liked.
    """
    events = sealed_events(sealed)
    dice = [event for event in events if isinstance(event, DiceThrown)]
    numbers: dict[int | None, int] = {sealed.seq + place: first + place for place in range(1 + len(dice))}
    for event in events:
        named = event.replace(marks=tuple(renumbered(mark, numbers) for mark in event.marks))
        if not numbers.keys() >= set(throws_in(named)):
            raise WrongEntry(sealed.seq, "holds what was sealed at another")
        if isinstance(named, MoveEvent):
            named = named.replace(throws=tuple(numbers[seq] for seq in named.throws))
        elif isinstance(named, DiceCounted):
            named = named.replace(throw=numbers[named.throw])
        yield named, first + len(dice) if isinstance(named, Consequence) else None


def sealed_events(sealed: Entry) -> list[AnyEvent]:
    """The events inside an opened seal: dice, ruling, consequences. Refuses (`WrongEntry`) anything else."""
    seal = sealed.event
    assert isinstance(seal, RollSealed)  # noqa: S101  nothing else is sealed
    thrown, ruling, consequences = seal.thrown.value, seal.ruling.value, seal.consequences.value
    if not isinstance(thrown, list) or not isinstance(consequences, list):
        raise WrongEntry(sealed.seq, NO_ROLL)
    try:
        events = [decode_sealed(sealed.seq, each, told=True) for each in (*thrown, ruling, *consequences)]
    except WrongEntry:
        raise WrongEntry(sealed.seq, NO_ROLL) from None
    dice, (head, *rest) = events[: len(thrown)], events[len(thrown) :]
    fits = all(isinstance(each, DiceThrown) for each in dice) and all(isinstance(each, Consequence) for each in rest)
    if not fits or not isinstance(head, MoveEvent | DiceCounted):
        raise WrongEntry(sealed.seq, NO_ROLL)
    return events


NO_ROLL = "has sealed what is no roll"


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
    """An event as JSON has it, its words and secrets told in their places."""
    body = {**plain(event), "type": type_of(event)}
    body.pop("kind", None) if isinstance(event, Consequence) else None
    told = {path: {held.KEY: held.text} for path, held in nodes(body) if isinstance(held, Said)}
    found: dict[str, Any] = changed(body, told)
    return found


def _keeps(state: State, entry: Entry) -> bool:
    kept = any(isinstance(held, Secret) for _, held in nodes(plain(entry.event)))
    return kept and state.mark(REVEALED, str(entry.seq)) is None
