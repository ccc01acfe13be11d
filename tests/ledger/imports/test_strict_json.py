"""Strict JSON: a list is read in parts, and what readers of JSON read differently is refused with its place."""

from io import BytesIO
from typing import Any

import pytest

from ledger.errors import BadInput
from ledger.imports import strict_json
from ledger.imports.log_records import WrongRecord
from ledger.imports.strict_json import parse, read_items, read_members


def read(content: str | bytes) -> list[Any]:
    return list(read_items(BytesIO(content if isinstance(content, bytes) else content.encode())))


@pytest.mark.parametrize("content", ["[]", " [ ] \n", '[{"a": 1}]', '[1,2, 3 ,"x"]', "\ufeff[1]", '["\\ud83d\\ude00"]'])
def test_a_list_is_read_item_by_item(content: str) -> None:
    assert len(read(content)) == {"[]": 0, " [ ] \n": 0, '[1,2, 3 ,"x"]': 4}.get(content, 1)


def test_items_are_read_over_the_ends_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "CHUNK_BYTES", 1)
    assert read('[{"a": 12345}, 67890, "é€", 1.25]') == [{"a": 12345}, 67890, "é€", "1.25"]


WRONG = {
    "{}": "The file is not a JSON list.",
    "": "The file is not a JSON list.",
    "[1": "after 1 record.",
    "[1 2]": "after 1 record.",
    "[1,": "Record 2 of the list is damaged",
    "[1, {]": "Record 2 of the list is damaged",
    "[1] 2": "There is more text after the end",
    '[{"a": 1, "a": 2': "Record 1 of the list is damaged",
    "[" + "[" * 100_000: "Record 1 of the list is damaged",
}


@pytest.mark.parametrize("content", WRONG, ids=range(len(WRONG)))
def test_a_list_that_is_not_strict_json_is_refused_with_its_place(content: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(content)
    assert WRONG[content] in refused.value.sentence


def test_a_list_in_another_encoding_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        read('["é"]'.encode("latin-1"))
    assert refused.value.sentence == "The file is not text in the UTF-8 format (JSON)."


def test_a_record_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "LARGEST_RECORD", 1000)
    monkeypatch.setattr(strict_json, "CHUNK_BYTES", 100)
    with pytest.raises(BadInput) as refused:
        read(f'["{"x" * 9000}"]')
    assert refused.value.sentence == "Record 1 of the list is damaged, or longer than 1,000 characters."


NOT_STRICT = (
    '{"a": 1, "a": 2}',
    "NaN",
    "-Infinity",
    "9" * 5000,
    f"0.{'9' * 50}",
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\ud83d\\ude00"',
    "[" * 65 + "]" * 65,
)


@pytest.mark.parametrize("item", NOT_STRICT, ids=range(len(NOT_STRICT)))
def test_an_item_that_is_complete_but_not_strict_is_wrong_and_the_others_are_read(item: str) -> None:
    first, second, third = read(f'[{{"a": 1}}, {item}, 3]')
    assert (first, third) == ({"a": 1}, 3)
    assert isinstance(second, WrongRecord)
    with pytest.raises(WrongRecord):
        parse(item)


@pytest.mark.parametrize(
    "text",
    ['"\\ud83d\\ude00"', '"\\\\ud83d"', "[" * 64 + "]" * 64, '["["' + ',{"a": 0}' * 65 + "]"],
)
def test_paired_surrogates_and_some_depth_are_strict(text: str) -> None:
    assert [parse(text)] == read(f"[{text}]")


@pytest.mark.parametrize("depth", [994, 100_000])
def test_much_depth_is_wrong(depth: int) -> None:
    with pytest.raises(WrongRecord):
        parse("[" * depth + '"\\ud83d\\ude00"' + "]" * depth)


@pytest.mark.parametrize("text", ['{"a": 1} x', "{", '{"a": NaN}', '"\\ud83d"', "[" * 100_000])
def test_json_inside_a_record_is_strict_too(text: str) -> None:
    with pytest.raises(WrongRecord):
        parse(text)


def test_decimals_and_large_numbers_stay_as_the_file_has_them() -> None:
    assert parse(' {"total": 18.120} ') == {"total": "18.120"}
    assert parse("[9007199254740991, -9007199254740992]") == [9007199254740991, "-9007199254740992"]


def object_members(content: str) -> list[tuple[str, Any]]:
    return list(read_members(BytesIO(content.encode()), "data"))


def test_an_object_is_read_member_by_member_and_its_long_list_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "CHUNK_BYTES", 1)
    assert object_members('{"a": {"data": 1}, "data": [1, {"b": 2}], "c": "x"} ') == [
        ("a", {"data": 1}), ("data", 1), ("data", {"b": 2}), ("c", "x"),
    ]  # fmt: skip
    assert object_members("{}") == []


WRONG_OBJECTS = {
    "[]": "The file is not a JSON object.",
    '{"data": 1}': "The file is not a JSON list.",
    '{"a": 1': "The JSON object is cut off or damaged.",
    '{"a": 1 "b": 2}': "The JSON object is cut off or damaged.",
    '{"a": 1,}': "The JSON object is damaged, cut off",
    '{"a" 1}': "The JSON object is cut off or damaged.",
    "{1: 2}": "The JSON object is cut off or damaged.",
    '{"a": 1, "a": 2}': "The JSON object is cut off or damaged.",
    '{"a": NaN}': "The JSON object is cut off or damaged.",
    '{"a": 1} {': "The JSON object is cut off or damaged.",
    '{"data": [1, {]}': "Record 2 of the list is damaged",
    "{" + ",".join(f'"{number}": 1' for number in range(101)) + "}": "The JSON object is cut off or damaged.",
}


@pytest.mark.parametrize("content", WRONG_OBJECTS, ids=range(len(WRONG_OBJECTS)))
def test_an_object_that_is_not_strict_json_is_refused(content: str) -> None:
    with pytest.raises(BadInput) as refused:
        object_members(content)
    assert refused.value.sentence.startswith(WRONG_OBJECTS[content])
