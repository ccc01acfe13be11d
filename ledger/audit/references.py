"""Checks of the players, earlier entries and balances that an entry names. The id of its command is checked too."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.audit.check import EntryCheck, Fault, PastEntries
from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.events.subjects import QUESTIONS, REVEALED, entry_number


class ReferencesCheck(EntryCheck):
    """A check that an entry names only players of the campaign, and earlier entries of the right type."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        seq, event, about, question = entry.seq, entry.event, entry.about, entry.settled_question
        seat = event.player if isinstance(event, events.PlayerSeated) else None
        if entry.by not in past.seats and entry.by != seat:
            yield seq, f"was written by {entry.by}, who is not a player here"
        if isinstance(event, events.DisputeRaised) and event.player not in past.seats:
            yield seq, f"names {event.player}, who is not a player here"
        present = event.present if isinstance(event, events.SessionOpened) else ()
        present = event.players if isinstance(event, events.PlayersPresent) else present
        if len(past.seats & {*present}) < len(present):
            yield seq, "lists a player as present twice, or lists somebody who is not a player here"
        if isinstance(event, events.NoteKept) and len(past.seats & {*event.players}) < len(event.players):
            yield seq, "names a player twice, or names somebody who is not a player here"
        if any(other >= seq for other in _named_entries(entry)):
            yield seq, "refers to itself or to a later entry"
        if about is not None and not _may_be_about(event, past.entry(about).type):
            yield seq, f"is about an entry of the wrong type ({past.entry(about).type})"
        asked = past.entry(question or 0).event
        if question is not None and not _may_settle(event, asked):
            yield seq, "answers an entry that is not a question"
        if isinstance(event, events.QuestionDecided) and event.choice not in asked.choices:
            yield seq, "gives a decision that the question does not allow"
        if entry.once is not None and (past.book.journal.find_by_once_id(entry.once) or seq) < seq:
            yield seq, "has the same ID as an earlier command"


def _may_settle(event: events.Event, asked: events.Event) -> bool:
    match event:
        case events.MovePlayed():
            return isinstance(asked, events.QuestionAsked)
        case events.QuestionClosed():
            return isinstance(asked, events.FollowUp)
    return asked.may_wait


def _named_entries(entry: Entry) -> tuple[int, ...]:
    """Return the numbers of the entries that an entry names. Leave out the question that it answers."""
    match entry.event:
        case events.ActionAmended(about=about, named=named):
            return about, named
        case events.PlayRewound(to=int(other)) | events.PlayersPresent(acted=int(other)):
            return (other,)
        case events.MovesMissed(starts=numbers) | events.LinesMissed(lines=numbers):
            return numbers
        case events.RollImported(log=log):
            return (log,)
    return () if entry.about is None else (entry.about,)


def _may_be_about(event: events.Event, kind: str) -> bool:
    match event:
        case events.KnockOnFound():
            return kind in events.RULING_TYPES
        case events.AssertionBroken():
            return kind == events.ScoreAsserted.type
        case events.AdjustmentUnneeded():
            return kind == events.QuestionDecided.type
        case events.GiftUncovered():
            return kind == events.ScoresGiven.type
    return not isinstance(event, events.VerdictOverridden) or kind == events.MovePlayed.type


class BalancesCheck(EntryCheck):
    """A check of an entry's balances, answers and reveals against the earlier entries."""

    def check(self, entry: Entry, past: PastEntries) -> Iterator[Fault]:
        seq, event, question = entry.seq, entry.event, entry.settled_question
        if question is not None and not past.question(question).is_open:
            yield seq, f"answers #{question}, which was not open"
        for mark in event.marks if REVEALED in event.takeover_subjects() else ():
            if mark.who == QUESTIONS and not past.question(entry_number(mark.name)).answered_by:
                yield seq, f"carries over an answer to #{mark.name}, but that question had no answer"
            if mark.who == REVEALED and (mark.value != seq or past.mark(REVEALED, mark.name) is None):
                yield seq, f"carries over a reveal of #{mark.name}, but #{mark.name} was never revealed"
        if isinstance(event, events.SecretRevealed) and past.mark(REVEALED, str(event.about)) is not None:
            yield seq, f"reveals #{event.about}, which was already revealed"
        if isinstance(event, events.ScoreAsserted) and event.stood.keys() != event.claimed.keys():
            yield seq, "compares two different scores: one on the paper sheet, another in the record"
        for who, score, stood in _balances(event):
            if past.balance(who, score) != stood:
                yield seq, f"says that {who}'s {score} was {stood}, but it was not"


def _balances(event: events.Event) -> Iterator[tuple[str, str, int]]:
    match event:
        case events.LimitCrossed(who=who, score=score, value=value):
            yield who, score, value
        case events.ScoreAsserted(who=who, stood=stood):
            yield from ((who, score, value) for score, value in stood.items())
