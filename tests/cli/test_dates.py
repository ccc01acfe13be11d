"""A wrong clock at the terminal: the error shows both times, and one confirmation corrects the dates."""

import shlex
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.context import Invocation
from cli.main import campaign
from ledger.journal.book import open_book
from table import seeded_dice, seeded_salts
from terminal import command, typed_at_a_terminal

At = Callable[..., Result]


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> At:
    """Type a command while the clock shows this time, in UTC."""
    monkeypatch.chdir(tmp_path)
    salts, dice = seeded_salts(), seeded_dice()

    def typed(now: str, words: str, code: int = 0) -> Result:
        moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
        invocation = Invocation(clock=lambda: moment, chance=dice, salts=salts)
        result = CliRunner().invoke(campaign, shlex.split(words), obj=invocation, prog_name="campaign")
        assert result.exit_code == code, result.output
        return result

    return typed


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Move this computer to a time zone."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def test_a_command_on_a_clock_of_the_year_2100_is_refused_and_writes_nothing(at: At) -> None:
    at("2026-11-20 19:00", "init Road --gm Tom")
    refused = at("2100-01-01 00:00", "note 'wrong clock'", 3)
    assert refused.stderr.splitlines() == [
        "Error: This computer's clock says 2100-01-01 00:00 UTC. The last entry was made 26,704 days earlier"
        ": 2026-11-20 19:00 UTC. Nothing was written.",
        "Hint: Set the clock. If the clock is right, add --clock-ok.",
    ]
    assert "note" not in at("2026-11-20 19:01", "log -n all").stdout


def test_after_a_clock_that_was_a_century_ahead_one_confirmation_brings_the_dates_back(at: At) -> None:
    at("2026-11-20 19:00", "init Road --gm Tom")
    at("2026-11-20 19:00", "join mara edge maximum=4 edge=3")
    at("2100-01-01 00:00", "note 'wrong clock' --clock-ok")
    at("2026-11-21 19:00", "session open Two", 3)
    at("2026-11-21 19:00", "session open Two --clock-ok")
    at("2026-11-21 19:05", "adjust mara edge=+1 --why tonight")
    assert "2026-11-21 19:05:00 UTC" in at("2026-11-21 19:06", "show").stdout
    assert "Session 1: Two (2026-11-21)" in at("2026-11-21 19:06", "chronicle").stdout
    assert "edge  4 of 4" in at("2026-11-21 19:06", "sheets mara --at 2027-01-01").stdout
    assert "edge  3 of 4" in at("2026-11-21 19:06", "sheets mara --at 2026-11-20").stdout


def test_after_a_clock_that_was_a_week_ahead_the_rest_of_the_evening_has_its_date(at: At) -> None:
    at("2026-11-20 19:00", "init Road --gm Tom")
    at("2026-11-20 19:00", "join mara edge maximum=4 edge=4")
    at("2026-11-27 19:30", "note 'a week ahead'")
    assert (
        "The last entry has a later time than the clock: 2026-11-27 19:30 UTC"
        in at("2026-11-21 19:00", "note x", 3).stderr
    )
    at("2026-11-21 19:00", "session open 'On a right clock' --clock-ok")
    at("2026-11-21 19:01", "adjust mara edge=-1 --why rest")
    assert "2026-11-21 19:01:00 UTC" in at("2026-11-21 19:02", "show").stdout
    assert "On a right clock (2026-11-21)" in at("2026-11-21 19:02", "recap").stdout
    for day in ("2026-11-21", "2026-11-26"):
        assert "edge  3 of 4" in at("2026-11-21 19:02", f"sheets mara --at {day}").stdout
    for later in ("2026-11-21 19:03", "2026-12-01 19:03", "2028-01-01 19:03"):
        audit = at(later, "audit").stdout
        assert (
            "#5: When this was written, the clock said 2026-11-21 19:00 UTC, but an earlier entry is dated 2026-11-27 19:30 UTC. One of the clocks was wrong."
            in audit
        ), audit
        assert "Each entry has the time of the computer that wrote it" in audit


TYPED = ("session open Friday", "adjust mara edge=-1 --why paid")


@pytest.mark.parametrize(
    ("zone", "begins", "day", "shown"),
    [
        ("America/New_York", "2026-11-21 00:30", "2026-11-20", "2026-11-20 19:31:00 -05:00"),
        ("America/Los_Angeles", "2026-11-25 03:00", "2026-11-24", "2026-11-24 19:01:00 -08:00"),
        ("Asia/Kolkata", "2026-11-20 20:00", "2026-11-21", "2026-11-21 01:31:00 +05:30"),
        ("UTC", "2026-11-20 20:00", "2026-11-20", "2026-11-20 20:01:00 UTC"),
    ],
)
def test_a_session_has_the_date_of_its_evening_and_printed_dates_can_be_typed(
    at: At, in_zone: Callable[[str], None], zone: str, begins: str, day: str, shown: str
) -> None:
    in_zone(zone)
    later = f"{begins[:-1]}1"
    at(begins, "init Road --gm Tom")
    at(begins, "join mara edge maximum=4 edge=4")
    for words in TYPED:
        at(later, words)
    for elsewhere in (zone, "Pacific/Auckland"):
        in_zone(elsewhere)
        assert f"Friday ({day})" in at(later, "recap").stdout
        assert f"Session 1: Friday ({day})" in at(later, "chronicle").stdout
        assert f"({day})" in at(later, "recap --markdown").stdout
        assert f"by Tom (p1), {shown}" in at(later, "show 5").stdout
        assert "edge  3 of 4" in at(later, f"sheets mara --at {day}").stdout
        for typed in (shown, shown[:16], later.replace(" ", "T") + "Z", f"{later} UTC"):
            assert "edge  3 of 4" in at(later, f"sheets mara --at '{typed}'").stdout, typed
        assert "edge  4 of 4" in at(later, f"sheets mara --at '{begins}:00 UTC'").stdout


def test_before_the_first_session_times_are_in_the_zone_of_the_computer(at: At, in_zone: Callable[[str], None]) -> None:
    in_zone("America/Los_Angeles")
    at("2026-11-25 03:00", "init Road --gm Tom")
    assert "by Tom (p1), 2026-11-24 19:00:00 -08:00" in at("2026-11-25 03:01", "show 1").stdout
    refused = at("2026-11-25 03:01", "sheets --at 2026-11-23", 3)
    assert "2026-11-23 is before the start of this campaign (2026-11-24 19:00 -08:00)." in refused.stderr


def test_a_seal_until_today_is_of_the_local_day(at: At, in_zone: Callable[[str], None]) -> None:
    in_zone("America/Los_Angeles")
    at("2026-11-25 03:00", "init Road --gm Tom")
    at("2026-11-25 03:00", "join mara edge maximum=4 edge=4")
    at("2026-11-25 03:00", "edge check mara --skill 9 --seal --until 2026-11-24")
    refused = at("2026-11-25 03:00", "edge check mara --skill 9 --seal --until 2026-11-23", 2)
    assert "2026-11-23 is in the past" in refused.stderr


def test_a_session_repeated_from_another_zone_is_the_same_session(at: At, in_zone: Callable[[str], None]) -> None:
    in_zone("America/New_York")
    at("2026-11-21 00:30", "init Road --gm Tom")
    at("2026-11-21 00:30", "session open Friday --once evening")
    in_zone("Asia/Kolkata")
    at("2026-11-21 00:31", "session open Friday --once evening")


def test_undo_with_an_accepted_clock_needs_no_second_confirmation(at: At) -> None:
    at("2026-11-20 19:00", "init Road --gm Tom")
    at("2026-11-20 19:00", "note x")
    at("2026-11-20 18:00", "undo", 3)
    at("2026-11-20 18:00", "undo --clock-ok")
    at("2026-11-20 18:01", "note y")


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False)])
def test_a_terminal_asks_whether_the_clock_is_right(at: At, tmp_path: Path, answer: str, written: bool) -> None:
    at("2090-11-20 19:00", "init Road --gm Tom")
    screen = typed_at_a_terminal(command(tmp_path / "road.campaign", "note", "x"), [("clock right?", answer)], TZ="UTC")
    assert "The last entry has a later time than the clock: 2090-11-20 19:00 UTC" in " ".join(screen.split())
    with open_book(str(tmp_path / "road.campaign")) as book:
        assert book.head() == (3 if written else 2)
