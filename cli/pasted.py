"""Readers for heads, signatures, proofs and keys that come from a file, pasted text or a pipe."""

from __future__ import annotations

import re
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from os import path

import click

from cli.context import Invocation
from cli.render import terminal
from ledger.errors import BadInput, Malformed, NotReadable, Run, quoted
from ledger.tlog import pasted_text
from ledger.tlog.checkpoint import Checkpoint, parse_checkpoint
from ledger.tlog.note import Vkey, from_base64, parse_vkey, read_note

FOR_PLAYERS = "For the players to keep:"
MOST_BYTES = 2**20
VKEY_LINE_PATTERN = re.compile(r"^[^\s+]+\+[0-9a-f]{8}\+\S+$", re.MULTILINE)


def read_pasted(name: str | None) -> str:
    """Read the text of a file. If `name` is `None` or `-`, read pasted or piped text.

    Remove characters that a chat program or an editor may add: a byte order mark, `>` quote marks, and spaces at the
    ends of lines. Raise `BadInput` if the text is empty, is not plain text, or is longer than `MOST_BYTES`.
    """
    what = "The pasted text" if name is None or name == "-" else quoted(name) if "+KEY+" in name else name
    if name is None or name == "-":
        data = read_stdin(MOST_BYTES + 1)
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
        raise BadInput(f"{what} is not plain text.") from None
    lines = [re.sub(r"^(> ?)+", "", line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n") + "\n"


def read_stdin(most: int = -1) -> bytes:
    """Read at most `most` bytes (-1: all) of pasted or piped input.

    Raise `BadInput` if standard input is closed, or if a prompt is reading its lines from a pipe.
    """
    if sys.stdin is None:  # closed by the caller
        raise BadInput("Nothing was pasted.")
    if sys.stdin.isatty():
        terminal.aside("Paste it, then press Ctrl-D on an empty line.")
    else:
        ctx = click.get_current_context(silent=True)
        invocation = ctx.find_object(Invocation) if ctx else None
        if invocation is not None and invocation.at_prompt:
            raise BadInput(
                (
                    "You cannot paste anything here. This prompt gets its lines from a file or a program,"
                    " not from the keyboard."
                ),
                "Name a file instead.",
            )
    return sys.stdin.buffer.read(most)


def head_with_proofs_in(text: str) -> str:
    """Return the newest signed head in a text, together with the proofs in front of this head.

    Older heads, such as quoted ones in an email, are skipped. Raise `Malformed` if the text contains no signed head.
    """
    newest = pasted_text.newest_request(text)
    if newest is None:
        hint = (
            "A checkpoint has three lines, an empty line, and then one line for each signature. Each signature line"
            " starts with \u2014."
        )
        raise Malformed(f"The text contains no checkpoint (the lines that {Run('checkpoint')} prints).", hint)
    return newest


def signatures_in(text: str) -> list[str]:
    """Return the signature lines in a text. Raise `Malformed` if it contains none."""
    lines = pasted_text.signature_lines(text)
    if not lines:
        raise Malformed("The text contains no signature.", f"Paste the line that {Run('witness sign')} prints.")
    return lines


def signature_text(words: Sequence[str]) -> str:
    """Return a typed signature line, or the text of the file named in `words`. Without `words`, return pasted text."""
    typed = " ".join(words)
    if typed and not path.exists(typed) and pasted_text.signature_lines(f"{typed}\n"):
        return f"{typed}\n"
    return read_pasted(typed or None)


def head_in(text: str) -> tuple[Checkpoint, str]:
    """Return the newest head in a text, and the note that signs it. Raise `Malformed` if the text contains none."""
    note = pasted_text.split_request(head_with_proofs_in(text))[-1]
    return parse_checkpoint(read_note(note)[0]), note


def proofs_in(text: str) -> list[list[bytes]]:
    """Return the proofs in front of the newest head in a text, each as a list of hashes."""
    *proofs, _ = pasted_text.split_request(head_with_proofs_in(text))
    return [[from_base64(line) for line in proof.split("\n")[1:]] for proof in proofs]


def vkeys(typed: tuple[str, ...]) -> list[Vkey]:
    """Return the public keys that were typed or are in the named files. Raise `Malformed` for a text without a key."""
    return [parse_vkey(key_text(text)) for text in typed]


def key_text(typed: str) -> str:
    """Return a typed key, or the key in a named file or a pipe (`-`). Raise `BadInput` if there is no such file."""
    if "+" in typed:
        return pasted_text.vkey_text(typed) or typed.strip()
    if typed != "-" and not path.isfile(typed):
        raise BadInput(f"{typed} is neither a file nor a key.")
    text = read_pasted(typed)
    match = VKEY_LINE_PATTERN.search(text)
    return pasted_text.vkey_text(text) or (match.group() if match else text.removesuffix("\n"))
