"""The page: what a sheet costs in a browser, how soon everybody sees a roll, and how many may watch.

Each against the same server with an empty route, in the same run, or against what a table waits for.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from statistics import median

from bed import Bed
from measuring import Row, row
from page_client import OK, Client, Page, Watching, empty, posted, served, watched

AT_ONCE = 50
"""So many requests in a row, before as many of the other."""

ROUNDS = 15
PHONES = 200
CROWD = 2_000
BUSY = 40
SECONDS = 10
FEW_EACH = 40
"""So many streams of one visit; the server lets one have fifty."""

SOON = 5
"""Seconds that what was written last may take to come."""

ROLL = json.dumps({"who": "mara", "pool": "2d6"}).encode()


def first_page(bed: Bed) -> Iterator[Row]:
    """Row 19: a kept sheet, against an empty route; and the first page with all that it loads, as it is sent."""
    with _page(bed) as page, empty(bed.programs) as nothing, Client(page.port) as ours, Client(nothing) as theirs:
        cookies = page.visits(ROUNDS)

        def seconds(ask: Callable[[], tuple[int, bytes]]) -> float:
            began = time.perf_counter()
            status, _ = ask()
            assert status == OK, status
            return time.perf_counter() - began

        sample = []
        for cookie in cookies:
            own = f"Cookie: {cookie}"
            sheet = [seconds(lambda own=own: ours.get("/sheet/mara", own)) for _ in range(AT_ONCE)]  # type: ignore[misc]  # bound now
            bare = [seconds(lambda: theirs.get("/")) for _ in range(AT_ONCE)]
            sample.append(median(sheet) / median(bare))
        note = f"an empty route {1000 * median(bare):.2f} ms"
        yield row("19", "a sheet's page, kept, against an empty route", sample[1:], 3.0, note=note)
        _, plain = ours.get("/", f"Cookie: {cookies[0]}")
        loads = re.findall(r'(?:src|href)="(static/[^"]+)"', plain.decode())
        sizes = [_as_sent(page.port, f"/{address}", cookies[0]) for address in ("", *loads)]
        assert len(sizes) > 1
        yield row("19", "the first page with all that it loads", [sum(sizes) / 1000], 100, unit="kB")


def _as_sent(port: int, address: str, cookie: str) -> int:
    """How many bytes of a page, or of what it loads, are sent to a browser."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as browser:
        browser.request("GET", address, headers={"Cookie": cookie, "Accept-Encoding": "gzip, deflate, br, zstd"})
        return len(browser.getresponse().read())


def to_phones(bed: Bed) -> Iterator[Row]:
    """Row 20: from a roll that is said to every phone, durable."""
    yield from _watched(bed, "20", PHONES, 4, latest=250)


def busy(bed: Bed) -> Iterator[Row]:
    """Row 21: how fast the page answers while players roll often."""
    yield from _watched(bed, "21", BUSY, 50)


def crowd(bed: Bed) -> Iterator[Row]:
    """Row 22: many who watch."""
    yield from _watched(bed, "22", CROWD, 2)


def _watched(bed: Bed, number: str, streams: int, rate: int, latest: float | None = None) -> Iterator[Row]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * CROWD)), hard))
    with _page(bed) as page:
        waits, missed, took = asyncio.run(_rolled(page, page.visits(max(10, streams // FEW_EACH)), streams, rate))
    waits.sort()
    late, says = waits[len(waits) * 99 // 100], f"{rate} rolls a second, {streams:,} streams"
    if latest is not None:
        note = f"median {waits[len(waits) // 2]:.0f} ms, worst {waits[-1]:.0f} ms"
        yield row(number, f"{says}: the 99th of 100 waits", [late], latest, unit="ms", note=note)
    note = f"of {SECONDS * rate * streams:,}; the 99th of 100 waits {late:.0f} ms"
    yield row(number, f"{says}: missed", [missed], 0, unit="of them", note=note)
    if latest is None:
        yield row(number, f"{says}: rolls a second", [SECONDS * rate / took], 0.95 * rate, unit="/s", at_least=True)


async def _rolled(page: Page, cookies: list[str], many: int, rate: int) -> tuple[list[float], int, float]:
    """Roll so often a second while so many watch: the waits in milliseconds, how many were missed, how long it took."""
    streams = await watched(page.port, cookies, many, page.head())
    said: dict[int, float] = {}

    async def roll(number: int) -> None:
        began = time.perf_counter()
        status, answer = await posted(page.port, cookies[number % len(cookies)], "/api/v1/say/roll", ROLL)
        assert status == OK, (status, answer)
        said[json.loads(answer)["entries"][-1]["seq"]] = began

    began = time.perf_counter()
    rolls = []
    for number in range(SECONDS * rate):
        await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        rolls.append(asyncio.create_task(roll(number)))
    await asyncio.gather(*rolls)
    took = time.perf_counter() - began
    await _all_there(streams, max(said))
    for stream in streams:
        stream.close()
    waits = [1000 * (stream.came[seq] - at) for stream in streams for seq, at in said.items() if seq in stream.came]
    return waits, sum(_missing(stream, sorted(said)) for stream in streams), took


def _missing(stream: Watching, said: list[int]) -> int:
    """How many did not come to a stream in their place."""
    return 0 if stream.ids == said else max(1, len(set(said) - set(stream.ids)))


async def _all_there(streams: list[Watching], last: int) -> None:
    until = time.perf_counter() + SOON
    while time.perf_counter() < until and not all(last in stream.came for stream in streams):
        await asyncio.sleep(0.05)


def _page(bed: Bed) -> AbstractContextManager[Page]:
    file = bed.copy(bed.middle)
    return served(bed.programs, file, Path(f"{file}.home"))
