"""Seats at the terminal: what the lines say when players leave, come back, lend characters and hand over the game."""

from pathlib import Path

import pytest

from terminal import Type


@pytest.fixture
def seated(type_in: Type, folder: Path) -> Type:
    """A campaign in which Ana plays mara and Ben plays brak."""
    type_in("player Ben --plays brak")
    return type_in


def test_a_player_leaves_by_name_and_comes_back_by_name(seated: Type) -> None:
    assert seated("leave ben").stdout.endswith("Ben leaves the table; brak has no player now\n")
    assert "Ben" not in seated("players").stdout
    hint = "Hint: Ben left the table. To bring Ben back: campaign player Ben"
    assert hint in seated("note hello --by ben").stderr
    assert "Ben left the table." in seated("leave Ben").stderr
    assert seated("player ben").stdout.endswith("ben is back as player p3\n")
    assert "p3   ben  plays brak\n" in seated("players").stdout


def test_a_name_of_a_player_and_a_character_names_both(seated: Type) -> None:
    seated("player Cleo --plays ben")
    refused = seated("leave Ben")
    assert refused.exit_code == 3
    assert refused.stderr == (
        "Error: 'Ben' is the name of a player and of a character.\n"
        "Hint: For the player, type p3. For the character, type @ben.\n"
    )
    assert seated("leave @ben").stdout.endswith("ben leaves the table\n")
    assert seated("leave p3").stdout.endswith("Ben leaves the table; brak has no player now\n")


def test_nobody_can_leave_who_is_not_there(seated: Type) -> None:
    assert "The cast is: brak, mara. Players at the table: Ana, Ben, Tom." in seated("leave ghost").stderr


def test_a_character_that_left_is_named_with_the_way_back(seated: Type) -> None:
    seated("leave mara")
    assert "To bring mara back: campaign join mara" in seated("leave mara").stderr


def test_the_log_keeps_the_name_of_a_player_who_left(seated: Type) -> None:
    seated("note hello --by Ben")
    seated("leave Ben")
    assert "note: hello   (entered by Ben)" in seated("log").stdout
    assert "by Ben (p3)" in seated("show 9").stdout


def test_the_name_of_a_player_who_left_can_be_erased(seated: Type) -> None:
    seated("leave Ben")
    assert seated("erase --player Ben --yes").exit_code == 0
    assert "Ben" not in seated("log").stdout


def test_a_new_gm_is_named_with_the_key(seated: Type) -> None:
    assert seated("player Tom --no-gm").stderr == (
        "Error: Tom is the only GM.\nHint: Make another player a GM first: campaign player NAME --gm\n"
    )
    seated("player Eva --gm")
    assert "From now on" not in seated("player Tom --no-gm --dry-run").stderr
    done = seated("player Tom --no-gm")
    assert done.stdout.endswith("Tom is player p1, no longer a GM\n")
    assert done.stderr == (
        "From now on, a command without --by is recorded as Eva's.\n"
        "This computer still has the campaign's key. To give Eva the key: campaign key export FILE\n"
        "To replace the key, so that nobody can sign with a copy of the old key: campaign key rotate\n"
    )
    assert "by Eva (p4)" in (seated("note hello"), seated("show"))[1].stdout


def test_a_gm_who_leaves_is_told_about_the_key_as_one_who_steps_down(seated: Type) -> None:
    seated("player Eva --gm")
    assert seated("leave Ben").stderr == ""
    assert seated("leave Tom --dry-run").stderr == "Dry run: nothing was written.\n"
    assert seated("leave Tom").stderr == (
        "From now on, a command without --by is recorded as Eva's.\n"
        "This computer still has the campaign's key. To give Eva the key: campaign key export FILE\n"
        "To replace the key, so that nobody can sign with a copy of the old key: campaign key rotate\n"
    )


def test_a_character_is_lent_for_a_session(seated: Type) -> None:
    assert "No session is open." in seated("player Ben --plays mara --session").stderr
    seated("session open One")
    done = seated("player Ben --plays mara --session")
    assert done.stdout.endswith("Ben is player p3 and plays mara (usually played by Ana) until session 1 closes\n")
    assert "p3   Ben  plays brak, mara\n" in seated("players").stdout
    assert seated("player Ben --plays mara --session").stderr.startswith("Error: Ben already plays mara.")
    seated("session close")
    assert "p2   Ana  plays mara\n" in seated("players").stdout


def test_the_usual_player_can_take_a_lent_character_back(seated: Type) -> None:
    seated("session open One")
    seated("player Ben --plays mara --session")
    assert seated("player Ana --plays mara").stdout.endswith("Ana is player p2 and plays mara\n")
    assert "p2   Ana  plays mara\n" in seated("players").stdout
    assert "Ana already plays mara." in seated("player Ana --plays mara").stderr


def test_a_borrower_can_keep_a_lent_character(seated: Type) -> None:
    seated("session open One")
    seated("player Ben --plays mara --session")
    done = seated("player Ben --plays mara")
    assert done.stdout.endswith("Ben is player p3 and plays mara (until now played by Ana)\n")
    seated("session close")
    assert "p3   Ben  plays brak, mara\n" in seated("players").stdout


def test_a_player_who_acts_is_present_and_the_line_says_how_to_take_that_back(seated: Type) -> None:
    seated("session open One --present Ana")
    done = seated("roll brak d20 --faces 3")
    assert done.stdout.splitlines() == ["#11   brak rolls d20 = 3   [3]", "#12   Ben is present"]
    assert done.stderr == "Ben was not listed as present. If Ben is absent: campaign void 12 --why TEXT\n"
    assert seated("roll brak d20 --faces 3").stderr == ""
    assert "here     Tom (GM), Ana (mara), Ben (brak)\n" in seated("status").stdout
    assert "Tom was the GM. Ana played Mara and Ben played Brak." in seated("recap").stdout


def test_the_audit_has_nothing_to_say_about_a_player_who_is_present(seated: Type) -> None:
    seated("session open One --present Ana")
    assert seated("note hello --by Ben").stdout.endswith("#11   Ben is present\n")
    seated("session present Tom --by Ben")
    assert "Remark" not in seated("audit").stdout


def test_the_gm_says_who_comes_later(seated: Type) -> None:
    seated("session open One --present Ana")
    assert seated("session present Ben").stdout == "#10   Ben is present\n"
    assert seated("session present Ben").stderr == "Error: Ben is already present.\n"
    assert seated("undo").stdout.startswith("#11   undoes #10 (Ben is present)")


@pytest.mark.parametrize("names", ["Tom,Ben", "Tom Ben", "Tom, Ben", "Ana , Ben", "'Ana, Ben'"])
def test_a_list_of_those_present_leaves_out_the_gm_and_who_is_present_already(seated: Type, names: str) -> None:
    seated("session open One --present Ana")
    assert seated(f"session present {names} --once a").stdout == "#10   Ben is present\n"
    assert "#10   Ben is present" in seated(f"session present {names} --once a").stdout
    assert seated("session present Tom,Ana,Ben").stderr == "Error: They are already present.\n"


@pytest.mark.parametrize("names", ["all", "All", "Ana,all"])
def test_all_who_are_present_are_all_players_at_the_table(seated: Type, names: str) -> None:
    seated("player Cleo")
    seated("leave Cleo")
    opened = seated(f"session open One --present {names}").stdout
    assert sorted(opened.strip().partition("present: ")[2].split(", ")) == ["Ana", "Ben", "Tom"]


def test_all_may_be_typed_for_those_who_come_later_and_in_an_amendment(seated: Type) -> None:
    seated("session open One --present Ana")
    assert seated("session present all").stdout.endswith("Ben is present\n")
    assert "present Tom, Ana, Ben" in seated("amend 9 --present all --why late --yes").stdout


def test_all_means_a_player_with_this_name_and_never_the_readers_of_a_note(seated: Type) -> None:
    assert "Nobody called 'all' sits at this table." in seated("note hello --only all").stderr
    seated("player All")
    assert seated("session open One --present all").stdout.endswith("present: All\n")


def test_a_roll_for_all_includes_the_player_who_came_later(seated: Type) -> None:
    seated("session open One --present Ana")
    assert "Not included: brak (Ben is absent).\n" in seated("roll all d6").stderr
    seated("session present Ben")
    assert "Not included" not in seated("roll all d6").stderr


def test_plays_needs_no_hyphens(type_in: Type, folder: Path) -> None:
    assert "Zed is player p3 and plays zara\n" in type_in("player Zed plays zara").stdout
    assert "plays is player p4\n" in type_in("player plays").stdout
