"""NeDB lines: the last line of a message counts, deleted messages are never read, and a torn end is reported."""

import json
from typing import Any

import pytest

from ledger.imports import foundry_lines
from ledger.imports.foundry_lines import FoundryLinesReader
from ledger.imports.foundry_list import FoundryListReader
from logs import KEPT, die, in_lines, message, records, roll, rolls

READER = FoundryLinesReader()
OTHER = "t2Hs9WqLm4Kd8RzB"


def rolled(face: int, **more: Any) -> dict[str, Any]:
    return message(roll("1d20", face, die(20, face)), **more)


def totals(data: bytes) -> list[str | None]:
    return [each.total for each in rolls(records(READER, data))]


def wrong(data: bytes) -> list[str]:
    return [f"{each.place}: {each.wrong}" for each in records(READER, data) if each.wrong]


def test_lines_of_messages_are_recognized() -> None:
    assert READER.recognizes(in_lines(rolled(4)))
    assert READER.recognizes(b'{"$$indexCreated":{"fieldName":"x"}}\n')
    assert READER.recognizes(b'\xef\xbb\xbf{"speaker":{},"content":"' + b"x" * 5000)
    assert not READER.recognizes(json.dumps([rolled(4)]).encode())
    assert not READER.recognizes(b'{"guild":{"id":"1"},"channel":{},"messages":[]}')


def test_the_lines_of_a_list_give_the_same_rolls_as_the_list() -> None:
    messages = (KEPT / "messages.json").read_bytes()
    assert rolls(records(READER, in_lines(*json.loads(messages)))) == rolls(records(FoundryListReader(), messages))


def test_the_last_line_of_a_message_counts() -> None:
    assert totals(in_lines(rolled(4), rolled(7, _id=OTHER), rolled(11))) == ["7", "11"]


def test_a_deleted_message_is_never_read() -> None:
    gone = {"$$deleted": True, "_id": rolled(4)["_id"]}
    assert totals(in_lines(rolled(4), rolled(7, _id=OTHER), gone)) == ["7"]


def test_a_message_can_come_back_after_a_deletion() -> None:
    assert totals(in_lines(rolled(4), {"$$deleted": True, "_id": rolled(4)["_id"]}, rolled(9))) == ["9"]


def test_lines_about_indexes_and_blank_lines_are_skipped() -> None:
    assert totals(in_lines({"$$indexCreated": {"fieldName": "x"}}) + b"\r\n \n" + in_lines(rolled(4))) == ["4"]


def test_a_byte_order_mark_is_skipped() -> None:
    assert totals(b"\xef\xbb\xbf" + in_lines(rolled(4), rolled(9))) == ["9"]


def test_a_newer_line_counts_even_if_only_the_strict_parser_reads_it() -> None:
    line = in_lines(rolled(9, note=0)).replace(b'"note": 0', b'"note": 1e999')
    assert totals(in_lines(rolled(4)) + line) == ["9"]


@pytest.mark.parametrize("length", [1, 30, 200])
def test_a_torn_end_is_reported_and_everything_before_it_is_read(length: int) -> None:
    data = in_lines(rolled(4))
    found = records(READER, data + in_lines(rolled(7, _id=OTHER))[:length])
    assert [each.total for each in rolls(found)] == ["4"]
    note = f"The file ends in the middle of line 2 (byte {len(data)}). Everything before it was read."
    assert [each.note for each in found] == ["", note]


def test_a_last_line_without_an_end_is_read_if_it_is_whole() -> None:
    assert totals(in_lines(rolled(4))[:-1]) == ["4"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{\n", "it contains text that is not valid JSON"),
        (b'{"_id":"a","_id":"b"}\n', "it contains text that is not valid JSON"),
        (b'{"_id":"a","total":NaN}\n', "it contains text that is not valid JSON"),
        (b'{"_id":"\xff"}\n', "it is not text in the UTF-8 format"),
        (b"[]\n", "it has no valid _id"),
        (b'{"_id":[]}\n', "it has no valid _id"),
    ],
)
def test_a_damaged_line_is_skipped_and_named(line: bytes, why: str) -> None:
    assert wrong(line + in_lines(rolled(4))) == [f"line 1: {why}"]


def test_each_line_without_an_id_is_named() -> None:
    lines = in_lines({"type": 5}, rolled(4), {"type": 5}, {"type": 5})
    assert wrong(lines) == [f"line {number}: it has no valid _id" for number in (1, 3, 4)]


@pytest.mark.parametrize("line", [b'{"_id":"a","total":NaN}', b'{"_id":"\xff"}', b'{"_id":"{\\"{"} x'])
def test_a_damaged_last_line_that_is_whole_is_not_called_cut_off(line: bytes) -> None:
    (each,) = records(READER, line)
    assert (each.note, bool(each.wrong)) == ("", True)


def test_a_line_that_never_ends_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foundry_lines, "LONGEST_LINE", 2000)
    endless = b'{"_id":"' + b"x" * 9000
    assert wrong(endless + b"\n" + in_lines(rolled(4)) + endless) == [
        "line 1: it is longer than 2,000 bytes",
        "line 3: it is longer than 2,000 bytes",
    ]
    assert [
        each.total for record in records(READER, endless + b"\n" + in_lines(rolled(4))) for each in record.rolls
    ] == ["4"]
