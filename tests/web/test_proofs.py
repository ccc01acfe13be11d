"""What the page sends to a phone that checks the record itself."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from at_page import BEN, Place
from ledger.events.commitments import commitment
from ledger.tlog.note import COSIGNATURE, Skey, make_skey, read_note, signature_line
from ledger.tlog.tree import leaf_hash, verify_consistency, verify_inclusion
from table import EVENING

PLAYED = (
    "note 'for everybody'",  # 15
    "note 'for Ana' --only Ana",  # 16
    "note 'for the GM' --secret",  # 17
    "checkpoint",
    "edge check mara --skill 3 --faces 7,6 --seal",  # 18
)


@pytest.fixture
def place(shm: Path) -> Place:
    place = Place(shm, PLAYED)
    place.secrets["ben"] = place.comes_in("player", BEN)
    return place


def head(place: Place, seen: int = 0, reader: str = "spectator") -> Mapping[str, Any]:
    answer: Mapping[str, Any] = place.ask(reader, "GET", f"/record/head?from={seen}").told
    return answer


def recorded(place: Place, size: int, *acts: int, reader: str = "spectator") -> list[Any]:
    asked = "&".join(f"act={act}" for act in acts)
    found: list[Any] = place.ask(reader, "GET", f"/record/entries?at={size}&{asked}").told
    return found


def proof(hashes: list[str]) -> list[bytes]:
    return [bytes.fromhex(each) for each in hashes]


def test_a_head_continues_the_one_that_the_phone_saw_and_the_signed_one(place: Place) -> None:
    before = head(place)
    place.say("player", "note", {"text": "an owl"})
    now = head(place, before["size"])
    assert (now["size"], now["signed"], now["keys"], now["first"]) == (before["size"] + 1, 17, [1], before["first"])
    roots = bytes.fromhex(before["root"]), bytes.fromhex(now["root"])
    verify_consistency(before["size"], now["size"], *roots, proof(now["proof"]))
    signed_root = re.findall(r"\n17\n(.*)\n", now["note"])
    assert signed_root


@pytest.mark.parametrize("seen", [0, 99])
def test_without_an_earlier_head_there_is_no_proof(place: Place, seen: int) -> None:
    assert head(place, seen)["proof"] == []


def test_each_entry_of_an_action_is_in_the_record(place: Place) -> None:
    now = head(place)
    found = recorded(place, now["size"], 1, 15)
    assert [each["seq"] for each in found] == [1, 2, 15]
    for each in found:
        leaf = leaf_hash(each["stored"].encode())
        verify_inclusion(leaf, each["seq"] - 1, now["size"], proof(each["proof"]), bytes.fromhex(now["root"]))


@pytest.mark.parametrize(
    ("reader", "texts"),
    [
        ("gm", {15: "for everybody", 16: "for Ana", 17: "for the GM"}),
        ("player", {15: "for everybody", 16: "for Ana"}),
        ("ben", {15: "for everybody"}),
        ("spectator", {15: "for everybody"}),
    ],
)
def test_each_reader_gets_the_texts_that_this_reader_may_read(
    place: Place, reader: str, texts: Mapping[int, str]
) -> None:
    found = recorded(place, head(place)["size"], 15, 16, 17, 18, reader=reader)
    readable = {each["seq"]: each["texts"]["text"] for each in found if "text" in each["texts"]}
    assert {seq: text.strip('"') for seq, (_, text) in readable.items()} == texts  # a secret is JSON
    for each in found:
        for salt, text in each["texts"].values():
            assert commitment(bytes.fromhex(salt), text) in each["stored"]
    sealed = next(each for each in found if each["seq"] == 18)
    assert bool(sealed["texts"]) == (reader == "gm")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("at=0&act=1", 422),
        ("at=99&act=1", 422),
        ("at=x&act=1", 422),
        ("at=15&act=99", 409),
        ("at=15" + "&act=1" * 51, 422),
    ],
)
def test_what_cannot_be_proved_is_refused(place: Place, query: str, status: int) -> None:
    assert place.ask("player", "GET", f"/record/entries?{query}").status == status


def test_the_page_that_checks_exports_can_be_downloaded(place: Place) -> None:
    answer = place.ask("player", "GET", "/verify.html")
    assert ("attachment" in answer.headers["content-disposition"], "Check a campaign" in answer.text) == (True, True)


ANAS = make_skey("ana", b"a" * 32, COSIGNATURE)


def signed_by(key: Skey, text: str) -> str:
    return signature_line(text, key, int(EVENING.timestamp()))


@pytest.fixture
def witnessed(shm: Path) -> Place:
    return Place(shm, (f"policy --witness ana={ANAS.vkey}", "checkpoint"))


def test_a_witness_signs_from_a_phone(witnessed: Place) -> None:
    text = read_note(head(witnessed)["note"])[0]
    answer = witnessed.ask("player", "POST", "/record/signature", form={"line": signed_by(ANAS, text)})
    assert (answer.status, "ana signed the entries up to #15" in answer.text) == (200, True)
    assert signed_by(ANAS, text) in head(witnessed)["note"]


@pytest.mark.parametrize("who", ["nobody", "expired", "ended", "forged"])
def test_without_a_login_nobody_adds_a_signature(witnessed: Place, who: str) -> None:
    text = read_note(head(witnessed)["note"])[0]
    assert witnessed.ask(who, "POST", "/record/signature", form={"line": signed_by(ANAS, text)}).status == 401
    assert "ana" not in head(witnessed)["note"]


@pytest.mark.parametrize(
    "line", ["", "x", signed_by(make_skey("ben", b"b" * 32, COSIGNATURE), "x\n"), signed_by(ANAS, "x\n")]
)
def test_a_signature_that_proves_nothing_is_refused(witnessed: Place, line: str) -> None:
    before = head(witnessed)["note"]
    assert witnessed.ask("player", "POST", "/record/signature", form={"line": line}).status in {409, 422}
    assert head(witnessed)["note"] == before
