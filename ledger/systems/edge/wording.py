"""The log's descriptions of the moves of Edge."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

CHECKED = ("{target} ({dice.addends}", "; {dropped} dropped", ")", ", {double}")

WORDINGS: Mapping[str, Wording] = {
    "check": Wording(deed=("{ranks}",), result=CHECKED, names_dice=True),
    "grant": Wording(deed=("gets",)),
    "attack": Wording(bare=True),
    "attack-roll": Wording(deed=("attack", " with {ranks}"), result=CHECKED, names_dice=True),
    "damage-roll": Wording(deed=("damage",)),
    "damage": Wording(deed=("damage", " with {item}")),
    "soak": Wording(deed=("armor",)),
    "wear": Wording(bare=True),
    "degrade": Wording(bare=True),
    "heal": Wording(deed=("is treated",)),
    "injure": Wording(deed=("is hurt",)),
    "lessen": Wording(deed=("recovers",)),
    "rest": Wording(deed=("rests",)),
    "award": Wording(bare=True),
    "burn": Wording(deed=("burns edge",)),
}

SENTENCES: Mapping[str, str] = {
    "award": "earns edge",
    "goes on": "continues the attack",
    "lives, and needs care": "survives and needs medical care",
    "the lowest of three goes": "the lowest of three dice is dropped",
    "the highest of three goes": "the highest of three dice is dropped",
    "the player names the die that goes": "the player drops one die",
    "triumph  +5": "double +5",
    "despair  −5": "double −5",
}
