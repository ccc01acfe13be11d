"""The search for more: what kills, damages, forges, confuses or crowds a campaign, with a seed and for a time.

Each kind is a module of this package with `run(run)`, which tries until the run's time is over.
"""

KINDS = {
    "old": "campaigns of earlier versions go on: the same to the byte, no new finding, the same root after export and import",
    "mutants": "one wrong change in ledger/ at a time: its tests fail",
    "input": "any bytes for every parser, any words for every command: a sentence and a documented code, soon",
    "processes": "any words for every command, each a process of its own: a documented code, and no traceback",
    "bytes": "every byte of a small campaign and of its export, turned over: said in a sentence, or nothing had changed",
    "together": "nine processes on one file at once: nothing reported is lost or doubled, and nobody is accused",
    "model": "a plain model beside the program: sheets, questions and entries are as it says, also of earlier points",
    "evenings": "random evenings at the command line: the audit of the file, a backup, a copy and a player's copy has no finding",
    "seats": "players who are seated more than once, and words that are erased one by one: the audit accuses nobody",
    "clocks": "clocks that go back and ahead: what seems wrong is refused and writes nothing, and the audit names what disagreed",
    "restores": "restores killed at random moments, beside a reader: the file is whole, the same command finishes, and names what is lost",
    "replaced": "files exchanged under an open prompt and beside an old log: nothing is written into another file, nothing is mixed",
    "readers": "readers without write access beside a writer: no honest file is called damaged, and none shrinks",
    "cheats": "histories forged by somebody who has the key: what no command comes to is found in the file alone, all else by a kept checkpoint",
    "damaged": "files and exports that lost bytes, rows, tables or files: said in a sentence, or nothing had changed",
    "disk": "every command that writes, on a disk that fails or loses its power: what was reported is there",
    "killed": "every command that writes, killed: what was reported is there, and the same command works again",
}
"""The kinds of trial, and what each says after a run without a weakness."""

APART = {
    "nodes": "three nodes with PostgreSQL, Patroni and etcd under faults: nothing acknowledged is lost or doubled, and no read goes back",
}
"""The kinds that run only when they are named, as they need programs of the machine's and its superuser."""

DEEP = {"clocks": 300, "readers": 150, "replaced": 200, "restores": 200, "seats": 300}
"""The number of trials of each kind in `make deep`; `make test-all` runs a tenth of them."""
