"""Projections: read-only views of a campaign.

A projection takes a book and a point in it and returns plain values, which the terminal and the page show. It imports
the ledger, but neither of these two. Start reading at `sheets` and `register`, then `log`. `why`, `diff`, `questions`,
`replay` and `chronicle` build on these, and `phrases` puts an entry into words.
"""
