"""The command line: what a GM types, and what is answered, also to what makes no sense."""

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from cli.main import EXIT_CODES, campaign
from cli.render import lines
from cli.render.terminal import done_even_if_unprinted
from cli.sections import SECTIONS
from engine import create_journal
from laid import laid_out
from ledger import errors, systems
from ledger.errors import AmbiguousName, Broken, LedgerError, NotShown, PipeClosed
from ledger.journal.book import Book
from ledger.systems.edge.moves import Rest
from terminal import PROGRAM, Type, completed, head

SENSELESS: list[tuple[str, int, str]] = [
    ("sheets ghost", 3, "Nobody called 'ghost' plays in this campaign."),
    ("edge check ghost --skill 1", 3, "The cast is: brak, mara."),
    ("edge check mara --skill 11 --faces 2,16", 3, "This roll needs 2d10, but a d10 cannot show 16."),
    ("edge check mara --skill 11 --faces 7", 3, "This roll needs 2d10, but you typed 1 die."),
    ("edge check mara --skill 11 --faces 7,x", 2, "'--faces'"),
    ("edge check mara --skill 11 --faces 7,٣", 2, "'--faces'"),
    ("edge rest mara short --faces 7", 2, "This move does not roll dice."),
    ("edge damage mara --weapon 0 --modifier 1 --faces 1", 3, "does not roll dice"),
    ("edge check mara", 2, "--skill N"),
    ("edge check mara --skill eleven", 2, "'--skill'"),
    ("edge check mara --skill 1_1", 2, "'--skill'"),
    ("edge check mara --skill 9007199254740992", 2, "'--skill'"),
    ("edge check mara --skill 99999999999999999999", 2, "'--skill'"),
    ("edge check mara --skill 1 --target -1", 2, "'--target'"),
    ("edge check mara --skill 1 --skill 2", 2, "given twice"),
    ("edge check mara --skill 1 --once a --once b", 2, "given twice"),
    ("edge check mara --skill 1 --edge --drop 3", 3, "add your dice with --faces"),
    ("edge check mara --skill 1 --once ''", 2, "--once"),
    ("edge check", 2, "WHO"),
    ("edge rest mara nap", 2, "nap"),
    ("edge rest mara", 2, "one of short, long"),
    ("edge damage mara --modifier 1", 2, "Name a weapon"),
    ("edge degrade brak --threshold 16 --why x", 3, "The armor has a threshold of 15 and cannot lose 16."),
    ("multicheck afflict mara blind --charges 1001 --why x", 2, "1001 is not between 1 and 1000."),
    ("edge injure mara grave! --why x", 2, "not a valid name"),
    ("edge fly mara", 2, "fly"),
    ("fly", 2, "No such command"),
    ("session -- -x", 2, "No such command '-x'."),
    ("turns -- --at 10", 2, "No such command '--at'."),
    ("shets mara", 2, "Did you mean sheets?"),
    ("ch mara", 2, "'ch' could be checkpoint, choose or chronicle."),
    ("voi 10 --why x", 2, "Type void in full."),
    ("edge chek mara", 2, "Did you mean check?"),
    ("player ''", 2, "cannot be empty"),
    (f"player {'x' * 10_000}", 2, "at most 80 characters"),
    ("player 'bell\a'", 2, "control characters"),
    ("player 'a\u202eb'", 2, "control characters"),
    ("player Bo --plays Ma_ra", 2, "cannot be the short name"),
    ("join zed chess", 3, "There is no game called 'chess'."),
    ("join zed edge mana=1", 3, "no score called 'mana'"),
    ("join zed edge maximum", 2, "is not a score like maximum=4"),
    ("join zed edge maximum=x", 2, "'x' is not a whole number"),
    ("join zed edge maximum=9007199254740992", 2, "too large"),
    ("join zed edge maximum=1 maximum=2", 2, "You named maximum twice"),
    ("join campaign edge", 2, "reserved"),
    ("join p7 edge", 2, "reserved"),
    ("adjust mara edge=+1 edge:=1 --why x", 2, "You named edge twice"),
    ("adjust mara edge=-9 --why x", 3, "mara has 4 edge and needs 9."),
    ("adjust mara mana=-9 --why x", 3, "no score called 'mana'"),
    ("syscards outright mara --against brak", 2, "'--why'"),
    ("adjust mara edge=-1 edge/edge=-1 --why x", 2, "You named edge/edge twice"),
    ("adjust mara --why x", 2, "SCORE"),
    ("adjust campaign session=+1 --why x", 3, "Nobody called 'campaign'"),
    ("set mara mood=yes --why x", 3, "no value called 'mood'"),
    ("set mara care=maybe --why x", 2, "not yes or no"),
    ("settings edge luck=1", 3, "no setting called 'luck'"),
    ("settings chess", 3, "no game called"),
    ("roll mara 3d", 2, "cannot be read"),
    ("roll mara 101d6", 2, "needs 1 to 100 dice"),
    ("roll mara 60d6+60d6", 2, "has 120 dice"),
    ("roll ghost 3d6", 3, "Nobody called 'ghost'"),
    ("session close", 3, "No session is open."),
    ("scene x", 3, "No session is open."),
    ("session open x --present Zed", 3, "sits at this table"),
    ("choose 1 --drop 3", 3, "Entry 1 has no question."),
    ("choose 99 --drop 3", 3, "There is no entry #99"),
    ("choose x", 3, "No choice is open."),
    ("show 99", 3, "There is no entry #99. The last one is #7."),
    ("show 3 --at 2", 3, "did not exist at that point"),
    ("sheets --at 99", 3, "never reached 99"),
    ("sheets --at session:1", 3, "never reached session:1"),
    ("sheets --at day:1", 3, "never reached day:1"),
    ("sheets --at 2020-01-01", 3, "2020-01-01 is before the start of this campaign (2026-11-20 19:30 UTC)."),
    ("sheets --at 2020-13-01", 2, "is not a date"),
    ("sheets --at yesterday", 2, "is not an entry, a session, a day or a date"),
    ("sheets --at 0001-01-01", 2, "is not a date"),
    ("log -n -1", 2, "not a valid number of lines"),
    ("--by '' note x", 3, "sits at this table"),
    ("-f '' sheets", 2, "needs a file name"),
    ("-f a -f b sheets", 2, "given twice"),
    ("player Bo --plays a,,b", 2, "A name in the list is empty. Check the commas."),
    ("player p7", 2, "cannot be a player's name"),
    ("player a,b", 2, "cannot be a player's name"),
    ("edge check mara --skill 1000000000001", 2, "'--skill'"),
    ("adjust mara strength=+1000000000000 --why x", 3, "above 1000000000000"),
    ("adjust mara edge=1.5 --why x", 2, "is not a whole number"),
    ("register mara mana", 3, "no score called"),
    ("log -n x", 2, "not a whole number"),
    ("--by Zed note x", 3, "sits at this table"),
    ("systems chess", 3, "no game called"),
    ("try edge.nope", 3, "no rule called"),
    ("try", 2, "Name a rule"),
    ("try edge.check dice=9,9 bonus=1 --given {}", 2, "not both"),
    ("try edge.check --cases x", 2, "cannot be combined"),
    ("try --cases nowhere.json", 2, "cannot be read"),
    ("try edge.check --given [", 2, "not JSON"),
    ("try edge.check --given []", 3, "its values by name, in JSON"),
    ("try edge.check dice=9,9", 3, "'bonus' is missing"),
    ("try edge.check dice=9,x bonus=1", 3, "must be a whole number"),
    ("try edge.check dice=9,9 bonus=99999999999999999999", 3, "must be a whole number"),
    ("try edge.check dice=9,9 bonus=1 luck=1", 3, "'luck'"),
    ("try edge.dice_mode advantage=maybe", 3, "true or false"),
    ("-f nowhere.campaign sheets", 5, "There is no campaign at nowhere.campaign."),
    ("-f . sheets", 5, "is a folder"),
    ("init Again", 3, "already a campaign here"),
    ("-f road.campaign init Again", 3, "already exists"),
    ("-f b.campaign init ''", 2, "cannot be empty"),
    ("-f nowhere/b.campaign init x", 4, "cannot be created"),
    ("completion tcsh", 2, "tcsh"),
]


@pytest.mark.parametrize(("words", "code", "says"), SENSELESS, ids=[words[:60] for words, _, _ in SENSELESS])
def test_senseless_input_gets_one_sentence_and_writes_nothing(
    folder: Path, type_in: Type, words: str, code: int, says: str
) -> None:
    before = (folder / "road.campaign").read_bytes()
    result = type_in(words)
    assert says in result.stderr, result.output
    assert result.exit_code == code
    assert result.stdout == ""
    assert len([line for line in result.stderr.splitlines() if line.startswith("Error: ")]) == 1
    assert "Traceback" not in result.output
    assert (folder / "road.campaign").read_bytes() == before
    assert not (folder / "b.campaign").exists()


def test_input_that_is_no_utf_8_is_refused(folder: Path) -> None:
    for words in (
        [b"note", b"caf\xe9"],
        [b"player", b"\xff"],
        [b"edge", b"check", b"mar\xe9", b"--skill", b"1"],
        [b"edge", b"check", b"mara", b"\xff"],
    ):
        done = subprocess.run([*PROGRAM, *words], capture_output=True, check=False, cwd=folder)
        assert done.returncode in {2, 3}, done.stderr
        assert done.stderr.startswith(b"Error: ")
        assert b"Traceback" not in done.stderr
    (folder / "cases.json").write_bytes(b'[{"rule": "edge.check\xff"}]')
    assert CliRunner().invoke(campaign, ["try", "--cases", "cases.json"]).exit_code == 2
    assert head(folder) == 7


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.write_bytes(b"no database" * 100),
        lambda file: file.write_bytes(b""),
        lambda file: sqlite3.connect(file, isolation_level=None).execute("PRAGMA user_version = 9").connection.close(),
        lambda file: (
            sqlite3.connect(file, isolation_level=None).execute("PRAGMA application_id = 9").connection.close()
        ),
    ],
    ids=["text", "nothing", "newer", "another program's"],
)
def test_a_file_that_this_program_cannot_read_is_exit_5(folder: Path, type_in: Type, spoil: Any) -> None:
    spoil(folder / "road.campaign")
    for words in ("sheets", "note x", "verify"):
        result = type_in(words)
        assert (result.exit_code, result.stdout) == (5, "")
        assert result.stderr.startswith("Error: ")


def test_several_campaigns_in_a_folder_are_a_question(folder: Path, type_in: Type) -> None:
    (folder / "b.campaign").write_bytes((folder / "road.campaign").read_bytes())
    result = type_in("sheets")
    assert result.exit_code == 5
    assert "b.campaign, road.campaign" in result.stderr
    assert type_in("-f b.campaign sheets").exit_code == 0


def test_the_campaign_is_found_from_the_folder_upwards(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = folder / "one" / "two"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert type_in("sheets").exit_code == 0
    monkeypatch.chdir("/")
    assert type_in("sheets").exit_code == 5
    monkeypatch.setenv("CAMPAIGN_FILE", str(folder / "road.campaign"))
    assert type_in("sheets").exit_code == 0


def test_a_damaged_file_is_exit_6_and_named(folder: Path, type_in: Type) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 3")
        connection.execute(
            "CREATE TRIGGER entries_stay BEFORE UPDATE ON entries\nBEGIN SELECT raise(ABORT, 'an entry is never changed'); END"
        )
    connection.close()
    result = type_in("verify")
    assert result.exit_code == 6
    assert result.stderr == "Error: Entry 3 does not match its fingerprint (hash); the last good entry is 2.\n"


@pytest.mark.slow
def test_a_file_that_somebody_holds_for_five_seconds_is_exit_4(folder: Path, type_in: Type) -> None:
    holder = sqlite3.connect(folder / "road.campaign", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    result = type_in("note x")
    holder.close()
    assert result.exit_code == 4
    assert result.stderr == "Error: Another command has been using the campaign for 5 seconds. Nothing was written.\n"


def test_a_bug_is_one_sentence_and_a_traceback_only_with_vv(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Book, "cast", lambda *_: 1 // 0)
    result = type_in("sheets")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("Error: The program has a bug (ZeroDivisionError: ")
    assert isinstance(type_in("-vv sheets").exception, ZeroDivisionError)
    assert type_in("-vv sheets ghost").exit_code == 1


def test_rules_that_fail_in_an_audit_are_exit_1_and_no_finding(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert type_in("edge rest mara short").exit_code == 0
    monkeypatch.setattr(Rest, "ruling", lambda *_: 1 // 0)
    result = type_in("audit")
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.match(
        r"Error: The rules of edge failed at #\d+ \(ZeroDivisionError\): this is a bug in the program", result.stderr
    )
    failed = type_in("-vv audit").exception
    assert isinstance(failed, Broken)
    assert isinstance(failed.__cause__, ZeroDivisionError)


def test_every_failure_on_purpose_has_its_exit_code() -> None:
    waiting: list[type[LedgerError]] = [LedgerError]
    kinds: list[type[LedgerError]] = []
    while waiting:
        found = waiting.pop().__subclasses__()
        kinds += found
        waiting += found
    assert len(kinds) > 20
    for kind in (kind for kind in kinds if not kind.__module__.startswith("web.")):  # those have a status
        assert [code for each, code in EXIT_CODES if issubclass(kind, each)], kind
        assert kind.__name__ in (errors.__doc__ or ""), kind


@pytest.mark.parametrize("table", ["marks", "postings", "entries", "words"])
def test_a_file_that_lacks_a_table_is_damaged(folder: Path, type_in: Type, table: str) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute(f"DROP TABLE {table}")
    connection.close()
    for words in ("verify", "edge rest mara short", "sheets"):
        result = type_in(words)
        if table != "words" or words != "sheets":
            assert (result.exit_code, result.stdout) == (6, ""), result.output
            assert f"it has no table {table}" in result.stderr


def test_a_mark_that_cannot_be_read_is_damage(folder: Path, type_in: Type) -> None:
    with sqlite3.connect(folder / "road.campaign") as connection:
        connection.execute("UPDATE marks SET value = 'junk' WHERE who = 'mara'")
    connection.close()
    result = type_in("sheets mara")
    assert (result.exit_code, "cannot be read" in result.stderr) == (6, True)


def test_an_empty_file_of_ours_is_no_campaign(type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    create_journal("a.campaign").storage.close()
    result = type_in("note x")
    assert (result.exit_code, "its first entry was never written" in result.stderr) == (5, True)


def test_a_campaign_can_be_begun_again_under_the_same_id(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_BY", "Tom")
    assert "would be created" in type_in("init Road --gm Tom --dry-run").stderr
    assert list(tmp_path.iterdir()) == []
    assert type_in("init Road --gm Tom --once a --json").exit_code == 0
    assert "already written" in type_in("init Road --gm Tom --once a").stderr
    assert type_in("init Path --gm Tom --once a").exit_code == 3
    assert type_in("init Road --gm Tom --once b").exit_code == 3
    assert type_in("-f road.campaign init Road --dry-run").exit_code == 3
    assert type_in("-f b.campaign init Road --once ''").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["road.campaign"]


NOT_SHOWN = {
    "note x": "#8 was written, but the answer could not be shown: No space left on device.\nHint: See it with 'campaign show 8'.",
    "sheets": "The answer could not be shown: No space left on device.",
    "--help": "The answer could not be shown: No space left on device.",
    "note --help": "The answer could not be shown: No space left on device.",
    "export out": "out was written, but the answer could not be shown: No space left on device.",
    "rebuild": "The scores and values were rebuilt, but the answer could not be shown: No space left on device.",
    "backup kept": "kept was created, but the answer could not be shown: No space left on device.",
    "witness init ana": "Your key was created, but the answer could not be shown: No space left on device.\n"
    "Hint: Repeat the command to see the line for the GM.",
    "-f b.campaign init Road": "b.campaign was created, but the answer could not be shown: No space left on device.",
}  # fmt: skip


@pytest.mark.parametrize("words", NOT_SHOWN)
def test_an_answer_that_cannot_be_shown_says_so_and_what_was_written(folder: Path, words: str) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [*PROGRAM, *words.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stderr) == (4, f"Error: {NOT_SHOWN[words]}\n")
    assert head(folder) == (8 if words == "note x" else 7)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("log -n all", 141, ""),
        ("chronicle", 141, ""),
        ("sheets --json", 141, ""),
        ("-vv verify", 141, ""),
        ("--help", 141, ""),
        ("roll --help", 141, ""),
        (
            "note x",
            4,
            "Error: #8 was written, but the answer could not be shown: the program that reads the output is no longer running.\n",
        ),
        (
            "export out",
            4,
            "Error: out was written, but the answer could not be shown: the program that reads the output is no longer running.\n",
        ),
    ],
)
def test_a_closed_pipe_is_not_a_bug_and_a_write_still_reports_its_entries(
    folder: Path, words: str, code: int, says: str
) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    command = [*PROGRAM, *words.split()]
    done = subprocess.run(command, stdout=writes, stderr=subprocess.PIPE, text=True, check=False, cwd=folder)
    os.close(writes)
    assert (done.returncode, done.stderr[: len(says) or None]) == (code, says)


def test_only_a_closed_pipe_ends_like_a_closed_pipe(type_in: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CAMPAIGN_COMPLETE", "zsh_nothing")  # click ends with 1 for a word that it does not know
    assert type_in("").exit_code == 1


def test_who_interrupts_a_command_after_its_entry_was_written_is_told_so(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as pressed:
        pressed.setattr(lines, "show_written", interrupted)
        done = type_in("note x")
    assert (done.exit_code, "#8 was written before you stopped. See it with 'campaign show 8'." in done.stderr) == (
        130,
        True,
    )
    assert head(folder) == 8


def test_a_file_that_a_bug_of_ours_does_not_find_is_no_answer_that_cannot_be_shown(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Book, "cast", lambda *_: open("nowhere"))  # noqa: SIM115  it opens nothing
    assert "The program has a bug (FileNotFoundError" in type_in("sheets").stderr
    assert isinstance(type_in("-vv sheets").exception, FileNotFoundError)


def test_an_error_that_cannot_be_told_ends_as_it_would(folder: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        words = [sys.executable, "-m", "cli", "show", "99"]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, text=True, check=False, cwd=folder)
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.parametrize("closed", [1, 2])
def test_a_closed_stream_is_no_bug(folder: Path, closed: int) -> None:
    words = f"{shlex.join(PROGRAM)} note x {closed}>&-"
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=False, cwd=folder)  # noqa: S602  only a shell closes a stream
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert head(folder) == 8


@pytest.mark.parametrize(
    ("names", "typed", "hint"),
    [
        ("damage.physical damage.stun", "dam", "Type more of the name: damage.p or damage.s."),
        ("mar mara", "ma", "Type more of the name: mar or mara."),
        ("a1 a2 a3 a4", "a", "Type more of the name: a1 or a2 or a3."),
        ("skill/ride luck/rise", "ri", "Type the whole name, like luck/rise."),
        ("edge/luck free/luck", "luck", "Include the game, like edge/luck."),
    ],
)
def test_a_hint_for_several_names_shows_the_shortest_unique_prefixes(names: str, typed: str, hint: str) -> None:
    assert AmbiguousName(typed, names.split()).hint == hint


def test_a_name_may_be_a_unique_prefix_and_is_never_guessed(folder: Path, type_in: Type) -> None:
    assert type_in("edge rest m short").exit_code == 0
    type_in("join marek edge maximum=1")
    result = type_in("sheets mar")
    assert result.exit_code == 3
    assert result.stderr == "Error: 'mar' could be any of mara, marek.\nHint: Type more of the name: mara or mare.\n"
    assert type_in("sheets MARA").exit_code == 0
    assert "strength" in type_in("register mara stren").stdout
    assert type_in("adjust mara att=+1 --why x").exit_code == 3
    assert type_in("--by an note x").exit_code == 0
    assert type_in("edge lessen mara ser").exit_code == 0


def test_two_games_with_a_score_of_the_same_name_ask_which_is_meant(folder: Path, type_in: Type) -> None:
    assert type_in("register mara coin/coins").exit_code == 0
    assert type_in("adjust mara coins=-1 coin/debt.bank=+2 --why x").exit_code == 0


def test_json_is_one_object_a_line(folder: Path, type_in: Type) -> None:
    for words in (
        "edge check mara --skill 11 --json",
        "roll mara 3d6 --json",
        "note x --json",
        "sheets --json",
        "register mara edge --json",
        "log --json",
        "show 3 --json",
        "questions --json",
        "systems --json",
        "systems edge --json",
        "settings --json",
        "try edge.rest kind=long current=1 maximum=3 --json",
        "verify --json",
        "undo --json",
    ):
        result = type_in(words)
        assert result.exit_code == 0, result.output
        for line in result.stdout.splitlines():
            assert isinstance(json.loads(line), dict)
    entries = [json.loads(line) for line in type_in("edge check mara --skill 11 --json").stdout.splitlines()]
    assert [entry["type"] for entry in entries] == ["dice-thrown", "move-played"]
    assert all({"seq", "leaf", "at", "by"} <= entry.keys() for entry in entries)


def test_a_dry_run_shows_pool_and_cost_and_writes_nothing(folder: Path, type_in: Type) -> None:
    result = type_in("edge check mara --skill 11 --edge --dry-run")
    assert result.stdout == "This command rolls 3d10.\nThe cost is the same for every result: mara edge −1.\n"
    assert result.stderr == "Dry run: nothing was written.\n"
    assert "complete success" in type_in("edge check mara --skill 30 --faces 7,6 --dry-run").stdout
    assert "#8" in type_in("note x --dry-run").stdout
    assert type_in("adjust mara edge=-9 --why x --dry-run").exit_code == 3
    assert head(folder) == 7


def test_a_dry_run_shows_what_would_move(folder: Path, type_in: Type) -> None:
    assert "edge 4 → 2" in type_in("adjust mara edge=-2 --why x --dry-run").stdout
    type_in("adjust mara edge=-2 --why x")
    assert "mara edge 2 → 4" in type_in("undo --dry-run").stdout
    assert "? choice needed" in type_in("edge check mara --skill 1 --edge --faces 1,2,3 --dry-run").stdout
    pool = json.loads(type_in("edge check mara --skill 1 --edge --dry-run --json").stdout)
    assert pool == {"pool": [10, 10, 10], "cost": [{"who": "mara", "edge": -1}]}


def test_a_known_id_never_tells_a_secret(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 11 --target 27 --secret --once a --faces 7,6")
    result = type_in("edge check mara --skill 11 --target 1 --secret --once a --faces 7,6")
    assert (result.exit_code, "27" in result.output) == (3, False)


def test_an_answer_under_a_known_id_is_answered_again(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 11 --edge --faces 7,3,7")
    first = type_in("choose 9 --drop 3 --once b")
    again = type_in("choose 9 --drop 3 --once b")
    assert (again.exit_code, again.stdout) == (0, first.stdout)


def test_the_working_of_loose_dice_says_which_went(folder: Path, type_in: Type) -> None:
    seen = type_in("roll mara 4d6kh3-1 --faces 6,1,5,4 -v").stdout
    assert "count    6 + 5 + 4 − 1 = 14" in seen
    assert "dropped  1 (kh3)" in seen


def test_the_same_id_answers_as_the_first_time(folder: Path, type_in: Type) -> None:
    first = type_in("edge check mara --skill 11 --once bot-1")
    again = type_in("edge check mara --skill 11 --once bot-1")
    assert again.stdout == first.stdout
    assert "already written" in again.stderr
    assert type_in("edge check mara --skill 12 --once bot-1").exit_code == 3
    assert head(folder) == 9


def test_color_only_repeats_what_marks_and_words_say(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "edge check mara --skill 11 --faces 7,6 --once c"
    plain = type_in(words).stdout
    colored = type_in(f"--color always {words}").stdout
    assert "\x1b[" not in plain
    assert "\x1b[32m✓ marginal success" in colored
    assert click.unstyle(colored) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert type_in(words, color=True).stdout == plain
    assert "\x1b[" in type_in(f"--color always {words}").stdout
    assert type_in(f"--color never {words}", color=True).stdout == plain


def test_what_the_gm_decides_is_not_chosen(folder: Path, type_in: Type) -> None:
    type_in("assert mara edge=1")
    refused = type_in("choose 8 --drop 3")
    assert (refused.exit_code, "Only the GM can answer question #8." in refused.stderr) == (3, True)
    assert "campaign decide 8 keep --why TEXT" in refused.stderr
    assert head(folder) == 8


COLOURED = (
    "session open one",
    "scene ford",
    "edge check mara --skill 11 --faces 7,6",
    'override 12 no --bad --why "the rope was wet" --yes',
    "edge check mara --skill 5 --target 30 --faces 7,8",
    'dispute 14 --claim "I had help"',
    "note x",
    "undo",
    "assert mara edge=1",
)
"""What is shown in every color there is: good and bad, what waits, and what is struck."""


@pytest.mark.parametrize(
    "words",
    [
        "adjust mara edge=-1 --why x",
        "amend 15 --skill 6 --why x --dry-run",
        "audit",
        "checkpoint",
        "chronicle --all",
        "compare road.campaign road.campaign",
        "day next",
        "decide 17 uphold --why x --dry-run",
        "diff 3 18",
        "edge check mara --skill 11 -v",
        "erase 18 --yes",
        "export",
        "import road-export --dry-run",
        "log -n all",
        "log --corrected",
        "note x",
        "questions",
        "register mara edge",
        "replay",
        "replay --corrected",
        "rewind --to 9 --dry-run",
        "settings",
        "sheets",
        "show 11",
        "show 14 --secrets",
        "systems",
        "systems edge",
        "try edge.rest kind=long current=1 maximum=3",
        "verify",
        "void 14 --why x --dry-run",
        "why mara edge",
    ],
)
def test_no_json_holds_a_color(folder: Path, type_in: Type, words: str) -> None:
    laid_out(folder, "key rotate", *COLOURED, *(["export"] if words.startswith("import") else []))
    told = type_in(f"--color always {words} --json").stdout
    assert told
    for line in told.splitlines():
        assert isinstance(json.loads(line), dict)
        assert "\\u001b" not in line
        assert "\x1b" not in line


def test_what_is_struck_is_struck_through_and_says_by_what(folder: Path, type_in: Type) -> None:
    type_in("note x")
    type_in("undo")
    assert "\x1b[2m\x1b[9m" in type_in("--color always log -n 2").stdout
    assert "(undone by #9)" in type_in("log -n 2").stdout


def test_by_is_the_hand_at_the_keyboard(folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(type_in("note x --json").stdout)["by"] == "p1"
    assert json.loads(type_in("--by Ana note x --json").stdout)["by"] == "p2"
    monkeypatch.setenv("CAMPAIGN_BY", "p2")
    assert json.loads(type_in("note x --json").stdout)["by"] == "p2"


def test_a_secret_is_not_shown_until_it_is_revealed(folder: Path, type_in: Type) -> None:
    told = type_in("edge check mara --skill 11 --target 23 --secret --faces 7,6 -v").stdout
    assert "24 against a secret number" in told
    shown = "".join(type_in(words).stdout for words in ("show 9", "log", "show 9 --json", "log --json"))
    assert "kept secret" in shown
    assert "23" not in told + shown.replace(type_in("show 9").stdout.split("leaf")[-1], "").split("leaf")[0]


def test_points_in_time(folder: Path, type_in: Type) -> None:
    for words in ("session open One", "adjust mara edge=-1 --why x", "session close", "adjust mara edge=-1 --why y"):
        assert type_in(words).exit_code == 0

    def edge(point: str) -> int:
        (_, sheet) = (json.loads(line) for line in type_in(f"sheets mara --json {point}").stdout.splitlines())
        return int(sheet["scores"]["edge"])

    assert [edge(point) for point in ("", "--at 8", "--at '#9'", "--at session:1", "--at 2026-11-20")] == [
        2,
        4,
        3,
        3,
        2,
    ]
    assert edge("--at 8 --corrected") == 4
    type_in("session open Two")
    assert edge("--at session:2") == 2
    assert type_in("log --at 3").stdout.count("\n") == 2
    type_in("roll mara 3d6")
    assert type_in("log -n 1 --at 13").stdout.startswith("#14   mara rolls 3d6 = ")
    type_in("edge check mara --skill 11 --edge --faces 7,3,7")
    assert edge("--at 16") == 1
    assert "choice needed" in type_in("log --open --at 16").stdout
    type_in("choose 16 --drop 3")
    type_in("undo")
    assert "undone" not in type_in("log --at 18").stdout
    assert "undone by #19" in type_in("log --at 18 --corrected").stdout
    assert "waits" not in type_in("log --open --at 18").stdout
    assert "#16" in type_in("questions --at 16").stdout
    type_in("session close")
    type_in("undo")
    assert "undone" not in type_in("show 20 --at 20").stdout
    assert "undone" in type_in("show 20").stdout


def test_completion_knows_characters_scores_and_moves(folder: Path) -> None:
    assert completed("sheets", "m") == ["mara"]
    assert completed("edge check", "") == ["brak", "mara"]
    assert completed("register mara", "ma") == ["maximum"]
    assert completed("register", "") == ["brak", "mara"]
    assert completed("adjust mara", "skill") == ["skill.deception="]
    assert completed("edge check mara", "")[0] == "deception"
    assert completed("edge rest mara", "") == ["short", "long"]
    assert "edge" in completed("", "e")
    assert "check" in completed("edge", "ch")
    assert completed("coin give mara --to", "b") == ["brak"]
    assert completed("roll", "p") == ["p1", "p2"]
    assert completed(f"-f {folder}/road.campaign sheets", "b") == ["brak"]
    assert completed("-f nowhere sheets", "") == []
    assert completed("adjust", "x") == []
    assert completed("edge damage", "x") == []


def test_a_weapon_is_completed_and_may_be_shortened_as_long_as_it_is_one(folder: Path, type_in: Type) -> None:
    type_in("set mara weapon.pistol=1d6+4 weapon.pike=1d6 weapon.bow=1d6 --why x")
    type_in("set mara weapon.bow=none --why x")
    assert completed("edge attack mara", "")[:3] == ["pike", "pistol", "brak"]
    assert "6 damage" in type_in("edge damage mara pis --faces 2").stdout
    assert "pike, pistol" in type_in("edge damage mara pi --faces 2").stderr
    assert "no weapon called bow" in type_in("edge damage mara bow --faces 2").stderr


def test_completion_of_a_move_knows_the_names_of_its_own_game(folder: Path, type_in: Type) -> None:
    type_in("join mara rollunder characteristic.wits=9 skill.riding=3")
    assert completed("rollunder skill mara", "") == ["riding"]
    assert completed("edge check mara", "")[0] == "deception"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_the_shell_needs(type_in: Type, shell: str) -> None:
    assert "_CAMPAIGN_COMPLETE" in type_in(f"completion {shell}").stdout


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


INSTALLED = {
    "bash": (".local/share/bash-completion/completions/campaign", ".bashrc"),
    "zsh": (".local/share/zsh/site-functions/_campaign", ".zshrc"),
    "fish": (".config/fish/completions/campaign.fish", ""),
}


@pytest.mark.parametrize("shell", INSTALLED)
def test_completion_is_written_where_the_shell_reads_it_once(at_home: Path, type_in: Type, shell: str) -> None:
    file, reader = INSTALLED[shell]
    first = type_in(f"completion {shell} --install")
    assert f"The script is in {at_home / file}." in first.stdout
    assert "_CAMPAIGN_COMPLETE" in (at_home / file).read_text(encoding="utf-8")
    kept = {path: path.read_bytes() for path in at_home.rglob("*") if path.is_file()}
    assert set(kept) == {at_home / file, *([at_home / reader] if reader else [])}
    assert not reader or str(at_home / file) in (at_home / reader).read_text(encoding="utf-8")
    assert type_in(f"completion {shell} --install").exit_code == 0
    assert {path: path.read_bytes() for path in kept} == kept


def test_completion_goes_where_the_environment_says(
    at_home: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.setenv(name, str(at_home / name))
    for shell in INSTALLED:
        type_in(f"completion {shell} --install")
    assert (at_home / "XDG_DATA_HOME/bash-completion/completions/campaign").is_file()
    assert (at_home / "XDG_CONFIG_HOME/fish/completions/campaign.fish").is_file()
    assert (at_home / "ZDOTDIR/.zshrc").is_file()


@pytest.mark.parametrize("shell", INSTALLED)
def test_completion_leaves_a_file_that_is_not_ours(at_home: Path, type_in: Type, shell: str) -> None:
    file = at_home / INSTALLED[shell][0]
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    refused = type_in(f"completion {shell} --install")
    assert (refused.exit_code, file.read_text(encoding="utf-8")) == (3, "mine")
    assert f"{file} already exists." in refused.stderr


def test_completion_says_what_the_disk_does_not_take(at_home: Path, type_in: Type) -> None:
    (at_home / ".config").write_text("", encoding="utf-8")
    refused = type_in("completion fish --install")
    assert (refused.exit_code, "cannot be created: Not a directory" in refused.stderr) == (4, True)
    (at_home / ".local/share/bash-completion/completions/campaign").mkdir(parents=True)
    assert "Is a directory" in type_in("completion bash --install").stderr


def test_cases_are_answered_in_their_order_and_a_refused_one_says_why(type_in: Type) -> None:
    cases = [
        {"rule": "edge.rest", "given": {"kind": "long", "current": 0, "maximum": 6}},
        {"rule": "edge.rest", "given": {"kind": "nap", "current": 0, "maximum": 6}},
        {"rule": "chess.move", "given": {}},
        {"rule": "edge.rest", "given": {"kind": "long", "current": 0.5, "maximum": 6}},
        {"rule": "edge.rest", "given": {"kind": "long", "current": True, "maximum": 6}},
        {"rule": "edge.rest", "given": {"kind": "long", "current": -1, "maximum": 6}},
        {"rule": "edge.rest", "given": {"kind": "long", "current": 1, "maximum": 2**53}},
        {"rule": "edge.rest", "given": []},
        {"rule": "edge.rest"},
        "nonsense",
        {
            "rule": "edge.check",
            "given": {"dice": [7, 6], "bonus": 9, "target_number": None, "drop": None, "mode": "normal"},
        },
        {"rule": "edge.check", "given": {"dice": [7, 6], "bonus": None}},
        {"rule": "edge.check", "given": {"dice": None, "bonus": 1}},
        {"rule": "coin.flip", "given": {"dice": [1]}},
        {"rule": "edge.skill_bonus", "given": {"attributes": [9007199254740991, 1], "ranks": 1}},
        {"rule": "edge.lessen_injury", "given": {"severity": "\ud800"}},
        {"rule": "edge.lessen_injury", "given": {"severity": "a", "steps": ["b", "a", "a"]}},
        {"rule": "edge.damage", "given": {"dice": [], "modifier": 10**4000}},
        {"rule": "edge.damage", "given": {"dice": [], "modifier": float("nan")}},
    ]
    text = json.dumps(cases)[:-1] + ', {"rule": "edge.damage", "given": {"dice": [], "modifier": 1, "modifier": 1}}]'
    result = type_in("try --cases -", input=text)
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert [each.get("refused", False) for each in found] == [
        False,
        *[True] * 9,
        False,
        True,
        True,
        False,
        True,
        True,
        True,
        True,
        True,
        True,
    ]
    assert found[0] == {"current": 6}
    assert found[10]["margin"] == 2
    assert all(each["why"].endswith(".") for each in found if each.get("refused"))


def test_cases_that_are_no_list_are_a_wrong_command_line(type_in: Type) -> None:
    for text in ("{}", "nonsense", "", "[" * 100_000):
        assert type_in("try --cases -", input=text).exit_code == 2


def test_the_version_and_the_help_need_no_campaign(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        "--help",
        "-h",
        "edge --help",
        "edge check --help",
        "--version",
        "systems",
        "systems edge",
        "choose -h",
    ):
        result = type_in(words)
        assert result.exit_code == 0
        assert max(map(len, result.stdout.splitlines())) <= 130
    assert "EDG-01" in type_in("systems edge").stdout


def test_a_campaign_without_anybody_says_so(type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert type_in("init 'Ärger im Süden'").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rger-im-s-den.campaign"]
    assert type_in("sheets").stderr == "Nobody has a sheet yet. To make a sheet: campaign join WHO GAME …\n"
    assert "campaign player" in type_in("sheets ghost").stderr
    assert type_in("sheets --at 1").stderr == "Nobody had a sheet at that point.\n"
    assert type_in("questions").stderr == "No open questions.\n"


def test_the_technical_log_goes_to_standard_error(folder: Path, type_in: Type) -> None:
    result = type_in("-vv note x")
    assert "written" in result.stderr
    assert result.stdout.startswith("#8 ")


def test_a_command_that_is_read_by_nobody_ends_quietly(folder: Path) -> None:
    program = [sys.executable, "-m", "cli", "log"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(program, stdout=writer, stderr=subprocess.PIPE, check=False, cwd=folder)
    os.close(writer)
    assert b"Traceback" not in done.stderr


def test_the_help_lists_every_game_and_every_command_once(type_in: Type) -> None:
    lines = [line.split() for line in type_in("--help").stdout.splitlines() if line.startswith("  ")]
    first = [words[0] for words in lines if words and words[0].islower()]
    for name in (*systems.BUILT_IN_GAMES, *(each for section in SECTIONS.values() for each in section)):
        assert first.count(name) == 1, name


def test_what_is_done_and_not_shown_is_told_in_one_sentence() -> None:
    done = NotShown("No space left on device", "#8 was written", "See it with 'campaign show 8'.")
    assert done.sentence == "#8 was written, but the answer could not be shown: No space left on device."
    assert NotShown("No space left on device").sentence == "The answer could not be shown: No space left on device."
    with pytest.raises(NotShown, match=re.escape(done.sentence)), done_even_if_unprinted("#8 was written"):
        raise NotShown("No space left on device")


INTERRUPTED_LOADING = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == "click":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from cli.__main__ import main
main()
"""


def test_who_interrupts_the_program_while_it_is_loaded_sees_no_traceback() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_LOADING], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_question_that_was_answered_is_not_said_to_wait_where_its_action_is_amended(
    folder: Path, type_in: Type
) -> None:
    type_in("set mara weapon.knife=1d6+2 --why x")
    asked = type_in("edge attack mara knife brak --skill 11 --edge --faces 9,8,2").stderr
    roll = asked.partition("campaign choose ")[2].split()[0]
    damage = type_in(f"choose {roll} --drop 2 --faces 3,4").stderr.partition("campaign choose ")[2].split()[0]
    amended = type_in(f"amend {damage} --modifier 3 --why x --yes")
    assert (amended.exit_code, "choice needed" in amended.stdout) == (0, False)


def test_a_closed_pipe_is_reported_in_a_sentence() -> None:
    assert str(PipeClosed()) == "The answer could not be shown: the program that reads the output is no longer running."
