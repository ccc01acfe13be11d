"""Marks: whether an entry gives the marks, and moves the scores, that its event speaks of, and no others."""

import re
from collections.abc import Iterator, Mapping

from ledger.audit.check import ASKING, Before, Carrying, Check, Fault, asks
from ledger.audit.invariants import marks_its_own, moves_its_own
from ledger.events.entry import Entry, about_of, answered
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, ASSERTED, CAST, PLAYERS, QUESTIONS, REVEALED, STRUCK, number
from ledger.events.types import (
    ActionAmended,
    ActionStruck,
    CharacterJoined,
    DisputeRaised,
    Event,
    KnockOnFound,
    LimitCrossed,
    MovePlayed,
    PlayerSeated,
    PlayRewound,
    QuestionAsked,
    QuestionDecided,
    RollSealed,
    ScoreAsserted,
    SecretRevealed,
    VerdictOverridden,
)

NAMES = {
    PLAYERS: re.compile(r"p[1-9][0-9]*"),
    QUESTIONS: re.compile(r"[1-9][0-9]*"),
    STRUCK: re.compile(r"[1-9][0-9]*"),
    REVEALED: re.compile(r"[1-9][0-9]*"),
    ABOUT: re.compile(r"[1-9][0-9]*:[1-9][0-9]*"),
    ASSERTED: re.compile(r"[a-z0-9-]+:.+"),
}
"""What the marks of a subject of the journal's own are called."""

MARKED_BY: Mapping[str, tuple[type[Event], ...]] = {
    CAST: (CharacterJoined,),
    PLAYERS: (PlayerSeated,),
    STRUCK: (ActionStruck,),
    ASSERTED: (ScoreAsserted,),
    ABOUT: (DisputeRaised, QuestionDecided, VerdictOverridden),
    REVEALED: (SecretRevealed,),
    QUESTIONS: (
        QuestionAsked,
        RollSealed,
        DisputeRaised,
        KnockOnFound,
        LimitCrossed,
        ScoreAsserted,
        MovePlayed,
        QuestionDecided,
        ActionAmended,
        PlayRewound,
        SecretRevealed,
    ),
}
"""The events that give the marks of a subject of the journal's own."""


class Marks(Check):
    """Whether an entry gives the marks of its event: those of the journal's own for what it says, and its others."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield a question that does not wait, then marks that cannot be its own, then marks too many or too few."""
        seq, event, waits = entry.seq, entry.event, _waits(entry)
        if asks(entry) is not any(mark == waits and mark.value is False for mark in event.marks):
            yield seq, "asks something, and does not wait" if asks(entry) else "waits, and asks nothing"
        for mark in event.marks:
            if mark.who in NAMES and not NAMES[mark.who].fullmatch(mark.name):
                yield seq, f"marks what cannot be ({mark.who} {mark.name})"
            if mark.who[0] == "#" and not _may_give(entry, mark):
                yield seq, f"marks what is not its own ({mark.who} {mark.name})"
            if mark.who == QUESTIONS and mark != waits and not _settles(entry, mark, before):
                yield seq, f"settles a question that is not its own (#{mark.name})"
        given = sorted(_exactly(mark) for mark in event.marks if _is_spoken(entry, mark))
        if given != sorted(map(_exactly, _spoken(entry, before))) or not marks_its_own(seq, event):
            yield seq, "gives other marks than it speaks of"


class Moves(Check):
    """Whether an entry moves the scores of its event."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield that an entry posts otherwise than it says."""
        if not moves_its_own(entry.event):
            yield entry.seq, "moves other scores than it speaks of"


def _waits(entry: Entry) -> Mark:
    """The mark of a question that waits for its answer."""
    return Mark(who=QUESTIONS, name=str(entry.seq), value=False)


def _may_give(entry: Entry, mark: Mark) -> bool:
    """Whether an event may give marks of a subject; what was said about an entry goes along with any copy of it."""
    copied = mark.who == ABOUT and entry.since < entry.seq
    return copied or isinstance(entry.event, MARKED_BY.get(mark.who, ()))


def _settles(entry: Entry, mark: Mark, before: Before) -> bool:
    """Whether an entry may settle a question: its own, one that it takes over, or, in a correction, one decided."""
    asked, event = number(mark.name), entry.event
    if mark.value != entry.seq or not 0 < asked < entry.seq or before.entry(asked).type not in ASKING:
        return False
    if isinstance(event, KnockOnFound):
        return before.entry(asked).type == KnockOnFound.type
    return isinstance(event, Carrying) or asked in {answered(event), about_of(event)}


def _is_spoken(entry: Entry, mark: Mark) -> bool:
    """Whether a mark of the journal's own is given for what an entry says, and not for what it strikes."""
    if mark.who in {STRUCK, ABOUT}:
        return mark.who == ABOUT and entry.since == entry.seq
    carried = isinstance(entry.event, Carrying | KnockOnFound) and mark.name != str(entry.seq)
    return mark.who[0] == "#" and not carried


def _spoken(entry: Entry, before: Before) -> Iterator[Mark]:
    """Yield the marks of the journal's own that an entry must give for what it says."""
    seq, event, asked = entry.seq, entry.event, answered(entry.event)
    if asks(entry):
        yield _waits(entry)
    if asked is not None:
        yield Mark(who=QUESTIONS, name=str(asked), value=seq)
    match event:
        case SecretRevealed(about=told):
            yield Mark(who=REVEALED, name=str(told), value=seq)
            if before.entry(told).type == RollSealed.type:
                yield Mark(who=QUESTIONS, name=str(told), value=seq)
        case CharacterJoined(who=who):
            yield Mark(who=CAST, name=who, value=seq)
        case PlayerSeated(player=player):
            yield Mark(who=PLAYERS, name=player, value=seq)
        case ScoreAsserted(who=who, claimed=claimed, stood=stood):
            same = (full for full, said in claimed.items() if said == stood.get(full))
            yield from (Mark(who=ASSERTED, name=f"{who}:{full}", value=seq) for full in same)
    said_of = _said_of(entry, before)
    if said_of is not None and entry.since == seq:
        yield Mark(who=ABOUT, name=f"{before.entry(said_of).act}:{seq}", value=True)


def _said_of(entry: Entry, before: Before) -> int | None:
    """The entry of which something is shown: a dispute, an override, or the decision of a question about it."""
    match entry.event:
        case DisputeRaised(about=spoken) | VerdictOverridden(about=spoken):
            return spoken
        case QuestionDecided(question=asked):
            return about_of(before.entry(asked).event)
    return None


def _exactly(mark: Mark) -> tuple[str, str, str]:
    """A mark to be compared and sorted; `repr` tells true from 1, and takes any value."""
    return mark.who, mark.name, repr(mark.value)
