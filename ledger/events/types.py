"""Events: every shape of a fact that is ever written to disk.

An event carries postings and marks, and its own facts; `ledger.events.entry` gives it its place in the journal. Events
evolve by two rules alone: a new field with a default, or a new type.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from ledger.events.commitments import Said, Secret
from ledger.events.facts import Amount, CountedDie, Mark, Named, Posting, Seq, Source, Step, Verdict
from ledger.values import Struct, Within

Text = Annotated[str, Within(1, 20_000, length=True)]


class Event(Struct):
    """A fact, in the past tense, with the postings and marks that it carries."""

    type: ClassVar[str]
    postings: tuple[Posting, ...] = ()
    marks: tuple[Mark, ...] = ()


class CampaignOpened(Event):
    """The first entry of every journal; `key` is the public half of what signs its heads, and names its origin."""

    type: ClassVar[str] = "campaign-opened"
    format: Literal[1] = 1
    title: Said
    key: Named | None = None


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


class MoveEvent(Event):
    """A move that was played, or that waits for a choice: all that the rules were handed."""

    system: Named
    edition: Named
    move: Named
    who: Named
    inputs: dict[str, Any]
    settings: dict[str, Any]
    looked: dict[str, dict[str, Any]]
    throws: tuple[Seq, ...]
    dice: tuple[CountedDie, ...]


class MovePlayed(MoveEvent):
    """A ruling, with all it was worked out from. `answers` is the question that its inputs settled, if any."""

    type: ClassVar[str] = "move-played"
    answers: Seq | None
    verdict: Verdict
    steps: tuple[Step, ...]


class QuestionAsked(MoveEvent):
    """A move waits for what the player chooses after the dice; `asks` names the inputs that are missing."""

    type: ClassVar[str] = "question-asked"
    kind: Named
    asks: tuple[str, ...]


class Correction(Event):
    """A fact that speaks about other entries, or about the book itself, and is never played again."""


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


class RollSealed(Correction):
    """A roll that the GM keeps closed: nothing of it counts before it is revealed, and then it counts since here.

    `until` is when that is due: `session-end`, a date, or None. Players see that it was made, unless it is `unseen`.
    """

    type: ClassVar[str] = "roll-sealed"
    until: Named | None
    unseen: bool
    thrown: Secret
    ruling: Secret
    consequences: Secret


class SecretRevealed(Correction):
    """What the GM had kept of an entry is told from here on; of a sealed roll, what it came to follows."""

    type: ClassVar[str] = "secret-revealed"
    about: Seq


class OfTheBook(Correction):
    """A fact about the book itself, which is never struck."""


class KeyRotated(OfTheBook):
    """Another key signs from here on; `note` is a signed note of the head before and the new key, signed by both."""

    type: ClassVar[str] = "key-rotated"
    key: Named
    note: Text
    why: Said | None


class PolicySet(OfTheBook):
    """Who is to witness the history, and how many of them; in the form of a tlog-policy."""

    type: ClassVar[str] = "policy-set"
    policy: Text


class HistoryForked(OfTheBook):
    """Play went on from here though a longer or another history is known: its size, and its root in hexadecimal."""

    type: ClassVar[str] = "history-forked"
    size: Seq
    root: Named


class WordsErased(OfTheBook):
    """Words were erased, for good: by the number of their entry, the fields."""

    type: ClassVar[str] = "words-erased"
    erased: dict[str, tuple[str, ...]]


class Consequence(Event):
    """What followed from a move: one shape for all systems; the kind (`edge-spent`) is its type."""

    kind: str
    system: Named
    who: Named
    facts: dict[str, Any]


class Unknown(Event):
    """A type that this program does not know, and no consequence: `facts` is all that it says."""

    kind: str
    facts: dict[str, Any]


AnyEvent = (
    CampaignOpened
    | PlayerSeated
    | CharacterJoined
    | SessionOpened
    | SessionClosed
    | SceneSet
    | ScoreAdjusted
    | MarksSet
    | NoteWritten
    | SettingsChanged
    | DayBegun
    | DiceThrown
    | DiceCounted
    | MovePlayed
    | QuestionAsked
    | ActionStruck
    | ActionAmended
    | PlayRewound
    | KnockOnFound
    | LimitCrossed
    | DisputeRaised
    | QuestionDecided
    | VerdictOverridden
    | ScoreAsserted
    | RollSealed
    | SecretRevealed
    | KeyRotated
    | PolicySet
    | HistoryForked
    | WordsErased
    | Consequence
    | Unknown
)
"""Whatever may be read back; who reads all of it matches each case, and ends in `assert_never`."""


def _named(shape: type[Event]) -> Iterator[type[Event]]:
    """Yield the shapes that have a type of their own, in the order in which they stand here."""
    for each in shape.__subclasses__():
        if "type" in each.__dict__:
            yield each
        yield from _named(each)


TYPES: Mapping[str, type[Event]] = {shape.type: shape for shape in _named(Event)}
"""Every event type except the consequences, which systems name."""

RULINGS = frozenset(name for name, shape in TYPES.items() if issubclass(shape, MoveEvent))

CORRECTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, Correction))

LASTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, OfTheBook))
