"""Commands: what can be said at the table, and how it becomes events.

A command is straight-line code over a draft: it reads the state, may refuse, may ask for dice, and adds events. It has
no clock, no randomness and no storage; a linter keeps the journal out. Begin with `decider` (protocols and drafts),
then `play` for the moves of a game and `at_table` for everything else at the table; `days` begins days, `custody`
handles keys, policies and erasure, `sheet` reads scores and limits.
"""

from __future__ import annotations
