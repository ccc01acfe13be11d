"""Manners: what users stumbled over at the table, each now the other way round."""

import shutil
from html import unescape
from pathlib import Path

import pytest

from paths import GOLDEN
from terminal import Type, command, typed_at_a_terminal


def shown(type_in: Type, words: str, code: int = 0) -> str:
    done = type_in(words)
    assert done.exit_code == code, done.output
    return done.stdout + done.stderr


def test_help_of_a_question_is_no_error(evening: Type) -> None:
    shown(evening, "dispute 10 --claim x --player Ana")
    assert "Answer an open question" in shown(evening, "decide 24 --help")
    assert "--why" in shown(evening, "decide 24 amend --help")


def test_a_choice_without_its_flags_is_asked_for_at_a_terminal(folder: Path, type_in: Type) -> None:
    shown(type_in, "edge check mara --skill 11 --edge --faces 7,3,7")
    (question,) = [line for line in shown(type_in, "questions").split() if line.startswith("#")][:1]
    refused = shown(type_in, f"choose {question[1:]}", 2)
    assert "You did not choose anything" in refused
    words = command(folder / "road.campaign", "choose", question[1:])
    assert "complete success" in typed_at_a_terminal(words, [("Which die do you want to drop?", "3")])


def test_whoever_undoes_a_choice_is_told_that_the_question_is_open_again(folder: Path, type_in: Type) -> None:
    shown(type_in, "edge check mara --skill 11 --edge --faces 7,3,7")
    question = shown(type_in, "questions").split()[0][1:]
    shown(type_in, f"choose {question} --drop 3")
    assert f"question #{question} is open again" in shown(type_in, "undo")


@pytest.mark.parametrize(
    "correction", ["rewind --to 11 --yes", "void 11 --why x --yes", "amend 11 edge=-2 --why x --yes"]
)
def test_where_there_is_nothing_to_redo_it_is_said_how_the_last_correction_is_taken_back(
    evening: Type, correction: str
) -> None:
    number = shown(evening, correction).split()[0]
    assert f"To undo {number}, type 'campaign undo'." in shown(evening, "redo", 3)


@pytest.mark.parametrize("look", ["register", "why"])
def test_a_score_that_never_was_has_no_account(folder: Path, type_in: Type, look: str) -> None:
    assert "mara never had skill.juggling. Hint: mara has:" in shown(type_in, f"{look} mara skill.juggling", 3).replace(
        "\n", " "
    )


def test_a_name_that_a_correction_took_away_is_in_no_hint_and_makes_no_prefix_ambiguous(
    folder: Path, type_in: Type
) -> None:
    shown(type_in, "adjust mara skill.stealth=+2 --why x")
    shown(type_in, "adjust mara skill.steering=+1 --why x")
    assert "could be any of" in shown(type_in, "register mara skill.ste", 3)
    shown(type_in, "undo")
    assert "skill.stealth" in shown(type_in, "register mara skill.ste")
    assert "steering" not in shown(type_in, "register mara nothing", 3)
    assert "skill.steering" in shown(type_in, "register mara skill.steering")


def test_a_dry_run_does_not_read_as_if_written(folder: Path, type_in: Type) -> None:
    done = type_in("adjust mara edge=-1 --why x --dry-run")
    assert done.stdout.startswith("would be #8")


def test_a_witness_who_asks_again_is_shown_the_same_line(folder: Path, type_in: Type) -> None:
    first = shown(type_in, "witness init ana")
    assert shown(type_in, "witness init ana") == first
    assert first.split()[0] in shown(type_in, "witness init ben", 3)


def test_a_session_is_told_again_from_and_to_an_entry_within_it(evening: Type) -> None:
    told = shown(evening, "replay --session 1 --from 10 --to 11")
    assert [line.split()[0] for line in told.splitlines() if line.startswith("#")] == ["#10", "#11"]
    assert "comes after" in shown(evening, "replay --session 1 --to 3", 2)


def test_sealed_rolls_that_wait_are_told_from_each_other(evening: Type) -> None:
    shown(evening, "edge check mara --skill 11 --faces 7,6 --seal --until session-end")
    shown(evening, "edge check mara --skill 12 --faces 7,6 --seal")
    first, second = [line for line in shown(evening, "questions").splitlines() if "sealed roll" in line]
    assert "sealed roll by Tom, 20" in first
    assert first.endswith(", due at the end of the session.")
    assert "due" not in second


def test_the_full_chronicle_in_markdown_and_html_keeps_the_entries_of_canceled_lines(evening: Type) -> None:
    shown(evening, "void 18 --why x --yes")
    for words in ("chronicle --all --markdown", "chronicle --all --html"):
        assert "voided by #24" in unescape(shown(evening, words))


def test_an_entry_as_of_an_earlier_point_knows_nothing_of_what_came_later(evening: Type) -> None:
    before = {words: shown(evening, f"{words} --at 23") for words in ("show 10", "replay --from 9 --to 12")}
    shown(evening, "dispute 10 --claim 'it was dark' --player Ana")
    shown(evening, "decide 24 uphold --why x")
    shown(evening, "override 10 won --good --why x --yes")
    shown(evening, "void 11 --why x --yes")
    assert {words: shown(evening, f"{words} --at 23") for words in before} == before
    assert "it was dark" in shown(evening, "show 10")


def test_an_amendment_says_which_edition_rules_it_now(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(GOLDEN / "campaigns" / "first-editions.campaign", "road.campaign")
    (check,) = [line.split()[0] for line in shown(type_in, "log -n all").splitlines() if "(3 + 2 " in line]
    assert "uses edition edge/3 of the rules, but " + check + " used edition edge/1" in shown(
        type_in, f"amend {check[1:]} --skill 9 --why x --yes --clock-ok"
    )
