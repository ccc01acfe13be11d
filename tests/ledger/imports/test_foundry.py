"""Foundry's chat messages: every die once, nothing claimed that the file cannot show, and secrets by default."""

import json
from html import escape
from time import process_time
from typing import Any
from urllib.parse import quote

import pytest

from ledger.imports.foundry_list import FoundryListReader
from ledger.imports.log_records import ClaimedRoll
from logs import KEPT, die, message, number, records, roll, rolls, sign

READER = FoundryListReader()
PLAIN = roll("1d20 + 3", 17, die(20, 14), sign("+"), number(3))


def read(*messages: dict[str, Any]) -> list[ClaimedRoll]:
    return rolls(records(READER, json.dumps(messages)))


def wrong(*messages: Any) -> list[str]:
    return [record.wrong for record in records(READER, json.dumps(messages))]


def faces(claimed: ClaimedRoll) -> list[tuple[int, int, str | None]]:
    return [(each.sides, each.face, each.dropped) for each in claimed.dice]


def test_a_list_of_messages_is_recognized() -> None:
    assert READER.recognizes((KEPT / "messages.json").read_bytes())
    assert not READER.recognizes(b'{"_id": 1}')
    assert not READER.recognizes(b'[{"id": 1}]')


def test_the_messages_of_a_file_become_rolls() -> None:
    first, private, floor = rolls(records(READER, (KEPT / "messages.json").read_bytes()))
    assert (first.id, first.claimed_at, first.exact) == ("foundry:q7Rk2TnVb0Xw9LsE:0", "2025-03-07T19:42:11.518Z", "ms")
    assert (first.user, first.speaker, first.what) == ("Ub4GmZ8yPd1HsKfA", "Nessa Quill", "Listen at the door")
    assert (first.formula, first.total, first.comes_to, first.natural, first.thrown) == (
        "2d20kh + 3",
        "17",
        "17",
        True,
        "machine",
    )
    assert faces(first) == [(20, 6, "discarded"), (20, 14, None)]
    assert private.seen == "gm"
    assert faces(floor) == [(4, 1, None), (4, 3, None), (4, 2, None)], "they are only in roll.dice"


def test_version_9_has_one_roll_as_a_text() -> None:
    assert read(message(roll=json.dumps(PLAIN), rolls=None))[0].total == "17"


def test_version_12_names_its_author() -> None:
    assert read(message(PLAIN, author="Author0000000000", user=None))[0].user == "Author0000000000"


def test_a_coin_is_a_die_with_two_sides() -> None:
    assert faces(*read(message(roll("1dc", 1, die(2, 1))))) == [(2, 1, None)]


def test_a_message_may_have_several_rolls() -> None:
    assert [claimed.id[-2:] for claimed in read(message(PLAIN, PLAIN))] == [":0", ":1"]


def test_a_message_without_a_time_or_a_speaker_has_none() -> None:
    (claimed,) = read(message(PLAIN, timestamp=None, speaker=[]))
    assert (claimed.claimed_at, claimed.exact, claimed.speaker) == (None, "none", "")


def test_a_roll_that_was_never_rolled_is_left_out() -> None:
    assert read(message({**PLAIN, "evaluated": False})) == []


def test_a_part_of_the_text_that_only_some_people_may_see_is_left_out() -> None:
    flavor = 'Strike <span data-visibility="gm">DC 23</span> <b data-visibility="all">hits</b>'
    (claimed,) = read(message(PLAIN, flavor=flavor, content='<p data-visibility="gm">card</p>'))
    assert claimed.seen == "all"
    assert claimed.what.replace("  ", " ") == 'Strike <b data-visibility="all">hits</b>'


def test_a_message_with_thousands_of_token_rolls_takes_little_time() -> None:
    bar = {f"token{number}": {"name": "Nessa", "roll": {**PLAIN, "total": number}} for number in range(6_000)}
    others = [{**PLAIN, "total": -number} for number in range(1, 6_001)]
    before = process_time()
    assert len(read(message(*others, flags={"monks-tokenbar": bar}))) == 12_000
    assert process_time() - before < 5


@pytest.mark.parametrize("end", ["", ">", "></b>"])
def test_a_tag_with_many_hidden_marks_takes_little_time(end: str) -> None:
    before = process_time()
    assert len(read(message(PLAIN, flavor="<a " + "data-visibility=x " * 20_000 + end))) == 1
    assert process_time() - before < 2


SECRETS: dict[str, tuple[dict[str, Any], str]] = {
    "a whisper": ({"whisper": ["Gm7KtX2wVs5LbNhE"]}, "whisper"),
    "a blind roll": ({"blind": True}, "blind"),
    "a mode in a flag": ({"flags": {"mod": {"rollMode": "blindroll"}}}, "blind"),
    "a mode deep in a flag": ({"flags": {"mod": [{"x": {"messageMode": "selfroll"}}]}}, "self"),
    "a mode that nobody knows": ({"flags": {"mod": {"rollmode": "friends"}}}, "gm"),
    "a mode that is no text": ({"flags": {"mod": {"rollmode": 7}}}, "gm"),
    "a mode of the message": ({"rollMode": "gmroll"}, "gm"),
    "a mode of the system": ({"system": {"rollMode": "selfroll"}}, "self"),
    "a mode in a text in a flag": (
        {"flags": {"mod": {"roll": json.dumps({"text": '{"rollMode": "blindroll"}'})}}},
        "blind",
    ),
    "a text with a mode that cannot be read": ({"flags": {"mod": '[{"rollMode": '}}, "gm"),
    "a hidden part with parts of its own": ({"flavor": '<p data-visibility="gm">DC <b>23</b></p>'}, "gm"),
    "an inline roll in a secret": ({"content": '<p class="a secret"><a class="inline-result">9</a></p>'}, "gm"),
    "a flag that is not revealed": ({"flags": {"mod": {"reveal": False}}}, "gm"),
}


@pytest.mark.parametrize("what", SECRETS)
def test_a_roll_is_private_if_anything_says_so(what: str) -> None:
    more, seen = SECRETS[what]
    assert read(message(PLAIN, **more))[0].seen == seen


@pytest.mark.parametrize("mode", ["gm", "gmroll", "blind", "blindroll", "self", "selfroll", "publicroll2", ""])
def test_a_mode_in_the_options_that_is_not_public_is_private(mode: str) -> None:
    assert read(message({**PLAIN, "options": {"rollMode": mode}}))[0].seen != "all"


@pytest.mark.parametrize("mode", ["publicroll", "public", "roll", "ic", None])
def test_a_public_mode_is_public(mode: str | None) -> None:
    assert read(message({**PLAIN, "options": {"rollMode": mode, "defaultRollMode": "gmroll"}}))[0].seen == "all"


def test_a_mode_of_a_roll_inside_a_pool_is_private_also_if_the_roll_is_a_text() -> None:
    inner = {**PLAIN, "options": {"rollMode": "blindroll"}}
    for inside in (inner, json.dumps(inner)):
        assert read(message(roll("{1d20}", 14, {"class": "PoolTerm", "rolls": [inside]})))[0].seen == "blind"


def test_a_hidden_die_is_no_secret() -> None:
    shown = {"result": 14, "active": True, "hidden": True, "indexThrow": 0}
    assert read(message(roll("1d20", 14, die(20, shown))))[0].seen == "all"


def test_rolls_of_the_token_bar_count_once() -> None:
    token = {"name": "Nessa Quill", "reveal": True, "roll": PLAIN}
    flags = {"monks-tokenbar": {"dc": 15, "tokenVx3nB8qLs0Ym2RtW": token, "tokenBz8kC1pDf6Hj4WvQ": {"name": "Orrin"}}}
    for rolled in ((), (PLAIN,)):
        (claimed,) = read(message(*rolled, flags=flags, speaker={"alias": ""}))
        assert (claimed.id, claimed.speaker) == ("foundry:q7Rk2TnVb0Xw9LsE:tokenVx3nB8qLs0Ym2RtW", "Nessa Quill")


@pytest.mark.parametrize(
    "is_text", [(True, False, False), (False, True, False), (False, False, True), (True, True, True)]
)
def test_rolls_of_the_token_bar_may_be_texts(is_text: tuple[bool, bool, bool]) -> None:
    value: Any = PLAIN
    for name, is_json in zip(("roll", "tokenA", "monks-tokenbar"), is_text, strict=True):
        value = {name: json.dumps(value) if is_json else value, "name": "Nessa"}
    assert [(each.id[-7:], each.total) for each in read(message(flags=value))] == [(":tokenA", "17")]


@pytest.mark.parametrize(
    "bar", [None, {"token": {"roll": None}, "tokenA": {"roll": {}}, "tokenB": "terms", "x": [7], "y": "[/r]"}]
)
def test_a_token_that_was_only_asked_has_no_roll(bar: Any) -> None:
    assert read(message(flags={"monks-tokenbar": bar})) == []


@pytest.mark.parametrize(
    "bar",
    [
        {"rolls": [{"x": PLAIN}]},
        [{"id": "tokenA", "roll": PLAIN}],
        {"tokenA": {"rolled": PLAIN}},
        {"tokenA": [json.dumps(PLAIN)]},
        {"actor": {"roll": PLAIN}},
        json.dumps([PLAIN]),
    ],
)
def test_a_roll_of_the_token_bar_in_an_unknown_form_is_named(bar: Any) -> None:
    assert wrong(message(PLAIN, flags={"monks-tokenbar": bar})) == [
        "it has a roll of Monk's TokenBar in a form that is not known"
    ]


@pytest.mark.parametrize("rolled", [17, "17", [PLAIN], True])
def test_a_roll_of_a_token_that_is_not_an_object_is_named(rolled: Any) -> None:
    assert wrong(message(flags={"monks-tokenbar": {"tokenA": {"roll": rolled}}})) == [
        "it has a roll that is not an object"
    ]


def test_only_a_rolled_inline_roll_counts() -> None:
    data = escape(quote(json.dumps(PLAIN)))
    content = f'<a class="inline-roll roll" data-roll="{data}"></a><a class="inline-roll inline-result" data-roll="{data}">17</a>'
    assert [claimed.id for claimed in read(message(content=content))] == ["foundry:q7Rk2TnVb0Xw9LsE:inline:0"]


def test_dropped_rerolled_and_exploded_dice_are_kept() -> None:
    shown: list[Any] = [
        {"result": 1, "active": False, "rerolled": True},
        {"result": 6, "active": True, "exploded": True},
        2,
    ]
    (claimed,) = read(message(roll("2d6r1x6", 8, die(6, *shown, {"result": 3, "active": False}))))
    assert faces(claimed) == [(6, 1, "rerolled"), (6, 6, None), (6, 2, None), (6, 3, "inactive")]
    assert claimed.comes_to == "8"


def test_dice_in_pools_and_parentheses_are_found() -> None:
    inner = roll("1d6", 4, die(6, 4))
    pool = {
        "class": "PoolTerm",
        "rolls": [inner, json.dumps(inner)],
        "results": [{"result": 4, "active": True}, {"result": 4, "active": False}],
    }
    (claimed,) = read(message(roll("{1d6,1d6}kh", 4, pool, sign("+"), {"class": "ParentheticalTerm", "roll": inner})))
    assert len(claimed.dice) == 3
    assert claimed.comes_to is None, "the value of parentheses is not in the file"


def test_all_dice_of_a_roll_that_a_pool_drops_are_dropped() -> None:
    parts = [roll("1d6", 3, die(6, 3)), roll("2d8", 7, die(8, 7, {"result": 1, "active": False, "rerolled": True}))]
    results = [{"result": 3, "active": False, "discarded": True}, {"result": 7, "active": True}]
    pool = {"class": "PoolTerm", "rolls": parts, "results": results}
    (claimed,) = read(message(roll("{1d6,2d8r1}kh", 7, pool)))
    assert faces(claimed) == [(6, 3, "discarded"), (8, 7, None), (8, 1, "rerolled")]
    outer = {
        "class": "PoolTerm",
        "rolls": [roll("{1d6,2d8r1}kh", 7, pool)],
        "results": [{"result": 7, "active": False}],
    }
    (claimed,) = read(message(roll("{{1d6,2d8r1}kh}kl", 0, outer)))
    assert faces(claimed) == [(6, 3, "discarded"), (8, 7, "inactive"), (8, 1, "rerolled")]


def test_fate_dice_have_our_faces() -> None:
    (claimed,) = read(message(roll("4dF", 0, die(3, -1, 0, 1, 0, **{"class": "FateDie"}))))
    assert [face for _, face, _ in faces(claimed)] == [1, 2, 3, 2]
    assert claimed.comes_to == "0"


def test_the_faces_of_dice_that_cannot_be_kept_are_kept_as_words() -> None:
    coin = die(2, 0, **{"class": "Coin"})
    (claimed,) = read(message(roll("1d20 + 1dc", 8, die(20, 8, {"active": True}), sign("+"), coin)))
    assert (claimed.dice, claimed.natural) == ((), False)
    assert claimed.what == "Listen · 1d20 + 1dc [8 ? 0]"


def test_a_roll_without_dice_has_no_faces() -> None:
    assert read(message(roll("3", 3, number(3))))[0].what == "Listen · 3"


UNNATURAL = [
    die(6, 0),
    die(6, 7),
    die(1, 1),
    die(2000, 5),
    die(6, {"result": "4", "active": True}),
    die(4, 1, **{"class": "FateDie"}),
]


@pytest.mark.parametrize("term", UNNATURAL)
def test_faces_that_a_die_cannot_show_are_not_kept(term: dict[str, Any]) -> None:
    (claimed,) = read(message(roll("1d6", 1, term)))
    assert (claimed.dice, claimed.natural, claimed.total) == ((), False, "1")


METHODS = {"manual": "manual", "": "machine", "chessex": "unknown"}


@pytest.mark.parametrize("method", METHODS)
def test_a_person_who_typed_the_faces_is_told(method: str) -> None:
    assert read(message(roll("1d6", 1, die(6, 1, method=method))))[0].thrown == METHODS[method]


TOTALS: dict[str, tuple[list[dict[str, Any]], str | None]] = {
    "precedence": ([number(2), sign("+"), die(6, 3), sign("*"), number(4)], "14"),
    "from the left": ([number(10), sign("-"), number(4), sign("-"), number(3)], "3"),
    "two signs": ([sign("-"), number(2), sign("+"), sign("-"), number(3)], "-5"),
    "a decimal": ([number(18), sign("+"), number(0.12)], "18.12"),
    "division": ([number(7), sign("/"), number(2)], "3.5"),
    "remainder": ([sign("-"), number(7), sign("%"), number(4)], "-3"),
    "by zero": ([number(7), sign("/"), number(0)], None),
    "too large": ([number(9e15), sign("*"), number(9e15)], None),
    "counted successes": (
        [die(6, {"result": 5, "active": True, "count": 1}, {"result": 2, "active": True, "count": 0})],
        "1",
    ),
    "an unknown term": ([{"class": "StringTerm", "term": "x"}], None),
    "an unknown face": ([die(6, {"active": True})], None),
    "two numbers": ([number(1), number(2)], None),
    "an operator at the end": ([number(1), sign("+")], None),
    "nothing": ([], None),
}


@pytest.mark.parametrize("what", TOTALS)
def test_a_total_is_worked_out_from_its_terms(what: str) -> None:
    terms, comes_to = TOTALS[what]
    assert read(message(roll("1d6", 1, *terms)))[0].comes_to == comes_to


@pytest.mark.parametrize(("total", "kept"), [("7", None), (None, None), (7.50, "7.5"), (1e-7, None)])
def test_a_total_is_a_decimal_number_or_nothing(total: Any, kept: str | None) -> None:
    assert read(message(roll("1d6", total, die(6, 1))))[0].total == kept


def flags(depth: int) -> dict[str, Any]:
    return {} if depth == 0 else {"x": flags(depth - 1)}


NESTED: Any = PLAIN
for level in range(22):
    inside = json.dumps(NESTED) if level == 11 else NESTED
    NESTED = roll("1d6", 1, {"class": "ParentheticalTerm", "roll": inside})

WRONG: dict[str, Any] = {
    "it has no valid _id": message(PLAIN, _id="a b"),
    "its time is not a number of milliseconds": message(PLAIN, timestamp=-1),
    "it has a roll that is not an object": message(rolls=["7"]),
    "it contains text that is not valid JSON": message(rolls=["{"]),
    "it has too many rolls inside each other": message(NESTED),
    "it has too many lists inside each other": message(PLAIN, flags=flags(70)),
    "it has more than 500 dice in one roll": message(roll("1d6", 1, die(6, *[1] * 501))),
    "it has a token without a valid id": message(flags={"monks-tokenbar": {"token a": {"roll": PLAIN}}}),
    "it has a name that is too long": message(
        flags={"monks-tokenbar": {f"token{'a' * 50}": {"roll": PLAIN}}}, _id="a" * 60
    ),
}


@pytest.mark.parametrize("says", WRONG)
def test_a_wrong_message_is_skipped_with_its_number(says: str) -> None:
    found = records(READER, json.dumps([message(PLAIN), WRONG[says]]))
    assert [(record.place, record.wrong) for record in found] == [("message 1", ""), ("message 2", says)]


def test_a_message_with_an_incomplete_letter_is_wrong_and_one_with_a_large_number_is_read() -> None:
    content = json.dumps([message(PLAIN, flags={"x": "\ud83d"}), message(PLAIN, flags={"x": 123456789012345680})])
    wrong, read = records(READER, content)
    assert wrong.wrong == "it contains text that is not valid JSON"
    assert len(read.rolls) == 1


def test_an_item_that_is_no_message_is_wrong() -> None:
    assert wrong(7) == ["it has no valid _id"]


@pytest.mark.parametrize("mode", [["gmroll"], {"mode": "publicroll"}, 1])
def test_a_mode_that_is_not_a_text_is_private(mode: Any) -> None:
    assert [each.seen for each in read(message({**PLAIN, "options": {"rollMode": mode}}))] == ["gm"]


def test_the_mode_of_a_roll_inside_a_roll_counts() -> None:
    pool = {"class": "PoolTerm", "rolls": [{**PLAIN, "options": {"rollMode": "selfroll"}}]}
    assert [each.seen for each in read(message(roll("{1d20}", 17, pool)))] == ["self"]


def test_the_mode_of_a_roll_that_was_never_rolled_counts() -> None:
    asked = {**PLAIN, "evaluated": False, "options": {"rollMode": "gmroll"}}
    assert [each.seen for each in read(message(PLAIN, asked))] == ["gm"]


def test_an_operator_that_is_not_a_text_leaves_the_total_alone() -> None:
    (claimed,) = read(message(roll("1d20", 17, die(20, 14), {"operator": []}, number(3))))
    assert (claimed.total, claimed.comes_to) == ("17", None)


def test_an_inline_roll_with_a_greater_sign_in_its_title_is_read() -> None:
    content = f'<a class="inline-roll inline-result" title="1d20cs>5" data-roll="{quote(json.dumps(PLAIN))}">17</a>'
    assert [each.total for each in read(message(content=content))] == ["17"]


@pytest.mark.parametrize("pasted", ["<![if !supportLists]>", "<![foo[x]]>", '<![">', "<![>", "<!x>", "<![endif]-->"])
def test_an_inline_roll_after_a_paste_of_an_office_program_is_read(pasted: str) -> None:
    content = f'{pasted}<a class="inline-roll inline-result" data-roll="{quote(json.dumps(PLAIN))}">17</a>'
    assert [each.total for each in read(message(content=content))] == ["17"]


def test_a_text_with_many_open_tags_is_read_in_a_moment() -> None:
    before = process_time()
    assert read(message(content="inline-result" + "<a " * 200_000)) == []
    assert process_time() - before < 10


KINDS: dict[str, dict[str, Any]] = {
    "emote": message(type=3),
    "no-roll": message(type=1),
    "not-rolled": message({**PLAIN, "evaluated": False}),
    "": message({**PLAIN, "evaluated": False}, PLAIN),
}


def test_a_message_without_rolls_is_counted_by_its_kind() -> None:
    found = records(READER, json.dumps([*KINDS.values(), message(style=3, type="base")]))
    assert [record.left_out for record in found] == [*KINDS, "emote"]
