"""The journal: the event store, the accounts beside it, and the words that can be erased.

Knows events and tree hashes, and nothing of commands or of any game. `storage` is the port to a database engine, row
by row, `records` the records that go through it, and `sqlite` the only engine: no other module opens a campaign's file
(the verifier that goes into exports has its own way). `schema` has its tables, `locking` how several writers take
turns. Above the port, begin with `store` (append and read entries under one lock, and their tree), then `accounts`
(postings and marks with their two times) and `words`; `book` is all of them together. `memory` keeps postings, marks
and nodes in plain lists, for when the tables of a file may be wrong.
"""

from __future__ import annotations
