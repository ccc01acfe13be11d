"""The GM's screen in a real browser: the desk follows the game, and secrets appear in place."""

import pytest
from playwright.sync_api import expect

from browser import SMALLEST, Windows, agrees, lines_of, opened, shows

pytestmark = pytest.mark.slow

TYPED = "Object.keys(sessionStorage).filter((name) => name.startsWith('typed:'))"
"""What the browser keeps of the forms that are not sent yet."""
SCROLLED = """
[...document.querySelectorAll("*")]
  .filter((part) => part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY))
  .map((part) => part.className)
"""
"""The parts of the page that are higher than their box, by their classes."""


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


def test_the_desk_opens_a_session_and_then_offers_to_close_it(windows: Windows) -> None:
    tom = windows.gm()
    session = tom.locator(".desk details", has=tom.locator("summary", has_text="Session"))
    session.locator("summary").click()
    session.get_by_label("title").fill("The old market")
    session.get_by_role("button", name="Open a session").click()
    tom.locator("#moment", has_text="The old market").wait_for()
    assert session.get_by_role("button").all_inner_texts() == ["Close the session"]


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
    form = tom.locator("form[hx-post='say/player']")
    form.get_by_label("name", exact=False).first.fill("Cleo")
    tom.get_by_role("link", name="Table").click()
    tom.locator("#feed").wait_for()
    tom.go_back()
    expect(form.locator("[name=name]")).to_have_value("Cleo")  # its script runs
    form.get_by_role("button").click()
    tom.locator("#panel .line").first.wait_for()
    tom.goto(f"{windows.server.here}/gm")
    assert form.locator("[name=name]").input_value() == ""


def test_what_the_gm_typed_stays_in_its_form_when_other_forms_appear(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.here}/gm")
    form = tom.locator("form[hx-post='say/player']")
    form.locator("[name=name]").fill("Cleo")
    windows.server.types("turns", "add", "mara", "12")
    tom.goto(f"{windows.server.here}/gm")
    assert form.locator("[name=name]").input_value() == "Cleo"


def test_an_open_line_stays_open_with_what_is_typed_in_it_when_it_changes(windows: Windows) -> None:
    tom = windows.gm()
    windows.server.types("note", "an owl")
    shows(tom, "an owl")
    line = lines_of(tom)[0]
    opened(tom, line)
    tom.locator(f"#{line}").get_by_text("Object").click()
    claim = tom.locator(f"#{line}").get_by_label("what is wrong")
    claim.press_sequentially("it was a fox")
    claim.press("ArrowLeft")
    windows.server.types("dispute", line[1:], "--claim", "no owl")
    tom.locator(f"#{line}", has_text="disputed by").wait_for()
    claim.press_sequentially("h")
    assert claim.input_value() == "it was a fohx"
    claim.press("Enter")
    tom.locator("#panel .line", has_text="it was a fohx").wait_for()


def test_an_open_line_in_which_nothing_is_typed_shows_what_can_be_done_now(windows: Windows) -> None:
    tom = windows.gm()
    windows.server.types("note", "the guide is a spy", "--secret")
    shows(tom, "note")
    line = lines_of(tom)[0]
    opened(tom, line)
    reveal = tom.locator(f"#{line}").get_by_role("button", name="Reveal the secret")
    reveal.wait_for()
    windows.server.types("reveal", line[1:])
    reveal.wait_for(state="detached")
    assert tom.locator(f"#{line} .working").is_visible()


def test_what_the_gm_types_into_a_form_stays_when_somebody_else_changes_the_turns(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.here}/gm")
    who = tom.locator("#evening form[hx-post='say/turn'] [name=who]")
    who.press_sequentially("bak")
    who.press("ArrowLeft")
    windows.server.types("turns", "add", "mara", "12")
    tom.get_by_role("button", name="Next turn").wait_for()
    tom.keyboard.type("r")
    assert who.input_value() == "bark"


def test_the_browser_keeps_no_invitations_and_nothing_after_the_login_ended(windows: Windows) -> None:
    tom = windows.gm()
    tom.goto(f"{windows.server.here}/gm")
    form = tom.locator("form[hx-post='say/player']")
    form.locator("[name=name]").fill("Cleo")
    tom.get_by_label("invite", exact=True).select_option(label="Tom (GM)")
    tom.get_by_label("number of uses").fill("5")
    tom.get_by_role("button", name="Make an invitation").click()
    tom.locator("#panel code.link").wait_for()
    assert tom.evaluate(TYPED) == ["typed:/gm:say/player"]
    other = windows.enter(tom.locator("#panel code.link").inner_text())
    other.goto(f"{windows.server.here}/gm")
    with windows.forgiving("401"):
        other.get_by_role("button", name="Log out Tom").first.click()
        tom.locator("#connection", has_text="no longer logged in").wait_for()
    assert tom.evaluate(TYPED) == []


def test_cancel_after_a_preview_shows_the_form_as_it_was_filled_in(windows: Windows) -> None:
    tom = windows.gm()
    windows.server.types("note", "an owl")
    shows(tom, "an owl")
    tom.get_by_role("link", name="Cancel several entries").click()
    panel = tom.locator("#panel")
    for n in range(2):
        panel.locator("[name=entry][type=checkbox]").nth(n).check()
    panel.get_by_label("why").fill("a mistake")
    for _ in range(2):
        panel.get_by_role("button", name="Preview").click()
        panel.get_by_text("Nothing is saved yet.").wait_for()
        panel.get_by_role("button", name="Cancel", exact=True).click()
        panel.get_by_role("button", name="Preview").wait_for()
        assert panel.locator("[name=entry]:checked").count() == 2
        assert panel.get_by_label("why").input_value() == "a mistake"
    panel.get_by_role("button", name="Preview").click()
    agrees(tom)
    tom.locator("#feed > li.struck", has_text="an owl").wait_for()


def test_a_preview_that_is_refused_leaves_the_form_as_it_was_filled_in(windows: Windows) -> None:
    tom = windows.gm()
    tom.get_by_role("link", name="Cancel several entries").click()
    panel = tom.locator("#panel")
    panel.get_by_label("other entries").fill("999")
    panel.get_by_label("why").fill("a mistake")
    with windows.forgiving("404|409|422"):
        panel.get_by_role("button", name="Preview").click()
        panel.locator(".problem").wait_for()
    assert panel.get_by_label("why").input_value() == "a mistake"


def test_on_a_laptop_nothing_is_scrolled_inside_something_that_is_scrolled(windows: Windows) -> None:
    windows.server.types("session", "open", "Two")
    windows.server.types("npc", "gob-1..9")
    windows.server.types("join", "gob-1..9", "free", "hp=9/9")
    tom = windows.gm()
    assert tom.evaluate(SCROLLED) == ["desk place", "play", "feed"]
    heights = tom.evaluate("[...document.querySelectorAll('.desk, .play')].map((part) => part.clientHeight)")
    assert min(heights) > 700


def test_a_line_that_somebody_reads_keeps_its_place_when_another_one_comes(windows: Windows) -> None:
    tom = windows.gm()
    windows.server.types("note", "an owl")
    shows(tom, "an owl")
    line = lines_of(tom)[0]
    opened(tom, line)
    top = tom.locator(f"#{line}").evaluate("line => line.getBoundingClientRect().top")
    windows.server.types("note", "a fox")
    shows(tom, "a fox")
    tom.wait_for_timeout(200)
    assert tom.locator(f"#{line}").evaluate("line => line.getBoundingClientRect().top") == pytest.approx(top, abs=1)


def test_the_feed_stays_in_place_when_a_turn_begins(windows: Windows) -> None:
    tom = windows.gm()
    before = tom.locator(".feed").bounding_box()
    windows.server.types("turns", "add", "mara", "12")
    windows.server.types("turns", "next")
    tom.locator("#mine", has_text="mara").wait_for()
    assert tom.locator(".feed").bounding_box() == before
