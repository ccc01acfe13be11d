"""The tray: the form in which a tap on a sheet becomes a roll. It keeps its inputs after the answer.

A tap opens the tray for a move, with the tapped skill, weapon or stored roll filled in. The answer appears above the
inputs, with the choices that the roll asks for. Dice outside any game have a tray of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ledger.commands.turns import turn_order
from ledger.errors import LedgerError
from ledger.journal.book import Book
from ledger.reading.names import Names
from ledger.reading.placing import has_place
from ledger.reading.typed_values import whole_number
from ledger.rules.inputs import BONUS, CAST, WITHOUT_OTHERS, WORDS
from ledger.rules.move import Move
from ledger.rules.system import System
from ledger.values import Field, Struct
from projections.dice_odds import odds_of_roll
from projections.odds import percent
from web import forms
from web.form_handlers import answer_form, fields_of, odds_of_move
from web.fragments import render, undo_values
from web.move_links import MoveLink, families_of, inputs_taking, tray_address
from web.people import Person, may_play, own_characters
from web.requests import game_and_move
from web.site import Site, cached_route, own_character, page_route, render_fragment, site_of

MOST_CHIPS = 12
"""The maximum number of characters to show as buttons. If there are more, the tray shows a list instead."""

NO_VALUE_BUTTON = {"": "none"}
"""The tray's button for an empty input: the value and the label."""

DIE_PATTERN = re.compile(r"d[1-9][0-9]{0,2}")


Style = Literal["toggle", "chips", "several", "reasons", "list", "field"]


class TrayField(Struct):
    """An input in the tray.

    - `style`: how people fill it in. With "chips" they tap one value, and with "several" any number of values. With
      "reasons" they tap a button that opens the field.
    - `chips`: the values to tap, with their labels.
    - `is_rare`: the tray shows the input only under "More".
    - `for_one_roll`: the tray does not keep the input after the roll.
    """

    asked: forms.FormField
    style: Style
    chips: Mapping[str, str]
    is_rare: bool
    for_one_roll: bool


@page_route
def move_tray(request: Request, book: Book, person: Person) -> Response:
    """Show the tray for a move. The query has the inputs that are filled in, such as `?ranks=deception`."""
    asked = request.path_params
    who = own_character(book, person, asked["who"])
    system, move = game_and_move(asked["game"], asked["move"])
    filled = {name: value for name, value in request.query_params.items() if name in move.fields()}
    fields = tray_fields(book, who, system, move, person)
    return render_fragment(
        request,
        book,
        person,
        "tray.html",
        **forms.move_values(who, system, move),
        filled=filled,
        fields=[field for field in fields if field.asked.name not in filled],
        others=other_moves(who, system, move, filled, person),
        is_ready=is_ready(move, filled),
    )


@page_route
def moves_tray(request: Request, book: Book, person: Person) -> Response:
    """Show all moves of a game that a person may play for a character."""
    who, game = own_character(book, person, request.path_params["who"]), request.path_params["game"]
    moves = forms.moves_for(book, who, person).get(game, [])
    links = [MoveLink(label=move.name(), move=move, address=tray_address(who, game, move.name())) for move in moves]
    return render_fragment(request, book, person, "tray_moves.html", who=who, game=game, links=links)


def tray_fields(book: Book, who: str, system: System, move: type[Move], person: Person) -> list[TrayField]:
    """Return the inputs of a move for the tray, with all characters but `who` as values to tap."""
    others, fields = other_characters(book, who), move.fields()
    asked = forms.move_fields(book, who, system, move, person)
    has_bonus = any(BONUS in field.tags for field in fields.values())
    asked.sort(key=lambda each: not each.first)
    return [_tray_field(fields[each.name], each, others, has_bonus=has_bonus) for each in asked]


def _tray_field(field: Field, asked: forms.FormField, others: Mapping[str, str], *, has_bonus: bool) -> TrayField:
    is_usual = asked.first or asked.kind == "yes" or BONUS in field.tags or (field.many and WORDS in field.tags)
    style, chips = _style_and_chips(field, asked, others)
    return TrayField(
        asked=asked,
        style=style,
        chips=chips,
        is_rare=not (is_usual or (has_bonus and field.name == "why")),
        for_one_roll=WITHOUT_OTHERS in field.tags,
    )


def _style_and_chips(
    field: Field, asked: forms.FormField, others: Mapping[str, str]
) -> tuple[Style, Mapping[str, str]]:
    if asked.kind == "yes":
        return "toggle", {}
    if field.many and WORDS in field.tags:
        return "reasons", {}
    if field.many and CAST in field.tags:
        return "several", others
    if CAST in field.tags and not field.keyed:
        return "chips" if len(others) <= MOST_CHIPS else "list", others if has_place(field) else {
            **NO_VALUE_BUTTON,
            **others,
        }
    if asked.kind == "one":
        values = {value: value for value in asked.known}
        return "chips", values if asked.required else {**NO_VALUE_BUTTON, **values}
    return "field", {}


def other_characters(book: Book, who: str) -> dict[str, str]:
    """Map all characters but `who` to the names to show: first those in the turn order, then everybody else."""
    order = [place.who for place in turn_order(book)]
    return {other: book.name_of(other) for other in dict.fromkeys([*order, *book.cast()]) if other != who}


def other_moves(
    who: str, system: System, move: type[Move], filled: Mapping[str, str], person: Person
) -> dict[str, str]:
    """Map moves to the addresses of their trays: all moves that take a name in `filled`, including `move` itself."""
    found: dict[str, str] = {}
    for name, value in filled.items():
        for family in sorted(families_of(move.fields()[name])):
            for other, field in inputs_taking(system.name, family):
                if may_play(person, other):
                    found.setdefault(other.name(), tray_address(who, system.name, other.name(), **{field.name: value}))
    return found


def is_ready(move: type[Move], filled: Mapping[str, str]) -> bool:
    """Return True if the move rolls, and `filled` has all inputs that people usually type."""
    fields = (field for field in move.fields().values() if field.name != "who")
    return move.may_roll() and all(field.name in filled for field in fields if field.required or has_place(field))


@page_route
def dice_tray(request: Request, book: Book, person: Person) -> Response:
    """Show the tray for plain dice. `pool` has the dice so far, and `add` is one more die."""
    asked = request.query_params
    added = asked.get("add", "")
    pool = with_die(asked.get("pool", ""), added) if DIE_PATTERN.fullmatch(added) else asked.get("pool", "")
    player = book.players().get(person.seat, "")
    names = {who: book.name_of(who) for who in own_characters(book, person)}
    rollers = {player: player, **names} if person.is_gm else {**names, player: player}
    return render_fragment(
        request,
        book,
        person,
        "tray_dice.html",
        pool=pool,
        rollers=rollers,
        who=asked.get("who", ""),
        vs=asked.get("vs", ""),
        deed=asked.get("for", ""),
    )


def with_die(pool: str, die: str) -> str:
    """Add a die to a roll: with d6, `d6` becomes `2d6`, and `d20` becomes `d20+d6`."""
    same = re.search(rf"(?<![\w)])([0-9]{{0,2}}){die}(?!\w)", pool)
    if same:
        return f"{pool[: same.start()]}{int(same[1] or 1) + 1}{die}{pool[same.end() :]}"
    return f"{pool}+{die}" if pool else die


@cached_route
def undo_button(request: Request, book: Book, person: Person) -> str:
    """Show the button that undoes the person's last action, and name this action."""
    return render("tray_undo.html", **undo_values(book, person))


async def submit(request: Request) -> Response:
    """Run the command of a form, and show the result in the tray."""
    return await answer_form(request, without_kept_inputs(await fields_of(request)), "tray_answer.html")


def without_kept_inputs(sent: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """If a form has an input that must be alone, leave out the other inputs, except the character.

    The tray kept these other inputs from the last roll. An example of an input that must be alone is "go on".
    """
    asked = dict(sent)
    if "move" not in asked:
        return sent
    _, move = game_and_move(asked.get("game", ""), asked["move"])
    alone = {f"inputs.{field.name}" for field in move.fields().values() if WITHOUT_OTHERS in field.tags} & asked.keys()
    sends = {*alone, "inputs.who"}
    return [(name, value) for name, value in sent if not alone or not name.startswith("inputs.") or name in sends]


async def odds(request: Request) -> Response:
    """Show the odds of the roll in the tray. Show nothing if the inputs are not complete yet."""
    site = site_of(request)
    person = await site.person_async(request)
    return HTMLResponse(await run_in_threadpool(_odds, site, person, without_kept_inputs(await fields_of(request))))


def _odds(site: Site, person: Person, sent: list[tuple[str, str]]) -> str:
    try:
        shown = _odds_of_dice(site, dict(sent)) if "pool" in dict(sent) else odds_of_move(site, sent)
    except LedgerError:
        return ""
    return render("tray_odds.html", person=person, **shown)


def _odds_of_dice(site: Site, sent: Mapping[str, str]) -> dict[str, Any]:
    with site.campaign.snapshot() as book:
        target = whole_number(sent["vs"]) if sent.get("vs") else None
        found = odds_of_roll(book, Names(book).roller(sent.get("who", "")), sent["pool"], target)
    chance = None if found.success is None else percent(found.success.numerator, found.success.denominator)
    return {"good": chance, "mean": f"{float(found.odds.mean):g}", "outcomes": ()}


ROUTES = [
    Route("/tray/dice", dice_tray),
    Route("/tray/undo", undo_button),
    Route("/tray/odds", odds, methods=["POST"]),
    Route("/tray/say/{command}", submit, methods=["POST"]),
    Route("/tray/{who}/{game}", moves_tray),
    Route("/tray/{who}/{game}/{move}", move_tray),
]
