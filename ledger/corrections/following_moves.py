"""Followers: the parts of an action that followed at once from another part, as damage follows from a hit.

Where a part is played again, they are too: with the inputs that its new ruling gives them, or not at all if nothing
follows any more. What the GM changed in them before stays changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ledger.commands.decider import State, TableCommand
from ledger.commands.play import PlayMove, following_moves
from ledger.corrections.parts import ActionPart, parts
from ledger.errors import Away
from ledger.events.commitments import is_away
from ledger.events.entry import Entry, plain
from ledger.rules.move import Move
from ledger.values import Struct


class Follower(Struct):
    """A part that followed from the ruling of part `lead`: the move of this number (from 0), as it was then."""

    part: ActionPart
    lead: int
    number: int
    move: Move

    def said_now(self, moves: Mapping[int, Sequence[Move]]) -> TableCommand | None:
        """What it says now that these moves follow, by lead; `None` if it does not follow any more."""
        said, now = self.part.said, [*moves.get(self.lead, ())][self.number : self.number + 1]
        if not now or type(now[0]) is not type(self.move):
            return None
        assert isinstance(said, PlayMove)  # noqa: S101  only a move follows
        inputs = now[0].__dict__.items()
        return said.replace(
            move=said.move.replace(**{n: value for n, value in inputs if value != getattr(self.move, n)})
        )


def followers(state: State, act: int, lead: ActionPart) -> list[Follower]:
    """The parts of an action that followed from a part, and from these, in order; refuses (`Away`) as `moves_after`."""
    due, links = _due(state, lead), list[Follower]()
    for part in (part for part in parts(state, act) if part.place > lead.place):
        if not due or not isinstance(part.said, PlayMove) or type(part.said.move) is not type(due[0][2]):
            break
        root, number, move = due.pop(0)
        links.append(Follower(part=part, lead=root, number=number, move=move))
        due[:0] = _due(state, part)
    return links


def takes_faces(state: State, act: int, lead: ActionPart) -> bool:
    """Whether a part threw dice, or one that followed from it, as far as this file knows."""
    if lead.thrown:
        return True
    with suppress(Away):
        return any(link.part.thrown for link in followers(state, act, lead))
    return False


def moves_after(state: State, said: TableCommand, ruling: Entry) -> tuple[Move, ...]:
    """The moves that follow at once from a ruling on what was said; refuses (`Away`) if this file lacks its secret."""
    if not (isinstance(said, PlayMove) and said.move.goes_on):
        return ()
    if is_away(plain(ruling.event)):
        raise Away(ruling.seq)
    return following_moves(state, said.move, ruling)


def _due(state: State, lead: ActionPart) -> list[tuple[int, int, Move]]:
    moves = moves_after(state, lead.said, lead.rulings[-1])
    return [(lead.root, number, move) for number, move in enumerate(moves)]
