"""The modifiers of dice, such as `kh3` in `4d6kh3`: their typed words and their meanings.

The words are from Avrae, Foundry and Roll20. If two of these programs read a word differently, `DISAGREEMENTS` has
both readings, each with a notation that has only this meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import eq, ge, gt, le, lt, ne
from typing import Literal

from ledger.values import Struct

COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": ge, "<=": le, "!=": ne, "<>": ne, "==": eq, "=": eq, ">": gt, "<": lt,
}  # fmt: skip
HIGHEST, LOWEST = "h", "l"

ModifierKind = Literal["keep", "drop", "reroll", "explode", "raise", "lower", "count", "uncount", "sort"]


class Modifier(Struct):
    """A modifier of rolled dice. `text` is its text as typed.

    - `by`: with `h` or `l`, the modifier selects as many of the highest or lowest dice as `number` says. With a
      comparison such as `>=`, it selects all dice that pass this comparison with `number`.
    - `once`: new dice are not rerolled and do not explode.
    - `single`: only the first selected die is rerolled or explodes.
    - `compound`: an explosion is added to its die.
    - `penetrating`: each die of an explosion counts 1 less.
    - `unique`: the modifier rerolls only dice that show the same number as an earlier die.
    """

    text: str = ""
    does: ModifierKind
    by: str = ""
    number: int = 0
    once: bool = False
    single: bool = False
    compound: bool = False
    penetrating: bool = False
    unique: bool = False

    @property
    def throws(self) -> bool:
        """True if the modifier rolls more dice."""
        return self.does in {"reroll", "explode"}

    @property
    def by_rank(self) -> bool:
        """True if the modifier selects the highest or the lowest dice."""
        return self.by in {HIGHEST, LOWEST}

    def matches(self, value: int) -> bool:
        """Return True if `by` and `number` select a die with this value."""
        return COMPARISONS[self.by](value, self.number)


_KEEP_HIGHEST, _DROP_LOWEST = Modifier(does="keep", by=HIGHEST), Modifier(does="drop", by=LOWEST)
_EXPLODE, _REROLL, _COUNT = Modifier(does="explode"), Modifier(does="reroll"), Modifier(does="count")

MODIFIERS_BY_WORD: Mapping[str, Modifier] = {
    **dict.fromkeys(("kh", "k"), _KEEP_HIGHEST),
    "kl": Modifier(does="keep", by=LOWEST),
    **dict.fromkeys(("dl", "d", "pl"), _DROP_LOWEST),
    **dict.fromkeys(("dh", "ph"), Modifier(does="drop", by=HIGHEST)),
    **{f"k{sign}": Modifier(does="keep", by=sign) for sign in COMPARISONS},
    "p": Modifier(does="drop"),
    **dict.fromkeys(("rr", "r"), _REROLL),
    "ro": _REROLL.replace(once=True),
    "u": _REROLL.replace(unique=True),
    "uo": _REROLL.replace(unique=True, once=True),
    **dict.fromkeys(("!", "x", "e"), _EXPLODE),
    **dict.fromkeys(("!o", "xo"), _EXPLODE.replace(once=True)),
    "ra": _EXPLODE.replace(once=True, single=True),
    "!!": _EXPLODE.replace(compound=True),
    "!p": _EXPLODE.replace(penetrating=True),
    "!!p": _EXPLODE.replace(compound=True, penetrating=True),
    **dict.fromkeys(("mi", "min"), Modifier(does="raise", by="=")),
    **dict.fromkeys(("ma", "max"), Modifier(does="lower", by="=")),
    **dict.fromkeys(("cs", "cf"), _COUNT),
    **{sign: _COUNT.replace(by=sign) for sign in COMPARISONS},
    **dict.fromkeys(("f", "df"), Modifier(does="uncount")),
    **dict.fromkeys(("s", "sa"), Modifier(does="sort", by="a")),
    "sd": Modifier(does="sort", by="d"),
}
"""The modifiers by the words that people type. If a modifier's `by` is empty, a comparison or a number can follow."""

WORDS_LONGEST_FIRST = sorted(MODIFIERS_BY_WORD, key=len, reverse=True)
KINDS_WITH_NUMBER = frozenset({"raise", "lower", "count", "uncount"})
MOST_REPEAT_CHANCE = 0.95
"""The maximum chance that a die is rolled again, if the new die can be rolled again too."""

_KEEP_OR_DROP_KINDS = frozenset({"keep", "drop"})


class Disagreement(Struct):
    """Modifiers that communities read differently.

    - `compares`: the readings differ if one of these comparisons and a number follow the modifier ("": just a number).
    - `readings`: the two readings. Each is a meaning, and the notation that has only this meaning.
    - `bare`: the readings also differ if neither a comparison nor a number follows the modifier.

    A reading can have placeholders. `{word}` and `{number}` are the typed word and number. `{same}` is a
    comparison that includes the number, and `{strict}` is one that does not. `{count}` counts the dice that pass
    the comparison.
    """

    words: frozenset[str]
    compares: frozenset[str]
    readings: tuple[tuple[str, str], tuple[str, str]]
    bare: bool = False


_EQUAL_SIGNS, _UNEQUAL_SIGNS, _STRICT_SIGNS = frozenset({"", "=", "=="}), frozenset({"!=", "<>"}), frozenset({"<", ">"})

DISAGREEMENTS = (
    Disagreement(
        words=frozenset({"k"}),
        compares=frozenset({""}),
        readings=(
            ("keep the highest {number} (Foundry and Roll20)", "kh{number}"),
            ("keep all dice that show {number} (Avrae)", "k=={number}"),
        ),
    ),
    Disagreement(
        words=frozenset({"r"}),
        compares=frozenset({"", *COMPARISONS}),
        readings=(
            ("reroll once (Foundry)", "ro{strict}"),
            ("reroll until no die matches (Roll20)", "rr{same}"),
        ),
        bare=True,
    ),
    Disagreement(
        words=frozenset({"cs", "cf"}),
        compares=_EQUAL_SIGNS | _STRICT_SIGNS | _UNEQUAL_SIGNS,
        readings=(
            ("count the dice that match (Foundry)", "{count}"),
            ("add up all dice (Roll20)", ""),
        ),
    ),
    Disagreement(
        words=frozenset({"="}),
        compares=frozenset({"="}),
        readings=(
            ("count the dice that show {number}", "=={number}"),
            ("enter the results of dice that you rolled by hand", ""),
        ),
    ),
    Disagreement(
        words=frozenset({"!="}),
        compares=frozenset({"!="}),
        readings=(
            ("explode each {number} (Roll20)", "!{number}"),
            ("count the dice that do not show {number}", "<>{number}"),
        ),
    ),
    Disagreement(
        words=frozenset({"ro", "!", "!!", "!p", "!!p", "!o", "f", "<", ">"}),
        compares=_STRICT_SIGNS,
        readings=(
            ("include {number} (Roll20)", "{word}{same}"),
            ("leave out {number} (other programs)", "{word}{strict}"),
        ),
    ),
)


def readings(word: str, compare: str, number: str) -> list[tuple[str, str]]:
    """Return the readings of a modifier that communities read differently, else []. Each has a meaning and a notation.

    `word`, `compare` and `number` are the typed parts of the modifier. The last two may be empty.
    """
    row = next((row for row in DISAGREEMENTS if word in row.words and compare in row.compares), None)
    if row is None or not (number or (row.bare and not compare)):
        return []
    same = strict = f"{compare}{number}"
    if compare in _STRICT_SIGNS:
        same = f"{compare}={number}"
        strict = f"<={int(number) - 1}" if compare == "<" else f">={int(number) + 1}"
    facts = {
        "word": "" if word in COMPARISONS else word,
        "number": number,
        "same": same,
        "strict": strict,
        "count": f"<>{number}" if compare in _UNEQUAL_SIGNS else strict if compare else f"=={number}",
    }
    return [(meaning.format(**facts), typed.format(**facts)) for meaning, typed in row.readings]


def reads_in_two_orders(earlier: Modifier, later: Modifier) -> bool:
    """Return True if the order of two modifiers matters, and communities apply them in different orders.

    Avrae and Foundry apply modifiers in the order typed: the later one applies to the dice that the earlier one left.
    Other programs roll dice again first, then keep, and then drop.
    """
    if earlier.does not in _KEEP_OR_DROP_KINDS:
        return False
    if later.throws or (earlier.does, later.does) == ("keep", "keep"):
        return True
    if not (earlier.by_rank and later.by_rank) or (earlier.does, later.does) == ("drop", "drop"):
        return False
    return (earlier.by == later.by) is (earlier.does == "drop")


def group_key(modifier: Modifier) -> tuple[str, bool, bool]:
    """Return a key of a modifier. Modifiers in a row that have equal keys are applied together."""
    return modifier.does, modifier.once, modifier.unique


def drops_all(word: str, modifier: Modifier, count: int) -> bool:
    """Return True if a modifier drops all of `count` dice.

    Return False for a `dh` or `dl` of exactly `count` dice, such as `2d6dh2`: old entries may have such notation.
    """
    least = count + 1 if word in {"dh", "dl"} else count
    return modifier.does == "drop" and modifier.by_rank and modifier.number >= least > 0


def expected_rolls(modifiers: Sequence[Modifier], values: Sequence[int], count: int) -> float | None:
    """Return how often each of `count` dice is rolled, on average. `values` are the numbers that a die can show.

    Return None if a die might be rolled again without end.
    """
    expected = 1.0
    for _, several in groupby(modifiers, key=group_key):
        group = [*several]
        if not group[0].throws:
            continue
        for together in [[one] for one in group] if group[0].unique else [group]:
            chance = _chance_of_more(together, values, count)
            if chance > MOST_REPEAT_CHANCE and not group[0].once:
                return None
            expected *= 1 + chance if group[0].once else 1 / (1 - chance)
    return expected


def _chance_of_more(modifiers: Sequence[Modifier], values: Sequence[int], count: int) -> float:
    """Return an upper bound for the chance that a die is rolled again because of `modifiers` of one kind.

    `values` are the numbers that the die can show. `count` dice are rolled at the same time.
    """
    if any(modifier.by_rank for modifier in modifiers):
        return 1
    if modifiers[0].unique:
        return min(1, (count - 1) / len({*values}))
    return sum(any(modifier.matches(value) for modifier in modifiers) for value in values) / len(values)


def counts_twice(modifiers: Sequence[Modifier], values: Iterable[int]) -> bool:
    """Return True if a die with one of these values could count as a success and as a failure."""
    counts = [modifier for modifier in modifiers if modifier.does in {"count", "uncount"}]
    possible = {*values}
    if any(one.compound or one.penetrating or one.does in {"raise", "lower"} for one in modifiers):
        possible |= {one.number + step for one in counts for step in (-1, 0, 1)}
    return any({one.does for one in counts if one.matches(value)} == {"count", "uncount"} for value in possible)
