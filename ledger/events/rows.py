"""Rows: the postings and marks that an entry adds to the accounts; the other half of the decider.

`rows_of` is a pure function of an entry and the state before it. Every row knows the entry that wrote it (`seq`:
transaction time) and the entry from which it counts (`since`: valid time). An entry adds its own postings and marks. A
strike also reverses the rows of every action that falls, and adds the rows of every action that stands again.

An action stands unless a standing action strikes it. So when a strike falls, its targets stand again, unless another
standing action strikes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from ledger.events.canonical import canonical_json
from ledger.events.commitments import Secret
from ledger.events.subjects import STRUCK, entry_number

BOUND = 2**63 - 1
"""The greatest number that a column holds, so that what is read up to it is read whole."""

Body = Mapping[str, Any]
"""The JSON of a stored entry, its words as commitments."""


class PostingRow(NamedTuple):
    """One posting of an account; `balance` is that of the score once the entry `seq` is written."""

    who: str
    score: str
    seq: int
    since: int
    amount: int
    balance: int


class MarkRow(NamedTuple):
    """One value of a mark, as canonical JSON; None hides the value that counted from `since`."""

    who: str
    name: str
    since: int
    seq: int
    value: str | None


class Rows(NamedTuple):
    """The rows that one entry adds, in the order of their keys; each key once."""

    postings: list[PostingRow]
    marks: list[MarkRow]


class StrikeHistory(Protocol):
    """The strikes written so far."""

    def action(self, act: int) -> Sequence[Body]:
        """Entries of an action, in order."""

    def strikers(self, act: int) -> Iterable[int]:
        """Actions that strike an action, whether they stand or not."""


class Past(StrikeHistory, Protocol):
    """The state before an entry, as far as its rows depend on it."""

    def balance(self, who: str, score: str) -> int | None:
        """Balance of a score, None if it was never posted to."""

    def givers(self, who: str, name: str, since: int) -> Iterable[Body]:
        """Entries that gave a mark its value from `since`, or reversed it, the latest first."""


def rows_of(entry: Body, past: Past) -> Rows:
    """The rows that an entry adds, with running balances."""
    seq, since = entry["seq"], entry["since"]
    if not entry["postings"] and not entry["marks"]:
        return Rows([], [])
    amounts: dict[tuple[str, str, int], int] = {}
    _move(amounts, entry, 1)
    values: dict[tuple[str, str, int], str | None] = {
        (mark["who"], mark["name"], since): _kept(mark, seq) for mark in entry["marks"]
    }
    if targets := strikes_of(entry):
        _strike(targets, entry["act"], past, amounts, values)
    balances: dict[tuple[str, str], int] = {}
    postings = []
    for (who, score, place), amount in sorted(amounts.items()):
        before = balances[who, score] if (who, score) in balances else past.balance(who, score) or 0
        balances[who, score] = before + amount
        postings.append(PostingRow(who, score, seq, place, amount, before + amount))
    return Rows(postings, [MarkRow(*key, seq, value) for key, value in sorted(values.items())])


def _move(amounts: dict[tuple[str, str, int], int], entry: Body, sign: int) -> None:
    for posting in entry["postings"]:
        key = (posting["who"], posting["score"], entry["since"])
        amounts[key] = amounts.get(key, 0) + sign * posting["amount"]


def _strike(
    targets: Sequence[int],
    striking: int,
    past: Past,
    amounts: dict[tuple[str, str, int], int],
    values: dict[tuple[str, str, int], str | None],
) -> None:
    """Add the rows of every action that a strike makes fall or stand again."""
    stands = _stands_after(past, targets, striking)
    touched: dict[tuple[str, str, int], None] = {}
    fallen, restored = strike_changes(past, targets, striking)
    for act in (*fallen, *restored):
        for entry in past.action(act):
            _move(amounts, entry, 1 if stands(act) else -1)
            touched |= {(mark["who"], mark["name"], entry["since"]): None for mark in entry["marks"]}
    for key in touched:
        values[key] = _shown(past, key, stands)


def _shown(past: Past, key: tuple[str, str, int], stands: Callable[[int], bool]) -> str | None:
    """The value of a mark from a place (`since`): the latest one by an action that stands."""
    for entry in past.givers(*key):
        for mark in entry["marks"]:
            if (mark["who"], mark["name"], entry["since"]) == key and stands(entry["act"]):
                return _kept(mark, entry["seq"])
    return None


def _kept(mark: Mapping[str, Any], seq: int) -> str:
    """The stored value of a mark; a secret also names the entry that keeps its text."""
    value = mark["value"]
    if isinstance(value, dict) and Secret.KEY in value:
        value = {**value, "at": seq}
    return canonical_json(value).decode()


# What stands


def strikes_of(entry: Body) -> list[int]:
    """The actions that an entry strikes: the one it names, and the answers that fall with it."""
    if entry["type"] != "action-struck":
        return []
    return [entry_number(mark["name"]) for mark in entry["marks"] if mark["who"] == STRUCK]


def strike_changes(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> tuple[list[int], list[int]]:
    """The actions that fall when an action strikes these targets, and those that stand again."""
    before, after = _stands_after(strikes, (), 0), _stands_after(strikes, targets, striking)
    reached = _reached(strikes, targets)
    return (
        [act for act in reached if before(act) and not after(act)],
        [act for act in reached if after(act) and not before(act)],
    )


def _stands_after(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> Callable[[int], bool]:
    """A test if an action stands after a strike. It does not recurse: strikes of strikes may be thousands deep."""
    strikers, standing = cache(strikes.strikers), dict[int, bool]()

    def stands(act: int) -> bool:
        waiting = [] if act in standing else [act]
        while waiting:
            top = waiting[-1]
            later = [other for other in [*strikers(top), *([striking] if top in targets else [])] if other > top]
            pending = [other for other in later if other not in standing]
            if pending:
                waiting += pending
            else:
                standing[waiting.pop()] = not any(standing[other] for other in later)
        return standing[act]

    return stands


def _reached(strikes: StrikeHistory, targets: Sequence[int]) -> list[int]:
    """The actions that a strike may touch: its targets, and the targets of those in turn."""
    reached: dict[int, None] = {}
    waiting = list(targets)
    while waiting:
        act = waiting.pop()
        reached[act] = None
        waiting += [target for entry in strikes.action(act) for target in strikes_of(entry) if target not in reached]
    return list(reached)
