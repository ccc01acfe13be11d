"""A game's own words for a move in the story: the act, the outcome, and the whole text in the recap."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ledger import systems
from ledger.events import types as events
from ledger.events.commitments import Secret
from ledger.events.entry import Entry
from ledger.events.subjects import CAST
from ledger.journal.book import Book
from ledger.rules.system import Wording
from projections.clauses import NO_PURPOSE, has_no_purpose
from projections.prose import (
    capitalized,
    figures,
    listed,
    notation_in_words,
    number,
    sentence,
    suffering,
    tidied,
    with_period,
)
from projections.prose_names import prose_name
from projections.questions import OpenQuestion
from projections.wording import (
    act_words,
    field_names,
    join_pieces,
    matching_text,
    readable,
    sentence_shown,
    value_text,
    wording_of,
)

WILDCARD_KEY_PATTERN = re.compile(r"\*|\{\w+\}")
"""A pattern for a key of `Wording.story` that matches every verdict."""


def story_words(event: events.MovePlayed) -> str | None:
    """Return the words about a move that follow the character's name in the recap; "" to leave the move out.

    Return `None` if the game has no such text for this verdict.
    """
    wording = wording_of(event.system, event.move)
    if wording is None:
        return None
    uses_did = wording.did and event.verdict.good is not None
    texts = {
        says: text for says, text in wording.story.items() if not (uses_did and WILDCARD_KEY_PATTERN.fullmatch(says))
    }
    return _text_for(event, texts)


def left_out_words(event: events.MovePlayed) -> str:
    """Return the chronicle's words about a move that the recap leaves out; "" if the game has none."""
    wording = wording_of(event.system, event.move)
    return (wording and _text_for(event, wording.left_out)) or ""


def _text_for(event: events.MovePlayed, texts: Mapping[str, str]) -> str | None:
    """Return the text for a move's verdict, with its names and numbers; `None` if no text fits."""
    match = matching_text(texts, event.verdict.says)
    if match is None:
        return None
    text, parts = match
    values = _story_values(event.inputs, (text,))
    values["steps"] = listed(suffering(step.name.replace("-", " ") for step in event.steps))
    return _filled(text, parts or {}, values) if field_names(text) <= {*values, *(parts or ())} else None


def done_words(event: events.MoveEvent) -> str:
    """Return the act of the character, for the recap: "made a stealth roll"."""
    wording = wording_of(event.system, event.move)
    if wording and wording.did:
        did = tidied(join_pieces(wording.did, _story_values(event.inputs, wording.did)))
        return NO_PURPOSE if not did or has_no_purpose(did) else did
    act = act_words(event.system, event.move, event.inputs)
    is_attempt = not isinstance(event, events.MovePlayed) or event.verdict.good is not None
    return tidied(f"made a {act} roll") if is_attempt else f"played {act}"


def outcome_words(event: events.MovePlayed) -> str:
    """Return how an attempt went, for the recap: "failed badly"."""
    says, outcome = event.verdict.says, "succeeded" if event.verdict.good else "failed"
    game = systems.installed(event.system)
    text, parts = (matching_text(game.outcomes, says) if game else None) or ("", None)
    if text:
        return _filled(text, parts or {}, {"outcome": outcome})
    return outcome if says in {"success", "failure"} else f"{outcome}: {sentence_shown(event.system, says)}"


def effect_words(event: events.Consequence) -> str:
    """Return the recap's words for a consequence without a score, such as "suffered six points of damage".

    Return "" for other consequences.
    """
    game = systems.installed(event.system)
    text = game.effects.get(event.kind, "") if game and not event.postings else ""
    facts = {name: event.facts[name] for name in field_names(text)}
    words = text.format_map({name: _story_text(value) for name, value in facts.items()})
    return "" if 0 in facts.values() else tidied(words)


def _story_values(inputs: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, str]:
    values = {name: readable(inputs[name]) for name in field_names(*pieces) if inputs.get(name)}
    return {name: _story_text(value) for name, value in values.items() if not isinstance(value, Secret)}


def _story_text(value: Any) -> str:
    if isinstance(value, list):
        return listed(map(_story_text, value))
    if type(value) is int:
        return number(value)
    return notation_in_words(value_text(value))


def _filled(text: str, parts: Mapping[str, str], values: Mapping[str, str]) -> str:
    as_shown = figures if text.startswith("rolled") else number
    shown = {name: as_shown(int(part)) if part.isdecimal() else part for name, part in parts.items()}
    return re.sub(r"(?<=\. )[a-z]", lambda start: start[0].upper(), tidied(text.format_map({**values, **shown})))


def still_to_choose(who: str, event: events.QuestionAsked) -> str:
    """Return the sentence that says which choice is open: "Mara still has to choose which die to drop." """
    wording = wording_of(event.system, event.move) or Wording()
    return sentence(wording.choice.format(who=who))


def task_in_words(book: Book, task: OpenQuestion) -> str:
    """Return a task on a sheet as a sentence, such as "Mara hit goblin 1, but the damage has not been rolled yet"."""
    who, game = prose_name(book, task.who) if task.name else "the table", systems.installed(task.system or "")
    text, parts = (matching_text(game.tasks, task.says) if game else None) or ("", None)
    if not text:
        return f"{capitalized(who)} still has a task: {with_period(task.says)}"
    shown = {
        name: prose_name(book, part) if part in book.accounts.mark_names(CAST) else part
        for name, part in (parts or {}).items()
    }
    return sentence(text.format(who=who, **shown))


def outcome_as_noun(outcome: str) -> str:
    """Return an outcome as a noun: "a narrow failure" for "narrowly failed". Quote other words.

    >>> outcome_as_noun("succeeded completely"), outcome_as_noun("hit")
    ('a complete success', 'a hit')
    """
    found = OUTCOME_PATTERN.fullmatch(outcome)
    if not found:
        return f"\u201c{outcome}\u201d"
    manner = found["before"] or found["after"]
    return f"a {f'{manner} ' if manner else ''}{OUTCOME_NOUNS[found['verb']]}{found['rest']}"


def result_as_noun(entry: Entry) -> str:
    """Return the result of a roll as a noun, such as "a success"; "" for an entry without a success or failure."""
    match entry.event:
        case events.MovePlayed() as event if event.verdict.good is not None:
            return outcome_as_noun(outcome_words(event))
        case events.DiceCounted(margin=int(margin)):
            return "a success" if margin >= 0 else "a failure"
    return ""


OUTCOME_NOUNS = {"succeeded": "success", "failed": "failure", "hit": "hit", "missed": "miss"}

OUTCOME_PATTERN = re.compile(
    r"(?:(?P<before>\w+)ly )?(?P<verb>succeeded|failed|hit|missed)(?: (?P<after>\w+)ly)?"
    r"(?P<rest>(?: (?:at|by|with) .+|, although .+)?)"
)
"""A pattern for "narrowly failed", "succeeded completely" and "succeeded at a cost"."""
