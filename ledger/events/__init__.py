"""Events: everything that is ever written, and its bytes.

Every shape on disk is here: the event types, the entry around them, the facts inside them, the canonical bytes that
are hashed, and the commitments in place of words and secrets. Knows errors and frozen values, and nothing of
storage, dice or games. Begin with `types`, then `entry`; `facts` and `subjects` name the parts, `canonical` writes
the bytes, `commitments` closes and opens words, and `decode` reads an entry back as its typed event, most often
by a function that `compiled` made. `rows` says what an entry adds to the accounts.
"""

from __future__ import annotations
