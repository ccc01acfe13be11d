"""Real windows onto a real server: a campaign of all five games, `campaign serve` beside it, and Debian's browsers.

A window goes nowhere but to this computer, and what its console complains about fails the test.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

from cli.context import Invocation
from cli.main import campaign
from ledger.journal.book import open_book
from paths import ROOT
from projections.log import lines
from table import CAST, EVENING, SHEETS, seeded_dice, seeded_salts
from terminal import PROGRAM
from web.serve import own_address

CHROMIUM, FIREFOX = "/usr/bin/chromium", "/usr/bin/firefox-esr"
LAPTOP, PHONE, SMALLEST = (1280, 800), (390, 780), (320, 640)
AWAY = "ERR_|Failed to fetch|network error|signal is aborted"
"""What a console says of a server that is not there."""
PATIENCE = 10_000
"""Milliseconds after which what was waited for will not come."""

OPENING = (
    'init "The salt road" --gm Tom',
    *(
        f"join {who} {system} {' '.join(f'{name}={value}' for name, value in scores.items())}"
        for system in ("edge", *SHEETS)
        for who, scores in ((who, CAST[who] if system == "edge" else SHEETS[system]) for who in CAST)
    ),
    "adjust mara edge=3 --why 'a good start'",
    "set mara edge/on.deception=cunning,presence --why 'her sheet'",
    "player Ana --plays mara",
    "player Ben --plays brak",
    "day next",
)
"""What brings a campaign to the point where two players can play all five games."""

PLAYED = (
    'session open "The old market" --present Ana,Ben',
    'scene "At the gate"',
    "edge check mara deception 20 --faces 7,6",
    "edge check brak --skill 8 --target 25 --faces 3,2",
    "multicheck test mara cunning --skill deception --difficulty 30 --faces 99",
    "syscards rate brak 45 --why 'the fog' --throw --faces 52",
    "rollunder plain mara cunning --faces 5",
    "byzantine invest mara 5 --project climb",
    "edge check mara deception --edge --faces 7,3,7",
    "session close",
    'session open "The bridge" --present Ana,Ben',
    "edge award brak --amount 1 --why 'well played'",
    "undo",
    "dispute 32 --claim 'a very long claim, in many words, of what the dice showed on the table that evening'",
)
"""What was typed in an evening and at the beginning of the next, with all that a page can show."""


def table_laid(folder: Path, *commands: str) -> Path:
    """Lay out the campaign of `OPENING`, and what was typed after it, with the home of its GM; return its file."""
    for name, data in _typed((*OPENING, *commands)).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder / "road.campaign"


@cache
def _typed(commands: tuple[str, ...]) -> Mapping[str, bytes]:
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
    with TemporaryDirectory() as made:
        for words in commands:
            full = ["-f", f"{made}/road.campaign", *shlex.split(words)]
            home = {"CAMPAIGN_HOME": f"{made}/home"}
            done = CliRunner().invoke(campaign, full, obj=invocation, prog_name="campaign", env=home)
            assert done.exit_code == 0, (words, done.output)
        files = sorted(path for path in Path(made).rglob("*") if path.is_file())
        return {str(path.relative_to(made)): path.read_bytes() for path in files}


class Server:
    """`campaign serve`, a process of its own, for one file; it can be killed, and started again on its port."""

    def __init__(self, file: Path, program: Sequence[str] = PROGRAM, words: Sequence[str] = (), port: int = 0) -> None:
        self.file = file
        self.link = ""
        self.address = ""
        self._program = program
        self._words = words
        self._port = port
        self._log = file.with_suffix(".log")
        self._process: subprocess.Popen[str] | None = None

    @property
    def here(self) -> str:
        """Where the GM is let in."""
        return self.link.partition("/enter/")[0]

    def start(self) -> None:
        """Start it, and wait until it has said where; on a free port the first time, then on the same."""
        words = ["-f", str(self.file), "serve", "--port", str(self._port), "--log", str(self._log), *self._words]
        home = {"CAMPAIGN_HOME": str(self.file.parent / "home"), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
        self._process = subprocess.Popen(
            [*self._program, *words], env={**os.environ, **home}, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self.address = self._process.stdout.readline().split()[-1]
        self.link = self._process.stdout.readline().split()[-1]
        self._port = int(self.link.split("/enter/")[0].rpartition(":")[2])

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, by this signal, and wait until it is gone."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=10)
            assert self._process.stdout
            self._process.stdout.close()
            self._process = None

    def asked(self, route: str) -> int:
        """How many requests for a route its log says were answered to their end."""
        rows = [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]
        return sum(row.get("route") == route for row in rows)

    def types(self, *words: str, home: str = "home") -> str:
        """Type a command of `campaign` beside it, in a process of its own; return what it says."""
        own = {"CAMPAIGN_HOME": str(self.file.parent / home), "PYTHONPATH": str(ROOT)}
        full = [*PROGRAM, "-f", str(self.file), *words]
        return subprocess.run(full, env={**os.environ, **own}, check=True, capture_output=True, text=True).stdout

    def feed(self) -> list[str]:
        """The ids of the lines that a feed has now, the newest first."""
        with open_book(str(self.file)) as book:
            return [f"a{action.act}" for action in reversed(lines(book, 1000))]


@contextmanager
def served(file: Path, *words: str, program: Sequence[str] = PROGRAM, port: int = 0) -> Iterator[Server]:
    """A server for a file, until the end, on a free port or on this one."""
    server = Server(file, program, words, port)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGKILL)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a screen, that knows no host but this computer."""
    only_here = f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE {own_address()}"
    with sync_playwright() as programs:
        browser = programs.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", only_here])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def firefox() -> Iterator[Browser]:
    """A stock Firefox without a screen, driven by the standard WebDriver BiDi."""
    with sync_playwright() as programs:
        browser = programs.firefox.launch(executable_path=FIREFOX, channel="moz-firefox")
        try:
            yield browser
        finally:
            browser.close()


class Windows:
    """The windows of everybody at a table; each has its own cookies, and all their complaints are kept."""

    def __init__(self, browser: Browser, server: Server) -> None:
        self.server = server
        self.complaints: list[str] = []
        self._browser = browser
        self._contexts: list[BrowserContext] = []

    def window(self, size: tuple[int, int], **kwargs: Any) -> Page:
        """A window of this size in a browser of its own."""
        width, height = size
        phone = width < 600
        is_mobile = phone and self._browser.browser_type.name == "chromium"  # Firefox cannot play a phone
        more = {"has_touch": phone, "is_mobile": is_mobile, "reduced_motion": "reduce", **kwargs}
        context = self._browser.new_context(viewport={"width": width, "height": height}, **more)
        context.set_default_timeout(PATIENCE)
        context.route(lambda url: not self._is_own(url), lambda route: route.abort())
        context.on("request", self._leaves)
        context.on("console", self._says)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.add_init_script(CAN_HIDE)
        self._contexts.append(context)
        return context.new_page()

    def gm(self, size: tuple[int, int] = LAPTOP, **kwargs: Any) -> Page:
        """A window in which the GM came in by the link that the server printed."""
        return self.enter(self.server.link, size, **kwargs)

    def enter(self, link: str, size: tuple[int, int] = PHONE, **kwargs: Any) -> Page:
        """A window in which somebody came in by an invitation."""
        page = self.window(size, **kwargs)
        page.goto(link)
        page.get_by_role("button", name="Come in").click()
        page.wait_for_selector("#feed")
        page.wait_for_load_state()  # its script runs
        return page

    def invite(self, gm: Page, name: str) -> str:
        """The link of an invitation that the GM makes on the GM's page."""
        gm.goto(f"{self.server.here}/gm")
        gm.get_by_label("invite", exact=True).select_option(label=name)
        gm.get_by_role("button", name="Make an invitation").click()
        return gm.locator("#panel code.link").inner_text()

    @contextmanager
    def forgiving(self, pattern: str) -> Iterator[None]:
        """While this goes on, complaints that match are expected; there must be one, or it is not what was tried."""
        before, self.complaints = self.complaints, []
        yield
        left = [text for text in self.complaints if not re.search(pattern, text)]
        assert len(left) < len(self.complaints), f"nothing was refused by {pattern}"
        self.complaints = before + left

    def close(self) -> None:
        """Close all windows."""
        for context in self._contexts:
            context.close()

    def _leaves(self, request: Request) -> None:
        if not self._is_own(request.url):
            self.complaints.append(f"asked for {request.url}")

    def _is_own(self, url: str) -> bool:
        return url.startswith((f"{self.server.address}/", f"{self.server.here}/", "data:"))

    def _says(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not EXPECTED.search(message.text):
            self.complaints.append(f"{message.text} ({message.location.get('url')})")


EXPECTED = re.compile(
    r"inline style violates the following Content Security Policy|NetworkError when attempting to fetch resource"
)
"""Playwright hides the caret by an inline style while it takes a picture, which the page's policy refuses.

Firefox complains of each request that was not answered when somebody leaves a page.
"""

CAN_HIDE = """
window.asleep = location.hash === "#behind";
Object.defineProperty(Document.prototype, "hidden", { get: () => window.asleep });
Object.defineProperty(Document.prototype, "visibilityState", { get: () => (window.asleep ? "hidden" : "visible") });
"""
"""A browser without a screen shows all its tabs at once: what a page is told of being hidden is said by the test."""


def hide(page: Page, *, hidden: bool = True) -> None:
    """Tell a page that it is hidden, as when a phone is locked or another tab is in front, or shown again."""
    page.evaluate("yes => { window.asleep = yes; document.dispatchEvent(new Event('visibilitychange')); }", hidden)


class Streams:
    """How many streams the tabs of a browser hold open, as the browser sees it."""

    def __init__(self, context: BrowserContext) -> None:
        self._open: set[Request] = set()
        context.on("request", lambda request: self._open.add(request) if "/stream" in request.url else None)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    def _ended(self, request: Request) -> None:
        self._open.discard(request)

    @property
    def open(self) -> int:
        """Those that were asked for since, and did not end."""
        return len(self._open)


def lines_of(page: Page) -> list[str]:
    """The ids of the lines in a page's feed, from top to bottom."""
    ids: list[str] = page.eval_on_selector_all("#feed > li", "all => all.map(each => each.id)")
    return ids


def until(page: Page, true: Callable[[], bool], most: int = PATIENCE) -> None:
    """Wait until something is true; the page goes on meanwhile."""
    end = time.monotonic() + most / 1000
    while not true():
        assert time.monotonic() < end, f"not within {most} ms"
        page.wait_for_timeout(20)


def shows(page: Page, text: str | re.Pattern[str], most: int = PATIENCE) -> None:
    """See in the newest line of a feed, within so many milliseconds."""
    page.locator("#feed > li").first.filter(has_text=text).wait_for(timeout=most)


def more(page: Page) -> None:
    """Unfold all moves, gifts and notes, below the dice."""
    if not page.locator("#more[open]").count():
        page.locator("#more > summary").click()


def form_of(page: Page, who: str, game: str, move: str) -> None:
    """Open the form of a move, as a thumb does: the character, then the move."""
    more(page)
    page.locator(".who-picks").get_by_role("link", name=who, exact=True).click()
    page.locator(f'#do a[href="do/{who}/{game}/{move}"]').click()
    page.locator("#do form.move").wait_for()


def fill(page: Page, where: str = "#do", **inputs: str) -> None:
    """Fill in the fields of a form, by the names of the inputs."""
    for name, value in inputs.items():
        page.locator(f'{where} :is([name="{name}"], [name="inputs.{name}"])').first.wait_for(state="attached")
        own = page.locator(f'{where} [name="{name}"]')
        field = own if own.count() else page.locator(f'{where} [name="inputs.{name}"]')
        if not field.is_visible():
            page.locator(f"{where} details.more:not([open]) > summary").click()
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        elif field.get_attribute("type") == "checkbox":
            field.check()
        else:
            field.fill(value)


def play(page: Page, who: str, game: str, move: str, **inputs: str) -> None:
    """Play a move by its form; the dice are among the inputs, as `faces`."""
    form_of(page, who, game, move)
    fill(page, **inputs)
    page.locator("#do button.say").click()
    written(page)


def written(page: Page) -> str:
    """What the panel says was written, or is planned; fails with the sentence of what was refused."""
    page.locator("#panel .line, #panel .problem").first.wait_for()
    assert not page.locator("#panel .problem").count(), page.locator("#panel").inner_text()
    return page.locator("#panel .line").first.inner_text()


def feed_opened(page: Page) -> None:
    """Open the feed on the whole screen of a phone; a laptop shows it anyway."""
    link = page.get_by_role("link", name="Open the feed")
    if link.is_visible():
        link.click()


def opened(page: Page, line: str) -> None:
    """Tap on the line of an action, and wait for what stands behind it."""
    feed_opened(page)
    page.locator(f"#{line} summary").first.click()
    page.locator(f"#{line} .working p").first.wait_for()


def agrees(page: Page) -> None:
    """Read the plan, of which nothing is written yet, and agree to it."""
    page.locator("#panel").get_by_text("Nothing is saved yet.").wait_for()
    page.get_by_role("button", name="Save").click()
    page.locator("#panel").get_by_text("Nothing is saved yet.").wait_for(state="detached")
    written(page)
