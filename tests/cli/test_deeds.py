"""What was attempted: typed with `--for` or after a semicolon, and shown wherever the roll is."""

import json
import re
from pathlib import Path

import pytest

from laid import laid_out
from ledger.events.commitments import ERASED
from terminal import Type, head

SHEETS = (
    "adjust mara skill.stealth=+3 attribute.agility=+2 attribute.wits=+1",
    "set mara on.stealth=agility,wits",
    "join mara rollunder characteristic.cunning=9 skill.riding=3",
    "set mara on.riding=cunning",
    "join mara multicheck attribute.body=40 attribute.luck=30",
    "join mara byzantine general=20 ability.guile=3",
    "byzantine task wall --costs 5",
    "join mara syscards efficiency=40 core-points=20",
)
CLIMBS = "climbs the wall"
CHECK = f"edge check mara --skill 11 --for '{CLIMBS}' --faces 7,6"
SEEN = f"mara check ✓ marginal success: 24 against 20 (7 + 6 + 11): {CLIMBS}"


@pytest.fixture
def table(folder: Path) -> Path:
    laid_out(folder, *SHEETS)
    return folder


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (CHECK, SEEN),
        (f"multicheck test mara body --for '{CLIMBS}' --faces 56", f"net successes 0: {CLIMBS}   [56]"),
        (f"rollunder skill mara riding --for '{CLIMBS}' --faces 9", f"rolled 9 against 12: {CLIMBS}"),
        (f"byzantine attempt mara wall --energy 6 --for '{CLIMBS}'", f"6 against 5 (6 + 0): {CLIMBS}"),
        (f"syscards rate mara 50 --throw --faces 60 --for '{CLIMBS}'", f": {CLIMBS}"),
        (f"roll mara d20 --for '{CLIMBS}' --faces 9", f"mara rolls d20 = 9: {CLIMBS}   [9]"),
        (f"roll mara d20 --why '{CLIMBS}' --faces 9", f"mara rolls d20 = 9: {CLIMBS}   [9]"),
        (f"turns roll mara d20 --for '{CLIMBS}' --faces 9", f"mara rolls d20 = 9 for initiative: {CLIMBS}   [9]"),
    ],
)
def test_every_roll_and_act_of_every_game_says_what_was_attempted(
    table: Path, type_in: Type, line: str, seen: str
) -> None:
    done = type_in(line)
    assert (done.exit_code, done.stderr) == (0, done.stderr)
    assert seen in done.stdout
    assert seen in type_in("log -n 1").stdout
    assert type_in("audit").exit_code in {0, 7}
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("edge check mara --skill 11 --why x --faces 7,6", "To say what mara attempts, use --for TEXT."),
        ("multicheck test mara body --why x --faces 56", "To say what mara attempts, use --for TEXT."),
        ("rollunder plain mara cunning --why x --faces 9", "Did you mean '--for'?"),
        ("byzantine attempt mara wall --energy 6 --why x", "Did you mean '--for'?"),
    ],
)
def test_a_reason_for_nothing_unusual_is_pointed_to_the_deed(table: Path, type_in: Type, line: str, says: str) -> None:
    refused = type_in(line)
    assert (refused.exit_code, says in refused.stderr) == (2, True), refused.stderr


@pytest.mark.usefixtures("folder")
def test_log_show_chronicle_recap_why_and_disputes_name_the_deed(type_in: Type) -> None:
    type_in("session open 'The gate'")
    type_in(f"edge check mara --skill 3 --edge --drop 3 --target 30 --for '{CLIMBS}' --faces 7,3,7")
    ruling = head(Path()) - 2
    type_in(f"dispute {ruling} --claim 'it was wet' --player Ana")
    line = "mara check ✗ marginal failure: 27 against 30 (7 + 7 + 3), double +5: climbs the wall"
    for view in ("log", f"show {ruling}", "why mara edge"):
        assert CLIMBS in type_in(view).stdout, view
    for view in ("recap", "chronicle", "replay --session 1"):
        assert "Mara tried to climb the wall, but failed completely." in type_in(view).stdout, view
    assert re.search(
        rf"disputes #{ruling} \(mara check, [a-z ]+: {CLIMBS}\): it was wet", type_in("log -n 1").stdout
    ), line
    assert json.loads(type_in("why mara edge --json").stdout)["counts"][-1]["deed"] == CLIMBS
    assert CLIMBS in type_in("questions").stdout


@pytest.mark.usefixtures("folder")
def test_a_move_of_the_gm_says_what_happens(type_in: Type) -> None:
    assert "--for TEXT What happens, in words." in re.sub(" +", " ", type_in("edge injure --help").stdout)
    assert "mara is hurt: minor injury (fell)" in type_in("edge injure mara minor --for fell").stdout
    assert "--for TEXT What happens, in words." in re.sub(" +", " ", type_in(f"amend {head(Path()) - 1} --help").stdout)


@pytest.mark.usefixtures("folder")
def test_a_choice_after_the_roll_keeps_what_was_attempted(type_in: Type) -> None:
    asked = type_in(f"edge check mara --skill 11 --edge --for '{CLIMBS}' --faces 7,3,7")
    assert f"mara check: {CLIMBS}  ? choice needed" in asked.stdout
    assert f": {CLIMBS} " in type_in("questions").stdout
    assert f"double +5: {CLIMBS}" in type_in("choose --drop 3").stdout


@pytest.mark.usefixtures("folder")
def test_an_action_of_several_moves_carries_the_deed_once(type_in: Type) -> None:
    type_in("set mara weapon.pistol=2d6+4")
    shot = type_in(f"edge attack mara pistol brak 5 --skill 11 --for '{CLIMBS}' --json").stdout.splitlines()
    deeds = [entry["deed"] for entry in map(json.loads, shot) if entry["type"] == "move-played"]
    assert deeds == [CLIMBS, None, None]


@pytest.mark.usefixtures("folder")
def test_an_overruled_roll_says_what_was_attempted_after_the_new_verdict(type_in: Type) -> None:
    type_in(CHECK)
    ruling = head(Path())
    type_in(f"override {ruling} 'she slips' --bad --why rain --yes")
    assert (
        "Mara tried to climb the wall. Because of rain, the GM ruled it a failure: she slipped."
        in type_in("chronicle").stdout
    )


@pytest.mark.usefixtures("folder")
def test_an_amendment_changes_or_removes_what_was_attempted(type_in: Type) -> None:
    type_in(CHECK)
    ruling = head(Path())
    amended = type_in(f"amend {ruling} --for 'climbs the fence' --why misheard --yes").stdout
    assert (
        f"amends #{ruling} (mara check, marginal success: {CLIMBS}): misheard; attempt: climbs the fence ✓" in amended
    )
    assert "amended attempt: climbs the fence" in type_in(f"show {head(Path())}").stdout
    assert "overruled" not in type_in("audit").stdout
    assert "climb the fence" in type_in("chronicle").stdout
    assert "climb the wall" not in type_in("chronicle").stdout
    type_in(f"amend {head(Path())} --without for --why unsaid --yes")
    assert "climb" not in type_in("chronicle").stdout
    type_in("roll mara d20 --for x --faces 9")
    assert "; attempt: y" in type_in(f"amend {head(Path())} --for y --why z --yes").stdout
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.usefixtures("folder")
def test_a_correction_of_the_rest_keeps_what_was_attempted(type_in: Type) -> None:
    type_in(CHECK)
    type_in(f"amend {head(Path())} --skill 12 --why misread --yes")
    assert "Mara tried to climb the wall and clearly succeeded." in type_in("chronicle").stdout
    type_in("undo --yes")
    assert "Mara tried to climb the wall and narrowly succeeded." in type_in("chronicle").stdout


@pytest.mark.usefixtures("folder")
def test_an_erasure_reaches_what_was_attempted(type_in: Type) -> None:
    type_in(CHECK)
    type_in(f"amend {head(Path())} --skill 12 --why misread --yes")
    assert type_in(f"erase {head(Path())} --yes").exit_code == 0
    assert "climb" not in type_in("log --json").stdout + type_in("show").stdout + type_in("chronicle").stdout
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.usefixtures("folder")
def test_the_same_command_with_other_words_is_another_command(type_in: Type) -> None:
    type_in(f"{CHECK} --once a")
    assert "already written" in type_in(f"{CHECK} --once a").stderr
    refused = type_in("edge check mara --skill 11 --for x --faces 7,6 --once a")
    assert (refused.exit_code, "a different value for what the character attempts" in refused.stderr) == (3, True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", ["edge check mara --skill 11 --faces 7,6", "roll mara d20 --faces 7"])
def test_an_empty_deed_is_refused_before_the_roll(type_in: Type, line: str) -> None:
    refused = type_in([*line.split(), "--for", " "])
    assert (refused.exit_code, refused.stderr.strip()) == (2, "Error: --for cannot be empty.")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "line", ["edge check mara --skill 11 --fo x", "edge rest mara short --fo", "note x --fork --fo"]
)
def test_fork_and_for_are_typed_in_full(type_in: Type, line: str) -> None:
    refused = type_in(line)
    assert (refused.exit_code, "--fork in full." in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    "line",
    [
        "adjust mara edge=-1",
        "set mara care=no",
        "edge injure mara serious",
        "edge degrade brak --threshold 1",
        "edge award brak --amount 1",
        "edge grant mara advantage",
        "multicheck afflict mara blind --charges 2",
        "byzantine harm mara 1",
        "syscards rate mara 40",
    ],
)
def test_what_is_no_correction_and_no_exception_needs_no_reason(table: Path, type_in: Type, line: str) -> None:
    done = type_in(line)
    assert (done.exit_code, done.stderr) == (0, done.stderr), done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("give mara brak edge=1 --for bribes", "No such option '--for'. Did you mean '--why'?\n"),
        ("session close --for x", "No such option '--for'.\n"),
    ],
)
def test_a_command_without_a_deed_does_not_offer_a_fork(type_in: Type, line: str, says: str) -> None:
    refused = type_in(line)
    assert (refused.exit_code, refused.stderr.endswith(f"Error: {says}")) == (2, True), refused.stderr


def at_prompt(type_in: Type, *lines: str) -> str:
    return type_in("play", input="\n".join(lines)).output


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        (("with mara edge", f"c ste = 7 6; {CLIMBS}"), f"(7 + 6 + 6): {CLIMBS}"),
        (("with mara edge", f"c ste 25 -2 heavy rain = 7 6; {CLIMBS}"), f"17 against 25 (7 + 6 + 4): {CLIMBS}"),
        (("with mara edge", f"rest short ; {CLIMBS}"), f"mara takes a short rest: {CLIMBS}"),
        (("with mara", f"d20 = 9; {CLIMBS}"), f"mara rolls d20 = 9: {CLIMBS}"),
        (("with mara", f"turns roll d20 = 9; {CLIMBS}"), f"for initiative: {CLIMBS}"),
        (("with mara", f"-1 edge; {CLIMBS}"), f"mara adjusted by hand: {CLIMBS}"),
        (("with mara edge", "c ste +1 rain = 76", "show"), "why: rain"),
        (("with mara edge", "c ste +1 rain −2 thick fog = 76", "show"), "why: +1 rain, −2 thick fog"),
        (("with mara edge", "c ste +1 rain −2 thick fog = 76"), "(7 + 6 + 5)"),
        (("with mara edge", "c ste +1 rain 30 = 76"), "20 against 30"),
        (("with mara edge", "c ste +1 rain @mara = 76"), "20 against 20"),
        (("with mara edge", "c ste +1 --why rain = 76", "show"), "why: rain"),
        (("with mara multicheck", "c body -10 the dark = 56", "-v show"), "the dark"),
        (("with mara rollunder", "c rid -2 Heavy rain +1 rope = 9", "-v show"), "heavy-rain −2 + rope 1 = −1"),
        (("with mara edge", "c ste +1 = 76"), "20 against 20 (7 + 6 + 7)"),
        (("with mara rollunder", "c rid -2 = 9"), "rolled 9 against 10"),
        (("with mara edge", "rest short +1 rain"), "rest does not take a bonus or a penalty such as +1."),
        (("with mara edge", "inj serious ; she fell"), "mara is hurt: serious injury (she fell)"),
    ],
)
def test_the_prompt_takes_the_deed_after_a_semicolon_and_a_bonus_with_its_words(
    table: Path, type_in: Type, lines: tuple[str, ...], seen: str
) -> None:
    assert seen in at_prompt(type_in, *lines)


def test_where_a_reason_is_required_the_words_after_the_semicolon_are_the_reason(table: Path, type_in: Type) -> None:
    type_in(CHECK)
    assert "): misheard; skill 12" in at_prompt(type_in, f"amend {head(table)} --skill 12 --yes ; misheard")
    assert "takes no reason" in at_prompt(type_in, "export ; away")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", [CHECK, f"roll mara d20 --for '{CLIMBS}'"])
def test_a_sealed_roll_keeps_the_deed_in_its_secret(type_in: Type, line: str) -> None:
    done = type_in(f"{line} --seal")
    assert CLIMBS not in done.stdout + type_in("log --json").stdout + type_in("show").stdout
    assert CLIMBS in type_in("show --secrets").stdout
    assert CLIMBS in type_in(f"reveal {head(Path())}").stdout
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.usefixtures("folder")
def test_a_move_with_a_secret_number_keeps_the_deed_as_a_secret(type_in: Type) -> None:
    hidden = type_in(f"edge check mara --skill 11 --target 25 --secret --for '{CLIMBS}' --faces 7,6")
    ruling = head(Path())
    seen = [type_in(view).stdout for view in ("log --json", "log -n 5", f"show {ruling}", "chronicle", "recap")]
    assert CLIMBS not in hidden.stdout + "".join(seen)
    assert CLIMBS in type_in(f"show {ruling} --secrets").stdout
    type_in(f"amend {ruling} --for 'runs away' --why misheard --yes")
    assert "run" not in type_in("log --json").stdout + type_in("chronicle").stdout
    type_in(f"reveal {head(Path())}")
    assert "run away" in type_in("chronicle").stdout
    assert "No problems found." in type_in("audit").stdout


@pytest.mark.usefixtures("folder")
def test_a_players_export_never_contains_a_secret_deed(type_in: Type, tmp_path: Path) -> None:
    type_in(f"{CHECK} --seal")
    type_in(f"roll mara d20 --for '{CLIMBS}' --seal")
    type_in(f"edge check mara --skill 11 --target 25 --secret --for '{CLIMBS}' --faces 7,6")
    assert type_in("export out --for players").exit_code == 0
    files = [file for file in Path("out").rglob("*") if file.is_file()]
    assert files
    assert not any(CLIMBS.encode() in file.read_bytes() for file in files)
    assert ERASED.encode() not in Path("out/journal.jsonl").read_bytes()


CONTEST = (
    "join brak byzantine general=20",
    "byzantine contest duel --acting mara --against brak",
    f"byzantine commit mara duel 2 --for '{CLIMBS}'",
    "byzantine commit brak duel 1",
)


def test_the_end_of_a_contest_shows_what_was_attempted_in_secret(table: Path, type_in: Type) -> None:
    for line in CONTEST:
        assert type_in(line).exit_code == 0
    assert CLIMBS not in type_in("log").stdout
    type_in("byzantine resolve duel")
    assert f"mara commits to duel: the amount is secret; waiting for brak ({CLIMBS})" in type_in("log").stdout
    assert "the duel to climb the wall" in type_in("chronicle").stdout
    type_in("export copy --for players")
    assert CLIMBS in Path("copy/words.jsonl").read_text()
    type_in("amend last --for 'the end' --why x --yes")
    assert f"({CLIMBS})" in type_in("log").stdout
    type_in("undo --yes")
    type_in("undo --yes")
    assert CLIMBS not in type_in("log").stdout


def test_a_contest_that_is_called_off_keeps_what_was_attempted_secret(table: Path, type_in: Type) -> None:
    for line in (*CONTEST, "byzantine contest duel --off"):
        assert type_in(line).exit_code == 0
    assert CLIMBS not in type_in("log").stdout


def test_the_end_of_a_contest_shows_an_amended_commitment_and_keeps_the_canceled_one_secret(
    table: Path, type_in: Type
) -> None:
    for line in CONTEST[:-1]:
        assert type_in(line).exit_code == 0
    type_in("amend last --for 'jumps over it' --energy 3 --why typo --yes")
    for line in (CONTEST[-1], "byzantine resolve duel", "export copy --for players"):
        assert type_in(line).exit_code == 0
    words = Path("copy/words.jsonl").read_text()
    assert (CLIMBS in words, "jumps over it" in words) == (False, True)


def test_the_answer_says_where_the_words_of_a_secret_roll_are(table: Path, type_in: Type) -> None:
    said = type_in(f"edge check mara --skill 11 --secret --for '{CLIMBS}' --faces 7,6").stderr
    shown = re.search(r"Players cannot see what mara attempts\. To read it: campaign show ([0-9]+) --secrets\n", said)
    assert shown is not None
    assert f": {CLIMBS}" in type_in(f"show {shown[1]} --secrets").stdout


@pytest.mark.usefixtures("folder")
def test_a_recap_of_a_session_without_entries_names_the_session(type_in: Type) -> None:
    type_in("session open One")
    assert type_in("recap").stderr == "Error: Nothing has happened in session 1 yet.\n"
    type_in("session close")
    assert type_in("recap").stderr == "Error: Nothing happened in session 1.\n"


def test_show_says_that_a_player_copy_lacks_the_secrets(folder: Path, type_in: Type) -> None:
    type_in("note 'the miller lies' --secret")
    assert "lacks" not in type_in("show --secrets").stderr
    type_in("export copy --for players")
    (folder / "theirs").mkdir()
    mine = folder / "theirs" / "copy.campaign"
    assert type_in(f"-f {mine} import copy --yes").exit_code == 0
    says = "This copy of the campaign lacks the secrets of #8.\n"
    assert type_in(f"-f {mine} show 8 --secrets").stderr == says
    assert type_in(f"-f {mine} show 8").stderr == ""
    assert type_in(f"-f {mine} show 7 --secrets").stderr == ""


def test_show_names_the_private_rolls_of_an_evening_that_a_player_copy_lacks(folder: Path, type_in: Type) -> None:
    rows = "2025-03-07 20:00Z,4,\n2025-03-07 20:01Z,5,gm\n2025-03-07 20:02Z,6,gm\n"
    (folder / "rolls.csv").write_text(f"when,total,seen\n{rows}", encoding="utf-8")
    type_in("import rolls.csv --yes")
    type_in("export copy --for players")
    (folder / "theirs").mkdir()
    mine = folder / "theirs" / "copy.campaign"
    assert type_in(f"-f {mine} import copy --yes").exit_code == 0
    lacks = "This copy of the campaign lacks the secrets of"
    assert type_in(f"-f {mine} show 9 --secrets").stderr == f"{lacks} #10 and 1 more.\n"
    assert type_in(f"-f {mine} show 10 --secrets").stderr == f"{lacks} #10.\n"
