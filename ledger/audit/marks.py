"""Marks: whether an entry gives exactly the marks, and moves exactly the scores, that its event speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ledger.audit.check import Before, Carrying, EntryCheck, Fault
from ledger.audit.invariants import marks_fit, postings_fit
from ledger.corrections.questions import ASKING, is_question
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.facts import Mark
from ledger.events.subjects import ABOUT, ASSERTED, CAST, PLAYERS, QUESTIONS, REVEALED, STRUCK, entry_number

NAMES = {
    PLAYERS: re.compile(r"p[1-9][0-9]*"),
    QUESTIONS: re.compile(r"[1-9][0-9]*"),
    STRUCK: re.compile(r"[1-9][0-9]*"),
    REVEALED: re.compile(r"[1-9][0-9]*"),
    ABOUT: re.compile(r"[1-9][0-9]*:[1-9][0-9]*"),
    ASSERTED: re.compile(r"[a-z0-9-]+:.+"),
}
"""How the marks of each of the journal's own subjects are named."""

MARKED_BY: Mapping[str, tuple[type[events.Event], ...]] = {
    CAST: (events.CharacterJoined, events.NpcsSeated, events.CharacterLeft, events.CharacterReturned),
    PLAYERS: (events.PlayerSeated,),
    STRUCK: (events.ActionStruck,),
    ASSERTED: (events.ScoreAsserted,),
    ABOUT: (events.DisputeRaised, events.QuestionDecided, events.VerdictOverridden),
    REVEALED: (events.SecretRevealed, events.ActionAmended, events.ActionStruck, events.PlayRewound),
    QUESTIONS: (
        events.QuestionAsked,
        events.RollSealed,
        events.DisputeRaised,
        events.KnockOnFound,
        events.LimitCrossed,
        events.ScoreAsserted,
        events.MovePlayed,
        events.QuestionDecided,
        events.ActionAmended,
        events.ActionStruck,
        events.PlayRewound,
        events.SecretRevealed,
    ),
}
"""The events that give marks to each of the journal's own subjects."""


GIVING = tuple({event for row in MARKED_BY.values() for event in row})
"""The events that may have to give a mark to one of them."""


class Marks(EntryCheck):
    """Whether an entry gives the marks of its event: the journal's own, for what it says, and all others."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Questions that do not wait, then marks that cannot be its own, then marks too many or too few."""
        seq, event, asks = entry.seq, entry.event, is_question(entry)
        waiting = _waiting_mark(entry) if event.marks else None
        if asks is not any(mark == waiting and mark.value is False for mark in event.marks):
            yield (
                seq,
                "asks a question but does not list it as open"
                if asks
                else "says that a question is open, but contains no question",
            )
        for mark in event.marks:
            if mark.who in NAMES and not NAMES[mark.who].fullmatch(mark.name):
                yield seq, f"sets a mark that cannot exist ({mark.who} {mark.name})"
            if mark.who[0] == "#" and not _may_give(entry, mark):
                yield seq, f"sets a mark that this type of entry cannot set ({mark.who} {mark.name})"
            if mark.who == QUESTIONS and mark != waiting and not _settles(entry, mark, before):
                yield seq, f"marks question #{mark.name} as settled, but does not answer it"
        stated = sorted([_exactly(mark) for mark in event.marks if _is_spoken(entry, mark)])
        required = sorted(map(_exactly, _required_marks(entry, before))) if isinstance(event, GIVING) else []
        if stated != required or not marks_fit(seq, event):
            yield seq, "has marks that do not match its content"


class Moves(EntryCheck):
    """Whether an entry moves the scores of its event."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        if not postings_fit(entry.event):
            yield entry.seq, "has score changes that do not match its content"


def _waiting_mark(entry: Entry) -> Mark:
    """The mark of a question that waits for its answer."""
    return Mark(who=QUESTIONS, name=str(entry.seq), value=False)


def _may_give(entry: Entry, mark: Mark) -> bool:
    """Whether an entry may give a mark. A copy of an entry carries along what was said about the entry."""
    if isinstance(entry.event, events.ActionStruck) and entry.event.how != "choose":
        return mark.who == STRUCK  # an amendment and a rewind take over what they strike before they strike it
    copied = mark.who == ABOUT and entry.since < entry.seq
    return copied or isinstance(entry.event, MARKED_BY.get(mark.who, ()))


def _settles(entry: Entry, mark: Mark, before: Before) -> bool:
    """Whether an entry may settle a question: its own or one that it takes over; a knock-on may settle another."""
    question, event = entry_number(mark.name), entry.event
    if mark.value != entry.seq or not 0 < question < entry.seq or before.entry(question).type not in ASKING:
        return False
    if isinstance(event, events.KnockOnFound):
        return before.entry(question).type == events.KnockOnFound.type
    return isinstance(event, Carrying) or question in {entry.settles, entry.about}


def _is_spoken(entry: Entry, mark: Mark) -> bool:
    """Whether an entry gives a mark of the journal's own for what it says, and not for what it strikes."""
    if mark.who in {STRUCK, ABOUT}:
        return mark.who == ABOUT and entry.since == entry.seq
    carried = isinstance(entry.event, Carrying | events.KnockOnFound) and mark.name != str(entry.seq)
    return mark.who[0] == "#" and not carried


def _required_marks(entry: Entry, before: Before) -> Iterator[Mark]:
    """The marks of the journal's own that an entry must give for what it says."""
    seq, event, question = entry.seq, entry.event, entry.settles
    if is_question(entry):
        yield _waiting_mark(entry)
    if question is not None:
        yield Mark(who=QUESTIONS, name=str(question), value=seq)
    match event:
        case events.SecretRevealed(about=about):
            yield Mark(who=REVEALED, name=str(about), value=seq)
            if before.entry(about).type == events.RollSealed.type:
                yield Mark(who=QUESTIONS, name=str(about), value=seq)
        case events.CharacterJoined(who=who) | events.CharacterReturned(who=who) | events.CharacterLeft(who=who):
            yield Mark(who=CAST, name=who, value=_seat(entry))
        case events.NpcsSeated(session=session, names=names):
            yield from (Mark(who=CAST, name=who, value={"session": session}) for who in names)
        case events.PlayerSeated(player=player):
            yield Mark(who=PLAYERS, name=player, value=seq)
        case events.ScoreAsserted(who=who, claimed=claimed, stood=stood):
            same = (full for full, value in claimed.items() if value == stood.get(full))
            yield from (Mark(who=ASSERTED, name=f"{who}:{full}", value=seq) for full in same)
    target = _target(entry, before)
    if target is not None and entry.since == seq:
        yield Mark(who=ABOUT, name=f"{before.entry(target).act}:{seq}", value=True)


def _seat(entry: Entry) -> Any:
    """What an entry makes of a place in the cast: a non-player character keeps its own, or leaves none behind."""
    given = next((mark.value for mark in entry.event.marks if mark.who == CAST), None)
    if isinstance(entry.event, events.CharacterLeft):
        return None if given is None else False
    is_of_npc = isinstance(given, dict) and {name: type(value) for name, value in given.items()} == {"session": int}
    return given if is_of_npc and isinstance(entry.event, events.CharacterJoined) else entry.seq


def _target(entry: Entry, before: Before) -> int | None:
    """The entry that a dispute, an override or a decided question is about."""
    match entry.event:
        case events.DisputeRaised(about=about) | events.VerdictOverridden(about=about):
            return about
        case events.QuestionDecided(question=question):
            return before.entry(question).about
    return None


def _exactly(mark: Mark) -> tuple[str, str, str]:
    """A mark in a form to compare and sort; `repr` tells true from 1, and takes any value."""
    return mark.who, mark.name, repr(mark.value)
