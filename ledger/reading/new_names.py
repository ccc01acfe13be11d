"""New names: the names that people type for a new character or player."""

from __future__ import annotations

import re
from shlex import quote

from ledger.errors import BadInput, Refused, quoted
from ledger.events.subjects import CAST
from ledger.hints import Run
from ledger.reading.names import Names
from ledger.rules.inputs import check_handle
from ledger.rules.spelling import as_read, folded, skeleton

NO_NEW_NAME = r"all|again|with|npc|d[0-9]+([kd][hl][0-9]+)?"
"""The pattern of words that no new character can be called: they have another meaning at the prompt."""


def short_name(names: Names, typed: str, full: str = "rename") -> str:
    """Return a character's short name, existing or new. Capitals and accents do not count.

    Raise `BadInput` for a text that cannot be a new short name. `full` is the command that the hint names.
    """
    typed_name = new_short_name(typed, full)
    name = names.book.short_names().get(typed_name, typed_name)
    if re.fullmatch(NO_NEW_NAME, name) and name not in names.book.accounts.mark_names(CAST):
        raise BadInput(f"You cannot call a new character {name!r}: that word has another meaning at the prompt.")
    return name


def new_short_name(typed: str, full: str = "rename") -> str:
    """Return a short name without capitals and accents. Raise `BadInput` for any other text."""

    def hint(near: str) -> str:
        shown, short = quote(typed), near or "SHORT"
        whole = Run("join", short, "GAME", name=shown) if full == "join" else Run("rename", short, shown)
        return f"{f'Type {near}' if near else 'Choose a short name'}. To set the full name: {whole}"

    name = folded(typed)
    check_handle(name if name.isascii() and "'" not in name else typed, hint)
    return name


def player_name(names: Names, typed: str) -> str:
    """Return the name of a player, existing or new. Capitals, and the way to type an accent, do not count.

    Raise `Refused` if the text looks like the name of a player without being it.
    """
    players = names.book.players(names.point).values()
    same = next((name for name in players if as_read(name) == as_read(typed)), None)
    if same is not None:
        return same
    alike = next((name for name in players if skeleton(name) == skeleton(typed)), None)
    if alike is not None:
        raise Refused(f"{quoted(typed)} looks like {alike}, who is already at the table.", "Type another name.")
    return typed
