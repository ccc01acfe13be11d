"""The recap: a summary of a session, for reading aloud. It contains no secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile

from ledger.errors import NeverReached, Refused, Run
from ledger.events.entry import lead_of
from ledger.events.subjects import CAMPAIGN, CAST, is_npc
from ledger.events.types import (
    AdjustmentUnneeded,
    AssertionBroken,
    CharacterJoined,
    DisputeRaised,
    GiftUncovered,
    KnockOnFound,
    LinesMissed,
    MovesMissed,
    QuestionAsked,
    RollSealed,
    ScoreAsserted,
)
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.attendance import present_players, who_came_late, who_changed, who_was_there
from projections.chronicle import Scene, SessionSpan, chronicle, session_spans, with_known_corrections
from projections.clauses import Clause, has_no_purpose, story
from projections.later_corrections import (
    CORRECTIONS_WITH_RESULT,
    changed_since,
    corrections_told,
    objection,
    original_act,
    recap_clauses,
    session_of,
)
from projections.log import Line, is_shown, line
from projections.phrases import person, ruling_shown
from projections.prose import capitalized, number, sentence, with_period
from projections.prose_names import name_shortener, prose_name
from projections.questions import SHEET_QUESTION_TYPE, OpenQuestion, questions
from projections.score_changes import amount_in_words, changes_in_words, paper_in_words
from projections.telling import REVEALED, clauses, sentences_of, still_to_choose, task_in_words
from projections.wording import score_label


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
    """A scene to read aloud: the notes at its start, and then what the characters did, with later notes."""

    title: str
    notes: tuple[str, ...]
    deeds: tuple[str, ...]


class Recap(Struct):
    """The summary of a session, without canceled events.

    `changed` leaves out scores that ended as they started. `present` lists the players at the table. In a
    campaign without players, `present` lists the characters who acted. `waiting` lists the open questions that
    were asked before the next session.

    The other fields contain sentences to read aloud:

    - `there`: the people at the table
    - `story`: the events, by scene
    - `gains`: what each character gained and lost
    - `open`: the questions in `waiting`
    - `corrections`: new results of earlier sessions, and decisions on disputes
    - `appendix`: changes by hand, rolls without a purpose, and days that began at the end
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
    there: tuple[str, ...]
    corrections: tuple[str, ...]
    open: tuple[str, ...]
    appendix: tuple[str, ...]


def recap(book: Book, when: AsOf = NOW, session: int | None = None) -> Recap:
    """Summarize a session as known at a point. The default is the last session in which something happened.

    Raise `NeverReached` if the session had not been opened at that point, and `Refused` if no session has been played.
    """
    sessions = session_spans(book, when, session)
    chapters = ((span.last, chapter) for span in sessions for chapter in chronicle(book, when, span.number))
    last, chapter = next((each for each in chapters if each[1].lines or session), (0, None))
    if chapter is None and session is not None:
        raise NeverReached(f"session {session}")
    if chapter is None and (opened := next(iter(session_spans(book, when)), None)):
        raise Refused(f"Nothing has happened in session {opened.number} yet.")
    if chapter is None:
        raise Refused("No session has been played yet.", f"Open one with {Run('session open', 'TITLE')}.")
    counted = with_known_corrections(when)
    acts = dict[str, list[int]]()
    for each in chapter.lines:
        acts.setdefault(ruling_shown(lead_of(each.entries)).subject, []).append(each.seq)
    end = counted.replace(seq=min(chapter.last, counted.seq))
    earlier = (span for span in session_spans(book, when) if span.last < chapter.first)
    session_before = next(earlier, None)
    before = chapter.first if session_before is None else _end_of(book, session_before)
    present = present_players(book, chapter.present, acts, end)
    people = who_was_there(book, present, acts, end)
    scenes = tuple(_without_questions(scene) for scene in chapter.scenes)
    told = [(scene.title, [*_clauses(book, scene.lines)]) for scene in scenes]
    changed = tuple(_score_changes(book, chapter.first, end))
    waiting = tuple(
        each for each in questions(book, when, facts=False) if each.seq <= last and not _is_unseen_roll(book, each.seq)
    )
    number, shorten = chapter.number or 0, name_shortener(book)
    late = who_came_late(book, min((each.seq for each in chapter.lines), default=end.seq), end)
    changes = who_changed(book, number, before, end, is_first=session_before is None)
    there = shorten(filter(None, (people, *late, *changes)))
    last_days = _last_days(clause for _, found in told for clause in found)
    in_story = [(title, [clause for clause in found if clause not in last_days]) for title, found in told]
    story_told = tuple(_told_scenes(in_story, shorten))
    spans = chain(filter(None, [session_before]), earlier)
    corrections = shorten(corrections_told(book, before, end.seq, spans))
    gains = shorten(_gains(book, changed, counted))
    disputed = {event.about for each in waiting if isinstance(event := book.entry(each.seq).event, DisputeRaised)}
    asked = (each for each in waiting if each.seq not in disputed)  # the sentence about a dispute tells the roll, too
    still_open = shorten(_open_sentence(book, question, chapter.first) for question in asked)
    by_hand = [clause for _, found in told for clause in found if clause.kind == "appendix"]
    for_the_record = shorten(story([*by_hand, *last_days]))
    return Recap(
        number=number,
        title=chapter.title,
        date=chapter.date,
        present=present,
        scenes=scenes,
        changed=changed,
        waiting=waiting,
        story=story_told,
        gains=gains,
        corrections=corrections,
        there=there,
        open=still_open,
        appendix=tuple(
            text for text in for_the_record if text not in {capitalized(gain.removeprefix(IN_ALL)) for gain in gains}
        ),
    )


def _end_of(book: Book, session: SessionSpan) -> int:
    """Return the last entry of a session that is over: the one before the entry that closed the session."""
    changes = (since for _, since in book.accounts.mark_entries(CAMPAIGN, "session"))
    return next(since for since in changes if since > session.first) - 1


def _without_questions(scene: Scene) -> Scene:
    waits = QuestionAsked | RollSealed
    shown = [place for place, line in enumerate(scene.lines) if not isinstance(line.event, waits)]
    return scene.replace(
        lines=tuple(scene.lines[place] for place in shown), told=tuple(scene.told[place] for place in shown)
    )


MOST_SENTENCES = 40
"""The maximum number of sentences about what the characters did in a session."""

LEAST_SENTENCES = 6
"""The number of sentences that every scene may have, even if the recap then has more than `MOST_SENTENCES`."""


def _clauses(book: Book, lines: Iterable[Line]) -> Iterator[Clause]:
    for _, of_action in groupby(lines, key=lambda line: line.act):
        yield from clauses(book, of_action)


def _last_days(told: Iterable[Clause]) -> list[Clause]:
    """Return the clauses of the days that began after the last deed. Each of these clauses occurs only once."""
    backwards = reversed([clause for clause in told if clause.kind not in {"appendix", "rules"}])
    return [*takewhile(lambda clause: clause.kind == "day", backwards)][::-1]


def _told_scenes(
    scenes: Sequence[tuple[str, Sequence[Clause]]], shorten: Callable[[Iterable[str]], tuple[str, ...]]
) -> Iterator[ToldScene]:
    told = list[tuple[str, tuple[str, ...], Sequence[str]]]()
    for title, told_here in scenes:
        found = [clause for clause in told_here if clause.kind not in {"appendix", "rules"}]
        notes = tuple(clause.did for clause in takewhile(lambda clause: clause.kind == "note", told_here))
        told.append((title, notes, shorten(story(found[len(notes) :]))))
    fits = sum(len(deeds) for _, _, deeds in told) <= MOST_SENTENCES
    most = MOST_SENTENCES if fits else max(MOST_SENTENCES // len(told), LEAST_SENTENCES)
    for title, opening, deeds in told:
        if title or opening or deeds:
            yield ToldScene(title=title, notes=opening, deeds=tuple(_shortened(deeds, most)))


def _shortened(sentences: Sequence[str], most: int) -> Sequence[str]:
    """Return at most `most` sentences of a scene, and all its notes.

    If sentences are left out, an added sentence gives their number.
    """
    side = most // 2
    middle = sentences[side : len(sentences) - side]
    notes = [text for text in middle if text.startswith(("\u201c", REVEALED))]
    cut = len(middle) - len(notes)
    more = (
        "One more event is in the chronicle."
        if cut == 1
        else f"{capitalized(number(cut))} more events are in the chronicle."
    )
    return [*sentences[:side], *notes, more, *sentences[-side:]] if len(sentences) > most and cut else sentences


IN_ALL = "In all, "
"""The start of the sentence about all gains of a character in a session. The story has already told some of them."""


def _gains(book: Book, changes: Sequence[ScoreChange], when: AsOf) -> Iterator[str]:
    """Yield the gains and losses of each character, sorted by short name. Leave out non-player characters."""
    of_players = [change for change in changes if not _is_gms(book, change.who, when)]
    names = {change.who: prose_name(book, change.who) for change in of_players}
    for who, name in sorted(names.items()):
        told = changes_in_words(
            name,
            {change.score: change.amount for change in of_players if change.who == who},
            now={change.score: change.now for change in of_players if change.who == who},
        )
        lasts = re.compile(rf"{re.escape(name)}('s .+ now| (is )?(still|no longer)) ")
        first = next((words for words in told if not lasts.match(words)), "")
        yield from (sentence(f"{IN_ALL if words == first else ''}{words}") for words in told)


def _is_gms(book: Book, who: str, when: AsOf) -> bool:
    return is_npc(book.accounts.mark(CAST, who, when)) and book.player_of(who, when) is None


def _open_sentence(book: Book, question: OpenQuestion, first: int) -> str:
    """Return an open question as sentences to read aloud. `first` is the first entry of the session."""
    dispute = book.entry(question.seq).event
    if isinstance(dispute, DisputeRaised):
        return _open_dispute(book, dispute, question, first)
    number = _session_before(book, question.seq, first)
    origin = "" if number is None else f"Still open from session {number}: "
    return f"{origin}{_still_to_settle(book, question)}"


LEFT_OUT = "was left out of something that the whole group got or did"


def _still_to_settle(book: Book, question: OpenQuestion) -> str:
    """Return the sentences about an open question, but do not say in which session it was asked."""
    event, name = book.entry(question.seq).event, capitalized(question.name)
    match event:
        case _ if question.type == SHEET_QUESTION_TYPE:
            return task_in_words(book, question)
        case KnockOnFound():
            told = f"A correction may change this result: {_result_sentences(book, event.about)}"
        case RollSealed():
            return "A sealed roll is not revealed yet."
        case QuestionAsked():
            asked = clauses(book, [line(book, book.action(book.entry(question.seq).act))])
            text = " ".join(each.then if has_no_purpose(each.did) else " ".join(story([each])) for each in asked)
            choice = still_to_choose(prose_name(book, event.subject), event)
            return text if choice in text else f"{text} {choice}"  # the choice may be about a part of the action
        case MovesMissed() | LinesMissed():
            says = LEFT_OUT if isinstance(event, LinesMissed) else question.says
            told = f"{name} {with_period(says)}"
        case GiftUncovered():
            gift = amount_in_words(event.score, event.given)
            told = f"{name} gave {gift}, but had only {number(event.had)}."
        case AdjustmentUnneeded():
            label = score_label(event.score)
            told = f"Because of a correction, an earlier change of {name}'s {label} is no longer needed."
        case AssertionBroken():
            told = paper_in_words(name, {event.score: event.claimed}, {event.score: event.value})
        case ScoreAsserted():
            told = _differences(book, event, question.seq)
        case _:
            told = f"{name}'s {with_period(question.says)}"
    return f"{told} The GM has to decide."


def _differences(book: Book, paper: ScoreAsserted, seq: int) -> str:
    """Return sentences with the numbers of a paper sheet that differ from the record at entry `seq`."""
    then, name = AsOf(seq=seq, corrected=True), capitalized(prose_name(book, paper.who))
    record = {full: book.accounts.balance(paper.who, full, then) or 0 for full in paper.claimed}
    return paper_in_words(name, {full: value for full, value in paper.claimed.items() if value != record[full]}, record)


def _session_before(book: Book, seq: int, first: int) -> int | None:
    """Return the session of entry `seq` if this entry is older than entry `first`; otherwise `None`."""
    return session_of(session_spans(book), seq, first - 1) if seq < first else None


def _open_dispute(book: Book, dispute: DisputeRaised, question: OpenQuestion, first: int) -> str:
    """Return an open dispute as sentences. If the disputed result is older than entry `first`, name its session."""
    is_corrected = isinstance(book.journal.entry(dispute.about).event, CORRECTIONS_WITH_RESULT)
    corrected = recap_clauses(book, original_act(book, dispute.about), question.seq) if is_corrected else None
    acts = clauses(book, [_line_without_dispute(book, dispute.about)]) if corrected is None else corrected
    acts = [act.replace(deed="") if act.did else act for act in acts]
    bare = next((act for act in acts if has_no_purpose(act.did) and act.outcome.replace(" ", "").isalpha()), None)
    result = f"One of {bare.who}'s rolls {bare.outcome}." if bare else " ".join(story(acts))
    result = result or _result_sentences(book, dispute.about)
    session = _session_before(book, dispute.about, first)
    changed = changed_since(book, dispute, question.seq)
    told = objection(session, result, capitalized(question.name), dispute)
    return " ".join(filter(None, [told, changed, "This is not decided yet."]))


def _result_sentences(book: Book, seq: int) -> str:
    return " ".join(sentences_of(book, _line_without_dispute(book, seq)))


def _line_without_dispute(book: Book, seq: int) -> Line:
    return line(book, book.action(book.entry(seq).act)).replace(disputed=())


def _score_changes(book: Book, first: int, when: AsOf) -> Iterator[ScoreChange]:
    """Yield the net change of each score from entry `first` to a point. Leave out the starting values of new sheets."""
    for who in book.cast(when):
        for score in filter(is_shown, book.accounts.scores(who)):
            rows = takewhile(lambda row: row.since >= first, book.accounts.register_reversed(who, score, when))
            amount = sum(row.amount for row in rows if book.journal.entry(row.since).type != CharacterJoined.type)
            if amount:
                now = book.accounts.balance(who, score, when) or 0
                yield ScoreChange(who=who, score=score, amount=amount, now=now, name=person(book, who))


def _is_unseen_roll(book: Book, seq: int) -> bool:
    event = book.entry(seq).event
    return isinstance(event, RollSealed) and event.unseen
