"""Free: a sheet with numbers by name and no rules, for games that are not on the list."""

from pathlib import Path

import pytest

from terminal import Type


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """Make a table where mara has a free sheet."""
    type_in("join mara free hp=9 gold=50 dex=-1")
    return type_in


def test_a_free_sheet_takes_any_numbers_by_name(table: Type) -> None:
    assert table("sheets mara").stdout.endswith("mara · free\n  dex   −1\n  gold  50\n  hp    9\n")
    assert table("verify").exit_code == table("audit").exit_code == 0


def test_a_number_moves_by_hand_and_its_register_says_why(table: Type) -> None:
    assert table("adjust mara gold=+5 --why loot").stdout.endswith("mara adjusted by hand: loot   gold 50 → 55\n")
    assert "mara adjusted by hand: loot" in table("why mara gold").stdout


def test_a_number_may_go_below_zero_and_is_shown_at_zero(table: Type) -> None:
    assert "hp 9 → −3" in table("adjust mara hp=-12 --why ogre").stdout
    table("adjust mara hp=0 --why potion")
    assert "  hp    0\n" in table("sheets mara").stdout


def test_a_new_number_needs_the_flag_so_that_a_typo_starts_no_number(table: Type) -> None:
    refused = table("adjust mara xp=+300 --why dragon")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "mara has no score called 'xp'." in refused.stderr
    assert "To add a new score: campaign adjust mara xp=N --new --why TEXT" in refused.stderr
    assert table("adjust mara xp=+300 --new --why dragon").stdout.endswith("xp 0 → 300\n")
    assert table("adjust mara xp=+50 --why goblin").stdout.endswith("xp 300 → 350\n")


def test_a_new_number_may_start_like_another(table: Type) -> None:
    assert table("adjust mara go=+1 --why tokens").stdout.endswith("gold 50 → 51\n")
    assert table("adjust mara go=+1 --new --why tokens").stdout.endswith("go 0 → 1\n")


def test_a_number_for_all_goes_to_everybody_who_has_it(table: Type) -> None:
    table("player Ben --plays brak")
    table("join brak free hp=8")
    refused = table("adjust all xp=+300 --why dragon")
    assert refused.exit_code == 3
    assert "Nobody at the table has 'xp'." in refused.stderr
    done = table("adjust all xp=+300 --new --why dragon").stdout
    assert [line.split()[1] for line in done.splitlines() if line.endswith("xp 0 → 300")] == ["mara", "brak"]
    assert "brak" not in table("adjust all gold=+1 --why found").stdout


@pytest.mark.parametrize("name", ["max", "roll", "refill", "d20", "kh3", "k2", "dl1", "hp.max", "2hp", "zoë"])
def test_dice_words_and_reserved_names_cannot_name_a_number(table: Type, name: str) -> None:
    refused = table(f"join sam free {name}=3")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "not max, roll, refill or dice like d20" in refused.stderr


def test_capitals_in_the_name_of_a_number_become_small_letters(table: Type) -> None:
    assert "hp 0 → 7" in table("join sam free HP=7").stdout
    assert "hp 7 → 5" in table("adjust sam Hp=-2 --why x").stdout
    assert "You named hp twice" in table("adjust sam HP=1 hp=2 --why x").stderr


def test_a_score_of_a_game_with_rules_comes_before_a_number_of_the_same_name(table: Type) -> None:
    assert table("adjust mara edge=-1 --new --why x").stdout.endswith("mara adjusted by hand: x   edge 4 → 3\n")
    assert "free" not in table("register mara edge").stdout


def test_a_game_without_moves_says_so(table: Type) -> None:
    shown = table("free --help").stdout
    assert "campaign join mara free hp=9 gold=50" in shown
    refused = table("odds free")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (3, "Error: free has no moves that roll dice.")


def test_a_table_with_free_sheets_alone_is_told_how_to_roll(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init Road --gm Tom", "join mara free hp=9", "session open One"):
        type_in(words)
    assert "campaign roll mara 3d6" in type_in("").stdout


def test_a_character_without_a_sheet_is_told_how_to_get_one(table: Type) -> None:
    table("player Ben --plays sam")
    refused = table("adjust sam gold=+5 --why loot")
    assert refused.stderr == (
        "Error: sam has no sheet, and no score called 'gold'.\nHint: Make a sheet with 'campaign join sam GAME SCORE=N…'.\n"
    )
