"""Redecide: a part is decided again in its place, with the dice that lie there."""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.commands.decider import Command, Plan, Standing
from ledger.commands.play import Play
from ledger.corrections.parts import Part
from ledger.errors import Away, OtherDice, Refused, WrongFaces
from ledger.events.commitments import is_away
from ledger.events.entry import plain
from ledger.rules.dice import Pool, Throw, typed


def otherwise(said: Command, changes: Mapping[str, Any]) -> Command:
    """Return what was said with other inputs; of names with values, those that are not named stay."""
    if isinstance(said, Play):
        return said.but(move=said.move.but(**changes))
    own = said.__dict__
    merged = {n: {**own[n], **held} if isinstance(held, Mapping) else held for n, held in changes.items()}
    return said.but(**merged)


def play_again(stands: Standing, part: Part, head: int, said: Command, faces: Sequence[int] | None = None) -> Plan:
    """Return the events of a part that is played again in its place, numbered from a head on.

    Refuses what the rules refuse there, (`OtherDice`) where other dice would be needed than lie, and (`Away`) what was
    said with something that is not in this file.
    """
    check_here(part, said)
    then = stands.at(part.place)
    pool = said.pool(then, by_hand=True)
    plan = Plan(head)
    said.decide(then, plan, _lying(part, pool, faces))
    return plan


def check_here(part: Part, said: Command) -> None:
    """Refuse (`Away`) a part that was said with something that the GM keeps, and that is not in this file."""
    if isinstance(said, Play) and is_away(plain(said.move)):
        raise Away(part.root)


def _lying(part: Part, pool: Pool | None, faces: Sequence[int] | None) -> Throw | None:
    if faces is not None:
        if part.thrown is None or pool is None:
            raise WrongFaces(f"#{part.root} threw no dice, so there are no faces to type.")
        if part.thrown.source == "machine":
            raise Refused(
                f"The machine threw the dice of #{part.root}; they are kept, and never amended.",
                f"Void it with 'campaign void {part.root} --why TEXT', and play it now.",
            )
        return typed(pool, faces)
    lie = Pool(sides=tuple(die.sides for die in part.thrown.dice) if part.thrown else ())
    if (pool or Pool(sides=())) != lie:
        typed_by_hand = part.thrown is not None and part.thrown.source == "typed"
        raise OtherDice(part.root, str(pool or "no dice"), str(lie), typed=typed_by_hand)
    return part.thrown
