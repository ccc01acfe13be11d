"""Sources: the one file of a known format is found in a folder or a zip file, and nothing dangerous is unpacked."""

from hashlib import sha256
from os import mkfifo
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from ledger.errors import BadInput
from ledger.imports import sources
from ledger.imports.readers import READERS
from ledger.imports.sources import Source, find_source
from logs import KEPT

ROLLS, MESSAGES = (KEPT / "rolls.csv").read_bytes(), (KEPT / "messages.json").read_bytes()


def zipped(file: Path, **members: bytes) -> Path:
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.mkdir("empty")
        for name, data in members.items():
            archive.writestr(name, data)
    return file


def refusal(place: Path, form: str | None = None) -> str:
    with pytest.raises(BadInput) as refused:
        find_source(str(place), form)
    return f"{refused.value.sentence} {refused.value.hint}"


def test_a_file_is_recognized_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(MESSAGES)
    source, reader = find_source(str(tmp_path / "x"), None)
    assert (source.name, reader.form) == ("x", "foundry-json")
    assert source.digest() == (sha256(MESSAGES).hexdigest(), len(MESSAGES))


def test_the_one_log_in_a_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "road.campaign").write_bytes(ROLLS)
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0when,total")
    (tmp_path / "rolls.csv").write_bytes(ROLLS)
    (tmp_path / "link.csv").symlink_to(tmp_path / "rolls.csv")
    source, reader = find_source(str(tmp_path), None)
    assert (source.name, reader.form) == ("rolls.csv", "csv")


def test_the_one_log_in_a_zip_file_is_found(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"logs/messages.json": MESSAGES, "read.me": b"hello"})
    source, reader = find_source(str(file), None)
    assert (source.name, reader.form) == ("messages.json", "foundry-json")
    assert source.digest() == (sha256(MESSAGES).hexdigest(), len(MESSAGES))


def test_a_zip_file_is_opened_once_to_look_at_all_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = zipped(tmp_path / "all.zip", **{f"{number}.txt": b"hello" for number in range(20)}, **{"rolls.csv": ROLLS})
    opened = list[str]()

    class CountedZipFile(ZipFile):
        def __init__(self, name: str) -> None:
            opened.append(name)
            super().__init__(name)

    monkeypatch.setattr(sources, "ZipFile", CountedZipFile)
    assert find_source(str(file), None)[0].name == "rolls.csv"
    assert opened == [str(file)]


def test_two_logs_are_listed(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"messages.json": MESSAGES, "rolls.csv": ROLLS})
    assert (
        "has 2 files that can be imported. Unpack the zip file, and import one of: messages.json, rolls.csv."
        in refusal(file)
    )


def test_two_logs_in_a_folder_are_listed(tmp_path: Path) -> None:
    (tmp_path / "messages.json").write_bytes(MESSAGES)
    (tmp_path / "rolls.csv").write_bytes(ROLLS)
    assert "has 2 files that can be imported. Choose one of: messages.json, rolls.csv." in refusal(tmp_path)


def test_a_file_that_two_readers_recognize_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "READERS", (*READERS, *READERS))
    (tmp_path / "messages.json").write_bytes(MESSAGES)
    assert find_source(str(tmp_path), None)[1].form == "foundry-json"


def test_a_format_chooses_between_two_logs(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"messages.json": MESSAGES, "rolls.csv": ROLLS})
    assert find_source(str(file), "csv")[0].name == "rolls.csv"


def test_a_format_is_believed_for_a_single_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"[]")
    assert find_source(str(tmp_path / "x"), "foundry-json")[1].form == "foundry-json"


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(ROLLS)
    assert (
        "There is no format called 'fantasy-grounds'. Formats: foundry-json (Foundry's chat messages as a JSON list), foundry-nedb"
        in refusal(tmp_path / "x", "fantasy-grounds")
    )


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"")
    assert " is empty." in refusal(tmp_path / "x.csv")


def test_the_file_of_a_spreadsheet_program_is_refused_with_the_format_to_save(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "Rolls.XLSX", "w") as archive:
        archive.writestr("xl/workbook.xml", "<?xml version='1.0'?>")
    assert "In the spreadsheet program, save the table as CSV in the UTF-8 format." in refusal(tmp_path / "Rolls.XLSX")


def test_an_unknown_file_is_refused_with_the_formats(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    assert "is not an export of a campaign, and not in a format that can be imported." in refusal(tmp_path / "x")


def test_a_file_that_is_missing_cannot_be_read(tmp_path: Path) -> None:
    assert "'x' cannot be read: No such file or directory." in refusal(tmp_path / "x")


@pytest.mark.parametrize("form", [None, "roll20"])
def test_a_pipe_is_refused_because_it_can_be_read_only_once(tmp_path: Path, form: str | None) -> None:
    mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="is not a file or a folder"):
        find_source(str(tmp_path / "pipe"), form)


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    file = zipped(tmp_path / "bomb.zip", **{"rolls.csv": ROLLS + b"\n" * (3 << 19)})  # any file may unpack to 1 MB
    assert "'rolls.csv' unpacks to more than 100 times its size" in refusal(file)


def test_a_zip_file_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_MEMBERS", 1)
    file = zipped(tmp_path / "all.zip", a=b"", b=b"")
    assert "The zip file 'all.zip' has 2 files. The limit is 1." in refusal(file)


def test_an_encrypted_file_is_refused(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"rolls.csv": ROLLS})
    data = bytearray(file.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    file.write_bytes(data)
    assert "'rolls.csv' is encrypted in the zip file." in refusal(file)


def test_a_damaged_zip_file_is_refused(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"rolls.csv": ROLLS})
    data = bytearray(file.read_bytes())
    data[data.rindex(b"PK\x01\x02")] = 0
    file.write_bytes(data)
    assert "The zip file 'all.zip' is damaged." in refusal(file)


def test_a_damaged_file_in_a_zip_file_is_refused(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"rolls.csv": ROLLS})
    data = bytearray(file.read_bytes())
    place = data.rindex(b"rolls.csv", 0, data.index(b"PK\x01\x02")) + len("rolls.csv")
    data[place : place + 20] = bytes(20)
    file.write_bytes(data)
    with pytest.raises(BadInput) as refused:
        Source(file=str(file), member="rolls.csv").digest()
    assert refused.value.sentence == "The zip file 'all.zip' is damaged."


def test_a_zip_file_with_a_damaged_name_is_refused(tmp_path: Path) -> None:
    file = zipped(tmp_path / "all.zip", **{"é.csv": ROLLS})
    file.write_bytes(file.read_bytes().replace("é".encode(), b"\xff\xfe"))
    assert "The zip file 'all.zip' is damaged." in refusal(file)


def test_a_damaged_lzma_file_in_a_zip_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    with ZipFile(file, "w", ZIP_LZMA) as archive:
        archive.writestr("rolls.csv", ROLLS * 50)
    data = bytearray(file.read_bytes())
    data[60:70] = b"\xff" * 10
    file.write_bytes(data)
    assert "The zip file 'all.zip' is damaged." in refusal(file)


def test_a_campaign_is_never_opened(tmp_path: Path) -> None:
    file = tmp_path / "road.campaign"
    file.write_bytes(ROLLS)
    assert "not in a format that can be imported" in refusal(file)
