"""The users of a Foundry world: their names, and the characters that they play, from the files beside the messages."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from ledger.imports.foundry_people import people_of
from ledger.imports.mapping import AccountOwner
from ledger.imports.sources import find_source
from level import batch, lay, log
from logs import in_lines, message

ANA = {"_id": "Ub4GmZ8yPd1HsKfA", "name": "Ana\n", "character": "hT5wQe0RjVn3CxMa", "password": "secret"}
TOM = {"_id": "Gm7KtX2wVs5LbNhE", "name": "Tom", "character": None}
NESSA = {"_id": "hT5wQe0RjVn3CxMa", "name": "Nessa Quill"}
FOUND = {
    ANA["_id"]: AccountOwner(name="Ana", character="Nessa Quill"),
    TOM["_id"]: AccountOwner(name="Tom", character=""),
}


def stored(folder: Path, kind: str, *documents: Any) -> None:
    writes = [(f"!{kind}!{each['_id']}".encode(), json.dumps(each).encode()) for each in documents]
    lay(folder / kind, {8: log(batch(1, *writes, (f"!{kind}.items!a.b".encode(), b"{}")))})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data of a world of version 11."""
    stored(tmp_path / "data", "messages", message())
    stored(tmp_path / "data", "users", ANA, TOM)
    stored(tmp_path / "data", "actors", NESSA, {"_id": "mN2sYc7LdGq9XbTe", "name": "Orrin"})
    return tmp_path / "data"


def people(place: Path) -> Any:
    return people_of(find_source(str(place), None)[0])


def test_the_users_of_a_world_have_names_and_characters(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert people(data.parent) == people(data / "messages") == FOUND
    monkeypatch.chdir(data / "messages")
    assert people(Path()) == FOUND


def test_the_users_in_a_zip_file_have_names_and_characters(data: Path) -> None:
    with ZipFile(data.parent / "world.zip", "w") as archive:
        for file in data.rglob("*"):
            archive.write(file, file.relative_to(data.parent))
    assert people(data.parent / "world.zip") == FOUND


def test_the_last_line_of_a_user_counts_in_version_10(tmp_path: Path) -> None:
    (tmp_path / "messages.db").write_bytes(in_lines(message()))
    (tmp_path / "users.db").write_bytes(in_lines({**TOM, "name": "Old"}, ANA, TOM, [], {"_id": 1}) + b"{")
    (tmp_path / "actors.db").write_bytes(in_lines(NESSA))
    assert people(tmp_path) == FOUND


def test_messages_alone_name_nobody(data: Path, tmp_path: Path) -> None:
    (data / "messages").rename(tmp_path / "messages")
    assert people(tmp_path / "messages") == {}
    (tmp_path / "chat.json").write_text(json.dumps([message()]))
    assert people(tmp_path / "chat.json") == {}


def test_damaged_characters_leave_the_names_of_users(data: Path) -> None:
    (data / "actors" / "CURRENT").write_text("x")
    assert people(data)[ANA["_id"]] == AccountOwner(name="Ana", character="")


def test_a_link_to_other_users_is_not_followed(data: Path, tmp_path: Path) -> None:
    (data / "users").rename(tmp_path / "others")
    (data / "users").symlink_to(tmp_path / "others")
    assert people(data) == {}


def test_a_name_that_is_not_a_text_is_empty(data: Path) -> None:
    stored(data, "users", {**TOM, "name": 7})
    assert people(data) == {TOM["_id"]: AccountOwner()}
