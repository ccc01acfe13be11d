"""Profiles: for each long piece of work, the share of its time that each part of the program takes."""

from __future__ import annotations

import cProfile
import pstats
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from bed import Bed
from measuring import Work
from rows_journal import audits, exports, imports, replays, verifies
from rows_moves import CHECK

import ledger
from ledger.scribe import Scribe

PLACES = Path(__file__).parent.parent, Path(ledger.__file__).parent.parent
"""The source folder, and the folder where the program is installed."""

ROOMS = "benchmarks", "cli", "ledger", "projections"
"""The folders of the program, each divided into rooms."""

BUILT_IN = {
    "sqlite3": "SQLite",
    "_hashlib": "SHA-256",
    "orjson": "JSON",
    "json": "JSON",
    "fsync": "waiting for the disk",
    "cryptography": "signatures",
}
"""Functions in C, by a part of their name; all others belong to Python's own objects."""

MOVES = 200
ENTRIES = 10_000
"""As many as a profile reads: with more, the shares stay as they are."""

Profiles = Mapping[str, Mapping[str, float]]


def measured(bed: Bed) -> Profiles:
    """The shares of each part, from 0 to 1, in a move and in what reads the whole journal."""
    file = bed.campaign(min(bed.length, ENTRIES))
    with bed.book(bed.copy(bed.short)) as book:
        moves = shares(lambda: [Scribe(book).write(CHECK) for _ in range(MOVES)])
    works = {
        "replay (6)": replays(file),
        "verify (7)": verifies(file),
        "audit (8)": audits(file),
        "import (4)": imports(bed, file),
        "export (14a)": exports(bed, file),
    }
    return {"a durable edge check (1, 3)": moves, **{name: shares(work) for name, work in works.items()}}


def shares(work: Work) -> dict[str, float]:
    """The share of each part in a piece of work, after a warm-up; largest first."""
    work()
    profile = cProfile.Profile()
    profile.runcall(work)
    seconds = Counter[str]()
    # A function's entry begins with its calls, all calls, and its own seconds.
    for (file, _, name), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]  # not in typeshed
        seconds[part(file, name)] += own
    whole = seconds.total()
    return {name: round(own / whole, 3) for name, own in seconds.most_common()}


def part(file: str, name: str) -> str:
    """To which part of the program a function belongs: the room of its file, or what it is built in."""
    if file == "~":
        return next((says for key, says in BUILT_IN.items() if key in name), "Python's own objects")
    path = Path(file)
    for place in PLACES:
        if path.is_relative_to(place) and path.relative_to(place).parts[0] in ROOMS:
            return "/".join(path.relative_to(place).parts[:2]).removesuffix(".py")
    return "JSON" if "json" in path.parts else "pydantic" if "pydantic" in path.parts else "the standard library"
