"""The calendar on the page: the GM pastes it, and everybody sees the date."""

from pathlib import Path

from markupsafe import escape

from at_page import Place

FROST = """\
first = { day = 2, month = "Frost", year = 1021 }

[months]
Frost = 3
Thaw = 4
"""


def moment(place: Place) -> str:
    """The state of play that a player sees."""
    return place.ask("player", "GET", "/").text.partition('<p id="moment"')[2].partition("</p>")[0].strip()


def test_the_gm_pastes_a_calendar_with_its_lines(shm: Path) -> None:
    place = Place(shm)
    assert '<textarea id="g-calendar-calendar" name="calendar"' in place.ask("gm", "GET", "/gm").text
    assert place.fills_in("gm", "calendar", {"calendar": FROST.replace("\n", "\r\n")}).status == 200
    assert place.say("gm", "day", {"count": 4}).status == 200
    assert moment(place).endswith(" · day 4: 2 Thaw 1021")
    assert f">{escape(FROST)}</textarea>" in place.ask("gm", "GET", "/gm").text, "the form shows the current one"
    assert place.fills_in("gm", "calendar", {"calendar": ""}).status == 200
    assert moment(place).endswith(" · day 4")
