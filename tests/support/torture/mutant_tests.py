"""A plugin of pytest for the mutants: how long each test takes; or only the tests that are named, in their order."""

import json
import os
import resource
import signal
import time
from pathlib import Path

import pytest
from hypothesis import Phase, settings

TIMES, CHOSEN, SECONDS = (f"MUTANT_{name}" for name in ("TIMES", "CHOSEN", "SECONDS"))
MEMORY = 4 << 30
HANGS = 30
"""Seconds after which a test hangs, beside ten times those that it takes."""

times: dict[str, float] = {}
failed = set[str]()
"""The tests that fail without a mutant, for example on a busy machine. They say nothing about mutants."""

chosen: dict[str, float] = {}
began = time.monotonic()


def pytest_configure(config: pytest.Config) -> None:
    if CHOSEN in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        quick = [Phase.explicit, Phase.generate]  # the smallest example is not looked for
        settings.register_profile("mutants", settings.get_profile("here"), phases=quick, derandomize=True)
        settings.load_profile("mutants")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHOSEN in os.environ:
        chosen.update(json.loads(Path(os.environ[CHOSEN]).read_text()))
        places = {test: place for place, test in enumerate(chosen)}
        items[:] = sorted((item for item in items if item.nodeid in chosen), key=lambda item: places[item.nodeid])


def pytest_runtest_setup(item: pytest.Item) -> None:
    if CHOSEN in os.environ:
        if time.monotonic() - began > float(os.environ[SECONDS]):
            pytest.skip("its time is over")
        signal.alarm(int(HANGS + 10 * chosen[item.nodeid]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    times[report.nodeid] = times.get(report.nodeid, 0) + report.duration
    if report.failed:
        failed.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    signal.alarm(0)
    if TIMES in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ[TIMES]).write_text(
            json.dumps({test: time for test, time in times.items() if test not in failed})
        )
