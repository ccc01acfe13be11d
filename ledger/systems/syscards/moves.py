"""The moves of SySCards."""

from ledger.systems.syscards.acts import Act, Means, Rate, Throw
from ledger.systems.syscards.cards import Buy, Card, Mode, Price, Round
from ledger.systems.syscards.challenges import Cancel, Challenge, Clash, Deny, Outright, Reject

MOVES = (Card, Mode, Rate, Throw, Act, Means, Challenge, Clash, Cancel, Round, Reject, Outright, Deny, Price, Buy)
