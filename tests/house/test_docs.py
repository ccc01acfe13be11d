"""Documents: the links lead somewhere, the picture of the rooms is the imports, and nobody uses a retired word."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from paths import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tests" / "stories").glob("*.md")),
]
SOURCES = sorted(path for room in ("ledger", "projections", "cli") for path in (ROOT / room).rglob("*.py"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|“[^”]*”", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
CONTENTS = re.compile(r"^- \[([^\]]+)\]\(#[^)]+\)$", re.MULTILINE)
ARROW = re.compile(r"^ +(\w+) --> (\w+)$", re.MULTILINE)
BELOW_ALL = {"errors", "hints", "values", "times"}

RETIRED_PHRASES = (
    "machine throws?",
    "dice of the machine",
    "once the dice lie",
    "counts no more",
    "count no more",
    "turn round",
    "turned round",
    "attested",
    "(signed|saved) heads?",
    "gone on with",
    "worked out again",
    "stands no more",
    "what is merely",
    "for ever",
)
"""What the documents said before, and nobody says aloud; the glossary has the words that took their place."""

RETIRED_CLASSES = {
    "Shape",
    "When",
    "Then",
    "Settle",
    "Settled",
    "MarkName",
    "Standing",
    "Plan",
    "Say",
    "Follows",
    "Desk",
}
RETIRED_MODULES = {
    *("again", "later", "limits", "sound", "own", "stood", "byhand", "rework", "throws", "checks", "alone", "keeping"),
    *(
        "witnesses",
        "invocation",
        "verb",
        "brought",
        "carry",
        "trial",
        "tells",
        "changes",
        "deciding",
        "stages",
        "shape",
    ),
}
"""What was called so once; the glossary has the names that took their place."""


def prose(page: Path) -> str:
    """A page without its code, its transcripts, and what it quotes from the screen."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The names under which the headings of a page are linked."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text))
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        there = (page.parent / file) if file else page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there), link


@pytest.mark.parametrize(
    "page", [page for page in DOCUMENTS if CONTENTS.search(prose(page))], ids=lambda page: page.name
)
def test_a_list_of_contents_names_every_section_in_order(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert CONTENTS.findall(text) == SECTION.findall(text)


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_every_block_is_closed_and_text_goes_on_after_an_empty_line(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    fences = [place for place, line in enumerate(lines) if line.startswith("```")]
    assert len(fences) % 2 == 0
    assert [lines[place + 1] for place in fences[1::2] if lines[place + 1 : place + 2] not in ([], [""])] == []


def test_every_document_is_reached_from_the_readme() -> None:
    seen, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        seen.add(page)
        for link in LINK.findall(prose(page)):
            there = (page.parent / link.partition("#")[0]).resolve()
            found = sorted(there.glob("*.md")) if there.is_dir() else [there]
            waiting += [each for each in found if each.suffix == ".md" and each.exists() and each not in seen]
    assert {page for page in DOCUMENTS if page.resolve() not in seen} == set()


def test_no_text_installs_the_program_from_an_index_where_anybody_could_take_its_name() -> None:
    texts = [
        *DOCUMENTS,
        *(path for room in ("ledger", "projections", "cli", "web") for path in (ROOT / room).rglob("*.py")),
    ]
    by_name = re.compile(r"\b(uvx|(pipx?|uv) [^\n`]*\b(install|run|download|upgrade)) [^\n`]*campaign-ledger")
    assert [path for path in texts if by_name.search(path.read_text(encoding="utf-8"))] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_says_its_context_and_what_was_given_up(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^\*\*(\w[\w ]+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Given up"]
    assert text.startswith(f"# {int(page.stem[:4])}. ")


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_no_retired_phrase_stands_in_a_document(page: Path) -> None:
    text = " ".join(prose(page).split()).lower()
    assert [phrase for phrase in RETIRED_PHRASES if re.search(rf"\b{phrase}\b", text)] == []


def imports() -> Mapping[str, set[str]]:
    """The rooms of the ledger that each imports, also for types and inside functions; those below all left out."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "ledger").rglob("*.py"):
        room = path.relative_to(ROOT / "ledger").with_suffix("").parts[0]
        if room != "__init__":
            found.setdefault(room, set()).update(_imported(path))
    return {room: there - {room} - BELOW_ALL for room, there in found.items() if room not in BELOW_ALL}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == "ledger":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ledger."):
            yield str(node.module).split(".")[1]


def reached(rooms: Mapping[str, set[str]], begin: set[str]) -> set[str]:
    """All rooms to which imports lead from these."""
    found, waiting = set[str](), list(begin)
    while waiting:
        room = waiting.pop()
        found.add(room)
        waiting += rooms[room] - found
    return found


def test_the_picture_of_the_rooms_is_the_imports() -> None:
    rooms = imports()
    direct = {
        (room, there)
        for room, all_there in rooms.items()
        for there in all_there
        if there not in reached(rooms, all_there - {there})
    }
    drawn = ARROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert sorted(drawn) == sorted(direct)
    assert {room for arrow in drawn for room in arrow} == set(rooms)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_docstring_begins_with_a_clause_in_place_of_a_noun(path: Path) -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = (
        ast.get_docstring(node) or "" for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, documented)
    )
    assert [text for text in docstrings if text.startswith("Return what")] == []


def test_no_retired_name_is_defined_in_code() -> None:
    assert {path.stem for path in SOURCES} & RETIRED_MODULES == set()
    trees = [ast.parse(path.read_bytes()) for path in SOURCES]
    assert {
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    } & RETIRED_CLASSES == set()


NAMED = re.compile(r"`(\w+)\.(\w+)(?:\.\w+)?`")
MAPS = ("docs/architecture.md", *(str(path.relative_to(ROOT)) for path in SOURCES if path.name == "__init__.py"))


def test_every_function_that_a_map_names_is_there() -> None:
    """Names of classes with their methods, such as `Scribe.sign`, and of modules with their functions."""
    members: dict[str, set[str]] = {}
    for path in SOURCES:
        tree = ast.parse(path.read_bytes())
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        top = {name.id for node in tree.body for name in ast.walk(node) if isinstance(name, ast.Name)}
        members.setdefault(path.stem, set()).update({"py", *(node.name for node in nodes), *top})
        members.setdefault(path.parent.name, set()).update({path.stem, *(sub.name for sub in path.parent.iterdir())})
        for node in nodes:
            inside = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            fields = {
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            }
            members.setdefault(node.name, set()).update(inside | fields)
    found = [(page, *names) for page in MAPS for names in NAMED.findall((ROOT / page).read_text(encoding="utf-8"))]
    unknown = [name for name in found if name[1] in members and name[2] not in members[name[1]]]
    assert unknown == [("ledger/systems/__init__.py", "campaign", "systems")]  # a group of entry points
    assert len(found) > 10
