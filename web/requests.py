"""The conversion of form fields and JSON to commands.

Both have the same field names. A form sends only text; a program may also send numbers and lists. The inputs of a move
are under `inputs`. Unknown fields are refused.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model

from ledger import systems
from ledger.commands.decider import Command
from ledger.commands.play import PlayMove
from ledger.corrections.actions import part_of
from ledger.errors import BadInput, Refused, UnknownName, join_sorted, quoted
from ledger.hints import Flag, InputName
from ledger.reading.amendments import amendable_inputs, changed_inputs, check_changes, faces_for
from ledger.reading.move_inputs import named_inputs, own_names
from ledger.reading.names import Names
from ledger.reading.typed_values import pairs, whole_number
from ledger.reading.validation import MESSAGES, fault_of, join_in_words
from ledger.rules.dice import D100, FATE_SIGNS
from ledger.rules.inputs import AT_TABLE, CAST, NOTATION, WORDS, Label, name_prefixes, numbers_by_name, sheet_tag
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import Field
from projections.phrases import describe_entry
from web.campaign import Campaign, Submission
from web.people import Person
from web.problems import WrongField

LABELS = {"faces": "dice", "for": "what the character attempts", "new": "this is a new name", "ranks": "skill name"}
"""The labels of inputs and flags whose label in a form differs from their name."""

TYPES_OF_FIELDS: Mapping[Any, tuple[type, str]] = {int: (int, "int_type"), bool: (bool, "bool_type")}
"""For each type of input except text: the type of its JSON value, and the pydantic error for any other type."""

SEPARATORS = str.maketrans(",;", "  ")
FULL_STOP_TO_SPACE = str.maketrans(".", " ")
"""A replacement of full stops with spaces: the number keyboards of some phones have neither spaces nor commas."""
NEXT_PAIR_PATTERN = re.compile(r"(?:[,;]|(?<!\s))\s++(?=[^\s=,;]++=)")
"""The separator between NAME=VALUE pairs, whose values may have commas and spaces.

It starts only at the first of several spaces, and does not try fewer of them, so a line of many spaces is not slow.
"""
QUOTED_VALUE_PATTERN = re.compile(r"(?<![^=])([^=]++=)([\"'])(.*)\2", re.DOTALL)
"""A NAME=VALUE pair with a value in quotes. It does not start inside a name, so a long name is not slow."""


def _numbers(typed: Any) -> Any:
    if not isinstance(typed, str):
        return typed
    words, known = typed.translate(SEPARATORS | FULL_STOP_TO_SPACE).split(), {"00": D100, **FATE_SIGNS}
    if (word := next((word for word in words if not (word.isdecimal() or word in known)), None)) is not None:
        raise BadInput(f"{quoted(word)} is not a die result.", "Type a number for each die, like 7 3.")
    return [known[word] if word in known else whole_number(word) for word in words] or None


def _split_words(typed: Any) -> Any:
    return typed.translate(SEPARATORS).split() if isinstance(typed, str) else typed


def _people(typed: Any) -> Any:
    """Split players' names at commas and semicolons. A text without these is one name, which may have spaces."""
    if not isinstance(typed, str):
        return typed
    return [name for name in map(str.strip, re.split("[,;]", typed)) if name] if re.search("[,;]", typed) else [typed]


def _names_with_numbers(typed: Any) -> Any:
    if isinstance(typed, str):
        typed = pairs(typed.replace(",", " ").split(), "a score like edge=3")
    if not isinstance(typed, dict):
        return typed
    return {name: _as_typed(value) for name, value in typed.items()}


def _as_typed(value: Any) -> Any:
    """Return a number or a boolean from JSON as people type it, such as "5" or "yes"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else value


def _marks(typed: Any) -> Any:
    """Convert a typed line of NAME=VALUE pairs to a mapping from names to values.

    A value may have commas and spaces, or be in quotes. A mapping is accepted too.
    """
    return _names_with_numbers(pairs(_split_pairs(typed), "a value like care=no") if isinstance(typed, str) else typed)


def _split_pairs(line: str) -> list[str]:
    return [QUOTED_VALUE_PATTERN.sub(r"\1\3", pair) for pair in NEXT_PAIR_PATTERN.split(line.strip()) if pair]


def or_none(kind: Any) -> Any:
    """Return a type that converts an empty form field to `None`."""
    return Annotated[kind | None, BeforeValidator(_none_if_empty, json_schema_input_type=kind | Literal[""] | None)]


def _none_if_empty(typed: Any) -> Any:
    return None if typed == "" else typed


# `json_schema_input_type` describes what programs may send: the same text as a form, or JSON.
Faces = Annotated[list[int] | None, BeforeValidator(_numbers, json_schema_input_type=list[int] | str | None)]
Words = Annotated[list[str], BeforeValidator(_split_words, json_schema_input_type=list[str] | str)]
People = Annotated[list[str], BeforeValidator(_people, json_schema_input_type=list[str] | str)]
NamedValues = dict[str, str | int | bool] | str
ByName = Annotated[dict[str, str], BeforeValidator(_names_with_numbers, json_schema_input_type=NamedValues)]
Marks = Annotated[dict[str, str], BeforeValidator(_marks, json_schema_input_type=NamedValues)]
Text = Annotated[str | None, BeforeValidator(_none_if_empty, json_schema_input_type=str | None)]
Number = Annotated[int | None, BeforeValidator(_none_if_empty, json_schema_input_type=int | Literal[""] | None)]


Kinds = tuple[type[Command], ...]


class Body(BaseModel):
    """The content of a request that runs a command, from a form or a program."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    kinds: ClassVar[Kinds]
    """The classes of the commands that the body may run."""

    @abstractmethod
    def commands(self, names: Names, person: Person, campaign: Campaign) -> Sequence[Submission]:
        """Return the commands to run. Raise an error for unknown names and invalid values."""


def as_body(form: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return form fields as a body: `inputs.skill` becomes `skill` under `inputs`, and repeated names become a list."""
    body: dict[str, Any] = {}
    for name, value in form:
        outer, _, inner = name.partition(".")
        target, key = (body.setdefault(outer, {}), inner) if inner else (body, outer)
        if not isinstance(target, dict):
            twice = quoted(outer)
            raise BadInput(f"Send {twice} only once: either as a single value, or as a list of names with values.")
        if key in target:
            before = target[key]
            target[key] = [*(before if isinstance(before, list) else [before]), value]
        else:
            target[key] = value
    return body


def game_and_move(game: str, name: str) -> tuple[System, type[Move]]:
    """Return a game and one of its moves by name. Raise `UnknownName` if there is no such game or move."""
    system = systems.find(game)
    if name not in system.playable():
        raise UnknownName(f"{system.name} has no move called {quoted(name)}.")
    return system, system.playable()[name]


def inputs_of(move: type[Move]) -> list[Field]:
    """Return the inputs that people may send to play a move. Choices after the roll are not included."""
    fields = move.fields().values()
    return [field for field in fields if AT_TABLE not in field.tags and field.name not in move.offered]


def move_from(names: Names, system: System, move: type[Move], sent: Mapping[str, Any]) -> Move:
    """Return a move with the sent inputs. Raise `BadInput` for an unknown input or a value of the wrong type."""
    fields = [field for field in move.fields().values() if AT_TABLE not in field.tags]
    typed = typed_values({field.name: field for field in inputs_of(move)}, sent)
    _check_names(names, system, fields, typed)
    inputs = named_inputs(names, system.name, move, typed)
    try:
        _input_model(cast(Any, move)).model_validate(inputs)
    except ValidationError as error:
        raise wrong_field(error, {field.name: label_of_input(field, field.name) for field in fields}) from None
    played = move(**inputs)
    if played.shows_sheet:
        raise Refused("Fill in at least one field. If all fields are empty, this move only shows the sheet.")
    return played


def label_of(name: str) -> str:
    """Return the form's label for an input or flag: from `LABELS`, else the name with spaces."""
    return LABELS.get(name, name.replace("_", " ").replace("-", " "))


def label_of_input(field: Field, name: str) -> str:
    """Return the form's label for an input: the input's own label, or else the label of `name`."""
    label = next((tag.text for tag in field.tags if isinstance(tag, Label)), "")
    return label or label_of(name)


def shown_input(field: Field) -> InputName:
    """Return an input for use in a sentence: programs read its name, and people read its label."""
    return InputName(field.name, f"“{label_of_input(field, field.name)}”")


def wrong_field(error: ValidationError, labels: Mapping[str, str] = LABELS) -> WrongField:
    """Return an error for the first wrong field, or for all missing fields."""
    places, fault = fault_of(error)
    names = (quoted(place.partition(".")[0])[1:-1] for place in places)
    shown = join_in_words(InputName(name, f"“{labels.get(name) or label_of(name)}”") for name in names)
    return WrongField(f"{shown} {fault}.")


def _check_names(names: Names, system: System, fields: Iterable[Field], typed: Mapping[str, Any]) -> None:
    """Raise `BadInput` for a number in an input that takes a name from the sheet."""
    for field in fields:
        value, who = typed.get(field.name), typed.get(sheet_tag(field).whose)
        takes_name = name_prefixes(field) and NOTATION not in field.tags
        if takes_name and field.kind is str and isinstance(value, str) and value[:1].isdecimal():
            known = own_names(names, names.character(who), field, system.name) if isinstance(who, str) else ()
            hint = f"The sheet has: {join_sorted(known)}." if known else ""
            raise BadInput(f"{shown_input(field)} takes a name from the sheet, not {quoted(value)}.", hint)


@cache
def _input_model(move: Any) -> type[BaseModel]:  # `move` is a class, and the key of the cache
    shapes: dict[str, Any] = {}
    for field in move.fields().values():
        one: Any = Annotated[field.kind, field.limit] if field.limit is not None else field.kind
        kind: Any = dict[str, one] if field.keyed else tuple[one, ...] if field.many else one
        shapes[field.name] = (kind | None if field.optional else kind, ... if field.required else field.default)
    return create_model(move.name(), __config__=ConfigDict(strict=True, extra="forbid"), **shapes)


def amendment_changes(
    names: Names,
    seq: int,
    inputs: Mapping[str, Any],
    without: Sequence[str],
    faces: Sequence[int] | None,
    *,
    needs_change: bool,
    cascade: bool,
) -> tuple[dict[str, Any], tuple[int, ...] | None]:
    """Return the inputs that an amendment really changes, and the typed dice.

    An input that is empty or named in `without` goes back to its default. If an input is sent as a line of
    NAME=VALUE pairs, the line replaces all pairs of the entry. Only the amendment of a move can remove pairs: for
    other entries, raise `BadInput` if the line lacks a pair of the entry. With `needs_change`, raise `Refused` if
    nothing would change.
    """
    _, part = part_of(names.book, seq)
    before, fields = part.command.input_values(), amendable_inputs(part.command)
    sent = {**inputs, **dict.fromkeys(without, "")}
    given = {name: value for name, value in typed_values(fields, sent).items() if value not in (None, ())}
    empty = [name for name, value in sent.items() if value in ("", [])]
    emptied = tuple(name for name in empty if before[fields[name].name] not in ((), fields[name].default))
    lines = {fields[name].name for name in given if fields[name].keyed and isinstance(sent[name], str)}
    changed = changed_inputs(names, part, {**given, "without": emptied}, lines)
    if not isinstance(part.command, PlayMove):
        _check_none_removed({name: before[name] for name in lines}, changed)
    really_changed = {name: value for name, value in changed.items() if value != before[name]}
    dice = faces_for(part, faces)
    if needs_change:
        hint = "Change a field, or cancel."
        check_changes(part, really_changed, dice, cascade=cascade, shown=describe_entry(names.book, seq), hint=hint)
    return really_changed, dice


def _check_none_removed(before: Mapping[str, Mapping[str, Any]], changed: Mapping[str, Any]) -> None:
    """Raise `BadInput` if a NAME is in `before`, but not in `changed`. Both map inputs to their NAME=VALUE pairs."""
    names = {name for each in changed.values() if isinstance(each, Mapping) for name in each}
    for name, earlier in before.items():
        if removed := join_sorted(set(earlier) - names):
            sentence = f"{Flag(name)} no longer includes {removed}. An amendment cannot remove {removed}."
            raise BadInput(sentence, "Enter the right value, or void the entry.")


def typed_values(fields: Mapping[str, Field], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Convert inputs to the types of their fields, and empty inputs to `None`. Raise `BadInput` for unknown names."""
    for name in sent:
        if name not in fields:
            raise BadInput(f"This command has no input called {quoted(name)}.")
    return {name: _value(fields[name], value) for name, value in sent.items()}


def _value(field: Field, sent: Any) -> Any:
    if sent is None or sent in ("", []):
        return None
    if field.keyed:
        if isinstance(sent, dict):
            return tuple(f"{name}={value}" for name, value in sent.items())
        if not isinstance(sent, list | str):
            raise BadInput(f'{shown_input(field)} must give each name a value, like {{"mara": 2}}.')
        is_marks = field.kind is str and CAST not in field.tags
        return tuple(map(str, _split_pairs(sent) if is_marks and isinstance(sent, str) else _split_words(sent)))
    if field.many:
        is_line_of_texts = WORDS in field.tags and isinstance(sent, str)  # names and numbers also end at spaces
        words = [text for text in map(str.strip, sent.split(";")) if text] if is_line_of_texts else _split_words(sent)
        if not isinstance(words, list):
            raise WrongField(f"{Flag(field.name)} {MESSAGES['list_type']}.")
        return tuple(_single_value(field, word) for word in words)
    return _single_value(field, sent)


def _single_value(field: Field, sent: Any) -> Any:
    kind, fault = TYPES_OF_FIELDS.get(field.kind, (str, "string_type"))
    if not isinstance(sent, str | kind):
        raise WrongField(f"{Flag(field.name)} {MESSAGES[fault]}.")
    if field.kind is bool and isinstance(sent, str):
        return _yes_or_no(field, sent)
    if field.kind is int and isinstance(sent, str):
        numbers = numbers_by_name(field)
        return numbers[sent] if sent in numbers else _number(field, sent)
    return sent


def _number(field: Field, sent: str) -> int:
    if re.search("[^0-9+-]", sent):
        raise BadInput(f"{shown_input(field)} takes a whole number, not {quoted(sent)}.")
    return whole_number(sent)


def _yes_or_no(field: Field, sent: str) -> bool:
    answers = {"on": True, "yes": True, "true": True, "no": False, "false": False}
    if sent not in answers:
        raise BadInput(f"{shown_input(field)} must be yes or no, not {quoted(sent)}.")
    return answers[sent]
