"""Render: lines, pages, colors and JSON.

Takes values and writes them to the terminal; knows the projections, but not how words are read. Begin
with `terminal` (say, talk, color), then `lines` (an action in one line, an entry with its working); `pages` are
sheets and registers, `story` replays and chronicles, `proofs` heads and audits.
"""
