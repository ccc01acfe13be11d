"""The GM's desk beside the feed: the turn order, and the non-player characters in groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ledger.journal.book import Book
from ledger.values import Struct
from projections.sheets import Sheet, sheets
from projections.status import TurnOrder, session_npcs

NUMBERED_NAME_PATTERN = re.compile(r"(.+?)-?[0-9]+")
"""The pattern for the short name of a character that belongs to a group, such as `gob-1`."""

MOST_COUNTERS = 3
"""The maximum number of a character's scores on the desk. The sheet has all scores."""


class DeskTurn(Struct):
    """A place in the turn order.

    `ahead` is the character just before this one if both have the same number. Otherwise, it is "".
    """

    who: str
    name: str
    number: int
    has_turn: bool
    has_acted: bool
    ahead: str


class Counter(Struct):
    """A score that changes often, such as hit points. `full` is the name with the game, and `name` the name alone."""

    full: str
    name: str
    value: int
    most: int | None


class Npc(Struct):
    """A non-player character with the scores that change often. `game` is the game of the first sheet, or ""."""

    who: str
    name: str
    game: str
    counters: tuple[Counter, ...]


class NpcGroup(Struct):
    """Non-player characters whose names differ only in their numbers."""

    name: str
    members: tuple[Npc, ...]


def desk_values(book: Book, order: TurnOrder) -> dict[str, Any]:
    """Return the desk's template values: the round, the places of the turn order, and the groups."""
    return {"round": order.round, "places": desk_turns(order), "groups": npc_groups(book)}


def desk_turns(order: TurnOrder) -> list[DeskTurn]:
    """Return the places of the turn order, with the facts that decide which buttons the GM sees."""
    ahead = ["", *(place.who for place in order.order)]
    numbers = [None, *(place.number for place in order.order)]
    return [
        DeskTurn(
            who=place.who,
            name=order.names[place.who],
            number=place.number,
            has_turn=bool(order.round) and place.who == order.who,
            has_acted=place.who in order.acted,
            ahead=before if number == place.number else "",
        )
        for place, before, number in zip(order.order, ahead, numbers, strict=False)
    ]


def npc_groups(book: Book) -> list[NpcGroup]:
    """Return the non-player characters of this session in groups, in the order in which they joined."""
    groups: dict[str, list[Npc]] = {}
    for who in session_npcs(book):
        counters = [counter for page in sheets(book, [who]) for counter in counters_of(page)]
        games = [*book.systems(who), ""]
        npc = Npc(who=who, name=book.name_of(who), game=games[0], counters=tuple(counters[:MOST_COUNTERS]))
        numbered = NUMBERED_NAME_PATTERN.fullmatch(who)
        groups.setdefault(numbered[1] if numbered else who, []).append(npc)
    return [NpcGroup(name=name, members=tuple(members)) for name, members in groups.items()]


def counters_of(page: Sheet) -> Sequence[Counter]:
    """Return the scores that change often: those with a maximum, or else all without a dot in their names."""
    limited = [score for score in page.scores if score.most is not None]
    return [
        Counter(full=f"{page.system}/{score.name}", name=score.name, value=score.value, most=score.most)
        for score in limited or (score for score in page.scores if "." not in score.name)
    ]
