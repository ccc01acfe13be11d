"""The kept states of checks: plain values as JSON, and the entries after which a state is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

SCALARS = frozenset({int, float, str, bool, type(None)})

COLLECTIONS: Mapping[str, type[list[Any] | tuple[Any, ...] | set[Any] | frozenset[Any]]] = {
    kind.__name__: kind for kind in (list, tuple, set, frozenset)
}
MAPPINGS: Mapping[str, type[dict[Any, Any]]] = {kind.__name__: kind for kind in (dict, Counter)}

SHORTEST_DISTANCE = 500
"""The distance in entries from the end of a journal to the last state before the end, after a check of all entries.

Each earlier state is four times as far from the end as the next one.
"""


def to_json(value: Any) -> Any:
    """Return a value as JSON, for `from_json`. Raise `TypeError` if it is not plain (see `GameCheck`)."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind in MAPPINGS.values():
        return {kind.__name__: [_all_to_json(value), _all_to_json(value.values())]}
    if kind in COLLECTIONS.values():
        return {kind.__name__: _all_to_json(value)}
    raise TypeError(kind)


def _all_to_json(values: Any) -> list[Any]:
    return [*values] if SCALARS.issuperset(map(type, values)) else [*map(to_json, values)]


def from_json(value: Any) -> Any:
    """Return the value that `to_json` turned into this JSON. Raise `ValueError` or `KeyError` for any other JSON."""
    if not isinstance(value, dict):
        return value
    ((name, content),) = value.items()
    if name in MAPPINGS:
        keys, values = map(_all_from_json, content)
        return MAPPINGS[name](dict(zip(keys, values, strict=True)))
    return COLLECTIONS[name](_all_from_json(content))


def _all_from_json(values: list[Any]) -> list[Any]:
    return [*map(from_json, values)] if dict in set(map(type, values)) else values


def places_to_keep(after: int, head: int) -> list[int]:
    """Return the numbers of the entries at which a check keeps its state. They are between `after` and `head`.

    The distance between two of them grows with the distance from `head`.
    """
    places, distance = list[int](), SHORTEST_DISTANCE
    while head - distance > after:
        places.insert(0, head - distance)
        distance *= 4
    return places


def places_still_kept(places: Iterable[int], head: int) -> list[int]:
    """Return the places whose states are kept: `head`, and the first place in each range of distances from `head`."""
    by_range = {(head - place).bit_length() // 2: place for place in sorted(places, reverse=True)}
    return sorted({*by_range.values()})
