"""An entry, a session and a day are named the same way everywhere, and `last` is the latest one."""

from pathlib import Path

import pytest

from terminal import Type, head


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a campaign with two sessions and a day. The last action is a roll of two entries."""
    for words in ("session open One", "note first", "session close", "session open Two", "note second", "day next"):
        assert type_in(words).exit_code == 0, words
    assert type_in("roll mara d20 --faces 7").exit_code == 0
    return folder


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("show last", "mara rolls d20 = 7"),
        ("log --at last -n 1", "mara rolls d20 = 7"),
        ("replay last", "Second."),
        ("replay session:last", "Second."),
        ("replay --session last", "Second."),
        ("replay --session session:1", "First."),
        ("replay --from last", "Mara rolled 7 on a d20."),
        ("replay --from session:last --to last", "Second."),
        ("recap last", "session 2"),
        ("recap --session 1", "session 1"),
        ("chronicle session:last", "Two"),
        ("luck session:last", "d20"),
        ("luck --session last", "d20"),
        ("sheets mara --at session:last", "mara · edge"),
        ("sheets mara --at day:last", "mara · edge"),
        ("diff session:1 last", "No sheet changed."),
        ("amend last --faces 9 --why misread --yes", "[9]"),
        ("void last --why x --yes", "voids #"),
        ("dispute last --claim x", "disputes #"),
        ("sheets --at lst", "Use an entry number, last, session:N, day:N, or a date"),
    ],
)
def test_the_latest_entry_session_or_day_is_called_last(table: Path, type_in: Type, words: str, seen: str) -> None:
    assert seen in type_in(words).output


def test_the_only_open_question_is_the_last_action_too(table: Path, type_in: Type) -> None:
    type_in("dispute last --claim x")
    assert "is answered (kept)" in type_in("decide last keep --why y").output


def test_the_last_session_is_the_last_one_that_was_not_undone(table: Path, type_in: Type) -> None:
    type_in("session close")
    type_in("session open Three")
    type_in("undo")
    assert "session 2" in type_in("recap last").output


def test_without_a_session_there_is_no_last_one(folder: Path, type_in: Type) -> None:
    assert "This campaign never reached a session." in type_in("sheets --at session:last").stderr
    assert "This campaign never reached a session." in type_in("luck --session last").stderr


@pytest.fixture
def offers(table: Path, type_in: Type) -> Path:
    """Make a campaign in which zed may roll again, and mara may add dice."""
    for words in (
        "join zed multicheck attribute.body=40 attribute.luck=30 skill.melee=3 pk=1",
        "set zed on.melee=body --why x",
        "set mara weapon.knife=1d6 --why x",
    ):
        assert type_in(words).exit_code == 0, words
    return table


@pytest.mark.parametrize(
    "words", ["choose r = 20", "choose reroll = 20", "choose last reroll = 20", "choose {} r = 20"]
)
def test_a_choice_may_be_typed_without_dashes(offers: Path, type_in: Type, words: str) -> None:
    type_in("multicheck test zed melee --faces 91")
    assert "zed PK 1 → 0" in type_in(words.format(head(offers))).output


def test_a_number_alone_is_the_choice(offers: Path, type_in: Type) -> None:
    type_in("edge damage mara knife --faces 3")
    assert "mara edge 4 → 3" in type_in("choose 1 = 4").output


def test_a_number_alone_answers_a_question(offers: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 5 --edge --faces 7,3,5")
    assert "7 + 5 + 5; 3 dropped" in type_in("choose 3").output


def test_the_number_of_an_entry_with_a_choice_is_that_entry(offers: Path, type_in: Type) -> None:
    type_in("edge damage mara knife --faces 3")
    old = head(offers)
    type_in("edge damage mara knife --faces 4")
    assert "The offer from #20 has expired." in type_in(f"choose {old}").stderr


@pytest.mark.parametrize("words", ["choose 3", "choose 0", "choose 2 5"])
def test_a_number_without_an_open_choice_is_an_entry(offers: Path, type_in: Type, words: str) -> None:
    assert "no question" in type_in(words).stderr.replace("There is no entry #0", "no question")


def test_a_number_is_no_choice_between_words(offers: Path, type_in: Type) -> None:
    type_in("multicheck test zed melee --faces 91")
    assert "no question" in type_in("choose 3").stderr
