"""Looks as of an earlier entry: the same, to the byte, as when that entry was the last."""

import re
from pathlib import Path
from random import Random

import pytest

from examples import THOROUGH
from typed_evenings import CORRECT, OPENING, PLAY, Table

LOOKS = (
    "sheets",
    "log -n all",
    "questions",
    "chronicle",
    "chronicle --all",
    "recap",
    "luck",
    "why mara edge",
    "register mara edge",
    "replay --from 10",
    "show {}",
    "show 9",
)
"""Each as of an entry; `{}` is that entry."""

EVENINGS, LENGTH = (12, 16) if THOROUGH else (2, 10)
NO_LONGER = re.compile(r"^(erase|checkpoint|reveal)")
"""Commands that change what earlier entries show for good."""


def looks(table: Table, at: int) -> dict[str, str]:
    shown = {}
    for words in LOOKS:
        table.type(f"{words.format(at)} --at {at}")
        shown[words] = table.printed[-1]
    return shown


@pytest.mark.parametrize("seed", range(EVENINGS))
def test_a_look_as_of_an_entry_is_what_it_was_when_that_entry_was_the_last(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = Table(Random(seed))  # noqa: S311  on purpose
    for words in OPENING.strip().splitlines():
        table.type(words)
    templates = [line for line in (PLAY + CORRECT).splitlines() if line and not NO_LONGER.match(line)]
    then: dict[int, dict[str, str]] = {}
    for _ in range(LENGTH):
        table.type(table.said(table.random.choice(templates)))
        head = table.head()
        if head not in then:
            then[head] = looks(table, head)
    for head, shown in then.items():
        assert looks(table, head) == shown, head
