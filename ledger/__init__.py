"""The record book: what happened at the table, what it changed, and the proof of it.

    The journal holds facts. A fact may change scores. Everything else is computed.

The rooms, from the top. A room may import those below it; rooms in one line do not know each other. A linter checks it.

    archive, rebuild, reading
                            plain files and back; derived tables made again; words into commands
    audit, scribe           is the record intact and right; the command handler
    corrections, trust      commands about earlier entries; who signed and witnessed how much
    commands, journal       what can be said at the table; the event store and its accounts
    systems, tlog           the games; transparency-log formats
    rules                   what a game is made of
    events                  everything that is ever written
    errors, values          failures as a tree; frozen values

No terminal in here. Commands, corrections, games and rules know no clock, no chance and no storage: the scribe hands
them what they need, and writes what they decide. To follow one roll, read `scribe.Scribe.write`, then `commands.play`,
then `events.rows`; for what is on disk, `events.types`.
"""
