"""The building blocks of games. A game, whether built-in or installed, imports nothing else from the ledger.

A game is one value (`System`): the names on a sheet, and how to play. A move (`Move`) takes inputs, asks for dice
(`Pool`), and makes a ruling (`Ruling`) with its consequences. A rule (`Rule`) is a named pure function of numbers. It
is called by moves, by the command `try` and by the audit. Start with `system`, then `move` and `rulings`. `inputs` has
the types of inputs, `dice` rolls dice, and `notation` reads texts like `3d6+2`. Nothing here imports storage or a game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.errors import (
    TYPE_OR_USE,
    BadInput,
    Either,
    Flag,
    IncompletePair,
    LacksNeededOption,
    NotEnough,
    NotOneself,
    NotOnSheet,
    NotWithin,
    OutOfRange,
    Refused,
    Run,
    Unfinished,
    count_of,
    quoted,
    with_minus_sign,
)
from ledger.events.commitments import CommittedText, Secret, secret, with_texts
from ledger.events.entry import Entry
from ledger.events.facts import Step, Verdict
from ledger.events.subjects import CAMPAIGN
from ledger.rules.dice import MOST_DICE, Pool, pool
from ledger.rules.inputs import (
    ANY_SCORE,
    BARE,
    BONUS,
    CAST,
    FOR_GM,
    HANDLE_PATTERN,
    HIDDEN,
    LONGEST_NAME,
    NO_NUMBERS,
    NOT_AMENDABLE,
    NOT_PAYING,
    NOTATION,
    OPTIONAL_POSITIONAL,
    POSITIONAL,
    WITHOUT_OTHERS,
    Count,
    Handle,
    Hidden,
    Label,
    NumberNames,
    Signed,
    SignedNumber,
    Tag,
    Who,
    Whole,
    Words,
    checked_text,
    is_number_name,
    number,
    one_of,
    read_handle,
    read_handles,
    read_yes_no,
    set_by_moves,
)
from ledger.rules.move import Chances, Move, Proposal, Rule, Table, TableMove, chances, check_dice, rule
from ledger.rules.rulings import Effect, Kind, Ruling, ruling, total
from ledger.rules.system import (
    GameCheck,
    MarkSpec,
    Remark,
    Row,
    Rulebook,
    Score,
    Setting,
    SheetView,
    System,
    Wording,
    read_as,
    rulebook_of,
)
from ledger.values import MAX_SHEET_NUMBER, MAX_STORED_NUMBER, Struct, Within

if TYPE_CHECKING:
    from ledger.events import types as events
    from ledger.rules.cursor import NotRead
    from ledger.rules.sheet_roll import SheetRoll, read_roll, with_number_names, with_stored
    from ledger.rules.spelling import folded, number_name
else:

    def __getattr__(name: str) -> object:
        """Import a name when a game first uses it: showing a sheet needs neither event classes nor dice notation."""
        from importlib import import_module

        module = LAZY_MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        imported = import_module(module)
        return imported if name == "events" else getattr(imported, name)


LAZY_MODULES = {
    "events": "ledger.events.types",
    "NotRead": "ledger.rules.cursor",
    "SheetRoll": "ledger.rules.sheet_roll",
    "folded": "ledger.rules.spelling",
    "number_name": "ledger.rules.spelling",
    "read_roll": "ledger.rules.sheet_roll",
    "with_number_names": "ledger.rules.sheet_roll",
    "with_stored": "ledger.rules.sheet_roll",
}
"""The names that this package imports only when they are used, each with its module."""
