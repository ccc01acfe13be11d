"""Transparency-log formats: Merkle tree, signed notes, checkpoints, tiles, policies and witnesses.

The formats are standards (RFC 6962, C2SP), so other programs can read them. Nothing here depends on campaigns, entries
or files: the room could be a separate library. Start with `tree`, then `note` and `checkpoint`; `tiles`, `policy` and
`witness` build on these. Only a witness keeps state, and its caller supplies the clock.
"""

from __future__ import annotations
