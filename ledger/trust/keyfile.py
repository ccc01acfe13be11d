"""Key files: private keys, each in a file of its own that its owner alone can read."""

from contextlib import suppress
from os import O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, close, fsync, link, listdir, path, unlink
from os import open as open_file
from typing import TYPE_CHECKING

from ledger.errors import Malformed, NotMade, Refused

if TYPE_CHECKING:
    from ledger.tlog.note import Skey


def read_key(file: str) -> "Skey | None":
    """The private key in a file, None where there is no such file; refuses (`Refused`) what is no key."""
    from ledger.tlog.note import parse_skey  # a roll reads no key

    try:
        with open(file, encoding="utf-8") as held:
            return parse_skey(held.read().removesuffix("\n"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        raise Refused(f"{file} cannot be read.") from None
    except Malformed:
        raise Refused(f"{file} holds no key that signs.") from None


def key_beside(file: str, vkey: str) -> "Skey | None":
    """The private half of a key, from a file or from those beside it, which hold the keys of later.

    None where it is in none of them; refuses (`Refused`) where it may be in one that cannot be read.
    """
    unread = None
    for each in [file, *_later(file)]:
        try:
            key = read_key(each)
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
    with suppress(OSError):  # a folder that is not listed may hold the key itself
        return [path.join(folder, each) for each in sorted(listdir(folder)) if each.startswith(f"{name}.")]
    return []


def keep_key(file: str, key: "Skey") -> None:
    """Write a private key into a new file, with mode 0600; it is on disk, whole, when this returns.

    Refuses (`Refused`) where there is a file of that name, and (`NoRoom`) where none can be made; then none is left.
    """
    from tempfile import mkstemp  # a roll keeps no key

    folder, name = path.split(path.abspath(file))
    try:
        held, part = mkstemp(prefix=f".{name}-", dir=folder)  # nobody else's, and for nobody else to read
        try:
            _write(held, key)
            try:
                link(part, file)
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                _write(open_file(file, O_WRONLY | O_CREAT | O_EXCL, 0o600), key)
        finally:
            unlink(part)
        _sync_names(folder)
    except FileExistsError:
        raise Refused(f"There is already a key in {file}.", "Move it away, or name another file.") from None
    except OSError as error:
        raise NotMade(file, error) from None


def _write(new: int, key: "Skey") -> None:
    with open(new, "w", encoding="utf-8") as held:
        held.write(f"{key}\n")
        held.flush()
        fsync(held.fileno())


def _sync_names(folder: str) -> None:
    """Bring the names in a folder to the disk."""
    with suppress(PermissionError):  # a system that opens no folders keeps their names by itself
        held = open_file(folder, O_RDONLY)
        try:
            fsync(held)
        finally:
            close(held)
