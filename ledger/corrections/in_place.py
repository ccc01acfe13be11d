"""In place: a part is decided again where it counts, with the sheets as now known of there and the dice that lie."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.commands.decider import Record, SeenThrough, Sketch, TableCommand, TableDraft
from ledger.commands.play import PlayMove, Rolled, lay
from ledger.corrections.parts import Part
from ledger.errors import Away, OtherDice, Refused, WrongFaces
from ledger.events.commitments import is_away
from ledger.events.entry import plain
from ledger.events.types import Event
from ledger.rules.dice import Pool, Throw, typed
from ledger.rules.rulings import Effect


class InPlace(SeenThrough):
    """A draft in the place of a part: it reads as of there, and passes what is added on to another draft.

    What is added counts from the place, and follows from `cause` if it follows from nothing else. The dice are those
    that lie there, or `faces` that are typed in their stead; with `more`, those that are needed besides are rolled.
    """

    by_hand = True

    def __init__(
        self,
        record: Record,
        part: Part,
        to: TableDraft,
        *,
        cause: int | None = None,
        faces: Sequence[int] | None = None,
        more: bool = False,
    ) -> None:
        super().__init__(record.as_of(part.place))
        self._part = part
        self._to = to
        self._cause = cause
        self._faces = faces
        self._more = more
        self.costs: tuple[Effect, ...] = ()

    @property
    def began(self) -> int:
        """Number of the last entry before the command."""
        return self._to.began

    @property
    def next(self) -> int:
        """Number of the event that is added next."""
        return self._to.next

    def roll(self, pool: Pool | None, cost: tuple[Effect, ...] = ()) -> Throw | None:
        """The dice that lie; refuses (`OtherDice`) where other dice are needed."""
        part, lie = self._part, self._part.thrown
        self.costs = cost
        if self._more:
            return self._with_more(pool, cost)
        if self._faces is None:
            _check_dice(part, pool)
            return lie
        if lie is None or pool is None:
            raise WrongFaces(f"#{part.root} threw no dice, so there are no faces to type.")
        if lie.source == "machine":
            raise Refused(
                f"The machine threw the dice of #{part.root}; they are kept, and never amended.",
                f"Void it with 'campaign void {part.root} --why TEXT', and play it now.",
            )
        return typed(pool, self._faces)

    def _with_more(self, pool: Pool | None, cost: tuple[Effect, ...]) -> Throw | None:
        lie = self._part.thrown
        new = pool.sides[len(lie.dice) if lie else 0 :] if pool else ()
        thrown = self._to.roll(Pool(sides=new), cost) if new else None
        if thrown is None or lie is None:
            return thrown or lie
        written = (*lie.written, *lay(self, self._part.who, thrown))
        return Throw(dice=(*lie.dice, *thrown.dice), source=lie.source, written=written)

    def add(self, event: Event, cause: int | None = None, since: int | None = None) -> int:
        """Add an event that counts since the place."""
        return self._to.add(event, cause or self._cause, self._part.place)

    def conceal(self, cost: tuple[Effect, ...] = ()) -> None:
        """Say that what was added tells what the GM keeps."""
        self._to.conceal(cost if self._more else ())


def _check_dice(part: Part, pool: Pool | None) -> None:
    """Refuse (`OtherDice`) where a part needs other dice than lie there."""
    lie = Pool(sides=tuple(die.sides for die in part.thrown.dice) if part.thrown else ())
    if (pool or Pool(sides=())) != lie:
        typed_by_hand = part.thrown is not None and part.thrown.source == "typed"
        raise OtherDice(part.root, str(pool or "no dice"), str(lie), typed=typed_by_hand)


def otherwise(said: TableCommand, changes: Mapping[str, Any]) -> TableCommand:
    """The command with other inputs; in a mapping, names that are not given keep their values."""
    if isinstance(said, PlayMove):
        return said.replace(move=said.move.replace(**changes))
    own = said.__dict__
    merged = {n: {**own[n], **held} if isinstance(held, Mapping) else held for n, held in changes.items()}
    return said.replace(**merged)


def sketched(record: Record, part: Part, said: TableCommand, faces: Sequence[int] | None = None) -> Sketch:
    """The events of a part decided again in its place; nothing is written.

    Refuses what the rules refuse there, (`OtherDice`) where other dice would be needed than lie, and (`Away`) what was
    said with something that is not in this file.
    """
    sketch = Sketch(record, record.head())
    replay(InPlace(record, part, sketch, faces=faces), part, said)
    return sketch


def replay(place: InPlace, part: Part, said: TableCommand) -> None:
    """Decide a part again, as it is said now, in its place; refuses (`Away`) what was said with a secret not here."""
    if isinstance(said, PlayMove) and is_away(plain(said.move)):
        raise Away(part.root)
    if not isinstance(said, Rolled):
        place.roll(None)
    said.replay(place)
