"""Three computers on this one: a network namespace for each, joined by a bridge, and cables that can be unplugged.

Everything lives in namespaces that belong to one process: when that process dies, the system ends and removes it all.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

NODES = ("n1", "n2", "n3")
ADDRESSES = {node: f"10.77.0.{number}" for number, node in enumerate(NODES, 1)}
HUB_ADDRESS = "10.77.0.254"

ALONE = "TORTURE_NODES"
"""The environment variable of a process that already runs in namespaces of its own."""

# The shell collects ended processes whose parent was killed. Python would leave them behind as zombies.
UNSHARE = (
    *("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
    *("sh", "-c", '"$@"; exit $?', "sh"),
)


def be_alone(seed: int) -> None:
    """Start this program again in namespaces of its own, with a seed, unless it already runs there."""
    if os.geteuid():
        sys.exit("Run this as root: it makes three networks, and runs PostgreSQL as another user.")
    if ALONE not in os.environ:
        words = [*UNSHARE, sys.executable, "-m", "torture", *sys.argv[1:], "--seed", str(seed)]
        os.execvpe("unshare", words, {**os.environ, ALONE: "1"})


def sh(*words: str) -> str:
    """Run a program that must succeed; return its output."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def lay() -> None:
    """Make the three computers and the cables between them."""
    Path("/run/netns").mkdir(exist_ok=True)
    for folder in ("/run/netns", "/dev/shm"):  # noqa: S108  the shared memory of killed servers goes with it, too
        sh("mount", "-t", "tmpfs", "tmpfs", folder)
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "hub", "type", "bridge")
    sh("ip", "address", "add", f"{HUB_ADDRESS}/24", "dev", "hub")
    sh("ip", "link", "set", "hub", "up")
    for node, address in ADDRESSES.items():
        sh("ip", "netns", "add", node)
        sh("ip", "link", "add", f"to-{node}", "type", "veth", "peer", "name", "cable", "netns", node)
        sh("ip", "link", "set", f"to-{node}", "master", "hub", "up")
        sh("ip", "-n", node, "address", "add", f"{address}/24", "dev", "cable")
        for device in ("lo", "cable"):
            sh("ip", "-n", node, "link", "set", device, "up")


def unplug(node: str) -> None:
    """Cut a node off: packets to and from it are lost without an error."""
    sh("ip", "link", "set", f"to-{node}", "down")


def plug_in(node: str) -> None:
    """Connect a node again."""
    sh("ip", "link", "set", f"to-{node}", "up")


def on(node: str, *words: str, user: str = "") -> Sequence[str]:
    """Make the words that start a program on a node, as a user or as root."""
    # The user may read this folder and Python, wherever they are, such as in the folder of root.
    reads = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    switch = ("setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *reads) if user else ()
    return ("ip", "netns", "exec", node, *switch, *words)


def processes(node: str, *names: str) -> list[int]:
    """Return the process ids on a node whose program has one of these names."""
    named = []
    for pid in sh("ip", "netns", "pids", node).split():
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() in names:
                named.append(int(pid))
        except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            continue
    return named
