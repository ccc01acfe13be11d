"""The bed: campaigns of each length, made once and kept in `.bench/`, and copies that may be changed."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from types import TracebackType

from floors import Rows, all_rows
from make_campaign import make

from ledger.archive.export import export
from ledger.journal.book import Book, open_book

HOME = Path(__file__).parent.parent / ".bench"
SHORT = 1_000


class Bed(AbstractContextManager["Bed"]):
    """Campaigns for a run: short ones of 1,000 entries, long ones of `length`; what a run made goes at its end."""

    def __init__(self, length: int, programs: Path, peers: Path) -> None:
        self.length = length
        self.programs = programs
        self.peers = peers
        self._copies = 0
        HOME.mkdir(exist_ok=True)
        self.folder = HOME / "run"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove what the run made, but not the campaigns."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def campaign(self, entries: int) -> Path:
        """The campaign of so many entries, which nobody changes."""
        file = HOME / f"{entries}.campaign"
        if not file.exists():
            print(f"making a campaign of {entries:,} entries …", flush=True)
            part = HOME / "part.campaign"
            for left in HOME.glob("part.campaign*"):
                left.unlink()
            make(part, entries)
            part.rename(file)
        return file

    @cached_property
    def short(self) -> Path:
        """A campaign of 1,000 entries."""
        return self.campaign(SHORT)

    @cached_property
    def long(self) -> Path:
        """The longest campaign of this run."""
        return self.campaign(self.length)

    @cached_property
    def middle(self) -> Path:
        """A campaign of at most 100,000 entries, for what reads all of it several times."""
        return self.campaign(min(self.length, 100_000))

    @cached_property
    def middle_rows(self) -> Rows:
        """All rows of the campaign of 100,000 entries."""
        return all_rows(self.middle)

    def exported(self, entries: int) -> Path:
        """The export of a campaign."""
        folder = self.folder / f"{entries}-export"
        if not folder.exists():
            with open_book(str(self.campaign(entries))) as book:
                export(book, str(folder))
        return folder

    def fresh(self, suffix: str = ".campaign") -> Path:
        """A name that no file has yet."""
        self._copies += 1
        return self.folder / f"{self._copies}{suffix}"

    def copy(self, file: Path) -> Path:
        """A copy of a campaign, to write into."""
        return Path(shutil.copy(file, self.fresh()))

    def book(self, file: Path) -> Book:
        """A campaign opened to be read."""
        return open_book(str(file))


def reach(length: int) -> list[int]:
    """The lengths of the pictures: 10^3 and so on, up to a length."""
    return [*(10**power for power in range(3, 7) if 10**power < length), length]
