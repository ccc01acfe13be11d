"""The output of the command line: lines, pages, colors and JSON.

It prints values from the projections, and does not parse input. Start reading at `terminal` (printing, colors,
questions) and `layout` (line width and encoding), then `lines` (an action in one line, an entry with its calculation).
"""

from __future__ import annotations
