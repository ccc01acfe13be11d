"""The page about performance has the figures of the last run, and the benchmark plays what it says."""

import json
from pathlib import Path
from xml.etree import ElementTree

import bench
import performance_page
import pictures
import pytest
from make_campaign import make
from table_talk import SHEETS

from ledger.events.types import MovePlayed
from ledger.journal.book import open_book

RESULTS = json.loads(performance_page.RESULTS.read_text(encoding="utf-8"))


def test_the_page_has_the_figures_of_the_last_run() -> None:
    page = performance_page.PAGE.read_text(encoding="utf-8")
    assert page == performance_page.page(), "fill it with 'make pages'"


def test_the_last_run_measured_every_row() -> None:
    measured = {row["number"] for row in RESULTS["rows"]}
    assert {number for number, _ in bench.ROWS} - measured <= {"13"}, "only what other programs do may be left out"


def test_the_pictures_are_those_of_the_last_run(tmp_path: Path) -> None:
    pictures.draw(RESULTS["lengths"], RESULTS["stages"], tmp_path)
    for name in ("lengths.svg", "stages.svg"):
        kept = (performance_page.HERE / name).read_text(encoding="utf-8")
        assert kept == (tmp_path / name).read_text(encoding="utf-8")
        assert ElementTree.fromstring(kept).tag.endswith("svg")  # noqa: S314  ours


@pytest.mark.slow
def test_a_campaign_of_the_benchmark_is_the_same_for_a_seed_and_has_moves_of_every_game(tmp_path: Path) -> None:
    roots = []
    for name in ("one", "two"):
        make(tmp_path / name, 1000, seed=3)
        with open_book(str(tmp_path / name)) as book:
            roots.append(book.root(1000))
            events = [entry.event for entry in book.journal.entries()]
    assert roots[0] == roots[1]
    assert len(events) == 1000
    assert {event.system for event in events if isinstance(event, MovePlayed)} == SHEETS.keys()
