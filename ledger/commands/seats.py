"""Commands about who is at the table: players, characters who come and go, and non-player characters."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ledger.commands.decider import Draft, State, TableCommand, TableDraft
from ledger.commands.naming import FullName, check_new_handle, check_player_name, full_name
from ledger.commands.sheet import check_not_held, check_plays, is_played_by_gm, plays
from ledger.errors import Nobody, Refused, Run, quoted
from ledger.events import types as events
from ledger.events.subjects import CAMPAIGN, CAST
from ledger.rules import inputs
from ledger.rules.inputs import LONGEST_NAME, Label, Who, checked_text


class Seat(TableCommand):
    """A command that adds a player, gives a player more characters, or makes a player a GM."""

    writes: ClassVar[tuple[str, ...]] = (events.PlayerSeated.type,)
    name: Annotated[str, inputs.PLAYER_NAME]
    plays: Annotated[
        tuple[str, ...], inputs.OWN_CAST, inputs.MAY_BE_EMPTY, Label(text="characters"), "the characters of this player"
    ]
    gm: Annotated[bool, "make this player a GM"]

    def decide(self, draft: TableDraft) -> None:
        name = checked_text("A name", self.name, LONGEST_NAME)
        check_player_name(self.name)
        for who in self.plays:
            check_new_handle(draft, who)
            if is_played_by_gm(draft, who) and plays(draft, who):
                raise Refused(f"{who} is a non-player character, played by the GM.")
        players = draft.players()
        seat = next((handle for handle, other in players.items() if other.casefold() == self.name.casefold()), None)
        if seat is not None and not (self.plays or self.gm):
            raise Refused(f"{self.name} is already at the table, as {seat}.")
        player = seat or f"p{draft.last_handle_number() + 1}"
        for handle, other in draft.current_players().items():
            if other.casefold() == self.name.casefold() and handle != player:
                raise Refused(f"{other} is already at the table, as {handle}.")
        draft.add(events.PlayerSeated(player=player, name=name, gm=self.gm, plays=self.plays))


class SeatNpcs(TableCommand):
    """A command that lets non-player characters play until the session closes."""

    writes: ClassVar[tuple[str, ...]] = (events.NpcsSeated.type,)
    names: Annotated[tuple[str, ...], inputs.NPCS]

    def decide(self, draft: TableDraft) -> None:
        session = open_session_number(draft)
        for who in self.names:
            check_new_handle(draft, who)
            if plays(draft, who):
                raise Refused(f"The name {who} is already taken.", "Choose a different name.")
            if draft.mark(CAST, who) is False:
                raise Refused(f"{who} is the name of a player's character.", "Choose a different name.")
        draft.add(events.NpcsSeated(session=session, names=self.names))


class Leave(TableCommand):
    """A command that removes a character from play. The sheets are kept."""

    writes: ClassVar[tuple[str, ...]] = (events.CharacterLeft.type,)
    who: Who

    def decide(self, draft: Draft) -> None:
        check_plays(draft, self.who)
        check_not_held(draft, (self.who,))
        draft.add(events.CharacterLeft(who=self.who))


class Return(TableCommand):
    """A command that brings a character back to the table, with the old sheets; or a new one with a full name."""

    writes: ClassVar[tuple[str, ...]] = (events.CharacterReturned.type,)
    who: Annotated[str, inputs.NEW_NAME]
    name: FullName = None

    def decide(self, draft: TableDraft) -> None:
        check_new_handle(draft, self.who)
        seat, is_here = draft.mark(CAST, self.who), plays(draft, self.who)
        if seat is None and not is_here and self.name is None:
            new, named = Run("player", "NAME", plays=self.who), Run("join", self.who, name="NAME")
            raise Nobody(quoted(self.who), "character", f"To add a new character, type {new} or {named}.")
        if seat is not False and (is_here or seat is not None):
            hint = f"To add a sheet for a game: {Run('join', self.who, 'GAME', 'SCORE=N…')}"
            if self.name is not None:
                hint = f"To change the name: {Run('rename', self.who, 'NAME')}"
            raise Refused(f"{self.who} {'is already at' if is_here else 'never left'} the table.", hint)
        name = None if self.name is None else full_name(draft, self.name, self.who)
        draft.add(events.CharacterReturned(who=self.who, name=name))


def open_session_number(state: State) -> int:
    """Return the number of the open session. Raise `Refused` if no session is open."""
    number = state.mark(CAMPAIGN, "session")
    if number is None:
        raise Refused("No session is open.", f"Open one with {Run('session open', 'TITLE')}.")
    return int(number)
