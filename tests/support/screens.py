"""Screens: what a real terminal of 80, and of 40, columns shows of a campaign, kept in `tests/golden/screens/`.

`python tests/support/screens.py` writes down what is seen now.
"""

import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from laid import PLAYED, laid_out
from paths import GOLDEN, TESTS
from terminal import command, typed_at_a_terminal

WIDTHS = (80, 40)
KEPT = GOLDEN / "screens"

EVENING = (
    *PLAYED,
    'dispute 10 --claim "my skill is 12, because the cloak that I bought from the ferryman counts" --player Ana',  # 24
    "undo",  # 25
    'dispute 10 --claim "my skill is 12: the cloak counts, 市場で買ったので" --player Ana',  # 26
    'amend 11 edge=-2 --why "the ferryman took two, as we all remember" --yes',  # 27 28 29
    "edge check mara --skill 11 --edge --faces 7,3,7",  # 30 31 32
    "join brak rollunder characteristic.agility=9 characteristic.cunning=12 skill.stealth=4",  # 33
    "join mara rollunder characteristic.agility=11 skill.deception=2",  # 34
)

SCREENS = {
    "help": "--help",
    "help-check": "edge check --help",
    "help-undo": "undo --help",
    "help-moves": "byzantine --help",
    "log": "log",
    "log-entry": "show 13",
    "why": "why mara edge",
    "amend": 'amend 13 --skill 4 --why "the cloak was left with the ferryman" --dry-run',
    "diff": "diff 8 34",
    "sheets": "sheets",
    "sheets-table": "sheets --table",
    "here": "",
    "questions": "questions",
    "chronicle": "chronicle",
    "systems": "systems rollunder",
    "refused": "edge check ghost --skill 11",
}


def seen(words: str, file: Path, width: int, **environment: str) -> str:
    """What a terminal of a width shows of a command; it is high enough for no pager."""
    typed = command(file, *shlex.split(words))
    return typed_at_a_terminal(typed, [], size=(500, width), NO_COLOR="1", **environment).replace("\r\n", "\n")


def screen(name: str, file: Path) -> str:
    """The screens of a command, one for each width."""
    return "\n".join(
        f"$ campaign {SCREENS[name]}    # {width} columns\n{seen(SCREENS[name], file, width)}\n" for width in WIDTHS
    )


def screens(folder: Path) -> Iterator[tuple[str, str]]:
    """All screens, by their names, of an evening laid out in a folder."""
    file = laid_out(folder, *EVENING)
    for name in SCREENS:
        yield name, screen(name, file)


def main() -> None:
    sys.path.append(str(TESTS / "games"))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in screens(Path(folder)):
            (KEPT / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
