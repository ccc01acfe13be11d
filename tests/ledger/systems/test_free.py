"""Free: a sheet with numbers by name and no rules, for games that are not on the list."""

import re
from pathlib import Path

import pytest

from ledger.commands.at_table import Adjust, Give, Join, SetMarks
from ledger.commands.decider import Command
from ledger.journal.book import open_book
from ledger.rules.modifiers import MODIFIERS_BY_WORD as MODIFIERS
from ledger.systems.free import SYSTEM
from terminal import Type, rows


def last_entry(table: Type) -> int:
    """Return the number of the last entry."""
    seq: int = rows(table("log -n 1 --json").stdout)[-1]["seq"]
    return seq


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
    assert "To add a new score: campaign adjust mara xp=N --new" in refused.stderr
    assert table("adjust mara xp=+300 --new --why dragon").stdout.endswith("xp 0 → 300\n")
    assert table("adjust mara xp=+50 --why goblin").stdout.endswith("xp 300 → 350\n")


def test_a_character_without_a_free_sheet_is_told_how_to_keep_a_number(table: Type) -> None:
    table("join brak edge maximum=4")
    hint = "To add a new score: campaign join brak free xp=N"
    assert hint in table("adjust brak xp=+300").stderr
    assert hint in table("adjust brak xp=+300 --new").stderr
    assert table("join brak free xp=300").exit_code == 0
    assert table("adjust brak xp=+50").stdout.endswith("xp 300 → 350\n")


@pytest.mark.parametrize("name", ["egde", "d20"])
def test_no_free_sheet_is_suggested_for_a_typo_or_a_reserved_name(table: Type, name: str) -> None:
    table("join brak edge maximum=4")
    assert "To add a new score" not in table(f"adjust brak {name}=+1").stderr


def test_a_number_for_all_that_no_sheet_can_have_needs_a_free_sheet_first(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    type_in("init R --gm Tom")
    assert type_in("adjust all xp=+3").stderr.endswith("Hint: See the scores with 'campaign sheets'.\n")
    type_in("join brak edge maximum=4")
    for line in ("adjust all xp=+3", "adjust all xp=+3 --new"):
        assert type_in(line).stderr.endswith("To add a new score: campaign join brak free xp=N\n")
    assert type_in("adjust all d20=+3").stderr.endswith("Hint: See the scores with 'campaign sheets'.\n")
    type_in("join brak free gold=1")
    assert type_in("adjust all xp=+3").stderr.endswith("To add a new score, repeat the command with --new.\n")
    assert type_in("adjust all xp=+3 --new").exit_code == 0


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


@pytest.mark.parametrize("name", ["max", "roll", "d20", "kh3", "k2", "dl1", "hp.most", "max.max", "2hp", "金_貨"])
def test_dice_words_and_reserved_names_cannot_name_a_number(table: Type, name: str) -> None:
    refused = table(f"join sam free {name}=3")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "not max, roll, refill, or words of dice notation like d20 or kh" in refused.stderr


def test_no_number_has_the_name_of_a_word_of_dice_notation() -> None:
    words = {word for word in MODIFIERS if word.isalpha()} | {"adv", "dis", "advantage", "disadvantage", "d20"}
    assert [word for word in sorted(words) if SYSTEM.score(word)] == []
    assert all(map(SYSTEM.score, ("hp", "exp", "str", "dex", "ac", "hp.max", "spell-slots", "slots-1.max")))


def test_a_number_may_have_a_maximum(table: Type) -> None:
    assert table("join sam free HP=9/12 gold=5").stdout.endswith("hp 0 → 9, hp.max 0 → 12, gold 0 → 5\n")
    assert table("sheets sam").stdout.endswith("sam · free\n  gold  5\n  hp    9/12\n")
    assert table("adjust sam hp=5/14 --why x").stdout.endswith("hp 9 → 5, hp.max 12 → 14\n")
    assert table("adjust sam hp=-7/10 --why x").stdout.endswith("hp 5 → −2, hp.max 14 → 10\n")
    assert table("adjust sam hp:=-4/20 --why x").stdout.endswith("hp −2 → −4, hp.max 10 → 20\n")


def test_the_maximum_of_a_number_on_the_sheet_is_no_typo(table: Type) -> None:
    assert table("adjust mara hp.max=12 --why x").stdout.endswith("hp.max 0 → 12\n")
    assert "no score called 'mana.max'" in table("adjust mara mana.max=12 --why x").stderr
    assert table("adjust mara mana=3/12 --new --why x").exit_code == 0
    assert table("adjust mara h=-1 --why x").stdout.endswith("hp 9 → 8\n")
    assert table("adjust mara hp.m=13 --why x").stdout.endswith("hp.max 12 → 13\n")


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("hp=14", "The hp of mara would be 14; it cannot be above the hp.max of 12."),
        ("hp=+4", "The hp of mara would be 13; it cannot be above the hp.max of 12."),
        ("hp.max=8", "The hp of mara would be 9; it cannot be above the hp.max of 8."),
        ("hp=9/-3", "'9/-3' is not a whole number."),
        ("hp=9/12 hp.max=13", "You named hp.max twice."),
    ],
)
def test_a_number_above_its_maximum_is_refused(table: Type, typed: str, says: str) -> None:
    table("adjust mara hp=9/12 --why x")
    assert table(f"adjust mara {typed} --why x").stderr.startswith(f"Error: {says}\n")


def test_the_hint_for_a_number_above_its_maximum_works_as_it_is_printed(table: Type) -> None:
    table("adjust mara hp=9/12 --why x")
    hint = table("adjust mara hp=14 --why x").stderr.splitlines()[1]
    highest, raised = re.findall("'campaign (.*?)'", hint)
    assert table(highest).stdout.endswith("hp 9 → 12\n")
    assert table(raised).stdout.endswith("hp.max 12 → 14\n")


def test_a_maximum_of_0_is_none(table: Type) -> None:
    table("adjust mara hp=9/12 --why x")
    table("adjust mara hp.max=0 --why x")
    assert table("adjust mara hp=99 --why x").stdout.endswith("hp 9 → 99\n")
    assert "  hp    99\n" in table("sheets mara").stdout


def test_a_correction_that_leaves_a_number_above_its_maximum_asks_the_gm(table: Type) -> None:
    table("join sam free hp=9/12")
    joined = last_entry(table)
    table("adjust sam hp=+3 --why potion")
    assert "sam hp is 14, but it cannot be above 12" in table(f"amend {joined} hp=11 --why misread --yes").stdout
    assert "sam hp 14 → 12" in table("decide adjust --why 'no more than the maximum'").stdout


def test_a_wrong_name_is_answered_with_the_nearest_one(table: Type) -> None:
    assert "Hint: Did you mean gold? mara has: " in table("adjust mara glod=+5 --why loot").stderr
    assert "Hint: mara has: " in table("adjust mara silver=+5 --why loot").stderr


def test_a_gift_is_one_action_with_both_sides(table: Type) -> None:
    table("join brak free hp=5")
    assert table("give mara brak gold=20 dex=-1").stderr.startswith("Error: dex=−1 gives nothing.")
    given = table("give mara brak gold=20 hp=1 --why 'his share'").stdout
    says = "mara gives brak 20 gold and 1 hp: his share   gold 50 → 30, hp 9 → 8, brak gold 0 → 20, brak hp 5 → 6\n"
    assert given.endswith(says)
    assert table("undo").stdout.endswith("mara gold 30 → 50, mara hp 8 → 9, brak gold 20 → 0, brak hp 6 → 5\n")
    assert table("verify").exit_code == table("audit").exit_code == 0


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("mara brak gold=51", "mara has 50 gold and needs 51."),
        ("mara brak gold=0", "gold=0 gives nothing."),
        ("mara brak silver=1", "mara has no score called 'silver', so there is nothing to give."),
        ("mara brak hp=4", "The hp of brak would be 9; it cannot be above the hp.max of 8."),
        ("brak mara hp.max=1", "In free, characters cannot give hp.max to each other."),
        ("mara mara gold=1", "mara cannot give anything to themselves."),
        ("mara kim gold=1", "kim has no sheet in 'free'."),
        ("mara nobody gold=1", "Nobody called 'nobody' plays in this campaign."),
        ("mara brak edge=1", "In edge, characters cannot give edge to each other."),
        ("mara brak gold", "'gold' is not an amount like gold=20."),
    ],
)
def test_a_gift_that_cannot_be_is_refused_and_changes_nothing(table: Type, typed: str, says: str) -> None:
    for line in ("player Ben --plays kim", "join brak free hp=5/8", "join brak edge maximum=3"):
        table(line)
    before = table("sheets").stdout
    assert says in table(f"give {typed}").stderr
    assert table("sheets").stdout == before


def test_a_gift_is_corrected_like_every_other_entry(table: Type) -> None:
    table("join brak free hp=5")
    table("give mara brak gold=20")
    assert table(f"amend {last_entry(table)} gold=15 --why 'miscounted' --yes").exit_code == 0
    assert [table(f"sheets {who}").stdout.count(f"gold  {gold}\n") for who, gold in (("mara", 35), ("brak", 15))] == [
        1,
        1,
    ]
    assert table("audit").exit_code == 0


def test_at_the_prompt_a_gift_comes_from_the_usual_character(table: Type) -> None:
    table("join brak free hp=5")
    seen = table("play", input="with mara\ngive brak gold=2\ngive brak mara gold=1\ngive @brak mara gold=1\n").output
    assert [seen.count(f"{who} gold") for who in ("mara gives brak 2", "brak gives mara 1")] == [1, 2]


def test_a_shared_sheet_is_a_character_that_nobody_plays(table: Type) -> None:
    for line in ("join party free gold=100", "session open One", "npc wolf", "join wolf free gold=1"):
        table(line)
    with open_book("road.campaign") as book:
        acting = {
            who: Give(who=who, to="mara", amounts={}).acting_characters(book, "p2") for who in ("party", "mara", "wolf")
        }
    assert acting == {"party": (), "mara": ("mara",), "wolf": ("wolf",)}
    assert table("give party mara gold=5").stdout.endswith(
        "party gives mara 5 gold   gold 100 → 95, mara gold 50 → 55\n"
    )
    left_out = table("adjust all gold=+1 --why found")
    assert ("party" in left_out.stdout, left_out.stdout.count("gold 55 → 56")) == (False, 1)


@pytest.fixture
def party(table: Type) -> Type:
    """Make a table with a shared purse, with brak, and with kim, who has no sheet."""
    for line in ("player Ben --plays brak,kim", "join brak free hp=5", "join party free gold=20"):
        table(line)
    return table


def test_a_gift_to_all_is_a_gift_to_each_character_with_a_sheet(party: Type) -> None:
    given = party("give party all gold=5")
    assert [line.split("   ")[1].strip() for line in given.stdout.splitlines()] == [
        "party gives mara 5 gold",
        "party gives brak 5 gold",
    ]
    assert given.stderr == "Not included: kim (no sheet in free).\n"
    assert "gold  10\n" in party("sheets party").stdout


def test_a_gift_to_all_leaves_out_the_giver(party: Type) -> None:
    given = party("give mara all gold=2")
    assert "mara gives brak 2 gold" in given.stdout
    assert "Not included: party (no player), kim (no sheet in free)." in given.stderr


def test_at_the_prompt_a_gift_to_all_comes_from_the_usual_character(party: Type) -> None:
    seen = party("play", input="with mara\ngive all gold=1\ngive party all gold=1\ngive all party gold=1\n").output
    assert [seen.count(says) for says in ("mara gives brak", "party gives", "'all' can receive")] == [1, 2, 1]


def test_a_gift_goes_to_a_range_of_characters(party: Type) -> None:
    for line in ("session open One", "npc gob-1..2", "join gob-1 free gold=1", "join gob-2 free gold=1"):
        party(line)
    assert party("give party gob-1..2 gold=1").stdout.count("party gives gob-") == 2


def test_all_cannot_give(party: Type) -> None:
    refused = party("give all party gold=5")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "'all' can receive something, but cannot give." in refused.stderr
    assert "Hint: To collect from several characters, name them: campaign give WHO,WHO WHO SCORE=N" in refused.stderr


@pytest.mark.parametrize(
    ("typed", "left_out"),
    [
        ("free rest all", "party (no player), kim (no sheet in free), brak (no refill list)"),
        ("free check all sneak 12", "party (no player), kim (no sheet in free), brak (no sneak)"),
        ("turns roll all d20+dex", "party (no player), brak (no dex), kim (no dex)"),
    ],
)
def test_a_move_for_all_names_those_whose_sheets_lack_something(party: Type, typed: str, left_out: str) -> None:
    party("adjust mara hp.max=12")
    party("set mara refill=hp roll.sneak=d20")
    done = party(typed)
    assert done.exit_code == 0
    assert done.stderr.endswith(f"Not included: {left_out}.\n")


def test_a_move_for_a_range_leaves_nobody_out(party: Type) -> None:
    for line in ("session open One", "npc gob-1..2", "join gob-1 free dex=1", "join gob-2 free hp=1"):
        party(line)
    assert "gob-2 has no roll and no number" in party("free check gob-1..2 dex+d6").stderr


def test_a_move_for_all_without_any_sheet_is_refused(table: Type) -> None:
    assert "Nobody at the table has a sheet for this command." in table("multicheck save all fortitude").stderr


def test_a_move_for_all_that_no_sheet_allows_is_refused(party: Type) -> None:
    refused = party("free rest all")
    assert refused.exit_code == 3
    assert "The sheet of brak has no refill list." in refused.stderr


def test_a_character_joins_with_rolls_and_a_refill_list(table: Type) -> None:
    joined = table("join sam free hp=9/12 refill=hp roll.Axe=d20+2")
    assert [line.split("   ", 1)[1].strip() for line in joined.stdout.splitlines()] == [
        "sam joins free   hp 0 → 9, hp.max 0 → 12",
        "sam refill = hp, roll.axe = d20+2",
    ]
    assert "sam axe: 7 (5 + 2)" in table("free check sam axe --faces 5").stdout


def test_characters_in_a_range_join_with_rolls(table: Type) -> None:
    for line in ("session open One", "npc gob-1..2"):
        table(line)
    assert table("join gob-1..2 free hp=7 roll.axe=d20+4").stdout.count("roll.axe = d20+4") == 2


def test_a_value_without_a_sheet_says_so(table: Type) -> None:
    table("player Ben --plays kim")
    refused = table("set kim roll.axe=d20").stderr
    assert "kim has no sheet, and no value called 'roll.axe'." in refused
    assert "Make a sheet with 'campaign join kim GAME SCORE=N…'." in refused


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("stealth-2 --faces 9", "mara stealth-2: 6 (9 − 1 − 2)"),
        ("sword-2 --faces 9", "mara sword-2: 7 (9 − 2)"),
        ("sword-damage --faces 5", "mara sword-damage: 7 (5 + 2)"),
        ("sword-damage-1 --faces 5", "mara sword-damage-1: 6 (5 + 2 − 1)"),
        ("'sword-damage * 2' --faces 5", "mara sword-damage * 2: 14"),
        ("sword-edge+d6 --faces 5", "mara sword-edge+d6: 9 (4 + 5)"),
    ],
)
def test_the_longest_name_on_the_sheet_is_the_roll_or_the_number(table: Type, typed: str, says: str) -> None:
    table("set mara roll.stealth=d20+dex roll.sword=d20 roll.sword-damage=d8+2")
    table("adjust mara sword-edge=4 --new")
    assert says in table(f"free check mara {typed}").stdout


@pytest.mark.parametrize(
    ("line", "says", "hint"),
    [
        (
            "free check mara stealth+sword",
            "The roll sword cannot be used inside 'd20+dex+sword'.",
            "Instead of sword, type its dice: d8",
        ),
        ("set mara roll.a=d20+roll.b", "The roll b cannot be used inside 'd20+roll.b'.", "Type only dice and numbers"),
    ],
)
def test_no_hint_replaces_a_roll_on_the_sheet(table: Type, line: str, says: str, hint: str) -> None:
    table("set mara roll.stealth=d20+dex roll.sword=d8")
    refused = table(line).stderr
    assert says in refused
    assert hint in refused


def test_the_hint_for_a_maximum_below_the_number_lowers_both(table: Type) -> None:
    table("adjust mara hp=12/12")
    assert "Hint: To lower both: campaign adjust mara hp.max=10 hp=10" in table("adjust mara hp.max=-2").stderr
    assert "hp.max 12 → 10, hp 12 → 10" in table("adjust mara hp.max=10 hp=10").stdout


def test_capitals_in_the_name_of_a_number_become_small_letters(table: Type) -> None:
    assert "hp 0 → 7" in table("join sam free HP=7").stdout
    assert "hp 7 → 5" in table("adjust sam Hp=-2 --why x").stdout
    assert "You named hp twice" in table("adjust sam HP=1 hp=2 --why x").stderr


def test_a_score_of_a_game_with_rules_comes_before_a_number_of_the_same_name(table: Type) -> None:
    assert table("adjust mara edge=-1 --new --why x").stdout.endswith("mara adjusted by hand: x   edge 4 → 3\n")
    assert "free" not in table("register mara edge").stdout


def test_a_game_whose_moves_roll_no_dice_has_no_odds(table: Type) -> None:
    refused = table("odds byzantine")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (3, "Error: byzantine has no moves that roll dice.")


def test_a_table_without_sheets_is_told_how_to_roll(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init Road --gm Tom", "player Ana --plays mara", "session open One"):
        type_in(words)
    assert "campaign roll mara 3d6" in type_in("").stdout


def test_a_character_without_a_sheet_is_told_how_to_get_one(table: Type) -> None:
    table("player Ben --plays sam")
    refused = table("adjust sam gold=+5 --why loot")
    assert refused.stderr == (
        "Error: sam has no sheet, and no score called 'gold'.\nHint: Make a sheet with 'campaign join sam GAME SCORE=N…'.\n"
    )


@pytest.mark.parametrize("typed", ["gold=5/6", "gold:=5"])
def test_an_amount_to_give_is_one_number(table: Type, typed: str) -> None:
    table("join brak free gold=3")
    assert table(f"give mara brak {typed}").stderr == (
        f"Error: '{typed}' is not an amount.\nHint: An amount is one number, like gold=20.\n"
    )


def test_a_starting_number_above_its_maximum_says_what_to_type_in_the_same_command(table: Type) -> None:
    assert "Hint: Type hp=12, or hp.max=13.\n" in table("join zed free hp=13/12").stderr


def test_a_gift_above_the_maximum_says_what_the_gm_can_do(table: Type) -> None:
    table("join brak free hp=5/5")
    assert table("give mara brak hp=1").stderr.endswith(
        "Hint: The GM can set the hp with 'campaign adjust brak hp=5', or raise the hp.max with"
        " 'campaign adjust brak hp.max=6'.\n"
    )


def test_accents_in_the_name_of_a_number_do_not_count(table: Type) -> None:
    assert "mana-regen 0 → 4, mana-regen.max 0 → 6" in table("adjust mara Mana-Régén=4/6 --new").stdout
    assert "mana-regen 4 → 5" in table("adjust mara MANA-RÉGÉN=+1").stdout
    assert "You named mana-regen twice" in table("adjust mara mana-regen=1 Mana-Régén=2").stderr
    assert "mara · free/mana-regen\n" in table("register mara Mana-Régén").stdout
    assert "mana-regen is 5\n" in table("why mara Mana-Régén").stdout
    table("set mara refill=Mana-Régén")
    assert "mana-regen 5 → 6" in table("free rest mara").stdout


def test_a_name_that_no_number_can_have_is_refused_with_the_names_that_work(table: Type) -> None:
    for typed in ("金_貨", "2金", "金" * 33):
        refused = table(f"adjust mara {typed}=4 --new").stderr
        assert f"mara has no score called '{typed}'." in refused
        assert "A new score can have any name of at most 32 letters, digits and hyphens, like hp or gold" in refused


def test_numbers_have_names_in_any_script(table: Type) -> None:
    joined = table("join wang free Ausdauer=5 体力=9/12 Сила=3 शक्ति=2 체력=4").stdout
    assert "ausdauer 0 → 5, 体力 0 → 9, 体力.max 0 → 12, сила 0 → 3, शक्ति 0 → 2, 체력 0 → 4" in joined
    assert "体力 9 → 7, сила 3 → 4" in table("adjust wang 体力=-2 СИЛА=+1").stdout
    assert "wang rolls d20+сила = 9" in table("roll wang d20+Сила --faces 5").stdout
    rolled = table("free check wang d20+शक्ति+체력+体力-Сила 15 --faces 5").stdout
    assert "success: 14 against" not in rolled
    assert "14 against 15, margin −1 (5 + 2 + 4 + 7 − 4)" in rolled
    assert "wang refill = 体力, roll.меч = d20+Сила" in table("set wang roll.Меч=d20+Сила refill=体力").stdout
    assert "12 against 11" in table("free check wang МЕЧ 11 --faces 8").stdout
    assert "体力 7 → 12" in table("free rest wang").stdout
    assert "  сила      4\n  शक्ति       2\n  体力      12/12\n" in table("sheets wang").stdout
    assert table("verify").exit_code == table("audit").exit_code == table("rebuild").exit_code == 0


def test_a_letter_and_its_accent_are_one_letter_in_the_name_of_a_number(table: Type) -> None:
    table("adjust mara й=4 --new")
    assert "й 4 → 5" in table("adjust mara и\u0306=+1").stdout


def test_two_names_that_look_the_same_are_refused(table: Type) -> None:
    table("join wang free сила=3")
    refused = table("adjust wang cила=5 --new")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: wang cannot have both сила and cила: the names look the same.\n"
        "Hint: Choose a different name, or copy сила from the sheet.\n",
    )
    assert "cannot have both cила and сила" in table("join sam free сила=5 cила=3").stderr
    table("join zed free cила=1")
    assert "wang cannot have both сила and cила" in table("give zed wang cила=1").stderr


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("set wang class=Rogue", "set wang сlass=Wizard", "class and сlass"),
        ("set wang roll.hide=d20", "set wang roll.hіde=d8", "roll.hide and roll.hіde"),
        ("adjust wang gold=5 --new", "set wang gоld=a-lot", "gold and gоld"),
        ("set wang gоld=a-lot", "adjust wang gold=5 --new", "gоld and gold"),
    ],
)
def test_words_and_rolls_that_look_like_another_name_on_the_sheet_are_refused(
    table: Type, first: str, second: str, names: str
) -> None:
    table("join wang free hp=3")
    assert table(first).exit_code == 0
    refused = table(second)
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
        3,
        f"Error: wang cannot have both {names}: the names look the same.",
    )


def test_an_amendment_cannot_add_a_name_that_looks_like_another_one(table: Type) -> None:
    table("join wang free hp=3")
    table("set wang class=Rogue")
    refused = table(f"amend {last_entry(table)} сlass=Wizard --why typo --yes")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
        3,
        "Error: wang cannot have both class and сlass: the names look the same.",
    )


def test_names_that_look_the_same_in_an_older_campaign_stay_valid(table: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:  # the commands of a version without this check
        for kind in (Join, Adjust, SetMarks, Give):
            before.setattr(kind, "check_new_names", Command.check_new_names)
        table("join wang free hp=3 hр=4")
        table("set wang class=Rogue")
        table("set wang сlass=Wizard")
        table("adjust wang gold=5 gоld=6 --new")
        table("give wang mara gоld=2")
    assert table("audit").exit_code == table("verify").exit_code == 0
    assert "сlass = Thief" in table("set wang сlass=Thief").stdout
    assert "hр 4 → 5" in table("adjust wang hр=+1").stdout


def test_words_that_were_removed_free_their_name(table: Type) -> None:
    table("join wang free hp=3")
    table("set wang class=Rogue")
    table("set wang class=none")
    assert "wang сlass = Wizard" in table("set wang сlass=Wizard").stdout


@pytest.mark.parametrize("typed", ["-1 体力", "体力-1", "-1体力", "体力 = 8"])
def test_the_prompt_reads_names_in_any_script(table: Type, typed: str) -> None:
    table("join wang free 体力=9/12")
    assert "体力 9 → 8" in table("play", input=f"with wang\n{typed}\n").stdout


def test_only_the_receiver_of_a_gift_may_lack_the_number(table: Type) -> None:
    table("join brak free")
    refused = table("give brak mara silver=1").stderr
    assert "Error: brak has no score called 'silver', so there is nothing to give.\n" in refused
    assert "To add a new score: campaign adjust brak silver=N --new\n" in refused
    assert "gold 50 → 49, brak gold 0 → 1" in table("give mara brak gold=1").stdout


@pytest.mark.parametrize(
    ("typed", "gives"),
    [
        ("mara brak 20 gold", "20 gold"),
        ("mara brak gold 20", "20 gold"),
        ("20 gold 1 hp mara brak", "20 gold and 1 hp"),
        ("mara brak gold 20 hp 1", "20 gold and 1 hp"),
        ("mara brak gold = 20", "20 gold"),
    ],
)
def test_an_amount_to_give_is_typed_as_people_say_it(table: Type, typed: str, gives: str) -> None:
    table("join brak free")
    assert f"mara gives brak {gives}   " in table(f"give {typed}").stdout


@pytest.mark.parametrize("typed", ["mara brak 20", "20 mara brak", "mara brak 20 = gold", "mara brak"])
def test_an_amount_to_give_without_its_name_is_refused(table: Type, typed: str) -> None:
    table("join brak free")
    assert table(f"give {typed}").exit_code == 2


def test_at_the_prompt_an_amount_to_give_comes_from_the_usual_character(table: Type) -> None:
    table("join brak free")
    assert "mara gives brak 20 gold" in table("play", input="with mara\ngive brak 20 gold\n").stdout


def test_a_number_that_was_set_stays_set_when_an_earlier_entry_is_corrected(table: Type) -> None:
    table("adjust mara gold=+10")
    moved = last_entry(table)
    table("adjust mara gold=25 --why counted")
    counted = last_entry(table)
    table("adjust mara gold=+1")
    shown = table(f"amend {moved} gold=+3 --why less --yes").stdout
    assert f"#{counted} (mara adjusted by hand: counted, gold −35) still sets mara's gold to 25\n" in shown
    assert "gold  26\n" in table("sheets mara").stdout
    assert "No open questions" in table("questions").stderr
    table("undo --yes")
    table(f"void {moved} --why never --yes")
    assert "gold  26\n" in table("sheets mara").stdout
    assert table("audit").exit_code == table("verify").exit_code == 0


def test_a_cascade_keeps_a_number_that_was_set(table: Type) -> None:
    table("join sam free hp=3/9 refill=hp")
    table("adjust sam hp=-1")
    wound = last_entry(table)
    table("free rest sam")
    table("adjust sam hp=7")
    table(f"amend {wound} hp=-2 --cascade --why worse --yes")
    assert "hp      7/9\n" in table("sheets sam").stdout
    assert table("audit").exit_code == 0


def test_a_number_that_can_no_longer_be_set_is_named(table: Type) -> None:
    table("join sam free hp=9/12")
    joined = last_entry(table)
    table("adjust sam hp=12")
    shown = table(f"amend {joined} hp=8 hp.max=10 --why misread --yes").stdout
    healed = "(sam adjusted by hand, hp +3) set sam's hp to 12. With this correction, the value becomes 11.\n"
    assert healed in shown


def test_a_number_that_was_moved_before_or_canceled_is_not_set_again(table: Type) -> None:
    table("adjust mara gold=+10")
    moved = last_entry(table)
    table("adjust mara gold=30")
    table("undo")
    table("adjust mara hp=7")
    assert "still sets" not in table(f"amend {last_entry(table)} hp=8 --why more --yes").stdout
    assert "still sets" not in table(f"amend {moved} gold=+3 --why less --yes").stdout
    assert "gold  53\n" in table("sheets mara").stdout


def test_a_sheet_keeps_words(table: Type) -> None:
    assert table(["set", "mara", "class=Rogue", "conditions=poisoned, prone"]).stdout.endswith(
        "mara class = Rogue, conditions = poisoned, prone\n"
    )
    assert "  class       Rogue\n  conditions  poisoned, prone\n" in table("sheets mara").stdout
    assert '"class": "Rogue"' in table("sheets mara --json").stdout
    assert "mara · class is Rogue\n" in table("why mara class").stdout
    assert "class       – → Rogue" in table(f"diff 8 {last_entry(table)}").stdout
    table("set mara conditions=none")
    assert "conditions" not in table("sheets mara").stdout
    assert table("verify").exit_code == table("audit").exit_code == table("rebuild").exit_code == 0


def test_words_on_a_sheet_are_corrected_and_erased_like_other_texts(table: Type) -> None:
    table("set mara class=Rogue")
    seq = last_entry(table)
    assert "; class Wizard\n" in table(f"amend {seq} class=Wizard --why x --yes").stdout
    assert "class  Wizard\n" in table("sheets mara").stdout
    table(f"erase {seq} --yes")
    assert "class  (erased)\n" in table("sheets mara").stdout
    assert f"amends #{seq} (mara class = (erased)); class (erased)\n" in table("log").stdout
    for text in (b"Rogue", b"Wizard"):
        assert text not in next(Path().glob("*.campaign")).read_bytes()
    assert table("verify").exit_code == 0


def test_words_and_numbers_have_different_names(table: Type) -> None:
    assert table("set mara hp=x").stderr == "Error: hp is a number.\nHint: To change it: campaign adjust mara hp=N\n"
    assert table("set mara level=5").stderr == (
        "Error: '5' is a number, not a text.\nHint: To add a number: campaign adjust WHO NAME=5 --new\n"
    )
    table("set mara class=Rogue")
    assert table("adjust mara class=3 --new").stderr == (
        "Error: class on the sheet of mara is not a number.\nHint: Choose a different name.\n"
    )
    assert "mara has no roll and no number called 'class'." in table("free check mara class").stderr


def test_the_words_of_a_game_with_rules_come_before_words_of_the_same_name(table: Type) -> None:
    assert "There is nothing" not in table("set mara armor.vest=15/30").stderr
    table("set mara class=Rogue")
    assert "mara class = Bard" in table("set mara cla=Bard").stdout
    assert "mara cla = Bard" in table("set mara cla=Bard --new").stdout


def test_words_are_typed_when_a_character_joins(table: Type) -> None:
    assert "sam class = Monk, roll.axe = d20" in table("join sam free hp=4 class=Monk roll.axe=d20").stdout
    assert "Error: '9x' is not a whole number.\n" in table("join zed free hp=9x").stderr
