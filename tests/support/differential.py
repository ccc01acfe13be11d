"""Two trees of this program type the same random evenings; all that is printed and all that is kept must be equal.

    python tests/support/differential.py REVISION [--evenings 1000] [--first 0] [--without-prose]

An evening is words after `campaign`, drawn with a seed: moves of every game, days, sessions, and above all corrections.
The tree of REVISION and this one type them side by side, in folders of their own, with the same clock, dice and salts.
Compared to the byte are what each command prints and how it ends, every row of every table, and both kinds of export.
With `--without-prose` the sentences for people may differ: of what is printed, only JSON without its sentences and the
exit codes are compared.
Nothing of the trees is used but the command line and the tables on disk, so that it stays while names change.

It goes when the house no longer changes under what it does.
"""

import argparse
import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import IO

from typed_evenings import OPENING, Table

ROOT = Path(__file__).parents[2]
LAST = """
sheets --json
log -n 999
log -n 999 --json
questions
questions --json
chronicle
chronicle --all --markdown
chronicle --html
recap --session 1
recap --session 1 --json
replay --from 1
verify
verify --json
audit
audit --json
export whole
export told --for players
-f again.campaign import whole --yes
"""

TWICE = """
day next
dispute DAWN --claim 'she slept' --player Ana
amend DAY --why 'the rent was late' --yes
questions
log --open
amend DAY --why 'it was not' --yes
questions
log --open
log -n 99
decide QUESTION uphold --why 'so it is'
undo
amend DAWN --why 'a bad night' --yes
questions
"""
"""A dispute about a dawn, in a day that is amended twice."""

PROSE = {"says", "hint", "hints", "unknown", "told", "story", "gains", "there", "corrections", "open", "appendix"}
"""Fields of JSON that hold sentences for people; those of a recap are the last seven."""

LEAST = 30
"""Commands of an evening that do what was said, on the average: fewer compare nothing but refusals."""


def evening(seed: int) -> Table:
    """Type one evening in the current folder; that of seed 0 amends a disputed day twice."""
    table = Table(Random(seed))  # noqa: S311  on purpose
    for words in OPENING.strip().splitlines():
        table.type(words)
    if seed:
        table.drawn(30)
    else:
        for template in TWICE.strip().splitlines():
            table.type(table.said(template))
    for words in LAST.strip().splitlines():
        table.type(words)
    return table


def kept() -> Iterator[tuple[str, str]]:
    """Yield what is on disk in the current folder: every row of every table, and every file of the exports."""
    for file in sorted(Path().glob("*.campaign")):
        connection = sqlite3.connect(file)
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall():
            yield f"{file}: {name}", str(sql)
            if str(sql).startswith("CREATE TABLE"):
                rows = sorted(map(repr, connection.execute(f"SELECT * FROM {name}")))
                yield f"{file}: rows of {name}", "\n".join(rows)
        connection.close()
    # the verifier in an export is a copy of a source file, in whatever words; older trees keep the key beside the file
    for file in sorted(
        each for each in Path().rglob("*") if each.is_file() and each.suffix not in {".campaign", ".py", ".key"}
    ):
        if "home" not in file.parts and not file.name.endswith(("-wal", "-shm")):
            yield str(file), file.read_bytes().decode(errors="backslashreplace")


def without_prose(printed: str) -> str:
    """Keep the commands, the exit codes, and what is printed as JSON, without the fields that hold sentences."""
    kept_lines = []
    for line in printed.splitlines():
        if line.startswith(("$ campaign", "(exit ")):
            kept_lines.append(line)
        elif line.startswith("{"):
            kept_lines.append(json.dumps(_facts(json.loads(line))))
    return "\n".join(kept_lines)


def _facts(value: object) -> object:
    if isinstance(value, dict):
        return {name: _facts(part) for name, part in value.items() if name not in PROSE}
    return [_facts(part) for part in value] if isinstance(value, list) else value


def worked(seed: int) -> dict[str, str]:
    """Return all that an evening printed and left, by what it is."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:  # noqa: S108  quicker
        os.chdir(folder)
        os.environ["CAMPAIGN_HOME"] = str(Path("home").absolute())
        os.environ["TZ"] = "UTC"
        try:
            printed = "".join(evening(seed).printed).replace(folder, "FOLDER")
            return {"printed": printed, **dict(kept())}
        finally:
            os.chdir(before)


def worker(tree: Path, prose_left_out: bool) -> None:
    """Work out the evenings whose seeds come in, in one tree, a line each."""
    import cli

    where = Path(str(cli.__file__)).parents[1]
    assert where.resolve() == tree.resolve(), where
    for line in sys.stdin:
        found = worked(int(line))
        done = found["printed"].count("(exit 0)")
        if prose_left_out:
            found["printed"] = without_prose(found["printed"])
        digests = {name: sha256(text.encode(errors="backslashreplace")).hexdigest() for name, text in found.items()}
        print(json.dumps({"seed": int(line), "good": done, "digests": digests}), flush=True)


def started(tree: Path, *words: str) -> "subprocess.Popen[str]":
    env = {name: held for name, held in os.environ.items() if not name.startswith("CAMPAIGN")}
    env["PYTHONPATH"] = str(tree)
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--worker", str(tree), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
    )


def shown(tree: Path, seed: int, prose_left_out: bool) -> dict[str, str]:
    process = started(tree, "--show", str(seed))
    out, _ = process.communicate()
    found: dict[str, str] = json.loads(out)
    return {**found, "printed": without_prose(found["printed"])} if prose_left_out else found


def differing(trees: tuple[Path, Path], seed: int, prose_left_out: bool) -> str:
    """Return in lines what differs in an evening."""
    old, new = (shown(tree, seed, prose_left_out) for tree in trees)
    lines: list[str] = []
    for name in sorted(old.keys() | new.keys()):
        one, other = (found.get(name, "(not there)\n").splitlines() for found in (old, new))
        lines += list(unified_diff(one, other, f"old {name}", f"new {name}", lineterm="", n=4))[:60]
    return "\n".join(lines)


def compared(old: Path, old_name: str, seeds: range, prose_left_out: bool) -> bool:
    """Compare the evenings of two trees; return whether any differ, or too little was compared."""
    trees = (old, ROOT)
    processes = [started(tree, *(["--without-prose"] if prose_left_out else [])) for tree in trees]
    for process in processes:
        _stdin(process).write("".join(f"{seed}\n" for seed in seeds))
        _stdin(process).close()
    wrong, good, printed = 0, 0, 0
    for one, other in zip(*(_lines(process) for process in processes), strict=True):
        first, second = json.loads(one), json.loads(other)
        printed, good = printed + 1, good + first["good"]
        if first != second:
            wrong += 1
            print(f"Evening {first['seed']} differs:\n{differing(trees, first['seed'], prose_left_out)}\n", flush=True)
        if wrong == 3:
            break
    print(
        f"{printed} evenings in {old_name} and in the working tree {ROOT}:"
        f" {'exit codes and JSON' if prose_left_out else 'all that was printed'}, all rows, both exports;"
        f" {good} commands did what was said; {wrong} evenings differ."
    )
    if good < LEAST * printed or not printed:
        print(f"That compares too little: fewer than {LEAST} commands an evening did what was said.")
    for process in processes:
        process.kill()
    return bool(wrong) or not printed or printed < len(seeds) or good < LEAST * printed


def _stdin(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdin is not None
    return process.stdin


def _lines(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdout is not None
    return process.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", default="HEAD", help="the tree to compare with")
    parser.add_argument("--evenings", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--without-prose", action="store_true", help="compare no sentences for people")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--show", type=int, help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.show is not None:
        print(json.dumps(worked(said.show)))
    elif said.worker is not None:
        worker(said.worker, said.without_prose)
    else:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "archive", said.revision], cwd=ROOT, check=True, capture_output=True)
            with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
                tar.extractall(folder, filter="data")
            seeds = range(said.first, said.first + said.evenings)
            wrong = compared(Path(folder), said.revision, seeds, said.without_prose)
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
