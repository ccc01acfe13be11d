"""The rows (postings and marks) that an entry adds to the accounts.

`rows_of` is a pure function of an entry and the state before it. Every row has the entry that wrote it (`seq`:
transaction time) and the entry at which it takes effect (`since`: valid time). An entry adds its postings and marks.
A strike also reverses the rows of every action that it cancels, and adds the rows of every action that it restores.

A canceled action does not count, and a strike that does not count cancels nothing. So if a strike is canceled, its
targets count again, unless another strike still cancels them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol

from ledger.events.canonical import canonical_json
from ledger.events.commitments import is_closed, is_typed_text
from ledger.events.subjects import STRUCK, entry_number

BOUND = 2**63 - 1
"""The largest integer that a column can store. As an upper bound for entry numbers, it excludes no row."""

Body = Mapping[str, Any]
"""The JSON of a stored entry, with commitments in place of texts."""


class PostingRow(NamedTuple):
    """One posting of an account. `balance` is the balance of the score after the entry `seq`."""

    who: str
    score: str
    seq: int
    since: int
    amount: int
    balance: int


class MarkRow(NamedTuple):
    """A row that sets a mark from entry `since` on. `value` is canonical JSON, or None.

    None cancels the value of the earlier row with the same `since`.
    """

    who: str
    name: str
    since: int
    seq: int
    value: str | None


class Rows(NamedTuple):
    """The rows that one entry adds, sorted. No two have the same subject, name and `since`."""

    postings: list[PostingRow]
    marks: list[MarkRow]


class StrikeHistory(Protocol):
    """The strikes written so far."""

    def action(self, act: int) -> Sequence[Body]:
        """Return the entries of an action, in order."""

    def strikers(self, act: int) -> Iterable[int]:
        """Return the actions that strike an action, including canceled ones."""


class Past(StrikeHistory, Protocol):
    """The state before an entry. The rows of the entry depend on it."""

    def balance(self, who: str, score: str) -> int | None:
        """Return the balance of a score, or None if it has no postings."""

    def entries_that_set_mark(self, who: str, name: str, since: int) -> Iterable[Body]:
        """Return the entries that set or canceled the value that a mark has from entry `since` on, the latest first."""


def rows_of(entry: Body, past: Past) -> Rows:
    """Return the rows that an entry adds, with running balances."""
    seq, since = entry["seq"], entry["since"]
    if not entry["postings"] and not entry["marks"]:
        return Rows([], [])
    amounts: dict[tuple[str, str, int], int] = {}
    _add_postings(amounts, entry, 1)
    values: dict[tuple[str, str, int], str | None] = {
        (mark["who"], mark["name"], since): _stored_value(mark, seq) for mark in entry["marks"]
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


def _add_postings(amounts: dict[tuple[str, str, int], int], entry: Body, sign: int) -> None:
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
    """Strike `targets` with action `striking`. Add the resulting changes to `amounts` (scores) and `values` (marks)."""
    counts = _counts_after(past, targets, striking)
    touched: dict[tuple[str, str, int], None] = {}
    canceled, restored = canceled_and_restored(past, targets, striking)
    for act in (*canceled, *restored):
        for entry in past.action(act):
            _add_postings(amounts, entry, 1 if counts(act) else -1)
            touched |= {(mark["who"], mark["name"], entry["since"]): None for mark in entry["marks"]}
    for key in touched:
        values[key] = _latest_value(past, key, counts)


def _latest_value(past: Past, key: tuple[str, str, int], counts: Callable[[int], bool]) -> str | None:
    """Return the last value that a mark got at one place, as canonical JSON; None if there isn't one.

    `key` has the subject, the name of the mark and the place (`since`). Ignore values from canceled actions. `counts`
    tells if an action counts.
    """
    for entry in past.entries_that_set_mark(*key):
        for mark in entry["marks"]:
            if (mark["who"], mark["name"], entry["since"]) == key and counts(entry["act"]):
                return _stored_value(mark, entry["seq"])
    return None


def _stored_value(mark: Mapping[str, Any], seq: int) -> str:
    """Return the value of a mark as canonical JSON.

    A secret or a typed text gets the field `at`: the number of the entry that has its text.
    """
    value = mark["value"]
    if isinstance(value, dict) and (is_closed(value) or is_typed_text(value)):
        value = {**value, "at": seq}
    return canonical_json(value).decode()


# Which actions count


def strikes_of(entry: Body) -> list[int]:
    """Return the actions that an entry strikes: the named action, and the answers to its questions."""
    if entry["type"] != "action-struck":
        return []
    return [entry_number(mark["name"]) for mark in entry["marks"] if mark["who"] == STRUCK]


def canceled_and_restored(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> tuple[list[int], list[int]]:
    """Return the actions that are canceled, and those that are restored, if action `striking` strikes `targets`."""
    before, after = _counts_after(strikes, (), 0), _counts_after(strikes, targets, striking)
    reached = _affected_actions(strikes, targets)
    return (
        [act for act in reached if before(act) and not after(act)],
        [act for act in reached if after(act) and not before(act)],
    )


def _counts_after(strikes: StrikeHistory, targets: Sequence[int], striking: int) -> Callable[[int], bool]:
    """Return a function that tells if an action is in force after the action `striking` has struck these targets."""
    strikers, standing = cache(strikes.strikers), dict[int, bool]()

    def counts(act: int) -> bool:  # does not recurse, because strikes of strikes may be thousands deep
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

    return counts


def _affected_actions(strikes: StrikeHistory, targets: Sequence[int]) -> list[int]:
    """Return the actions that a strike may affect: its targets, their targets, and so on."""
    reached: dict[int, None] = {}
    waiting = list(targets)
    while waiting:
        act = waiting.pop()
        reached[act] = None
        waiting += [target for entry in strikes.action(act) for target in strikes_of(entry) if target not in reached]
    return list(reached)
