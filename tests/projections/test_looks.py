"""What can be looked at: where a number came from, what changed, and what happened, told again."""

import re
import subprocess
from pathlib import Path

import pytest

from forging import read
from ledger.commands.naming import Rename
from ledger.commands.play import PlayMove
from ledger.journal.book import Book
from ledger.systems.edge.moves_check import Check
from projections.log import line
from projections.questions import questions
from table import scribe
from terminal import Type, command, rows, typed_at_a_terminal


def test_why_is_of_any_point(evening: Type) -> None:
    evening("amend 11 edge=-3 --why so --yes")
    assert "edge is 3" in evening("why mara edge --at 11").stdout
    assert "edge is 1" in evening("why mara edge --at 11 --corrected").stdout
    assert "edge is 1" in evening("why mara edge").stdout


def test_the_words_that_were_typed_with_a_move_are_in_the_log_in_full_and_with_the_why(evening: Type) -> None:
    evening("edge check mara --skill 3 --bonus 2 --why 'high ground' --edge --drop 3 --faces 3,4,9")
    assert "high ground" not in evening("log -n 1").stdout
    assert "\n      why: high ground\n" in evening("-v log -n 1").stdout
    assert "why: high ground" in evening("why mara edge").stdout
    evening("adjust mara edge=+1 --why 'a gift'")
    evening("override 25 yes --why 'house rule' --yes")
    told = evening("log -n 2").stdout.splitlines()
    assert ["a gift" in told[0], "house rule" in told[1]] == [True, True]
    assert "a gift" in evening("why mara edge").stdout


def test_what_changed_between_two_points_and_who_did_it(evening: Type) -> None:
    shown = evening("diff 4 23").stdout
    assert (
        "mara · edge\n  edge             4 → 3    #11 −1 adjusted by hand, #14 −1 edge spent, #16 +1 edge gained\n"
        in shown
    )
    assert "  care             – → yes  #20 set by hand\n" in shown
    assert "#5 joined" in shown
    assert "sheet" not in shown
    found = rows(evening("diff session:1 23 --json").stdout)
    assert found == []
    assert evening("diff 23 23").stderr == "No sheet changed.\n"
    evening("amend 11 edge=-2 --why x --yes")
    (change,) = (each for each in rows(evening("diff 9 23 --corrected --json").stdout) if each["name"] == "edge/edge")
    assert (change["before"], change["after"]) == (4, 2)
    assert [each["entry"] for each in change["entries"]] == [26, 14, 16]


def posted(type_in: Type, words: str) -> list[int]:
    """The entries behind the change of mara's edge."""
    found = rows(type_in(f"{words} --json").stdout)
    return [each["entry"] for change in found if change["name"] == "edge/edge" for each in change["entries"]]


def test_a_difference_leaves_out_what_was_written_and_struck_within_it(evening: Type) -> None:
    evening("amend 11 edge=-3 --why x --yes")  # 24 25 26
    assert posted(evening, "diff 9 26") == [14, 16, 26]
    assert posted(evening, "diff 11 26") == [14, 16, 25, 26], "what the strike cancels is older"
    evening("undo")  # 27
    assert posted(evening, "diff 9 27") == [11, 14, 16]
    assert posted(evening, "diff 23 27") == []
    evening("adjust mara edge=+1 --why x")
    assert posted(evening, "diff 23 28") == [28]
    evening("undo")
    assert posted(evening, "diff 23 29") == []


def test_what_a_difference_names_adds_up_to_it(evening: Type) -> None:
    for words in ("amend 13 --skill 2", "void 15", "adjust mara edge=+2", "amend 11 edge=-2"):
        evening(f"{words} --why x" + ("" if words.startswith("adjust") else " --yes"))
    evening("undo")
    evening("redo")
    last = rows(evening("log -n 1 --json").stdout)[-1]["seq"]
    for one in range(4, last):
        for change in rows(evening(f"diff {one} {last} --json").stdout):
            if isinstance(change["after"], int) and not isinstance(change["after"], bool):
                moved = sum(each["amount"] for each in change["entries"] if each["amount"] is not None)
                assert change["after"] - change["before"] == moved, (one, change)


def test_a_long_difference_names_the_first_entries_and_counts_the_others(evening: Type) -> None:
    for _ in range(9):
        evening("adjust mara strength=+1 --why x")
    assert (
        "6 → 15  #24 +1, #25 +1, #26 +1, #27 +1, #28 +1, #29 +1, #30 +1, #31 +1 and 1 more entry\n"
        in evening("diff 23 32").stdout
    )


def test_a_weapon_reads_the_same_on_the_sheet_under_why_and_in_a_difference(evening: Type) -> None:
    evening("set mara weapon.bow=2d6+2 weapon.rifle=3d6+4,burst=2 --why x")
    assert "bow         2d6 + 2, physical\n" in evening("sheets mara --game edge").stdout
    assert re.search(r"^  weapon\.bow +2d6 \+ 2, physical$", evening("sheets mara --all").stdout, re.MULTILINE)
    assert evening("why mara weapon.bow").stdout.startswith("mara · weapon.bow is 2d6 + 2, physical\n")
    shown = evening("diff 23 24").stdout
    assert "weapon.bow    – → 2d6 + 2, physical              #24 set by hand\n" in shown
    assert "weapon.rifle  – → 3d6 + 4, physical, burst +2d6  #24 set by hand\n" in shown


def test_bookkeeping_is_in_the_json_of_a_difference_alone(evening: Type) -> None:
    evening("set mara weapon.pistol=2d6 --why x")
    evening("edge damage mara pistol --to brak --faces 6,6")
    assert "edge/dealt" in {change["name"] for change in rows(evening("diff 24 26 --json").stdout)}
    assert "dealt" not in evening("diff 24 26").stdout


def test_the_sheets_of_one_game(evening: Type) -> None:
    shown = evening("sheets --game coin").stdout
    assert [line for line in shown.splitlines() if "·" in line] == ["brak · coin", "mara · coin"]
    assert {each["system"] for each in rows(evening("sheets mara --game edge --json").stdout)} == {"edge"}
    assert evening("sheets --game byzantine").stderr == (
        "Error: Nobody has a sheet in byzantine.\nHint: To make a sheet: campaign join WHO byzantine\n"
    )
    assert "no game called 'chess'" in evening("sheets --game chess").stderr


def test_a_table_has_a_line_a_character_and_says_what_it_leaves_out(evening: Type) -> None:
    evening("edge check mara --skill 11 --edge --faces 7,3,7")
    seen = evening("sheets --game edge --table")
    title, brak, mara = seen.stdout.splitlines()
    assert title.split() == ["edge", "edge", "strength", "deception", "injuries", "care", "question"]
    assert brak.split()[:4] == ["brak", "1", "of", "2"]
    assert mara.endswith("#25"), "the question that the character waits for"
    assert [line.index("2 of 4" if "2 of 4" in line else "1 of 2") for line in (brak, mara)] == [
        title.index("edge", 4)
    ] * 2
    assert max(map(len, (title, brak, mara))) <= 80
    assert seen.stderr == "The table has no room for 2 values: armor, attributes.\n"
    assert evening("sheets --table").stdout.count("\n\n") == 1, "one table for each game"


def test_a_character_who_is_gone_is_told_in_a_difference(evening: Type) -> None:
    evening("rewind --to 23 --yes")
    evening("join sam edge maximum=2")
    evening("undo")
    assert "sam · edge\n" in evening("diff 24 25").stdout


def test_the_story_is_told_by_session_and_scene(evening: Type) -> None:
    evening("void 10 --why x --yes")
    evening("session close")
    evening("note 'at home'")
    plain = evening("chronicle --all").stdout
    assert "Before the first session" in plain
    assert "Session 1: One (2026-11-20, present: Ana)" in plain
    assert "  At the gate\n" in plain
    assert "Between sessions" in plain
    markdown = evening("chronicle --all --session 1 --markdown").stdout
    assert "- ~~Mara made a roll without a stated purpose and narrowly succeeded.~~ (voided by #24) (#10)" in markdown
    assert "at home" not in markdown
    for words in ("chronicle", "chronicle --all --corrected"):
        assert "narrowly succeeded" not in evening(words).stdout
    chapters = rows(evening("chronicle --all --json").stdout)
    assert [each["session"] for each in chapters] == [None, 1, None]
    evening("undo")
    evening("undo")
    assert "Between sessions" not in evening("chronicle --all").stdout
    assert "Session 1" in evening("chronicle --at 12").stdout


def test_a_replay_tells_each_action_in_a_sentence_with_the_scores_that_it_changed(evening: Type) -> None:
    told = evening("replay --session 1").stdout
    assert (
        "#13   Mara made a roll without a stated purpose and succeeded completely.\n      edge 3 → 2\n#15   Mara earned one point of edge: “well done.”\n"
        in told
    )
    assert not [name for name in ("edge-spent", "dice-thrown", " · ") if name in told]
    frames = rows(evening("replay --from session:1 --to 14 --json").stdout)
    assert [frame["entry"]["seq"] for frame in frames] == list(range(8, 15))
    assert len(rows(evening("replay --json").stdout)) == 23
    assert len(rows(evening("replay --json --at 12").stdout)) == 14
    assert len(evening("replay --speed 50 --session 1").stdout.splitlines()) == len(told.splitlines())


def test_a_replay_is_stepped_through_forward_and_back(file: Path) -> None:
    subprocess.run(command(file, "note", "one"), check=True, capture_output=True)
    keys = [("Action 1 of 7", " "), ("Action 2 of 7", "b"), ("Action 1 of 7", "\x1b[C"), ("Action 2 of 7", "q")]
    screen = typed_at_a_terminal(command(file, "replay", "--step"), keys, enter="")
    assert screen.count("Action 1 of 7") == 2
    assert screen.endswith("exit 0")
    assert "Mara got a sheet for the game Edge." in typed_at_a_terminal(command(file, "replay", "--speed", "100"), [])


def test_a_sealed_roll_that_the_gm_opens_for_a_look_is_shown_as_its_ruling(evening: Type) -> None:
    evening("edge check mara --skill 5 --target 20 --advantage map --seal --faces 3,4,5")
    evening("edge check mara --skill 5 --target 20 --secret --seal --faces 4,5")
    assert evening("show 24").stdout.startswith("#24   sealed roll  ? not revealed yet\n      by Tom")
    told = evening("show 24 --secrets").stdout
    assert told.startswith("#24   mara sealed roll ✗ significant failure: 14 against 20 (4 + 5 + 5; 3 dropped)\n")
    assert "      target     14 against 20\n      dice typed in\n      advantage: map\n      skill: 5\n" in told
    assert "      die 1 of 3 (3) does not count: lowest\n" in told
    (facts,) = rows(evening("show 24 --secrets --json").stdout)
    assert (facts["type"], facts["ruling"]["type"]) == ("roll-sealed", "move-played")
    assert {name: facts[name] for name in facts["ruling"] if name != "type"} == {
        name: held for name, held in facts["ruling"].items() if name != "type"
    }
    assert facts["inputs"]["advantage"] == [{"word": "map"}]
    assert "against a secret number" in evening("show 25 --secrets").stdout
    assert rows(evening("show 25 --secrets --json").stdout)[0]["verdict"]["margin"] == {"secret": "-6"}


def test_where_the_dice_come_from_is_shown_also_for_a_choice_a_changed_result_and_an_opened_seal(
    evening: Type,
) -> None:
    evening("edge check mara --skill 5 --target 20 --edge --faces 3,4,5")
    asked = rows(evening("log -n 1 --json").stdout)[-1]["seq"]
    evening("choose --drop 3")
    assert "      dice typed in\n" in evening("show").stdout
    evening("edge check mara --skill 5 --target 20 --seal")
    assert "dice rolled" not in evening("show").stdout
    assert "      dice rolled by the computer\n" in evening("show --secrets").stdout
    evening(f"amend {asked} --skill 6 --why x --yes")
    assert evening("show").stdout.count("      dice typed in\n") == 1


def test_a_player_is_not_shown_the_secrets_of_the_gm(evening: Type) -> None:
    evening("edge check mara --skill 5 --target 20 --secret --faces 4,5")
    shown = evening("--by Ana show --secrets")
    assert (shown.exit_code, shown.stdout) == (3, "")
    assert shown.stderr == "Error: Ana is not a GM. Only a GM can use --secrets.\n"
    assert "14 against 20" in evening("show --secrets").stdout
    evening("player Ana --gm")
    assert "14 against 20" in evening("--by Ana show 25 --secrets").stdout


def test_words_that_were_erased_are_told_so_also_beside_secrets(evening: Type) -> None:
    evening("erase 22 23 --yes")
    assert evening("show 23 --secrets").stdout.startswith("#23   note: (erased)\n")
    told = evening("show 22 --secrets").stdout
    assert "target: 5\n" in told
    assert "word" not in told


def test_an_override_whose_words_were_erased_shows_no_verdict_of_its_own(evening: Type) -> None:
    evening("override 10 'she falls' --bad --why x --yes")
    evening("erase 24 --yes")
    assert "overridden by #24: ✗ (erased)" in evening("show 10").stdout
    assert evening("show 24").stdout.startswith("#24   overrides #10 (mara check, marginal success)\n")


@pytest.mark.parametrize("change", [{"move": "leap"}, {"inputs": {"who": "mara", "leap": 3}}, {"system": "chess"}])
def test_a_question_that_the_installed_game_does_not_know_is_told_all_the_same(
    book: Book, change: dict[str, object]
) -> None:
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True)))
    forged = read(book)
    (asked,) = (body for body in forged.bodies if body["type"] == "question-asked")
    asked |= change
    (waiting,) = questions(forged.book())
    assert waiting.says == asked["move"]


def test_a_row_of_the_sheet_is_a_name_that_one_may_ask_for(folder: Path, type_in: Type) -> None:
    for words in ("set mara on.deception=cunning,presence --why x", "edge grant mara disadvantage --why dark"):
        assert type_in(words).exit_code == 0
    assert "deception" in type_in("sheets mara").stdout
    told = type_in("why mara deception").stdout
    assert "mara · skill.deception is 4" in told
    assert "mara · on.deception is " in told
    assert "on.deception = cunning,presence: x" in told
    assert type_in("why mara disadvantage").stdout.startswith("mara · disadvantage.any is 1")
    assert type_in("why mara edge").stdout.count(" · ") == 1
    score, mark = rows(type_in("why mara deception --json").stdout)
    assert (score["score"], mark["mark"], len(mark["counts"])) == ("edge/skill.deception", "edge/on.deception", 1)
    type_in("undo")
    type_in("undo")
    assert "on.deception" not in type_in("why mara deception").stdout
    type_in("edge burn mara --against 'the fall'")
    type_in("set mara care=yes --why x")
    assert type_in("why mara care").stdout.startswith("mara · care is yes\n├─ #")


def test_what_was_answered_by_then_is_not_open_then(evening: Type) -> None:
    evening("dispute 11 --claim 'too dark'")
    asked = int(re.findall(r"#(\d+)", evening("log -n 1").stdout)[0])
    assert "too dark" in evening(f"log --open --at {asked}").stdout
    assert evening(f"decide {asked} keep --why 'there was light'").exit_code == 0
    answered = int(re.findall(r"#(\d+)", evening("log -n 1").stdout)[0])
    evening("note more")
    assert "too dark" not in evening(f"log --open --at {answered}").stdout
    assert "too dark" in evening(f"log --open --at {asked}").stdout
    evening("dispute 11 --claim 'too loud'")
    looked = evening(f"log --open --at {answered} --corrected")
    assert (looked.exit_code, "too loud" in looked.stdout) == (0, False)


def test_a_score_that_was_set_to_what_it_was_is_no_change_in_the_chronicle(evening: Type) -> None:
    assert evening("adjust mara maximum=4 --why 'it stays'").exit_code == 0
    (told,) = (line for line in evening("chronicle").stdout.splitlines() if "it stayed" in line)
    assert "maximum" not in told


def test_the_log_tells_a_move_of_a_game_that_is_not_installed_with_the_short_names(book: Book) -> None:
    scribe(book).write(Rename(who="mara", name="Mara of the Salt", short=None))
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)), faces=(7, 6))
    forged = read(book)
    played = next(body for body in forged.bodies if body["type"] == "move-played")
    played["system"] = "chess"
    away = forged.book()
    shown = line(away, away.action(played["act"]))
    assert shown.verdict is not None
    assert (shown.who, shown.verdict.says) == ("Mara of the Salt", "marginal success (+4)")
