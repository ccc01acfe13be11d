"""Names on the page: full names are shown, and players can rename themselves and their own characters."""

from pathlib import Path

from at_page import Place

FULL = "Mara O&#39;Malley"
NAMED = ('rename mara "Mara O\'Malley"', "turns add mara 12", "turns next", "adjust mara edge=-1 --why spent")


def test_the_page_shows_full_names(shm: Path) -> None:
    place = Place(shm, NAMED)
    page = place.ask("player", "GET", "/").text
    assert f'<b class="who">{FULL}</b>' in page
    assert f'hx-swap="innerHTML">{FULL}</a>' in page
    assert f"<h3>{FULL} <small>edge</small></h3>" in page
    assert f"<h3>{FULL} <small>" in place.ask("player", "GET", "/do/mara").text
    assert f"<h3>{FULL} edge check</h3>" in place.ask("player", "GET", "/do/mara/edge/check").text
    assert f"<h3>{FULL} · edge" in place.ask("player", "GET", "/why/mara?score=edge").text
    assert FULL in place.ask("player", "GET", "/story").text


def test_a_page_of_an_earlier_time_shows_the_names_of_that_time(shm: Path) -> None:
    place = Place(shm, (*NAMED, "rename mara Mia"))
    head = place.head()
    assert f"<h3>{FULL} <small>edge" in place.ask("player", "GET", f"/then?at={head - 1}").text
    assert "<h3>Mia <small>edge" in place.ask("player", "GET", f"/then?at={head}").text


def test_an_emoji_and_a_name_from_right_to_left_are_shown_as_they_are(shm: Path) -> None:
    family, name = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "שרה\u200f"
    place = Place(shm, (f"note {family}", f"rename mara {name}"))
    page = place.ask("player", "GET", "/").text
    assert family in page
    assert name in page


def test_players_rename_themselves_and_their_own_characters_and_nobody_else(shm: Path) -> None:
    place = Place(shm)
    for who, named, status in (
        ("mara", "Mia", 200),
        ("p2", "Anna", 200),
        ("p1", "Kate", 403),
        ("brak", "Grak", 403),
    ):
        assert place.say("player", "rename", {"who": who, "name": named}).status == status, who
    assert place.say("gm", "rename", {"who": "p1", "name": "Kate"}).status == 200
    assert place.fills_in("player", "rename", {"who": "mara", "name": "Mia the Great"}).status == 200
    assert place.say("player", "rename", {"who": "mara"}).told["detail"].startswith("You did not type a new name.")


def test_the_gm_adds_a_character_with_a_full_name(shm: Path) -> None:
    place = Place(shm)
    body = {"who": "Zoë", "system": "edge", "scores": {"maximum": 3}, "name": "Zoë Ünver"}
    assert place.say("gm", "join", body).status == 200
    assert "Zoë Ünver joins edge" not in place.ask("gm", "GET", "/").text
    assert '<b class="who">Zoë Ünver</b> joins edge' in place.ask("gm", "GET", "/").text
