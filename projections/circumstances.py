"""Circumstances: typed words for a bonus or a penalty, such as "rain", as part of a sentence: "despite the rain"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ledger.commands.play import installed_move
from ledger.events import types as events
from ledger.events.commitments import CommittedText
from ledger.rules.inputs import BONUS
from projections.past_clauses import ARTICLES, clause_in_reason
from projections.reasons import BECAUSE, SUBSTANCES, reason_as_ending
from projections.word_lists import DETERMINERS, PREPOSITIONS, THING_NOUNS
from projections.wording import typed_words

CONDITIONS = SUBSTANCES | frozenset((
    "ambush", "bribe", "cover", "crowd", "current", "dark", "darkness", "daylight", "distance", "drizzle", "fog",
    "gale", "help", "mist", "moonlight", "music", "night", "noise", "storm", "sun", "surprise", "tide", "traffic",
    "waves", "weather", "wound", "wounds",
))  # fmt: skip
"""Words for circumstances that need "the", as in "despite the rain"."""


def circumstances(event: events.MoveEvent) -> str:
    """Return the first circumstance that made a move easier or harder, as text that follows the act; "" without one.

    Skip a circumstance if the grammar of its typed words is not certain.
    """
    return next(filter(None, (_in_words(words, is_help=is_help) for words, is_help in _typed_circumstances(event))), "")


def _typed_circumstances(event: events.MoveEvent) -> Iterator[tuple[str, bool]]:
    """Yield the words for each bonus or penalty of a move, and whether it helps."""
    move = installed_move(event)
    for name in [name for name, field in move.fields().items() if BONUS in field.tags] if move else ():
        value = event.inputs.get(name)
        if isinstance(value, Mapping):
            yield from ((each.replace("-", " "), amount > 0) for each, amount in value.items())
        elif isinstance(value, int) and value:
            yield _typed_text(event.inputs.get("why")), value > 0
    for name, is_help in (("advantage", True), ("disadvantage", False)):
        for words in event.inputs.get(name) or ():
            yield _typed_text(words), is_help


def _typed_text(words: object) -> str:
    return typed_words(words) if isinstance(words, CommittedText) and words.text is not None else ""


def _in_words(words: str, *, is_help: bool) -> str:
    """Return typed words with the words that join them to an act.

    >>> _in_words("rope", is_help=True), _in_words("the rain", is_help=False)
    (' with the help of a rope', ' despite the rain')
    >>> _in_words("dark water", is_help=False), _in_words("their music", is_help=True)
    (' despite the dark water', ' with the help of their music')
    >>> _in_words("the guard is drunk", is_help=False)
    ', although the guard was drunk'
    """
    clause = clause_in_reason(words)
    if clause.startswith("because "):
        return "" if is_help else f", although{clause.removeprefix('because')}"
    plain = words.lower().strip(" .!")
    adjective, _, noun = plain.rpartition(" ")
    is_condition = noun in CONDITIONS - THING_NOUNS and not {adjective} & (ARTICLES | DETERMINERS | PREPOSITIONS)
    is_bare = adjective == "" or adjective.isalpha()  # "dark water"
    thing = f" {BECAUSE} the {plain}" if is_condition and is_bare else reason_as_ending(words) or ""
    if not thing.startswith(f" {BECAUSE} "):
        return ""
    return re.sub(f"^ {BECAUSE}", " with the help of" if is_help else " despite", thing)
