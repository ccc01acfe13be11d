"""What waits on a sheet is listed with the questions: no journal question, but somebody has to go on with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.journal.book import open_book
from ledger.systems import find
from projections.sheets import sheets
from terminal import Type, rows

JOINED = (
    "init Road --gm Tom",
    "player Ana --plays mara,brak",
    "join mara edge skill.guns=6 strength=5",
    "join brak edge armor.threshold=5 armor.reduction=30",
    "set mara weapon.pistol=2d6+4,skill=guns --why x",
    *(f"join {who} byzantine energy=20" for who in ("mara", "brak")),
    *(f"join {who} syscards efficiency=40" for who in ("mara", "brak")),
)

Said = Callable[..., str]


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_in: Type) -> Said:
    """Mara and brak play three games; types lines, and returns what the last one answered."""
    monkeypatch.chdir(tmp_path)

    def lines(*typed: str) -> str:
        answers = [type_in(line) for line in typed]
        assert all(answer.exit_code == 0 for answer in answers), [answer.output for answer in answers]
        return answers[-1].stdout

    lines(*JOINED)
    return lines


def test_an_attack_that_stopped_and_damage_that_waits_for_armor_are_listed(said: Said) -> None:
    listed = said("edge attack mara pistol brak --skill 9 --target 10 --faces 7,6", "questions")
    assert "mara attack: hit brak with pistol; damage not rolled yet" in listed
    assert "\n      campaign edge attack mara --go-on\n" in listed
    (waits,) = rows(said("questions --json"))
    keys = ("type", "who", "system", "then", "asks", "about", "move")
    assert tuple(waits[key] for key in keys) == ("waits", "mara", "edge", "edge attack mara --go-on", [], None, None)
    assert rows(said(f"show {waits['seq']} --json"))
    listed = said(
        "set mara attacking=none --why dropped", "edge damage mara pistol --to brak --faces 3,4,1,1", "questions"
    )
    assert (
        "brak incoming damage: 13 physical from mara, not yet checked against armor.\n      campaign edge soak brak\n"
        in listed
    )
    assert said("edge soak brak", "questions") == ""
    assert "attack mara --go-on" in said(f"questions --at {waits['seq']}")


@pytest.mark.parametrize(
    "waits",
    ["edge damage mara pistol --to brak --faces 3,4", "edge attack mara pistol brak --skill 9 --target 10 --faces 7,6"],
)
def test_a_game_declares_the_scores_and_marks_by_which_a_sheet_waits(said: Said, waits: str) -> None:
    said(
        waits,
        "byzantine contest duel --acting mara --against brak --kind attack",
        "syscards rate mara 55 --why fog",
    )
    with open_book("road.campaign") as book:
        pages = sheets(book, book.cast())
    waiting = [(page.system, row.shows) for page in pages for row in page.rows if row.then]
    assert {system for system, _ in waiting} == {"edge", "byzantine", "syscards"}
    undeclared = [shows for system, shows in waiting if not any(name.startswith(find(system).waits) for name in shows)]
    assert undeclared == []


def test_a_contest_waits_for_each_who_has_not_committed_and_then_for_the_gm(said: Said) -> None:
    duel = "byzantine contest duel --acting mara --against brak --kind attack"
    listed = said(duel, "byzantine commit mara duel --energy 3", "questions")
    assert (
        "brak contest duel: no energy committed yet.\n      campaign byzantine commit brak duel --energy N\n" in listed
    )
    assert "resolve" not in listed
    assert "contest duel  mara against brak, an attack on energy; waiting for brak" in said("sheets campaign")
    listed = said("byzantine commit brak duel --energy 1", "questions")
    assert "contest duel: mara against brak, an attack on energy; everyone has committed." in listed
    assert "campaign byzantine resolve duel" in listed
    assert "everyone has committed" not in said("byzantine resolve duel", "questions")


def test_of_the_dead_no_contest_waits_and_it_is_called_off(said: Said, type_in: Type) -> None:
    duel = "byzantine contest duel --acting mara --against brak"
    listed = said(duel, "byzantine harm brak 99 --why x --how crushed", "questions")
    assert "contest duel: mara against brak, a task; cannot continue, because brak died." in listed
    assert "campaign byzantine contest duel --off" in listed
    assert "commit brak" not in listed
    refused = type_in("byzantine resolve duel")
    assert "The contest duel cannot continue, because brak is dead." in refused.stderr
    assert "Call it off: campaign byzantine contest duel --off" in refused.stderr


def test_a_rate_that_was_declared_waits_for_its_throw(said: Said) -> None:
    assert "mara next roll: needs 60.\n      campaign syscards throw mara\n" in said(
        "syscards rate mara 60 --why fog", "questions"
    )


def test_a_challenge_waits_for_its_throw_and_then_the_table_says_who_acts_first(said: Said) -> None:
    listed = said("syscards challenge mara --against brak --rates mara=70 --why fog --wait", "questions")
    assert "challenge: mara, brak; waiting for its roll.\n      campaign syscards clash mara --against brak\n" in listed
    assert "syscards throw" not in listed
    page = said("syscards clash mara --against brak --faces 60,71", "sheets campaign")
    assert "challenge  brak acts first; mara is number 2 in the order, failed" in page
    page = said("syscards round begin", "syscards price rope 3", "sheets campaign")
    assert [line.split() for line in page.splitlines() if "rope" in line or "phase" in line] == [
        ["phase", "begin"],
        ["price", "of", "rope", "3"],
    ]


def test_one_who_is_put_first_without_a_throw_still_needs_the_rate(said: Said) -> None:
    said("set mara forces=brak=45 over=brak --why x", "set brak over=mara --why x")
    said("syscards challenge mara --against brak", "choose 13 --first brak --first-why reach")
    assert "challenge   acts first" in said("sheets brak")
    assert "brak next roll: needs 45.\n      campaign syscards throw brak\n" in said("questions")


def test_the_log_names_what_a_move_is_about_where_its_outcome_does_not(said: Said) -> None:
    told = [
        said("byzantine connect mara workshop --input -1 --output 4"),
        said("byzantine attack mara brak --energy 3 --answer 3"),
        said(
            "syscards mode deal",
            "syscards price efficiency 2",
            "adjust mara core-points=+9 --why x",
            "syscards buy mara efficiency",
        ),
        said("byzantine contest duel --acting mara --against brak", "byzantine commit mara duel --energy 0"),
        said("byzantine commit brak duel --energy 0"),
    ]
    starts = ["workshop:", "attacks brak", "efficiency:", "commits to duel:", "commits to duel:"]
    assert [start for start, line in zip(starts, told, strict=True) if f" {start}" not in line] == []
    assert "contest duel " in said("byzantine resolve duel")


def test_what_the_table_knows_is_told_in_words(said: Said) -> None:
    said(
        "byzantine map market --level streets --district harbor",
        "byzantine map lane --way --level streets --district harbor",
    )
    page = said("byzantine task wall --costs 5 --ability climbing --opposed-energy crowd=3", "sheets campaign")
    assert "area market  streets, harbor" in page
    assert "task wall    cost known only to the GM" in page
    number = rows(said("log -n 1 --json"))[0]["seq"]
    assert "task wall    costs 5; crowd opposes with energy 3, ability 0" in said(f"reveal {number}", "sheets campaign")
