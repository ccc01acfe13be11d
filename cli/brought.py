"""Brought: what a person brings to be checked: a file, a paste or a pipe, and what it holds."""

import re
import sys
from typing import TYPE_CHECKING

from cli import render
from ledger.errors import BadInput, Malformed

if TYPE_CHECKING:
    from ledger.checkpoint import Checkpoint
    from ledger.note import Vkey

FOR_PLAYERS = "For the players to keep:"
AROUND = re.compile(rf"```|#\d+ |{FOR_PLAYERS}$")
MOST_BYTES = 2**20


def read(name: str | None) -> str:
    """Return what a file holds, or what is pasted or piped where none is named."""
    if name is None or name == "-":
        if sys.stdin is not None and sys.stdin.isatty():
            render.talk("Paste it, and end with Ctrl-D on a line of its own.")
        held = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        try:
            with open(name, "rb") as file:
                held = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise BadInput(f"{name} cannot be read: {error.strerror}.") from None
    if not held.strip():
        raise BadInput(f"{name} is empty." if name not in {None, "-"} else "Nothing was pasted.")
    if len(held) > MOST_BYTES:
        raise BadInput(f"{name or 'What was pasted'} is too big: at most {MOST_BYTES:,} bytes.")
    try:
        return held.decode().replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadInput(f"{name or 'What was pasted'} is no text.") from None


def note_in(text: str) -> str:
    """Return a note as it was sent, without what a chat, an editor or our own talk puts around it.

    What is left out is a byte order mark, a fence, marks of a quotation, blanks at the ends of lines, what we say of a
    session that is closed, and blank lines before and after. A note that was changed within its lines is refused where
    its signature is looked at.
    """
    lines = [re.sub(r"^(> ?)+", "", line).rstrip() for line in text.removeprefix("\ufeff").split("\n")]
    kept = [line for line in lines if not AROUND.match(line)]
    return "\n".join(kept).strip("\n") + "\n"


def head_in(text: str) -> "tuple[Checkpoint, str]":
    """Return a head and the note that signs it, alone or as a witness is asked; refuses (`Malformed`) what is none."""
    from ledger.checkpoint import parse_checkpoint
    from ledger.note import read_note
    from ledger.witness import OLD

    note = note_in(text)
    note = note.partition("\n\n")[2] if note.startswith(OLD) else note
    try:
        return parse_checkpoint(read_note(note)[0]), note
    except Malformed as wrong:
        hint = "A head is three lines, an empty one, and a line for each who signed it, which begins with \u2014."
        raise Malformed(wrong.sentence, hint) from None


def vkeys(typed: tuple[str, ...]) -> "list[Vkey]":
    """Return keys as typed; refuses (`Malformed`) what is none."""
    from ledger.note import parse_vkey  # only a proof needs a key

    return [parse_vkey(key_text(each)) for each in typed]


def key_text(typed: str) -> str:
    """Return a key that is typed, or that lies in the file that is named."""
    from os.path import isfile

    if "+" in typed:
        return typed
    if not isfile(typed):
        raise BadInput(f"There is no file {typed}, and it is no key.")
    return read(typed).rstrip("\n")
