"""The conversion of stored entries to typed events.

It is as strict as pydantic in strict mode, but does not load it (a test compares the two). A field of the wrong type,
a missing field without a default, or an extra field raises `WrongEntry`. All commitments become `CommittedText`
objects, with their text if the file has it and it may be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ledger.errors import WrongEntry
from ledger.events.canonical import ATOMS
from ledger.events.commitments import COMMITMENT, ERASED, CommittedText, Secret
from ledger.events.compiled import UNREAD, entry_reader
from ledger.events.facts import OUTSIDE
from ledger.events.types import TYPES, Consequence, Event, Unknown
from ledger.values import Struct, Within

StructT = TypeVar("StructT", bound=Struct)

Texts = Callable[[str, type[CommittedText], str], CommittedText | None]
"""A function that looks up a text or secret by field, kind and commitment. It returns None for other values."""

Decoder = Callable[[Any, str, Texts], Any]
"""A function that reads a value at a path. Raises `_Wrong` with the path if the value does not fit."""


class _Wrong(Exception):
    """An error for a value of the wrong type. `str()` returns the path of the value."""


def decode(
    seq: int, kind: str, body: Mapping[str, Any], texts: Mapping[str, str] | None, *, with_secrets: bool, worded: bool
) -> Event:
    """Return the event of an entry. `texts` has its stored texts, or is None if they were not looked up.

    If `with_secrets`, secrets are opened too. An entry that is not `worded` has no texts or secrets. The fast compiled
    reader is tried first. Raise `WrongEntry` if the entry is not valid.
    """
    try:
        filled = _anything(body, "", _texts(texts, with_secrets=with_secrets)) if worded else body
        event: Event = entry_reader(TYPES.get(kind, Consequence))(filled)
    except UNREAD:
        return decode_plainly(seq, kind, body, texts, with_secrets=with_secrets)
    return event


def decode_plainly(
    seq: int, kind: str, body: Mapping[str, Any], texts: Mapping[str, str] | None, *, with_secrets: bool
) -> Event:
    """Return the same event as `decode`, without the compiled reader. Raise `WrongEntry` for the first wrong field."""
    facts = {name: fact for name, fact in body.items() if name not in OUTSIDE}
    return _event(seq, kind, facts, _texts(texts, with_secrets=with_secrets))


def decode_sealed(seq: int, held: Any, *, with_secrets: bool) -> Event:
    """Return an event inside an opened sealed roll, whose JSON has plain texts in place of commitments.

    The event's own secrets stay closed unless `with_secrets`. Raise `WrongEntry` if the event is not valid.
    """

    def words(path: str, kind: type[CommittedText], text: str) -> CommittedText:
        return kind(text=text) if with_secrets or kind is CommittedText else kind(state="closed")

    if not isinstance(held, dict) or not isinstance(held.get("type"), str):
        raise WrongEntry(seq, "contains no event")
    facts = {name: fact for name, fact in held.items() if name != "type"}
    return _event(seq, held["type"], facts, words)


def _event(seq: int, kind: str, facts: Mapping[str, Any], texts: Texts) -> Event:
    shape: type[Event] | None = TYPES.get(kind)
    if shape is None:
        consequence = facts.keys() == {"system", "who", "facts", "postings", "marks"}
        shape = Consequence if consequence else Unknown
        own = {name: facts[name] for name in ("postings", "marks") if name in facts}
        rest = facts if consequence else {"facts": {name: facts[name] for name in facts.keys() - own.keys()}}
        facts = {"kind": kind, **own, **rest}
    event: Event = _read(seq, kind, shape, facts, texts)
    return event


def part(seq: int, kind: str, shape: type[StructT], fields: Mapping[str, Any]) -> StructT:
    """Read some fields of an entry, without texts, as a struct. Raise `WrongEntry` if a field is wrong."""
    return cast(StructT, _read(seq, kind, shape, fields, _texts(None, with_secrets=False)))


def _read(seq: int, kind: str, shape: type[Struct], fields: Mapping[str, Any], texts: Texts) -> Any:
    try:
        return _reader(cast(Any, shape))(fields, "", texts)
    except _Wrong as wrong:
        raise WrongEntry(seq, f"is not a valid {kind} entry (the problem is in {wrong})") from None


def fits(hint: Any, value: Any) -> bool:
    """Return True if a JSON value fits an annotation."""
    try:
        _reader(hint)(value, "", _texts(None, with_secrets=False))
    except _Wrong:
        return False
    return True


def _texts(texts: Mapping[str, str] | None, *, with_secrets: bool) -> Texts:
    def words(path: str, kind: type[CommittedText], commitment: str) -> CommittedText | None:
        if not COMMITMENT.fullmatch(commitment):
            return None
        if texts is None or (kind is Secret and not with_secrets):
            return kind(commitment=commitment, state="closed")
        text = texts.get(path)
        if text is not None and not (kind is Secret and text == ERASED):
            return kind(text=text, commitment=commitment)
        return kind(commitment=commitment, state="away" if kind is Secret and text is None else "erased")

    return words


@cache
def _reader(hint: Any) -> Decoder:
    if hint is Any:
        return _anything
    return _class_reader(hint) if isinstance(hint, type) else GENERIC[get_origin(hint)](*get_args(hint))


def _class_reader(kind: type[Any]) -> Decoder:
    if issubclass(kind, CommittedText):
        return _words(kind)
    return _shape(kind) if issubclass(kind, Struct) else _exactly(lambda value: type(value) is kind)


def _exactly(fits: Callable[[Any], bool]) -> Decoder:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not fits(value):
            raise _Wrong(path)
        return value

    return read


def _limited(hint: Any, limit: Within, *_: Any) -> Decoder:
    reader = _reader(hint)

    def read(value: Any, path: str, texts: Texts) -> Any:
        result = reader(value, path, texts)
        if not limit.least <= (len(result) if limit.length else result) <= limit.most:
            raise _Wrong(path)
        return result

    return read


def _either(*hints: Any) -> Decoder:
    *readers, last = (_reader(hint) for hint in sorted(hints, key=lambda hint: hint is not type(None)))

    def read(value: Any, path: str, texts: Texts) -> Any:
        for reader in readers:
            try:
                return reader(value, path, texts)
            except _Wrong:  # no `as`: the exception's frames would keep the callers' open files alive
                continue
        return last(value, path, texts)

    return read


def _one_of(*values: Any) -> Decoder:
    return _exactly(lambda value: any(value == option and type(value) is type(option) for option in values))


def _tuple(*hints: Any) -> Decoder:
    return _list(_reader(hints[0])) if hints[1:] == (...,) else _pair([_reader(hint) for hint in hints])


def _list(reader: Decoder) -> Decoder:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, list):
            raise _Wrong(path)
        return tuple(reader(item, f"{path}.{place}", texts) for place, item in enumerate(value))

    return read


def _pair(readers: Sequence[Decoder]) -> Decoder:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise _Wrong(path)
        return tuple(
            reader(item, f"{path}.{place}", texts)
            for place, (reader, item) in enumerate(zip(readers, value, strict=True))
        )

    return read


def _named(_: Any, hint: Any) -> Decoder:
    reader = _reader(hint)

    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, dict):
            raise _Wrong(path)
        return {name: reader(item, f"{path}.{name}", texts) for name, item in value.items()}

    return read


def _words(kind: type[CommittedText]) -> Decoder:
    def read(value: Any, path: str, texts: Texts) -> Any:
        commitment = value.get(kind.KEY) if isinstance(value, dict) and len(value) == 1 else None
        words = texts(path, kind, commitment) if isinstance(commitment, str) else None
        if words is None:
            raise _Wrong(path)
        return words

    return read


def _anything(value: Any, path: str, texts: Texts) -> Any:
    """Read a value without a declared type. Each commitment in it becomes its text or secret."""
    if isinstance(value, dict):
        for kind in (CommittedText, Secret) if len(value) == 1 else ():
            commitment = value.get(kind.KEY)
            words = texts(path, kind, commitment) if isinstance(commitment, str) else None
            if words is not None:
                return words
        dot = f"{path}." if path else ""
        return {
            name: item if type(item) in ATOMS else _anything(item, f"{dot}{name}", texts)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [
            item if type(item) in ATOMS else _anything(item, f"{path}.{place}", texts)
            for place, item in enumerate(value)
        ]
    return value


def _shape(shape: type[Struct]) -> Decoder:
    hints = get_type_hints(shape, include_extras=True)
    readers = {name: _reader(hints[name]) for name in shape._fields}
    required = shape._needed() | readers.keys() & {"postings", "marks"}

    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, Mapping):
            raise _Wrong(path)
        dot = f"{path}." if path else ""
        if not required <= value.keys() <= readers.keys():
            missing = [name for name in readers if name in required and name not in value]
            raise _Wrong(dot + [*missing, *(name for name in value if name not in readers)][0])
        present = ((name, reader) for name, reader in readers.items() if name in value)
        return shape(**{name: reader(value[name], f"{dot}{name}", texts) for name, reader in present})

    return read


GENERIC: Mapping[Any, Callable[..., Decoder]] = {
    Annotated: _limited,
    Union: _either,
    UnionType: _either,
    Literal: _one_of,
    tuple: _tuple,
    dict: _named,
}
"""The functions that make readers for generic annotations, by the origin of the annotation."""
