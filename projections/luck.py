"""Luck: what everybody rolled, and whether each player's dice are consistent with fair dice.

The test is an e-value: the factor by which the rolls favor a fixed mixture of loaded dice over fair dice. If
the dice are fair, the probability that the factor ever exceeds 1/p is at most p, however often people look
(Ville 1939; Shafer, Shen, Vereshchagin and Vovk, "Test Martingales, Bayes Factors and p-Values", 2011).

Each player has several kinds of dice, and each kind has its own test. For a player's i-th kind, the limit is i(i+1)
times as high as for a single test. Then the probabilities that a fair die is called unfair add up to at most
`FALSE_ALARM_RATE`, because 1/2 + 1/6 + 1/12 + … is 1. The order of the dice depends only on who rolled which die first.
No later entry changes it.

Sealed rolls are counted after they are revealed, but not tested: the GM knows a sealed roll before revealing
it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from json import loads
from math import exp, inf, log
from typing import Any, Literal

from ledger.errors import NeverReached
from ledger.events.entry import Entry
from ledger.events.facts import Source
from ledger.events.rows import MarkRow
from ledger.events.subjects import CAMPAIGN, LENT, PLAYER, PLAYERS, STRUCK
from ledger.events.types import ActionAmended, DiceThrown, RollSealed, SecretRevealed
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book
from ledger.rules.dice import LEAST_SIDES
from ledger.values import Struct

FALSE_ALARM_RATE = 0.01
"""The maximum probability that any fair die of a campaign is ever called unfair."""

LEAST_ROLLS = 5
"""The number of rolls that a verdict needs for each side of the die: 30 rolls for a d6."""

LOADED_DICE_SHARES = ((2.0, 0.6), (1.4, 0.15), (4.0, 0.1), (0.5, 0.15))
"""The loaded dice of the test's mixture, as pairs: how many times as likely one face is as any other face, and the
share of this loaded die in the mixture.
"""

Verdict = Literal["consistent with fair dice", "not consistent with fair dice"]

Die = tuple[str, int, Source]
"""A player's handle, a number of sides, and the source of the rolls. Dice with the same three are tested together."""


class NaturalDice(Struct):
    """The natural dice of one entry. `dice` has a pair for each die: the number of sides, and the face.

    A d1 is left out, because it always shows 1.

    - `entry`: the entry of the roll.
    - `player`: the player of the character at the time of the roll, or else the player who entered the roll.
    - `session`: the session of the roll, or None between sessions.
    - `sealed`: True for a sealed roll that was revealed.
    - `replaced`: True for typed dice that do not count because of an amendment.
    """

    entry: int
    player: str
    who: str
    source: Source
    session: int | None
    sealed: bool
    replaced: bool
    dice: tuple[tuple[int, int], ...]


class DieRolls(Struct):
    """Dice with the same number of sides. `faces` has the number of dice that showed each face, from 1 up."""

    faces: tuple[int, ...]

    @property
    def sides(self) -> int:
        """The number of sides of the die."""
        return len(self.faces)

    @property
    def rolls(self) -> int:
        """The number of dice."""
        return sum(self.faces)

    @property
    def mean(self) -> float:
        """The mean of the dice, rounded to two decimal places."""
        return round(sum(face * count for face, count in enumerate(self.faces, 1)) / self.rolls, 2)

    @property
    def expected_mean(self) -> float:
        """The mean that fair dice of this kind have on average: 3.5 for a d6."""
        return (len(self.faces) + 1) / 2


class PartRolls(DieRolls):
    """The dice of one character in one session. `session` is None for dice that were rolled between sessions.

    `who` is a handle, and `name` is the name to show.
    """

    who: str
    name: str
    session: int | None

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "rolls": self.rolls, "mean": self.mean}


class DieTest(Struct):
    """The test of all rolls of one kind of die by one player, in the whole campaign.

    There is no verdict with fewer than `least` rolls. The dice are not consistent with fair dice if `evidence` is more
    than `limit`. Both are logarithms to the base 10.
    """

    rolls: int
    least: int
    verdict: Verdict | None
    evidence: float
    limit: float

    @property
    def missing(self) -> int:
        """The number of rolls that are still needed for a verdict."""
        return max(self.least - self.rolls, 0)

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "missing": self.missing}


class DieLuck(DieRolls):
    """The rolls of one kind of die by one player, and their test. `sealed` is the number of dice in sealed rolls.

    `player` is a handle, and `name` is the player's name. The test is about all rolls, even if only some
    characters or sessions are shown.
    """

    player: str
    name: str
    source: Source
    sealed: int
    parts: tuple[PartRolls, ...]
    test: DieTest

    def as_json(self) -> dict[str, Any]:
        facts = {"sides": self.sides, "rolls": self.rolls, "mean": self.mean, "expected_mean": self.expected_mean}
        return {**self.__dict__, **facts, "expected": round(self.rolls / self.sides, 4)}


def luck(
    book: Book,
    who: str | None = None,
    sides: int | None = None,
    session: int | None = None,
    when: AsOf = NOW,
    progress: Callable[[int], object] = abs,
) -> list[DieLuck]:
    """Return everybody's rolls by player, die and source.

    All natural dice are included, even dropped, rerolled and canceled ones. `who` (a character or a player's handle),
    `sides` and `session` limit the dice that are shown. `progress` is called with the number of entries that were read
    since its last call. Raise `NeverReached` for a session that was never opened.
    """
    sessions = session_ranges(book, when)
    if session is not None and session not in (number for number, _, _ in sessions):
        raise NeverReached(f"session {session}")
    counted: dict[Die, dict[tuple[str, int | None], Counter[int]]] = {}
    sealed, tested = Counter[Die](), dict[Die, Counter[int]]()
    for throw in natural_dice(book, sessions, when, progress):
        shown = who in {None, throw.player, throw.who} and session in {None, throw.session}
        for die_sides, face in throw.dice:
            die = (throw.player, die_sides, throw.source)
            tested.setdefault(die, Counter())[face] += not (throw.sealed or throw.replaced)
            if shown and not throw.replaced and sides in {None, die_sides}:
                parts = counted.setdefault(die, {})
                parts.setdefault((throw.who, throw.session), Counter())[face] += 1
                sealed[die] += throw.sealed
    tests = die_tests({die: counts_by_face(die[1], faces) for die, faces in tested.items()})
    names = {**book.players(when), **book.former_players(when)}
    order = {handle: place for place, handle in enumerate(names)}
    return [
        _die_luck(book, die, counted[die], names.get(die[0], die[0]), sealed[die], tests[die])
        for die in sorted(counted, key=lambda die: (order.get(die[0], len(order)), *die))
    ]


def _die_luck(
    book: Book, die: Die, counted: Mapping[tuple[str, int | None], Counter[int]], name: str, sealed: int, test: DieTest
) -> DieLuck:
    player, sides, source = die
    keys = sorted(counted, key=lambda key: (key[0], key[1] or 0))
    parts = (
        PartRolls(
            who=who,
            name=name if who == player else book.name_of(who),
            session=number,
            faces=counts_by_face(sides, counted[who, number]),
        )
        for who, number in keys
    )
    faces = counts_by_face(sides, sum(counted.values(), Counter[int]()))
    return DieLuck(player=player, name=name, source=source, sealed=sealed, faces=faces, parts=tuple(parts), test=test)


# Reading the dice


def session_ranges(book: Book, when: AsOf) -> list[tuple[int, int, int]]:
    """Return the sessions in order, each with its number, its first entry and its last entry."""
    rows = [*book.accounts.rows.mark_rows(CAMPAIGN, "session", when.seq, when.last)]
    values = {row.since: row.value for row in reversed(rows)}  # the last row of each entry counts
    changes = [(since, loads(value)) for since, value in values.items() if value is not None]
    ends = [since - 1 for since, _ in changes[1:]]
    spans = zip(changes, [*ends, book.head()], strict=True) if changes else ()
    return [(number, first, last) for (first, number), last in spans if number is not None]


def natural_dice(
    book: Book, sessions: Sequence[tuple[int, int, int]], when: AsOf, progress: Callable[[int], object]
) -> Iterator[NaturalDice]:
    """Yield the natural dice of all rolls, in the order of their entries.

    `sessions` is the result of `session_ranges`.
    """
    entries = _dice_entries(book, when, progress)
    late = [entry for entry in entries if entry.since < entry.seq]
    actions = {act: book.journal.action(act) for act in dict.fromkeys(entry.act for entry in late)}
    sealed = {entry.seq for entry in late if book.journal.entry(entry.since).type == RollSealed.type}
    again = _revealed_before(entry for entry in late if _is_reveal(actions[entry.act]))
    replaced = _uncounted_typed_dice(book, late, actions, AsOf(seq=when.last))
    firsts = [first for _, first, _ in sessions]
    player_of = _Players(book)
    for entry in entries:
        thrown = entry.event
        assert isinstance(thrown, DiceThrown)  # noqa: S101  only these were asked for
        if entry.seq not in again and entry.since <= when.seq:
            number, _, last = ((None, 0, 0), *sessions)[bisect_right(firsts, entry.since)]
            yield NaturalDice(
                entry=entry.seq,
                player=player_of(thrown.who, entry),
                who=thrown.who,
                source=thrown.source,
                session=number if entry.since <= last else None,
                sealed=entry.seq in sealed,
                replaced=entry.seq in replaced,
                dice=tuple((die.sides, die.face) for die in thrown.dice if die.sides >= LEAST_SIDES),
            )


def _dice_entries(book: Book, when: AsOf, progress: Callable[[int], object]) -> list[Entry]:
    entries, read = list[Entry](), 0
    for entry in book.journal.search((DiceThrown.type,), 1, ("dice",)):
        if entry.seq > when.last:
            break
        entries.append(entry)
        progress(entry.seq - read)
        read = entry.seq
    return entries


def _is_reveal(action: Iterable[Entry]) -> bool:
    return any(entry.type == SecretRevealed.type for entry in action)


def _revealed_before(revealed: Iterable[Entry]) -> set[int]:
    """Return the dice entries that repeat dice from an earlier reveal of the same sealed roll.

    Such entries exist if a reveal was undone and repeated.
    """
    first = dict[int, int]()
    return {entry.seq for entry in revealed if first.setdefault(entry.since, entry.act) != entry.act}


def _uncounted_typed_dice(
    book: Book, late: Iterable[Entry], actions: Mapping[int, Iterable[Entry]], when: AsOf
) -> set[int]:
    """Return the entries of typed dice that do not count because of an amendment.

    If the amendment still counts, these are the dice that it replaced. If it was undone, they are its own dice. An
    amendment replaces only typed dice, never rolled dice.

    `late` has the dice entries that take effect at an earlier entry. `actions` has all entries of their actions. Dice
    in `late` that do not belong to an amendment are ignored.
    """
    amending = {act for act, action in actions.items() if any(_has_faces(entry) for entry in action)}
    changed: dict[int, set[int]] = {}
    for entry in late:
        if entry.act in amending:
            changed.setdefault(entry.since, set()).add(entry.seq)
    left_out = set[int]()
    for place, new in changed.items():
        versions = _rulings(book, place, when)
        versions.sort(key=lambda ruling: (_canceled_at(book, ruling, when), ruling.seq))
        current = {seq for ruling in versions[-1:] for seq in ruling.throws}
        before = {seq for ruling in versions for seq in ruling.throws if _is_typed(book, seq)}
        left_out |= (before if current & new else new) - current
    return left_out


def _has_faces(entry: Entry) -> bool:
    return isinstance(entry.event, ActionAmended) and entry.event.faces is not None


def _rulings(book: Book, place: int, when: AsOf) -> list[Entry]:
    """Return the rulings on the dice in entry `place`: the original ruling, and its replacements."""
    first = book.journal.entry(place)
    in_action = [entry for entry in book.journal.action(first.act) if place in entry.throws]
    return in_action + [
        entry for entry in book.journal.entries_since(place, place) if entry.throws and entry.seq <= when.seq
    ]


def _canceled_at(book: Book, ruling: Entry, when: AsOf) -> float:
    """Return the number of the entry that canceled a ruling, or infinity if the ruling is not canceled.

    So the current version of a ruling has the highest number, or else the version that was canceled last.
    """
    by: int | None = book.accounts.mark(STRUCK, str(ruling.act), when)
    return by or inf


def _is_typed(book: Book, seq: int) -> bool:
    event = book.journal.entry(seq).event
    return isinstance(event, DiceThrown) and event.source == "typed"


class _Players:
    """A lookup of the player to whom dice belong: the character's player in the record at the time of the roll.

    Without a player, the dice belong to the person who entered the roll.
    """

    def __init__(self, book: Book) -> None:
        self._book, self._rows = book, book.accounts.rows
        self._seats = book.accounts.names_ever_set(PLAYERS)
        self._marks: dict[str, list[MarkRow]] = {}

    def __call__(self, who: str, entry: Entry) -> str:
        if who in self._seats:
            return who
        if next(iter(self._rows.mark_rows(who, LENT)), None) is not None:
            return self._book.player_of(who, AsOf(seq=entry.since)) or entry.by
        if who not in self._marks:
            self._marks[who] = sorted(self._rows.mark_rows(who, PLAYER), key=lambda row: row.seq)
        earlier = [row.value for row in self._marks[who] if row.seq <= entry.since]
        player: str | None = loads(earlier[-1] or "null") if earlier else None
        return player or entry.by


# The test


def die_tests(tested: Mapping[Die, Sequence[int]]) -> dict[Die, DieTest]:
    """Test whether each die is fair.

    `tested` maps each die to the number of rolls of each face. The dice are in the order in which they were first
    rolled.
    """
    return {die: _die_test(faces, place) for place, (die, faces) in enumerate(tested.items(), 1)}


def _die_test(faces: Sequence[int], place: int) -> DieTest:
    rolls, least, value, limit = sum(faces), LEAST_ROLLS * len(faces), evidence(faces), limit_of(place)
    fair: Verdict = "not consistent with fair dice" if value > limit else "consistent with fair dice"
    return DieTest(
        rolls=rolls,
        least=least,
        verdict=None if rolls < least else fair,
        evidence=round(value / log(10), 2),
        limit=round(limit / log(10), 2),
    )


def limit_of(place: int) -> float:
    """Return the natural logarithm of the limit above which the evidence says that a die is unfair.

    `place` is 1 for the player's first kind of die, then 2, 3 …
    """
    return log(place * (place + 1) / FALSE_ALARM_RATE)


def evidence(faces: Sequence[int]) -> float:
    """Return the natural logarithm of the e-value of rolls. `faces` has the number of rolls of each face."""
    sides, rolls = len(faces), sum(faces)
    weighted = [*zip(faces, _weights(sides), strict=True)]
    parts = []
    for load, share in LOADED_DICE_SHARES:
        others, one = log(share) + rolls * log(sides / (sides - 1 + load)), log(load)
        parts += [others + weight + hits * one for hits, weight in weighted]
    most = max(parts)
    return most + log(sum(exp(part - most) for part in parts))


@cache
def _weights(sides: int) -> tuple[float, ...]:
    """Return the logarithms of the weights of the faces, from 1 to the highest.

    The highest face has half of the weight and the lowest has a quarter, because these two matter most in games.
    """
    if sides == LEAST_SIDES:
        return (log(0.5),) * LEAST_SIDES
    return (log(0.25), *(log(0.25 / (sides - 2)) for _ in range(sides - 2)), log(0.5))


def counts_by_face(sides: int, counts: Mapping[int, int]) -> tuple[int, ...]:
    """Return the number of rolls of each face, from 1 to the number of sides."""
    return tuple(counts.get(face, 0) for face in range(1, sides + 1))
