"""A cluster of three PostgreSQL servers, each with its Patroni and its member of etcd."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from pwd import getpwnam
from typing import Any

from paths import ROOT
from torture.nodes import network
from torture.nodes.network import ADDRESSES, NODES

PATRONI = ROOT / ".venv-ha" / "bin" / "patroni"
USER, PORT = "postgres", 5432
LEASE_SECONDS = 20
"""How long Patroni's lock on the role of the primary lasts; 20 is the least that it accepts."""

COMES_BACK_SECONDS = 120
"""The longest that three nodes may take until one is the primary and two follow it."""

SERVER = {
    "max_connections": 80,
    "shared_buffers": "32MB",
    "fsync": "on",
    "synchronous_commit": "on",  # all reads go to the primary, so a commit need not wait for `remote_apply`
    "wal_log_hints": "on",
    "wal_keep_size": "128MB",
    "max_wal_size": "128MB",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "tcp_user_timeout": "5s",
    "tcp_keepalives_idle": 2,
    "tcp_keepalives_interval": 1,
    "tcp_keepalives_count": 3,
}


@dataclass
class Cluster:
    """The three nodes. `quorum`: a commit waits until one of the two other nodes has it on disk."""

    folder: Path
    quorum: bool
    running: dict[tuple[str, str], "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self) -> None:
        """Start all nodes, and wait until they form a cluster."""
        for node in NODES:
            (self.folder / node).mkdir(mode=0o700)
            os.chown(self.folder / node, *_ids())
        for node in NODES:
            self.start_etcd(node)
        for node in NODES:
            self.start_patroni(node)
        self.wait_until_whole()

    def stop(self) -> None:
        """End all programs of the cluster."""
        for node in NODES:
            self.signal(node, signal.SIGKILL)
        for program in self.running.values():
            program.wait()

    def start_etcd(self, node: str) -> None:
        """Start the member of etcd on a node, with the data of an earlier start."""
        peers, address = ",".join(f"{each}=http://{at}:2380" for each, at in ADDRESSES.items()), ADDRESSES[node]
        options = {
            "name": node,
            "data-dir": str(self.folder / node / "etcd"),
            "listen-peer-urls": f"http://{address}:2380",
            "initial-advertise-peer-urls": f"http://{address}:2380",
            "listen-client-urls": f"http://{address}:2379",
            "advertise-client-urls": f"http://{address}:2379",
            "initial-cluster": peers,
            "heartbeat-interval": "200",  # three nodes on one busy computer may be late
            "election-timeout": "2000",
        }
        self._start(node, "etcd", "etcd", *(f"--{name}={value}" for name, value in options.items()))

    def start_patroni(self, node: str) -> None:
        """Start Patroni on a node; it starts PostgreSQL."""
        config = self.folder / node / "patroni.yml"
        config.write_text(json.dumps(self._config(node)))  # JSON is YAML, too
        os.chown(config, *_ids())
        self._start(node, "patroni", str(PATRONI), str(config))

    def _start(self, node: str, name: str, *words: str) -> None:
        with (self.folder / node / f"{name}.log").open("ab") as log:
            self.running[node, name] = subprocess.Popen(
                network.on(node, *words, user=USER),
                cwd=self.folder / node,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder / node), "LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _config(self, node: str) -> dict[str, Any]:
        address = ADDRESSES[node]
        roles = {"superuser": {"username": USER}, "replication": {"username": "replicator"}}
        shared = {
            "ttl": LEASE_SECONDS,
            "loop_wait": 2,
            "retry_timeout": 5,
            "primary_start_timeout": 0,  # if PostgreSQL is killed, another node takes over at once
            "synchronous_mode": "quorum" if self.quorum else "off",
            "synchronous_mode_strict": self.quorum,
            "postgresql": {"use_pg_rewind": True, "parameters": SERVER},
        }
        return {
            "scope": "tables",
            "name": node,
            "restapi": {"listen": f"{address}:8008", "connect_address": f"{address}:8008"},
            "etcd3": {"hosts": [f"{each}:2379" for each in ADDRESSES.values()]},
            "bootstrap": {"dcs": shared, "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"]},
            "postgresql": {
                "listen": f"{address}:{PORT}",
                "connect_address": f"{address}:{PORT}",
                "data_dir": str(self.folder / node / "data"),
                "bin_dir": str(binaries()),
                "authentication": {**roles, "rewind": {"username": USER}},
                "parameters": {"unix_socket_directories": str(self.folder / node)},
                "pg_hba": [
                    "local all all trust",
                    *(f"host {each} all 10.77.0.0/24 trust" for each in ("all", "replication")),
                ],
            },
        }

    def primary(self) -> str:
        """Return the node that reports itself as the primary. Return an empty text if none does."""
        for node in NODES:
            with suppress(OSError, HTTPException):
                if _ask(node, "GET", "/primary", 2)[0] == HTTPStatus.OK:
                    return node
        return ""

    def members(self) -> list[dict[str, Any]]:
        """Return what the primary reports about each node. Return an empty list if there is no primary."""
        with suppress(OSError, HTTPException, ValueError):
            if primary := self.primary():
                return list(json.loads(_ask(primary, "GET", "/cluster", 2)[1])["members"])
        return []

    def timeline(self) -> int:
        """Return a number that grows whenever a node becomes the primary. Return 0 if there is no primary."""
        return max((each.get("timeline", 0) for each in self.members() if each["role"] == "leader"), default=0)

    def is_whole(self) -> bool:
        """Return True if one node is the primary and two follow it."""
        states = [(each["role"], each["state"]) for each in self.members()]
        follower = "quorum_standby" if self.quorum else "replica"
        return sorted(states) == sorted([("leader", "running"), (follower, "streaming"), (follower, "streaming")])

    def wait_until_whole(self) -> None:
        """Wait until one node is the primary and two follow it; raise `TimeoutError` if that takes too long."""
        self.wait_until(self.is_whole, "no primary that two nodes follow")

    def wait_until(self, is_true: Callable[[], bool], problem: str) -> None:
        """Wait until something is true; raise `TimeoutError` with the problem if that takes too long."""
        ends = time.monotonic() + COMES_BACK_SECONDS
        while not is_true():
            if time.monotonic() > ends:
                states = [f"{each['name']} {each['role']} {each['state']}" for each in self.members()]
                raise TimeoutError(f"after {COMES_BACK_SECONDS} seconds there is {problem}: {', '.join(states)}")
            time.sleep(0.5)

    def switch_over(self, primary: str) -> None:
        """Ask Patroni to make another node the primary."""
        _ask(primary, "POST", "/switchover", 60, json.dumps({"leader": primary}))

    def signal(self, node: str, number: int, *names: str) -> None:
        """Send a signal to programs of a node: etcd, Patroni and PostgreSQL, or only those with these names."""
        for pid in network.processes(node, *(names or ("etcd", "patroni", "postgres"))):
            with suppress(ProcessLookupError):
                os.kill(pid, number)


def binaries() -> Path:
    """Return the folder of the newest PostgreSQL server."""
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    return max(found, key=lambda file: int(file.parts[-3])).parent


def _ids() -> tuple[int, int]:
    user = getpwnam(USER)
    return user.pw_uid, user.pw_gid


def _ask(node: str, method: str, path: str, seconds: float, body: str | None = None) -> tuple[int, str]:
    """Ask Patroni on a node; return the status and the text of its answer."""
    connection = HTTPConnection(ADDRESSES[node], 8008, timeout=seconds)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()
