"""Questions: entries that wait for an answer, and the answers that they allow."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from ledger import systems
from ledger.commands.decider import Record, State
from ledger.commands.play import move_of
from ledger.commands.sheet import table_of
from ledger.errors import Refused, Run, UnknownName
from ledger.events.commitments import plain_value
from ledger.events.entry import Entry
from ledger.events.subjects import OFFER, SEE_QUESTIONS
from ledger.events.types import (
    TYPES,
    ActionStruck,
    MoveEvent,
    MovePlayed,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
)
from ledger.rules.move import Move

CHOICES: Mapping[str, tuple[str, ...]] = {name: event.choices for name, event in TYPES.items() if event.choices}
"""What a decision stores, by the type of the question."""

KEEP = "keep"
"""What people type and read for the first of the choices."""


def choices_of(kind: str) -> tuple[str, ...]:
    """The choices of a type of question, as people type them."""
    return (KEEP, *CHOICES[kind][1:])


def stored_choice(asked: Entry, typed: str) -> str:
    """A typed choice as the decision of a question stores it."""
    return CHOICES[asked.type][0] if typed == KEEP and asked.type in CHOICES else typed


def wrong_choice(asked: Entry, choice: str) -> Refused:
    """The error for a choice that a question does not allow."""
    if isinstance(asked.event, QuestionAsked):
        return Refused(f"Question #{asked.seq} waits for a choice.", f"Make the choice: {Run('choose', asked.seq)}")
    if asked.type not in CHOICES:
        return Refused(f"#{asked.seq} needs no decision.", SEE_QUESTIONS)
    *first, last = choices_of(asked.type)
    choices = f"{', '.join(first)} or {last}"
    return Refused(f"{choice!r} is not a decision for question #{asked.seq}. Use {choices}.")


def offering_ruling(record: Record, seq: int, name: str | None = None) -> Entry | None:
    """Find the ruling in an entry's action that offers a choice or once did, `None` if there isn't one.

    If `name` is given, the ruling must offer the input of this name.
    """
    offers = [entry for entry in offering_rulings(record, seq) if name is None or name in move_of(entry).offered]
    return next((entry for entry in offers if offers_of(record, entry)), offers[0] if offers else None)


def offering_rulings(record: Record, seq: int) -> list[Entry]:
    """Find the rulings in an entry's action that offer a choice or once did."""
    rulings = (entry for entry in record.action(record.entry(seq).act) if isinstance(entry.event, MovePlayed))
    return [entry for entry in rulings if move_of(entry).offered]


def offers_of(record: Record, ruling: Entry) -> bool:
    """Whether the offer of a ruling is still open: its character has made no move since, and the game says so."""
    offer = ruling.event
    if not isinstance(offer, MovePlayed) or record.mark(offer.who, OFFER) != ruling.seq:
        return False
    for act in takewhile(lambda act: act >= ruling.since, record.acts_backwards()):
        later = (entry for entry in record.action(act) if entry.since > ruling.since)
        if any(_is_move_of(entry, offer.who) for entry in later) and not record.is_struck(act):
            return False
    faces = [die.face for die in offer.dice]
    return asked_move(ruling, {}).still_offers(table_of(record, offer.system), faces)


def offers_in(state: State, seq: int) -> tuple[str, ...]:
    """The inputs that a ruling offered, by the sheets that it read."""
    ruling = state.entry(seq, secrets=True)
    assert isinstance(ruling.event, MovePlayed)  # noqa: S101  nothing else offers
    table = table_of(state, ruling.event.system, ruling.event)
    return asked_move(ruling, {}).offers(table, [die.face for die in ruling.event.dice])


def offer_taken_up(state: State, strike: ActionStruck) -> int:
    """The ruling whose offer a choice after the dice took up: the last one with an offer in the struck actions."""
    struck = (entry for act in strike.targets for entry in state.action(act))
    offers = ((mark.name, entry.seq) for entry in struck for mark in entry.event.marks if mark.value == entry.seq)
    return max(seq for name, seq in offers if name == OFFER)


def _is_move_of(entry: Entry, who: str) -> bool:
    """Whether an entry is a move of a character's own, and not one of the GM about that character."""
    event = entry.event
    if not isinstance(event, MoveEvent) or event.who != who:
        return False
    game = systems.installed(event.system)
    move = game.move(event.move) if game else None
    return move is None or not move.by_gm


def is_question(entry: Entry) -> bool:
    """Return True if an entry waits for an answer; an assertion does if the book differs."""
    event = entry.event
    agreed = isinstance(event, ScoreAsserted) and event.claimed == event.stood
    return event.may_wait and not agreed


def question_of(state: State, seq: int) -> Entry:
    """The question of an entry's action. Refuse (`UnknownName`) if there is none, or more than one."""
    entries = state.action(state.entry(seq).act, secrets=True)
    questions = [entry for entry in entries if is_question(entry) and entry.type != RollSealed.type]
    exact = next((entry for entry in questions if entry.seq == seq), None)
    if exact is not None or len(questions) == 1:
        return exact or questions[0]
    if questions:
        numbers = ", ".join(f"#{entry.seq}" for entry in questions)
        raise UnknownName(
            f"The action of #{seq} has several questions: {numbers}.", "Type the number of the one you mean."
        )
    raise UnknownName(f"Entry {seq} has no question.", SEE_QUESTIONS)


def open_question(state: State, question: int) -> Entry:
    """A question that waits. Refuse one that was answered or struck."""
    state.question(question).check_waits()
    return state.entry(question, secrets=True)


def asked_move(asked: Entry, chosen: Mapping[str, Any]) -> Move:
    """The move that waits for a choice, or offers one, with the chosen inputs. Refuse a question for the GM."""
    if asked.type in CHOICES:
        hint = f"Decide it: {Run('decide', asked.seq, choices_of(asked.type)[0], why='TEXT')}"
        raise Refused(f"Question #{asked.seq} needs a decision, not a choice.", hint)
    event = asked.event
    if not isinstance(event, MoveEvent):
        raise Refused(f"#{asked.seq} does not ask for a choice.", SEE_QUESTIONS)
    return move_of(asked).revived({**plain_value(event.inputs), **chosen})
