"""Commands about the turn order, which depends on typed or rolled numbers. Games may add moves when a turn starts."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ledger import systems
from ledger.commands.decider import BookDraft, Command, Draft, State, TableCommand
from ledger.commands.play import MoveNeeds, PlayMove
from ledger.commands.roll import Roll
from ledger.commands.sheet import check_plays, plays, table_of
from ledger.errors import Refused, Run
from ledger.events.facts import Amount
from ledger.events.subjects import CAMPAIGN, TURN, TURNS
from ledger.events.types import DiceCounted, TurnAdded, TurnBegan, TurnRolled, TurnsEnded
from ledger.rules.inputs import Typed, Who
from ledger.values import Struct


class TurnPlace(Struct):
    """A character's place in the turn order."""

    who: str
    number: int


def turn_order(state: State) -> list[TurnPlace]:
    """Return the turn order, the highest number first. Equal numbers stay in the order in which they were added."""
    numbers = {who: state.mark(who, TURN) for who in state.mark(CAMPAIGN, TURNS) or ()}
    places = [TurnPlace(who=who, number=number) for who, number in numbers.items() if number is not None]
    return sorted((place for place in places if plays(state, place.who)), key=lambda place: -place.number)


class AddTurn(TableCommand):
    """A command that adds a character to the turn order, or changes the character's number."""

    writes: ClassVar[tuple[str, ...]] = (TurnAdded.type,)
    who: Who
    number: Amount

    def decide(self, draft: Draft) -> None:
        check_plays(draft, self.who)
        draft.add(TurnAdded(who=self.who, number=self.number))


class RollTurn(Roll):
    """A command that rolls for a place in the turn order."""

    writes: ClassVar[tuple[str, ...]] = (TurnRolled.type,)
    may_repeat: ClassVar[bool] = False
    who: Who
    vs: Annotated[int | None, Typed(name="")] = None

    def ask(self, draft: Draft) -> MoveNeeds:
        check_plays(draft, self.who)
        return super().ask(draft)

    def result_event(self, draft: Draft, result: DiceCounted) -> DiceCounted:
        return TurnRolled(**result.__dict__)


class BeginTurn(TableCommand):
    """A command that starts the next turn of the order, as a part of `NextTurn`."""

    writes: ClassVar[tuple[str, ...]] = (TurnBegan.type,)

    def decide(self, draft: Draft) -> None:
        order, last = turn_order(draft), draft.mark(CAMPAIGN, TURN)
        if not order:
            raise Refused("The turn order is empty.", f"Add somebody: {Run('turns add', 'WHO', 'NUMBER')}")

        number, place = 1, order[0]
        if last is not None:
            later = _after(draft, order, last["who"], last["number"])
            number, place = (last["round"], later) if later else (last["round"] + 1, order[0])
        draft.add(TurnBegan(round=number, who=place.who, number=place.number))


def _after(state: State, order: list[TurnPlace], who: str, number: int) -> TurnPlace | None:
    """Return the place after the turn of `who`, which had this number; None at the end of the round."""
    added = [*state.mark(CAMPAIGN, TURNS)]
    last = (-number, added.index(who) if who in added else -1)
    return next((place for place in order if (-place.number, added.index(place.who)) > last), None)


class NextTurn(Command):
    """A command that starts the next turn of the order. It also plays the moves that games add when a turn starts."""

    writes: ClassVar[tuple[str, ...]] = (TurnBegan.type,)

    def decide(self, draft: BookDraft) -> None:
        BeginTurn().decide(draft)
        who = draft.mark(CAMPAIGN, TURN)["who"]
        for name in [name for other, name in draft.sheets() if other == who]:
            system = systems.installed(name)
            move = system.rulebook().new_turn if system else None
            if move is not None and move.is_due(table_of(draft, name), who):
                PlayMove(system=name, move=move(who=who)).decide(draft)


class EndTurns(TableCommand):
    """A command that ends the turn order."""

    writes: ClassVar[tuple[str, ...]] = (TurnsEnded.type,)

    def decide(self, draft: Draft) -> None:
        names = draft.mark(CAMPAIGN, TURNS)
        if names is None:
            raise Refused("There is no turn order.", f"Start one with {Run('turns add', 'WHO', 'NUMBER')}.")
        draft.add(TurnsEnded(names=tuple(names)))
