"""The reader of D&D Beyond's game log: answers of its site, saved as JSON.

The site has no export. Only the event `dice/roll/fulfilled` is read: `dice/roll/pending` announces the same roll.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from ledger.events.types import Seen
from ledger.imports.claimed_times import NO_TIME, from_milliseconds
from ledger.imports.formulas import ShownDie, claimed_roll, read_roll
from ledger.imports.log_records import (
    ID_PATTERN,
    LONGEST_NUMBER,
    MOST_DICE,
    ClaimedRoll,
    LogRecord,
    NoRoll,
    ReadingOptions,
    WrongRecord,
    read_record,
    shortest_decimal,
    starts_with,
)
from ledger.imports.strict_json import as_object, as_objects, as_text, read_members

ROLL_EVENT_TYPE = "dice/roll/fulfilled"
PENDING_EVENT_TYPE = "dice/roll/pending"
Json = Mapping[str, Any]
SCOPES: Mapping[str, Seen] = {"gameId": "all", "userId": "whisper"}
"""The people who can see a message, by its scope. Any other scope, or none, is private."""

OPERATIONS: Mapping[object, str] = {0: "", 1: "kl1", 2: "kh1"}
_DIE_PATTERN = re.compile(r"d([0-9]{1,4})")
_WHOLE_NUMBER_PATTERN = re.compile(r"-?[0-9]+")


class BeyondReader:
    """The reader of D&D Beyond's game log."""

    form = "beyond"
    title = "D&D Beyond's game log"
    version = 2

    def recognizes(self, start: bytes) -> bool:
        return starts_with(start, rb"\{") and b'"eventType"' in start

    def records(self, stream: BinaryIO, options: ReadingOptions) -> Iterator[LogRecord]:
        messages = (item for name, item in read_members(stream, "data") if name == "data")
        for number, message in enumerate(messages, 1):
            yield read_record(_rolls(message), f"message {number}")


def _rolls(item: Any) -> Iterator[ClaimedRoll]:
    message = as_object(item)
    if not isinstance(message.get("eventType"), str):
        raise WrongRecord("it has no event type")
    if message["eventType"] != ROLL_EVENT_TYPE:
        raise NoRoll("pending" if message["eventType"] == PENDING_EVENT_TYPE else "other-event")
    identity = message.get("id")
    if not isinstance(identity, str) or not ID_PATTERN.fullmatch(identity):
        raise WrongRecord("it has no valid id")
    date = message.get("dateTime")
    time = NO_TIME if date is None else from_milliseconds(_whole(date))
    data = as_object(message.get("data"))
    context = as_object(data.get("context"))
    user = message.get("userId")
    for place, roll in enumerate(as_objects(data.get("rolls"))):
        result = as_object(roll.get("result"))
        read = read_roll(*_formula_and_dice(roll, result.get("values")))
        total = result.get("total")
        yield claimed_roll(
            f"beyond:{identity}:{place}",
            time,
            read,
            as_text(data.get("action")),
            as_text(roll.get("rollType")),
            seen=_seen(message, context),
            user=str(user) if isinstance(user, str | int) else "",
            speaker=as_text(context.get("name")),
            total=None if total is None else shortest_decimal(str(total)),
        )


def _seen(message: Json, context: Json) -> Seen:
    scopes = [each["messageScope"] for each in (message, context) if each.get("messageScope") is not None]
    kinds = [SCOPES.get(scope, "gm") if isinstance(scope, str) else "gm" for scope in scopes] or ["gm"]
    return next((kind for kind in kinds if kind != "all"), "all")


def _formula_and_dice(roll: Json, values: Any) -> tuple[str, tuple[ShownDie, ...]]:
    """Return the formula and the dice of a roll.

    If a set of dice lacks its list of dice, take all faces from `values`. If `values` has another number of faces,
    return no dice.
    """
    notation = as_object(roll.get("diceNotation"))
    terms, kinds, shown, is_whole = list[str](), list[int](), list[ShownDie](), True
    for dice_set in as_objects(notation.get("set")):
        sides, dice = _sides(dice_set), as_objects(dice_set.get("dice"))
        shown += [ShownDie(_sides(die) if "dieType" in die else sides, _whole(die.get("dieValue"))) for die in dice]
        count, operation = _whole(dice_set.get("count", len(dice))), dice_set.get("operation", 0)
        if not 0 <= count <= MOST_DICE:
            raise WrongRecord(f"it has more than {MOST_DICE} dice in one roll")
        kinds += [sides] * count
        is_whole &= bool(dice) or not count
        terms.append(f"{count}d{sides}{OPERATIONS.get(operation, '?') if type(operation) is int else '?'}")
    if not is_whole:
        shown = []
        if isinstance(values, list) and len(values) == len(kinds) <= MOST_DICE:
            shown = [ShownDie(sides, _whole(value)) for sides, value in zip(kinds, values, strict=True)]
    constant = _whole(notation.get("constant") or 0)
    if not terms:
        return as_text(roll.get("diceNotationStr")), tuple(shown)
    return f"{'+'.join(terms)}{f'{constant:+}' if constant else ''}", tuple(shown)


# Values of the file


def _sides(die: Json) -> int:
    found = _DIE_PATTERN.fullmatch(as_text(die.get("dieType")))
    if found is None:
        raise WrongRecord("it has a die of an unknown kind")
    return int(found[1])


def _whole(value: Any) -> int:
    text = str(value) if type(value) in {int, str} else ""
    if len(text) > LONGEST_NUMBER or not _WHOLE_NUMBER_PATTERN.fullmatch(text):
        raise WrongRecord("it has something else in place of a whole number")
    return int(text)
