"""The commands. Each function reads its words, writes one command or calls one projection, and shows the result.

May use all of `cli`. Only `main` imports it, and only the module of the command that was typed. Begin with `views` for
views, `play` for what writes, and `moves`, which makes a command of every move of every game.
"""

from __future__ import annotations
