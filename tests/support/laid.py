"""Campaigns that are made once and laid out in as many folders as tests need."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign
from ledger.tlog.note import Skey, parse_skey
from ledger.trust.home import Home
from table import EVENING, opened_book, seeded_dice, seeded_salts

FILE = "road.campaign"

PLAYED = (
    'session open "One" --present Ana',  # 8
    "edge check mara --skill 11 --faces 7,6",  # 9 10
    'adjust mara edge=-1 --why "a bargain"',  # 11
    "edge check mara --skill 11 --edge --drop 3 --faces 7,3,7",  # 12 13 14
    'edge award mara --amount 1 --why "well done"',  # 15 16
    "roll mara 2d6 --faces 3,4",  # 17 18
    'scene "At the gate"',  # 19
    'set mara care=yes --why "tired"',  # 20
    'edge check mara --skill 11 --advantage "high ground" --target 5 --secret',  # 21 22
    'note "the guide"',  # 23
)
"""What was typed in an evening, with the numbers of the entries."""


def laid_out(folder: Path, *commands: str) -> Path:
    """Lay out the campaign with a cast in which these commands were typed, and all that they left there.

    Return its file. Of the home in which they were typed, only the campaign's keys are kept, in this one.
    """
    files, keys = _typed(commands)
    for name, (data, mode) in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        (folder / name).chmod(mode)
    for key in keys:
        Home(os.environ["CAMPAIGN_HOME"]).keep_key(key)
    return folder / FILE


@contextmanager
def nobody() -> Iterator[None]:
    """Be somebody who owns nothing, where we are the superuser, whom no right stops."""
    if os.getuid():
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@cache
def _typed(commands: tuple[str, ...]) -> tuple[dict[str, tuple[bytes, int]], list[Skey]]:
    before = Path.cwd()
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
    with TemporaryDirectory() as made, TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAMPAIGN_HOME", home)
        os.chdir(made)
        try:
            opened_book(FILE).close()
            for words in commands:
                done = CliRunner().invoke(campaign, shlex.split(words), obj=invocation, prog_name="campaign")
                assert done.exit_code == 0, (words, done.output)
            files = sorted(path for path in Path().rglob("*") if path.is_file())
            keys = [parse_skey(path.read_text().strip()) for path in Path(home, "keys").glob("*.key")]
            return {str(path): (path.read_bytes(), path.stat().st_mode & 0o777) for path in files}, keys
        finally:
            os.chdir(before)
