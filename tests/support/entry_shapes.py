"""Shapes of structs and whole entries, as pydantic reads them: what the strict readers are compared with."""

from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import GetCoreSchemaHandler, GetPydanticSchema, TypeAdapter
from pydantic_core import core_schema as core

from ledger.events.commitments import CommittedText
from ledger.events.facts import Header, ShortText
from ledger.events.types import EVENTS, Consequence, Event
from ledger.values import Struct


def pydantic_reader(shape: type[Struct]) -> TypeAdapter[Any]:
    """Return a reader that checks JSON against a struct: strict types, and no fields that the struct lacks."""
    return TypeAdapter(_readable(shape))


def _readable(hint: Any) -> Any:
    """An annotation in which pydantic can read each struct, and each commitment."""
    first: Any
    others: list[Any]
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Annotated[Any, GetPydanticSchema(lambda _, handler: _schema(hint, handler))]
    parts, origin = get_args(hint), get_origin(hint)
    if origin is Annotated:
        return Annotated[(_readable(parts[0]), *parts[1:])]
    if not parts or origin is Literal:
        return hint
    first, *others = [part if part is ... else _readable(part) for part in parts]
    if origin in {tuple, dict}:
        return origin[(first, *others)]
    for other in others:
        first = first | other
    return first


def _schema(shape: type[Struct], handler: GetCoreSchemaHandler) -> core.CoreSchema:
    if issubclass(shape, CommittedText):
        digest, key = core.str_schema(pattern="^[0-9a-f]{64}$", strict=True), shape.KEY
        held = core.typed_dict_schema({key: core.typed_dict_field(digest)}, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda data: shape(commitment=data[key], state="closed"), held)
    hints, needed = get_type_hints(shape, include_extras=True), shape._needed()
    fields = {
        name: core.typed_dict_field(handler.generate_schema(_readable(hints[name])), required=name in needed)
        for name in shape._fields
    }
    held = core.typed_dict_schema(fields, extra_behavior="forbid", config=core.CoreConfig(strict=True))
    return core.no_info_after_validator_function(lambda data: shape(**data), held)


def entry_shape(event: type[Event]) -> type[Struct]:
    """The shape of a whole entry of an event: its facts, its place, and its type."""
    fields: dict[str, Any] = {
        **get_type_hints(event, include_extras=True),
        **get_type_hints(Header, include_extras=True),
    }
    held = {
        name: fields[name] for name in (*event._fields, *Header._fields) if name != "kind" or event in EVENTS.values()
    }
    held["type"] = ShortText if event is Consequence else Literal[event.type]
    defaults = event._defaults | Header._defaults
    later = {name: default for name, default in defaults.items() if name not in Event._fields}
    return type(event.__name__, (Struct,), {**later, "__annotations__": held, "__module__": __name__})
