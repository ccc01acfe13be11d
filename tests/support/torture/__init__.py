"""The search for more: what kills, damages, forges, confuses or crowds a campaign, with a seed and for a time.

Each kind is a module of this package with `run(run)`, which tries until the run's time is over.
"""

KINDS = {
    "evenings": "random evenings at the command line: the audit of the file, a backup, a copy and a player's copy has no finding",
    "disk": "every command that writes, on a disk that fails or loses its power: what was reported is there",
    "killed": "every command that writes, killed: what was reported is there, and the same command works again",
}
"""The kinds of trial, and what each says after a run without a weakness."""
