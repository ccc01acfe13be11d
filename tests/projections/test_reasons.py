"""Reasons at the end of a sentence of the recap."""

import pytest

from projections.reasons import fate, joint_after, reason_as_ending


@pytest.mark.parametrize(
    ("why", "ending"),
    [
        ("", ""),
        ("+1", ""),
        ("x", ""),
        ("sword", " because of a sword"),
        ("Old sword", " because of an old sword"),
        ("heir", " because of an heir"),
        ("healing potion", " because of a healing potion"),
        ("drops sword", None),
        ("light torch", None),
        ("guard's sword", " because of Guard's sword"),
        ("smoke", " because of smoke"),
        ("dragon fire", " because of dragon fire"),
        ("reward for the mill", " because of a reward for the mill"),
        ("the fire spreads", None),
        ("her two guards", " because of her two guards"),
        ("Loot!", None),
        ("fall", " because of a fall"),
        ("Ogre", " because of an ogre"),
        ("a stone", " because of a stone"),
        ("the cook owes him", None),
        ("The silver chest.", " because of the silver chest"),
        ("the guard\u2019s spear", " because of the guard\u2019s spear"),
        ("my fault", " because of my fault"),
        ("fall into the sand", " because of a fall into the sand"),
        ("bet about the chest", " because of a bet about the chest"),
        ("the price of the fire", " because of the price of the fire"),
        ("brak's axe", " because of Brak's axe"),
        ("For the rope", " for the rope"),
        ("fall damage", None),
        ("falling rocks", None),
        ("she ran", None),
        ("the rope breaks", None),
        ("the rope snapped", None),
        ("the rope broke", None),
        ("the rope that was old", None),
        ("the rope; it was old", None),
        ("the first of the nine towers in the sand", None),
    ],
)
def test_a_thing_follows_because_of_and_a_clause_stays_a_quote(why: str, ending: str | None) -> None:
    assert reason_as_ending(why) == ending


@pytest.mark.parametrize(
    ("did", "joint"),
    [
        ("lost two hit points", "to"),
        ("suffered one minor injury", "from"),
        ("took five physical damage", "from"),
        ("gained 20 gold and lost two hit points", "because of"),
        ("lost two gold and three hit points", "because of"),
        ("gave Brak five gold", "because of"),
    ],
)
def test_a_harm_has_its_own_word_before_the_reason(did: str, joint: str) -> None:
    assert joint_after(did) == joint


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("killed", "was killed"),
        ("Slain by the guard.", "was slain by the guard"),
        ("fled", "fled"),
        ("ran over the bridge", "ran over the bridge"),
        ("dead", "died"),
        ("unconscious", "fell unconscious"),
        ("jumped into the sea", "jumped into the sea"),
        ("tired", ""),
        ("killed, and eaten", ""),
        ("fled because she was afraid", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_departure_says_what_happened_if_its_reason_does(why: str, says: str) -> None:
    assert fate(why) == says
