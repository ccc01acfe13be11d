"""Deeds: what people typed about an attempt, as a clause of the story: "tried to hide", "made a roll for the chest"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ledger.events.subjects import CAST
from ledger.journal.book import Book
from projections.attempts import AUXILIARIES, DETERMINERS, MOTION, NOUNS, QUESTIONS, VERBS, attempt, is_thing, question
from projections.clauses import ASKED, NO_PURPOSE, Clause, has_no_purpose, with_outcome
from projections.prose import NAMED_ROLL, PLURAL_NOUN, PURPOSE, ROLL, SHORT_PURPOSE, TASK, notation_in_words, tidied
from projections.prose_names import prose_name, with_prose_names
from projections.reasons import after_doing, has_verb, named_thing


def attempt_clause(book: Book, who: str, done: str, deed: str, outcome: str = "") -> Clause:
    """Return the clause of an attempt: the act `done` with its deed. Quote the deed if its grammar is not certain."""
    if not deed:
        return Clause(who=who, did=done, outcome=outcome)
    if asked := question(deed):
        return Clause(who=who, did="rolled", outcome=outcome, then=f"{ASKED}{asked}.")
    if did := _told_deed(book, deed, done):
        return Clause(who=who, did=did, outcome=outcome)
    if _is_clause(deed):
        return Clause(who=who, did=_rolled_or(done), deed=deed, outcome=outcome)
    is_asked = deed.split(maxsplit=1)[0].lower() in AUXILIARIES | QUESTIONS and deed[-1].isalnum()
    if SHORT_PURPOSE.fullmatch(deed) and not is_asked and (ROLL.fullmatch(done) or _rolled_or(done) == "rolled"):
        return Clause(who=who, did=f"{_rolled_or(done)} for \u201c{deed}\u201d", outcome=outcome)
    asked = f"{deed}?" if is_asked else deed
    return Clause(who=who, did="", deed=asked, outcome=outcome)


def _is_clause(deed: str) -> bool:
    """Return True for a deed with a subject and a verb of its own, such as "the ghouls start to sing"."""
    words = deed.lower().rstrip(".!").split()
    return not DETERMINERS.isdisjoint(words[:1]) and has_verb(words)


def _names_thing(deed: str) -> bool:
    return is_thing(deed) and not _is_clause(deed)


def _rolled_or(done: str) -> str:
    return "rolled" if has_no_purpose(done) else done


def _told_deed(book: Book, deed: str, done: str) -> str:
    """Return a deed in the past tense, such as "tried to hide" or "made a locks roll for the chest".

    `done` is the act in the game's words. `deed` may be only the end of the act, such as "the chest". Return ""
    if the deed must be quoted instead.
    """
    words = deed.rstrip(".!").split()
    is_event = len(words) == 1 and words[0].endswith("ing")
    cause = (named_thing(words) or (words[0].lower() if is_event else "")) if done.endswith(" save") else ""
    return f"{done} against {cause}" if cause else tried_to(book, deed) or _told_purpose(book, deed, done, words)


def _told_purpose(book: Book, deed: str, done: str, words: Sequence[str]) -> str:
    if (who := _character_named(book, words)) is not None:
        joint = "for" if book.player_of(who) else "against"
        return f"{_rolled_or(done)} {joint} {prose_name(book, who)}"
    if (thing := named_thing(words)) and not PLURAL_NOUN.fullmatch(words[-1]):
        return _told_thing(book, thing if thing.startswith(("a ", "an ", "the ")) else f"the {thing}", done)
    if _rolled_or(done) == "rolled" and (named := NAMED_ROLL.fullmatch(deed)):
        return tidied(f"made a {named['name'].lower()} {'save' if named['save'] else 'roll'}")
    if done.endswith(" save") and re.fullmatch("[A-Za-z]+", deed):
        return f"{done} against {deed.lower()}"
    return _told_thing(book, deed, done) if _names_thing(deed) else ""


def _character_named(book: Book, words: Sequence[str]) -> str | None:
    """Return the character if the words are only a name, such as "boss" or "the boss"."""
    name = " ".join(words).lower().removeprefix("the ")
    full = (who for who, text in book.full_names().items() if text.lower().removeprefix("the ") == name)
    return name if name in book.accounts.mark_names(CAST) else next(full, None)


def _told_thing(book: Book, deed: str, done: str) -> str:
    """Return the act `done` with a deed that only names a thing or a place: "made a locks roll for the chest"."""
    first, *rest = deed.rstrip(".!").split()
    thing = with_prose_names(book, " ".join([first.lower(), *rest]))
    purpose = PURPOSE.search(done)
    if purpose and (verb := purpose[purpose.lastindex or 0]) in VERBS - NOUNS:
        return f"tried to {verb} {thing}"
    if first.lower() in MOTION:
        return f"tried to get {thing}"
    did = _rolled_or(done)
    joint = "against" if did.endswith(" save") else "for"
    return f"{did} {joint} {thing}" if first.lower() in DETERMINERS else f"{did} {thing}"


def with_task(book: Book, done: str) -> str:
    """Return the words of an attempt at a task. "Tried to climb out" replaces "worked on the climb out"."""
    found = TASK.search(done)
    tried = found and attempt(with_prose_names(book, found[1] or found[2]))
    if not (found and tried):
        return done
    return f"tried to {tried}" if found[1] else f"{done[: found.start()]}what it would cost to {tried}"


def tried_to(book: Book, deed: str) -> str:
    """Return a deed as "tried to …", with names instead of short names; "" if its grammar is not certain."""
    tried = re.sub("^know ", "remember ", attempt(with_prose_names(book, deed)) or "")
    if refrains := re.fullmatch("(not|never) (to .+)", deed, re.IGNORECASE):
        kept = attempt(with_prose_names(book, refrains[2]))
        return f"tried {refrains[1].lower()} to {kept}" if kept else ""
    if re.match("pretend to ", tried):
        return tried.replace("pretend", "pretended", 1)  # "tried to pretend to be" is hard to hear
    return f"tried to {tried}" if tried else ""


def rolled_clause(book: Book, who: str, total: str, deed: str, done: str = NO_PURPOSE) -> Clause:
    """Return the clause of a roll that has a total, but no success or failure.

    `deed` says what the roll is for. `done` is the act in the game's words.
    """
    if asked := question(deed):
        return Clause(who=who, did=f"rolled {total} to find out {asked}")
    told = _told_deed(book, deed, done)
    if told.startswith(("tried", "pretended")):
        return with_outcome(Clause(who=who, did=told), f"rolled {total}")
    if told.startswith("rolled for "):
        return Clause(who=who, did=f"rolled {total} {told.removeprefix('rolled ')}")
    if re.fullmatch("[A-Za-z]+( damage)?", deed) or (_names_thing(deed) and deed.split(maxsplit=1)[0] in DETERMINERS):
        return Clause(who=who, did=f"rolled {total} for {notation_in_words(deed.rstrip('.!'))}")
    if SHORT_PURPOSE.fullmatch(deed) and after_doing(deed) is None:
        return Clause(who=who, did=f"rolled {total} for \u201c{deed}\u201d")
    return Clause(who=who, did=f"rolled {total}", deed=deed)
