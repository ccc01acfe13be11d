"""Mutants: what is changed, what stays, and how one is judged by its tests."""

import json
from collections import Counter
from pathlib import Path

import pytest

from paths import ROOT
from torture.mutants import EQUIVALENT, Tree
from torture.mutation import Mutant, mutants

SOURCE = '''"""What stays."""

LONGEST: "int" = 3


def least(number: int, others: list[int]) -> int | None:
    """What stays."""
    assert number
    if number < 2 and others:
        raise ValueError(f"{number} is no number")
    return others[1:]
'''

CHANGES = [
    (3, "3", "(4)"),
    (9, "number < 2 and others", "(not (number < 2 and others))"),
    (9, "number < 2 and others", "(number < 2 or others)"),
    (9, "number < 2", "(number <= 2)"),
    (9, "2", "(3)"),
    (10, 'raise ValueError(f"{number} is no number")', "pass"),
    (11, "return others[1:]", "return None"),
    (11, "1:", ":"),
    (11, "1", "(2)"),
]


@pytest.mark.slow
def test_what_is_listed_as_the_same_program_is_a_mutant_of_a_line_that_is_still_there() -> None:
    listed = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    assert listed == sorted(listed)
    for file in {entry[0] for entry in listed}:
        source = (ROOT / file).read_text(encoding="utf-8")
        lines = source.splitlines()
        made = Counter((mutant.first, mutant.before, mutant.after) for mutant in mutants(source))
        for _, line, before, after, _ in (entry for entry in listed if entry[0] == file):
            places = [place for place, stands in enumerate(lines, 1) if stands.strip() == line]
            assert places, (file, line)
            assert all(made[place, before, after] for place in places), (file, line, before)


def test_comparisons_constants_conditions_and_statements_are_changed_and_docstrings_and_annotations_stay() -> None:
    made = list(mutants(SOURCE))
    assert [(mutant.first, mutant.before, mutant.after) for mutant in made] == CHANGES
    assert "number <= 2" in made[3].source
    assert all(mutant.source != SOURCE for mutant in made)


class Small(Tree):
    """A tree of one module, with one test of it that takes no time."""

    def __init__(self, folder: Path, test: str) -> None:
        self.folder = folder
        (folder / "tests").mkdir()
        (folder / "tests/support").symlink_to(ROOT / "tests/support")
        (folder / "tests/conftest.py").write_text(
            'from hypothesis import settings\nsettings.register_profile("here")\n'
        )
        (folder / "small.py").write_text("def least() -> int:\n    return 3\n")
        (folder / "tests/test_small.py").write_text(f"from small import least\n\ndef test_small():\n    {test}\n")
        self.times = {"tests/test_small.py::test_small": 0.0}

    def tests(self, file: str, mutant: Mutant) -> list[str]:
        return list(self.times)


@pytest.mark.parametrize(("test", "outcome"), [("assert least() == 3", "kills"), ("least()", "survivors")])
def test_a_mutant_lives_where_its_tests_see_no_difference_and_the_source_is_put_back(
    tmp_path: Path, test: str, outcome: str
) -> None:
    tree = Small(tmp_path, test)
    mutant = next(mutants((tmp_path / "small.py").read_text()))
    (tmp_path / "t").mkdir()
    assert tree.outcome("small.py", mutant, tmp_path / "t") == outcome
    assert (tmp_path / "small.py").read_text() == "def least() -> int:\n    return 3\n"
