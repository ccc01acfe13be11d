"""Declarations: what each game declares, as its old campaigns are read by it, and what the examples of its help write.

Both are kept in `tests/golden/games/`, and what the entries hold in `tests/golden/shapes.txt`.
`python tests/support/declarations.py` writes down what they are now.
"""

import sys
from collections.abc import Iterator
from functools import partial
from inspect import Parameter, getclosurevars, signature
from json import dumps
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from before_examples import JOINED, before
from laid import laid_out
from ledger import systems
from ledger.events.facts import (
    BOOK_EDITION,
    CountedDie,
    Event,
    Header,
    Mark,
    Posting,
    SharedHistoryProof,
    Step,
    Verdict,
)
from ledger.events.types import EVENTS, Consequence
from ledger.hints import hint_text
from ledger.journal.book import open_book
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import MAX_SHEET_NUMBER, Struct, Within
from paths import GOLDEN, TESTS

KEPT, SHAPES = GOLDEN / "games", GOLDEN / "shapes.txt"

EACH = ("seq", "since", "act", "at", "clock", "line", "by", "once")
"""What every entry says, whatever it is about."""

OF_MOVES = ("ids", "example", "another", "chosen", "offered", "may_lead_to", "may_show_secrets", "by_gm", "is_part", "resume_command")  # fmt: skip

NO = (False, None, "", ())
UNSAID: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("many", "keyed", "optional", "required", "default", "limit", "tags", "setting"), NO),
    **dict.fromkeys(("least_setting", "most_setting"), NO),
    **dict.fromkeys(("tally", "bookkeeping", "shown_at_zero", "may_be_given", "in_steps", "of", "shows", "check"), NO),
    "least": (0,),
    "most": (MAX_SHEET_NUMBER,),
    "starts": (0,),
    "flow": ("within",),
}
"""Values that are left out, by the name of the field."""


def declarations(system: System) -> str:
    """The scores, marks, settings, kinds, moves and rules of a game, a line each."""
    return "".join(f"{line}\n" for line in _lines(system))


def _lines(system: System) -> Iterator[str]:
    rulebook = system.rulebook()
    yield f"{system.name} {system.edition} main={system.main}"
    for declared in (*system.scores, *system.marks, *system.settings, *rulebook.kinds):
        yield f"{type(declared).__name__.lower()} {_facts(declared)}"
    for move in rulebook.moves:
        yield f"move {move.name()} " + " ".join(f"{name}={_text(getattr(move, name))}" for name in OF_MOVES)
        for field in move.fields().values():
            yield f"  {_facts(field)}"
    for rule in rulebook.rules:
        yield f"rule {rule.name} ids={_text(rule.ids)}"
        yield from map(_parameter, signature(rule.work, eval_str=True).parameters.values())
    yield f"new-day {_text(rulebook.new_day)} new-turn {_text(rulebook.new_turn)} checks {_text(rulebook.checks)}"


def shapes() -> str:
    """What the entries hold: their fields, of which kind and size, and what one says that was written without it."""
    shared = (Header, Event, Posting, Mark, CountedDie, SharedHistoryProof, Step, Verdict)
    named = {**{each.__name__.lower(): each for each in shared}, "consequence": Consequence, **EVENTS}
    lines = (line for name in sorted(named) for line in _shape(name, named[name]))
    return "".join(f"{line}\n" for line in (f"the book's own edition: {BOOK_EDITION}", *lines))


def _shape(name: str, shape: type[Struct]) -> Iterator[str]:
    hints = get_type_hints(shape, include_extras=True)
    yield name
    for field in shape._fields:
        if shape is Event or field not in Event._fields:
            later = f" = {_text(shape._defaults[field])}" if field in shape._defaults else ""
            yield f"  {field}: {_hint(hints[field])}{later}"


def _hint(hint: Any) -> str:
    inner = [_hint(each) for each in get_args(hint)]
    if get_origin(hint) is Annotated:
        return " ".join((inner[0], *map(_text, hint.__metadata__)))
    if get_origin(hint) in {Union, UnionType, Literal}:
        return " | ".join(inner)
    if inner:
        return f"{get_origin(hint).__name__}[{', '.join(inner)}]"
    return {NoneType: "None", ...: "..."}.get(hint, _text(hint))


def _facts(declared: Struct) -> str:
    """What is declared, without what goes without saying."""
    said = ((name, getattr(declared, name)) for name in declared._fields)
    return " ".join(f"{name}={_text(value)}" for name, value in said if value not in UNSAID.get(name, ()))


def _parameter(one: Parameter) -> str:
    """What a rule is told: its name, the numbers that it may be, and what it is unless it is said."""
    return f"  {one.name}: {_hint(one.annotation)}" + (
        "" if one.default is Parameter.empty else f" = {_text(one.default)}"
    )


def _text(value: Any) -> str:
    """A value, the same in every process: a function by its name and what it was made with, a move by its own name."""
    if isinstance(value, type) and issubclass(value, Move):
        return value.name()
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, Within):
        return f"{value.least} to {value.most}{' long' if value.length else ''}"
    if isinstance(value, Struct):
        return f"{type(value).__name__}({_facts(value)})"
    if isinstance(value, FunctionType) and (told := getclosurevars(value).nonlocals):
        return f"{value.__qualname__.partition('.')[0]}{_text(tuple(told.values()))}"
    return str(getattr(value, "__qualname__", repr(hint_text(value) if isinstance(value, str) else value)))


def written(system: System) -> str:
    """What the examples of a game's moves write, entry by entry: what was said, the dice, the ruling, what follows."""
    moves = (move for move in system.rulebook().moves if not move.is_part)
    said = (f"{system.name} {move.name()} {words}" for move in moves for words in (move.example, move.another))
    return "\n".join(_written(example) for example in said if "--dry-run" not in example)


def _written(example: str) -> str:
    with (
        TemporaryDirectory() as folder,
        open_book(str(laid_out(Path(folder), *JOINED, *before(example), example))) as book,
    ):
        entries = book.action(book.journal.entry(book.head()).act, secrets=True)
        bodies = ({name: value for name, value in entry.body.items() if name not in EACH} for entry in entries)
        return "".join(
            f"{line}\n"
            for line in (f"$ campaign {example}", *map(partial(dumps, ensure_ascii=False, sort_keys=True), bodies))
        )


def main() -> None:
    """Keep what is declared and written now."""
    sys.path.append(str(TESTS / "games"))
    for system in map(systems.find, systems.BUILT_IN_GAMES):
        (KEPT / f"{system.name}.txt").write_text(declarations(system), encoding="utf-8")
        (KEPT / f"{system.name}-examples.txt").write_text(written(system), encoding="utf-8")
    SHAPES.write_text(shapes(), encoding="utf-8")


if __name__ == "__main__":
    main()
