"""The conversion of stored entries to event objects.

A field of the wrong type, a missing field without a default, or an extra field raises `WrongEntry`. All commitments
become `CommittedText` objects, with their text if the file has it and it may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ledger.errors import WrongEntry
from ledger.events.canonical import ATOMIC_TYPES
from ledger.events.commitments import COMMITMENT_PATTERN, ERASED, CommittedText, Secret
from ledger.events.compiled import READ_ERRORS, is_struct, part_reader, reader
from ledger.events.facts import HEADER_FIELDS
from ledger.events.types import EVENTS, Consequence, Event, Unknown
from ledger.values import Struct

StructT = TypeVar("StructT", bound=Struct)

TextLookup = Callable[[str, type[CommittedText], str], CommittedText | None]
"""A function that finds a text or secret by field, kind and commitment. It returns None if there is no commitment."""


def decode(
    seq: int,
    kind: str,
    body: Mapping[str, Any],
    texts: Mapping[str, str] | None,
    *,
    with_secrets: bool,
    has_words: bool,
) -> Event:
    """Return the event of an entry. Raise `WrongEntry` if the entry is not valid.

    `texts` has the stored texts, or is None if they were not looked up. If `with_secrets`, secrets are opened too. If
    not `has_words`, the entry has no texts or secrets.
    """

    def words(path: str, kind: type[CommittedText], commitment: str) -> CommittedText | None:
        if _has_free_keys(path) or not COMMITMENT_PATTERN.fullmatch(commitment):
            return None
        if texts is None or (kind is Secret and not with_secrets):
            return kind(commitment=commitment, state="closed")
        text = texts.get(path)
        if text is not None and not (kind is Secret and text == ERASED):
            return kind(text=text, commitment=commitment)
        return kind(commitment=commitment, state="away" if kind is Secret and text is None else "erased")

    filled = _fill(body, "", words) if has_words else body
    try:
        event: Event = reader(cast(Any, EVENTS.get(kind, Consequence)), HEADER_FIELDS)(filled)
    except READ_ERRORS:
        return _event(seq, kind, {name: fact for name, fact in filled.items() if name not in HEADER_FIELDS})
    return event


def decode_sealed(seq: int, body: Any, *, with_secrets: bool) -> Event:
    """Return an event from a sealed roll. `body` is the opened JSON, with plain texts in place of commitments.

    The event's own secrets stay closed unless `with_secrets` is True. Raise `WrongEntry` if the event is not valid.
    """

    def words(path: str, kind: type[CommittedText], text: str) -> CommittedText | None:
        if _has_free_keys(path):
            return None
        return kind(text=text) if with_secrets or kind is CommittedText else kind(state="closed")

    if not isinstance(body, dict) or not isinstance(body.get("type"), str):
        raise WrongEntry(seq, "contains no event")
    facts = {name: _fill(fact, name, words) for name, fact in body.items() if name != "type"}
    return _event(seq, body["type"], facts)


def _event(seq: int, kind: str, facts: Mapping[str, Any]) -> Event:
    shape: type[Event] | None = EVENTS.get(kind)
    if shape is None:
        consequence = facts.keys() == {"system", "who", "facts", "postings", "marks"}
        shape = Consequence if consequence else Unknown
        derived = {name: facts[name] for name in ("postings", "marks") if name in facts}
        rest = facts if consequence else {"facts": {name: facts[name] for name in facts.keys() - derived.keys()}}
        facts = {"kind": kind, **derived, **rest}
    return read_struct(seq, kind, shape, facts)


def read_struct(seq: int, kind: str, shape: type[StructT], fields: Mapping[str, Any]) -> StructT:
    """Read some fields of an entry as a struct. Raise `WrongEntry` if a field is wrong."""
    try:
        result: StructT = reader(cast(Any, shape))(fields)
    except READ_ERRORS:
        raise WrongEntry(seq, f"is not a valid {kind} entry (the problem is in {_fault_path(shape, fields)})") from None
    return result


def _fault_path(hint: Any, value: Any, path: str = "") -> str:
    """Return the path, within a value, of the first part that does not fit its annotation."""
    while get_origin(hint) in {Annotated, Union, UnionType}:
        hint = get_args(hint)[0]
    dot = f"{path}." if path else ""
    if is_struct(hint) and isinstance(value, Mapping):
        missing = [name for name in hint._fields if name in hint._needed() and name not in value]
        if misplaced := [*missing, *(name for name in value if name not in hint._fields)]:
            return f"{dot}{misplaced[0]}"
    for name, part_hint, item in _parts(hint, value):
        try:
            part_reader(part_hint)(item)
        except READ_ERRORS:
            return _fault_path(part_hint, item, f"{dot}{name}")
    return path


def _parts(hint: Any, value: Any) -> list[tuple[Any, Any, Any]]:
    """Return the name (or index), the annotation and the value of each item of an object or list."""
    args, origin = get_args(hint), get_origin(hint)
    if is_struct(hint) and isinstance(value, Mapping):
        hints = get_type_hints(hint, include_extras=True)
        return [(name, hints[name], value[name]) for name in hint._fields if name in value]
    if origin is dict and isinstance(value, dict):
        return [(name, args[1], item) for name, item in value.items()]
    if origin is tuple and isinstance(value, list):
        items = args[:1] * len(value) if args[1:] == (...,) else args
        return [(place, *pair) for place, pair in enumerate(zip(items, value, strict=False))]
    return []


def _has_free_keys(path: str) -> bool:
    """Return True if games or people choose the keys of the object at `path`.

    In that case, the object may have the key `word` without being a commitment.
    """
    return path in {"facts", "inputs", "settings", "values"} or path.rpartition(".")[0] in {"looked", "numbers"}


def _fill(value: Any, path: str, texts: TextLookup) -> Any:
    """Return a JSON value with its commitments replaced by texts and secrets."""
    if isinstance(value, dict):
        for kind in (CommittedText, Secret) if len(value) == 1 else ():
            commitment = value.get(kind.KEY)
            words = texts(path, kind, commitment) if isinstance(commitment, str) else None
            if words is not None:
                return words
        dot = f"{path}." if path else ""
        return {
            name: item if type(item) in ATOMIC_TYPES else _fill(item, f"{dot}{name}", texts)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [
            item if type(item) in ATOMIC_TYPES else _fill(item, f"{path}.{place}", texts)
            for place, item in enumerate(value)
        ]
    return value
