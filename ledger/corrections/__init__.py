"""Corrections: commands about earlier entries. Nothing is deleted: a wrong action is struck, and played again.

They know commands and, like them, no storage. Begin with `undoing` (undo, redo, void, rewind, amend), then `amend`.
`actions` splits an action into what each command said, and strikes it. `in_place` decides a part again in its place,
and finds the later rulings that read a changed number; `amend` asks about them or amends them too. `questions` and
`answers` are disputes, decisions and choices; `seals` are rolls that stay closed until a reveal.
"""

from __future__ import annotations
