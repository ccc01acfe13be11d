"""Short forms: the same letters mean the same view in every game."""

from pathlib import Path

import click
import pytest

from cli.context import Invocation
from cli.main import campaign
from cli.sections import VIEW_COMMANDS
from cli.short_words import NEVER_SHORTENED, full_name
from cli.shorthand import expand_first_word
from examples import some
from ledger import systems
from terminal import Type, head

SHORT = {
    "l": "log",
    "lo": "log",
    "lu": "luck",
    "o": "odds",
    "q": "questions",
    "rec": "recap",
    "reg": "register",
    "sh": "sheets or show",
    "sta": "status",
    "t": "try or turns",
    "tu": "turns",
    "tur": "turns",
    "turn": "turns",
}
"""Letters that begin nothing but looks, and what they mean."""


UNIQUE = (
    "ad=adjust au=audit ba=backup by=byzantine che=checkpoint cho=choose chr=chronicle compa=compare compl=completion"
    " da=day dif=diff dis=dispute ed=edge ex=export f=free i=init j=join k=key l=log m=multicheck no=note np=npc o=odds"
    " po=policy pr=prove q=questions reb=rebuild rec=recap red=redo reg=register rep=replay rollu=rollunder sc=scene"
    " ser=serve ses=session sett=settings she=sheets sho=show st=status sysc=syscards syst=systems tr=try tu=turns u=undo"
    " v=verify wh=why wi=witness"
)
"""The shortest form of each command and game. A new command must not take any of them."""


@pytest.fixture
def table(folder: Path, type_in: Type) -> Path:
    """Make a folder with a campaign in which mara plays every game."""
    for game in systems.names():
        type_in(f"join mara {game}")
    return folder


@pytest.mark.parametrize("game", systems.names())
@pytest.mark.parametrize("letters", some([*SHORT]))
def test_the_letters_of_a_view_never_write_in_any_game(table: Path, type_in: Type, game: str, letters: str) -> None:
    before = head(table)
    seen = type_in("play", input=f"with mara {game}\n{letters}").stderr
    assert head(table) == before
    assert ("could be" in seen) is (" or " in SHORT[letters]), seen


@pytest.mark.parametrize("game", systems.names())
def test_letters_that_start_only_views_mean_a_view_in_every_game(table: Path, game: str) -> None:
    ctx = click.Context(campaign, resilient_parsing=True)
    invocation = Invocation(who="mara", game=game, at_prompt=True)
    commands = {*campaign.list_commands(ctx)} - NEVER_SHORTENED
    for move in (move.name() for move in systems.find(game).rulebook().moves):
        for letters in (move[:size] for size in range(1, len(move) + 1)):
            begun = {name for name in commands if name.startswith(letters)}
            if begun and begun <= VIEW_COMMANDS and letters not in campaign.commands:
                assert expand_first_word(invocation, [letters], ctx) == [letters]
                assert letters in SHORT


def test_looking_at_the_turn_order_leaves_an_offer_open(table: Path, type_in: Type) -> None:
    type_in("join zed multicheck attribute.body=40 attribute.luck=30 skill.melee=3 pk=1")
    type_in("set zed on.melee=body --why s")
    lines = ("with zed multicheck", "c mel = 91", "tu", "turn", "multicheck turn")
    seen = type_in("play", input="\n".join(lines)).output
    assert "may still roll again" in seen
    assert "There is no turn order." in seen
    assert "no change to any condition" in seen


@pytest.mark.parametrize(("letters", "name"), [pair.split("=") for pair in UNIQUE.split()])
def test_no_new_command_takes_a_short_form_that_was_unique(letters: str, name: str) -> None:
    ctx = click.Context(campaign, resilient_parsing=True)
    assert full_name(letters, campaign.list_commands(ctx), ctx) == name


@pytest.mark.parametrize("letters", ["g", "giv"])
def test_a_gift_is_typed_in_full(table: Path, type_in: Type, letters: str) -> None:
    before = head(table)
    assert type_in(f"{letters} mara brak edge=1").stderr.endswith("Error: Type give in full.\n")
    assert head(table) == before
