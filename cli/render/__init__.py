"""The output of the command line: lines, pages, colors and JSON.

It writes values to the terminal. It knows the projections, but not how typed words are read. Start reading at
`terminal` (printing, colors, questions) and `layout` (line width and encoding), then `lines` (an action in one line, an
entry with its calculation). `pages` has sheets, registers, why, diff, questions and settings. `story` has replays and
chronicles. `proofs` has heads and audits.
"""

from __future__ import annotations
