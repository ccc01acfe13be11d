"""Commitments: an entry holds a keyed hash of words that were typed and of secrets; the text lies beside it.

commitment = HMAC-SHA-256(salt, text), in small hexadecimal letters; the salt is 32 random bytes. `field` is the path
of the commitment in the entry, with dots (`inputs.advantage.0`). Without its salt a text cannot be guessed from the
commitment, so deleting text and salt erases the words and leaves every hash as it was.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from ledger.errors import NotCanonical, WrongEntry
from ledger.events.canonical import canonical_json, changed, nodes, parse_json
from ledger.values import Struct

ERASED = "(erased)"
"""What stands in place of words that were erased."""

SALT_BYTES = 32
COMMITMENT = re.compile("[0-9a-f]{64}")
Salts = Callable[[], bytes]


class Said(Struct):
    """Words that somebody typed, with what the entry holds of them.

    `text` is None unless they are `open`. `closed`: it was not looked up, or is not to be seen; `erased`: nobody has it
    any more; `away`: it is not in this copy of the campaign. `commitment` is None until the entry is written.
    """

    KEY: ClassVar[str] = "word"
    text: str | None = None
    commitment: str | None = None
    state: Literal["open", "closed", "erased", "away"] = "open"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Read the commitment that stands on disk."""
        from pydantic_core import core_schema as core  # only verify asks

        commitment = core.str_schema(pattern="^[0-9a-f]{64}$", strict=True)
        shape = core.typed_dict_schema({cls.KEY: core.typed_dict_field(commitment)}, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda held: cls(commitment=held[cls.KEY], state="closed"), shape)


class Secret(Said):
    """What the GM keeps from the players, or what would tell it. `text` is its canonical JSON."""

    KEY: ClassVar[str] = "secret"

    @property
    def value(self) -> Any:
        """What is kept, as JSON has it; None unless it is open."""
        return None if self.text is None else parse_json(self.text)


def is_closed(value: Any) -> bool:
    """Whether a value of a sheet is what the GM keeps, and was not opened."""
    return isinstance(value, dict) and value.keys() <= {Secret.KEY, "at"} and Secret.KEY in value


def secret(value: Any) -> Secret:
    """A value as a secret."""
    return Secret(text=canonical_json(value).decode())


def random_salt() -> bytes:
    """A salt: 32 bytes from the operating system."""
    from os import urandom  # kept beside its only use

    return urandom(SALT_BYTES)


def commitment(salt: bytes, text: str) -> str:
    """The commitment to a text."""
    from hmac import digest  # a look commits to nothing

    return digest(salt, text.encode(), "sha256").hex()


def opened(entry: Mapping[str, Any], texts: Mapping[str, str], *, secrets: bool = False) -> dict[str, Any]:
    """An entry with its words in their places, None where they were erased.

    Secrets stay closed, unless asked for; then erased words stand as their commitment, to be told from none.
    """
    told: dict[str, Any] = {}
    for field, kind, _ in commitments(entry):
        text = texts.get(field)
        if kind == Said.KEY and not (secrets and text is None):
            told[field] = text
        elif kind == Secret.KEY and secrets and text not in {None, ERASED}:
            told[field] = _told(entry["seq"], field, str(text))
    found: dict[str, Any] = changed(entry, told)
    return found


Committed = Mapping[str, tuple[str, str]]
"""What an entry commits to, by field: the kind (`word` or `secret`), and the commitment."""

Kept = Mapping[str, tuple[bytes, str]]
"""Words beside an entry, each with its salt, by field."""


def check_words(seq: int, entry: Mapping[str, Any], kept: Kept, erased: Mapping[str, int] | None = None) -> None:
    """Refuse (`WrongEntry`) words that are not those that an entry committed to (`wrong_words`)."""
    for says in wrong_words(committed(entry), kept, erased):
        raise WrongEntry(seq, says)


def wrong_words(said: Committed, kept: Kept, erased: Mapping[str, int] | None = None) -> Iterator[str]:
    """Yield what is wrong with the words beside an entry, by what it committed to.

    Of what was `erased`, by the entry that says so, nothing may be left; other words may not be missing. Where that is
    not known, all that are missing may have been erased.
    """
    gone: Mapping[str, int] = {} if erased is None else erased
    for field, (kind, held) in said.items():
        if kind == Secret.KEY and field in gone:
            yield f"keeps a secret that #{gone[field]} says it erased ({field})"
        if kind == Said.KEY and erased is not None and field not in kept and field not in gone:
            yield f"has lost its words ({field})"
        if field in kept and field in gone:
            yield f"has words that #{gone[field]} erased ({field})"
        if field in kept and commitment(*kept[field]) != held:
            yield f"was given other words than were committed to ({field})"
        if field in kept and kind == Secret.KEY and kept[field][1] != ERASED and not _is_canonical(kept[field][1]):
            yield UNREADABLE.format(field)
    more = kept.keys() - said.keys()
    if more:
        yield f"has words that it never committed to ({min(more)})"


def is_away(said: Any) -> bool:
    """Whether anything that the GM keeps of what was said is not in this file, once all that is here was opened."""
    return any(isinstance(held, Secret) and held.text is None for _, held in nodes({"said": said}))


UNREADABLE = "keeps a secret that nobody can read ({})"


def _told(seq: int, field: str, text: str) -> Any:
    """A secret by its text; refuses (`WrongEntry`) what is no canonical JSON."""
    if not _is_canonical(text):
        raise WrongEntry(seq, UNREADABLE.format(field))
    return parse_json(text)


def _is_canonical(text: str) -> bool:
    try:
        return canonical_json(parse_json(text)).decode() == text
    except NotCanonical:
        return False


def commitments(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the commitments in a stored entry: field, kind (`word` or `secret`), and the commitment itself."""
    for field, value in nodes(entry):
        if isinstance(value, dict) and len(value) == 1:
            ((kind, held),) = value.items()
            if kind in {Said.KEY, Secret.KEY} and isinstance(held, str) and COMMITMENT.fullmatch(held):
                yield field, kind, held


def committed(entry: Mapping[str, Any]) -> Committed:
    """The commitments of a stored entry: by field, the kind and the hash."""
    return {field: (kind, held) for field, kind, held in commitments(entry)}


def told(value: Any) -> Any:
    """The event without commitments: erased words say so, closed secrets stay closed."""
    if isinstance(value, Said):
        return _plainly(value)
    if isinstance(value, dict):
        return {name: told(held) for name, held in value.items()}
    return type(value)(told(held) for held in value) if isinstance(value, list | tuple) else value


def _plainly(said: Said) -> Any:
    if isinstance(said, Secret):
        return said if said.text is None else said.value
    return ERASED if said.text is None else said.text


def unwritten(value: Any) -> Any:
    """A value to be written again, its words without their old commitments; erased words say so."""
    return _replaced(value, lambda said: type(said)(text=ERASED if said.text is None else said.text))


def filled(value: Any) -> Any:
    """A value with what its words and secrets say in their places.

    What is not here to be seen stands as an entry holds it, as a commitment.
    """
    return _replaced(value, _filled)


def _filled(said: Said) -> Any:
    if said.text is None:
        return {said.KEY: said.commitment}
    return said.value if isinstance(said, Secret) else said.text


def _replaced(value: Any, change: Callable[[Said], Any]) -> Any:
    """A value, of whatever type, with other values in the places of its words and secrets."""
    if isinstance(value, Said):
        return change(value)
    if isinstance(value, Struct):
        return value.replace(**{name: _replaced(held, change) for name, held in value.__dict__.items()})
    if isinstance(value, Mapping):
        return {name: _replaced(held, change) for name, held in value.items()}
    return type(value)(_replaced(held, change) for held in value) if isinstance(value, list | tuple) else value


def revealed(value: Any) -> Any:
    """A value as JSON has it, with its secrets told."""
    if isinstance(value, Secret):
        return parse_json(value.text or "null")
    if isinstance(value, dict):
        return {name: revealed(held) for name, held in value.items()}
    return [revealed(held) for held in value] if isinstance(value, list) else value
