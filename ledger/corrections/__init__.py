"""Corrections: commands about earlier entries. Nothing is deleted: what was wrong is canceled, and played again.

Knows commands and, like them, no storage. Begin with `commands` (undo, redo, void, rewind, amend), then `amend` and
`strike`. `parts` finds what one command said within an action, and `in_place` decides it again in its place;
`knock_on` finds the later rulings that looked at what moved, and `aftermath` asks about them or amends them too.
`questions` and `answers` are disputes, decisions and choices; `seals` are rolls that stay closed until they are
revealed.
"""
