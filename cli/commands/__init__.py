"""The commands. Each function parses its words, writes one command or calls one projection, and shows the result.

These modules may import all of `cli`. `main` imports only the module of the command that was typed. Start reading at
`views` for views, at `play` for commands that write, and at `moves` for the commands made from the moves of each game.
"""

from __future__ import annotations
