"""An evening in a real browser: the GM on a laptop, two players on their phones, one who looks on."""

import re
import signal
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from browser import (
    AWAY,
    PHONE,
    Server,
    Streams,
    Windows,
    agrees,
    feed_opened,
    fill,
    form_of,
    hide,
    lines_of,
    more,
    opened,
    play,
    served,
    shows,
    table_laid,
    until,
    written,
)
from web.serve import own_address

pytestmark = pytest.mark.slow

NO_WORKER = "(?:SSL certificate|unknown) error occurred when fetching the script"
"""The words of Chromium about a service worker if a person accepted a certificate that the device does not trust."""


def three(windows: Windows) -> tuple[Page, Page, Page]:
    """Tom at the laptop, Ana and Ben with their phones, by invitations that Tom made."""
    tom = windows.gm()
    ana, ben = (windows.enter(windows.invite(tom, name)) for name in ("Ana", "Ben"))
    tom.goto(windows.server.address)
    tom.wait_for_selector("#feed")
    return tom, ana, ben


def says(page: Page, button: str, **inputs: str) -> None:
    """Fill in the form of this button on the GM's page, and press it."""
    form = page.locator("main form", has=page.get_by_role("button", name=button, exact=True))
    for name, value in inputs.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name=button, exact=True).click()
    written(page)


def newest(page: Page) -> str:
    return lines_of(page)[0]


def test_an_evening_of_all_five_games_is_seen_by_everybody_as_it_happens(  # noqa: C901, PLR0915  an evening is long
    windows: Windows, server: Server
) -> None:
    tom, ana, ben = three(windows)
    desk = tom.context.new_page()
    desk.goto(f"{server.address}/gm")
    says(desk, "Open a session", title="The old market")
    says(desk, "Start the scene", title="At the gate")
    for page in (tom, ana, ben):
        page.locator("#moment").filter(has_text="The old market · At the gate · day 1").wait_for()

    play(ana, "mara", "edge", "check", ranks="deception", target="20", faces="7 6")
    for page in (tom, ana, ben):
        shows(page, re.compile(r"mara deception.*significant success: 28 against 20 \(7 \+ 6 \+ 15\)", re.DOTALL))
    check = newest(ana)
    play(ben, "brak", "syscards", "rate", rate="45", why="the fog", throw="yes", faces="52")
    for page in (tom, ana):
        shows(page, re.compile("brak needs 45.*52", re.DOTALL))
    play(ana, "mara", "byzantine", "invest", energy="5", project="climb")
    shows(ben, re.compile("mara invest.*30", re.DOTALL))
    play(ben, "brak", "rollunder", "skill", skill="deception", on="cunning presence", circumstance="fog=-3", faces="5")
    shows(ana, "brak deception")
    play(tom, "mara", "multicheck", "test", what="cunning", skill="deception", difficulty="30", faces="99")
    for page in (tom, ben):
        shows(page, "mara cunning")
    throw = newest(tom)
    tom.locator("#panel").get_by_role("link", name="mara may still").click()
    fill(tom, "#panel", reroll="yes", faces="15")
    tom.get_by_role("button", name="Choose", exact=True).click()
    for page in (ana, ben):
        shows(page, "15")
        page.locator(f"#{throw}", has_text="changed by").wait_for()

    play(ana, "mara", "edge", "check", ranks="deception", target="20", edge="yes", faces="7 3 7")
    ana.locator("#panel").get_by_role("link", name="mara still has to choose which die to drop").click()
    ana.locator("#panel").get_by_text("You rolled 7 3 7.").wait_for()
    fill(ana, "#panel", drop="3")
    ana.get_by_role("button", name="Choose", exact=True).click()
    shows(ben, "complete success")
    tom.locator("#waits").wait_for(state="hidden")

    ben.get_by_role("button", name="Close").click()
    ben.get_by_role("button", name="Undo: brak deception").click()
    ben.locator("#tray").get_by_role("button", name="Close").click()
    for page in (tom, ana, ben):
        page.locator("#feed li.struck", has_text="brak deception").wait_for()

    opened(ben, check)
    ben.locator(f"#{check} .working").get_by_text("Object").click()
    ben.locator(f"#{check} .working").get_by_label("what is wrong").fill("it was 6, not 7")
    ben.get_by_role("button", name="Dispute").click()
    for page in (tom, ana, ben):
        page.locator(f"#{check}", has_text="disputed by").wait_for()
    tom.locator("#mine a").click()
    tom.locator("#panel").get_by_label("amend", exact=True).check()
    fill(tom, "#panel", faces="6 6", why="he is right")
    tom.get_by_role("button", name="Preview").click()
    agrees(tom)
    for page in (tom, ana, ben):
        page.locator(f"#{check}", has_text="amended by").wait_for()

    rate = tom.locator("#feed > li", has_text="brak needs 45").get_attribute("id")
    assert rate
    opened(tom, rate)
    before = len(server.feed())
    tom.locator(f"#{rate}").get_by_role("link", name="Amend").click()
    tom.locator("#panel").get_by_text("amend #").wait_for()
    fill(tom, "#panel", rate="55", why="the fog lifts")
    tom.get_by_role("button", name="Preview").click()
    tom.locator("#panel").get_by_text("Nothing is saved yet.").wait_for()
    assert len(server.feed()) == before
    agrees(tom)
    for page in (ana, ben):
        page.locator(f"#{rate}", has_text="amended by").wait_for()

    desk.reload()
    says(desk, "Start the next day", count="1")
    says(desk, "Close the session")
    for page in (tom, ana, ben):
        page.locator("#moment").filter(has_text="No session is open").wait_for()
        page.locator("#moment").filter(has_text="day 2").wait_for()
        assert lines_of(page) == server.feed()
    ana.goto(f"{server.address}/trust")
    kept = server.file.with_name("checkpoint.txt")
    kept.write_text(ana.locator("#head").inner_text(), encoding="utf-8")
    assert "signed by the campaign's key" in server.types("verify", "--checkpoint", str(kept))


def test_each_sees_what_another_wrote_within_a_second(windows: Windows) -> None:
    _, ana, ben = three(windows)
    came = "() => new Promise(done => { new MutationObserver((all, seen) => { seen.disconnect(); done(Date.now()); })"
    took = []
    for face in "34567":
        form_of(ana, "mara", "rollunder", "plain")
        fill(ana, characteristic="cunning", faces=face)
        ben.evaluate(
            f"window.came = ({came}.observe(document.getElementById('feed'), {{ childList: true }}); }}))(); 0"
        )
        sent = ana.evaluate("() => { document.querySelector('#do button.say').click(); return Date.now(); }")
        took.append(ben.evaluate("window.came") - sent)
    assert sorted(took)[2] < 1000, took


def test_a_sheet_changes_where_it_stands_and_a_tap_on_a_number_says_why(windows: Windows) -> None:
    _, ana, ben = three(windows)
    edge = ana.locator("#sheet-mara-edge").get_by_role("link", name="edge 3 of 4, why?")
    edge.evaluate("link => { link.closest('main').dataset.same = 'yes'; }")
    ben.get_by_text("Other characters").click()
    play(ana, "mara", "edge", "award", amount="1", why="well played")
    for page in (ana, ben):
        page.locator("#sheet-mara-edge").get_by_role("link", name="edge 4 of 4, why?").wait_for()
        assert page.locator("#sheet-mara-edge").count() == 1
    assert ana.locator("main[data-same=yes]").count() == 1, "the page was loaded anew"
    ana.get_by_role("button", name="Close").click()
    ana.get_by_role("link", name="edge 4 of 4, why?").click()
    ana.locator("#panel h3", has_text="mara · edge is 4").wait_for()
    assert ana.locator("#panel .why li").first.inner_text().startswith("+1 → 4")
    ana.keyboard.press("Escape")
    assert ana.locator("#panel").inner_text() == ""


def test_a_server_that_is_killed_and_started_again_loses_nobody_and_nothing(windows: Windows, server: Server) -> None:
    tom, ana, ben = three(windows)
    play(ana, "mara", "edge", "check", ranks="deception", target="20", faces="7 6")
    form_of(ben, "brak", "edge", "check")
    fill(ben, skill="8", target="15")
    with windows.forgiving(AWAY):
        server.stop(signal.SIGKILL)
        for page in (tom, ana, ben):
            page.locator("#connection", has_text="Not connected").wait_for()
        server.types("note", "while nobody served")
        server.start()
        for page in (tom, ana, ben):
            shows(page, "while nobody served")
            assert page.locator("#connection").inner_text() == ""
    fill(ben, faces="5 6")
    ben.locator("#do button.say").click()
    written(ben)
    play(tom, "mara", "rollunder", "plain", characteristic="cunning", faces="4")
    for page in (tom, ana, ben):
        shows(page, "mara cunning")
        assert lines_of(page) == server.feed()
    ana.reload()
    assert lines_of(ana) == server.feed()


def test_a_server_that_was_away_for_long_is_found_within_seconds_of_its_return(
    windows: Windows, server: Server
) -> None:
    ana = windows.enter(server.link)
    ana.clock.install()
    with windows.forgiving(AWAY):
        server.stop(signal.SIGKILL)
        ana.locator("#connection", has_text="Not connected").wait_for()
        for _ in range(40):
            ana.clock.run_for(60_000)
            ana.wait_for_timeout(25)
        server.start()
        server.types("note", "back again")
        ana.clock.run_for(7_000)
        shows(ana, "back again")
    assert lines_of(ana) == server.feed()


def test_a_form_that_was_cut_off_is_written_once_when_it_is_sent_again(windows: Windows, server: Server) -> None:
    _, ana, _ = three(windows)
    form_of(ana, "mara", "edge", "check")
    fill(ana, ranks="deception", target="20", faces="7 6")
    before = len(server.feed())
    lost: list[int] = []

    def answered_to_nobody(route: Route) -> None:
        if not lost:
            lost.append(route.fetch().status)  # the server wrote it; the answer is lost
            route.abort()
        else:
            route.continue_()

    ana.route("**/say/play", answered_to_nobody)
    with windows.forgiving(AWAY):
        ana.locator("#do button.say").click()
        ana.get_by_role("alert").get_by_text("Try again: nothing").wait_for()
    ana.locator("#do button.say").click()
    ana.locator("#panel", has_text="saved before").wait_for()
    assert (lost, len(server.feed())) == ([200], before + 1)


@pytest.mark.parametrize("frozen", [False, True])
def test_a_phone_that_slept_has_every_line_once_when_it_wakes(
    windows: Windows, server: Server, *, frozen: bool
) -> None:
    tom, ana, _ = three(windows)
    streams = Streams(ana.context)
    ana.reload()
    until(ana, lambda: streams.open == 1)
    hide(ana)
    until(ana, lambda: streams.open == 0)
    devtools = ana.context.new_cdp_session(ana)
    if frozen:
        devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    slept, before = newest(ana), len(server.feed())
    for face in "3456":
        play(tom, "mara", "rollunder", "plain", characteristic="cunning", faces=face)
    until(tom, lambda: len(server.feed()) == before + 4)  # the last roll may not have arrived yet
    tom.locator(f"#undo [name=entry][value='{server.feed()[0][1:]}']").wait_for(state="attached")
    tom.get_by_role("button", name="Close").click()
    tom.get_by_role("button", name="Undo: mara cunning").click()
    shows(tom, "undo")
    if frozen:
        devtools.send("Page.setWebLifecycleState", {"state": "active"})
    assert newest(ana) == slept
    hide(ana, hidden=False)
    shows(ana, "undo")
    until(ana, lambda: streams.open == 1)
    assert lines_of(ana) == server.feed()
    assert ana.locator("#feed li.struck").count() == 1


def test_over_a_slow_network_a_line_comes_late_but_once_and_an_impatient_thumb_writes_once(
    windows: Windows, server: Server
) -> None:
    tom, ana, _ = three(windows)
    devtools = ana.context.new_cdp_session(ana)
    devtools.send("Network.enable")
    slow = {"offline": False, "latency": 500, "downloadThroughput": 20_000, "uploadThroughput": 10_000}
    devtools.send("Network.emulateNetworkConditions", slow)
    ana.reload()
    form_of(ana, "mara", "edge", "check")
    fill(ana, ranks="deception", target="20", faces="7 6")
    before = len(server.feed())
    ana.locator("#do button.say").dblclick()
    for face in "3456":
        play(tom, "mara", "rollunder", "plain", characteristic="cunning", faces=face)
    written(ana)
    until(ana, lambda: len(server.feed()) >= before + 5)  # the last roll may not have arrived yet
    until(ana, lambda: lines_of(ana) == server.feed())
    assert len(server.feed()) == before + 5


@pytest.mark.parametrize("late", ["hx-sse", "page.js"])
def test_a_page_is_connected_whichever_of_its_files_comes_late(windows: Windows, server: Server, late: str) -> None:
    ana = windows.window(PHONE)

    def comes_late(route: Route) -> None:
        ana.wait_for_timeout(800)
        route.continue_()

    ana.route(re.compile(late), comes_late)
    ana.goto(server.link)
    ana.get_by_role("button", name="Come in").click()
    ana.wait_for_selector("#feed")
    server.types("note", "for all who are connected")
    shows(ana, "for all who are connected")


def test_of_eight_tabs_in_one_browser_only_the_one_in_front_holds_a_stream(windows: Windows, server: Server) -> None:
    first = windows.gm()
    streams = Streams(first.context)
    first.reload()
    tabs = [first]
    while len(tabs) < 8:
        hide(tabs[-1])
        tabs.append(first.context.new_page())
        tabs[-1].goto(server.address)
    until(first, lambda: streams.open == 1)
    held = server.asked("/stream")
    server.types("note", "to all the tabs")
    shows(tabs[-1], "to all the tabs")
    for tab in tabs[:-1]:
        hide(tabs[-1])
        hide(tab, hidden=False)
        shows(tab, "to all the tabs")
        assert lines_of(tab) == server.feed()
        hide(tab)
    until(first, lambda: (streams.open, server.asked("/stream")) == (0, held + 8))


def test_a_tab_that_was_opened_behind_another_holds_no_stream_before_it_is_shown(
    windows: Windows, server: Server
) -> None:
    front = windows.gm()
    streams = Streams(front.context)
    front.reload()
    behind = front.context.new_page()
    behind.goto(f"{server.address}/#behind")
    server.types("note", "not seen yet")
    shows(front, "not seen yet")
    assert (streams.open, newest(behind)) != (2, newest(front))
    hide(front)
    hide(behind, hidden=False)
    shows(behind, "not seen yet")
    assert lines_of(behind) == server.feed()


def test_somebody_who_looks_on_sees_everything_and_is_offered_nothing(windows: Windows, server: Server) -> None:
    tom = windows.gm()
    eve = windows.enter(windows.invite(tom, "a spectator"))
    assert eve.locator("header nav a").all_inner_texts() == ["Table", "Earlier", "Story", "Trust"]
    tom.goto(server.address)
    play(tom, "mara", "edge", "check", ranks="deception", target="20", faces="7 6")
    shows(eve, "significant success")
    opened(eve, newest(eve))
    eve.get_by_role("button", name="Close the feed").click()
    eve.locator("#sheet-mara-edge dd a").first.click()
    eve.locator("#panel h3", has_text="mara").wait_for()
    assert eve.locator(":is(form, .who-picks, [hx-post], input, select):not(#phone *)").count() == 0


def test_the_players_past_is_a_slider_away(windows: Windows) -> None:
    _, ana, _ = three(windows)
    play(ana, "mara", "edge", "award", amount="1", why="well played")
    ana.get_by_role("link", name="Earlier").click()
    slider = ana.get_by_role("slider")
    last = slider.input_value()
    ana.wait_for_load_state()  # its script runs
    ana.get_by_role("link", name="edge 4 of 4, why?").wait_for()
    slider.fill("1")
    expect(ana.locator("#f-entry")).to_have_value("1")
    ana.get_by_role("link", name="edge 4 of 4, why?").wait_for(state="detached")
    assert ana.get_by_role("slider").get_attribute("max") == last


def test_players_come_in_over_the_local_network_without_a_certificate_and_the_gm_does_not(
    browser: Browser, tmp_path: Path
) -> None:
    with served(table_laid(tmp_path), "--lan") as server:
        windows = Windows(browser, server)
        tom = windows.gm()
        ana = windows.enter(windows.invite(tom, "Ana"))
        assert ana.url == f"{server.address}/"
        play(ana, "mara", "edge", "award", amount="1", why="well played")
        tom.goto(server.here)
        shows(tom, "mara earns edge")
        with windows.forgiving("403"):
            tom.goto(f"{server.here}/gm")
            tom.get_by_label("invite", exact=True).select_option(label="Tom (GM)")
            tom.get_by_role("button", name="Make an invitation").click()
            tom.get_by_text("The GM can log in over this network only with TLS encryption.").wait_for()
        windows.close()
        assert windows.complaints == []


def test_odds_between_a_lost_answer_and_the_same_roll_again_do_not_write_it_twice(
    windows: Windows, server: Server
) -> None:
    _, ana, _ = three(windows)
    form_of(ana, "mara", "edge", "check")
    fill(ana, skill="9", target="20", faces="7 6")
    before, lost = len(server.feed()), list[int]()

    def answered_to_nobody(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch().status)
            route.abort()

    ana.route("**/say/play", answered_to_nobody)
    with windows.forgiving(AWAY):
        ana.locator("#do button.say").click()
        ana.get_by_role("alert").get_by_text("Try again: nothing").wait_for()
    ana.get_by_role("button", name="Odds").click()
    ana.locator("table.odds").wait_for()
    ana.keyboard.press("Escape")
    ana.locator("#do button.say").click()
    written(ana)
    assert len(server.feed()) == before + 1


def test_a_character_who_joins_is_on_every_open_page_and_goes_with_who_leaves(windows: Windows, server: Server) -> None:
    tom, ana, ben = three(windows)
    server.types("join", "nina", "edge", "maximum=4")
    for page in (tom, ana, ben):
        page.locator("#sheet-nina-edge").wait_for(state="attached")
    more(tom)
    tom.locator("#own").get_by_role("link", name="nina").wait_for()
    assert ana.locator("#own").get_by_role("link", name="nina").count() == 0
    server.types("player", "Ana", "--plays", "nina")
    more(ana)
    ana.locator("#own").get_by_role("link", name="nina").click()
    ana.locator("#do").get_by_role("link", name="check", exact=True).wait_for()
    server.types("leave", "nina")
    for page in (tom, ana, ben):
        page.locator("#sheet-nina-edge").wait_for(state="detached")
        assert lines_of(page) == server.feed()


def test_a_phone_has_the_newest_lines_in_sight_and_back_closes_the_whole_feed(windows: Windows, server: Server) -> None:
    _, ana, _ = three(windows)
    server.types("note", "It rains.")
    line = ana.locator("#feed > li").first
    line.filter(has_text="It rains.").wait_for()
    place = line.bounding_box()
    assert place
    assert place["y"] + place["height"] <= PHONE[1]
    feed_opened(ana)
    assert ana.locator("#feed > li").first.bounding_box() != place
    ana.go_back()
    until(ana, lambda: line.bounding_box() == place)
    assert ana.url == f"{server.address}/"


def test_the_strip_shows_the_newest_lines_after_the_feed_was_scrolled_and_closed(windows: Windows) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"), PHONE)
    feed_opened(ana)
    ana.locator(".feed").evaluate("feed => feed.scrollTo(0, 300)")
    ana.go_back()
    until(ana, lambda: bool(ana.evaluate("document.querySelector('.feed').scrollTop === 0")))
    feed_opened(ana)
    ana.locator("#feed.whole").wait_for()


def test_a_search_in_the_feed_finds_while_it_is_typed_and_closing_it_shows_the_feed(
    browser: Browser, tmp_path: Path
) -> None:
    with served(table_laid(tmp_path, *(f"note 'owl {number}'" for number in range(51)))) as server:
        windows = Windows(browser, server)
        ana = windows.enter(windows.invite(windows.gm(), "Ana"))
        feed_opened(ana)
        search = ana.locator(".search > summary")
        search.click()
        ana.get_by_label("words", exact=True).fill("ow")
        ana.locator("#found > ol > li", has_text="owl 50").wait_for()
        assert not ana.locator("#feed").is_visible()
        ana.locator("#found-earlier a").click()
        ana.locator("#found > ol > li", has_text=re.compile(r"owl 0\b")).wait_for()
        assert ana.locator("#found > ol > li").count() == 51
        ana.get_by_label("kind", exact=True).select_option("corrections")
        ana.get_by_text("No line fits.").wait_for()
        search.click()
        assert ana.locator("#feed").is_visible()
        windows.close()
        assert windows.complaints == []


def test_back_closes_an_answer_and_forward_shows_it_again(windows: Windows) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"))
    why = ana.locator("#sheet-mara-edge dd a").first
    why.click()
    ana.locator("#panel h3").wait_for()
    ana.go_back()
    ana.locator("#panel h3").wait_for(state="hidden")
    assert why.evaluate("link => link === document.activeElement")
    ana.go_forward()
    ana.locator("#panel h3").wait_for()
    ana.get_by_role("button", name="Close", exact=True).click()
    ana.locator("#panel h3").wait_for(state="detached")
    assert not ana.url.endswith("#panel")


def test_two_taps_on_close_do_not_leave_the_table_and_an_answer_that_comes_meanwhile_is_shown(
    windows: Windows,
) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"))
    ana.get_by_role("link", name="d6").first.click()
    ana.locator("#tray-say").wait_for()
    ana.evaluate("""() => {
        const tray = document.getElementById("tray"), close = tray.querySelector(".close");
        close.click();
        Promise.resolve().then(() => close.click()).then(() => tray.append("an answer"));
    }""")
    ana.locator("#tray", has_text="an answer").wait_for()
    ana.wait_for_timeout(200)
    assert ana.locator("#tray").is_visible()
    ana.go_back()
    ana.locator("#tray").wait_for(state="hidden")
    assert ana.url == f"{windows.server.address}/"


def test_the_focus_goes_to_the_answer(windows: Windows) -> None:
    tom = windows.gm()
    form_of(tom, "mara", "edge", "check")
    assert tom.evaluate("document.activeElement.id") == "do"
    fill(tom, ranks="deception", target="20", faces="7 6")
    tom.locator("#do button.say").click()
    written(tom)
    assert tom.evaluate("document.activeElement.id") == "panel"


def test_the_focus_stays_on_a_line_that_is_opened_and_goes_to_the_first_earlier_line(
    browser: Browser, tmp_path: Path
) -> None:
    with served(table_laid(tmp_path, *(f"note 'owl {number}'" for number in range(40)))) as server:
        windows = Windows(browser, server)
        tom = windows.gm()
        focused = "document.activeElement.closest('li')?.id"
        last = lines_of(tom)[-2]
        opened(tom, last)
        assert tom.evaluate(focused) == last
        tom.locator("#earlier a").click()
        tom.locator("#earlier").wait_for(state="detached")
        assert tom.evaluate(focused) == lines_of(tom)[50]
        windows.close()
        assert windows.complaints == []


def test_a_tap_shows_that_it_was_taken_before_the_answer_comes(windows: Windows) -> None:
    ana = windows.enter(windows.server.link)
    more(ana)
    link = ana.locator("#own a").first
    opacity = "link => getComputedStyle(link).opacity"
    before = link.evaluate(opacity)

    def late(route: Route) -> None:
        ana.wait_for_timeout(500)
        route.continue_()

    ana.route("**/do/*", late)
    link.evaluate("link => link.click()")
    assert (before, link.evaluate(opacity)) == ("1", "0.6")
    ana.locator("#do h3").first.wait_for()
    assert link.evaluate(opacity) == "1"


def test_a_phone_says_whose_turn_it_is_and_vibrates_at_its_own(windows: Windows, server: Server) -> None:
    _, ana, _ = three(windows)
    ana.get_by_label("vibrate").check()
    ana.evaluate("() => { window.felt = []; navigator.vibrate = (time) => felt.push(time); }")
    server.types("turns", "add", "brak", "20")
    server.types("turns", "add", "mara", "10")
    server.types("turns", "next")
    ana.locator("#mine", has_text="brak's turn").wait_for()
    server.types("turns", "next")
    ana.locator("#mine", has_text="Your turn: mara").wait_for()
    assert ana.evaluate("felt") == [200]
    ana.reload()
    assert ana.get_by_label("vibrate").is_checked()


def test_a_visit_that_the_gm_ended_says_so_at_once(windows: Windows) -> None:
    tom = windows.gm()
    link = windows.invite(tom, "Ben")
    ben = windows.enter(link)
    tom.goto(f"{windows.server.address}/gm")
    with windows.forgiving("401"):
        tom.get_by_role("button", name="Log out Ben").last.click()
        ben.locator("#connection", has_text="no longer logged in").wait_for()


def test_an_end_that_is_refused_leaves_the_visit_where_it_is(windows: Windows) -> None:
    tom = windows.gm()
    windows.enter(windows.invite(tom, "Ben"))
    tom.goto(f"{windows.server.address}/gm")
    before = tom.locator("#visits li").count()
    tom.route("**/end", lambda route: route.fulfill(status=503, body="Too busy."))
    with windows.forgiving("503"):
        tom.get_by_role("button", name="Log out Ben").last.click()
        tom.locator("#panel", has_text="Too busy.").wait_for()
    assert tom.locator("#visits li").count() == before


def test_times_are_those_of_the_readers_own_zone(windows: Windows) -> None:
    page = windows.enter(windows.invite(windows.gm(), "Ana"), timezone_id="America/New_York")
    feed_opened(page)
    page.locator("#feed li").first.locator("summary").click()
    time = page.locator("#feed time[title]").first
    time.wait_for()
    kept = time.get_attribute("datetime") or ""
    assert time.get_attribute("title") == kept[:16].replace("T", " ") + " UTC"
    shown = datetime.fromisoformat(kept).astimezone(ZoneInfo("America/New_York"))
    assert time.text_content() == f"{shown:%Y-%m-%d %H:%M}"


def test_over_tls_a_browser_keeps_the_login_for_this_server_alone(browser: Browser, tmp_path: Path) -> None:
    with served(table_laid(tmp_path), "--lan", "--tls") as server:
        windows = Windows(browser, server)
        with windows.forgiving(NO_WORKER):
            gm = windows.gm(ignore_https_errors=True)  # like a phone whose owner accepts the warning
            ana = windows.enter(windows.invite(gm, "Ana"), ignore_https_errors=True)
            assert ana.url.startswith(f"https://{own_address()}:")
            (cookie,) = ana.context.cookies()
            assert cookie["name"].startswith("__Host-table-")
            assert (cookie["secure"], cookie["httpOnly"], cookie["path"]) == (True, True, "/")
            assert ana.evaluate("isSecureContext")
            server.types("note", "the guide waits")
            ana.get_by_text("the guide waits").wait_for()
            windows.close()
        assert windows.complaints == []
