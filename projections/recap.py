"""The recap: a summary of a session, for reading aloud. It contains no secrets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ledger.errors import NeverReached, Refused, Run
from ledger.events.entry import lead_of
from ledger.events.subjects import CAST, PLAYER
from ledger.events.types import CharacterJoined, QuestionAsked, RollSealed
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.chronicle import Scene, chronicle, session_spans, with_known_corrections
from projections.log import is_shown
from projections.phrases import person, ruling_shown
from projections.questions import OpenQuestion, questions


class ScoreChange(Struct):
    """The net change of a score in a session, and the value at the end. `score` is the full name.

    `name` is the name to show for `who`.
    """

    who: str
    score: str
    amount: int
    now: int
    name: str


class Recap(Struct):
    """The summary of a session, without canceled events. `changed` leaves out scores that ended as they started.

    `present` lists the players recorded as present. Without such a record, `present` lists the characters who acted.
    `waiting` lists the questions from before the next session that are still open.
    """

    number: int
    title: str
    date: str
    present: tuple[str, ...]
    scenes: tuple[Scene, ...]
    changed: tuple[ScoreChange, ...]
    waiting: tuple[OpenQuestion, ...]


def recap(book: Book, when: AsOf = NOW, session: int | None = None) -> Recap:
    """Summarize a session as known at a point. The default is the last session in which something happened.

    Raise `NeverReached` if the session had not been opened at that point, and `Refused` if no session has been played.
    """
    sessions = session_spans(book, when, session)
    chapters = ((last, chapter) for number, (_, last) in sessions for chapter in chronicle(book, when, number))
    last, chapter = next((each for each in chapters if each[1].lines or session), (0, None))
    if chapter is None and session is not None:
        raise NeverReached(f"session {session}")
    if chapter is None:
        raise Refused("No session has been played yet.", f"Open one with {Run('session open', 'TITLE')}.")
    counted = with_known_corrections(when)
    did = dict.fromkeys(ruling_shown(lead_of(line.entries)).subject for line in chapter.lines)
    actors = [person(book, who) for who in did if _ever_played(book, who)]
    return Recap(
        number=chapter.number or 0,
        title=chapter.title,
        date=chapter.date,
        present=chapter.present or tuple(actors),
        scenes=tuple(_without_questions(scene) for scene in chapter.scenes),
        changed=tuple(_score_changes(book, chapter.first, counted.replace(seq=min(chapter.last, counted.seq)))),
        waiting=tuple(
            each for each in questions(book, when, facts=False) if each.seq <= last and not _unseen(book, each.seq)
        ),
    )


def _ever_played(book: Book, who: str) -> bool:
    return any(next(book.accounts.mark_entries_reversed(*mark), None) for mark in ((CAST, who), (who, PLAYER)))


def _without_questions(scene: Scene) -> Scene:
    waits = QuestionAsked | RollSealed
    return scene.replace(lines=tuple(line for line in scene.lines if not isinstance(line.event, waits)))


def _score_changes(book: Book, first: int, when: AsOf) -> Iterator[ScoreChange]:
    """Yield the net change of each score from entry `first` to a point. The scores of a new sheet do not count."""
    for who in book.cast(when):
        for score in filter(is_shown, book.accounts.scores(who)):
            rows = takewhile(lambda row: row.since >= first, book.accounts.register_reversed(who, score, when))
            amount = sum(row.amount for row in rows if book.journal.entry(row.since).type != CharacterJoined.type)
            if amount:
                now = book.accounts.balance(who, score, when) or 0
                yield ScoreChange(who=who, score=score, amount=amount, now=now, name=person(book, who))


def _unseen(book: Book, seq: int) -> bool:
    event = book.entry(seq).event
    return isinstance(event, RollSealed) and event.unseen
