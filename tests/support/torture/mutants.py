"""Mutants: one wrong change in `ledger/`, and the tests of what was changed have to fail.

The tests that run each line are measured once for a state of the sources, and kept beside other temporary files.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from coverage import CoverageData

from paths import ROOT
from torture.mutant_tests import CHOSEN, SECONDS, TIMES
from torture.mutation import Mutant, mutants
from torture.runs import SHM, Run

MEASURED = ("tests/ledger", "tests/projections", "tests/cli", "tests/stories", "tests/house/test_rules_page.py")
EQUIVALENT = Path(__file__).with_name("equivalent.json")
"""Mutants that no test can kill: file, line, what stood there, what stands there then, and why it is the same."""

SCREEN = ("tests/projections/test_waits", "tests/projections/test_wording")
"""The tests of what games declare for the screen."""

FIRST = 40
"""So many tests are tried first; most mutants die of them."""

LONGEST = 120
"""Seconds of tests that a mutant has to survive."""

LEFT_OUT = shutil.ignore_patterns(".git", ".coverage*", ".venv*", "__pycache__", ".*_cache", "node_modules", "demo")


def run(run: Run) -> None:
    with tempfile.TemporaryDirectory(dir=SHM) as folder:
        tree = Tree(Path(folder) / "tree")
        for trial in run.trials():
            file, mutant = drawn(trial.random)
            outcome = tree.outcome(file, mutant, trial.folder)
            run.count("mutants")
            run.count(outcome)
            if outcome == "survivors":
                run.weakness(f"{file}:{mutant.first}: {mutant.before!r} → {mutant.after!r}: no test fails.")


def drawn(random: Random) -> tuple[str, Mutant]:
    """Draw a file, by its size, and a mutant of it."""
    files = sorted((ROOT / "ledger").rglob("*.py"))
    while True:
        (file,) = random.choices(files, [path.stat().st_size for path in files])
        if found := list(mutants(file.read_text(encoding="utf-8"))):
            return str(file.relative_to(ROOT)), random.choice(found)


class Tree:
    """A copy of the sources in which one file at a time is wrong, and what tests run which line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)

    def outcome(self, file: str, mutant: Mutant, folder: Path) -> str:
        """Put a mutant in its place and run its tests: killed, hanging, surviving, or the same program after all."""
        tests, place = self.tests(file, mutant), self.folder / file
        whole = place.read_text(encoding="utf-8")
        self._put(place, mutant.source)
        try:
            for some in (tests[:FIRST], tests[FIRST:]):
                code = self._pytest(some, folder) if some else 0
                if code:
                    return "hangs" if code < 0 else "kills"
        finally:
            self._put(place, whole)
        same = [file, whole.splitlines()[mutant.first - 1].strip(), mutant.before, mutant.after]
        return "equivalents" if any(entry[:4] == same for entry in json.loads(EQUIVALENT.read_text())) else "survivors"

    def tests(self, file: str, mutant: Mutant) -> list[str]:
        """The tests of a mutant: those that ran its lines, or its module, then all of its room.

        What is made once, and kept, was run by one test alone. What games declare has a test for all of them.
        """
        folder = Path(file).parent
        declared = (
            f"tests/{folder.parent}/test_declared",
            *(SCREEN if folder.is_relative_to("ledger/systems") else ()),
        )
        room = (f"tests/{folder}/", f"tests/{folder.parent}/test_{folder.name}", *declared)
        by_line = self.covered.contexts_by_lineno(str(ROOT / file))
        ran = {line: {context.rpartition("|")[0] for context in contexts} for line, contexts in by_line.items()}
        of_lines = set[str]().union(*(ran.get(line, ()) for line in range(mutant.first, mutant.last + 1)))
        of_room = {test for test in self.times if test.startswith((*room, "tests/house/"))}
        first = of_lines if _is_in_function(ROOT / file, mutant.first) else of_room.union(*ran.values())
        near = {test: (test not in first, not test.startswith(room), time) for test, time in self.times.items()}
        return sorted((first | of_room) & near.keys(), key=near.__getitem__)

    @cached_property
    def times(self) -> dict[str, float]:
        """How long each test takes."""
        times: dict[str, float] = json.loads((self._measured() / "times.json").read_text())
        return times

    @cached_property
    def covered(self) -> CoverageData:
        data = CoverageData(str(self._measured() / "covered"))
        data.read()
        return data

    def _measured(self) -> Path:
        """The folder of what was measured of these sources; it is measured now, where it was not yet."""
        state = sha256()
        for path in _sources():
            state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
        kept = Path(tempfile.gettempdir()) / f"campaign-covered-{state.hexdigest()[:16]}"
        if not kept.exists():
            with tempfile.TemporaryDirectory(dir=tempfile.gettempdir()) as made:
                files = {TIMES: f"{made}/times.json", "COVERAGE_FILE": f"{made}/covered"}
                words = [
                    "-n",
                    "2",
                    "-m",
                    "not slow",
                    "--cov=ledger",
                    "--cov-context=test",
                    "--cov-report=",
                    "--cov-fail-under=0",
                    *MEASURED,
                ]
                done = subprocess.run(_words(*words), cwd=ROOT, env=_environment(ROOT, **files), check=False)
                if done.returncode not in {0, pytest.ExitCode.TESTS_FAILED}:
                    sys.exit("The tests could not be measured.")
                shutil.copytree(made, kept)
        return kept

    def _put(self, place: Path, source: str) -> None:
        place.write_text(source, encoding="utf-8")
        for stale in place.parent.glob(f"__pycache__/{place.stem}.*"):
            stale.unlink()

    def _pytest(self, tests: Sequence[str], folder: Path) -> int:
        chosen = folder / "chosen.json"
        chosen.write_text(json.dumps({test: self.times[test] for test in tests}))
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        words = _words("-x", f"--basetemp={folder / 'tests'}", *files)
        more = {CHOSEN: str(chosen), SECONDS: str(LONGEST)}
        done = subprocess.run(
            words, cwd=self.folder, env=_environment(self.folder, **more), check=False, capture_output=True
        )
        return done.returncode


def _is_in_function(file: Path, line: int) -> bool:
    """Whether a line runs when a function is called, and not when its module is imported."""
    functions = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef))
    return any(node.body[0].lineno <= line <= (node.end_lineno or 0) for node in functions)


def _sources() -> Iterator[Path]:
    for room in ("ledger", "projections", "cli", "tests"):
        yield from sorted((ROOT / room).rglob("*.py"))


def _words(*words: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "torture.mutant_tests", *words]


def _environment(tree: Path, **more: str) -> dict[str, str]:
    """What the tests find: the sources of this tree, and nothing else that a newcomer's shell has not."""
    paths = (tree, tree / "tests/support")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("CAMPAIGN", "PYTHON"))}
    return {**plain, "PYTHONPATH": ":".join(map(str, paths)), **more}
