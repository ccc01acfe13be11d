"""What happened at the table, what it moved, and the proof of it.

    The journal holds facts. A fact may change scores. Everything else is computed.

The rooms, from the top; each may know those below it, and rooms in one line do not know each other. A linter holds it.

    archive, rebuild, reading
                            plain files and back; derived tables made anew; words into commands
    audit, scribe           whether the record is whole and right; the one hand that writes
    corrections, trust      commands about earlier entries; who signed and witnessed how much
    commands, journal       what can be said at the table; the event store and its accounts
    systems, tlog           the games; transparency-log formats
    rules                   what a game is made of
    events                  all that is ever written
    errors, values          failures as a tree; frozen values

Nothing in here knows a terminal. Commands, corrections, games and rules know neither clock nor chance nor storage:
they are handed what they need, and the scribe writes what they decide. To see one roll go through,
read `scribe.Scribe.write`, then `commands.play`, then `events.rows`; to see what is on disk, `events.types`.
"""
