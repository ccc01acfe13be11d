"""The bodies of requests: a class for each command on the page.

`derived_body` makes most of them from the inputs of their command. Seven are written by hand:

- `play`, `choose`, `amend` and `decide`, because their inputs depend on a move, a question or an entry
- `undo`, because it can run several commands, and needs a confirmation if others wrote after the undone actions
- `void`, because it takes ranges, a scene or a session
- `settings`, because one field of its form names the game and the setting
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BeforeValidator, ValidationError, create_model
from pydantic import Field as PydanticField

from ledger import systems
from ledger.commands import at_table, days, seats, turns
from ledger.commands.decider import Command, class_and_subclasses
from ledger.commands.play import PlayMove, RollingCommand
from ledger.commands.roll import Roll
from ledger.corrections import answers, seals, undoing
from ledger.corrections.questions import offering_ruling, question_of, stored_choice
from ledger.errors import BadInput, Refused, Run, UnknownName, join_sorted, quoted
from ledger.reading.amendments import must_change
from ledger.reading.move_inputs import choice_from, choice_of, with_seal
from ledger.reading.names import Names
from ledger.reading.parsing import command_from, parse_inputs, typed_fields
from ledger.reading.stretches import stretch_to_void
from ledger.reading.typed_values import ALL, distinct_names, is_range
from ledger.rules.inputs import AUTOMATIC, MARKS, SEVERAL_PLAYERS, SPEAKER, Label, Typed, is_needed
from ledger.values import Field
from projections.log import Line, actions_by_others_since, line
from projections.returning import start_over
from projections.status import party, session_npcs
from web import requests
from web.campaign import Campaign, Submission
from web.people import Person, may_enter
from web.problems import OthersWrote
from web.requests import Body, ByName, Faces, Kinds, Marks, Number, People, Text, Words


class PlainBody(Body):
    """The base class of the bodies that `derived_body` makes."""

    ambiguous_error: ClassVar[str]

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the command that fits the inputs.

        If `ambiguous_error` is set, raise `BadInput` unless exactly one command fits.
        """
        sent = {name for name in self.model_fields_set - {"faces"} if getattr(self, name) is not None}
        matching = [kind for kind in self.kinds if _needed_inputs(kind) <= sent]
        if self.ambiguous_error:
            matching = [kind for kind in matching if sent <= typed_fields(kind).keys()]
            if len(matching) != 1:
                raise BadInput(self.ambiguous_error)
        kind = max(matching, key=lambda kind: len(_needed_inputs(kind)))
        typed = {
            field.name: value
            for name, field in typed_fields(kind).items()
            if (value := self._typed(name, field, names, person, campaign)) is not None or field.required
        }
        faces = getattr(self, "faces", None) if issubclass(kind, RollingCommand) else None
        if issubclass(kind, Roll):
            return _rolls(names, kind, typed, faces)
        return [(command_from(names, kind, parse_inputs(kind, **typed)), faces)]

    def _typed(self, name: str, field: Field, names: Names, person: Person, campaign: Campaign) -> Any:
        if SPEAKER in field.tags:
            return person.seat
        if AUTOMATIC in field.tags:
            return campaign.offset()
        value = getattr(self, name)
        if SEVERAL_PLAYERS not in field.tags:
            return value
        known = {name.casefold() for name in names.book.players().values()}
        return [name for words in value for name in ([words] if words.casefold() in known else words.split())]


class RollBody(PlainBody):
    """The base class of the body that rolls plain dice. The GM can seal the roll."""

    seal: bool = False
    until: Text = None
    unseen: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the rolls, sealed if `seal` is set. Raise the errors of `with_seal`."""
        seal = campaign.today, self.seal, self.until, self.unseen
        return [
            (with_seal(roll, names.book, *seal), faces) for roll, faces in super().commands(names, person, campaign)
        ]


class NpcBody(PlainBody):
    """The base class of the body that lets non-player characters join. `fresh` resets their scores."""

    fresh: Annotated[bool, PydanticField(title="reset the scores of characters who return")] = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the command that lets the characters join. With `fresh`, add commands that reset their scores.

        Raise the errors of `start_over`.
        """
        ((joins, faces),) = super().commands(names, person, campaign)
        assert isinstance(joins, seats.SeatNpcs)  # noqa: S101  the only command of this body
        return [(command, faces) for command in start_over(names.book, joins)] if self.fresh else [(joins, faces)]


def _rolls(names: Names, kind: type[Roll], typed: Mapping[str, Any], faces: Faces) -> Sequence[Submission]:
    """Return the rolls of one character or of a group. Raise `BadInput` if dice were typed for a group."""
    group = _group(names, typed["who"], faces, npcs=kind.all_includes_npcs)
    inputs = parse_inputs(kind, **typed)
    rolls = [command_from(names, kind, {**inputs, "who": who}) for who in group]
    return [single for roll in rolls for single in roll.single_rolls(names.book, faces)]


def _group(names: Names, typed: str, faces: Faces, *, npcs: bool = False, game: str | None = None) -> Sequence[str]:
    """Return the characters that a name means. Raise `BadInput` if dice were typed for several characters.

    `all` means the characters at the table. With `game`, it means only those with a sheet in this game. With `npcs`,
    `all` includes the session's non-player characters. A range, such as `gob-1..3`, means each character in the range.
    """
    group: Sequence[str]
    if typed == ALL:
        group = [*party(names.book, game), *(session_npcs(names.book) if npcs else [])]
    else:
        group = distinct_names([typed]) if is_range(typed) else [typed]
    if not group:
        raise Refused("Nobody is at the table.", f"See who is here with {Run('status')}.")
    if len(group) > 1 and faces is not None:
        raise BadInput("You typed dice for several characters.", "Leave the dice empty, or roll for one character.")
    return group


def derived_body(*kinds: type[Command], ambiguous_error: str = "", base: type[PlainBody] = PlainBody) -> type[Body]:
    """Return a body with the inputs of these commands, and with the dice if a command rolls any.

    If there are several commands, the one that best fits the sent inputs runs. But with `ambiguous_error`, exactly one
    command must fit. If none or several fit, `ambiguous_error` is the message of the error.
    """
    needed = set.intersection(*map(_needed_inputs, kinds))
    fields: dict[str, Any] = {}
    for name, field in (pair for kind in kinds for pair in typed_fields(kind).items()):
        label = next((tag for tag in field.tags if isinstance(tag, Label)), Label(text=""))
        aliases = AliasChoices(name, *(tag.also for tag in field.tags if isinstance(tag, Typed) and tag.also))
        labeled = PydanticField(
            title=label.text or None,
            description=field.says or None,
            examples=[label.example] if label.example else None,
            validation_alias=aliases,
            json_schema_extra={"lines": label.lines},
        )
        if {SPEAKER, AUTOMATIC}.isdisjoint(field.tags):  # the program fills in inputs with these tags
            kind, left_out = _kind_and_default(field, needed=name in needed)
            fields[name] = (Annotated[kind, labeled], ... if name in needed else left_out)
    if any(issubclass(kind, RollingCommand) for kind in kinds):
        fields["faces"] = (Faces, None)
    body = create_model(f"{kinds[0].__name__}Body", __base__=base, **fields)
    body.kinds, body.ambiguous_error = kinds, ambiguous_error
    return body


def _needed_inputs(kind: type[Command]) -> set[str]:
    return {name for name, field in typed_fields(kind).items() if is_needed(field)}


def _kind_and_default(field: Field, *, needed: bool) -> tuple[Any, Any]:
    if field.keyed:
        return Marks if MARKS in field.tags else ByName, {}
    if field.many:
        return People if SEVERAL_PLAYERS in field.tags else Words, []
    kind = field.kind if field.limit is None else Annotated[field.kind, field.limit]
    if field.kind is bool and not field.optional:
        return kind, False
    return kind if needed else requests.or_none(kind), None


class PlayBody(Body):
    """The body that plays a move of a game. `who` can be a group: `all`, or a range such as `gob-1..3`."""

    kinds: ClassVar[Kinds] = (PlayMove,)
    game: str
    move: str
    inputs: dict[str, Any] = {}
    deed: Annotated[Text, PydanticField(alias="for")] = None
    faces: Faces = None
    seal: bool = False
    until: Text = None
    unseen: bool = False
    new: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        names.new = self.new
        system, move = requests.game_and_move(self.game, self.move)
        who, seal = self.inputs.get("who"), (campaign.today, self.seal, self.until, self.unseen)
        group = _group(names, who, self.faces, game=system.name) if isinstance(who, str) else [who]
        made = [requests.move_from(names, system, move, self._inputs_for(each)) for each in group]
        played = [PlayMove(system=system.name, move=each, deed=self.deed) for each in made]
        return [(with_seal(each, names.book, *seal), self.faces) for each in played]

    def _inputs_for(self, who: Any) -> dict[str, Any]:
        return {**self.inputs, "who": who} if "who" in self.inputs else self.inputs


class ChooseBody(Body):
    """The body that makes an open choice, or accepts an offer."""

    kinds: ClassVar[Kinds] = (answers.Choose, answers.AcceptOffer)
    entry: int
    inputs: dict[str, Any] = {}
    faces: Faces = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the choice. Raise `BadInput` if a required input is missing."""
        ruling = offering_ruling(names.book, names.entry(str(self.entry)))
        asked = (ruling or question_of(names.book, self.entry)).seq
        fields = {field.name: field for field in choice_of(names.book, asked)}
        typed = requests.typed_values(fields, self.inputs)
        given = {name: value for name, value in typed.items() if value not in (None, (), False)}
        if not given or (ruling is None and len(given) < len(fields)):
            raise BadInput("Enter your choice.")
        return [(choice_from(names.book, asked, given), self.faces)]


class UndoBody(Body):
    """The body that undoes a person's last actions. If others have written since, it needs `anyway` or `entry`.

    `entry` is the number of the action that the button names.
    """

    kinds: ClassVar[Kinds] = (undoing.Undo,)
    count: int = 1
    entry: Number = None
    anyway: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the undos of the person's last actions.

        Raise `OthersWrote` if others have written after these actions, unless `entry` or `anyway` is set. Raise
        `Refused` if `entry` is set, but is no longer the earliest of these actions.
        """
        undos = undoing.undos(self.count)
        book, is_repeated = names.book, names.book.current is not names.book
        earliest = list(islice(undoing.next_to_undo(book, person.seat), self.count))[-1:]
        if self.entry is not None and earliest != [self.entry] and not is_repeated:
            raise Refused(f"#{self.entry} is no longer your last action.", "Look at the feed, then try again.")
        others = [one for act in earliest for one in actions_by_others_since(book, act, person.seat)]
        if others and self.entry is None and not (self.anyway or is_repeated):
            raise OthersWrote(_short_line(line(book, book.action(earliest[0]))), map(_short_line, others))
        return [(undo, None) for undo in undos]


def _as_words(typed: Any) -> Any:
    """Return numbers as texts: a program may send one number, or a list of numbers and ranges."""
    return " ".join(map(str, typed)) if isinstance(typed, list) else str(typed)


def _short_line(action: Line) -> str:
    return " ".join(filter(None, (f"#{action.seq}", action.who, action.says)))


class VoidBody(Body):
    """The body that voids entries, ranges like `6-9`, a scene (title or entry) or a session."""

    kinds: ClassVar[Kinds] = (undoing.Void,)
    entry: Annotated[Words, BeforeValidator(_as_words, json_schema_input_type=int | str | list[int | str])] = []
    scene: Text = None
    session: Number = None
    why: str
    cascade: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        act, *also = stretch_to_void(names, self.entry, self.scene, self.session).acts
        return [(undoing.Void(strikes=act, also=tuple(also), why=self.why, cascade=self.cascade), None)]


class SettingsBody(Body):
    """The body that changes a setting of a game, such as `edge/injuries`, from now on."""

    kinds: ClassVar[Kinds] = (at_table.ChangeSettings,)
    setting: str
    value: Annotated[str, PydanticField(title="new value")]
    why: Text = None

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        game, _, name = self.setting.partition("/")
        return [
            (at_table.ChangeSettings(system=systems.find(game).name, values={name: self.value}, why=self.why), None)
        ]


def _is_gm(names: Names, person: Person) -> bool:
    """Return True if the person is now a GM. Anybody else could guess a secret input from the errors about it."""
    return person.with_current_role(names.book).is_gm


class AmendBody(Body):
    """The body that redoes an entry with changed inputs."""

    kinds: ClassVar[Kinds] = (undoing.Amend,)
    entry: int
    why: str
    inputs: dict[str, Any] = {}
    without: Words = []
    faces: Faces = None
    cascade: bool = False

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        seq = names.entry(str(self.entry))
        typed = self.inputs, self.without, self.faces
        inputs, faces = requests.amendment_changes(
            names, seq, *typed, needs_change=_is_gm(names, person), cascade=self.cascade
        )
        return [(undoing.Amend(named=seq, inputs=inputs, faces=faces, cascade=self.cascade, why=self.why), None)]


class DecideBody(AmendBody):
    """The body that answers a question as the GM. The choice `amend` takes the fields of an amendment."""

    kinds: ClassVar[Kinds] = (answers.Decide,)
    choice: str

    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the decision. Changed inputs are used only if the choice is `amend`."""
        question = question_of(names.book, names.entry(str(self.entry)))
        choice = stored_choice(question, self.choice)
        inputs: dict[str, Any] = {}
        faces = None if self.faces is None else tuple(self.faces)
        if choice == "amend" and question.about:
            typed = self.inputs, self.without, self.faces
            needed = _is_gm(names, person) and must_change(names.book, question)
            inputs, faces = requests.amendment_changes(
                names, question.about, *typed, needs_change=needed, cascade=self.cascade
            )
        decide = answers.Decide(
            question=question.seq, choice=choice, why=self.why, inputs=inputs, faces=faces, cascade=self.cascade
        )
        return [(decide, None)]


GM_FORMS = {kind.form: kind for kind in class_and_subclasses(Command) if kind.form}
"""The forms on the GM's page, each with its command."""

BODIES: Mapping[str, type[Body]] = {
    **{form.name: derived_body(kind) for form, kind in GM_FORMS.items()},
    "play": PlayBody,
    "roll": derived_body(Roll, base=RollBody),
    "choose": ChooseBody,
    "undo": UndoBody,
    "redo": derived_body(undoing.Redo),
    "dispute": derived_body(answers.Dispute),
    "assert": derived_body(answers.AssertScores),
    "note": derived_body(at_table.Note),
    "settings": SettingsBody,
    "player": derived_body(seats.Seat),
    "join": derived_body(at_table.Join, seats.ReturnToTable),
    "npc": derived_body(seats.SeatNpcs, base=NpcBody),
    "open-session": derived_body(at_table.OpenSession),
    "close-session": derived_body(at_table.CloseSession),
    "day": derived_body(days.NextDay, days.DaysTo, ambiguous_error="Enter a number of days or the last day, not both."),
    "turn": derived_body(
        turns.AddTurn, turns.RollTurn, ambiguous_error="Enter either a number or dice to roll, such as d20+2."
    ),
    "next-turn": derived_body(turns.NextTurn),
    "end-turns": derived_body(turns.EndTurns),
    "reveal": derived_body(seals.Reveal),
    "void": VoidBody,
    "amend": AmendBody,
    "override": derived_body(answers.Override),
    "decide": DecideBody,
}
"""The bodies of all commands on the page, by name."""


def body_of(name: str, sent: Any, *, strict: bool = False) -> Body:
    """Return the body of a command with the sent values.

    Raise `UnknownName` for an unknown command, and `BadInput` for wrong fields. With `strict`, refuse a number
    that was sent as text. Only a form sends numbers as text.
    """
    kind = BODIES.get(name)
    if kind is None:
        raise unknown_command(name)
    try:
        return kind.model_validate(sent, strict=strict)
    except ValidationError as error:
        labels = {field: info.title for field, info in kind.model_fields.items() if info.title}
        raise requests.wrong_field(error, labels) from None


def unknown_command(name: str) -> UnknownName:
    """Return the error for a command that does not exist. The hint lists all commands of the page."""
    return UnknownName(f"The page has no command called {quoted(name)}.", f"The commands are: {join_sorted(BODIES)}.")


def needs_confirmation(name: str) -> bool:
    """Return True if the page must show a plan before it runs this command."""
    return name in BODIES and any(kind.asks for kind in BODIES[name].kinds)


def commands_for(person: Person) -> frozenset[str]:
    """Return the names of the commands that the page offers to a person."""
    return frozenset(name for name, body in BODIES.items() if any(may_enter(person, kind) for kind in body.kinds))
