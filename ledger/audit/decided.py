"""The results of deciding a part of a journal again. Another process can make them, and send them as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any

import orjson

from ledger import systems
from ledger.audit.check import Fault, OnProgress, PastEntries, faults
from ledger.audit.redecide import Agreement, DecisionsCheck
from ledger.audit.verify import NO_ENTRIES, FileCounts, verify_part
from ledger.journal.book import Book
from ledger.journal.store import Journal, entry_of
from ledger.rules.system import Remark

RECENT_ENTRIES = 500
"""The size of the cache of entries. The audit mostly reads recent ones."""


class Decided:
    """The results for the parts that have been verified and decided again so far.

    - `outcomes`: the result for each ruling or total, by its entry.
    - `refused_for`: see `DecisionsCheck.refused_for`.
    - `last`: the last entry of the last part. `state` is the state of the `DecisionsCheck` after this entry.
    """

    def __init__(self) -> None:
        self.file_counts = NO_ENTRIES
        self.outcomes: dict[int, Agreement] = {}
        self.refused_for: dict[int, tuple[str, ...]] = {}
        self.faults: list[Fault] = []
        self.last = 0
        self.state: Any = None

    def decide(self, book: Book, first: int, last: int | None, progress: OnProgress) -> None:
        """Verify the next part, and decide its actions again. Raise the errors of `verify_part` and of games."""
        self.file_counts += verify_part(book, first, last, progress)
        decisions = DecisionsCheck(book, cache(systems.installed), found_difference=bool(self.faults))
        if first == self.last + 1 and self.state is not None:
            decisions.resume(self.state)
        self.faults += faults(PastEntries(book, after=first - 1), (decisions,), progress, last)
        self.outcomes |= decisions.outcomes
        self.refused_for |= decisions.refused_for
        self.last, self.state = last or book.head(), decisions.state()

    def add(self, sent: Mapping[str, Any]) -> None:
        """Add the results for another part, from `to_send`."""
        self.file_counts += FileCounts(**sent["file_counts"])
        self.outcomes |= {seq: outcome for outcome, seqs in sent["outcomes"].items() for seq in seqs}
        self.refused_for |= {act: tuple(whose) for act, whose in sent["refused_for"]}
        self.faults += faults_from_json(sent["faults"])
        if sent["last"] > self.last:
            self.last, self.state = sent["last"], sent["state"]

    def to_send(self) -> dict[str, Any]:
        """Return the results as a JSON object, for `add`."""
        outcomes: dict[Agreement, list[int]] = {}
        for seq, outcome in self.outcomes.items():
            outcomes.setdefault(outcome, []).append(seq)
        return {
            "file_counts": self.file_counts.__dict__,
            "outcomes": outcomes,
            "refused_for": list(self.refused_for.items()),
            "faults": faults_to_json(self.faults),
            "last": self.last,
            "state": self.state,
        }


def faults_to_json(faults: Iterable[Fault]) -> list[Any]:
    """Return faults as JSON, for `faults_from_json`."""
    return [(*fault, isinstance(fault, Remark)) for fault in faults]


def faults_from_json(sent: Iterable[Any]) -> Iterator[Fault]:
    """Yield the faults that `faults_to_json` turned into this JSON."""
    return ((Remark(seq, says) if is_remark else (seq, says)) for seq, says, is_remark in sent)


def decided_part(book: Book, first: int, last: int, progress: OnProgress) -> dict[str, Any]:
    """Verify a part and decide it again, for another process. Raise the errors of `Decided.decide`."""
    decided = Decided()
    decided.decide(with_recent_entries(book), first, last, progress)
    return decided.to_send()


def with_recent_entries(book: Book) -> Book:
    """Return the same campaign, with a cache of the last entries that were read."""
    read = partial(entry_of, parse=orjson.loads)
    return Book(Journal(book.journal.storage, lru_cache(RECENT_ENTRIES)(read)))
