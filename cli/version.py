"""The version of the program: its number, and the commit that it was built from."""

from __future__ import annotations

import subprocess
from pathlib import Path

COMMIT_FILE = Path(__file__).with_name("commit.txt")
"""A build writes the commit into this file. A checkout does not have the file: there, git knows the commit."""


def version_line() -> str:
    """Return the line that `campaign --version` prints."""
    from importlib.metadata import version  # takes as long as a roll

    known = commit()
    return f"campaign, version {version('campaign-ledger')}{known and f' (commit {known})'}"


def commit() -> str:
    """Return the commit, followed by `-dirty` if files of the checkout were changed, or "" if the commit is unknown."""
    if COMMIT_FILE.exists():
        return COMMIT_FILE.read_text(encoding="ascii").strip()
    root = COMMIT_FILE.parents[1]
    if not (root / ".git").exists():  # a repository around the program is another one
        return ""
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603  ours
    except OSError:  # git is not installed
        return ""
