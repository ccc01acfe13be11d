"""Audit: is the record intact, and is it right.

Imports everything that decides, except the scribe, and computes it again; only exports, `rebuild` and the edges import
the audit. There are two lists of checks: `verify.checks` (is the file intact; the first fault refuses it) and
`report.checks` (is it right, and how far can it be trusted; all faults are reported). `check` says what a check is, and
what it sees of earlier entries.

The first list: `structure` checks an entry by itself; `places`, `references`, `strikes` and `marks` check it beside
earlier entries; `invariants` says what each event may move and mark. The second: `dice` checks throws, `games` runs the
checks that games bring, `rederive` rules again, `observations` compares what rulings read, `manual` what was said by
hand, `history` keys, heads, policies and dates. `seals` serves both; `declared` checks types before a game sees values.
"""
