"""The types and tags of a move's inputs, and functions that read typed names and numbers."""

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
    """A tag of an input, for programs that ask people for it.

    For a name on a sheet, `of` is the family of the name, and `whose` the input that names the sheet's owner. `setting`
    is a setting of the game that lists the valid names.
    """

    name: str
    of: str = ""
    whose: str = "who"
    setting: str = ""


class Named(Struct):
    """A tag with names that people may type instead of a number: `--target challenging`."""

    numbers: Mapping[str, int]


def numbers_by_name(field: Field) -> Mapping[str, int]:
    """The names that people may type instead of numbers of an input. Most inputs have none."""
    return next((tag.numbers for tag in field.tags if isinstance(tag, Named)), NO_NUMBERS)


def stems(field: Field) -> tuple[str, ...]:
    """The prefixes of the scores or marks that an input may name: `skill.` for skills, "" for any score.

    There are none if the input names nothing on a sheet, and several if the name can be in one of several families.
    """
    tags = [tag for tag in field.tags if isinstance(tag, Tag)]
    return tuple(f"{tag.of}." if tag != ANY_SCORE else "" for tag in tags if tag.name in ON_SHEET or tag == ANY_SCORE)


def of_marks(field: Field) -> bool:
    """Return True if an input names marks on a sheet, such as weapons."""
    return any(isinstance(tag, Tag) and tag.name == "mark" for tag in field.tags)


def sheet_of(field: Field) -> str:
    """The input that names the owner of the sheet which has the name in this input. Default: `who`."""
    return next((tag.whose for tag in field.tags if isinstance(tag, Tag) and tag.name in ON_SHEET), "who")


def listed_in(field: Field) -> str:
    """The setting of the game that lists the valid names of an input, "" if there is none."""
    return next((tag.setting for tag in field.tags if isinstance(tag, Tag) and tag.setting), "")


ON_SHEET = frozenset({"score", "mark"})
"""The names of tags for inputs that name something on a sheet, in the family `of`."""


ANY_SCORE = Tag(name="any-score")
"""A tag for an input with the full name of a score, such as `harm.damage`."""
CAST = Tag(name="cast")
ALONE = Tag(name="alone")
AT_ONCE = Tag(name="at-once")
"""A tag for an input that does something more in the same action. An amendment never changes it."""
AT_TABLE = Tag(name="table")
IN_PLACE = Tag(name="place")
"""A tag for an optional input that is typed by its position, without a flag: `check mara deception`."""
BARE = Tag(name="bare")
"""A tag for a number that may be typed without its flag: `check mara deception 25`. A move has at most one."""
HIDDEN = Tag(name="hidden")
NOT_PAYING = Tag(name="not-paying")
"""A tag for characters who pay nothing for the move: targets, opponents, receivers."""
FOR_GM = Tag(name="for-gm")
"""A tag for an input that only the GM may fill in."""
WORDS = Tag(name="words")

GAME = Tag(name="game")
"""A tag for the name of a game."""
NEW_NAME = Tag(name="new-name")
PLAYED = Tag(name="played")
NPCS = Tag(name="npcs")
"""Tags for characters who may be new: one character, the characters of a player, the characters of the GM."""
PRESENT = Tag(name="present")
"""A tag for the players at the table."""
ROLLER = Tag(name="roller")
"""A tag for the character or player who rolls dice."""
STARTING = Tag(name="starting")
SCORES = Tag(name="scores")
CHANGES = Tag(name="changes")
"""Tags for numbers by score: for a new sheet, on a sheet, and on a sheet to add or to set."""
MARKS = Tag(name="marks")
SETTINGS = Tag(name="settings")
NOTATION = Tag(name="notation")
ENTRY = Tag(name="entry")
ACTION = Tag(name="action")
RULED = Tag(name="ruled")
"""Tags for an entry: any entry, the first entry of an action, a ruling."""
SPEAKER = Tag(name="speaker")
"""A tag for the player who types, unless somebody else is named."""
MAY_BE_EMPTY = Tag(name="may-be-empty")
"""A tag for an input of several values that people may leave out."""
LINE = Tag(name="line")
"""A tag for a text that people may type as several words."""
OF_PLACE = Tag(name="of-place")
"""A tag for an input that the program fills in, such as the time zone."""
ASKED = Tag(name="asked")
"""A tag for an input that may be left out only at the prompt."""


class Typed(Struct):
    """A tag with the name under which people type the input."""

    name: str


class Label(Struct):
    """A tag with the name of the input in forms, and an example of what to fill in."""

    text: str
    example: str = ""


def is_needed(field: Field) -> bool:
    """Return True for an input of a command that people have to type, except at the prompt."""
    may_be_left_out = field.kind is bool or not {MAY_BE_EMPTY, SPEAKER}.isdisjoint(field.tags)
    return ASKED in field.tags or (field.required and not may_be_left_out)


Whole = Annotated[int, Within(0, BIGGEST)]
Signed = Annotated[int, Within(-BIGGEST, BIGGEST)]
"""Numbers for rules. Their limits are wider than at the table, because anybody may `try` a rule with any number."""

Count = Annotated[int, Within(0, LARGEST)]
Change = Annotated[int, Within(-LARGEST, LARGEST)]
"""Numbers that people type at the table."""

Handle = Annotated[str, Tag(name="handle")]
NO_NUMBERS: Mapping[str, int] = {}

Who = Annotated[str, CAST]
Reason = Annotated[str, "the reason. It is saved with the entry"]
Words = Annotated[str, WORDS, Within(1, 10_000, length=True)]
Hidden = Annotated[int, Within(0, LARGEST), HIDDEN]
"""A number that is hidden from the players if the move's input `secret` is set."""


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
        is_number = typed.isascii() and typed.isdecimal() and len(typed) <= len(str(LARGEST))
        if not (is_number and least <= int(typed) <= most):
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
    """Read a short name: a lowercase letter, then at most 31 lowercase letters, digits and hyphens."""
    if not HANDLE.fullmatch(typed):
        raise BadInput(
            f"{shortened(typed)} is not a valid name.", "Use lowercase letters, digits and hyphens, like old-market."
        )
    return typed


def handles(typed: str) -> tuple[str, ...]:
    """Read short names with commas between them. Refuse (`BadInput`) a repeated name, and more than 20 names."""
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
        (0x200E, 0x200F),  # direction marks
        (0x2028, 0x202E),  # line and paragraph separators, direction marks
        (0x2066, 0x2069),
        (0xFEFF, 0xFEFF),  # the byte order mark
    )
    for point in range(first, last + 1)
) - {"\n", "\t"}
"""Characters that move the cursor of a terminal, or change the reading direction."""


def _as_handle(who: str) -> str:
    """Suggest a valid handle for a name, in lowercase and without accents; "" if none is possible."""
    from unicodedata import combining, normalize  # rarely needed, as most handles are valid

    letters = "".join(letter for letter in normalize("NFKD", who) if not combining(letter)).lower()
    slug = re.sub("[^a-z0-9]+", "-", letters).strip("-")
    return slug if HANDLE.fullmatch(slug) and not RESERVED.fullmatch(slug) else ""


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
    """Make a text ready to store. Refuse (`BadInput`) an empty or too long text, and control characters."""
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
