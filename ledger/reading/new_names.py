"""New names: the names that people type for a new character or player."""

from __future__ import annotations

import re
from shlex import quote

from ledger.commands.naming import PROMPT_WORD_PATTERN
from ledger.errors import BadInput, Refused, quoted
from ledger.events.subjects import CAST
from ledger.hints import Run
from ledger.reading.names import Names
from ledger.rules.inputs import HANDLE_PATTERN, check_handle
from ledger.rules.spelling import folded, normalized, skeleton


def short_name(names: Names, typed: str, *, joins: bool = False) -> str:
    """Return the short name of an existing or a new character.

    Ignore capitals and accents. People may also type an existing character's full name. Raise `BadInput` for a text
    that cannot be a new short name. The error's hint is a command that sets the full name: `join` if `joins` is True,
    else `rename`.
    """
    name = folded(typed)
    if name in names.book.accounts.mark_names(CAST) or names.plays(name):
        return name
    players = names.book.players(names.point)
    existing = {who: text for who, text in names.book.full_names(names.point).items() if who not in players}
    for read in (normalized, folded):
        matches = sorted(who for who, text in existing.items() if read(text) == read(typed))
        if matches:
            return matches[0] if len(matches) == 1 else names.decide_meaning(typed, matches)
    short = new_short_name(typed, joins=joins)
    return names.book.short_names().get(short, short)


def new_short_name(typed: str, *, joins: bool = False) -> str:
    """Return a short name without capitals and accents. Raise `BadInput` for a text that cannot be a short name.

    For `joins`, see `short_name`.
    """
    if "=" in (score := typed):
        says = f"{quoted(score)} is a score, not the name of a character."
        raise BadInput(says, f"To give characters scores: {Run('join', 'WHO', 'GAME', score)}")

    def hint(near: str) -> str:
        shown, short = quote(typed), near or "SHORT"
        command = Run("join", short, "GAME", name=shown) if joins else Run("rename", short, shown)
        return f"{f'Type {near}' if near else 'Choose a short name'}. To set the full name: {command}"

    name = folded(typed)
    check_handle(name if HANDLE_PATTERN.fullmatch(name) else typed, hint)
    if re.fullmatch(PROMPT_WORD_PATTERN, name):
        raise BadInput(f"{name!r} cannot be the name of a character: that word has another meaning at the prompt.")
    return name


def player_name(names: Names, typed: str) -> str:
    """Return the name of an existing or a new player.

    Ignore capitals, and the way in which an accent is typed. Raise `Refused` for a new name that looks like another
    player's name.
    """
    players = names.book.players(names.point).values()
    same = next((name for name in players if normalized(name) == normalized(typed)), None)
    if same is not None:
        return same
    alike = next((name for name in players if skeleton(name) == skeleton(typed)), None)
    if alike is not None:
        raise Refused(f"{quoted(typed)} looks like {alike}, who is already at the table.", "Type another name.")
    return typed
