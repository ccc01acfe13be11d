"""Projections: views of a campaign. They read, and never write.

A projection takes a book and a point in it and returns plain values, which the edges show. It knows the ledger, but
not the terminal. Begin with `sheets` and `register`, then `log`; `why`, `diff`, `questions`, `replay` and
`chronicle` are built from these, and `phrases` puts an entry into words.
"""
