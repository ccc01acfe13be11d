"""Events: every shape that is ever written to disk, and the canonical bytes in which it is.

An entry of the journal is one JSON object, flat: its place (`Place`), the postings and marks that it carries, and
the facts of its event. Shapes evolve by two rules alone: a new field with a default, or a new type.

What people type stands in an entry as a commitment, `{"word": HMAC}`; what the GM keeps secret as
`{"secret": HMAC}`. The text lies beside the entry, with its salt, in the table `words`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from ledger.canonical import canonical_json
from ledger.dice import Source
from ledger.shape import BIGGEST, Shape, Within

Seq = Annotated[int, Within(1, BIGGEST)]
Amount = Annotated[int, Within(-BIGGEST, BIGGEST)]
Named = Annotated[str, Within(1, 100, length=True)]

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
"""Subjects of marks beside characters, players (`p1`) and `campaign`, so that the journal is never searched.

`#cast` and `#players` hold, by handle, the entry that brought them; `#questions`, by number, the entry that answered
it, or false; `#struck`, by action, the entry that strikes it.
"""

HOLD = "hold"
"""The score of a character that says how many questions wait for an answer and hold whoever they name."""

CHOICE = "choice"
"""The kind of a question that waits for inputs which are chosen once the dice lie."""

FIRST_SEAT = "p1"
"""The seat that is taken when a campaign is opened: the GM's."""


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


def secret(value: int) -> Secret:
    """Return a number as a secret."""
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


class Event(Shape):
    """A fact, in the past tense, with the postings and marks that it carries."""

    type: ClassVar[str]
    postings: tuple[Posting, ...] = ()
    marks: tuple[Mark, ...] = ()


class CampaignOpened(Event):
    """The first entry of every journal."""

    type: ClassVar[str] = "campaign-opened"
    format: Literal[1] = 1
    title: Said


class PlayerSeated(Event):
    """A person at the table, new or not; `gm` and `plays` are what was said now, and add to what was said before."""

    type: ClassVar[str] = "player-seated"
    player: Named
    name: Said
    gm: bool
    plays: tuple[str, ...]


class CharacterJoined(Event):
    """A character got a sheet in one system; `scores` is what was said of it."""

    type: ClassVar[str] = "character-joined"
    who: Named
    system: Named
    edition: Named
    scores: dict[str, int]


class SessionOpened(Event):
    """An evening began."""

    type: ClassVar[str] = "session-opened"
    number: Seq
    title: Said
    present: tuple[str, ...]


class SessionClosed(Event):
    """An evening ended."""

    type: ClassVar[str] = "session-closed"
    number: Seq


class SceneSet(Event):
    """A part of a session began."""

    type: ClassVar[str] = "scene-set"
    title: Said


class ScoreAdjusted(Event):
    """The GM moved scores by hand."""

    type: ClassVar[str] = "score-adjusted"
    who: Named
    amounts: dict[str, int]
    why: Said


class MarksSet(Event):
    """The GM set marks by hand."""

    type: ClassVar[str] = "marks-set"
    who: Named
    values: dict[str, Any]
    why: Said


class NoteWritten(Event):
    """Somebody wrote something down."""

    type: ClassVar[str] = "note-written"
    text: Said


class SettingsChanged(Event):
    """What the GM decided for a system, in force from this entry on."""

    type: ClassVar[str] = "settings-changed"
    system: Named
    values: dict[str, Any]


class DiceThrown(Event):
    """Natural dice in the order thrown; provenance belongs to the throw."""

    type: ClassVar[str] = "dice-thrown"
    who: Named
    source: Source
    dice: tuple[CountedDie, ...]


class DiceCounted(Event):
    """What a throw outside any system came to; `throw` is the entry of its dice."""

    type: ClassVar[str] = "dice-counted"
    who: Named
    notation: str
    throw: Seq
    dice: tuple[CountedDie, ...]
    addends: tuple[int, ...]
    total: int


class _OfAMove(Event):
    """What a ruling and a question about one have in common: all that the rules were handed."""

    system: Named
    edition: Named
    move: Named
    who: Named
    inputs: dict[str, Any]
    settings: dict[str, Any]
    looked: dict[str, dict[str, Any]]
    throws: tuple[Seq, ...]
    dice: tuple[CountedDie, ...]


class MovePlayed(_OfAMove):
    """A ruling, with all it was worked out from. `answers` is the question that its inputs settled, if any."""

    type: ClassVar[str] = "move-played"
    answers: Seq | None
    verdict: Verdict
    steps: tuple[Step, ...]


class QuestionAsked(_OfAMove):
    """A move waits for what the player chooses after the dice; `asks` names the inputs that are missing."""

    type: ClassVar[str] = "question-asked"
    kind: Named
    asks: tuple[str, ...]


class ActionStruck(Event):
    """An action does not count; its marks name the answers that fall with it. The accounts work out the rest."""

    type: ClassVar[str] = "action-struck"
    strikes: Seq
    how: Literal["undo"]
    why: Said | None


class Consequence(Event):
    """What followed from a move: one shape for all systems; the kind (`edge-spent`) is its type."""

    kind: str
    system: Named
    who: Named
    facts: dict[str, Any]


class Place(Shape):
    """Where an event stands in the journal.

    `since` is the entry since which it counts, `act` the first entry of its action, `cause` the entry that it
    follows from, `at` UTC, `by` the player whose hand it was, `once` the caller's own id for the command.
    """

    seq: Seq
    since: Seq
    at: Annotated[str, Within(20, 20, length=True)]
    by: Named
    act: Seq
    cause: Seq | None
    once: str | None


class Entry(Shape):
    """An entry as it stands in the file: its place, its whole body, the stored bytes and their leaf."""

    seq: int
    since: int
    at: str
    by: str
    act: int
    cause: int | None
    type: str
    body: dict[str, Any]
    stored: bytes
    leaf: bytes


TYPES: Mapping[str, type[Event]] = {
    shape.type: shape
    for shape in (
        CampaignOpened,
        PlayerSeated,
        CharacterJoined,
        SessionOpened,
        SessionClosed,
        SceneSet,
        ScoreAdjusted,
        MarksSet,
        NoteWritten,
        SettingsChanged,
        DiceThrown,
        DiceCounted,
        MovePlayed,
        QuestionAsked,
        ActionStruck,
    )
}
"""Every event type except the consequences, which systems name."""


def type_of(event: Event) -> str:
    """Return the name under which an event is written."""
    return event.kind if isinstance(event, Consequence) else event.type


def plain(value: Any) -> Any:
    """Return a value as JSON has it, with words and secrets still open."""
    if isinstance(value, Said) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Shape):
        return {name: plain(held) for name, held in value.__dict__.items()}
    if isinstance(value, Mapping):
        return {name: plain(held) for name, held in value.items()}
    return [plain(held) for held in value]


def tree(event: Event, place: Place) -> dict[str, Any]:
    """Return a whole entry as JSON has it, with words and secrets still open."""
    entry: dict[str, Any] = plain(event)
    entry.pop("kind", None) if isinstance(event, Consequence) else None
    return entry | place.__dict__ | {"type": type_of(event)}
