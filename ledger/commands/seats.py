"""Commands about who is at the table: players, characters who come and go, and non-player characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ledger.commands.decider import PageForm, Record, State, TableCommand, TableDraft
from ledger.commands.naming import FullName, check_new_handle, check_player_name, full_name
from ledger.commands.sheet import check_not_held, check_plays, how_to_bring_back, is_played_by_gm, plays
from ledger.errors import BadInput, Flag, Nobody, Refused, Run, quoted
from ledger.events import types as events
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN, CAST, PLAYER, is_npc, is_seated, player_of
from ledger.rules import inputs
from ledger.rules.inputs import LONGEST_NAME, Label, Typed, checked_text


class Seat(TableCommand):
    """A command that adds or brings back a player, or changes what the player plays and who is a GM."""

    writes: ClassVar[tuple[str, ...]] = (events.PlayerSeated.type,)
    name: Annotated[str, inputs.PLAYER_NAME]
    plays: Annotated[
        tuple[str, ...], inputs.OWN_CAST, inputs.MAY_BE_EMPTY, Label(text="characters"), "the characters of this player"
    ]
    gm: Annotated[bool, "make this player a GM"]
    no_gm: Annotated[bool, inputs.NOT_AMENDABLE, "make this player an ordinary player again"] = False
    session: Annotated[
        bool, inputs.NOT_AMENDABLE, Label(text="only for this session"), "lend the characters until the session closes"
    ] = False

    def decide(self, draft: TableDraft) -> None:
        name = checked_text("A name", self.name, LONGEST_NAME)
        check_player_name(self.name)
        for who in self.plays:
            check_new_handle(draft, who)
            if is_played_by_gm(draft, who) and plays(draft, who):
                raise Refused(f"{who} is a non-player character, played by the GM.")
        here, left = (_seat_of(self.name, players) for players in (draft.players(), draft.former_players()))
        if here is not None and not (self.plays or self.gm or self.no_gm or self.session):
            raise Refused(f"{self.name} is already at the table, as {here}.")
        player = here or left or f"p{draft.last_handle_number() + 1}"
        for handle, other in draft.current_players().items():
            if other.casefold() == self.name.casefold() and handle != player:
                raise Refused(f"{other} is already at the table, as {handle}.")
        if self.no_gm:
            self._check_can_step_down(draft, player)
        session = self._session_of_loan(draft, player) if self.session else None
        draft.add(
            events.PlayerSeated(
                player=player, name=name, gm=self.gm, plays=self.plays, no_gm=self.no_gm, session=session
            )
        )

    def _check_can_step_down(self, draft: TableDraft, player: str) -> None:
        if self.gm:
            raise BadInput(f"You cannot use {Flag('gm')} and {Flag('no-gm')} together.")
        if not draft.mark(player, "gm"):
            raise Refused(f"{self.name} is not a GM.")
        _check_other_gm(draft, player, self.name)

    def _session_of_loan(self, draft: TableDraft, player: str) -> int:
        """Return the number of the open session, during which the player borrows the characters in `plays`.

        Raise `Refused` if the player already plays one of them.
        """
        session = open_session_number(draft)
        if not self.plays:
            raise BadInput(f"{Flag('session')} lends characters. To name the characters, add {Flag('plays', 'WHO')}.")
        for who in self.plays:
            check_plays(draft, who)
            if player_of(draft.mark, who) == player:
                raise Refused(f"{self.name} already plays {who}.")
        return session

    @classmethod
    def recorded_inputs(cls, entry: Entry) -> dict[str, Any]:
        facts = super().recorded_inputs(entry)
        return {**facts, "session": facts["session"] is not None}


def _seat_of(name: str, players: Mapping[str, str]) -> str | None:
    return next((handle for handle, other in players.items() if other.casefold() == name.casefold()), None)


def _check_other_gm(draft: TableDraft, player: str, name: str) -> None:
    """Raise `Refused` if the player is the only GM at the table."""
    if not any(draft.mark(other, "gm") for other in draft.players() if other != player):
        hint = f"Make another player a GM first: {Run('player', 'NAME', gm=True)}"
        raise Refused(f"{name} is the only GM.", hint)


class SeatNpcs(TableCommand):
    """A command that lets non-player characters play until the session closes."""

    writes: ClassVar[tuple[str, ...]] = (events.NpcsSeated.type,)
    names: Annotated[tuple[str, ...], inputs.NPCS, Label(text="names", example="bandit-1..4")]

    def decide(self, draft: TableDraft) -> None:
        session = open_session_number(draft)
        for who in self.names:
            check_new_handle(draft, who)
            if is_played_by_gm(draft, who) and plays(draft, who):
                hint = f"To reset the scores: {Run('npc', who, fresh=True)}"
                raise Refused(f"{who} already plays in this session.", hint)
            if plays(draft, who):
                raise Refused(f"The name {who} is already taken.", "Choose a different name.")
            if draft.mark(CAST, who) is False or draft.mark(who, PLAYER) is not None:
                raise Refused(f"{who} is the name of a player's character.", "Choose a different name.")
        draft.add(events.NpcsSeated(session=session, names=self.names))


class Leave(TableCommand):
    """A command that removes a character from play, or a player from the table. Sheets are kept."""

    writes: ClassVar[tuple[str, ...]] = (events.CharacterLeft.type, events.PlayerLeft.type)
    form = PageForm(name="leave", heading="Leave", button="Leave the table")
    who: Annotated[str, inputs.ANYBODY, Label(text="character or player")]
    why: inputs.Reason | None = None

    def decide(self, draft: TableDraft) -> None:
        why = None if self.why is None else checked_text("A reason", self.why)
        if is_seated(draft.mark, self.who):
            if draft.mark(self.who, "gm"):
                _check_other_gm(draft, self.who, draft.players()[self.who])
            draft.add(events.PlayerLeft(who=self.who, why=why))
            return
        if draft.mark(CAST, self.who) is False:
            raise Refused(
                f"{self.who} has already left the table.", f"To bring {self.who} back: {Run('join', self.who)}"
            )
        check_plays(draft, self.who)
        check_not_held(draft, (self.who,))
        draft.add(events.CharacterLeft(who=self.who, why=why))


class RecordArrival(TableCommand):
    """A command that records players as present in the open session. `acted` is the action that showed their presence.

    It leaves out the players who are present already, such as the GM.
    """

    writes: ClassVar[tuple[str, ...]] = (events.PlayersPresent.type,)
    for_players: ClassVar[bool] = True
    form = PageForm(name="present", heading="Who is present", button="Add to this session")
    players: Annotated[
        tuple[str, ...],
        inputs.ALL_PLAYERS,
        inputs.SEVERAL_PLAYERS,
        Label(text="who is present", example="Ana, Ben"),
    ]
    acted: Annotated[int | None, inputs.NOT_AMENDABLE, Typed(name="")] = None

    def decide(self, draft: TableDraft) -> None:
        session, present, names = open_session_number(draft), draft.present_players(), draft.players()
        if present is None:
            raise Refused(f"Session {session} has no list of who is present, so everybody counts as present.")
        for player in self.players:
            if player not in names:
                raise Nobody(quoted(player), "player")
        arriving = tuple(player for player in self.players if player not in present)
        if not arriving:
            is_one = len(self.players) == 1
            raise Refused(f"{names[self.players[0]]} is already present." if is_one else "They are already present.")
        draft.add(events.PlayersPresent(session=session, players=arriving, acted=self.acted))

    def difference_from(self, entries: Sequence[Entry]) -> str | None:
        recorded = self.recorded_inputs(lead_of(entries))["players"] or ()
        same = {*recorded} <= {*self.players}  # the others were present already
        return TableCommand.difference_from(self.replace(players=recorded) if same else self, entries)

    def acting_characters(self, record: Record, seat: str) -> Sequence[str]:
        return () if self.acted is not None or {*self.players} == {seat} else (CAMPAIGN,)


def acting_players(state: State, entries: Sequence[Entry]) -> list[str]:
    """Return the players who must be present if an action happened: its author, and the player of its character.

    Corrections, departures, and entries about the book itself do not show that anybody is present.
    """
    lead, seats = lead_of(entries), list[Any]()
    match lead.event:
        case events.Correction() | events.OfTheBook() | events.PlayerLeft():
            pass
        case events.PlayerSeated(player=player, session=lent_in):
            seats = [] if lent_in is None else [player]
        case events.RulingEvent() | events.ScoresGiven():
            seats = [lead.by, player_of(state.mark, lead.event.subject)]
        case _:
            seats = [lead.by]
    return [seat for seat in dict.fromkeys(seats) if seat is not None and is_seated(state.mark, seat)]


class ReturnToTable(TableCommand):
    """A command that brings a character back with the old sheets, or adds a new character with a full name."""

    writes: ClassVar[tuple[str, ...]] = (events.CharacterReturned.type,)
    who: Annotated[str, inputs.NEW_NAME]
    name: FullName = None

    def decide(self, draft: TableDraft) -> None:
        check_new_handle(draft, self.who)
        seat, is_here = draft.mark(CAST, self.who), plays(draft, self.who)
        if seat is None and not is_here and self.name is None:
            new, named = Run("player", "NAME", plays=self.who), Run("join", self.who, name="NAME")
            back = how_to_bring_back(draft, self.who, has_sheet=bool(draft.score_names(self.who)))
            hint = back or f"To add a new character, type {new} or {named}."
            raise Nobody(quoted(self.who), "character", hint)
        if is_npc(seat) and not is_here:
            raise Nobody(quoted(self.who), "character", how_to_bring_back(draft, self.who, has_sheet=False))
        if is_here:
            hint = f"To add a sheet for a game: {Run('join', self.who, 'GAME', 'SCORE=N…')}"
            if self.name is not None:
                hint = f"To change the name: {Run('rename', self.who, 'NAME')}"
            raise Refused(f"{self.who} is already at the table.", hint)
        name = None if self.name is None else full_name(draft, self.name, self.who)
        draft.add(events.CharacterReturned(who=self.who, name=name))


def open_session_number(state: State) -> int:
    """Return the number of the open session. Raise `Refused` if no session is open."""
    number = state.mark(CAMPAIGN, "session")
    if number is None:
        raise Refused("No session is open.", f"Open one with {Run('session open', 'TITLE')}.")
    return int(number)
