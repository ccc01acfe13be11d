"""Amounts in a typed line: changes of scores such as `-1 edge`, and bonuses with their reasons such as `+1 rain`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import click

from cli.short_words import ALL, AMOUNT, AMOUNT_OF, DICE, FITS, NAME, OTHER, are_positional_or_amounts, starts_dice
from ledger.errors import MINUS
from ledger.values import Field

SCORE_WITH_AMOUNT = f"([a-z][^=+{MINUS}]*)([+{MINUS}][0-9]+)"
"""A pattern for a score and its amount, such as `edge+1`. Hyphens are not signs: names like `bandit-1` have hyphens."""


def joined(words: Sequence[str]) -> list[str]:
    """Rewrite `edge = 2` and `edge =2` as `edge=2`."""
    left, pairs = iter(words), list[str]()
    for word in left:
        if pairs and word.startswith(DICE) and re.fullmatch(NAME, pairs[-1]):
            pairs[-1] += word if word != DICE else f"{DICE}{next(left, '')}"
        elif re.fullmatch(f"{NAME}{DICE}", word):
            pairs.append(f"{word}{next(left, '')}")
        else:
            pairs.append(word)
    return pairs


def amounts(command: click.Command, args: Sequence[str], all_characters: Callable[[], Collection[str]]) -> list[str]:
    """Rewrite `-1 edge`, `-1edge`, `edge -1` and `edge+1` as changes like `edge=-1`.

    A word that names one of `all_characters` is not taken for a score.
    """
    words: list[str] = []
    for word, own in zip(args, are_positional_or_amounts(command, args), strict=True):
        found = (re.fullmatch(AMOUNT_OF, word) or re.fullmatch(SCORE_WITH_AMOUNT, word)) if own else None
        words += [word] if found is None else [*found.groups()]
    free = are_positional_or_amounts(command, words)
    amounts_at = [place for place, word in enumerate(words) if free[place] and re.fullmatch(AMOUNT, word)]
    names_at = [place for place, word in enumerate(words) if free[place] and word != ALL and re.fullmatch(NAME, word)]
    if amounts_at and len(names_at) == len(amounts_at) + 1:
        characters = all_characters()
        fitting = (place for fits in FITS for place in names_at if any(fits(who, words[place]) for who in characters))
        names_at.remove(next(fitting, names_at[0]))
    if len(names_at) != len(amounts_at):
        return words
    rest = [word for place, word in enumerate(words) if place not in {*amounts_at, *names_at}]
    return [*rest, *(f"{words[name]}={words[amount]}" for name, amount in zip(names_at, amounts_at, strict=True))]


def bonus_flags(command: click.Command, args: Sequence[str], bonus: Field | None) -> list[str]:
    """Rewrite signed numbers, each with its words, as the input `bonus` of a move, and the words as `--why`.

    The words end at a number, dice, a flag or a name with `@`. Several bonuses are added up. Raise `UsageError` if the
    move takes no bonus, or if a reason is missing.
    """
    found, rest, is_open = list[tuple[str, list[str]]](), list[str](), False
    for word, own in zip(args, are_positional_or_amounts(command, args), strict=True):
        if own and re.fullmatch(AMOUNT, word):
            found.append((word, []))
            is_open = True
        elif is_open and own and not (word.isdecimal() or starts_dice(word) or re.fullmatch(OTHER, word)):
            found[-1][1].append(word)
        else:
            rest.append(word)
            is_open = False
    if not found:
        return rest
    if bonus is None:
        raise click.UsageError(f"{command.name} does not take a bonus or a penalty, such as {found[0][0]}.")
    bare = next((typed for typed, words in found if not words), None)
    if bare is not None and (bonus.keyed or "--why" not in rest):
        raise click.UsageError(f"{bare} needs a reason. Type it after the number: {bare} rain")
    flag, numbers = f"--{bonus.name}", [int(typed.replace(MINUS, "-")) for typed, _ in found]
    if bonus.keyed:
        named = (f"{'-'.join(words).lower()}={number}" for number, (_, words) in zip(numbers, found, strict=True))
        return [*(word for pair in named for word in (flag, pair)), *rest]
    reasons = [" ".join(found[0][1])] if len(found) == 1 else [" ".join([typed, *words]) for typed, words in found]
    return [flag, str(sum(numbers)), *([] if bare else ["--why", ", ".join(reasons)]), *rest]
