"""The journal: the event store in SQLite, the accounts beside it, and the words that can be erased.

The only room that opens a campaign's file; the verifier that goes into exports has its own way. Knows events and
tree hashes, and nothing of commands or of any game. Begin with `store` (append and read entries under one lock),
then `accounts` (postings and marks with their two times) and `words`; `book` is all of them together, `schema` the
tables, and `sqlite` how a file is opened and what SQLite's errors mean.
"""
