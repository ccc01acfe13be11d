"""Corrections: strikes, questions and answers, decided like everything else. Nothing is taken back.

A strike is a new entry that names an action; the accounts turn its postings round and pass its marks over. With an
action fall the answers that played on from its questions. An action stands unless a standing action strikes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ledger import systems
from ledger.canonical import changed
from ledger.deciding import Command, Plan, Standing
from ledger.dice import Die, Throw
from ledger.errors import Refused, UnknownName
from ledger.events import QUESTIONS, STRUCK, ActionStruck, Entry, Mark, MovePlayed, QuestionAsked, Said
from ledger.play import rule_on, table_of
from ledger.rules import Move
from ledger.words import commitments

ERASED = "(erased)"


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
        table = table_of(stands, system.name, asked.body)
        dice = [Die(sides=die["sides"], face=die["face"], digits=_pair(die["digits"])) for die in asked.body["dice"]]
        move.agree(table, [die.face for die in dice])
        throws = tuple(asked.body["throws"])
        rule_on(stands, plan, system, move, table, dice, throws=throws, answers=self.question)

    def content(self) -> dict[str, Any]:
        """Return the question and what was chosen."""
        return {"question": self.question, **self.chosen}

    def content_of(self, entries: Sequence[Entry]) -> dict[str, Any] | None:
        """Return what was said when an action was written, None where it answered nothing."""
        first = next((entry for entry in entries if entry.body.get("answers") is not None), None)
        if first is None:
            return None
        return {"question": first.body["answers"], **{name: first.body["inputs"].get(name) for name in self.chosen}}


def question_of(stands: Standing, seq: int) -> Entry:
    """Return the question that the action of an entry asked; refuses (`UnknownName`) where it asked none."""
    entries = stands.action(stands.entry(seq).act, secrets=True)
    asked = [entry for entry in entries if entry.type == QuestionAsked.type]
    if asked:
        return next((entry for entry in asked if entry.seq == seq), asked[0])
    raise UnknownName(f"Entry {seq} asks nothing.", "See what waits with 'campaign questions'.")


def open_question(stands: Standing, question: int) -> Entry:
    """Return a question that waits; refuses one that was answered or struck."""
    answered = stands.mark(QUESTIONS, str(question))
    if answered is None:
        raise Refused(f"Question #{question} was struck.")
    if answered is not False:
        raise Refused(f"Question #{question} was answered by #{answered}.")
    return stands.entry(question, secrets=True)


def asked_move(asked: Entry, chosen: Mapping[str, Any]) -> Move:
    """Return the move that a question is about, with what was chosen."""
    move = systems.find(asked.body["system"]).move(asked.body["move"])
    if move is None or not set(asked.body["asks"]) <= move.fields().keys():
        raise UnknownName(
            f"The {asked.body['system']} that is installed here does not know what question #{asked.seq} asks."
        )
    return move.revived({**_told(asked.body["inputs"]), **chosen})


def _told(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of a question; words that were erased meanwhile say so in the answer."""
    erased = {field: ERASED for field, kind, _ in commitments(inputs) if kind == Said.KEY}
    told: dict[str, Any] = changed(inputs, erased)
    return told


def _pair(digits: list[int] | None) -> tuple[int, int] | None:
    return None if digits is None else (digits[0], digits[1])


class Undo(Command):
    """Strike the last standing action, whole; undos themselves are left aside."""

    writes: ClassVar[tuple[str, ...]] = (ActionStruck.type,)

    def decide(self, stands: Standing, plan: Plan, thrown: Throw | None) -> None:
        """Find it and strike it; refuses where only the opening of the campaign is left."""
        act = next(act for act in stands.acts_backwards() if _may_be_undone(stands, act))
        if act == 1:
            raise Refused("There is nothing left to undo.")
        plan.add(struck(stands, act, plan.next))


def struck(stands: Standing, act: int, seq: int) -> ActionStruck:
    """Return the strike of an action, with the answers that fall with it."""
    falls = dict.fromkeys(_falling(stands, act))
    marks = tuple(Mark(who=STRUCK, name=str(fallen), value=seq) for fallen in falls)
    return ActionStruck(strikes=act, how="undo", why=None, marks=marks)


def _falling(stands: Standing, act: int) -> Iterator[int]:
    yield act
    for entry in stands.action(act):
        if entry.type == QuestionAsked.type:
            answer = stands.mark(QUESTIONS, str(entry.seq))
            if answer:
                yield from _falling(stands, stands.entry(answer).act)


def _may_be_undone(stands: Standing, act: int) -> bool:
    if stands.mark(STRUCK, str(act)) is not None:
        return False
    first = stands.action(act)[0]
    return not (first.type == ActionStruck.type and first.body["how"] == "undo")
