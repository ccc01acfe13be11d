"""Sentences about any action, also one that is not a part of the story: a correction, or a change of a sheet."""

from __future__ import annotations

from ledger.events import types as events
from ledger.events.entry import lead_of
from ledger.events.subjects import CAMPAIGN
from ledger.journal.accounts import AsOf
from ledger.journal.book import Book
from projections.clauses import story, with_quote
from projections.log import Line, line
from projections.move_words import left_out_words, result_as_noun
from projections.phrases import ruling_shown, struck_together
from projections.prose import capitalized, number, quoted_sentence, sentence, with_period
from projections.prose_names import prose_name
from projections.score_changes import change_label, paper_in_words
from projections.telling import KEPT_SENTENCE, clauses, event_with_names, with_why, words_on_sheet
from projections.wording import type_words, typed_words


def sentences_of(book: Book, line: Line) -> list[str]:
    """Tell an action in sentences. Without any words for the story, use the words of the log."""
    told = [text for clause in clauses(book, [line]) for text in story([clause])]
    told += ["This result is disputed."] if line.disputed else []
    return told or [_log_sentences(book, line)]


PAST_STRIKE_VERBS = {
    "undo": "undid",
    "redo": "redid",
    "void": "canceled",
    "rewind": "canceled",
    "amend": "corrected",
    "choose": "changed",
}
"""The verb for each kind of strike, in the past tense."""

DECISION_SENTENCES = {"uphold": KEPT_SENTENCE, "void": "The GM canceled this."}
"""The sentences about decisions on disputes. After any other decision, the GM corrected the result."""


def _told(book: Book, seq: int, known: int) -> str:
    """Return the sentences about the action of entry `seq`, as known at entry `known`."""
    return " ".join(sentences_of(book, _known(book, seq, known).replace(disputed=())))


def _known(book: Book, seq: int, known: int) -> Line:
    """Return the action of entry `seq`, as known at entry `known`. Of an amendment, return only the new result."""
    action = [entry for entry in book.action(book.entry(seq).act) if entry.seq <= known]
    is_amended = isinstance(book.entry(seq).event, events.MoveEvent | events.DiceCounted)
    played = [entry for entry in action if is_amended and not isinstance(entry.event, events.Correction)]
    return line(book, played or action, AsOf(seq=known))


def _correction_sentences(book: Book, shown: Line) -> str:  # noqa: C901, PLR0911  one case per event
    """Return the sentences about a correction and what it corrects; "" for other events."""
    by, entry = capitalized(prose_name(book, shown.by)), lead_of(shown.entries)
    seq, before = entry.seq, entry.act - 1
    match shown.event:
        case events.ActionStruck() as event:
            acts, verb = struck_together(book, entry), PAST_STRIKE_VERBS[event.how]
            what = f"this: {_told(book, acts[0], before)}" if len(acts) == 1 else f"{number(len(acts))} actions."
            return with_why(book, seq, f"{by} {verb} {what}")
        case events.ActionAmended() as event:
            played = [each for each in shown.entries if not isinstance(each.event, events.Correction)]
            now = sentences_of(book, line(book, played, AsOf(seq=shown.entries[-1].seq))) if played else []
            after = f" After the correction: {' '.join(now)}" if now else ""
            return with_why(book, seq, f"{by} corrected this: {_told(book, event.about, before)}") + after
        case events.VerdictOverridden() as event:
            ruled = clauses(book, [_known(book, event.about, shown.entries[-1].seq)])
            return " ".join(clause.then or clause.did for clause in ruled)
        case events.PlayRewound() as event:
            return with_why(book, seq, f"{by} went back to this: {_told(book, event.to, before)}")
        case events.DisputeRaised() as event:
            claim = quoted_sentence(typed_words(event.claim))
            return f"{_told(book, event.about, before)} {prose_name(book, event.player)} objected to this: {claim}"
        case events.QuestionDecided() as event:
            dispute = book.entry(event.question).event
            if not isinstance(dispute, events.DisputeRaised):
                return with_why(book, seq, f"{by} settled an open question.")
            objected = f"{_told(book, dispute.about, before)} {prose_name(book, dispute.player)} had objected to this."
            decided = DECISION_SENTENCES.get(event.choice, "The GM corrected this.")
            return with_why(book, seq, f"{objected} {decided}")
        case events.ScoreAsserted() as event:
            return paper_in_words(capitalized(prose_name(book, event.who)), event.claimed, event.stood)
        case events.SecretRevealed() as event:
            secret = book.entry(event.about, secrets=book.revealed(event.about)).event
            if isinstance(secret, events.NoteKept) and secret.text.text is not None:
                return f"{by} revealed: {quoted_sentence(capitalized(typed_words(secret.text)))}"
            return f"{by} revealed a secret roll."
    return ""


def _log_sentences(book: Book, line: Line) -> str:
    """Return the log's words for an action, as sentences."""
    event, says = line.event, line.says
    corrected = _correction_sentences(book, line)
    if isinstance(event, events.MovePlayed) and (did := left_out_words(event_with_names(book, event))):
        return with_quote(f"{prose_name(book, event.subject)} {did}", line.deed)
    if isinstance(event, events.Consequence):
        says = type_words(event.kind)
    if isinstance(event, events.MarksSet):
        words = {change_label(name): words_on_sheet(event, name) for name in event.values}
        changes = "; ".join(f"{label}: {text}" if text else f"no {label}" for label, text in words.items())
        says = f"the sheet of {prose_name(book, event.who)} changed: {changes}"
    elif line.who not in {"", CAMPAIGN}:
        verb = says.partition(" ")[0]
        joint = " " if verb.isalpha() and verb.endswith("s") else ": "
        says = f"{prose_name(book, ruling_shown(lead_of(line.entries)).subject)}{joint}{says}"
    told = [f"{capitalized(says)}: {quoted_sentence(line.deed)}" if line.deed else sentence(says)]
    told = [corrected] if corrected else told
    is_told = isinstance(event, events.VerdictOverridden | events.ActionAmended)
    result = next(filter(None, map(result_as_noun, line.entries[1:])), line.verdict.says) if line.verdict else ""
    told += [f"The result: {with_period(result)}"] if result and not is_told else []
    return " ".join([*told, *(["The GM has to decide."] if line.waits else [])])
