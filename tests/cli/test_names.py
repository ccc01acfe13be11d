"""Names at the terminal: what people type for a name, and where full names are shown."""

import json
import re
from pathlib import Path

import click
import pytest

from cli.context import Invocation
from cli.param_types import WHO
from terminal import Type

FULL = "Mara O'Malley"


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """A session with mara, who has a full name, and brak."""
    for words in (f'rename mara "{FULL}"', "session open One --present Ana"):
        assert type_in(words).exit_code == 0
    return type_in


def test_views_show_the_full_name(table: Type) -> None:
    table("npc gob")
    table('rename gob "Gob the Small"')
    table("turns add mara 12")
    table("turns add gob 3")
    table("adjust mara edge=-1 --why spent")
    table("turns next")
    assert f"turns    round 1, {FULL}: {FULL} 12, Gob the Small 3" in table("status").stdout
    assert f"here     Tom (GM: Gob the Small), Ana ({FULL})" in table("status").stdout
    assert f"  {FULL}  12  has the turn\n  Gob the Small  3\n" in table("turns").stdout
    assert "GM, plays Gob the Small (gob)" in table("players").stdout
    assert f"plays {FULL} (mara)" in table("players").stdout
    assert f"{FULL} (mara) · edge\n" in table("sheets mara").stdout
    assert f"\n{FULL}  " in table("sheets --table").stdout
    assert table("why mara edge").stdout.startswith(f"{FULL} (mara) · edge is 3\n")
    assert table("register mara edge").stdout.startswith(f"{FULL} (mara) · edge/edge\n")
    assert (
        f"The cost is the same for every result: {FULL} edge −1."
        in table("edge check mara --edge --skill 9 --dry-run").stdout
    )
    assert table("odds mara d20+edge").stdout.startswith(f"{FULL} d20+edge: 4 to 23, ")
    table("set mara care=yes --why sheet")
    assert table("why mara care").stdout.startswith(f"{FULL} (mara) · care is")
    assert f"{FULL} (mara)\n  turn   – → 12" in table("diff 5 13").stdout
    assert f"round 1: {FULL}'s turn" in table("log").stdout
    assert f"{FULL} adjusted by hand: spent   edge 4 → 3" in table("log").stdout
    told = table("recap").stdout
    assert f"Ana played {FULL}." in told
    assert "    Mara has one point of edge less than before.\n" in told
    assert f"{FULL} lost one point of edge" in table("chronicle").stdout
    assert f"{FULL}'s turn." in table("replay --session 1").stdout


def test_a_recap_without_a_list_of_players_names_those_whose_characters_acted(type_in: Type, folder: Path) -> None:
    for words in ("session open One", f'rename mara "{FULL}"', "roll mara d20", "note brak waits"):
        type_in(words)
    assert f"Tom was the GM. Ana played {FULL}.\n" in type_in("recap").stdout


def test_moves_show_the_full_names_of_everybody_in_them(table: Type) -> None:
    table('rename brak "Brak the Bold"')
    table("set mara weapon.knife=1d6+2 --why sheet")
    attack = table("edge attack mara knife brak --skill 19 --target 10 --faces 7,6,1,1,1").stdout
    assert f"{FULL} attacks Brak the Bold" in attack
    assert "Brak the Bold" in table("questions").stdout
    assert json.loads(table("questions --json").stdout.splitlines()[0])["who"] == "brak"


def test_a_contest_shows_the_full_names_of_both_sides(table: Type) -> None:
    table("join mara byzantine energy=5")
    table("join brak byzantine energy=5")
    table("rename brak 王小明")
    table("byzantine contest duel --acting mara --against brak --kind attack")
    assert "waiting for 王小明" in table("byzantine commit mara duel --energy 3").stdout
    table("byzantine commit brak duel --energy 1")
    assert f"{FULL} takes 1 energy from 王小明" in table("byzantine resolve duel --take 1").stdout
    assert f"by: {FULL}" in table("show").stdout


def test_a_correction_shows_the_full_name_of_another_character(table: Type) -> None:
    table("rename brak 王小明")
    table("roll mara d20 --faces 3")
    first = table("log -n 1").stdout.split()[0].removeprefix("#")
    assert "; who 王小明" in table(f"amend {first} --who brak --why x --yes").stdout
    assert "  amended who: 王小明\n" in table("show").stdout
    table("edge check mara --skill 3 --faces 7,6")
    first = table("log -n 1").stdout.split()[0].removeprefix("#")
    assert "; who 王小明" in table(f"amend {first} --who brak --why x --yes").stdout


def test_a_card_shows_the_full_name_of_its_owner(table: Type) -> None:
    table("join mara syscards efficiency=40")
    table("join sword syscards")
    assert f"a card of {FULL}" in table("syscards card sword --owner mara").stdout
    assert f"  owner: {FULL}\n" in table("show").stdout
    assert f"  owner       {FULL}\n" in table("sheets sword").stdout
    assert json.loads(table("sheets sword --json").stdout)["marks"]["owner"] == "mara"
    assert f"a card of {FULL}" in table("syscards card sword --velocity 2").stdout


def test_a_challenge_shows_the_full_names_of_its_cards(table: Type) -> None:
    table("join mara syscards efficiency=40")
    table("join brak syscards efficiency=50")
    table("syscards challenge mara --against brak --faces 60,70")
    assert f"challenge  brak acts first; {FULL} is number 2 in the order" in table("sheets campaign").stdout
    assert (
        f"  against: {FULL}\n"
        in table("syscards challenge brak --against mara --faces 60,70").stdout + table("show").stdout
    )


def test_the_luck_of_a_player_shows_the_full_names_of_the_characters(table: Type) -> None:
    table("player Ana --plays brak")
    table("roll mara d20 --faces 3")
    table("roll brak d20 --faces 3")
    assert f"rolls by character: brak 1 roll, mean 3.00; {FULL} 1 roll, mean 3.00" in table("luck").stdout


def test_a_value_that_no_row_of_the_sheet_shows_can_change(table: Type) -> None:
    table("join mara byzantine energy=9")
    table("join brak byzantine energy=9")
    table("byzantine task ferry --costs 1 --opposed-energy brak=1 --opposed-ability brak=2")
    table("byzantine know mara ferry --energy 4")
    table("byzantine know mara ferry --split --energy 5 --obscured brak=1")
    changed = table("diff 1 20")
    assert (changed.exit_code, "split.ferry" in changed.stdout) == (0, True), changed.stderr


def test_the_log_at_a_point_shows_the_names_of_that_time(table: Type) -> None:
    first = table("roll mara d20 --faces 3").stdout.split()[0].removeprefix("#")
    table("rename mara Mia")
    table("rename Tom Kate")
    assert "Mia rolls d20 = 3" in table("log").stdout
    assert f"{FULL} rolls d20 = 3" in table(f"log --at {first}").stdout
    assert "Kate       GM" in table("players").stdout
    assert "Tom        GM" in table(f"players --at {first}").stdout
    assert "by Kate (p1)" in table("show").stdout
    assert table("rename Kate Tom").stdout.endswith("Kate is now called Tom\n")
    table("undo")
    assert "Kate       GM" in table("players").stdout


@pytest.mark.parametrize("typed", ["mara", "MARA", "ma", "'Mara O’Malley'", '"mara o"', "Mára", "mo", "@mara"])
def test_a_character_is_found_by_each_of_its_names(table: Type, typed: str) -> None:
    table("rename mara --short mo")
    assert table(f"roll {typed} d20 = 3").stdout.endswith(f"{FULL} rolls d20 = 3   [3]\n")


def test_a_name_in_another_script_is_typed_like_any_other(table: Type) -> None:
    table("rename brak 王小明")
    assert table("roll 王小明 d20 = 3").stdout.endswith("王小明 rolls d20 = 3   [3]\n")
    table("rename brak सीता")
    assert table("roll सीता d20 = 4").stdout.endswith("सीता rolls d20 = 4   [4]\n")


def test_letters_that_begin_several_names_are_asked_about(table: Type) -> None:
    table('rename brak "Mara the Younger"')
    assert "could be any of brak, mara" in table("roll 'mara ' d20").stderr or table("roll 'mara ' d20").exit_code == 0
    table("rename mara Zoë")
    table("rename brak Zoe")
    assert table("roll Zoë d20 = 3").stdout.endswith("Zoë rolls d20 = 3   [3]\n")
    assert table("roll zoe d20 = 3").stdout.endswith("Zoe rolls d20 = 3   [3]\n")
    assert "'zo' could be any of brak, mara." in table("roll zo d20").stderr


def test_a_name_of_a_player_and_a_character_is_not_guessed(table: Type) -> None:
    table("npc tom")
    refused = table("rename Tom Kate")
    assert refused.stderr == (
        "Error: 'Tom' is the name of a player and of a character.\n"
        "Hint: For the player, type p1. For the character, type @tom.\n"
    )
    assert table("rename @tom 'Tom the Cat'").stdout.endswith("tom is now called Tom the Cat\n")
    assert table("rename p1 Kate").stdout.endswith("Tom is now called Kate\n")
    assert table("rename kate Tom").stdout.endswith("Kate is now called Tom\n")
    assert table("rename zed Zora").stderr == (
        "Error: Nobody called 'zed' plays in this campaign.\n"
        "Hint: The cast is: brak, mara, tom. Players at the table: Ana, Tom.\n"
    )


def test_a_join_without_a_game_names_a_character_or_brings_a_new_one(table: Type) -> None:
    assert table("join mara --name Mia").stdout.endswith(f"{FULL} is now called Mia\n")
    assert table("join sam --name 'Sam Gamgee'").stdout.endswith("Sam Gamgee comes to the table\n")
    assert table("roll sam d20 = 3").exit_code == 0
    table("leave sam")
    assert table("join sam --name Sam").stdout.endswith("Sam returns to the table\n")
    assert "sam-2: The name Tim is already taken." in table("join sam-1..2 --name Tim").stderr


def test_a_rename_without_a_name_says_what_to_type(table: Type) -> None:
    assert table("rename mara").stderr == (
        "Error: You did not type a new name.\nHint: Type the full name, or add --short NAME.\n"
    )
    assert table("rename mara --short mo").stdout.endswith(f"{FULL} also has the short name mo\n")
    assert "The name mo is already taken." in table("join mo edge").stderr or "mara" in table("join mo edge").stderr


def test_an_erasure_reaches_a_name(table: Type) -> None:
    named = table("rename mara Mia").stdout.split()[0].removeprefix("#")
    assert table(f"erase {named} --yes").exit_code == 0
    assert "mara" in table("status").stdout
    assert "Mia" not in table("log").stdout
    table("rename Ana Anna")
    assert table("erase --player Anna --yes").exit_code == 0
    assert "Ana" not in table("players").stdout
    assert "Anna" not in table("players").stdout
    assert table("verify").exit_code == 0


def test_names_pass_the_audit_and_the_players_export(table: Type, tmp_path: Path) -> None:
    for words in (
        "rename Tom Kate",
        "rename brak --short bro",
        "join zoe edge maximum=3 --name Zoë",
        "amend last --name Zora --why x --yes",
        "undo",
        "session close",
    ):
        table(words)
    assert "No problems found." in table("audit").stdout
    assert table(f"export {tmp_path / 'out'} --for players").exit_code == 0
    assert f'"{FULL}"' in (tmp_path / "out" / "words.jsonl").read_text(encoding="utf-8")


def test_a_seat_is_found_however_its_name_is_typed(table: Type) -> None:
    table("player Zoë")
    assert table("player 'Zoe\u0308' --plays sam").stdout.endswith("Zoë is player p3 and plays sam\n")
    assert table("player ZOË --plays tim").stdout.endswith("Zoë is player p3 and plays tim\n")
    assert "Zoë already plays sam" in table("player Zoë --plays Sam").stderr
    refused = table("player 'Zоë'")
    assert refused.stderr == ("Error: 'Zоë' looks like Zoë, who is already at the table.\nHint: Type another name.\n")


def test_a_player_is_found_without_accents_and_by_the_first_letters(table: Type) -> None:
    table("player Zoë")
    table("player Zoe")
    for typed, name in (("Zoë", "Zoë"), ("'Zoe\u0308'", "Zoë"), ("zoe", "Zoe"), ("ZOË", "Zoë"), ("zoé", "Zoe")):
        done = table(f"note {name} --by {typed}")
        assert (done.exit_code, "Error" in done.stderr) == ((0, False) if typed != "zoé" else (3, True)), typed
    assert "could be any of" in table("note x --by zoé").stderr
    assert "could be any of" in table("note x --by zo").stderr
    assert table("note x --by àn").exit_code == 0
    assert "Nobody called 'xy' sits at this table." in table("note x --by xy").stderr


def test_a_move_that_waits_for_a_choice_shows_full_names_too(table: Type) -> None:
    table("set mara weapon.knife=1d6+2 --why sheet")
    table('rename brak "Brak the Bold"')
    asked = table("edge attack mara knife brak --skill 19 --target 10 --edge --faces 7,3,7").stdout
    assert FULL in asked
    assert "choice needed" in asked


def test_a_rewind_keeps_names_as_it_keeps_players(table: Type) -> None:
    table("rename mara Mia")
    first = table("roll mara d20").stdout.split()[0].removeprefix("#")
    assert table(f"rewind --to {int(first) - 2} --yes").exit_code == 0
    assert "Mia" in table("status").stdout


def test_an_amended_seat_says_that_a_later_name_counts(table: Type) -> None:
    renamed = table("rename Tom Kate").stdout.split()[0]
    done = table("amend 2 --name Tim --why x --yes")
    assert f"{renamed} still has the name Kate; to change it there, amend {renamed}" in done.stdout
    assert "Kate" in table("players").stdout


def test_a_move_of_several_characters_shows_all_full_names(table: Type) -> None:
    table('rename brak "Brak the Bold"')
    for words in (
        "join mara byzantine energy=30 general=12 ability.cunning=6",
        "join brak byzantine energy=30 general=12 ability.guard=3",
        "day next",
    ):
        table(words)
    asked = table("byzantine contest duel --acting mara --against brak --ability mara=cunning,brak=guard --kind attack")
    assert (asked.exit_code, "mara" in asked.stdout, "brak" in asked.stdout) == (0, False, False), asked.output
    assert FULL in asked.stdout
    assert "Brak the Bold" in asked.stdout


def test_a_short_name_that_is_a_word_of_the_rules_changes_no_verdict(table: Type) -> None:
    for words in (
        "npc damage",
        'rename damage "Dame Age"',
        "join damage edge",
        "set mara weapon.pistol=2d6+4",
        "edge attack mara pistol damage --skill 15 --target 15 --faces 9,8",
    ):
        assert table(words).exit_code == 0, words
    rolled = table("edge attack mara --go-on --faces 4,4,3,3")
    assert "damage" in rolled.stdout, rolled.output
    assert not re.search("[0-9] Dame Age", rolled.stdout), rolled.output


def test_somebody_who_left_can_be_brought_back_and_their_sheet_can_be_seen(table: Type) -> None:
    table("leave mara")
    assert "Hint: mara left the table. To bring mara back: campaign join mara" in table("roll mara d20").stderr
    assert f"{FULL} (mara) · edge" in table("sheets mara").stdout
    assert FULL not in table("sheets").stdout


def test_a_name_with_a_comma_is_one_character_in_the_turn_order(table: Type) -> None:
    table('rename brak "Brak, the Red"')
    table("turns add mara 4")
    for typed in ('"Brak, the"', "brak,"):
        done = table(f"turns add {typed} 4")
        assert (done.exit_code, done.stdout.endswith("Brak, the Red has initiative 4\n")) == (0, True)
        assert "same number" in done.stderr


def test_a_join_by_an_existing_full_name_makes_no_second_character(table: Type) -> None:
    table('rename brak "Brak, the Red"')
    assert table("join 'brak, the red' rollunder").stdout.endswith("Brak, the Red joins rollunder\n")
    assert table(f'player Cid --plays "{FULL}"').stdout.endswith(f"plays {FULL} (until now played by Ana)\n")


def test_a_typed_full_name_needs_no_hint_to_show_it(table: Type) -> None:
    assert table(f'join "{FULL.upper()}" rollunder characteristic.agility=9').stderr == ""


def test_asides_show_full_names(table: Type) -> None:
    table('rename brak "Brak, the Red"')
    table("player Ben --plays brak")
    assert "Not included: Brak, the Red (Ben is absent)." in table("roll all d20 --faces 3").stderr
    table("turns add mara 4")
    assert f"{FULL} and Brak, the Red have the same number, and act in this order." in table("turns add brak 4").stderr
    table("turns next")
    assert f"{FULL}'s turn in round 1 is over." in table("turns add mara 5").stderr
    assert f"There are no d12 rolls of {FULL} yet." in table("luck mara --die d12").stderr


def test_the_shell_completes_a_full_name_to_the_short_one_and_shows_it(table: Type) -> None:
    ctx = click.Context(click.Command("look"), obj=Invocation())
    for typed in ("MARA O", "mar", "már"):
        (item,) = WHO.shell_complete(ctx, click.Argument(["who"]), typed)
        assert (item.value, item.help) == ("mara", FULL)
    (item,) = WHO.shell_complete(ctx, click.Argument(["who"]), "br")
    assert (item.value, item.help) == ("brak", None)


def test_a_new_player_gives_the_character_a_full_name(table: Type) -> None:
    done = table(["player", "Cleo", "--plays", "sam", "--name", "Sam O'Neil"]).stdout
    assert "Cleo is player p3 and plays Sam O'Neil" in done
    assert "sam is now called Sam O'Neil" in done
    assert "Sam O'Neil rolls d20" in table("roll sam d20 --faces 4").stdout


@pytest.mark.parametrize("plays", ["", "--plays sam,zed"])
def test_a_full_name_is_for_one_character(table: Type, plays: str) -> None:
    assert table(f"player Cleo {plays} --name Sam").stderr == (
        "Error: --name is the full name of one character.\nHint: Add --plays WHO with a single character.\n"
    )


@pytest.mark.parametrize(("name", "needs"), [("Dame Age", "Dame Age needs 50"), ("{}", "brak needs 50")])
def test_the_working_of_a_move_shows_full_names(table: Type, name: str, needs: str) -> None:
    for line in ("join mara syscards", "join brak syscards", "syscards mode action", f"rename brak '{name}'"):
        assert table(line).exit_code == 0, line
    challenge = "syscards challenge mara --against brak --rates mara=40,brak=50 --why x --faces 71,40"
    for shown in (table(f"{challenge} -v").stdout, table("show last").stdout):
        assert f"rate           {needs}\n" in re.sub(" +rate +", "      rate           ", shown)
        assert re.search(rf"      {re.escape(name)} +the higher of 40 \(roll\)", shown)


def test_a_hint_for_somebody_who_left_ends_with_the_command(table: Type) -> None:
    table("leave brak")
    hint = table("roll brak d20").stderr.splitlines()[-1]
    assert hint == "Hint: brak left the table. To bring brak back: campaign join brak"
