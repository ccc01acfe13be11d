"""Lines of an evening as a game master types them: several characters, amounts, and choices in their shortest form."""

import re
from pathlib import Path

import pytest

from terminal import Type, command, head, rows, typed_at_a_terminal

TABLE = (
    "player Ben --plays jonas",
    "player Cleo --plays brak",
    "player Dan --plays sil",
    "adjust mara skill.deception=3 attribute.agility=2 attribute.wits=1 --why x",
    "set mara on.deception=agility,wits --why x",
    "join jonas edge edge=4 maximum=4 skill.stealth=1 skill.melee=1",
    "join brak free hp=12 roll.stealth=d20+2",
    "join sil free hp=9 roll.stealth=d20+4",
    "session open One --present Ana,Ben,Cleo,Dan",
    "npc gob-1..3",
    "join gob-1..3 free hp=7 roll.stealth=d20+2",
)

STOPS = " The attack stops after this roll, because the player may still choose something."
MISSED = " The attack roll failed, so the attack needs no other dice."


@pytest.fixture
def evening(folder: Path, type_in: Type) -> Type:
    """A campaign in which mara and jonas play edge, brak, sil and three goblins play free, and everybody is here."""
    for line in TABLE:
        assert type_in(line).exit_code == 0, line
    return type_in


def at_prompt(type_in: Type, *lines: str) -> list[str]:
    """Type lines at the prompt. Return what each line prints."""
    seen = type_in("play", input="\n".join(lines)).output
    return [part.strip() for part in re.split("^[a-z ]*> .*$", seen, flags=re.MULTILINE)[1:]]


def lines_about(shown: str) -> list[str]:
    """Return the name at the start of each entry in an answer."""
    return re.findall("^#[0-9]+ +([a-z0-9-]+)", shown, flags=re.MULTILINE)


def next_entry(type_in: Type) -> int:
    """Return the number of the next entry."""
    return int(rows(type_in("note x --json").stdout)[0]["seq"]) + 1


GOBLINS = ["gob-1", "gob-2", "gob-3"]


def test_a_group_roll_with_typed_dice_is_written_without_a_question(evening: Type, folder: Path) -> None:
    before = head(folder)
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", "roll gob-1..3 d20+2 = 14, 3, 9"), ("= 11", "note hello"), ("note: hello", "quit")],
        enter="\r",
    )
    assert "gob-1 14, gob-2 3, gob-3 9" in screen
    assert "Save this?" not in screen
    assert head(folder) == before + 7


@pytest.mark.parametrize("line", ["c st gob-1..3 12 = 14, 3, 9", "gob-1..3 c st 12 = 14, 3, 9"])
def test_the_main_move_of_a_range_is_in_the_game_of_its_characters(evening: Type, line: str) -> None:
    assert lines_about(at_prompt(evening, line)[0]) == GOBLINS


def test_a_range_of_unknown_characters_does_not_choose_a_game(evening: Type) -> None:
    evening("join mara multicheck")
    assert "'c' could mean several games: " in at_prompt(evening, "c 12 wolf-1..3")[0]


@pytest.mark.parametrize("line", ["all d20", "all roll d20"])
def test_all_may_start_a_line(evening: Type, line: str) -> None:
    assert lines_about(at_prompt(evening, line)[0]) == ["mara", "jonas", "brak", "sil"]


def test_the_main_move_for_all_is_in_the_game_that_has_the_name(evening: Type) -> None:
    evening("join mara multicheck")
    evening("set brak roll.axe=d20 --why x")
    assert lines_about(at_prompt(evening, "all c axe")[0]) == ["brak"]
    assert "'c' could mean several games: edge, free." in at_prompt(evening, "all c stealth")[0]


@pytest.mark.parametrize("group", ["all", "gob-1..3"])
def test_several_characters_alone_are_no_line(evening: Type, group: str) -> None:
    assert f"Hint: For example: roll {group} d20" in at_prompt(evening, group)[0]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("-2 hp gob-1..3; fireball", GOBLINS),
        ("gob-1..3 -2 hp; fireball", GOBLINS),
        ("hp-2 gob-1..3; fireball", GOBLINS),
        ("-2 hp brak,sil; fireball", ["brak", "sil"]),
        ("-2 hp brak sil; fireball", ["brak", "sil"]),
        ("hp-2 brak; fireball", ["brak"]),
        ("hp-2 @brak; fireball", ["brak"]),
        ("hp -2 b; fireball", ["brak"]),
        ("adjust brak,sil hp=-2 --why fireball", ["brak", "sil"]),
    ],
)
@pytest.mark.parametrize("usual", ["with", "with mara"])
def test_an_amount_takes_several_characters_and_a_name_after_the_score(
    evening: Type, usual: str, line: str, names: list[str]
) -> None:
    shown = at_prompt(evening, usual, line)[1]
    assert lines_about(shown) == names
    assert shown.count("adjusted by hand: fireball") == len(names)


def test_an_unknown_name_in_a_list_is_named(evening: Type) -> None:
    assert "Nobody called 'nobody' plays in this campaign." in at_prompt(evening, "-2 hp brak,nobody")[0]


@pytest.mark.parametrize("line", ["j free mara 25", "j free mara 25 = 9 9 4"])
def test_a_refusal_says_which_command_a_word_was_read_as_if_it_also_starts_a_name(evening: Type, line: str) -> None:
    shown = " ".join(at_prompt(evening, line)[0].split())
    assert shown.endswith("'j' was read as the command 'join'. For jonas, start the line with @jonas.")


def test_a_shortened_command_that_starts_no_name_is_not_mentioned(evening: Type) -> None:
    assert "was read as" not in at_prompt(evening, "adj edge=x")[0]


def test_a_move_of_a_game_without_a_sheet_says_so(evening: Type) -> None:
    shown = at_prompt(evening, "att bite gob-1 brak", "zzz gob-1")
    assert shown[0].startswith(
        "Error: 'attack' is a move of edge, but gob-1 has no sheet in edge.\nHint: To make this sheet: join"
    )
    assert shown[1].startswith("Error: No such command 'zzz'.")


def test_a_skill_that_is_not_on_the_sheet_is_no_new_skill(evening: Type) -> None:
    assert at_prompt(evening, "jonas c de")[0] == (
        "Error: jonas has no skill 'de'.\nHint: jonas has these skills: melee, stealth. You can also give the total bonus with --skill N."
    )
    assert "Did you mean stealth? You can" in at_prompt(evening, "jonas c stealthy --new")[0]


ZED = "join zed multicheck attribute.body=40 attribute.luck=30 pk=1"


def test_the_choices_of_an_offer_come_before_common_flags(evening: Type) -> None:
    evening("edge check mara deception --edge --faces 9,4,3")
    assert "4 dropped" in at_prompt(evening, "cho dr 4")[0]


def test_a_letter_that_fits_no_open_choice_shows_the_open_ones(evening: Type, folder: Path) -> None:
    evening("edge check mara deception --edge --faces 9,4,3")
    before = head(folder)
    shown = at_prompt(evening, "cho r = 10")[0]
    assert "choice needed: choose " in shown
    assert "Error: No open choice is called 'r'." in shown
    assert "--fork" not in shown
    assert "4 dropped" in at_prompt(evening, "cho dry-run --drop 4")[0]
    assert head(folder) == before


@pytest.mark.parametrize("line", ["cho re = 10", "cho 2"])
def test_a_choice_after_its_offer_has_expired_says_so(evening: Type, line: str) -> None:
    for words in (ZED, "multicheck test zed body --faces 91", "multicheck turn zed"):
        assert evening(words).exit_code == 0
    assert re.match(r"Error: No choice is open. The offer from #[0-9]+ has expired.", at_prompt(evening, line)[0])


def test_an_unknown_flag_is_never_taken_for_fork(evening: Type) -> None:
    assert at_prompt(evening, "adjust mara edge=3 --fok")[0] == "Error: No such option '--fok'."
    assert "Did you mean '--dry-run'?" in at_prompt(evening, "adjust mara edge=3 --dryrum")[0]


def test_again_after_an_amendment_repeats_the_amended_entry_without_a_question(evening: Type) -> None:
    roll = next_entry(evening) + 1
    amended = f"amend {roll} --vs 10 --yes --why x"
    seen = at_prompt(evening, "roll brak d20 --vs 5 = 3", amended, "again = 7", "again = 17")
    assert "✗ failure against 10, margin −3" in seen[2]
    assert "✓ success against 10, margin +7" in seen[3]


def test_again_after_an_amendment_takes_another_character_and_other_inputs(evening: Type) -> None:
    roll = next_entry(evening) + 1
    amended = f"amend {roll} --vs 10 --yes --why x"
    seen = at_prompt(evening, "roll brak d20 --vs 5 = 3", amended, "again @sil --vs 8 = 7")
    assert "sil rolls" in seen[2]
    assert "failure against 8" in seen[2]


def test_again_after_a_choice_rolls_as_before_the_choice(evening: Type) -> None:
    roll = "edge check mara deception 20 --edge = 3 4 5"
    seen = at_prompt(evening, roll, "choose --drop 3", "amend last --target 19 --yes --why x", "again = 9 9 8")
    assert "mara deception  ? choice needed   [9 9 8]" in seen[3]


def test_a_dispute_about_a_roll_that_was_amended_already_is_decided_without_a_question(evening: Type) -> None:
    roll = next_entry(evening) + 1
    amended = f"amend {roll} --vs 10 --yes --why x"
    seen = at_prompt(
        evening, "roll brak d20 --vs 5 = 3", "dispute last --claim no", amended, f"decide {roll} amend; ok"
    )
    assert "is answered (amended): ok" in seen[3]


def test_again_never_repeats_a_correction(evening: Type) -> None:
    seen = at_prompt(evening, "roll brak d20 = 3", "dispute last --claim no", "again = 7")
    assert "brak rolls d20 = 7" in seen[2]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("brak sil -2 hp", ["brak", "sil"]),
        ("-2 hp brak, sil", ["brak", "sil"]),
        ("brak, sil d20", ["brak", "sil"]),
        ("brak,sil d20 = 3, 4", ["brak", "sil"]),
        ("roll brak sil d20", ["brak", "sil"]),
        ("d20 Brak,sil", ["brak", "sil"]),
        ("c st brak sil = 4, 5", ["brak", "sil"]),
        ("c st brak, sil", ["brak", "sil"]),
        ("rest long jonas mara", ["jonas", "mara"]),
        ("turns roll mara brak gob-1..2 d20", ["mara", "brak", "gob-1", "gob-2"]),
        ("turns add brak,sil 12", ["brak", "sil"]),
        ("leave brak, sil", ["brak", "sil"]),
    ],
)
def test_characters_side_by_side_are_a_list(evening: Type, line: str, names: list[str]) -> None:
    assert lines_about(at_prompt(evening, line)[0]) == names


def test_a_list_makes_sheets_for_several_characters(evening: Type) -> None:
    assert evening("npc wolf bear").exit_code == 0
    assert lines_about(evening("join wolf,bear free hp=5").output) == ["wolf", "bear"]


def test_names_in_the_reason_for_a_bonus_are_no_list(evening: Type) -> None:
    assert lines_about(at_prompt(evening, "c de mara +1 jonas brak push = 7 8")[0]) == ["mara"]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("jo c me --attributes agility,wits", "Error: jonas has no attribute.agility on the sheet."),
        ("jo d20 = 5", "jonas rolls d20 = 5"),
        ("jo -1 edge", "jonas adjusted by hand   edge 4 → 3"),
        ("jo at knife mara", "Error: jonas has no weapon called knife on the sheet."),
        ("jo edge", "'jo' was read as the command 'join'. For jonas, start the line with @jonas."),
    ],
)
def test_letters_of_a_command_are_a_character_if_an_act_follows(evening: Type, line: str, shows: str) -> None:
    assert shows in at_prompt(evening, line)[0]


def test_a_note_that_begins_like_a_move_stays_a_note(evening: Type) -> None:
    evening("player Eva --plays nora")
    assert "note: c melee" in at_prompt(evening, "no c melee")[0]


def test_the_first_letters_of_several_characters_show_them(evening: Type) -> None:
    assert at_prompt(evening, "gob d20")[0].startswith("Error: 'gob' could be any of gob-1, gob-2, gob-3.")


def test_a_character_of_an_earlier_session_is_named_with_the_way_to_bring_it_back(evening: Type) -> None:
    for line in ("npc wolf", "session close", "session open Two"):
        assert evening(line).exit_code == 0
    assert "Hint: wolf no longer plays. To bring wolf back: npc wolf" in at_prompt(evening, "wolf d20")[0]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("c de", "Error: This line names no character. mara has 'de'.\nHint: For mara: edge check de mara"),
        ("c st 15", "'c' could mean several games: edge, free.\nHint: To pick one: with NAME edge"),
        ("c nobody de 15", "This line names no character. mara has 'de'.\nHint: For mara: edge check de 15 mara"),
        ("c de mar", "mara deception"),
        ("edge check xyz", "Nobody called 'xyz' plays in this campaign."),
    ],
)
def test_a_main_move_without_a_character_says_who_has_the_skill(evening: Type, line: str, shows: str) -> None:
    assert shows in at_prompt(evening, line)[0]


def test_a_skill_that_two_games_of_a_character_have_lists_both_games(evening: Type) -> None:
    evening("join mara free roll.deception=d20+7")
    assert "'c' could mean several games: edge, free." in at_prompt(evening, "c deception mara 14 = 20")[0]
    seen = at_prompt(evening, "with mara edge", "c deception 14 = 20", "with mara free", "c deception 14 = 20")
    assert "(2 + 10 + 6)" in seen[1]
    assert "success: 27 against 14" in seen[3]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("c de mara ; sneaks = 46; past", "16 against 20 (4 + 6 + 6): sneaks past"),
        ("c de mara; = 46; sneaks past", "16 against 20 (4 + 6 + 6): sneaks past"),
        ("c de mara; sneaks = 46;", "16 against 20 (4 + 6 + 6): sneaks"),
        ("c de mara; reads = 19, fast", "Error: Put the dice before the semicolon. If '= 19,' belongs to the text, "),
        ("mara d20; jumps = 15ft", "If '= 15ft' belongs to the text, leave out the equals sign."),
        ("note jumps = 15ft; far", "note: jumps = 15ft; far"),
    ],
)
def test_dice_between_words_are_used_or_refused_but_never_rolled_anew(evening: Type, line: str, shows: str) -> None:
    assert shows in at_prompt(evening, line)[0]


def test_again_skips_what_was_undone_and_lines_that_only_move_the_table_on(evening: Type) -> None:
    lines = ("roll brak d20 = 3", "turns add brak 12", "turns next", "day next", "note x", "u", "again = 7")
    assert "brak rolls d20 = 7" in at_prompt(evening, *lines)[6]
    group = ("brak d20 = 3", "brak,sil d20 = 4, 5", "u", "-1 hp brak", "u", "again = 8", "u", "u", "again = 9")
    seen = at_prompt(evening, *group)
    assert "brak rolls d20 = 8" in seen[5]
    assert seen[8] == "Error: There is no line to repeat yet."


def test_again_after_a_refused_line_says_what_it_repeats_and_asks_for_the_word_once_more(evening: Type) -> None:
    refused, asked, repeated = at_prompt(evening, "brak d20 = 3", "brak d21d = 3", "again", "again = 7")[1:]
    assert refused.startswith("Error: ")
    assert asked == "The last line wrote nothing.\nTo repeat 'roll @brak d20 = 3', type 'again' once more."
    assert "brak rolls d20 = 7" in repeated


def test_a_part_of_a_name_is_never_guessed_but_offered(evening: Type) -> None:
    evening("npc sister-ida")
    seen = at_prompt(evening, "ida d20", "with ida", "ida", "sister d20 = 3")
    assert seen[0] == "Error: No such command 'ida'. Did you mean sister-ida?"
    assert seen[1] == "Error: Nobody called 'ida' plays in this campaign.\nHint: Did you mean sister-ida?"
    assert seen[2] == seen[0]
    assert "sister-ida rolls d20 = 3" in seen[3]


def test_again_repeats_what_a_redo_brought_back(evening: Type) -> None:
    assert "brak rolls d20 = 7" in at_prompt(evening, "brak d20 = 3", "u", "redo", "again = 7")[3]


def test_several_characters_with_the_skill_are_listed(folder: Path, type_in: Type) -> None:
    type_in("join jonas edge edge=4 maximum=4 skill.deception=1")
    type_in("adjust mara skill.deception=3 --why x")
    assert "jonas, mara have 'dec'." in at_prompt(type_in, "c dec")[0]


def test_an_unknown_character_after_a_score_is_named(evening: Type) -> None:
    assert "Nobody called 'foo' plays in this campaign." in at_prompt(evening, "-2 hp foo")[0]


@pytest.mark.parametrize("line", ["c dec mara 20 rain -2", "c dec mara -2 20 rain"])
def test_a_reason_apart_from_its_number_shows_where_it_belongs(evening: Type, line: str) -> None:
    says = "Error: 'rain' is in the wrong place. If it is the reason for a bonus, type it right after the number, like -2 rain."
    assert at_prompt(evening, line)[0] == says


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("c 11 25 = 7 6", "SKILL 25 = 7 6"),
        ("c 11", "SKILL 11"),
        ("c challenging 11 = 76", "SKILL challenging = 76"),
        ("c 11 -2", "SKILL 11 -2"),
        ("c +2 dec", "deception +2"),
        ("c 25 -2 rain dec", "deception 25 -2 rain"),
        ("c @mara 11 25 --edge --advantage rope --for 'a jump'", "SKILL 25 --edge --advantage rope --for 'a jump'"),
    ],
)
def test_a_number_in_place_of_the_skill_is_answered_with_the_right_line(evening: Type, line: str, right: str) -> None:
    assert at_prompt(evening, "with mara edge", line)[1] == (
        "Error: Name a skill, or give the total bonus with --skill N.\n"
        f"Hint: Type it like this: edge check mara {right}"
    )


def test_the_right_line_is_for_the_same_characters_and_the_same_command(evening: Type) -> None:
    refused = evening("edge check mara,jonas 11 25")
    assert refused.stderr.endswith("like this: campaign edge check mara,jonas SKILL 25\n")
    refused = evening("edge check mara 11 25 --faces 7,6")
    assert refused.stderr.endswith("like this: campaign edge check mara SKILL 25 --faces 7,6\n")
    assert "like this: campaign odds edge check mara SKILL 25\n" in evening("odds edge check mara 11 25").stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("c --skill 11 20 25", "The command cannot use the extra word '25'."),
        ("attack 11", "An attack needs a weapon and a target."),
        ("attack pistol jonas 11 25", "The command cannot use the extra word '25'."),
    ],
)
def test_a_number_too_many_is_still_an_extra_word_if_no_name_is_missing(evening: Type, line: str, says: str) -> None:
    assert f"Error: {says}" in at_prompt(evening, "with mara edge", line)[1]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("c ste brak +1 high ground 12 = 9", "brak stealth +1[high ground] ✓ success: 12 against 12"),
        ("c ste +1 brak = 9", "brak stealth +1: 12"),
    ],
)
def test_a_number_added_to_dice_takes_its_reason(evening: Type, line: str, shows: str) -> None:
    assert shows in at_prompt(evening, line)[0]


def test_a_score_may_come_before_its_character_in_a_view(evening: Type) -> None:
    assert at_prompt(evening, "w edge mara")[0].startswith("mara · edge is 4")
    assert "Nobody called 'foo'" in at_prompt(evening, "w foo bar")[0]
    assert at_prompt(evening, "w ma edge")[0].startswith("mara · edge is 4")


def test_w_alone_shows_the_last_roll(evening: Type) -> None:
    assert "skill   2 + 1 + 3 = 6" in at_prompt(evening, "c dec mara = 7 8", "w")[1]


def test_two_inputs_that_a_word_may_fill_are_named_after_the_words(evening: Type) -> None:
    evening("set mara weapon.pistol=2d6,skill=deception --why x")
    assert "'m' could be any of mara (whom), moderate (target)." in at_prompt(evening, "at pist m @jonas")[0]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("session open the mill --present Ana, Ben, Dan", "session 2 opened: the mill, present: Ana, Ben, Dan"),
        ("session open --pres Ana, Ben the mill", "leave out the space: --present Ana,Ben,the."),
        ("player Zoe --plays ada, bob", "Zoe is player p6 and plays ada, bob"),
        ("player Zoe --plays ada, --gm", "A name in the list is empty. Check the commas."),
    ],
)
def test_a_list_may_have_blanks_after_its_commas(evening: Type, line: str, shows: str) -> None:
    evening("session close")
    assert shows in " ".join(at_prompt(evening, line)[0].split())


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("turns skip gob-2 --always; dead", "gob-2 takes no more turns: dead"),
        ("turns skip gob-2; stunned", "round 1: gob-2's turn is skipped: stunned"),
        ("leave jonas; falls into the sea", "jonas leaves the table: falls into the sea"),
        ("leave Ben; the last bus", "Ben leaves the table; jonas has no player now: the last bus"),
    ],
)
def test_a_skipped_turn_and_a_departure_may_have_a_reason(evening: Type, line: str, shows: str) -> None:
    evening("turns roll gob-1..3 d20")
    assert shows in at_prompt(evening, line)[0]


DISADVANTAGE = "mara has disadvantage from #{} on the next check of any kind"


def test_an_attack_says_which_typed_dice_a_condition_took(evening: Type, folder: Path) -> None:
    evening("set mara weapon.knife=1d6+2,skill=deception --why x")
    evening("adjust mara disadvantage.any=1 --why x")
    because = DISADVANTAGE.format(head(folder))
    missed, plain = at_prompt(evening, "at knife mara @mara = 6 6 2", "at knife jonas @mara = 3 4")
    assert f"Your dice were used as follows: 6 6 2 for 3d10 ({because})." in " ".join(missed.split())
    assert "Your dice" not in plain
    evening("adjust mara disadvantage.any=1 --why x")
    hit = at_prompt(evening, "at knife jonas @mara = 10 10 9 5 --yes", "at knife jonas @mara = 10 10 9 5 5")
    assert "Your dice" not in hit[0]
    assert "for 3d10 (mara has" in " ".join(hit[1].split())


def test_undo_right_after_a_refused_line_first_shows_what_it_would_undo(evening: Type) -> None:
    shown = at_prompt(evening, "adjust mara edge=3", "adjust nobody edge=3", "u", "u")
    assert shown[2].startswith("The last line wrote nothing that you could undo.\nTo undo #")
    assert shown[2].endswith(" (mara adjusted by hand, edge −1), type u again.")
    assert " undoes #" in shown[3]


@pytest.mark.parametrize(
    "refused", ["again", "adjust mara nothing=3", "sessi present", "bad", "adjust mara edge=3 --dry-run"]
)
def test_undo_is_safe_after_any_line_that_wrote_nothing_but_could(evening: Type, refused: str) -> None:
    assert "type undo again." in at_prompt(evening, refused, "undo")[1]


def test_a_look_between_a_refused_line_and_undo_makes_undo_plain(evening: Type) -> None:
    assert " undoes " in at_prompt(evening, "adjust nobody edge=3", "players", "u")[2]


def test_undo_after_a_refused_line_says_if_nothing_is_left_to_undo(folder: Path, type_in: Type) -> None:
    shown = at_prompt(type_in, *["u"] * 12, "bad", "u")
    assert shown[-1] == shown[-3]
    assert shown[-1].startswith("Error: ")


def test_a_move_without_a_target_is_in_the_game_of_the_named_character(evening: Type) -> None:
    assert "The sheet of sil has no refill list." in at_prompt(evening, "with mara", "rest sil")[1]
    assert "edge rest WHO" in at_prompt(evening, "with mara", "rest")[1]


def test_by_is_no_command_but_a_flag(evening: Type) -> None:
    shown = at_prompt(evening, "by Cleo d20")[0]
    assert "To type for a player, start the line with --by NAME." in " ".join(shown.split())


def test_a_weapon_may_have_one_die_without_a_number(evening: Type) -> None:
    evening("set mara weapon.knife=d6+2,skill=deception --why x")
    assert "6 damage" in at_prompt(evening, "edge damage mara knife = 4")[0]


def test_a_score_without_its_kind_shows_the_likely_names(evening: Type) -> None:
    assert "Did you mean attribute.wits or skill.wits?" in evening("join sil edge wits=3").output
    assert "Did you mean" not in evening("join sil edge zz.zz=3").output


def test_a_line_with_a_character_is_not_said_to_name_none(evening: Type) -> None:
    evening("set mara weapon.knife=d6+2,skill=deception --why x")
    assert "Nobody called 'ghost' plays in this campaign." in at_prompt(evening, "at knife mara ghost")[0]


def test_a_list_shows_the_sheets_of_its_characters(evening: Type) -> None:
    shown = evening("sheets brak,sil").output
    assert "brak" in shown
    assert "sil" in shown
    assert "mara" not in shown


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("w mara physical", "Did you mean damage.physical or malice.physical?"),
        ("w mara dec", "Did you mean skill.deception?"),
        ("w mara edgy", "Did you mean edge?"),
    ],
)
def test_a_score_without_its_family_shows_the_scores_that_may_be_meant(evening: Type, line: str, shows: str) -> None:
    evening("join mara multicheck")
    assert shows in at_prompt(evening, line)[0]


@pytest.mark.parametrize("line", ["d20", "-1 edge", "edge=3", "turns add 12", "set care=no"])
def test_a_line_that_lacks_only_the_character_says_so(evening: Type, line: str) -> None:
    assert at_prompt(evening, line)[0].startswith("Error: Missing argument 'WHO'.\nHint: Type it like this: ")


def test_the_help_of_a_line_without_a_character_is_shown(evening: Type) -> None:
    assert "Usage: campaign roll" in at_prompt(evening, "roll d20 --help")[0]


def test_an_unknown_name_beside_a_usual_character_is_named(evening: Type) -> None:
    assert "Nobody called 'zzz' plays in this campaign." in at_prompt(evening, "with mara", "edge check @zzz dec")[1]


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("c ste sil 15 adv = 9 14", "sil stealth adv ✓ success: 18 against 15"),
        ("c ste brak 15 dis = 9 14", "brak stealth dis ✗ failure: 11 against 15"),
        ("c ste=9 sil", "sil stealth: 13 (9 + 4)"),
        ("c ste sil=9", "sil stealth: 13 (9 + 4)"),
        ("c ste SIL 15 adv=9,14", "sil stealth adv ✓ success: 18 against 15"),
        ("c dec m=76", "mara deception"),
        ("sil c ste=9", "sil stealth: 13 (9 + 4)"),
        ("turns roll sil d20=9", "sil rolls d20 = 9 for initiative"),
        ("c ste sil 15 +2 = 9", "sil stealth +2 ✓ success: 15 against 15"),
        ("c ste sil + 2 15 = 9", "sil stealth + 2 ✓ success: 15 against 15"),
        ("c ste sil 15 + 2 adv = 9 14", "sil stealth + 2 adv ✓ success: 20 against 15"),
        ("c stealth+2 sil = 9", "sil stealth+2: 15 (9 + 4 + 2)"),
        ("hp brak -1", "brak adjusted by hand   hp 12 → 11"),
        ("hp brak sil -1", "sil adjusted by hand   hp 9 → 8"),
    ],
)
def test_a_line_without_a_usual_character_finds_the_one_it_names(evening: Type, line: str, shows: str) -> None:
    assert shows in at_prompt(evening, line)[0]


def test_faces_may_follow_a_name_that_ends_like_dice_notation(evening: Type) -> None:
    evening("player Eva --plays knife")
    assert "knife rolls d20 = 9" in at_prompt(evening, "d20 knife=9")[0]


@pytest.mark.parametrize("line", ["at knife mara brak = 1 3", "at kni m brak = 1 3", "at mara knife brak = 1 3"])
def test_the_first_character_of_an_attack_attacks_wherever_the_weapon_is_typed(evening: Type, line: str) -> None:
    evening("set mara weapon.knife=1d6+2,skill=deception --why x")
    assert "mara attacks brak with knife" in at_prompt(evening, line)[0]


@pytest.mark.parametrize("name", ["Mara O'Neil", "Mara O", "mara o"])
def test_the_start_of_a_quoted_full_name_names_the_character_anywhere(evening: Type, name: str) -> None:
    evening('rename mara "Mara O\'Neil"')
    assert "Mara O'Neil deception" in at_prompt(evening, f'c dec "{name}" = 6 7')[0]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("roll brak sil d20", "gob-2 rolls d20"),
        ("d20 brak, sil", "gob-2 rolls d20"),
        ("c ste s", "gob-2 stealth:"),
        ("-1 hp brak sil", "gob-2 adjusted by hand   hp 7 → 6"),
        ("jonas hp=3", "gob-2 adjusted by hand   hp 7 → 3"),
    ],
)
def test_again_for_somebody_else_leaves_out_the_characters_of_the_line(evening: Type, line: str, answer: str) -> None:
    evening("join jonas free hp=9")
    (shown,) = at_prompt(evening, line, "again @gob-2")[1:]
    assert answer in shown
    assert lines_about(shown) == ["gob-2"]


def test_again_for_another_attacker_keeps_the_target(evening: Type) -> None:
    for who in ("mara", "jonas"):
        evening(f"set {who} weapon.knife=1d6+2,skill=melee on.melee=agility,wits --why x")
    evening("adjust mara skill.melee=1 attribute.agility=1 attribute.wits=1 --why x --new")
    evening("adjust jonas attribute.agility=1 attribute.wits=1 --why x --new")
    shown = at_prompt(evening, "mara at knife brak = 1 3", "again @jonas = 1 3")
    assert "mara attacks brak" in shown[0]
    assert "jonas attacks brak" in shown[1]


def test_sheets_takes_names_side_by_side(evening: Type) -> None:
    (shown,) = at_prompt(evening, "sheets brak sil --game free")
    assert [line for line in shown.split("\n") if "·" in line] == ["brak · free", "sil · free"]


def test_an_unknown_score_with_the_letters_of_a_known_one_is_named(evening: Type) -> None:
    assert "Did you mean hp or " in at_prompt(evening, "-1 ph brak")[0]
    assert "Did you mean maximum?" in evening("join sil edge max=3").output


def test_a_void_of_a_part_of_a_line_names_the_rest_and_how_to_cancel_all_of_it(evening: Type, folder: Path) -> None:
    evening("adjust brak,sil,gob-1 hp=-1")
    brak, sil, gob = (head(folder) - back for back in (2, 1, 0))
    first = evening("void last --why x --yes").stderr
    assert f"The same command also wrote: #{brak} (brak adjusted by hand, hp −1), #{sil} (" in first
    assert f"To cancel the whole command: campaign void {brak} {sil} {gob} --why TEXT" in first
    second = evening(f"void {brak} {sil} --why x --yes").stderr
    assert "the rest of the line" not in second


def test_a_void_of_a_whole_line_or_of_a_single_action_names_no_rest(evening: Type, folder: Path) -> None:
    evening("adjust brak,sil hp=-1")
    assert "the rest" not in evening(f"void {head(folder) - 1}-{head(folder)} --why x --yes").stderr
    evening("adjust brak hp=-1")
    assert "the rest" not in evening("void last --why x --yes").stderr
    evening("adjust brak,sil hp=-1")
    evening("note later")
    assert "the rest" not in evening("void last --why x --yes").stderr
    assert "the rest" not in evening(f"void {head(folder) - 2} --why x --yes --json").stderr


def test_a_void_names_at_most_five_actions_of_the_rest_of_its_line(evening: Type) -> None:
    evening("npc kobold-1..7")
    evening("join kobold-1..7 free hp=3")
    evening("adjust kobold-1..7 hp=-1")
    assert "(kobold-5 adjusted by hand, hp −1) and 1 more." in " ".join(
        evening("void last --why x --yes").stderr.split()
    )


def test_a_roll_of_a_player_says_how_to_roll_for_the_players_only_character(evening: Type) -> None:
    assert "Cleo is a player. To roll for brak: campaign roll brak DICE" in evening("roll cleo d20").stderr
    assert "is a player" not in evening("roll brak d20").stderr
    assert "is a player" not in evening("roll cleo d20 --json").stderr
    evening("player Cleo --plays zed")
    assert "is a player" not in evening("roll cleo d20").stderr


@pytest.mark.parametrize(("line", "dice"), [("c dec mara 76", "2d10"), ("c dec mara adv 398", "3d10")])
def test_a_number_that_no_roll_reaches_is_refused_because_it_may_be_the_dice(
    evening: Type, folder: Path, line: str, dice: str
) -> None:
    before, number = head(folder), line.rsplit(maxsplit=1)[-1]
    (shown,) = at_prompt(evening, line)
    assert shown.startswith(f"Error: mara cannot reach {number} with {dice}.\n")
    assert f"If you rolled {number}, type = {number}. To roll against {number}: --target {number}" in shown
    assert head(folder) == before


@pytest.mark.parametrize(
    "line",
    [
        "c dec mara 40",
        "c dec mara --target 398",
        "c dec mara 398 = 7 6",
        "c ste sil 398",
        "roll sil d6 --vs 398",
        "c ste sil 15",
    ],
)
def test_a_number_that_is_no_slip_is_rolled_against(evening: Type, folder: Path, line: str) -> None:
    before = head(folder)
    assert " against " in at_prompt(evening, line)[0]
    assert head(folder) > before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("edge attack jonas axe brak --skill 9 --edge --faces 8,2,8,4", STOPS),
        ("edge attack jonas axe brak --skill 9 --advantage x --faces 8,2,8,4", STOPS),
        ("edge attack jonas axe brak --skill 9 --faces 1,2,4", MISSED),
        ("edge check jonas --skill 9 --edge --faces 8,2,8,4", ""),
        ("edge check jonas --skill 9 --faces 8,2,8", ""),
        ("edge attack jonas axe brak --skill 9 --faces 8,9,1,1,1,1,1,1,1,1,1", STOPS),
    ],
)
def test_unused_dice_of_an_attack_are_refused_with_the_reason_why_it_stops(evening: Type, line: str, why: str) -> None:
    evening("set jonas weapon.axe=1d6 --why x")
    refused = evening(line)
    assert refused.exit_code == 3
    assert re.search(rf"This roll needs .* but you typed \d+ dice\.{re.escape(why)}\n", refused.stderr)


def test_unused_dice_after_a_last_roll_that_did_not_fail_are_refused_without_a_reason(evening: Type) -> None:
    evening("set jonas weapon.axe=1d6 --why x")
    evening("adjust jonas edge=0 --why x")
    refused = evening("edge attack jonas axe brak --skill 9 --target 5 --faces 1,2,1,1,1,1,1,1,1,1")
    assert re.search(r"but you typed \d+ dice\.\n", refused.stderr)


def test_all_leaves_out_those_who_lack_a_skill_of_edge(evening: Type) -> None:
    evening("set jonas on.stealth=agility,wits --why x")
    evening("adjust jonas attribute.agility=1 attribute.wits=1 --why x")
    shown = evening("edge check all stealth")
    assert lines_about(shown.stdout) == ["jonas"]
    assert "mara (no stealth)" in shown.stderr
    assert "brak (no on.stealth)" in shown.stderr


def test_a_count_after_a_name_adds_no_character(evening: Type, folder: Path) -> None:
    before = head(folder)
    refused = evening("npc wolf x3")
    assert (
        refused.stderr
        == "Error: 'x3' looks like a number, not like a name.\nHint: To add 3 of them: campaign npc wolf-1..3\n"
    )
    assert head(folder) == before
    assert evening("npc x1 x2").exit_code == 0


def test_a_turn_is_delayed_only_by_the_whole_word_because_del_looks_like_delete(evening: Type, folder: Path) -> None:
    evening("turns add gob-1 9")
    before = head(folder)
    assert evening("turns del gob-1").stderr.endswith("Error: Type delay in full.\n")
    assert head(folder) == before


def test_outside_the_prompt_the_hint_about_dice_names_the_flag(evening: Type) -> None:
    refused = evening("edge check mara deception 76")
    assert "If you rolled 76, type --faces N,N. To roll against 76: --target 76" in refused.stderr
    assert refused.exit_code == 3
    assert (
        "mara cannot reach 76 with 2d10. Nothing was written for any"
        in evening("edge check mara,jonas deception 76").stderr
    )


def test_a_rest_for_all_finds_the_game_that_has_rests(type_in: Type, folder: Path) -> None:
    type_in("player Ana --plays mara,kim")
    type_in("join kim free hp=3/9")
    type_in("set kim refill=hp")
    assert "kim rests   hp 3 → 9" in at_prompt(type_in, "with none", "kim free rest", "undo", "rest kim")[3]


@pytest.mark.parametrize("line", ["rest vos", "vos rest"])
def test_a_move_of_a_game_that_the_character_does_not_play_is_never_taken_for_restore(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init R --gm Tom", "join vos rollunder", "join kim free hp=3/9"):
        type_in(words)
    assert at_prompt(type_in, line)[0] == (
        "Error: 'rest' is a move of free, but vos has no sheet in free.\nHint: To make this sheet: join vos free …"
    )


def test_a_move_of_a_game_that_nobody_plays_is_named_with_its_games(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init R --gm Tom", "join vos rollunder"):
        type_in(words)
    says = "No such command 'rest'. It is a move of a game: edge rest or free rest."
    assert says in type_in("rest vos").stderr
    assert at_prompt(type_in, "rest all")[0] == f"Error: {says}"
    assert "Type restore in full." in type_in("resto vos").stderr


@pytest.mark.parametrize("between", ["", "?", "with mara", "help"])
def test_again_still_asks_if_lines_that_write_nothing_follow_a_refused_line(
    evening: Type, folder: Path, between: str
) -> None:
    before = head(folder)
    seen = at_prompt(evening, "note one", "d20 ghost", between, "again", "again")
    assert seen[-2].startswith("The last line wrote nothing")
    assert seen[-1].startswith("#")
    assert head(folder) == before + 2


def test_the_question_before_a_repeated_note_shows_the_note_as_it_was_typed(evening: Type) -> None:
    seen = at_prompt(evening, "note one two", "d20 ghost", "again")[2]
    assert seen.endswith("To repeat 'note one two', type 'again' once more.")


@pytest.mark.parametrize("line", ["thgu", "mara thgu", "thgu d20"])
def test_a_mistyped_name_suggests_every_character_with_a_similar_name(evening: Type, line: str) -> None:
    evening("npc dona-thug thug-1 thug-2")
    assert at_prompt(evening, line)[0].endswith("Did you mean dona-thug or thug-1 or thug-2?")


def test_a_mistyped_name_after_a_command_suggests_every_character_with_a_similar_name(evening: Type) -> None:
    evening("npc dona-thug thug-1 thug-2")
    assert evening("sheets thgu").stderr.endswith("Hint: Did you mean dona-thug or thug-1 or thug-2?\n")


def test_a_part_of_a_name_after_another_character_suggests_the_whole_name(evening: Type) -> None:
    evening("npc captain-gregor")
    says = "Error: No such command 'gregor'. Did you mean captain-gregor?"
    assert at_prompt(evening, "@mara gregor", "@jonas gregor") == [says, says]


def test_a_note_that_starts_with_a_players_name_says_how_to_write_to_this_player_alone(evening: Type) -> None:
    hint = "Everybody can read this note. For a note that only Ben can read: note TEXT --only Ben"
    lines = (
        "note Ben: a ghost",
        "note ben : a ghost",
        "--by Ben note Ben: x",
        "note Door: x",
        "note Ben: x --only Ben",
    )
    seen = at_prompt(evening, *lines)
    assert [hint in shown for shown in seen] == [True, True, False, False, False]


def test_a_new_score_for_all_names_the_characters_without_a_sheet_in_the_right_game(evening: Type) -> None:
    done = evening("adjust all mana=+1 --new --why x")
    assert "Not included: mara (no sheet in free), jonas (no sheet in free).\n" in done.stderr
    assert "Not included: mara (no mana), jonas (no mana).\n" in evening("adjust all mana=+1 --why x").stderr
