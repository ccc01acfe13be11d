"""Shapes of whole entries, as pydantic reads them: what the strict decoder is compared with."""

from typing import Any, Literal, get_type_hints

from ledger.events.facts import Header, Named
from ledger.events.types import TYPES, Consequence, Event
from ledger.values import Struct


def entry_shape(event: type[Event]) -> type[Struct]:
    """The shape of a whole entry of an event: its facts, its place, and its type."""
    fields: dict[str, Any] = {
        **get_type_hints(event, include_extras=True),
        **get_type_hints(Header, include_extras=True),
    }
    held = {
        name: fields[name] for name in (*event._fields, *Header._fields) if name != "kind" or event in TYPES.values()
    }
    held["type"] = Named if event is Consequence else Literal[event.type]
    defaults = event._defaults | Header._defaults
    later = {name: default for name, default in defaults.items() if name not in Event._fields}
    return type(event.__name__, (Struct,), {**later, "__annotations__": held, "__module__": __name__})
