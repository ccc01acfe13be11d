"""Rows: what an entry adds to the accounts; the other half of the decider.

`rows_of` is a pure function of an entry and of what stood before it. Every row knows the entry that wrote it (`seq`:
transaction time) and the entry from which it counts (`since`: valid time). An entry adds its own postings and marks. A
strike adds besides, for every action that stands no more, its rows turned round, and for every action that stands
again, its rows once more.

An action stands unless a standing action strikes it; so a strike that falls lets its targets stand again, unless
another strike of theirs stands.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from ledger.events.canonical import canonical_json
from ledger.events.commitments import Secret
from ledger.events.subjects import STRUCK, number

BOUND = 2**62
"""Greater than any entry."""

Body = Mapping[str, Any]
"""An entry as it is kept, its words as commitments."""


class PostingRow(NamedTuple):
    """One posting of an account; `balance` is what the score stands at once the entry `seq` is written."""

    who: str
    score: str
    seq: int
    since: int
    amount: int
    balance: int


class MarkRow(NamedTuple):
    """One value of a mark, as canonical JSON; None hides what counted from `since`."""

    who: str
    name: str
    since: int
    seq: int
    value: str | None


class Rows(NamedTuple):
    """What one entry adds, in the order of the accounts' keys; each key once."""

    postings: list[PostingRow]
    marks: list[MarkRow]


class StrikeHistory(Protocol):
    """Who strikes whom, as far as it is written."""

    def action(self, act: int) -> Sequence[Body]:
        """Entries of an action, in order."""

    def strikers(self, act: int) -> Iterable[int]:
        """Actions that strike an action, whether they stand or not."""


class Past(StrikeHistory, Protocol):
    """What stood before an entry, as far as its rows depend on it."""

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, None if it was never posted to."""

    def givers(self, who: str, name: str, since: int) -> Iterable[Body]:
        """Entries that gave a mark which counts from `since`, or turned it round, the latest first."""


def rows_of(entry: Body, past: Past) -> Rows:
    """The rows that an entry adds, with running balances."""
    seq, since = entry["seq"], entry["since"]
    moved: dict[tuple[str, str, int], int] = {}
    _move(moved, entry, 1)
    given: dict[tuple[str, str, int], str | None] = {
        (mark["who"], mark["name"], since): _kept(mark, seq) for mark in entry["marks"]
    }
    if struck := struck_by(entry):
        _strike(struck, entry["act"], past, moved, given)
    balances: dict[tuple[str, str], int] = {}
    postings = []
    for (who, score, counts), amount in sorted(moved.items()):
        before = balances[who, score] if (who, score) in balances else past.balance(who, score) or 0
        balances[who, score] = before + amount
        postings.append(PostingRow(who, score, seq, counts, amount, before + amount))
    return Rows(postings, [MarkRow(*key, seq, value) for key, value in sorted(given.items())])


def _move(moved: dict[tuple[str, str, int], int], entry: Body, sign: int) -> None:
    for posting in entry["postings"]:
        key = (posting["who"], posting["score"], entry["since"])
        moved[key] = moved.get(key, 0) + sign * posting["amount"]


def _strike(
    targets: Sequence[int],
    striking: int,
    past: Past,
    moved: dict[tuple[str, str, int], int],
    given: dict[tuple[str, str, int], str | None],
) -> None:
    """Add what a strike moves: the rows of every action that stands otherwise than before."""
    stands = _stands_after(past, targets, striking)
    touched: dict[tuple[str, str, int], None] = {}
    for act in (each for group in flipped(past, targets, striking) for each in group):
        for entry in past.action(act):
            _move(moved, entry, 1 if stands(act) else -1)
            touched |= {(mark["who"], mark["name"], entry["since"]): None for mark in entry["marks"]}
    for key in touched:
        given[key] = _shown(past, key, stands)


def _shown(past: Past, key: tuple[str, str, int], stands: Callable[[int], bool]) -> str | None:
    """The value that a mark shows from a `since`: the latest that a standing action gave it."""
    for entry in past.givers(*key):
        for mark in entry["marks"]:
            if (mark["who"], mark["name"], entry["since"]) == key and stands(entry["act"]):
                return _kept(mark, entry["seq"])
    return None


def _kept(mark: Mapping[str, Any], seq: int) -> str:
    """The value of a mark as it is kept; of a secret, with the entry beside which its words lie."""
    value = mark["value"]
    if isinstance(value, dict) and Secret.KEY in value:
        value = {**value, "at": seq}
    return canonical_json(value).decode()


# What stands


def struck_by(entry: Body) -> list[int]:
    """The actions that an entry strikes: the one it names, and the answers that fall with it."""
    if entry["type"] != "action-struck":
        return []
    return [number(mark["name"]) for mark in entry["marks"] if mark["who"] == STRUCK]


def flipped(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> tuple[list[int], list[int]]:
    """Which actions stand no more once an action strikes these, and which stand again."""
    before, after = _stands_after(strikes, (), 0), _stands_after(strikes, targets, striking)
    reached = _reached(strikes, targets)
    return (
        [act for act in reached if before(act) and not after(act)],
        [act for act in reached if after(act) and not before(act)],
    )


def _stands_after(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> Callable[[int], bool]:
    """Whether an action stands once an action strikes these; strikes of strikes may be thousands deep."""
    strikers, known = cache(strikes.strikers), dict[int, bool]()

    def stands(act: int) -> bool:
        waiting = [] if act in known else [act]
        while waiting:
            each = waiting[-1]
            later = [other for other in [*strikers(each), *([striking] if each in targets else [])] if other > each]
            unknown = [other for other in later if other not in known]
            if unknown:
                waiting += unknown
            else:
                known[waiting.pop()] = not any(known[other] for other in later)
        return known[act]

    return stands


def _reached(strikes: StrikeHistory, targets: Sequence[int]) -> list[int]:
    """The actions that a strike may touch: its targets, and what those strike in their turn."""
    found: dict[int, None] = {}
    waiting = list(targets)
    while waiting:
        act = waiting.pop()
        found[act] = None
        waiting += [each for entry in strikes.action(act) for each in struck_by(entry) if each not in found]
    return list(found)
