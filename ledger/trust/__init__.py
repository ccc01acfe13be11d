"""Trust: signed and witnessed heads of a campaign, and the keys and heads that a person stores outside it.

A head is the Merkle root of the first N entries of a campaign. This package writes only signed heads into a campaign's
file. Start with `heads`, which signs a head and adds the signatures of witnesses. Then read `compare`, which compares a
head with a file, or one history with another. `home` stores heads and keys outside all campaigns, `keyfile` stores
private keys, and `witnessing` lets a player sign on their own computer.
"""

from __future__ import annotations
