"""What a GM types and sees where a correction reaches further: cascades, missed days, and other owners."""

from pathlib import Path

import pytest

from terminal import Type, rows


def typed(type_in: Type, *lines: str) -> None:
    for line in lines:
        assert type_in(line).exit_code == 0, line


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def roof(type_in: Type) -> Type:
    """Mara died on day 0, and two days passed."""
    typed(
        type_in,
        "init roof --gm Tom",
        "player Ana --plays mara",
        "join mara byzantine general=20",
        "join brak byzantine general=20",
        "byzantine harm mara 60 --how crushed",
        "day next --count 2",
    )
    return type_in


def test_the_plan_of_a_void_says_which_dawns_were_missed_and_names_the_flag_that_plays_them(roof: Type) -> None:
    plan = roof("void 6 --why x --dry-run")
    assert "mara missed the dawn on day 1 and day 2." in plan.stdout
    assert "add --cascade" in plan.stderr
    plan = roof("void 6 --why x --dry-run --cascade")
    assert "adds #25 (mara day 1: 0 energy) (in effect from #10 on)" in plan.stdout
    assert "--cascade" not in plan.stderr


def test_a_question_about_missed_dawns_is_answered_with_play(roof: Type) -> None:
    roof("void 6 --why x --yes")
    assert "decide 19 keep|play --why TEXT" in roof("questions").stdout
    assert "question #19 is answered (played): she lives" in roof("decide 19 play --why 'she lives' --yes").stdout
    assert "No open questions." in roof("questions").stderr
    assert "general pool  18" in roof("sheets mara").stdout


def test_a_missed_dawn_is_no_longer_missed_if_its_day_is_voided(roof: Type) -> None:
    roof("void 6 --why x --yes")
    assert "question #19 is closed: mara has not missed a dawn after all" in roof("void 10 --why x --yes").stdout


def test_a_corrected_investment_is_put_right_with_one_answer(type_in: Type) -> None:
    typed(type_in, "init mill --gm Tom", "join m byzantine output.a=5 output.b=5", "day next")
    typed(type_in, "byzantine invest m 10 --project p", *["day next"] * 6)
    plan = type_in("amend 7 --energy 5 --why 'only 5' --dry-run")
    assert "add --cascade" in plan.stderr
    typed(type_in, "amend 7 --energy 5 --why 'only 5' --yes")
    assert "decide QUESTION amend --cascade --why TEXT" in type_in("questions").stderr
    done = type_in("decide 45 amend --cascade --why so --yes").stdout
    assert "question #46 is closed: the result of #16 (m day 3: 10 energy) fits the current numbers" in done
    assert "question #51 is closed: m's invested in p today is within its limits again" in done
    assert "No open questions." in type_in("questions").stderr
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.parametrize(
    ("line", "flags", "says"),
    [
        ("adjust mara edge=-1", "--who brak", "brak edge 3 → 2"),
        ("set mara care=yes --why x", "--who brak", "who brak"),
        ("roll mara 2d6+1 --faces 3,4", "--who brak", "who brak: the total is 8"),
        ("join sam free hp=3", "--who tim", "tim hp 0 → 3"),
        ("join sam free", "--system edge", "system edge"),
        ("note psst --only Ana", "--only Ben", "players Ben"),
    ],
)
def test_an_entry_goes_to_another_owner(type_in: Type, line: str, flags: str, says: str) -> None:
    typed(type_in, "init R --gm Tom", "player Ana --plays mara", "player Ben --plays brak")
    typed(type_in, "join mara edge maximum=4 edge=3", "join brak edge maximum=4 edge=3", line)
    entry = rows(type_in("log -n 1 --json").stdout)[0]["seq"]
    assert says in type_in(f"amend {entry} {flags} --why x --yes").stdout
    assert "No problems found." in type_in("audit").stdout


def test_a_change_for_another_character_must_be_possible_on_that_sheet(type_in: Type) -> None:
    typed(type_in, "init R --gm Tom", "join mara edge maximum=4 edge=3", "join brak free gold=3", "adjust mara edge=-1")
    assert "brak has no sheet in 'edge'." in type_in("amend 5 --who brak --why x --yes").stderr


@pytest.mark.parametrize("climb", [-14, -13, 9])
def test_a_preview_hides_equal_and_different_results_alike_if_a_secret_decides(type_in: Type, climb: int) -> None:
    typed(type_in, "init R --gm Tom", "player Ana --plays mara", "join mara byzantine general=40 ability.climb=3")
    typed(type_in, "adjust mara ability.climb=+4 --why x", "adjust mara ability.climb=+1 --why y")
    typed(type_in, "byzantine task climb --costs 12")
    typed(type_in, "byzantine attempt mara climb --ability climb --energy 2")
    typed(type_in, "amend 5 ability.climb=+19 --why x --yes")
    amended = f"amend 6 ability.climb={climb:+} --why x --dry-run"
    assert "This reveals one of the GM's secrets." in type_in(amended).stdout, amended


def test_a_gm_may_see_the_plan_that_depends_on_the_gms_own_secrets(type_in: Type) -> None:
    typed(type_in, "init R --gm Tom", "player Ana --plays mara", "join mara edge maximum=4 edge=4")
    typed(type_in, "adjust mara edge=-4", "adjust mara edge=+1")
    typed(type_in, "edge check mara --skill 11 --target 20 --secret --edge --drop 3 --faces 7,3,7")
    line = "void 6 --why x --dry-run"
    assert "This reveals one of the GM's secrets." in type_in(line).stdout
    plan = type_in(f"{line} --secrets").stdout
    assert "would be #10" in plan
    assert "used mara's edge (then 1; now 0); the rules would refuse this roll." in plan
    refused = type_in(f"{line} --secrets --by Ana")
    assert refused.exit_code == 3
    assert "Ana is not a GM. Only a GM can use --secrets." in refused.stderr
    type_in("void 6 --why x --secrets --yes")
    assert "#10" in type_in("log -n 1").stdout


def test_the_recap_reads_the_questions_of_a_correction_aloud(type_in: Type) -> None:
    typed(
        type_in, "init R --gm Tom", "join mara byzantine general=20", "join mara free gold=0", "join brak free gold=0"
    )
    typed(type_in, "session open One", "adjust mara gold=+25", "give mara brak gold=20", "assert mara free/gold=5")
    typed(type_in, "byzantine harm mara 60 --how crushed", "day next", "void 10 --why x --yes")
    typed(type_in, "amend 7 gold=+15 --why x --yes")
    told = type_in("recap").stdout
    assert "Mara missed the dawn on day 1. The GM has to decide." in told
    assert "Mara gave 20 gold, but had only 15. The GM has to decide." in told
    assert "Mara's paper sheet has five gold, but the record has −5. The GM has to decide." in told


def test_the_plan_of_a_cascade_that_redoes_nothing_says_so_and_why(type_in: Type) -> None:
    typed(type_in, "init mill --gm Tom", "join mara edge edge=0 maximum=4", "adjust mara edge=+1")
    typed(type_in, "edge check mara --skill 10 --edge --drop 3 --faces 7,3,7")
    plan = type_in("amend 4 edge=+0 --why x --cascade --dry-run").stderr
    says = "--cascade redoes nothing here. The GM must decide about the later results above.\n"
    assert says in plan
    assert says in type_in("void 4 --why x --cascade --dry-run").stderr
    plan = type_in("amend 4 edge=+2 --why x --cascade --dry-run").stderr
    assert "--cascade redoes nothing here. No later result changes.\n" in plan
    assert "redoes nothing" not in type_in("amend 4 edge=+2 --why x --dry-run").stderr


@pytest.fixture
def pair(type_in: Type) -> Type:
    """mara has left, and the GM enters lines for all, which means brak."""
    typed(type_in, "init pair --gm Tom", "join mara free gold=0", "join brak free gold=0", "leave mara")
    typed(type_in, "adjust all gold=+10", "roll all d20 --faces 7")
    return type_in


def test_a_line_for_all_that_found_one_character_is_for_the_group(pair: Type) -> None:
    plan = pair("void 5 --why x --dry-run")
    lines = "#6 (brak adjusted by hand, gold +10) and #8 (brak rolls d20 = 7)"
    assert f"mara is missing from {lines}, which were for the whole group." in plan.stdout
    assert "add --cascade" in plan.stderr
    done = pair("void 5 --why x --cascade --yes")
    assert "adds #13 (mara adjusted by hand, gold +10) (in effect from #6 on)" in done.stdout
    assert "mara is missing from #8 (brak rolls d20 = 7), which was for the whole group." in done.stdout


def test_the_same_line_for_one_character_alone_is_not_for_the_group(pair: Type) -> None:
    typed(pair, "undo 2", "adjust brak gold=+10")
    assert "has no part" not in pair("void 5 --why x --yes").stdout


def test_a_part_that_needs_dice_is_entered_by_hand(pair: Type) -> None:
    typed(pair, "undo 2", "roll all d20 --faces 7", "void 5 --why x --yes")
    refused = pair("decide last play --why x --yes")
    assert "These lines need dice or a choice, so mara's part cannot be played here." in refused.stderr
