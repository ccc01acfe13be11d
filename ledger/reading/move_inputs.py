"""Move inputs: a parser for the typed inputs of a move."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ledger.errors import BadInput, Flag, LacksNeededOption
from ledger.events.subjects import CAMPAIGN
from ledger.reading.names import Names
from ledger.reading.typed_values import is_range, pairs, split_range, whole_number
from ledger.rules.inputs import CAST, NOTATION, name_prefixes, names_something, read_handle, sheet_tag
from ledger.rules.move import Move
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.corrections.answers import AcceptOffer, Choose
    from ledger.journal.book import Book


def named_inputs(names: Names, game: str, move: type[Move], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed inputs of a move, with names resolved. Leave out inputs that were not typed."""
    inputs: dict[str, Any] = {}
    for field in move.fields().values():
        value = typed.get(field.name)
        if value is None or ((field.many or field.keyed) and not value):
            continue
        if field.keyed:
            inputs[field.name] = _parse_named_values(names, field, value)
            continue
        if field.many and (CAST in field.tags or names_something(field)):
            value = tuple(name for word in value for name in word.split(","))
        if CAST in field.tags and field.many:
            value = [each for name in value for each in (split_range([name]) if is_range(name) else [name])]
        if CAST in field.tags:
            value = tuple(map(names.character, value)) if field.many else names.character(str(value))
        _check_text(field, value)
        inputs[field.name] = value
    for field in move.fields().values():
        whose = sheet_tag(field).whose
        who = CAMPAIGN if whose == CAMPAIGN else inputs.get(whose)
        if name_prefixes(field) and who is not None and field.name in inputs and not field.keyed:
            value = inputs[field.name]
            find = partial(_sheet_name, names, who, field, game)
            inputs[field.name] = tuple(map(find, value)) if field.many else find(value)
    return inputs


def _check_text(field: Field, value: Any) -> None:
    """Raise `BadInput` for an argument that is not valid UTF-8."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{field.name.replace('_', ' ').capitalize()} must be readable text in the UTF-8 format."
        ) from None


def _parse_named_values(names: Names, field: Field, typed: tuple[str, ...]) -> dict[str, Any]:
    """Parse words like NAME=VALUE or NAME=VALUE,NAME=VALUE. Raise `BadInput` for a name typed twice."""
    flag = Flag(field.name)
    words = pairs([part for word in typed for part in word.split(",")], f"a name and a value for {flag}, like mara=2")
    values: dict[str, str] = {}
    for typed_name, value in words.items():
        is_character = CAST in field.tags or names.plays(typed_name.lower())
        name = names.character(typed_name) if is_character else read_handle(typed_name)
        if name in values:
            raise BadInput(f"{flag} names {name} twice.")
        values[name] = value
    if field.kind is not int:
        return {name: read_handle(value) for name, value in values.items()}
    numbers = {name: whole_number(value) for name, value in values.items()}
    for name, number in numbers.items():
        if field.limit and not field.limit.least <= number <= field.limit.most:
            raise BadInput(f"{flag} {name} must be {field.limit.least} to {field.limit.most}, not {number}.")
    return numbers


def _sheet_name(names: Names, who: str, field: Field, game: str, typed: str) -> str:
    """Complete the start of a name on the sheet of `who`, if possible. Raise `Refused` for a probable typo."""
    if NOTATION in field.tags:
        return _roll_name(names, who, field, game, typed)
    existing, begins = names.known_names(who, field), [f"{game}/{stem}" for stem in name_prefixes(field)]
    picked = None if names.new else names.pick(typed, own_names(names, who, field, game))
    if picked is None:
        for begin in begins:
            names.check_new(who, f"{begin}{typed if begin.endswith('/') else read_handle(typed)}", existing)
    return picked or typed


def _roll_name(names: Names, who: str, field: Field, game: str, typed: str) -> str:
    """Complete the name of a roll on the sheet of `who`, in a text such as `ste adv`. Dice stay as typed.

    Raise `Refused` if the name looks like a typo of a roll.
    """
    name, blank, rest = typed.partition(" ")
    if re.search("[^a-z-]", name):
        return typed
    picked = names.pick(name, own_names(names, who, field, game))
    if picked is None and f"{game}/{name}" not in names.known_scores(who):
        names.check_new(who, f"{game}/{name_prefixes(field)[0]}{name}", names.known_names(who, field))
    return f"{picked or name}{blank}{rest}"


def own_names(names: Names, who: str, field: Field, game: str) -> set[str]:
    """Return the names that people may type for an input, from a sheet or from a setting.

    The names are short: `stealth` without a prefix such as `edge/skill.`.
    """
    begins = [f"{game}/{stem}" for stem in name_prefixes(field)]
    short_names = {
        full.removeprefix(begin) for begin in begins for full in names.known_names(who, field) if full.startswith(begin)
    }
    if setting := sheet_tag(field).setting:
        from ledger import systems  # few inputs are listed in a setting
        from ledger.commands.sheet import settings_in_force

        short_names |= set(settings_in_force(names.book, systems.find(game))[setting])
    return short_names


def choice_of(book: Book, question: int) -> list[Field]:
    """Return the inputs that the question in entry `question` needs, or that the ruling there offers."""
    from ledger.corrections.questions import asked_move  # only a choice needs it
    from ledger.events.types import QuestionAsked

    entry = book.entry(question, secrets=True)
    move, event = asked_move(entry, {}), entry.event
    return [move.fields()[name] for name in (event.asks if isinstance(event, QuestionAsked) else move.offered)]


def choice_from(book: Book, asked: int, typed: Mapping[str, Any]) -> Choose | AcceptOffer:
    """Return the command that answers the question in entry `asked`, or accepts the offer of the ruling there."""
    from ledger.corrections.answers import AcceptOffer, Choose  # only a choice needs them
    from ledger.events.types import QuestionAsked

    if not isinstance(book.entry(asked).event, QuestionAsked):
        return AcceptOffer(ruling=asked, chosen=dict(typed))
    return Choose(question=asked, chosen=chosen_inputs(choice_of(book, asked), typed))


def chosen_inputs(fields: Iterable[Field], typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed inputs. If an input in `fields` takes several values, split them at the commas."""
    inputs = dict(typed)
    for field in fields:
        value = typed[field.name]
        if field.many and value is not None:
            inputs[field.name] = tuple(",".join([value] if isinstance(value, str) else value).split(","))
    return inputs


def with_seal(
    command: Command,
    book: Book,
    today: Callable[[], str],
    seal: bool = False,
    until: str | None = None,
    unseen: bool = False,
) -> Command:
    """Return the command, sealed if `seal` is True.

    `until` is the date of the reveal, like `2026-11-22`. With `unseen`, players do not see that there is a sealed
    roll. Raise `BadInput` for `until` or `unseen` without `seal`. Also raise it for a date before `today()`, unless
    the command is sent again.
    """
    if not seal:
        if until is not None or unseen:
            raise LacksNeededOption(Flag("until"), Flag("unseen"), other=Flag("seal"))
        return command
    from ledger.commands.play import PlayMove  # an open roll needs none of it
    from ledger.commands.roll import Roll
    from ledger.corrections.seals import Sealed, parse_reveal_date

    assert isinstance(command, PlayMove | Roll)  # noqa: S101  nothing else has these flags
    ends = None if until is None else parse_reveal_date(until)
    if ends is not None and book.current is book and ends < today():
        raise BadInput(f"{ends} is in the past.")
    return Sealed(command=command, until=ends, unseen=unseen)
