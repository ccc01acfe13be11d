"""Free: rolls by name, checks against a number, rests, and the odds of a check."""

from pathlib import Path

import pytest

from ledger.systems.free import SYSTEM
from terminal import Type, head, rows


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """Make a table where mara has a free sheet with a roll by name."""
    type_in("session open One")
    type_in("player Ben --plays kim")
    type_in("join kim free hp=3/9 slots=2/2 dex=2 dex-save=4")
    type_in("set kim roll.stealth=d20+dex+2 refill=hp,slots")
    return type_in


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("stealth --vs 15 --faces 12", "kim stealth ✓ success: 16 against 15, margin +1 (12 + 2 + 2)   [12]"),
        ("ste 17 --faces 12", "kim stealth ✗ failure: 16 against 17, margin −1 (12 + 2 + 2)   [12]"),
        ("stealth --faces 12", "kim stealth: 16 (12 + 2 + 2)   [12]"),
        ("stealth adv 15 --faces 5,12", "kim stealth adv ✓ success: 16 against 15, margin +1 (12 + 2 + 2)   [5 12]"),
        ("stealth 15 adv --faces 5,12", "kim stealth adv ✓ success: 16 against 15, margin +1 (12 + 2 + 2)   [5 12]"),
        (
            "ste disadvantage 5 --faces 5,12",
            "kim stealth disadvantage ✓ success: 9 against 5, margin +4 (5 + 2 + 2)   [5 12]",
        ),
        ("STEALTH + d4 15 --faces 7,4", "kim STEALTH + d4 ✓ success: 15 against 15, margin +0 (7 + 2 + 2 + 4)   [7 4]"),
        ("stealth -2 --faces 12", "kim stealth -2: 14 (12 + 2 + 2 − 2)   [12]"),
        ("d20 --faces 12", "kim d20: 12   [12]"),
        ("d20+dex-save --faces 12", "kim d20+dex-save: 16 (12 + 4)   [12]"),
        ("d20+DEX+hp.max --faces 12", "kim d20+DEX+hp.max: 23 (12 + 2 + 9)   [12]"),
        ("d4-9 --faces 1", "kim d4-9: −8 (1 − 9)   [1]"),
        ("4d6kh3 --faces 1,5,4,6", "kim 4d6kh3: 15 (5 + 4 + 6)   [1 5 4 6]"),
        ("3d6! --faces 6,1,2,3", "kim 3d6!: 12 (6 + 1 + 2 + 3)   [6 1 2 3]"),
        ("d20 --vs -3 --faces 1", "kim d20 ✓ success: 1 against −3, margin +4   [1]"),
        ("stealth --vs 15 --secret --faces 9", "kim stealth ✗ failure: 13 against a secret number (9 + 2 + 2)   [9]"),
    ],
)
def test_fre_01_a_check_rolls_dice_by_name_or_as_typed(table: Type, typed: str, says: str) -> None:
    assert table(f"free check kim {typed}").stdout.splitlines()[0].partition("   ")[2] == says
    assert table("audit").exit_code == table("verify").exit_code == 0


def test_the_entry_of_a_check_has_the_roll_and_the_numbers_that_it_used(table: Type) -> None:
    played = rows(table("free check kim stealth --vs 15 --faces 12 --json").stdout)[1]
    inputs = {"roll": "stealth", "secret": False, "vs": 15, "target": None, "number": None, "who": "kim"}
    assert played["inputs"] == inputs
    assert played["looked"] == {"kim": {"free/dex": 2, "free/roll.stealth": "d20+dex+2"}}
    assert played["verdict"] == {"good": True, "margin": 1, "says": "success"}


def test_the_working_of_a_check_shows_the_dice_and_the_numbers(table: Type) -> None:
    shown = table("free check kim stealth --vs 15 --faces 12 -v").stdout.splitlines()
    assert [line.split(None, 1) for line in shown[1:]] == [
        ["roll", "d20+dex+2"],
        ["numbers", "dex 2"],
        ["count", "12 + 2 + 2 = 16"],
        ["against", "16 against 15"],
        ["margin", "+1"],
    ]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("d20+str", "kim has no roll and no number called 'str'."),
        ("sneak", "kim has no roll and no number called 'sneak'."),
        ("d20+", "'d20+' is not complete."),
        ("3#d20", "'3#d20' is 3 rolls, but only one roll fits here."),
        ("d20/0", "'d20/0' could divide by 0."),
        ("d20 --secret", "--secret needs --vs NUMBER."),
        ("dex+d20 --faces 3,4", "This roll needs 1d20, but you typed 2 dice."),
        ("d20+roll.stealth", "The roll stealth cannot be used inside 'd20+roll.stealth'."),
    ],
)
def test_a_check_that_cannot_be_rolled_is_refused(table: Type, typed: str, says: str) -> None:
    refused = table(f"free check kim {typed}")
    assert (refused.stdout, refused.stderr.startswith(f"Error: {says}\n")) == ("", True), refused.stderr


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("free check kim sltos", "Did you mean slots? To store a roll: "),
        ("free check kim d20+sltos", "Did you mean slots? To store a roll: "),
        ("free check kim d20+xyz", "To store a roll: "),
        ("free check kim dex", "Type dice before it: d20+dex\n"),
        ("roll kim d20+sltos", "Did you mean slots? kim has: "),
        ("roll kim d20+xyz", "kim has: "),
    ],
)
def test_a_misspelled_name_suggests_the_most_similar_number_of_the_sheet(table: Type, typed: str, hint: str) -> None:
    assert table(typed).stderr.partition("Hint: ")[2].startswith(hint)


def test_a_roll_and_a_number_with_the_same_name_are_not_mixed_up(table: Type) -> None:
    table("adjust kim stealth=1 --new --why x")
    refused = table("free check kim stealth+d4").stderr
    assert "stealth could be the roll stealth or the number stealth." in refused
    assert "To use the roll, type d20+dex+2+d4. To use the number, type the dice before it." in refused
    assert table("free check kim d4+stealth --faces 3").exit_code == 0
    assert table("free check kim stealth --faces 3").exit_code == 0


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("roll.fight=d20+str", "kim has no roll and no number called 'str'."),
        ("roll.fight=d20+", "'d20+' is not complete."),
        ("'roll.fight=d20 [fire]'", "'d20 [fire]' contains a label or a comment."),
        ("'roll.fight=d20 # fire'", "'d20 # fire' contains a label or a comment."),
        ("roll.fight='d20/*fire*/'", "'d20/*fire*/' contains a label or a comment."),
        ("roll.kh=d20", "kim has no value called 'roll.kh'."),
        ("refill=gold", "kim has no maximum for gold."),
        ("refill=dex", "kim has no maximum for dex."),
    ],
)
def test_a_roll_or_a_refill_that_does_not_fit_the_sheet_is_refused(table: Type, typed: str, says: str) -> None:
    before = table("sheets kim").stdout
    assert table(f"set kim {typed}").stderr.startswith(f"Error: {says}\n")
    assert table("sheets kim").stdout == before


def test_a_roll_is_on_the_sheet_until_it_is_removed(table: Type) -> None:
    assert table("sheets kim").stdout.endswith("  refill        hp, slots\n  roll.stealth  d20+dex+2\n")
    table("set kim roll.stealth=none refill=none")
    assert table("sheets kim").stdout.endswith("  refill    none\n")
    assert "no roll and no number called 'stealth'" in table("free check kim stealth").stderr


def test_fre_01_the_game_says_which_totals_succeed(table: Type) -> None:
    table("settings free success=at-most")
    says = "kim d20 ✓ success: 8 against 11 or less, margin +3   [8]"
    assert says in table("free check kim d20 11 --faces 8").stdout
    assert (
        "kim rolls d20 = 12 ✗ failure against 11 or less, margin −1" in table("roll kim d20 --vs 11 --faces 12").stdout
    )
    assert "Success, 11 or less: 55.0 %." in table("odds kim d20 --vs 11").stdout
    assert table("audit").exit_code == 0
    assert "is not one of at-least, at-most" in table("settings free success=high").stderr


def test_fre_02_a_rest_is_one_action_that_fills_up_what_the_sheet_names(table: Type) -> None:
    assert table("free rest kim").stdout.endswith("kim rests   hp 3 → 9\n")
    assert table("free rest kim").stdout.endswith("kim rests, but every number is already full\n")
    table("adjust kim slots=0 hp=2 --why fight")
    assert table("free rest all").stdout.endswith("kim rests   hp 2 → 9, slots 0 → 2\n")
    assert table("undo").stdout.endswith("kim hp 9 → 2, kim slots 2 → 0\n")


def test_a_rest_needs_to_know_what_it_fills_up(table: Type) -> None:
    table("join mara free hp=3/9")
    refused = table("free rest mara").stderr
    assert refused.startswith("Error: The sheet of mara has no refill list.\n")
    assert table("set mara refill=hp").exit_code == 0
    assert table("free rest mara").stdout.endswith("hp 3 → 9\n")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("free check kim stealth --vs 15", "kim stealth, vs 15: success 50 %."),
        ("kim stealth --vs 15", "kim stealth, vs 15: success 50 %."),
        ("@kim ste 15", "kim stealth, vs 15: success 50 %."),
        ("free check kim 'd20 adv' --vs 11", "kim d20 adv, vs 11: success 75 %."),
        ("free check kim 4d6kh3", "kim 4d6kh3: the most likely result is 13, 13.3 %."),
    ],
)
def test_the_odds_of_a_check_are_those_of_its_dice(table: Type, typed: str, says: str) -> None:
    assert table(f"odds {typed}").stdout.splitlines()[0] == says


def test_the_odds_of_dice_that_explode_are_shown_as_a_share_of_a_million(table: Type) -> None:
    shown = table("odds free check kim 3d6! --vs 12").stdout.splitlines()
    assert shown[:2] == ["kim 3d6!, vs 12: success 49.1 %.", "Of 1,000,000 rolls of 3d6, 490,741 succeed:"]


def test_the_odds_of_a_secret_number_are_not_shown_to_players(table: Type) -> None:
    assert table("odds free check kim d20 --vs 11 --secret").stdout.startswith("kim d20")


def test_a_character_of_several_games_is_asked_for_the_game(table: Type) -> None:
    table("join kim edge maximum=3")
    assert "Name a skill" in table("odds kim").stderr
    table("join kim rollunder skill.stealth=3")
    refused = table("odds kim").stderr
    assert refused.startswith(
        "Error: kim plays edge and rollunder.\nHint: Name the game: campaign odds edge check kim …"
    )
    assert "No such command 'nobody'" in table("odds nobody").stderr


@pytest.mark.parametrize("line", ["odds kim stealth --vs 13", "odds stealth kim --vs 13"])
def test_the_odds_are_those_of_the_game_whose_sheet_has_the_word(table: Type, line: str) -> None:
    table("join kim edge maximum=3")
    table("set kim free/roll.stealth=d20+5")
    assert table(line).stdout.startswith("kim stealth, vs 13: success 65 %.")


def test_a_free_sheet_gives_way_to_the_game_that_a_character_plays(table: Type) -> None:
    assert SYSTEM.secondary
    table("join kim edge maximum=3 skill.climbing=3 attribute.agility=3 attribute.wits=3")
    seen = table("play", input="with kim\nc climbing\nwith kim free\nc stealth 15 = 12\n").output
    assert "kim stealth ✓ success: 16 against 15, margin +1" in seen
    assert "climbing" in seen.partition("kim stealth")[0]
    assert "could mean several games" not in seen


def test_a_check_is_amended_like_every_other_move(table: Type) -> None:
    table("free check kim stealth --vs 17 --faces 12")
    seq = rows(table("log -n 1 --json").stdout)[-1]["seq"]
    assert "✓ success: 16 against 16, margin +0" in table(f"amend {seq} --vs 16 --why misheard --yes").stdout
    seq = rows(table("log -n 1 --json").stdout)[-1]["seq"]
    assert "✓ success: 18 against 16, margin +2" in table(f"amend {seq} --roll d20+dex+4 --why misheard --yes").stdout
    assert table("audit").exit_code == 0


def test_a_later_change_of_a_stored_roll_changes_no_old_check(table: Type) -> None:
    table("free check kim stealth --vs 15 --faces 12")
    before = table("log -n 1").stdout
    table("set kim roll.stealth=d20+9")
    table("adjust kim dex=9 --why x")
    seq = before.split()[0].removeprefix("#")
    assert table(f"show {seq}").stdout.splitlines()[0] == before.strip()
    assert table("audit").exit_code == 0


def test_a_plain_roll_against_a_number_says_if_it_succeeds_and_by_how_much(table: Type) -> None:
    assert (
        "kim rolls d20+dex = 16 ✓ success against 15, margin +1" in table("roll kim d20+dex --vs 15 --faces 14").stdout
    )
    assert "Ben rolls d20 = 3 ✗ failure against 5, margin −2" in table("roll Ben d20 --vs 5 --faces 3").stdout
    assert "No such option '--vs'" in table("turns roll kim d20 --vs 3").stderr
    table("roll kim d20 --vs 10 --faces 8")
    seq = rows(table("log -n 1 --json").stdout)[-1]["seq"]
    shown = table(f"amend {seq} --vs 8 --why misheard --yes").stdout
    assert "✓ the total is 8, success against 8, margin +0" in shown
    assert table("audit").exit_code == 0


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("stealth --faces 12", "kim rolls d20+dex+2 = 16 "),
        ("Stealth --vs 15 --faces 12", "kim rolls d20+dex+2 = 16 ✓ success against 15, margin +1"),
        ("'stealth adv' --faces 3,12", "kim rolls d20+dex+2 adv = 16 "),
        ("'stealth*2' --faces 12", "kim rolls (d20+dex+2)*2 = 32 "),
        ("'(d20+dex)' --faces 12", "kim rolls (d20+dex) = 14 "),
    ],
)
def test_a_plain_roll_takes_a_roll_from_the_sheet_by_its_name(table: Type, typed: str, says: str) -> None:
    assert says in table(f"roll kim {typed}").stdout
    assert table("audit").exit_code == 0


def test_a_roll_for_initiative_takes_a_roll_from_the_sheet_by_its_name(table: Type) -> None:
    assert "kim rolls d20+dex+2 = 16 for initiative" in table("turns roll kim stealth --faces 12").stdout


def test_a_plain_roll_by_a_name_that_is_a_number_too_asks_which_one_is_meant(table: Type) -> None:
    table("adjust kim stealth=3 --new")
    assert "stealth could be the roll stealth or the number stealth" in table("roll kim stealth+d20").stderr


@pytest.fixture
def goblin(table: Type) -> Type:
    """Add a goblin with a full name to the table of kim."""
    for line in ("npc gob-1", "join gob-1 free ac=13", "rename gob-1 'Old Snaggle'"):
        assert table(line).exit_code == 0
    return table


AGAINST = "kim d20+5 ✓ success: 13 against 13 (Old Snaggle's ac), margin +0 (8 + 5)"


def test_a_roll_by_name_is_found_beside_another_game_and_without_a_character(goblin: Type) -> None:
    goblin("join snag edge maximum=1")
    seen = goblin(
        "play", input="with none\nc stealth 12\nc stealth 12 adv\nc stealth 12 kim = 8\nkim stelth\nkim blah\n"
    )
    assert "This line names no character. kim has 'stealth'.\nHint: For kim: free check stealth 12 kim\n" in seen.stderr
    assert "Hint: For kim: free check stealth adv 12 kim\n" in seen.stderr
    assert "kim stealth" in seen.stdout
    assert "No such command 'stelth'. Did you mean kim c stealth?\n" in seen.stderr
    assert "No such command 'blah'.\n" in seen.stderr


@pytest.mark.parametrize(
    "typed", ["--vs gob-1.ac", "gob-1.ac", "vs gob-1.ac", "--vs=gob-1.ac", "--target snag --number ac"]
)
def test_a_check_compares_with_a_number_of_another_character(goblin: Type, typed: str) -> None:
    goblin("rename gob-1 --short snag")
    assert AGAINST in goblin(f"free check kim d20+5 {typed} --faces 8").stdout
    assert goblin("audit").exit_code == 0


def test_the_prompt_and_the_odds_read_a_number_of_another_character(goblin: Type) -> None:
    assert AGAINST in goblin("play", input="with kim\nc d20+5 gob-1.ac = 8\n").stdout
    assert "15 against 15, margin +0" in goblin("play", input="with kim\nc d20+5 vs 15 = 10\n").stdout
    assert "success 60 %" in goblin("odds kim stealth --vs gob-1.ac").stdout


def test_a_corrected_number_of_the_target_asks_about_the_check(goblin: Type) -> None:
    goblin("free check kim d20+5 gob-1.ac --faces 8")
    goblin("amend 13 ac=15 --why x --yes")
    assert "Old Snaggle's ac (then 13; now 15)" in goblin("questions").stdout


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (
            "--vs gob-1.dr",
            "Error: gob-1 has no number called 'dr'.\nHint: To add it: campaign adjust gob-1 dr=N --new\n",
        ),
        ("15 --vs gob-1.ac", "Error: Type either --vs N or the name of a number on gob-1's sheet.\n"),
        ("--target gob-1", "Error: Use --target together with --number, or leave out both.\n"),
        ("--secret --vs gob-1.ac", "Error: --secret needs --vs NUMBER.\n"),
        ("--vs gob-1", "Error: gob-1 has several numbers. Name the one that you mean, like gob-1.ac.\n"),
        ("--vs=gob-1", "Error: gob-1 has several numbers. Name the one that you mean, like gob-1.ac.\n"),
        ("--vs gob-2.ac", "Error: Nobody called 'gob-2' plays in this campaign."),
    ],
)
def test_a_number_that_no_target_has_is_refused(goblin: Type, typed: str, says: str) -> None:
    assert goblin(f"free check kim d20+5 {typed}").stderr.startswith(says)


TWO_TARGETS = "Error: A roll is compared with one number, but you typed gob-1.ac, gob-1.hp. Type one line for each.\n"


@pytest.mark.parametrize("typed", ["--vs gob-1.ac --vs gob-1.hp", "gob-1.ac, gob-1.hp", "vs gob-1.ac vs gob-1.hp"])
def test_two_numbers_to_compare_with_are_refused_before_the_dice(goblin: Type, folder: Path, typed: str) -> None:
    before = head(folder)
    assert TWO_TARGETS in goblin(f"free check kim d20+5 {typed}").stderr
    assert TWO_TARGETS in goblin("play", input=f"c kim d20+5 {typed}\n").stderr
    assert head(folder) == before


@pytest.mark.parametrize("typed", ["gob-1.ac,", "--vs gob-1.ac --vs gob-1.ac"])
def test_one_number_to_compare_with_may_be_typed_twice_or_with_a_comma(goblin: Type, typed: str) -> None:
    assert "against 13 (Old Snaggle's ac)" in goblin(f"free check kim d20+5 {typed} --faces 8").stdout


def test_accents_and_capitals_in_the_name_of_a_roll_do_not_count(table: Type) -> None:
    table("join eva free Größe=4 roll.Schläge=d20+Größe")
    for typed in ("Schläge", "schlage", "SCHLA\u0308GE"):
        assert ": 9 (5 + 4)" in table(["free", "check", "eva", typed, "--faces", "5"]).stdout
    assert "eva Schläge-2: 7 (5 + 4 − 2)" in table("free check eva Schläge-2 --faces 5").stdout
    assert "eva d20+Größe: 9 (5 + 4)" in table("free check eva d20+Größe --faces 5").stdout
    assert "eva rolls d20+grosse = 9" in table("roll eva Schläge --faces 5").stdout
    assert "eva rolls d20+grosse = 9" in table("roll eva d20+Größe --faces 5").stdout
    assert "eva rolls d20 # Größe = 5" in table("roll eva 'd20 # Größe' --faces 5").stdout
    hint = "To store a roll: campaign set eva roll.gruss=DICE. To add a number: campaign adjust eva gruss=N --new"
    assert hint in table("free check eva Gruß").stderr
    assert table("audit").exit_code == 0
