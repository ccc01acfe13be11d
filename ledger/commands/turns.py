"""Commands about the turn order, which depends on typed or rolled numbers. Games may add moves when a turn starts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, ClassVar

from ledger import systems
from ledger.commands.decider import BookDraft, Command, Draft, PageForm, Record, State, TableCommand, TableDraft
from ledger.commands.play import MoveNeeds, PlayMove
from ledger.commands.roll import Roll
from ledger.commands.sheet import check_plays, plays, table_of
from ledger.errors import LedgerError, Refused, Run, with_minus_sign
from ledger.events.entry import Entry, lead_of
from ledger.events.facts import Amount
from ledger.events.subjects import CAMPAIGN, EACH_ROUND, INITIATIVE, TURN, TURNS
from ledger.events.types import (
    DiceCounted,
    DiceThrown,
    InitiativeSet,
    RoundBegan,
    SessionClosed,
    TurnAdded,
    TurnBegan,
    TurnDelayed,
    TurnRolled,
    TurnsEnded,
    TurnSkipped,
)
from ledger.rules.inputs import CAST, Label, Reason, Typed, Who, checked_text
from ledger.values import Struct


class TurnPlace(Struct):
    """A character's place in the turn order."""

    who: str
    number: int


class TurnRound(Struct):
    """A round of turns. `who` has the turn ("" for nobody). `number` is this character's number in the turn order.

    `acted` lists the characters who have had a turn in this round. `delayed` lists the characters who began a
    turn in this round and delayed it.
    """

    round: int
    who: str
    number: int
    acted: tuple[str, ...]
    delayed: tuple[str, ...]


NOT_TYPED = Typed(name="")
"""The tag of the input `by_round`, which nobody types.

`by_round` is False only for turns of earlier versions. Their entries do not list who has acted in the round.
"""


def turn_order(state: State) -> list[TurnPlace]:
    """Return the turn order, the highest number first. The order of equal numbers is in a mark of the campaign."""
    numbers = {who: state.mark(who, TURN) for who in state.mark(CAMPAIGN, TURNS) or ()}
    places = [TurnPlace(who=who, number=number) for who, number in numbers.items() if number is not None]
    return sorted((place for place in places if plays(state, place.who)), key=lambda place: -place.number)


def current_round(state: State) -> TurnRound | None:
    """Return the round, or `None` before the first turn.

    Entries of earlier versions do not list the characters who have acted. For such an entry, the result includes all
    characters from the start of the turn order to the current place.
    """
    last = state.mark(CAMPAIGN, TURN)
    if last is None:
        return None
    acted = last.get("acted")
    if acted is None:
        order = turn_order(state)
        later = _places_after(state, order, last["who"], last["number"])
        acted = [last["who"], *(place.who for place in order if place not in later)]
    return TurnRound(
        round=last["round"],
        who=last["who"],
        number=last["number"],
        acted=tuple(acted),
        delayed=tuple(last.get("delayed", ())),
    )


def places_still_to_act(state: State) -> list[TurnPlace]:
    """Return the places of the characters who have not had a turn in this round, in order."""
    now = current_round(state)
    return [place for place in turn_order(state) if now is None or place.who not in now.acted]


class AddTurn(TableCommand):
    """A command that adds a character to the turn order, or changes the character's number."""

    writes: ClassVar[tuple[str, ...]] = (TurnAdded.type,)
    all_includes_npcs: ClassVar[bool] = True
    who: Who
    number: Amount
    before: Annotated[
        str | None,
        CAST,
        Label(text="acts just before this character (if their numbers are equal)"),
        "act just before this character (both need the same number)",
    ] = None

    def decide(self, draft: Draft) -> None:
        check_plays(draft, self.who)
        if self.before == self.who:
            raise Refused(f"{self.who} cannot act before {self.who}.", f"See the turn order with {Run('turns')}.")
        other = None if self.before is None else _place_of(turn_order(draft), self.before)
        if other is not None and other.number != self.number:
            hint = f"To give {self.who} this place: {Run('turns add', self.who, other.number, before=other.who)}"
            says = f"{other.who} has {with_minus_sign(other.number)}. You can choose the order only for equal numbers."
            raise Refused(says, hint)
        draft.add(TurnAdded(who=self.who, number=self.number, before=self.before))


class RollTurn(Roll):
    """A command that rolls for a place in the turn order."""

    writes: ClassVar[tuple[str, ...]] = (TurnRolled.type,)
    may_repeat: ClassVar[bool] = False
    all_includes_npcs: ClassVar[bool] = True
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
    by_round: Annotated[bool, NOT_TYPED] = True

    def decide(self, draft: Draft) -> None:
        order, now = turn_order(draft), current_round(draft)
        if not order:
            raise _empty_order_error(draft)
        left = places_still_to_act(draft)
        number, place, acted = (now.round if now else 1), (left or order)[0], (now.acted if now else ())
        if now is not None and not left:
            number, acted = now.round + 1, ()
        if not self.by_round:
            number, place = _next_of_earlier_version(draft, order)
            draft.add(TurnBegan(round=number, who=place.who, number=place.number))
            return
        delayed = [who for who in now.delayed if who != place.who] if now and left else ()
        draft.add(
            TurnBegan(
                round=number, who=place.who, number=place.number, acted=(*acted, place.who), delayed=tuple(delayed)
            )
        )


def _empty_order_error(state: State) -> Refused:
    now = current_round(state)
    if now is None:
        return Refused("The turn order is empty.", f"Add somebody: {Run('turns add', 'WHO', 'NUMBER')}")
    return Refused(
        f"Nobody has a number in round {now.round}.", f"Roll or type new numbers: {Run('turns add', 'WHO', 'NUMBER')}"
    )


def _next_of_earlier_version(state: State, order: Sequence[TurnPlace]) -> tuple[int, TurnPlace]:
    """Return the number of the next round, and the next place in it, as an earlier version of the program would.

    Earlier versions went down the turn order from the highest number to the lowest.
    """
    last = state.mark(CAMPAIGN, TURN)
    if last is None:
        return 1, order[0]
    later = _places_after(state, order, last["who"], last["number"])
    return (last["round"], later[0]) if later else (last["round"] + 1, order[0])


def _places_after(state: State, order: Sequence[TurnPlace], who: str, number: int) -> list[TurnPlace]:
    """Return the places after that of `who`. `number` is the number of `who` in the turn order."""
    added = [*(state.mark(CAMPAIGN, TURNS) or ())]
    last = (-number, added.index(who) if who in added else -1)
    return [place for place in order if (-place.number, added.index(place.who)) > last]


class NextTurn(Command):
    """A command that starts the next turn of the order, and plays the moves that games add when a turn starts.

    If a round has ended and everybody gets a new number each round, the command starts the next round instead of a
    turn. Then it rolls again for the characters whose last number the computer rolled.
    """

    writes: ClassVar[tuple[str, ...]] = (TurnBegan.type, RoundBegan.type)
    by_round: Annotated[bool, NOT_TYPED] = True

    def decide(self, draft: BookDraft) -> None:
        before, left = current_round(draft), places_still_to_act(draft)
        if self.by_round and before is not None and not left and draft.mark(CAMPAIGN, EACH_ROUND):
            _begin_round(draft, before.round + 1)
            return
        BeginTurn(by_round=self.by_round).decide(draft)
        who = draft.mark(CAMPAIGN, TURN)["who"]
        if not (left and before is not None and who in before.delayed):
            _start_turn(draft, who)

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        return "" if self.wrote(lead_of(entries)) else None  # nobody types an input


def _start_turn(draft: TableDraft, who: str) -> None:
    """Play the moves that games add when a character's turn starts."""
    for name in [name for other, name in draft.sheets() if other == who]:
        system = systems.installed(name)
        move = system.rulebook().new_turn if system else None
        if move is not None and move.is_due(table_of(draft, name), who):
            PlayMove(system=name, move=move(who=who)).decide(draft)


def _begin_round(draft: BookDraft, number: int) -> None:
    """Start round `number`, and remove all old numbers. If the computer rolled a character's number, roll a new one."""
    order = turn_order(draft)
    if not order:
        raise _empty_order_error(draft)
    rolls = [
        RollTurn(who=who, notation=notation)
        for who, notation in _rolled_by_computer(draft, [place.who for place in order])
    ]
    draft.add(RoundBegan(round=number, names=tuple(place.who for place in order)))
    for roll in [roll for roll in rolls if _may_roll(draft, roll)]:  # the first dice must not be seen before a refusal
        roll.decide(draft)


def _may_roll(draft: Draft, roll: RollTurn) -> bool:
    try:
        roll.ask(draft)
    except LedgerError:
        return False
    return True


def _rolled_by_computer(record: Record, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the characters in `names` whose latest number the computer rolled, each with the dice notation."""
    notations = dict[str, str]()
    for entry in _number_entries_backwards(record):
        event = entry.event
        who = str(event.subject)
        if who in names and who not in notations:
            thrown = record.entry(event.throw).event if isinstance(event, TurnRolled) else None
            is_rolled = isinstance(thrown, DiceThrown) and thrown.source == "machine"
            notations[who] = event.notation if is_rolled and isinstance(event, TurnRolled) else ""
    yield from ((who, notations[who]) for who in names if notations.get(who))


def _number_entries_backwards(record: Record) -> Iterator[Entry]:
    """Yield the entries of this turn order that gave a character a number, the latest first."""
    for act in record.acts_backwards():
        entries = record.action(act)
        for entry in reversed(entries if not record.is_struck(act) else ()):
            if isinstance(entry.event, TurnsEnded | SessionClosed):
                return
            if isinstance(entry.event, TurnAdded | TurnRolled):
                yield entry


class SkipTurn(TableCommand):
    """A command that skips the turn of `who` in this round. Without `who`, it skips the next turn.

    Games may add moves when a turn starts. Because time passes, these moves are played even for a skipped turn, unless
    `always` is given. With `always`, the character takes no more turns.
    """

    writes: ClassVar[tuple[str, ...]] = (TurnSkipped.type,)
    form = PageForm(name="skip-turn", heading="Skip a turn", button="Skip")
    who: Annotated[str | None, CAST, Label(text="whose turn to skip (if empty: the next character's)")] = None
    always: Annotated[
        bool,
        Label(text="skip all later turns too"),
        "skip all later turns too (until you add the character again with 'turns add')",
    ] = False
    why: Reason | None = None

    def decide(self, draft: TableDraft) -> None:
        who = self._skip(draft)
        if not self.always:
            _start_turn(draft, who)

    def replay(self, draft: TableDraft) -> None:
        self._skip(draft)

    def _skip(self, draft: TableDraft) -> str:
        order, now, left = turn_order(draft), current_round(draft), places_still_to_act(draft)
        if not order:
            raise _empty_order_error(draft)
        new_round = now is None or not (left or self.always)
        if now is not None and new_round and draft.mark(CAMPAIGN, EACH_ROUND):
            raise Refused(f"Round {now.round} is over.", f"Start the next round first: {Run('turns next')}")
        place = (left or order)[0]
        if self.who is not None:
            place = _place_of(order, self.who)
        if now is not None and not (new_round or self.always):
            _check_may_act(now, place.who)
        was = now or TurnRound(round=0, who="", number=0, acted=(), delayed=())
        acted = () if new_round else was.acted
        holder = "" if new_round or was.who == place.who else was.who
        draft.add(
            TurnSkipped(
                round=was.round + 1 if new_round else was.round,
                who=place.who,
                number=place.number,
                acted=tuple(dict.fromkeys((*acted, place.who))),
                delayed=() if new_round else tuple(who for who in was.delayed if who != place.who),
                turn=holder,
                always=self.always,
                why=None if self.why is None else checked_text("A reason", self.why),
            )
        )
        return place.who

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        who = self.who or self.recorded_inputs(lead_of(entries))["who"]
        return TableCommand.difference_from(self.replace(who=who), entries)


def _place_of(order: Sequence[TurnPlace], who: str) -> TurnPlace:
    """Return a character's place in the order. Raise `Refused` if the character has none."""
    place = next((place for place in order if place.who == who), None)
    if place is None:
        raise Refused(f"{who} is not in the turn order.", f"Add {who}: {Run('turns add', who, 'NUMBER')}")
    return place


def _check_may_act(now: TurnRound, who: str) -> None:
    """Raise `Refused` if a character has already had a turn in this round."""
    if who == now.who:
        raise Refused(f"It is already {who}'s turn.", f"To start the next turn: {Run('turns next')}")
    if who in now.acted:
        raise Refused(f"{who}'s turn in round {now.round} is over.", f"See the turn order with {Run('turns')}.")


class DelayTurn(TableCommand):
    """A command that lets a character act later in this round: at a number, or right after another character.

    Default: after the next character. The character keeps the new number. If the turn has already started, it continues
    later without the moves of its start.
    """

    writes: ClassVar[tuple[str, ...]] = (TurnDelayed.type,)
    form = PageForm(name="delay-turn", heading="Delay a turn", button="Delay")
    who: Who
    number: Annotated[Amount | None, Label(text="new number")] = None
    after: Annotated[
        str | None,
        CAST,
        Label(text="act right after this character (if empty: after the next character)"),
        "act right after this character",
    ] = None

    def decide(self, draft: Draft) -> None:
        place, now = _place_of(turn_order(draft), self.who), current_round(draft)
        if now is None:
            hint = f"Change the number: {Run('turns add', self.who, 'NUMBER')}"
            raise Refused("Nobody has had a turn yet, so there is nothing to delay.", hint)
        has_turn = self.who == now.who
        if not has_turn:
            _check_may_act(now, self.who)
        left = places_still_to_act(draft)
        later = left if has_turn else left[left.index(place) + 1 :]
        if not later:
            hint = f"To change the number from the next round on: {Run('turns add', self.who, 'NUMBER')}"
            raise Refused(f"Nobody acts after {self.who} in round {now.round}.", hint)
        after = later[0] if self.number is None else None
        if self.after is not None:
            after = next((other for other in later if other.who == self.after), None)
            if after is None:
                hint = f"See the turn order with {Run('turns')}."
                raise Refused(f"{self.after} does not act after {self.who} in round {now.round}.", hint)
        number = after.number if after and self.number is None else self.number
        assert number is not None  # noqa: S101  without a number, there is a character to act after
        if number > later[0].number:
            hint = f"To act right after {later[0].who}: {Run('turns delay', self.who)}"
            new, old = with_minus_sign(number), with_minus_sign(later[0].number)
            raise Refused(
                (f"{later[0].who} acts next, at {old}. You cannot delay a turn to {new}, because that is earlier."),
                hint,
            )
        draft.add(
            TurnDelayed(
                who=self.who,
                number=number,
                after=after.who if after and after.number == number else None,
                round=now.round,
                turn="" if has_turn else now.who,
                acted=tuple(who for who in now.acted if who != self.who),
                delayed=(*now.delayed, self.who) if has_turn else now.delayed,
            )
        )

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        recorded = self.recorded_inputs(lead_of(entries))
        number = recorded["number"] if self.number is None else self.number
        after = recorded["after"] if self.after is None and self.number is None else self.after
        return TableCommand.difference_from(self.replace(number=number, after=after), entries)


class EndTurns(TableCommand):
    """A command that ends the turn order and removes everybody from it."""

    writes: ClassVar[tuple[str, ...]] = (TurnsEnded.type,)

    def decide(self, draft: Draft) -> None:
        names = draft.mark(CAMPAIGN, TURNS)
        if names is None:
            raise Refused("There is no turn order.", f"Start one with {Run('turns add', 'WHO', 'NUMBER')}.")
        draft.add(TurnsEnded(names=tuple(names)))


class SetInitiative(TableCommand):
    """A command that sets whether everybody gets a new number in the turn order each round."""

    writes: ClassVar[tuple[str, ...]] = (InitiativeSet.type,)
    form = PageForm(name="initiative", heading="Initiative", button="Save")
    each_round: Annotated[bool, Label(text="new numbers each round")] = False
    why: Reason | None = None

    def decide(self, draft: Draft) -> None:
        if bool(draft.mark(CAMPAIGN, EACH_ROUND)) == self.each_round:
            setting = INITIATIVE[self.each_round]
            raise Refused(f"Initiative is already set to {setting}.")
        why = None if self.why is None else checked_text("A reason", self.why)
        draft.add(InitiativeSet(each_round=self.each_round, why=why))
