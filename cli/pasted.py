"""Pasted: what a person brings to be checked: a file, a paste or a pipe, and what it holds."""

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
    rf"(?:^old [0-9]+\n(?:{HASH}\n)*\n)?^.+\n[0-9]+\n{HASH}\n(?:.+\n)*\n(?:\u2014 .+\n)+", re.MULTILINE
)
VKEY = re.compile(r"^[^\s+]+\+[0-9a-f]{8}\+\S+$", re.MULTILINE)
LINES = re.compile(r"^\u2014 .+\n", re.MULTILINE)


def read(name: str | None) -> str:
    """The text of a file, or pasted or piped text if none is named.

    What a chat or an editor puts around it is left out: a byte order mark, the marks of a quotation, blanks at the ends
    of lines. Refuses (`BadInput`) what is empty, no text, or too big.
    """
    what = "What was pasted" if name is None or name == "-" else _called(name)
    if name is None or name == "-":
        if sys.stdin is None:  # closed by whoever called
            raise BadInput("Nothing was pasted.")
        if sys.stdin.isatty():
            terminal.talk("Paste it, and end with Ctrl-D on a line of its own.")
        held = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        try:
            with open(name, "rb") as file:
                held = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise NotReadable(what, error) from None
    if not held.strip():
        raise BadInput(f"{what} is empty." if name not in {None, "-"} else "Nothing was pasted.")
    if len(held) > MOST_BYTES:
        raise BadInput(f"{what} is too big: at most {MOST_BYTES:,} bytes.")
    try:
        text = held.decode("utf-16" if held[:2] in {BOM_UTF16_LE, BOM_UTF16_BE} else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{what} is no text.") from None
    lines = [re.sub(r"^(> ?)+", "", line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def _called(file: str) -> str:
    return shortened(file) if "+KEY+" in file else file


def request_in(text: str) -> str:
    """A signed head, with the proof before it if there is one, out of all that was said around it.

    Nothing within its lines is mended. Refuses (`Malformed`) where there is none.
    """
    found = REQUEST.search(text)
    if found is None:
        hint = "A head is three lines, an empty one, and a line for each who signed it, which begins with \u2014."
        raise Malformed("There is no signed head in it.", hint)
    return found.group()


def signatures_in(text: str) -> list[str]:
    """The lines that witnesses signed, out of all that was said around them; refuses (`Malformed`) none."""
    found = LINES.findall(text)
    if not found:
        raise Malformed("There is no signature in it.", "It is the line that 'campaign witness sign' prints.")
    return found


def head_in(text: str) -> "tuple[Checkpoint, str]":
    """A head and the note that signs it; refuses (`Malformed`) what is none."""
    from ledger.tlog.checkpoint import parse_checkpoint
    from ledger.tlog.note import read_note
    from ledger.tlog.witness import OLD

    note = request_in(text)
    note = note.partition("\n\n")[2] if note.startswith(OLD) else note
    return parse_checkpoint(read_note(note)[0]), note


def proof_in(text: str) -> list[bytes]:
    """The proof that comes with a head, for a witness; none where there is none."""
    from ledger.tlog.note import from_base64
    from ledger.tlog.witness import OLD

    asked = request_in(text)
    return [from_base64(line) for line in asked.partition("\n\n")[0].split("\n")[1:]] if asked.startswith(OLD) else []


def vkeys(typed: tuple[str, ...]) -> "list[Vkey]":
    """Return keys as typed; refuses (`Malformed`) what is none."""
    from ledger.tlog.note import parse_vkey  # only a proof needs a key

    return [parse_vkey(key_text(each)) for each in typed]


def key_text(typed: str) -> str:
    """A key that is typed, or that lies in the file that is named."""
    from os.path import isfile

    if "+" in typed:
        return typed.strip()
    if not isfile(typed):
        raise BadInput(f"There is no file {typed}, and it is no key.")
    text = read(typed)
    found = VKEY.search(text)
    return found.group() if found else text.removesuffix("\n")
