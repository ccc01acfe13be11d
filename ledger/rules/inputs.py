"""Inputs: the types of a move's inputs, and readers of the names and choices that people type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from ledger.errors import BadInput, shortened
from ledger.events.commitments import CommittedText
from ledger.values import BIGGEST, LARGEST, Field, Struct, Within

HANDLE = re.compile(r"[a-z][a-z0-9-]{0,31}")
MOST_NAMES = 20
RESERVED = re.compile(r"campaign|p[0-9]+")


class Tag(Struct):
    """A word about a field, for the command line to act on; `setting` is a setting that lists names it may have."""

    name: str
    of: str = ""
    whose: str = "who"
    setting: str = ""


class Named(Struct):
    """Tags a number that may be typed by a name: `--target challenging`."""

    numbers: Mapping[str, int]


def numbers_by_name(field: Field) -> Mapping[str, int]:
    """The names that people may type instead of numbers of an input. Most inputs have none."""
    return next((tag.numbers for tag in field.tags if isinstance(tag, Named)), NO_NUMBERS)


def stems(field: Field) -> tuple[str, ...]:
    """The first parts of the scores or marks that an input may name: `skill.` for skills, empty for any score.

    No parts if the input names nothing on a sheet, and several if the name may belong to several families.
    """
    tags = [tag for tag in field.tags if isinstance(tag, Tag)]
    return tuple(f"{tag.of}." if tag != ANY_SCORE else "" for tag in tags if tag.name in ON_SHEET or tag == ANY_SCORE)


def of_marks(field: Field) -> bool:
    """Return True if an input names marks on a sheet, such as weapons."""
    return any(isinstance(tag, Tag) and tag.name == "mark" for tag in field.tags)


def sheet_of(field: Field) -> str:
    """The input that names the owner of the sheet for another input: `who`, the one in its tag, or the whole table."""
    return next((tag.whose for tag in field.tags if isinstance(tag, Tag) and tag.name in ON_SHEET), "who")


def listed_in(field: Field) -> str:
    """The setting of the game that lists the names for an input, "" if there is none."""
    return next((tag.setting for tag in field.tags if isinstance(tag, Tag) and tag.setting), "")


ON_SHEET = frozenset({"score", "mark"})
"""Tags of an input that names something on a sheet, in the family that the tag is `of`."""


ANY_SCORE = Tag(name="any-score")
"""Tags an input that is a score by its full name, such as `harm.damage`."""
CAST = Tag(name="cast")
ALONE = Tag(name="alone")
AT_ONCE = Tag(name="at-once")
"""Tags an input that says what else to do at once, and is never amended."""
AT_TABLE = Tag(name="table")
IN_PLACE = Tag(name="place")
"""Tags an input that is typed by its place, without a flag, though it may be left out: `check mara deception`."""
BARE = Tag(name="bare")
"""Tags a number that may be typed without its flag: `check mara deception 25`; a move has one such number, or none."""
HIDDEN = Tag(name="hidden")
NOT_PAYING = Tag(name="not-paying")
"""Tags an input for characters who pay nothing for the move: targets, opponents, receivers."""
FOR_GM = Tag(name="for-gm")
"""Tags an input that only the GM may fill in."""
WORDS = Tag(name="words")

GAME = Tag(name="game")
"""Tags an input for a game."""
NEW_NAME = Tag(name="new-name")
PLAYED = Tag(name="played")
NPCS = Tag(name="npcs")
"""Tags of a command's inputs for characters who may be new: one; those of a player; those of the GM, each once."""
PRESENT = Tag(name="present")
"""Tags an input for players at the table."""
ROLLER = Tag(name="roller")
"""Tags an input for a character or a player, who throws dice."""
STARTING = Tag(name="starting")
SCORES = Tag(name="scores")
CHANGES = Tag(name="changes")
"""Tags of an input for numbers by score: of a new sheet; of a sheet; of a sheet, to add or to set."""
MARKS = Tag(name="marks")
SETTINGS = Tag(name="settings")
NOTATION = Tag(name="notation")
ENTRY = Tag(name="entry")
ACTION = Tag(name="action")
RULED = Tag(name="ruled")
"""Tags of an input for an entry: itself; the first of its action; the ruling that it belongs to."""
SPEAKER = Tag(name="speaker")
"""Tags an input for the player who types, if nobody else is named."""
MAY_BE_EMPTY = Tag(name="may-be-empty")
"""Tags an input of several values that people may leave out."""
LINE = Tag(name="line")
"""Tags a text that people may type as several words."""
OF_PLACE = Tag(name="of-place")
"""Tags an input that the program fills in, such as the time zone."""
ASKED = Tag(name="asked")
"""Tags an input that may be left out only at the prompt."""


class Typed(Struct):
    """Tags an input that people type under another name than its own."""

    name: str


class Label(Struct):
    """Tags an input that forms call by another name than its own, with an example of what to fill in."""

    text: str
    example: str = ""


def is_needed(field: Field) -> bool:
    """Return True for an input of a command that people have to type, except at the prompt."""
    may_be_left_out = field.kind is bool or not {MAY_BE_EMPTY, SPEAKER}.isdisjoint(field.tags)
    return ASKED in field.tags or (field.required and not may_be_left_out)


Whole = Annotated[int, Within(0, BIGGEST)]
Signed = Annotated[int, Within(-BIGGEST, BIGGEST)]
"""Numbers of rules, which compute for anybody who asks."""

Count = Annotated[int, Within(0, LARGEST)]
Change = Annotated[int, Within(-LARGEST, LARGEST)]
"""Numbers that people type at the table."""

Handle = Annotated[str, Tag(name="handle")]
NO_NUMBERS: Mapping[str, int] = {}
"""No numbers by name."""

Who = Annotated[str, CAST]
Reason = Annotated[str, "the reason. It is saved with the entry"]
Words = Annotated[str, WORDS, Within(1, 10_000, length=True)]
Hidden = Annotated[int, Within(0, LARGEST), HIDDEN]
"""A number that the GM may keep from the players; the move's input `secret` says so."""


def is_for_gm(field: Field) -> bool:
    """Return True for an input of a move that only the GM may fill in."""
    return field.name == "secret" or FOR_GM in field.tags


def yes_no(typed: str) -> bool:
    """Read yes or no."""
    if typed not in {"yes", "no"}:
        raise BadInput(f"{typed!r} is not yes or no.")
    return typed == "yes"


def number(least: int, most: int) -> Callable[[str], int]:
    """Make a reader of whole numbers from least to most."""

    def read(typed: str) -> int:
        written = typed.isascii() and typed.isdecimal() and len(typed) <= len(str(LARGEST))
        if not (written and least <= int(typed) <= most):
            raise BadInput(f"{shortened(typed)} is not a number from {least} to {most}.")
        return int(typed)

    return read


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Make a reader of one of these names."""

    def read(typed: str) -> str:
        if typed not in names:
            raise BadInput(f"{shortened(typed)} is not one of {', '.join(names)}.")
        return typed

    return read


def set_by_moves(sentence: str) -> Callable[[str], Any]:
    """Make a reader that refuses every value with this sentence, because only moves set the mark."""

    def read(typed: str) -> Any:
        raise BadInput(sentence)

    return read


def handle(typed: str) -> str:
    """Read a short name: a small letter, then small letters, digits and hyphens, at most 32."""
    if not HANDLE.fullmatch(typed):
        raise BadInput(
            f"{shortened(typed)} is not a valid name.", "Use lowercase letters, digits and hyphens, like old-market."
        )
    return typed


def handles(typed: str) -> tuple[str, ...]:
    """Read short names with commas between them, each once."""
    names = tuple(handle(name) for name in typed.split(","))
    if len(names) > MOST_NAMES:
        raise BadInput(f"That is {len(names)} names. At most {MOST_NAMES} are allowed.")
    if len(set(names)) < len(names):
        raise BadInput(f"{typed!r} contains the same name twice.")
    return names


LONGEST_NAME = 80
LONGEST_TEXT = 10_000

UNPRINTABLE = frozenset(
    chr(point)
    for first, last in (
        (0x00, 0x1F),  # control characters
        (0x7F, 0x9F),
        (0x200E, 0x200F),  # marks and overrides of direction
        (0x2028, 0x202E),  # separators of lines and paragraphs, and more of direction
        (0x2066, 0x2069),
        (0xFEFF, 0xFEFF),  # the byte order mark
    )
    for point in range(first, last + 1)
) - {"\n", "\t"}
"""Characters that would move the cursor, or turn the reading direction, of whoever reads the text."""


def _as_handle(who: str) -> str:
    """Rewrite a name with small letters without accents, and hyphens; "" if that is not a valid handle."""
    from unicodedata import combining, normalize  # most handles are valid

    letters = "".join(letter for letter in normalize("NFKD", who) if not combining(letter)).lower()
    made = re.sub("[^a-z0-9]+", "-", letters).strip("-")
    return made if HANDLE.fullmatch(made) and not RESERVED.fullmatch(made) else ""


def check_handle(who: str) -> None:
    """Refuse (`BadInput`) a text that cannot be a character's handle."""
    if not HANDLE.fullmatch(who):
        raise BadInput(
            f"{shortened(who)} cannot be the short name of a character.",
            "A short name has at most 32 lowercase letters, digits and hyphens. It starts with a letter, like"
            f" {_as_handle(who) or 'mara'}.",
        )
    if RESERVED.fullmatch(who):
        raise BadInput(f"{who!r} is reserved and cannot be a character's name.")


def checked_text(what: str, text: str, longest: int = LONGEST_TEXT) -> CommittedText:
    """Words to store. Refuse (`BadInput`) an empty text, one that is too long, and control characters."""
    if not text.strip():
        raise BadInput(f"{what} cannot be empty.")
    if len(text) > longest:
        raise BadInput(f"{what} has at most {longest:,} characters. This one has {len(text):,}.")
    if not UNPRINTABLE.isdisjoint(text) or (longest == LONGEST_NAME and not {"\n", "\t"}.isdisjoint(text)):
        raise BadInput(f"{what} cannot contain control characters.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{what} must be readable text in the UTF-8 format.") from None
    return CommittedText(text=text)
