"""The games, by name. One of ours is a folder in here; others are found by the entry point group `campaign.systems`,
which is searched only when a name is not one of ours.

A game knows `ledger.rules` and itself, and neither the other games nor this list. Each has the same five files: `sheet`
(scores, marks, settings), `rules` (pure functions of numbers), `consequences`, `moves` and `audit`; where its moves are
many, `moves` lists those of several `moves_*`. Its package makes one `SYSTEM` of them. Begin with `rollunder`.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from ledger.errors import UnknownName, sorted_names

if TYPE_CHECKING:
    from ledger.rules.system import System

GROUP = "campaign.systems"

OURS: Mapping[str, str] = {
    "edge": "2d10, skill and edge: checks, damage, armor, rest, the burn",
    "syscards": "percentile, reach or surpass: cards, rates, raise throws, challenges",
    "byzantine": "energy by the day: connections, dawns, investments, tasks, debts",
    "rollunder": "1d20 at or below a difficulty number: skills, characteristics, five success levels",
    "multicheck": "one d100, six checks: tests, advantage, saves, conditions",
}
"""Each game of ours with its line in the help; the module of the same name holds its `SYSTEM`."""


def find(name: str) -> "System":
    """The system of this name; refuses (`UnknownName`) where there is none."""
    found: System | None
    found = import_module(f"ledger.systems.{name}").SYSTEM if name in OURS else dict(_theirs()).get(name)
    if found is None:
        raise UnknownName(f"There is no game called {name!r}.", f"There is: {sorted_names(names())}.")
    return found


def installed(name: str) -> "System | None":
    """The system of this name, None where it is not installed here."""
    return find(name) if known(name) else None


def known(name: str) -> bool:
    """Whether there is a system of this name."""
    return name in OURS or name in dict(_theirs())


def names() -> tuple[str, ...]:
    """The names of all systems, ours first."""
    return (*OURS, *(name for name, _ in _theirs()))


def _theirs() -> Iterator[tuple[str, "System"]]:
    from importlib.metadata import entry_points  # takes as long as a roll

    for entry in entry_points(group=GROUP):
        if entry.name not in OURS:
            yield entry.name, entry.load()
