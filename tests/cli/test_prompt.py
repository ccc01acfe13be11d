"""The prompt, and what may be typed shorter: in lines, as a player types them."""

import json
import os
import re
import stat
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from cli.completion import PromptCompleter
from cli.context import Invocation
from cli.main import campaign
from cli.prompt import Prompt
from cli.typed_text import words_of
from laid import laid_out
from ledger.commands.at_table import Join
from ledger.journal.book import open_book
from table import EVENING, scribe
from terminal import Type, command, head, typed_at_a_terminal

SHEETS = (
    "adjust mara skill.stealth=+3 attribute.agility=+2 attribute.wits=+1 --why x",
    "set mara on.stealth=agility,wits weapon.pistol=2d6+4 --why x",
    "join jonas edge edge=4 maximum=4 skill.stealth=1 attribute.agility=1 attribute.wits=1",
    "set jonas on.stealth=agility,wits --why x",
    "player Ben --plays jonas",
)


@pytest.fixture
def table(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a campaign in which the prompt's characters have what its lines name."""
    monkeypatch.chdir(file.parent)
    laid_out(file.parent, *SHEETS)
    return file.parent


def at_prompt(type_in: Type, *lines: str, begin: str = "play") -> list[str]:
    """What is seen after each line; the first is what `with mara` says."""
    seen = type_in(begin, input="\n".join(lines)).output
    parts = re.split(r"^(?:[a-z0-9-]+(?: [a-z]+)?)?> .*$", seen, flags=re.MULTILINE)
    return [part.strip("\n") for part in parts[1:]]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c ste 15 = 7 3", "mara stealth ✓ marginal success: 16 against 15 (7 + 3 + 6)"),
        ("c 15 ste = 73", "mara stealth ✓ marginal success: 16 against 15 (7 + 3 + 6)"),
        ("check stealth easy = 0 3", "mara stealth ✓ "),
        ("ch ste --targ 15 = 7 3", "marginal success: 16 against 15"),
        ("edge check ste 15 = 7 3", "mara stealth ✓ marginal success: 16 against 15"),
        ("campaign edge check mara stealth 15 = 7 3", "mara stealth ✓ marginal success: 16 against 15"),
        ("c @jonas ste 15 = 9 9", "jonas stealth ✓ complete success: 21 against 15 (9 + 9 + 3)"),
        ("check jonas ste 15 = 9 9", "jonas stealth ✓ complete success: 21 against 15 (9 + 9 + 3)"),
        ("d20 = 17", "mara rolls d20 = 17"),
        ("2d10 @jonas = 56", "jonas rolls 2d10 = 11"),
        ("roll d100 = 00", "mara rolls d100 = 100"),
        ("-1 edge", "mara adjusted by hand   edge 4 → 3"),
        ("-1 edge -2 skill.stealth; tired", "mara adjusted by hand: tired   edge 4 → 3, stealth 3 → 1"),
        ("edge=2; the paper", "mara adjusted by hand: the paper   edge 4 → 2"),
        ("@jonas edge=2", "jonas adjusted by hand   edge 4 → 2"),
        ("mara", "To switch to mara, type 'with mara'."),
        ("help check", "Roll 2d10, add the skill bonus, and compare the total with a target number."),
        ('note He said "run"; and ran', 'note: He said "run"; and ran'),
        ('note "a; b"', "note: a; b"),
        ("note -1 edge", "No such option"),
        ("note x --dry-run", "Dry run"),
        ("session -v open Dusk; at the gate --dry-run", "session 1 opened: Dusk; at the gate\nDry run"),
        ("session -v;x", "No such command '; x'."),
        ("-v", "Likely next commands"),
        ("-1 edge; trap --dry-run", "Put --dry-run before the semicolon."),
        ("c ste 15; sneaks --sec = 7 3", "Put --sec before the semicolon."),
        ("d20; a draw --by=Ben of lots", "Put --by before the semicolon."),
        ("d20; sneaks --seal", "Put --seal before the semicolon."),
        ("d20; he runs --fast -- away = 7", "mara rolls d20 = 7: he runs --fast -- away"),
        ("c ste 15=7 3", "marginal success: 16 against 15 (7 + 3 + 6)"),
        ("d20; luck = 7", "mara rolls d20 = 7: luck   [7]"),
        ("day n; slept", "This command takes no reason. Write the reason with 'note'."),
        ("c ste = a b", "Type the dice after the equals sign, as in: = 7 3"),
        ("c ste --adv = 3 4 5", "--advantage takes a text: --advantage 'high ground' =."),
        ("c all ste @jonas", "Type 'all' or one character, not both."),
        ("u 999", "You can undo from 1 to 20 commands at a time, not 999."),
        ("adjust @jonas edge=2", "jonas adjusted by hand   edge 4 → 2"),
        ("set care=yes", "mara care = yes"),
        ("why edge", "mara · edge is 4"),
        ("w edge", "mara · edge is 4"),
        ("i se; fell", "mara is hurt: serious injury"),
        ("da pi = 3 5", "mara rolls damage with pistol: 12 damage"),
        ("note They don't trust him; not at all", "note: They don't trust him; not at all"),
        ("scene x", "Hint: Open one with 'session open TITLE'."),
        ("turns next", "Hint: Add somebody: turns add WHO NUMBER"),
        ("day n", "day 1 begins"),
        ("c", "Name a skill, or give the total bonus"),
        ("c ste 15 20", "The command cannot use the extra word '20'. For your own dice: = 20"),
        ("? join", "Usage: campaign join"),
        ("? --json", '"title"'),
        ("c edge", "The sheet of mara has no 'edge'. If you mean the flag, type --edge"),
        ("c ste 15 20 21", "The command cannot use the extra words '20' '21'. For your own dice: = 20 21"),
        ("c ste + 1", "The command cannot use the extra word '+'. Type a sign and its number together, like +1."),
        ("edge=", "A number is missing after 'edge='.\nHint: For example: edge=3"),
        ("c ste vs 20", "The command cannot use the extra word 'vs'. Type only the number after it."),
        ("c ste 15 20 = 3 4", "The command cannot use the extra word '20'.\nHint: Type it like this: edge check"),
        ("c ste = 7", "you typed 1 die"),
        ("c ste = 737", "a d10 cannot show 737"),
        ("c zed", "zed"),
        ("ed", "edge"),
        ("void 8", "Missing option '--why'.\nHint: Type the reason at the end of the line, after a semicolon."),
        ("rewind", "Missing option '--to'."),
        ("scene", "Missing argument 'TITLE...'.\nHint: Type it like this: scene TITLE..."),
        ("rest short 3", "The command cannot use the extra word '3'.\nHint: Type it like this: edge rest WHO"),
        ("with gob-1..3", "'with' takes only one character.\nHint: To act for gob-1..3 in one line, type for example:"),
        ("voi 8", "Type void in full."),
        ("foo", "No such command 'foo'."),
        ("with ghost", "Nobody called 'ghost'"),
        ("with mara ghost", "ghost"),
        ("with mara edge now", "Type a character and, if you like, a game"),
        ("again", "There is no line to repeat yet."),
        ("play", "The prompt is open already."),
        ("?", "here"),
        ("v", "Ben is player p3"),
        ("edge check all stealth 15 = 7 3, 9 9", "jonas stealth ✓ complete success: 21 against 15 (9 + 9 + 3)"),
        ("check all stealth = 7 3", "You typed dice for 1 roll, but 2 characters roll: mara, jonas."),
        ("check all stealth = 7 3, 9 19", "jonas: This roll needs 2d10, but a d10 cannot show 19."),
        (
            "check all deception = 7 3, 9 9",
            "jonas has no skill 'deception'. Nothing was written for any of the 2 characters.",
        ),
        ("rest all short", "jonas takes a short rest"),
        ("adjust all edge=2", "jonas adjusted by hand   edge 4 → 2"),
        ("roll all d20 = 17, 3", "mara 17, jonas 3"),
        ("roll all d20 = 17, 3", "jonas rolls d20 = 3   [3]"),
        ("roll all d20 = 17", "You typed dice for 1 roll, but 2 characters roll: mara, jonas."),
        ("turns roll all 2d6 = 3 4, 6 5", "jonas rolls 2d6 = 11 for initiative   [6 5]"),
        ("roll all d20 --secret", "No such option '--secret'. Did you mean '--seal'?"),
        ("note x --seal", "No such option '--seal'. Did you mean '--secret'?"),
        ("-1 edge = 3 4", "-1 needs the name of a score: -1 edge, or edge=-1."),
        ("adjust all mana=2", "Nobody at the table has 'mana'."),
    ],
)
def test_a_line_at_the_prompt_is_read(table: Path, type_in: Type, line: str, seen: str) -> None:
    answer = at_prompt(type_in, "with mara edge", line)[1]
    assert seen in answer
    assert "Usage:" not in answer.partition("\n")[0] or line in {"ed", "help check", "? join"}


def test_help_at_the_prompt_shows_its_short_forms_on_one_screen(table: Path, type_in: Type) -> None:
    [shown] = at_prompt(type_in, "help")
    forms = {line.split("  ")[1] for line in shown.splitlines() if line.startswith("  ")}
    assert forms >= {"c …", "u", "w", "v", "?", "with WHO [GAME]", "… @WHO", "… = 7 6", "… ; TEXT", "again", "quit"}
    assert shown.endswith("To list all commands: --help")
    assert len(shown.splitlines()) < 24
    assert "Usage: campaign [OPTIONS] COMMAND" in at_prompt(type_in, "--help")[0]


def test_again_repeats_the_last_line_without_its_dice_for_another_and_with_its_reason(
    table: Path, type_in: Type
) -> None:
    seen = at_prompt(
        type_in, "with mara edge", "c ste 15 = 7 3", "again @jonas = 99", "again", "-1 edge; toll", "again @mara"
    )
    assert "jonas stealth ✓ complete success: 21 against 15 (9 + 9 + 3)" in seen[2]
    assert "mara stealth" in seen[3]
    assert "mara adjusted by hand: toll   edge 4 → 3" in seen[4]
    assert "mara adjusted by hand: toll   edge 3 → 2" in seen[5]


def test_again_after_a_line_with_at_is_for_the_character_of_with_if_there_is_one(table: Path, type_in: Type) -> None:
    lines = (
        "with mara edge",
        "check ste --t 15 @jonas = 7 3",
        "again = 8 8",
        "with",
        "edge check @jonas ste = 7 3",
        "again",
    )
    seen = at_prompt(type_in, *lines)
    assert "jonas stealth" in seen[1]
    assert "mara stealth" in seen[2]
    assert "jonas stealth" in seen[5]


@pytest.mark.parametrize(
    "line",
    [
        "--by Ben note the key; here --secret",
        '-v --by "Ben" note the key; here --only Ben',
        "note; the key --secret",
        "note\tthe key; here --secret",
        '"note" the key; here --secret',
    ],
)
def test_a_secret_note_stays_secret_after_flags_and_with_a_semicolon(table: Path, type_in: Type, line: str) -> None:
    seen = at_prompt(type_in, line)[0]
    assert seen.startswith("#")
    assert "(secret)" in seen
    assert "key" not in type_in("log").stdout


def test_again_repeats_a_note_after_flags_as_it_was_and_takes_no_other_text(table: Path, type_in: Type) -> None:
    lines = ("--by Ben note a; b", "again", "again --secret", "again; c --secret", "again @jonas")
    seen = at_prompt(type_in, *lines)
    assert "note: a; b   (entered by Ben)" in seen[1]
    assert "note: (secret)" in seen[2]
    assert "'again' cannot change the text of 'note'." in seen[3]
    assert "The command 'note' takes no character" in seen[4]


def test_again_repeats_the_last_line_that_wrote_and_one_for_all_for_one(table: Path, type_in: Type) -> None:
    lines = ("c ste = 7 3", "?", "c ste = 7", "u", "again = 8 8", "check all ste = 9 9, 9 8", "again @jonas = 9 9")
    seen = at_prompt(type_in, "with mara edge", *lines)
    assert "(8 + 8 + 6)" in seen[5]
    assert seen[7].startswith("#")
    assert "jonas stealth" in seen[7]
    assert "mara" not in seen[7]


def test_digits_amend_the_dice_that_were_thrown(table: Path, type_in: Type) -> None:
    type_in("edge check mara stealth --faces 7,3")
    assert "(8 + 4 + 6)" in type_in(f"amend {head(table)} = 84 --why misread --yes").stdout
    type_in("roll mara d20 --faces 12")
    assert "[9]" in type_in(f"amend {head(table)} = 9 --why misread --yes").stdout
    dispute = json.loads(type_in(f"dispute {head(table)} --claim x --json").stdout)["seq"]
    assert "[17]" in type_in(f"decide {dispute} amend = 17 --why x --yes").stdout


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("edge = 2", "mara adjusted by hand, edge stays 2"),
        ("maximum = 5", "mara adjusted by hand, maximum edge stays 5"),
        ("adjust edge = 2; toll", "mara adjusted by hand, edge stays 2: toll"),
        ("set care = yes", "mara care = yes"),
        ("note the sum = 3 4", "note: the sum = 3 4"),
    ],
)
def test_again_repeats_a_value_that_was_typed_with_blanks(table: Path, type_in: Type, line: str, says: str) -> None:
    again = at_prompt(type_in, "with mara edge", line, "again")[2]
    assert re.fullmatch(rf"#[0-9]+ +{says}", again.partition("\n")[0].rstrip()), again


@pytest.mark.parametrize("line", ["-1 edge", "edge=2", "note hello", "rest short", "adj mara edge=-1"])
def test_again_with_dice_is_refused_for_a_line_that_rolls_none(table: Path, type_in: Type, line: str) -> None:
    written, refused, again = at_prompt(type_in, "with mara edge", line, "again = 3 4", "again")[1:]
    assert written.startswith("#"), written
    assert "Error: The last line rolls no dice: " in refused
    assert "Type 'again' and leave out the dice." in refused
    assert again.startswith("#")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("= 12, 9", "= 12"), ("= 3 4, 9", "= 3 4"), ("--faces '12;9'", "= 12"), ("--faces '=12;=9'", "= 12")],
)
def test_too_many_dice_for_one_character_show_one_roll_as_it_is_typed(
    folder: Path, type_in: Type, typed: str, hint: str
) -> None:
    seen = at_prompt(type_in, "with mara", f"roll all 1d20 {typed}")[1]
    assert "You typed dice for 2 rolls, but 1 character rolls: mara." in seen
    assert f"Hint: Type the dice of one roll: {hint}\n" in f"{seen}\n"


@pytest.mark.parametrize(("typed", "hint"), [("12;9", "12"), ("3,4;9", "3,4"), ("=12;=9", "=12")])
def test_too_many_dice_for_one_character_show_one_roll_as_a_flag(
    folder: Path, type_in: Type, typed: str, hint: str
) -> None:
    assert f"Hint: Type the dice of one roll: --faces {hint}\n" in type_in(f"roll all d20 --faces '{typed}'").stderr


def test_again_keeps_the_flags_after_the_dice_and_no_id(table: Path, type_in: Type) -> None:
    lines = (
        "check ste = 737 --edge --drop 3",
        "again = 868 --drop 6",
        "check ste --faces 7,3 --once a1",
        "again",
        "again",
    )
    seen = at_prompt(type_in, "with mara edge", *lines)
    assert "given twice" in seen[2]
    assert "(7 + 3 + 6)" in seen[3]
    assert "written before" not in "".join(seen)
    assert "mara stealth" in seen[4]
    assert "mara stealth" in seen[5]


def test_faces_of_several_rolls_are_for_all_alone_and_digits_may_follow_the_flag(table: Path, type_in: Type) -> None:
    assert "You typed dice for several rolls, but this is one roll" in type_in("roll mara d6 --faces '3;4'").stderr
    assert "(7 + 3 + 6)" in type_in("edge check mara stealth --faces =73").stdout


def test_an_id_of_several_commands_is_of_as_many(table: Path, type_in: Type) -> None:
    for text in "abc":
        type_in(f"note {text}")
    type_in("undo 2 --once u")
    before = head(table)
    assert type_in("undo 2 --once u").exit_code == 0
    for words in ("undo 3 --once u", "undo 1 --once u"):
        assert type_in(words).exit_code == 3
    assert head(table) == before


def test_an_old_name_that_means_something_by_now_is_kept(table: Path, type_in: Type) -> None:
    with open_book(str(table / "road.campaign")) as book:
        scribe(book).write(Join(who="all", system="edge", scores={"maximum": 3}))
    assert type_in("audit").exit_code == 0
    assert "all · edge" in type_in("sheets all").stdout
    assert type_in("join all coin").exit_code == 0
    assert "all adjusted by hand" in type_in("adjust @all maximum=+1 --why x").stdout


def test_a_character_is_named_by_at_but_not_within_a_reason(table: Path, type_in: Type) -> None:
    seen = at_prompt(type_in, "with mara", "-1 edge; @jonas wanted it")
    assert "mara adjusted by hand: @jonas wanted it" in seen[1]


def test_letters_of_a_move_are_taken_at_the_prompt_alone(
    table: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_WHO", "jonas")
    assert "could be" in type_in("re long").stderr


def test_a_line_of_a_move_that_may_hide_something_is_not_kept(table: Path) -> None:
    prompt = Prompt(Invocation(), campaign)
    for line, hides in (("-v byzantine commit mara duel 5", True), ("byz", False), ("c ste", False), ("note x", False)):
        assert prompt.may_hide(line) is hides


@pytest.mark.parametrize("line", ["compare - -", "witness sign", "witness add -", "try --cases -", "verify --proof -"])
def test_a_command_does_not_read_the_lines_that_were_piped_to_the_prompt(table: Path, type_in: Type, line: str) -> None:
    more = [f"note {number} {'x' * 3000}" for number in range(4)]
    before = head(table)
    done = type_in("play", input="\n".join([line, *more]))
    assert (
        "You cannot paste anything here. This prompt gets its lines from a file or a program, not from the keyboard."
        in done.stderr
    )
    assert head(table) == before + len(more)


def test_an_offer_is_paid_with_what_is_there_now(table: Path, type_in: Type) -> None:
    damage = "edge damage mara pistol --faces 3,5"
    type_in(damage)
    offer = head(table)
    type_in("adjust mara edge=0 --why x")
    refused = type_in(f"choose {offer} --boost 1 --faces 2")
    assert (refused.exit_code, "mara does not have enough edge" in refused.stderr) == (3, True)
    assert head(table) == offer + 1
    type_in("adjust mara edge=1 --why x")
    assert type_in(f"choose {offer} --boost 1 --faces 2").exit_code == 0
    assert "edge        0 of 4" in type_in("sheets mara").stdout


def test_a_refused_line_ends_nothing_and_writes_nothing(table: Path, type_in: Type) -> None:
    before = head(table)
    seen = at_prompt(type_in, "with mara edge", "c ste = 7", "-9 edge", "edge 5", "c ste = 7 3")
    assert "(7 + 3 + 6)" in seen[4]
    assert head(table) == before + 2


def test_a_player_with_one_character_means_that_one_and_undoes_only_ones_own(table: Path, type_in: Type) -> None:
    seen = at_prompt(type_in, "c ste = 9 9", "note x", "u", "u", "u", begin="--by Ben play")
    assert "jonas stealth" in seen[0]
    assert "undoes" in seen[2]
    assert "undoes" in seen[3]
    assert "Ben has nothing left to undo." in seen[4]


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("c 55 = 44", "mara needs 55 (Specialist)  then throw ✗ failure by 11: 44 against 55  [44]"),
        ("c 55=60", "mara needs 55 (Specialist)  then throw ✓ success: 60 against 55  [60]"),
        ("c @brak 55 = 60", "brak needs 55 (Specialist)  then throw ✓ success: 60 against 55  [60]"),
        ("c = 44", "mara throw ✗ failure by 6: 44 against 50   [44]"),
    ],
)
def test_in_syscards_c_with_a_number_declares_this_rate_and_rolls(
    folder: Path, type_in: Type, line: str, seen: str
) -> None:
    for words in ("join mara syscards efficiency=40", "join brak syscards", "syscards rate mara 50"):
        assert type_in(words).exit_code == 0
    assert seen in at_prompt(type_in, "with mara syscards", line)[1]


def test_letters_that_two_games_have_are_never_guessed(table: Path, type_in: Type) -> None:
    seen = at_prompt(type_in, "with mara", "c 15", "with mara edge", "c ste = 7 3", "with")
    assert "'c' could mean several games: coin, edge." in seen[1]
    assert "(7 + 3 + 6)" in seen[3]
    type_in("join mara byzantine")
    both = at_prompt(type_in, "with mara", "attack brak", "again")
    assert "'attack' could be any of byzantine attack, edge attack" in both[1]


def test_a_word_that_fits_two_inputs_is_never_guessed(table: Path, type_in: Type) -> None:
    type_in("set mara weapon.brak=1d6 --why x")
    assert "item brak" not in type_in("edge damage mara brak --faces 2").stderr
    refused = type_in("edge attack mara bra --skill 3 --faces 7,3")
    assert "brak (weapon)" in refused.stderr
    assert "brak (whom)" in refused.stderr


def test_the_usual_character_of_the_environment_is_meant_where_nobody_is_named(
    table: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_WHO", "mara")
    for line in ("edge check ste 15 --faces 7,3", "check ste 15 = 7 3", "c ste 15 = 7 3"):
        code = type_in(line).exit_code
        assert code == (2 if line.startswith("c ") else 0)
    assert "mara · edge is 4" in type_in("why edge").stdout
    assert "jonas · edge is 4" in type_in("why jonas edge").stdout
    assert "jonas · edge is 4" in type_in("why @jonas edge").stdout
    assert "edge 4 → 3" in type_in("-1 edge --why x").stdout
    assert "edge 3 → 2" in type_in("-1 edge").stdout


def test_without_a_campaign_a_line_that_means_nothing_is_no_command(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "No such command 'foo'." in type_in("foo").stderr
    assert type_in("play").exit_code == 5


def test_names_that_mean_something_else_are_refused_for_new_sheets(table: Path, type_in: Type) -> None:
    for name in ("all", "again", "with", "npc", "d6", "d20kl1"):
        assert type_in(f"join {name} edge").exit_code == 2
        assert type_in(f"player Zed --plays {name}").exit_code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('note "a b" c', ["note", "a b", "c"]),
        ("c dec;why not", ["c", "dec", "; why not"]),
        ("c dec;", ["c", "dec"]),
        ('note "a b', ["note", '"a', "b"]),
        ("note it's", ["note", "it's"]),
        ("#3 \\x", ["#3", "\\x"]),
    ],
)
def test_a_line_is_cut_into_words(line: str, words: list[str]) -> None:
    assert words_of(line) == words


def offered(prompt: Prompt, line: str) -> dict[str, str]:
    """What completion offers after a line, with what it says."""
    found = PromptCompleter(lambda: prompt.invocation, prompt.campaign).get_completions(Document(line), CompleteEvent())
    return {item.text: item.display_meta_text for item in found}


def test_completion_at_the_prompt_offers_what_may_be_next_and_what_it_would_do(table: Path) -> None:
    prompt = Prompt(Invocation(), campaign)
    prompt.begin()
    prompt.do("with mara edge")
    first = offered(prompt, "ch")
    assert first["check"] == "Roll 2d10, add the skill bonus, and compare the total with a target number."
    assert set(first) == {"check", "choose", "chronicle", "checkpoint"}
    assert set(offered(prompt, "c s")) == {"stealth"}
    assert "challenging" in offered(prompt, "c stealth ")
    assert set(offered(prompt, "c @")) == {"@brak", "@jonas", "@mara"}
    assert set(offered(prompt, "with j")) == {"jonas"}
    assert "edge" in offered(prompt, "why ")
    assert "--target" in offered(prompt, "c stealth --ta")
    assert offered(prompt, "foo x") == {}


@pytest.mark.parametrize("line", ["note here", "bad"])
def test_undo_does_not_undo_what_the_same_player_wrote_elsewhere_without_showing_it(
    table: Path, type_in: Type, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    prompt = Prompt(Invocation(clock=lambda: EVENING), campaign)
    prompt.begin()

    def shown(typed: str) -> str:
        capsys.readouterr()
        prompt.do(typed)
        return "".join(capsys.readouterr())

    shown(line)
    if line == "bad":
        assert "To undo #" in shown("u")
    assert type_in("note elsewhere").exit_code == 0
    asked = shown("u")
    assert asked.startswith("Since your last line, you wrote something elsewhere.\nTo undo #")
    assert asked.endswith(" (note: elsewhere), type u again.\n")
    assert "(note: elsewhere)" in (undone := shown("u"))
    assert "undoes #" in undone


def test_at_a_terminal_the_choice_is_asked_at_once_and_secrets_stay_out_of_the_history(table: Path) -> None:
    file = table / "road.campaign"
    screen = typed_at_a_terminal(
        command(file, "play"),
        [
            ("> ", "with mara edge"),
            ("mara edge> ", "c ste --edge = 7 3 5"),
            ("You rolled 7, 3, 5. Which die do you want to drop?", "3"),
            ("mara edge> ", "ch ste --secret = 7 3"),
            ("(7 + 3 + 6)", "note hush --only Ana"),
            ("note for Ana", "note loud --once x"),
            ("note: loud", "quit"),
        ],
        enter="\r",
    )
    assert "exit 0" in screen
    history = Path(os.environ["CAMPAIGN_HOME"], "history")
    text = history.read_text(encoding="utf-8")
    assert "c ste --edge = 7 3 5" in text
    assert "--secret" not in text
    assert ("hush" in text, "loud" in text) == (False, True)
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_at_a_terminal_letters_of_several_commands_are_asked_about(table: Path) -> None:
    screen = typed_at_a_terminal(
        command(table / "road.campaign", "ch"), [("Which one do you mean by 'ch'", "chronicle")]
    )
    assert "exit 0" in screen


def test_the_hand_may_be_named_after_the_command_too(table: Path, type_in: Type) -> None:
    written = ["note hello --by Ben --json", "edge check jonas ste --faces 7,3 --by Ben --json"]
    assert '"by": "p3"' in type_in(written[0]).stdout
    assert '"by": "p3"' in type_in(written[1]).stdout
    dispute = type_in("dispute 15 --claim x --json").stdout
    assert '"by": "p1"' in dispute
    assert '"by": "p3"' in type_in(f"decide {head(table)} keep --why x --by Ben --json").stdout
    assert "Nobody called 'zed'" in type_in("note x --by zed").stderr


def test_a_plain_roll_says_what_it_is_for(table: Path, type_in: Type) -> None:
    assert "mara rolls d20 = 7: who notices" in type_in("roll mara d20 --why 'who notices' --faces 7").stdout
    assert "mara rolls d20 = 7: who notices" in at_prompt(type_in, "with mara", "d20 = 7; who notices")[1]
    type_in(f"amend {head(table)} --for 'who hears' --why misheard --yes")
    assert "who hears" in type_in("log -n 3").stdout


def test_a_look_goes_back_to_a_minute(table: Path, type_in: Type) -> None:
    assert type_in("sheets mara --at '2026-11-20 23:59'").exit_code in {0, 3}
    assert "is not a date" in type_in("sheets mara --at '2026-11-20 99:59'").stderr
