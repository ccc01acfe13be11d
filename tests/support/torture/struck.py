"""Commands as processes of their own that are killed, or whose disk fails, at an exact point.

A process that has imported the program forks one for each command, so that a trial takes no start-up; `shim.c` stands
between it and the disk. As a program this module is the process that forks.
"""

import ctypes
import errno
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from shutil import which
from typing import Any, NamedTuple

from paths import ROOT
from torture.runs import environment

SHIM = Path(__file__).with_name("shim.c")
COMPILER = which("cc")
NO_COMPILER = "There is no C compiler here (cc), so nothing can stand between a command and its disk."
HOWS = ("log", "kill", "kill torn", "fail", "short", "fail torn")


class Blow(NamedTuple):
    """What happens to a process: from which of its calls on, to how many of them, and to which kinds (`shim.c`)."""

    how: str = "log"
    at: int = 0
    span: int = 1
    error: int = errno.EIO
    only: str = "wstcmn"
    after: float | None = None

    def __str__(self) -> str:
        if self.after is not None:
            return f"killed after {self.after:.4f} s"
        calls = f"at call {self.at}" if self.span == 1 else f"from call {self.at} on, {self.span} calls"
        name = f", {errno.errorcode[self.error]} for {self.only}" if self.how.startswith("fail") else ""
        return f"{self.how} {calls}{name}"


UNHARMED = Blow()


class Typed(NamedTuple):
    """A command line, with the folder and the home in which it is typed."""

    words: list[str]
    within: str = "."
    home: str = "home"

    def __str__(self) -> str:
        place = "" if self.within == "." else f" in {self.within}/"
        return f"campaign {shlex.join(self.words)}{place}"


class Done(NamedTuple):
    """What a process answered; a negative code is the signal that killed it."""

    code: int
    out: str
    err: str


class Forks:
    """The process that forks commands."""

    def __init__(self) -> None:
        more = {"LD_PRELOAD": str(_compiled())} if COMPILER else {}
        paths = f"{ROOT}:{ROOT / 'tests/support'}:{ROOT / 'tests/games'}"
        plain = environment(Path("/"), **more, PYTHONDONTWRITEBYTECODE="1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "torture.struck"],
            env={**plain, "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder: Path, typed: Typed, blow: Blow = UNHARMED, *, seed: int = 0, log: str = "") -> Done:
        """Run a command below a folder, with dice, clock and salts of a seed; `log` gets what it wrote there."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        facts = {**typed._asdict(), "folder": str(folder), "seed": seed, "log": log}
        self._process.stdin.write(f"{json.dumps({**facts, 'blow': blow})}\n")
        self._process.stdin.flush()
        return Done(*json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


@contextmanager
def forks() -> Iterator[Forks]:
    """Start a process that forks commands; it ends with this."""
    started = Forks()
    try:
        yield started
    finally:
        started.end()


def _compiled() -> Path:
    """The shim, built once for each of its versions."""
    built = Path(tempfile.gettempdir()) / f"campaign-shim-{sha256(SHIM.read_bytes()).hexdigest()[:16]}.so"
    if not built.exists():
        part = built.with_suffix(f".{os.getpid()}")
        words = [str(COMPILER), "-O1", "-w", "-shared", "-fPIC", "-o", str(part), str(SHIM), "-ldl"]
        subprocess.run(words, check=True)
        part.rename(built)
    return built


def main() -> None:
    """Fork a command for each line that comes."""
    for package in ("ledger", "projections", "cli"):  # what the commands import is there before they are forked
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    import_module("sqlite_utils")
    shim = ctypes.CDLL(None) if os.environ.pop("LD_PRELOAD", None) else None
    for line in sys.stdin:
        asked = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            pid = os.fork()
            if pid == 0:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                _child(asked, Blow(*asked["blow"]), shim)
            if asked["blow"][-1] is not None:
                time.sleep(asked["blow"][-1])
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read().decode())
        print(json.dumps([os.waitstatus_to_exitcode(status), *texts]), flush=True)


def _child(asked: dict[str, Any], blow: Blow, shim: ctypes.CDLL | None) -> None:
    """Be the command, and end as its process would."""
    from cli.context import Invocation
    from cli.main import campaign

    chance = random.Random(asked["seed"])  # noqa: S311  on purpose
    begins = datetime(2026, 11, 21, 19, 30, tzinfo=UTC) + timedelta(minutes=asked["seed"] % 1000)
    obj = Invocation(clock=lambda: begins, clock_ok=True, chance=chance.randrange, salts=lambda: chance.randbytes(32))
    folder = Path(asked["folder"])
    os.chdir(folder / asked["within"])
    os.environ["CAMPAIGN_HOME"] = str(folder / asked["home"])
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND) if asked["log"] else -1
    if shim is not None:
        first, many = ctypes.c_long(blow.at), ctypes.c_long(blow.span)
        shim.shim_arm(bytes(folder), first, many, HOWS.index(blow.how), blow.error, blow.only.encode(), log)
    code = 1
    try:
        campaign(asked["words"], obj=obj, prog_name="campaign")
    except SystemExit as ends:
        code = ends.code if isinstance(ends.code, int) else int(ends.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
