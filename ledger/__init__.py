"""The record book: events at the table, their effects on scores, and proofs that nobody changed the record.

    The journal holds facts. A fact may change scores. Everything else is computed.

The packages and modules, from the top. Each may import those below its line. A linter checks this.

    archive, rebuild, reading
                            export and import; a rebuild of the derived tables; a parser of typed commands
    audit, scribe           checks of the record; the command handler
    corrections, trust      commands about earlier entries; signatures and witnesses
    commands, journal       the commands of the table; the event store and its accounts
    systems, tlog           the games; transparency-log formats
    rules                   the parts of a game
    events                  all facts that the journal can hold
    errors, values          the tree of errors; frozen values

Nothing here uses a terminal. Commands, corrections, games and rules do not use the clock, random numbers or storage:
the scribe supplies these, and writes the resulting entries. To follow one roll, read `scribe.Scribe.write`, then
`commands.play`, then `events.rows`. `events.types` shows what is on disk.
"""
