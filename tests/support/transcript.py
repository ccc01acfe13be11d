"""Transcripts: what is typed and what is seen, in `console` blocks, run as they stand.

A line that begins with `$ campaign` is typed; what follows, up to the next one, is seen: standard output and
standard error as they come, then `(exit N)` where the command does not end with 0. All blocks of a file are one
evening, in one empty folder, with the clock frozen and dice and salts seeded; nothing is blurred. A comment
`<!-- clock 2026-11-25T18:00 -->` between two blocks sets the clock, and `<!-- home ana -->` whose home it is that the
program keeps things in. `<!-- file valley.toml -->` puts the block below it into a file of the folder,
and `<!-- copy imports/salt-road -->` copies a folder of `tests/data`. In a `pycon` block, Python is typed after `>>>`. Lines typed at the prompt of `campaign play` begin with that prompt. What follows ` > ` is a file that standard output goes to.
`python tests/support/transcript.py FILE…` writes down what is seen now.
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from datetime import UTC, datetime
from doctest import DocTestParser
from io import StringIO
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign
from paths import TESTS
from table import EVENING, seeded_dice, seeded_salts

BLOCK = re.compile(r"(?:(?<=^```console\n)|(?<=^```pycon\n)).*?(?=^```$)", re.MULTILINE | re.DOTALL)
CLOCK = re.compile(r"<!-- clock (\S+) -->")
HOME = re.compile(r"<!-- home (\S+) -->")
FILE = re.compile(r"<!-- file (\S+) -->\n+```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPY = re.compile(r"<!-- copy (\S+) -->")
PROMPT = "$ campaign"
OWN_PROMPT = re.compile(r"(?:[a-z][a-z0-9-]*(?: [a-z]+)?)?> ?(.*)")


def blocks(text: str) -> Iterator[str]:
    """Yield the blocks of a text."""
    yield from BLOCK.findall(text)


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what is typed in a block, each command with what is typed at its own prompt."""
    for part in re.split(r"^\$ (?=campaign)", block, flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        at_prompt = (OWN_PROMPT.fullmatch(line) for line in rest if " play" in command)
        yield command, [typed[1] for typed in at_prompt if typed is not None]


class Evening:
    """Runs commands one after the other, in the current folder."""

    def __init__(self) -> None:
        self.now = EVENING
        self.invocation = Invocation(clock=lambda: self.now, chance=seeded_dice(), salts=seeded_salts())
        self.names: dict[str, Any] = {}

    def seen(self, command: str, typed: Sequence[str] = ()) -> str:
        """Run a command with what is typed at its prompt; return what is seen, and how it ended where that was not well."""
        said, _, file = command.partition(" > ")
        words = shlex.split(said)[1:]
        result = CliRunner().invoke(campaign, words, obj=self.invocation, prog_name="campaign", input="\n".join(typed))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if file:
            Path(file).write_text(result.stdout, encoding="utf-8")
        end = f"(exit {result.exit_code})\n" if result.exit_code else ""
        return (result.stderr if file else result.output) + end

    def worked(self, block: str) -> str:
        """Run Python; return the block with what it prints."""
        shown = StringIO()
        with redirect_stdout(shown):
            for part in DocTestParser().parse(block):
                if isinstance(part, str):
                    shown.write(part)
                else:
                    for prompt, line in zip(chain([">>>"], repeat("...")), part.source.splitlines(), strict=False):
                        shown.write(f"{prompt} {line}".rstrip() + "\n")
                    exec(compile(part.source, "<page>", "single"), self.names)  # noqa: S102  our own page
        return shown.getvalue()


def replayed(text: str) -> str:
    """Return a text with every block as it is seen now; run in an empty folder."""
    evening = Evening()

    def again(found: "re.Match[str]") -> str:
        clocks = CLOCK.findall(text[: found.start()])
        if clocks:
            evening.now = datetime.fromisoformat(clocks[-1]).replace(tzinfo=UTC)
        homes = HOME.findall(text[: found.start()])
        os.environ["CAMPAIGN_HOME"] = str(Path(".homes", homes[-1] if homes else "gm"))
        for name, content in FILE.findall(text[: found.start()]):
            Path(name).write_text(content, encoding="utf-8")
        for name in COPY.findall(text[: found.start()]):
            shutil.copytree(TESTS / "data" / name, Path(name).name, dirs_exist_ok=True)
        if found[0].startswith(">>>"):
            return evening.worked(found[0])
        return "".join(f"$ {command}\n{evening.seen(command, typed)}" for command, typed in commands(found[0]))

    return BLOCK.sub(again, text)


def main() -> None:
    sys.path.append(str(TESTS / "games"))
    for name in sys.argv[1:]:
        path = Path(name).resolve()
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            path.write_text(replayed(path.read_text(encoding="utf-8")), encoding="utf-8")
            os.chdir(here)


if __name__ == "__main__":
    main()
