"""Three nodes with PostgreSQL, Patroni and etcd under faults: nothing acknowledged is lost, and no read goes back.

A trial starts a cluster and 24 writers, and causes faults of every kind. At the end, it compares the history of
all calls with the entries. A second, short trial has a cluster that replicates asynchronously. It must lose entries.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import gettempdir

from ledger.errors import Unreadable, WriteFailed
from torture.nodes import moves, network
from torture.nodes.cluster import PORT, Cluster
from torture.nodes.faults import FAULTS
from torture.nodes.history import (
    READ,
    REFUSED,
    UNKNOWN,
    WRITTEN,
    Call,
    Final,
    calls,
    longest_pause,
    old_reads,
    problems,
)
from torture.nodes.network import ADDRESSES, NODES
from torture.runs import Run, Trial

SERVERS = (
    f"postgresql://postgres@{','.join(ADDRESSES.values())}:{PORT}/postgres?connect_timeout=3&tcp_user_timeout=5000"
    "&keepalives_idle=2&keepalives_interval=1&keepalives_count=3&load_balance_hosts=random"
)
"""An address whose clients soon notice a connection that no longer answers, and then also try the other servers."""

CAMPAIGNS = [f"{SERVERS}&campaign=road-{number}" for number in range(1, 9)]
ENOUGH = len(NODES) * moves.WRITERS
"""The number of acknowledged commands that shows that the writers can write."""

BROKEN_SECONDS, CALM_SECONDS = 5, 5
"""The seconds of a fault after the cluster has reacted to it, and of the time without a fault after that."""

RESULTS = {
    WRITTEN: "acknowledged commands",
    REFUSED: "refused calls",
    UNKNOWN: "calls without an answer",
    READ: "reads",
}
CONTROL_MINUTES = 2


def run(run: Run) -> None:
    network.be_alone(run.seed)
    network.lay()
    ends = time.monotonic() + 60 * (run.minutes - CONTROL_MINUTES)
    run.minutes = 0  # one trial takes all the time
    for trial in run.trials():
        trial.folder.chmod(0o755)
        _under_faults(run, trial, ends)
        _control(run, trial)


def _under_faults(run: Run, trial: Trial, ends: float) -> None:
    with _cluster(trial, quorum=True) as cluster:
        try:
            with _writers(cluster, trial.random):
                for fault in _faults(trial.random, ends):
                    _break(cluster, fault, trial.random)
                    run.count(fault)
                    time.sleep(CALM_SECONDS)
        except TimeoutError as error:
            run.weakness(str(error))
        history = _history(cluster)
        final = _final(cluster, history)
    for problem in problems(history, final):
        run.weakness(problem)
    run.count("calls", len(history))
    run.count("old reads", old_reads(history))
    for result, name in RESULTS.items():
        run.count(name, sum(call.result == result for call in history))
    print(f"The longest time without an acknowledged entry: {longest_pause(history):.0f} seconds.")
    if run.weaknesses:
        _keep(cluster, Path(gettempdir()) / f"nodes-{run.seed}-{trial.number}")


def _control(run: Run, trial: Trial) -> None:
    """Cut the primary off in a cluster whose commits wait for nobody, and count the lost entries."""
    with _cluster(trial, quorum=False) as cluster:
        with _writers(cluster, trial.random):
            _break(cluster, "partitions", trial.random)
        history = _history(cluster)
        final = _final(cluster, history)
    lost = sum("acknowledged as" in problem for problem in problems(history, final))
    run.count("entries lost without synchronous replication", lost)
    if not lost:
        print("The cluster without synchronous replication lost nothing, so this run does not show that it could.")


def _break(cluster: Cluster, name: str, random: Random) -> None:
    """Cause a fault, and wait until the cluster reacts as it should. Then wait until it is whole, and writers write."""
    cluster.wait_until_whole()
    fault, primary, timeline = FAULTS[name], cluster.primary(), cluster.timeline()
    node = primary if fault.hits == "primary" else random.choice([each for each in NODES if each != primary])
    print(f"{name}: {node} (the primary is {primary})", flush=True)
    with fault.breaks(cluster, node):
        if fault.then == "another primary":
            cluster.wait_until(lambda: cluster.timeline() > timeline, "no other primary")
        if fault.then == "no primary":
            cluster.wait_until(lambda: not cluster.primary(), "still a primary")
        else:
            _wait_for_writers(cluster, f"nothing new during {name}")
        time.sleep(BROKEN_SECONDS)
    cluster.wait_until_whole()
    _wait_for_writers(cluster, f"nothing new after {name}")


def _wait_for_writers(cluster: Cluster, problem: str) -> None:
    before = _written(cluster)
    cluster.wait_until(lambda: _written(cluster) > before + ENOUGH, problem)


def _written(cluster: Cluster) -> int:
    """Return the number of commands that were acknowledged up to now."""
    return sum(_file(cluster, node).read_text().count(f'"{WRITTEN}"') for node in NODES)


def _keep(cluster: Cluster, folder: Path) -> None:
    """Copy the history and the logs, so that somebody can find out what happened."""
    shutil.copytree(cluster.folder, folder, ignore=shutil.ignore_patterns("data", "etcd", ".s.*"), dirs_exist_ok=True)
    print(f"The history and the logs are in {folder}.")


def _faults(random: Random, ends: float) -> Iterator[str]:
    """Yield all faults in a random order, then again, until the time is over. Every fault comes at least once."""
    yield from random.sample(list(FAULTS), len(FAULTS))
    while time.monotonic() < ends:
        yield random.choice(list(FAULTS))


@contextmanager
def _cluster(trial: Trial, *, quorum: bool) -> Iterator[Cluster]:
    folder = trial.folder / ("quorum" if quorum else "asynchronous")
    folder.mkdir()
    os.environ["CAMPAIGN_HOME"] = str(folder / "home")
    cluster = Cluster(folder, quorum)
    try:
        cluster.start()
        for address in CAMPAIGNS:
            moves.lay(address)
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def _writers(cluster: Cluster, random: Random) -> Iterator[None]:
    """Run eight writers on each node until the end of the block. It starts when every node has written something."""
    running = []
    for node in NODES:
        words = (node, str(random.random()), str(_file(cluster, node)), *CAMPAIGNS)
        program = network.on(node, sys.executable, "-m", "torture.nodes.writers", *words)
        running.append(subprocess.Popen(program, stdin=subprocess.PIPE))
    try:
        while not all(_file(cluster, node).exists() for node in NODES) or not _written(cluster):
            time.sleep(0.5)
        time.sleep(CALM_SECONDS)
        yield
    finally:
        for each in running:
            each.communicate()
    if any(each.returncode for each in running):
        raise RuntimeError("A process of writers failed.")


def _file(cluster: Cluster, node: str) -> Path:
    return cluster.folder / f"{node}.jsonl"


def _history(cluster: Cluster) -> list[Call]:
    return calls(line for node in NODES for line in _file(cluster, node).open(encoding="utf-8"))


def _final(cluster: Cluster, history: Sequence[Call]) -> dict[str, Final]:
    ends = {}
    for address in CAMPAIGNS:
        name = moves.campaign_of(address)
        sizes = {call.seq for call in history if call.campaign == name and call.root}
        while name not in ends:
            cluster.wait_until_whole()
            with suppress(Unreadable, WriteFailed):  # on a busy computer, the primary may change once more
                ends[name] = moves.final(address, sizes)
    return ends
