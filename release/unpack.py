"""Unpack the single file into a folder that only the user can change, once for each content and each Python."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path
from tempfile import mkdtemp
from zipfile import ZipFile

CACHE_NAME = "campaign-ledger"


def unpacked(file: str, abi: str, content_hash: str) -> str:
    """Return the folder with the unpacked modules. If it does not exist yet, make it. Exit if that is impossible."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base if os.path.isabs(base) else os.path.expanduser("~/.cache")) / CACHE_NAME
    folder = cache / f"{abi}-{content_hash[:32]}"
    try:
        if not folder.is_dir():
            cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_private(cache)
            unpack(file, abi, folder)
        check_private(cache)
        check_private(folder)
    except OSError as refused:
        sys.stderr.write(
            f"Error: The program unpacks itself into {cache}, but that failed: {refused.strerror}.\n"
            "Hint: Set XDG_CACHE_HOME to another folder, which nobody else can write to.\n"
        )
        sys.exit(4)
    return str(folder)


def check_private(folder: Path) -> None:
    """Raise `PermissionError` if somebody else could change the folder."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(0, f"another user could change {folder}")


def unpack(file: str, abi: str, folder: Path) -> None:
    """Unpack the modules beside `folder`, then give them its name, so that the folder is always complete."""
    new = mkdtemp(prefix=".new-", dir=folder.parent)
    try:
        with ZipFile(file) as single:
            for part in ("common", abi):
                with single.open(f"{part}.zip") as opened, ZipFile(opened) as modules:
                    modules.extractall(new)
        os.sync()  # a power cut must not leave empty files under the final name
        os.rename(new, folder)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        if not folder.is_dir():  # otherwise another start was faster
            raise
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
