"""Commands, which turn inputs into events.

A command works on a draft: it reads the state, may refuse, may ask for dice, and adds events. It uses no clock, no
random numbers and no storage; a linter forbids importing the journal here. Start with `decider` (base classes,
protocols and drafts), then `play` for moves, `roll` for plain dice, `seats` for players and for characters who come
and go, and `at_table` for sheets, sessions and the GM's changes. `turns` handles the turn order, and `days` the days.
`custody` handles keys, policies and erasure. `sheet` reads scores and limits.
"""

from __future__ import annotations
