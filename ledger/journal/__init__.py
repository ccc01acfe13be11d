"""The journal: the event store, the accounts derived from it, and the words that can be erased.

`storage` is the port to a database engine, and `records` has the values that pass through it. The only engine is
SQLite, in `sqlite` and the modules that it uses. Above the port, start with `store` (entries under one lock, and their
tree), then `accounts` (postings and marks) and `words`. `book` combines them. `memory` keeps postings, marks and nodes
in lists, for use when the tables of a file may be wrong. No module here uses commands or games.
"""

from __future__ import annotations
