"""Audit: is the record whole, and is it right.

Knows all that is decided and written, but not the scribe, and computes it again; nothing knows the audit but
exports and the edges. Begin with `verify` (is it whole) and `report` (how far it can be trusted). Of the checks,
`structure` and `invariants` look at entries in their places, `dice` at throws, `rederive` computes rulings again,
`observations` and `manual` look at what entries say of the sheets and what was said by hand, `games` lets each game
check its own, and `history` looks at keys, heads, policies and dates. `declared` keeps from a game what is not of the
types that it declares.
"""
