"""The computation of a rule from given values, with strict type checks. Nothing is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ledger import systems
from ledger.errors import BadInput, LedgerError, NotCanonical, Refused, UnknownName, quoted
from ledger.events.canonical import DUPLICATE_FIELD, canonical_json, parse_json, walk
from ledger.events.entry import jsonable
from ledger.reading.validation import sentence_of
from ledger.rules.move import Rule


def rule_names() -> list[str]:
    """Return the names of the rules that `campaign try` knows, game by game."""
    return [rule.name for name in systems.names() for rule in systems.find(name).rulebook().rules]


def rule_of(name: str) -> Rule[..., Any]:
    """Return the rule with this name. Raise `UnknownName` if there is none."""
    system = name.partition(".")[0]
    if systems.is_installed(system):
        for rule in systems.find(system).rulebook().rules:
            if rule.name == name:
                return rule
    raise UnknownName(f"There is no rule called {quoted(name)}.", f"The rules: {', '.join(rule_names())}.")


def rule_outcome(name: str, given: Any) -> dict[str, Any]:
    """Return the result of a rule as a JSON object. Raise `Refused` for inputs that the rule does not take."""
    rule = rule_of(name)
    if not isinstance(given, dict):
        raise Refused(f'Give {rule.name} its values by name, in JSON, such as {{"edge": 2}}.')
    defaults = rule.work.__kwdefaults__ or {}
    inputs = {name: value for name, value in given.items() if value is not None or name not in defaults}
    for where, value in walk(inputs):
        if isinstance(value, float):
            raise Refused(f"{rule.name}: {where!r} must be a whole number.")
        if isinstance(value, dict) and DUPLICATE_FIELD in value:
            raise Refused(f"{rule.name}: you named an input twice.")
    try:
        text = json.dumps(inputs)
        work: Any = rule.work
        result = TypeAdapter(work, config=ConfigDict(strict=True)).validate_json(text)
        facts: dict[str, Any] = jsonable({rule.gives: result} if rule.gives else result)
        canonical_json(facts)
    except NotCanonical as error:
        raise Refused(error.sentence) from None
    except ValidationError as error:
        raise Refused(sentence_of(rule.name, error)) from None
    else:
        return facts


def run_cases(text: bytes) -> str:
    """Compute a JSON list of cases, and return a JSON list of results. A refused case has a `why` in its result."""
    listed = read_json(text)
    if not isinstance(listed, list):
        raise BadInput("The file of cases must be a JSON list. Each case in it has the fields 'rule' and 'given'.")
    return json.dumps([_case_result(case) for case in listed], ensure_ascii=False, indent=1)


def read_json(text: bytes | str) -> Any:
    """Parse JSON. Floats are accepted here; the rules refuse them later. Raise `BadInput` if the text is not JSON."""
    try:
        return parse_json(text, lenient=True)
    except NotCanonical as error:
        raise BadInput(error.sentence) from None


def typed_values(name: str, values: Mapping[str, str]) -> dict[str, Any]:
    """Convert the values of NAME=VALUE words to the types of the rule's parameters.

    A value is a number, a comma-separated list, true, false, null or a name.
    """
    hints = get_type_hints(rule_of(name).work)
    return {key: _value(hints.get(key), text) for key, text in values.items()}


def _case_result(case: Any) -> dict[str, Any]:
    try:
        if not (isinstance(case, dict) and isinstance(case.get("rule"), str)):
            raise Refused("Each case must be a JSON object with 'rule' and 'given'.")
        return rule_outcome(case["rule"], case.get("given", {}))
    except LedgerError as refused:
        return {"refused": True, "why": refused.sentence}


def _value(hint: Any, text: str) -> Any:
    if text in {"true", "false", "null"}:
        return {"true": True, "false": False, "null": None}[text]
    kinds = _types_in(hint)
    if tuple in kinds:
        return [_number_or_text(kinds, part) for part in text.split(",")] if text else []
    return _number_or_text(kinds, text)


def _number_or_text(kinds: set[Any], text: str) -> Any:
    if int in kinds and text.removeprefix("-").isdecimal() and text.isascii():
        return int(text) if len(text) < 20 else text  # noqa: PLR2004  no entry holds a longer number
    return text


def _types_in(hint: Any) -> set[Any]:
    origin = getattr(hint, "__origin__", hint)
    return {origin, hint}.union(*(_types_in(argument) for argument in get_args(hint) if not isinstance(argument, str)))
