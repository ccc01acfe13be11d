"""The page of tables says what sqlite-utils and Datasette answer, and lists every table as it is declared."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from datasette.app import Datasette
from playwright.sync_api import Page
from sqlite_utils import Database

from browser import PATIENCE, chromium
from projections.exports.tables_schema import TABLES
from tables_page import FILE, PAGE, answer, page, questions
from transcript import replayed

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the campaign of the page."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TZ", "UTC")
        patch.setenv("CAMPAIGN_HOME", str(folder / "home"))
        replayed(TEXT)
    return folder / FILE


def ask(file: Path, *paths: str) -> list[Any]:
    """What Datasette answers to requests, without a network."""

    async def answers() -> list[Any]:
        served = Datasette([str(file)])
        return [await served.client.get(f"/{file.stem}{path}") for path in paths]

    found = asyncio.run(answers())
    assert [each.status_code for each in found] == [200] * len(paths)
    return found


def test_the_reference_is_made_from_the_declared_tables(file: Path) -> None:
    assert page(TEXT, file) == TEXT, "make it again with 'make pages'"


def test_there_are_seven_questions() -> None:
    assert len(questions(TEXT)) == 7


@pytest.mark.parametrize(("sql", "expected"), questions(TEXT), ids=range(1, 8))
def test_each_question_is_answered_by_sqlite_utils_and_by_datasette_as_the_page_says(
    sql: str, expected: str, file: Path
) -> None:
    assert answer(file, sql) == expected
    database = Database(str(file))
    rows = list(database.query(sql))
    database.close()
    assert rows
    (answered,) = ask(file, f".json?{_query(sql)}")
    assert answered.json() == rows


def _query(sql: str) -> str:
    from urllib.parse import urlencode

    return urlencode({"sql": sql, "_shape": "array"})


def test_sqlite_utils_finds_words_in_the_entries(file: Path) -> None:
    words = [sys.executable, "-m", "sqlite_utils", "search", str(file), "entries", "smug*", "-c", "entry", "--csv"]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "entry\n15\n"


def test_datasette_shows_names_and_titles_for_the_rows_that_a_column_names(file: Path) -> None:
    entry, die, character = ask(
        file,
        "/entries.json?_labels=on&_shape=array&entry=9",
        "/dice.json?_labels=on&_shape=array&_size=1",
        "/characters/mara.json?_shape=array&_extras=foreign_key_tables",
    )
    (row,) = entry.json()
    assert {name: row[name]["label"] for name in ("player", "character", "session")} == {
        "player": "Tom",
        "character": "mara",
        "session": "The old market",
    }
    (row,) = die.json()
    assert (row["player"], row["character"]["label"]) == ({"value": "p2", "label": "Ana"}, "mara")
    assert row["entry"]["label"] == "dice thrown"
    assert character.status_code == 200


def test_datasette_searches_the_words_of_the_log(file: Path) -> None:
    (found, page_of_entries) = ask(file, "/entries.json?_search=guard&_shape=array", "/entries?_search=guard")
    assert [row["entry"] for row in found.json()] == [9, 15]
    assert 'type="search"' in page_of_entries.text


def test_datasette_shows_the_comment_of_each_column(file: Path) -> None:
    from html import unescape

    answers = ask(file, *(f"/{table.name}" for table in TABLES))
    for table, answered in zip(TABLES, answers, strict=True):
        text = unescape(answered.text)
        assert [column.name for column in table.columns if f"-- {column.comment}\n" not in text] == []


@pytest.mark.slow
def test_in_a_browser_the_links_have_labels_and_the_search_finds_an_entry(file: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "datasette", str(file), "--port", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert server.stderr
        assert any("Uvicorn running" in line for line in server.stderr)
        with chromium() as browser:
            shown = browser.new_page()
            shown.set_default_timeout(PATIENCE)
            _look(shown, f"http://127.0.0.1:{port}/{file.stem}")
    finally:
        server.terminate()
        server.communicate()


def _look(shown: Page, address: str) -> None:
    shown.goto(f"{address}/entries")
    shown.fill("input[name=_search]", "smugglers")
    shown.press("input[name=_search]", "Enter")
    shown.get_by_text("The guard knows the smugglers").first.wait_for()
    assert shown.locator("table.rows-and-columns tbody tr").count() == 1
    shown.locator("td.col-session a", has_text="The old market").click()
    shown.get_by_role("heading", name="sessions: 1").wait_for()
    shown.goto(f"{address}/dice")
    shown.locator("td.col-player a", has_text="Ana").first.click()
    shown.get_by_text("Links from other tables").wait_for()
    shown.goto(f"{address}/sheet")
    assert shown.locator("td.col-line", has_text="skill.deception").count() == 1
