"""The journal: the event store, the accounts beside it, and the words that can be erased.

The journal uses events and tree hashes, but no commands and no games. `storage` is the port to a database engine,
`records` has the records that pass through it, and `sqlite` is the only engine: no other module opens a campaign's file
(the verifier in exports has its own code for it). `schema` has its tables, and `locking` the turns of several writers.
Above the port, start with `store` (append and read entries under one lock, and their tree), then `accounts` (postings
and marks with their two times) and `words`. `book` combines them. `memory` keeps postings, marks and nodes in plain
lists, for use when the tables of a file may be wrong.
"""

from __future__ import annotations
