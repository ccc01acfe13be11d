"""Questions at a terminal: an empty answer leaves them, and at the prompt a command may be typed instead."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from terminal import Type, command, head, typed_at_a_terminal


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a campaign in which mara can sneak."""
    for words in (
        "adjust mara skill.stealth=3 attribute.agility=2 attribute.wits=1 --why x",
        "set mara on.stealth=agility,wits --why x",
    ):
        assert type_in(words).exit_code == 0
    return folder


def at_terminal(folder: Path, *answers: tuple[str, str | Callable[[], str]]) -> str:
    """Type lines at the prompt of a real terminal, each after its text is on the screen. Return the screen."""
    start: list[tuple[str, str | Callable[[], str]]] = [("> ", "with mara edge"), *answers]
    return typed_at_a_terminal(command(folder / "road.campaign", "play"), start, enter="\r")


WHICH_DIE = ("mara edge> ", "c ste --edge = 7 3 5")
DROP = "Which die do you want to drop?"


def test_an_empty_answer_leaves_a_choice_open(table: Path, type_in: Type) -> None:
    screen = at_terminal(table, WHICH_DIE, (DROP, ""), ("still open", "choose --drop 3"), ("(7 + 5 + ", "quit"))
    assert "is still open. To choose, type: choose" in screen
    assert "exit 0" in screen
    assert "No open questions" in type_in("questions").output


@pytest.mark.parametrize(
    ("line", "shows"), [("note hello", "note: hello"), ("?", "here"), ("w edge", "mara · edge is 3"), ("tu", "no turn")]
)
def test_a_command_typed_instead_of_a_choice_runs_and_leaves_the_choice_open(
    table: Path, type_in: Type, line: str, shows: str
) -> None:
    screen = at_terminal(table, WHICH_DIE, (DROP, line), (shows, "quit"))
    assert "is still open. To choose, type: choose" in screen
    assert "To choose" not in type_in("log -n 1").output
    assert "drop" in type_in("questions").output


def test_quit_typed_instead_of_a_choice_closes_the_prompt(table: Path) -> None:
    assert "exit 0" in at_terminal(table, WHICH_DIE, (DROP, "quit"))


def test_a_wrong_choice_is_refused_and_asked_again(table: Path) -> None:
    screen = at_terminal(table, WHICH_DIE, (DROP, "4"), (DROP, "3"), ("(7 + 5 + ", "quit"))
    assert screen.count(DROP) == 2


def test_an_empty_answer_to_a_confirmation_writes_nothing(table: Path) -> None:
    before = head(table)
    screen = at_terminal(table, ("mara edge> ", "void 8 --why x"), ("Save this? [y/N]", ""), ("Nothing was", "quit"))
    assert "Nothing was written." in screen
    assert head(table) == before


def test_a_command_typed_instead_of_a_confirmation_runs_and_the_correction_is_dropped(table: Path) -> None:
    before = head(table)
    screen = at_terminal(
        table, ("mara edge> ", "void 8 --why x"), ("Save this? [y/N]", "-1 edge"), ("edge 4 → 3", "quit")
    )
    assert "Nothing was written." in screen
    assert head(table) == before + 1


@pytest.mark.parametrize("answer", ["u", "", "n"])
def test_undo_after_a_confirmation_that_nobody_gave_first_shows_what_it_would_undo(table: Path, answer: str) -> None:
    before = head(table)
    undo = [("Nothing was", "u")] if answer != "u" else []
    screen = at_terminal(
        table,
        *(("mara edge> ", "rewind --to 8 --why x"), ("Save this? [y/N]", answer), *undo, ("type u again.", "quit")),
    )
    assert "The last line wrote nothing that you could undo." in screen
    assert head(table) == before


def test_an_ambiguous_name_or_word_is_shown_with_its_choices_and_leaves_the_prompt_free(table: Path) -> None:
    screen = at_terminal(
        table,
        ("mara edge> ", "sheets @"),
        ("Error", "ro"),
        ("Error", "register mara attribute."),
        ("could be any of", "note free"),
        ("note: free", "quit"),
    )
    assert "Which one" not in screen
    assert "exit 0" in screen


def test_outside_the_prompt_an_empty_answer_leaves_a_choice_open(table: Path) -> None:
    words = command(table / "road.campaign", "edge", "check", "mara", "stealth", "--edge", "--faces", "7,3,5")
    screen = typed_at_a_terminal(words, [(DROP, "note x"), (DROP, "")])
    assert "is not a whole number" in screen
    assert "is still open. To choose, type: campaign choose" in screen
    assert "exit 0" in screen


AHEAD = ("c ste --edge = 7 3 5", "note one", "u", "note two", "void 8 --why x", "note three", "note four", "quit")
"""Lines that are typed without a look at the screen. Two of them ask a question, and the next line is no answer."""


def after(seconds: float, line: str) -> Callable[[], str]:
    """Return a function that waits, and then returns the line to type."""

    def typed() -> str:
        time.sleep(seconds)
        return line

    return typed


def check_order(table: Path, type_in: Type, screen: str) -> None:
    """Check that the lines in `AHEAD` ran in the order typed, and that none is lost."""
    assert "exit 0" in screen
    done = re.findall("(note: [a-z]+|undoes [^)]*)", screen)
    assert [re.sub("#[0-9]+ ", "", line) for line in done] == [
        *("note: one", "undoes (note: one", "note: two", "note: three", "note: four")
    ]
    assert re.findall("note: ([a-z]+)", type_in("log").output)[-3:] == ["two", "three", "four"]
    assert "drop" in type_in("questions").output


@pytest.mark.parametrize("paste", ["\r{}\r", "\x1b[200~{}\x1b[201~\r", "\x1b[200~{}\n\x1b[201~\r"])
def test_lines_sent_at_once_run_in_order_although_some_ask_a_question(table: Path, type_in: Type, paste: str) -> None:
    lines = paste.format(("\r" if paste[0] == "\r" else "\n").join(AHEAD))
    check_order(table, type_in, at_terminal(table, ("edge> ", lines)))


@pytest.mark.parametrize("seconds", [0, 0.02, 0.1, 0.4])
def test_lines_typed_ahead_at_any_speed_run_in_order(table: Path, type_in: Type, seconds: float) -> None:
    check_order(table, type_in, at_terminal(table, *(("", after(seconds, line)) for line in AHEAD)))


def test_a_question_after_a_paste_waits_for_the_keyboard(table: Path, type_in: Type) -> None:
    paste = "\x1b[200~note one\nc ste --edge = 7 3 5\x1b[201~"
    screen = at_terminal(table, ("edge> ", paste), (DROP, "3"), ("(7 + 5 + ", "quit"))
    assert "exit 0" in screen
    assert "No open questions" in type_in("questions").output


def test_ctrl_c_at_a_question_leaves_it_open_and_the_prompt_goes_on(table: Path) -> None:
    screen = at_terminal(table, WHICH_DIE, (DROP, "\x03"), ("mara edge> ", "note on"), ("note: on", "quit"))
    assert "exit 0" in screen
