"""Facts: what events are made of.

What people type stands in an entry as a commitment, `{"word": HMAC}`; what the GM keeps secret as
`{"secret": HMAC}`. The text lies beside the entry, with its salt, in the table `words`.
"""

from typing import Annotated, Any, ClassVar

from ledger.canonical import canonical_json
from ledger.shape import BIGGEST, Shape, Within

Seq = Annotated[int, Within(1, BIGGEST)]
Amount = Annotated[int, Within(-BIGGEST, BIGGEST)]
Named = Annotated[str, Within(1, 100, length=True)]

ERASED = "(erased)"


class Said(Shape):
    """Words that somebody typed. `text` is None where they were erased, or were not looked up."""

    KEY: ClassVar[str] = "word"
    text: str | None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Read the commitment that stands on disk."""
        from pydantic_core import core_schema as core  # only verify asks

        commitment = core.str_schema(pattern="^[0-9a-f]{64}$", strict=True)
        shape = core.typed_dict_schema({cls.KEY: core.typed_dict_field(commitment)}, extra_behavior="forbid")
        return core.no_info_after_validator_function(lambda _: cls(text=None), shape)


class Secret(Said):
    """What the GM keeps from the players, or what would tell it. `text` is its canonical JSON."""

    KEY: ClassVar[str] = "secret"


def secret(value: Any) -> Secret:
    """Return a value as a secret."""
    return Secret(text=canonical_json(value).decode())


class Posting(Shape):
    """One change to one score."""

    who: Named
    score: Named
    amount: Amount


class Mark(Shape):
    """One value given to a named fact that is no number. A value of None clears it."""

    who: Named
    name: Named
    value: Any


class CountedDie(Shape):
    """A natural die; `dropped` says why it does not count, and is None where it does."""

    sides: Seq
    face: Seq
    digits: tuple[int, int] | None = None
    dropped: str | None = None


class Step(Shape):
    """One line of working: a name, a sentence with a `{}` for each number, and the numbers."""

    name: str
    says: str
    numbers: tuple[int | Secret, ...] = ()


class Verdict(Shape):
    """The headline of a ruling; `good` is None where there is nothing to win or lose."""

    says: str
    good: bool | None
    margin: int | Secret | None = None
