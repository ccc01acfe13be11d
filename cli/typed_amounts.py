"""Amounts in a typed line: changes of scores such as `-1 edge`, and bonuses with their reasons such as `+1 rain`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

import click

from cli.short_words import (
    ADVANTAGE_WORDS,
    AMOUNT_OF_PATTERN,
    AMOUNT_PATTERN,
    DICE_SIGN,
    MATCHERS_IN_ORDER,
    NAME_PATTERN,
    NAME_WITH_AT_PATTERN,
    VERSUS_FLAG_NAME,
    are_positional_or_amounts,
    means_several,
    starts_dice,
)
from ledger.errors import MINUS
from ledger.rules.inputs import BONUS
from ledger.values import Field

SCORE_CHANGE_PATTERN = rf"([^\W\d_][^=+{MINUS}]*)([+{MINUS}][0-9]+)"
"""A pattern for a score and its amount, such as `edge+1`. Hyphens are not signs: names like `bandit-1` have hyphens."""


OTHER_CIRCUMSTANCE = "other"
"""The name of a circumstance that was typed without words, as in `c stealth -2`."""


def join_assignments(words: Sequence[str]) -> list[str]:
    """Rewrite `edge = 2` and `edge =2` as `edge=2`."""
    left, pairs = iter(words), list[str]()
    for word in left:
        if pairs and word.startswith(DICE_SIGN) and re.fullmatch(NAME_PATTERN, pairs[-1]):
            pairs[-1] += word if word != DICE_SIGN else f"{DICE_SIGN}{next(left, '')}"
        elif re.fullmatch(f"{NAME_PATTERN}{DICE_SIGN}", word):
            pairs.append(f"{word}{next(left, '')}")
        else:
            pairs.append(word)
    return pairs


def rewrite_changes(
    command: click.Command, args: Sequence[str], all_characters: Callable[[], Collection[str]]
) -> list[str]:
    """Rewrite `-1 edge`, `-1edge`, `edge -1` and `edge+1` as changes like `edge=-1`.

    A word that names one of `all_characters` is not taken for a score. Several such words become a list: `brak,sil`.
    """
    words: list[str] = []
    for word, own in zip(args, are_positional_or_amounts(command, args), strict=True):
        match = (re.fullmatch(AMOUNT_OF_PATTERN, word) or re.fullmatch(SCORE_CHANGE_PATTERN, word)) if own else None
        words += [word] if match is None else [*match.groups()]
    free = are_positional_or_amounts(command, words)
    amounts_at = [place for place, word in enumerate(words) if free[place] and re.fullmatch(AMOUNT_PATTERN, word)]
    names_at = [
        place
        for place, word in enumerate(words)
        if free[place] and re.fullmatch(NAME_PATTERN, word) and not means_several(word)
    ]
    character_places = list[int]()
    if amounts_at and len(names_at) > len(amounts_at):
        characters, typed = all_characters(), {place: words[place].removesuffix(",") for place in names_at}
        fitting = [
            place
            for matches in MATCHERS_IN_ORDER
            for place in names_at
            if any(matches(who, typed[place]) for who in characters)
        ]
        apart = [place for place in names_at if place - 1 not in amounts_at]  # so it is not the score of `-1 edge`
        character_places = sorted([*dict.fromkeys([*fitting, *apart])][: len(names_at) - len(amounts_at)])
        names_at = [place for place in names_at if place not in character_places]
    if len(names_at) != len(amounts_at):
        return words
    rest = [word for place, word in enumerate(words) if place not in {*amounts_at, *names_at, *character_places}]
    who = [",".join(words[place].removesuffix(",") for place in character_places)] if character_places else []
    return [*who, *rest, *(f"{words[name]}={words[amount]}" for name, amount in zip(names_at, amounts_at, strict=True))]


def rewrite_gifts(command: click.Command, args: Sequence[str]) -> list[str]:
    """Rewrite `20 gold` and `gold 20` as gifts like `gold=20`. Change nothing if a number has no name beside it."""
    free = [place for place, own in enumerate(are_positional_or_amounts(command, args)) if own]
    numbers = [place for place in free if args[place].isdecimal()]
    step = -1 if numbers and numbers[-1] == free[-1] else 1
    names = {place: place + step for place in numbers}
    if not all(name in free and re.fullmatch(NAME_PATTERN, args[name]) for name in names.values()):
        return [*args]
    rest = [word for place, word in enumerate(args) if place not in {*names, *names.values()}]
    return [*rest, *(f"{args[name]}={args[number]}" for number, name in names.items())]


NUMBER_OF_PATTERN = r"([^=.]+)\.([^\W\d][^=]*)"
"""A pattern for a number of another character, such as `gob-1.ac`."""


def target_flags(command: click.Command, args: Sequence[str], characters: Callable[[], Collection[str]]) -> list[str]:
    """Rewrite `--vs gob-1.ac` as `--target gob-1 --number ac`.

    Without `--vs`, rewrite `gob-1.ac` only if gob-1 is one of the `characters`. Leave out a `vs` between the roll
    and the number. Raise `UsageError` for several numbers, and if `--vs` names a character but no number.
    """
    numbers, rest = dict[tuple[str, str], None](), list[str]()
    for before, word, own in zip(["", *args], args, are_positional_or_amounts(command, args), strict=False):
        value = word.removeprefix("--vs=").removesuffix(",")
        match = re.fullmatch(NUMBER_OF_PATTERN, value)
        is_value = before == "--vs" or word.startswith("--vs=")
        if is_value and value[:1].isalpha() and value in characters():
            raise click.UsageError(f"{value} has several numbers. Name the one that you mean, like {value}.ac.")
        if match and (is_value or (own and match[1] in characters())):
            rest = rest[:-1] if before == "--vs" else rest
            numbers[match[1], match[2]] = None
        elif not (own and rest and word == VERSUS_FLAG_NAME):
            rest.append(word)
    if len(numbers) > 1:
        typed = ", ".join(f"{who}.{name}" for who, name in numbers)
        raise click.UsageError(f"A roll is compared with one number, but you typed {typed}. Type one line for each.")
    flags = [word for who, name in numbers for word in ("--target", who, "--number", name)]
    return [*flags, *rest]


def modifier_flags(
    command: click.Command,
    args: Sequence[str],
    fields: Mapping[str, Field],
    reason_flag: str = "--why",
    *,
    has_reason: bool = False,
) -> list[str]:
    """Rewrite modifiers, such as `+1 rain` and `adv rope`, as flags for a move.

    `fields` has the move's inputs by name. The words after a modifier are its reason. The reason ends before a
    number, dice, a flag, a name with `@` or the next modifier. If there are no such words, the reason is the
    modifier as typed, unless there is a reason already: as `reason_flag`, or in an entry to amend (`has_reason`).
    Several numbers are added up. `adv` is a modifier only after another word. Raise `UsageError` for a number if the
    move takes no bonus.
    """
    modifiers, rest, is_open, begun = list[tuple[str, list[str]]](), list[str](), False, False
    for word, own in zip(args, are_positional_or_amounts(command, args), strict=True):
        is_name = own and re.fullmatch(NAME_WITH_AT_PATTERN, word) is not None
        if own and (re.fullmatch(AMOUNT_PATTERN, word) or (begun and ADVANTAGE_WORDS.get(word) in fields)):
            modifiers.append((word, []))
            is_open = True
        elif is_open and own and not (is_name or word.isdecimal() or starts_dice(word)):
            modifiers[-1][1].append(word)
        else:
            rest.append(word)
            is_open, begun = False, begun or (own and not is_name)
    amounts = [(word, words) for word, words in modifiers if word not in ADVANTAGE_WORDS]
    advantages = [(ADVANTAGE_WORDS[word], words) for word, words in modifiers if word in ADVANTAGE_WORDS]
    bonus = next((field for field in fields.values() if BONUS in field.tags), None)
    if amounts and bonus is None:
        raise click.UsageError(f"{command.name} does not take a bonus or a penalty such as {amounts[0][0]}.")
    granted = [word for name, words in advantages for word in (f"--{name}", " ".join(words) or name)]
    has_reason = has_reason or reason_flag in rest
    added = _bonus(bonus, amounts, reason_flag, has_reason=has_reason) if bonus and amounts else []
    return [*added, *granted, *rest]


def _bonus(
    bonus: Field, modifiers: Sequence[tuple[str, Sequence[str]]], reason_flag: str, *, has_reason: bool
) -> list[str]:
    """Return the flags for signed numbers such as `+1`, with the words after each number as its reason.

    The reason becomes the flag `reason_flag`. A number without words is its own reason, unless the line has a reason
    already (`has_reason`).
    """
    flag, numbers = f"--{bonus.name}", [int(typed.replace(MINUS, "-")) for typed, _ in modifiers]
    if bonus.keyed:
        by_name = Counter[str]()
        for number, (_, words) in zip(numbers, modifiers, strict=True):
            by_name["-".join(words).lower() or OTHER_CIRCUMSTANCE] += number
        return [word for name, number in by_name.items() for word in (flag, f"{name}={number}")]
    if len(modifiers) == 1:
        reason = " ".join(modifiers[0][1]) or modifiers[0][0]
    else:
        reason = ", ".join(" ".join([typed, *words]) for typed, words in modifiers)
    keeps_reason = has_reason and not any(words for _, words in modifiers)
    return [flag, str(sum(numbers)), *([] if keeps_reason else [reason_flag, reason])]
