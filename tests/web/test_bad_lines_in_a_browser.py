"""Bad or lost connections, and browsers that cannot copy: the page says so, and recovers by itself."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from browser import AWAY, PHONE, Server, Windows, feed_opened, lines_of, more, served, shows, table_laid
from table import CAST
from web.fragments import MOST_CHARACTERS

pytestmark = pytest.mark.slow


class Swallowing:
    """A proxy on this computer that drops everything on open connections while `swallows` is set."""

    def __init__(self, to: int) -> None:
        self.swallows = False
        self.port = 0
        self._to = to
        self._writers: list[asyncio.StreamWriter] = []
        self._listens = threading.Event()
        self._stops: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._listens.wait(10)

    async def _serve(self) -> None:
        self._loop, self._stops = asyncio.get_running_loop(), asyncio.Event()
        async with await asyncio.start_server(self._handle, "127.0.0.1", 0) as listening:
            self.port = listening.sockets[0].getsockname()[1]
            self._listens.set()
            await self._stops.wait()
            for writer in self._writers:
                writer.transport.abort()
            await asyncio.sleep(0.1)  # until the connections are closed

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers += [writer, back]
        dead = asyncio.Event()
        await asyncio.gather(self._pump(reader, back, dead), self._pump(there, writer, dead))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, dead: asyncio.Event) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self.swallows:
                    dead.set()
                if not dead.is_set():
                    writer.write(data)
                    await writer.drain()
        if not dead.is_set():
            writer.close()

    def stop(self) -> None:
        assert self._loop is not None
        assert self._stops is not None
        self._loop.call_soon_threadsafe(self._stops.set)
        self._thread.join(10)


@contextmanager
def swallowing(server: Server) -> Iterator[Swallowing]:
    made = Swallowing(int(server.here.rpartition(":")[2]))
    try:
        yield made
    finally:
        made.stop()


def test_a_connection_that_dies_silently_is_noticed_reported_and_replaced(
    browser: Browser, windows: Windows, server: Server
) -> None:
    with swallowing(server) as proxy:
        link = windows.invite(windows.gm(), "Ana").replace(server.here, f"http://127.0.0.1:{proxy.port}")
        context = browser.new_context()
        ana = context.new_page()
        ana.goto(link)
        ana.get_by_role("button", name="Come in").click()
        ana.wait_for_selector("#feed")
        server.types("note", "all is well")
        shows(ana, "all is well")
        assert ana.locator(".stream").get_attribute("data-silence") == "35"
        proxy.swallows = True
        server.types("note", "nobody sees this")
        ana.wait_for_timeout(1000)
        proxy.swallows = False
        assert "nobody sees this" not in lines_of(ana)[0]
        said = ana.evaluate(
            """() => new Promise((done) => {
              new MutationObserver(() => done(document.getElementById("connection").textContent))
                .observe(document.getElementById("connection"), { childList: true });
              document.querySelector(".stream").dataset.silence = "1";
            })"""
        )
        assert said == "The table has been silent for a while. Reconnecting …"
        ana.evaluate("document.querySelector('.stream').dataset.silence = '35'")
        shows(ana, "nobody sees this")
        assert ana.locator("#connection").inner_text() == ""
        assert lines_of(ana) == server.feed()
        context.close()


def test_a_line_that_was_opened_while_offline_is_asked_for_again(windows: Windows) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"), PHONE)
    feed_opened(ana)
    line = ana.locator("#feed li").first
    with windows.forgiving(AWAY):
        ana.context.set_offline(True)
        line.locator("summary").click()
        ana.locator("#panel", has_text="The table did not answer. Try again.").wait_for()
        ana.context.set_offline(False)
    ana.go_back()
    for _ in range(2):
        line.locator("summary").click()
    line.locator(".working", has_text="by ").wait_for()


def test_a_character_that_could_not_be_loaded_appears_with_the_next_event(windows: Windows, server: Server) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"), PHONE)
    lost: list[str] = []

    def is_lost(route: Route) -> None:
        if route.request.resource_type == "fetch" and not lost:
            lost.append(route.request.url)
            route.abort()
        else:
            route.fallback()

    more(ana)
    ana.route(f"{server.here}/", is_lost)
    with windows.forgiving(AWAY):
        with ana.expect_event("requestfailed"):  # both in one event would be lost together
            server.types("player", "Ana", "--plays", "nina")
        server.types("join", "nina", "edge", "maximum=4")
        more(ana)
        ana.locator("#own").get_by_role("link", name="nina").wait_for()
    assert len(lost) == 1


def test_a_search_appears_with_the_first_character_that_has_no_room_and_keeps_what_is_typed(
    browser: Browser, tmp_path: Path
) -> None:
    crowd = [f"join npc-{number} edge maximum=4" for number in range(MOST_CHARACTERS)]
    with served(table_laid(tmp_path, *crowd[len(CAST) :])) as server:
        windows = Windows(browser, server)
        tom = windows.gm()
        more(tom)
        tom.locator("#own a").first.wait_for()
        assert tom.locator("#find-own, #find-sheet").count() == 0
        server.types("join", "nina", "edge", "maximum=4")
        for search in ("#find-own", "#find-sheet"):
            tom.locator(search).wait_for()
        tom.locator("#find-own").fill("nin")
        server.types("join", "zoe", "edge", "maximum=4")
        tom.get_by_text("one of 2 more characters").wait_for()
        assert tom.locator("#find-own").input_value() == "nin"
        windows.close()
        assert windows.complaints == []


def test_an_error_is_closed_where_it_is_shown(windows: Windows, server: Server) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"), PHONE)
    server.types("leave", "mara")
    more(ana)
    with windows.forgiving("40[34]"):
        ana.evaluate("htmx.ajax('GET', '/do/mara', { target: '#do', swap: 'innerHTML' })")
        ana.locator("#do .problem").wait_for()
    ana.locator("#do .close").click()
    assert ana.locator("#do").inner_text() == ""


def test_the_panel_is_empty_after_the_server_comes_back(windows: Windows, server: Server) -> None:
    ana = windows.enter(windows.invite(windows.gm(), "Ana"), PHONE)
    more(ana)
    ana.locator("#own a").first.click()
    ana.locator("#f-pool").fill("1d6")
    with windows.forgiving(AWAY):
        server.stop()
        ana.locator("#do form button").first.click()
        ana.locator("#panel", has_text="Try again: nothing").wait_for()
        server.start()
        ana.locator("#panel:empty").wait_for(state="attached")


@pytest.mark.parametrize("what", ["Copy the checkpoint", "Copy the link"])
def test_a_page_over_plain_http_copies_or_says_that_it_is_selected(browser: Browser, tmp_path: Path, what: str) -> None:
    with served(table_laid(tmp_path, "session open One", "session close"), "--lan") as server:
        windows = Windows(browser, server)
        tom = windows.gm()
        link = windows.invite(tom, "Ana")
        page = tom
        if what == "Copy the checkpoint":
            page = windows.enter(link, PHONE)
            page.goto(f"{server.address}/trust")
            assert page.evaluate("isSecureContext") is False
        else:
            page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        button = page.locator("[data-copies=head], [data-copies=link]")
        assert button.inner_text() == what
        button.click()
        expect(button).not_to_have_text(what)
        assert button.inner_text() in {"Copied", "The text is selected. Copy it yourself."}
        assert page.evaluate("getSelection().toString().length") > 20
        windows.close()
        assert windows.complaints == []
