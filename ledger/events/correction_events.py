"""The events about other entries or the book itself: strikes, amendments, questions, reveals, keys, witnesses."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import (
    Amount,
    Event,
    Mark,
    Named,
    Position,
    Seq,
    SharedStart,
    StateBefore,
    Verdict,
    settles,
    speaks_about,
    waits,
)
from ledger.events.subjects import ASSERTED, FORK, KEY, POLICY, QUESTIONS, REVEALED, STRUCK, entry_number
from ledger.events.table_events import of_campaign
from ledger.values import Within

LONGEST_POLICY = 20_000
"""Characters; of a signed head as well."""

Text = Annotated[str, Within(1, LONGEST_POLICY, length=True)]


class Correction(Event):
    """A fact about other entries, or the book; never played again. `edition` is that of the book's rules then."""

    brief: ClassVar[str]
    """The correction in two words and a number, as other sentences name it."""

    stays = True
    edition: Seq = 1


How = Literal["undo", "redo", "void", "rewind", "amend", "choose"]


class ActionStruck(Correction):
    """An action no longer counts; the marks name what falls with it. The accounts work out the rest.

    A choice takes over what the struck action settled. An amendment and a rewind did that in an entry of their own.
    """

    type: ClassVar[str] = "action-struck"
    stands_alone = False
    strikes: Seq
    how: How
    why: CommittedText | None

    @property
    def targets(self) -> list[int]:
        """The actions that it cancels: the struck one, and those that fall with it."""
        return [entry_number(mark.name) for mark in self.marks if mark.who == STRUCK]

    def takes_over(self) -> tuple[str, ...]:
        return (STRUCK, QUESTIONS, REVEALED) if self.how == "choose" else (STRUCK,)


class ActionAmended(Correction):
    """An action is struck and played again in its place; `inputs` and `faces` are the changes.

    `named` is the entry that was typed, `about` the ruling, or the entry in place of one, to which it belongs.
    """

    type: ClassVar[str] = "action-amended"
    brief = "amendment of {about}"
    named: Seq
    about: Seq
    inputs: dict[str, Any]
    faces: tuple[Seq, ...] | None
    cascade: bool
    why: CommittedText | None

    def takes_over(self) -> tuple[str, ...]:
        return QUESTIONS, REVEALED


class PlayRewound(Correction):
    """Everything that counts from after the action of an entry is struck."""

    type: ClassVar[str] = "play-rewound"
    phrase = "rewinds to {to}{why}"
    brief = "rewind to {to}"
    to: Seq
    why: CommittedText | None

    def takes_over(self) -> tuple[str, ...]:
        return QUESTIONS, REVEALED


class KnockOnFound(Correction):
    """A later ruling used numbers that have changed; `numbers` are the new ones, by character and name.

    `finds` is the result of ruling again: another `verdict` or other consequences, a refusal (`says`), or other dice.
    It takes over earlier questions about that ruling.
    """

    type: ClassVar[str] = "knock-on-found"
    brief = "side effect on {about}"
    stands_alone = False
    may_wait = True
    choices = ("stand", "amend", "void")
    about: Seq
    finds: Literal["otherwise", "refused", "other-dice"]
    numbers: dict[str, dict[str, Any]]
    verdict: Verdict | None
    says: str | None

    def takes_over(self) -> tuple[str, ...]:
        return (QUESTIONS,)


class LimitCrossed(Correction):
    """A correction left a score beyond its limits."""

    type: ClassVar[str] = "limit-crossed"
    brief = "{who}'s {score} beyond its limits"
    stands_alone = False
    may_wait = True
    choices = ("stand", "adjust")
    who: Named
    score: Named
    value: Amount
    least: Amount
    most: Amount


class DisputeRaised(Correction):
    """A player objects to an entry."""

    type: ClassVar[str] = "dispute-raised"
    phrase = "{player} disputes {about}: {claim}"
    brief = "dispute of {about}"
    may_wait = True
    choices = ("uphold", "amend", "void")
    about: Seq
    player: Named
    claim: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return speaks_about(before.entry(self.about).act, at), waits(at)


class QuestionDecided(Correction):
    """The GM decided a question; the decision's other entries follow from this one."""

    type: ClassVar[str] = "question-decided"
    brief = "decision on #{question}"
    question: Seq
    choice: Named
    why: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        named = before.entry(self.question).about
        spoken = () if named is None else (speaks_about(before.entry(named).act, at),)
        return settles(self.question, at), *spoken


class VerdictOverridden(Correction):
    """The GM decided against the dice: only the verdict changes; `good` is None if nothing is won or lost."""

    type: ClassVar[str] = "verdict-overridden"
    phrase = "overrides {about}{why}"
    brief = "override of {about}"
    about: Seq
    verdict: CommittedText
    good: bool | None
    why: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (speaks_about(before.entry(self.about).act, at),)


class ScoreAsserted(Correction):
    """The scores on somebody's paper (`claimed`), and those in the book (`stood`)."""

    type: ClassVar[str] = "score-asserted"
    brief = "{who}'s paper sheet"
    story = "never"
    may_wait = True
    choices = ("stand", "adjust")
    who: Named
    claimed: dict[str, int]
    stood: dict[str, int]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        same = (full for full, value in self.claimed.items() if value == self.stood.get(full))
        held = (Mark(who=ASSERTED, name=f"{self.who}:{full}", value=at.seq) for full in same)
        return *held, *(() if self.claimed == self.stood else (waits(at),))


class RollSealed(Correction):
    """A roll that the GM keeps closed: it counts only once it is revealed, and then from this entry on.

    `until` is when that is due: `session-end`, a date, or None. Players see that it was made, unless it is `unseen`.
    """

    type: ClassVar[str] = "roll-sealed"
    brief = "sealed roll"
    stays = False
    may_wait = True
    until: Named | None
    unseen: bool
    thrown: Secret
    ruling: Secret
    consequences: Secret


class SecretRevealed(Correction):
    """The secrets of an entry are open from here on; after a sealed roll, its result follows."""

    type: ClassVar[str] = "secret-revealed"
    brief = "reveal of {about}"
    about: Seq

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        is_roll = before.entry(self.about).type == RollSealed.type
        revealed = Mark(who=REVEALED, name=str(self.about), value=at.seq)
        return (revealed, settles(self.about, at)) if is_roll else (revealed,)


class OfTheBook(Correction):
    """A fact about the book itself, which is never struck."""


class KeyRotated(OfTheBook):
    """Another key signs from here on; `note` is a signed note of the head before and the new key, signed by both."""

    type: ClassVar[str] = "key-rotated"
    brief = "new key"
    key: Named
    note: Text
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({KEY: self.key})


class PolicySet(OfTheBook):
    """A new policy: the witnesses of the history, and how many of them must sign, as a tlog-policy."""

    type: ClassVar[str] = "policy-set"
    brief = "policy"
    policy: Text

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({POLICY: at.seq})


class PolicyAgreed(OfTheBook):
    """A witness of the previous policy agreed to the policy of entry `policy`; `note` is the signed text."""

    type: ClassVar[str] = "policy-agreed"
    brief = "agreement to the policy of #{policy}"
    policy: Seq
    note: Text

    @property
    def line(self) -> str:
        """The signature line of the witness."""
        return self.note.rpartition("\n\n")[2]


class HistoryForked(OfTheBook):
    """Play continued here although a longer or different history is known: its size, and its root in hexadecimal.

    `restored` is the last entry of the backup, if a backup was restored here. `shared` proves which entries are the
    same in the other history; it is None if nobody could read that history.
    """

    type: ClassVar[str] = "history-forked"
    brief = "fork"
    size: Seq
    root: Named
    restored: Seq | None = None
    shared: SharedStart | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return of_campaign({FORK: self.root})


class WordsErased(OfTheBook):
    """Words were erased for good: their fields, by the number of their entry."""

    type: ClassVar[str] = "words-erased"
    brief = "erasure"
    erased: dict[str, tuple[str, ...]]
