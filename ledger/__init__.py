"""The record book: events at the table, their effects on scores, and proofs that nobody changed the record.

    The journal holds facts. A fact may change scores. Everything else is computed.

Nothing here uses a terminal. Commands, corrections, games and rules do not use the clock, random numbers or storage:
the scribe supplies these, and writes the resulting entries. To follow one roll, read `scribe.Scribe.write`, then
`commands.play`, then `events.rows`. `events.types` defines the stored entries. docs/architecture.md lists the packages.
"""
