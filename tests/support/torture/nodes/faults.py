"""Faults of a cluster of three nodes. Something is broken during the `with` block of a fault, and repaired after it."""

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Literal

from torture.nodes import network
from torture.nodes.cluster import USER, Cluster, binaries
from torture.nodes.network import ADDRESSES, NODES

CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"


@dataclass(frozen=True)
class Fault:
    """A fault of the primary's node or of another one (`hits`), and what must happen while it lasts (`then`)."""

    breaks: Callable[[Cluster, str], AbstractContextManager[None]]
    hits: Literal["primary", "other"]
    then: Literal["another primary", "the same goes on", "no primary"]


@contextmanager
def kill_postgres(cluster: Cluster, node: str) -> Iterator[None]:
    """Kill all processes of a node's PostgreSQL; Patroni starts it again."""
    cluster.signal(node, signal.SIGKILL, "postgres")
    yield


@contextmanager
def kill_patroni(cluster: Cluster, node: str) -> Iterator[None]:
    """Kill a node's Patroni. PostgreSQL keeps running, and does not learn that another node took over."""
    cluster.signal(node, signal.SIGKILL, "patroni")
    yield
    cluster.start_patroni(node)


@contextmanager
def pause(cluster: Cluster, node: str) -> Iterator[None]:
    """Stop all programs of a node, and wake them."""
    cluster.signal(node, signal.SIGSTOP)
    yield
    cluster.signal(node, signal.SIGCONT)


@contextmanager
def cut_off(cluster: Cluster, node: str) -> Iterator[None]:
    """Unplug a node, with the writers on it, and plug it in."""
    network.unplug(node)
    try:
        yield
    finally:
        network.plug_in(node)


@contextmanager
def cancel_commits(cluster: Cluster, node: str) -> Iterator[None]:
    """Cut a node off, and cancel its commits that wait for another server: PostgreSQL reports them as successful."""
    psql = f'{binaries() / "psql"} --host {ADDRESSES[node]} --username {USER} --command "{CANCEL}"'
    loop = network.on(node, "sh", "-c", f"while :; do {psql}; sleep 0.2; done")  # it is not always the primary
    with (
        cut_off(cluster, node),
        subprocess.Popen(loop, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as canceling,
    ):
        try:
            yield
        finally:
            canceling.kill()


@contextmanager
def switch_over(cluster: Cluster, node: str) -> Iterator[None]:
    """Ask for a primary other than this node."""
    cluster.switch_over(node)
    yield


@contextmanager
def kill_etcd(cluster: Cluster, *nodes: str) -> Iterator[None]:
    """Kill members of etcd, and start them again with their data."""
    for node in nodes:
        cluster.signal(node, signal.SIGKILL, "etcd")
    yield
    for node in nodes:
        cluster.start_etcd(node)


@contextmanager
def kill_two_etcds(cluster: Cluster, node: str) -> Iterator[None]:
    """Kill the members of etcd on all nodes but one: Patroni can no longer know which node is the primary."""
    with kill_etcd(cluster, *(each for each in NODES if each != node)):
        yield


@contextmanager
def kill_postgres_and_etcd(cluster: Cluster, node: str) -> Iterator[None]:
    """Kill a node's PostgreSQL, and the member of etcd on another node."""
    with kill_etcd(cluster, next(each for each in NODES if each != node)), kill_postgres(cluster, node):
        yield


FAULTS: Mapping[str, Fault] = {
    "kills of PostgreSQL": Fault(kill_postgres, "primary", "another primary"),
    "kills of Patroni": Fault(kill_patroni, "primary", "another primary"),
    "pauses": Fault(pause, "primary", "another primary"),
    "partitions": Fault(cut_off, "primary", "another primary"),
    "partitions with canceled commits": Fault(cancel_commits, "primary", "another primary"),
    "switch-overs": Fault(switch_over, "primary", "another primary"),
    "kills of PostgreSQL and of an etcd member at once": Fault(kill_postgres_and_etcd, "primary", "another primary"),
    "kills of a standby's PostgreSQL": Fault(kill_postgres, "other", "the same goes on"),
    "pauses of a standby": Fault(pause, "other", "the same goes on"),
    "kills of an etcd member": Fault(kill_etcd, "primary", "the same goes on"),
    "losses of etcd's quorum": Fault(kill_two_etcds, "other", "no primary"),
}
