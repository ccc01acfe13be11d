"""Key files: private keys, each in its own file, which only its owner can read."""

from contextlib import suppress
from os import O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, close, fsync, link, listdir, path, unlink
from os import open as open_file
from typing import TYPE_CHECKING

from ledger.errors import Malformed, NotMade, Refused

if TYPE_CHECKING:
    from ledger.tlog.note import Skey


def read_key(file: str) -> "Skey | None":
    """The private key in a file, None if there is no such file; refuses (`Refused`) a file without a key."""
    from ledger.tlog.note import parse_skey  # not needed to roll

    try:
        with open(file, encoding="utf-8") as stream:
            return parse_skey(stream.read().removesuffix("\n"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise Refused(f"{file} cannot be read.") from None
    except Malformed:
        raise Refused(f"{file} holds no key that signs.") from None


def key_beside(file: str, vkey: str) -> "Skey | None":
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


def keep_key(file: str, key: "Skey") -> None:
    """Write a private key into a new file with mode 0600; it is on disk, whole, when this returns.

    Refuses (`Refused`) an existing file, and (`NoRoom`) if it cannot make one; then nothing is left behind.
    """
    from tempfile import mkstemp  # not needed to roll

    folder, name = path.split(path.abspath(file))
    try:
        descriptor, part = mkstemp(prefix=f".{name}-", dir=folder)  # a name of our own, with mode 0600
        try:
            _write(descriptor, key)
            try:
                link(part, file)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                _write(open_file(file, O_WRONLY | O_CREAT | O_EXCL, 0o600), key)
        finally:
            unlink(part)
        sync_names(folder)
    except FileExistsError:
        raise Refused(f"There is already a key in {file}.", "Move it away, or name another file.") from None
    except OSError as error:
        raise NotMade(file, error) from None


def _write(new: int, key: "Skey") -> None:
    with open(new, "w", encoding="utf-8") as stream:
        stream.write(f"{key}\n")
        stream.flush()
        fsync(stream.fileno())


def sync_names(folder: str) -> None:
    """Flush the names in a folder to the disk."""
    with suppress(PermissionError):  # a system that opens no folders flushes them itself
        descriptor = open_file(folder, O_RDONLY)
        try:
            fsync(descriptor)
        finally:
            close(descriptor)
