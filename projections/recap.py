"""The recap: a summary of a session, for reading aloud. It contains no secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from ledger.errors import NeverReached, Refused, Run, count_of
from ledger.events.entry import lead_of
from ledger.events.subjects import CAST, PLAYER
from ledger.events.types import (
    AssertionBroken,
    CharacterJoined,
    DayBegun,
    DisputeRaised,
    GiftUncovered,
    KnockOnFound,
    MovesMissed,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
)
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.chronicle import Scene, chronicle, session_spans, with_known_corrections
from projections.log import Line, is_shown, line
from projections.phrases import person, ruling_shown
from projections.prose import capitalized, ended, listed, quoted_sentence, sentence
from projections.questions import ON_SHEET, OpenQuestion, questions
from projections.telling import (
    Clause,
    changes_in_words,
    clauses,
    day_in_words,
    prose_name,
    sentences_of,
    story,
)
from projections.wording import typed_words


class ScoreChange(Struct):
    """The net change of a score in a session, and the value at the end. `score` is the full name.

    `name` is the name to show for `who`.
    """

    who: str
    score: str
    amount: int
    now: int
    name: str


class ToldScene(Struct):
    """A scene to read aloud: its notes, and then sentences about what the characters did."""

    title: str
    notes: tuple[str, ...]
    deeds: tuple[str, ...]


class Recap(Struct):
    """The summary of a session, without canceled events. `changed` leaves out scores that ended as they started.

    `present` lists the players recorded as present. Without such a record, `present` lists the characters who acted.
    `waiting` lists the questions from before the next session that are still open.

    The other fields are the sentences to read aloud: `story` by scenes, `gains`, `there` about the people, `open` for
    each question in `waiting`, and the `appendix` with days and changes by hand.
    """

    number: int
    title: str
    date: str
    present: tuple[str, ...]
    scenes: tuple[Scene, ...]
    changed: tuple[ScoreChange, ...]
    waiting: tuple[OpenQuestion, ...]
    story: tuple[ToldScene, ...]
    gains: tuple[str, ...]
    there: str
    open: tuple[str, ...]
    appendix: tuple[str, ...]


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
    present = chapter.present or tuple(actors)
    scenes = tuple(_without_questions(scene) for scene in chapter.scenes)
    told = [(scene.title, [*_clauses(book, scene.lines)]) for scene in scenes]
    changed = tuple(_score_changes(book, chapter.first, counted.replace(seq=min(chapter.last, counted.seq))))
    waiting = tuple(
        each for each in questions(book, when, facts=False) if each.seq <= last and not _unseen(book, each.seq)
    )
    return Recap(
        number=chapter.number or 0,
        title=chapter.title,
        date=chapter.date,
        present=present,
        scenes=scenes,
        changed=changed,
        waiting=waiting,
        story=tuple(_told_scenes(told)),
        gains=tuple(_gains(book, changed)),
        there=_who_was_there(book, present, did),
        open=tuple(_open_sentence(book, question) for question in waiting),
        appendix=(
            *_days(book, chapter.lines),
            *story(clause for _, found in told for clause in found if clause.kind == "appendix"),
        ),
    )


def _ever_played(book: Book, who: str) -> bool:
    return any(next(book.accounts.mark_entries_reversed(*mark), None) for mark in ((CAST, who), (who, PLAYER)))


def _without_questions(scene: Scene) -> Scene:
    waits = QuestionAsked | RollSealed
    shown = [place for place, line in enumerate(scene.lines) if not isinstance(line.event, waits)]
    return scene.replace(
        lines=tuple(scene.lines[place] for place in shown), told=tuple(scene.told[place] for place in shown)
    )


PAGE = 40
"""The maximum number of sentences about what the characters did in a session."""

FEWEST = 6
"""The number of sentences that every scene may have, even if the recap then has more than `PAGE` sentences."""


def _clauses(book: Book, lines: Iterable[Line]) -> Iterator[Clause]:
    for _, of_action in groupby(lines, key=lambda line: line.act):
        yield from clauses(book, of_action)


def _told_scenes(scenes: Sequence[tuple[str, Sequence[Clause]]]) -> Iterator[ToldScene]:
    told = [
        (
            title,
            tuple(clause.did for clause in found if clause.kind == "note"),
            story(clause for clause in found if clause.kind == "deed"),
        )
        for title, found in scenes
    ]
    fits = sum(len(deeds) for _, _, deeds in told) <= PAGE
    most = PAGE if fits else max(PAGE // len(told), FEWEST)
    for title, notes, deeds in told:
        if title or notes or deeds:
            yield ToldScene(title=title, notes=notes, deeds=tuple(_shortened(deeds, most)))


def _shortened(sentences: Sequence[str], most: int) -> Sequence[str]:
    """Return at most `most` sentences of a scene. If sentences are left out, one says how many."""
    cut, side = len(sentences) - most, most // 2
    more = f"The chronicle tells {count_of(cut, 'more event')} here."
    return [*sentences[:side], more, *sentences[-side:]] if cut > 0 else sentences


def _gains(book: Book, changes: Sequence[ScoreChange]) -> Iterator[str]:
    """Yield what the characters gained and lost. What several gained or lost alike comes first."""
    alike: dict[str, list[ScoreChange]] = {}
    for change in changes:
        words = " ".join(changes_in_words("", {change.score: change.amount}))
        if words and not words.startswith("'"):  # "gained 50 gold", not "'s strength rose by one"
            alike.setdefault(words, []).append(change)
    shared = {words: each for words, each in alike.items() if len(each) > 1}
    yield from story(
        Clause(who=prose_name(book, change.who), did=words.strip(" ."), each=True)
        for words, each in shared.items()
        for change in each
    )
    told = [change for each in shared.values() for change in each]
    for who in dict.fromkeys(change.who for change in changes):
        own = {change.score: change.amount for change in changes if change.who == who and change not in told}
        yield from changes_in_words(prose_name(book, who), own)


def _who_was_there(book: Book, present: Sequence[str], did: Iterable[str]) -> str:
    names = {person(book, who): prose_name(book, who) for who in did}
    shown = [names.get(name, name) for name in present]
    return f"{capitalized(listed(shown))} {'was' if len(shown) == 1 else 'were'} there." if shown else ""


def _days(book: Book, lines: Iterable[Line]) -> Iterator[str]:
    days = [entry.event.day for line in lines for entry in line.entries if isinstance(entry.event, DayBegun)]
    if len(days) == 1:
        yield sentence(f"{day_in_words(book, days[0])} began")
    elif days:
        first, last = (day_in_words(book, day) for day in (days[0], days[-1]))
        yield sentence(f"{first} to {last} passed")


def _open_sentence(book: Book, question: OpenQuestion) -> str:  # noqa: PLR0911  one case per kind of question
    """Return an open question as sentences to read aloud."""
    event, name = book.entry(question.seq).event, capitalized(question.name)
    match event:
        case _ if question.type == ON_SHEET:
            return f"{name} still has this to settle: {ended(question.says)}"
        case DisputeRaised():
            reason = quoted_sentence(typed_words(event.claim))
            return f"{name} disputes this: {_result(book, event.about)} The reason: {reason} The GM has to decide."
        case KnockOnFound():
            return (
                f"A correction changed a number behind this result: {_result(book, event.about)} The GM has to decide."
            )
        case RollSealed():
            return "A sealed roll is not revealed yet."
        case QuestionAsked():
            return " ".join(story(clauses(book, [line(book, book.action(book.entry(question.seq).act))])))
        case MovesMissed() | GiftUncovered():
            return f"{name} {ended(question.says)} The GM has to decide."
        case AssertionBroken():
            return f"{name}'s paper sheet and the record no longer agree: {ended(question.says)} The GM has to decide."
        case ScoreAsserted():
            return f"{name}'s paper sheet and the record differ: {ended(question.says)} The GM has to decide."
    return f"{name}'s {ended(question.says)} The GM has to decide."


def _result(book: Book, seq: int) -> str:
    return " ".join(sentences_of(book, line(book, book.action(book.entry(seq).act)).replace(disputed=())))


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
