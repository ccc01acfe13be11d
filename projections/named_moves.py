"""Moves with the names of the characters as people read them: in the inputs, the verdict and the steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ledger import systems
from ledger.events import types as events
from ledger.journal.book import Book
from ledger.rules.inputs import CAST

MoveT = TypeVar("MoveT", bound=events.MoveEvent)


def with_full_names(book: Book, event: MoveT) -> MoveT:
    """Return a move with full names: in the inputs that name characters, in the verdict, and in the steps."""
    full = book.characters_with_names()
    return with_names(event, lambda who: book.name_of(who) if who in full else who) if full else event


def with_names(event: MoveT, name_of: Callable[[str], str], others: Iterable[str] = ()) -> MoveT:
    """Return a move with names from `name_of`: in the inputs that name characters, in the verdict, and in the steps.

    The verdict and the steps may also name `others`.
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
    pattern = rf"(?<![\w-])({'|'.join(names.keys() - rule_words) or '(?!)'})(?![\w-])"

    def named(text: str) -> str:
        return re.sub(pattern, lambda match: names[match[1]], text)

    # in a step, braces stand for numbers
    has_braces = any(brace in name for name in names.values() for brace in "{}")
    steps = event.steps if has_braces else tuple(step.replace(says=named(step.says)) for step in event.steps)
    return event.replace(inputs=inputs, verdict=event.verdict.replace(says=named(event.verdict.says)), steps=steps)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _with_names_in(names: Mapping[str, str], value: Any) -> Any:
    if isinstance(value, list):
        return [_with_names_in(names, each) for each in value]
    return names.get(value, value) if isinstance(value, str) else value
