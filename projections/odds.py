"""Odds: how often each verdict of a move comes out, counted over all that its dice can show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from ledger.commands.decider import Sketch
from ledger.commands.play import PlayMove
from ledger.commands.sheet import table_of
from ledger.errors import Refused
from ledger.events.commitments import Secret
from ledger.events.facts import Verdict
from ledger.events.types import MovePlayed
from ledger.journal.book import Book
from ledger.rules.dice import Pool
from ledger.rules.move import Move, Table
from ledger.values import Field, Struct

MOST_THROWS = 100_000
"""At most so many throws are counted; each is ruled on, and more would keep the table waiting."""

WAITS = Verdict(says="choice needed", good=None)


class Outcome(Struct):
    """A verdict, and in how many throws it comes out."""

    says: str
    good: bool | None
    ways: int


class Odds(Struct):
    """The verdicts of a move, the best first; their ways add up to all `throws` of the pool.

    The odds assume the best choice for inputs in `chosen`, which the player makes after the throw, and ignore those in
    `offered`, which come after the ruling. `facts` lists effects from the sheets.
    """

    pool: Pool
    throws: int
    outcomes: tuple[Outcome, ...]
    chosen: tuple[str, ...]
    offered: tuple[str, ...]
    facts: str

    @property
    def good(self) -> int | None:
        """The throws that succeed, `None` if no verdict is a success or a failure."""
        ways = [outcome.ways for outcome in self.outcomes if outcome.good]
        return sum(ways) if any(outcome.good is not None for outcome in self.outcomes) else None


def odds(book: Book, system: str, move: Move, progress: Callable[[int], object] = abs) -> Odds:
    """The odds of a move with the current sheets. If it throws no dice itself, the odds of the moves that follow.

    `progress` is told of each hundredth that is counted. Refuse what the move refuses, and (`Refused`) a move without
    dice, with too many, or that looks at a secret.
    """
    sketch = Sketch(book, book.head())
    sketch.by_hand = False
    asked = _with_dice(sketch, system, move)
    if asked is None:
        raise Refused(f"{system} {move.name()} rolls no dice here.")
    thrown, pool, table = asked
    throws = prod(pool.sides)
    if throws > MOST_THROWS:
        raise Refused(f"{pool.in_words()} has {throws:,} possible results; odds can count at most {MOST_THROWS:,}.")
    count = _Count(thrown, table)
    for place, faces in enumerate(product(*(range(1, sides + 1) for sides in pool.sides)), start=1):
        count.take(faces)
        if hundredths := 100 * place // throws - 100 * (place - 1) // throws:
            progress(hundredths)
    looked = (value for sheet in table.looked.values() for value in sheet.values())
    if sketch.conceals or any(isinstance(value, Secret) for value in looked):
        raise Refused("The odds of this roll would reveal one of the GM's secrets.")
    return Odds(
        pool=pool,
        throws=throws,
        outcomes=tuple(count.outcomes()),
        chosen=tuple(sorted(count.chosen)),
        offered=tuple(sorted(count.offered)),
        facts=thrown.facts(table, ()),
    )


def _with_dice(sketch: Sketch, system: str, move: Move) -> tuple[Move, Pool, Table] | None:
    """The move, or the first that follows it, that throws dice; with its pool and table."""
    played = PlayMove(system=system, move=move)
    first = len(sketch.added)
    asked = played.ask(sketch)
    assert asked.table is not None  # noqa: S101  a move always has one
    if asked.pool:
        return move, asked.pool, asked.table
    played.rule(sketch, asked, None)
    event = sketch.added[first].event
    if not (move.may_continue and isinstance(event, MovePlayed)):
        return None
    following = move.then(table_of(sketch, system, event), ())
    return next(filter(None, (_with_dice(sketch, system, follower) for follower in following)), None)


class _Count:
    def __init__(self, move: Move, table: Table) -> None:
        self._move = move
        self._table = table
        self._ways: dict[tuple[str, bool | None], int] = {}
        self._best: dict[tuple[str, bool | None], tuple[int, int]] = {}
        self._choices: dict[tuple[str, ...], list[Move]] = {}
        self.chosen: set[str] = set()
        self.offered: set[str] = set()

    def take(self, faces: Sequence[int]) -> None:
        asks = self._move.choices(self._table, faces)
        self.chosen.update(asks)
        if asks and asks not in self._choices:
            self._choices[asks] = list(_chosen(self._move, asks))
        moves = [move for move in self._choices[asks] if self._agrees(move, faces)] if asks else [self._move]
        verdict = max((self._ruled(move, faces) for move in moves), key=_worth, default=WAITS)
        key = (verdict.says, verdict.good)
        self._ways[key] = self._ways.get(key, 0) + 1
        self._best[key] = max(self._best.get(key, _worth(verdict)), _worth(verdict))

    def outcomes(self) -> Iterator[Outcome]:
        """The verdicts, the best first; where none is better, as the dice rise."""
        for says, good in sorted(self._ways, key=lambda key: self._best[key], reverse=True):
            yield Outcome(says=says, good=good, ways=self._ways[says, good])

    def _agrees(self, move: Move, faces: Sequence[int]) -> bool:
        try:
            move.check_choice(self._table, faces)
        except Refused:
            return False
        return not move.choices(self._table, faces)

    def _ruled(self, move: Move, faces: Sequence[int]) -> Verdict:
        self.offered.update(move.offers(self._table, faces))
        return move.ruling(self._table, faces).verdict


def _worth(verdict: Verdict) -> tuple[int, int]:
    margin = verdict.margin.value if isinstance(verdict.margin, Secret) else verdict.margin
    return {True: 1, None: 0, False: -1}[verdict.good], margin or 0


def _chosen(move: Move, names: Sequence[str]) -> Iterator[Move]:
    """The move with each choice of these inputs that can be listed; none if one of them cannot."""
    fields = move.fields()
    for values in product(*(_values(fields[name]) for name in names)):
        yield move.replace(**dict(zip(names, values, strict=True)))


MOST_VALUES = 100
"""At most so many numbers of one input are tried."""


def _values(field: Field) -> Sequence[Any]:
    """What an input can be, if that is a choice, yes or no, or one of a few numbers; else nothing."""
    if field.many or field.keyed:
        return ()
    if field.choices or field.kind is bool:
        return field.choices or (False, True)
    few = field.kind is int and field.limit is not None and field.limit.most - field.limit.least < MOST_VALUES
    return range(field.limit.least, field.limit.most + 1) if few and field.limit else ()


def percent(ways: int, throws: int) -> str:
    """A share to a tenth of a percent; only never is 0 %, and only always is 100 %."""
    tenths = (2000 * ways + throws) // (2 * throws)
    if ways and not tenths:
        return "<0.1 %"
    if ways < throws and tenths == 1000:  # noqa: PLR2004  100 %
        return ">99.9 %"
    return f"{tenths // 10}.{tenths % 10} %"
