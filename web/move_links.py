"""Links from the rows of a sheet to moves. A row has a link if an input of a move takes the name of the row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from urllib.parse import quote, urlencode

from ledger import systems
from ledger.events.subjects import CAMPAIGN
from ledger.reading.placing import has_place
from ledger.rules.inputs import SHEET_TAG_NAMES, Tag
from ledger.rules.move import Move
from ledger.rules.system import Row
from ledger.values import Field, Struct
from projections.sheets import Sheet, rows_shown

TRAY_DICE = ("d4", "d6", "d8", "d10", "d12", "d20", "d100")
"""The dice that have a button on the page."""


class MoveLink(Struct):
    """A link that opens the tray for a move. `label` is the input that it fills in, such as "deception"."""

    label: str
    move: type[Move]
    address: str


class RowWithLinks(Struct):
    """A row of a sheet with its links. A row that shows several names has several links."""

    row: Row
    links: tuple[MoveLink, ...] = ()


def tray_address(who: str, game: str, move: str, **inputs: str) -> str:
    """Return the address of the tray for a move, with inputs that are filled in already."""
    path = "/".join(map(quote, ("tray", who, game, move)))
    return f"{path}?{urlencode(inputs)}" if inputs else path


def families_of(field: Field) -> set[str]:
    """Return the families of scores and marks on the character's own sheet that an input may name, such as `skill`."""
    tags = (tag for tag in field.tags if isinstance(tag, Tag) and tag.name in SHEET_TAG_NAMES and tag.whose == "who")
    return {tag.of for tag in tags if tag.of}


@cache
def inputs_taking(game: str, family: str) -> Sequence[tuple[type[Move], Field]]:
    """Return the moves of a game that take a name of this family, each with the input that takes it.

    Moves that take the name without a flag come first. Among these, the usual move comes first. Moves that only the GM
    plays come last.
    """
    system = systems.find(game)
    found = [
        (move, field)
        for move in system.playable().values()
        for field in move.fields().values()
        if family in families_of(field) and not (field.many or field.keyed) and field.name not in move.chosen
    ]
    found.sort(key=lambda pair: (pair[0].is_for_gm(), not has_place(pair[1]), pair[0].name() != system.main))
    return tuple({move: (move, field) for move, field in reversed(found)}.values())[::-1]


def rows_with_links(sheet: Sheet) -> list[RowWithLinks]:
    """Return the rows of a sheet with their links. If several rows show the same name, only the last one has it."""
    rows = rows_shown(sheet)
    links = [tuple(_links_of(sheet, row)) if _has_moves(sheet) else () for row in rows]
    places = {link.address: place for place, row_links in enumerate(links) for link in row_links}
    return [
        RowWithLinks(row=row, links=tuple(link for link in links[place] if places[link.address] == place))
        for place, row in enumerate(rows)
    ]


def other_rolls(sheet: Sheet, rows: Iterable[RowWithLinks]) -> list[MoveLink]:
    """Return links for the moves with dice that no link in `rows` opens. The usual move comes first."""
    if not _has_moves(sheet):
        return []
    system, started = systems.find(sheet.system), {link.move for row in rows for link in row.links}
    moves = [move for move in system.playable().values() if move.may_roll() and move not in started]
    moves.sort(key=lambda move: (move.is_for_gm(), move.name() != system.main))
    return [
        MoveLink(label=move.name(), move=move, address=tray_address(sheet.who, system.name, move.name()))
        for move in moves
    ]


def task_link(words: Sequence[str]) -> MoveLink:
    """Return the link for the command that completes a task on a sheet, such as `edge soak brak`."""
    game, name, who, *flags = words
    ticked = (flag for flag, after in pairwise((*flags, "--")) if flag[:2] == after[:2] == "--")
    inputs = {flag.removeprefix("--").replace("-", "_"): "yes" for flag in ticked}
    return MoveLink(
        label=name, move=systems.find(game).playable()[name], address=tray_address(who, game, name, **inputs)
    )


def _has_moves(sheet: Sheet) -> bool:
    return sheet.who != CAMPAIGN and systems.is_installed(sheet.system)


def _links_of(sheet: Sheet, row: Row) -> Iterator[MoveLink]:
    if row.then:
        yield task_link(row.then.format(who=sheet.who).split()).replace(label=row.label)
        return
    seen = set[str]()
    for name in row.shows:
        family, dot, own = name.partition(".")
        found = inputs_taking(sheet.system, family) if dot else ()
        if found and own not in seen:
            seen.add(own)
            move, field = found[0]
            address = tray_address(sheet.who, sheet.system, move.name(), **{field.name: own})
            yield MoveLink(label=own, move=move, address=address)
