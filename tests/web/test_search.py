"""The search of the feed: what is found, by whom, and that the index follows the campaign."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner

from at_page import BEN, Place
from cli.context import Invocation
from cli.main import campaign
from ledger.events.types import EVENTS
from projections.log import line, lines
from projections.search import EVENTS_BY_KIND, Query, line_text
from table import seeded_dice, seeded_salts
from web.people import Person

pytestmark = pytest.mark.usefixtures("unhurried")

LINES = (
    "edge check mara --skill 11 --target 21 --for 'climbs the Čáslav wall' --faces 7,6",  # 15 16
    "note 'the river rises' --by Ana",  # 17
    "note 'the guide is a spy' --only Ana",  # 18
    "note 'the miller lies' --secret",  # 19
    "session close",
    "session open 'The bridge'",
    "scene 'At the gate'",
    "edge check brak --skill 3 --target 20 --faces 7,6",
    "undo",
)


CONTEST = (
    "day next",
    "byzantine contest duel --acting mara --against brak --ability mara=cunning,brak=guard --kind attack",
    "byzantine commit mara duel 5 --for 'a daring leap'",
    "byzantine commit brak duel 4",
    "byzantine resolve duel",
)


@pytest.fixture
def place(shm: Path) -> Iterator[Place]:
    place = Place(shm, LINES)
    place.secrets["ben"] = place.comes_in("player", BEN)
    yield place
    place.site.index.stop()
    until(lambda: not place.site.index.is_reading)


def found(place: Place, reader: str = "spectator", **asked: str) -> list[int]:
    """The actions that a search finds."""
    page = place.ask(reader, "GET", f"/search?{urlencode(asked)}", headers={"hx-request": "true"}).text
    return [int(act) for act in re.findall(r'<li id="f(\d+)"', page)]


def typed(place: Place, *words: str) -> None:
    """Type a command in a terminal beside the page."""
    invocation = Invocation(clock=place.clock, chance=seeded_dice(), salts=seeded_salts())
    home = {"CAMPAIGN_HOME": str(place.folder / "home")}
    done = CliRunner().invoke(campaign, ["-f", str(place.file), *words], obj=invocation, env=home)
    assert done.exit_code == 0, done.output


def test_every_line_is_found_by_each_of_its_words(place: Place) -> None:
    with place.campaign.snapshot() as book:
        shown = {each.act: line_text(each) for each in lines(book, None)}
    for act, text in shown.items():
        for word in re.findall(r"\w+", text):
            assert act in found(place, words=word), word


@pytest.mark.parametrize("words", ["caslav", "ČÁSLAV", "climb wall", "wall mara", "mara 24"])
def test_capitals_accents_the_order_of_words_and_their_ends_do_not_count(place: Place, words: str) -> None:
    assert found(place, words=words) == [15]


@pytest.mark.parametrize("words", ["limbs", "climbs river", "nothing"])
def test_all_words_must_be_there_from_their_first_letter(place: Place, words: str) -> None:
    assert found(place, words=words) == []
    assert "No line fits." in place.ask("player", "GET", f"/search?{urlencode({'words': words})}").text


def test_without_words_and_filters_there_is_no_list(place: Place) -> None:
    page = place.ask("player", "GET", "/search").text
    assert "No line fits." not in page
    assert found(place) == []


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"who": "brak", "kind": "rolls and moves"}, ["check"]),
        ({"player": "p2"}, ["note: the river rises"]),
        ({"kind": "notes"}, ["note: (secret)", "note for Ana: (secret)", "note: the river rises"]),
        ({"kind": "corrections"}, ["undoes #24 (brak check, marginal failure)"]),
        ({"session": "2", "words": "open"}, ["session 2 opened: The bridge"]),
        ({"session": "9"}, []),
        ({"who": "brak", "words": "river"}, []),
    ],
)
def test_a_filter_leaves_the_lines_that_fit(place: Place, asked: dict[str, str], says: list[str]) -> None:
    with place.campaign.snapshot() as book:
        shown = {each.act: each.says for each in lines(book, None)}
    assert [shown[act] for act in found(place, **asked)] == says


def test_every_event_that_makes_a_line_has_a_kind() -> None:
    alone = [event for event in EVENTS.values() if event.stands_alone]
    assert [event for event in alone if not any(issubclass(event, kind) for kind in EVENTS_BY_KIND.values())] == []


MARCH = "when,player,character,roll,total,note\n2025-03-07,Ana,Orrin,d20,4,Climb\n2025-03-07,Ben,Brak,d20,5,Swim\n"


def test_an_imported_roll_is_found_by_its_character_and_shown_below_its_evening(place: Place) -> None:
    (place.folder / "march.csv").write_text(MARCH, encoding="utf-8")
    (place.folder / "who.toml").write_text('[speakers]\nBrak = "brak"\n', encoding="utf-8")
    typed(place, "import", str(place.folder / "march.csv"), "--mapping", str(place.folder / "who.toml"), "--yes")
    page = place.ask("spectator", "GET", "/search?who=brak&words=d20").text
    assert "Brak rolls d20: 5: Swim" in page
    assert "Climb" not in page
    assert found(place, who="brak", words="climb") == []


@pytest.mark.parametrize(
    ("words", "readers"), [("guide", {"gm", "player"}), ("miller", {"gm"}), ("note guide", {"gm", "player"})]
)
def test_a_secret_is_found_by_those_who_may_read_it_and_by_nobody_else(
    place: Place, words: str, readers: set[str]
) -> None:
    for who in ("gm", "player", "ben", "spectator"):
        assert bool(found(place, who, words=words)) == (who in readers), who


def test_a_revealed_secret_is_found_by_everybody(place: Place) -> None:
    assert found(place, words="miller") == []
    assert place.say("gm", "reveal", {"entry": 19}).status == 200
    assert 19 in found(place, words="miller")


def test_the_commitments_of_a_contest_are_found_from_its_end_on_and_hidden_again_by_its_undo(place: Place) -> None:
    for command in CONTEST:
        typed(place, *shlex.split(command))
    with place.campaign.snapshot() as book:
        acts = book.acts_backwards(book.head())
        commitment = next(act for act in acts if "mara commits" in line_text(line(book, book.action(act))))
    assert found(place, words="daring") == []
    assert place.ask("gm", "GET", f"/entry/{commitment}").text.count("Reveal the secret") == 1
    typed(place, "choose", "--take", "1")
    assert found(place, words="daring") == [commitment]
    assert "Reveal the secret" not in place.ask("gm", "GET", f"/entry/{commitment}").text
    typed(place, "undo")
    assert found(place, words="daring") == []


def test_an_erased_text_is_found_by_nobody(place: Place) -> None:
    assert found(place, words="river") == found(place, "gm", words="river") == [17]
    typed(place, "erase", "17", "--yes")
    assert found(place, words="river") == found(place, "gm", words="river") == []
    assert 17 in found(place, words="erased")


def test_what_is_written_later_is_found_at_once(place: Place) -> None:
    assert found(place, words="owl") == []
    place.say("player", "note", {"text": "an owl"})
    assert found(place, words="owl") == [place.head()]


def test_a_campaign_that_was_put_back_is_read_again(place: Place) -> None:
    place.say("player", "note", {"text": "an owl"})
    assert found(place, words="owl")
    place.put_back()
    place.say("player", "note", {"text": "a fox"})
    assert found(place, words="owl") == []
    assert found(place, words="fox") == [place.head()]


def test_a_long_list_comes_in_parts(place: Place) -> None:
    for number in range(60):
        place.say("player", "note", {"text": f"owl {number}"})
    first = found(place, words="owl")
    second = found(place, words="owl", before=str(first[-1]))
    assert (len(first), len(second)) == (50, 10)
    assert [*first, *second] == list(range(place.head(), place.head() - 60, -1))


@pytest.fixture
def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that reads two lines at once."""
    monkeypatch.setattr("web.search.LINES_AT_ONCE", 2)
    monkeypatch.setattr("web.search.PAUSE_SECONDS", 0.001)


def until(true: Callable[[], bool]) -> None:
    end = monotonic() + 20
    while not true():
        assert monotonic() < end
        sleep(0.01)


@pytest.mark.usefixtures("in_small_parts")
def test_the_latest_lines_are_found_first_and_the_others_follow(place: Place) -> None:
    page = place.ask("player", "GET", "/search?words=a").text
    assert re.search(r"Entries before #\d+ follow …", page)
    until(lambda: found(place, words="climbs") == [15])
    until(lambda: "follow …" not in place.ask("player", "GET", "/search?words=a").text)
    for number in range(3):  # more new lines than the index reads at once: it starts again
        place.say("player", "note", {"text": f"owl {number}"})
    assert len(found(place, words="owl")) == 2
    until(lambda: len(found(place, words="owl")) == 3)


@pytest.mark.usefixtures("in_small_parts")
def test_a_search_that_began_before_a_new_entry_keeps_the_index(place: Place) -> None:
    until(lambda: found(place, words="climbs") == [15])
    gm = Person(role="gm", seat="p1", visit="")
    with place.campaign.snapshot() as older:
        place.say("player", "note", {"text": "an owl climbs"})
        new = place.head()
        assert found(place, words="climbs") == [new, 15]
        assert place.site.index.search(older, gm, Query(words=("climbs",))) == [15]
    assert found(place, words="climbs") == [new, 15]


@pytest.mark.usefixtures("in_small_parts")
def test_the_reading_ends_with_the_server_and_starts_again_after_an_erasure(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.search.PAUSE_SECONDS", 0.2)
    assert found(place, words="climbs") == []
    typed(place, "erase", "17", "--yes")
    until(lambda: not place.site.index.is_reading)
    assert "follow …" in place.ask("player", "GET", "/search?words=climbs").text
    place.site.index.stop()
    until(lambda: not place.site.index.is_reading)
    assert place.site.index.first > 1
