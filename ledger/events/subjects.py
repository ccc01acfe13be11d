"""Facts: what events are made of, and the names that the journal keeps for its own bookkeeping.

What people type stands in an entry as a commitment, `{"word": HMAC}`; what the GM keeps secret as
`{"secret": HMAC}`. The text lies beside the entry, with its salt, in the table `words`.
"""

from typing import Annotated, Any, ClassVar

from ledger.events.canonical import canonical_json
from ledger.values import BIGGEST, Shape, Within

Seq = Annotated[int, Within(1, BIGGEST)]
Amount = Annotated[int, Within(-BIGGEST, BIGGEST)]
Named = Annotated[str, Within(1, 100, length=True)]

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
ABOUT, ASSERTED, REVEALED = "#about", "#asserted", "#revealed"
"""Subjects of marks beside characters, players (`p1`) and `campaign`, so that the journal is never searched.

`#cast` and `#players` hold, by handle, the entry that brought them; `#questions`, by number, the entry that answered
it, or false; `#struck`, by action, the entry that strikes it; `#about`, by action and entry (`17:31`), that the entry
says something about the action; `#asserted`, by character and score (`mara:edge/edge`), the last assertion that held;
`#revealed`, by entry, the one that told what the GM had kept of it.
"""

HOLD = "hold"
"""The score of a character that says how many questions wait for an answer and hold whoever they name."""

OFFER = "offer"
"""The mark of a character that names the ruling after which something may still be chosen."""

KEY = "key"
"""The mark of the campaign that is the public half of the key that signs."""

POLICY = "policy"
"""The mark of the campaign that names the entry which says who witnesses it."""

FORK = "fork"
"""The mark of the campaign that is the root of another history, from which it went apart knowingly."""

CHOICE = "choice"
"""The kind of a question that waits for inputs which are chosen once the dice lie."""

FIRST_SEAT = "p1"
"""The seat that is taken when a campaign is opened: the GM's."""


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


def is_closed(value: Any) -> bool:
    """Whether a value of a sheet is what the GM keeps, and was not opened."""
    return isinstance(value, dict) and value.keys() <= {Secret.KEY, "at"} and Secret.KEY in value


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
