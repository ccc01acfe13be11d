"""Payment for moves: whatever a player fills in, only characters in `payers` pay."""

import pytest

from coin import Give
from fillings import FOR_PLAYERS, charged, effects, fillings, rich_table, samples
from ledger.rules.inputs import CAST, NOT_PAYING
from ledger.rules.move import Move
from ledger.systems.byzantine.moves_fights import EnergyAttack
from ledger.systems.byzantine.moves_tasks import Attempt, Know
from ledger.systems.syscards.moves_challenges import Clash

EACH_MOVE = pytest.mark.parametrize(
    ("system", "move"), FOR_PLAYERS, ids=[f"{name}-{move.name()}" for name, move in FOR_PLAYERS]
)


@EACH_MOVE
def test_no_input_charges_a_character_who_is_not_in_paying(system: str, move: type[Move]) -> None:
    for made in fillings(move):
        assert charged(effects(made, rich_table(system))) <= {made.who, *made.payers()}, made


@EACH_MOVE
def test_every_character_in_an_input_pays_unless_the_input_is_tagged(system: str, move: type[Move]) -> None:
    for field in move.fields().values():
        if CAST in field.tags and NOT_PAYING not in field.tags and field.name != "who":
            (value,) = samples(field)
            required = {name: samples(each)[0] for name, each in move.fields().items() if each.required}
            assert "brak" in move(**{**required, "who": "mara", field.name: value}).payers()


def test_a_target_pays_only_for_an_answer() -> None:
    assert EnergyAttack(who="mara", target="brak", energy=3).payers() == ("mara",)
    assert EnergyAttack(who="mara", target="brak", energy=0, answer=6).payers() == ("mara", "brak")
    assert EnergyAttack(who="mara", target="brak", energy=0, owing=True).payers() == ("mara", "brak")


def test_allies_and_characters_who_obscure_a_cost_pay_but_receivers_of_coins_do_not() -> None:
    assert Attempt(who="mara", task="climb", energy=3, beside={"brak": 2}).payers() == ("mara", "brak")
    assert Know(who="mara", task="climb", energy=3, obscured={"brak": 2}).payers() == ("mara", "brak")
    assert Give(who="mara", to=("brak",)).payers() == ("mara",)


def test_a_choice_after_the_dice_may_add_paying_characters() -> None:
    assert Attempt.payers_in({"beside": {"brak": 2}}) == ("brak",)
    assert Clash.payers_in({"order": ("mara", "brak")}) == ()
