"""Exports to tamper with: a signed campaign, and changes to the files of its export."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from engine import create_journal
from ledger.commands.at_table import Join, Note, Open
from ledger.commands.custody import Erase
from ledger.commands.play import PlayMove
from ledger.commands.seats import Seat
from ledger.corrections.undoing import Undo
from ledger.events.canonical import canonical_json
from ledger.journal.book import Book
from ledger.journal.store import memory_journal
from ledger.systems.edge.moves_check import Check
from ledger.tlog.note import make_skey
from paths import GOLDEN
from table import CAST, scribe

KEY = make_skey("campaign/test", b"k" * 32)
V1 = GOLDEN / "campaigns" / "v1.campaign"
HIDDEN = 8_675_309
"""A target that stands nowhere by chance."""


def signed_book(path: str | None = None) -> Book:
    """17 entries, signed at 10 and 15: 6 erased words, 7 a note, 8 9 10 a check with edge, 14 secrets, 16 an undo."""
    book = Book(create_journal(path) if path else memory_journal())
    hand = scribe(book)
    hand.write(Open(title="The salt road", gm="Tom", key=str(KEY.vkey)))
    hand.write(Seat(name="Ana", plays=("mara",), gm=False))
    for who, scores in CAST.items():
        hand.write(Join(who=who, system="edge", scores=scores))
    hand.write(Note(text="six"), once="six")
    hand.write(Note(text="seven"))
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, edge=True, drop=3)), faces=(7, 3, 7))
    hand.sign(KEY)
    hand.write(Note(text="ten"))
    hand.write(Erase(entries=(6,)))
    hand.write(PlayMove(system="edge", move=Check(who="mara", skill=11, target=HIDDEN, secret=True)), faces=(7, 6))
    hand.sign(KEY)
    hand.write(Undo())
    hand.write(Note(text="the last"))
    return book


Tamper = Callable[[Path], object]


def line_of(name: str, number: int, change: Callable[[bytes], bytes]) -> Tamper:
    """Change a line of a file, which is handed over without what ends it."""

    def tamper(folder: Path) -> None:
        lines = (folder / name).read_bytes().split(b"\n")
        lines[number - 1] = change(lines[number - 1])
        (folder / name).write_bytes(b"\n".join(lines))

    return tamper


def lines_of(name: str, change: Callable[[list[bytes]], list[bytes]]) -> Tamper:
    """Change the lines of a file."""

    def tamper(folder: Path) -> None:
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(change(lines)))

    return tamper


def fields_of(**changes: object) -> Callable[[bytes], bytes]:
    return lambda line: canonical_json({**json.loads(line), **changes})


def capital_salt(line: bytes) -> bytes:
    return fields_of(salt=json.loads(line)["salt"].upper())(line)


def without(*names: str) -> Tamper:
    def tamper(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return tamper


def first_hashes(folder: Path) -> Path:
    return min((folder / "tile" / "0" / "000.p").iterdir())


def long_line(line: bytes) -> bytes:
    return fields_of(once="x" * 60_000)(line)


J, W, C = "journal.jsonl", "words.jsonl", "checkpoints.jsonl"
OTHER = "a" * 64

TAMPERING: dict[str, tuple[Tamper, str, str]] = {
    "an edited entry": (
        line_of(J, 9, lambda one: one.replace(b'"skill":11', b'"skill":12')),
        "does not match the file's own",
        "does not match the checkpoint",
    ),
    "an edited entry without words": (
        line_of(J, 8, fields_of(at="2026-11-20T19:30:01Z")),
        "ntry 9 ",
        "does not match the checkpoint",
    ),
    "a dropped entry": (lines_of(J, lambda all_: all_[:8] + all_[9:]), "ntry 9 ", "ntry 9 "),
    "the first entry dropped": (lines_of(J, lambda all_: all_[1:]), "ntry 1 ", "ntry 1 "),
    "two entries swapped": (lines_of(J, lambda all_: [*all_[:6], all_[7], all_[6], *all_[8:]]), "ntry 7 ", "ntry 7 "),
    "an entry twice": (lines_of(J, lambda all_: all_[:7] + all_[6:]), "ntry 8 ", "ntry 8 "),
    "a blank line": (lines_of(J, lambda all_: [*all_[:6], b"\n", *all_[6:]]), "ntry 7 ", "ntry 7 "),
    "a blank line at the end": (lines_of(J, lambda all_: [*all_, b"\n"]), "ntry 18 ", "ntry 18 "),
    "CRLF": (lines_of(J, lambda all_: [one[:-1] + b"\r\n" for one in all_]), "ntry 1 ", "ntry 1 "),
    "a space": (line_of(J, 7, lambda one: one.replace(b":", b": ", 1)), "ntry 7 ", "ntry 7 "),
    "a key twice": (line_of(J, 7, lambda one: one.replace(b'"act"', b'"act":7,"act"', 1)), "ntry 7 ", "ntry 7 "),
    "a float": (line_of(J, 7, lambda one: one.replace(b'"seq":7', b'"seq":7.0')), "ntry 7 ", "ntry 7 "),
    "a number beyond all": (
        line_of(J, 7, lambda one: one.replace(b'"seq":7', b'"seq":9007199254740992')),
        "ntry 7 ",
        "ntry 7 ",
    ),
    "no number": (line_of(J, 7, lambda one: one.replace(b'"seq":7', b'"seq":NaN')), "ntry 7 ", "ntry 7 "),
    "a key beyond ASCII": (line_of(J, 7, lambda one: one[:-1] + ',"ü":1}'.encode()), "ntry 7 ", "the entries 1 to 10 "),
    "a key beyond U+FFFF": (line_of(J, 7, lambda one: one[:-1] + ',"\U00010330":1}'.encode()), "ntry 7 ", "ntry 7 "),
    "half a pair": (line_of(J, 7, lambda one: one.replace(b"note-written", b"\\ud800")), "ntry 7 ", "ntry 7 "),
    "no UTF-8": (line_of(J, 7, lambda one: one.replace(b"note", b"\xff")), "ntry 7 ", "ntry 7 "),
    "a byte order mark": (line_of(J, 1, lambda one: b"\xef\xbb\xbf" + one), "ntry 1 ", "ntry 1 "),
    "a list": (line_of(J, 7, lambda one: b"[" + one + b"]"), "ntry 7 ", "ntry 7 "),
    "a line that is too long": (line_of(J, 7, long_line), "ntry 7 ", "ntry 7 "),
    "a line that is too deep": (line_of(J, 7, lambda _: b"[" * 20_000 + b"]" * 20_000), "ntry 7 ", "cannot be read"),
    "a cut journal": (lines_of(J, lambda all_: all_[:9]), "ntry 10 ", "ntry 10 "),
    "a journal cut behind its last words": (
        lambda folder: [lines_of(J, lambda all_: all_[:-1])(folder), lines_of(W, lambda all_: all_[:-1])(folder)],
        "tile",
        "tile",
    ),
    "a cut line": (lines_of(J, lambda all_: [*all_[:-1], all_[-1][:-1]]), "ntry 17 ", "ntry 17 "),
    "half a line": (lines_of(J, lambda all_: [*all_[:-1], all_[-1][:-9]]), "ntry 17 ", "ntry 17 "),
    "an empty journal": (lines_of(J, lambda _: []), "ntry 1 ", "ntry 1 "),
    "other words": (line_of(W, 4, fields_of(text="eight")), "ntry 7 ", "ntry 7 "),
    "another salt": (line_of(W, 4, fields_of(salt=OTHER)), "ntry 7 ", "ntry 7 "),
    "a salt in capitals": (line_of(W, 4, capital_salt), "ine 4 ", "ntry 7 "),
    "a first line of words that is none": (line_of(W, 1, lambda _: b"x"), "ine 1 ", "ine 1 "),
    "lost words": (lines_of(W, lambda all_: all_[:3] + all_[4:]), "ntry 7 ", "ntry 7 "),
    "words for nothing": (line_of(W, 4, fields_of(field="textual")), "ntry 7 ", "ntry 7 "),
    "words for no entry": (
        lines_of(W, lambda all_: [*all_, fields_of(entry=99)(all_[-1]) + b"\n"]),
        "ntry 18 ",
        "ntry 18 ",
    ),
    "words twice": (lines_of(W, lambda all_: all_[:4] + all_[3:]), "ine 5 ", "words.jsonl"),
    "words in another order": (
        lines_of(W, lambda all_: [*all_[:3], all_[4], all_[3], *all_[5:]]),
        "ine 5 ",
        "words.jsonl",
    ),
    "words of another kind": (line_of(W, 4, fields_of(kind="secret")), "ntry 7 ", "ntry 7 "),
    "words of no kind": (line_of(W, 4, fields_of(kind="x")), "ine 4 ", "ntry 7 "),
    "erased words": (
        lines_of(W, lambda all_: [*all_[:3], fields_of(entry=6, text="six")(all_[3]) + b"\n", *all_[3:]]),
        "ntry 6 ",
        "ntry 6 ",
    ),
    "a wrong line of words": (line_of(W, 4, lambda one: one[:-1] + b" }"), "ine 4 ", "ine 4 "),
    "another field of words": (line_of(W, 4, fields_of(more=1)), "ine 4 ", "ine 4 "),
    "words that are no text": (line_of(W, 4, fields_of(text=7)), "ine 4 ", "ine 4 "),
    "words that are cut": (lines_of(W, lambda all_: [*all_[:-1], all_[-1][:-1]]), "words.jsonl", "words.jsonl"),
    "another checkpoint": (
        line_of(C, 1, lambda one: one.replace(b"\\n10\\n", b"\\n9\\n")),
        "checkpoint of 10 entries",
        "checkpoint",
    ),
    "a checkpoint of another tree": (
        line_of(C, 1, fields_of(note=f"campaign/test\n10\n{'A' * 43}=\n\n— x AAAAAAAA\n")),
        "entries 1 to 10",
        "1 to 10 does not match",
    ),
    "a checkpoint that is none": (line_of(C, 1, fields_of(note="x")), "cannot be read", "cannot be read"),
    "a checkpoint that is written otherwise": (
        line_of(C, 1, fields_of(note=f"campaign/test\n010\n{'A' * 43}=\n\n— x AAAAAAAA\n")),
        "cannot be read",
        "cannot be read",
    ),
    "a checkpoint under another size": (line_of(C, 1, fields_of(size=9)), "1 to 9", "checkpoint"),
    "a checkpoint too many": (lines_of(C, lambda all_: [*all_, all_[-1]]), "ine 3 ", "checkpoints.jsonl"),
    "the checkpoint gone": (without("checkpoint"), "is not the same as the latest", "is not the same as the latest"),
    "another longest checkpoint": (
        line_of("checkpoint", 1, lambda one: one + b"x"),
        "is not the same as the latest",
        "is not the same as the latest",
    ),
    "a tile": (lambda folder: first_hashes(folder).write_bytes(b"x" * 32), "tile", "tile"),
    "a tile gone": (lambda folder: first_hashes(folder).unlink(), "tile", "tile"),
    "a tile too many": (lambda folder: (folder / "tile" / "more").write_bytes(b""), "more", "more"),
}


def pipe(name: str) -> Tamper:
    def tamper(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)

    return tamper


def link(name: str, to: str) -> Tamper:
    def tamper(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(to)

    return tamper


def grown(name: str) -> Tamper:
    """A file that says that it holds a terabyte, and takes no room."""
    return lambda folder: os.truncate(folder / name, 2**40)


def to_first_hashes(make: Callable[[str], Tamper]) -> Tamper:
    return lambda folder: make(str(first_hashes(folder).relative_to(folder)))(folder)


ENDLESS: dict[str, tuple[Tamper, str, str]] = {
    "a pipe in the place of the journal": (pipe(J), "it has no journal.jsonl", "There is no export"),
    "a device in the place of the journal": (link(J, "/dev/zero"), "it has no journal.jsonl", "There is no export"),
    "a pipe in the place of the words": (pipe(W), "it has no words.jsonl", "words.jsonl is not a file"),
    "a device in the place of the words": (
        link(W, "/dev/zero"),
        "it has no words.jsonl",
        "words.jsonl is not a file",
    ),
    "a pipe in the place of the checkpoints": (
        pipe(C),
        "it has no checkpoints.jsonl",
        "checkpoints.jsonl is not a file",
    ),
    "a device in the place of the checkpoints": (
        link(C, "/dev/zero"),
        "it has no checkpoints.jsonl",
        "checkpoints.jsonl is not a file",
    ),
    "a pipe in the place of the longest checkpoint": (
        pipe("checkpoint"),
        "checkpoint is not a file",
        "is not the same as the latest",
    ),
    "a device in the place of the longest checkpoint": (
        link("checkpoint", "/dev/zero"),
        "checkpoint is not a file",
        "is not the same as the latest",
    ),
    "a pipe in the place of a tile": (to_first_hashes(pipe), "is not a file", "tile/0/000.p/"),
    "a device in the place of a tile": (
        to_first_hashes(lambda name: link(name, "/dev/zero")),
        "is not a file",
        "tile/0/000.p/",
    ),
    "a pipe beside the tiles": (
        pipe("tile/more"),
        "tile/more does not belong to these entries",
        "the fingerprint (hash) files do not match the entries (first mismatch: tile/more)",
    ),
    "a journal without an end": (
        grown(J),
        "is cut off or too long",
        "entry 18 is missing, cut off, too long, or not in the program's exact format",
    ),
    "words without an end": (grown(W), "is not valid in an export", "words.jsonl is not valid in an export"),
    "checkpoints without an end": (
        grown(C),
        "is not valid in an export",
        "checkpoints.jsonl is not valid in an export",
    ),
    "a longest checkpoint without an end": (
        grown("checkpoint"),
        "is not the same as the latest",
        "is not the same as the latest",
    ),
    "a tile without an end": (to_first_hashes(grown), "does not match the entries", "tile/0/000.p/"),
    "a tile too many without an end": (
        lambda folder: [(folder / "tile" / "more").write_bytes(b""), grown("tile/more")(folder)],
        "more does not belong to these entries",
        "the fingerprint (hash) files do not match the entries (first mismatch: tile/more)",
    ),
}
"""How to keep a reader busy for ever: what our program says, and what the verifier says."""

AROUND = {
    "a byte order mark": "\ufeff{}",
    "a fence": "```\n{}```\n",
    "a quotation": "> {}",
    "a quotation of a quotation": ">> {}",
    "what the program says before it": "#10   session 1 closed\nFor the players to keep:\n{}",
    "what it says where there are witnesses": (
        "The sealed roll #7 is due. To reveal it: campaign reveal 7\n"
        "Send the text below to ana, ben. To sign the checkpoint, a witness types: campaign witness sign\n"
        "For the players to keep:\n{}"
    ),
    "blanks at the ends": "{} \t\n\n",
    "blank lines": "\n\n{}\n\n",
    "the end of lines of another system": "\r\n{}\r\n",
}


def notes_bent_once(note: str) -> Iterator[str]:
    """A note with one letter changed, left out or put in, at each place, and with each last letter of base64."""
    for at in range(len(note) + 1):
        yield note[:at] + note[at + 1 :]
        for letter in "\n\t\r\x00\x1f\x7f\x85\u00a0\u2028\u2014 09=+A\u0663\ud800":
            yield note[:at] + letter + note[at + 1 :]
            yield note[:at] + letter + note[at:]
        if note[at : at + 1] == "=":
            yield from (note[: at - 1] + letter + note[at:] for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/")
