"""A new event type is noticed: the type checker names every place that has to know it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paths import ROOT

PLACES = {
    "ledger/audit/invariants.py",
    "ledger/audit/action_grammar.py",
    "projections/phrases.py",
}
"""The modules that handle every event; of a correction, or of what is read by hand, fewer do."""

NEW = '''

class MoonRisen(Event):
    """A scratch type, which nobody knows."""

    type: ClassVar[str] = "moon-risen"
    phase: Seq


class Unknown(Event):'''


@pytest.mark.slow
def test_whoever_adds_an_event_type_is_led_to_all_that_must_know_it(tmp_path: Path) -> None:
    for name in ("ledger", "projections", "cli", "web", "pyproject.toml"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    types = tmp_path / "ledger" / "events" / "types.py"
    text = types.read_text(encoding="utf-8")
    types.write_text(
        text.replace("\n\nclass Unknown(Event):", NEW).replace("    | Unknown\n", "    | Unknown\n    | MoonRisen\n")
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "ledger", "projections", "cli"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in found.stdout.splitlines() if ": error: " in line]
    assert all('"assert_never" has incompatible type "MoonRisen"' in line for line in errors), found.stdout
    assert {re.match(r"[^:]*", line)[0] for line in errors} == PLACES  # type: ignore[index]
