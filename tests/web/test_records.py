"""Records on the page: registers, differences, proofs, checkpoints, exports, and the choice of entries to cancel."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from at_page import UNHURRIED, Place
from ledger.tlog.checkpoint import parse_tlog_proof

PLAYED = (
    "edge award mara --amount 1 --why generous",  # 15 16
    "note 'for everybody'",  # 17
    "note 'for Ana' --only Ana",  # 18
    "note 'for Ben' --only Ben",  # 19
    "note 'for the GM' --secret",  # 20
    "checkpoint",
    "adjust mara edge=-2 --why x",  # 21
)


@pytest.fixture
def place(shm: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr("web.guard.RATES", UNHURRIED)
    return Place(shm, PLAYED)


def test_a_register_lists_every_change_of_a_score_the_latest_first(place: Place) -> None:
    shown = place.ask("player", "GET", "/register/mara?score=edge").text
    rows = re.findall(r"<td><a [^>]*>#([0-9]+)</a></td><td>([^<]*)</td><td>([^<]*)</td>", shown)
    assert rows == [("21", "\u22122", "2"), ("16", "+1", "4"), ("5", "+3", "3")]
    assert '<title id="score-title">mara: edge over time</title>' in shown


def test_a_register_names_what_canceled_a_change_and_from_where_a_correction_counts(shm: Path) -> None:
    place = Place(shm, (*PLAYED, "undo"))
    shown = place.ask("player", "GET", "/register/mara?score=edge").text
    rows = re.findall(r"#([0-9]+)</a></td><td>(.*?)</td><td>[^<]*</td><td>(.*?)</td>", shown)[:2]
    assert rows == [
        ("22", "+2", "undoes #21 <small>takes effect from #21</small>"),
        ("21", "<s>\u22122</s>", "adjusted by hand <small>undone by #22</small>"),
    ]


def test_the_story_leads_to_the_dice_with_a_chart_and_a_table_of_the_same_numbers(shm: Path) -> None:
    place = Place(shm, ("roll mara 6d6 --faces 6,2,6,4,6,1", "roll mara d20 --faces 7"))
    assert 'hx-get="luck"' in place.ask("spectator", "GET", "/story").text
    shown = place.ask("spectator", "GET", "/luck").text
    assert re.findall("<h4>(.*)</h4>", shown) == ["Ana: d6, typed in", "Ana: d20, typed in"]
    assert re.findall("<p>(.*)</p>", shown)[1:4] == [
        "6 rolls, mean 4.17; the mean of fair dice is 3.50",
        "No verdict yet. The test needs at least 30 rolls of a d6. Still needed: 24 more rolls.",
        "1 roll, mean 7.00; the mean of fair dice is 10.50",
    ]
    assert (shown.count("<svg"), re.findall(r'<th scope="row">6</th><td>(\d+)</td><td>([0-9.]+)</td>', shown)) == (
        1,
        [("3", "1.0")],
    )


def test_without_dice_the_page_says_that_nobody_has_rolled(shm: Path) -> None:
    assert "Nobody has rolled dice yet." in Place(shm, ()).ask("player", "GET", "/luck").text


def test_why_leads_to_the_register(place: Place) -> None:
    why = place.ask("player", "GET", "/why/mara?score=edge").text
    address = re.findall(r'href="(register/[^"]+)"', why)[0]
    assert "mara · edge" in place.ask("player", "GET", f"/{address}").text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("from=14&to=16", "3 → 4"),
        ("from=16", "4 → 2"),
        ("from=session:1&to=21", "No sheet changed."),
        ("from=17&to=19", "No sheet changed."),
        ("from=14&to=21&corrected=true", "3 → 2"),
    ],
)
def test_the_difference_between_two_points_is_shown_with_its_entries(place: Place, query: str, shown: str) -> None:
    assert shown in place.ask("spectator", "GET", f"/diff?{query}").text


def test_points_in_the_wrong_order_are_refused(place: Place) -> None:
    answer = place.ask("player", "GET", "/diff?from=16&to=14", headers={"hx-request": "true"})
    assert (answer.status, "Enter the earlier entry first." in answer.text) == (422, True)


def test_everybody_can_take_away_a_proof_of_a_signed_entry(place: Place) -> None:
    answer = place.ask("player", "GET", "/proof/15")
    assert 'attachment; filename="entry-15.tlog-proof"' in answer.headers["content-disposition"]
    index, _, _, stored = parse_tlog_proof(answer.body)
    assert (index, b"edge" in (stored or b"")) == (14, True)


def test_an_entry_that_is_not_signed_yet_has_no_proof(place: Place) -> None:
    answer = place.ask("player", "GET", "/proof/21", headers={"hx-request": "true"})
    assert answer.status == 409
    assert "Entry #21 is not signed yet." in answer.text
    assert "“Sign all entries” on the Trust page (only the GM)" in answer.text


def test_the_gm_signs_without_closing_the_session(place: Place) -> None:
    assert 'hx-post="checkpoint"' in place.ask("gm", "GET", "/trust").text
    assert 'hx-post="checkpoint"' not in place.ask("player", "GET", "/trust").text
    assert "This server cannot sign anything." in place.ask("gm", "POST", "/checkpoint", form={}).text
    signed = list[int]()
    place.campaign.sign = lambda book: signed.append(book.head())
    assert "The checkpoint is signed." in place.ask("gm", "POST", "/checkpoint", form={}).text
    assert signed == [21]


@pytest.mark.parametrize(
    ("whom", "named", "kept"),
    [
        ("players", "road-players.zip", {"for everybody"}),
        ("p2", "road-Ana.zip", {"for everybody", "for Ana"}),
        ("", "road-export.zip", {"for everybody", "for Ana", "for Ben", "for the GM"}),
    ],
)
def test_the_gm_downloads_an_export_with_what_its_reader_may_read(
    place: Place, whom: str, named: str, kept: set[str]
) -> None:
    answer = place.ask("gm", "GET", f"/export?for={whom}")
    assert f'attachment; filename="{named}"' in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.body)) as packed:
        words = packed.read("export/words.jsonl").decode()
        assert "export/verify.py" in packed.namelist()
    assert set(re.findall("for everybody|for Ana|for Ben|for the GM", words)) == kept


@pytest.mark.parametrize("whom", ["p1", "p9"])
def test_an_export_is_for_a_player_of_the_table(place: Place, whom: str) -> None:
    assert place.ask("gm", "GET", f"/export?for={whom}").status == 422


def test_a_download_for_a_player_with_a_name_in_another_script_has_that_name(place: Place) -> None:
    place.say("gm", "player", {"name": "王 小明"})
    named = place.ask("gm", "GET", "/export?for=p4").headers["content-disposition"]
    assert named == "attachment; filename=\"road-_ __.zip\"; filename*=UTF-8''road-%E7%8E%8B%20%E5%B0%8F%E6%98%8E.zip"


def test_the_trust_page_offers_an_export_for_each_player_but_the_gm(place: Place) -> None:
    options = re.findall(r'<option value="([^"]*)">', place.ask("gm", "GET", "/trust").text)
    assert options == ["players", "p2", "p3", ""]


def test_the_gm_picks_several_entries_and_cancels_them_at_once(place: Place) -> None:
    place.say("gm", "void", {"entry": 19, "why": "wrong"})
    listed = re.findall(r'name="entry" value="([0-9]+)"', place.ask("gm", "GET", "/recent").text)
    assert listed[:4] == ["22", "21", "20", "18"], "what is canceled is left out"
    assert "1" not in listed
    body = [("entry", "15"), ("entry", "21"), ("entry", ""), ("why", "a mistake")]
    form = "&".join(f"{name}={value}" for name, value in body).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    plan = place.ask("gm", "POST", "/say/void", body=form, headers=headers).text
    agreed = plan.partition('name="agreed" value="')[2].partition('"')[0]
    done = place.ask("gm", "POST", "/say/void", body=form + f"&agreed={agreed}".encode(), headers=headers)
    assert (done.status, "voids #15" in done.text, "#21" in done.text) == (200, True, True)


def test_numbers_and_ranges_can_be_in_one_field(place: Place) -> None:
    assert place.say("gm", "void", {"entry": ["15", "17 18"], "why": "x"}).status == 200
