"""Questions: what waits for an answer, and what may be answered."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from ledger.commands.decider import Standing
from ledger.commands.recorded import move_of
from ledger.errors import Refused, UnknownName
from ledger.events.commitments import told
from ledger.events.entry import Entry
from ledger.events.subjects import OFFER, QUESTIONS, STRUCK
from ledger.events.types import DisputeRaised, KnockOnFound, LimitCrossed, MovePlayed, QuestionAsked, ScoreAsserted
from ledger.rules.move import Move

CHOICES: Mapping[str, tuple[str, ...]] = {
    DisputeRaised.type: ("uphold", "amend", "void"),
    KnockOnFound.type: ("stand", "amend", "void"),
    LimitCrossed.type: ("stand", "adjust"),
    ScoreAsserted.type: ("stand", "adjust"),
}
"""What the GM may decide, by the type of the question. Upheld is the ruling; what stands is the book."""


def wrong_choice(asked: Entry, choice: str) -> Refused:
    """Return the refusal of what cannot be decided about a question."""
    if asked.type == QuestionAsked.type:
        return Refused(f"Question #{asked.seq} waits for a choice.", f"Make it with 'campaign choose {asked.seq}'.")
    choices = " or ".join((", ".join(CHOICES[asked.type][:-1]), CHOICES[asked.type][-1]))
    return Refused(f"Question #{asked.seq} is not decided by {choice!r}; say {choices}.")


def offering(stands: Standing, seq: int) -> Entry | None:
    """Return the ruling in the action of an entry that offers something, or once did; None for none."""
    rulings = [entry for entry in stands.action(stands.entry(seq).act) if entry.type == MovePlayed.type]
    offers = [entry for entry in rulings if move_of(entry).offered]
    return next((entry for entry in offers if offers_of(stands, entry)), offers[0] if offers else None)


def offers_of(stands: Standing, ruling: Entry) -> bool:
    """Whether something may still be chosen after a ruling: it offers, and its character has not played on."""
    who = ruling.body.get("who", "")
    if ruling.type != MovePlayed.type or stands.mark(who, OFFER) != ruling.seq:
        return False
    for act in takewhile(lambda act: act >= ruling.since, stands.acts_backwards()):
        played = (each for each in stands.action(act) if each.type in {MovePlayed.type, QuestionAsked.type})
        later = any(each.body["who"] == who and each.since > ruling.since for each in played)
        if later and stands.mark(STRUCK, str(act)) is None:
            return False
    return True


def question_of(stands: Standing, seq: int) -> Entry:
    """Return the question that the action of an entry asked; refuses (`UnknownName`) where it asked none."""
    entries = stands.action(stands.entry(seq).act, secrets=True)
    asked = [entry for entry in entries if _asks(entry)]
    exact = next((entry for entry in asked if entry.seq == seq), None)
    if exact is not None or len(asked) == 1:
        return exact or asked[0]
    if asked:
        numbers = ", ".join(f"#{entry.seq}" for entry in asked)
        raise UnknownName(f"The action of #{seq} asked several things: {numbers}.", "Name the one that is meant.")
    raise UnknownName(f"Entry {seq} asks nothing.", "See what waits with 'campaign questions'.")


def _asks(entry: Entry) -> bool:
    if entry.type == ScoreAsserted.type:
        return bool(entry.body["claimed"] != entry.body["stood"])
    return entry.type == QuestionAsked.type or entry.type in CHOICES


def open_question(stands: Standing, question: int) -> Entry:
    """Return a question that waits; refuses one that was answered or struck."""
    answered = stands.mark(QUESTIONS, str(question))
    if answered is None:
        raise Refused(f"Question #{question} was struck.", "See what waits with 'campaign questions'.")
    if answered is not False:
        raise Refused(f"Question #{question} was answered by #{answered}.")
    return stands.entry(question, secrets=True)


def asked_move(asked: Entry, chosen: Mapping[str, Any]) -> Move:
    """Return the move that a question is about, with what was chosen; refuses a question that the GM decides."""
    if asked.type in CHOICES:
        hint = f"Do it with 'campaign decide {asked.seq} {'|'.join(CHOICES[asked.type])} --why TEXT'."
        raise Refused(f"Question #{asked.seq} is decided, not chosen.", hint)
    return move_of(asked).revived({**told(asked.body["inputs"]), **chosen})
