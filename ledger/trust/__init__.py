"""Trust: who signed and witnessed how much of a history, and what a person keeps outside the campaign.

Compares the journal with signed heads, and writes only such heads into it. Begin with `heads` (sign a head, keep
a witness's line), then `compare` (a head with a file, two histories with each other); `home` remembers heads and keys
outside all campaigns, `keyfile` keeps a private key on disk, `witnessing` lets a player sign from home.
"""

from __future__ import annotations
