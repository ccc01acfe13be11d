"""Dice in a typed line: faces after an equals sign, and dice notation of several words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, takewhile

import click

from cli.short_words import (
    ADVANTAGE_WORDS,
    AMOUNT_PATTERN,
    DICE_PATTERN,
    DICE_SIGN,
    FACES_FLAG,
    NAME_WITH_AT_PATTERN,
    VERSUS_FLAG_NAME,
    are_positional,
    is_subtracted,
    means_several,
    positional_words,
    starts_dice,
    takes_pool,
    text_argument,
)
from ledger.errors import MINUS
from ledger.reading.typed_values import SIGNS

OPERATORS = (*SIGNS, "*", "/", "<", ">")
HANDLE_PATTERN = rf"(?!.* -)[^\W\d](?:[\w'. -]|[^\x00-\x7f{MINUS}])*"
"""A pattern for a text that may be the name of a character, in any script, perhaps with spaces."""
FACES_PATTERN = "[0-9,]+"
FACES_AND_SIGNS_PATTERN = f"{FACES_PATTERN}|[0{SIGNS}]+"
FATE_DICE_PATTERN = "[dD][fF]"

DICE_WITH_FACES_PATTERN = rf"(\S*[^\s<>!=])=([0-9,]*|[0{SIGNS}]*)"
"""A pattern for a word followed by `=` and the rolled faces without spaces, such as `d20=17` or `mara=76`."""

REASON_WORD_PATTERN = rf"(?!(?:{'|'.join(ADVANTAGE_WORDS)})$)[^\W\d_][\w'-]*"
"""A pattern for a word in the reason of a signed number, such as `rain` in `+1 rain`."""

COMPARING_MODIFIER_PATTERN = r"[0-9%f)](xo?|e|rr?|ro|cs|cf|f|p|k|uo?|!{1,2}[po]?|min?|max?)$|[<>=][0-9]+df$"
"""A pattern for the end of dice notation with a modifier that can compare. An equals sign may follow it."""


def faces_flag(ctx: click.Context, args: Sequence[str]) -> list[str]:
    """Rewrite typed dice as the option `--faces`. Raise `UsageError` if no faces follow the equals sign.

    - `= 7 3` becomes `--faces 7,3`
    - `= 7 3, 9 9` for several characters becomes `--faces 7,3;9,9`
    - `= 7, , 12` becomes `--faces =7;;=12`: the computer rolls for the second character
    - `= 737` becomes `--faces =737`, which is split when the dice are known
    """
    args = _split_faces(ctx.command, args)
    places = are_positional(ctx.command, args)
    own = (place for place, word in enumerate(args) if places[place] and starts_dice(word))
    place = next(own, None)
    if place is None:
        return [*args]
    is_for_several = any(own and means_several(word) for word, own in zip(args[:place], places, strict=False))
    may_have_signs = any(re.search(FATE_DICE_PATTERN, word) for word in args)
    is_face = partial(re.fullmatch, FACES_AND_SIGNS_PATTERN if may_have_signs else FACES_PATTERN)
    faces = [args[place].removeprefix(DICE_SIGN), *takewhile(is_face, args[place + 1 :])]
    if may_have_signs and any(sign in face for face in faces for sign in SIGNS):
        faces_typed = [each for face in faces for each in (face.removeprefix(DICE_SIGN) if "," not in face else [face])]
        text = " ".join(faces_typed)
    else:
        text = " ".join(faces).strip(" " if is_for_several else " ,")
    if not text.strip(" ,"):
        raise click.UsageError("Type the dice after the equals sign, as in: = 7 3", ctx)
    rolls = [roll.strip() for roll in (text.split(",") if is_for_several else [text])]
    typed = (f"{DICE_SIGN}{roll}" if roll.isdecimal() else ",".join(re.split("[ ,]+", roll)) for roll in rolls)
    return [FACES_FLAG, ";".join(typed), *args[:place], *args[place + len(faces) :]]


def join_pool(command: click.Command, args: Sequence[str], cast: Callable[[], Collection[str]]) -> list[str]:
    """Join the words of dice notation, such as `d20 + 5 adv`, into one word at the end of the line.

    The flags, `--` and the character come before this word, in this order. `vs 15` becomes the flag `--vs 15`. A
    word is the character in these cases:

    - It is `all`, a range or a name with `@`, anywhere in the line.
    - It is the first word, and no operator follows it.
    - It is the start of a name in the `cast`, anywhere in the line, and no operator is beside it.
    """
    if not takes_pool(command):
        return [*args]
    places = are_positional(command, args)
    own = [word for word, is_own in zip(args, places, strict=True) if is_own]
    target: list[str] = []
    place = (
        own.index(VERSUS_FLAG_NAME)
        if VERSUS_FLAG_NAME in own[:-1] and not any(re.search(r"[#\[]", word) for word in own)
        else 0
    )
    if place and own[place + 1].isdecimal() and any(f"--{VERSUS_FLAG_NAME}" in param.opts for param in command.params):
        own, target = [*own[:place], *own[place + 2 :]], [f"--{VERSUS_FLAG_NAME}", own[place + 1]]
    who = next((word for word in own if re.fullmatch(NAME_WITH_AT_PATTERN, word) or means_several(word)), None)
    if who is None and len(own) > 1:
        if _may_be_name(own[0]) and own[1] not in OPERATORS:
            who = own[0]
        else:
            could_be = _words_without_operators(own)
            who = next((word for word in could_be if any(name.startswith(word) for name in cast())), None)
    elif who is not None and own[0] != who and _may_be_name(own[0]) and own[1] not in OPERATORS:
        raise click.UsageError(f"Name {own[0]} or {who}, not both.")
    if not own or own == [who]:
        return [*args]
    if who is not None:
        own.remove(who)
    flags = [word for word, is_own in zip(args, places, strict=True) if not is_own and word != "--"]
    return [*flags, *target, "--", *filter(None, [who]), " ".join(own)]


def join_terms(command: click.Command, args: Sequence[str], cast: Callable[[], Collection[str]]) -> list[str]:
    """Join the terms of a roll into one word: `stealth + 2 15 adv` becomes `stealth + 2 adv` and `15`.

    - A number to reach, and the start of a name in the `cast`, stay apart: `stealth jo 15 +2` becomes `stealth +2`,
      `jo` and `15`.
    - Other words after a number with a sign become its label: `stealth +1 rain` becomes `stealth +1[rain]`.
    """
    args = _with_labels(args, cast)
    places = are_positional(command, ("term" if is_subtracted(word) else word for word in args))
    joined, flags, last = list[str](), list[str](), 0  # `last` is the place of the word that was added or extended last
    for word, is_own in zip(args, places, strict=True):
        if not is_own:
            flags += [word] if word != "--" else []
        elif joined and joined[last].endswith(OPERATORS):
            joined[last] += f" {word}"
        elif joined and (word in ADVANTAGE_WORDS or word.startswith(OPERATORS)):
            last = _place_of_roll(joined, cast)
            joined[last] += f" {word}"
        else:
            last = len(joined)
            joined.append(word)
    return [*flags, *(["--"] if any(word.startswith("-") for word in joined) else []), *joined]


def _place_of_roll(words: Sequence[str], cast: Callable[[], Collection[str]]) -> int:
    """Return the index of the last word that is neither a target number nor the start of a name in the `cast`.

    If there is no such word, return 0.
    """
    place = len(words) - 1
    while place and (words[place].isdecimal() or any(who.startswith(words[place].lower()) for who in cast())):
        place -= 1
    return place


def _with_labels(words: Sequence[str], cast: Callable[[], Collection[str]]) -> list[str]:
    """Turn the plain words after a number into its label: `-2 rain` becomes `-2[rain]`."""

    def is_reason(word: str) -> bool:
        is_plain = re.fullmatch(REASON_WORD_PATTERN, word) is not None
        return is_plain and not any(name.startswith(word.lower()) for name in cast())

    labeled, rest = list[str](), [*words]
    while rest:
        word = rest.pop(0)
        reason = [*takewhile(is_reason, rest)] if labeled and re.fullmatch(AMOUNT_PATTERN, word) else []
        labeled.append(f"{word}[{' '.join(reason)}]" if reason else word)
        del rest[: len(reason)]
    return labeled


def _may_be_name(word: str) -> bool:
    is_name = re.fullmatch(HANDLE_PATTERN, word) is not None
    return is_name and re.search(DICE_PATTERN, word) is None and word not in ADVANTAGE_WORDS


def _words_without_operators(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of dice notation that could be names, and that no operator joins to other words."""
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if _may_be_name(word) and not before.endswith(OPERATORS) and not after.startswith(OPERATORS):
            yield word


def subtracts_dice(word: str) -> bool:
    """Return True for dice notation that starts with a hyphen, such as `-d6+20`."""
    return is_subtracted(word) and re.search(DICE_PATTERN, word) is not None


def _split_faces(command: click.Command, args: Sequence[str]) -> list[str]:
    """Separate typed faces from the word to which they are joined: `25=7` becomes `25 =7`.

    If the word is the value of a flag, separate the faces only if the flag takes a number.
    """
    numbers = {flag for param in command.params if param.type.name == "N" for flag in param.opts}
    places = are_positional(command, args)
    return split_faces(args, [own or before in numbers for before, own in zip(["", *args], places, strict=False)])


def split_faces(words: Sequence[str], may_join: Iterable[bool]) -> list[str]:
    """Separate words from their faces: `25=7` becomes `25 =7`, and `d20=17` becomes `d20 =17`.

    `may_join` says for each word whether faces may be joined to it.
    """
    pieces: list[str] = []
    for word, own in zip(words, may_join, strict=True):
        joined = _match_dice_with_faces(word) if own else None
        signs = [DICE_SIGN, joined[2]] if joined and any(sign in joined[2] for sign in SIGNS) else None
        pieces += [joined[1], *(signs or [f"{DICE_SIGN}{joined[2]}"])] if joined else [word]
    return pieces


def _match_dice_with_faces(word: str) -> re.Match[str] | None:
    """Match dice and their faces in one word. Do not match `6d6x=5`: this equals sign belongs to the notation."""
    joined = re.fullmatch(DICE_WITH_FACES_PATTERN, word) if DICE_SIGN in word else None
    has_dice = joined is not None and re.search(DICE_PATTERN, joined[1])
    return None if joined and has_dice and re.search(COMPARING_MODIFIER_PATTERN, joined[1], re.IGNORECASE) else joined


def without_dice(words: Sequence[str], *, rolls: bool) -> list[str]:
    """Remove the typed dice and the `--once` id from the words of a line.

    If the line `rolls`, numbers joined to a word with `=` are dice too, as in `d20=17`. If not, `edge=4` stays.
    """
    remaining: list[str] = []
    left = iter(words)
    for word in left:
        dice = _match_dice_with_faces(word) if rolls and not (remaining and remaining[-1].startswith("--")) else None
        if word in {FACES_FLAG, "--once"}:
            next(left, None)
        elif dice or starts_dice(word):
            remaining += [dice[1]] if dice else []
            remaining += dropwhile(partial(re.fullmatch, FACES_PATTERN), left)
        elif not word.startswith((f"{FACES_FLAG}=", "--once=")):
            remaining.append(word)
    return remaining


def has_dice(command: click.Command, args: Sequence[str]) -> bool:
    """Return True if the words contain typed dice, as in `= 7 3`. Return False for a command that takes a text."""
    return text_argument(command) is None and any(map(starts_dice, positional_words(command, args)))
