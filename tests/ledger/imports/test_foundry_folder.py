"""Messages in a LevelDB folder: the same rolls as in a list, with the place of each, and a torn end is reported."""

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from ledger.errors import BadInput
from ledger.imports.foundry_folder import FoundryFolderReader
from ledger.imports.foundry_list import FoundryListReader
from ledger.imports.log_records import LogRecord, ReadingOptions
from ledger.imports.sources import find_source
from level import batch, lay, log, values
from logs import KEPT, die, in_lines, message, records, roll, rolls

MESSAGES = (KEPT / "messages.json").read_bytes()
ROLLED = json.dumps(message(roll("1d20", 4, die(20, 4)))).encode()


def read(place: Path) -> list[LogRecord]:
    source, reader = find_source(str(place), None)
    with source.open() as opened:
        return list(reader.records(opened, ReadingOptions()))


def stored(folder: Path) -> Path:
    """A database of the messages in the list."""
    pairs = [(f"!messages!{each['_id']}".encode(), json.dumps(each).encode()) for each in json.loads(MESSAGES)]
    return lay(folder, {8: log(batch(5, *pairs[1:]))}, {5: values(1, **{pairs[0][0].decode(): pairs[0][1]})})


def zipped(folder: Path) -> Path:
    with ZipFile(f"{folder}.zip", "w", ZIP_DEFLATED) as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(folder.parent))
    return Path(f"{folder}.zip")


def refusal(place: Path, form: str | None = None) -> str:
    with pytest.raises(BadInput) as refused:
        find_source(str(place), form)
    return f"{refused.value.sentence} {refused.value.hint}"


def test_a_folder_gives_the_same_rolls_as_a_list(tmp_path: Path) -> None:
    found = read(stored(tmp_path / "messages"))
    assert rolls(found) == rolls(records(FoundryListReader(), MESSAGES))
    assert found[0].place == "!messages!q7Rk2TnVb0Xw9LsE"


def test_a_value_that_is_not_json_is_skipped_and_named(tmp_path: Path) -> None:
    data = log(batch(1, (b"!messages!a", b"{"), (b"!messages!b\xff" + b"x" * 100, b"\xff"), (b"!messages!c", ROLLED)))
    found = read(lay(tmp_path / "messages", {8: data}))
    assert [(each.place, each.wrong) for each in found] == [
        ("!messages!a", "it contains text that is not valid JSON"),
        ("!messages!b�" + "x" * 68, "it is not text in the UTF-8 format"),
        ("!messages!c", ""),
    ]


def test_a_torn_end_is_reported_after_the_messages(tmp_path: Path) -> None:
    data = log(batch(1, (b"!messages!a", ROLLED))) + b"\0\0\1"
    assert [bool(each.note) for each in read(lay(tmp_path / "messages", {8: data}))] == [False, True]


def test_the_reader_of_folders_recognizes_their_list_of_files() -> None:
    assert FoundryFolderReader().recognizes(b"MANIFEST-000002\n")
    assert not FoundryFolderReader().recognizes(ROLLED)


# Worlds


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A world of version 11, with other databases."""
    data = tmp_path / "salt-road" / "data"
    stored(data / "messages")
    lay(data / "actors", {8: log(batch(1, (b"!actors!a", b"{}")))})
    (data.parent / "world.json").write_text('{"id": "salt-road"}')
    return data.parent


@pytest.mark.parametrize("inside", ["", "data", "data/messages", "data/messages/", "data/messages/CURRENT"])
def test_a_world_or_a_part_of_it_is_read(world: Path, inside: str) -> None:
    source, reader = find_source(f"{world}/{inside}", None)
    assert (source.name, reader.form) == ("salt-road", "foundry-leveldb")
    assert len(rolls(read(world / inside))) == 3


def test_a_zip_file_of_a_world_gives_the_same_as_the_world(world: Path) -> None:
    source, reader = find_source(str(zipped(world)), None)
    assert (source.name, reader.form) == ("salt-road", "foundry-leveldb")
    assert rolls(read(zipped(world))) == rolls(read(world))
    assert source.digest() == find_source(str(world), None)[0].digest()


def test_a_zip_file_may_have_only_the_files_of_the_database(world: Path) -> None:
    with ZipFile(world / "m.zip", "w") as archive:
        for file in (world / "data" / "messages").iterdir():
            archive.write(file, file.name)
    source, _ = find_source(str(world / "m.zip"), None)
    assert source.name == "m.zip"
    assert len(rolls(read(world / "m.zip"))) == 3


def test_a_zip_file_without_the_list_of_files_is_refused(world: Path) -> None:
    (world / "data" / "messages" / "MANIFEST-000002").unlink()
    with pytest.raises(BadInput) as refused:
        read(zipped(world))
    assert refused.value.sentence == "'MANIFEST-000002' is missing in the zip file."


def test_a_world_of_version_10_has_a_file(world: Path) -> None:
    for file in (world / "data" / "messages").iterdir():
        file.unlink()
    (world / "data" / "messages.db").write_bytes(in_lines(*json.loads(MESSAGES)))
    (world / "data" / "actors.db").write_bytes(in_lines({"_id": "hT5wQe0RjVn3CxMa"}))
    assert find_source(str(world), None)[1].form == "foundry-nedb"
    assert find_source(str(zipped(world)), None)[0].name == "messages.db"


def test_a_world_with_a_folder_and_a_file_of_messages_asks(world: Path) -> None:
    (world / "data" / "messages.db").write_bytes(in_lines(*json.loads(MESSAGES)))
    assert "has 2 files that can be imported. Choose one of: data/messages, data/messages.db." in refusal(world)
    assert find_source(str(world), "foundry-nedb")[0].name == "messages.db"
    assert find_source(str(world), "foundry-leveldb")[0].name == "salt-road"


def test_links_inside_a_world_are_not_followed(world: Path, tmp_path: Path) -> None:
    (world / "data").rename(tmp_path / "elsewhere")
    (world / "data").symlink_to(tmp_path / "elsewhere")
    assert "not in a format that can be imported" in refusal(world)
    assert len(rolls(read(tmp_path / "elsewhere"))) == 3


def test_a_world_behind_a_link_that_was_typed_is_read(world: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(world)
    assert len(rolls(read(tmp_path / "link"))) == 3


def test_a_folder_is_never_read_as_a_file_nor_a_file_as_a_folder(world: Path) -> None:
    assert "not in a format that can be imported" in refusal(world, "csv")
    (world / "list.json").write_bytes(MESSAGES)
    assert "not in a format that can be imported" in refusal(world / "list.json", "foundry-leveldb")
    (world / "list.json").write_bytes(b"MANIFEST-000002")
    assert "not in a format that can be imported" in refusal(world / "list.json")


# Users


@pytest.fixture
def users(world: Path) -> Path:
    """A world of version 11 without chat messages. Its users cannot be opened."""
    (world / "data" / "messages").rename(world.parent / "messages")
    for file in lay(
        world / "data" / "users", {8: log(batch(1, (b"!users!a", b'{"_id": "a", "password": "x"}')))}
    ).iterdir():
        file.write_bytes(b"MANIFEST-\n" * 300_000)  # in a zip file, each is too dangerous to open
    (world / "data" / "users.db").write_bytes(b'{"_id": "a", "password": "x"}\n' * 100_000)
    return world


def test_a_zip_file_without_messages_never_opens_the_users(users: Path) -> None:
    assert find_source(str(zipped(users)), None)[0].name == "actors"
    for file in (users / "data" / "actors").iterdir():
        file.unlink()
    assert "not in a format that can be imported" in refusal(zipped(users))


@pytest.mark.parametrize("inside", ["data/users", "data/users/", "data/users.db", "data/users/CURRENT"])
def test_the_users_are_refused_by_name(users: Path, inside: str) -> None:
    for form in (None, "foundry-nedb", "foundry-leveldb"):
        assert "has the users of a Foundry world, with their password hashes. They are never opened." in refusal(
            users / inside, form
        )


def test_a_folder_leaves_the_users_out(users: Path) -> None:
    (users / "data" / "rolls.json").write_bytes(MESSAGES)
    assert find_source(str(users / "data"), None)[0].name == "rolls.json"


def test_a_zip_file_of_users_is_refused(users: Path) -> None:
    assert "They are never opened." in refusal(zipped(users / "data" / "users"))
