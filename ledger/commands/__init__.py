"""Commands: what can be said at the table, and how it becomes events.

A command is a straight line of code over a draft: it looks at what stands, may refuse, may ask for dice, and adds
events. No clock, no chance and no storage: a linter keeps the journal out. Begin with `decider` (the ports, the drafts,
and what every command is made of), then `play` for a move of a game and `table` for everything else that is said in
play; `days` begins days, `custody` is about keys, policies and erasure, `sheet` answers for scores, and `recorded`
reads an entry back as the command that was said.
"""
