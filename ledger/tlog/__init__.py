"""Transparency-log formats: Merkle tree, signed notes, checkpoints, tiles, policies and witnesses.

Bytes and text, in the forms that others read too (RFC 6962, C2SP). Knows nothing of campaigns, entries or files, so
that the room could be a library of its own. Begin with `tree`, then `note` and `checkpoint`; `tiles`, `policy` and
`witness` build on these. Only a witness keeps state, and its caller gives it a clock.
"""

from __future__ import annotations
