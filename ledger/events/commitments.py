"""Commitments: an entry contains a keyed hash of typed words and of secrets; the text is kept beside it.

commitment = HMAC-SHA-256(salt, text), in lower-case hexadecimal; the salt is 32 random bytes. `field` is the path
of the commitment in the entry, with dots (`inputs.advantage.0`). Without the salt nobody can guess a text from its
commitment, so deleting text and salt erases the words and leaves every hash as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from ledger.errors import NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.values import Struct

ERASED = "(erased)"
"""Shown in place of erased words."""

LOST = "(lost)"
"""Replaces words that are missing although no entry erased them: the file is damaged."""

SALT_BYTES = 32
COMMITMENT = re.compile("[0-9a-f]{64}")
Salts = Callable[[], bytes]


class CommittedText(Struct):
    """Words that somebody typed, and their commitment in the entry.

    `text` is None unless the state is `open`. `closed`: not looked up, or not to be seen; `erased`: nobody has the text
    any more; `away`: it is not in this copy of the campaign. `commitment` is None until the entry is written.
    """

    KEY: ClassVar[str] = "word"
    text: str | None = None
    commitment: str | None = None
    state: Literal["open", "closed", "erased", "away"] = "open"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Accept a commitment as it is on disk."""
        from pydantic_core import core_schema as core  # only verify needs it

        digest = core.str_schema(pattern="^[0-9a-f]{64}$", strict=True)
        shape = core.typed_dict_schema({cls.KEY: core.typed_dict_field(digest)}, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda data: cls(commitment=data[cls.KEY], state="closed"), shape)


class Secret(CommittedText):
    """A value that the GM hides from the players, or that would give one away. `text` is its canonical JSON."""

    KEY: ClassVar[str] = "secret"

    @property
    def value(self) -> Any:
        """The hidden value as JSON, None unless the secret is open."""
        return None if self.text is None else parse_json(self.text)


def is_closed(value: Any) -> bool:
    """Return True if a value on a sheet is a secret that was not opened."""
    return isinstance(value, dict) and value.keys() <= {Secret.KEY, "at"} and Secret.KEY in value


def secret(value: Any) -> Secret:
    """A value as an open secret."""
    return Secret(text=canonical_json(value).decode())


def random_salt() -> bytes:
    """32 random bytes from the operating system."""
    from os import urandom  # beside its only use

    return urandom(SALT_BYTES)


def commitment(salt: bytes, text: str) -> str:
    """The commitment to a text, in hexadecimal."""
    from hmac import digest  # not needed to show a sheet

    return digest(salt, text.encode(), "sha256").hex()


def with_words(entry: Mapping[str, Any], texts: Mapping[str, str], *, secrets: bool = False) -> dict[str, Any]:
    """An entry's JSON with its words filled in, None for erased ones.

    `secrets` opens secrets too, and leaves erased words as commitments, to tell them from a value of None.
    """
    changes: dict[str, Any] = {}
    for field, kind, _ in commitments(entry):
        text = texts.get(field)
        if kind == CommittedText.KEY and not (secrets and text is None):
            changes[field] = text
        elif kind == Secret.KEY and secrets and text not in {None, ERASED}:
            changes[field] = _open_secret(entry["seq"], field, str(text))
    body: dict[str, Any] = substitute(entry, changes)
    return body


Committed = Mapping[str, tuple[str, str]]
"""The commitments of an entry by field: kind (`word` or `secret`) and hash."""

Kept = Mapping[str, tuple[bytes, str]]
"""The words beside an entry by field: salt and text."""


def check_words(seq: int, entry: Mapping[str, Any], kept: Kept, erased: Mapping[str, int] | None = None) -> None:
    """Refuse (`WrongEntry`) words that do not match the commitments of their entry (`word_faults`)."""
    for fault in word_faults(committed(entry), kept, erased):
        raise WrongEntry(seq, fault)


def word_faults(said: Committed, kept: Kept, erased: Mapping[str, int] | None = None) -> Iterator[str]:
    """Yield the faults of the words beside an entry, judged by its commitments (`said`).

    `erased` names the entry that erased a field: no such text may remain, and no other word may be missing. If `erased`
    is None, any missing word may have been erased.
    """
    gone: Mapping[str, int] = {} if erased is None else erased
    for field, (kind, digest) in said.items():
        if kind == Secret.KEY and field in gone:
            yield f"still contains a secret that should be gone: #{gone[field]} erased it ({field})"
        if kind == CommittedText.KEY and erased is not None and field not in kept and field not in gone:
            yield f"has lost its text ({field})"
        if field in kept and field in gone:
            yield f"still contains a text ({field}), although #{gone[field]} erased it"
        if field in kept and commitment(*kept[field]) != digest:
            yield f"has a different text from the original ({field})"
        if field in kept and kind == Secret.KEY and kept[field][1] != ERASED and not _is_canonical(kept[field][1]):
            yield UNREADABLE.format(field)
    extra = kept.keys() - said.keys()
    if extra:
        yield f"has a text that does not belong to it ({min(extra)})"


def is_away(said: Any) -> bool:
    """Return True if an opened value is a secret that this file lacks."""
    return any(isinstance(item, Secret) and item.text is None for _, item in walk({"said": said}))


UNREADABLE = "contains a secret that nobody can read ({})"


def _open_secret(seq: int, field: str, text: str) -> Any:
    """The value of a secret; refuses (`WrongEntry`) a text that is no canonical JSON."""
    if not _is_canonical(text):
        raise WrongEntry(seq, UNREADABLE.format(field))
    return parse_json(text)


def _is_canonical(text: str) -> bool:
    try:
        return canonical_json(parse_json(text)).decode() == text
    except NotCanonical:
        return False


def commitments(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield field, kind (`word` or `secret`) and hash of each commitment in a stored entry."""
    return _commitments_in(entry, "")


def _commitments_in(value: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """The commitments in a part of an entry. Only lists and objects are searched, because this runs for every entry."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, digest),) = value.items()
        if kind in {CommittedText.KEY, Secret.KEY} and isinstance(digest, str) and COMMITMENT.fullmatch(digest):
            yield path, kind, digest
    for name, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, dict | list):
            yield from _commitments_in(child, f"{path}.{name}" if path else str(name))


def committed(entry: Mapping[str, Any]) -> Committed:
    """The commitments of a stored entry by field."""
    return {field: (kind, digest) for field, kind, digest in commitments(entry)}


def plain_value(value: Any) -> Any:
    """A value without commitments: erased words say so, closed secrets stay closed."""
    if isinstance(value, CommittedText):
        return _plain_words(value)
    if isinstance(value, dict):
        return {name: plain_value(item) for name, item in value.items()}
    return type(value)(plain_value(item) for item in value) if isinstance(value, list | tuple) else value


def _plain_words(words: CommittedText) -> Any:
    if isinstance(words, Secret):
        return words if words.text is None else words.value
    return ERASED if words.text is None else words.text


def prepare_for_rewriting(value: Any) -> Any:
    """A value to write again: its words lose their old commitments, erased words say so."""
    return _replaced(value, lambda words: type(words)(text=ERASED if words.text is None else words.text))


def with_values(value: Any) -> Any:
    """A value with its words and secrets filled in; those that cannot be seen here stay commitments."""
    return _replaced(value, _contents)


def _contents(words: CommittedText) -> Any:
    if words.text is None:
        return {words.KEY: words.commitment}
    return words.value if isinstance(words, Secret) else words.text


def _replaced(value: Any, change: Callable[[CommittedText], Any]) -> Any:
    """A value of any type with its words and secrets replaced."""
    if isinstance(value, CommittedText):
        return change(value)
    if isinstance(value, Struct):
        return value.replace(**{name: _replaced(item, change) for name, item in value.__dict__.items()})
    if isinstance(value, Mapping):
        return {name: _replaced(item, change) for name, item in value.items()}
    return type(value)(_replaced(item, change) for item in value) if isinstance(value, list | tuple) else value


def revealed(value: Any) -> Any:
    """A JSON value with its secrets opened."""
    if isinstance(value, Secret):
        return parse_json(value.text or "null")
    if isinstance(value, dict):
        return {name: revealed(item) for name, item in value.items()}
    return [revealed(item) for item in value] if isinstance(value, list) else value
