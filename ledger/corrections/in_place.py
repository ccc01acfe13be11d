"""In place: decide a part again where it counts, with the corrected sheets of that place and the part's own dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.commands.decider import Record, SeenThrough, Sketch, TableCommand, TableDraft
from ledger.commands.play import PlayMove, Rolled, record_dice
from ledger.corrections.parts import ActionPart
from ledger.errors import Away, OtherDice, Refused
from ledger.events.commitments import is_away
from ledger.events.entry import plain
from ledger.events.types import Event
from ledger.rules.dice import Pool, ThrownDice, thrown_by_hand
from ledger.rules.rulings import Effect


class InPlace(SeenThrough):
    """A draft in the place of a part: it reads the state before the part, and passes events on to another draft.

    The events count from that place, and follow from `cause` unless they name a cause. The dice are the part's own, or
    the next of the typed `faces` in their stead, which are used up by that and are for the entries from `first` on;
    with `more`, missing dice are rolled.
    """

    by_hand = True
    has_faces = False

    def __init__(
        self,
        record: Record,
        part: ActionPart,
        to: TableDraft,
        *,
        cause: int | None = None,
        faces: list[int] | None = None,
        first: int | None = None,
        more: bool = False,
    ) -> None:
        super().__init__(record.as_of(part.place))
        self._part = part
        self._to = to
        self._cause = cause
        self._faces = faces
        self._first = first
        self._more = more
        self.costs: tuple[Effect, ...] = ()

    @property
    def began(self) -> int:
        """Number of the last entry before the command."""
        return self._to.began

    @property
    def next(self) -> int:
        """Number of the next event."""
        return self._to.next

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> ThrownDice | None:
        """The part's dice, or the next typed faces; refuses (`OtherDice`) if other dice are needed."""
        part, old = self._part, self._part.thrown
        self.costs = cost
        if self._more:
            return self._with_more(pool, cost)
        if not self._faces or old is None or pool is None:
            _check_dice(part, pool, self._first)
            return old
        if old.source == "machine":
            raise Refused(
                f"The computer rolled the dice of #{part.root}. Such dice cannot be amended.",
                f"Void it with 'campaign void {part.root} --why TEXT', then roll again.",
            )
        faces = self._faces[: len(pool.sides)]
        del self._faces[: len(pool.sides)]
        return thrown_by_hand(pool, faces)

    def _with_more(self, pool: Pool | None, cost: tuple[Effect, ...]) -> ThrownDice | None:
        old = self._part.thrown
        have = len(old.dice) if old else 0
        missing = Pool(sides=pool.sides[have:], of=pool.of[have:]) if pool else None
        new = self._to.roll(missing, cost) if missing and missing.sides else None
        if new is None or old is None:
            return new or old
        written = (*old.written, *record_dice(self, self._part.who, new))
        return ThrownDice(dice=(*old.dice, *new.dice), source=old.source, written=written)

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event that counts from the part's place, whatever `since` says."""
        return self._to.add(event, cause or self._cause, self._part.place)

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        """Declare that the added events reveal a secret."""
        self._to.conceal(cost if self._more else ())


def _check_dice(part: ActionPart, pool: Pool | None, first: int | None) -> None:
    """Refuse (`OtherDice`) if a part needs other dice than it threw."""
    thrown, asked = part.thrown, pool or Pool(sides=())
    old = Pool(sides=tuple(die.sides for die in thrown.dice), of=thrown.of) if thrown else Pool(sides=())
    together = len(old.sides) > 1 and thrown is not None and len(thrown.written) == 1  # as old editions wrote several
    if asked.sides != old.sides or (asked.of and not together and asked.of != old.of):
        typed_by_hand = thrown is not None and thrown.source == "typed"
        lie = old.in_words() if asked.of else str(old)
        faces = "--faces" if first in {None, part.root} else f"--faces, from #{first} on"
        raise OtherDice(part.root, asked.in_words(), lie, typed=typed_by_hand, faces=faces)


def with_changes(said: TableCommand, changes: Mapping[str, Any]) -> TableCommand:
    """The command with changed inputs; a mapping keeps the values of names that `changes` leaves out."""
    if isinstance(said, PlayMove):
        return said.replace(move=said.move.replace(**changes))
    return said.changed(changes)


def decide_again(record: Record, part: ActionPart, said: TableCommand, faces: Sequence[int] = ()) -> Sketch:
    """The events of a part decided again in its place; nothing is written.

    Refuses what the rules refuse there, (`OtherDice`) if other dice are needed, and (`Away`) if this file lacks a
    secret input.
    """
    sketch = Sketch(record, record.head())
    play_again(InPlace(record, part, sketch, faces=[*faces]), part, said)
    return sketch


def play_again(place: InPlace, part: ActionPart, said: TableCommand) -> None:
    """Decide a part again in its place, as `said`; refuses (`Away`) if this file lacks a secret input."""
    if isinstance(said, PlayMove) and is_away(plain(said.move)):
        raise Away(part.root)
    if not isinstance(said, Rolled):
        place.roll(None)
    said.replay(place)
