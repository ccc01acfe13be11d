"""Reasons at the end of a sentence of the recap."""

import pytest

from projections.reasons import (
    after_doing,
    as_gerund,
    cause,
    fate,
    joint_after,
    reason_as_ending,
    with_reason,
)


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
        ("Loot!", " because of loot"),
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
        ("falling rocks", " because of falling rocks"),
        ("she ran", None),
        ("the rope breaks", None),
        ("the sisters hide her", None),
        ("the rope snapped", None),
        ("the rope broke", None),
        ("the rope that was old", " because of the rope that was old"),
        ("the rope that you hold", None),
        ("the rope; it was old", None),
        ("the first of the nine towers in the sand", " because of the first of the nine towers in the sand"),
        ("the first of the nine towers in the sand by the sea of the dead", None),
    ],
)
def test_a_thing_follows_because_of_and_a_clause_stays_a_quote(why: str, ending: str | None) -> None:
    assert reason_as_ending(why) == ending


@pytest.mark.parametrize(
    ("did", "joint"),
    [
        ("lost two hit points", "to"),
        ("suffered a minor injury", "from"),
        ("took five physical damage", "from"),
        ("gained 20 gold and lost two hit points", "because of"),
        ("gained 20 gold", "from"),
        ("gained 50 experience points", "for"),
        ("gained five gold and 50 experience points", "for"),
        ("used two arrows", "for"),
        ("was slowed", "by"),
        ("lost two gold and three hit points", "because of"),
        ("gave Brak five gold", "for"),
    ],
)
def test_an_act_has_its_own_word_before_the_reason(did: str, joint: str) -> None:
    assert joint_after(did) == joint


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("hanged himself in the tower", "hanged himself in the tower"),
        ("gored by the stag she raised", "was gored by the stag she raised"),
        ("killed", "was killed"),
        ("Slain by the guard.", "was slain by the guard"),
        ("fled", "fled"),
        ("ran over the bridge", "ran over the bridge"),
        ("dead", "died"),
        ("unconscious", "fell unconscious"),
        ("jumped into the sea", "jumped into the sea"),
        ("tired", "was tired and left"),
        ("Thrown off the train", "was thrown off the train"),
        ("killed, and eaten", "was killed, and eaten"),
        ("killed and eaten", "was killed and eaten"),
        ("run off by the dogs", "was run off by the dogs"),
        ("fled because she was afraid", "fled because she was afraid"),
        ("surrendered when Pax draws the cutter", "surrendered when Pax drew the cutter"),
        ("hides in the coal", "hid in the coal"),
        ("hums", "hummed"),
        ("fled because she was afraid and cold", "fled because she was afraid and cold"),
        ("tired of it when it rained", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_departure_says_what_happened_if_its_reason_does(why: str, says: str) -> None:
    assert fate(why) == says


@pytest.mark.parametrize(
    ("did", "why", "told"),
    [
        ("lost five gold", "ladder", "paid five gold for a ladder"),
        ("lost five gold", "new boots", "paid five gold for new boots"),
        ("lost five gold", "bribe", "paid five gold as a bribe"),
        ("lost five gold", "wine", "paid five gold for wine"),
        ("lost five gold", "thief", "lost five gold to a thief"),
        ("lost five gold", "stolen by the thief", "lost five gold to the thief"),
        ("lost five gold", "", "lost five gold"),
        ("lost five gold", "in the river", "lost five gold in the river"),
        ("lost three gold", "bribed the cabin boy", "paid three gold to bribe the cabin boy"),
        ("lost three hit points", "bribed the cabin boy", "lost three hit points after bribing the cabin boy"),
        (
            "lost three points of edge",
            "a bargain with the ferryman",
            "spent three points of edge on a bargain with the ferryman",
        ),
        ("lost one point of edge", "bad luck", "lost one point of edge to bad luck"),
        ("gained 20 gold", "a reward for the mill", "gained 20 gold as a reward for the mill"),
        ("gained 20 gold", "taken by the thief", None),
        ("lost two hit points", "splinters", "lost two hit points to splinters"),
        ("lost two hit points", "sand in the eyes", "lost two hit points to sand in the eyes"),
        ("lost two hit points", "cut by a rotor", "lost two hit points after being cut by a rotor"),
        ("lost 21 hit points", "Old Tuck's axe", "lost 21 hit points to Old Tuck's axe"),
        ("took two bruises", "Fell off the roof.", "took two bruises after falling off the roof"),
        ("used one key", "the wrong door", "used one key for the wrong door"),
        ("used one key", "wrong door", "used one key for the wrong door"),
        ("lost five gold", "tired", None),
        ("lost one point of edge", "pushed through the pain", "spent one point of edge to push through the pain"),
        ("lost one spiritual point", "bribed the cook", "spent one spiritual point to bribe the cook"),
        ("lost one spiritual point", "sold the boat", "lost one spiritual point after selling the boat"),
        ("lost three coins", "lost at dice", "lost three coins at dice"),
        ("lost two candles", "burned down", None),
        ("lost one candle", "left burning in the cellar", None),
        ("lost two parts", "patching the reactor", "lost two parts patching the reactor"),
        ("gained three gold", "selling yesterday's bread", "gained three gold by selling yesterday's bread"),
        ("lost one energy", "a mistake of mine", None),
        ("gained two experience points", "finding the miller", "gained two experience points for finding the miller"),
        ("lost 30 cash", "bribing the clerk", "paid 30 cash to bribe the clerk"),
        ("lost 50 cash", "gave it to the families", "gave 50 cash to the families"),
        ("lost two hit points", "burning beam", "lost two hit points to a burning beam"),
        ("gave Marlow 20 cash", "for the new bandages", "gave Marlow 20 cash for the new bandages"),
        ("lost five gold", "robbed by bandits", "lost five gold after being robbed by bandits"),
        ("used one torch", "used it up in the tunnel", "used one torch up in the tunnel"),
        ("gained twelve gold", "her share of the salt", "gained twelve gold as her share of the salt"),
        ("lost two gold", "to bribe the guard", "paid two gold to bribe the guard"),
        ("lost three coins", "lost a bet", "lost three coins after losing a bet"),
        ("gained five silver", "sold the cutlasses", "gained five silver by selling the cutlasses"),
        ("gained five silver", "fell into the sand", "gained five silver after falling into the sand"),
        ("gained one experience point", "found the map", "gained one experience point for finding the map"),
        ("invested five energy", "buys them a drink", "invested five energy by buying them a drink"),
        ("gave Brak five gold", "for the forged pass", "gave Brak five gold for the forged pass"),
        ("gave Brak five gold", "because of the rain", "gave Brak five gold because of the rain"),
        ("gave Brak five gold", "Mara pays her round", "gave Brak five gold, because Mara paid her round"),
        ("lost two hit points", "poison needle", "lost two hit points to a poison needle"),
        ("lost two hit points", "a cut across the ribs", "lost two hit points to a cut across the ribs"),
        ("became blind", "flour in her eyes", "became blind from flour in her eyes"),
        ("lost five ducats", "paid the choir", "paid five ducats to the choir"),
        ("lost three gold", "gambling", "lost three gold gambling"),
        ("lost three gold", "paid for dinner", "paid three gold for dinner"),
        ("lost three gold", "paid for what he broke", None),
        ("gained 25 gold", "found under the millstone", "found 25 gold under the millstone"),
        ("lost one point of edge", "stayed on his feet", "spent one point of edge to stay on his feet"),
        ("earned one point of edge", "made them laugh", "earned one point of edge for making them laugh"),
        ("gave Brak four gold", "so he can pay the ferry", "gave Brak four gold, so that he could pay the ferry"),
        ("lost five ducats", "paid the toll", "paid five ducats for the toll"),
        ("lost five ducats", "poker", "lost five ducats at poker"),
        ("gave Brak 15 ducats", "keeps his mouth shut", "gave Brak 15 ducats for keeping his mouth shut"),
        ("gave Brak 15 ducats", "the guild fears him", "gave Brak 15 ducats, because the guild feared him"),
        ("earned one point of edge", "quick thinking", "earned one point of edge for quick thinking"),
        ("lost four hit points", "sentry gun", "lost four hit points to a sentry gun"),
        ("stopped the ship", "a broadside into her rudder", "stopped the ship with a broadside into her rudder"),
        ("stopped the ship", "the fog", "stopped the ship because of the fog"),
        ("lost four hit points", "the long cut", "lost four hit points to the long cut"),
        ("lost three hit points", "the ghoul's claws", "lost three hit points to the ghoul's claws"),
        ("lost three hit points", "the wolf's long claws", "lost three hit points to the wolf's long claws"),
        ("lost three hit points", "was hit by a cart", "lost three hit points after being hit by a cart"),
        ("lost three hit points", "the old mean dog bites", "lost three hit points, because the old mean dog bit"),
        ("lost three hit points", "Brak's bites", "lost three hit points to Brak's bites"),
        ("lost three hit points", "the guards' kicks", "lost three hit points to the guards' kicks"),
        ("earned one point", "because of the miller's thanks", "earned one point because of the miller's thanks"),
        ("lost one hit point", "the dog's friend waits", "lost one hit point, because the dog's friend waited"),
        ("lost one hit point", "the dog's biting him", "lost one hit point, because the dog was biting him"),
        ("left", "he saw what happened to her", "left, because he saw what happened to her"),
    ],
)
def test_an_act_is_told_with_its_reason(did: str, why: str, told: str | None) -> None:
    assert with_reason(did, why) == told


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("lost a bet", "after losing a bet"),
        ("bitten by a rat", "after being bitten by a rat"),
        ("burnt", "after being burnt"),
        ("kicked in the shin", "after being kicked in the shin"),
        ("stops the cart", "after stopping the cart"),
        ("guaranteed the loan", "after guaranteeing the loan"),
        ("buried the king", "after burying the king"),
        ("saved the boat", "after saving the boat"),
        ("falls on the rails", "after falling on the rails"),
        ("locks the door", None),
        ("found under a seat", None),
        ("found by the thief", None),
        ("lost a bet and a horse", "after losing a bet and a horse"),
        ("lost a bet that I made", None),
        ("lost a bet before she", None),
        ("lost my bet", None),
        ("lost, again", None),
        ("won", None),
        ("tired of the war", None),
        ("the red door", None),
        ("", None),
    ],
)
def test_a_reason_that_is_an_act_follows_after(why: str, told: str | None) -> None:
    assert after_doing(why) == told


@pytest.mark.parametrize(
    ("tried", "doing"),
    [
        ("tried to catch his breath", "catching his breath"),
        ("tried to lie low", "lying low"),
        ("tried to stop the cart", "stopping the cart"),
        ("tried to see the road", "seeing the road"),
        ("tried not to laugh", "trying not to laugh"),
        ("pretended to sleep", "pretending to sleep"),
        ("tried to hide and wait", "hiding and waiting"),
        ("", ""),
    ],
)
def test_an_attempt_beside_another_act_ends_with_ing(tried: str, doing: str) -> None:
    assert as_gerund(tried) == doing


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("she lost a bet", "because she lost a bet"),
        ("He'd seen enough.", "because he'd seen enough"),
        ("She\u2019s drunk", "because she was drunk"),
        ("Because the rope broke", "because the rope broke"),
        ("Nell stabbed him", "because Nell stabbed him"),
        ("nobody can see her", "because nobody could see her"),
        ("she cuts his belt before he can draw", "because she cut his belt before he could draw"),
        ("the guards sleep", "because the guards slept"),
        ("they pay him", "because they paid him"),
        ("he never slept", "because he never slept"),
        ("so that he keeps quiet", "so that he would keep quiet"),
        ("she slipped and fell", "because she slipped and fell"),
        ("the mud", "because of the mud"),
        ("rule of cool", ""),
        ("we counted again", ""),
        ("the rope you hold broke", ""),
        ("she slips and falls", "because she slipped and fell"),
        ("she, of course, ran", ""),
        ("the map that he had", "because of the map that he had"),
        ("two guards killed by the dog", ""),
        ("it so happened", ""),
        ("Brak'd know", ""),
        ("the long road to the old harbor", "because of the long road to the old harbor"),
    ],
)
def test_a_cause_is_joined_if_its_grammar_is_certain(why: str, told: str) -> None:
    assert cause(why) == told
