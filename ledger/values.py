"""Structs: frozen values that are equal if their fields are equal, and the limits of these fields.

Write a struct like a dataclass, with keyword arguments only. All structs share the methods in this module. Methods
generated for each class would slow down the start of each command. pydantic checks JSON input against the same
classes: types are strict, and unknown fields are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, Self, Union, dataclass_transform, get_args, get_origin

MAX_STORED_NUMBER = 2**53 - 1
"""The largest whole number that is stored. Every JSON reader can read it exactly."""

MAX_SHEET_NUMBER = 10**12
"""The largest number in an input or on a sheet. Sums of many such numbers stay below `MAX_STORED_NUMBER`."""


class Within:
    """A range for a number or a length, from `least` to `most`, to use in `Annotated`. pydantic reads ranges too."""

    __is_annotated_types_grouped_metadata__: ClassVar[Literal[True]] = True

    def __init__(self, least: int, most: int, *, length: bool = False) -> None:
        self.least = least
        self.most = most
        self.length = length

    def __iter__(self) -> Iterator[object]:
        from annotated_types import Ge, Le, Len  # only pydantic needs it

        if self.length:
            yield Len(self.least, self.most)
        else:
            yield Ge(self.least)
            yield Le(self.most)


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Struct:
    """A frozen value. Its fields are the annotations, in order, after the fields of the base classes."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _all_required: ClassVar[bool] = False
    """True if JSON must contain every field, even one with a default."""

    def __init_subclass__(cls) -> None:
        names = [n for n, a in cls.__annotations__.items() if not str(a).startswith(("ClassVar", "typing.ClassVar"))]
        cls._fields = cls._fields + tuple(n for n in names if n not in cls._fields)
        inherited = {name: default for name, default in cls._defaults.items() if name not in names}
        cls._defaults = inherited | {name: cls.__dict__[name] for name in names if name in cls.__dict__}

    def __init__(self, **arguments: Any) -> None:
        values, given = self.__dict__, self._defaults | arguments
        try:
            for name in self._fields:
                values[name] = given[name]
        except KeyError:
            raise TypeError(f"{type(self).__name__} needs {name!r}") from None
        if len(given) > len(values):
            extra = next(name for name in arguments if name not in values)
            raise TypeError(f"{type(self).__name__} has no field {extra!r}")

    @classmethod
    def of_checked(cls, fields: dict[str, Any]) -> Self:
        """Make a struct quickly from all fields, in order. The caller must have checked the values."""
        struct = object.__new__(cls)
        struct.__dict__.update(fields)
        return struct

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"

    def replace(self, **changes: Any) -> Self:
        """Return a copy with changes to some fields."""
        values = self.__dict__ | changes
        return self.of_checked(values) if len(values) == len(self._fields) else type(self)(**values)

    def as_json(self) -> dict[str, Any]:
        """Return a dict for JSON output, at the terminal and on the page. By default, it maps field names to values."""
        return self.__dict__

    @classmethod
    @cache
    def fields(cls) -> dict[str, Field]:
        """Return the fields in order, each with its annotated type and limits."""
        from typing import get_type_hints  # not needed to show a sheet

        hints = get_type_hints(cls, include_extras=True)
        return {name: _describe(cls, name, hints[name]) for name in cls._fields}

    @classmethod
    def _needed(cls) -> Set[str]:
        """Return the fields that JSON must contain."""
        return set(cls._fields) - (set() if cls._all_required else cls._defaults.keys())

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from typing import get_type_hints

        from pydantic_core import core_schema as core  # not needed to roll

        hints = get_type_hints(cls, include_extras=True)
        needed = cls._needed()
        fields = {
            name: core.typed_dict_field(handler.generate_schema(hints[name]), required=name in needed)
            for name in cls._fields
        }
        shape = core.typed_dict_schema(fields, extra_behavior="forbid", config=core.CoreConfig(strict=True))
        return core.no_info_after_validator_function(lambda data: cls(**data), shape)


class Field(Struct):
    """The declaration of a field: its type, limits, help and tags, and whether it may be absent or repeated.

    A `many` field has several values of this type. A `keyed` field has one value for each name, such as `jonas=5`.
    """

    name: str
    kind: Any
    many: bool
    keyed: bool
    optional: bool
    required: bool
    default: Any
    limit: Within | None
    says: str
    tags: tuple[Any, ...]

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the allowed names of a choice, or an empty tuple for any other field."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()


def _describe(cls: type[Struct], name: str, hint: Any) -> Field:
    metadata: list[Any] = []
    optional = many = keyed = False
    while True:
        if get_origin(hint) is Annotated:
            hint, *extras = get_args(hint)
            metadata += extras
        elif get_origin(hint) in {Union, UnionType} and type(None) in get_args(hint):
            optional = True
            (hint,) = (a for a in get_args(hint) if a is not type(None))
        elif get_origin(hint) is tuple and get_args(hint)[1:] == (...,):
            many = True
            hint = get_args(hint)[0]
        elif get_origin(hint) is Mapping:
            keyed = True
            _, hint = get_args(hint)
        else:
            break
    says = [m for m in metadata if isinstance(m, str)]
    limits = [m for m in metadata if isinstance(m, Within)]
    return Field(
        name=name,
        kind=hint,
        many=many,
        keyed=keyed,
        optional=optional,
        required=name not in cls._defaults,
        default=cls._defaults.get(name),
        limit=limits[0] if limits else None,
        says=says[0] if says else "",
        tags=tuple(m for m in metadata if not isinstance(m, str | Within)),
    )
