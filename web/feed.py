"""The feed: what is written, to everybody who watches, each entry once and in order.

While somebody watches, one task looks ten times a second whether the file changed, whoever wrote it. A stream begins
after the entry that its page shows, or after the last one that it got before it was cut off.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from ledger.errors import LedgerError
from ledger.journal.records import Stamp
from ledger.values import Struct
from web.guard import Log, unforeseen
from web.problems import TooOften

POLL_SECONDS = 0.1
"""Seconds between two looks at the file."""

KEEPALIVE_SECONDS = 15.0
"""Seconds after which a stream says that it is still there."""

KEEPALIVE_EVENT = b"event: still\ndata: still here\n\n"

MOST_MESSAGES = 500
"""So many messages wait for a stream, and are kept for those that come back; who lacks more gets the page anew."""

MOST_STREAMS = 4000
MOST_OF_ONE = 50
"""So many streams are open at once, in all and of one visit."""


class Message(Struct):
    """The update of a page for one action, and its last entry with the start of its leaf; the same for everyone."""

    last: int
    leaf: str
    data: bytes
    anew: bool = False
    """Whether the page is to be loaded anew, whatever it shows."""


def reload_message(head: int, leaf: str) -> Message:
    """The message that makes a page reload: it shows another history, or lacks too many messages."""
    data = f"event: anew\nid: {head}-{leaf}\ndata: reload the page\n\n"
    return Message(last=head, leaf=leaf, data=data.encode(), anew=True)


Tell = Callable[[int, str], Sequence[Message]]
"""Returns the messages of all actions after an entry, or `reload_message` if that is not there, or has another leaf.

It reads the file. A leaf of which nothing is known, "", is not compared.
"""


class Stream:
    """An open page, and the messages that it still has to get."""

    def __init__(self, visit: str) -> None:
        self.visit = visit
        self._waiting: list[Message] = []
        self._new = asyncio.Event()
        self.ended = False

    def put(self, message: Message) -> None:
        """Let a message wait; a stream that is too slow is ended, and comes back."""
        if len(self._waiting) >= MOST_MESSAGES:
            self._waiting.clear()
            self.end()
        if not self.ended:
            self._waiting.append(message)
            self._new.set()

    def end(self) -> None:
        """Let it send what waits, and nothing after that."""
        self.ended = True
        self._new.set()

    async def taken(self) -> Sequence[Message]:
        """Return the waiting messages, once there are any; nothing after `KEEPALIVE_SECONDS` without one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(KEEPALIVE_SECONDS):
                await self._new.wait()
        self._new.clear()
        taken, self._waiting = self._waiting, []
        return taken


class Feed:
    """Everybody who watches one campaign."""

    def __init__(
        self,
        look: Callable[[], Stamp],
        tell: Tell,
        head: Callable[[], tuple[int, str]],
        log: Log,
        most: int = MOST_STREAMS,
    ) -> None:
        self._look = look
        self._tell = tell
        self._read_head = head
        self._log = log
        self._most = most
        self._streams: set[Stream] = set()
        self._kept: deque[Message] = deque(maxlen=MOST_MESSAGES)
        self._head, self._leaf = 0, ""
        self._stamp: Stamp | None = None
        self._watching: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()
        self._changed = asyncio.Event()
        self._ended = False

    def poke(self) -> None:
        """Look at the file at once; something was written here."""
        self._changed.set()

    def end(self) -> None:
        """End all streams; the server stops."""
        self._ended = True
        for stream in self._streams:
            stream.end()
        if self._watching is not None:
            self._watching.cancel()

    def check_room(self, visit: str) -> None:
        """Refuse (`TooOften`) one stream more than there may be, in all or of one visit."""
        if self._is_full(visit):
            raise TooOften("Too many pages of this table are open.", "Close one that nobody is using.")

    def _is_full(self, visit: str) -> bool:
        return len(self._streams) >= self._most or sum(each.visit == visit for each in self._streams) >= MOST_OF_ONE

    def end_streams(self, visit: str) -> None:
        """End the streams of a visit that is over."""
        for stream in self._streams:
            if stream.visit == visit:
                stream.end()

    async def stream(self, after: int, leaf: str, visit: str) -> AsyncGenerator[bytes, None]:
        """Yield the updates after an entry, as they happen; the id of each message names its last entry."""
        if self._is_full(visit):  # others came between the question for room and this
            return
        stream = Stream(visit)
        self._streams.add(stream)  # before the look at what was missed, so that nothing falls between
        try:
            yield b"retry: 500\n\n"
            with suppress(LedgerError):  # the file is busy, or gone for a moment: the page comes back
                new = await self._missed(after, leaf)
                while True:
                    new = [message for message in new if message.anew or message.last > after]
                    if new:
                        after = new[-1].last
                        yield b"".join(message.data for message in new)
                    if stream.ended or self._ended:
                        return
                    new = await stream.taken()
                    if not new and not stream.ended:
                        yield KEEPALIVE_EVENT
        finally:
            self._streams.discard(stream)

    async def _missed(self, after: int, leaf: str) -> Sequence[Message]:
        """The messages after an entry so far. It starts the watch if nobody else did."""
        async with self._beginning:  # two that come at once begin once
            if self._watching is None or self._watching.done():
                self._head, self._leaf = await run_in_threadpool(self._read_head)
                self._kept.clear()
                self._stamp = None
                self._watching = asyncio.create_task(self._watch())
        if after == self._head and leaf in {"", self._leaf}:
            return ()
        kept = [*self._kept]
        for place, message in enumerate(kept):
            if message.last == after and leaf in {"", message.leaf}:
                return kept[place + 1 :]
        if self._head - after > MOST_MESSAGES:
            return [reload_message(self._head, self._leaf)]
        return await run_in_threadpool(self._tell, after, leaf)

    async def _watch(self) -> None:
        try:
            while self._streams and not self._ended:
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL_SECONDS):
                        await self._changed.wait()
                self._changed.clear()
                stamp = self._look()
                if stamp.is_settled and stamp == self._stamp:
                    continue
                with suppress(LedgerError):  # the file may be busy, or gone for a moment; the next look may do better
                    self._pass_on(await run_in_threadpool(self._tell, self._head, self._leaf))
                    self._stamp = stamp
        except Exception as error:
            unforeseen(self._log, error)
        finally:  # whatever ended it: nobody waits for what nobody looks for
            for stream in self._streams:
                stream.end()

    def _pass_on(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._head, self._leaf = message.last, message.leaf
            if message.anew:
                self._kept.clear()
            else:
                self._kept.append(message)
            for stream in self._streams:
                stream.put(message)
