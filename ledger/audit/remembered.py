"""The results of earlier checks of a campaign, so that the next check needs to look only at new entries.

The home has a file for each campaign and kind of check. The file says up to which entry the campaign was checked, and
what was found. It also has a digest of everything that the campaign stores for these entries. If the digest has not
changed, a new check of these entries would have the same result.

Some of the audit's checks depend on later corrections too. Other files of the home have the states of these checks
after some of the entries. The next audit continues from the last state whose entries no later correction has changed.

A check starts from the beginning if the digest differs, if the file of the home cannot be read, or if the program or a
game has changed. It also does so if other users of this computer can enter the home, and always on Windows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Literal

from ledger.audit.program import current_digest, program_digest
from ledger.audit.states import places_still_kept
from ledger.audit.structure import erasures
from ledger.errors import LedgerError, NotMade
from ledger.journal.book import Book
from ledger.trust.home import make_home
from ledger.values import Struct

CHECKED_FOLDER = "checked"
"""The folder in a home for what checks found."""

LEAST_ENTRIES = 5_000
"""A check of fewer entries is quick, so nothing is remembered."""

OTHERS_BITS = 0o077
"""The permissions that let others enter or change a folder."""


HAS_OWNERS = hasattr(os, "geteuid")
"""True if this system has owners and permissions that the program can compare. Windows has none."""


class EarlierCheck(Struct):
    """The result of an earlier check of the first `entries` entries. `since` is the day of that check.

    `found` is this result as a JSON object.
    """

    entries: int
    since: str
    found: Mapping[str, Any]


class Memory:
    """The memory of checks of one kind, in the folder of a home. `today` is a date like `2026-11-22`.

    After a check, `earlier_check` is the earlier result that the check used, or `None` if it checked all entries. If
    `recalls` is False, a check looks at all entries, and then remembers its result. `is_open` is True if nothing is
    remembered because other users of this computer can enter the folder.
    """

    def __init__(self, folder: str, kind: Literal["verify", "audit"], today: str, *, recalls: bool = True) -> None:
        self._recalls = recalls
        self.folder = folder
        self._kind = kind
        self._today = today
        self._digest = ""  # of all entries, if `recall` has computed it
        self._states: dict[int, str] = {}  # by entry, the digest of the file with the state after this entry
        self.earlier_check: EarlierCheck | None = None
        self.is_open = False

    def recall(self, book: Book) -> EarlierCheck | None:
        """Return the result of an earlier check if the same entries are still stored. Call this in a snapshot."""
        with suppress(*READ_ERRORS):
            if book.head() < LEAST_ENTRIES:
                return None
            self.is_open = _is_open_to_others(self.folder)
            if self.is_open or not self._recalls:
                return None
            kept = json.loads(_read(self._file(book)))
            entries = kept["entries"]
            if kept["program"] != program_digest() or not 0 < entries <= book.head():
                return None
            if any(erased <= entries for erased in erasures(book, entries + 1)):  # these entries must be checked again
                return None
            digest, *later = book.journal.storage.digests([*dict.fromkeys([entries, book.head()])])
            self._digest = later[0] if later else digest
            # a further entry of the last action would need a check of the whole action
            goes_on = entries < book.head() and book.journal.entry(entries + 1).act <= entries
            if kept["digest"] == digest and not goes_on:
                self._states = dict(kept["states"])
                self.earlier_check = EarlierCheck(entries=entries, since=kept["since"], found=kept["found"])
        return self.earlier_check

    def state_before(self, book: Book, first: int) -> tuple[int, Any]:
        """Return the number of the last entry before `first` after which a state was kept, and this state.

        Return (0, None) if there is no such state. Forget the states that were kept after later entries.
        """
        for place in sorted(self._states, reverse=True):
            if place < first:
                with suppress(*READ_ERRORS):
                    return place, json.loads(_read(self._file(book, place), self._states[place]))
            del self._states[place]
        return 0, None

    def keep(self, book: Book, found: Mapping[str, Any], states: Mapping[int, Any] | None = None) -> None:
        """Remember what a check found. Call this in the snapshot of the check. Do nothing if the home is not writable.

        `found` is the result for all entries, and `states` has the states of the check after some entries, as JSON.
        """
        if book.head() < LEAST_ENTRIES or not current_digest() == program_digest() != "":
            return
        (digest,) = [self._digest] if self._digest else book.journal.storage.digests([book.head()])
        with suppress(OSError, NotMade):
            make_home(self.folder)
            make_home(self._checked_folder)
            if _is_open_to_others(self.folder):
                return
            places = places_still_kept({*self._states, *(states or {})}, book.head())
            for place, state in (states or {}).items():
                if place in places:
                    self._states[place] = _write(self._file(book, place), json.dumps(state))
            kept = {
                "program": program_digest(),
                "entries": book.head(),
                "digest": digest,
                "since": self._today,
                "found": found,
                "states": [(place, self._states[place]) for place in places],
            }
            _write(self._file(book), json.dumps(kept))
            self._remove_other_states(book, places)

    def _remove_other_states(self, book: Book, places: Sequence[int]) -> None:
        file, needed = self._file(book), {self._file(book, place) for place in places}
        for name in os.listdir(self._checked_folder):
            path = os.path.join(self._checked_folder, name)
            if path.startswith(f"{file}.") and path not in needed:
                os.unlink(path)

    @property
    def _checked_folder(self) -> str:
        return os.path.join(self.folder, CHECKED_FOLDER)

    def _file(self, book: Book, place: int = 0) -> str:
        """Return the path of the file that remembers a check of a campaign, or its state after the entry `place`."""
        name = f"{book.first_leaf().hex()[:32]}.{self._kind}"
        return os.path.join(self._checked_folder, f"{name}.{place}" if place else name)


READ_ERRORS = OSError, ValueError, RecursionError, TypeError, KeyError, LedgerError
"""The errors that reading a file of the home can cause, if the file is not as the program wrote it."""


def _read(file: str, digest: str = "") -> str:
    """Return the text that `_write` wrote, with this digest.

    Raise `ValueError` if the text was changed, and `OSError` if the file cannot be read.
    """
    with open(file, encoding="utf-8") as stream:
        line, text = stream.readline().strip(), stream.read()
    if line != sha256(text.encode()).hexdigest() or digest not in {"", line}:
        raise ValueError(file)
    return text


def _write(file: str, text: str) -> str:
    """Write the digest of the text and, below it, the text into a file. Return the digest. May raise `OSError`."""
    new, digest = f"{file}.new{os.getpid()}", sha256(text.encode()).hexdigest()
    try:
        with open(new, "w", encoding="utf-8") as stream:
            stream.write(f"{digest}\n{text}")
        os.replace(new, file)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise
    return digest


def _is_open_to_others(folder: str) -> bool:
    """Return True if the folder does not belong to this user, or if others can enter it.

    Also return True on Windows, because the program cannot tell. Raise `OSError` if the folder cannot be read.
    """
    facts = os.stat(folder)
    return not HAS_OWNERS or facts.st_uid != os.geteuid() or bool(facts.st_mode & OTHERS_BITS)
