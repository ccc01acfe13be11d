"""Notes that the GM keeps: in the book and in no player's eye, until they are revealed."""

import json
from pathlib import Path

import pytest

from laid import laid_out
from terminal import Type

KEPT = "the ferryman lies"


@pytest.fixture
def noted(folder: Path) -> Path:
    """A campaign whose eighth entry is a note that the GM keeps."""
    laid_out(folder, "session open one", f"note '{KEPT}' --secret", "note 'they cross'")
    return folder


def seq_of(type_in: Type) -> int:
    (kept,) = (
        entry
        for entry in map(json.loads, type_in("log -n all --json").stdout.splitlines())
        if entry["type"] == "note-kept"
    )
    return int(kept["seq"])


def test_a_note_that_is_kept_shows_in_no_look_and_in_no_copy_for_players(noted: Path, type_in: Type) -> None:
    seq = seq_of(type_in)
    for words in ("log", "recap", "chronicle", "chronicle --all", "replay", f"show {seq}", "export --for players"):
        looked = type_in(words)
        assert (looked.exit_code, KEPT in looked.output) == (0, False), words
    assert "note: (secret)" in type_in("log").stdout
    assert "(secret)" not in type_in("recap").stdout + type_in("chronicle").stdout
    assert KEPT in type_in(f"show {seq} --secrets").stdout
    assert not any(KEPT.encode() in file.read_bytes() for file in (noted / "road-export").rglob("*") if file.is_file())


def test_a_revealed_note_is_told_in_its_place(noted: Path, type_in: Type) -> None:
    seq = seq_of(type_in)
    assert type_in(f"reveal {seq}").exit_code == 0
    for words in ("log -n all", "recap", "chronicle", f"show {seq}"):
        told = type_in(words).stdout
        assert KEPT in told, words
    assert type_in("recap").stdout.index(KEPT) < type_in("recap").stdout.index("they cross")


def test_a_note_that_is_kept_can_be_amended_undone_erased_and_said_once(noted: Path, type_in: Type) -> None:
    seq = seq_of(type_in)
    assert type_in(f"amend {seq} --text 'the ferryman drinks' --why 'it was drink' --yes").exit_code == 0
    amended = json.loads(type_in("log -n 1 --json").stdout.splitlines()[-1])
    assert type_in("note hush --secret --once hush").exit_code == 0
    assert type_in("note hush --secret --once hush").exit_code == 0
    for other in ("note hush --once hush", "note other --secret --once hush"):
        refused = type_in(other)
        assert (refused.exit_code, "hush" in refused.stderr and "other" not in refused.stdout) == (3, True)
    assert type_in("undo").exit_code == 0
    assert type_in(f"erase {seq} --yes").exit_code == 0
    assert amended["act"] > seq
    assert type_in("verify").exit_code == 0
    assert type_in("audit").exit_code == 0
