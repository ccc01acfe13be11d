"""The numbers of `docs/luck.md`: how often loaded dice are found, in seeded simulations.

`python tests/support/luck_page.py` writes them down.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random

from paths import ROOT
from projections.luck import LEAST_ROLLS, evidence, limit_of

PAGE = ROOT / "docs" / "luck.md"
DICE = (4, 6, 8, 10, 12, 20, 100)
ROLLS = (100, 200, 500, 1000)
TRIALS = 1000
PLACES = (1, 2, 5, 10, 20)
NEARLY_ALL = 0.985
"""The chance above which a percentage has one more digit."""

LOADED = 2
"""The weight of the highest face of a loaded die. Each other face has the weight 1."""


@cache
def evidences(sides: int, load: float = LOADED, trials: int = TRIALS) -> tuple[tuple[float, ...], ...]:
    """The evidence against a loaded die after each number of rolls in `ROLLS`, in each simulated campaign."""
    random = Random(sides)  # noqa: S311  seeded on purpose
    return tuple(tuple(_campaign(random, sides, load)) for _ in range(trials))


def _campaign(random: Random, sides: int, load: float) -> Iterator[float]:
    faces = [0] * sides
    for before, rolls in pairwise((0, *ROLLS)):
        for face in random.choices(range(sides), [1] * (sides - 1) + [load], k=rolls - before):
            faces[face] += 1
        yield evidence(faces)


def share(sides: int, rolls: int, place: int = 1) -> float:
    """The share of campaigns in which a loaded die is called unfair after so many rolls."""
    if rolls < LEAST_ROLLS * sides:
        return 0
    found = [campaign[ROLLS.index(rolls)] > limit_of(place) for campaign in evidences(sides)]
    return sum(found) / len(found)


def chances() -> list[str]:
    """The table of how often a loaded die is found, by its sides and the number of rolls."""
    head = ["die", "rolls for a verdict", *(f"{rolls:,} rolls" for rolls in ROLLS)]
    rows = [[f"d{sides}", str(LEAST_ROLLS * sides), *(_chance(sides, rolls) for rolls in ROLLS)] for sides in DICE]
    return _table(head, rows)


def _chance(sides: int, rolls: int) -> str:
    return percent(share(sides, rolls)) if rolls >= LEAST_ROLLS * sides else "no verdict"


def later_dice() -> list[str]:
    """The table of how often a loaded d6 and d20 are found after 500 rolls, by the place of the die."""
    head = ["the die is the …", "limit", "d6, 500 rolls", "d20, 500 rolls"]
    names = {1: "1st", 2: "2nd"}
    rows = [
        [
            names.get(place, f"{place}th"),
            f"{100 * place * (place + 1):,} to 1",
            *(percent(share(sides, 500, place)) for sides in (6, 20)),
        ]
        for place in PLACES
    ]
    return _table(head, rows)


def percent(chance: float) -> str:
    """A chance in whole percent, but never 100 % for less than every campaign."""
    return f"{100 * chance:.{1 if NEARLY_ALL < chance < 1 else 0}f} %"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return [lines[0], f"{'|---' * len(head)}|", *lines[1:]]


def with_tables(text: str) -> str:
    """The page with its tables made again. Each table comes after a line that starts like its first row."""
    lines = text.split("\n")
    for table in (chances(), later_dice()):
        first = lines.index(table[0])
        last = next(place for place in range(first, len(lines)) if not lines[place].startswith("|"))
        lines[first:last] = table
    return "\n".join(lines)


def main() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
