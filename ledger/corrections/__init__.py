"""Commands about earlier entries. They delete nothing: a strike cancels an action, which may then be played again.

This package imports `ledger.commands`. Neither package imports storage. To read the code, start with `undoing` (undo,
redo, void, rewind, amend), then read `amend`. `actions` splits an action into its parts, one for each command, and
makes strikes. `in_place` decides a part again in its old place, and finds the later rulings that read a changed number.
`amend` asks the GM about these rulings, or amends them too. `questions` and `answers` handle disputes, decisions and
choices. `seals` handles secret rolls.
"""

from __future__ import annotations
