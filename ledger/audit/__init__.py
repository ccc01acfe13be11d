"""Audit: is the record whole, and is it right.

Knows all that is decided and written, but not the scribe, and computes it again; nothing knows the audit but
exports and the edges. Two lists of checks say all: `verify.checks` (is it whole; the first fault is the refusal) and
`report.checks` (is it right, and how far can it be trusted; all is told). What a check is, and what it sees of the
entries before, stands in `check`. Of the first list, `structure` looks at an entry by itself, `places`, `references`,
`strikes` and `marks` at an entry beside those before it (`invariants` says what each event may move and mark). Of the
second, `dice` looks at throws, `games` lets each game check its own, `rederive` computes rulings again, `observations`
and `manual` look at what entries say of the sheets and what was said by hand, and `history` at keys, heads, policies
and dates. `seals` serves both. `declared` keeps from a game what is not of the types that it declares.
"""
