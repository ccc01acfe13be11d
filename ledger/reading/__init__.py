"""Reading: words into commands, for the terminal and for every other edge.

What people type names characters by a prefix, points as `session:2`, inputs of a move and what is amended of an
entry; this room turns it into commands and values. Knows the ledger below it, and no terminal and no projection: it
never asks. Where two names could be meant it raises; the clock and the time zone are handed in. Begin with `names`,
then `commands` and `inputs` (of a move); `points` are places in the history, `amendments` what may be said otherwise of
an entry.
"""
