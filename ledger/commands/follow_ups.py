"""Waiting: what a ruling leaves to be gone on with."""

from __future__ import annotations

from ledger.commands.decider import State
from ledger.commands.play import PlayMove, following_moves
from ledger.commands.sheet import table_of
from ledger.errors import LedgerError
from ledger.rules.dice import Pool
from ledger.values import Struct


class Waits(Struct):
    """What waits after a ruling: how to go on, as typed after `campaign`; its dice, if any; what refuses it now."""

    words: str
    pool: Pool | None
    refused: str | None


def resumed_move(state: State, seq: int) -> Waits | None:
    """What waits after a ruling, to be resumed; `None` if nothing does."""
    ruling = state.entry(seq, secrets=True)
    played = PlayMove.from_entry(ruling)
    following = following_moves(state, played.move, ruling) if played.move.resumed else ()
    if not following:
        return None
    words = f"{played.system} {played.move.resumed.format(who=played.move.who)}"
    try:
        return Waits(words=words, pool=following[0].dice(table_of(state, played.system)), refused=None)
    except LedgerError as refused:
        return Waits(words=words, pool=None, refused=refused.sentence)
