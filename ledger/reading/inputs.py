"""Inputs: what a move is played with, out of what was typed for each."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ledger.errors import BadInput, GoesWith
from ledger.reading.names import Names, pairs, whole
from ledger.rules.inputs import CAST, Tag, handle
from ledger.rules.move import Move
from ledger.values import Field

if TYPE_CHECKING:
    from ledger.commands.decider import Command
    from ledger.commands.play import PlayMove, Roll
    from ledger.journal.book import Book


def named_inputs(names: Names, move: type[Move], said: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that were said, names resolved; what was not said keeps its default."""
    found: dict[str, Any] = {}
    for field in move.fields().values():
        held = said.get(field.name)
        if held is None or ((field.many or field.keyed) and not held):
            continue
        if field.keyed:
            found[field.name] = _by_name(names, field, held)
            continue
        if field.many and (CAST in field.tags or names_something(field)):
            held = tuple(name for each in held for name in each.split(","))
        if CAST in field.tags:
            held = tuple(map(names.character, held)) if field.many else names.character(str(held))
        found[field.name] = held
    for field in move.fields().values():
        for tag in field.tags:
            if field.name in found and isinstance(tag, Tag) and tag.name == "score" and not field.keyed:
                held = found[field.name]
                find = partial(_on_sheet, names, found["who"], tag.of)
                found[field.name] = tuple(map(find, held)) if field.many else find(held)
    return found


def _by_name(names: Names, field: Field, typed: tuple[str, ...]) -> dict[str, Any]:
    """Return values by name, from NAME=VALUE words; refuses (`BadInput`) what cannot be one."""
    flag = f"--{field.name.replace('_', '-')}"
    said = pairs([each for word in typed for each in word.split(",")], f"what {flag} takes, NAME=VALUE")
    cast = names.book.cast()
    known_as: dict[str, str] = {}
    for typed_name, value in said.items():
        known = CAST in field.tags or typed_name.lower() in cast
        name = names.character(typed_name) if known else handle(typed_name)
        if name in known_as:
            raise BadInput(f"{flag} names {name} twice.")
        known_as[name] = value
    if field.kind is not int:
        return {name: handle(value) for name, value in known_as.items()}
    numbers = {name: whole(value) for name, value in known_as.items()}
    for name, number in numbers.items():
        if field.limit and not field.limit.least <= number <= field.limit.most:
            raise BadInput(f"{flag} {name}={number} is not within {field.limit.least} to {field.limit.most}.")
    return numbers


def _on_sheet(names: Names, who: str, prefix: str, typed: str) -> str:
    known = (full.partition("/")[2] for full in names.known_scores(who))
    there = [name.removeprefix(f"{prefix}.") for name in known if name.startswith(f"{prefix}.")]
    return names.pick(typed, there) or handle(typed)


def names_something(field: Field) -> bool:
    """Whether an input is a name, of a choice, a score or a thing, so that several stand with commas between them."""
    return bool(field.choices) or any(
        isinstance(tag, Tag) and tag.name in {"handle", "score", "alone"} for tag in field.tags
    )


def choice_of(book: "Book", question: int) -> list[Field]:
    """The inputs that a question waits for, or waited for, or that a ruling offers."""
    from ledger.corrections.questions import asked_move  # only a choice needs it
    from ledger.events.types import QuestionAsked

    asked = book.entry(question, secrets=True)
    move, event = asked_move(asked, {}), asked.event
    return [move.fields()[name] for name in (event.asks if isinstance(event, QuestionAsked) else move.offered)]


def chosen_inputs(fields: Iterable[Field], typed: Mapping[str, Any]) -> dict[str, Any]:
    """The chosen inputs; a list of names may be typed with commas."""
    found = dict(typed)
    for field in fields:
        held = typed[field.name]
        if field.many and held is not None:
            found[field.name] = tuple(",".join([held] if isinstance(held, str) else held).split(","))
    return found


def sealed(said: "PlayMove | Roll", flags: Mapping[str, Any], today: Callable[[], str]) -> "Command":
    """The command, sealed if the flags say so; refuses (`BadInput`) a seal's flag without `--seal`.

    So it does a date that is over; `today` reads the clock, and returns `2026-11-22`.
    """
    if not flags.get("seal"):
        if flags.get("until") is not None or flags.get("unseen"):
            raise GoesWith("--until", "--unseen", other="--seal")
        return said
    from ledger.corrections.seals import Sealed, until  # an open roll needs no seal

    ends = None if flags["until"] is None else until(flags["until"])
    if ends is not None and ends < today():
        raise BadInput(f"{ends} is over already.")
    return Sealed(said=said, until=ends, unseen=flags["unseen"])
