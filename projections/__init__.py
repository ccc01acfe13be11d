"""Projections: read-only views of a campaign.

A projection takes a book and a point in its history, and returns plain values for the terminal and the web page. It
imports only the ledger. Start reading at `sheets` and `register`, then `log`. `why`, `diff`, `questions`, `replay` and
`chronicle` build on these, and `phrases` puts an entry into words.
"""
