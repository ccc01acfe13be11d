"""Bytes that a disk lost where a campaign says what its tables are: a sentence, and never a bug of ours."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples import THOROUGH
from ledger.journal.opening import APPLICATION_ID
from terminal import rows

PAGE = 4096
SAMPLED = 20
"""Of so many bytes one is tried in `make test`."""

ID = range(68, 72)
"""Where the header says that it is a campaign."""


def put(file: Path, stored: bytes) -> None:
    """Put a file in place of another, with nothing that was beside it."""
    for beside in ("-wal", "-shm", "-journal"):
        Path(f"{file}{beside}").unlink(missing_ok=True)
    file.write_bytes(stored)


@pytest.mark.parametrize("words", ["verify", "sheets"])
def test_a_byte_that_is_lost_in_the_first_page_is_told_in_a_sentence(
    folder: Path, type_in: Callable[..., Any], words: str
) -> None:
    file = folder / "road.campaign"
    whole = file.read_bytes()
    assert whole[68:72] == APPLICATION_ID.to_bytes(4, "big")
    places = [place for place in range(PAGE) if whole[place] or place < 100]
    for place in places if THOROUGH else [*places[::SAMPLED], *ID]:
        stored = bytearray(whole)
        stored[place] ^= (0xFF, 0x01, 0x20)[place % 3]
        put(file, bytes(stored))
        result = type_in(words)
        newer = "newer version of the program" in result.stderr
        assert result.exit_code in ({5} if place in ID or newer else {0, 6}), (place, result.output)
        assert result.stderr.count("Error: ") == (result.exit_code > 0)


SCHEMAS = {
    "a column of the entries": ("ALTER TABLE entries RENAME COLUMN body TO text", "it has no column body", "log", "note x", "export out"),
    "a column of the words": ("ALTER TABLE words RENAME COLUMN salt TO pepper", "it has no column salt", "export out"),
    "a column of the marks": ("ALTER TABLE marks RENAME COLUMN value TO worth", "it has no column value", "sheets", "log", "note x"),
    "a statement that is none": ("UPDATE sqlite_schema SET sql = 'CREATE TABLE marks' WHERE name = 'marks'", "its internal structure is broken", "sheets", "note x", "verify", "rebuild"),
    "a column that its own description no longer has": ("UPDATE sqlite_schema SET sql = replace(sql, 'hash  BLOB', 'hashx BLOB') WHERE name = 'nodes'", "its internal structure is broken", "sheets", "verify", "rebuild"),
    "a name that is no text": ("UPDATE sqlite_schema SET sql = CAST(x'ff88' AS TEXT) WHERE name = 'marks'", "its internal structure is broken", "sheets", "note x", "verify", "rebuild"),
    "a name of bytes": ("UPDATE sqlite_schema SET name = CAST(name AS BLOB) WHERE type = 'trigger'", "was altered", "verify"),
}  # fmt: skip


@pytest.mark.parametrize("what", SCHEMAS)
def test_tables_that_are_not_what_they_were_are_damage_and_no_bug(
    folder: Path, type_in: Callable[..., Any], what: str
) -> None:
    statement, says, *commands = SCHEMAS[what]
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(statement)
    connection.close()
    for words in commands:
        result = type_in(words)
        assert (result.exit_code, result.stdout) == (6, ""), (words, result.output)
        assert says in result.stderr


def test_rows_of_entries_that_are_still_to_come_are_damage_for_whoever_writes(
    folder: Path, type_in: Callable[..., Any]
) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute("INSERT INTO nodes VALUES (1, 3, zeroblob(32))")
    connection.close()
    result = type_in("note x")
    assert (result.exit_code, "its table nodes has rows for entries that do not exist yet" in result.stderr) == (
        6,
        True,
    )
    assert (
        "Rebuild the scores and lists with 'campaign rebuild'. To compare the scores and lists with the entries, type 'campaign verify'."
        in result.stderr
    )
    assert [type_in(words).exit_code for words in ("rebuild", "note x")] == [0, 0]


def test_a_table_with_a_column_too_many_is_damage_for_whoever_writes(folder: Path, type_in: Callable[..., Any]) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute("ALTER TABLE marks ADD COLUMN more TEXT")
    connection.close()
    result = type_in("session open One")
    assert (result.exit_code, "its table marks has the wrong columns" in result.stderr) == (6, True)
    assert [type_in(words).exit_code for words in ("rebuild", "session open One")] == [0, 0]


@pytest.mark.parametrize("script", ["ANALYZE", "CREATE VIEW mine AS SELECT * FROM marks", "CREATE TABLE _backup (x)"])
def test_checks_and_copies_work_with_tables_of_another_program_in_the_file(
    folder: Path, type_in: Callable[..., Any], script: str
) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.executescript(script)
    connection.close()
    for words in ("verify", "audit"):
        result = type_in(words)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "Remark: the file also contains data from another program " in result.stdout
    assert (
        rows(type_in("verify --json").stdout)[0]["also_holds"] == rows(type_in("audit --json").stdout)[0]["also_holds"]
    )
    for words in ("rebuild", "backup kept.backup", "export kept", "note x"):
        assert type_in(words).exit_code == 0
    assert "the file also contains data from another program" in type_in("-f kept.backup verify").stdout


@pytest.mark.parametrize("words", ["show", "export out", "log -n all --json", "questions", "note x"])
def test_zeros_anywhere_in_the_file_are_reported_in_a_sentence(
    folder: Path, evening: Callable[..., Any], words: str
) -> None:
    file = folder / "road.campaign"
    whole = file.read_bytes()
    for place in range(0, len(whole), 512 if THOROUGH else 1024):
        stored = bytearray(whole)
        stored[place : place + PAGE] = bytes(len(stored[place : place + PAGE]))
        put(file, bytes(stored))
        result = evening(words)
        assert result.exit_code in {0, 3, 5, 6}, (place, result.output)
        assert result.stderr.count("Error: ") == (result.exit_code > 0), (place, result.output)
        shutil.rmtree("out", ignore_errors=True)
