"""Transparency-log formats: Merkle tree, signed notes, checkpoints, tiles, policies and witnesses.

The formats are standards (RFC 6962, C2SP), so other programs can read them. The package could be a separate library: it
does not know campaigns, entries or files. Start with `tree`, then `note` and `checkpoint`; `tiles`, `policy` and
`witness` build on these. Only a witness keeps state.
"""

from __future__ import annotations
