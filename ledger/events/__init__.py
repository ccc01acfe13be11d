"""The format of everything in the journal.

This package has the event types, the entries around them, the canonical bytes that are hashed, and the commitments that
replace typed texts and secrets. It does not import storage, dice or games. Start with `types`, then `entry`. `facts`
and `subjects` define the parts of events. `canonical` writes the bytes, `commitments` hides and opens texts, and
`decode` turns an entry back into an event object, usually with a function from `compiled`. `rows` computes the rows
that an entry adds to the accounts.
"""

from __future__ import annotations
