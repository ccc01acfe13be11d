"""The command `luck`: what a player sees of the dice, in words, bars and JSON."""

from pathlib import Path

import pytest

from cli.render.layout import display_width
from terminal import Type, command, completed, head, rows, typed_at_a_terminal

UNFAIR = ",".join(["6"] * 21 + ["1", "2", "3", "4", "5"] * 3)


def test_a_histogram_shows_what_was_rolled_and_what_was_expected(folder: Path, type_in: Type) -> None:
    type_in("roll mara 6d6 --faces 1,2,2,3,3,3")
    shown = type_in("luck")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.splitlines() == [
        "Ana: d6, typed in: 6 rolls, mean 2.33; the mean of fair dice is 3.50",
        "  face  rolled  expected",
        f"     1       1       1.0  {'█' * 18}│",
        f"     2       2       1.0  {'█' * 18}│{'█' * 17}",
        f"     3       3       1.0  {'█' * 18}│{'█' * 35}",
        f"     4       0       1.0  {' ' * 18}│",
        f"     5       0       1.0  {' ' * 18}│",
        f"     6       0       1.0  {' ' * 18}│",
        "  No verdict yet. The test needs at least 30 rolls of a d6. Still needed: 24 more rolls.",
    ]


def test_a_die_with_many_sides_is_grouped_and_dice_have_an_empty_line_between_them(folder: Path, type_in: Type) -> None:
    type_in("roll mara d100+d30+d20 --faces 100,30,20")
    shown = type_in("luck").stdout
    assert [len(part.splitlines()) for part in shown.split("\n\n")] == [2, 2, 2]  # too few rolls for a chart
    d20, d30, d100 = (type_in(f"luck --die {die}").stdout.splitlines()[2:-1] for die in ("d20", "d30", "d100"))
    assert (len(d20), len(d30), len(d100)) == (20, 15, 20)
    assert d30[-1].split()[:3] == ["29–30", "1", "0.1"]
    assert d100[-1].split()[0] == "96–100"
    assert "No verdict yet. The test needs at least 100 rolls of a d20. Still needed: 99 more rolls." in shown


def test_the_verdicts_are_in_the_promised_words(folder: Path, type_in: Type) -> None:
    type_in(f"roll mara 36d6 --faces {UNFAIR}")
    type_in("roll mara 4d6")
    type_in("roll brak 60d6 --faces " + ",".join("123456" * 10))
    shown = type_in("luck").stdout
    assert "  Verdict: not consistent with fair dice.\n" in shown
    assert "  Verdict: consistent with fair dice.\n" in shown
    assert "Ana: d6, rolled by the computer: 4 rolls" in shown
    (machine,) = (line for line in shown.splitlines() if "No verdict" in line)
    assert machine == "  No verdict yet. The test needs at least 30 rolls of a d6. Still needed: 26 more rolls."


def test_the_verdict_says_if_it_uses_more_rolls_than_are_shown(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    type_in(f"roll mara 36d6 --faces {UNFAIR}")
    type_in("session close")
    type_in("session open Two")
    type_in("roll Ana d6 --faces 1")
    assert "Verdict on all 37 rolls: not consistent with fair dice." in type_in("luck --session 2").stdout
    shown = type_in("luck Ana").stdout
    assert "  rolls by character: mara 36 rolls, mean 4.75; Ana 1 roll, mean 1.00\n" in shown
    assert "  rolls by session: 1: 36 rolls, mean 4.75; 2: 1 roll, mean 1.00\n" in shown
    assert "by character" not in type_in("luck mara").stdout


def test_of_many_sessions_the_last_are_listed(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6 --faces 6")
    for number in range(10):
        type_in(f"session open {number}")
        type_in("roll mara d6 --faces 2")
        type_in("session close")
    (listed,) = (line for line in type_in("luck").stdout.splitlines() if "by session" in line)
    assert listed.startswith("  rolls by session: 1 to 2: 2 rolls, mean 2.00; 3: 1 roll, mean 2.00; ")
    assert listed.endswith("; 10: 1 roll, mean 2.00; not in a session: 1 roll, mean 6.00")


def test_sealed_rolls_are_named(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6 --seal --faces 6")
    sealed = head(folder)
    assert type_in("luck").stderr == "There are no dice rolls yet.\n"
    type_in(f"reveal {sealed}")
    assert type_in("luck").stdout.endswith(
        "at least 30 rolls of a d6. Still needed: 30 more rolls. 1 sealed roll was not tested.\n"
    )
    type_in("roll mara 2d6 --seal --faces 6,5")
    type_in(f"reveal {head(folder)}")
    type_in("roll mara 29d6")
    assert "3 sealed rolls were not tested." in type_in("luck").stdout


def test_one_roll_may_be_missing(folder: Path, type_in: Type) -> None:
    type_in("roll mara 29d6")
    assert "at least 30 rolls of a d6. Still needed: 1 more roll." in type_in("luck").stdout


def test_the_evidence_is_shown_on_request(folder: Path, type_in: Type) -> None:
    type_in("roll mara 12d6 --faces " + ",".join("123456" * 2))
    assert (
        "The evidence for loaded dice is 0.63 to 1. Above 200 to 1, the verdict changes." in type_in("luck -v").stdout
    )
    type_in("roll mara 36d6 --faces " + ",".join("6" * 36))
    assert "The evidence for loaded dice is more than 1,000,000 to 1." in type_in("luck -v").stdout


def test_a_program_gets_an_object_for_each_die(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    type_in("roll mara 2d6 --faces 1,4")
    (die,) = rows(type_in("luck --json").stdout)
    assert die == {
        "player": "p2",
        "name": "Ana",
        "sides": 6,
        "source": "typed",
        "rolls": 2,
        "mean": 2.5,
        "expected_mean": 3.5,
        "expected": 0.3333,
        "faces": [1, 0, 0, 1, 0, 0],
        "sealed": 0,
        "parts": [{"who": "mara", "name": "mara", "session": 1, "rolls": 2, "mean": 2.5, "faces": [1, 0, 0, 1, 0, 0]}],
        "test": {"rolls": 2, "least": 30, "missing": 28, "verdict": None, "evidence": -0.02, "limit": 2.3},
    }
    assert type_in("luck brak --json").output == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("", "There are no dice rolls yet.\n"),
        ("mara", "There are no dice rolls of mara yet.\n"),
        ("Ana --die d20", "There are no d20 rolls of Ana yet.\n"),
        ("--die d% --session 1", "There are no d100 rolls in session 1 yet.\n"),
    ],
)
def test_a_look_that_finds_no_dice_says_so(words: str, says: str, folder: Path, type_in: Type) -> None:
    type_in("session open One")
    shown = type_in(f"luck {words}")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", says)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (
            "ghost",
            3,
            "Error: Nobody called 'ghost' plays in this campaign.\nHint: The cast is: brak, mara. Players at the table: Ana, Tom.\n",
        ),
        ("--die d1", 2, "Error: Invalid value for '--die': d1 is not a die. Type a die such as d20.\n"),
        ("--die coin", 2, "Error: Invalid value for '--die': coin is not a die. Type a die such as d20.\n"),
        ("--session 3", 3, "Error: This campaign never reached session 3.\n"),
        ("--session 0", 2, "Error: Invalid value for '--session': 0 is not between 1 and 1000000.\n"),
    ],
)
def test_wrong_words_are_refused_in_a_sentence(words: str, code: int, says: str, folder: Path, type_in: Type) -> None:
    refused = type_in(f"luck {words}")
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert refused.stderr.endswith(says)


@pytest.mark.parametrize("die", ["d20", "20", "1d20", "D20"])
def test_a_die_may_be_typed_in_several_ways(die: str, folder: Path, type_in: Type) -> None:
    type_in("roll mara d20+d6")
    assert [row["sides"] for row in rows(type_in(f"luck --die {die} --json").stdout)] == [20]


def test_completion_knows_who_rolls_and_the_usual_dice(folder: Path) -> None:
    assert completed("luck", "m") == ["mara"]
    assert completed("luck", "p") == ["p1", "p2"]
    assert completed("luck --die", "d1") == ["d10", "d12", "d100"]
    assert "luck" in completed("", "lu")


def test_l_still_means_the_log_and_lu_means_luck(folder: Path, type_in: Type) -> None:
    type_in("roll mara d6 --faces 3")
    log, luck = type_in("log").output, type_in("luck").output
    assert (type_in("l").output, type_in("lo").output, type_in("lu").output) == (log, log, luck)
    seen = type_in("play", input="l\nlu\n").output
    assert log in seen
    assert luck in seen


@pytest.mark.parametrize("width", [80, 40])
def test_no_line_is_wider_than_the_terminal(width: int, file: Path, type_in: Type) -> None:
    type_in(f"-f {file} roll mara 24d100+24d6")
    for words in ("luck -v", "luck --die d%"):
        shown = typed_at_a_terminal(command(file, *words.split()), [], size=(500, width), NO_COLOR="1")
        assert max(map(display_width, shown.splitlines())) <= width
        assert "\x1b" not in shown


def test_an_ascii_terminal_gets_bars_of_ascii_characters(file: Path, type_in: Type) -> None:
    type_in(f"-f {file} roll mara d100 --faces 96")
    shown = typed_at_a_terminal(command(file, "luck", "--die", "d100"), [], size=(500, 80), PYTHONIOENCODING="ascii")
    assert "  96-100       1       0.1  ###|#####" in shown
    assert shown.isascii()
