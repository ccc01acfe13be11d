"""Disks: every command that writes, on a disk that fails at any of its calls, fills up, or loses its power."""

import errno
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from torture import camp
from torture.camp import State
from torture.lost import Disk, calls, relative
from torture.runs import SHM, Run, Trial
from torture.struck import COMPILER, NO_COMPILER, UNHARMED, Blow, Done, Forks, forks

FAULTS, LOSSES, ALL = 8, 8, 10**6
"""How often the disk of a trial fails, and loses its power; and all calls."""


def run(run: Run) -> None:
    if not COMPILER:
        print(NO_COMPILER)
        return
    with forks() as forked, TemporaryDirectory(dir=SHM) as folder:
        made = camp.made(Path(folder))
        for trial in run.trials():
            _trial(run, forked, made, trial)


def _trial(run: Run, forked: Forks, made: Path, trial: Trial) -> None:
    typed, random, log = camp.drawn(made, trial), trial.random, trial.folder / "log"
    before, whole = camp.copied(made, trial, "before"), camp.copied(made, trial, "whole")
    done = forked.run(whole, typed, UNHARMED, seed=trial.number, log=str(log))
    faults: list[str] = []
    states = camp.seen(before, faults), camp.seen(whole, faults)
    for fault in faults:
        run.weakness(f"{typed}: {fault}")
    steps = [relative(call, whole) for call in calls(log)]
    for number, blow in enumerate(_blows(random, len(steps))):
        folder = camp.copied(made, trial, f"failed-{number}")
        failed = forked.run(folder, typed, blow, seed=trial.number)
        run.count("faults")
        faults = list(_wrong(folder, failed, blow, (done, states)))
        camp.faults_after(forked, folder, typed, failed.out, done, states, faults)
        for fault in faults:
            run.weakness(f"{typed}, {blow}: {fault} [{failed.code} {failed.err.strip()[-300:]}]")
    for number in range(LOSSES):
        cut = random.choice([len(steps), random.randint(0, len(steps))])
        disk, folder = Disk(before), trial.folder / f"lost-{number}"
        for step in steps[:cut]:
            disk.take(step)
        disk.after_loss(folder, random)
        run.count("power losses")
        faults = []
        if cut == len(steps):
            faults += camp.missing(folder, states[1])
        camp.faults_after(forked, folder, typed, done.out if cut == len(steps) else "", done, states, faults)
        for fault in faults:
            run.weakness(f"{typed}, power lost after {cut} of {len(steps)} calls: {fault}")


KEPT_JOURNAL = "cleo/heads.db-journal is left"
"""What SQLite keeps where a disk does not even let it take a write back; the next command does, and removes it."""


def _blows(random: Random, count: int) -> Iterator[Blow]:
    """Draw how the disk fails: once or for good, some calls or all, with or without what removes files."""
    for _ in range(FAULTS if count else 0):
        at, error = random.randint(1, count), random.choice([errno.EIO, errno.ENOSPC])
        yield random.choice(
            [
                Blow("fail", at, 1, error),
                Blow("fail", at, ALL, error),
                Blow("fail", at, ALL, errno.EIO, "wstcmnu"),
                Blow("fail", at, 1, errno.EIO, "wstcmnu"),
                Blow("fail", at, ALL, errno.EIO, "s"),
                Blow("fail", at, ALL, errno.ENOSPC, "wtcm"),
                Blow("fail torn", at, 1, error),
                Blow("fail torn", at, ALL, error),
                Blow("short", at, random.choice([1, 5, ALL])),
            ]
        )


def _wrong(folder: Path, failed: Done, blow: Blow, unharmed: tuple[Done, tuple[State, State]]) -> Iterator[str]:
    """Say what an answer has wrong: its code, its sentence, and what it says of the disk."""
    done, (before, after) = unharmed
    if failed.code not in {4, done.code}:
        yield f"ends with {failed.code}"
    if failed.code in {2, 3, 4} and sum(line.startswith("Error: ") for line in failed.err.splitlines()) != 1:
        yield "no sentence of its own"
    if "Traceback" in failed.err or "unforeseen" in failed.err:
        yield "a traceback"
    faults: list[str] = []
    there = camp.leaves_in(folder, faults)
    if failed.code == 0:
        yield from camp.missing(folder, after)
    if (
        failed.code == 4
        and "u" not in blow.only
        and "othing was written" in failed.err
        and (there != before.leaves or camp.names_in(folder) - {"cleo/heads.db"} > before.texts.keys())
    ):
        yield "says that nothing was written"
    if "u" not in blow.only:
        camp.left_over(folder, faults)
    yield from (fault for fault in faults if fault != KEPT_JOURNAL)
