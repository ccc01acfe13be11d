"""What a power loss leaves: a folder as a disk may have it that lost what was not synced."""

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

HEAD = struct.Struct("QQQQq")
SECTOR = 512


class Call(NamedTuple):
    """One call of a log: its kind (`shim.c`), its file, another name, a place, and what was written there."""

    kind: str
    file: str
    other: str
    place: int
    data: bytes


def calls(log: Path) -> Iterator[Call]:
    """Read a log."""
    text, at = log.read_bytes(), 0
    while at < len(text):
        kind, file, other, length, place = HEAD.unpack_from(text, at)
        at += HEAD.size
        names = text[at : at + file + other].decode()
        at += file + other
        yield Call(chr(kind), names[:file], names[file:], place, text[at : at + length])
        at += length


def calls_in(log: Path) -> int:
    """The number of calls in a log."""
    return sum(1 for _ in calls(log))


class Disk:
    """What of a folder is on the disk for sure, and what may be: bytes until their file is synced, names until their folder is.

    Names survive in their order, as a file system with a journal keeps them; bytes in any, each write whole, in part or
    not at all, in sectors.
    """

    def __init__(self, folder: Path) -> None:
        self._content: dict[int, bytes] = {}
        self._pending: dict[int, list[Call]] = {}
        self._names: dict[str, int | None] = {}
        self._changes: list[Call] = []
        self._sure = 0
        self._files: dict[str, int | None] = {}
        for path in sorted(folder.rglob("*")):
            self._names[str(path.relative_to(folder))] = None if path.is_dir() else self._new(path.read_bytes())
        self._files = dict(self._names)
        self._made: list[int | None] = []

    def _new(self, content: bytes) -> int:
        self._content[len(self._content)] = content
        return len(self._content) - 1

    def take(self, call: Call) -> None:
        """Take in one call."""
        if call.kind in "cmrlu":
            self._made.append(self._new(b"") if call.kind == "c" else None)
            self._changes.append(call)
            _change(self._files, call, self._made[-1])
        elif call.kind == "s" and self._files.get(call.file) is None:
            touching = [n for n, change in enumerate(self._changes, 1) if call.file in _folders(change)]
            self._sure = max([self._sure, *touching])
        elif (file := self._files.get(call.file)) is not None:
            self._pending.setdefault(file, []).append(call)
            if call.kind == "s":
                for change in self._pending.pop(file):
                    self._content[file] = _written(self._content[file], change)

    def after_loss(self, folder: Path, random: Random) -> None:
        """Lay out in a folder what the disk may have after a power loss."""
        names, kept = dict(self._names), random.randint(self._sure, len(self._changes))
        for change, made in zip(self._changes[:kept], self._made, strict=False):
            _change(names, change, made)
        keeps = random.choice([0.0, 0.5, 1.0])
        contents = {file: self._lost(file, keeps, random) for file in names.values() if file is not None}
        for name, file in sorted(names.items()):
            if file is None:
                (folder / name).mkdir(parents=True, exist_ok=True)
            else:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(contents[file])
        _linked(folder, names)

    def _lost(self, file: int, keeps: float, random: Random) -> bytes:
        content = self._content[file]
        for change in self._pending.get(file, []):
            if random.random() < keeps:
                torn = random.random() < 0.2
                sectors = random.randint(0, len(change.data) // SECTOR) * SECTOR
                content = _written(content, change._replace(data=change.data[:sectors]) if torn else change)
        return content


def _folders(change: Call) -> set[str]:
    return {str(Path(name).parent) for name in (change.file, change.other) if name}


def _change(names: dict[str, int | None], change: Call, made: int | None) -> None:
    """Make, name, rename or remove something."""
    if change.kind in "cm":
        names[change.file] = made
    elif change.kind == "l":
        names[change.other] = names[change.file]
    elif change.kind == "u":
        names.pop(change.file, None)
    else:
        for name in [name for name in names if name == change.file or name.startswith(f"{change.file}/")]:
            names[change.other + name.removeprefix(change.file)] = names.pop(name)


def _written(content: bytes, change: Call) -> bytes:
    if change.kind == "t":
        return content[: change.place].ljust(change.place, b"\0")
    if change.kind == "w" and change.data:
        end = change.place + len(change.data)
        return content[: change.place].ljust(change.place, b"\0") + change.data + content[end:]
    return content


def _linked(folder: Path, names: dict[str, int | None]) -> None:
    """Make one file of the names that are one file."""
    first: dict[int, str] = {}
    for name, file in names.items():
        if file is not None and first.setdefault(file, name) != name:
            (folder / name).unlink()
            (folder / name).hardlink_to(folder / first[file])


def relative(call: Call, folder: Path) -> Call:
    """A call with its names as they are below a folder."""
    names = (str(Path(name).relative_to(folder)) if name else "" for name in (call.file, call.other))
    file, other = names
    return call._replace(file=file, other=other)
