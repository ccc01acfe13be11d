"""Sentences about corrections of results that an earlier recap told, and about decisions on disputes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from ledger.events import types as events
from ledger.events.entry import Entry
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from projections.chronicle import SessionSpan
from projections.clauses import Clause, is_short, story
from projections.log import line
from projections.prose import ROLL_PATTERN, capitalized, number, quoted_sentence
from projections.replay import corrected_actions, entries_between
from projections.telling import CANCELED_BY_GM, KEPT_SENTENCE, clauses, with_why
from projections.word_lists import DETERMINERS, PREPOSITIONS
from projections.wording import typed_words

MOST_TOLD = 3
"""The maximum number of canceled actions of one session that are told one by one."""

CANCELED_SENTENCE = "This no longer counts."

CORRECTIONS_WITH_RESULT = (events.ActionAmended, events.VerdictOverridden)
"""The corrections that have a result of their own. A player can dispute this result."""

CORRECTION_TYPES = (events.ActionStruck.type, events.VerdictOverridden.type, events.QuestionDecided.type)


def corrections_told(book: Book, before: int, last: int, sessions: Iterable[SessionSpan]) -> Iterator[str]:
    """Yield texts about corrected actions of earlier `sessions`, then about all decisions on disputes.

    The corrections are in the entries after `before`, up to `last`. Corrections that changed no sentence are left
    out. `sessions` starts with the latest session. The function reads `sessions` only back to the first action that was
    corrected or disputed.
    """
    found = book.search(CORRECTION_TYPES, before + 1, ("strikes", "about", "question"))
    entries = [book.entry(entry.seq) for entry in takewhile(lambda entry: entry.seq <= last, found)]
    entries = [entry for entry in entries if not book.is_struck(entry.act, _corrected_as_of(last))]
    disputes = [(entry.seq, *dispute) for entry in entries for dispute in _settled_dispute(book, entry)]
    disputed = {original_act(book, dispute.about) for _, _, dispute in disputes}
    corrected = {act for entry in entries for act in _corrected_acts(book, entry) if _is_story(book, act)} - disputed
    first = min(corrected | disputed, default=last)
    spans = [*takewhile(lambda session: session.last >= first, sessions)]
    for session in reversed(spans):
        acts = [act for act in sorted(corrected) if session.first <= act <= min(before, session.last)]
        pairs = [(recap_clauses(book, act, before), recap_clauses(book, act, last)) for act in acts]
        yield from _changes(pairs, f"session {session.number}")
    for decided, seq, dispute in disputes:
        told, later = _decision(book, dispute, (seq, decided, last), session_of(spans, dispute.about, before))
        yield f"{with_why(book, decided, told)} {later}".strip()


def session_of(sessions: Iterable[SessionSpan], seq: int, last: int) -> int | None:
    """Return the number of the session that contains entry `seq`.

    Return `None` for an entry that comes after entry `last`, or that is older than all sessions. `sessions`
    starts with the latest session.
    """
    return next((session.number for session in sessions if session.first <= seq <= last), None)


def _is_story(book: Book, act: int) -> bool:
    """Return False for an action that no recap tells, such as a change of the turn order."""
    return any(entry.event.chronicle_rule == "always" for entry in book.journal.action(act))


def _corrected_as_of(last: int) -> AsOf:
    return NOW.replace(corrected=True, known=last)


def _settled_dispute(book: Book, entry: Entry) -> Iterator[tuple[int, events.DisputeRaised]]:
    """If an entry is the decision on a dispute, yield the number of the dispute's entry, and the dispute."""
    if isinstance(entry.event, events.QuestionDecided):
        question = book.entry(entry.event.question)
        if isinstance(question.event, events.DisputeRaised):
            yield question.seq, question.event


def _corrected_acts(book: Book, entry: Entry) -> Iterator[int]:
    """Yield the original actions that a correction is about.

    For a redo, these are the actions that the undone cancellation had canceled.
    """
    if isinstance(entry.event, events.VerdictOverridden):
        yield original_act(book, entry.event.about)
    elif isinstance(entry.event, events.ActionStruck):
        for act in entry.event.targets:
            for each in book.action(act):
                if isinstance(each.event, events.ActionStruck | events.VerdictOverridden):
                    yield from _corrected_acts(book, each)
                elif not isinstance(each.event, events.Correction):
                    yield original_act(book, each.seq)


def original_act(book: Book, seq: int) -> int:
    """Return the action to which an entry belongs. An entry of a correction belongs to the corrected action."""
    event = book.journal.entry(seq).event
    if isinstance(event, CORRECTIONS_WITH_RESULT):
        return original_act(book, event.about)
    return book.journal.entry(book.journal.entry(seq).since).act


def recap_clauses(book: Book, act: int, last: int) -> list[Clause]:
    """Return the recap's clauses for an action. Include the action's corrections up to entry `last`."""
    when = _corrected_as_of(last)
    groups = corrected_actions(book, act, book.journal.action(act)[-1].seq, when)
    lines = (line(book, entries, when) for entries in groups)
    return [clause for clause in clauses(book, lines) if clause.kind != "rules"]


def _counting_entries(book: Book, act: int, last: int) -> list[int]:
    """Return the entries of an action and its corrections that are not canceled, as known at entry `last`."""
    return entries_between(book, act, book.journal.action(act)[-1].seq, _corrected_as_of(last))


def _changes(pairs: Sequence[tuple[list[Clause], list[Clause]]], session: str) -> Iterator[str]:
    """Yield sentences for pairs of old and new clauses of a session. Many canceled actions are only counted.

    `session` is the session in words, such as "session 3".
    """
    canceled = [old for old, new in pairs if old and not new]
    if len(canceled) > MOST_TOLD:
        yield f"{capitalized(number(len(canceled)))} events of {session} no longer count."
    for old, new in pairs:
        if story(old) != story(new) and (new or len(canceled) <= MOST_TOLD):
            yield _correction(old, new, session)


def _correction(old: Sequence[Clause], new: Sequence[Clause], session: str) -> str:
    """Return sentences with the result after a correction and the result before it. For `session`, see `_changes`."""
    before, now = (" ".join(story(clauses)) for clauses in (old, new))
    if not new:
        return f"This event of {session} no longer counts: {before}"
    if not old:
        return f"This event of {session} counts again: {now}"
    wrong = f"{old[0].who} {old[0].outcome}." if _went_differently(old, new) else before
    return f"A correction to {session}: {now} Before the correction, the record said: {wrong}"


def _went_differently(old: Sequence[Clause], new: Sequence[Clause]) -> bool:
    """Return True if a correction changed only how one attempt went."""
    is_same_act = len(old) == len(new) == 1 and old[0].replace(outcome=new[0].outcome) == new[0]
    return is_same_act and all(clause.outcome and is_short(clause.outcome) for clause in (*old, *new))


def _change_told(old: Sequence[Clause], new: Sequence[Clause]) -> str:
    """Return the sentences about the new result, to follow those about the old one; "" if nothing changed."""
    if old == new:
        return ""
    if not new:
        return CANCELED_SENTENCE
    if _went_differently(old, new):
        is_attack = re.search(r"\b(?:hit|missed)\b", new[0].outcome)
        return f"After a correction, the {'attack' if is_attack else 'attempt'} {new[0].outcome}."
    if len(old) == len(new) == 1 and new[0].then and old[0].replace(outcome="", then=new[0].then) == new[0]:
        return new[0].then
    return f"After a correction: {' '.join(story(new))}"


def _decision(
    book: Book, dispute: events.DisputeRaised, points: tuple[int, int, int], session: int | None
) -> tuple[str, str]:
    """Return a pair of texts: the sentences about a dispute that the GM settled, and those about a later change.

    `points` are the entry of the dispute, the entry of the decision, and the last entry to consider. For `session`, see
    `objection`.
    """
    act, (seq, decided, last) = original_act(book, dispute.about), points
    end = book.journal.action(book.journal.entry(decided).act)[-1].seq
    old, ruled, new = (recap_clauses(book, act, known) for known in (seq, end, last))
    changed, later = _change_told(old, ruled), _change_told(ruled, new)
    if changed == CANCELED_SENTENCE:
        changed = CANCELED_BY_GM[any(clause.outcome or ROLL_PATTERN.match(clause.did) for clause in old)]
    told = objection(session, " ".join(story(old)), book.name_of(dispute.player), dispute)
    if (changed or later) and new and session is None:
        told = f"At first, {_as_continuation(told)}"  # the scene has told the new result
    return f"{told} {changed or _same_in_words(book, act, seq, end)}", later and f"Later, {later[0].lower()}{later[1:]}"


def objection(session: int | None, result: str, player: str, dispute: events.DisputeRaised) -> str:
    """Return the sentences about a disputed result and the player's objection.

    `session` is the number of the session with the result, or `None` if the sentences do not need to name it.
    """
    told = f"{result} {player} objected to this:" if result else f"{player} objected:"
    origin = "" if session is None else f"In session {session}, "
    return f"{origin}{_as_continuation(told) if origin else told} {quoted_sentence(typed_words(dispute.claim))}"


def _as_continuation(text: str) -> str:
    """Return a sentence in the form that follows a comma: with a small first letter, unless it starts with a name.

    "The guard" and "Goblin 2" are not names: they become "the guard" and "goblin 2".
    """
    first, second = text.lower().split()[:2]
    is_name = first not in DETERMINERS | PREPOSITIONS | {"of"} and not second.isdecimal()
    return text if is_name else f"{first}{text[len(first) :]}"


def _same_in_words(book: Book, act: int, before: int, last: int) -> str:
    """Return the sentence about a disputed result whose words in the recap did not change.

    It says that the GM kept the result, or that the GM corrected details between entries `before` and `last`.
    """
    is_same = _counting_entries(book, act, before) == _counting_entries(book, act, last)
    return KEPT_SENTENCE if is_same else "The GM corrected the details."


def changed_since(book: Book, dispute: events.DisputeRaised, seq: int) -> str:
    """Return sentences about changes of a disputed result after entry `seq`, the dispute; "" without changes."""
    act = original_act(book, dispute.about)
    return _change_told(*(recap_clauses(book, act, last) for last in (seq, book.head())))
