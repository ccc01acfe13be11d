"""Vectors: what the rules of each game give for the numbers in `tests/data`."""

import json
import subprocess
import sys
from typing import Any

import pytest

from cli import try_rule as trial
from ledger import systems
from paths import DATA, ROOT

CASES = [case for file in sorted(DATA.glob("*.json")) for case in json.loads(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_vector_holds(case: dict[str, Any]) -> None:
    (found,) = json.loads(trial.run_cases(json.dumps([case]).encode()))
    if case["expect"].get("refused"):
        assert found["refused"] is True
        assert found["why"].endswith(".")
    else:
        assert found == case["expect"]


@pytest.mark.parametrize("name", [*systems.BUILT_IN_GAMES])
def test_a_look_at_a_sheet_loads_neither_moves_nor_rules(name: str) -> None:
    program = f"import sys, ledger.systems.{name}; print(*(each for each in sys.modules if '{name}.' in each))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == [f"ledger.systems.{name}.sheet", f"ledger.systems.{name}.wording"]
