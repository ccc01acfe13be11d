"""What a GM types to put right, and what is answered; also what makes no sense."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.journal.book import open_book
from terminal import Type, command, head, rows, typed_at_a_terminal

SENSELESS: list[tuple[str, int, str]] = [
    ("redo", 3, "There is nothing to redo."),
    ("void 10 --why x", 2, "cannot ask here, because it runs in a script"),
    ("void 10 --yes", 2, "'--why'"),
    ("void 99 --why x --yes", 3, "There is no entry #99"),
    ("void 0 --why x --yes", 3, "There is no entry #0"),
    ("void x --why x --yes", 2, "not a whole number"),
    ("void 2 --why x --yes", 3, "You cannot cancel the start of the campaign."),
    ("void 10 --why '' --yes", 2, "cannot be empty"),
    ("rewind --to 99", 3, "There is no entry #99"),
    ("rewind --to 23 --yes", 3, "nothing to cancel after"),
    ("rewind", 2, "'--to'"),
    ("amend 1 --why x --yes", 3, "Hint: To correct the GM's name: campaign amend 2 --name NAME --why TEXT"),
    ("amend 2 --plays mara --why x --yes", 3, "You can amend only the GM's name."),
    ("amend 2 --name Ana --why x --yes", 3, "Ana is already at the table, as p2."),
    ("amend 99 --why x --yes", 3, "There is no entry #99"),
    ("amend 10 --skill 12 --yes", 2, "'--why'"),
    ("amend 10 --skill 12 --why x", 2, "cannot ask here, because it runs in a script"),
    ("amend 10 --skul 12 --why x --yes", 2, "--skul"),
    ("amend 10 --skill x --why x --yes", 2, "'--skill'"),
    ("amend 10 --skill 1 --skill 2 --why x --yes", 2, "given twice"),
    ("amend 10 --faces 7,16 --why x --yes", 3, "a d10 cannot show 16"),
    ("amend 22 --faces 7,6,5 --why x --yes", 3, "so you cannot change them"),
    ("amend 10 --edge --why x --yes", 3, "needs 3d10, but 2d10 were rolled"),
    ("amend 10 --who ghost --why x --yes", 3, "Nobody called 'ghost'"),
    ("amend 10 --without luck --why x --yes", 2, "You cannot leave luck out"),
    ("amend 11 edge=x --why x --yes", 2, "is not a whole number"),
    ("amend 11 mana=+1 --why x --yes", 3, "no score called 'mana'"),
    ("amend 11 edge --why x --yes", 2, "is not a name and a value, like edge=3"),
    ("amend 11 edge=-9 --why x --yes", 3, "has 4 edge and needs 9"),
    ("amend 18 --notation 3d6 --why x --yes", 3, "needs 3d6, but 2d6 were rolled"),
    ("amend 20 care=perhaps --why x --yes", 2, "not yes or no"),
    ("amend 8 --present Zed --why x --yes", 3, "sits at this table"),
    ("dispute 10", 2, "'--claim'"),
    ("dispute 99 --claim x", 3, "There is no entry #99"),
    ("dispute 10 --claim x --player Zed", 3, "sits at this table"),
    ("dispute 10 --claim ''", 2, "cannot be empty"),
    ("decide 10 uphold --why x", 3, "has no question"),
    ("decide 99 uphold --why x", 3, "There is no entry #99"),
    ("override 23 x --why x --yes", 3, "is not a roll"),
    ("override 10 x", 2, "'--why'"),
    ("override 10 x --why x", 2, "cannot ask here, because it runs in a script"),
    (f"override 10 {'x' * 81} --why x --yes", 2, "at most 80"),
    ("assert mara", 2, "SCORE"),
    ("assert mara edge", 2, "is not a score like edge=3"),
    ("assert mara mana=3", 3, "no score called 'mana'"),
    ("assert mara edge=3 edge/edge=3", 2, "You named edge/edge twice"),
    ("assert ghost edge=3", 3, "Nobody called 'ghost'"),
    ("why mara mana", 3, "no score called"),
    ("why mara edge -n 0", 2, "not a valid number of lines"),
    ("diff 10 99", 3, "never reached 99"),
    ("diff 10 4", 2, "10 comes after 4"),
    ("diff 10", 2, "'B'"),
    ("replay --session 9", 3, "never reached session 9"),
    ("replay --session 1 --to 3", 2, "comes after 3"),
    ("replay --from 10 --to 4", 2, "10 comes after 4"),
    ("replay --step --speed 2", 2, "not both"),
    ("replay --session 0", 2, "'--session'"),
    ("replay --speed 0", 2, "'--speed'"),
    ("chronicle --session 9", 3, "never reached session 9"),
    ("chronicle --markdown --html", 2, "Use --markdown or --html, not both."),
    ("recap --html --json", 2, "Use --html or --json, not both."),
    ("recap --session 9", 3, "never reached session 9"),
    ("recap --at 5", 3, "No session has been played yet"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", ["amend 9 --skill 12", "amend 9 --who mara --skill 4", "amend 10 edge=-2"])
def test_what_somebody_did_who_left_since_is_amended_like_anything_else(type_in: Type, line: str) -> None:
    type_in("edge check mara --skill 3 --target 20 --faces 7,6")
    type_in("adjust mara edge=-1 --why x")
    type_in("leave mara")
    assert type_in("edge check mara --skill 3").exit_code == 3
    done = type_in(f"{line} --why 'as it was' --yes")
    assert done.exit_code == 0, done.output
    assert "amends #" in done.stdout


@pytest.mark.parametrize(("words", "code", "says"), SENSELESS, ids=[words[:60] for words, _, _ in SENSELESS])
def test_senseless_corrections_get_one_sentence_and_write_nothing(
    folder: Path,
    evening: Type,
    words: str,
    code: int,
    says: str,
) -> None:
    before = (folder / "road.campaign").read_bytes()
    result = evening(words)
    assert says in result.stderr, result.output
    assert (result.exit_code, result.stdout) == (code, "")
    assert len([line for line in result.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert (folder / "road.campaign").read_bytes() == before


AMENDS: list[tuple[str, str]] = [
    ("amend 10 --skill 12", "skill 12 ✓ significant success: 25 against 20"),
    ("amend 10 --who brak", "who brak"),
    ("amend 10 --bonus 2 --its-why rain", "bonus 2, why rain"),
    ("amend 10 --faces 7,7", "dice 7 7 ✓ complete success: 25 against 20"),
    ("amend 10 --target 40 --secret", "secret yes, target (secret) ✗ complete failure"),
    ("amend 13 --drop 7", "drop 7"),
    ("amend 12 --no-edge --without drop --faces 7,3", "✓ marginal success: 21 against 20"),
    ("amend 22 --without advantage --disadvantage mud", "advantage none, disadvantage mud"),
    ("amend 22 --target 30", "target (secret)"),
    ("amend 11 edge=-2", "edge −2   mara edge 3 → 2"),
    ("amend 11 --its-why theft", "why theft"),
    ("amend 4 maximum=5", "maximum 5   mara edge 3 → 4, mara maximum edge 4 → 5"),
    ("amend 15 --amount 4", "Error: 6 edge would be above the maximum of 4."),
    ("amend 15 --its-why bravery", "why bravery"),
    ("amend 18 --notation 2d6+1 --who brak", "notation 2d6+1, who brak"),
    ("amend 18 --who Ana", "who Ana"),
    ("amend 20 care=no", "care no"),
    ("amend 8 --title Two", "title Two"),
    ("amend 8 --present Tom,Ana", "present Tom, Ana"),
    ("amend 19 --title 'In the gate'", "title In the gate"),
    ("amend 23 --text 'the old guide'", "text the old guide"),
    ("amend 2 --name Kate", "amends #2 (Tom is player p1 (GM)): so; name Kate"),
    ("amend 3 --name Anna", "name Anna"),
    ("amend 3 --plays mara,brak --gm", "gm yes, plays mara, brak"),
]


@pytest.mark.parametrize(("words", "says"), AMENDS, ids=[words for words, _ in AMENDS])
def test_whatever_was_said_is_amended_with_its_own_flags(evening: Type, words: str, says: str) -> None:
    result = evening(f"{words} --why so --yes")
    assert says in result.output, result.output
    assert evening("verify").exit_code == 0


@pytest.mark.usefixtures("folder")
def test_the_gm_can_add_a_forgotten_name_after_init(type_in: Type, folder: Path) -> None:
    file = folder / "forgot.campaign"
    here = f"-f {file}"
    type_in(f"{here} init Forgot")
    dry = type_in(f"{here} amend 2 --name Kate --why 'I forgot' --dry-run")
    assert "would be #3" in dry.stdout
    assert "here     GM (GM)" in type_in(f"{here} status").stdout
    done = type_in(f"{here} amend 2 --name Kate --why 'I forgot' --yes")
    assert done.exit_code == 0, done.output
    assert "here     Kate (GM)" in type_in(f"{here} status").stdout
    assert "here     GM (GM)" in type_in(f"{here} status --at 2").stdout
    assert "here     Kate (GM)" in type_in(f"{here} status --at 2 --corrected").stdout
    assert "by Kate (p1)" in type_in(f"{here} --by Kate show 3").stdout
    type_in(f"{here} undo")
    assert "here     GM (GM)" in type_in(f"{here} status").stdout
    type_in(f"{here} redo")
    type_in(f"{here} export {folder}/out")
    assert subprocess.run([sys.executable, folder / "out/verify.py"], check=False).returncode == 0
    again = f"-f {folder}/again.campaign"
    assert type_in(f"{again} import {folder}/out --yes").exit_code == 0
    assert type_in(f"{again} verify").exit_code == type_in(f"{again} audit").exit_code == 0
    assert "here     Kate (GM)" in type_in(f"{again} status").stdout


def test_the_help_of_an_amendment_shows_the_flags_of_its_entry(evening: Type) -> None:
    assert "Use the flags of the original command." in evening("amend --help").stdout
    assert "--skill N" not in evening("amend --help").stdout
    assert "--skill N" in evening("amend 10 --help").stdout
    assert re.search(r"--its-why .*, in the\s+original command\.", evening("-v amend 11 -h").stdout)
    assert "--drop N" not in evening("choose -h").stdout


def test_a_character_without_its_flag_is_refused_with_the_flag(evening: Type) -> None:
    refused = evening("amend 10 mara --why x --yes").stderr
    assert "The command cannot use the extra word 'mara'. Type --who mara.\n" in refused
    assert "The command cannot use the extra word 'blah'.\n" in evening("amend 10 blah --why x --yes").stderr


def test_what_is_amended_twice_shows_what_it_replaced(evening: Type) -> None:
    evening("amend 11 edge=-2 --why once --yes")
    evening("amend 24 edge=-1 --why twice --yes")
    told = evening("why mara edge").stdout
    assert "replaced #26 (mara adjusted by hand: a bargain, edge −2)" in told
    assert "replaced #11 (mara adjusted by hand: a bargain, edge −1)" in told
    assert "canceled: −2  #26 (mara adjusted by hand: a bargain, edge −2), amended by #27" in told
    assert "5 earlier entries add up to" not in told
    assert "After 3 earlier entries, the value was 2" in evening("why mara edge -n 1").stdout
    (found,) = rows(evening("why mara edge --json").stdout)
    assert found["value"] == sum(each["amount"] for each in found["counts"]) == 3
    assert [each["by"] for each in found["struck"]] == [27, 27]


@pytest.mark.parametrize(("flags", "says"), [
    ("", "? 14 later results would change, because they used mara's deception: #9, #11, #13 and 11 more. Each of these results opens a question. The first question is #39."),
    ("--simple", "More rulings with the same result: #33, #35"),
])  # fmt: skip
def test_many_knock_ons_of_one_cause_are_one_line(type_in: Type, folder: Path, flags: str, says: str) -> None:
    for _ in range(14):
        type_in(f"edge check mara deception --attributes cunning,presence --target 5 --faces 7,6 {flags}")
    result = type_in("amend 4 skill.deception=5 --why so --dry-run")
    assert says in result.stdout, result.output


def test_a_dry_run_and_an_answered_question_write_nothing(evening: Type, folder: Path) -> None:
    before = head(folder)
    result = evening("amend 11 edge=-4 --why so --dry-run")
    assert "? #27 #13 (mara check, complete success) used mara's edge (then 3; now 0)" in result.stdout
    assert "the rules would refuse this roll: mara has 0 edge and needs 1." in result.stdout
    assert "Dry run: nothing was written." in result.stderr
    assert head(folder) == before


def test_with_cascade_what_would_be_otherwise_is_amended_too(evening: Type) -> None:
    evening("edge rest mara long")
    result = evening("amend 11 edge=-2 --why so --cascade --yes")
    assert "amends #24 (mara takes a long rest): takes a long rest" in result.stdout
    assert "edge is 4" in evening("why mara edge").stdout


def test_a_dispute_is_by_whoever_objects(evening: Type) -> None:
    assert "Ana disputes #10" in evening("dispute 10 --claim no --player ana").stdout
    assert "Ana disputes #10" in evening("--by Ana dispute 10 --claim no").stdout
    assert "Tom disputes #10" in evening("dispute 10 --claim no").stdout
    assert "(disputed by #24)   (disputed by #25)" in evening("show 10").stdout
    assert [row["type"] for row in rows(evening("questions --json").stdout)].count("dispute-raised") == 3
    assert evening("log --open").stdout.count("decision needed") == 3
    assert evening("decide 24 void --why so").exit_code == 2
    assert "cancels #10" in evening("decide 24 void --why so --yes").stdout
    assert "(kept)" in evening("decide 25 keep --why so").stdout
    assert "was canceled, so you cannot amend it" in evening("decide 26 amend --skill 12 --why so --yes").stderr


def test_keep_is_the_word_for_every_question_and_the_older_words_are_still_taken(evening: Type) -> None:
    evening("dispute 10 --claim no")
    evening("dispute 10 --claim never")
    assert "campaign decide 24 keep|amend|void --why TEXT" in evening("questions").stdout
    assert "Use keep, amend or void" in evening("decide 24 adjust --why so").stderr
    kept = rows(evening("decide 24 keep --why so --once k --json").stdout)[0]
    typed_as_before = rows(evening("decide 25 uphold --why so --json").stdout)[0]
    assert kept["choice"] == typed_as_before["choice"] == "uphold"
    assert rows(evening("decide 24 keep --why so --once k --json").stdout)[0]["seq"] == kept["seq"]
    evening("assert mara edge=9")
    assert "campaign decide 28 keep|adjust --why TEXT" in evening("questions").stdout
    assert rows(evening("decide 28 keep --why so --json").stdout)[0]["choice"] == "stand"


def test_an_override_is_shown_wherever_the_entry_is(evening: Type) -> None:
    evening("override 13 'she falls' --bad --why 'the rule of the house' --yes")
    for words in ("show 13", "log", "why mara edge"):
        assert "overridden by #24: ✗ she falls" in evening(words).stdout, words
    for words in ("chronicle", "replay --from 13 --to 13", "recap"):
        assert (
            "Mara made a roll without a stated purpose. Because of the rule of the house, the GM ruled it a failure: she fell."
            in evening(words).stdout
        ), words
    evening("override 10 'so be it' --why x --yes")
    assert "overridden by #25: so be it" in evening("show 9").stdout
    evening("undo")
    assert "overridden by #25" not in evening("show 10").stdout


def test_a_paper_that_differs_is_shown_with_where_it_may_come_from(evening: Type) -> None:
    assert "edge: 3 on paper and in the record" in evening("assert mara edge=3").stdout
    evening("adjust mara edge=-1 --why x")
    shown = evening("assert mara edge=3 maximum=4").stdout
    assert "edge: 3 on paper, 2 in the record; maximum edge: 4 on paper and in the record" in shown
    assert "Since #24, when the paper sheet last matched the record:" in shown
    assert shown.count("adjusted by hand") == 1
    assert "Since the start:" in evening("assert mara strength=1").stdout
    assert "✗ no" in evening("replay --from 26 --to 26").stdout
    assert "✓ yes" in evening("replay --from 24 --to 24").stdout
    assert rows(evening("replay --from 24 --to 24 --json").stdout)[0]["holds"] is True
    assert rows(evening("assert mara edge=9 --json").stdout)[0]["stood"] == {"edge/edge": 2}
    evening("amend 25 edge=+0 --why x --yes")
    assert "corrected since then: edge 3" in evening("questions").stdout
    assert "✓ yes\n" in evening("replay --from 26 --to 26 --corrected").stdout


def test_a_limit_and_what_it_came_to_since(evening: Type) -> None:
    evening("adjust mara maximum=+2 --why x")
    evening("adjust mara edge=+3 --why x")
    assert "mara edge is 6, but it cannot be above 4" in evening("void 24 --why x --yes").stdout
    evening("adjust mara edge=-1 --why x")
    assert "above 4; the value is 5 now." in evening("questions").stdout
    assert "is answered (kept)" in evening("decide 27 keep --why x").stdout


def test_a_correction_that_was_canceled_is_not_told_to_be_voided_again(evening: Type) -> None:
    evening("void 10 --why x --yes")
    evening("undo")
    refused = evening("void 24 --why x --yes")
    assert (refused.exit_code, "'campaign show 25'" in refused.stderr, "void 24" in refused.stderr) == (3, True, False)


def test_who_joined_later_is_named_with_when(evening: Type) -> None:
    evening("join zed edge maximum=2")
    for look in ("sheets zed", "register zed maximum", "why zed maximum"):
        refused = evening(f"{look} --at 20")
        assert (refused.exit_code, refused.stderr) == (3, "Error: zed joined later, at #24.\n"), look
    evening("undo")
    assert "edge  2 of 2" in evening("sheets zed --at 24").stdout


def test_what_was_written_on_a_sheet_that_is_voided_is_told_to_count_still(evening: Type) -> None:
    evening("join zed syscards")
    assert "without the sheet" not in evening("void 24 --why x --dry-run").stdout
    evening("adjust zed core-points=+7 --why x")
    shown = evening("void 24 --why x --dry-run").stdout
    assert "these values of zed still count, even without the sheet in syscards: core-points 7" in shown
    evening("void 24 --why x --yes")
    assert "without the sheet" not in evening("undo").stdout


def test_amend_keeps_the_values_by_name_that_are_left_out_and_says_where_another_flag_belongs(evening: Type) -> None:
    evening("join brak edge armor.threshold=5")
    for who in ("mara", "brak"):
        evening(f"join {who} syscards efficiency=40")
    challenge = "syscards challenge mara --against brak --rates mara=70 --rates brak=50 --why fog --faces 80,60"
    seq = rows(evening(f"{challenge} --json").stdout)[0]["seq"]
    assert "Names that you leave out stay the same" in " ".join(evening(f"-v amend {seq} --help").stdout.split())
    amended = evening(f"amend {seq} --rates mara=60 --why x --yes").stdout
    assert "brak 50, mara 60" in amended
    evening("set mara weapon.knife=1d6+2 --why x")
    evening("adjust mara edge=-3 --why x")
    entries = rows(evening("edge attack mara knife brak --skill 9 --target 9 --faces 7,6,3,2,1 --json").stdout)
    attack, soak = (entry["seq"] for entry in entries if entry.get("move") in {"attack", "soak"})
    refused = evening(f"amend {attack} --armor none --why x --yes")
    assert refused.exit_code == 2
    assert f"This flag belongs to a different entry, #{soak} (brak is hit," in refused.stderr
    assert f"campaign amend {soak} --armor" in refused.stderr


def test_what_a_player_plays_is_said_once(evening: Type) -> None:
    for words in ("player Ana --plays mara", "player Tom --gm"):
        refused = evening(words)
        assert (refused.exit_code, "Nothing was written" in refused.stderr) == (3, True), words
    assert evening("player Ana --plays mara,zed").exit_code == 0
    assert evening("player Ana --plays mara --gm --once a").exit_code == 0
    assert evening("player Ana --plays mara --gm --once a").exit_code == 0


def test_a_rewind_lists_what_it_strikes(evening: Type) -> None:
    shown = evening("rewind --to 10 --why 'we begin anew' --yes").stdout
    assert "rewinds to #10 (mara check, marginal success): we begin anew" in shown
    assert "cancels #18 (mara rolls 2d6 = 7)" in shown
    assert "cancels #23" not in shown  # a note
    assert "(rewound by #24)" in evening("show 13").stdout
    assert "undoes #24 (rewind to #10)" in evening("undo").stdout


def test_with_what_is_voided_fall_the_answers(evening: Type) -> None:
    evening("edge check mara --skill 11 --edge --faces 7,3,7")
    evening("choose 25 --drop 3")
    assert "#27 (mara check, complete success) is canceled too" in evening("void 25 --why x --yes").stdout
    assert "edge is 3" in evening("why mara edge").stdout


@pytest.mark.parametrize("dice", ["--faces 9,6", "= 9 6"])
def test_new_dice_for_an_entry_without_dice_are_refused_with_its_number_and_what_it_is(
    evening: Type, dice: str
) -> None:
    for words in ("amend 8", "decide 25 amend"):
        evening("dispute 8 --claim 'it was later'")
        assert (
            "Error: #8 (session 1 opened: One, present: Ana) has no dice." in evening(f"{words} --why x {dice}").stderr
        )


def test_an_answer_that_is_neither_yes_nor_no_is_told_what_to_type(file: Path) -> None:
    answers = [("Save this? [y/N]", "maybe"), ("Type y for yes, or n for no.", "  Yes ")]
    assert typed_at_a_terminal(command(file, "void", "7", "--why", "so"), answers).endswith("exit 0")
    with open_book(str(file)) as book:
        assert book.is_struck(7)


def test_on_a_terminal_a_correction_is_shown_asked_and_written_as_agreed(file: Path) -> None:
    subprocess.run(command(file, "note", "one"), check=True, capture_output=True)
    screen = typed_at_a_terminal(command(file, "void", "8", "--why", "so"), [("Save this? [y/N]", "n")])
    assert "Nothing was written." in screen
    assert screen.endswith("exit 0")
    screen = typed_at_a_terminal(
        command(file, "amend", "8", "--text", "two", "--why", "so"), [("Save this? [y/N]", "y")]
    )
    assert screen.count("amends #8 (note: one): so; text two") == 2
    with open_book(str(file)) as book:
        assert book.head() == 11


def test_on_a_terminal_an_override_is_shown_and_asked(file: Path) -> None:
    check = command(file, "edge", "check", "mara", "--skill", "1", "--target", "20", "--faces", "5,6")
    subprocess.run(check, check=True, capture_output=True)
    override = command(file, "override", "9", "she falls", "--bad", "--why", "so")
    screen = typed_at_a_terminal(override, [("Save this? [y/N]", "n")])
    assert "overrides #9 (mara check, significant failure): so" in screen
    assert "Nothing was written." in screen
    typed_at_a_terminal(override, [("Save this? [y/N]", "y")])
    shown = subprocess.run(command(file, "log"), check=True, capture_output=True, text=True).stdout
    assert "✗ she falls" in shown


def test_what_somebody_wrote_meanwhile_is_looked_at_again(file: Path) -> None:
    for words in (["adjust", "mara", "edge=-1", "--why", "x"], ["note", "one"]):
        subprocess.run(command(file, *words), check=True, capture_output=True)

    def meanwhile(*words: str) -> str:
        subprocess.run(command(file, *words), check=True, capture_output=True)
        return "y"

    amend = command(file, "amend", "8", "edge=-4", "--why", "so")
    screen = typed_at_a_terminal(
        amend, [("Save this? [y/N]", lambda: meanwhile("edge", "check", "mara", "--skill", "1", "--edge"))]
    )
    assert ": After you saw the preview, somebody wrote #10 to #12." in screen
    assert screen.endswith("exit 3")
    screen = typed_at_a_terminal(amend, [("Save this? [y/N]", lambda: meanwhile("note", "nothing to do with it"))])
    assert screen.endswith("exit 0")
    with open_book(str(file)) as book:
        assert book.balance("mara", "edge/edge") == -1


def test_an_adjustment_that_answered_what_falls_with_a_strike_is_told(evening: Type) -> None:
    evening("adjust mara maximum=+1 --why x")
    evening("adjust mara edge=+2 --why x")
    evening("void 24 --why x --yes")
    evening("decide 27 adjust --why 'to the limit'")
    told = evening("void 26 --why 'it was right' --dry-run").stdout
    assert "#28 (decision on #27) adjusted a score; that change still counts" in told


def test_a_question_says_what_a_ruling_would_look_at_now(evening: Type) -> None:
    evening("edge rest mara long")
    evening("amend 11 edge=-2 --why x --yes")
    evening("amend 16 --why x --amount 1 --yes")
    evening("amend 4 edge=3 --why x --yes")
    assert "used mara's edge" in evening("questions").stdout


def test_a_new_list_of_players_says_who_is_no_longer_present(evening: Type) -> None:
    evening("player Eva")
    told = evening("amend 8 --present Eva --why late --yes").stdout
    assert "late; present Eva, no longer present: Ana" in told
    assert "no longer" not in evening(f"amend {head(Path())} --present Eva,Ana --why all --yes").stdout


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("amend 10 --why x --yes", "Nothing would change in #10 (mara check, marginal success)."),
        ("amend 10 --skill 11 --why x --yes", "Nothing would change in #10 (mara check, marginal success)."),
        ("amend 4 maximum=4 --why x --yes", "Nothing would change in #4 (mara joins edge)."),
        ("amend 10 --why x --yes", "Hint: To list the flags of this entry: campaign amend 10 --help"),
        ("decide 24 amend --why x --yes", "Hint: To list the flags of this entry: campaign decide 24 amend --help"),
    ],
)
def test_an_amendment_without_a_change_is_refused_with_what_to_type(evening: Type, line: str, says: str) -> None:
    evening("dispute 10 --claim 'it was dark' --player Ana")
    refused = evening(line)
    assert (refused.exit_code, says in refused.stderr) == (3, True), refused.stderr


def test_what_was_amended_shows_names_with_values(evening: Type) -> None:
    evening("amend 11 edge=-2 --why x --yes")
    assert "amended amounts: edge −2" in evening("show 24").stdout
    evening("amend 22 --target 9 --why x --yes")
    assert "amended target: kept secret" in evening("show 27").stdout


def test_dice_of_what_followed_are_typed_at_its_first_entry_and_its_line_tells_all(evening: Type) -> None:
    evening("edge rest mara long")
    evening("adjust mara edge=-4 --why tired")
    evening("set mara weapon.pistol=2d6+4 --why x")
    shot = evening("edge attack mara pistol brak --skill 11 --faces 7,6,6,5").stdout
    assert shot.startswith("#28   mara attacks brak with pistol  then 3 more results")
    assert "--faces N,N" in evening("-v amend 28 --help").stdout
    told = evening("amend 28 --target 40 --why x --yes").stdout.splitlines()[0]
    assert (
        "then mara rolls the attack ✗ complete failure: 24 against 40 (7 + 6 + 11)   brak physical damage 11 → 0"
        in told
    )
    evening("undo")
    told = evening("amend 28 --faces 6,7,6,6 --why x --yes").stdout
    assert "dice 6 7 6 6: attacks brak with pistol  then 3 more results   brak physical damage 11 → 12" in told


def test_a_zero_that_was_typed_for_a_ten_is_kept_as_ten_and_known_again(evening: Type) -> None:
    for _ in range(2):
        assert "(10 + 7 + 11)" in evening("edge check mara --skill 11 --faces 0,7 --once zero").stdout
    for _ in range(2):
        assert "(7 + 10 + 11)" in evening("amend 10 --faces 7,0 --why x --yes --once again").stdout
    assert "No problems found." in evening("audit").stdout


def test_a_refusal_of_faces_names_what_asks_for_the_die_more(evening: Type) -> None:
    evening("edge grant mara disadvantage --why dark")
    refused = evening("edge check mara --skill 11 --faces 7,6").stderr
    assert "This roll needs 3d10, but you typed 2 dice (mara has disadvantage from #" in refused
    (granted,) = re.findall(r"has disadvantage from #(\d+) on the next check of any kind", refused)
    assert "mara gets disadvantage" in evening(f"show {granted}").stdout
    evening("amend 10 --faces 7,7 --why x --yes")
    assert f"from #{granted} on" in evening("edge check mara --skill 11 --faces 7,6").stderr
    assert evening(f"void {granted} --why x --yes").exit_code == 0
    assert evening("edge check mara --skill 11 --faces 7,6").exit_code == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("amend 10 --faces 7 6 --why x --yes", "extra word '6'. Put commas between the dice: --faces 7,6"),
        ("amend 10 --faces '7 6' --why x --yes", "'7 6' is not a whole number. Put commas between the dice: 7,6"),
        ("edge check mara --skill 4 --faces 7.6", "'7.6' is not a whole number. Put commas between the dice: 7,6"),
        ("undo 21", "You can undo from 1 to 20 commands at a time, not 21."),
        ("undo #10", "To cancel that entry, even if somebody else wrote it: campaign void 10 --why TEXT"),
        ("redo 10", "If #10 canceled other actions, bring them back with: campaign void 10 --why TEXT"),
        ("undo please", "'please' is not a whole number."),
        ("edge check mara --skill 4 --faces 7.x", "'7.x' is not a whole number.\n"),
    ],
)
def test_what_was_meant_by_a_word_too_many_is_said(evening: Type, words: str, meant: str) -> None:
    refused = evening(words)
    assert (refused.exit_code, meant in refused.stderr) == (2, True)


def test_where_nothing_moved_since_paper_and_book_agreed_that_is_said(evening: Type) -> None:
    evening("assert mara strength=6")
    told = evening("assert mara strength=7").stdout
    assert "strength has not changed since #24, when the paper sheet last matched the record." in told
    assert "mara · strength" not in told


def test_a_terminal_asks_whether_what_stands_in_the_place_of_a_struck_entry_is_meant(file: Path) -> None:
    for words in (["note", "one"], ["amend", "8", "--text", "two", "--why", "so", "--yes"]):
        subprocess.run(command(file, *words), check=True, capture_output=True)
    amend = command(file, "amend", "8", "--text", "three", "--why", "so", "--yes")
    asks = "#8 was canceled and replaced by #11. Do you mean #11?"
    screen = typed_at_a_terminal(amend, [(asks, "n")])
    assert "#8 was canceled by #9." in screen
    assert "amends #11 (note: two): so; text three" in typed_at_a_terminal(amend, [(asks, "y")])
    asks = asks.replace("#11", "#14")
    screen = typed_at_a_terminal(command(file, "void", "8", "--why", "x"), [(asks, "y"), ("Save this? [y/N]", "y")])
    assert screen.endswith("exit 0")
    assert screen.count(asks) == 1
    refused = subprocess.run(command(file, "void", "8", "--why", "x", "--yes"), check=False, capture_output=True)
    assert (refused.returncode, asks in refused.stderr.decode()) == (3, False)


def test_dice_of_a_later_move_of_the_action_are_amended_at_its_first_entry_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "player Ana --plays mara", "join mara syscards efficiency=40"):
        type_in(line)
    type_in("syscards rate mara 60 --why fog --throw --faces 12")
    for words in ("amend 5 --faces 72", "amend 5 --faces 72 --rate 50", "amend 9 --faces 72"):
        assert "success" in type_in(f"{words} --why misread --yes").output
        type_in("undo")
    type_in("dispute 5 --claim hm --player Ana")
    assert "success" in type_in(f"decide {head_of(tmp_path)} amend --faces 72 --why x --yes").output
    assert type_in("amend 4 --faces 7 --why x --yes").exit_code == 2


def test_the_verdict_of_a_throw_is_overridden_by_the_number_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40"):
        type_in(line)
    type_in("syscards rate mara 60 --why fog --throw --faces 12")
    refused = type_in("override 4 success --good --why rope --yes")
    assert refused.exit_code == 3
    assert "#4 has no dice of its own. The dice are in #8." in refused.output
    assert "Hint: To override #8: campaign override 8 VERDICT --why TEXT" in refused.output
    assert "✓ success" in type_in("override 8 success --good --why rope --yes").output
    type_in("syscards act mara 1 --why easy")
    assert type_in("override 11 failure --bad --why 'not so easy' --yes").exit_code == 0


def test_a_flag_that_says_no_is_taken_back_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ("init Ford --gm Tom", "join mara syscards efficiency=40", "join brak syscards efficiency=40"):
        type_in(line)
    type_in("syscards card mara --forces brak=70")
    type_in("syscards challenge mara --against brak --no-info --wait")
    amended = type_in("amend 7 --info --why 'it counts' --yes").output
    assert "brak needs 70 because of the info of mara" in amended
    assert "--no-info / --info" in type_in("amend 7 --help").output


def head_of(folder: Path) -> int:
    with open_book(str(folder / "ford.campaign")) as book:
        return book.head()


def test_an_amendment_may_mean_a_new_name_too(evening: Type) -> None:
    evening('adjust mara skill.deception=+1 --why "a lesson"')
    slip = evening("amend 24 skill.decepton=+1 --why x --yes")
    assert "looks like a typo" in slip.stderr
    assert "skill.decepton" in evening("amend 24 skill.decepton=+1 --new --why x --yes").stdout
    evening("dispute 27 --claim x")
    meant = "decide 28 amend skill.deceptiom=+1 --why x --yes"
    assert "looks like a typo" in evening(meant).stderr
    assert "skill.deceptiom" in evening(f"{meant} --new").stdout


def test_a_paper_with_a_slip_is_refused_before_it_becomes_a_question(evening: Type) -> None:
    slip = evening("assert mara skill.decepton=4")
    assert "mara has skill.deception, so decepton looks like a typo" in slip.stderr
    assert "4 on paper, 0 in the record" in evening("assert mara skill.decepton=4 --new").stdout


def test_an_undo_takes_back_ones_own_last_action_and_not_what_others_wrote(evening: Type) -> None:
    evening("--by Ana note mine")
    evening("note the-gms")
    assert "undoes #24 (note: mine)" in evening("--by Ana undo --yes").stdout
    assert "undoes #25 (note: the-gms)" in evening("undo --yes").stdout


def test_without_a_terminal_an_undo_over_what_others_wrote_is_refused_and_names_that(
    evening: Type, folder: Path
) -> None:
    evening("--by Ana note mine")
    evening("note the-gms")
    refused = evening("--by Ana undo")
    assert (refused.exit_code, head(folder)) == (3, 25)
    assert "Since then, Tom wrote: #25   note: the-gms" in refused.stderr
    assert "add --yes" in refused.stderr


def test_at_a_terminal_an_undo_over_what_others_wrote_asks(file: Path, evening: Type) -> None:
    evening("--by Ana note mine")
    evening("note the-gms")
    for answer, undone in (("n", False), ("y", True)):
        screen = typed_at_a_terminal(command(file, "--by", "Ana", "undo"), [("Save this?", answer)])
        assert "Since then, Tom wrote" in screen
        assert ("(undone by #26)" in evening("log").stdout) is undone


def test_an_undo_of_several_commands_names_the_session_that_it_would_open_again_and_asks(
    evening: Type, file: Path, folder: Path
) -> None:
    evening("session close")
    evening("session open Later")
    evening("note x")
    before = head(folder)
    refused = evening("undo 3")
    assert (refused.exit_code, head(folder)) == (3, before)
    assert "(session 2 opened: Later)." in refused.stderr
    assert "(session 1 closed)." in refused.stderr
    assert "This would cancel the opening or the closing of a session. Nothing was undone." in refused.stderr
    screen = typed_at_a_terminal(command(file, "undo", "3"), [("Save this?", "n")])
    assert "The 3 commands include #" in screen
    assert head(folder) == before
    assert evening("undo").exit_code == 0
    assert "session closed" not in evening("undo 2 --yes").stderr
    assert "(undone by #" in evening("log").stdout


def test_one_undo_opens_a_session_again_without_a_question(evening: Type) -> None:
    evening("session close")
    assert "(session 1 closed)" in evening("undo").stdout


def test_an_undo_that_would_reveal_a_secret_asks_like_any_undo(type_in: Type, folder: Path) -> None:
    type_in("--by Ana adjust mara edge=+0 --why x")
    type_in("--by Ana adjust mara edge=-4 --why x")
    type_in("--by Ana adjust mara edge=+1 --why x")
    type_in("edge check mara --skill 11 --target 20 --secret --edge --drop 3 --faces 7,3,7")
    at = head(folder)
    refused = type_in("--by Ana undo")
    assert (refused.exit_code, head(folder)) == (3, at), refused.output
    assert "Since then, Tom wrote" in refused.stderr
    assert "add --yes" in refused.stderr
    assert type_in("--by Ana undo --yes").exit_code == 0


def test_whoever_wrote_nothing_has_nothing_to_undo(evening: Type) -> None:
    evening("player Ben")
    refused = evening("--by Ben undo")
    assert (refused.exit_code, refused.stderr) == (3, "Error: Ben has nothing left to undo.\n")


def test_each_redo_brings_back_one_of_several_undone_commands_and_the_help_says_so(type_in: Type, folder: Path) -> None:
    for text in ("one", "two", "three"):
        type_in(f"note {text}")
    type_in("undo 3")
    redone = [type_in("redo").stdout.partition("note: ")[2] for _ in range(3)]
    assert redone == ["one)\n", "two)\n", "three)\n"]
    assert type_in("redo").exit_code == 3
    assert "To bring back all three, repeat redo." in " ".join(type_in("redo --help").stdout.split())


def test_a_redo_brings_back_the_last_undone_action_even_if_somebody_else_undid_it(evening: Type) -> None:
    evening("note the-gms")
    evening("undo")
    evening("--by Ana note mine")
    evening("--by Ana undo")
    assert "redoes #26 (note: mine)" in evening("redo").stdout


def test_several_undos_are_all_or_none_and_each_is_named(evening: Type, folder: Path) -> None:
    for text in "abc":
        evening(f"note {text}")
    lines = evening("undo 2 --once x").stdout.splitlines()
    assert lines == ["#27   undoes #26 (note: c)", "#28   undoes #25 (note: b)"]
    assert evening("undo 2 --once x").stdout.splitlines() == lines
    assert head(folder) == 28
    assert evening("undo 20").exit_code == 3
    assert head(folder) == 28


def test_an_undo_asks_about_the_later_rulings_of_others_that_used_what_it_takes_back(
    evening: Type, folder: Path
) -> None:
    evening("--by Ana adjust mara skill.climb=+2 attribute.strength=+1 attribute.agility=+1 --why practice")
    evening("edge check mara climb --attributes strength,agility --target 14 --faces 5,7")
    undone = evening("--by Ana undo --yes")
    assert "?" in undone.stdout
    assert "climb" in undone.stdout
    assert evening("audit").exit_code == 0
    evening("redo")
    assert "waits" not in evening("questions").stdout
    assert evening("audit").exit_code == 0


def edge_of_mara(folder: Path) -> int | None:
    with open_book(str(folder / "road.campaign")) as book:
        return book.balance("mara", "edge/edge")


def test_a_score_is_set_to_a_value_or_moved_by_an_amount(evening: Type, folder: Path) -> None:
    for change, edge in (("edge=4", 4), ("edge=-1", 3), ("edge=+1", 4), ("edge:=2", 2), ("edge=2", 2)):
        assert evening(f"adjust mara {change} --why x").exit_code == 0
        assert edge_of_mara(folder) == edge
    assert evening("audit").exit_code == 0


def test_a_score_that_is_set_is_the_same_under_the_same_id_whatever_it_was(evening: Type, folder: Path) -> None:
    evening("adjust mara edge=4 --why x --once s")
    evening("adjust mara edge=-1 --why x")
    assert "already written" in evening("adjust mara edge=4 --why x --once s").stderr
    assert evening("adjust mara edge=2 --why x --once s").exit_code == 3
    assert edge_of_mara(folder) == 3


def test_an_amendment_of_what_was_set_may_move_it_and_set_it(evening: Type, folder: Path) -> None:
    evening("adjust mara edge=1 --why x")
    before = edge_of_mara(folder)
    evening("amend 24 edge=+1 --why x --yes")
    assert (before, edge_of_mara(folder)) == (1, 4)
    amended = evening("amend 27 edge=2 --why x --yes")
    assert amended.exit_code == 0, amended.output
    assert edge_of_mara(folder) == 2
    assert evening("audit").exit_code == 0


def test_a_correction_of_what_was_before_keeps_what_was_set(evening: Type, folder: Path) -> None:
    evening("adjust mara edge=4 --why x")
    evening("void 11 --why x --yes")
    assert edge_of_mara(folder) == 4


def test_a_decision_finds_the_only_open_question_about_an_entry(folder: Path, type_in: Type) -> None:
    for words in ("note one", "dispute 8 --claim wrong"):
        assert type_in(words).exit_code == 0, words
    assert "question #9 about #8 (note: one) is answered" in type_in("decide 8 keep --why right").stdout
    assert "Entry 7 has no question." in type_in("decide 7 keep --why right").stderr


@pytest.mark.parametrize("line", ["decide 9 void --why so --yes", "decide 8 keep --why so"])
def test_a_question_that_was_answered_names_the_answer_and_how_to_change_it(
    line: str, folder: Path, type_in: Type
) -> None:
    for words in ("note one", "dispute 8 --claim wrong", "decide 9 keep --why right"):
        assert type_in(words).exit_code == 0, words
    refused = type_in(line)
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: Question #9 was already answered by #10.\n"
        "Hint: To answer it again, cancel that answer first: campaign void 10 --why TEXT\n",
    )
    assert "question #9 is open again" in type_in("void 10 --why x --yes").stdout
    assert type_in("decide 9 void --why so --yes").exit_code == 0


def test_a_decision_names_the_open_questions_about_an_entry_if_there_are_several(folder: Path, type_in: Type) -> None:
    for words in ("note one", "dispute 8 --claim wrong", "dispute 8 --claim untrue"):
        type_in(words)
    assert "#8 has several open questions: #9, #10." in type_in("decide 8 keep --why right").stderr


def test_the_number_of_days_and_the_secrecy_of_a_note_say_what_to_do_instead(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in ("init days --gm Tom", "day next --count 3", "note the guide lies"):
        assert type_in(words).exit_code == 0
    days, note = type_in("amend 3 --count 2 --why x"), type_in("amend 6 --secret --why x")
    assert "First void these days, and then start the right number of days. To void them:" in days.stderr
    assert "campaign void 3 --why TEXT" in days.stderr
    assert (
        "Everybody may have read this note, so it cannot become secret. Erase it before you write a secret note: campaign erase 6"
        in note.stderr
    )


@pytest.mark.parametrize("words", ["amend 10", "decide amend"])
@pytest.mark.parametrize(
    ("bonus", "seen"),
    [
        ("--bonus 2 --its-why mist", "bonus 2, why mist"),
        ("+2 thick mist", "bonus 2, why thick mist"),
        ("-2", "bonus −2, why -2"),
    ],
)
def test_the_bonus_of_an_amended_check_takes_its_own_reason_and_never_that_of_the_amendment(
    evening: Type, words: str, bonus: str, seen: str
) -> None:
    evening("dispute 10 --claim no")
    assert f"; {seen}" in evening(f"{words} {bonus} --why 'the storm' --yes").stdout


def test_another_bonus_keeps_the_reason_that_it_has(evening: Type) -> None:
    evening("edge check mara --skill 11 +2 rain --faces 7,6")
    amended = evening("amend last -3 --why misheard --yes").stdout
    assert re.search("amends #[0-9]+ .*: misheard; bonus −3 ✓", amended)
    assert "why: rain" in evening("show last").stdout


def test_a_bonus_without_a_reason_names_the_flag_for_it(evening: Type) -> None:
    refused = evening("amend 10 --bonus 2 --why 'the storm' --yes").stderr
    assert refused.startswith("Error: A bonus needs a reason: add --its-why TEXT.\n")


def test_an_error_about_an_input_of_an_amended_entry_names_the_flag_of_the_amendment(evening: Type) -> None:
    refused = evening("amend 10 --not-related --why rain --yes").stderr
    assert refused.startswith("Error: --not-related needs a reason: add --its-why TEXT.\n")
