"""The folder of an Obsidian vault: it can be refreshed, and a note that a person changed is never overwritten.

A file in the folder, the manifest, has the SHA-256 of each note as the program wrote it. A note with another SHA-256
was changed by a person. Before the notes change, the manifest gets their new hashes beside the old ones. So the program
still knows its own notes if it is killed at any moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from os import lstat, mkdir, path, rmdir, scandir, unlink
from os import replace as rename_over
from shutil import rmtree
from stat import S_ISREG

from ledger.errors import DiskRefused, NotMade, Refused
from ledger.events.compiled import READ_ERRORS, reader
from ledger.journal.new_files import LOCK_FILE, PART_FOLDER, folder_lock, sync_names, write_synced
from ledger.values import Struct

MANIFEST = ".campaign-vault.json"

FORMAT_VERSION = 1
"""The version of the manifest."""

NOTE_SUFFIX = ".md"


class NoteName(Struct):
    """The name of a note's file, without the ending. `entry` is the entry that has the name's text, or 0."""

    file: str
    entry: int


class Notes(Struct):
    """The notes of a vault: `texts` by path, and file `names` by subject, such as `session 2` or `character mara`."""

    texts: Mapping[str, str]
    names: Mapping[str, NoteName]


class Manifest(Struct):
    """The manifest of a vault. `hashes` has the SHA-256 of each note.

    A note may have several hashes if the program was killed. `campaign` identifies the campaign, and `whom` says
    who may read the notes.
    """

    format: int
    campaign: str
    whom: str
    names: dict[str, NoteName]
    hashes: dict[str, tuple[str, ...]]


class VaultReport(Struct):
    """The result of a vault's refresh. `changed` lists the notes that a person changed. They stay as they are."""

    written: int
    unchanged: int
    removed: int
    changed: tuple[str, ...]


def refresh_vault(
    folder: str,
    campaign: str,
    whom: str,
    make: Callable[[Mapping[str, NoteName]], Notes],
    *,
    private: bool,
) -> VaultReport:
    """Make a vault, or write the notes that are new or different. Leave the notes that a person changed.

    `make` gets the names of the existing notes. While it runs, no other export can write in the folder. Only the owner
    of a `private` vault can read its files. Raise `Refused` for a folder that is not a vault of this campaign for the
    readers `whom`. Raise `NotMade` if the folder cannot be made, and `DiskRefused` if the disk fails later.
    """
    place = path.realpath(folder)
    is_new = not path.lexists(place)
    try:
        _manifest_of(place, folder, campaign, whom)
        with suppress(FileExistsError):
            mkdir(place, _folder_mode(private))
        # The lock comes before the notes. So of two exports at once, the second one has the newer notes.
        with folder_lock(path.join(place, MANIFEST)):
            known = _manifest_of(place, folder, campaign, whom)
            notes = make(known.names)
            _check_folders(place, folder, (*known.hashes, *notes.texts))
            mkdir(path.join(place, PART_FOLDER))
            return _write(_Refresh(place, known, notes, private), folder)
    except OSError as error:
        raise NotMade(folder, error) from None
    finally:
        if is_new:
            with suppress(OSError):  # the usual case: the folder has notes
                rmdir(place)


def _write(refreshing: _Refresh, folder: str) -> VaultReport:
    try:
        return refreshing.write()
    except OSError as error:
        says = f"{folder} is not complete: {error.strerror}. Notes that you changed are as they were."
        raise DiskRefused(
            says, "Export again when there is room on the disk, and you may write in the folder."
        ) from None
    finally:
        rmtree(path.join(refreshing.folder, PART_FOLDER), ignore_errors=True)


class _Refresh:
    """One refresh of a vault, while its folder is locked."""

    def __init__(self, folder: str, known: Manifest, notes: Notes, private: bool) -> None:
        self.folder = folder
        self.private = private
        self.known = known
        self.names = dict(notes.names)
        self.texts = {name: text.encode() for name, text in notes.texts.items()}
        self.written, self.unchanged, self.removed = list[str](), list[str](), list[str]()
        self.changed = list[str]()

    def write(self) -> VaultReport:
        """Write the manifest with the old and the new hashes, then the notes, then the manifest with the new hashes."""
        old, new = self.known.hashes, {name: (_hash(text),) for name, text in self.texts.items()}
        both = {name: tuple(dict.fromkeys((*old.get(name, ()), *new.get(name, ())))) for name in {**old, **new}}
        self._write_manifest(both)
        for name, text in self.texts.items():
            self._write_note(name, text)
        for name in old.keys() - new.keys():
            self._remove_note(name)
        folders = {path.dirname(name) for name in (*self.written, *self.removed)}
        for folder in folders:
            sync_names(path.join(self.folder, folder))
        self._write_manifest({name: new[name] if name not in self.changed else old.get(name, ()) for name in new})
        return VaultReport(
            written=len(self.written),
            unchanged=len(self.unchanged),
            removed=len(self.removed),
            changed=tuple(sorted(self.changed)),
        )

    def _write_note(self, name: str, text: bytes) -> None:
        if self._digest(name) == _hash(text):
            self.unchanged.append(name)
            return
        with suppress(FileExistsError):
            mkdir(path.dirname(path.join(self.folder, name)), _folder_mode(self.private))
        part = self._write_part_file(text)
        if self._is_ours(name):  # checked last, so that a person has no time to save the note in between
            rename_over(part, path.join(self.folder, name))
            self.written.append(name)
        else:
            unlink(part)
            self.changed.append(name)

    def _remove_note(self, name: str) -> None:
        if not path.lexists(path.join(self.folder, name)):
            return
        if self._is_ours(name):
            unlink(path.join(self.folder, name))
            self.removed.append(name)
        else:
            self.changed.append(name)

    def _is_ours(self, name: str) -> bool:
        """Return True if a note does not exist, or still is as the program wrote it."""
        return not path.lexists(path.join(self.folder, name)) or self._digest(name) in self.known.hashes.get(name, ())

    def _digest(self, name: str) -> str:
        """Return the SHA-256 of a note; "" for a missing note, a link, or anything else that is not a file."""
        file = path.join(self.folder, name)
        return _hash(_content(file)) if _is_file(file) else ""

    def _write_manifest(self, hashes: Mapping[str, tuple[str, ...]]) -> None:
        known = self.known.replace(names=self.names, hashes=dict(hashes))
        text = json.dumps(known.__dict__, default=vars, ensure_ascii=False, indent=1, sort_keys=True).encode()
        file = path.join(self.folder, MANIFEST)
        if not path.lexists(file) or _content(file) != text:
            rename_over(self._write_part_file(text), file)
            sync_names(self.folder)

    def _write_part_file(self, text: bytes) -> str:
        part = path.join(self.folder, PART_FOLDER, "part")
        write_synced(part, text, 0o600 if self.private else 0o666)
        return part


def _folder_mode(private: bool) -> int:
    return 0o700 if private else 0o777


def _manifest_of(place: str, folder: str, campaign: str, whom: str) -> Manifest:
    """Return the manifest of the vault at `place`. For a new or empty folder, return an empty manifest.

    Raise `Refused` for any other folder, such as the vault of another campaign. The error shows `folder`.
    """
    empty = Manifest(format=FORMAT_VERSION, campaign=campaign, whom=whom, names={}, hashes={})
    if not path.lexists(place):
        return empty
    if not path.isdir(place):
        raise Refused(f"{folder} is not a folder. Nothing was written.", FOLDER_HINT)
    with scandir(place) as entries:
        names = {entry.name for entry in entries} - {PART_FOLDER, LOCK_FILE}
    if not names:
        return empty
    if MANIFEST not in names:
        raise Refused(f"{folder} has files that are not from this command. Nothing was written.", FOLDER_HINT)
    known = _read(path.join(place, MANIFEST), folder)
    if known.campaign != campaign:
        raise Refused(f"{folder} is the vault of another campaign. Nothing was written.", FOLDER_HINT)
    if known.whom != whom:
        raise Refused(f"{folder} was made for other readers. Nothing was written.", FOLDER_HINT)
    return known


FOLDER_HINT = "Choose a new or empty folder."


def _read(file: str, folder: str) -> Manifest:
    try:
        known: Manifest = reader(Manifest)(json.loads(_content(file) if _is_file(file) else ""))
    except (RecursionError, *READ_ERRORS):
        known = Manifest(format=0, campaign="", whom="", names={}, hashes={})
    if known.format != FORMAT_VERSION or not all(map(_is_note, known.hashes)):
        raise Refused(f"This program cannot read the file {MANIFEST} in {folder}. Nothing was written.", FOLDER_HINT)
    return known


def _is_note(name: str) -> bool:
    """Return True if a vault can have a note at this path. Other paths could lead out of the vault."""
    is_plain = name.endswith(NOTE_SUFFIX) and name.isprintable() and not {*r"\:"} & {*name}
    return is_plain and not any(part == "" or part.startswith(".") for part in name.split("/"))


def _check_folders(place: str, folder: str, names: Iterable[str]) -> None:
    """Raise `Refused` if a folder of the vault is a link or a file. This keeps all files inside the vault."""
    for within in sorted({path.dirname(name) for name in names} - {""}):
        full = path.join(place, within)
        is_other = path.normcase(path.realpath(full)) != path.normcase(full)
        if path.lexists(full) and (is_other or not path.isdir(full)):
            says = f"{within} in {folder} is a link or a file, not a folder of the vault. Nothing was written."
            raise Refused(says, FOLDER_HINT)


def _is_file(file: str) -> bool:
    return path.lexists(file) and S_ISREG(lstat(file).st_mode)


def _content(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read()


def _hash(text: bytes) -> str:
    """Return the SHA-256 of a note in hexadecimal. Windows line ends are first replaced with plain ones."""
    return sha256(text.replace(b"\r\n", b"\n")).hexdigest()
