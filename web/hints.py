"""Hints for people at the page, and for programs at the interface: both lack the terminal's commands and flags."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ledger import systems
from ledger.hints import Either, EmbeddedWords, Flag, InputName, hint_text, parts_of
from ledger.rules.inputs import OPTIONAL_POSITIONAL
from web.requests import inputs_of, label_of

PLACES_BY_COMMAND = {
    "questions": "“Open questions”",
    "choose": "{where} under “Open questions”",
    "decide": "{where} under “Open questions”",
    "checkpoint": "“Sign all entries” on the Trust page (only the GM)",
    "reveal": "{where} under “Open questions”",
    "log": "the feed",
    "show": "{where} in the feed",
    "sheets": "the sheet of {who}",
    "undo": "“Undo”",
    "void": "“Void” on {where} (only the GM)",
    "amend": "“Amend” on {where} (only the GM)",
    "set": "{value} for {who} under “Change values” on the GM page",
    "adjust": "{value} for {who} under “Change scores” on the GM page",
    "join": "“New character” on the GM page",
    "player": "“New player” on the GM page",
    "session open": "“Session” on the GM page",
    "session close": "“Session” on the GM page",
    "day next": "“Day” on the GM page",
    "turns": "the turn order at the top of the page",
    "turns add": "“Turns” on the GM page",
    "turns next": "“Turns” on the GM page",
    "turns delay": "“Delay a turn” on the GM page",
}
"""The place on the page that replaces each terminal command. `{who}` and `{value}` are the command's arguments."""

ALL_MOVES = "All moves, gifts and notes"
"""The title of the part of the page that lists all moves of a person's characters."""

FLAGS_ONLY_TYPED = {"fork", "tls", "tls-cert"}
"""Flags that exist only at the terminal."""

ADDRESSES_BY_COMMAND = {
    "questions": "questions",
    "log": "entries",
    "show": "entries",
    "sheets": "sheets who",
    "turns": "status",
    "choose": "say/choose entry",
    "decide": "say/decide entry choice",
    "reveal": "say/reveal entry",
    "undo": "say/undo",
    "void": "say/void entry",
    "amend": "say/amend entry",
    "set": "say/set who values",
    "adjust": "say/adjust who scores",
    "settings": "say/settings",
    "rename": "say/rename who name",
    "join": "say/join who system scores",
    "player": "say/player name",
    "session open": "say/open-session title",
    "session close": "say/close-session",
    "day next": "say/day",
    "turns add": "say/turn who number",
    "turns next": "say/next-turn",
    "turns delay": "say/delay-turn who",
}
"""The address under /api/v1 that replaces each terminal command, and the fields for the command's arguments."""


def on_the_page(text: str) -> str:
    """Replace the terminal commands and flags in a sentence or hint with the matching places on the page."""
    sentence = hint_text(text, field_words)
    stop = "" if not sentence or sentence[-1] in ".…!?" else "."
    return f"{sentence}{stop}{_where_to_type(text, field_words)}"


def _where_to_type(text: str, wording: Callable[[EmbeddedWords], str]) -> str:
    needs_terminal = any(isinstance(part, EmbeddedWords) and not wording(part) for part in parts_of(text))
    return " The GM can type this command in a terminal." if needs_terminal else ""


def field_words(part: EmbeddedWords) -> str:
    """Return the words that replace a terminal command or flag in a text on the page; "" if the page has neither."""
    name, *words = part.words
    if isinstance(part, Either):
        return words[-1]
    if isinstance(part, Flag):
        return (
            ""
            if name in FLAGS_ONLY_TYPED
            else " ".join([_quoted_label(name), *(word for word in words if not word.isupper())])
        )
    if name in PLACES_BY_COMMAND:
        where = f"#{words[0]}" if words and words[0].isdecimal() else "the line"
        return PLACES_BY_COMMAND[name].format(where=where, **dict(zip(("who", "value"), words, strict=False)))
    game, _, move = name.partition(" ")
    labels = " and ".join(_quoted_label(word[2:]) for word in words if word.startswith("--"))
    if not systems.is_installed(game):
        return ""
    return f"“{move}” ({game}) under “{ALL_MOVES}”{labels and f', with {labels}'}"


def _quoted_label(flag: str) -> str:
    return f"“{label_of(flag)}”"


def in_the_interface(text: str) -> str:
    """Replace the terminal commands and flags in a sentence or hint with addresses and fields of the interface."""
    return f"{hint_text(text, request_words)}{_where_to_type(text, request_words)}"


def request_words(part: EmbeddedWords) -> str:
    """Return the words that replace a command or flag of the terminal in a text for programs.

    The words name a request instead of a command, and a field instead of a flag. Return "" for a command without a
    request, or a flag without a field.
    """
    name, *words = part.words
    if isinstance(part, InputName):
        return f"“{name}”"
    if isinstance(part, Either):
        return words[-1]
    if isinstance(part, Flag):
        values = (word for word in words if not word.isupper())
        return "" if name in FLAGS_ONLY_TYPED else " ".join([f"“{_field_name(name)}”", *values])
    arguments, flags = _split(words)
    if name in ADDRESSES_BY_COMMAND:
        address, *fields = ADDRESSES_BY_COMMAND[name].split()
        return _request(address, dict(zip(fields, arguments, strict=False)) | flags)
    game, _, move = name.partition(" ")
    if not systems.is_installed(game) or move not in systems.find(game).playable():
        return ""
    asked = inputs_of(systems.find(game).playable()[move])
    typed = (field.name for field in asked if field.required or OPTIONAL_POSITIONAL in field.tags)
    inputs = dict(zip(typed, arguments, strict=False)) | flags
    return _request("say/play", {"game": game, "move": move, "inputs": inputs})


def _field_name(flag: str) -> str:
    return flag.replace("-", "_")


def _split(words: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments and the flags of a terminal command. A flag without a value is true."""
    arguments, flags, flag = list[Any](), dict[str, Any](), ""
    for word in words:
        if word.startswith("--"):
            flag = _field_name(word[2:])
            flags[flag] = True
            continue
        value = int(word) if word.isdecimal() else word
        if flag:
            flags[flag], flag = value, ""
        else:
            arguments.append(value)
    return arguments, flags


def _request(address: str, fields: dict[str, Any]) -> str:
    if not address.startswith("say/"):
        query = "&".join(f"{name}={value}" for name, value in fields.items())
        return f"GET /api/v1/{address}{query and f'?{query}'}"
    return f"POST /api/v1/{address}" + (f" with {json.dumps(fields, ensure_ascii=False)}" if fields else "")
