"""The tray, in a real browser: how many taps each roll takes, and what the tray shows."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, StorageState, expect

from browser import PHONE, Windows, served, table_laid

pytestmark = pytest.mark.slow

GEAR = (
    "set mara edge/weapon.pistol=2d6+4,skill=deception --why 'her gear'",
    "set mara free/roll.climb=d20+dex --why 'her sheet'",
    "set mara multicheck/on.deception=cunning rollunder/on.deception=cunning,presence --why 'her sheet'",
)


@pytest.fixture(scope="module")
def table(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    with served(table_laid(tmp_path_factory.mktemp("table"), *GEAR)) as server:
        windows = Windows(browser, server)
        yield windows
        windows.close()
        assert windows.complaints == []


@pytest.fixture(scope="module")
def gm(table: Windows) -> Page:
    """The GM's window, for invitations."""
    return table.gm()


class Thumb:
    """A thumb on a page, which counts its taps."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def on(self, place: Locator) -> None:
        place.tap()
        self.taps += 1

    def sheet(self, game: str, tap: str) -> None:
        """Tap on a row of mara's sheet, such as "check deception"."""
        self.on(self.page.locator(f"#sheet-mara-{game}").get_by_label(tap, exact=True))

    def rolls(self) -> None:
        """Tap on the large button, and wait for the answer."""
        self.on(self.page.locator("#tray-say"))
        self.answered()

    def answered(self, text: str = "") -> None:
        self.page.locator("#tray-answer .line", has_text=text).wait_for()


@pytest.fixture(scope="module")
def login(table: Windows, gm: Page) -> StorageState:
    """Ana's login. The tests share it, because the server limits how often one address may come in."""
    return table.enter(table.invite(gm, "Ana"), PHONE).context.storage_state()


@pytest.fixture
def ana(table: Windows, login: StorageState) -> Iterator[Thumb]:
    """Ana's phone, with the table's page."""
    page = table.window(PHONE, storage_state={**login, "origins": []})
    page.goto(f"{table.server.here}/")
    page.wait_for_selector("#feed")
    page.wait_for_load_state()  # its script runs
    yield Thumb(page)
    page.context.close()


CHECKS = [
    ("edge", "check deception"),
    ("free", "check climb"),
    ("rollunder", "skill deception"),
    ("rollunder", "plain cunning"),
    ("multicheck", "test deception"),
]


@pytest.mark.parametrize(("game", "tap"), CHECKS)
def test_a_check_takes_two_taps_and_each_repetition_one(ana: Thumb, game: str, tap: str) -> None:
    ana.sheet(game, tap)
    ana.rolls()
    assert ana.taps == 2
    first = ana.page.locator("#tray-answer .number").first.inner_text()
    assert ana.page.locator("#tray-say").inner_text() == "Again"
    ana.on(ana.page.locator("#tray-say"))
    ana.page.locator("#tray-answer .number", has_text=first).wait_for(state="detached")
    assert ana.taps == 3


@pytest.mark.parametrize(("game", "tap"), CHECKS[:2])
def test_with_the_setting_of_the_phone_a_check_takes_one_tap(ana: Thumb, game: str, tap: str) -> None:
    ana.page.get_by_label("roll at the first tap").check()
    ana.page.reload()
    ana.sheet(game, tap)
    ana.answered()
    assert ana.taps == 1


@pytest.mark.parametrize("game", ["byzantine", "edge", "free", "multicheck", "rollunder", "syscards"])
def test_each_game_is_one_tap_away_on_a_phone(ana: Thumb, game: str) -> None:
    ana.page.set_viewport_size({"width": 390, "height": 844})
    ana.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    ana.on(ana.page.locator(".jumps").get_by_role("link", name=game, exact=True))
    places = ana.page.locator(f".jumps, #sheet-mara-{game} h3").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect())"
    )
    links, title = places
    assert 0 <= links["top"] < links["bottom"] <= title["top"] < 844 / 2
    assert "#" not in ana.page.url


def test_all_moves_are_one_tap_away_and_unfolded(ana: Thumb) -> None:
    ana.on(ana.page.locator(".jumps").get_by_role("link", name="All moves"))
    expect(ana.page.locator("#own")).to_be_in_viewport()
    ana.on(ana.page.locator("#own").get_by_role("link", name="mara", exact=True))


def test_an_attack_with_its_damage_takes_three_taps(ana: Thumb) -> None:
    ana.sheet("edge", "attack pistol")
    ana.on(ana.page.locator("#tray").get_by_label("brak", exact=True))
    ana.page.locator("#tray").get_by_label("target", exact=True).fill("2")
    ana.rolls()
    ana.answered("rolls damage")
    assert ana.taps == 3


def test_the_setting_never_attacks_before_the_player_has_said_whom(ana: Thumb) -> None:
    ana.page.get_by_label("roll at the first tap").check()
    ana.sheet("edge", "attack pistol")
    ana.page.locator("#tray").get_by_label("brak", exact=True).wait_for()
    assert ana.page.locator("#tray form").get_attribute("data-ready") is None


def test_plain_dice_take_two_taps_and_a_further_die_one_more(ana: Thumb) -> None:
    ana.on(ana.page.locator("#dice").get_by_role("link", name="d6", exact=True))
    ana.rolls()
    ana.answered("d6 =")
    assert ana.taps == 2
    ana.on(ana.page.locator("#tray").get_by_role("button", name="d6", exact=True))
    ana.page.locator("#t-pool[value='2d6']").wait_for()
    ana.rolls()
    ana.answered("2d6 =")
    assert ana.taps == 4


def test_undo_takes_one_tap_and_names_what_it_takes_back(ana: Thumb) -> None:
    ana.sheet("edge", "check deception")
    ana.rolls()
    ana.page.locator("#tray").get_by_role("button", name="Close").tap()
    ana.taps = 0
    ana.on(ana.page.get_by_role("button", name="Undo: mara deception"))
    ana.page.locator("#tray .line", has_text="undoes").wait_for()
    assert ana.taps == 1
    ana.on(ana.page.locator("#tray").get_by_role("button", name="Redo"))
    ana.page.locator("#tray .line", has_text="redo").wait_for()
    assert ana.taps == 2


def test_the_odds_follow_the_target(ana: Thumb) -> None:
    ana.sheet("edge", "check deception")
    ana.page.locator("#tray-odds", has_text="success").wait_for()
    easy = ana.page.locator("#tray-odds").inner_text()
    ana.page.locator("#tray").get_by_label("target", exact=True).fill("30")
    expect(ana.page.locator("#tray-odds")).not_to_have_text(easy)


def test_a_choice_after_the_roll_is_one_tap_in_the_tray(ana: Thumb) -> None:
    ana.sheet("edge", "check deception")
    ana.on(ana.page.locator("#tray").get_by_label("edge", exact=True))
    ana.page.locator("#tray").get_by_label("dice", exact=True).fill("7 3 7")
    ana.rolls()
    ana.answered("choice needed")
    ana.on(ana.page.locator("#tray-answer").get_by_role("button", name="3", exact=True))
    ana.answered("complete success")
    assert ana.taps == 4


def test_typed_dice_are_not_rolled_again(ana: Thumb) -> None:
    ana.sheet("edge", "check deception")
    ana.page.locator("#tray").get_by_label("dice", exact=True).fill("7.6")
    ana.rolls()
    ana.answered("28 against 20")
    assert ana.page.locator("#t-faces").input_value() == ""


def test_a_sheet_of_somebody_else_has_nothing_to_tap(ana: Thumb) -> None:
    ana.page.get_by_text("Other characters").tap()
    ana.page.locator("#sheet-brak-edge").wait_for()
    assert ana.page.locator("#sheet-brak-edge .tap:visible").count() == 0
    assert ana.page.locator("#sheet-mara-edge .tap:visible").count() > 2


def test_back_closes_the_tray_and_forward_opens_it_as_it_was_filled_in(ana: Thumb) -> None:
    ana.sheet("edge", "check deception")
    target = ana.page.locator("#tray").get_by_label("target", exact=True)
    target.fill("17")
    ana.page.go_back()
    target.wait_for(state="hidden")
    assert ana.page.locator("#sheet-mara-edge").is_visible()
    ana.page.go_forward()
    target.wait_for()
    assert target.input_value() == "17"
