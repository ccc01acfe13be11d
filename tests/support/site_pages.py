"""The source of the site, made from the documents of the repository: `make site` builds the site from it.

`python tests/support/site_pages.py` writes the folder `.site`. The start page of the site is docs/index.md: its sections and links are the
navigation, too. The documents are Markdown as GitHub reads it. Two things change here, because the program that builds the site reads them
in another way: how far lists are indented, and links that lead out of docs/.
"""

import json
import re
import shutil
from collections.abc import Sequence
from os.path import relpath
from pathlib import Path, PurePosixPath

from paths import ROOT
from site_commands import page as commands_page
from site_interface import page as interface_page
from site_reference import page as reference_page

STAGED = ROOT / ".site"
START = ROOT / "docs" / "index.md"
WORKER = Path(__file__).with_name("site_worker.js")
PLACES = {"docs": "", "tests/stories": "stories"} | {page.name: page.name.lower() for page in ROOT.glob("*.md")}
"""Where files and folders of the repository are in the site. Everything else that a document links is below `source`."""

GENERATED = {
    "Command reference": ("reference/commands.md", commands_page),
    "Python reference": ("reference/python.md", reference_page),
    "Interface reference": ("reference/interface.md", interface_page),
}
"""The pages that only the site has, in its section “Reference”."""

CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r" *([-*]|[0-9]+\.) ")
NOTE_FOR_TESTS = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(?=[)#])")
ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)

CONFIG = """[project]
site_name = "Campaign ledger"
docs_dir = "pages"
site_dir = "site"
nav = {nav}

[project.theme]
custom_dir = "templates"
font = false
features = ["navigation.sections", "navigation.top", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"

[project.plugins.offline]

[project.extra]
generator = false

[project.markdown_extensions.tables]

[project.markdown_extensions.toc]
permalink = true
slugify = {{ object = "pymdownx.slugs.slugify", kwds = {{ case = "lower" }} }}

[project.markdown_extensions.pymdownx.highlight]

[project.markdown_extensions.pymdownx.superfences]
"""

# Without this template, each page would load a script from another website. The site's own script takes its place.
TEMPLATE = """{% extends "base.html" %}
{% block libs %}<script src="{{ 'assets/worker.js' | url }}"></script>{% endblock %}
"""

Entry = tuple[str, "str | Sequence[Entry]"]
"""A line of the navigation: its title, and a page or more lines."""


def staged_path(path: Path) -> PurePosixPath:
    """Where a file of the repository is in the site. A folder is its list of pages; the program's code is text."""
    inside = PurePosixPath(path.relative_to(ROOT).as_posix())
    for place, there in PLACES.items():
        if inside == PurePosixPath(place) or PurePosixPath(place) in inside.parents:
            staged = PurePosixPath(there) / inside.relative_to(place)
            return staged / "index.md" if path.is_dir() else staged
    return PurePosixPath("source") / f"{inside}.txt"


def staged_text(page: Path, linked: set[Path]) -> str:
    """A document as the site has it. Adds the files that it links."""

    def moved(link: re.Match[str]) -> str:
        target = (page.parent / link[1]).resolve()
        linked.add(target)
        return relpath(staged_path(target), staged_path(page).parent)

    text = NOTE_FOR_TESTS.sub("", page.read_text(encoding="utf-8"))
    pieces, codes = CODE.split(text), CODE.findall(text)
    texts = [LINK.sub(moved, piece) for piece in pieces]
    return indented("".join(piece + code for piece, code in zip(texts, [*codes, ""], strict=True)))


def indented(text: str) -> str:
    """A document in which each level of a list is indented by four blanks, and an empty line is before each list."""
    lines, fence, shift, is_paragraph = list[str](), False, 0, False
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        if not fence:
            shift = -(-depth // 3) * 4 - depth
            is_item = ITEM.match(line) is not None
            if is_item and is_paragraph:
                lines.append("")
            is_paragraph = line != "" and not is_item and (is_paragraph or lines[-1:] in ([], [""]))
        lines.append(" " * shift + line if line and depth else line)
        fence ^= line.lstrip().startswith("```")
    return "\n".join(lines)


def navigation(start: str, documents: Sequence[Path]) -> list[Entry]:
    """The sections of the start page, each with the pages that it links; then the documents that it does not link, and the references."""
    sections: list[Entry] = [("Start", "index.md")]
    for section in start.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        sections.append((title, [_entry(*link) for link in ENTRY.findall(text)]))
    linked = {(START.parent / link).resolve() for _, link in ENTRY.findall(start)}
    others = [(_title(page), str(staged_path(page))) for page in documents if page not in {START, *linked}]
    references = [(title, name) for title, (name, _) in GENERATED.items()]
    return [*sections, *([("More", others)] if others else []), ("Reference", references)]


def _entry(title: str, link: str) -> Entry:
    target = (START.parent / link).resolve()
    if target.is_dir():
        return title, [(_title(page), str(staged_path(page))) for page in _pages(target)]
    text = target.with_name(f"{target.stem}-text.md")
    if text.exists():
        return title, [(title, str(staged_path(target))), ("Sentence by sentence", str(staged_path(text)))]
    return title, str(staged_path(target))


def _pages(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.md"))


def toml(entry: Entry) -> str:
    """A line of the navigation in the language of the configuration."""
    title, there = entry
    value = json.dumps(there) if isinstance(there, str) else f"[{', '.join(map(toml, there))}]"
    return f"{{ {json.dumps(title)} = {value} }}"


def stage(folder: Path) -> None:
    """Write the source of the site into a folder. The folder must not exist."""
    documents = [*_pages(ROOT), *_pages(ROOT / "docs")]
    waiting, done = {*documents, *_pages(ROOT / "docs" / "games")}, set[Path]()
    while waiting:
        path = waiting.pop()
        done.add(path)
        linked = set[Path]()
        if path.is_dir():
            _write(folder / "pages" / staged_path(path), _list_of_pages(path))
            linked |= {*_pages(path)}
        elif path.suffix == ".md":
            _write(folder / "pages" / staged_path(path), staged_text(path, linked))
        else:
            _write(folder / "pages" / staged_path(path), path.read_bytes())
        waiting |= linked - done
    for name, page in GENERATED.values():
        _write(folder / "pages" / name, indented(page()))
    _write(folder / "pages" / "assets" / "worker.js", WORKER.read_bytes())
    _write(folder / "templates" / "main.html", TEMPLATE)
    nav = navigation(START.read_text(encoding="utf-8"), documents)
    _write(folder / "zensical.toml", CONFIG.format(nav=f"[{', '.join(map(toml, nav))}]"))


def _list_of_pages(folder: Path) -> str:
    return "\n".join(
        [f"# {folder.name.capitalize()}", "", *(f"- [{_title(page)}]({page.name})" for page in _pages(folder)), ""]
    )


def _title(page: Path) -> str:
    return str(TITLE.findall(page.read_text(encoding="utf-8"))[0])


def _write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


if __name__ == "__main__":
    shutil.rmtree(STAGED, ignore_errors=True)
    stage(STAGED)
