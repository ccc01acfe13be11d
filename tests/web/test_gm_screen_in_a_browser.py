"""The GM's screen in a real browser: the desk follows the game, and secrets appear in place."""

from browser import SMALLEST, Windows, lines_of, opened


def test_the_gms_desk_follows_the_game_and_takes_the_amount(windows: Windows) -> None:
    windows.server.types("session", "open", "Two")
    windows.server.types("npc", "gob-1..2")
    windows.server.types("join", "gob-1..2", "free", "hp=9/9")
    tom = windows.gm()
    tom.get_by_label("N, the amount").fill("4")
    tom.get_by_role("button", name="gob-1: hp minus N").click()
    tom.locator("#desk", has_text="hp 5").wait_for()
    tom.get_by_role("button", name="gob-1: hp plus N").click()
    tom.locator("#desk", has_text="hp 9").wait_for()
    windows.server.types("turns", "add", "gob-2", "12")
    tom.get_by_role("button", name="Next turn").click()
    tom.locator("#desk [aria-current]", has_text="gob-2").wait_for()
    with windows.forgiving("409"):
        tom.get_by_role("button", name="Delay the turn of gob-2").click()
        tom.locator("#panel .problem").wait_for()


def test_the_gm_reads_a_secret_in_the_feed_as_it_is_written(windows: Windows) -> None:
    tom = windows.gm()
    ana = windows.enter(windows.invite(tom, "Ana"))
    tom.goto(windows.server.here)
    windows.server.types("note", "the guide is a spy", "--secret")
    tom.locator("#feed .secret", has_text="the guide is a spy").wait_for()
    ana.locator("#feed li", has_text="note: (secret)").first.wait_for()
    assert "spy" not in ana.content()


def test_on_a_phone_a_tap_opens_the_desk_and_back_shows_the_sheets_again(windows: Windows) -> None:
    windows.server.types("session", "open", "Two")
    windows.server.types("npc", "ogre")
    tom = windows.gm(SMALLEST)
    assert not tom.locator("#desk").is_visible()
    tom.get_by_role("link", name="Desk").tap()
    tom.locator("#desk").get_by_role("link", name="ogre").tap()
    tom.locator("#tray header").wait_for()
    assert not tom.locator("#desk").is_visible()
    tom.go_back()
    tom.locator("#desk").wait_for()
    tom.get_by_role("button", name="Close the desk").tap()
    tom.locator("#desk").wait_for(state="hidden")
    assert tom.locator(".sheet").first.is_visible()


def test_on_a_phone_the_feed_stays_behind_an_answer_that_was_opened_from_it(windows: Windows) -> None:
    tom = windows.gm(SMALLEST)
    windows.server.types("note", "an owl")
    opened(tom, lines_of(tom)[0])
    tom.get_by_role("link", name="Void").tap()
    tom.locator("#panel h3").wait_for()
    assert tom.get_by_role("button", name="Close the feed").is_visible()
    tom.go_back()
    tom.locator("#panel h3").wait_for(state="hidden")
    assert tom.get_by_role("button", name="Close the feed").is_visible()


def test_what_the_gm_typed_stays_until_it_is_sent(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.here}/gm")
    form = tom.locator("form[hx-post='/say/player']")
    form.get_by_label("name", exact=False).first.fill("Cleo")
    tom.get_by_role("link", name="Table").click()
    tom.locator("#feed").wait_for()
    tom.go_back()
    assert form.locator("[name=name]").input_value() == "Cleo"
    form.get_by_role("button").click()
    tom.locator("#panel .line").first.wait_for()
    tom.goto(f"{windows.server.here}/gm")
    assert form.locator("[name=name]").input_value() == ""


def test_what_the_gm_typed_stays_in_its_form_when_other_forms_appear(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.here}/gm")
    form = tom.locator("form[hx-post='/say/player']")
    form.locator("[name=name]").fill("Cleo")
    windows.server.types("turns", "add", "mara", "12")
    tom.goto(f"{windows.server.here}/gm")
    assert form.locator("[name=name]").input_value() == "Cleo"
