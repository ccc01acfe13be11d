"""Events: every shape of a fact that is ever written to disk.

An event carries postings and marks, and its own facts; `ledger.events.entry` gives it its place in the journal. Events
evolve by two rules alone: a new field with a default, or a new type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import Amount, CountedDie, Event, Named, Seq, SharedStart, Source, Step, Verdict
from ledger.events.subjects import STRUCK, entry_number
from ledger.events.table_events import (
    CharacterJoined,
    CharacterLeft,
    CharacterReturned,
    DayBegun,
    MarksSet,
    NoteKept,
    NoteWritten,
    NpcsSeated,
    PlayerSeated,
    SceneSet,
    ScoreAdjusted,
    SessionClosed,
    SessionOpened,
    SettingsChanged,
    TurnAdded,
    TurnBegan,
    TurnsEnded,
)
from ledger.values import Within

__all__ = [
    "CharacterJoined",
    "CharacterLeft",
    "CharacterReturned",
    "DayBegun",
    "Event",
    "MarksSet",
    "NoteKept",
    "NoteWritten",
    "NpcsSeated",
    "PlayerSeated",
    "SceneSet",
    "ScoreAdjusted",
    "SessionClosed",
    "SessionOpened",
    "SettingsChanged",
    "TurnAdded",
    "TurnBegan",
    "TurnsEnded",
]
"""What is imported from here too, beside the events of this file."""

LONGEST_POLICY = 20_000
"""Characters; of a signed head as well."""

Text = Annotated[str, Within(1, LONGEST_POLICY, length=True)]


class CampaignOpened(Event):
    """The first entry of every journal; `key` is the public half of the key that signs, and names its origin."""

    type: ClassVar[str] = "campaign-opened"
    format: Literal[1] = 1
    title: CommittedText
    key: Named | None = None


class DiceThrown(Event):
    """Natural dice in the order thrown; provenance belongs to the throw."""

    type: ClassVar[str] = "dice-thrown"
    who: Named
    source: Source
    dice: tuple[CountedDie, ...]


class DiceCounted(Event):
    """The result of a throw outside any system; `throw` is the entry of its dice."""

    type: ClassVar[str] = "dice-counted"
    who: Named
    notation: str
    throw: Seq
    dice: tuple[CountedDie, ...]
    addends: tuple[int, ...]
    total: int
    why: CommittedText | None = None


class TurnRolled(DiceCounted):
    """The result of a throw, by which a character has a place in the turn order."""

    type: ClassVar[str] = "turn-rolled"


class MoveEvent(Event):
    """A move that was played or waits for a choice, with everything that the rules used."""

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
    """A ruling, with everything behind it. `answers` is the question that its inputs settled, if any."""

    type: ClassVar[str] = "move-played"
    answers: Seq | None
    verdict: Verdict
    steps: tuple[Step, ...]


class QuestionAsked(MoveEvent):
    """A move waits for the player's choice after the throw; `asks` names the missing inputs."""

    type: ClassVar[str] = "question-asked"
    kind: Named
    asks: tuple[str, ...]


class Correction(Event):
    """A fact about other entries, or the book; never played again. `edition` is that of the book's rules then."""

    edition: Seq = 1


How = Literal["undo", "redo", "void", "rewind", "amend", "choose"]


class ActionStruck(Correction):
    """An action no longer counts; the marks name what falls with it. The accounts work out the rest."""

    type: ClassVar[str] = "action-struck"
    strikes: Seq
    how: How
    why: CommittedText | None

    @property
    def targets(self) -> list[int]:
        """The actions that it cancels: the struck one, and those that fall with it."""
        return [entry_number(mark.name) for mark in self.marks if mark.who == STRUCK]


class ActionAmended(Correction):
    """An action is struck and played again in its place; `inputs` and `faces` are the changes.

    `named` is the entry that was typed, `about` the ruling, or the entry in place of one, to which it belongs.
    """

    type: ClassVar[str] = "action-amended"
    named: Seq
    about: Seq
    inputs: dict[str, Any]
    faces: tuple[Seq, ...] | None
    cascade: bool
    why: CommittedText | None


class PlayRewound(Correction):
    """Everything that counts from after the action of an entry is struck."""

    type: ClassVar[str] = "play-rewound"
    to: Seq
    why: CommittedText | None


class KnockOnFound(Correction):
    """A later ruling used numbers that have changed; `numbers` are the new ones, by character and name.

    `finds` is the result of ruling again: another `verdict` or other consequences, a refusal (`says`), or other dice.
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
    claim: CommittedText


class QuestionDecided(Correction):
    """The GM decided a question; the decision's other entries follow from this one."""

    type: ClassVar[str] = "question-decided"
    question: Seq
    choice: Named
    why: CommittedText


class VerdictOverridden(Correction):
    """The GM decided against the dice: only the verdict changes; `good` is None if nothing is won or lost."""

    type: ClassVar[str] = "verdict-overridden"
    about: Seq
    verdict: CommittedText
    good: bool | None
    why: CommittedText


class ScoreAsserted(Correction):
    """The scores on somebody's paper (`claimed`), and those in the book (`stood`)."""

    type: ClassVar[str] = "score-asserted"
    who: Named
    claimed: dict[str, int]
    stood: dict[str, int]


class RollSealed(Correction):
    """A roll that the GM keeps closed: it counts only once it is revealed, and then from this entry on.

    `until` is when that is due: `session-end`, a date, or None. Players see that it was made, unless it is `unseen`.
    """

    type: ClassVar[str] = "roll-sealed"
    until: Named | None
    unseen: bool
    thrown: Secret
    ruling: Secret
    consequences: Secret


class SecretRevealed(Correction):
    """The secrets of an entry are open from here on; after a sealed roll, its result follows."""

    type: ClassVar[str] = "secret-revealed"
    about: Seq


class OfTheBook(Correction):
    """A fact about the book itself, which is never struck."""


class KeyRotated(OfTheBook):
    """Another key signs from here on; `note` is a signed note of the head before and the new key, signed by both."""

    type: ClassVar[str] = "key-rotated"
    key: Named
    note: Text
    why: CommittedText | None


class PolicySet(OfTheBook):
    """A new policy: the witnesses of the history, and how many of them must sign, as a tlog-policy."""

    type: ClassVar[str] = "policy-set"
    policy: Text


class PolicyAgreed(OfTheBook):
    """A witness of the previous policy agreed to the policy of entry `policy`; `note` is the signed text."""

    type: ClassVar[str] = "policy-agreed"
    policy: Seq
    note: Text


def agreeing_line(event: PolicyAgreed) -> str:
    """Return the signature line of an agreement."""
    return event.note.rpartition("\n\n")[2]


class HistoryForked(OfTheBook):
    """Play continued here although a longer or different history is known: its size, and its root in hexadecimal.

    `restored` is the last entry of the backup, if a backup was restored here. `shared` proves which entries are the
    same in the other history; it is None if nobody could read that history.
    """

    type: ClassVar[str] = "history-forked"
    size: Seq
    root: Named
    restored: Seq | None = None
    shared: SharedStart | None = None


class WordsErased(OfTheBook):
    """Words were erased for good: their fields, by the number of their entry."""

    type: ClassVar[str] = "words-erased"
    erased: dict[str, tuple[str, ...]]


class Consequence(Event):
    """A consequence of a move: one class for all systems; the kind (`edge-spent`) is its type."""

    kind: str
    system: Named
    who: Named
    facts: dict[str, Any]


class Unknown(Event):
    """An event of a type that this program does not know, and no consequence. `facts` is its whole content."""

    kind: str
    facts: dict[str, Any]


AnyEvent = (
    CampaignOpened
    | PlayerSeated
    | CharacterJoined
    | NpcsSeated
    | CharacterLeft
    | CharacterReturned
    | SessionOpened
    | SessionClosed
    | SceneSet
    | ScoreAdjusted
    | MarksSet
    | NoteWritten
    | NoteKept
    | SettingsChanged
    | DayBegun
    | TurnAdded
    | TurnBegan
    | TurnsEnded
    | DiceThrown
    | DiceCounted
    | TurnRolled
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
    | PolicyAgreed
    | HistoryForked
    | WordsErased
    | Consequence
    | Unknown
)
"""Every event that can be read back; code that handles them all matches each case and ends in `assert_never`."""


def _named(shape: type[Event]) -> Iterator[type[Event]]:
    """Yield the classes that have a type of their own, in the order of this file."""
    for subclass in shape.__subclasses__():
        if "type" in subclass.__dict__:
            yield subclass
        yield from _named(subclass)


TYPES: Mapping[str, type[Event]] = {shape.type: shape for shape in _named(Event)}
"""Every event type except the consequences, which systems name."""

RULINGS = frozenset(name for name, shape in TYPES.items() if issubclass(shape, MoveEvent))

CORRECTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, Correction))

LASTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, OfTheBook))
