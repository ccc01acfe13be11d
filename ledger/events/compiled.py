"""Compiled: a function for each event type, made at first use from its annotations, that reads an entry at once.

It reads only what is plainly right, and leaves the rest to `ledger.events.decode`, which says what is wrong: a fault, a
field that is left to its default, a type that nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from ledger.events.commitments import CommittedText
from ledger.events.facts import ADDED_LATER, OUTSIDE
from ledger.events.types import Consequence
from ledger.values import Struct

UNREAD = (AttributeError, KeyError, TypeError, ValueError)
"""What a compiled function raises for a value that it does not read."""

Reader = Callable[[Any], Any]


@cache
def reader(shape: type[Struct], outside: frozenset[str] | None = frozenset()) -> Reader:
    """Compile a function that makes a struct from a JSON object with exactly its fields and those `outside`.

    If `outside` is None, the object may have other fields, and may lack fields with a default. Older entries lack the
    fields of `ADDED_LATER`. Words and secrets are already in place. A value without a declared type stays as it is.
    """
    code = _Code()
    hints = get_type_hints(shape, include_extras=True)
    named = {name: "type" if shape is Consequence and name == "kind" else name for name in shape._fields}
    fields = [(f"v{place}", name) for place, name in enumerate(named)]
    lines = [
        "def read(value):",
        *(f"    value[{name!r}]" for name in sorted((outside or frozenset()) - ADDED_LATER)),
        *(
            ()
            if outside is None
            else (f"    if len(value) != {_length({*named.values(), *outside})}: raise ValueError",)
        ),
        *(f"    {local} = {_taken(shape, name, named[name], outside)}" for local, name in fields),
        f"    if not ({' and '.join(code.fits(hints[name], local) for local, name in fields)}): raise ValueError",
        "    made = new(shape)",
        "    own = made.__dict__",
        *(f"    own[{name!r}] = {code.made(hints[name], local)}" for local, name in fields),
        "    return made",
    ]
    scope = {"new": object.__new__, "shape": shape, **code.scope}
    exec("\n".join(lines), scope)  # noqa: S102  made of our own annotations alone
    read: Reader = scope["read"]
    return read


def _length(names: set[str]) -> str:
    """Return an expression for the number of fields in an object with these names."""
    return f"{len(names)}{''.join(f' - ({name!r} not in value)' for name in sorted(ADDED_LATER & names))}"


def _taken(shape: type[Struct], field: str, name: str, outside: frozenset[str] | None) -> str:
    """Return an expression for the value of a field."""
    if outside is None and field in shape._defaults:
        return f"value.get({name!r}, {shape._defaults[field]!r})"
    return f"value[{name!r}]"


def entry_reader(shape: type[Struct]) -> Reader:
    """The function that makes an event from the JSON of its whole entry."""
    read: Reader = reader(cast(Any, shape), OUTSIDE)
    return read


class _Code:
    """Writes expressions for values by their annotations; `scope` are the objects that these name."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}

    def fits(self, hint: Any, value: str) -> str:  # noqa: PLR0911  one case a kind of annotation
        """An expression that tells whether a value is of a type; a struct is left to its own function."""
        args, origin = get_args(hint), get_origin(hint)
        if origin is Annotated:
            size = f"len({value})" if args[1].length else value
            return f"({self.fits(args[0], value)} and {args[1].least} <= {size} <= {args[1].most})"
        if origin in {Union, UnionType}:
            return f"({' or '.join(self.fits(arg, value) for arg in args)})"
        if origin is Literal:
            return f"({self.fits(type(args[0]), value)} and {value} in {args!r})"
        if origin is dict:
            return f"(type({value}) is dict and {self._all(args[1], f'{value}.values()')})"
        if origin is tuple and args[1:] == (...,):
            return f"(type({value}) is list and {self._all(args[0], value)})"
        if origin is tuple:
            own = [self.fits(arg, f"{value}[{place}]") for place, arg in enumerate(args)]
            return f"(type({value}) is list and len({value}) == {len(args)} and {' and '.join(own)})"
        if hint is type(None):
            return f"{value} is None"
        return "True" if hint is Any or _is_object(hint) else f"type({value}) is {self._name(hint)}"

    def _all(self, hint: Any, values: str) -> str:
        fits = self.fits(hint, "item")
        return "True" if fits == "True" else f"all([{fits} for item in {values}])"

    def made(self, hint: Any, value: str) -> str:
        """An expression that makes a fitting value what the event holds: mostly the value itself."""
        args, origin = get_args(hint), get_origin(hint)
        if origin is Annotated:
            return self.made(args[0], value)
        if origin in {Union, UnionType}:
            others = [made for arg in args if (made := self.made(arg, value)) != value]
            return f"(None if {value} is None else {others[0]})" if others else value
        if origin is dict:
            one = self.made(args[1], "item")
            return value if one == "item" else f"{{name: {one} for name, item in {value}.items()}}"
        if origin is tuple and _is_object(args[0]):
            return f"tuple(map({self._name(reader(args[0]))}, {value}))"
        if origin is tuple:
            return f"tuple({value})"
        return f"{self._name(reader(hint))}({value})" if _is_object(hint) else value

    def _name(self, named: Any) -> str:
        name = f"{named.__name__}_{len(self.scope)}"
        self.scope[name] = named
        return name


def _is_object(hint: Any) -> bool:
    """Whether a type is a struct that is an object of its own in JSON, and no words."""
    return isinstance(hint, type) and issubclass(hint, Struct) and not issubclass(hint, CommittedText)
