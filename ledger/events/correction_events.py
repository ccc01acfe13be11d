"""Events about earlier entries or about the book itself: strikes, amendments, questions, reveals, keys, witnesses."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from ledger.events.commitments import CommittedText, Secret
from ledger.events.facts import (
    Amount,
    Event,
    Mark,
    Position,
    Seq,
    SharedHistoryProof,
    ShortText,
    StateBefore,
    Verdict,
    about_mark,
    answer_mark,
    open_mark,
)
from ledger.events.subjects import ASSERTED, FORK, KEY, POLICY, QUESTIONS, REVEALED, STRUCK, entry_number
from ledger.events.table_events import campaign_marks
from ledger.values import Within

LONGEST_POLICY = 20_000
"""The maximum length of a policy or a signed note, in characters."""

Text = Annotated[str, Within(1, LONGEST_POLICY, length=True)]


class Correction(Event):
    """An event about earlier entries or the book. `edition` is the edition of the book's rules at that time."""

    brief: ClassVar[str]
    """A short name of the correction for use in other sentences, as a template with fields in braces."""

    survives_rewind = True
    edition: Seq = 1


StrikeKind = Literal["undo", "redo", "void", "rewind", "amend", "choose"]


class ActionStruck(Correction):
    """A strike, which cancels an action and the answers to its questions.

    `marks` has a `#struck` mark for each canceled action. If a player accepts an offer (`how` is `choose`), `marks`
    also replaces the marks of the questions and secrets that the canceled actions answered or revealed. In an
    amendment or a rewind, `ActionAmended` or `PlayRewound` replaces these marks. With `cascade`, later rulings that
    change are played again.
    """

    type: ClassVar[str] = "action-struck"
    stands_alone = False
    strikes: Seq
    how: StrikeKind
    why: CommittedText | None
    cascade: bool = False

    @property
    def targets(self) -> list[int]:
        """The actions that the strike cancels: the struck action, and the answers to its questions."""
        return [entry_number(mark.name) for mark in self.marks if mark.who == STRUCK]

    def takeover_subjects(self) -> tuple[str, ...]:
        return (STRUCK, QUESTIONS, REVEALED) if self.how == "choose" else (STRUCK,)


class ActionAmended(Correction):
    """An amendment: an action is struck and played again in its place, with changed `inputs` or `faces`.

    `named` is the typed entry number. `about` is the amended entry, usually a ruling.
    """

    type: ClassVar[str] = "action-amended"
    brief = "amendment of {about}"
    named: Seq
    about: Seq
    inputs: dict[str, Any]
    faces: tuple[Seq, ...] | None
    cascade: bool
    why: CommittedText | None

    def takeover_subjects(self) -> tuple[str, ...]:
        return QUESTIONS, REVEALED


class PlayRewound(Correction):
    """A rewind, which strikes everything after the action of entry `to`."""

    type: ClassVar[str] = "play-rewound"
    phrase = "rewinds to {to}{why}"
    brief = "rewind to {to}"
    to: Seq
    why: CommittedText | None

    def takeover_subjects(self) -> tuple[str, ...]:
        return QUESTIONS, REVEALED


class FollowUp(Correction):
    """A question that a correction asks. A later correction closes the question if its reason is gone."""

    stands_alone = False
    may_wait = True


class KnockOnFound(FollowUp):
    """A question about a later ruling: a correction changed the numbers that the ruling used.

    `numbers` maps each character to the new numbers by name. `finds` is the kind of change, and `verdict` the new
    verdict. `says` tells why the rules would refuse the move or need different dice.
    """

    type: ClassVar[str] = "knock-on-found"
    brief = "side effect on {about}"
    choices = ("stand", "amend", "void")
    about: Seq
    finds: Literal["otherwise", "refused", "other-dice"]
    numbers: dict[str, dict[str, Any]]
    verdict: Verdict | None
    says: str | None

    def takeover_subjects(self) -> tuple[str, ...]:
        return (QUESTIONS,)


class LimitCrossed(FollowUp):
    """A question about a score that a correction moved beyond its limits."""

    type: ClassVar[str] = "limit-crossed"
    brief = "{who}'s {score} beyond its limits"
    choices = ("stand", "adjust")
    who: ShortText
    score: ShortText
    value: Amount
    least: Amount
    most: Amount


class MovesMissed(FollowUp):
    """A question about moves that a character missed. A correction revealed that they are missing.

    Each missed move belongs to the start of a day or of a turn. `starts` has the entries that started these days
    or turns.
    """

    type: ClassVar[str] = "moves-missed"
    brief = "{who}'s missed moves"
    choices = ("stand", "play")
    who: ShortText
    system: ShortText
    move: ShortText
    starts: tuple[Seq, ...]


class LinesMissed(FollowUp):
    """A question about typed lines that were for the whole group, but left out the character `who`.

    A correction has shown that this was a mistake. `lines` has the first entry of each line.
    """

    type: ClassVar[str] = "lines-missed"
    brief = "typed lines that left out {who}"
    choices = ("stand", "play")
    who: ShortText
    lines: tuple[Seq, ...]


class AssertionBroken(FollowUp):
    """A question about a score that now differs from the paper sheet in entry `about`. `value` is the new score."""

    type: ClassVar[str] = "assertion-broken"
    brief = "paper sheet in {about}"
    choices = ("stand", "adjust")
    about: Seq
    who: ShortText
    score: ShortText
    claimed: Amount
    value: Amount


class GiftUncovered(FollowUp):
    """A question about the gift in entry `about`. The giver had too little for the gift.

    A correction changed the giver's score: at the time of the gift, it was only `had`.
    """

    type: ClassVar[str] = "gift-uncovered"
    brief = "gift in {about}"
    choices = ("stand", "amend", "void")
    about: Seq
    who: ShortText
    score: ShortText
    given: Amount
    had: Amount


class AdjustmentUnneeded(FollowUp):
    """A question about a decision that changed a score by `amount`: should the GM cancel this change?

    A correction removed the reason for the decision, which is entry `about`.
    """

    type: ClassVar[str] = "adjustment-unneeded"
    brief = "adjustment in {about}"
    choices = ("stand", "void")
    about: Seq
    who: ShortText
    score: ShortText
    amount: Amount


class QuestionClosed(Correction):
    """The end of a question that a correction asked. A later correction removed the reason for the question.

    `reason` is `canceled` if the entry that the question was about is no longer in force. It is `settled` if this entry
    now fits.
    """

    type: ClassVar[str] = "question-closed"
    brief = "end of question #{question}"
    chronicle_rule = "never"
    stands_alone = False
    question: Seq
    reason: Literal["canceled", "settled"]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (answer_mark(self.question, at),)


class DisputeRaised(Correction):
    """A player's objection to an entry."""

    type: ClassVar[str] = "dispute-raised"
    phrase = "{player} disputes {about}: {claim}"
    brief = "dispute of {about}"
    may_wait = True
    choices = ("uphold", "amend", "void")
    about: Seq
    player: ShortText
    claim: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return about_mark(before.entry(self.about).act, at), open_mark(at)


class QuestionDecided(Correction):
    """The GM's decision about a question. This entry is the cause of the other entries that the decision adds."""

    type: ClassVar[str] = "question-decided"
    brief = "decision on #{question}"
    question: Seq
    choice: ShortText
    why: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        about = before.entry(self.question).about
        about_marks = () if about is None else (about_mark(before.entry(about).act, at),)
        return answer_mark(self.question, at), *about_marks


class VerdictOverridden(Correction):
    """The GM's override of a verdict. Nothing else changes. `good` is None if there is nothing to win or lose."""

    type: ClassVar[str] = "verdict-overridden"
    phrase = "overrides {about}{why}"
    brief = "override of {about}"
    about: Seq
    verdict: CommittedText
    good: bool | None
    why: CommittedText

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return (about_mark(before.entry(self.about).act, at),)


class ScoreAsserted(Correction):
    """The scores on a character's paper sheet (`claimed`), and the same scores in the book (`stood`)."""

    type: ClassVar[str] = "score-asserted"
    brief = "{who}'s paper sheet"
    chronicle_rule = "never"
    may_wait = True
    choices = ("stand", "adjust")
    who: ShortText
    claimed: dict[str, int]
    stood: dict[str, int]

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        same = (full for full, value in self.claimed.items() if value == self.stood.get(full))
        confirmed = (Mark(who=ASSERTED, name=f"{self.who}:{full}", value=at.seq) for full in same)
        return *confirmed, *(() if self.claimed == self.stood else (open_mark(at),))


class RollSealed(Correction):
    """A hidden roll. After the GM reveals it, the roll takes effect at this entry, not at the reveal.

    `until` is the deadline: `session-end`, a date, or None. If `unseen` is True, players do not see that there
    was a roll.
    """

    type: ClassVar[str] = "roll-sealed"
    brief = "sealed roll"
    survives_rewind = False
    may_wait = True
    until: ShortText | None
    unseen: bool
    thrown: Secret
    ruling: Secret
    consequences: Secret


class SecretRevealed(Correction):
    """The reveal of an entry's secrets. For a sealed roll, new entries with its dice and ruling follow."""

    type: ClassVar[str] = "secret-revealed"
    brief = "reveal of {about}"
    about: Seq

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        is_roll = before.entry(self.about).type == RollSealed.type
        revealed = Mark(who=REVEALED, name=str(self.about), value=at.seq)
        return (revealed, answer_mark(self.about, at)) if is_roll else (revealed,)


class OfTheBook(Correction):
    """An event about the book itself. It cannot be struck."""


class KeyRotated(OfTheBook):
    """A new signing key. `note` has the new key and the previous head. The new key signs the note."""

    type: ClassVar[str] = "key-rotated"
    brief = "new key"
    key: ShortText
    note: Text
    why: CommittedText | None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({KEY: self.key})


class PolicySet(OfTheBook):
    """A new witness policy in the tlog-policy format. It names the witnesses, and how many of them must sign."""

    type: ClassVar[str] = "policy-set"
    brief = "policy"
    policy: Text

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({POLICY: at.seq})


class PolicyAgreed(OfTheBook):
    """An agreement to the policy in entry `policy`, by a witness of the old policy. `note` is the signed text."""

    type: ClassVar[str] = "policy-agreed"
    brief = "agreement to the policy in #{policy}"
    policy: Seq
    note: Text

    @property
    def line(self) -> str:
        """The signature line of the witness."""
        return self.note.rpartition("\n\n")[2]


class HistoryForked(OfTheBook):
    """A fork: play continues from here, although a longer or different history is known.

    - `size`, `root`: the number of entries in the known history, and its tree root in hexadecimal.
    - `restored`: the last entry of the backup, if a backup was restored.
    - `shared`: the proof that both histories start with the same entries. It is None if the known history could
      not be read.
    """

    type: ClassVar[str] = "history-forked"
    brief = "fork"
    size: Seq
    root: ShortText
    restored: Seq | None = None
    shared: SharedHistoryProof | None = None

    def own_marks(self, at: Position, before: StateBefore) -> tuple[Mark, ...]:
        return campaign_marks({FORK: self.root})


class WordsErased(OfTheBook):
    """The permanent erasure of texts. `erased` maps the number of each entry to the fields that were erased."""

    type: ClassVar[str] = "words-erased"
    brief = "erasure"
    erased: dict[str, tuple[str, ...]]
