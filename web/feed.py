"""The feed: live updates for every open page, one for each new action, in order.

While a page is open, one task checks ten times a second if this or another program has changed the file. A stream
starts after the newest entry that its page shows. If it is interrupted, it continues after the last entry that it sent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool

from ledger.errors import LedgerError
from ledger.journal.records import Stamp
from ledger.values import Struct
from web.guard import Log, log_unforeseen
from web.problems import TooOften

T = TypeVar("T")

POLL_SECONDS = 0.1
"""The seconds between two checks of the file."""

TOLD_POLL_SECONDS = 1.0
"""The seconds between two checks of a feed that is told about changes (`web.club.Heads`)."""

KEEPALIVE_SECONDS = 15.0
"""The seconds after which a stream without news sends `KEEPALIVE_EVENT`."""

KEEPALIVE_EVENT = b"event: still\ndata: still here\n\n"

VISITS_EVENT = b"event: visits\ndata: the list of logins has changed\n\n"
"""The event for the GM's pages after a login, a logout, or the start or end of a stream."""

VISITS_SECONDS = 1.0
"""The minimum number of seconds between two `VISITS_EVENT` of a stream."""

MOST_MESSAGES = 500
"""The maximum number of unsent messages in a stream, and of messages that the feed keeps for pages that reconnect."""

MOST_STREAMS = 4000
MOST_STREAMS_OF_VISIT = 50
"""The maximum numbers of open streams: `MOST_STREAMS` in total, and `MOST_STREAMS_OF_VISIT` per login."""


class Message(Struct):
    """The message that updates all pages after an action.

    `last` is the number of the action's last entry. `leaf` is the start of the hash of this entry.
    """

    last: int
    leaf: str
    data: bytes
    must_reload: bool = False
    """True if the page must reload, even if it already shows the entry `last`."""


def reload_message(head: int, leaf: str) -> Message:
    """Return the message that makes a page reload. `head` and `leaf` are the number and hash of the last entry."""
    data = f"event: anew\nid: {head}-{leaf}\ndata: reload the page\n\n"
    return Message(last=head, leaf=leaf, data=data.encode(), must_reload=True)


async def _all_data(messages: Sequence[Message]) -> bytes:
    return b"".join(message.data for message in messages)


@dataclass(frozen=True)
class StreamFormat:
    """The form of a stream: its first bytes, its encoder of messages, and the bytes to send after a silence."""

    write: Callable[[Sequence[Message]], Awaitable[bytes]]
    heartbeat: bytes
    start: bytes = b"retry: 500\n\n"


FOR_PAGES = StreamFormat(_all_data, KEEPALIVE_EVENT)
"""The form of the streams for pages in a browser."""

MessagesAfter = Callable[[int, str], Sequence[Message]]
"""A function that takes an entry's number and hash, reads the file, and returns the messages of all later actions.

It returns `reload_message` if the file has no such entry, or a different hash for it. The hash "" fits any entry.
"""


class Stream:
    """The stream of one open page, with the messages that it has not sent yet."""

    def __init__(self, visit: str, *, gm: bool = False) -> None:
        self.visit = visit
        self.gm = gm
        self._has_new_visits = False
        self._waiting: list[Message] = []
        self._new = asyncio.Event()
        self.ended = False

    def put(self, message: Message) -> None:
        """Add a message. If too many messages wait, end the stream, so that the page reconnects."""
        if len(self._waiting) >= MOST_MESSAGES:
            self._waiting.clear()
            self.end()
        if not self.ended:
            self._waiting.append(message)
            self._new.set()

    def add_visits_event(self) -> None:
        """Add the event for a changed list of logins, unless such an event is already waiting."""
        self._has_new_visits = True
        self._new.set()

    def pop_visits_event(self) -> bool:
        """Remove the waiting event that says that the list of logins changed. Return False if there is none."""
        waited, self._has_new_visits = self._has_new_visits, False
        return waited

    def end(self) -> None:
        """End the stream after the waiting messages."""
        self.ended = True
        self._new.set()

    async def next_messages(self) -> Sequence[Message]:
        """Wait for messages, and return them. Return an empty list if none comes for `KEEPALIVE_SECONDS`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(KEEPALIVE_SECONDS):
                await self._new.wait()
        self._new.clear()
        taken, self._waiting = self._waiting, []
        return taken


@dataclass
class Feed:
    """The streams of all open pages of one campaign.

    `look` returns the state of the campaign, and `read_head` the number and hash of the last entry. `tell` returns the
    messages after an entry. `most` is the maximum number of open streams. `poll_seconds` is the time between two looks.
    """

    look: Callable[[], Awaitable[Stamp]]
    tell: MessagesAfter
    read_head: Callable[[], tuple[int, str]]
    log: Log
    most: int = MOST_STREAMS
    poll_seconds: float = POLL_SECONDS

    def __post_init__(self) -> None:
        self._streams: set[Stream] = set()
        self._recent: deque[Message] = deque(maxlen=MOST_MESSAGES)
        self._head, self._leaf = 0, ""
        self._stamp: Stamp | None = None
        self._watch_task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._reading = asyncio.Lock()
        self._changed = asyncio.Event()
        self._has_new_visits = False
        self._next_visits = 0.0
        self._ended = False

    def check_now(self) -> None:
        """Check the file at once, because this server has just written something."""
        self._changed.set()

    def end(self) -> None:
        """End all streams, because the server stops."""
        self._ended = True
        for stream in self._streams:
            stream.end()
        if self._watch_task is not None:
            self._watch_task.cancel()

    def open_streams(self) -> int:
        """Return the number of open streams."""
        return len(self._streams)

    def check_room(self, visit: str) -> None:
        """Raise `TooOften` if too many streams are open, in total or for this login."""
        if self._is_full(visit):
            raise TooOften("Too many pages of this table are open.", "Close a page that nobody is using.")

    def _is_full(self, visit: str) -> bool:
        return (
            len(self._streams) >= self.most
            or sum(each.visit == visit for each in self._streams) >= MOST_STREAMS_OF_VISIT
        )

    def end_streams(self, visit: str) -> None:
        """End all streams of a login."""
        for stream in self._streams:
            if stream.visit == visit:
                stream.end()

    def visits_changed(self) -> None:
        """Tell the GM's pages that the list of logins has changed, at the next check of the file.

        Changes within `VISITS_SECONDS` become one event. Otherwise, a thousand pages that reconnect at once would
        cause a thousand events on each page.
        """
        self._has_new_visits = True

    def visits_with_page_open(self) -> set[str]:
        """Return the logins that have a page open."""
        return {stream.visit for stream in tuple(self._streams)}  # a copy, because another thread may change the set

    async def stream(
        self, after: int, leaf: str, visit: str, *, gm: bool = False, form: StreamFormat = FOR_PAGES
    ) -> AsyncGenerator[bytes, None]:
        """Yield an update for each action after entry `after`. `leaf` is the start of this entry's hash.

        The event id of an update names the action's last entry.

        A GM's stream also has an event for each change of the list of logins.
        """
        if self._is_full(visit):  # other streams may have started since `check_room`
            return
        stream = Stream(visit, gm=gm)
        self._streams.add(stream)  # before reading what was missed, so that nothing is lost in between
        self.visits_changed()
        try:
            yield form.start
            with suppress(LedgerError):  # the file is busy or missing for a moment: the page reconnects
                new = await self._missed_messages(after, leaf)
                while True:
                    new = [message for message in new if message.must_reload or message.last > after]
                    if new:
                        after = new[-1].last
                        yield await form.write(new)
                    if stream.ended or self._ended:
                        return
                    new = await stream.next_messages()
                    if stream.pop_visits_event():
                        yield VISITS_EVENT
                    elif not new and not stream.ended:
                        yield form.heartbeat
        finally:
            self._streams.discard(stream)
            self.visits_changed()

    async def _missed_messages(self, after: int, leaf: str) -> Sequence[Message]:
        """Return the messages after entry `after`. `leaf` is the start of this entry's hash.

        Start the task that checks the file, unless the task is running.
        """
        async with self._starting:  # so that two streams do not start two tasks
            if self._watch_task is None or self._watch_task.done():
                self._start_at(*await run_in_threadpool(self.read_head))
                self._stamp = None
                self._watch_task = asyncio.create_task(self._watch())
        if after == self._head and leaf in {"", self._leaf}:
            return ()
        recent = [*self._recent]
        for place, message in enumerate(recent):
            if message.last == after and leaf in {"", message.leaf}:
                return recent[place + 1 :]
        if self._head - after > MOST_MESSAGES:
            return [reload_message(self._head, self._leaf)]
        return await self.in_turn(self.tell, after, leaf)

    async def in_turn(self, work: Callable[..., T], *values: Any) -> T:
        """Run `work` in a thread, one stream after the other, so that many streams need only one thread."""
        async with self._reading:
            return await run_in_threadpool(work, *values)

    def _start_at(self, head: int, leaf: str) -> None:
        """From now on, keep the messages after entry `head` (hash: `leaf`), for pages that connect later."""
        self._head, self._leaf = head, leaf
        self._recent.clear()
        self._recent.append(Message(last=head, leaf=leaf, data=b""))  # a page that shows this entry finds its place

    async def _watch(self) -> None:
        try:
            while self._streams and not self._ended:
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.poll_seconds):
                        await self._changed.wait()
                self._changed.clear()
                self._pass_on_visits()
                with suppress(LedgerError):  # the file may be busy or missing for a moment; try again at the next check
                    stamp = await self.look()
                    if stamp.is_settled and stamp == self._stamp:
                        continue
                    self._pass_on(await self.in_turn(self.tell, self._head, self._leaf))
                    self._stamp = stamp
        except Exception as error:
            log_unforeseen(self.log, error)
        finally:  # no stream may stay open without this task
            for stream in self._streams:
                stream.end()

    def _pass_on_visits(self) -> None:
        if self._has_new_visits and monotonic() >= self._next_visits:
            self._has_new_visits, self._next_visits = False, monotonic() + VISITS_SECONDS
            for stream in self._streams:
                if stream.gm:
                    stream.add_visits_event()

    def _pass_on(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if message.must_reload:
                self._start_at(message.last, message.leaf)
            else:
                self._head, self._leaf = message.last, message.leaf
                self._recent.append(message)
            for stream in self._streams:
                stream.put(message)
