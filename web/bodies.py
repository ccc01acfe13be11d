"""Bodies: one for each command that can be said at the page, with the fields that it takes, in one list.

Most follow from the inputs of their command (`plain`); the others take more, or become several commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ValidationError, create_model

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
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove, Roll, Rolled
from ledger.commands.turns import AddTurn, EndTurns, NextTurn, RollTurn
from ledger.corrections.answers import Assert, Choose, Decide, Dispute, Override, Take
from ledger.corrections.questions import offering_ruling, question_of, stored_choice
from ledger.corrections.seals import Reveal
from ledger.corrections.undoing import Amend, Redo, Rewind, Undo, Void, undone_next
from ledger.errors import BadInput, UnknownName, shortened
from ledger.events.types import DisputeRaised, KnockOnFound
from ledger.journal.book import Book
from ledger.reading.move_inputs import choice_of, chosen_inputs, sealed
from ledger.reading.names import Names
from ledger.reading.parsing import command_from, parse_inputs, typed_fields
from ledger.rules.inputs import MARKS, PRESENT, SPEAKER, is_needed
from ledger.values import LARGEST, Field
from projections.log import Line, by_others_since, line
from web.campaign import Campaign, Submission
from web.people import Person, may_say
from web.problems import OthersWrote
from web.requests import (
    Body,
    ByName,
    Faces,
    Kinds,
    Marks,
    Number,
    People,
    Text,
    Words,
    changes,
    game_and_move,
    move_from,
    none_if_empty,
    typed_values,
    wrong_field,
)

MOST_UNDONE = 20


class PlainBody(Body):
    """The inputs of one command; for `plain`."""

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        (kind,) = self.kinds
        typed = {
            field.name: person.seat if SPEAKER in field.tags else getattr(self, name)
            for name, field in typed_fields(kind).items()
        }
        return [(command_from(names, kind, parse_inputs(kind, **typed)), getattr(self, "faces", None))]


def plain(kind: type[Command]) -> type[Body]:
    """The body of a command whose inputs are all that is sent, with the dice if it rolls any."""
    typed = {name: field for name, field in typed_fields(kind).items() if SPEAKER not in field.tags}
    fields: dict[str, Any] = {
        name: (_kind(field), ... if is_needed(field) else _left_out(field)) for name, field in typed.items()
    }
    if issubclass(kind, Rolled):
        fields["faces"] = (Faces, None)
    made = create_model(f"{kind.__name__}Body", __base__=PlainBody, **fields)
    made.kinds = (kind,)
    return made


def _kind(field: Field) -> Any:
    if field.keyed:
        return Marks if MARKS in field.tags else ByName
    if field.many:
        return People if PRESENT in field.tags else Words
    return field.kind if is_needed(field) or not field.optional else Annotated[field.kind | None, EMPTY]


def _left_out(field: Field) -> Any:
    return {} if field.keyed else [] if field.many else None if field.optional else False


EMPTY = BeforeValidator(none_if_empty)


class PlayBody(Body):
    """Play a move of a game."""

    kinds: ClassVar[Kinds] = (PlayMove,)
    game: str
    move: str
    inputs: dict[str, Any] = {}
    faces: Faces = None
    seal: bool = False
    until: Text = None
    unseen: bool = False
    new: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        names.new = self.new
        system, move = game_and_move(self.game, self.move)
        played = PlayMove(system=system.name, move=move_from(names, system, move, self.inputs))
        said = sealed(played, names.book, campaign.today, self.seal, self.until, self.unseen)
        return [(said, self.faces)]


class ChooseBody(Body):
    """Make the choice that waits after the dice, or take up an offer."""

    kinds: ClassVar[Kinds] = (Choose, Take)
    entry: int
    inputs: dict[str, Any] = {}
    faces: Faces = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The choice; refuses one that leaves out what is asked."""
        ruling = offering_ruling(names.book, names.entry(str(self.entry)))
        asked = (ruling or question_of(names.book, self.entry)).seq
        fields = {field.name: field for field in choice_of(names.book, asked)}
        typed = typed_values(fields.values(), self.inputs)
        given = {name: value for name, value in typed.items() if value not in (None, (), False)}
        if not given or (ruling is None and len(given) < len(fields)):
            raise BadInput("Enter your choice.")
        if ruling is not None:
            return [(Take(ruling=asked, chosen=given), self.faces)]
        return [(Choose(question=asked, chosen=chosen_inputs(fields.values(), given)), self.faces)]


class UndoBody(Body):
    """Undo one's own last actions; where others wrote since, only if it says `anyway`."""

    kinds: ClassVar[Kinds] = (Undo,)
    count: int = 1
    anyway: bool = False

    def check(self, book: Book, person: Person) -> None:
        """Refuse (`OthersWrote`) to take back what others may have gone on from."""
        earliest = list(islice(undone_next(book, person.seat), max(self.count, 1)))[-1:]
        others = [one for act in earliest for one in by_others_since(book, act, person.seat)]
        if others and not self.anyway:
            raise OthersWrote(_short_line(line(book, book.action(earliest[0]))), map(_short_line, others))

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        if not 1 <= self.count <= MOST_UNDONE:
            raise BadInput(f"You can undo your last 1 to {MOST_UNDONE} actions, not {self.count}.")
        return [(Undo(), None)] * self.count


def _short_line(action: Line) -> str:
    return " ".join(filter(None, (f"#{action.seq}", action.who, action.says)))


class NoteBody(Body):
    """Write something down; a secret one is for the GM to reveal."""

    kinds: ClassVar[Kinds] = (Note, KeepNote)
    text: str
    secret: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        return [(KeepNote(text=self.text) if self.secret else Note(text=self.text), None)]


class SettingsBody(Body):
    """Decide a setting of a game, named like `edge/injuries`, from now on."""

    kinds: ClassVar[Kinds] = (ChangeSettings,)
    setting: str
    value: str
    why: Text = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        game, _, name = self.setting.partition("/")
        return [(ChangeSettings(system=systems.find(game).name, values={name: self.value}, why=self.why), None)]


class JoinBody(Body):
    """Give a character a sheet in a game, or bring one back."""

    kinds: ClassVar[Kinds] = (Join, Return)
    who: str
    system: Text = None
    scores: ByName = {}

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        if self.system is None:
            return [(Return(who=self.who), None)]
        read = parse_inputs(Join, who=self.who, system=self.system, scores=self.scores)
        return [(command_from(names, Join, read), None)]


class OpenSessionBody(Body):
    """Open a session."""

    kinds: ClassVar[Kinds] = (OpenSession,)
    title: str
    present: People = []

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        known = {name.casefold() for name in names.book.players().values()}
        present = [one for name in self.present for one in ([name] if name.casefold() in known else name.split())]
        read = parse_inputs(OpenSession, title=self.title, present=present)
        return [(command_from(names, OpenSession, read).replace(offset=campaign.offset()), None)]


class DayBody(Body):
    """Begin the next day, so many, or all up to one."""

    kinds: ClassVar[Kinds] = (NextDay,)
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

    kinds: ClassVar[Kinds] = (AddTurn, RollTurn)
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


class AmendBody(Body):
    """Play an entry again in its place, as it should have been said."""

    kinds: ClassVar[Kinds] = (Amend,)
    entry: int
    why: str
    inputs: dict[str, Any] = {}
    without: Words = []
    faces: Faces = None
    cascade: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        seq = names.entry(str(self.entry))
        inputs, faces = changes(names, seq, self.inputs, self.without, self.faces)
        return [(Amend(named=seq, inputs=inputs, faces=faces, cascade=self.cascade, why=self.why), None)]


class DecideBody(AmendBody):
    """Decide what a question asks; the choice `amend` takes what an amendment takes."""

    kinds: ClassVar[Kinds] = (Decide,)
    choice: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """The decision; what is said otherwise goes with amend alone."""
        question = question_of(names.book, names.entry(str(self.entry)))
        choice = stored_choice(question, self.choice)
        about = question.event.about if isinstance(question.event, DisputeRaised | KnockOnFound) else None
        inputs: dict[str, Any] = {}
        faces = None if self.faces is None else tuple(self.faces)
        if choice == "amend" and about:
            inputs, faces = changes(names, about, self.inputs, self.without, self.faces)
        decide = Decide(
            question=question.seq, choice=choice, why=self.why, inputs=inputs, faces=faces, cascade=self.cascade
        )
        return [(decide, None)]


BODIES: Mapping[str, type[Body]] = {
    "play": PlayBody,
    "roll": plain(Roll),
    "choose": ChooseBody,
    "undo": UndoBody,
    "redo": plain(Redo),
    "dispute": plain(Dispute),
    "assert": plain(Assert),
    "note": NoteBody,
    "adjust": plain(Adjust),
    "set": plain(SetMarks),
    "settings": SettingsBody,
    "player": plain(Seat),
    "join": JoinBody,
    "leave": plain(Leave),
    "npc": plain(SeatNpcs),
    "open-session": OpenSessionBody,
    "close-session": plain(CloseSession),
    "scene": plain(SetScene),
    "day": DayBody,
    "turn": TurnBody,
    "next-turn": plain(NextTurn),
    "end-turns": plain(EndTurns),
    "reveal": plain(Reveal),
    "void": plain(Void),
    "amend": AmendBody,
    "rewind": plain(Rewind),
    "override": plain(Override),
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
    return name in BODIES and any(kind.asks for kind in BODIES[name].kinds)


def offered_to(person: Person) -> frozenset[str]:
    """The names of the bodies that the page offers to somebody of this role."""
    return frozenset(name for name, body in BODIES.items() if any(may_say(person, kind) for kind in body.kinds))
