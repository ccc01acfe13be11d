"""The site that `make site` builds from the documents: nothing is missing, every link works, and nothing comes from elsewhere."""

import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from browser import chromium
from cli.sections import SECTIONS
from ledger import systems
from ledger.systems import BUILT_IN_GAMES
from paths import ROOT
from site_commands import page as commands_page
from site_interface import page as interface_page
from site_interface import table
from site_links import check
from site_pages import ENTRY, START, indented, navigation, stage, staged_path, staged_text
from site_reference import PUBLIC, public_names
from web.bodies import BODIES

ZENSICAL = ROOT / ".venv-site" / "bin" / "zensical"


def test_the_navigation_has_the_links_of_the_start_page_and_then_all_other_documents() -> None:
    start = "# Start\n\n## For players\n\n- [Trust](trust.md): why\n- [Edge](games/edge.md)\n"
    found = navigation(start, [START, ROOT / "docs" / "trust.md", ROOT / "docs" / "luck.md"])
    edge = ("Edge", [("Edge", "games/edge.md"), ("Sentence by sentence", "games/edge-text.md")])
    assert found[:3] == [
        ("Start", "index.md"),
        ("For players", [("Trust", "trust.md"), edge]),
        ("More", [("Luck", "luck.md")]),
    ]


def test_every_game_of_the_program_is_on_the_start_page() -> None:
    links = {link for _, link in ENTRY.findall(START.read_text(encoding="utf-8"))}
    assert {f"games/{game}.md" for game in BUILT_IN_GAMES} <= links


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("docs/games/edge.md", "games/edge.md"),
        ("docs/decisions", "decisions/index.md"),
        ("tests/stories/first-session.md", "stories/first-session.md"),
        ("README.md", "readme.md"),
        ("ledger/scribe.py", "source/ledger/scribe.py.txt"),
    ],
)
def test_a_file_has_its_place_in_the_site(path: str, there: str) -> None:
    assert str(staged_path(ROOT / path)) == there


def test_a_link_out_of_the_documents_leads_to_the_place_in_the_site() -> None:
    linked = set[Path]()
    page = staged_text(ROOT / "docs" / "architecture.md", linked)
    assert "[draft.py](source/ledger/draft.py.txt)" in page
    assert ROOT / "ledger" / "draft.py" in linked


def test_a_list_is_indented_by_four_and_an_empty_line_is_before_it() -> None:
    text = "Text\n- a\n  more\n  - b\n\n    c\n1. d\n   ```\n     code\n   ```"
    assert indented(text) == ("Text\n\n- a\n    more\n    - b\n\n        c\n\n1. d\n    ```\n      code\n    ```")


def test_a_table_keeps_the_lines_in_its_cells() -> None:
    assert [*table([("who", "a|b", True, "one\n  line")])][-2] == "| `who` | a\\|b | yes | one line |"


def test_every_public_name_is_there_for_those_who_import_it() -> None:
    for _, modules in PUBLIC.values():
        for module, names in modules.items():
            imported: ModuleType = import_module(module)
            assert [name for name in names or public_names(module) if not hasattr(imported, name)] == []


def test_the_command_reference_has_every_command_and_every_move() -> None:
    page = commands_page()
    assert all(f"### `campaign {name}`" in page for section in SECTIONS.values() for name in section)
    moves = [(game, move) for game in BUILT_IN_GAMES for move in systems.find(game).playable()]
    assert all(f"#### `campaign {game} {move}`" in page for game, move in moves)
    assert "- `--drop N`: The number on the die to drop; needs --edge." in page


def test_the_interface_reference_has_every_command_and_every_field() -> None:
    page = interface_page()
    for name, body in BODIES.items():
        start = page.index(f"### `POST /api/v1/say/{name}`")
        section = page[start : page.index("\n##", start)]
        assert all(f"| `{field.alias or key}` |" in section for key, field in body.model_fields.items()), name


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.html": "<a href='b.html'>b</a>"}, "a.html: links b.html, which does not exist"),
        ({"a.html": "<a href='#x'>x</a>"}, "a.html: links #x, but that page has no such place"),
        ({"a.html": "<img src='../b.png'>", "../b.png": ""}, "a.html: links ../b.png, which does not exist"),
        ({"a.html": "<script src='https://b.example/c.js'></script>"}, "a.html: loads https://b.example/c.js"),
        ({"a.html": "<link href='//b.example/c.css'>"}, "a.html: loads //b.example/c.css"),
        ({"a.css": "@font-face { src: url(https://b.example/c.woff) }"}, "a.css: loads something from elsewhere"),
    ],
)
def test_the_check_of_links_finds(tmp_path: Path, files: dict[str, str], says: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for name, text in files.items():
        (site / name).write_text(text, encoding="utf-8")
    assert check(site) == ([says], set())


def test_the_check_of_links_follows_no_link_to_another_website(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<h1 id='x'></h1><a href='https://b.example'></a><a href='a.html#x'></a>", encoding="utf-8"
    )
    assert check(tmp_path) == ([], {"https://b.example"})


def build(folder: Path) -> Path:
    stage(folder)
    config = str(folder / "zensical.toml")
    done = subprocess.run(
        (str(ZENSICAL), "build", "--strict", "--config-file", config), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("site") / "one")


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere_and_nothing_comes_from_elsewhere(built: Path) -> None:
    wrong, outside = check(built)
    assert wrong == []
    assert len(outside) > 3


@pytest.mark.slow
def test_the_site_is_built_the_same_twice(built: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "two")
    files = {file.relative_to(built) for file in built.rglob("*") if file.is_file()}
    assert files == {file.relative_to(other) for file in other.rglob("*") if file.is_file()}
    assert [file for file in files if (built / file).read_bytes() != (other / file).read_bytes()] == []


@pytest.mark.slow
def test_the_search_works_without_a_server_and_loads_nothing_from_elsewhere(built: Path) -> None:
    with chromium() as browser:
        page, loaded = browser.new_page(), list[str]()
        page.on("request", lambda request: loaded.append(request.url))
        page.goto((built / "index.html").as_uri())
        page.keyboard.press("Control+k")
        page.keyboard.type("burn-at-zero", delay=60)
        page.get_by_text("burn-at-zero").first.wait_for()
        page.goto((built / "reference" / "python.html").as_uri())
        assert page.get_by_role("heading", name="Python reference").is_visible()
    assert [address for address in loaded if not address.startswith(built.as_uri())] == []
