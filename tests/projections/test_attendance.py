"""The people in the recap: the GM, the players with their characters, and those who came, left or took over."""

from pathlib import Path

import pytest

from laid import laid_out
from terminal import Type, head, rows

FIRST = ("player Ben --plays brak", "session open One", "edge rest mara short", "edge rest brak short", "session close")


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    """A table of three after the first session: Tom, the GM, Ana with Mara, and Ben with Brak."""
    laid_out(folder, *FIRST)
    return type_in


def there(type_in: Type, *lines: str) -> list[str]:
    """Type lines; return the sentences of the recap about the people."""
    for line in lines:
        done = type_in(line)
        assert done.exit_code == 0, (line, done.output)
    (facts,) = rows(type_in("recap --json").stdout)
    sentences: list[str] = facts["there"]
    return sentences


def test_the_gm_and_the_players_who_acted_were_there(table: Type) -> None:
    assert there(table) == ["Tom was the GM. Ana played Mara and Ben played Brak."]


def test_a_player_without_a_character_and_a_gm_with_one(table: Type) -> None:
    lines = ("player Cleo", "player Tom --plays sam", "join sam free hp=5", "player Eva --gm")
    opened = "session open Two --present Ana,Cleo"
    assert there(table, *lines, opened, "roll sam d6") == [
        "Tom and Eva were the GMs. Ana played Mara and Tom played Sam. Cleo was there, too.",
        "Cleo and Eva joined the group.",
        "Eva became a GM.",
    ]


def test_a_player_whose_presence_was_canceled_played_nobody(table: Type, folder: Path) -> None:
    assert there(table, "session open Two --present Ana", "edge rest brak short")[0] == (
        "Tom was the GM. Ana played Mara and Ben played Brak."
    )
    assert there(table, f"void {head(folder)} --why absent --yes") == ["Tom was the GM. Ana played Mara."]


def test_a_character_that_a_gm_owns_is_named_only_if_it_acted(table: Type) -> None:
    lines = ("player Tom --plays sam", "join sam free hp=5", "session open Two", "edge rest mara short")
    assert there(table, *lines) == ["Tom was the GM. Ana played Mara."]


def test_a_player_who_leaves_and_one_who_comes_back(table: Type) -> None:
    lines = ("leave Ben", "session open Two", "edge rest mara short")
    assert there(table, *lines)[1:] == ["Ben left the group."]
    assert there(table, "session close", "player Ben", "session open Three", "edge rest mara short")[1:] == [
        "Ben came back to the group."
    ]


@pytest.mark.parametrize(
    ("why", "left"),
    [
        ("last train", "Ben left: “last train.”"),
        ("his last train goes", "Ben left, because his last train went."),
        ("wants to sleep", "Ben left, because Ben wanted to sleep."),
    ],
)
def test_the_reason_of_a_player_who_left_is_told_or_quoted(table: Type, why: str, left: str) -> None:
    lines = ("session open Two", "edge rest mara short", f"leave Ben --why '{why}'")
    assert there(table, *lines)[1:] == [left]


def test_a_player_who_acted_and_left_was_there(table: Type) -> None:
    told = there(table, "session open Two", "edge rest mara short", "edge rest brak short", "leave Ben")
    assert told == ["Tom was the GM. Ben played Brak and Ana played Mara.", "Ben left the group."]


def test_a_player_who_was_added_after_the_first_action_came_late(table: Type, folder: Path) -> None:
    lines = ("session open Two --present Ana", "edge rest mara short", "session present Ben")
    assert there(table, *lines)[1:] == ["Ben came late."]
    assert there(table, f"void {head(folder)} --why absent --yes")[1:] == []


def test_a_player_who_was_added_before_the_first_action_or_by_acting_is_not_late(table: Type) -> None:
    lines = ("session open Two --present Tom", "session present Ana", "edge rest mara short", "edge rest brak short")
    assert there(table, *lines)[1:] == []


def test_a_player_takes_over_a_character(table: Type) -> None:
    lines = ("session open Two", "player Ana --plays brak", "edge rest brak short")
    assert there(table, *lines) == ["Tom was the GM. Ana played Brak.", "Ana took over Brak from Ben."]


def test_a_player_who_hands_over_a_character_and_leaves_has_played_it(table: Type) -> None:
    lines = ("session open Two --present Ben", "edge rest brak short", "player Ana --plays brak", "leave Ben")
    assert there(table, *lines) == [
        "Tom was the GM. Ben played Brak.",
        "Ben left the group.",
        "Ana took over Brak from Ben.",
    ]


def test_a_character_is_lent_for_a_session(table: Type) -> None:
    lines = ("session open Two", "player Ana --plays brak --session", "edge rest brak short")
    assert there(table, *lines)[1:] == ["Ana played Brak in place of Ben."]
    assert there(table, "session close", "session open Three", "edge rest brak short")[1:] == []


def test_a_character_of_nobody_is_lent_without_a_word_about_its_player(table: Type) -> None:
    lines = ("join sam free hp=5", "session open Two", "player Ana --plays sam --session", "roll sam d6")
    assert there(table, *lines)[1:] == []


def test_the_role_of_gm_is_handed_over_or_given_up(table: Type) -> None:
    lines = ("player Ana --gm", "player Tom --no-gm", "session open Two", "edge rest mara short")
    assert there(table, *lines)[1:] == ["Tom handed the role of GM over to Ana."]
    assert there(table, "session close", "player Tom --gm", "session open Three", "edge rest mara short")[1:] == [
        "Tom became a GM."
    ]
    assert there(table, "session close", "player Tom --no-gm", "session open Four", "edge rest mara short")[1:] == [
        "Tom gave up the role of GM."
    ]


def test_two_new_gms(table: Type) -> None:
    lines = ("player Ana --gm", "player Ben --gm", "session open Two", "edge rest mara short")
    assert there(table, *lines)[1:] == ["Ana and Ben became GMs."]


def test_nobody_joins_in_the_first_session(folder: Path, type_in: Type) -> None:
    laid_out(folder, "session open One", "player Ben --plays brak", "edge rest brak short")
    assert there(type_in) == ["Tom was the GM. Ben played Brak."]


def test_a_table_without_players_has_characters(folder: Path, type_in: Type) -> None:
    lines = ("init Alone", "session open One", "join mara free hp=5", "npc goblin", "roll mara d6", "roll goblin d6")
    for line in lines:
        done = type_in(f"-f {folder / 'alone.campaign'} {line}")
        assert done.exit_code == 0, (line, done.output)
    assert "    Mara took part.\n" in type_in(f"-f {folder / 'alone.campaign'} recap").stdout
