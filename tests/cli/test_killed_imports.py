"""A killed import: at any moment it has added everything or nothing, and the same import then gives the same set."""

import json
import signal
import subprocess
import time
from pathlib import Path
from random import Random

import pytest

from ledger.audit.verify import verify
from ledger.journal.book import open_book
from logs import die, message, roll
from terminal import LONGEST_WAIT, Type, command, head, heed_interrupts, typed_at_a_terminal

ROLLS = 2_000
KILLS = 6


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=lambda how: how.name)
def test_a_killed_import_adds_all_rolls_or_none(type_in: Type, folder: Path, how: signal.Signals) -> None:
    random = Random(43)  # noqa: S311  when to kill
    log = [
        message(roll("1d20", face, die(20, face)), _id=f"m{face}-{n}")
        for n in range(ROLLS // 20)
        for face in range(1, 21)
    ]
    (folder / "messages.json").write_text(json.dumps(log), encoding="utf-8")
    words = command(folder / "road.campaign", "import", str(folder / "messages.json"), "--yes")
    began = time.monotonic()
    subprocess.run([*words[:-1], "--dry-run"], check=True, capture_output=True, cwd=folder)
    lasts = 2 * (time.monotonic() - began)
    for _ in range(KILLS):
        process = subprocess.Popen(
            words,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=heed_interrupts,  # noqa: PLW1509  no thread runs here
        )
        time.sleep(random.random() * lasts)
        process.send_signal(how)
        process.wait(LONGEST_WAIT)
        if added := _rolls(folder):
            assert added == ROLLS
            assert type_in("undo --yes").exit_code == 0
            assert _rolls(folder) == 0
    assert type_in("import messages.json --yes").exit_code == 0
    assert _rolls(folder) == ROLLS


@pytest.mark.slow
def test_ctrl_c_while_the_rolls_are_written_leaves_nothing(type_in: Type, folder: Path) -> None:
    days = [f"2{year:03}-{month:02}-{day:02}" for year in range(120) for month in range(1, 13) for day in range(1, 29)]
    (folder / "rolls.csv").write_text("\n".join(["when,roll,dice,total", *(f"{day},d6,4,4" for day in days)]))
    before = head(folder)
    words = command(folder / "road.campaign", "import", str(folder / "rolls.csv"))
    screen = typed_at_a_terminal(words, [("Add 40,320 rolls to the campaign?", "y"), ("%", "\x03")])
    assert "exit 130" in screen
    assert head(folder) == before
    assert type_in("verify").exit_code == 0


def _rolls(folder: Path) -> int:
    with open_book(str(folder / "road.campaign")) as book:
        verify(book)
        return len({*book.accounts.values("#imported")} - {"log"})
