"""The rolls in Foundry's chat messages, versions 9 to 14. All Foundry readers use this module.

The rolls of a message are in `rolls` (in version 9: `roll`), in `content`, and in the flags of Monk's TokenBar (an
add-on for Foundry). In `content`, only the data of inline rolls is read, never texts or totals.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from html.parser import HTMLParser
from itertools import zip_longest
from math import fmod
from operator import add, mul, sub
from typing import Any
from urllib.parse import unquote

from ledger.events.facts import CountedDie
from ledger.events.types import RolledBy, Seen
from ledger.imports.claimed_times import from_milliseconds
from ledger.imports.formulas import ParsedRoll, claimed_roll, javascript_number, notation_of
from ledger.imports.log_records import (
    ID_PATTERN,
    LONGEST_ID,
    MOST_DICE,
    NO_ROLL,
    ClaimedRoll,
    LogRecord,
    NoRoll,
    WrongRecord,
    read_record,
)
from ledger.imports.strict_json import DecimalText, parse
from ledger.rules.dice import LEAST_SIDES, MOST_SIDES, die_showing
from ledger.rules.expressions import FATE_SIDES

READER_VERSION = 2
"""The version of all Foundry readers. They share it, because one reader may read rolls that another one imported."""

PUBLIC_MODES = frozenset({"publicroll", "public", "roll", "ic"})
SEEN_BY_MODE: Mapping[str, Seen] = {
    **dict.fromkeys(("gmroll", "gm"), "gm"),
    **dict.fromkeys(("blindroll", "blind"), "blind"),
    **dict.fromkeys(("selfroll", "self"), "self"),
}
MODE_NAMES = frozenset({"rollMode", "rollmode", "messageMode"})
_HIDDEN_PART_PATTERN = re.compile(
    r"<(\w+)\b(?>[^<>]*?\bdata-visibility\s*=(?!\s*[\"']?all\b))[^<>]*+>[^<]*+</\1\s*>", re.IGNORECASE
)
"""A pattern for a part of a text that Foundry shows only to some people, such as the GM's target.

It does not try a tag again from a later attribute, so a tag with many attributes is not slow.
"""
_HIDDEN_MARK_PATTERN = re.compile(
    r"<[^<>]*\b(?:data-visibility\s*=(?!\s*[\"']?all\b)|class\s*=\s*[\"'][^\"']*\bsecret\b)", re.IGNORECASE
)
_JSON_WITH_MODE_PATTERN = re.compile(rf"\s*[{{\[].*({'|'.join(sorted(MODE_NAMES))}|reveal)", re.DOTALL)
TOKEN_BAR = "monks-tokenbar"  # noqa: S105  the name of a module
EMOTE_STYLE = 3
"""The type of an emote, or its style since version 12."""

DEEPEST_NESTING = 20
"""The maximum depth of rolls inside rolls."""

Json = Mapping[str, Any]
DieTerm = tuple[Json, str | None]
"""A term with dice. The second item is `None`, or the reason why no die of the term counts, such as `rerolled`."""


def record_of(message: Any, place: str) -> LogRecord:
    """Return the record of a message with all of its rolls."""
    return read_record(_rolls(message), place)


def _rolls(message: Any) -> Iterator[ClaimedRoll]:
    id_ = message.get("_id") if isinstance(message, dict) else None
    if not isinstance(id_, str) or not ID_PATTERN.fullmatch(id_):
        raise WrongRecord("it has no valid _id")
    found = [*_named_rolls(message)]
    if not found:
        raise NoRoll("emote" if message.get("style", message.get("type")) == EMOTE_STYLE else NO_ROLL)
    if all(roll.get("evaluated") is False for _, _, roll in found):
        raise NoRoll("not-rolled")
    time = from_milliseconds(message.get("timestamp"))
    speaker = message.get("speaker")
    alias = _text(speaker.get("alias")) if isinstance(speaker, dict) else ""
    user = _text(message.get("author") or message.get("user"))
    seen = _seen(message, [roll for _, _, roll in found])
    for name, character, roll in found:
        if roll.get("evaluated") is False:
            continue
        roll_id = f"foundry:{id_}:{name}"
        if len(roll_id) > LONGEST_ID:
            raise WrongRecord("it has a name that is too long")
        formula = _text(roll.get("formula"))
        known, rest = (formula, "") if notation_of(formula) else ("", formula)
        terms = [*_die_terms(roll)]
        dice, faces = _dice(terms)
        yield claimed_roll(
            roll_id,
            time,
            ParsedRoll(known, dice, _number_text(_sum_of_terms(roll.get("terms"))), f"{rest} {faces}".strip()),
            _HIDDEN_PART_PATTERN.sub("", _text(message.get("flavor"))),
            seen=seen,
            user=user,
            speaker=character or alias,
            total=_total(roll.get("total")),
            thrown=_rolled_by(terms),
        )


def _named_rolls(message: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield each roll of a message once: its name in the message, the name of its character or "", and the roll."""
    in_flags = [*_token_rolls(message)]
    copies = Counter(_as_text(roll) for _, _, roll in in_flags)
    for place, typed in enumerate(_listed_rolls(message)):
        roll = _roll_object(typed)
        if copies and copies[text := _as_text(roll)]:
            copies[text] -= 1
        else:
            yield str(place), "", roll
    yield from in_flags
    content = message.get("content")
    for place, text in enumerate(_inline_rolls(content) if isinstance(content, str) else ()):
        yield f"inline:{place}", "", _roll_object(text)


def _as_text(roll: Json) -> str:
    """Return the same text for equal rolls."""
    return json.dumps(roll, sort_keys=True)


def _listed_rolls(message: Json) -> Sequence[Any]:
    """Return the rolls that a message lists.

    A message of version 9 has one roll, in `roll` instead of `rolls`.
    """
    rolls, single = message.get("rolls"), message.get("roll")
    if isinstance(rolls, list) and rolls:
        return rolls
    return [single] if isinstance(single, str | dict) and single else []


def _token_rolls(message: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield the rolls that Monk's TokenBar keeps in a message. Skip tokens that have not rolled yet."""
    flags = message.get("flags")
    bar = _read_text(flags.get(TOKEN_BAR)) if isinstance(flags, dict) else None
    members = bar.items() if isinstance(bar, dict) else [("", bar)]
    for name, token in ((name, _read_text(value)) for name, value in members):
        if isinstance(token, dict) and name.startswith("token") and token.get("roll"):
            if not ID_PATTERN.fullmatch(name):
                raise WrongRecord("it has a token without a valid id")
            yield name, _text(token.get("name")), _roll_object(token["roll"])
        elif _has_roll(token):
            raise WrongRecord("it has a roll of Monk's TokenBar in a form that is not known")


def _has_roll(value: Any) -> bool:
    """Return True if a value is a roll, or has one anywhere inside it."""
    values = [value]
    for each in map(_read_text, values):  # the list grows
        if isinstance(each, dict):
            if "terms" in each and "total" in each:
                return True
            values += each.values()
        elif isinstance(each, list):
            values += each
    return False


def _read_text(value: Any) -> Any:
    """Return the value of a JSON text that may have rolls. Return any other value as it is."""
    is_json = isinstance(value, str) and value.lstrip()[:1] in {"{", "["} and "terms" in value
    return parse(value) if is_json else value


class _InlineRolls(HTMLParser):
    """A reader of HTML that collects the data of inline rolls. Inline rolls without a result are only buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if {"inline-roll", "inline-result"} <= {*values.get("class", "").split()} and "data-roll" in values:
            self.found.append(unquote(values["data-roll"]))

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Skip `<![…>` as browsers do. The inherited method raises an error for most of them."""
        return self.parse_bogus_comment(i, report=False)


def _inline_rolls(content: str) -> Sequence[str]:
    html = _InlineRolls()
    if "inline-result" in content:
        html.feed(content)
    return html.found


# Secrets


def _seen(message: Json, rolls: Sequence[Json]) -> Seen:
    """Return the kind of people who could see a message.

    One sign of a private message is enough. A hidden part that cannot be cut out of the text is a sign, too.
    """
    private = [mode for mode in _modes(message, rolls) if not (isinstance(mode, str) and mode in PUBLIC_MODES)]
    if message.get("blind") or "blindroll" in private or "blind" in private:
        return "blind"
    if private:
        return SEEN_BY_MODE.get(str(private[0]), "gm")
    flavor, content = _HIDDEN_PART_PATTERN.sub("", _text(message.get("flavor"))), _text(message.get("content"))
    if _HIDDEN_MARK_PATTERN.search(flavor) or ("inline-result" in content and _HIDDEN_MARK_PATTERN.search(content)):
        return "gm"
    return "whisper" if message.get("whisper") else "all"


def _modes(message: Json, rolls: Sequence[Json]) -> Iterator[Any]:
    """Yield the roll modes in a message, at any depth and also in JSON texts. `reveal: false` means the mode "gm".

    Skip missing modes and None. For a JSON text that may have a mode, but cannot be read, yield "gm", too.
    """
    listed = _listed_rolls(message)  # these are among the rolls
    values: list[Any] = [*rolls, {name: value for name, value in message.items() if value is not listed}]
    for value in values:  # the list grows
        kind = type(value)  # much faster than isinstance, and JSON has no other types of lists and objects
        if kind is dict:
            if not MODE_NAMES.isdisjoint(value):
                yield from (mode for name, mode in value.items() if name in MODE_NAMES and mode is not None)
            if value.get("reveal") is False:
                yield "gm"
            values += value.values()
        elif kind is list:
            values += value
        elif kind is str and _JSON_WITH_MODE_PATTERN.match(value):
            try:
                values.append(parse(value))
            except WrongRecord:
                yield "gm"


# Dice


def _dice(terms: Sequence[DieTerm]) -> tuple[tuple[CountedDie, ...], str]:
    """Return the dice of the terms, and a text to show in place of the dice.

    If each die can show its face, the text is "". Otherwise, there are no dice, and the text lists all faces.
    """
    shown = [(term, result, dropped) for term, dropped in terms for result in map(_object, term["results"])]
    if len(shown) > MOST_DICE:
        raise WrongRecord(f"it has more than {MOST_DICE} dice in one roll")
    dice = [_counted_die(*each) for each in shown]
    if None in dice:
        faces = (result.get("result") for _, result, _ in shown)
        return (), f"[{' '.join(str(face) if isinstance(face, int | str) else '?' for face in faces)}]"
    return tuple(filter(None, dice)), ""


def _counted_die(term: Json, result: Json, dropped: str | None) -> CountedDie | None:
    """Return a die with its face, or None if a die of this kind cannot show it."""
    sides, face = term["faces"], result.get("result")
    if type(sides) is not int or type(face) is not int or not LEAST_SIDES <= sides <= MOST_SIDES:
        return None
    is_fate = term.get("class") == "FateDie"
    face += 2 if is_fate else 0  # −1 is the face 1
    is_possible = 1 <= face <= sides and not (is_fate and sides != FATE_SIDES)
    return _die(sides, face, _drop_reason(result) or dropped) if is_possible else None


@lru_cache(4096)  # a file has few different dice, so this saves much memory
def _die(sides: int, face: int, dropped: str | None) -> CountedDie:
    return die_showing(sides, face).replace(dropped=dropped)


def _drop_reason(result: Json) -> str | None:
    for word in ("discarded", "rerolled"):
        if result.get(word):
            return word
    return "inactive" if result.get("active") is False else None


def _die_terms(roll: Json, dropped: str | None = None, depth: int = 0) -> Iterator[DieTerm]:
    """Yield the terms with dice in a roll, and in the rolls inside it, such as the rolls of a pool.

    If a pool drops a roll, all dice of this roll are dropped: `dropped` is the reason. Inner rolls may be JSON texts.
    """
    if depth > DEEPEST_NESTING:
        raise WrongRecord("it has too many rolls inside each other")
    for term in _terms(roll):
        results = _list(term.get("results"))
        if "faces" in term and isinstance(term.get("results"), list):
            yield term, dropped
        inner = (*_list(term.get("rolls")), *([term["roll"]] if term.get("roll") else []))
        words = [_drop_reason(_object(result)) for result in results[: len(inner)]]
        for each, word in zip_longest(map(_roll_object, inner), words):
            yield from _die_terms(each, word or dropped, depth + 1)


def _terms(roll: Json) -> Iterator[Json]:
    return map(_object, (*_list(roll.get("terms")), *_list(roll.get("dice"))))


def _rolled_by(terms: Sequence[DieTerm]) -> RolledBy:
    methods = {term.get("method") or "" for term, _ in terms if isinstance(term.get("method", ""), str)}
    return "manual" if "manual" in methods else "unknown" if methods - {""} else "machine"


# Totals

_OPERATORS = {"+": add, "-": sub, "*": mul, "/": lambda left, right: left / right, "%": fmod}


def _sum_of_terms(terms: Any) -> float | None:
    """Work out the total from the terms, as Foundry does; None if a term is not known."""
    values: list[float] = []
    operators: list[str] = []
    sign = 1.0
    for term in map(_object, _list(terms)):
        operator = term.get("operator")
        if isinstance(operator, str) and operator in _OPERATORS:
            if len(values) == len(operators):  # no number is between this operator and the last one
                sign = -sign if operator == "-" else sign
            else:
                operators.append(operator)
            continue
        value = _value(term)
        if value is None or len(values) != len(operators):
            return None
        values.append(sign * value)
        sign = 1.0
        if operators and operators[-1] in {"*", "/", "%"}:
            right, left = values.pop(), values.pop()
            try:
                values.append(_OPERATORS[operators.pop()](left, right))
            except (ZeroDivisionError, ValueError, OverflowError):
                return None
    if not values or len(values) != len(operators) + 1:
        return None
    total = values[0]
    for operator, value in zip(operators, values[1:], strict=True):
        total = _OPERATORS[operator](total, value)
    return total


def _value(term: Json) -> float | None:
    """Return a term's value: its number, or the total of its results that count.

    Return None if it has neither.
    """
    if "number" in term and "faces" not in term and "results" not in term:
        return _float(term["number"])
    total = 0.0
    for result in map(_object, _list(term["results"])) if isinstance(term.get("results"), list) else ():
        if result.get("active") is not False:
            value = _float(result.get("result") if result.get("count") is None else result["count"])
            if value is None:
                return None
            total += value
    return total if isinstance(term.get("results"), list) else None


# Values of the file


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise WrongRecord("it has a roll that is not an object")
    return value


def _roll_object(roll: Any) -> Json:
    """Return a roll as an object. In the file, the roll may be a JSON text."""
    return _object(parse(roll) if isinstance(roll, str) else roll)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str) else ""


def _float(value: Any) -> float | None:
    return float(value) if type(value) in {int, DecimalText} else None


def _number_text(value: float | None) -> str | None:
    return None if value is None else javascript_number(value)


def _total(value: Any) -> str | None:
    return _number_text(_float(value))
