"""The numbers about a server that a monitoring program reads, in the format OpenMetrics 1.0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from web.guard import READING_METHODS

MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""The upper limits of the groups into which the answers are counted by their time."""


class Metrics:
    """Counts the answers of a server. The time of an answer ends when its first byte is sent, also for a stream."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds = {"read": 0.0, "write": 0.0}

    async def measure(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to `app`, and count its answer."""
        began, kind = monotonic(), "read" if scope["method"] in READING_METHODS else "write"

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(kind, message["status"], monotonic() - began)
            await send(message)

        await app(scope, receive, count)

    def _count(self, kind: str, status: int, seconds: float) -> None:
        self._answers[kind, status] += 1
        self._seconds[kind] += seconds
        for limit in SECONDS:
            if seconds <= limit:
                self._within[kind, limit] += 1

    def text(self, gauges: Mapping[str, tuple[str, int]]) -> str:
        """Return all numbers as text. `gauges` maps the name of another number to its help text and its value."""
        return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, tuple[str, int]]) -> Iterator[str]:
        yield "# TYPE campaign_answers counter"
        yield "# HELP campaign_answers The answers to requests, by kind of request and HTTP status."
        for (kind, status), number in sorted(self._answers.items()):
            yield f'campaign_answers_total{{kind="{kind}",status="{status}"}} {number}'
        yield "# TYPE campaign_answer_seconds histogram"
        yield "# UNIT campaign_answer_seconds seconds"
        yield "# HELP campaign_answer_seconds The time until the first byte of an answer."
        for kind in ("read", "write"):
            total = sum(number for (each, _), number in self._answers.items() if each == kind)
            for limit in SECONDS:
                yield f'campaign_answer_seconds_bucket{{kind="{kind}",le="{limit}"}} {self._within[kind, limit]}'
            yield f'campaign_answer_seconds_bucket{{kind="{kind}",le="+Inf"}} {total}'
            yield f'campaign_answer_seconds_count{{kind="{kind}"}} {total}'
            yield f'campaign_answer_seconds_sum{{kind="{kind}"}} {self._seconds[kind]}'
        for name, (words, number) in gauges.items():
            yield f"# TYPE campaign_{name} gauge"
            yield f"# HELP campaign_{name} {words}"
            yield f"campaign_{name} {number}"
        yield "# EOF"
