"""The moves of SySCards."""

from __future__ import annotations

from ledger.systems.syscards.moves_acts import Act, Means, Rate, ThrowPercentile
from ledger.systems.syscards.moves_cards import Buy, Card, Mode, Price, Round
from ledger.systems.syscards.moves_challenges import Challenge, Clash
from ledger.systems.syscards.moves_rulings import CancelAct, Deny, Outright, Reject

MOVES = (
    Card,
    Mode,
    Rate,
    ThrowPercentile,
    Act,
    Means,
    Challenge,
    Clash,
    CancelAct,
    Round,
    Reject,
    Outright,
    Deny,
    Price,
    Buy,
)
