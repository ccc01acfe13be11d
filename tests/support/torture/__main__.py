"""Search for more: python -m torture [KIND …] [--minutes M] [--seed N] [--deep] [--record].

Every kind gets an equal share of the time. The seed is printed; with `--first` and `--trials` it brings a trial back.
With `--deep`, the kinds run that `make test-all` runs a tenth of, each with its own number of trials.
With `--record`, on a clean commit, what was counted goes into docs/reliability.json.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import import_module
from random import SystemRandom
from typing import Any

from paths import ROOT
from torture import APART, DEEP, KINDS
from torture.runs import Run

KEPT = ROOT / "docs" / "reliability.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all, unless said; or {', '.join(APART)}"
    )
    parser.add_argument("--minutes", type=float, default=10, help="how long, in all")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6), help="else one is drawn")
    parser.add_argument("--first", type=int, default=0, help="the number of the first trial")
    parser.add_argument("--trials", type=int, help="how many, whatever the time")
    parser.add_argument("--deep", action="store_true", help="the full number of trials of the kinds that have one")
    parser.add_argument("--record", action="store_true", help="keep the counts in docs/reliability.json")
    said = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # a trial is the same again, whatever it draws from a set
        os.execve(
            sys.executable, [sys.executable, "-m", "torture", *sys.argv[1:]], {**os.environ, "PYTHONHASHSEED": "0"}
        )
    known = DEEP if said.deep else KINDS | APART
    if unknown := set(said.kinds) - set(known):
        parser.error(f"{', '.join(sorted(unknown))}: the kinds are {', '.join(known)}")
    commit = _commit() if said.record else ""
    print(f"Seed {said.seed}.", flush=True)
    kinds = said.kinds or list(DEEP if said.deep else KINDS)
    weak = False
    for kind in kinds:
        trials = DEEP[kind] if said.deep else said.trials
        run = Run(kind, said.seed, said.minutes / len(kinds), said.first, trials)
        began = time.monotonic()
        import_module(f"torture.{kind}").run(run)
        minutes = round((time.monotonic() - began) / 60, 1)
        counts = ", ".join(f"{count:,} {name}" for name, count in sorted(run.counts.items()))
        print(f"{kind}: {counts}; {len(run.weaknesses)} weaknesses; {minutes} minutes.", flush=True)
        weak |= bool(run.weaknesses)
        if said.record:
            _record(run, commit, minutes)
    sys.exit(weak)


def _commit() -> str:
    """The commit of a clean tree; a run of anything else could not be repeated."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True)
    if [line for line in changed.stdout.splitlines() if not line.endswith(str(KEPT.relative_to(ROOT)))]:
        sys.exit("Commit first: a run of changed files cannot be repeated by anybody else.")
    words = ["git", "rev-parse", "--short=10", "HEAD"]
    return subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _record(run: Run, commit: str, minutes: float) -> None:
    kept: list[dict[str, Any]] = json.loads(KEPT.read_text())
    facts = {"kind": run.kind, "seed": run.seed, "commit": commit, "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    counted = {"minutes": minutes, "counts": dict(sorted(run.counts.items())), "weaknesses": run.weaknesses}
    kept.append({**facts, **counted})
    KEPT.write_text("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in kept) + "\n]\n")


if __name__ == "__main__":
    main()
