"""Decode: an entry read back as the typed event that was written.

It is strict, as pydantic is with the same classes (a test compares the two), and needs no pydantic: a field of another
type, one that is missing without a default, and one too many are refused (`WrongEntry`). A commitment becomes the words
or the secret that it stands for, wherever it stands, as far as they are here and to be seen.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ledger.errors import WrongEntry
from ledger.events.commitments import COMMITMENT, ERASED, Said, Secret
from ledger.events.types import TYPES, AnyEvent, Consequence, Event, Unknown
from ledger.values import Struct, Within

Part = TypeVar("Part", bound=Struct)

Texts = Callable[[str, type[Said], str], Said | None]
"""Words or a secret, by field, kind and what stands for them there; None where that stands for none."""

Reader = Callable[[Any, str, Texts], Any]
"""Reads a value of one annotation; is handed the path of the value, and raises `_Wrong` with the path that is wrong."""


class _Wrong(Exception):
    """A value that is not of its type; `str()` is its path."""


def decode(seq: int, kind: str, facts: Mapping[str, Any], texts: Mapping[str, str] | None, *, told: bool) -> AnyEvent:
    """The event of an entry from its type and facts, with the words that lie beside it, if they were looked up.

    `told` says that secrets are opened too.
    """
    return _event(seq, kind, facts, _texts(texts, told=told))


def decode_sealed(seq: int, held: Any, *, told: bool) -> AnyEvent:
    """An event that a sealed roll, opened, holds as JSON: its words and secrets stand there as they were said.

    Its own secrets stay closed, unless they are `told` too.
    """

    def said(path: str, kind: type[Said], text: str) -> Said:
        return kind(text=text) if told or kind is Said else kind(state="closed")

    if not isinstance(held, dict) or not isinstance(held.get("type"), str):
        raise WrongEntry(seq, "holds no event")
    facts = {name: each for name, each in held.items() if name != "type"}
    return _event(seq, held["type"], facts, said)


def _event(seq: int, kind: str, facts: Mapping[str, Any], texts: Texts) -> AnyEvent:
    shape: type[Event] | None = TYPES.get(kind)
    if shape is None:
        consequence = facts.keys() == {"system", "who", "facts", "postings", "marks"}
        shape = Consequence if consequence else Unknown
        own = {name: facts[name] for name in ("postings", "marks") if name in facts}
        rest = facts if consequence else {"facts": {name: facts[name] for name in facts.keys() - own.keys()}}
        facts = {"kind": kind, **own, **rest}
    event: AnyEvent = _read(seq, kind, shape, facts, texts)
    return event


def part(seq: int, kind: str, shape: type[Part], fields: Mapping[str, Any]) -> Part:
    """A part of an entry that holds no words; refuses (`WrongEntry`) what is none, like `decode`."""
    found: Part = _read(seq, kind, shape, fields, _texts(None, told=False))
    return found


def _read(seq: int, kind: str, shape: type[Struct], fields: Mapping[str, Any], texts: Texts) -> Any:
    try:
        return _reader(cast(Any, shape))(fields, "", texts)
    except _Wrong as wrong:
        raise WrongEntry(seq, f"is no {kind} as this program knows it (see {wrong})") from None


def fits(hint: Any, value: Any) -> bool:
    """Whether a value, as JSON has it, is of a type, as an annotation says it."""
    try:
        _reader(hint)(value, "", _texts(None, told=False))
    except _Wrong:
        return False
    return True


def _texts(texts: Mapping[str, str] | None, *, told: bool) -> Texts:
    def said(path: str, kind: type[Said], commitment: str) -> Said | None:
        if not COMMITMENT.fullmatch(commitment):
            return None
        if texts is None or (kind is Secret and not told):
            return kind(commitment=commitment, state="closed")
        text = texts.get(path)
        if text is not None and not (kind is Secret and text == ERASED):
            return kind(text=text, commitment=commitment)
        return kind(commitment=commitment, state="away" if kind is Secret and text is None else "erased")

    return said


@cache
def _reader(hint: Any) -> Reader:
    """The reader for an annotated type."""
    if hint is Any:
        return _anything
    return _of_class(hint) if isinstance(hint, type) else GENERIC[get_origin(hint)](*get_args(hint))


def _of_class(kind: type[Any]) -> Reader:
    if issubclass(kind, Said):
        return _said(kind)
    return _shape(kind) if issubclass(kind, Struct) else _exactly(lambda value: type(value) is kind)


def _exactly(fits: Callable[[Any], bool]) -> Reader:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not fits(value):
            raise _Wrong(path)
        return value

    return read


def _limited(hint: Any, limit: Within, *_: Any) -> Reader:
    reader = _reader(hint)

    def read(value: Any, path: str, texts: Texts) -> Any:
        found = reader(value, path, texts)
        if not limit.least <= (len(found) if limit.length else found) <= limit.most:
            raise _Wrong(path)
        return found

    return read


def _either(*hints: Any) -> Reader:
    *readers, last = (_reader(hint) for hint in sorted(hints, key=lambda hint: hint is not type(None)))

    def read(value: Any, path: str, texts: Texts) -> Any:
        for reader in readers:
            try:
                return reader(value, path, texts)
            except _Wrong:  # not kept: its frames would keep whatever is open in those that called
                continue
        return last(value, path, texts)

    return read


def _one_of(*values: Any) -> Reader:
    return _exactly(lambda value: any(value == each and type(value) is type(each) for each in values))


def _tuple(*hints: Any) -> Reader:
    return _list(_reader(hints[0])) if hints[1:] == (...,) else _pair([_reader(hint) for hint in hints])


def _list(one: Reader) -> Reader:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, list):
            raise _Wrong(path)
        return tuple(one(each, f"{path}.{place}", texts) for place, each in enumerate(value))

    return read


def _pair(readers: Sequence[Reader]) -> Reader:
    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, list) or len(value) != len(readers):
            raise _Wrong(path)
        return tuple(
            reader(each, f"{path}.{place}", texts)
            for place, (reader, each) in enumerate(zip(readers, value, strict=True))
        )

    return read


def _named(_: Any, hint: Any) -> Reader:
    one = _reader(hint)

    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, dict):
            raise _Wrong(path)
        return {name: one(each, f"{path}.{name}", texts) for name, each in value.items()}

    return read


def _said(kind: type[Said]) -> Reader:
    def read(value: Any, path: str, texts: Texts) -> Any:
        held = value.get(kind.KEY) if isinstance(value, dict) and len(value) == 1 else None
        found = texts(path, kind, held) if isinstance(held, str) else None
        if found is None:
            raise _Wrong(path)
        return found

    return read


def _anything(value: Any, path: str, texts: Texts) -> Any:
    """Read a value of no declared type: a commitment in it stands for what it commits to."""
    if isinstance(value, dict):
        for kind in (Said, Secret) if len(value) == 1 else ():
            held = value.get(kind.KEY)
            found = texts(path, kind, held) if isinstance(held, str) else None
            if found is not None:
                return found
        return {name: _anything(each, f"{path}.{name}" if path else name, texts) for name, each in value.items()}
    if isinstance(value, list):
        return [_anything(each, f"{path}.{place}", texts) for place, each in enumerate(value)]
    return value


def _shape(shape: type[Struct]) -> Reader:
    hints = get_type_hints(shape, include_extras=True)
    readers = {name: _reader(hints[name]) for name in shape._fields}
    required = readers.keys() - shape._defaults.keys() | readers.keys() & {"postings", "marks"}

    def read(value: Any, path: str, texts: Texts) -> Any:
        if not isinstance(value, Mapping):
            raise _Wrong(path)
        dot = f"{path}." if path else ""
        if not required <= value.keys() <= readers.keys():
            missing = (name for name in readers if name in required and name not in value)
            raise _Wrong(dot + next(missing, next((name for name in value if name not in readers), "")))
        held = ((name, reader) for name, reader in readers.items() if name in value)
        return shape(**{name: reader(value[name], f"{dot}{name}", texts) for name, reader in held})

    return read


GENERIC: Mapping[Any, Callable[..., Reader]] = {
    Annotated: _limited,
    Union: _either,
    UnionType: _either,
    Literal: _one_of,
    tuple: _tuple,
    dict: _named,
}
"""What reads the values of an annotation that has others in it, by its origin."""
