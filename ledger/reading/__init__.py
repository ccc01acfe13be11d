"""Reading: words into commands, for the terminal and every other edge.

People type a prefix of a name, a point such as `session:2`, the inputs of a move, or a change to an entry; this room
turns them into commands and values. It never asks: an ambiguous name is an error. It imports no terminal and no
projection; clock and time zone are parameters. Begin with `names`, then `parsing` and `move_inputs`; `points` reads
places in the history, `amendments` changes to an entry, and `repeated` a command that was sent before.
"""

from __future__ import annotations
