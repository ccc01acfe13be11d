"""A forged file at the terminal: nothing that is read back moves the cursor, hides a letter or turns the reading."""

import json
import os
import re
import sys
import unicodedata
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from bookkeepers import INSTALLED, complaints
from cli.main import campaign
from cli.render import terminal
from engine import connection_of
from ledger.hints import visible_text
from ledger.journal.book import open_book
from ledger.rules.inputs import UNPRINTABLE
from tampering import fitted, reworded, rewritten
from terminal import Type, command, typed_at_a_terminal
from vault_reader import read_vault, texts_in

TURNED = "\u202e\u2066\u2069\u200e\u200f\u200b\u2060\u061c\ufeff\x1b[8m\x9b2J\r\b\x7f\u2028#99 a line\n#98 more\x00"
"""Turns the reading, hides what follows, clears the screen, and begins new lines, in one text."""

EVENING = (
    "player Turned --plays mara",
    "session open Turned --present Ana",
    "scene Turned",
    "note Turned",
    "edge check mara --skill 11 --target 20 --advantage Turned --faces 7,6,5",
    "dispute 13 --claim Turned",
    "override 13 Turned --good --why Turned --yes",
    "edge check mara --skill 5 --advantage Turned --faces 9,5,4 --seal",
    "adjust mara edge=-1 --why Turned",
    "undo",
    "amend 13 --skill 12 --why Turned --yes",
    "settings edge injuries=minor --why Turned",
    "set mara care=yes --why Turned",
    "assert mara edge=3",
)


@pytest.fixture
def forged(folder: Path, type_in: Type) -> Path:
    """A campaign in whose words, names, titles and facts such a text stands, with all hashes made to fit."""
    for words in EVENING:
        done = type_in(words)
        assert done.exit_code == 0, (words, done.output)
    quoted = json.dumps(TURNED, ensure_ascii=False)[1:-1]
    with open_book(str(folder / "road.campaign")) as book:
        reworded(lambda text: text.replace("Turned", quoted if text[0] in "{[" else TURNED))(connection_of(book))
        for seq in range(1, book.head() + 1):
            turned = rewritten(seq, lambda body: body.replace("brak", quoted).replace("marginal success", quoted))
            turned(connection_of(book))
        fitted(book)
    return folder


def unseen(text: str) -> set[str]:
    """The characters of an output that a reader does not see, but for the ends of its lines."""
    return {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp"}} - {"\n"}


def test_a_forged_result_without_its_dice_step_leaves_no_lone_bracket_or_comma(folder: Path, type_in: Type) -> None:
    done = type_in("edge check mara --skill 11 --target 20 --edge --drop 3 --faces 7,3,7")
    assert "complete success: 25 against 20 (7 + 7 + 11; 3 dropped), double +5" in done.stdout
    with open_book(str(folder / "road.campaign")) as book:
        for seq in range(1, book.head() + 1):
            rewritten(seq, lambda body: body.replace('"name":"dice"', '"name":"forged"'))(connection_of(book))
        fitted(book)
    assert "mara check ✓ complete success (+10)   edge 4 → 3\n" in type_in("log -n 1").stdout


LOOKS = (
    "log -n all",
    "log --json",
    "show 13",
    "show 11 --json",
    "show 16 --secrets",
    "sheets",
    "sheets --json",
    "sheets --from-entries",
    "sheets campaign",
    "register mara edge",
    "register mara edge --json",
    "why mara edge",
    "why mara edge --json",
    "chronicle",
    "chronicle --all",
    "chronicle --all --markdown",
    "chronicle --html",
    "recap",
    "recap --markdown",
    "recap --html",
    "recap --json",
    "chronicle --json",
    "questions",
    "questions --json",
    "luck",
    "luck --json",
    "replay",
    "replay --json",
    "diff 1 20",
    "diff 1 20 --json",
    "settings edge",
    "verify",
    "verify --json",
    "audit",
    "audit --json",
    "rebuild",
    "export out",
    "export --format obsidian notes",
    "export --format hledger kept.journal",
    "export --format beancount kept.beancount",
    "backup copy",
    "void 21 --why x --dry-run",
    "undo --dry-run",
    "-v show 13",
    "rewind --to 9 --dry-run",
    "reveal 16 --dry-run",
    "decide 14 uphold --why x --dry-run",
    "amend 13 --help",
    "amend 11 --text x --why y --dry-run",
    "sheets b",
    "edge rest \u202eb short",
)


@pytest.mark.parametrize("color", ["never", "always"])
def test_nothing_that_is_read_back_goes_out_unescaped(forged: Path, type_in: Type, color: str) -> None:
    met = 0
    for words in LOOKS:
        done = type_in(f"--color {color} {words}")
        plain = re.sub(r"\x1b\[(?:[0-79]|1|2|3[1-6])m", "", done.output)  # our own colors
        assert unseen(plain) == set(), (words, plain)
        assert not re.search("^#9[89]", plain, re.MULTILINE), (words, plain)
        assert "Something unforeseen" not in plain, (words, plain)
        met += "\\u202e" in plain
    assert met > len(LOOKS) / 2


def test_json_says_the_very_words_though_it_shows_them_escaped(forged: Path, type_in: Type) -> None:
    answer = type_in("show 11 --json").stdout
    assert json.loads(answer.splitlines()[0])["text"] == TURNED
    assert "\u202e" not in answer


def test_what_is_forged_is_named_by_verify_and_audit(forged: Path, type_in: Type) -> None:
    for words in ("verify", "audit", "-f copy import out --yes"):
        type_in("export out")
        done = type_in(words)
        assert (done.exit_code, done.stdout) == (6, "")
        assert "contains characters that cannot be shown" in done.stderr


def test_the_notes_of_a_forged_campaign_have_nothing_that_is_hidden_or_run(forged: Path, type_in: Type) -> None:
    assert type_in("export --format obsidian notes").exit_code == 0
    notes = texts_in(forged / "notes")
    read_vault(notes)
    assert unseen("".join(f"{path}{text}" for path, text in notes.items()).replace("\n", "")) == set()


@pytest.mark.parametrize(("form", "name"), [("hledger", "road.journal"), ("beancount", "road.beancount")])
def test_the_accounts_of_a_forged_campaign_have_nothing_that_is_hidden(
    form: str, name: str, forged: Path, type_in: Type
) -> None:
    assert type_in(f"export --format {form}").exit_code == 0
    assert unseen((forged / name).read_text(encoding="utf-8")) == set()
    assert not INSTALLED or not any(complaints(forged / name))


def test_a_terminal_and_its_pager_get_no_more_than_a_pipe(forged: Path) -> None:
    screen = typed_at_a_terminal(command(forged / "road.campaign", "log"), [])
    assert "\\u202e" in screen
    assert unseen(re.sub(r"\x1b\[[0-9]{1,2}m", "", screen).replace("\r\n", "\n")) == set()


def test_a_completion_holds_nothing_that_a_shell_would_show_otherwise(forged: Path) -> None:
    os.chdir(forged)
    completions = ShellComplete(campaign, {}, "campaign", "_X").get_completions(["sheets"], "")
    names = [completion.value for completion in completions]
    assert "mara" in names
    assert unseen("".join(names)) == set()


def test_everything_that_is_refused_when_typed_is_escaped_and_what_is_seen_is_not() -> None:
    for letter in sorted(UNPRINTABLE):
        assert terminal.escaped(f"a{letter}b") == f"a\\u{ord(letter):04x}b"
    for text in (
        "Ärger im Süden",
        "naïve 10\u00a0000\u202f€",
        "日本語",
        "نمی\u200cخواهم",
        "क्\u200dष",
        "👩\u200d🚀 ✊🏽 ❤\ufe0f",
        "🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
        "\u200fשלום!\u200f (42)",
        "e\u0301",
    ):
        assert terminal.escaped(text) == text
    assert terminal.escaped("An\u200da \u200cBen\u200d") == "An\\u200da \\u200cBen\\u200d"
    assert terminal.escaped("\U000e0041") == "\\udb40\\udc41"
    assert terminal.escaped("🏴\U000e0041") == "🏴\\udb40\\udc41"
    assert terminal.escaped("12\u200f34") == "12\\u200f34"
    assert visible_text("שלום\u200f \t\ud800") == "שלום\u200f \\t\\ud800"


def test_only_our_own_colors_color() -> None:
    red = click.style("x", fg="red")
    assert terminal.escaped(terminal.colored("x", "bad")) == red
    assert terminal.escaped(terminal.colored(red, "good")) == click.style(red.replace("\x1b", "\\u001b"), fg="green")
    assert terminal.escaped(red) == red.replace("\x1b", "\\u001b")
    assert terminal.uncolored(terminal.colored("x", "struck")) == "x"


def test_the_mark_of_our_colors_is_another_in_every_process() -> None:
    import subprocess

    program = [sys.executable, "-c", "from cli.render.terminal import COLOR_MARKER; print(ascii(COLOR_MARKER))"]
    marks = {subprocess.run(program, capture_output=True, check=True).stdout for _ in range(3)}
    assert len(marks) == 3


@pytest.mark.parametrize(
    ("game", "scores", "mark", "value"),
    [
        ("rollunder", "skill.lore=3", "on.lore", 5),
        ("edge", "skill.lore=3", "on.lore", [["wits"]]),
        ("multicheck", "skill.lore=3", "throw", {"dice": 1}),
        ("syscards", "efficiency=9", "forces", "fog"),
    ],
)
def test_a_sheet_that_its_game_cannot_read_is_shown_by_its_names(
    folder: Path, type_in: Type, game: str, scores: str, mark: str, value: object
) -> None:
    type_in(f"join ilse {game} {scores}")
    with open_book(str(folder / "road.campaign")) as book:
        marks = [{"name": f"{game}/{mark}", "value": value, "who": "ilse"}]
        fact = json.dumps({"marks": marks}, separators=(",", ":"), sort_keys=True)[1:-2]
        rewritten(book.head(), lambda body: body.replace('"marks":[', f"{fact},"))(connection_of(book))
        fitted(book)
    for words in ("sheets ilse", "sheets ilse --json"):
        done = type_in(words)
        assert (done.exit_code, mark in done.stdout) == (0, True), done.output
    assert type_in("replay").exit_code == 0


@pytest.mark.parametrize("says", ["{} against {} {}", "{:>99999999} against {}", "{0.real} {x}", "{} against {", "}"])
def test_a_forged_line_of_working_is_shown_as_it_is_stored(folder: Path, type_in: Type, says: str) -> None:
    type_in("edge check mara --skill 11 --target 20 --faces 7,6")
    with open_book(str(folder / "road.campaign")) as book:
        last = book.head()
        rewritten(last, lambda body: body.replace("{} against {}", says))(connection_of(book))
        fitted(book)
    for words in ("log -n 1", f"show {last}"):
        shown = type_in(words)
        assert (shown.exit_code, says in shown.stdout) == (0, True), (words, shown.output)
