"""Every byte in order: one byte of a small campaign, or of its export, is turned over; it is said, or nothing changed."""

import shutil
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from ledger.archive import standalone
from ledger.archive.import_ import import_export
from ledger.audit.verify import verify
from ledger.errors import LedgerError
from ledger.journal.book import open_book
from torture.damaged import rows
from torture.runs import SHM, Run, inside
from typed_evenings import FILE, Table

SMALL = """
-f road.campaign init 'The salt road' --gm Tom
player Ana --plays mara
join mara edge maximum=4 edge=3 strength=6
edge check mara --skill 4 --target 20 --secret
note 'They trust the guide.'
checkpoint
export whole
"""

STEP = 250
"""How many bytes one trial turns over, from its number times as many on."""

BITS = (0xFF, 0x01, 0x20, 0x80)
"""The bits that are turned over: the first in the first round through all bytes, and so on."""

IMPORTED = "imported.campaign"


def run(run: Run) -> None:
    with TemporaryDirectory(dir=SHM) as folder, inside(Path(folder)):
        table = Table(Random(run.seed))  # noqa: S311  on purpose
        for words in SMALL.strip().splitlines():
            table.type(words)
        whole = rows(FILE)
        export = sorted(
            path for path in Path("whole").rglob("*") if path.is_file() and not path.name.startswith("verify.")
        )
        bytes_of = [(path, place) for path in [Path(FILE), *export] for place in range(path.stat().st_size)]
        for trial in run.trials():
            first = trial.number * STEP
            for number in range(first, first + STEP):
                path, place = bytes_of[number % len(bytes_of)]
                bits = BITS[number // len(bytes_of) % len(BITS)]
                (_file if path == Path(FILE) else _export)(run, path, place, bits, whole)
            if first // len(bytes_of) < (first + STEP) // len(bytes_of):
                run.count("rounds through all bytes")


def _file(run: Run, path: Path, place: int, bits: int, whole: list[list[Any]]) -> None:
    run.count("bytes of the file")
    damaged = Path("damaged.campaign")
    damaged.write_bytes(_turned(path, place, bits))
    what = f"byte {place} of {path} by {bits:#x}"
    try:
        with open_book(str(damaged)) as book:
            verify(book)
        if rows(str(damaged)) != whole:
            run.weakness(f"{what}: verify finds nothing, and a table differs")
    except LedgerError:
        run.count("refused")
    except Exception as bug:
        run.weakness(f"{what}: {bug!r}")
    for made in Path().glob("damaged*"):
        made.unlink()


def _export(run: Run, path: Path, place: int, bits: int, whole: list[list[Any]]) -> None:
    run.count("bytes of the export")
    stored, what = path.read_bytes(), f"byte {place} of {path} by {bits:#x}"
    path.write_bytes(_turned(path, place, bits))
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            if (code := standalone.main(["whole"])) not in {0, 2, 6, 7}:
                run.weakness(f"{what}: the stand-alone verifier says {code}")
        import_export("whole", IMPORTED)
        if rows(IMPORTED) != whole:
            run.weakness(f"{what}: it is imported, and a table differs")
    except LedgerError:
        run.count("refused")
    except Exception as bug:
        run.weakness(f"{what}: {bug!r}")
    path.write_bytes(stored)
    for made in Path().glob("imported*"):
        shutil.rmtree(made) if made.is_dir() else made.unlink()


def _turned(path: Path, place: int, bits: int) -> bytes:
    """The bytes of a file, one of them with these bits turned over."""
    stored = bytearray(path.read_bytes())
    stored[place] ^= bits
    return bytes(stored)
