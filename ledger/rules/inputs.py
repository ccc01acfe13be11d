"""The types and tags of a move's inputs, and functions that read typed names and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from ledger.errors import MINUS, BadInput, quoted, with_minus_sign
from ledger.events.canonical import LAST_IN_KEYS
from ledger.events.commitments import CommittedText
from ledger.values import MAX_SHEET_NUMBER, MAX_STORED_NUMBER, Field, Struct, Within

HANDLE_PATTERN = re.compile(r"[a-z][a-z0-9-]{0,31}")
LONGEST_NUMBER_NAME = 32
MOST_NAMES = 20
RESERVED_PATTERN = re.compile(r"campaign|p[0-9]+")


class Tag(Struct):
    """The meaning of an input, for the terminal and the web page.

    - `of`: the family of the scores or marks that the input can name.
    - `whose`: the input that says whose sheet has the names, or "campaign" for the sheet of the campaign.
    - `setting`: the setting that lists the valid names.
    """

    name: str
    of: str = ""
    whose: str = "who"
    setting: str = ""


class NumberNames(Struct):
    """A tag for a number that people may also type as a name: `--target challenging`."""

    numbers: Mapping[str, int]


SHEET_TAG_NAMES = frozenset({"score", "mark", "any-score"})
NO_NUMBERS: Mapping[str, int] = {}


def numbers_by_name(field: Field) -> Mapping[str, int]:
    """Map each name that people may type in an input for a number, such as `challenging`, to its number."""
    return next((tag.numbers for tag in field.tags if isinstance(tag, NumberNames)), NO_NUMBERS)


def sheet_tag(field: Field) -> Tag:
    """Return the tag that says which scores or marks an input names. If there is none, return a tag without a name."""
    return next((tag for tag in field.tags if isinstance(tag, Tag) and tag.name in SHEET_TAG_NAMES), Tag(name=""))


def name_prefixes(field: Field) -> tuple[str, ...]:
    """Return the prefixes of the scores or marks that an input may name, such as `skill.`. "" allows every score."""
    return tuple(
        f"{tag.of}." if tag.of else "" for tag in field.tags if isinstance(tag, Tag) and tag.name in SHEET_TAG_NAMES
    )


def names_something(field: Field) -> bool:
    """Return True if an input's values are names, such as choices or scores.

    If the input takes several names, people may type them with commas.
    """
    return bool(field.choices) or any(
        isinstance(tag, Tag) and tag.name in {"handle", "score", "alone"} for tag in field.tags
    )


def flag_words(field: Field) -> str:
    """Return an input as a flag with a placeholder for its value, such as `--drop N`."""
    flag = f"--{field.name.replace('_', '-')}"
    if field.kind is bool:
        return flag
    if field.choices or field.kind is int:
        return f"{flag} {'|'.join(field.choices) or 'N'}"
    name = "NAME" if names_something(field) else "TEXT"
    return f"{flag} {'NAME,NAME…' if field.many else name}"


ANY_SCORE = Tag(name="any-score")
"""A tag for an input that names any score by family and name, such as `harm.damage`."""
CAST = Tag(name="cast")
POSITIONAL = Tag(name="alone")  # a required input that is typed at its position, without a flag
NOT_AMENDABLE = Tag(name="at-once")
"""A tag for an input, such as `--throw` (roll right away), that amendments cannot change."""
AT_TABLE = Tag(name="table")
OPTIONAL_POSITIONAL = Tag(name="place")
"""A tag for an optional input that is typed at its position, without a flag: `check mara deception`."""
BARE = Tag(name="bare")
"""A tag for a number that may be typed without its flag: `check mara deception 25`. A move has at most one."""
BONUS = Tag(name="bonus")
"""A tag for an input that takes a signed number with a reason: `check mara deception +1 rain`. A move has at most one.

If the tagged input maps names to numbers, the reason becomes the name. If not, it becomes the move's input `why`.
"""
WITHOUT_OTHERS = Tag(name="without-others")
"""A tag for an input, such as `--go-on`, with which people may type no other input except `who`."""
HIDDEN = Tag(name="hidden")
NOT_PAYING = Tag(name="not-paying")
"""A tag for characters who pay nothing for the move: targets, opponents, receivers."""
FOR_GM = Tag(name="for-gm")
"""A tag for an input that only the GM may fill in."""
WORDS = Tag(name="words")

GAME = Tag(name="game")
"""A tag for the name of a game."""
NEW_NAME = Tag(name="new-name")  # a character, who may be new
NEW_SHORT_NAME = Tag(name="new-short-name")
"""A tag for a new short name of a character who already has one."""
PLAYER_NAME = Tag(name="player-name")
"""A tag for the name of a player, who may be new."""
ANYBODY = Tag(name="anybody")
"""A tag for a player, or for a character, even one that left."""
OWN_CAST = Tag(name="played")  # the characters of one player; they may be new
NPCS = Tag(name="npcs")
"""A tag for the GM's characters, who may be new."""
SEVERAL_PLAYERS = Tag(name="players")
"""A tag for players, such as those who are present."""
ALL_PLAYERS = Tag(name="all-players")
"""A tag for an input that takes players, or the word `all`. An input lists this tag before `SEVERAL_PLAYERS`."""
ROLLER = Tag(name="roller")
"""A tag for the character or player who rolls dice."""
STARTING_SCORES = Tag(name="starting")  # the scores of a new sheet: `edge=3`
SCORES = Tag(name="scores")  # scores with their new values: `edge=3`
DELTAS = Tag(name="changes")
"""A tag for scores with amounts to add (`edge=-1`) or values to set (`edge=4`)."""
GIFTS = Tag(name="gifts")
"""A tag for scores with the amounts that a character gives: `gold=20`."""

MARKS = Tag(name="marks")
SETTINGS = Tag(name="settings")
NOTATION = Tag(name="notation")
ENTRY = Tag(name="entry")  # the number of any entry
ACTION = Tag(name="action")  # the number of any entry; it becomes that of the first entry of its action
RULING = Tag(name="ruled")
"""A tag for the number of an entry with a ruling."""
SPEAKER = Tag(name="speaker")
"""A tag for a player. Default: the player who types the command."""
MAY_BE_EMPTY = Tag(name="may-be-empty")
"""A tag for an input that takes several values, and may have none."""
UNQUOTED_TEXT = Tag(name="line")
"""A tag for a text that people may type without quotes."""
AUTOMATIC = Tag(name="of-place")
"""A tag for an input that the program fills in, such as the time zone."""


class Typed(Struct):
    """A tag with the name that people type for the input; "" for an input that nobody can type.

    `also` is a second name that people may type.
    """

    name: str
    also: str = ""


class Label(Struct):
    """A tag with the label of the input in forms, and an example value. `lines`: the value has several lines."""

    text: str
    example: str = ""
    lines: bool = False


def is_needed(field: Field) -> bool:
    """Return True if people must type this input in a command."""
    may_be_left_out = field.kind is bool or not {MAY_BE_EMPTY, SPEAKER}.isdisjoint(field.tags)
    return field.required and not may_be_left_out


Whole = Annotated[int, Within(0, MAX_STORED_NUMBER)]  # like `Signed`, without negative numbers
Signed = Annotated[int, Within(-MAX_STORED_NUMBER, MAX_STORED_NUMBER)]
"""A whole number for a rule. It has wider limits than numbers in play, because people `try` rules with any number."""

Count = Annotated[int, Within(0, MAX_SHEET_NUMBER)]  # like `SignedNumber`, without negative numbers
SignedNumber = Annotated[int, Within(-MAX_SHEET_NUMBER, MAX_SHEET_NUMBER)]
"""A positive or negative whole number that people type in play."""

Handle = Annotated[str, Tag(name="handle")]

Who = Annotated[str, CAST]
Reason = Annotated[str, "the reason, saved with the entry"]
Deed = Annotated[str, Typed(name="for"), "what the character attempts"]
"""The deed: what the character attempts, in the words of the table. It is not an input of the rules."""

Words = Annotated[str, WORDS, Within(1, 10_000, length=True)]
Hidden = Annotated[int, Within(0, MAX_SHEET_NUMBER), HIDDEN]
"""A number that is hidden from the players if the move's input `secret` is set."""


def is_for_gm(field: Field) -> bool:
    """Return True if only the GM may fill in this input."""
    return field.name == "secret" or FOR_GM in field.tags


def read_yes_no(typed: str) -> bool:
    """Read yes as True and no as False. Raise `BadInput` for anything else."""
    if typed not in {"yes", "no"}:
        raise BadInput(f"{typed!r} is not yes or no.")
    return typed == "yes"


def number(least: int, most: int) -> Callable[[str], int]:
    """Make a function that reads a whole number from `least` to `most`, and raises `BadInput` for anything else."""

    def read(typed: str) -> int:
        minus = least < 0 and typed.startswith(("-", MINUS))
        digits = typed[1:] if minus else typed
        is_number = digits.isascii() and digits.isdecimal() and len(digits) <= len(str(MAX_SHEET_NUMBER))
        value = (-int(digits) if minus else int(digits)) if is_number else None
        if value is None or not least <= value <= most:
            raise BadInput(f"{quoted(typed)} is not a number from {with_minus_sign(least)} to {most}.")
        return value

    return read


def one_of(names: Sequence[str]) -> Callable[[str], str]:
    """Make a function that reads one of these names, and raises `BadInput` for anything else."""

    def read(typed: str) -> str:
        if typed not in names:
            raise BadInput(f"{quoted(typed)} is not one of {', '.join(names)}.")
        return typed

    return read


def set_by_moves(sentence: str) -> Callable[[str], Any]:
    """Make a reader for a mark that only moves can set. The reader refuses every value with the message `sentence`."""

    def read(typed: str) -> Any:
        raise BadInput(sentence)

    return read


def is_number_name(text: str) -> bool:
    """Return True if a number can have this name: a letter, then at most 31 letters, digits, accents and hyphens."""
    if not text.isascii():
        from unicodedata import category  # most names are ASCII

        from ledger.rules.spelling import number_name

        is_word = text[0].isalpha() and all(category(each)[0] in "LMN" or each == "-" for each in text)
        is_short = len(text) <= LONGEST_NUMBER_NAME and max(text) <= LAST_IN_KEYS
        return is_word and is_short and text == number_name(text)
    return HANDLE_PATTERN.fullmatch(text) is not None


def read_handle(typed: str) -> str:
    """Read a short name: a lowercase letter, then at most 31 lowercase letters, digits and hyphens."""
    if not HANDLE_PATTERN.fullmatch(typed):
        raise BadInput(
            f"{quoted(typed)} is not a valid name.", "Use lowercase letters, digits and hyphens, like old-market."
        )
    return typed


def read_handles(typed: str, read: Callable[[str], str] = read_handle) -> tuple[str, ...]:
    """Read at most 20 different names with commas between them, each with `read`. Raise `BadInput` for other texts."""
    names = tuple(map(read, typed.split(",")))
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
        (0x2028, 0x202E),  # line and paragraph separators, and characters that reorder other text
        (0x2066, 0x2069),
        (0xFEFF, 0xFEFF),  # the byte order mark
    )
    for point in range(first, last + 1)
) - {"\n", "\t"}
"""Characters that move the cursor of a terminal, or change the reading direction of other text.

The direction marks that a Hebrew or Arabic keyboard types (U+200E and U+200F) are not among them.
"""


def check_handle(who: str, hint: Callable[[str], str] | None = None) -> None:
    """Raise `BadInput` if the text is not a valid short name for a character.

    `hint` makes the error's hint from a valid short name that resembles the text, or from "" if there is none.
    """
    if not HANDLE_PATTERN.fullmatch(who):
        from ledger.rules.spelling import slug  # few names need it

        near = slug(who)
        near = near if HANDLE_PATTERN.fullmatch(near) and not RESERVED_PATTERN.fullmatch(near) else ""
        rule = (
            "A short name has at most 32 characters: the letters a to z, digits and hyphens. It must"
            " start with a letter."
        )
        raise BadInput(f"{quoted(who)} cannot be the short name of a character. {rule}", hint(near) if hint else "")
    if RESERVED_PATTERN.fullmatch(who):
        raise BadInput(f"{who!r} is reserved and cannot be a character's name.")


def checked_text(what: str, text: str, longest: int = LONGEST_TEXT) -> CommittedText:
    """Check a text before it is stored. Raise `BadInput` if the text is empty, too long, or has control characters.

    `what` names the text in the error. Line breaks of Windows and browsers become plain ones. A letter with an
    accent counts as one character.
    """
    text = text.replace("\r\n", "\n")
    if not text.strip():
        raise BadInput(f"{what} cannot be empty.")
    length = len(text)
    if length > longest:
        from ledger.rules.spelling import count_letters  # few texts need it

        length = count_letters(text)
    if length > longest:
        raise BadInput(f"{what} can have at most {longest:,} characters. This one has {length:,}.")
    forbidden = UNPRINTABLE | {"\n", "\t"} if longest == LONGEST_NAME else UNPRINTABLE
    if wrong := next((each for each in text if each in forbidden), ""):
        says = f"{what} cannot contain invisible control characters. This one has U+{ord(wrong):04X}."
        raise BadInput(says, "Type the text again instead of pasting it.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{what} must be readable text in the UTF-8 format.") from None
    return CommittedText(text=text)
