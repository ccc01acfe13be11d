"""Rolls outside any game, as they are typed: notation of several words, scores, several rolls, Fate dice, odds."""

from pathlib import Path

import pytest

from ledger.journal.book import open_book
from terminal import Type, head, rows


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """A campaign with mara, whose stealth is 3, and brak."""
    type_in("session open One --present Ana")
    type_in("adjust mara skill.stealth=+3 --why sheet")
    type_in("adjust mara skill.hide=+2 --why sheet")
    return type_in


TYPED = [
    ("roll mara d20 + 5 = 17", "mara rolls d20 + 5 = 22   [17]"),
    ("roll mara d20 + 3 + -2 = 4", "mara rolls d20 + 3 + -2 = 5   [4]"),
    ("roll mara d20 -1 = 4", "mara rolls d20 -1 = 3   [4]"),
    ("roll mara -d6+3 = 1", "mara rolls -d6+3 = 2   [1]"),
    ("roll mara d20−1 = 4", "mara rolls d20−1 = 3   [4]"),
    ("roll mara d20+5 adv = 4 17", "mara rolls d20+5 adv = 22   [(4) 17]"),
    ("roll mara d20 dis = 4 17", "mara rolls d20 dis = 4   [4 (17)]"),
    ("roll mara d20+stealth = 14", "mara rolls d20+stealth = 17   [14]"),
    ("roll mara stealth + d20 = 14", "mara rolls stealth + d20 = 17   [14]"),
    ("roll d20 mara = 14", "mara rolls d20 = 14   [14]"),
    ("roll d20 @mara + 2 = 14", "mara rolls d20 + 2 = 16   [14]"),
    ("roll mara 4d6kh3 = 6 5 4 3", "mara rolls 4d6kh3 = 15   [6 5 4 (3)]"),
    ("roll mara 6d10>=7 = 1 2 3 4 9 10", "mara rolls 6d10>=7 = 2   [1 2 3 4 9 10]"),
    ("roll mara 4dF = - 0 + +", "mara rolls 4dF = 1   [− 0 + +]"),
    ("roll mara 4dF = 0 0 0 0", "mara rolls 4dF = 0   [0 0 0 0]"),
    ("roll mara 4dF --faces 1,2,3,3", "mara rolls 4dF = 1   [− 0 + +]"),
    ("roll mara 4dF --faces=-,0,+,−", "mara rolls 4dF = −1   [− 0 + −]"),
    ("roll mara (2d6+1)/2 = 3 5", "mara rolls (2d6+1)/2 = 4, rounded down   [3 5]"),
    ("roll mara (2d6+1)/2 = 3 4", "mara rolls (2d6+1)/2 = 4   [3 4]"),
    ("turns roll mara d20 + 2 = 9", "mara rolls d20 + 2 = 11 for initiative   [9]"),
    ("d20+2=9 @mara", "mara rolls d20+2 = 11   [9]"),
    ("4dF=++0- @mara", "mara rolls 4dF = 1   [+ + 0 −]"),
    ("4dF @mara = +-0+", "mara rolls 4dF = 1   [+ − 0 +]"),
    ("4dFkh2 @mara = + + - -", "mara rolls 4dFkh2 = 2   [+ + (−) (−)]"),
    ("6d10>=7=7 8 1 2 3 10 @mara", "mara rolls 6d10>=7 = 3   [7 8 1 2 3 10]"),
    ("1d6x=5 @mara = 3", "mara rolls 1d6x=5 = 3   [3]"),
    ("d20ro=1 @mara = 3", "mara rolls d20ro=1 = 3   [3]"),
    ("/r d20+5 @mara = 4", "mara rolls d20+5 = 9   [4]"),
    ("!roll d20 @mara = 4", "mara rolls d20 = 4   [4]"),
    ("4dF @mara = + + 0 -", "mara rolls 4dF = 1   [+ + 0 −]"),
    ("-d6+20 @mara = 4", "mara rolls -d6+20 = 16   [4]"),
    ("-stealth+d20 @mara = 4", "mara rolls -stealth+d20 = 1   [4]"),
    ("roll mara d20 -stealth = 4", "mara rolls d20 -stealth = 1   [4]"),
    ("d20 -stealth @mara --faces 4", "mara rolls d20 -stealth = 1   [4]"),
    ("d20 -hide @mara = 4", "mara rolls d20 -hide = 2   [4]"),
    ("odds -d6+20", "-d6+20: 14 to 19, on average 16.50."),
    ("odds mara d20 -stealth", "mara d20 -stealth: −2 to 17, on average 7.50."),
]


@pytest.mark.parametrize(("line", "seen"), TYPED, ids=[line for line, _ in TYPED])
def test_a_roll_is_shown_as_it_was_typed(table: Type, line: str, seen: str) -> None:
    assert seen in table("play", input=line).stdout


LABELED = [
    ("2d6[fire]+1 = 3 4", "2d6[fire]+1 = 8 (fire 7)"),
    ("2d6[fire]+d4[cold] = 3 4 2", "2d6[fire]+d4[cold] = 9 (fire 7, cold 2)"),
    ("2d6[fire]+d4[cold]-d4/2[fire] = 3 4 2 3", "2d6[fire]+d4[cold]-d4/2[fire] = 8, rounded down (fire 6, cold 2)"),
    ("2d6/*hot*/-d4[cold] = 3 4 2", "2d6/*hot*/-d4[cold] = 5 (hot 7, cold −2)"),
    ("d20[sword]+2[skill] adv = 3 4", "d20[sword]+2[skill] adv = 6 (sword 4, skill 2)"),
    ("2d6[fire]*2 = 3 4", "2d6[fire]*2 = 14   ["),
    ("(2d6[fire]+d4[cold])*2 = 3 4 2", "(2d6[fire]+d4[cold])*2 = 18   ["),
    ("2d6[]+d4 = 3 4 2", "2d6[]+d4 = 9   ["),
]


@pytest.mark.parametrize(("pool", "shown"), LABELED, ids=[pool for pool, _ in LABELED])
def test_a_roll_with_labels_shows_the_sum_of_each_label_that_is_not_the_total(
    table: Type, pool: str, shown: str
) -> None:
    assert f"mara rolls {shown}" in table("play", input=f"roll mara {pool}").stdout


def test_a_flag_is_never_read_as_a_part_of_the_roll(table: Type) -> None:
    assert "count  4 = 4" in table("play", input="roll mara d20 -v = 4").stdout
    assert "There is no campaign at elsewhere." in table("play", input="roll mara d20 -f elsewhere").stderr
    assert "No such option '-x'." in table("play", input="-x").stderr


def test_three_rolls_are_three_actions_and_typed_dice_are_shared_out(table: Type, folder: Path) -> None:
    done = table("play", input="roll mara 3#d20+5 = 3 4 5\nroll mara 2#3d6! = 6 1 1 4 2 3 4\nroll mara 2#d6 = 46")
    shown = [line.partition("mara ")[2] for line in done.stdout.splitlines() if "rolls" in line]
    assert shown == [
        *("rolls d20+5 = 8   [3]", "rolls d20+5 = 9   [4]", "rolls d20+5 = 10   [5]"),
        *("rolls 3d6! = 12   [6 1 1 4]", "rolls 3d6! = 9   [2 3 4]"),
        *("rolls d6 = 4   [4]", "rolls d6 = 6   [6]"),
    ]
    with open_book(str(folder / "road.campaign")) as book:
        rolls = [entry for entry in book.journal.entries() if entry.type == "dice-counted"]
    assert len({entry.act for entry in rolls}) == len(rolls) == 7


def test_repeated_rolls_with_an_id_are_written_once(table: Type, folder: Path) -> None:
    first = table("roll mara 2#d20 --once two").stdout
    written = head(folder)
    assert table("roll mara 2#d20 --once two").stdout == first
    assert head(folder) == written


def test_notation_with_other_blanks_and_letters_is_the_same_under_an_id(table: Type, folder: Path) -> None:
    first = table("roll mara d20+1 --once x").stdout
    assert table("roll mara D20 + 1 --once x").stdout == first
    assert "different value for notation" in table("roll mara d20+2 --once x").stderr


REFUSED = [
    ("roll mara 3#d20+5 --faces 3,4", "Roll 3 of 3: This roll needs 1d20, but no typed dice are left."),
    ("roll mara 2#d20 --faces 3,4,5", "Roll 2 of 2: This roll needs 1d20, but you typed 2 dice."),
    ("roll mara 3d6! --faces 6,2,1", "needs 4d6 (the last 1d6 because of !), but you typed 3 dice"),
    ("roll mara 4dF --faces 1,2,3,7", "This roll needs 4dF, but a d3 cannot show 7."),
    ("roll mara d3 --faces 0", "a d3 cannot show 0"),
    ("roll all 2#d20", "'2#d20' is 2 rolls, but only one roll fits here."),
    ("turns roll mara 2#d20", "'2#d20' is 2 rolls, but only one roll fits here."),
    ("roll mara d20+dexterity", "mara has no score called 'dexterity'."),
    ("roll mara d20 for stealth", "In 'd20 for stealth', 'for stealth' cannot be read."),
    ("roll mara 'd20 = 17'", "'= 17' means different dice to different players"),
    ("roll mara 4d6k3", "To keep the highest 3 (Foundry and Roll20), type 4d6kh3."),
    ("odds mara d20+dexterity", "mara has no score called 'dexterity'."),
    ("odds nobody d20", "Nobody called 'nobody' plays in this campaign."),
    ("odds d20+stealth", "In 'd20+stealth', 'stealth' cannot be read."),
    ("odds 3d6!kh2", "The odds of this roll cannot be worked out"),
    ("odds d20 --faces 3", "This command does not roll dice."),
]


@pytest.mark.parametrize(("line", "says"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_cannot_be_rolled_is_refused_with_the_part_and_writes_nothing(
    table: Type, folder: Path, line: str, says: str
) -> None:
    before = head(folder)
    done = table(line)
    assert says in done.stderr
    assert done.exit_code in {2, 3}
    assert head(folder) == before


def test_a_correction_asks_about_the_rolls_that_used_the_corrected_score(table: Type) -> None:
    adjusted = table("adjust mara skill.stealth=+1 --why boots").stdout.split()[0].strip("#")
    table("roll mara d20+stealth --faces 10")
    table("roll mara 3d6 --faces 1,2,3")
    table("turns roll mara d20+stealth --faces 11")
    asked = table(f"amend {adjusted} skill.stealth=+3 --why 'better boots' --yes").stdout
    assert asked.count("mara's stealth (then 4; now 6)") == 2
    assert "the result would be a total of 16." in asked
    questions = [row["seq"] for row in rows(table("questions --json").stdout)]
    assert "the total is 16   [10]" in table(f"decide {questions[0]} amend --why so --yes").stdout
    table(f"decide {questions[1]} amend --why so --yes")
    assert "mara  17" in table("turns").stdout
    assert "No problems found." in table("audit").stdout
    assert table("verify").exit_code == 0


def test_a_cascade_counts_the_roll_again(table: Type) -> None:
    adjusted = table("adjust mara skill.stealth=+1 --why boots").stdout.split()[0].strip("#")
    table("roll mara d20+stealth --faces 10")
    done = table(f"amend {adjusted} skill.stealth=+3 --why 'better boots' --cascade --yes").stdout
    assert "the total is 16" in done
    assert rows(table("questions --json").stdout) == []
    assert "No problems found." in table("audit").stdout


def test_the_scores_of_a_roll_are_stored_and_shown(table: Type) -> None:
    shown = table("roll mara d20+stealth --faces 10 -v").stdout
    assert "count   10 + 3 = 13" in shown
    assert "scores  skill.stealth 3" in shown
    table("adjust mara skill.stealth=+1 --why boots")
    assert rows(table("log --json -n 9").stdout)
    assert "No problems found." in table("audit").stdout


ODDS = [
    ("odds 4d6kh3", "4d6kh3: 3 to 18, on average 12.24.", "13   13.3 %    48.8 %"),
    ("odds mara d20+stealth --vs 15", "mara d20+stealth: 4 to 23, on average 13.50.", "Success, 15 or more: 45.0 %."),
    ("odds d20+5 adv --vs 15", "d20+5 adv: 6 to 25, on average 18.82.", "Success, 15 or more: 79.8 %."),
    ("odds 4dF --vs 0", "4dF: −4 to 4, on average 0.00.", "−4    1.2 %   100.0 %"),
    ("odds 40d10kh3", "40d10kh3: 3 to 30, on average 29.67.", "26 or less    0.3 %   100.0 %"),
    ("odds 3d6!", "3d6!: 3 or more, without an upper limit; on average 12.60.", "or more    0.1 %"),
    ("odds d100", "d100: 1 to 100, on average 50.50.", "96 to 100    5.0 %     5.0 %"),
    ("odds 10d100", "10d100: 10 to 1000, on average 505.00.", "765 or more    0.2 %"),
    ("odds Ana d20", "d20: 1 to 20, on average 10.50.", "20    5.0 %     5.0 %"),
    ("odds 3#d6", "each of 3 rolls of d6: 1 to 6, on average 3.50.", "6   16.7 %    16.7 %"),
]


@pytest.mark.parametrize(("line", "first", "row"), ODDS, ids=[line for line, *_ in ODDS])
def test_the_odds_of_plain_dice_have_a_line_for_each_total_or_range(
    table: Type, line: str, first: str, row: str
) -> None:
    shown = table(line).stdout
    assert shown.startswith(first)
    assert row in shown
    assert len(shown.splitlines()) <= 23


def test_the_odds_of_plain_dice_are_exact_as_json(table: Type) -> None:
    (odds,) = rows(table("odds mara 2d6+stealth --vs 11 --json").stdout)
    assert {name: odds[name] for name in ("who", "pool", "scores", "mean", "target")} == {
        "who": "mara",
        "pool": "2d6+stealth",
        "scores": {"edge/skill.stealth": 3},
        "mean": 10.0,
        "target": 11,
    }
    assert odds["success"] == pytest.approx(15 / 36)
    assert odds["totals"][0] == {"total": 5, "chance": pytest.approx(1 / 36), "or_more": 1.0}
    assert len(odds["totals"]) == 11


def test_the_usual_character_rolls_at_the_prompt(table: Type) -> None:
    lines = "with mara\nd20 adv = 3 4\n4d6kh3 = 6 5 4 3\nd20+stealth = 5\n(2d6)*2 = 1 2\n2#d4 = 1 2\nodds d20+stealth --vs 23"
    shown = table("play", input=lines).stdout
    for seen in ("d20 adv = 4", "4d6kh3 = 15", "d20+stealth = 8", "(2d6)*2 = 6", "d4 = 1", "d4 = 2", "more: 5.0 %"):
        assert seen in shown


def test_a_score_that_came_later_changes_no_meaning_of_an_earlier_roll(table: Type) -> None:
    table("join jonas free str=3")
    roll = table("roll jonas d20+str-2 --faces 8").stdout.split()[0].strip("#")
    table("adjust jonas str-2=50 --new --why odd")
    assert "the total is 12" in table(f"amend {roll} --faces 11 --why misread --yes").stdout
    assert "No problems found." in table("audit").stdout


def test_an_amendment_takes_fate_dice_by_their_numbers(table: Type) -> None:
    roll = table("roll mara 4dF --faces 1,1,1,1").stdout.split()[0].strip("#")
    refused = table(f"amend {roll} --faces 0,0,0,0 --why misread --yes")
    assert "For a Fate die, type 1 for −, 2 for 0, or 3 for +." in refused.stderr
    assert "the total is 0" in table(f"amend {roll} --faces 2,2,2,2 --why misread --yes").stdout
    assert "No problems found." in table("audit").stdout


def test_a_roll_with_an_explosion_after_a_canceled_one_is_remarked(table: Type) -> None:
    table("roll mara d6! --faces 2")
    table("undo")
    table("roll mara d6! --faces 6,5")
    assert "which was canceled. The dice are different." in table("audit").stdout


FATE = [
    ("roll mara 4dF+d10 = - + 0 0 0", "[− + 0 0 10]"),
    ("roll mara 4dF.1 = - + 0 0", "= 0 "),
]


@pytest.mark.parametrize(("line", "seen"), FATE)
def test_a_sign_or_a_zero_is_read_for_its_own_die(table: Type, line: str, seen: str) -> None:
    assert seen in table("play", input=line).stdout


def test_a_sign_is_no_face_of_other_dice(table: Type) -> None:
    assert "a d6 cannot show" in table("roll mara 1dF+1d6 --faces=+,+").stderr
    assert "Name mara or all, not both." in table("roll mara d6 all").stderr


def test_an_amended_text_may_name_other_scores(table: Type) -> None:
    table("adjust mara skill.climbing=+1 --new --why sheet")
    roll = table("roll mara d20+stealth --faces 8").stdout.split()[0].strip("#")
    assert "the total is 9" in table(f"amend {roll} --notation d20+climbing --why misheard --yes").stdout
    assert "No problems found." in table("audit").stdout


def test_a_word_that_could_be_two_scores_is_refused_with_both(table: Type) -> None:
    table("adjust mara attribute.stealth=+1 --new --why sheet")
    refused = table("roll mara d20+stealth").stderr
    assert "edge/attribute.stealth" in refused
    assert "edge/skill.stealth" in refused


@pytest.mark.parametrize("words", ["--vs mara.skill.stealth", "--vs=mara.skill.stealth", "vs mara.skill.stealth"])
def test_a_number_on_a_sheet_after_vs_is_refused_with_its_value(table: Type, words: str) -> None:
    refused = table(f"roll brak d20 {words}")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: 'mara.skill.stealth' does not work in a roll without a game.\n"
        "Hint: mara.skill.stealth is 3. Type --vs 3. With free sheets, you can also type: campaign free check WHO DICE --vs mara.skill.stealth\n",
    )
    assert "mara has no score called 'zz'." in table("roll brak d20 --vs mara.zz").stderr


@pytest.mark.parametrize("words", ["odds c stealth 15", "odds check stealth 15"])
def test_the_odds_of_a_move_are_typed_like_the_move(folder: Path, type_in: Type, words: str) -> None:
    type_in("join sam edge maximum=1 attribute.agility=3 attribute.wit=2 skill.stealth=1")
    type_in("set sam on.stealth=agility,wit")
    assert "sam stealth, target 15: success" in type_in("play", input=f"with sam\n{words}\n").stdout


def test_an_extra_number_after_odds_is_no_die(folder: Path, type_in: Type) -> None:
    type_in("join sam edge maximum=1")
    assert type_in("odds sam --skill 3 15 20").stderr.endswith("Error: The command cannot use the extra word '20'.\n")
