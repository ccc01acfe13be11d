"""Moves as people read them: with names instead of short names in the inputs, the verdict and the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ledger import systems
from ledger.events import types as events
from ledger.events.subjects import CAMPAIGN
from ledger.journal.book import Book
from ledger.rules.inputs import CAST
from projections.wording import replace_names, wording_of

MoveT = TypeVar("MoveT", bound=events.MoveEvent)


def with_full_names(book: Book, event: MoveT) -> MoveT:
    """Return a move with full names: in the inputs that name characters, in the verdict, and in the steps.

    In the verdict and the steps, replace the names of all characters whose sheets the move read, and of characters
    named on these sheets.
    """
    full = book.characters_with_names()
    if not full:
        return event
    read = {value for sheet in event.looked.values() for value in sheet.values() if isinstance(value, str)}
    return with_names(event, lambda who: book.name_of(who) if who in full else who, full & {*event.looked, *read})


def inputs_with_names(book: Book, amendment: events.ActionAmended) -> Mapping[str, Any]:
    """Return the inputs that an amendment changes, with the full names of characters."""
    original, inputs = book.entry(amendment.about).event, dict(amendment.inputs)
    if isinstance(original, events.MoveEvent):
        return with_full_names(book, original.replace(inputs=inputs)).inputs
    return {name: book.name_of(value) if name in {"who", "to"} else value for name, value in inputs.items()}


def with_names(event: MoveT, name_of: Callable[[str], str], others: Iterable[str] = ()) -> MoveT:
    """Return a move with the names that `name_of` returns for characters, instead of their short names.

    Replace short names in the inputs that name characters, in the verdict, and in the steps. In the verdict and
    the steps, also replace the short names in `others`.
    """
    game = systems.installed(event.system)
    move = game.move(event.move) if game else None
    if game is None or move is None:
        return event
    cast = [name for name, field in move.fields().items() if CAST in field.tags]
    typed = {value for name in cast for value in _listed(event.inputs.get(name)) if isinstance(value, str)}
    names = {who: name for who in sorted({*typed, *others}) if (name := name_of(who)) != who}
    if not names:
        return event
    inputs = {name: _with_names_in(names, value) if name in cast else value for name, value in event.inputs.items()}
    if not isinstance(event, events.MovePlayed):
        return event.replace(inputs=inputs)
    rule_words = {word for sentence in game.sentences for word in sentence.split()}  # "18 damage" names no character
    in_text = {who: name for who, name in names.items() if who not in rule_words}

    def named(text: str) -> str:
        return replace_names(in_text, text)

    # in a step, braces stand for numbers
    has_braces = any(brace in name for name in names.values() for brace in "{}")
    steps = event.steps if has_braces else tuple(step.replace(says=named(step.says)) for step in event.steps)
    return event.replace(inputs=inputs, verdict=event.verdict.replace(says=named(event.verdict.says)), steps=steps)


def with_sides(event: events.MovePlayed, name_of: Callable[[str], str]) -> events.MovePlayed:
    """Add an input for each side of the move's contest: the names of the characters on this side."""
    wording = wording_of(event.system, event.move)
    if wording is None or not wording.sides:
        return event
    mark = f"{event.system}/{wording.sides.format_map(event.inputs)}"
    sides = event.looked.get(CAMPAIGN, {}).get(mark) or {}
    lists = {side: members for side, members in sides.items() if isinstance(members, list)}
    names = {side: [name_of(who) for who, *_ in members] for side, members in lists.items()}
    return event.replace(inputs={**event.inputs, **names})


def _listed(value: Any) -> list[Any]:
    return [*value] if isinstance(value, list | dict) else [value]


def _with_names_in(names: Mapping[str, str], value: Any) -> Any:
    if isinstance(value, list):
        return [_with_names_in(names, each) for each in value]
    if isinstance(value, dict):
        return {names.get(who, who): each for who, each in value.items()}
    return names.get(value, value) if isinstance(value, str) else value
