"""Audit: is the record whole, and is it right.

Knows all that is decided and written, but not the scribe, and computes it again; nothing knows the audit but
exports and the edges. Begin with `verify` (is it whole), which lists the checks of each entry, and `report` (how far it
can be trusted). What a check is stands in `check`. Of those of `verify`, `structure` looks at an entry by itself,
`places`, `references`, `strikes` and `marks` at an entry beside those before it (`invariants` says what each event may
move and mark), and `seals` at what was told of sealed rolls. Of those of `report`, `dice` looks at throws, `rederive`
computes rulings again, `observations` and `manual` look at what entries say of the sheets and what was said by hand,
`games` lets each game check its own, and `history` looks at keys, heads, policies and dates. `declared` keeps from a
game what is not of the types that it declares.
"""
