"""The recap: a summary of a session, for reading aloud. It contains no secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, takewhile

from ledger.errors import NeverReached, Refused, Run
from ledger.events.entry import lead_of
from ledger.events.subjects import CAMPAIGN, CAST, is_npc
from ledger.events.types import (
    ActionAmended,
    AdjustmentUnneeded,
    AssertionBroken,
    CharacterJoined,
    CharacterLeft,
    DiceCounted,
    DisputeRaised,
    GiftUncovered,
    KnockOnFound,
    LinesMissed,
    MovesMissed,
    QuestionAsked,
    RollSealed,
    ScoreAdjusted,
    ScoreAsserted,
    ScoresGiven,
)
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.values import Struct
from projections.attendance import attendance_text, late_arrivals, membership_changes, present_players
from projections.chronicle import Scene, SessionSpan, chronicle, session_spans, with_known_corrections
from projections.clauses import AMOUNT_PATTERN, Clause, has_no_purpose, story, story_with_clauses
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
from projections.move_words import still_to_choose, task_in_words
from projections.phrases import person, ruling_shown
from projections.prose import capitalized, number, sentence, with_period
from projections.prose_names import name_shortener, prose_name
from projections.questions import SHEET_QUESTION_TYPE, OpenQuestion, questions
from projections.score_changes import SPENT_PATTERN, amount_in_words, changes_in_words, paper_in_words
from projections.sentences import sentences_of
from projections.telling import clauses
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
    - `appendix`: changes by hand without a reason, rolls without a purpose, and the day at the end
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
    counted = with_known_corrections(when)
    if chapter is None and (opened := next(iter(session_spans(book, when)), None)):
        is_open = book.accounts.mark(CAMPAIGN, "session", counted) is not None
        says = f"Nothing has happened in session {opened.number} yet."
        raise Refused(says if is_open else f"Nothing happened in session {opened.number}.")
    if chapter is None:
        raise Refused("No session has been played yet.", f"Open one with {Run('session open', 'TITLE')}.")
    acts = dict[str, list[int]]()
    for each in chapter.lines:
        acts.setdefault(ruling_shown(lead_of(each.entries)).subject, []).append(each.seq)
    end = counted.replace(seq=min(chapter.last, counted.seq))
    earlier = (span for span in session_spans(book, when) if span.last < chapter.first)
    session_before = next(earlier, None)
    before = chapter.first if session_before is None else _end_of(book, session_before)
    present = present_players(book, chapter.present, acts, end)
    people = attendance_text(book, present, acts, end)
    scenes = tuple(_without_questions(scene) for scene in chapter.scenes)
    contested = _contested(book, chapter.first, counted.known)
    told = [(scene.title, [*_clauses(book, scene.lines, contested)]) for scene in scenes]
    changed = tuple(_score_changes(book, chapter.first, end))
    waiting = tuple(
        each for each in questions(book, when, facts=False) if each.seq <= last and not _is_unseen_roll(book, each.seq)
    )
    number, shorten = chapter.number or 0, name_shortener(book)
    late = late_arrivals(book, min((each.seq for each in chapter.lines), default=end.seq), end)
    changes = membership_changes(book, number, before, end, is_first=session_before is None)
    there = shorten(filter(None, (people, *late, *changes)))
    last_days = _last_days(clause for _, found in told for clause in found)
    in_story = [(title, [clause for clause in found if clause not in last_days]) for title, found in told]
    story_told = tuple(_told_scenes(in_story, shorten))
    spans = chain(filter(None, [session_before]), earlier)
    corrections = shorten(corrections_told(book, before, end.seq, spans))
    totals = [*_gains_and_losses(book, changed, chapter.first, end)]
    gains = shorten(totals)
    disputed = {event.about for each in waiting if isinstance(event := book.entry(each.seq).event, DisputeRaised)}
    asked = (each for each in waiting if each.seq not in disputed)  # the sentence about a dispute tells the roll, too
    still_open = shorten(_open_sentence(book, question, chapter.first) for question in asked)
    by_hand = [
        clause
        for _, found in told
        for clause in found
        if clause.kind == "appendix" and not _is_in_totals(clause, totals)
    ]
    days = [f"At the end, it was day {last_days[-1].did}."] if last_days else []
    for_the_record = shorten([*story(by_hand), *days])
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
            text
            for text in for_the_record
            if text not in {capitalized(gain.removeprefix(TOTALS_START)) for gain in gains}
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
"""The number of sentences that every scene may have, even if the recap then has more than `MOST_SENTENCES`.

Important events are always told, even if a scene then has more sentences. See `_must_stay`.
"""


def _clauses(book: Book, lines: Iterable[Line], contested: Collection[int]) -> Iterator[Clause]:
    """Yield the clauses of lines. `contested` are the actions that were disputed or corrected."""
    for _, group in groupby(lines, key=lambda line: line.act):
        of_action = [*group]
        stays = original_act(book, of_action[0].seq) in contested or any(map(_is_fateful, of_action))
        yield from (clause.replace(stays=stays or _must_stay(clause)) for clause in clauses(book, of_action))


def _contested(book: Book, first: int, last: int) -> set[int]:
    """Return the actions that entries from `first` to `last` dispute or correct."""
    found = book.search((ActionAmended.type, DisputeRaised.type), first, ("about",))
    events = [book.journal.entry(entry.seq).event for entry in takewhile(lambda entry: entry.seq <= last, found)]
    return {original_act(book, event.about) for event in events if isinstance(event, ActionAmended | DisputeRaised)}


def _is_fateful(line: Line) -> bool:
    """Return True for a roll whose only die shows its best or worst face, and for the end of a character's story."""
    event = line.event
    dice = [die for die in event.dice if die.dropped is None] if isinstance(event, DiceCounted) else []
    is_natural = len(dice) == 1 and dice[0].sides >= LARGE_DIE and dice[0].face in {1, dice[0].sides}
    return is_natural or isinstance(event, CharacterLeft)


LARGE_DIE = 10
"""The number of sides from which the best and the worst face of a die are rare."""


def _must_stay(clause: Clause) -> bool:
    """Return True for a note, a new day, a ruling of the GM, a wound, a death, and a very good or bad result."""
    return clause.kind in {"note", "day"} or any(
        FATEFUL_PATTERN.search(text) for text in (clause.did, clause.outcome, clause.then)
    )


FATEFUL_PATTERN = re.compile(
    r"\b(?:GM ruled|and (?:hit|ruled)|lost [\w-]+ (?:more )?(?:hit points?|energy)|suffered|"
    r"(?:took|rolled) (?!no )[\w-]+ (?:\w+ )?damage|burned|died|dead|drowned|killed|brilliantly|completely|badly|"
    r"picked up the condition)\b|^(?:became|was) |\b(?:became|was) [\w-]+\."
)
"""A pattern for words about important events, which a shortened recap must tell."""


def _last_days(told: Iterable[Clause]) -> list[Clause]:
    """Return the clauses of the days that began after the last deed. A day begins only once, so each is unique."""
    backwards = reversed([clause for clause in told if clause.kind not in {"appendix", "rules"}])
    return [*takewhile(lambda clause: clause.kind == "day", backwards)][::-1]


def _told_scenes(
    scenes: Sequence[tuple[str, Sequence[Clause]]], shorten: Callable[[Iterable[str]], tuple[str, ...]]
) -> Iterator[ToldScene]:
    told = list[tuple[str, tuple[str, ...], Sequence[tuple[str, Sequence[Clause]]]]]()
    for title, told_here in scenes:
        found = [clause for clause in told_here if clause.kind not in {"appendix", "rules"}]
        notes = tuple(clause.did for clause in takewhile(lambda clause: clause.kind == "note", told_here))
        sentences = story_with_clauses(found[len(notes) :])
        groups = (group for _, group in sentences)
        told.append((title, notes, [*zip(shorten(text for text, _ in sentences), groups, strict=True)]))
    lengths = [len(deeds) for _, _, deeds in told]
    fitting = (
        most for most in range(MOST_SENTENCES, 0, -1) if sum(min(most, length) for length in lengths) <= MOST_SENTENCES
    )
    most = max(next(fitting, 0), LEAST_SENTENCES)
    for title, opening, deeds in told:
        if title or opening or deeds:
            yield ToldScene(title=title, notes=opening, deeds=tuple(_shortened(deeds, most)))


def _shortened(sentences: Sequence[tuple[str, Sequence[Clause]]], most: int) -> Sequence[str]:
    """Return at most `most` sentences of a scene, and all those that must stay. Each comes with its clauses.

    Small acts are cut first, and then those in the middle. A sentence at the end of the scene says that they happened.
    """
    middle = len(sentences) / 2
    may_go = [place for place, (_, group) in enumerate(sentences) if not any(clause.stays for clause in group)]
    by_weight = sorted(may_go, key=lambda place: (not _is_small(sentences[place][1][0]), abs(place + 0.5 - middle)))
    cut = {*by_weight[: max(len(sentences) - most, 0)]}
    kept = [text for place, (text, _) in enumerate(sentences) if place not in cut]
    days = [*takewhile(lambda text: text.startswith(("Day ", "Days ")), reversed(kept))][::-1]
    return [*kept[: len(kept) - len(days)], *_cut_in_words(len(cut)), *days]


def _cut_in_words(cut: int) -> list[str]:
    """Return the sentence about the acts that a scene leaves out."""
    if cut == 1:
        return ["One smaller thing happened, too; the chronicle has it."]
    few = "A few" if cut <= A_FEW else capitalized(number(cut))
    return [f"{few} smaller things happened, too; the chronicle has them."] if cut else []


A_FEW = 4
"""The largest number of acts that are called "a few"."""


def _is_small(clause: Clause) -> bool:
    """Return True for a gift or a payment without a reason, a rest, and a roll without a told purpose."""
    return SMALL_ACT_PATTERN.match(clause.did) is not None


SMALL_ACT_PATTERN = re.compile(
    r"(?:made|recovered|rested|rolled|took)\b|(?:bought|earned|found|gained|gave|invested|lost|paid|received|spent|used)\b"
    "(?!.* (?:after|as|because|by|for|from|on|thanks|to) )"
)


TOTALS_START = "In all, "
"""The start of the sentence about all gains of a character in a session. The story has already told some of them."""


def _gains_and_losses(book: Book, changes: Sequence[ScoreChange], first: int, when: AsOf) -> Iterator[str]:
    """Yield the gains and losses of each character from entry `first`, sorted by short name.

    Leave out non-player characters.
    """
    of_players = [change for change in changes if not _belongs_to_gm(book, change.who, when)]
    names = {change.who: prose_name(book, change.who) for change in of_players}
    for who, name in sorted(names.items()):
        own = {change.score: change for change in of_players if change.who == who}
        rows = {score: _changes(book, who, score, first, when) for score in own}
        told = changes_in_words(
            name,
            {score: change.amount for score, change in own.items()},
            now={score: change.now for score, change in own.items()},
            compared={score for score, change in own.items() if _is_compared(score, change.amount, rows[score])},
        )
        lasts = re.compile(rf"{re.escape(name)}('s | ((now )?has|(is )?(still|no longer)) )")
        total = next((words for words in told if not lasts.match(words)), "")
        is_sum = " and " in total or any(
            len(rows[score]) > 1 for score, change in own.items() if amount_in_words(score, abs(change.amount)) in total
        )
        yield from (sentence(f"{TOTALS_START if is_sum and words == total else ''}{words}") for words in told)


def _is_compared(score: str, amount: int, rows: Sequence[tuple[int, str]]) -> bool:
    """Return True for a score that rose and also fell, and for one that was given, or that the GM took by hand.

    `rows` are its changes in the session. The words "gained", "lost" and "spent" may be wrong for such a score.
    """
    types = {event for _, event in rows}
    is_taken = ScoreAdjusted.type in types and amount < 0 and SPENT_PATTERN.fullmatch(amount_in_words(score, -amount))
    return bool(is_taken) or ScoresGiven.type in types or any(each * amount < 0 for each, _ in rows)


def _is_in_totals(clause: Clause, totals: Iterable[str]) -> bool:
    """Return True for a gain or loss that is already in the character's `totals`, such as "lost one candle"."""
    found = AMOUNT_PATTERN.fullmatch(clause.did)
    if found is None or found["act"] not in {"gained", "lost", "used"}:
        return False
    thing = rf"\b{found['unit'].removesuffix('s')}s?{re.escape(found['rest'])}\b"
    own = (total for total in totals if total.removeprefix(TOTALS_START).startswith(f"{clause.who} "))
    return any(re.search(thing, total) for total in own)


def _belongs_to_gm(book: Book, who: str, when: AsOf) -> bool:
    return is_npc(book.accounts.mark(CAST, who, when)) and book.player_of(who, when) is None


def _open_sentence(book: Book, question: OpenQuestion, first: int) -> str:
    """Return an open question as sentences to read aloud. `first` is the first entry of the session."""
    dispute = book.entry(question.seq).event
    if isinstance(dispute, DisputeRaised):
        return _open_dispute(book, dispute, question, first)
    number = _session_before(book, question.seq, first)
    origin = "" if number is None else f"Still open from session {number}: "
    return f"{origin}{_still_to_settle(book, question)}"


LEFT_OUT_WORDS = "was left out of something that the whole group got or did"


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
            says = LEFT_OUT_WORDS if isinstance(event, LinesMissed) else question.says
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
            if amount := sum(amount for amount, _ in _changes(book, who, score, first, when)):
                now = book.accounts.balance(who, score, when) or 0
                yield ScoreChange(who=who, score=score, amount=amount, now=now, name=person(book, who))


def _changes(book: Book, who: str, score: str, first: int, when: AsOf) -> list[tuple[int, str]]:
    """Return the changes of a score from entry `first` to a point, each with the type of its entry.

    Leave out the starting value of a new sheet.
    """
    rows = takewhile(lambda row: row.since >= first, book.accounts.latest_postings(who, score, when))
    changes = [(row.amount, book.journal.entry(row.since).type) for row in rows]
    return [(amount, event) for amount, event in changes if event != CharacterJoined.type]


def _is_unseen_roll(book: Book, seq: int) -> bool:
    event = book.entry(seq).event
    return isinstance(event, RollSealed) and event.unseen
