"""The list of games: built-in ones (each is a package here), and those in the entry point group `campaign.systems`.

A game's package defines `SYSTEM`. It imports `ledger.rules` and its own modules, never another game or this list. The
modules are the same in every game: `sheet` (scores, marks, settings), `rules` (the formulas), `consequences` (the
changes that moves cause), `moves` (often split into `moves_*`), `audit`, and `wording` (how the log describes moves).
The best game to read first is `rollunder`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from ledger.errors import UnknownName, join_sorted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ledger.rules.system import System

ENTRY_POINT_GROUP = "campaign.systems"

BUILT_IN_GAMES: Mapping[str, str] = {
    "edge": "2d10, skill and edge: checks, damage, armor, rest, burning edge",
    "syscards": "a d100 must reach or beat a rate: cards, challenges, rejections, raises",
    "byzantine": "daily energy: connections, dawns, investments, tasks, debts",
    "rollunder": "roll 1d20 at or below a difficulty number: skills, characteristics, five success levels",
    "multicheck": "one d100 compared with six values: tests, advantage, saves, conditions",
    "free": "any numbers that you name, like hit points and gold",
}
"""The built-in games, each with its line in the help."""


def find(name: str) -> System:
    """Return the game with this name. Raise `UnknownName` for a game that is not installed."""
    system: System | None
    system = _built_in_game(name) if name in BUILT_IN_GAMES else dict(_other_games()).get(name)
    if system is None:
        raise UnknownName(f"There is no game called {name!r}.", f"The games are: {join_sorted(names())}.")
    return system


@cache
def _built_in_game(name: str) -> System:
    system: System = import_module(f"ledger.systems.{name}").SYSTEM
    return system


def installed(name: str) -> System | None:
    """Return the game with this name, or `None` for a game that is not installed."""
    return find(name) if is_installed(name) else None


def is_installed(name: str) -> bool:
    """Return True for the name of a built-in game, or of a game from an installed package."""
    return name in BUILT_IN_GAMES or name in dict(_other_games())


def names() -> tuple[str, ...]:
    """Return the names of all installed games, the built-in ones first."""
    return (*BUILT_IN_GAMES, *dict.fromkeys(entry.name for entry in _entry_points(tuple(sys.path))))


def other_packages() -> list[str]:
    """Return, in order, the names of the installed packages or modules that have games."""
    return sorted({entry.module.partition(".")[0] for entry in _entry_points(tuple(sys.path))})


def main_games(games: Sequence[System]) -> list[System]:
    """Leave out secondary games. If all are secondary, return all."""
    return [game for game in games if not game.secondary] or [*games]


def _other_games() -> Iterator[tuple[str, System]]:
    for entry in _entry_points(tuple(sys.path)):
        yield entry.name, entry.load()


@cache
def _entry_points(places: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Find the games of other packages. `places` is `sys.path`, and only serves as the key of the cache."""
    from importlib.metadata import entry_points  # this import takes as long as a roll

    return tuple(entry for entry in entry_points(group=ENTRY_POINT_GROUP) if entry.name not in BUILT_IN_GAMES)
