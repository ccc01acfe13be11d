"""Help: every page fits a screen, has two examples that run, and names its neighbors."""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from shutil import copy
from uuid import uuid4

import click
import pytest

from before_examples import JOINED, KEYED, before
from certificate import certificate
from cli.command_types import CommandWithHelp
from cli.main import campaign
from cli.render.help import shorten_to_clauses
from cli.render.manual import ESCAPES, escaped
from cli.sections import SECTIONS
from examples import some
from laid import laid_out
from ledger import systems
from ledger.tlog.note import COSIGNATURE, make_skey
from paths import ROOT
from terminal import Type, completed

PLAYED = (
    "join jonas edge maximum=4 edge=3",  # 8
    'session open "One" --present Ana',  # 9
    "set mara on.deception=cunning,presence weapon.pistol=2d6+4,skill=deception --why sheet",  # 10
    "set brak armor.vest=15/30 care=yes --why sheet",  # 11
    'scene "At the gate"',  # 12
    'note "the guide"',  # 13
    'note "her cloak"',  # 14
    "adjust mara edge=-1 --why 'a bargain'",  # 15
    "edge check mara --skill 11 --faces 7,6",  # 16 17
    "edge rest mara short",  # 18 19
    "edge check jonas --skill 9 --edge --faces 7,3,7",  # 20 21 22
    "note x",  # 23
    "note x",  # 24
    "edge check mara --skill 5 --faces 7,8 --seal",  # 25
    "note x",  # 26
    "note x",  # 27
    "note x",  # 28
    "note x",  # 29
    "dispute 17 --claim 'my skill is 12' --player Ana",  # 30
    'note "to be erased"',  # 31
    "note x",  # 32
)
"""What was typed before the examples, with the numbers of the entries that these name."""

ASKING = ("void", "rewind", "erase", "amend", "decide", "override", "import", "restore", "host end")
"""The commands that ask before they write."""


def commands() -> Iterator[tuple[str, CommandWithHelp]]:
    """Every command, group and move, by the words that name it."""
    context = click.Context(campaign)
    names = [*campaign.list_commands(context), "coin"]
    found = [(name, campaign.get_command(context, name)) for name in names]
    while found:
        words, command = found.pop(0)
        assert isinstance(command, CommandWithHelp), words
        yield words, command
        if isinstance(command, click.Group):
            found += [
                (f"{words} {name}", command.get_command(context, name)) for name in command.list_commands(context)
            ]


COMMANDS = dict(commands())


def page(type_in: Type, words: str) -> list[str]:
    result = type_in(f"{words} --help")
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


@pytest.mark.parametrize("words", COMMANDS)
def test_every_help_fits_a_screen_and_ends_with_two_examples_and_its_neighbors(type_in: Type, words: str) -> None:
    lines = page(type_in, words)
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    examples = [line for line in lines if line.startswith("  campaign ")]
    assert len(examples) == 2
    a_group = isinstance(COMMANDS[words], click.Group)
    assert a_group or all(f" {words} " in f"{line} " for line in examples)
    assert "\nSee also: " in "\n".join(lines)


@pytest.mark.parametrize("words", COMMANDS)
def test_the_neighbors_that_a_help_names_are_there(words: str) -> None:
    for similar in COMMANDS[words].similar.split(", "):
        names = [word for word in similar.split() if not word.startswith("-")]
        known = " ".join(names) in COMMANDS or (names[0] in COMMANDS and names[1] in systems.names())
        assert known, similar
        assert similar != words


@pytest.mark.parametrize("words", COMMANDS)
def test_each_flag_is_told_or_named_and_with_v_all_are_told(type_in: Type, words: str) -> None:
    shown, told = "\n".join(page(type_in, words)), "\n".join(page(type_in, f"-v {words}"))
    options = (param for param in COMMANDS[words].params if isinstance(param, click.Option))
    flags = [option for option in options if not option.hidden]
    for flag in flags:
        assert any(name in shown.split("Example")[0] for name in flag.opts)
        assert re.search(rf"^  (.*, )?{flag.opts[-1]}\b", told, re.MULTILINE)
    if "More, told by" in shown:
        assert f"'campaign -v {words} --help'" in " ".join(shown.split())
        assert "More, told by" not in told


@pytest.mark.parametrize(
    ("game", "first"),
    [
        ("byzantine", ["attempt", "go", "attack", "kill", "know"]),
        ("edge", ["check", "attack", "damage", "soak"]),
        ("multicheck", ["test", "throw", "save"]),
        ("rollunder", ["skill", "plain"]),
        ("syscards", ["rate", "throw", "challenge", "clash"]),
    ],
)
def test_the_help_of_a_game_explains_first_what_a_table_does_most(type_in: Type, game: str, first: list[str]) -> None:
    told = type_in(f"{game} --help").stdout
    assert re.findall(r"^  ([a-z]+)  ", told.partition("Moves:")[2], re.MULTILINE)[: len(first)] == first


@pytest.mark.parametrize("words", ["", "roll", "session open", "edge check", "turns", "amend"])
def test_help_before_a_command_shows_what_help_after_it_shows(type_in: Type, words: str) -> None:
    shown = type_in(f"{words} --help")
    assert shown.exit_code == 0
    assert type_in(f"help {words}").stdout == type_in(f"help {words} --help").stdout == shown.stdout
    assert type_in(f"-v help {words}").stdout == type_in(f"-v {words} --help").stdout


def test_help_for_an_unknown_command_suggests_a_similar_one(type_in: Type) -> None:
    assert type_in("help rol", exits=2).stderr == type_in("rol --help", exits=2).stderr


HEADINGS = {"Usage:", "Options:", "Moves:", "Commands:", "Example:", "Examples:", "See", "also:"}


@pytest.mark.parametrize("words", ["", *COMMANDS])
def test_a_manual_page_says_all_that_the_full_help_says(type_in: Type, words: str) -> None:
    full, source = type_in(f"-v help {words}").stdout, type_in(f"help {words} --man").stdout
    assert source.isascii()
    assert re.findall(r"^\.(?!TH|SH|TP|PP|EX|EE|nh|ad).*|^'.*", source, re.MULTILINE) == []
    assert {word.rstrip(".") for word in full.split()} - HEADINGS - {
        word.rstrip(".") for word in plain(source).split()
    } == (set() if words else {f"{title}:" for title in SECTIONS})


def plain(source: str) -> str:
    """A manual page without its fonts and escapes."""
    text = re.sub(r"\\f[BIR]|\\&", "", source)
    text = re.sub(r"\\\[u([0-9A-F]+)\]", lambda code: chr(int(code[1], 16)), text)
    return reduce(lambda page, each: page.replace(each[1], each[0]), reversed([*ESCAPES.items()]), text)


def test_a_manual_page_is_named_like_its_command(type_in: Type) -> None:
    name, _, title, *_ = (type_in("help edge check --man").stdout + " ").partition("\n.SH SYNOPSIS")
    assert name.startswith(".TH CAMPAIGN\\-EDGE\\-CHECK 1 ")
    assert "\ncampaign\\-edge\\-check \\- Roll 2d10," in name
    assert title.startswith("\n\\fBcampaign\\fR \\fBedge\\fR \\fBcheck\\fR \\fI[OPTIONS]\\fR \\fIWHO\\fR")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (".5 or 'more'", r"\&.5 or \(aqmore\(aq"),
        ("--why C:\\x", r"\-\-why C:\(rsx"),
        ("edge 3 → 2", r"edge 3 \[u2192] 2"),
    ],
)
def test_troff_prints_every_text_as_it_is(text: str, source: str) -> None:
    assert escaped(text) == source


def test_a_manual_page_for_an_unknown_command_is_refused_as_its_help_is(type_in: Type) -> None:
    assert type_in("help rol --man", exits=2).stderr == type_in("help rol", exits=2).stderr


@pytest.mark.slow
def test_groff_prints_every_manual_page_without_a_warning(type_in: Type) -> None:
    for words in ("", *COMMANDS):
        source = type_in(f"help {words} --man").stdout
        done = subprocess.run(
            ("groff", "-man", "-ww", "-Tutf8"), input=source, capture_output=True, text=True, check=True
        )
        assert done.stderr == "", words
        assert words.replace(" ", "-") in done.stdout


def test_the_shell_completes_help_and_the_command_after_it(type_in: Type) -> None:
    assert completed("", "hel") == ["help"]
    assert completed("help", "regi") == ["register"]
    assert completed("help edge", "ch") == ["check"]


def test_v_after_the_command_tells_all_as_well(type_in: Type) -> None:
    assert page(type_in, "edge check mara -v") == page(type_in, "-v edge check")


@pytest.mark.parametrize(
    "example", some([*dict.fromkeys(each for command in COMMANDS.values() for each in command.examples)])
)
def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type, example: str, request: pytest.FixtureRequest
) -> None:
    played = example.removeprefix("odds ")
    a_move = systems.is_installed(played.split(maxsplit=1)[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    laid_out(tmp_path, *(JOINED if a_move else PLAYED))
    if example.startswith("host"):
        from postgres_server import new_club

        monkeypatch.setenv("CAMPAIGN_FILE", new_club(request.getfixturevalue("postgres"), f"club_{uuid4().hex}"))
    for words in before(played):
        assert type_in(words).exit_code == 0, words
    keys = witnessed(tmp_path, type_in) if before(played) == KEYED else {}
    typed = reduce(lambda said, each: said.replace(*each), keys.items(), example)
    if example.startswith("serve"):
        certificate(tmp_path, both="table.pem")
        monkeypatch.setattr("web.serve.Server.run", lambda server, sockets: None)  # it would wait for Ctrl-C
        typed = f"{typed} --port 0"  # another page may be open on this computer
    if example.startswith("import messages"):
        copy(ROOT / "tests" / "data" / "imports" / "messages.json", tmp_path)
    if example.startswith(("init", "import road")):
        typed = f"-f new.campaign {typed}"
    if example.startswith(ASKING) and not {"--dry-run", "--yes"} & {*example.split()}:
        typed = f"{typed} --yes"
    signature = tmp_path / "ana-signature.txt"
    result = type_in(typed, input=signature.read_text(encoding="utf-8") if signature.exists() else None)
    assert result.exit_code in ({0, 7} if example.startswith("audit") else {0}), result.output


def witnessed(folder: Path, type_in: Type) -> dict[str, str]:
    """Lay out the files and keys that the examples of proofs name."""
    key, ana = type_in("key").stdout.strip(), type_in("witness init ana").stdout.strip()
    type_in(f"policy --witness ana={ana}")
    for name in ("checkpoint.txt", "ana.txt", "ben.txt"):
        (folder / name).write_text(type_in("checkpoint").stdout, encoding="utf-8")
    signed = type_in(f"witness sign checkpoint.txt --key {key}").stdout
    (folder / "ana-signature.txt").write_text(signed, encoding="utf-8")
    ben = make_skey("ben", bytes(32), COSIGNATURE).vkey
    return {
        "ana=KEY": f"ana={ana}",
        "ben=KEY": f"ben={ben}",
        "--key KEY": f"--key {key}",
        "witness init ben": "witness init ana",
    }


def test_the_help_imports_no_command(tmp_path: Path) -> None:
    program = "import sys\nfrom cli.main import campaign\ntry: campaign(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not [name for name in done.stdout.splitlines()[-1].split() if name.startswith("cli.commands.")]


def test_the_help_of_all_is_in_sections(type_in: Type) -> None:
    shown = type_in("--help").stdout
    assert [line for line in shown.splitlines() if re.fullmatch("[A-Z][a-z]+:", line)] == [
        "Options:",
        *(f"{title}:" for title in SECTIONS),
    ]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that we are in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def likely(type_in: Type) -> tuple[str, list[str]]:
    """Where one is, and what is likely next."""
    done = type_in("")
    assert (done.exit_code, done.stderr) == (0, "")
    where, title, *rest = done.stdout.splitlines()
    assert title == "Likely next commands:"
    return where, [line.removeprefix("  campaign ").split("  ")[0] for line in rest if line.startswith("  campaign ")]


def test_campaign_alone_says_how_to_begin_where_there_is_no_campaign(nowhere: Path, type_in: Type) -> None:
    assert likely(type_in) == ("There is no campaign here.", ["init TITLE --gm NAME", "systems", "--help"])


def test_campaign_alone_says_where_one_is_and_the_three_likeliest_next_things(nowhere: Path, type_in: Type) -> None:
    type_in("init Road --gm Tom")
    assert likely(type_in) == ("Road: no session is open.", ["player NAME --plays WHO", "join WHO GAME", "systems"])
    type_in("join mara edge maximum=4")
    assert likely(type_in) == ("Road: no session is open.", ["session open TITLE", "sheets", "log"])
    type_in("session open One")
    assert likely(type_in) == ("Road: session 1, One.", ["edge check mara …", "undo", "sheets"])
    type_in("scene 'At the gate'")
    type_in("day next")
    type_in("edge rest mara short")
    assert likely(type_in) == (
        "Road: session 1, One; scene At the gate; day 1.",
        ["edge rest mara …", "undo", "sheets"],
    )
    type_in("edge check mara --skill 11 --edge --faces 7,3,7")
    where, words = likely(type_in)
    assert where.endswith("; 1 open question.")
    assert re.fullmatch("choose [0-9]+ --drop N", words[0])
    assert words[1:] == ["edge check mara …", "undo"]


def test_campaign_alone_refuses_a_file_that_is_none(nowhere: Path, type_in: Type) -> None:
    (nowhere / "a.campaign").write_text("no", encoding="utf-8")
    assert type_in("").exit_code == 5


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Attack with a weapon: check, damage and armor.", "Attack with a weapon."),
        ("Roll dice; else the computer rolls, as always.", "Roll dice."),
        ("Lend a connection, for as long as it lasts, to her.", "Lend a connection ..."),
        ("Short.", "Short."),
        ("A text without any place where it could be cut", "A text without any place where it could be cut"),
    ],
)
def test_a_summary_is_cut_where_it_still_reads_as_a_sentence(text: str, shown: str) -> None:
    assert shorten_to_clauses(text, 30) == shown
