"""Fixtures."""

import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

from cli.context import Invocation
from cli.main import campaign
from examples import tried
from laid import PLAYED, laid_out
from ledger.journal.book import Book, open_book
from paths import ROOT
from table import EVENING, seeded_dice, seeded_salts
from terminal import Type
from torture.runs import SHM

if TYPE_CHECKING:
    from postgres_server import Server

ROOM = 4 << 30
"""The bytes that a run may need in the memory of the computer."""

if SHM and shutil.disk_usage(SHM).free > ROOM:
    tempfile.tempdir = os.environ["TMPDIR"] = SHM  # on a disk, each of thousands of tests waits for some full syncs

OURS = tuple(str(ROOT / room) for room in ("ledger", "projections", "cli", "web"))
opened_beside: list[str] = []


def _watch(event: str, args: tuple[Any, ...]) -> None:
    """Note what our code opens that SQLite holds open: to close it gives up the locks of SQLite."""
    if event != "open" or not isinstance(args[0], str | Path) or str(args[0]).endswith((".py", ".pyc", ".so")):
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith(str(ROOT)):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.startswith(OURS):
        return
    with suppress(OSError):
        wanted = os.stat(args[0])
        for held in range(3, 64):
            with suppress(OSError):
                if stat.S_ISREG(wanted.st_mode) and os.path.samestat(os.fstat(held), wanted):
                    opened_beside.append(f"{args[0]} by {frame.f_code.co_filename}:{frame.f_lineno}")


sys.addaudithook(_watch)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests first, so that no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


skipped: list[str] = []


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Note the slow tests that `make test` leaves out."""
    skipped.extend(item.nodeid for item in items if item.get_closest_marker("slow"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the list to the process that shows it, if this is a worker."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["skipped"] = skipped


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the list from a worker. All of them have the same one."""
    skipped[:] = getattr(node, "workeroutput", {}).get("skipped", skipped)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List the slow tests that were skipped."""
    if config.option.markexpr == "not slow" and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        for each in skipped:
            terminalreporter.write_line(f"  skipped: {each}")
        rest = "most random examples, coverage and the benchmark. To run them: make test-all"
        terminalreporter.write_line(f"Skipped: {len(skipped)} slow tests, {rest}")


@pytest.fixture(autouse=True)
def _no_campaign_is_opened_beside_sqlite() -> Iterator[None]:
    opened_beside.clear()
    yield
    assert opened_beside == []


settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=tried(40))
settings.load_profile("here")


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of the test's own, deleted after it. To number its folders, pytest reads the names of all earlier ones."""
    with TemporaryDirectory(dir=tmp_path_factory.getbasetemp(), ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    """A campaign on disk, with a cast."""
    with open_book(str(laid_out(tmp_path))) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    for name in ("CAMPAIGN_FILE", "CAMPAIGN_BY", "CAMPAIGN_KEY", "CAMPAIGN_KEYS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    with TemporaryDirectory(dir=tmp_path_factory.getbasetemp(), ignore_cleanup_errors=True) as home:
        monkeypatch.setenv("CAMPAIGN_HOME", home)
        yield


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Server]":
    """A PostgreSQL server with the tables for campaigns, and a login that may use them."""
    from postgres_server import make_tables, running_server  # most tests need no server

    with running_server() as server:
        make_tables(server)
        yield server


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A campaign on disk that nobody holds open."""
    return laid_out(tmp_path)


@pytest.fixture
def folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that we are in, with a campaign in it."""
    monkeypatch.chdir(file.parent)
    return file.parent


@pytest.fixture
def type_in() -> Type:
    """Type words after `campaign`; dice and salts are seeded."""
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())

    def typed(words: str | list[str], **kwargs: Any) -> Result:
        split = shlex.split(words) if isinstance(words, str) else words
        return CliRunner().invoke(campaign, split, obj=invocation, prog_name="campaign", **kwargs)

    return typed


@pytest.fixture
def evening(folder: Path, type_in: Type) -> Type:
    """Type words after `campaign` in the folder of a campaign in which an evening was played."""
    laid_out(folder, *PLAYED)
    return type_in
