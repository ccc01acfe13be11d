"""Trust: signed and witnessed heads of a campaign, and the keys and heads that a person stores outside it.

A head is the Merkle root of a campaign's first entries. Signed heads are all that this package writes into a campaign's
file. Start with `heads` (sign a head, add a witness's signature), then `compare` (a head with a file, two histories
with each other). `home` stores heads and keys outside all campaigns, `keyfile` stores private keys, and `witnessing`
lets a player sign on their own computer.
"""

from __future__ import annotations
