"""Projections: ways of looking at a campaign. Each reads, none writes.

A projection takes a book and a point in it and returns plain values, which the edges show. Knows the ledger, and
nothing of the terminal. Begin with `sheets` and `register`, then `log`; `why`, `diff`, `questions`, `replay` and
`chronicle` are built from these, and `phrases` says an entry in words.
"""
