"""Remarks about moves that nobody finished, such as an attack without its damage."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render import terminal
from cli.render.status import question_sentence
from cli.run import MOST_NAMED_QUESTIONS, answer_to
from ledger.commands.sheet import plays
from ledger.errors import Run, Unfinished
from ledger.events.subjects import CAMPAIGN, TURN
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from ledger.scribe import Written
from projections.questions import OpenQuestion, tasks_of


def say_unfinished(book: Book, questions: Sequence[OpenQuestion]) -> None:
    """Print each question about an unfinished move, with the command that continues the move."""
    for question in questions[:MOST_NAMED_QUESTIONS]:
        terminal.aside(f"This is not finished: {question_sentence(question)} To continue: {answer_to(book, question)}")


def say_left_unfinished(book: Book, questions: Sequence[OpenQuestion]) -> None:
    """Print each question about an unfinished move, if the move needs a character who has left the table."""
    lost = [each for each in questions if not can_be_finished(book, each)]
    for question in lost[:MOST_NAMED_QUESTIONS]:
        says = f"This is not finished: {question_sentence(question)} To continue, first type {Run('undo')}."
        terminal.aside(f"{says} Then: {answer_to(book, question)}")


def with_closed_session(book: Book, unfinished: Unfinished, game: str) -> Unfinished:
    """Return the error about an unfinished move, with the closed session in which the move started.

    If the move did not start in a session, or if the session is still open, the error stays unchanged.
    """
    seq = book.accounts.mark_entry(unfinished.who, f"{game}/{unfinished.name}")
    session = book.accounts.mark(CAMPAIGN, "session", AsOf(seq=seq))
    if session not in {None, book.mark(CAMPAIGN, "session")}:
        unfinished.sentence = f"{unfinished.sentence} That was in session {session} (#{seq})."
    return unfinished


def can_be_finished(book: Book, question: OpenQuestion) -> bool:
    """Return True if the characters of an unfinished move are still at the table."""
    return all(plays(book, who) for who in (question.who, question.whom) if who)


def say_turn_unfinished(book: Book, done: Written) -> None:
    """Print the unfinished moves of the character whose turn is over, such as an attack without armor check."""
    turn = book.as_of(done.entries[0].seq).mark(CAMPAIGN, TURN)
    say_unfinished(book, tasks_of(book, turn["who"]) if turn and turn["who"] else [])
