"""Secret notes, notes for one player, and notes about an entry."""

import json
from pathlib import Path
from typing import Any

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
        assert KEPT[1:] in told, words
    assert type_in("recap").stdout.index(KEPT[1:]) < type_in("recap").stdout.index("They cross.")


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


def newest(type_in: Type, kind: str) -> dict[str, Any]:
    """The last entry of a type."""
    entries: list[dict[str, Any]] = [json.loads(line) for line in type_in("log -n all --json").stdout.splitlines()]
    return [entry for entry in entries if entry["type"] == kind][-1]


def last_line(type_in: Type) -> str:
    return type_in("log -n 1").stdout.partition(" ")[2].strip()


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    """A campaign with Ana and Ben, and a check of mara: entries 9 and 10."""
    laid_out(folder, "player Ben --plays brak", "edge check mara --skill 11 --target 20 --faces 7,6")
    return type_in


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("note x --only Ana", "note for Ana: (secret)"),
        ("note x --only Ana,Ben", "note for Ana, Ben: (secret)"),
        ("note x --secret --by Ana", "note: (secret)   (entered by Ana)"),
        ("note x --only Ben --by Ana", "note for Ben: (secret)   (entered by Ana)"),
        ("note x --only Ana --about 9", "note for Ana about #10 (mara check, marginal success): (secret)"),
        ("note x --about 10 --by Ana", "note about #10 (mara check, marginal success): x   (entered by Ana)"),
    ],
)
def test_the_log_says_whom_a_note_is_from_and_for_and_what_it_is_about(table: Type, typed: str, says: str) -> None:
    assert table(typed).exit_code == 0
    assert last_line(table) == says


def test_a_note_about_a_note_does_not_repeat_what_that_note_is_about(table: Type) -> None:
    table("note first --about 10")
    table("note second --about 11")
    assert last_line(table) == "note about #11 (note: first): second"
    table("note third --only Ana")
    table("note fourth --about 13")
    assert last_line(table) == "note about #13 (note for Ana: (secret)): fourth"


def test_only_the_gm_sees_a_note_for_one_player_at_the_terminal(table: Type) -> None:
    table(f"note '{KEPT}' --only Ana")
    for look in ("show 11", "log", "chronicle", "recap"):
        assert KEPT not in table(look).output
    assert KEPT in table("show 11 --secrets").stdout
    assert "Ana is not a GM" in table("--by Ana show 11 --secrets").stderr


def test_a_note_for_one_player_can_be_revealed_to_everybody(table: Type) -> None:
    table(f"note '{KEPT}' --only Ana")
    assert table("reveal 11").exit_code == 0
    assert KEPT in table("log").stdout


def test_a_note_for_nobody_that_sits_here_is_refused(table: Type) -> None:
    refused = table("note x --only Zoe")
    assert (refused.exit_code, "Zoe" in refused.stderr) == (3, True)
    assert table("log --json -n all").stdout.count('"leaf"') == 10


@pytest.mark.parametrize("named", ["11", "99", "0"])
def test_a_note_about_an_entry_that_is_not_there_is_refused(table: Type, named: str) -> None:
    refused = table(f"note x --about {named}")
    assert (refused.exit_code, f"There is no entry #{named}" in refused.stderr) == (3, True)
    assert table("log --json -n all").stdout.count('"leaf"') == 10


def test_a_note_about_an_entry_stands_at_this_entry_and_in_the_reasons_of_a_score(table: Type) -> None:
    table("adjust mara edge=-1 --why bargain")
    table("note 'she will pay' --about 11")
    table(f"note '{KEPT}' --about '#11' --secret")
    table("note 'he lies' --about 11 --by Ana --only Ben")
    shown = table("show 11").stdout
    assert "#12 note: she will pay" in shown
    assert "#14 note by Ana for Ben: (secret)" in shown
    assert "she will pay" in table("why mara edge").stdout
    assert KEPT not in table("show 11").stdout + table("why mara edge").stdout
    assert KEPT in table("show 11 --secrets").stdout


def test_the_note_stands_at_the_corrected_entry_too_and_a_dispute_does_not(table: Type) -> None:
    table("note 'she blinked' --about 9")
    table("dispute 10 --claim dark --player Ana")
    named = 10
    for skill in (12, 13):
        assert table(f"amend {named} --skill {skill} --yes --why x").exit_code == 0
        shown = table("show").stdout
        assert ("she blinked" in shown, "dark" in shown) == (True, False)
        named = newest(table, "move-played")["seq"]
    table("undo")
    assert "she blinked" in table("show 10").stdout


def test_a_corrected_note_keeps_its_people_and_what_it_is_about_and_stands_there_once(table: Type) -> None:
    table(f"note '{KEPT}' --only Ben --about 10 --by Ana")
    named = 11
    for text in ("one", "two"):
        assert table(f"amend {named} --text {text} --yes --why x").exit_code == 0
        named = newest(table, "note-kept")["seq"]
    corrected = newest(table, "note-kept")
    assert (corrected["players"], corrected["about"]) == (["p3"], 10)
    assert [mark["name"] for mark in corrected["marks"]] == [f"9:{corrected['seq']}"]
    shown = table("show 10 --secrets").stdout
    assert ("note for Ben" in shown, "two" in shown, "one\n" in shown, KEPT in shown) == (
        True,
        True,
        False,
        False,
    )
    assert table("verify").exit_code == 0
    assert "No problems found" in table("audit").stdout


@pytest.mark.parametrize("left_out", ["secret", "players"])
def test_an_amendment_does_not_show_a_secret_note_to_other_people(table: Type, left_out: str) -> None:
    table(f"note '{KEPT}' --only Ana")
    refused = table(f"amend 11 --without {left_out} --yes --why x")
    assert (refused.exit_code, "cannot leave" in refused.stderr) == (2, True)


@pytest.mark.parametrize(("flags", "readers"), [("--only Ben", ["p3"]), ("--without only", [])])
def test_a_secret_note_gets_other_readers_and_stays_secret(table: Type, flags: str, readers: list[str]) -> None:
    table(f"note '{KEPT}' --only Ana")
    assert table(f"amend 11 {flags} --yes --why x").exit_code == 0
    assert newest(table, "note-kept")["players"] == readers
    assert KEPT not in table("show 11").stdout
    assert "No problems found" in table("audit").stdout


def test_an_open_note_cannot_be_hidden_later(table: Type) -> None:
    table("note 'she blinked'")
    refused = table("amend 11 --only Ana --yes --why x")
    assert (refused.exit_code, "No such option" in refused.stderr) == (2, True)


def test_what_a_note_is_about_can_be_corrected_and_left_out(table: Type) -> None:
    table("note 'she blinked' --about 10")
    table("amend 11 --about 5 --yes --why x")
    assert "she blinked" not in table("show 10").stdout
    assert "she blinked" in table("show 5").stdout
    table("amend 14 --without about --yes --why x")
    assert "she blinked" not in table("show 5").stdout
    assert "No problems found" in table("audit").stdout


@pytest.mark.parametrize("comment", ["note x --about {}", "dispute {} --claim x --player Ana"])
def test_a_comment_on_a_strike_does_not_hinder_a_later_correction(table: Type, comment: str) -> None:
    table("set mara weapon.knife=1d6+2 --why x")
    attacked = "edge attack mara knife brak --skill 19 --target 10 --faces 7,6,1,1,1"
    assert table(attacked).exit_code == 0
    check = newest(table, "move-played")["act"]
    assert table(f"amend {check} --skill 18 --yes --why x").exit_code == 0
    strike = newest(table, "action-struck")["seq"]
    assert table(comment.format(strike)).exit_code == 0
    last = newest(table, "move-played")["seq"]
    assert table(f"amend {last} --faces 1,1,2 --yes --why x").exit_code == 0


@pytest.mark.parametrize("reader", ["Ana", "ana", "p2"])
def test_an_export_for_a_player_has_the_notes_that_the_player_may_read_and_no_other_secret(
    table: Type, folder: Path, reader: str
) -> None:
    for words in (
        "note forana --only Ana",
        "note byana --secret --by Ana",
        "note forben --only Ben",
        "note forgm --secret",
        "note abouther --secret --by Ben",
    ):
        assert table(words).exit_code == 0
    table("amend 12 --text byananow --yes --why x")
    done = table(f"export copy --for {reader}")
    assert done.output.startswith("This export contains secret notes. Give it only to Ana.")
    assert "Ana imports the export and types: campaign show ENTRY --secrets" in done.stderr
    held = (folder / "copy" / "words.jsonl").read_text()
    notes = ("forana", "byana", "byananow", "forben", "forgm", "abouther")
    assert [note for note in notes if f'\\"{note}\\"' in held] == ["forana", "byana", "byananow"]
    assert (folder / "copy").stat().st_mode & 0o777 == 0o700
    assert table("-f copy.campaign import copy --yes").exit_code == 0
    assert "forana" in table("-f copy.campaign show 11 --secrets").stdout
    assert "A player copy stays read-only" in table("-f copy.campaign note x").stderr


def test_an_export_for_a_gm_or_for_nobody_is_refused(table: Type, folder: Path) -> None:
    for whom, says in (("Tom", "Tom is a GM"), ("Zoe", "Nobody called 'Zoe'")):
        refused = table(f"export copy --for {whom}")
        assert (refused.exit_code, says in refused.stderr, (folder / "copy").exists()) == (3, True, False)


def test_an_export_for_a_player_without_notes_says_nothing_of_them(table: Type) -> None:
    table("note x --secret")
    assert "secret notes" not in table("export copy --for Ben").stderr
