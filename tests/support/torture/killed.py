"""Kills: every command that writes, killed at random moments and at exact points; then it is repeated."""

import signal
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from torture import camp
from torture.camp import State
from torture.lost import calls_in
from torture.runs import SHM, Run, Trial, started
from torture.struck import COMPILER, Blow, Done, Forks, Typed, forks

KILLS = 8
"""How often the command of a trial is killed."""


def run(run: Run) -> None:
    with forks() as forked, TemporaryDirectory(dir=SHM) as folder:
        made = camp.made(Path(folder))
        for trial in run.trials():
            _trial(run, forked, made, trial)


def _trial(run: Run, forked: Forks, made: Path, trial: Trial) -> None:
    typed, random = camp.drawn(made, trial, camp.MOVES), trial.random
    before = camp.copied(made, trial, "before")
    whole = camp.copied(made, trial, "whole")
    began = time.monotonic()
    done = forked.run(whole, typed, seed=trial.number, log=str(trial.folder / "log"))
    lasts = time.monotonic() - began
    faults: list[str] = []
    states = camp.seen(before, faults), camp.seen(whole, faults)
    for fault in faults:
        run.weakness(f"{typed}: {fault}")
    calls = calls_in(trial.folder / "log") if COMPILER else 0
    points = random.sample(range(1, calls + 2), min(KILLS, calls + 1))
    blows = [Blow(random.choice(["kill", "kill torn"]), point) for point in points]
    blows += [Blow(after=random.random() * lasts * 1.2) for _ in range(2 if blows else KILLS)]
    for number, blow in enumerate(blows):
        folder = camp.copied(made, trial, f"killed-{number}")
        killed = forked.run(folder, typed, blow, seed=trial.number)
        _judge(run, forked, folder, typed, (f"{blow}", killed, done), states)
    if random.random() < 0.2:
        folder = camp.copied(made, trial, "started")
        process = started(folder / typed.within, typed.words, CAMPAIGN_HOME=str(folder / typed.home))
        time.sleep(random.random() * 0.6)
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
        _judge(run, forked, folder, typed, ("killed", Done(process.returncode, out.decode(), err.decode()), done), None)


def _judge(
    run: Run,
    forked: Forks,
    folder: Path,
    typed: Typed,
    story: tuple[str, Done, Done],
    states: Sequence[State] | None,
) -> None:
    """Say what a kill left that must not be. Of dice that nobody knows, only that all is whole."""
    blow, killed, done = story
    run.count("kills", killed.code == -signal.SIGKILL)
    faults: list[str] = []
    again = camp.faults_after(forked, folder, typed, killed.out, done, states, faults)
    for fault in faults:
        run.weakness(f"{typed}, {blow}: {fault}" + (f" [again: {again.code} {again.err.strip()}]" if again else ""))
