"""Bodies: one for each command that can be said at the page, with the fields that it takes, in one list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import ValidationError

from ledger import systems
from ledger.commands.at_table import (
    Adjust,
    ChangeSettings,
    CloseSession,
    Join,
    KeepNote,
    Leave,
    Note,
    OpenSession,
    Return,
    Seat,
    SeatNpcs,
    SetMarks,
    SetScene,
)
from ledger.commands.days import NextDay
from ledger.commands.play import PlayMove, Roll
from ledger.commands.turns import AddTurn, EndTurns, NextTurn, RollTurn
from ledger.errors import BadInput, UnknownName, shortened
from ledger.reading.move_inputs import sealed
from ledger.reading.names import Names
from ledger.reading.parsing import command_from, parse_inputs
from ledger.values import LARGEST
from web.campaign import Campaign, Submission
from web.correction_bodies import (
    AmendBody,
    AssertBody,
    ChooseBody,
    DecideBody,
    DisputeBody,
    OverrideBody,
    RedoBody,
    RevealBody,
    RewindBody,
    UndoBody,
    VoidBody,
)
from web.people import Person
from web.requests import Body, ByName, Faces, Marks, Number, People, Text, Words, game_and_move, move_from, wrong_field


class PlayBody(Body):
    """Play a move of a game."""

    game: str
    move: str
    inputs: dict[str, Any] = {}
    faces: Faces = None
    seal: bool = False
    until: Text = None
    unseen: bool = False
    new: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The move, sealed if the body says so."""
        names.new = self.new
        system, move = game_and_move(self.game, self.move)
        played = PlayMove(system=system.name, move=move_from(names, system, move, self.inputs))
        flags = {"seal": self.seal, "until": self.until, "unseen": self.unseen}
        return [(sealed(played, flags, campaign.today), self.faces)]


class RollBody(Body):
    """Roll dice outside any game."""

    who: str
    pool: str
    why: Text = None
    faces: Faces = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The roll."""
        read = parse_inputs(Roll, who=self.who, notation=self.pool, why=self.why)
        return [(command_from(names, Roll, read), self.faces)]


class NoteBody(Body):
    """Write something down; a secret one is for the GM to reveal."""

    text: str
    secret: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The note."""
        return [(KeepNote(text=self.text) if self.secret else Note(text=self.text), None)]


class AdjustBody(Body):
    """Move or set scores by hand."""

    who: str
    scores: ByName
    why: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The adjustment."""
        read = parse_inputs(Adjust, who=self.who, amounts=self.scores, why=self.why)
        return [(command_from(names, Adjust, read), None)]


class SetBody(Body):
    """Set marks by hand."""

    who: str
    values: Marks
    why: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The marks."""
        read = parse_inputs(SetMarks, who=self.who, values=self.values, why=self.why)
        return [(command_from(names, SetMarks, read), None)]


class SettingsBody(Body):
    """Decide a setting of a game, named like `edge/injuries`, from now on."""

    setting: str
    value: str
    why: Text = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The decision."""
        game, _, name = self.setting.partition("/")
        return [(ChangeSettings(system=systems.find(game).name, values={name: self.value}, why=self.why), None)]


class PlayerBody(Body):
    """Seat a player, or give one more characters."""

    name: str
    plays: Words = []
    gm: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The seat."""
        return [(command_from(names, Seat, parse_inputs(Seat, name=self.name, plays=self.plays, gm=self.gm)), None)]


class JoinBody(Body):
    """Give a character a sheet in a game, or bring one back."""

    who: str
    system: Text = None
    scores: ByName = {}

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The sheet."""
        if self.system is None:
            return [(Return(who=self.who), None)]
        read = parse_inputs(Join, who=self.who, system=self.system, scores=self.scores)
        return [(command_from(names, Join, read), None)]


class LeaveBody(Body):
    """Let a character leave the table."""

    who: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The leave."""
        return [(Leave(who=names.character(self.who)), None)]


class NpcBody(Body):
    """Seat non-player characters until the session closes."""

    names: Words

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The seats."""
        return [(command_from(names, SeatNpcs, parse_inputs(SeatNpcs, names=self.names)), None)]


class OpenSessionBody(Body):
    """Open a session."""

    title: str
    present: People = []

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The session."""
        known = {name.casefold() for name in names.book.players().values()}
        present = [one for name in self.present for one in ([name] if name.casefold() in known else name.split())]
        read = parse_inputs(OpenSession, title=self.title, present=present)
        return [(command_from(names, OpenSession, read).replace(offset=campaign.offset()), None)]


class CloseSessionBody(Body):
    """Close the session, and sign the head of the history."""

    signs: ClassVar[bool] = True

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The close."""
        return [(CloseSession(), None)]


class SceneBody(Body):
    """Begin a scene."""

    title: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The scene."""
        return [(SetScene(title=self.title), None)]


class DayBody(Body):
    """Begin the next day, so many, or all up to one."""

    count: Number = None
    to: Number = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The days; refuses (`BadInput`) both at once, and none."""
        if self.count is not None and self.to is not None:
            raise BadInput("Enter a number of days or the last day, not both.")
        if not all(number is None or 1 <= number <= LARGEST for number in (self.count, self.to)):
            raise BadInput("A day must be 1 or higher.")
        return [(NextDay(count=self.count if self.to is not None else self.count or 1, until=self.to), None)]


class TurnBody(Body):
    """Give a character a place in the turn order, by a number or a roll."""

    who: str
    number: Number = None
    pool: Text = None
    faces: Faces = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The place; refuses (`BadInput`) a number and a roll at once, and neither."""
        if (self.number is None) == (self.pool is None):
            raise BadInput("Enter either a number or dice to roll, such as d20+2.")
        if self.pool is not None:
            read = parse_inputs(RollTurn, who=self.who, notation=self.pool)
            return [(command_from(names, RollTurn, read), self.faces)]
        return [(command_from(names, AddTurn, parse_inputs(AddTurn, who=self.who, number=self.number)), None)]


class NextTurnBody(Body):
    """Begin the next turn."""

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The turn."""
        return [(NextTurn(), None)]


class EndTurnsBody(Body):
    """End the turn order."""

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The end."""
        return [(EndTurns(), None)]


BODIES: Mapping[str, type[Body]] = {
    "play": PlayBody,
    "roll": RollBody,
    "choose": ChooseBody,
    "undo": UndoBody,
    "redo": RedoBody,
    "dispute": DisputeBody,
    "assert": AssertBody,
    "note": NoteBody,
    "adjust": AdjustBody,
    "set": SetBody,
    "settings": SettingsBody,
    "player": PlayerBody,
    "join": JoinBody,
    "leave": LeaveBody,
    "npc": NpcBody,
    "open-session": OpenSessionBody,
    "close-session": CloseSessionBody,
    "scene": SceneBody,
    "day": DayBody,
    "turn": TurnBody,
    "next-turn": NextTurnBody,
    "end-turns": EndTurnsBody,
    "reveal": RevealBody,
    "void": VoidBody,
    "amend": AmendBody,
    "rewind": RewindBody,
    "override": OverrideBody,
    "decide": DecideBody,
}
"""What can be said at the page, by its name."""

LABELS: Mapping[tuple[str, str], str] = {
    ("day", "count"): "number of days",
    ("join", "system"): "game",
    ("override", "verdict"): "new verdict",
    ("rewind", "to"): "last entry to keep",
    ("set", "values"): "values",
    ("settings", "value"): "new value",
}
"""Fields of a body that the page calls by another name than their own."""


def body_of(name: str, sent: Any) -> Body:
    """A body as it was sent. Refuses (`UnknownName`) what cannot be said here, and (`BadInput`) what does not fit."""
    kind = BODIES.get(name)
    if kind is None:
        raise UnknownName(f"The page has no command called {shortened(name)}.")
    try:
        return kind.model_validate(sent)
    except ValidationError as error:
        raise wrong_field(error, {field: label for (body, field), label in LABELS.items() if body == name}) from None


def needs_confirmation(name: str) -> bool:
    """Whether the plan of what is said is shown before it is written."""
    return name in BODIES and BODIES[name].asks
