"""A digest of the program that is running, to recognize what another version computed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import import_module
from typing import TYPE_CHECKING

from ledger import systems

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@cache
def program_digest() -> str:
    """Return `current_digest` as it was at the first call. Call this early in a process that runs for a long time."""
    return current_digest()


def current_digest() -> str:
    """Return a digest of the program's files, of the packages with games, and of the version of Python.

    Return "" if a file cannot be read, or if a package with a game cannot be imported.
    """
    digest = sha256(f"{sys.version} {systems.names()}".encode())
    try:
        for name in ("ledger", *systems.other_packages()):
            for file, content in _contents(name):
                digest.update(f"{file} {len(content)} ".encode() + content)
    except Exception:  # a package of somebody else may fail in any way
        return ""
    return digest.hexdigest()


def _contents(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of a module or a package, in order."""
    from importlib.resources import files
    from inspect import getsource

    module = import_module(name)
    if hasattr(module, "__path__"):
        yield from _contents_below(files(name))
    else:
        yield name, getsource(module).encode()


def _contents_below(folder: Traversable) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not entry.is_dir():
            yield entry.name, entry.read_bytes()
        elif entry.name != "__pycache__":
            yield from _contents_below(entry)
