"""Checks that a campaign file is intact and follows the rules.

`check` has the base class of checks. There are two lists of checks:

- `verify.entry_checks` tests if the file is intact. `verify` stops at the first error. `structure` checks an entry by
  itself; `places`, `references` and `strikes` compare it with earlier entries; `marks` compares its marks and score
  changes with its event; `action_grammar` checks the order of the entries in an action.
- `report.audit_checks` tests if the entries follow the rules. `audit` reports all errors. `dice_checks` checks throws,
  `games` runs the checks of each game, `redecide` decides every action again, `difference` describes what differs, and
  `history` checks keys, heads, policies and dates.

`sealed_rolls` has checks for both lists. The package imports the code that decides commands, but not the scribe. Only
exports, `rebuild` and the front ends import this package.
"""

from __future__ import annotations
