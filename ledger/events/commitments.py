"""Commitments: keyed hashes in place of typed texts and secrets. The texts and secrets are stored separately.

A commitment is HMAC-SHA-256(salt, text) in lower-case hexadecimal. The salt is 32 random bytes. `field` is the path of
the commitment in the entry, with dots (`inputs.advantage.0`). Without the salt, nobody can test a guess of the text. To
erase a text, it is enough to delete the text and its salt. No hash changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from ledger.errors import NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.values import Struct

ERASED = "(erased)"
"""The text shown in place of an erased text."""

LOST_TEXT = "(lost)"
"""The text shown in place of a missing text that no entry erased. It means that the file is damaged."""

SALT_BYTES = 32
COMMITMENT_PATTERN = re.compile("[0-9a-f]{64}")
SaltSource = Callable[[], bytes]


class CommittedText(Struct):
    """A typed text with its commitment. The commitment is None until the entry is written.

    `text` is None unless the state is `open`. A `closed` text was not looked up, or may not be shown. An `away` text is
    not in this copy of the campaign.
    """

    KEY: ClassVar[str] = "word"
    text: str | None = None
    commitment: str | None = None
    state: Literal["open", "closed", "erased", "away"] = "open"


class Secret(CommittedText):
    """A value that would show players something that the GM hides. `text` is the value as canonical JSON."""

    KEY: ClassVar[str] = "secret"

    @property
    def value(self) -> Any:
        """The parsed value; None if the secret is not open."""
        return None if self.text is None else parse_json(self.text)


def is_closed(value: Any) -> bool:
    """Return True if a value on a sheet is a closed secret."""
    return isinstance(value, dict) and value.keys() <= {Secret.KEY, "at"} and Secret.KEY in value


def is_typed_text(value: Any) -> bool:
    """Return True if a value on a sheet is a typed text."""
    return isinstance(value, dict) and value.keys() <= {CommittedText.KEY, "at"} and CommittedText.KEY in value


def opened_mark(
    value: Any, text_of: Callable[[Mapping[str, Any]], str | None], is_revealed: Callable[[int], bool]
) -> Any:
    """Return the typed text or revealed secret behind a commitment. Return any other value unchanged.

    `text_of` finds the text of a commitment. `is_revealed` tells if an entry's secrets were revealed.
    """
    if is_typed_text(value):
        return text_of(value) or ERASED
    text = text_of(value) if is_closed(value) and is_revealed(value["at"]) else None
    return value if text is None else parse_json(text)


def secret(value: Any) -> Secret:
    """Return a value as an open secret."""
    return Secret(text=canonical_json(value).decode())


def random_salt() -> bytes:
    """Return 32 random bytes from the operating system."""
    from os import urandom

    return urandom(SALT_BYTES)


def commitment(salt: bytes, text: str) -> str:
    """Return the commitment to a text, in hexadecimal."""
    from hmac import digest  # not needed to show a sheet

    return digest(salt, text.encode(), "sha256").hex()


def with_words(entry: Mapping[str, Any], texts: Mapping[str, str], *, secrets: bool = False) -> dict[str, Any]:
    """Return an entry's JSON with its texts filled in. Missing texts become None.

    With `secrets`, secrets are filled in too. Then missing texts stay commitments, because a secret can be None. Raise
    `WrongEntry` for a secret that is not canonical JSON.
    """
    changes: dict[str, Any] = {}
    for field, kind, _ in commitments(entry):
        text = texts.get(field)
        if kind == CommittedText.KEY and not (secrets and text is None):  # a secret may have the value None
            changes[field] = text
        elif kind == Secret.KEY and secrets and text not in {None, ERASED}:
            if not _is_canonical(str(text)):
                raise WrongEntry(entry["seq"], UNREADABLE_TEXT.format(field=field))
            changes[field] = parse_json(str(text))
    body: dict[str, Any] = substitute(entry, changes)
    return body


CommitmentsByField = Mapping[str, tuple[str, str]]
"""The commitments of an entry: kind (`word` or `secret`) and hash, by field."""

SaltedTexts = Mapping[str, tuple[bytes, str]]
"""The stored texts of an entry: salt and text, by field."""


def check_words(
    seq: int, entry: Mapping[str, Any], texts: SaltedTexts, erased: Mapping[str, int] | None = None
) -> None:
    """Raise `WrongEntry` if the stored texts of an entry do not match its commitments (see `text_differences`)."""
    for fault in text_differences(commitments_by_field(entry), texts, erased):
        raise WrongEntry(seq, fault)


def text_differences(
    expected: CommitmentsByField, texts: SaltedTexts, erased: Mapping[str, int] | None = None
) -> Iterator[str]:
    """Describe each difference between the stored texts of an entry and its commitments (`expected`).

    `erased` maps each field that must be missing to the entry that erased it. If `erased` is None, any text may be
    missing.
    """
    erased_from: Mapping[str, int] = {} if erased is None else erased
    for field, (kind, digest) in expected.items():
        if kind == Secret.KEY and field in erased_from:
            yield f"still contains a secret ({field}) that #{erased_from[field]} erased"
        if kind == CommittedText.KEY and erased is not None and field not in texts and field not in erased_from:
            yield f"has lost its text ({field})"
        if field in texts and field in erased_from:
            yield f"still contains text ({field}) that #{erased_from[field]} erased"
        if field in texts and commitment(*texts[field]) != digest:
            yield f"has a text that differs from the original ({field})"
        if field in texts and kind == Secret.KEY and texts[field][1] != ERASED and not _is_canonical(texts[field][1]):
            yield UNREADABLE_TEXT.format(field=field)
    extra = texts.keys() - expected.keys()
    if extra:
        yield f"has an extra text that does not belong to it ({min(extra)})"


def lacks_secret_text(value: Any) -> bool:
    """Return True if this file lacks the text of a secret in `value`, which was read with `secrets=True`."""
    return any(isinstance(item, Secret) and item.text is None for _, item in walk({"value": value}))


UNREADABLE_TEXT = "contains a secret in an invalid format ({field})"


def _is_canonical(text: str) -> bool:
    try:
        return canonical_json(parse_json(text)).decode() == text
    except NotCanonical:
        return False


def commitments(value: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield field, kind (`word` or `secret`) and hash of each commitment in a stored entry."""
    # for speed, it calls itself only for lists and objects
    if isinstance(value, dict) and len(value) == 1:
        ((kind, digest),) = value.items()
        if kind in {CommittedText.KEY, Secret.KEY} and isinstance(digest, str) and COMMITMENT_PATTERN.fullmatch(digest):
            yield path, kind, digest
    for name, child in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(child, dict | list):
            yield from commitments(child, f"{path}.{name}" if path else str(name))


def commitments_by_field(entry: Mapping[str, Any]) -> CommitmentsByField:
    """Return the commitments of a stored entry by field."""
    return {field: (kind, digest) for field, kind, digest in commitments(entry)}


def with_texts(value: Any) -> Any:
    """Fill in a value's texts (`ERASED` if missing), and open its secrets. Secrets without a text stay objects."""
    return _map_texts(value, lambda words: _content_of(words, words if isinstance(words, Secret) else ERASED))


def prepare_for_rewriting(value: Any) -> Any:
    """Return a value without the commitments of its texts, for a new entry. Missing texts become `ERASED`."""
    return _map_texts(value, lambda words: type(words)(text=ERASED if words.text is None else words.text))


def with_known_texts(value: Any) -> Any:
    """Fill in a value's texts and secrets. Texts and secrets that are not open become commitments."""
    return _map_texts(value, lambda words: _content_of(words, {words.KEY: words.commitment}))


def open_secrets(value: Any) -> Any:
    """Return a JSON value with its secrets opened. A secret without a text becomes None."""
    return _map_texts(value, lambda words: words.value if isinstance(words, Secret) else words)


def _content_of(words: CommittedText, if_missing: Any) -> Any:
    if words.text is None:
        return if_missing
    return words.value if isinstance(words, Secret) else words.text


def _map_texts(value: Any, change: Callable[[CommittedText], Any]) -> Any:
    if isinstance(value, CommittedText):
        return change(value)
    if isinstance(value, Struct):
        return value.replace(**{name: _map_texts(item, change) for name, item in value.__dict__.items()})
    if isinstance(value, Mapping):
        return {name: _map_texts(item, change) for name, item in value.items()}
    return type(value)(_map_texts(item, change) for item in value) if isinstance(value, list | tuple) else value
