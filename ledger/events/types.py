"""All event types.

An event has postings, marks, and fields of its own; `ledger.events.entry` gives it its place in the journal. A type
on disk may change in one way only: it may get a new field with a default. Anything else needs a new type.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from ledger.events.commitments import CommittedText, Secret
from ledger.events.correction_events import *  # noqa: F403  everybody imports the events from here
from ledger.events.correction_events import Correction
from ledger.events.facts import (
    Amount,
    CountedDie,
    Event,
    Mark,
    Position,
    Posting,
    Seq,
    ShortText,
    Source,
    StateBefore,
    Step,
    Verdict,
    answer_mark,
    open_mark,
)
from ledger.events.import_events import *  # noqa: F403  as above
from ledger.events.seat_events import *  # noqa: F403  as above
from ledger.events.subjects import CAMPAIGN, HOLD, KEY, OFFER
from ledger.events.table_events import *  # noqa: F403  as above
from ledger.events.table_events import campaign_marks, turn_marks


class CampaignOpened(Event):
    """The first event of every journal. `key` is the public signing key, which also identifies the campaign."""

    type: ClassVar[str] = "campaign-opened"
    phrase = "campaign opened: {title}"
    chronicle_rule = "accompanied"
    survives_rewind = True
    format: Literal[1] = 1
    title: CommittedText
    key: ShortText | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return () if self.key is None else campaign_marks({KEY: self.key})


class DiceThrown(Event):
    """Natural dice in the order thrown, and their source: the computer, or faces that somebody typed."""

    type: ClassVar[str] = "dice-thrown"
    who: ShortText
    source: Source
    dice: tuple[CountedDie, ...]


NO_SCORES: dict[str, int] = {}


class RulingEvent(Event):
    """The result of dice or of a move. It can change when a correction changes the numbers that it used."""

    @property
    @abstractmethod
    def deed(self) -> CommittedText | None:
        """The typed words for what was attempted. A ruling with secret inputs keeps them as a secret."""

    @abstractmethod
    def numbers_read(self) -> dict[str, dict[str, Any]]:
        """Return the scores, marks and settings that the ruling used, by character and full name."""


class DiceCounted(RulingEvent):
    """The result of a roll outside any game.

    `throw` is the entry of its dice. `notation` is as typed. `scores` maps the full name of each score in the
    notation to its value. `why` is the deed; the field keeps its name from the first versions. `vs` is the number
    to compare the total with. A total of at least `vs` succeeds; with `at_most`, a total of at most `vs`
    succeeds.
    """

    type: ClassVar[str] = "dice-counted"
    purpose: ClassVar[str] = ""
    who: ShortText
    notation: str
    throw: Seq
    dice: tuple[CountedDie, ...]
    addends: tuple[int, ...]
    total: int
    why: CommittedText | None = None
    scores: dict[str, int] = NO_SCORES
    vs: Amount | None = None
    at_most: bool = False

    @property
    def margin(self) -> int | None:
        """The margin of the success, below 0 for a failure; `None` without `vs`."""
        if self.vs is None:
            return None
        return self.vs - self.total if self.at_most else self.total - self.vs

    @property
    def deed(self) -> CommittedText | None:
        return self.why

    def numbers_read(self) -> dict[str, dict[str, Any]]:
        return {self.who: dict(self.scores)}


class TurnRolled(DiceCounted):
    """The result of an initiative roll, which puts a character in the turn order."""

    type: ClassVar[str] = "turn-rolled"
    purpose: ClassVar[str] = " for initiative"
    chronicle_rule = "accompanied"

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return turn_marks(self, self.who, self.total, at, before)


class MoveEvent(RulingEvent):
    """A move that was played or waits for a choice, with all inputs, settings and scores that its rules used."""

    system: ShortText
    edition: ShortText
    move: ShortText
    who: ShortText
    inputs: dict[str, Any]
    settings: dict[str, Any]
    looked: dict[str, dict[str, Any]]
    throws: tuple[Seq, ...]
    dice: tuple[CountedDie, ...]
    deed: CommittedText | Secret | None = None

    def numbers_read(self) -> dict[str, dict[str, Any]]:
        settings = {f"{self.system}/{name}": setting for name, setting in self.settings.items()}
        return {**self.looked, CAMPAIGN: {**self.looked.get(CAMPAIGN, {}), **settings}}

    def postings_to_hold(self, amount: int) -> tuple[Posting, ...]:
        """Return one posting to the `hold` score of each character who has a posting in this move.

        `amount` is 1 to hold the characters, and −1 to release them.
        """
        names = dict.fromkeys(posting.who for posting in self.postings)
        return tuple(Posting(who=who, score=HOLD, amount=amount) for who in names)

    def offer_marks(self, seq: int | None) -> tuple[Mark, ...]:
        """Return the `offer` mark of the move's character, or nothing if the move does not change the offer.

        The value is `seq` for a new offer, and None for an offer that ends.
        """
        offers = (mark for mark in self.marks if mark.name == OFFER and mark.who == self.who)
        return tuple(mark.replace(value=None if mark.value is None else seq) for mark in offers)


class MovePlayed(MoveEvent):
    """A ruling with its steps. `answers` is the number of the answered question, if any."""

    type: ClassVar[str] = "move-played"
    answers: Seq | None
    verdict: Verdict
    steps: tuple[Step, ...]

    def own_postings(self) -> tuple[Posting, ...]:
        return () if self.answers is None else self.postings_to_hold(-1)

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        offer = self.offer_marks(at.seq)
        return offer if self.answers is None else (*offer, answer_mark(self.answers, at))


class QuestionAsked(MoveEvent):
    """A move that waits for the player's choice after the throw. `asks` names the missing inputs."""

    type: ClassVar[str] = "question-asked"
    may_wait = True
    kind: ShortText
    asks: tuple[str, ...]

    def own_postings(self) -> tuple[Posting, ...]:
        return self.postings_to_hold(1)

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return open_mark(at), *self.offer_marks(None)


class Consequence(Event):
    """A consequence of a move, in any game. `kind` is stored as the type of the entry, such as `edge-spent`.

    The command passes in the postings and marks. Postings and marks of games other than `system` are dropped.
    """

    phrase = "{kind}"
    stands_alone = False
    kind: str
    system: ShortText
    who: ShortText
    facts: dict[str, Any]

    def own_postings(self) -> tuple[Posting, ...]:
        return tuple(posting for posting in self.postings if posting.score.startswith(f"{self.system}/"))

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        in_game = (mark for mark in self.marks if mark.name.startswith(f"{self.system}/"))
        return tuple(mark for mark in in_game if mark.who[0] != "#")


class Unknown(Event):
    """An event of an unknown type that is not a consequence. `facts` has its fields."""

    phrase = "{kind}"
    stands_alone = False
    kind: str
    facts: dict[str, Any]


def _typed_subclasses(shape: type[Event]) -> Iterator[type[Event]]:
    """Yield the subclasses that define a `type`, at any depth, in the order of their definition."""
    for subclass in shape.__subclasses__():
        if "type" in subclass.__dict__:
            yield subclass
        yield from _typed_subclasses(subclass)


EVENTS: Mapping[str, type[Event]] = {shape.type: shape for shape in _typed_subclasses(Event)}
"""The event classes by type. `Consequence` is not included, because games name its types."""

RULING_TYPES = frozenset(name for name, shape in EVENTS.items() if issubclass(shape, RulingEvent))

MOVE_TYPES = frozenset(name for name, shape in EVENTS.items() if issubclass(shape, MoveEvent))

CORRECTION_TYPES = frozenset(name for name, shape in EVENTS.items() if issubclass(shape, Correction))
