"""Questions (entries that wait for an answer), the answers that they allow, and the offers of rulings."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from ledger.commands.decider import Record, State
from ledger.commands.play import installed_move, move_of
from ledger.commands.sheet import table_of
from ledger.errors import Refused, Run, UnknownName
from ledger.events.commitments import with_texts
from ledger.events.entry import Entry
from ledger.events.subjects import OFFER, QUESTIONS_HINT
from ledger.events.types import EVENTS, ActionStruck, MoveEvent, MovePlayed, QuestionAsked, RollSealed, ScoreAsserted
from ledger.rules.move import Move

CHOICES: Mapping[str, tuple[str, ...]] = {name: event.choices for name, event in EVENTS.items() if event.choices}
"""The choices that a decision may store, by the type of the question."""

KEEP_CHOICE = "keep"
"""The word that people type and read for a question's first choice. Decisions store it as `stand` or `uphold`."""


def choices_of(kind: str) -> tuple[str, ...]:
    """Return the choices of a type of question, as people type them."""
    return (KEEP_CHOICE, *CHOICES[kind][1:])


def stored_choice(asked: Entry, typed: str) -> str:
    """Return a typed choice in the form that a decision stores."""
    return CHOICES[asked.type][0] if typed == KEEP_CHOICE and asked.type in CHOICES else typed


def wrong_choice(asked: Entry, choice: str) -> Refused:
    """Return the error for a choice that the question `asked` does not allow."""
    if isinstance(asked.event, QuestionAsked):
        return Refused(
            f"Question #{asked.seq} is waiting for a choice.", f"Make the choice: {Run('choose', asked.seq)}"
        )
    if asked.type not in CHOICES:
        return Refused(f"#{asked.seq} needs no decision.", QUESTIONS_HINT)
    *first, last = choices_of(asked.type)
    choices = f"{', '.join(first)} or {last}"
    return Refused(f"{choice!r} is not a valid decision for question #{asked.seq}. Use {choices}.")


def offering_ruling(record: Record, seq: int, name: str | None = None) -> Entry | None:
    """Return the ruling with an open offer in the action of entry `seq`.

    If no offer is open, return the first ruling there that ever offered a choice, or None. With `name`, consider only
    offers that include this input.
    """
    offers = [entry for entry in offering_rulings(record, seq) if name is None or name in move_of(entry).offered]
    return next((entry for entry in offers if is_offer_open(record, entry)), offers[0] if offers else None)


def offering_rulings(record: Record, seq: int) -> list[Entry]:
    """Return the rulings that ever offered a choice, in the action of entry `seq`."""
    rulings = (entry for entry in record.action(record.entry(seq).act) if isinstance(entry.event, MovePlayed))
    return [entry for entry in rulings if move_of(entry).offered]


def is_offer_open(record: Record, ruling: Entry, last: int | None = None) -> bool:
    """Return True if a ruling's character has made no move since, and the game has not closed the ruling's offer.

    If `last` is given, ignore actions after this entry.
    """
    offer = ruling.event
    if not isinstance(offer, MovePlayed) or record.mark(offer.who, OFFER) != ruling.seq:
        return False
    # A move that was played after the mark was set ends the offer with a mark of its own.
    marked = record.mark_entry(offer.who, OFFER)
    before = record.acts_backwards(marked if last is None else min(marked, last))
    for act in takewhile(lambda act: act >= ruling.since, before):
        later = (entry for entry in record.action(act) if entry.since > ruling.since)
        if any(_is_move_of(entry, offer.who) and _is_other_move_in_force(record, entry, ruling) for entry in later):
            return False
    faces = [die.face for die in offer.dice]
    return asked_move(ruling, {}).may_still_accept(table_of(record, offer.system), faces)


def _is_other_move_in_force(record: Record, entry: Entry, ruling: Entry) -> bool:
    """Return True if an entry is not struck, or if an entry other than `ruling` now replaces it."""
    from ledger.corrections.actions import replacement_of  # needed only for a corrected offer

    return not record.is_struck(entry.act) or replacement_of(record, entry.seq) not in {None, ruling.seq}


def offers_in(state: State, seq: int) -> tuple[str, ...]:
    """Return the inputs that a ruling offered. The rules compute them again from the sheets that the ruling read."""
    ruling = state.entry(seq, secrets=True)
    assert isinstance(ruling.event, MovePlayed)  # noqa: S101  only these have offers
    table = table_of(state, ruling.event.system, ruling.event)
    return asked_move(ruling, {}).offers(table, [die.face for die in ruling.event.dice])


def offer_taken_up(state: State, strike: ActionStruck) -> int:
    """Return the ruling whose offer was accepted. `strike` canceled this ruling, so that it could be played again."""
    struck = (entry for act in strike.targets for entry in state.action(act))
    offers = ((mark.name, entry.seq) for entry in struck for mark in entry.event.marks if mark.value == entry.seq)
    return max(seq for name, seq in offers if name == OFFER)


def _is_move_of(entry: Entry, who: str) -> bool:
    """Return True if an entry is a character's own move, not a move that the GM makes for that character."""
    event = entry.event
    if not isinstance(event, MoveEvent) or event.who != who:
        return False
    move = installed_move(event)
    return move is None or not move.by_gm


def is_question(entry: Entry) -> bool:
    """Return True if an entry asks for an answer. An assertion asks only if its scores differ from the book."""
    event = entry.event
    is_agreed = isinstance(event, ScoreAsserted) and event.claimed == event.stood
    return event.may_wait and not is_agreed


def question_of(state: State, seq: int) -> Entry:
    """Return question `seq`, or the only question in the action of entry `seq`. Otherwise raise `UnknownName`."""
    entries = state.action(state.entry(seq).act, secrets=True)
    questions = [entry for entry in entries if is_question(entry) and entry.type != RollSealed.type]
    exact = next((entry for entry in questions if entry.seq == seq), None)
    if exact is not None or len(questions) == 1:
        return exact or questions[0]
    if questions:
        numbers = ", ".join(f"#{entry.seq}" for entry in questions)
        raise UnknownName(
            f"The action that includes #{seq} has several questions: {numbers}.",
            "Type the number of the question that you mean.",
        )
    raise UnknownName(f"Entry {seq} has no question.", QUESTIONS_HINT)


def require_open_question(state: State, question: int) -> Entry:
    """Return the entry of an open question. Raise `Refused` if it was answered or canceled."""
    state.question(question).check_open()
    return state.entry(question, secrets=True)


def asked_move(asked: Entry, chosen: Mapping[str, Any]) -> Move:
    """Return the move of an entry, with the `chosen` inputs added. Raise `Refused` if the entry is not a move."""
    if asked.type in CHOICES:
        hint = f"Decide it: {Run('decide', asked.seq, choices_of(asked.type)[0], why='TEXT')}"
        raise Refused(f"Only the GM can answer question #{asked.seq}.", hint)
    event = asked.event
    if not isinstance(event, MoveEvent):
        raise Refused(f"#{asked.seq} does not ask for a choice.", QUESTIONS_HINT)
    return move_of(asked).from_inputs({**with_texts(event.inputs), **chosen})
