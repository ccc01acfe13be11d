"""The odds of a move: how many of all possible dice results lead to each verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
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
"""The maximum number of dice results to count. Each needs a ruling, so more would take too long."""

MOST_SHOWN = 1_000_000
"""The maximum number of results to show. If there are more, each number is a share of this many results."""

CHOICE_NEEDED = Verdict(says="choice needed", good=None)


class Outcome(Struct):
    """A verdict, and the number of dice results that lead to it."""

    says: str
    good: bool | None
    ways: int


class Odds(Struct):
    """The verdicts of a move, the best first. All `ways` add up to `throws`, the number of possible dice results.

    - `chosen`: inputs to choose after the roll. The odds assume the best choice.
    - `offered`: inputs to choose after the ruling. The odds ignore these choices.
    - `facts_text`: a description of the values on the sheets that affect the roll.
    """

    pool: Pool
    throws: int
    outcomes: tuple[Outcome, ...]
    chosen: tuple[str, ...]
    offered: tuple[str, ...]
    facts_text: str

    @property
    def good(self) -> int | None:
        """The number of dice results that succeed, or `None` if no verdict is a success or a failure."""
        ways = [outcome.ways for outcome in self.outcomes if outcome.good]
        return sum(ways) if any(outcome.good is not None for outcome in self.outcomes) else None


def odds(book: Book, system: str, move: Move, progress: Callable[[int], object] = abs) -> Odds:
    """Return the odds of a move with the current sheets. If the move rolls no dice, use the first later move that does.

    `progress` gets the percentage points counted since the last call. Raise the errors of playing the move. Raise
    `Refused` if no move rolls dice, if there are too many results, or if the odds reveal a secret.
    """
    sketch = Sketch(book, book.head())
    sketch.has_known_dice = False
    asked = _first_move_with_dice(sketch, system, move)
    if asked is None:
        raise Refused(f"{system} {move.name()} rolls no dice in this situation.")
    thrown, pool, table = asked
    counter, exact = _OutcomeCounter(thrown, table), thrown.exact_odds(table)
    verdicts, of = exact or ((), 0)
    throws = min(of, MOST_SHOWN) if exact else prod(pool.sides)
    for verdict, ways in verdicts:
        counter.count_verdict(verdict, round(Fraction(ways * throws, of)))
    if throws > MOST_THROWS and not exact:
        raise Refused(
            f"{pool.in_words()} has {throws:,} possible results. The program computes odds for at most {MOST_THROWS:,}."
        )
    results = () if exact else product(*(range(1, sides + 1) for sides in pool.sides))
    for place, faces in enumerate(results, start=1):
        counter.count_faces(faces)
        if hundredths := 100 * place // throws - 100 * (place - 1) // throws:
            progress(hundredths)
    looked = (value for sheet in table.looked.values() for value in sheet.values())
    if sketch.reveals_secret or any(isinstance(value, Secret) for value in looked):
        raise Refused("The odds of this roll would reveal one of the GM's secrets.")
    return Odds(
        pool=pool,
        throws=throws,
        outcomes=tuple(counter.outcomes()),
        chosen=tuple(sorted(counter.chosen)),
        offered=tuple(sorted(counter.offered)),
        facts_text=thrown.facts_text(table, ()),
    )


def _first_move_with_dice(sketch: Sketch, system: str, move: Move) -> tuple[Move, Pool, Table] | None:
    """Return the first move that rolls dice (`move` or one that follows it), with its pool and table, or `None`."""
    played = PlayMove(system=system, move=move)
    first = len(sketch.added)
    asked = played.ask(sketch)
    assert asked.table is not None  # noqa: S101  a move always has a table
    if asked.pool:
        return move, asked.pool, asked.table
    played.rule(sketch, asked, None)
    event = sketch.added[first].event
    if not (move.may_continue and isinstance(event, MovePlayed)):
        return None
    following = move.next_moves(table_of(sketch, system, event), ())
    return next(filter(None, (_first_move_with_dice(sketch, system, follower) for follower in following)), None)


class _OutcomeCounter:
    """A counter of verdicts: it counts how many results of a roll lead to each verdict."""

    def __init__(self, move: Move, table: Table) -> None:
        self._move = move
        self._table = table
        self._ways: dict[tuple[str, bool | None], int] = {}
        self._best: dict[tuple[str, bool | None], tuple[int, int]] = {}
        self._choices: dict[tuple[str, ...], list[Move]] = {}
        self.chosen: set[str] = set()
        self.offered: set[str] = set()

    def count_faces(self, faces: Sequence[int]) -> None:
        """Count one result of the dice. If the player may choose after the roll, count the best choice."""
        asks = self._move.choices(self._table, faces)
        self.chosen.update(asks)
        if asks and asks not in self._choices:
            self._choices[asks] = list(_moves_for_choices(self._move, asks))
        moves = [move for move in self._choices[asks] if self._has_valid_choices(move, faces)] if asks else [self._move]
        self.count_verdict(
            max((self._verdict_of(move, faces) for move in moves), key=self._rank, default=CHOICE_NEEDED), 1
        )

    def count_verdict(self, verdict: Verdict, ways: int) -> None:
        """Count `ways` more dice results that lead to a verdict."""
        key = (verdict.says, verdict.good)
        self._ways[key] = self._ways.get(key, 0) + ways
        self._best[key] = max(self._best.get(key, self._rank(verdict)), self._rank(verdict))

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the verdicts, the best first. Equally good verdicts stay in the order counted."""
        for says, good in sorted(self._ways, key=lambda key: self._best[key], reverse=True):
            yield Outcome(says=says, good=good, ways=self._ways[says, good])

    def _has_valid_choices(self, move: Move, faces: Sequence[int]) -> bool:
        try:
            move.check_choice(self._table, faces)
        except Refused:
            return False
        return not move.choices(self._table, faces)

    def _verdict_of(self, move: Move, faces: Sequence[int]) -> Verdict:
        self.offered.update(move.offers(self._table, faces))
        return move.ruling(self._table, faces).verdict

    def _rank(self, verdict: Verdict) -> tuple[int, int]:
        """Return numbers that are higher for a better verdict."""
        margin = verdict.margin.value if isinstance(verdict.margin, Secret) else verdict.margin
        rank = self._move.verdicts.index(verdict.says) if verdict.says in self._move.verdicts else 0
        return {True: 1, None: 0, False: -1}[verdict.good], margin or rank


def _moves_for_choices(move: Move, names: Sequence[str]) -> Iterator[Move]:
    """Yield the move with each combination of values for the inputs `names`; nothing if values cannot be listed."""
    fields = move.fields()
    for values in product(*(_values(fields[name]) for name in names)):
        yield move.replace(**dict(zip(names, values, strict=True)))


MOST_VALUES = 100
"""The maximum number of values to try for one input."""


def _values(field: Field) -> Sequence[Any]:
    """Return the possible values of a choice, a yes/no input or a small range of numbers; empty for other inputs."""
    if field.many or field.keyed:
        return ()
    if field.choices or field.kind is bool:
        return field.choices or (False, True)
    few = field.kind is int and field.limit is not None and field.limit.most - field.limit.least < MOST_VALUES
    return range(field.limit.least, field.limit.most + 1) if few and field.limit else ()


def percent(ways: int, throws: int) -> str:
    """Format a share as a percentage. Use "<0.1 %" and ">99.9 %" if rounding would falsely give 0 or 100 %."""
    tenths = (2000 * ways + throws) // (2 * throws)
    if ways and not tenths:
        return "<0.1 %"
    if ways < throws and tenths == 1000:  # noqa: PLR2004  100 %
        return ">99.9 %"
    return f"{tenths // 10}.{tenths % 10} %"
