"""Trust: signatures and witnesses of a history, and the keys and heads that a person keeps outside the campaign.

This room compares the journal with signed heads, and writes only such heads into it. Start with `heads` (sign a head,
store a witness's line), then `compare` (a head with a file, two histories with each other). `home` stores heads and
keys outside all campaigns, `keyfile` stores a private key, and `witnessing` lets a player sign on their own computer.
"""

from __future__ import annotations
