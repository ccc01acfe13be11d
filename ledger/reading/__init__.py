"""Reading: commands from typed words, for the terminal and the page.

People type a prefix of a name, a point such as `session:2`, the inputs of a move, or a change to an entry. This package
turns them into commands and values. It never asks: an ambiguous name is an error. Clock and time zone are parameters.
Start with `names`, then `typed_values`, `parsing` and `move_inputs`. `points` finds points in the history, `amendments`
reads changes to an entry, and `repeated` handles a command that is sent again.
"""

from __future__ import annotations
