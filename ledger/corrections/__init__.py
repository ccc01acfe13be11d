"""Corrections: commands about earlier entries. Nothing is deleted: a wrong action is struck, and played again.

They know commands and, like them, no storage. Begin with `commands` (undo, redo, void, rewind, amend), then `amend` and
`strike`. `parts` splits an action into what each command said, and `in_place` decides a part again in its place;
`knock_on` finds the later rulings that read a changed number, and `new_questions` asks about them or amends them too.
`questions` and `answers` are disputes, decisions and choices; `seals` are rolls that stay closed until a reveal.
"""

from __future__ import annotations
