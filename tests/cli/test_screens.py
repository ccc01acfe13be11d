"""Screens: what a terminal shows, by its width, by the marks that it has, and in color."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.render.layout import display_width, wrap
from examples import some
from laid import laid_out
from paths import ROOT
from screens import EVENING, KEPT, SCREENS, WIDTHS, screen, seen
from terminal import command, rows, typed_at_a_terminal

BEGINS = re.compile(r"\$ campaign .*# ([0-9]+) columns\n")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return laid_out(tmp_path, *EVENING)


@pytest.mark.parametrize("name", some([*SCREENS]))
def test_a_screen_is_as_it_was_kept_and_no_line_is_wider_than_the_terminal(file: Path, name: str) -> None:
    """`make pages` keeps what is shown now."""
    shown = screen(name, file)
    assert shown == (KEPT / f"{name}.txt").read_text(encoding="utf-8")
    _, *parts = BEGINS.split(shown)
    assert [int(width) for width in parts[::2]] == list(WIDTHS)
    for width, text in zip(parts[::2], parts[1::2], strict=True):
        for line in text.splitlines():
            assert display_width(line) <= int(width) or len(re.sub("[│ ]", " ", line).split()) == 1, line


def test_nothing_is_kept_that_no_screen_shows() -> None:
    assert {path.stem for path in KEPT.iterdir()} == set(SCREENS)


def test_what_goes_elsewhere_than_to_a_terminal_stays_on_one_line(file: Path) -> None:
    done = subprocess.run(command(file, "log", "-n", "all"), capture_output=True, text=True, check=True)
    assert all(line.startswith("#") for line in done.stdout.splitlines())
    assert max(map(len, done.stdout.splitlines())) > 100


def test_json_and_signed_heads_are_as_wide_as_they_are(file: Path) -> None:
    assert max(map(len, seen("log --json", file, 40).splitlines())) > 200
    assert len(rows(seen("sheets --json", file, 40).rpartition("exit")[0])) == 6


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("#17   mara edge check  ✓ marginal success", ["#17   mara edge", "      check", "      ✓ marginal", "      success"]),
        ("  armor  threshold 15, worn", ["  armor  threshold", "    15, worn"]),
        ("  a  threshold 15, and worn", ["  a  threshold 15,", "     and worn"]),
        ("│       replaces #11 (mara)", ["│       replaces", "│         #11", "│         (mara)"]),
        ("├─ canceled: −1 #11", ["├─ canceled: −1", "│    #11"]),
        ("└─ five entries count now.", ["└─ five entries", "     count now."]),
        ("one-word-that-is-longer-than-it", ["one-word-that-is-longer-than-it"]),
        ("a one-word-that-is-longer", ["a", "  one-word-that-is-longer"]),
        ("市場で買った ので、ここ", ["市場で買った", "  ので、ここ"]),
        ("cafe\u0301 cafe\u0301 cafe\u0301 ca", ["cafe\u0301 cafe\u0301 cafe\u0301 ca"]),
        ("👨\u200d👩\u200d👧 the family Lindt", ["👨\u200d👩\u200d👧 the family", "  Lindt"]),
        ("[7 3 7 7 7]   edge 3 → 2", ["[7 3 7 7 7]", "  edge 3 → 2"]),
        ("a gap at the end   ", ["a gap at the end"]),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_lines_break_between_words_and_hang_under_their_text(text: str, lines: list[str]) -> None:
    assert wrap(text, 18) == lines


def test_color_has_no_breadth_ends_with_the_line_and_goes_on_in_the_next() -> None:
    green, reset = "\x1b[32m", "\x1b[0m"
    assert wrap(f"{green}✓ marginal success{reset} (+4)", 18) == [f"{green}✓ marginal success{reset}", "  (+4)"]
    assert wrap(f"{green}one two three four five{reset}", 18) == [
        f"{green}one two three four{reset}",
        f"  {green}five{reset}",
    ]


LETTERS = {"PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""The environment of a terminal that has no marks."""


@pytest.mark.parametrize("name", some([*SCREENS]))
def test_without_utf8_the_marks_are_words(file: Path, name: str) -> None:
    for width in WIDTHS:
        shown = seen(SCREENS[name], file, width, **LETTERS)
        assert shown.isascii()
        assert not re.search(r"\\u(?!5e02|5834|3067|8cb7|3063|305f|306e)|\\x", shown)
        for line in shown.splitlines():
            assert len(line) <= width or len(re.sub("[|` ]", " ", line).split()) == 1, line


def test_marks_in_words_say_the_same(file: Path) -> None:
    log = seen("log", file, 80, **LETTERS)
    assert (
        "#13   mara check ok complete success: 25 against 20 (7 + 7 + 11; 3 dropped),\n      double +5   edge 3 -> 2\n"
        in log
    )
    assert "|- -1 -> 1  #13   mara check ok complete" in seen("why mara edge", file, 80, **LETTERS)
    assert "failed significant failure" in " ".join(seen(SCREENS["amend"], file, 80, **LETTERS).split())


def test_json_and_signed_heads_are_whole_without_utf8(file: Path) -> None:
    def output(*words: str) -> bytes:
        env = {"PATH": "", "PYTHONPATH": f"{ROOT}:{ROOT}/tests/games", "CAMPAIGN_HOME": str(file.parent), **LETTERS}
        return subprocess.run(command(file, *words), capture_output=True, check=True, env=env).stdout

    assert "市場" in rows(output("show", "26", "--json").decode("ascii"))[0]["claim"]
    note = output("key", "rotate")
    assert note
    assert "\n\u2014 " in output("checkpoint").decode()


@pytest.mark.parametrize(
    ("environment", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)], ids=str
)
def test_color_is_on_a_terminal_alone_and_off_where_it_is_not_wanted(
    file: Path, environment: dict[str, str], colored: bool
) -> None:
    shown = typed_at_a_terminal(command(file, "log"), [], size=(500, 80), **environment)
    assert ("\x1b[32m✓ complete success\x1b[0m" in shown) is colored
    assert ("\x1b[2m#13\x1b[0m" in shown) is colored


def test_color_says_nothing_that_the_words_do_not(file: Path) -> None:
    for words in ("log", "why mara edge", "questions", "sheets", "diff 8 34"):
        plain, bright = (
            typed_at_a_terminal(command(file, "--color", color, *words.split()), [], size=(500, 80))
            for color in ("never", "always")
        )
        assert re.sub("\x1b\\[[0-9;]*m", "", bright) == plain


def test_a_log_in_lines_of_the_terminal_goes_through_the_pager_if_it_is_higher(file: Path) -> None:
    pager = f"{sys.executable} -c \"import sys; print('paged', len(sys.stdin.read().splitlines()))\""
    folded = typed_at_a_terminal(command(file, "log"), [], size=(24, 40), PAGER=pager)
    assert "paged" in folded
    assert "paged" not in typed_at_a_terminal(command(file, "log", "-n", "8"), [], size=(24, 80), PAGER=pager)
