"""The prompt at a real terminal: pastes, and the file of earlier lines."""

import os
from pathlib import Path

import pytest

from terminal import command, head, typed_at_a_terminal

PASTE = "\x1b[200~{}\x1b[201~"
"""A paste as every terminal sends it."""


@pytest.fixture
def history() -> Path:
    """The file of the prompt's earlier lines."""
    return Path(os.environ["CAMPAIGN_HOME"], "history")


def test_a_paste_of_several_lines_is_several_lines_each_with_its_answer(folder: Path, history: Path) -> None:
    before = head(folder)
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play", "--who", "mara"),
        [("mara> ", PASTE.format("-1 edge; toll\n+1 edge; back")), ("edge 3 → 4", "quit")],
        enter="\r",
    )
    assert "mara> -1 edge; toll" in screen
    assert "mara adjusted by hand: toll" in screen
    assert "mara adjusted by hand: back" in screen
    assert head(folder) == before + 2
    assert "\n+-1 edge; toll\n" in history.read_text()
    assert "\n++1 edge; back\n" in history.read_text()


def test_a_paste_of_several_lines_keeps_no_line_with_a_secret(folder: Path, history: Path) -> None:
    typed_at_a_terminal(
        command(folder / "road.campaign", "play"),
        [("> ", PASTE.format("note one\nnote the ferryman lies --secret")), ("(secret)", "quit")],
        enter="\r",
    )
    assert "note one" in history.read_text()
    assert "ferryman" not in history.read_text()
