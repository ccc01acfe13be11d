"""Events: every shape of a fact that is ever written to disk.

An event carries postings and marks, and its own facts; `ledger.events.entry` gives it its place in the journal. Events
evolve by two rules alone: a new field with a default, or a new type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from ledger.events.commitments import CommittedText
from ledger.events.correction_events import *  # noqa: F403  everybody imports the events from here
from ledger.events.correction_events import Correction
from ledger.events.facts import (
    CountedDie,
    Event,
    Mark,
    Named,
    Position,
    Posting,
    Seq,
    Source,
    StateBefore,
    Step,
    Verdict,
    settles,
    waits,
)
from ledger.events.subjects import HOLD, KEY, OFFER
from ledger.events.table_events import *  # noqa: F403
from ledger.events.table_events import of_campaign, turn_taken


class CampaignOpened(Event):
    """The first entry of every journal; `key` is the public half of the key that signs, and names its origin."""

    type: ClassVar[str] = "campaign-opened"
    phrase = "campaign opened: {title}"
    story = "accompanied"
    stays = True
    format: Literal[1] = 1
    title: CommittedText
    key: Named | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return () if self.key is None else of_campaign({KEY: self.key})


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
    phrase = "rolls {notation} = {total} for initiative"
    story = "accompanied"

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return turn_taken(self, self.who, self.total, at, before)


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

    def holds(self, amount: int) -> tuple[Posting, ...]:
        """Return the postings that hold the characters of the stated postings, or free them."""
        held = dict.fromkeys(posting.who for posting in self.postings)
        return tuple(Posting(who=who, score=HOLD, amount=amount) for who in held)

    def offer(self, seq: int | None) -> tuple[Mark, ...]:
        """Return the stated mark of an offer: that of the entry that makes it, or None where it ends."""
        offers = (mark for mark in self.marks if mark.name == OFFER and mark.who == self.who)
        return tuple(mark.replace(value=None if mark.value is None else seq) for mark in offers)


class MovePlayed(MoveEvent):
    """A ruling, with everything behind it. `answers` is the question that its inputs settled, if any.

    A command states whom it frees, and whether it makes an offer or ends one.
    """

    type: ClassVar[str] = "move-played"
    answers: Seq | None
    verdict: Verdict
    steps: tuple[Step, ...]

    def own_postings(self) -> tuple[Posting, ...]:
        return () if self.answers is None else self.holds(-1)

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        offer = self.offer(at.seq)
        return offer if self.answers is None else (*offer, settles(self.answers, at))


class QuestionAsked(MoveEvent):
    """A move waits for the player's choice after the throw; `asks` names the missing inputs.

    A command states whom it holds, and whether it ends an offer.
    """

    type: ClassVar[str] = "question-asked"
    may_wait = True
    kind: Named
    asks: tuple[str, ...]

    def own_postings(self) -> tuple[Posting, ...]:
        return self.holds(1)

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return waits(at), *self.offer(None)


class Consequence(Event):
    """A consequence of a move: one class for all systems; the kind (`edge-spent`) is its type.

    A command states its postings and marks, all of its own game.
    """

    phrase = "{kind}"
    stands_alone = False
    kind: str
    system: Named
    who: Named
    facts: dict[str, Any]

    def own_postings(self) -> tuple[Posting, ...]:
        return tuple(posting for posting in self.postings if posting.score.startswith(f"{self.system}/"))

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        own = (mark for mark in self.marks if mark.name.startswith(f"{self.system}/"))
        return tuple(mark for mark in own if mark.who[0] != "#")


class Unknown(Event):
    """An event of a type that this program does not know, and no consequence. `facts` is its whole content."""

    phrase = "{kind}"
    stands_alone = False
    kind: str
    facts: dict[str, Any]


def _named(shape: type[Event]) -> Iterator[type[Event]]:
    """Yield the classes that have a type of their own, in the order of their files."""
    for subclass in shape.__subclasses__():
        if "type" in subclass.__dict__:
            yield subclass
        yield from _named(subclass)


TYPES: Mapping[str, type[Event]] = {shape.type: shape for shape in _named(Event)}
"""Every event type except the consequences, which systems name."""

RULINGS = frozenset(name for name, shape in TYPES.items() if issubclass(shape, MoveEvent))

CORRECTING = frozenset(name for name, shape in TYPES.items() if issubclass(shape, Correction))
