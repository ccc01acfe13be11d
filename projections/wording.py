"""Verdicts, typed words and values of sheets as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ledger import systems
from ledger.errors import with_minus_sign
from ledger.events.commitments import ERASED, CommittedText, Secret

if TYPE_CHECKING:
    from ledger.events.facts import Step, Verdict
    from ledger.events.types import MovePlayed, ScoreAdjusted
    from ledger.rules.system import Wording


CONTINUATION_STARTS = (" ", ",", ";", ":", ".", ")")
"""The first characters of pieces that continue a sentence. Such a piece is left out if no text comes before it."""


def act_words(system: str, move: str, inputs: Mapping[str, Any]) -> str:
    """Describe a move in the game's words. If the game has no words for the move, return the move's name."""
    wording = wording_of(system, move)
    return (wording and join_pieces(wording.act, _input_texts(inputs, wording.act))) or move


def act_inputs(system: str, move: str) -> set[str]:
    """Return the names of the inputs that the description of a move contains."""
    wording = wording_of(system, move)
    return {*field_names(*wording.act)} if wording else set()


def result_words(event: MovePlayed) -> tuple[str, str]:
    """Return a move's verdict and an explanation (total and target), which is "" if the game has none."""
    wording = wording_of(event.system, event.move)
    result_text = join_pieces(wording.result, _texts_for_pieces(event, wording.result)) if wording else ""
    if not result_text:
        return verdict_words(event.system, event.verdict), ""
    return sentence_shown(event.system, event.verdict.says), result_text


def says_what_was_done(event: MovePlayed) -> bool:
    """Return True if the verdict of a move already says what was done, so that the move needs no description."""
    wording = wording_of(event.system, event.move)
    return wording is not None and wording.bare


def shows_dice(event: MovePlayed) -> bool:
    """Return True if the result of a move already includes the dice."""
    wording = wording_of(event.system, event.move)
    return wording is not None and wording.names_dice


def verdict_words(system: str, verdict: Verdict) -> str:
    """Return a verdict as text, with the margin unless the margin is secret."""
    margin = readable(verdict.margin)
    suffix = "" if not isinstance(margin, int) else with_minus_sign(f" ({margin:+d})")
    return f"{sentence_shown(system, verdict.says)}{suffix}"


def sentence_shown(system: str, stored: str) -> str:
    """Replace a stored verdict or step with the game's text for it.

    If the game has no text for the whole sentence, replace the parts between semicolons for which the game has a text.
    """
    game = systems.installed(system)
    if game is None or not game.sentences:
        return stored
    whole = _better_words(system, stored)
    return "; ".join(_better_words(system, part) for part in stored.split("; ")) if whole == stored else whole


@lru_cache(4096)
def _better_words(system: str, stored: str) -> str:
    better, parts = matching_text(systems.find(system).sentences, stored) or (stored, None)
    return better if parts is None else better.format_map(parts)


def matching_text(texts: Mapping[str, str], stored: str) -> tuple[str, dict[str, str] | None] | None:
    """Return the text for a stored sentence, with a map from each `{name}` in the matching key to its words.

    If the sentence itself is a key, the map is `None`. If no key fits, return `None` instead of a pair.
    """
    if stored in texts:
        return texts[stored], None
    alike = (key for key in texts if stored.startswith(re.split(r"[*{]", key, maxsplit=1)[0]))
    matches = ((re.fullmatch(_pattern(key), stored), texts[key]) for key in alike)
    return next(((text, match.groupdict()) for match, text in matches if match), None)


@cache
def _pattern(key: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*|\{\w+\})", key)  # every second piece is a `*` or a `{name}`
    pieces[::2] = map(re.escape, pieces[::2])
    pieces[1::2] = ("[^;]+?" if name == "*" else f"(?P<{name[1:-1]}>[^;]+?)" for name in pieces[1::2])
    return re.compile("".join(pieces))


def score_label(full: str) -> str:
    """Return the game's words for the score or mark with this full name."""
    system, _, name = full.partition("/")
    game = systems.installed(system)
    family, _, own = name.partition(".")
    labels = game.labels if game else {}
    label = labels.get(name) or labels.get(f"{family}.*")
    return label.format(name=own) if label else short_name(full)


def step_text(system: str, step: Step) -> str:
    """Return a line of a calculation with its numbers. A secret becomes "a secret number".

    A forged line (too few numbers, or braces other than `{}`) is returned unchanged.
    """
    pieces = step.says.split("{}")
    if len(pieces) > len(step.numbers) + 1 or any("{" in piece or "}" in piece for piece in pieces):
        return step.says
    numbers = ("a secret number" if isinstance(value, Secret) else str(value) for value in map(readable, step.numbers))
    return sentence_shown(system, step.says).format(*map(with_minus_sign, numbers)).replace("+ −", "− ")


class _StepValue(str):
    """A step as text, such as "3 + 4 = 7". `addends` is the left side, and `sum` the right side."""

    __slots__ = ()

    @property
    def addends(self) -> str:
        return self.rpartition(" = ")[0] or str(self)

    @property
    def sum(self) -> str:
        return self.rpartition(" = ")[2]


def _texts_for_pieces(event: MovePlayed, pieces: Sequence[str]) -> dict[str, str]:
    values, wanted = _input_texts(event.inputs, pieces), field_names(*pieces)
    values |= {step.name: _StepValue(step_text(event.system, step)) for step in event.steps if step.name in wanted}
    dropped = " ".join(die.shown for die in event.dice if die.dropped)
    return values | ({"dropped": dropped} if dropped else {})


def _input_texts(inputs: Mapping[str, Any], pieces: Sequence[str]) -> dict[str, str]:
    return {name: value_text(readable(inputs[name])) for name in field_names(*pieces) if inputs.get(name)}


def join_pieces(pieces: Sequence[str], values: Mapping[str, str]) -> str:
    """Fill in the pieces and join them. Leave out pieces with a missing value. See also `CONTINUATION_STARTS`."""
    text = ""
    for piece in pieces:
        if field_names(piece) <= values.keys() and (text or not piece.startswith(CONTINUATION_STARTS)):
            text += piece.format_map(values)
    return text


@lru_cache(4096)
def field_names(*pieces: str) -> frozenset[str]:
    """Return the names of the fields in pieces of text."""
    fields = (field.partition("}")[0] for piece in pieces for field in piece.split("{")[1:])
    return frozenset(field.partition(".")[0] for field in fields)


def wording_of(system: str, move: str) -> Wording | None:
    """Return a game's description of a move, if there is one."""
    game = systems.installed(system)
    return game.wordings.get(move) if game else None


def typed_words(words: CommittedText) -> str:
    """Return typed words in one line, or a placeholder for erased or secret words."""
    text = readable(words)
    if not isinstance(text, str):
        return ERASED if text is None else "(secret)"
    return " ".join(line.strip() for line in text.replace("\t", " ").splitlines() if line.strip())


def reason_suffix(why: CommittedText | None) -> str:
    """Return ": " and the reason; "" without a reason or after an erasure."""
    return "" if why is None or why.text is None else f": {typed_words(why)}"


def both_names(who: str, name: str) -> str:
    """Return a character's name to show, with the short name to type in parentheses."""
    return who if name in {who, ""} else f"{name} ({who})"


def short_name(full: str) -> str:
    """Return the name of a score or mark without the game."""
    return full.partition("/")[2] or full


TYPE_WORDS = {
    "character-joined": "joined",
    "dice-counted": "roll",
    "energy-lapsed": "unused energy lost",
    "marks-set": "set by hand",
    "note-kept": "note",
    "note-written": "note",
    "scene-set": "scene",
    "score-adjusted": "adjusted by hand",
}


def is_bookkeeping(full: str) -> bool:
    """Return True if only the full sheet shows this score or mark. Return False if the game is not installed."""
    game, _, name = full.partition("/")
    system = systems.installed(game)
    return system is not None and system.is_bookkeeping(name)


def type_words(entry_type: str) -> str:
    """Describe an entry type for people: "edge-spent" becomes "edge spent"."""
    return TYPE_WORDS.get(entry_type, entry_type.replace("-", " "))


def readable(value: Any) -> Any:
    """Replace committed texts and opened secrets with their contents, and erased texts with `None`.

    Keep closed secrets.
    """
    if isinstance(value, Secret):
        return value if value.text is None else value.value
    if isinstance(value, CommittedText):
        return value.text
    if isinstance(value, dict):
        return {name: readable(part) for name, part in value.items()}
    return [readable(part) for part in value] if isinstance(value, list) else value


def value_text(value: Any) -> str:
    """Return a value as text for a sentence. A secret, even an opened one, is "secret"."""
    if value is None or value in ([], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(value_text, value))
    if isinstance(value, Secret):
        return "secret"
    if isinstance(value, dict):
        return ", ".join(f"{name} {value_text(part)}" for name, part in value.items())
    return with_minus_sign(value) if isinstance(value, int) else " ".join(value.split())


def replace_names(names: Mapping[str, str], text: str) -> str:
    """In a text, replace each word that is a key of `names` with the key's value."""
    pattern = rf"(?<![\w-])({'|'.join(names) or '(?!)'})(?![\w-])"
    return re.sub(pattern, lambda match: names[match[1]], text)


def sheet_value_text(value: Any) -> str:
    """Return a value as text for a sheet. `None` is a dash, a bool is "yes" or "no", and a secret is "kept secret"."""
    if value is None:
        return "–"
    if isinstance(value, Secret) or (isinstance(value, dict) and Secret.KEY in value):
        return "kept secret"
    if isinstance(value, dict) and value:
        return ", ".join(f"{name.rpartition('/')[2]} {sheet_value_text(part)}" for name, part in value.items())
    if isinstance(value, list | tuple) and value:
        return ", ".join(map(sheet_value_text, value))
    return value if isinstance(value, str) else value_text(value)


def kept_score_phrases(event: ScoreAdjusted) -> list[str]:
    """Return a phrase such as "edge stays 2" for each score that a change by hand left as it was."""
    return [
        f"{score_label(name)} stays {value_text(to)}" for name, to in event.sets.items() if event.amounts.get(name) == 0
    ]
