"""Key files: private keys, each in its own file, which only its owner can read."""

from __future__ import annotations

from collections.abc import Container
from contextlib import suppress
from os import listdir, path
from typing import TYPE_CHECKING

from ledger.errors import Malformed, Refused, Taken
from ledger.journal.new_files import whole_files, write_synced

if TYPE_CHECKING:
    from ledger.tlog.note import Skey


def read_key(file: str) -> Skey | None:
    """The private key in a file, None if there is no such file; refuses (`Refused`) a file without a key."""
    from ledger.tlog.note import parse_skey  # not needed to roll

    try:
        with open(file, encoding="utf-8") as stream:
            return parse_skey(stream.read().removesuffix("\n"))
    except FileNotFoundError:
        return None
    except PermissionError:
        raise Refused(f"{file} cannot be read.", "Only the owner of this file can sign with it.") from None
    except (OSError, UnicodeDecodeError):
        raise Refused(f"{file} cannot be read.") from None
    except Malformed:
        raise Refused(f"{file} does not contain a private key.") from None


def key_beside(file: str, vkey: str) -> Skey | None:
    """The private half of a key, from a file or from those beside it, which contain later keys.

    None if it is in none of them; refuses (`Refused`) if it may be in one that cannot be read.
    """
    unread = None
    for candidate in [file, *_later(file)]:
        try:
            key = read_key(candidate)
        except Refused as refused:
            unread = unread or refused
            continue
        if key is not None and str(key.vkey) == vkey:
            return key
    if unread is not None:
        raise unread
    return None


def _later(file: str) -> list[str]:
    folder, name = path.split(path.abspath(file))
    with suppress(OSError):  # even if the folder cannot be listed, the file may be readable
        return [path.join(folder, other) for other in sorted(listdir(folder)) if other.startswith(f"{name}.")]
    return []


def spare_key(file: str, origin: str, used: Container[str]) -> Skey | None:
    """A later key of a campaign that no entry names, left by a rotation that was killed; None if there is none."""
    for candidate in _later(file):
        with suppress(Refused):
            key = read_key(candidate)
            if key is not None and key.name == origin and str(key.vkey) not in used:
                return key
    return None


def keep_key(file: str, key: Skey) -> None:
    """Write a private key into a new file with mode 0600; it is on disk, whole, when this returns.

    The caller holds `folder_lock`. Refuses (`Refused`) an existing file, and (`NotMade`) if it cannot make one; then
    nothing is left behind.
    """
    try:
        with whole_files(file) as (part,):
            write_key(part, key)
    except Taken:
        raise Refused(f"There is already a key in {file}.", "Move it away, or name another file.") from None


def write_key(file: str, key: Skey) -> None:
    """Write a private key that only its owner can read, and sync it."""
    write_synced(file, f"{key}\n".encode(), 0o600)
