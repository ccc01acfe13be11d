"""The feed and what is kept: in order, without a gap, and never older than what was answered."""

import asyncio
import gc
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from ledger.commands.at_table import Note, OpenSession
from ledger.errors import Busy
from ledger.journal.book import Book, open_book
from ledger.journal.records import Stamp
from ledger.trust.home import Home
from paths import ROOT
from table import scribe
from web import feed as feeds
from web.campaign import Campaign, WriteOptions
from web.feed import MOST_STREAMS, Feed, Message
from web.problems import TooOften
from web.sessions import LoginFile, Logins
from web.site import MOST_PAGES, Site, messages, newest_event_id

LONG_AGO = 1_000_000_000_000_000_001


class Paper:
    """What is written, as a feed reads it, with reads that fail or wait."""

    def __init__(self, head: int = 0) -> None:
        self.head = head
        self.stamps = 0
        self.looks = 0
        self.fails: list[Exception] = []
        self.logged: list[dict[str, Any]] = []
        self.heads_wait: threading.Event | None = None

    async def stamp(self) -> Stamp:
        self.stamps += 1
        return Stamp(0, self.head, is_settled=True)

    def read_head(self) -> tuple[int, str]:
        head = self.head
        if self.heads_wait:
            self.heads_wait.wait(5)
        return head, "a"

    def tell(self, after: int, leaf: str) -> Sequence[Message]:
        self.looks += 1
        if self.fails:
            raise self.fails.pop()
        return [Message(last=seq, leaf="a", data=f"id: {seq}\n\n".encode()) for seq in range(after + 1, self.head + 1)]

    def log(self, event: str, **facts: Any) -> None:
        self.logged.append({"event": event, **facts})

    def feed(self, most: int = MOST_STREAMS) -> Feed:
        return Feed(self.stamp, self.tell, self.read_head, self.log, most)


def ids(data: bytes) -> list[int]:
    return [int(line[4:].partition("-")[0]) for line in data.decode().splitlines() if line.startswith("id: ")]


async def upto(stream: AsyncGenerator[bytes, None], last: int) -> list[int]:
    """The entries that a stream brings until one came."""
    got: list[int] = []
    async with asyncio.timeout(5):
        async for data in stream:
            got += ids(data)
            if last in got:
                break
    return got


def run(play: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(play())


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.01)


def test_a_stream_brings_what_was_missed_and_what_comes_each_once_and_in_order() -> None:
    async def play() -> None:
        paper = Paper(head=5)
        feed = paper.feed()
        async with aclosing(feed.stream(2, "", "visit")) as stream:
            assert await anext(stream) == b"retry: 500\n\n"
            assert await upto(stream, 5) == [3, 4, 5]
            paper.head = 9
            feed.check_now()
            assert await upto(stream, 9) == [6, 7, 8, 9]
            async with aclosing(feed.stream(7, "", "visit")) as other:  # from what is kept
                assert await upto(other, 9) == [8, 9]

    run(play)


def test_pages_that_load_while_a_roll_is_written_are_answered_without_reading_the_file_for_each() -> None:
    async def play() -> None:
        paper = Paper(head=5)
        feed = paper.feed()
        async with aclosing(feed.stream(5, "", "visit")) as stream:
            reading = asyncio.create_task(upto(stream, 6))
            await until(lambda: paper.looks > 0)
            paper.head = 6
            assert await reading == [6]
            looks = paper.looks
            for _ in range(5):
                async with aclosing(feed.stream(5, "a", "visit")) as late:
                    assert await upto(late, 6) == [6]
            assert paper.looks == looks

    run(play)


def test_two_streams_that_begin_at_once_miss_nothing_that_is_written_meanwhile() -> None:
    async def play() -> None:
        paper = Paper(head=5)
        paper.heads_wait = threading.Event()
        feed = paper.feed()
        async with aclosing(feed.stream(5, "", "visit")) as one, aclosing(feed.stream(5, "", "visit")) as two:
            both = [asyncio.create_task(upto(stream, 9)) for stream in (one, two)]
            await asyncio.sleep(0.1)
            paper.head = 7  # after the first read the head, before either watches
            paper.heads_wait.set()
            await asyncio.sleep(0.3)
            paper.head = 9
            assert await asyncio.gather(*both) == [[6, 7, 8, 9], [6, 7, 8, 9]]
        watchers = [task for task in asyncio.all_tasks() if "_watch" in repr(task)]
        assert len(watchers) <= 1

    run(play)


def test_many_streams_that_missed_something_read_it_one_after_the_other() -> None:
    """Otherwise, the pages of one campaign could take all threads of a server of many campaigns."""
    running, most = [0], [0]

    class SlowPaper(Paper):
        def tell(self, after: int, leaf: str) -> Sequence[Message]:
            running[0] += 1
            most[0] = max(most[0], running[0])
            time.sleep(0.01)
            running[0] -= 1
            return super().tell(after, leaf)

    async def play() -> None:
        feed = SlowPaper(head=5).feed()
        streams = [feed.stream(2, "", f"visit {number}") for number in range(8)]
        assert await asyncio.gather(*(upto(stream, 5) for stream in streams)) == [[3, 4, 5]] * 8
        for stream in streams:
            await stream.aclose()

    run(play)
    assert most == [1]


def test_what_could_not_be_read_when_it_was_written_comes_with_the_next_look() -> None:
    async def play() -> None:
        paper = Paper(head=1)
        feed = paper.feed()
        async with aclosing(feed.stream(1, "", "visit")) as stream:
            reading = asyncio.create_task(upto(stream, 2))
            await until(lambda: paper.looks > 0)
            paper.fails = [Busy(5)]
            paper.head = 2
            assert await reading == [2]

    run(play)


def test_a_stream_ends_where_the_file_cannot_be_read_and_comes_back() -> None:
    async def play() -> None:
        paper = Paper(head=3)
        feed = paper.feed()
        paper.fails = [Busy(5)]
        assert [data async for data in feed.stream(1, "", "visit")] == [b"retry: 500\n\n"]
        async with aclosing(feed.stream(1, "", "visit")) as stream:
            assert await upto(stream, 3) == [2, 3]

    run(play)


def test_a_stream_that_does_not_read_is_ended_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_MESSAGES", 10)

    async def play() -> None:
        paper = Paper(head=0)
        feed = paper.feed()
        async with aclosing(feed.stream(0, "", "visit")) as slow, aclosing(feed.stream(0, "", "visit")) as quick:
            await anext(slow)
            starting = asyncio.create_task(anext(slow))
            seen: list[int] = []
            for head in range(1, 4):
                paper.head = head
                seen += await upto(quick, head)
            assert ids(await starting)[0] == 1
            for head in range(4, 20):
                paper.head = head
                feed.check_now()
                seen += await upto(quick, head)
            assert seen == [*range(1, 20)]
            assert [data async for data in slow] == []

    run(play)


def test_who_lacks_very_much_is_told_to_load_the_page_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_MESSAGES", 10)

    async def play() -> None:
        paper = Paper(head=50)
        feed = paper.feed()
        async with aclosing(feed.stream(3, "", "visit")) as stream:
            await anext(stream)
            assert (await anext(stream)).startswith(b"event: anew\nid: 50-a\ndata: ")
            paper.head = 51
            assert await upto(stream, 51) == [51]
        assert paper.looks <= 3

    run(play)


HOW = {
    "in its place": lambda copy, file: copy.replace(file),
    "into it": lambda copy, file: file.write_bytes(copy.read_bytes()),
}


@pytest.mark.parametrize("how", HOW)
def test_a_page_of_another_history_is_told_to_load_anew(file: Path, site: Site, tmp_path: Path, how: str) -> None:
    with open_book(str(file)) as book:
        early = book.head()
    before = tmp_path / "before"
    before.write_bytes(file.read_bytes())
    with open_book(str(file)) as book:
        late = noted(book)
        shown = newest_event_id(book).partition("-")[2]

    async def play() -> None:
        async with aclosing(site.feed.stream(late + 9, "", "visit")) as stream:
            await anext(stream)
            assert ids(await anext(stream)) == [late], "it shows more than there is"
        async with aclosing(site.feed.stream(late, shown, "visit")) as stream:
            await anext(stream)
            waits = asyncio.create_task(anext(stream))
            await asyncio.sleep(0.15)
            HOW[how](before, file)
            async with asyncio.timeout(5):
                data = await waits
            assert data.startswith(b"event: anew\n")
            assert ids(data) == [early]
            with open_book(str(file)) as book:
                scribe(book).write(Note(text="Another evening."))
                again = noted(book)
            assert await upto(stream, again) == [early + 1, again]
        async with aclosing(site.feed.stream(late, shown, "visit")) as stream:  # of a phone that slept meanwhile
            await anext(stream)
            assert (await anext(stream)).startswith(b"event: anew\n"), "that entry is another now"

    run(play)


def test_only_so_many_watch_in_all_and_of_one_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MOST_STREAMS_OF_VISIT", 2)

    async def play() -> None:
        feed = Paper().feed(3)
        streams = [feed.stream(0, "", visit) for visit in ("ana", "ana", "ben")]
        for stream in streams[:2]:
            feed.check_room("ana")
            await anext(stream)
        with pytest.raises(TooOften):
            feed.check_room("ana")
        feed.check_room("ben")
        await anext(streams[2])
        with pytest.raises(TooOften):
            feed.check_room("cleo")
        await streams[0].aclose()
        feed.check_room("ana")
        for stream in streams:
            await stream.aclose()

    run(play)


def test_nobody_looks_while_nobody_watches_and_whoever_comes_next_misses_nothing() -> None:
    async def play() -> None:
        paper = Paper(head=1)
        feed = paper.feed()
        async with aclosing(feed.stream(0, "", "visit")) as stream:
            assert await upto(stream, 1) == [1]
        await asyncio.sleep(0.3)
        before = paper.stamps
        paper.head = 4
        await asyncio.sleep(0.3)
        assert paper.stamps == before
        async with aclosing(feed.stream(1, "", "visit")) as stream:
            assert await upto(stream, 4) == [2, 3, 4]

    run(play)


def test_if_the_look_itself_breaks_nobody_waits_for_ever_and_nothing_is_left_out() -> None:
    async def play() -> None:
        paper = Paper(head=1)
        feed = paper.feed()
        unheard: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: unheard.append(context))
        got = []
        async with aclosing(feed.stream(1, "", "visit")) as stream:
            await anext(stream)
            waits = asyncio.create_task(anext(stream, b""))
            await until(lambda: paper.looks > 0)
            paper.fails = [ZeroDivisionError("typed words")]
            paper.head = 2
            async with asyncio.timeout(5):
                assert await waits == b""
        async with aclosing(feed.stream(1, "", "visit")) as stream:
            got += await upto(stream, 2)
        assert got == [2]
        gc.collect()  # asyncio tells of an error that nobody took when its task is gone
        assert unheard == []
        (logged,) = paper.logged
        assert (logged["event"], logged["error"]) == ("unforeseen", "ZeroDivisionError")
        assert logged["at"].startswith(str(ROOT / "web" / "feed.py:"))

    run(play)


def test_a_feed_that_ends_lets_its_streams_go() -> None:
    async def play() -> None:
        paper = Paper(head=1)
        feed = paper.feed()
        stream = feed.stream(1, "", "visit")
        await anext(stream)
        waits = asyncio.create_task(anext(stream, b"gone"))
        await asyncio.sleep(0.1)
        feed.end()
        async with asyncio.timeout(1):
            assert await waits == b"gone"
            assert [data async for data in feed.stream(1, "", "visit")] == [b"retry: 500\n\n"]

    run(play)


def test_a_stream_says_that_it_is_still_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEEPALIVE_SECONDS", 0.05)

    async def play() -> None:
        async with aclosing(Paper(head=1).feed().stream(1, "", "visit")) as stream:
            await anext(stream)
            assert await anext(stream) == feeds.KEEPALIVE_EVENT

    run(play)


@pytest.fixture
def site(file: Path, tmp_path: Path) -> Site:
    home = Home(str(tmp_path / "home"))

    def log(*_: object, **__: object) -> None:
        return

    return Site(Campaign(str(file), home), Logins(LoginFile(home.folder, "road")), address=str, cookie="c", log=log)


def aged(file: Path, time: int = LONG_AGO) -> None:
    os.utime(file, ns=(time, time))


def page(site: Site) -> bytes:
    def made() -> str:
        with site.campaign.snapshot() as book:
            return str(book.head())

    return kept(site, made)


def kept(site: Site, make: Callable[[], str], *names: str) -> bytes:
    return bytes(asyncio.run(site.page(names or ("page",), make)).body)


def noted(book: Book) -> int:
    return scribe(book).write(Note(text="It rains.")).entries[-1].seq


def test_a_page_is_kept_until_something_is_written(site: Site, file: Path) -> None:
    aged(file)
    first = page(site)
    assert kept(site, lambda: "never made") == first
    with open_book(str(file)) as book:
        head = noted(book)
    assert page(site) == str(head).encode()


def test_a_page_that_is_made_just_after_a_write_is_not_kept(site: Site, file: Path) -> None:
    with open_book(str(file)) as book:
        noted(book)
    page(site)
    assert kept(site, lambda: "made anew") == b"made anew"


def test_nothing_is_kept_while_a_write_waits_beside_the_file(site: Site, file: Path) -> None:
    """The disk may take long to keep it; readers see it only then, and no time changes any more."""
    with open_book(str(file)) as book:
        noted(book)
        log = Path(f"{file}-wal")
        aged(file)
        aged(log)
        page(site)
        head = noted(book)
        aged(file)
        aged(log)
        assert page(site) == str(head).encode()
        assert site.campaign.engine.stamp().is_settled is False
    aged(file)
    assert site.campaign.engine.stamp().is_settled is True


def test_a_disk_with_coarse_times_is_waited_for(site: Site, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = LONG_AGO // 10**9 * 10**9
    aged(file, now)
    monkeypatch.setattr("ledger.journal.files.time_ns", lambda: now + 2 * 10**9)
    assert site.campaign.engine.stamp().is_settled is False
    monkeypatch.setattr("ledger.journal.files.time_ns", lambda: now + 4 * 10**9)
    assert site.campaign.engine.stamp().is_settled is True


def test_another_file_of_the_same_time_and_size_is_another(site: Site, file: Path, tmp_path: Path) -> None:
    aged(file)
    before = site.campaign.engine.stamp()
    (tmp_path / "other").write_bytes(file.read_bytes())
    (tmp_path / "other").replace(file)
    aged(file)
    assert site.campaign.engine.stamp() != before


def test_so_many_pages_are_kept_and_no_more(site: Site, file: Path) -> None:
    aged(file)
    for number in range(MOST_PAGES + 9):
        kept(site, lambda: "x", str(number))
    assert len(site._cache) == MOST_PAGES


def test_of_many_who_ask_at_once_one_has_the_page_made_and_nobody_gets_one_begun_before(site: Site, file: Path) -> None:
    aged(file)
    os.utime(file)  # just written: nothing is kept
    made, hold = list[int](), threading.Event()

    def make() -> str:
        made.append(len(made))
        hold.wait(5)
        return str(made[-1])

    async def play() -> None:
        first = asyncio.create_task(site.page(("page",), make))
        while not made:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(site.page(("page",), make)) for _ in range(20)]
        await asyncio.sleep(0.01)
        hold.set()
        assert bytes((await first).body) == b"0"
        assert {bytes((await other).body) for other in others} == {b"1"}

    run(play)
    assert made == [0, 1]


def test_a_campaign_is_written_by_one_of_us_at_a_time(site: Site, file: Path) -> None:
    from web.bodies import body_of
    from web.people import Person

    gm, body = Person(role="gm", seat="p1", visit="s"), body_of("note", {"text": "It rains."})
    inside, most = 0, 0

    def build(names: Any) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        said = body.commands(names, gm, site.campaign)
        inside -= 1
        return said

    threads = [threading.Thread(target=lambda: site.campaign.write(gm, build, WriteOptions())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_book(str(file)) as book:
        assert [book.entry(book.head() - back).type for back in range(8)] == ["note-written"] * 8
    assert most == 1


def test_what_is_typed_into_the_form_of_a_session_is_left_alone_until_a_session_opens_or_closes(
    file: Path, site: Site
) -> None:
    with open_book(str(file)) as book:
        before = book.head()
        noted(book)
        assert b"#evening" not in messages(book, before, "")[-1].data
        before = book.head()
        scribe(book).write(OpenSession(title="The bridge", present=()))
        assert b"#evening" in messages(book, before, "")[-1].data


def test_the_streams_of_a_visit_that_is_over_end(site: Site) -> None:
    async def play() -> None:
        streams = {visit: site.feed.stream(0, "", visit) for visit in ("ana", "ben")}
        for stream in streams.values():
            await anext(stream)
            await anext(stream)
        waits = {visit: asyncio.create_task(anext(stream, b"gone")) for visit, stream in streams.items()}
        await asyncio.sleep(0.05)
        site.feed.end_streams("ana")
        async with asyncio.timeout(1):
            assert await waits["ana"] == b"gone"
        assert not waits["ben"].done()
        site.feed.end_streams("ben")
        await waits["ben"]

    run(play)
