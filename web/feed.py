"""The feed: what is written, to everybody who watches, each entry once and in order.

While somebody watches, one task looks ten times a second whether the file changed, whoever wrote it. A stream begins
after the entry that its page shows, or after the last one that it got before it was cut off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from ledger.errors import LedgerError
from ledger.values import Struct
from web.table import Stamp, Table

EVERY = 0.1
"""Seconds between two looks at the file."""

STILL = 15.0
"""Seconds after which a stream says that it is still there."""

MOST_KEPT = 500
"""So many messages wait for a stream, and are kept for those that come back; who lacks more gets the page anew."""


class Message(Struct):
    """What one action brings to a page, and its last entry; the same for everybody."""

    last: int
    data: bytes


Tell = Callable[[int], Sequence[Message]]
"""Returns the messages of all actions after an entry; it reads the file."""


class Stream:
    """One page that watches, and what was not sent to it yet."""

    def __init__(self) -> None:
        self.waiting: asyncio.Queue[Message | None] = asyncio.Queue(MOST_KEPT)

    def put(self, message: Message | None) -> None:
        """Let a message wait; a stream that is too slow is ended, and comes back."""
        try:
            self.waiting.put_nowait(message)
        except asyncio.QueueFull:
            while not self.waiting.empty():
                self.waiting.get_nowait()
            self.waiting.put_nowait(None)


class Feed:
    """Everybody who watches one campaign."""

    def __init__(self, table: Table, tell: Tell, head: Callable[[], int]) -> None:
        self._table = table
        self._tell = tell
        self._read_head = head
        self._streams: set[Stream] = set()
        self._kept: deque[Message] = deque(maxlen=MOST_KEPT)
        self._head = 0
        self._stamp: Stamp = ()
        self._watching: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self._ended = False

    @property
    def watched_by(self) -> int:
        """How many streams are open."""
        return len(self._streams)

    def poke(self) -> None:
        """Look at the file at once; something was written here."""
        self._changed.set()

    def end(self) -> None:
        """End all streams; the server stops."""
        self._ended = True
        for stream in self._streams:
            stream.put(None)
        if self._watching is not None:
            self._watching.cancel()

    async def stream(self, after: int) -> AsyncIterator[bytes]:
        """What is written after an entry, as it happens; each message says by its id which entry came last."""
        stream = Stream()
        self._streams.add(stream)  # before the look at what was missed, so that nothing falls between
        try:
            yield b"retry: 500\n\n"
            for message in await self._missed(after):
                after = message.last
                yield message.data
            while not self._ended:
                try:
                    new = await asyncio.wait_for(stream.waiting.get(), STILL)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if new is None:
                    return
                if new.last > after:
                    after = new.last
                    yield new.data
        finally:
            self._streams.discard(stream)

    async def _missed(self, after: int) -> Sequence[Message]:
        """Everything after an entry that is written by now; begins to watch, if nobody did."""
        if self._watching is None or self._watching.done():
            self._head = await run_in_threadpool(self._read_head)
            self._kept.clear()
            self._stamp = ()
            self._watching = asyncio.create_task(self._watch())
        if after >= self._head:
            return ()
        if self._kept and self._kept[0].last <= after + 1:
            return [message for message in self._kept if message.last > after]
        return await run_in_threadpool(self._tell, after)

    async def _watch(self) -> None:
        """Look for what is written, and pass it on, while anybody watches."""
        while self._streams and not self._ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), EVERY)
            self._changed.clear()
            stamp, settled = self._table.stamp()
            if stamp == self._stamp and settled:
                continue
            self._stamp = stamp if settled else ()
            with suppress(LedgerError):  # the file may be busy, or gone for a moment; the next look may do better
                for message in await run_in_threadpool(self._tell, self._head):
                    self._head = message.last
                    self._kept.append(message)
                    for stream in self._streams:
                        stream.put(message)
