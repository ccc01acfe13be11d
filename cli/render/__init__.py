"""Render: lines, pages, colors and JSON.

Takes values and writes them to the terminal; knows the projections, but not how words are read. Begin
with `terminal` (say, talk, color) and `layout` (the width of a terminal, and the marks it has), then `lines` (an action
in one line, an entry with its working). `pages` has sheets, registers, why, diff, questions and settings; `story`
replays and chronicles; `proofs` heads and audits.
"""

from __future__ import annotations
