"""D&D Beyond's game log: each roll once, with its dice, and private unless the whole table could see it."""

import json
from typing import Any

import pytest

from ledger.imports.beyond import BeyondReader
from ledger.imports.log_records import ClaimedRoll
from logs import beyond_message, beyond_roll, beyond_set, records, rolls

READER = BeyondReader()
TWO = beyond_roll(17, beyond_set("d20", 14, 6, operation=2), constant=3)


def log(*messages: Any, **more: Any) -> str:
    return json.dumps({"data": list(messages), **more})


def one(message: dict[str, Any]) -> ClaimedRoll:
    (found,) = rolls(records(READER, log(message)))
    return found


def wrong(message: Any) -> str:
    (record,) = records(READER, log(message))
    return record.wrong


def test_a_game_log_is_recognized_by_its_events() -> None:
    assert READER.recognizes(log(beyond_message(TWO)).encode())
    assert READER.recognizes(f'\ufeff{{"lastKey": "x", {log(beyond_message(TWO))[1:]}'.encode())
    assert not READER.recognizes(b'[{"eventType": 1}]')
    assert not READER.recognizes(b'{"guild": {}}')


def test_a_roll_has_its_dice_and_its_total_worked_out_again() -> None:
    found = one(beyond_message(TWO))
    assert (found.id, found.claimed_at, found.exact) == (
        "beyond:6f0d3b52-7c1e-4a9b-8d24-0e5f9a7c1b36:0",
        "2025-03-07T19:42:11.518Z",
        "ms",
    )
    assert (found.user, found.speaker, found.what, found.seen) == ("1001", "Nessa Quill", "Stealth · check", "all")
    assert (found.formula, found.total, found.comes_to, found.natural) == ("2d20kh1+3", "17", "17", True)
    assert [(die.face, die.dropped) for die in found.dice] == [(14, None), (6, "kh1")]


def test_several_rolls_and_several_sets_keep_their_order() -> None:
    damage = beyond_roll(9, beyond_set("d6", 4, 2), beyond_set("d8", 4), constant=-1)
    found = rolls(records(READER, log(beyond_message(TWO, damage))))
    assert [roll.id[-2:] for roll in found] == [":0", ":1"]
    assert (found[1].formula, found[1].comes_to) == ("2d6+1d8-1", "9")


def test_the_lowest_die_counts_with_a_disadvantage() -> None:
    assert one(beyond_message(beyond_roll(6, beyond_set("d20", 14, 6, operation=1)))).comes_to == "6"


def test_a_pending_roll_is_the_same_roll_earlier_and_does_not_count() -> None:
    others = [beyond_message(TWO, eventType=kind) for kind in ("dice/roll/pending", "custom/note")]
    assert rolls(records(READER, log(*others))) == []
    assert len(records(READER, log(*others, lastKey="x"))) == 2


SCOPES: list[tuple[dict[str, Any], str]] = [
    ({"messageScope": "gameId"}, "all"),
    ({"messageScope": "userId", "messageTarget": "1001"}, "whisper"),
    ({"messageScope": "moonId"}, "gm"),
    ({"messageScope": 1}, "gm"),
    ({"messageScope": None}, "gm"),
    ({"data": {"context": {"messageScope": "userId"}, "rolls": [TWO]}}, "whisper"),
    ({"messageScope": None, "data": {"context": {"messageScope": "gameId"}, "rolls": [TWO]}}, "all"),
]


@pytest.mark.parametrize(("more", "seen"), SCOPES)
def test_a_roll_is_private_unless_each_scope_is_the_whole_table(more: dict[str, Any], seen: str) -> None:
    assert one(beyond_message(TWO, **more)).seen == seen


def test_dice_that_only_the_result_has_are_used_if_none_is_missing() -> None:
    bare = {"count": 2, "dieType": "d20", "operation": 2}
    whole = one(beyond_message(beyond_roll(14, bare, result={"total": 14, "values": ["14", 6]})))
    assert ([die.face for die in whole.dice], whole.comes_to) == ([14, 6], "14")
    part = one(beyond_message(beyond_roll(14, bare, result={"total": 14, "values": [14]})))
    assert (part.formula, part.dice, part.total, part.natural) == ("2d20kh1", (), "14", False)


def test_a_roll_with_one_set_without_dice_has_all_dice_of_the_result_or_none() -> None:
    sets = beyond_set("d20", 14), {"count": 1, "dieType": "d6", "operation": 0}
    whole = one(beyond_message(beyond_roll(18, *sets, result={"total": 18, "values": [14, 4]})))
    assert ([(die.sides, die.face) for die in whole.dice], whole.comes_to) == ([(20, 14), (6, 4)], "18")
    part = one(beyond_message(beyond_roll(18, *sets, result={"total": 18, "values": [14]})))
    assert (part.formula, part.dice, part.natural, part.comes_to) == ("1d20+1d6", (), False, None)


def test_a_log_without_sets_keeps_the_formula_it_names() -> None:
    found = one(beyond_message({"diceNotationStr": "2d6+1", "result": {"total": "8"}}))
    assert (found.formula, found.dice, found.total, found.comes_to) == ("2d6+1", (), "8", None)


def test_an_operation_that_is_not_known_keeps_the_dice_as_shown() -> None:
    found = one(beyond_message(beyond_roll(14, beyond_set("d20", 14, 6, operation=7))))
    assert ([die.face for die in found.dice], found.comes_to, found.formula) == ([14, 6], None, "")
    assert found.what == "Stealth · check · 2d20?"


def test_dice_beside_the_formula_are_kept_as_shown() -> None:
    found = one(beyond_message(beyond_roll(14, beyond_set("d20", 14, count=2))))
    assert ([die.face for die in found.dice], found.formula, found.comes_to) == ([14], "2d20", None)


def test_other_dice_than_the_formula_names_are_kept_as_shown() -> None:
    other = beyond_set("d20", dice=[{"dieType": "d6", "dieValue": 4}], count=1)
    found = one(beyond_message(beyond_roll(4, other)))
    assert ([(die.sides, die.face) for die in found.dice], found.comes_to) == ([(6, 4)], None)


def test_a_face_that_its_die_cannot_show_is_only_text() -> None:
    found = one(beyond_message(beyond_roll(25, beyond_set("d20", 25))))
    assert (found.dice, found.natural, found.total, found.what) == ((), False, "25", "Stealth · check · [25]")


def test_a_missing_time_or_total_is_not_guessed() -> None:
    found = one(beyond_message({**TWO, "result": {}}, dateTime=None, userId=None))
    assert (found.claimed_at, found.exact, found.total, found.user) == (None, "none", None, "")


WRONG: list[tuple[Any, str]] = [
    ("x", "it has something else in place of an object"),
    ({"eventType": 1}, "it has no event type"),
    (beyond_message(TWO, id="a b"), "it has no valid id"),
    (beyond_message(TWO, id=1), "it has no valid id"),
    (beyond_message(TWO, dateTime="soon"), "it has something else in place of a whole number"),
    (beyond_message(TWO, dateTime="9" * 41), "it has something else in place of a whole number"),
    (beyond_message(TWO, data=1), "it has something else in place of an object"),
    (beyond_message(TWO, data={"rolls": {}}), "it has something else in place of a list"),
    (beyond_message({**TWO, "result": {"total": "many"}}), "the total is not a number"),
    (beyond_message(beyond_roll(1, beyond_set("die", 1))), "it has a die of an unknown kind"),
    (beyond_message(beyond_roll(1, beyond_set("d6", 1, count=501))), "it has more than 500 dice in one roll"),
    (
        beyond_message(beyond_roll(1, beyond_set("d6", *[1] * 300), beyond_set("d6", *[1] * 300))),
        "it has more than 500",
    ),
]


@pytest.mark.parametrize(("message", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_message_is_named_and_not_quoted(message: Any, says: str) -> None:
    assert wrong(message).startswith(says)


@pytest.mark.parametrize(("event", "kind"), [("dice/roll/pending", "pending"), ("custom/x", "other-event")])
def test_an_event_that_is_not_a_roll_is_counted_by_its_kind(event: str, kind: str) -> None:
    content = {"data": [beyond_message(beyond_roll(3, beyond_set("d6", 3)), eventType=event), beyond_message()]}
    assert [one.left_out for one in records(READER, json.dumps(content))] == [kind, "no-roll"]
