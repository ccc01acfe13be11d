"""Decode: reads an entry back as the typed event that was written.

It is as strict as pydantic with the same classes (a test compares the two), and does not need pydantic: it refuses
(`WrongEntry`) a field of another type, a missing field without a default, and an extra field. A commitment anywhere
becomes its words or secret, as far as they are here and may be seen.
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
"""Finds words or a secret by field, kind and commitment; None for a text that is no commitment."""

Decoder = Callable[[Any, str, Texts], Any]
"""Reads a value of one annotation at a path; raises `_Wrong` with the path that is wrong."""


class _Wrong(Exception):
    """A value that is not of its type; `str()` is its path."""


def decode(
    seq: int, kind: str, body: Mapping[str, Any], texts: Mapping[str, str] | None, *, told: bool, worded: bool
) -> Event:
    """The event of an entry, with the words beside it (`texts`) if they were looked up; `told` opens secrets too.

    An entry that is not `worded` has neither words nor secrets. The compiled function reads it, if it can.
    """
    try:
        read = _anything(body, "", _texts(texts, told=told)) if worded else body
        event: Event = entry_reader(TYPES.get(kind, Consequence))(read)
    except UNREAD:
        return decode_plainly(seq, kind, body, texts, told=told)
    return event


def decode_plainly(
    seq: int, kind: str, body: Mapping[str, Any], texts: Mapping[str, str] | None, *, told: bool
) -> Event:
    """The same event, read field by field; refuses (`WrongEntry`) the first that is wrong."""
    facts = {name: fact for name, fact in body.items() if name not in OUTSIDE}
    return _event(seq, kind, facts, _texts(texts, told=told))


def decode_sealed(seq: int, held: Any, *, told: bool) -> Event:
    """An event inside an opened sealed roll, whose JSON has plain texts in place of commitments.

    The event's own secrets stay closed unless `told`.
    """

    def words(path: str, kind: type[CommittedText], text: str) -> CommittedText:
        return kind(text=text) if told or kind is CommittedText else kind(state="closed")

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
    """A part of an entry without words; as strict as `decode` (`WrongEntry`)."""
    return cast(StructT, _read(seq, kind, shape, fields, _texts(None, told=False)))


def _read(seq: int, kind: str, shape: type[Struct], fields: Mapping[str, Any], texts: Texts) -> Any:
    try:
        return _reader(cast(Any, shape))(fields, "", texts)
    except _Wrong as wrong:
        raise WrongEntry(seq, f"is not a valid {kind} entry (the problem is in {wrong})") from None


def fits(hint: Any, value: Any) -> bool:
    """Whether a JSON value fits an annotation."""
    try:
        _reader(hint)(value, "", _texts(None, told=False))
    except _Wrong:
        return False
    return True


def _texts(texts: Mapping[str, str] | None, *, told: bool) -> Texts:
    def words(path: str, kind: type[CommittedText], commitment: str) -> CommittedText | None:
        if not COMMITMENT.fullmatch(commitment):
            return None
        if texts is None or (kind is Secret and not told):
            return kind(commitment=commitment, state="closed")
        text = texts.get(path)
        if text is not None and not (kind is Secret and text == ERASED):
            return kind(text=text, commitment=commitment)
        return kind(commitment=commitment, state="away" if kind is Secret and text is None else "erased")

    return words


@cache
def _reader(hint: Any) -> Decoder:
    """The reader for an annotated type."""
    if hint is Any:
        return _anything
    return _of_class(hint) if isinstance(hint, type) else GENERIC[get_origin(hint)](*get_args(hint))


def _of_class(kind: type[Any]) -> Decoder:
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
            except _Wrong:  # not bound to a name: its frames would keep alive what the callers have open
                continue
        return last(value, path, texts)

    return read


def _one_of(*values: Any) -> Decoder:
    return _exactly(lambda value: any(value == option and type(value) is type(option) for option in values))


def _tuple(*hints: Any) -> Decoder:
    return _list(_reader(hints[0])) if hints[1:] == (...,) else _pair([_reader(hint) for hint in hints])


def _list(one: Decoder) -> Decoder:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, list):
            raise _Wrong(path)
        return tuple(one(item, f"{path}.{place}", texts) for place, item in enumerate(value))

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
    one = _reader(hint)

    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, dict):
            raise _Wrong(path)
        return {name: one(item, f"{path}.{name}", texts) for name, item in value.items()}

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
    """Read a value of no declared type; a commitment in it becomes its words or secret."""
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
"""Makes the reader of a generic annotation, by its origin."""
