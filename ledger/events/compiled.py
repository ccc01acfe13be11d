"""Fast readers of stored values: for each annotation, a function that is compiled on first use.

A reader is as strict as pydantic in strict mode. It raises one of `READ_ERRORS` for a value of the wrong type, for a
missing field without a default, and for an extra field. It does not say where the problem is: see `decode`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from ledger.events.commitments import CommittedText
from ledger.events.facts import LATER_FIELDS
from ledger.events.types import Consequence
from ledger.values import Struct

READ_ERRORS = (AttributeError, KeyError, TypeError, ValueError)
"""The exceptions of a compiled reader for values that it cannot read."""

Reader = Callable[[Any], Any]


@cache
def reader(shape: type[Struct], outside: frozenset[str] | None = frozenset()) -> Reader:
    """Compile a function that makes a struct from a JSON object.

    The object may have only the fields of the struct, and the fields that `outside` names. If `outside` is None,
    the object may have any other fields too. A field may be missing only if it has a default, or is in
    `LATER_FIELDS`. Commitments must already be `CommittedText` objects.
    """
    writer, hints = _CodeWriter(), get_type_hints(shape, include_extras=True)
    json_names = {
        name: "type" if outside and shape is Consequence and name == "kind" else name for name in shape._fields
    }
    fields = [(f"v{place}", name) for place, name in enumerate(json_names)]
    needed, others = shape._needed(), outside or frozenset()
    may_lack = sorted((shape._defaults.keys() - needed) | (others & LATER_FIELDS))
    length = f"{len({*json_names.values(), *others})}{''.join(f' - ({name!r} not in value)' for name in may_lack)}"
    defaults = {name: [*value] if isinstance(value, tuple) else value for name, value in shape._defaults.items()}
    looked_up = {
        name: f"value[{json_names[name]!r}]" if name in needed else f"value.get({name!r}, {defaults[name]!r})"
        for name in json_names
    }
    return writer.compile_reader(
        *(f"value[{name!r}]" for name in sorted(others - LATER_FIELDS)),
        *([] if outside is None else [f"if len(value) != {length}: raise ValueError"]),
        *(f"{local} = {looked_up[name]}" for local, name in fields),
        f"if not ({' and '.join(writer.check(hints[name], local) for local, name in fields)}): raise ValueError",
        f"result = {writer.name_in_scope(object.__new__)}({writer.name_in_scope(shape)})",
        "own = result.__dict__",
        *(f"own[{name!r}] = {writer.conversion(hints[name], local)}" for local, name in fields),
        "return result",
    )


@cache
def part_reader(hint: Any) -> Reader:
    """Compile a function that converts a JSON value to the type of its annotation."""
    writer = _CodeWriter()
    check, conversion = writer.check(hint, "value"), writer.conversion(hint, "value")
    return writer.compile_reader(f"if not {check}: raise ValueError", f"return {conversion}")


class _CodeWriter:
    """A writer of Python code that checks and converts values. `scope` maps names in the code to objects."""

    def __init__(self) -> None:
        self.scope: dict[str, Any] = {}

    def compile_reader(self, *lines: str) -> Reader:
        """Compile a function of `value`, with these lines as its body."""
        text = "\n    ".join(["def read(value):", *lines])
        exec(text, self.scope)  # noqa: S102  the code comes only from our own annotations
        read: Reader = self.scope["read"]
        return read

    def check(self, hint: Any, value: str) -> str:  # noqa: PLR0911  one return per kind of annotation
        """Return Python code that tests if a value fits an annotation. Structs are tested in their own readers."""
        args, origin = get_args(hint), get_origin(hint)
        if origin is Annotated:
            size = f"len({value})" if args[1].length else value
            return f"({self.check(args[0], value)} and {args[1].least} <= {size} <= {args[1].most})"
        if origin in {Union, UnionType}:
            return f"({' or '.join(self.check(arg, value) for arg in args)})"
        if origin is Literal:
            return f"({self.check(type(args[0]), value)} and {value} in {args!r})"
        if origin is dict:
            return f"(type({value}) is dict and {self._check_each(args[1], f'{value}.values()')})"
        if origin is tuple and args[1:] == (...,):
            return f"(type({value}) is list and {self._check_each(args[0], value)})"
        if origin is tuple:
            checks = [self.check(arg, f"{value}[{place}]") for place, arg in enumerate(args)]
            return f"(type({value}) is list and len({value}) == {len(args)} and {' and '.join(checks)})"
        if hint is type(None):
            return f"{value} is None"
        return "True" if hint is Any or is_struct(hint) else f"type({value}) is {self.name_in_scope(hint)}"

    def _check_each(self, hint: Any, values: str) -> str:
        check = self.check(hint, "item")
        return "True" if check == "True" else f"all([{check} for item in {values}])"

    def conversion(self, hint: Any, value: str) -> str:
        """Return Python code that converts a value to the annotated type."""
        args, origin = get_args(hint), get_origin(hint)
        if origin is Annotated:
            return self.conversion(args[0], value)
        if origin in {Union, UnionType}:
            conversions = [code for arg in args if (code := self.conversion(arg, value)) != value]
            return f"(None if {value} is None else {conversions[0]})" if conversions else value
        if origin is dict:
            item = self.conversion(args[1], "item")
            return value if item == "item" else f"{{name: {item} for name, item in {value}.items()}}"
        if origin is tuple and is_struct(args[0]):
            return f"tuple(map({self.name_in_scope(reader(args[0]))}, {value}))"
        if origin is tuple:
            return f"tuple({value})"
        return f"{self.name_in_scope(reader(hint))}({value})" if is_struct(hint) else value

    def name_in_scope(self, value: Any) -> str:
        name = f"{value.__name__}_{len(self.scope)}"
        self.scope[name] = value
        return name


def is_struct(hint: Any) -> bool:
    """Return True if an annotation is a struct, but not a text or a secret.

    Texts and secrets are left out because they are converted before the reader runs.
    """
    return isinstance(hint, type) and issubclass(hint, Struct) and not issubclass(hint, CommittedText)
