"""References: whether what an entry says of others is so: of who sits there, of earlier entries, of the accounts."""

from collections.abc import Iterator

from ledger.audit.check import ASKING, Before, Carrying, Check, Fault
from ledger.corrections.questions import CHOICES
from ledger.events.entry import Entry, about_of, answered
from ledger.events.subjects import QUESTIONS, REVEALED, number
from ledger.events.types import (
    RULINGS,
    ActionAmended,
    AnyEvent,
    DisputeRaised,
    KnockOnFound,
    LimitCrossed,
    MovePlayed,
    PlayerSeated,
    PlayRewound,
    QuestionAsked,
    QuestionDecided,
    ScoreAsserted,
    SecretRevealed,
    VerdictOverridden,
)
from ledger.journal.book import Book


class References(Check):
    """Whether an entry names only who sits at the table, and earlier entries of which it can be said."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield whom or what an entry names and cannot."""
        seq, event, spoken, asked = entry.seq, entry.event, about_of(entry.event), answered(entry.event)
        taken = event.player if isinstance(event, PlayerSeated) else None
        if entry.by not in before.seats and entry.by != taken:
            yield seq, f"was written by {entry.by}, who does not sit at the table"
        if isinstance(event, DisputeRaised) and event.player not in before.seats:
            yield seq, f"is of {event.player}, who does not sit at the table"
        if any(each >= seq for each in _named(event)):
            yield seq, "speaks about what is no earlier entry"
        if spoken is not None and not _may_be_about(event, before.entry(spoken).type):
            yield seq, f"speaks about a {before.entry(spoken).type}, which cannot be"
        waiting = {QuestionAsked.type} if isinstance(event, MovePlayed) else ASKING
        if asked is not None and (asked >= seq or before.entry(asked).type not in waiting):
            yield seq, "answers what was no question"
        match event:
            case QuestionDecided(choice=choice) if choice not in CHOICES.get(before.entry(event.question).type, ()):
                yield seq, "decides what was not asked"


def _named(event: AnyEvent) -> tuple[int, ...]:
    """The entries that an event names, apart from a question that it answers."""
    match event:
        case ActionAmended(named=named):
            return event.about, named
        case PlayRewound(to=to):
            return (to,)
    spoken = about_of(event)
    return () if spoken is None else (spoken,)


def _may_be_about(event: AnyEvent, kind: str) -> bool:
    if isinstance(event, KnockOnFound):
        return kind in RULINGS
    return not isinstance(event, VerdictOverridden) or kind == MovePlayed.type


class Balances(Check):
    """Whether the accounts stood as an entry says."""

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield what stood otherwise before an entry: questions, what was told, and scores."""
        seq, event, asked = entry.seq, entry.event, answered(entry.event)
        if asked is not None and not before.question(asked).waits:
            yield seq, f"answers #{asked}, which did not wait"
        for mark in event.marks if isinstance(event, Carrying) else ():
            if mark.who == QUESTIONS and not before.question(number(mark.name)).answered_by:
                yield seq, f"takes over #{mark.name}, which nobody had settled"
        if isinstance(event, SecretRevealed) and before.mark(REVEALED, str(event.about)) is not None:
            yield seq, f"reveals #{event.about}, which was told already"
        if isinstance(event, ScoreAsserted) and event.stood.keys() != event.claimed.keys():
            yield seq, "asserts other scores than it compares"
        for who, score, stood in _stood(event):
            if before.balance(who, score) != stood:
                yield seq, f"says that {score} of {who} stood at {stood}, which it did not"


def _stood(event: AnyEvent) -> Iterator[tuple[str, str, int]]:
    """Yield what an event says that scores stood at before it."""
    match event:
        case LimitCrossed(who=who, score=score, value=value):
            yield who, score, value
        case ScoreAsserted(who=who, stood=stood):
            yield from ((who, score, value) for score, value in stood.items())


class Ids(Check):
    """Whether each command has an id of its own, if any."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def look(self, entry: Entry, before: Before) -> Iterator[Fault]:
        """Yield an id for the second time."""
        first = None if entry.once is None else self._book.journal.once(entry.once)
        if first is not None and first < entry.seq:
            yield entry.seq, "bears the id of an earlier command"
