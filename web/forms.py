"""The inputs of a move, a choice or an amendment as form fields, with suggestions from the sheet."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

from pydantic.fields import FieldInfo

from ledger import systems
from ledger.commands.at_table import Adjust, is_shared
from ledger.commands.play import deed_field
from ledger.commands.sheet import sheet_system
from ledger.corrections.actions import part_of
from ledger.errors import Refused, UnknownName
from ledger.events.commitments import with_texts
from ledger.events.entry import jsonable
from ledger.events.types import MovePlayed
from ledger.journal.book import Book
from ledger.reading.amendments import amendable_inputs
from ledger.reading.move_inputs import own_names
from ledger.reading.names import Names
from ledger.reading.placing import has_place
from ledger.rules.inputs import AT_TABLE, BARE, CAST, WORDS, name_prefixes, numbers_by_name
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import Field, Struct
from web.bodies import BODIES
from web.people import Person, may_fill_in, may_play
from web.requests import label_of, label_of_input

FLAG_PATTERN = re.compile(r"--([a-z-]+)")
"""A pattern for a terminal flag in a help text. The page shows the label of the field instead."""


class FormField(Struct):
    """A form field. `kind` is "number", "text", "lines", "yes" (yes or no), or "one" (one of the values in `known`)."""

    name: str
    label: str
    kind: str
    help: str
    required: bool
    known: tuple[str, ...] = ()
    value: str = ""
    first: bool = False
    """True if the field is always visible. The form shows the other fields under "More"."""
    signed: bool = False
    """True if a number may be negative. The page then shows a full keyboard: number keyboards may lack a minus key."""


def command_fields(command: str, names: Iterable[str]) -> list[FormField]:
    """Return a form field for each of `names` in the body of a command. If `names` is empty, return all fields."""
    fields = BODIES[command].model_fields
    infos = {name: fields[name] for name in names or fields}
    return [
        FormField(
            name=name,
            label=", like ".join(filter(None, (info.title or label_of(name), *(info.examples or ())))),
            kind="yes" if info.annotation is bool else "lines" if _has_lines(info) else "text",
            help="",
            required=info.is_required(),
        )
        for name, info in infos.items()
    ]


def _has_lines(info: FieldInfo) -> bool:
    extra = info.json_schema_extra
    return isinstance(extra, dict) and extra["lines"] is True


def moves_for(book: Book, who: str, person: Person) -> dict[str, list[type[Move]]]:
    """Map each game of a character to the moves that a person may play. The main move comes first."""
    by_game: dict[str, list[type[Move]]] = {}
    for name in book.systems(who):
        system = sheet_system(book, who, name)
        moves = filter(partial(may_play, person), system.playable().values())
        by_game[name] = sorted(moves, key=lambda move: move.name() != system.main)
    return by_game


def givers_for(book: Book, who: str) -> list[str]:
    """Return the sheets from which a character's player may give: the character's own sheet, and shared sheets."""
    shared = (other for other in book.cast() if other != who and is_shared(book, other))
    return [giver for giver in (who, *shared) if _may_give(book, giver)]


def _may_give(book: Book, who: str) -> bool:
    games = [(game, sheet_system(book, who, game)) for game in book.systems(who) if systems.is_installed(game)]
    names = ((system, name) for game, system in games for name in book.scores(who, f"{game}/"))
    return any(score.may_be_given for system, name in names if (score := system.score(name)))


def move_fields(book: Book, who: str, system: System, move: type[Move], person: Person) -> list[FormField]:
    """Return the form fields of a move for a character, without the inputs that the person may not fill in."""
    names, hidden = Names(book), {"who", *move.offered, *move.chosen}
    fields = (field for field in move.fields().values() if AT_TABLE not in field.tags and field.name not in hidden)
    return [_move_field(names, who, system, field) for field in fields if may_fill_in(person, field)]


def move_values(who: str, system: System, move: type[Move]) -> dict[str, Any]:
    """Return the template values for the form of a move, apart from its fields."""
    return {
        "who": who,
        "game": system.name,
        "move": move,
        "says": (move.__doc__ or "").splitlines()[0],
        "deed": deed_field(move).says,
        "names_who": AT_TABLE not in move.fields()["who"].tags,
    }


def choice_fields(book: Book, fields: Iterable[Field], who: str, game: str, faces: Sequence[str]) -> list[FormField]:
    """Return the form fields of a choice after the roll. If `faces` are given, number fields suggest these values."""
    names, system, known = Names(book), systems.find(game), tuple(dict.fromkeys(faces))
    asked = [_move_field(names, who, system, field).replace(first=True) for field in fields]
    return [each.replace(known=known) if each.kind == "number" and known else each for each in asked]


class Amendment(Struct):
    """The form of an amendment. `asked` has the current values. `throws` is True if the dice can be changed."""

    asked: tuple[FormField, ...]
    throws: bool


def amend_form(book: Book, seq: int) -> Amendment:
    """Return the form that amends an entry. Raise `Refused` if the entry cannot be amended."""
    action, part = part_of(book, seq)
    values = {name: with_texts(value) for name, value in part.command.input_values().items()}
    is_change = isinstance(part.command, Adjust)
    fields = tuple(
        _field(field).replace(
            name=name,
            label=label_of_input(field, name),
            known=tuple(field.choices) or (("yes", "no") if field.kind is bool else ()),
            value=_typed_form(values[field.name], is_change=is_change, between=_separator(field)),
            first=True,
        )
        for name, field in amendable_inputs(part.command).items()
    )
    return Amendment(asked=fields, throws=action.takes_faces(book, part))


def amend_form_or_none(book: Book, seq: int) -> Amendment | None:
    """Return the form that amends an entry, or `None` if it cannot be amended."""
    try:
        return amend_form(book, seq)
    except Refused:
        return None


def corrections(book: Book, seq: int, offered: Collection[str]) -> list[str]:
    """Return the commands in `offered` that can correct an entry: amend, void or override."""
    act = book.journal.entry(seq).act
    checks = {
        "amend": lambda: amend_form_or_none(book, seq) is not None,
        "void": lambda: act != 1,
        "override": lambda: any(isinstance(entry.event, MovePlayed) for entry in book.journal.action(act)),
    }
    return [how for how in checks if how in offered and not book.is_struck(act) and checks[how]()]


def _move_field(names: Names, who: str, system: System, field: Field) -> FormField:
    default = field.default if field.default not in (None, False, (), 0, {}) else ""
    return _field(field).replace(
        required=field.required,
        known=_known_values(names, who, system, field),
        value=str(default),
        first=has_place(field) or BARE in field.tags or field.required,
    )


def _field(field: Field) -> FormField:
    several = "; separate several texts with semicolons" if _separator(field) == "; " else ""
    return FormField(
        name=field.name,
        label=label_of_input(field, field.name),
        kind=_kind(field),
        help=FLAG_PATTERN.sub(lambda flag: f"“{label_of(flag[1])}”", field.says) + several,
        required=False,
        signed=field.limit is None or field.limit.least < 0,
    )


def _kind(field: Field) -> str:
    if field.keyed or field.many:
        return "text"
    if field.kind is bool:
        return "yes"
    if field.choices:
        return "one"
    return "number" if field.kind is int and not numbers_by_name(field) else "text"


def _known_values(names: Names, who: str, system: System, field: Field) -> tuple[str, ...]:
    if field.choices:
        return tuple(field.choices)
    if CAST in field.tags:
        return tuple(names.book.cast())
    if numbers_by_name(field):
        return tuple(numbers_by_name(field))
    if name_prefixes(field):
        try:
            return tuple(sorted(own_names(names, who, field, system.name)))
        except UnknownName:
            return ()
    return ()


def _separator(field: Field) -> str:
    return "; " if field.many and WORDS in field.tags else " "


def _typed_form(value: Any, *, is_change: bool = False, between: str = " ") -> str:
    """Return a value as people type it. `is_change` gives numbers a sign: `edge=+2`. `between` separates list items."""
    if value is None or value is False or value in ((), {}, []):
        return ""
    if value is True:
        return "yes"
    if isinstance(value, dict):
        return " ".join(f"{name}={part:+d}" if is_change else f"{name}={part}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return between.join(map(str, value))
    return str(jsonable(value) if isinstance(value, Struct) else value)
