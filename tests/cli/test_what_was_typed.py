"""What was typed is what is kept: no option takes a flag for its text, and no text is put together again."""

from pathlib import Path

import pytest

from terminal import Type, head


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            "edge check mara --skill 11 --target 27 --advantage --secret --faces 9,8,2",
            "--advantage takes a text: --advantage 'high ground' --secret.",
        ),
        ("edge check mara --skill 11 --adv --sec --faces 9,8,2", "--advantage takes a text"),
        ("edge check mara --skill 11 --advantage --edge", "--advantage takes a text"),
        ("roll mara d20 --why --faces 3", "--why takes a text"),
        ("roll mara d20 --why --fac 3", "--why takes a text"),
        ("roll mara d20 --why --secret", "--why takes a text"),
        ("roll mara d20 --why -v", "--why takes a text"),
        ("void 7 --why --yes", "--why takes a text"),
        ("amend 7 --why --dry-run", "--why takes a text"),
        ("dispute 7 --claim --player Ana", "--claim takes a text"),
        ("session open One --present --dry-run", "--present takes NAME…"),
        ("note x --once --secret", "--once takes ID"),
    ],
)
def test_a_text_option_never_takes_a_flag_for_its_text(folder: Path, type_in: Type, words: str, says: str) -> None:
    before = head(folder)
    done = type_in(words)
    assert (done.exit_code, says in done.stderr) == (2, True)
    assert head(folder) == before


def test_a_text_that_looks_like_a_flag_is_entered_after_an_equals_sign(folder: Path, type_in: Type) -> None:
    type_in("roll mara d20 --why=--faces --faces 3")
    assert "mara rolls d20 = 3: --faces" in type_in("log -n 1").stdout


def test_a_text_that_begins_like_no_flag_is_a_text(folder: Path, type_in: Type) -> None:
    assert "= 3: --secret things" in type_in(["roll", "mara", "d20", "--why", "--secret things", "--faces", "3"]).stdout
    assert "= 3: -2 for rain" in type_in(["roll", "mara", "d20", "--why", "-2 for rain", "--faces", "3"]).stdout


def test_at_the_prompt_a_forgotten_text_makes_no_secret_public(folder: Path, type_in: Type) -> None:
    before = head(folder)
    seen = type_in(
        "play", input="with mara edge\nch --skill 11 20 --adv --secret = 7 6 2\nroll d20 --why --seal"
    ).stderr
    assert "--advantage takes a text: --advantage 'high ground' --secret." in seen
    assert "--why takes a text" in seen
    assert head(folder) == before
