"""Campaigns that are made once and laid into as many folders as tests need."""

import os
import shlex
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from cli.context import Desk
from cli.main import campaign
from table import EVENING, opened_book, seeded_dice, seeded_salts

FILE = "road.campaign"


def laid_out(folder: Path, *commands: str) -> Path:
    """Lay out the campaign with a cast in which these commands were typed, and all that they left; return its file."""
    for name, data in _typed(commands).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder / FILE


@cache
def _typed(commands: tuple[str, ...]) -> dict[str, bytes]:
    before = Path.cwd()
    desk = Desk(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
    with TemporaryDirectory() as made:
        os.chdir(made)
        try:
            opened_book(FILE).journal.connection.close()
            for words in commands:
                done = CliRunner().invoke(campaign, shlex.split(words), obj=desk, prog_name="campaign")
                assert done.exit_code == 0, (words, done.output)
            files = sorted(path for path in Path().rglob("*") if path.is_file())
            return {str(path): path.read_bytes() for path in files}
        finally:
            os.chdir(before)
