"""A process that lacks what Windows lacks. It is not Windows: paths, SQLite and the terminal are still those of Linux.

`python tests/support/windows.py WORDS…` runs a command in it, and `python tests/support/windows.py` without words
imports every module of the program.
"""

import asyncio
import fcntl
import importlib
import os
import pkgutil
import select
import shutil
import subprocess
import sys
import tempfile
from types import ModuleType

import prompt_toolkit.input.vt100
import prompt_toolkit.output.vt100
import uvicorn

USED_BY_OTHERS = (asyncio, shutil, subprocess, tempfile, prompt_toolkit, uvicorn)
"""Modules that need what is taken away, because here they run on Linux. They are imported first."""

MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")

OS_NAMES = """
O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC ST_RDONLY WNOHANG chown chroot ctermid fchdir fchmod fchown
fdatasync fork forkpty fpathconf fstatvfs getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority
getresuid getsid getuid initgroups killpg lchown lockf mkfifo mknod nice openpty pathconf pipe2 posix_fallocate
posix_spawn pread pwrite readv sched_getaffinity sched_yield setegid seteuid setgid setpgid setpriority setsid setuid
statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 writev
"""

_open, _rename, _replace, _unlink = os.open, os.rename, os.replace, os.unlink


def _open_no_folder(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    if dir_fd is None and os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return _open(path, flags, mode, dir_fd=dir_fd)


def _rename_keeping(old: str, new: str) -> None:
    if os.path.lexists(new):
        raise FileExistsError(17, "Cannot create a file when that file already exists", old, None, new)
    _rename(old, new)


def _unlink_writable(path: str, *, dir_fd: int | None = None) -> None:
    if not os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode & 0o222:
        raise PermissionError(13, "Access is denied", path)
    _unlink(path, dir_fd=dir_fd)


def _terminal() -> ModuleType:
    msvcrt = ModuleType("msvcrt")

    def locking(file: int, mode: int, size: int) -> None:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | mode, size)
        except OSError:
            raise PermissionError(13, "Permission denied") from None

    waiting = select.select
    msvcrt.__dict__.update(
        LK_NBLCK=fcntl.LOCK_NB,
        locking=locking,
        kbhit=lambda: bool(waiting([0], [], [], 0)[0]),
        getwch=lambda: os.read(0, 1).decode(),
    )
    return msvcrt


def _select_sockets(*lists: list[object]) -> object:
    raise OSError(10038, "An operation was attempted on something that is not a socket")


def take_away() -> None:
    """Take away what Windows lacks, before the program is imported."""
    assert not any(name.partition(".")[0] in {"ledger", "projections", "cli", "web"} for name in sys.modules)
    sys.modules["msvcrt"] = _terminal()
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # so that an import fails
    for name in OS_NAMES.split():
        if hasattr(os, name):
            delattr(os, name)
    os.open, os.rename, os.unlink, os.remove = _open_no_folder, _rename_keeping, _unlink_writable, _unlink_writable  # type: ignore[assignment]
    for name in ("PIPE_BUF", "poll", "epoll"):
        delattr(select, name)
    select.select = _select_sockets  # type: ignore[assignment]  # as on Windows
    shutil._use_fd_functions = False  # type: ignore[attr-defined]  # `rmtree` uses folders' descriptors only elsewhere
    from ledger.journal import new_files

    new_files.RENAME_KEEPS_EXISTING = True


def import_all() -> None:
    """Import every module of the four packages, and print their number."""
    names = [
        module.name
        for room in ("ledger", "projections", "cli", "web")
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    ]
    for name in names:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    sys.stdout.write(f"{len(names)}\n")


if __name__ == "__main__":
    take_away()
    if len(sys.argv) > 1:
        from cli.main import main

        main()
    else:
        import_all()
