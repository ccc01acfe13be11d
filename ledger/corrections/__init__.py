"""Corrections: commands about earlier entries. Nothing is deleted: what was wrong is canceled, and played again.

Knows commands and, like them, no storage. Begin with `commands` (undo, redo, void, amend, rewind) and `strike`;
`parts` finds what one command said within an action, `redecide` decides it again in its place, `stages` are the
steps of an amendment, `knock_on` and `aftermath` find the later rulings that looked at what moved. `questions` and
`answers` are disputes, decisions and choices; `seals` are rolls that stay closed until they are revealed.
"""
