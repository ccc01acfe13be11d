"""Key files: each contains one private key, and only its owner can read it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from os import listdir, path
from typing import TYPE_CHECKING

from ledger.errors import Malformed, Refused
from ledger.journal.schema import CAMPAIGN_SUFFIX

if TYPE_CHECKING:
    from ledger.tlog.note import Skey


def read_key(file: str) -> Skey | None:
    """Return the private key in a file, or None if the file does not exist. Raise `Refused` if no key can be read."""
    from ledger.tlog.note import parse_skey  # lazy import: rolls do not need it

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


def find_key(vkey: str, files: Iterable[str]) -> Skey | None:
    """Return the private half of a key from the first file that contains it, or None if no file does.

    If no file contains the key, but a file could not be read, raise `Refused`.
    """
    unread = list[Refused]()
    for file in files:
        try:
            key = read_key(file)
        except Refused as refused:
            unread.append(refused)
            continue
        if key is not None and str(key.vkey) == vkey:
            return key
    if unread:
        raise unread[0]
    return None


def keys_beside(campaign: str) -> list[str]:
    """Return the paths beside a campaign where old program versions stored keys: NAME.key, then any NAME.key.* file."""
    first = f"{path.abspath(campaign).removesuffix(CAMPAIGN_SUFFIX)}.key"
    folder, name = path.split(first)
    with suppress(OSError):  # even if the folder cannot be listed, the first file may be readable
        return [first, *(path.join(folder, other) for other in sorted(listdir(folder)) if other.startswith(f"{name}."))]
    return [first]


def keep_key(file: str, key: Skey) -> None:
    """Write a private key to a new file with mode 0600. When this function returns, the whole file is on disk.

    Raise `Taken` if the file exists, and `NotMade` if writing fails. After an error, no partial file remains.
    """
    from ledger.journal.new_files import atomic_file, folder_lock, write_synced  # not needed to read a key

    with folder_lock(file), atomic_file(file) as part:
        write_synced(part, f"{key}\n".encode(), 0o600)
