"""Pictures: cost against length, and the time of an entry by stage, as SVG drawn by a few lines."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from math import log10
from pathlib import Path

from bed import Bed, reach
from floors import hash_rows, over, parse_rows, read_rows
from measuring import milliseconds, taken
from rows_journal import audits, exports, imports, replays, verifies
from rows_looks import typed
from rows_moves import CHECK

from ledger.journal.book import open_book
from ledger.scribe import Scribe
from projections.sheets import sheet

HERE = Path(__file__).parent
WIDTH, HEIGHT, LEFT, BELOW = 720, 380, 64, 44
COLORS = ("#1f6f8b", "#b5524a", "#5b8c3e", "#8a5aa8", "#c28a1d", "#4a4a4a")

Lengths = Mapping[str, Mapping[str, float]]
Stages = Mapping[str, float]


def measured(bed: Bed) -> tuple[Lengths, Stages]:
    """Milliseconds of each command, by length of the campaign, and microseconds of each stage of writing an entry."""
    lengths: dict[str, dict[str, float]] = {}
    for length in reach(bed.length):
        file = bed.campaign(length)
        with open_book(str(bed.copy(file))) as book:
            moves = milliseconds(lambda book=book: Scribe(book).write(CHECK), clock=time.perf_counter)  # type: ignore[misc]  # bound now
            sheets = milliseconds(lambda book=book: sheet(book, "mara", "edge"))  # type: ignore[misc]  # bound now
            roots = milliseconds(lambda book=book, length=length: book.journal.root(length - 1))  # type: ignore[misc]  # bound now
        looks = {name: milliseconds(typed(file, words, length), 5) for name, words in LOOKS.items()}
        checks = {"verify (all of it)": [1000 * taken(verifies(file), time.perf_counter)]}
        for name, sample in {"a durable move": moves, "a sheet": sheets, "a root": roots, **looks, **checks}.items():
            lengths.setdefault(name, {})[str(length)] = sorted(sample)[len(sample) // 2]
    entries, file = min(bed.length, 100_000), bed.middle
    works = {
        "read the rows": over(file, read_rows),
        "and parse them": over(file, parse_rows),
        "and hash them": over(file, hash_rows),
        "replay": replays(file),
        "export": exports(bed, file),
        "verify": verifies(file),
        "import": imports(bed, file),
        "audit": audits(file),
    }
    return lengths, {name: 1e6 * taken(work) / entries for name, work in works.items()}


LOOKS = {"why": ("why", "mara", "edge/edge"), "log -n 12": ("log", "-n", "12")}
"""Looks in the picture, as they are typed."""


def draw(lengths: Lengths, stages: Stages, folder: Path = HERE) -> None:
    """Write both pictures."""
    for name, lines in (("lengths", cost_by_length(lengths)), ("stages", time_by_stage(stages))):
        (folder / f"{name}.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


def draw_database(lengths: Lengths, folder: Path = HERE) -> None:
    """Write the picture of the cost in databases with few and with many campaigns."""
    lines = cost_by_length(lengths, "Cost in milliseconds in a database, against the length of the campaign")
    (folder / "database.svg").write_text("\n".join(lines) + "\n", encoding="utf-8")


def cost_by_length(
    lengths: Lengths, title: str = "Cost in milliseconds against the length of the campaign"
) -> Iterator[str]:
    """Lines of cost over length, both axes logarithmic."""
    numbers = sorted({int(length) for line in lengths.values() for length in line})
    costs = [cost for line in lengths.values() for cost in line.values()]
    bottom, top = int(log10(min(costs)) // 1), int(log10(max(costs)) // 1) + 1
    first, last = log10(numbers[0]), max(log10(numbers[-1]), log10(numbers[0]) + 1)

    def at(length: float, cost: float) -> tuple[float, float]:
        across = (log10(length) - first) / (last - first)
        up = (log10(cost) - bottom) / (top - bottom)
        return LEFT + across * (WIDTH - LEFT - 160), HEIGHT - BELOW - up * (HEIGHT - BELOW - 20)

    yield from begun(title)
    for power in range(bottom, top + 1):
        (x, y), right = at(numbers[0], 10.0**power), at(numbers[-1], 1)[0]
        yield f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{right:.0f}" y2="{y:.0f}" stroke="#ddd"/>'
        yield text(x - 6, y + 4, f"{10.0**power:g} ms", "end")
    for number in numbers:
        yield text(at(number, 1)[0], HEIGHT - BELOW + 20, f"{number:,}", "middle")
    for (name, line), color in zip(lengths.items(), COLORS, strict=False):
        points = [at(int(length), cost) for length, cost in line.items()]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
        yield text(points[-1][0] + 8, points[-1][1] + 4, name, "start", color)
    yield "</svg>"


def time_by_stage(stages: Stages) -> Iterator[str]:
    """Bars of microseconds an entry."""
    most, step = max(stages.values()), (HEIGHT - 30) / len(stages)
    yield from begun("Microseconds of an entry by stage")
    for place, ((name, micros), color) in enumerate(zip(stages.items(), COLORS * 2, strict=False)):
        y, width = 10 + place * step, (WIDTH - 240) * micros / most
        yield text(120, y + step / 2 + 4, name, "end")
        yield f'<rect x="128" y="{y:.0f}" width="{width:.1f}" height="{step - 10:.0f}" fill="{color}"/>'
        yield text(136 + width, y + step / 2 + 4, f"{micros:,.1f} µs", "start")
    yield "</svg>"


def begun(title: str) -> Sequence[str]:
    """The first lines of a picture."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        ' font-size="12">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    )


def text(x: float, y: float, says: str, anchor: str, color: str = "#333") -> str:
    """A text in a picture."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{color}">{says}</text>'
