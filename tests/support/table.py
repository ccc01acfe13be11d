"""A table to test at: seeded dice and salts, a frozen clock, a campaign with a cast."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from random import Random
from types import CodeType, FrameType
from typing import Any

import pytest

from engine import connection_of, create_journal
from ledger.commands.at_table import Join, Open
from ledger.commands.days import NextDay
from ledger.commands.decider import Command
from ledger.commands.seats import Seat
from ledger.errors import LedgerError
from ledger.events.commitments import SaltSource
from ledger.events.subjects import OFFER
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.journal.store import Journal, memory_journal
from ledger.rules.dice import RandomBelow
from ledger.rules.move import Rule
from ledger.scribe import Scribe, Written
from ledger.tlog.tree import completed_nodes, node_hash

EVENING = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)

CAST = {
    "mara": {
        "maximum": 4,
        "strength": 6,
        "attribute.cunning": 5,
        "attribute.presence": 6,
        "skill.deception": 4,
        "injury.serious": 1,
    },
    "brak": {"maximum": 2, "edge": 1, "armor.threshold": 15, "armor.reduction": 30},
}


SHEETS: dict[str, dict[str, int]] = {
    "multicheck": {
        "attribute.cunning": 60,
        "attribute.luck": 20,
        "skill.deception": 3,
        "feat.climb": 35,
        "ps": 2,
        "pk": 2,
        "save.toughness": 3,
        "malice.physical": 8,
        "recovery": 2,
        "condition.serious": 4,
    },
    "syscards": {"efficiency": 40, "core-points": 20},
    "rollunder": {"characteristic.cunning": 9, "characteristic.presence": 12, "skill.deception": 4},
    "byzantine": {
        "energy": 30,
        "general": 12,
        "project.climb": 9,
        "invested.climb": 25,
        "input.workshop": -2,
        "output.workshop": 5,
        "output.flying": 4,
        "ability.cunning": 6,
        "ability.deception": 3,
    },
    "free": {"hp": 9, "hp.max": 12, "gold": 50, "dex": 3},
}
"""What brings mara and brak to the other games, so that most of what may be said can be played."""


def seeded_dice(seed: int = 1) -> RandomBelow:
    return Random(seed).randrange  # noqa: S311  seeded on purpose


class counting_dice:  # noqa: N801  a hand that is called
    """Chance that shows ones, and counts how often it was asked."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, sides: int) -> int:
        self.count += 1
        return 0


def seeded_salts() -> SaltSource:
    numbers: Iterator[int] = iter(range(1 << 30))
    return lambda: sha256(f"salt {next(numbers)}".encode()).digest()


def scribe(book: Book, seed: int = 1, **kwargs: Any) -> Scribe:
    """Make a scribe with a frozen, accepted clock: many kept campaigns have later dates."""
    usual: dict[str, Any] = {"clock": lambda: EVENING, "chance": seeded_dice(seed), "salts": seeded_salts()}
    return Scribe(book, **usual | {"clock_ok": True} | kwargs)


def opening() -> list[Command]:
    """What brings a campaign to the point where two characters can play both games."""
    return [
        Open(title="The salt road", gm="Tom"),
        Seat(name="Ana", plays=("mara",), gm=False),
        *(Join(who=who, system="edge", scores=scores) for who, scores in CAST.items()),
        *(Join(who=who, system="coin", scores={"coins": 9}) for who in CAST),
    ]


def opened_book(path: str | None = None, games: tuple[str, ...] = ("edge", "coin")) -> Book:
    """A campaign with a cast, on disk or, where many are needed, in SQLite's memory."""
    if path:
        return _opened(create_journal(path), games)
    journal = memory_journal()
    connection_of(journal).deserialize(_in_memory(games))
    return Book(journal)


@cache
def _in_memory(games: tuple[str, ...]) -> bytes:
    with _opened(memory_journal(), games) as book:
        return connection_of(book).serialize()


def _opened(journal: Journal, games: tuple[str, ...]) -> Book:
    book = Book(journal)
    try:
        for command in opening():
            if not isinstance(command, Join) or command.system in games:
                scribe(book).write(command)
    except BaseException:
        book.close()
        raise
    return book


def hashed_anew(journal: Journal) -> None:
    """Make the tree of a file again from its leaves, as somebody would who rewrote it throughout."""
    connection_of(journal).execute("DELETE FROM nodes")
    for seq, _, leaf in list(journal.stored()):
        below = leaf
        for level, place in completed_nodes(seq - 1):
            below = node_hash(journal.node(level - 1, 2 * place), below)
            connection_of(journal).execute("INSERT INTO nodes VALUES (?, ?, ?)", (level, place, below))


def every_game() -> Book:
    """A campaign whose cast has a sheet in every game, on its first day: in memory, or where `in_engine` puts it."""
    journal = memory_journal()
    connection_of(journal).deserialize(_every_game())
    return in_engine(Book(journal))


def in_engine(book: Book) -> Book:
    """Tests replace this to put campaigns into another engine."""
    return book


@cache
def _every_game() -> bytes:
    with _joined() as book:
        return connection_of(book).serialize()


def _joined() -> Book:
    book = opened_book()
    try:
        for system, scores in SHEETS.items():
            for who in CAST:
                scribe(book).write(Join(who=who, system=system, scores=scores))
        scribe(book).write(NextDay(count=1, until=None))
    except BaseException:
        book.close()
        raise
    return book


def accounts_of(book: Book, when: AsOf = NOW) -> dict[str, dict[str, Any]]:
    """All that the accounts show at a point, score by score and mark by mark; what is struck and spoken about aside."""
    stored = book.journal.storage.rows
    found: dict[str, dict[str, Any]] = {}
    for who, score in {(row.who, row.score): None for row in stored.postings()}:
        found.setdefault(who, {})[score] = book.accounts.balance(who, score, when) or 0
    for who, name in {(row.who, row.name): None for row in stored.marks()}:
        value = book.accounts.mark(who, name, when)
        if isinstance(value, dict) and "secret" in value:
            value = book.secret(value).text
        if value is not None and who not in {"#struck", "#about", "#asserted"}:
            found.setdefault(who, {})[name] = True if name == OFFER else value
    shown = {
        who: {name: held for name, held in each.items() if held is False or held != 0} for who, each in found.items()
    }
    return {who: each for who, each in shown.items() if each}


def last(done: Written, kind: str) -> dict[str, Any]:
    """The body of the entry of this type that a command wrote."""
    (entry,) = [entry for entry in done.entries if entry.type == kind]
    return entry.body


def check_refused(book: Book, commands: Sequence[Command], error: type[LedgerError], says: str) -> None:
    """The last of these commands is refused, and nothing of it is written."""
    for command in commands[:-1]:
        scribe(book).write(command)
    head = book.head()
    with pytest.raises(error, match=says):
        scribe(book).write(commands[-1])
    assert book.head() == head


def worked_out(rules: Iterable[Rule[..., Any]], play: Callable[[], object]) -> list[str]:
    """The rules that are called while something is played, by name."""
    codes: set[CodeType] = set()

    def watch(frame: FrameType, event: str, arg: object) -> None:
        codes.add(frame.f_code)

    sys.setprofile(watch)
    try:
        play()
    finally:
        sys.setprofile(None)
    return [rule.name for rule in rules if rule.work.__code__ in codes]


TODAY = "2026-11-20"
