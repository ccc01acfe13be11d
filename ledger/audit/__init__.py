"""Audit: is the record intact, and is it right.

It imports everything that decides, except the scribe, and computes it again. Only exports, `rebuild` and the front
ends import the audit. There are two lists of checks: `verify.entry_checks` (is the file intact; the first fault
refuses it) and `report.audit_checks` (is it right, and how far can it be trusted; it reports all faults). `check` says
what a check is, and what it sees of earlier entries.

The first list: `structure` checks an entry by itself; `places`, `references` and `strikes` check it against
earlier entries; `marks` compares its rows with those of its event; `action_grammar` reads a whole action, with nothing
left over. The second: `dice_checks` checks throws, `games` runs the games' own checks, `redecide` decides every
action again, `difference` says where it differs, and `history` checks keys, heads, policies and dates. `sealed_rolls`
serves both.
`declared_types` checks types before a game sees values.
"""

from __future__ import annotations
