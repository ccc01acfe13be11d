"""Sealed rolls, whose result the GM hides at first, and the reveal of secrets.

A sealed roll is an open question for the GM. Its entry has commitments to the dice, the ruling and the consequences,
and no postings. A reveal copies the dice, the ruling and the consequences into new entries, which take effect at the
sealed roll. No rules are applied again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Self

from ledger.commands.decider import BookDraft, Command, Sketch, State, describe_difference
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.corrections.amend import ask_about_changes
from ledger.corrections.questions import require_open_question
from ledger.errors import BadInput, Refused, SecretNotHere, WrongEntry
from ledger.events.canonical import substitute, walk
from ledger.events.commitments import CommittedText, Secret, secret
from ledger.events.decode import decode_sealed
from ledger.events.entry import Entry, event_json, jsonable
from ledger.events.subjects import CAMPAIGN, REVEALED
from ledger.events.types import (
    Consequence,
    DiceCounted,
    DiceThrown,
    Event,
    MoveEvent,
    RollImported,
    RollSealed,
    SecretRevealed,
)
from ledger.rules.inputs import ENTRY

SESSION_END = "session-end"


class Sealed(Command):
    """A command with a secret result. `command` makes the roll: it plays a move, or rolls dice without a game."""

    writes: ClassVar[tuple[str, ...]] = (RollSealed.type,)
    command: PlayMove | Roll
    until: str | None
    unseen: bool

    def decide(self, draft: BookDraft) -> None:
        """Roll, and add commitments to the result. Raise `Refused` if there are no dice, or if moves may follow."""
        if isinstance(self.command, PlayMove):
            self.command.check_not_early()
            if self.command.move.may_continue:
                hint = "Make the rolls one by one, and seal the one you want to hide."
                raise Refused("This move leads to other rolls and cannot be sealed.", hint)
        if self.until == SESSION_END and draft.mark(CAMPAIGN, "session") is None:
            raise Refused("No session is open, so a roll cannot stay sealed until the end of the session.")
        asked = self.command.ask(draft)
        if asked.pool is None:
            raise Refused("This command does not roll dice, so there is nothing to seal.")
        sketch = Sketch(draft, draft.head_before)
        self.command.rule(sketch, asked, draft.roll(asked.pool, asked.costs))
        bodies = [_body(added.event) for added in sketch.added]
        dice = [body for body in bodies if body["type"] == DiceThrown.type]
        ruling, *consequences = bodies[len(dice) :]
        draft.add(
            RollSealed(
                until=self.until,
                unseen=self.unseen,
                thrown=secret(dice),
                ruling=secret(ruling),
                consequences=secret(consequences),
            )
        )

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        """Compare all inputs with those of a sealed roll. Raise `SecretNotHere` if this file lacks the sealed roll."""
        seal = entries[0].event
        if not isinstance(seal, RollSealed):
            return None
        if seal.ruling.text is None:
            raise SecretNotHere(entries[0].seq)
        ruling = next(event for event in sealed_events(entries[0]) if not isinstance(event, DiceThrown))
        before, now = ({"until": each.until, "unseen": each.unseen} for each in (seal, self))
        differs = self.command.difference_from([entries[0].replace(type=ruling.type).with_event(ruling)])
        return describe_difference(entries[0], before, now) if differs == "" else differs

    @classmethod
    def from_action(cls, state: State, entries: Sequence[Entry]) -> Self:
        seal = entries[0].event
        assert isinstance(seal, RollSealed)  # noqa: S101  this command writes nothing else
        ruling = next(event for event in sealed_events(entries[0]) if isinstance(event, MoveEvent | DiceCounted))
        kind = Roll if isinstance(ruling, DiceCounted) else PlayMove
        return cls(command=kind.from_entry(entries[0].with_event(ruling)), until=seal.until, unseen=seal.unseen)


class Reveal(Command):
    """A command that reveals the secrets of an entry. A sealed roll then takes effect at the entry that sealed it."""

    writes: ClassVar[tuple[str, ...]] = (SecretRevealed.type,)
    uses_reserve = True
    entry: Annotated[int, ENTRY]

    def decide(self, draft: BookDraft) -> None:
        """Reveal a sealed roll, and add its events. For any other entry, reveal all secrets of its action.

        The rolls of an imported evening are one action, but each of them is revealed alone.
        Raise `Refused` if there is no secret to reveal, and `SecretNotHere` if this file lacks the text of a secret.
        """
        waiting, entry = draft.questions(), draft.entry(self.entry)
        if isinstance(entry.event, RollSealed):
            require_open_question(draft, self.entry)
            reveal = _reveal(draft, entry.seq)
            for event, cause in list(sealed_events_and_causes(draft.entry(entry.seq, secrets=True), draft.next)):
                draft.add(event, cause or reveal, entry.seq)
            ask_about_changes(draft, waiting)
            return
        entries = [entry] if isinstance(entry.event, RollImported) else draft.action(entry.act)
        unrevealed = [each.seq for each in entries if has_unrevealed_secret(draft, each)]
        if not unrevealed:
            raise Refused(f"#{self.entry} has no secret.")
        for seq in unrevealed:
            _reveal(draft, seq)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        revealed = [entry.event.about for entry in entries if isinstance(entry.event, SecretRevealed)]
        if not revealed:
            return None
        return "" if self.entry in revealed else f"a different entry ({revealed[0]}; now it is {self.entry})"

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        return {"entry": entry.about}


def _reveal(draft: BookDraft, seq: int) -> int:
    """Reveal the secrets of an entry, and return the number of the new entry."""
    draft.check_words(seq)
    if draft.entry(seq, secrets=True).lacks_secret:
        raise SecretNotHere(seq)
    reveal = draft.add(SecretRevealed(about=seq))
    draft.declare_secret()
    return reveal


def sealed_events_and_causes(sealed: Entry, first: int) -> Iterator[tuple[Event, int | None]]:
    """Yield each event inside an opened seal, with the number of its cause if it has one.

    The first event becomes entry `first`. Raise `WrongEntry` if the events are not a complete roll.
    """
    events = sealed_events(sealed)
    dice = [event for event in events if isinstance(event, DiceThrown)]
    numbers: dict[int | None, int] = {sealed.seq + place: first + place for place in range(len(dice))}
    for event in events:
        renumbered = event
        try:
            if isinstance(event, MoveEvent):
                renumbered = event.replace(throws=tuple(numbers[seq] for seq in event.throws))
            elif isinstance(event, DiceCounted):
                renumbered = event.replace(throw=numbers[event.throw])
        except KeyError:
            raise WrongEntry(sealed.seq, "contains a secret that was sealed in a different entry") from None
        yield renumbered, first + len(dice) if isinstance(renumbered, Consequence) else None


def sealed_events(sealed: Entry) -> list[Event]:
    """Return the dice, ruling and consequences in an opened seal. Raise `WrongEntry` if it has anything else."""
    seal = sealed.event
    assert isinstance(seal, RollSealed)  # noqa: S101  only these are sealed
    thrown, ruling, consequences = seal.thrown.value, seal.ruling.value, seal.consequences.value
    if not isinstance(thrown, list) or not isinstance(consequences, list):
        raise WrongEntry(sealed.seq, NOT_A_ROLL)
    try:
        events = [decode_sealed(sealed.seq, body, with_secrets=True) for body in (*thrown, ruling, *consequences)]
    except WrongEntry:
        raise WrongEntry(sealed.seq, NOT_A_ROLL) from None
    dice, (head, *rest) = events[: len(thrown)], events[len(thrown) :]
    is_roll = all(isinstance(die, DiceThrown) for die in dice) and all(isinstance(event, Consequence) for event in rest)
    if not is_roll or not isinstance(head, MoveEvent | DiceCounted):
        raise WrongEntry(sealed.seq, NOT_A_ROLL)
    return events


NOT_A_ROLL = "seals something that is not a roll"


def parse_reveal_date(typed: str) -> str:
    """Parse the date on which a sealed roll must be revealed, or `session-end`. Raise `BadInput` for anything else."""
    from datetime import date  # only for parsing: this code must not read the clock

    if typed == SESSION_END:
        return typed
    try:
        return date.fromisoformat(typed).isoformat()
    except ValueError:
        raise BadInput(f"{typed!r} is not a date. Type {SESSION_END}, or a date like 2026-12-31.") from None


def _body(event: Event) -> dict[str, Any]:
    body = event_json(event)
    texts = {path: {words.KEY: words.text} for path, words in walk(body) if isinstance(words, CommittedText)}
    filled: dict[str, Any] = substitute(body, texts)
    return filled


def lacks_secret(entry: Entry) -> bool:
    """Return True if this file does not have the text of a secret. Pass an entry that was read with its secrets."""
    return any(isinstance(node, Secret) and node.text is None for _, node in walk(jsonable(entry.event)))


def has_unrevealed_secret(state: State, entry: Entry) -> bool:
    """Return True if an entry has a secret that was not revealed."""
    has_secret = any(isinstance(node, Secret) for _, node in walk(jsonable(entry.event)))
    return has_secret and state.mark(REVEALED, str(entry.seq)) is None
