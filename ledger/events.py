"""Events: every shape of a fact that is ever written to disk.

An event carries postings and marks, and its own facts; `ledger.entries` gives it its place in the journal. Shapes
evolve by two rules alone: a new field with a default, or a new type.

What people type stands in an entry as a commitment, `{"word": HMAC}`; what the GM keeps secret as
`{"secret": HMAC}`. The text lies beside the entry, with its salt, in the table `words`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from ledger.canonical import canonical_json
from ledger.dice import Source
from ledger.shape import BIGGEST, Shape, Within

Seq = Annotated[int, Within(1, BIGGEST)]
Amount = Annotated[int, Within(-BIGGEST, BIGGEST)]
Named = Annotated[str, Within(1, 100, length=True)]

CAMPAIGN = "campaign"
CAST, PLAYERS, QUESTIONS, STRUCK = "#cast", "#players", "#questions", "#struck"
ABOUT, ASSERTED = "#about", "#asserted"
"""Subjects of marks beside characters, players (`p1`) and `campaign`, so that the journal is never searched.

`#cast` and `#players` hold, by handle, the entry that brought them; `#questions`, by number, the entry that answered
it, or false; `#struck`, by action, the entry that strikes it; `#about`, by action and entry (`17:31`), that the entry
says something about the action; `#asserted`, by character and score (`mara:edge/edge`), the last assertion that held.
"""

HOLD = "hold"
"""The score of a character that says how many questions wait for an answer and hold whoever they name."""

OFFER = "offer"
"""The mark of a character that names the ruling after which something may still be chosen."""

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
    why: Said | None = None


class DayBegun(Event):
    """A day of the campaign began; `count` or `until` is what was said, of the first day that a command began."""

    type: ClassVar[str] = "day-begun"
    day: Seq
    count: Seq | None
    until: Seq | None


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


class Correction(Event):
    """A fact that speaks about other entries, and is never played again."""


How = Literal["undo", "redo", "void", "rewind", "amend", "choose"]


class ActionStruck(Correction):
    """An action does not count; its marks name what falls with it. The accounts work out the rest."""

    type: ClassVar[str] = "action-struck"
    strikes: Seq
    how: How
    why: Said | None


class ActionAmended(Correction):
    """An action is struck and played again in its place; `inputs` and `faces` are what was said otherwise.

    `named` is the entry that was named, `about` the ruling, or what stands for one, that it belongs to.
    """

    type: ClassVar[str] = "action-amended"
    named: Seq
    about: Seq
    inputs: dict[str, Any]
    faces: tuple[Seq, ...] | None
    cascade: bool
    why: Said | None


class PlayRewound(Correction):
    """All that counted since after the action of an entry is struck."""

    type: ClassVar[str] = "play-rewound"
    to: Seq
    why: Said | None


class KnockOnFound(Correction):
    """A later ruling looked at numbers that would now be others: by character and name, what it would look at now.

    `finds` is what came of ruling again: another `verdict` or other consequences, a refusal (`says`), or other dice.
    """

    type: ClassVar[str] = "knock-on-found"
    about: Seq
    finds: Literal["otherwise", "refused", "other-dice"]
    numbers: dict[str, dict[str, Any]]
    verdict: Verdict | None
    says: str | None


class LimitCrossed(Correction):
    """A correction left a score beyond its limits."""

    type: ClassVar[str] = "limit-crossed"
    who: Named
    score: Named
    value: Amount
    least: Amount
    most: Amount


class DisputeRaised(Correction):
    """A player objects to an entry."""

    type: ClassVar[str] = "dispute-raised"
    about: Seq
    player: Named
    claim: Said


class QuestionDecided(Correction):
    """The GM decided what a question asked; what the decision writes follows from it."""

    type: ClassVar[str] = "question-decided"
    question: Seq
    choice: Named
    why: Said


class VerdictOverridden(Correction):
    """The GM decided against the dice: the verdict alone changes; `good` is None where nothing is won or lost."""

    type: ClassVar[str] = "verdict-overridden"
    about: Seq
    verdict: Said
    good: bool | None
    why: Said


class ScoreAsserted(Correction):
    """What somebody's paper says of scores, and where they stood in the book."""

    type: ClassVar[str] = "score-asserted"
    who: Named
    claimed: dict[str, int]
    stood: dict[str, int]


class Consequence(Event):
    """What followed from a move: one shape for all systems; the kind (`edge-spent`) is its type."""

    kind: str
    system: Named
    who: Named
    facts: dict[str, Any]


def _named(shape: type[Event]) -> Iterator[type[Event]]:
    """Yield the shapes that have a type of their own, in the order in which they stand here."""
    for each in shape.__subclasses__():
        if "type" in each.__dict__:
            yield each
        yield from _named(each)


TYPES: Mapping[str, type[Event]] = {shape.type: shape for shape in _named(Event)}
"""Every event type except the consequences, which systems name."""

CORRECTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, Correction))
