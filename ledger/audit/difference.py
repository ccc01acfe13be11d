"""The first difference between a written entry and the entry that its command would write today, as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ledger.errors import with_minus_sign
from ledger.events.canonical import canonical_json, substitute
from ledger.events.commitments import ERASED, CommittedText
from ledger.events.entry import Entry, jsonable
from ledger.events.facts import Header
from ledger.events.types import Consequence, KnockOnFound
from ledger.rules.dice import Pool
from ledger.values import Struct


class Difference(Struct):
    """The first difference between a written action and today's result for it.

    - `seq`: the entry that differs.
    - `says`: a sentence about the difference. It may contain secrets.
    - `masked`: if `says` contains secrets, a sentence without them.
    - `since`: if the entry is a consequence, the number of its ruling.
    """

    seq: int
    says: str
    masked: str = ""
    since: int | None = None


def difference_of(old: Entry | None, new: Entry | None, last: int) -> Difference | None:
    """Compare a written entry with today's result. If `old` is None, the difference is at entry `last`."""
    seq, one, other = last if old is None else old.seq, _facts(old, new), _facts(new, old)
    since = next((entry.cause for entry in (new, old) if entry and isinstance(entry.event, Consequence)), None)
    if one == other:
        return None
    if _entry_in_words(one) == _entry_in_words(other):
        first = min((FIELD_ORDER.get(name, len(FIELD_ORDER)), name) for name in one if one[name] != other[name])[1]
        difference = _different_field(seq, first, one[first], other[first])
    elif since:
        difference = _field_difference(seq, "consequence", _entry_in_words(one), _entry_in_words(other))
    elif old:
        says = f"Under today's rules, this entry of type {one['type']} would not exist."
        difference = Difference(seq=seq, says=says)
    else:
        says = f"An entry is missing here: today's rules would add one of type {other['type']}."
        difference = Difference(seq=seq, says=says)
    return difference.replace(since=since)


def _facts(entry: Entry | None, other: Entry | None) -> dict[str, Any]:
    """Return the fields of `entry` to compare with `other`. A text that is erased in one of the two is `ERASED`."""
    if entry is None:
        return {}
    own, others = _words(entry), _words(other) if other else {}
    body = substitute(entry.body, {field: ERASED for field, text in own.items() if ERASED in {text, others.get(field)}})
    rows = {name: sorted(body[name], key=canonical_json) for name in ("postings", "marks")}
    facts = jsonable(Header._defaults | type(entry.event)._defaults) | body | rows  # older entries may lack new fields
    if other is not None and "inputs" in body:
        facts["inputs"] = _without_unknown(other.body.get("inputs"), body["inputs"])  # a move may get new inputs
    if other is not None and body.get("edition") != other.body.get("edition"):
        if "looked" in body:
            facts["looked"] = _without_unknown(other.body.get("looked"), body["looked"])
        if "settings" in body:
            shared = body["settings"].keys() & other.body.get("settings", {}).keys()  # a new edition may add settings
            facts["settings"] = {name: body["settings"][name] for name in shared}
        if isinstance(entry.event, KnockOnFound):
            facts["says"] = None  # other editions may word a refusal differently
    return {name: value for name, value in facts.items() if name != "edition"}


def _without_unknown(others: Any, own: Any) -> Any:
    """Return `own`, but without fields that `others` lacks and whose value is empty (like 0 or None)."""
    if not isinstance(own, dict):
        return own
    other_fields = others if isinstance(others, dict) else {}
    values = {name: _without_unknown(other_fields.get(name), value) for name, value in own.items()}
    return {name: value for name, value in values.items() if name in other_fields or value}


def _words(entry: Entry) -> dict[str, str]:
    texts = entry.texts or {}
    return {field: texts.get(field, ERASED) for field, kind, _ in entry.committed if kind == CommittedText.KEY}


def _field_difference(seq: int, field: str, old: str, new: str) -> Difference:
    recorded, ruled = f"the {field} '{old}'" if old else f"no {field}", f"'{new}'" if new else "none"
    says = f"The record has {recorded}, but today's rules give {ruled}."
    return Difference(seq=seq, says=says, masked=f"The {field} in the record differs from today's rules.")


def _different_field(seq: int, name: str, old: Any, new: Any) -> Difference:
    match name:
        case "settings":
            return _different_input(seq, f"the setting {_first_different_name(old, new)}")
        case "looked":
            who = _first_different_name(old, new)
            score_name = _first_different_name(old.get(who, {}), new.get(who, {}))
            return _different_input(seq, f"{score_name} of {who}")
        case "dice" if [die["sides"] for die in old] != [die["sides"] for die in new]:
            return _field_difference(
                seq, "roll", *(str(Pool(sides=tuple(die["sides"] for die in dice))) for dice in (old, new))
            )
        case "dice" if _faces_text(old) != _faces_text(new):
            return _field_difference(seq, "roll", _faces_text(old), _faces_text(new))
        case "steps":
            old, new = next(pair for pair in zip_longest(old, new) if pair[0] != pair[1])
    what, in_words = FIELD_WORDS.get(name, (name, _text))
    return _field_difference(seq, what, in_words(old), in_words(new))


def _first_different_name(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    return min((name for name in old.keys() | new.keys() if old.get(name) != new.get(name)), default="something")


def _different_input(seq: int, what: str) -> Difference:
    says = "This ruling used a value for {what} that differs from the record at that time."
    return Difference(seq=seq, says=says.format(what=what), masked=says.format(what="something"))


# The values in words


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else canonical_json(value).decode()


def _entry_in_words(facts: Mapping[str, Any]) -> str:
    if not isinstance(facts.get("facts"), Mapping):
        return str(facts.get("type", ""))
    facts_text = with_minus_sign(", ".join(f"{name} {value}" for name, value in sorted(facts["facts"].items())))
    parts = (
        f"{facts['type']} of {facts['who']}",
        _postings_text(facts["postings"]),
        _marks_text(facts["marks"]),
        facts_text,
    )
    return ", ".join(part for part in parts if part)


def _postings_text(postings: Iterable[Mapping[str, Any]]) -> str:
    return with_minus_sign(
        ", ".join(f"{posting['who']} {posting['score']} {posting['amount']:+d}" for posting in postings)
    )


def _marks_text(marks: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(f"{mark['who']} {mark['name']} = {mark['value']}" for mark in marks)


def _verdict_text(verdict: Mapping[str, Any]) -> str:
    good = {True: "good", False: "bad", None: "neither good nor bad"}[verdict["good"]]
    margin = "" if verdict["margin"] is None else with_minus_sign(f" ({verdict['margin']:+d})")
    return f"{verdict['says']}{margin}, {good}"


def _step_text(step: Mapping[str, Any] | None) -> str:
    if step is None:
        return ""
    pieces = zip_longest(step["says"].split("{}"), map(str, step["numbers"]), fillvalue="")
    return with_minus_sign(f"{step['name']}  {''.join(piece for pair in pieces for piece in pair)}")


def _faces_text(dice: Sequence[Mapping[str, Any]]) -> str:
    return " ".join(str(die["face"]) for die in dice)


def _dropped_dice_text(dice: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(f"die {place} ({die['dropped']})" for place, die in enumerate(dice, start=1) if die["dropped"])


FIELD_WORDS: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "who": ("character", _text),
    "asks": ("question", ", ".join),
    "kind": ("kind of question", _text),
    "verdict": ("verdict", _verdict_text),
    "steps": ("calculation", _step_text),
    "dice": ("list of dropped dice", _dropped_dice_text),
    "addends": ("list of added numbers", lambda addends: with_minus_sign(" + ".join(map(str, addends)))),
    "total": ("sum", _text),
    "postings": ("score change", _postings_text),
    "marks": ("mark", _marks_text),
    "since": ("first affected entry", _text),
}
"""The wording of each field: its name, and a function that puts its value into words. See also `_different_field`."""

FIELD_ORDER = {name: place for place, name in enumerate(dict.fromkeys(("who", "settings", "looked", *FIELD_WORDS)))}
