"""The accounts: postings by score with a running balance, and marks, written in the transaction of their entry.

Both are derived from the entries. Every row knows the entry that wrote it (`seq`) and the entry since which it
counts (`since`). As known at N: rows with `seq <= N`. As now known of N: rows with `since <= N`.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from typing import Any

from ledger.errors import Damaged
from ledger.events.canonical import canonical_json
from ledger.events.commitments import Secret
from ledger.events.subjects import STRUCK
from ledger.values import Shape

BOUND = 2**62
"""Greater than any entry."""

GIVEN = "(since = seq OR value = seq)"
"""Holds for the marks `#struck` that strikes give; not for what later strikes made of them, of which there are many."""


class When(Shape):
    """A point in the journal, and whether it is meant as known then or as now known of then.

    `known` is for the second alone: what was known of the point at that entry, where it is not now.
    """

    seq: int = BOUND
    corrected: bool = False
    known: int = BOUND


NOW = When()


class Row(Shape):
    """One line of an account."""

    seq: int
    since: int
    amount: int
    balance: int


class Accounts:
    """The accounts in an open campaign file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    # Looking

    def balance(self, who: str, score: str, when: When = NOW) -> int | None:
        """Return what a score stood at, None where nothing was ever posted to it; by one seek, not by a replay."""
        known = self._connection.execute(
            "SELECT balance FROM postings WHERE who = ? AND score = ? AND seq <= ?"
            " ORDER BY seq DESC, since DESC LIMIT 1",
            (who, score, min(when.seq, when.known)),
        ).fetchone()
        if not when.corrected:
            return None if known is None else int(known[0])
        late = self._connection.execute(
            "SELECT sum(amount) FROM postings WHERE who = ? AND score = ? AND since <= ? AND since < seq"
            " AND seq > ? AND seq <= ?",
            (who, score, when.seq, when.seq, when.known),
        ).fetchone()
        if known is None and late[0] is None:
            return None
        return (known[0] if known else 0) + (late[0] or 0)

    def mark(self, who: str, name: str, when: When = NOW) -> Any:
        """Return the value of a mark, None where it has none.

        The greatest `since` shows; of equal ones the latest row; a row without a value hides its `since`.
        """
        last_since = None
        for since, value in self._connection.execute(
            "SELECT since, value FROM marks WHERE who = ? AND name = ? AND since <= ? AND seq <= ?"
            " ORDER BY since DESC, seq DESC",
            (who, name, when.seq, when.known if when.corrected else when.seq),
        ):
            if since != last_since and value is not None:
                try:
                    return json.loads(value)
                except ValueError:
                    raise Damaged(f"the mark {name!r} of {who} cannot be read") from None
            last_since = since
        return None

    def scores(self, who: str, prefix: str = "") -> list[str]:
        """Return the scores that were ever posted to, in order; those that begin with the prefix."""
        return self._names("postings", "score", who, prefix)

    def marked(self, who: str, prefix: str = "") -> list[str]:
        """Return the names of the marks that were ever given, in order; those that begin with the prefix."""
        return self._names("marks", "name", who, prefix)

    def register(self, who: str, score: str, when: When = NOW) -> list[Row]:
        """Return the postings of a score in the order written; as now known, in the order in which they count."""
        limit, order = ("since", "since, seq") if when.corrected else ("seq", "seq, since")
        found = self._connection.execute(
            "SELECT seq, since, amount, balance FROM postings WHERE who = ? AND score = ?"  # noqa: S608  ours
            f" AND {limit} <= ? AND seq <= ? ORDER BY {order}",
            (who, score, when.seq, when.known),
        )
        return [Row(seq=seq, since=since, amount=amount, balance=balance) for seq, since, amount, balance in found]

    def moved(self, first: int, last: int, accounts: list[tuple[str, str]]) -> Iterator[tuple[str, str, int, int]]:
        """Yield what the entries from first to last posted to these accounts: who, score, amount, balance."""
        for who, score in accounts:
            for amount, balance in self._connection.execute(
                "SELECT amount, balance FROM postings WHERE who = ? AND score = ? AND seq BETWEEN ? AND ?"
                " ORDER BY seq, since",
                (who, score, first, last),
            ):
                yield who, score, amount, balance

    def given(self, who: str, name: str, value: Any) -> tuple[int, int | None] | None:
        """Return since when a mark last had a value, and since when another one; None where it never had it.

        A value that was struck counts where nothing took its place: the mark had it until the strike.
        """
        sql = "SELECT since, seq, value FROM marks WHERE who = ? AND name = ? ORDER BY since, seq"
        rows = [
            (int(since), int(seq), json.loads(held) if held else STRUCK)
            for since, seq, held in self._connection.execute(sql, (who, name))
        ]
        shown = {since: held for since, _, held in rows}
        stands = [since for since, held in shown.items() if held != STRUCK]
        found = [since for since in stands if shown[since] == value]
        if found:
            return found[-1], next((since for since in stands if since > found[-1]), None)
        fallen = [since for since, _, held in rows if held == value]
        return (fallen[-1], next(seq for since, seq, _ in reversed(rows) if since == fallen[-1])) if fallen else None

    def touched(self, who: str, name: str, when: When = NOW) -> list[tuple[int, int]]:
        """Return the entries that touched a mark, each with the one since which it counts, in that order."""
        limit = "since" if when.corrected else "seq"
        found = self._connection.execute(
            "SELECT seq, since FROM marks WHERE who = ? AND name = ?"  # noqa: S608  ours
            f" AND {limit} <= ? AND seq <= ? ORDER BY since, seq",
            (who, name, when.seq, when.known),
        )
        return [(int(seq), int(since)) for seq, since in found]

    def first(self, who: str, name: str) -> int:
        """Return the first entry since which a mark had a value that counts or once counted."""
        (since,) = self._connection.execute(
            "SELECT min(since) FROM marks WHERE who = ? AND name = ?", (who, name)
        ).fetchone()
        return int(since)

    def late(self, head: int) -> Iterator[tuple[str, str, int]]:
        """Yield what was put right after an entry: the scores and marks of characters and of the campaign.

        Each stands with the entry since which its row counts.
        """
        for table, name in (("postings", "score"), ("marks", "name")):
            yield from self._connection.execute(
                f"SELECT who, {name}, since FROM {table} WHERE since < seq AND since <= ? AND seq > ? AND who >= 'a'",  # noqa: S608  ours
                (head, head),
            )

    def rows(self, table: str) -> Iterator[tuple[Any, ...]]:
        """Yield all rows of `postings` or `marks`, by the entry that wrote them."""
        yield from self._connection.execute(f"SELECT * FROM {table} ORDER BY seq, who, 2, since")  # noqa: S608  ours

    def _names(self, table: str, column: str, who: str, prefix: str = "") -> list[str]:
        found: list[str] = []
        name = prefix
        sql = f"SELECT min({column}) FROM {table} WHERE who = ? AND {column} "  # noqa: S608  names of ours
        (first,) = self._connection.execute(sql + ">= ?", (who, name)).fetchone()
        while first is not None and first.startswith(prefix):
            found.append(first)
            (first,) = self._connection.execute(sql + "> ?", (who, first)).fetchone()
        return found

    # Writing

    def post(self, seq: int, since: int, entry: Mapping[str, Any]) -> None:
        """Write what an entry moves: its own postings and marks, and those that it strikes, turned round."""
        moved: dict[tuple[str, str, int], int] = {}
        for posting in entry["postings"]:
            key = (posting["who"], posting["score"], since)
            moved[key] = moved.get(key, 0) + posting["amount"]
        given: dict[tuple[str, str, int], str | None] = {
            (mark["who"], mark["name"], since): _held(mark, seq) for mark in entry["marks"]
        }
        if entry["type"] == "action-struck":
            self._strike(entry, moved, given)
        for (who, score, counts), amount in sorted(moved.items()):
            balance = (self.balance(who, score) or 0) + amount
            self._connection.execute(
                "INSERT INTO postings VALUES (?, ?, ?, ?, ?, ?)", (who, score, seq, counts, amount, balance)
            )
        self._connection.executemany(
            "INSERT INTO marks VALUES (?, ?, ?, ?, ?)",
            [(who, name, counts, seq, value) for (who, name, counts), value in given.items()],
        )

    def _strike(
        self,
        strike: Mapping[str, Any],
        moved: dict[tuple[str, str, int], int],
        given: dict[tuple[str, str, int], str | None],
    ) -> None:
        """Add what a strike moves: the rows of every action that stands no more, turned round, or stands again.

        An action stands unless a standing action strikes it; so a strike that falls lets its targets stand again,
        unless another strike of theirs stands.
        """
        targets, action, strikers = struck_by(strike), cache(self._action), cache(self._strikers)
        stood, standing = self._standing_after([], 0, strikers), self._standing_after(targets, strike["act"], strikers)
        flipped = [act for act in self._reached(targets, action) if standing(act) is not stood(act)]
        touched: dict[tuple[str, str, int], None] = {}
        for act in flipped:
            sign = 1 if standing(act) else -1
            for entry in action(act):
                for posting in entry["postings"]:
                    key = (posting["who"], posting["score"], entry["since"])
                    moved[key] = moved.get(key, 0) + sign * posting["amount"]
                touched |= {(mark["who"], mark["name"], entry["since"]): None for mark in entry["marks"]}
        for who, name, since in touched:
            given[who, name, since] = self._shown(who, name, since, standing)

    def flipped(self, targets: list[int], act: int) -> tuple[list[int], list[int]]:
        """Return which actions stand no more once a strike of these is written in an action, and which stand again."""
        standing = self._standing_after(targets, act, cache(self._strikers))
        stood = {each: self.mark(STRUCK, str(each)) is None for each in self._reached(targets, self._action)}
        fallen = [each for each, before in stood.items() if before and not standing(each)]
        return fallen, [each for each, before in stood.items() if standing(each) and not before]

    def _standing_after(
        self, targets: list[int], striking: int, strikers: Callable[[int], list[int]]
    ) -> Callable[[int], bool]:
        """Return which actions stand once a strike of these is written."""
        known: dict[int, bool] = {}

        def standing(act: int) -> bool:
            waiting = [] if act in known else [act]
            while waiting:
                each = waiting[-1]
                later = [other for other in strikers(each) + [striking] * (each in targets) if other > each]
                unknown = [other for other in later if other not in known]
                if unknown:
                    waiting += unknown
                else:
                    known[waiting.pop()] = not any(known[other] for other in later)
            return known[act]

        return standing

    def _strikers(self, act: int) -> list[int]:
        """Return the actions that strike an action, whether they stand or not."""
        rows = self._connection.execute(
            f"SELECT DISTINCT seq FROM marks WHERE who = ? AND name = ? AND {GIVEN}",  # noqa: S608  ours
            (STRUCK, str(act)),
        ).fetchall()
        return [body["act"] for (seq,) in rows if act in struck_by(body := self._body(seq))]

    def _reached(self, targets: list[int], action: Callable[[int], list[dict[str, Any]]]) -> list[int]:
        """Return the actions that a strike may touch: its targets, and what those strike in their turn."""
        found: dict[int, None] = {}
        waiting = list(targets)
        while waiting:
            act = waiting.pop()
            found[act] = None
            waiting += [each for entry in action(act) for each in struck_by(entry) if each not in found]
        return list(found)

    def _shown(self, who: str, name: str, since: int, standing: Callable[[int], bool]) -> str | None:
        """Return the value that a mark shows of a `since`: the latest that a standing action gave it."""
        rows = self._connection.execute(
            "SELECT seq FROM marks WHERE who = ? AND name = ? AND since = ?"  # noqa: S608  ours
            f" AND (who <> ? OR {GIVEN}) ORDER BY seq DESC",
            (who, name, since, STRUCK),
        ).fetchall()
        for (seq,) in rows:
            entry = self._body(seq)
            for mark in entry["marks"]:
                own = (mark["who"], mark["name"], entry["since"]) == (who, name, since)
                if own and standing(entry["act"]):
                    return _held(mark, seq)
        return None

    def _body(self, seq: int) -> dict[str, Any]:
        (stored,) = self._connection.execute("SELECT body FROM entries WHERE seq = ?", (seq,)).fetchone()
        body: dict[str, Any] = json.loads(stored)
        return body

    def _action(self, act: int) -> list[dict[str, Any]]:
        rows = self._connection.execute("SELECT body FROM entries WHERE seq >= ? ORDER BY seq", (act,))
        return list(takewhile(lambda entry: entry["act"] == act, (json.loads(stored) for (stored,) in rows)))


def _held(mark: Mapping[str, Any], seq: int) -> str:
    """Return the value of a mark as it is kept; of a secret, where its words lie."""
    value = mark["value"]
    if isinstance(value, dict) and Secret.KEY in value:
        value = {**value, "at": seq}
    return canonical_json(value).decode()


def struck_by(entry: Mapping[str, Any]) -> list[int]:
    """Return the actions that a strike strikes: the one it names, and the answers that fall with it."""
    if entry["type"] != "action-struck":
        return []
    return [int(mark["name"]) for mark in entry["marks"] if mark["who"] == STRUCK]
