"""The turns of the requests to one campaign: one after the other, but a slow one does not stop the rest."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from web.app import MOST_SLOW, Turns


class Requests:
    """Requests that run until they are released, or until they have started to answer."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.started: list[int] = []
        self.release = asyncio.Event()

    async def run(self, number: int, *, answers: bool = False) -> None:
        async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
            self.started.append(number)
            if answers:
                await send({"type": "http.response.start"})
            await self.release.wait()

        async def receive() -> Message:
            return {}

        async def send(_message: Any) -> None:
            return None

        await self.turns.run(app, {}, receive, send)

    async def start(self, numbers: range, *, answers: bool = False) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self.run(number, answers=answers)) for number in numbers]
        await asyncio.sleep(0.02)
        return tasks


def test_one_request_is_answered_after_the_other() -> None:
    async def play() -> None:
        requests = Requests()
        tasks = await requests.start(range(3))
        assert requests.started == [0]
        requests.release.set()
        await asyncio.gather(*tasks)
        assert requests.started == [0, 1, 2]

    asyncio.run(play())


def test_a_stream_takes_no_turn_once_it_has_started() -> None:
    async def play() -> None:
        requests = Requests()
        tasks = await requests.start(range(20), answers=True)
        assert requests.started == [*range(20)]
        requests.release.set()
        await asyncio.gather(*tasks)

    asyncio.run(play())


def test_a_slow_request_lets_the_next_one_start_until_too_many_run(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        requests = Requests()
        tasks = await requests.start(range(MOST_SLOW + 3))
        await asyncio.sleep(0.5)
        assert requests.started == [*range(MOST_SLOW)]
        requests.release.set()
        await asyncio.gather(*tasks)
        assert len(requests.started) == MOST_SLOW + 3

    monkeypatch.setattr("web.app.TURN_SECONDS", 0.01)
    asyncio.run(play())


def test_a_canceled_request_gives_its_turn_back() -> None:
    async def play() -> None:
        requests = Requests()
        first, second = await requests.start(range(2))
        second.cancel()
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        (third,) = await requests.start(range(2, 3))
        assert requests.started == [0, 2]
        requests.release.set()
        await third

    asyncio.run(play())
