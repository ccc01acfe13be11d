"""Any words for every command, each a process of its own, with a paste: a documented code, and no traceback."""

import subprocess
from itertools import islice
from pathlib import Path

from torture.input import CODES, laid, typed
from torture.runs import Run, campaign, environment, inside
from typed_evenings import Table

LINES = 10
"""How many processes a trial starts."""

LONGEST = 60
"""Seconds that one may take."""


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            laid(trial)
            for words, paste in islice(typed(Table(trial.random), trial.random), LINES):
                _as_process(run, [word for word in words if "\x00" not in word], paste)


def _as_process(run: Run, words: list[str], paste: bytes) -> None:
    run.count("processes")
    started, env = campaign("-f", "road.campaign", *words), environment(Path.cwd())
    try:
        done = subprocess.run(started, input=paste, capture_output=True, env=env, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        run.weakness(f"{words} takes longer than {LONGEST} seconds, pasted {paste[:300]!r}")
        return
    run.count(f"ended with {done.returncode}")
    if done.returncode not in CODES or b"Traceback" in done.stderr:
        run.weakness(f"{words} ends with {done.returncode}: {done.stderr[-600:]!r}, pasted {paste[:300]!r}")
