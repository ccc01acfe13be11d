"""Pasted: the heads, signatures, proofs and keys in a file, a paste or a pipe."""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from typing import TYPE_CHECKING

from cli.render import terminal
from ledger.errors import BadInput, Malformed, NotReadable, shortened

if TYPE_CHECKING:
    from ledger.tlog.checkpoint import Checkpoint
    from ledger.tlog.note import Vkey

FOR_PLAYERS = "For the players to keep:"
MOST_BYTES = 2**20
HASH = "[A-Za-z0-9+/]{43}="
REQUEST = re.compile(
    rf"(?:^old [0-9]+\n(?:{HASH}\n)*\n)*^.+\n(?P<size>[0-9]+)\n{HASH}\n(?:.+\n)*\n(?:\u2014 .+\n)+", re.MULTILINE
)
VKEY = re.compile(r"^[^\s+]+\+[0-9a-f]{8}\+\S+$", re.MULTILINE)
LINES = re.compile(r"^\u2014 .+\n", re.MULTILINE)


def read_pasted(name: str | None) -> str:
    """The text of a file, or pasted or piped text if none is named.

    Drops what a chat or an editor adds: a byte order mark, quote marks, blanks at the ends of lines. Refuses
    (`BadInput`) what is empty, not text, or longer than `MOST_BYTES`.
    """
    what = "What was pasted" if name is None or name == "-" else _name_in_errors(name)
    if name is None or name == "-":
        if sys.stdin is None:  # the caller closed it
            raise BadInput("Nothing was pasted.")
        if sys.stdin.isatty():
            terminal.aside("Paste it, and end with Ctrl-D on a line of its own.")
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        try:
            with open(name, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise NotReadable(what, error) from None
    if not data.strip():
        raise BadInput(f"{what} is empty." if name not in {None, "-"} else "Nothing was pasted.")
    if len(data) > MOST_BYTES:
        raise BadInput(f"{what} is too big: at most {MOST_BYTES:,} bytes.")
    try:
        text = data.decode("utf-16" if data[:2] in {BOM_UTF16_LE, BOM_UTF16_BE} else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{what} is no text.") from None
    lines = [re.sub(r"^(> ?)+", "", line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def _name_in_errors(file: str) -> str:
    return shortened(file) if "+KEY+" in file else file


def request_in(text: str) -> str:
    """The newest signed head in a text, with the proofs before it if there are any; older ones may be quoted.

    Its lines stay as they are. Refuses (`Malformed`) a text without one.
    """
    newest = max(REQUEST.finditer(text), key=lambda match: int(match["size"]), default=None)
    if newest is None:
        hint = "A head is three lines, an empty one, and a line for each who signed it, which begins with \u2014."
        raise Malformed("There is no signed head in it.", hint)
    return newest.group()


def signatures_in(text: str) -> list[str]:
    """The signature lines in a text. Refuses (`Malformed`) a text without one."""
    lines = LINES.findall(text)
    if not lines:
        raise Malformed("There is no signature in it.", "It is the line that 'campaign witness sign' prints.")
    return lines


def head_in(text: str) -> tuple[Checkpoint, str]:
    """The newest head in a text, and the note that signs it. Refuses (`Malformed`) a text without one."""
    from ledger.tlog.checkpoint import parse_checkpoint
    from ledger.tlog.note import read_note
    from ledger.trust.witnessing import parts_of

    note = parts_of(request_in(text))[-1]
    return parse_checkpoint(read_note(note)[0]), note


def proofs_in(text: str) -> list[list[bytes]]:
    """The proofs before a head, for witnesses."""
    from ledger.tlog.note import from_base64
    from ledger.trust.witnessing import parts_of

    *proofs, _ = parts_of(request_in(text))
    return [[from_base64(line) for line in proof.split("\n")[1:]] for proof in proofs]


def vkeys(typed: tuple[str, ...]) -> list[Vkey]:
    """Public keys, typed or in named files. Refuses (`Malformed`) what is not a key."""
    from ledger.tlog.note import parse_vkey  # only a proof needs a key

    return [parse_vkey(key_text(text)) for text in typed]


def key_text(typed: str) -> str:
    """A key as typed, or from the file of that name. Refuses (`BadInput`) what is neither."""
    from os.path import isfile

    if "+" in typed:
        return typed.strip()
    if not isfile(typed):
        raise BadInput(f"There is no file {typed}, and it is no key.")
    text = read_pasted(typed)
    match = VKEY.search(text)
    return match.group() if match else text.removesuffix("\n")
