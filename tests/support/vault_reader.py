"""A reader of a vault's notes: their properties by a YAML library, their text by a Markdown library, and their links."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]  # no stubs are installed
from markdown_it import MarkdownIt
from markdown_it.token import Token

LINK = re.compile(r"\[\[([^\[\]|#]*)(?:#\^([a-z0-9-]+))?(?:\|([^\[\]|]*))?\]\]")
BLOCK = re.compile(r"(?<= )\^([A-Za-z0-9-]+)$", re.MULTILINE)
PARTS = frozenset(
    [
        "heading",
        "paragraph",
        "inline",
        "text",
        "softbreak",
        "text_special",
        "bullet_list",
        "list_item",
        "s",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
"""The parts of Markdown that a note has."""

RUN_BY_OTHERS = re.compile(r"<%|%>|(?<!\\)`|%%|::|\{\{|(?<![^\s>])#[^\s#]|==|(?<!\\)<|(?<!\\)\$|://")
"""What Obsidian, Dataview or Templater would run, hide, or read as a tag, a field or a link."""


class Link(NamedTuple):
    """A link: the note, the block ("" for the whole note), and the text that it shows."""

    path: str
    block: str
    shown: str


class Note(NamedTuple):
    """A note as a reader sees it. `shown` has a text for each paragraph, title, list item and cell."""

    properties: Mapping[str, Any]
    body: str
    links: tuple[Link, ...]
    blocks: tuple[str, ...]
    shown: tuple[str, ...]


def read_note(text: str) -> Note:
    """Read a note. Everything in it must be what a note has."""
    start, front, body = text.split("---\n", 2)
    assert start == ""
    assert RUN_BY_OTHERS.search(body) is None, RUN_BY_OTHERS.search(body)
    properties = yaml.safe_load(front)
    links = tuple(Link(*(part or "" for part in found)) for found in LINK.findall(body))
    marked = LINK.sub(lambda found: found[3] or found[1], body)
    tokens = [*_flat(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(marked))]
    kinds = {re.sub("_(open|close)$", "", token.type) for token in tokens}
    assert kinds <= PARTS, kinds - PARTS
    shown = tuple(
        "".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"
    )
    return Note(properties, body, links, tuple(BLOCK.findall(body)), shown)


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


def read_vault(texts: Mapping[str, str]) -> dict[str, Note]:
    """Read the notes of a vault. Every link must lead to a note, and to a block of it if it names one."""
    notes = {path.removesuffix(".md"): read_note(text) for path, text in texts.items()}
    for path, note in notes.items():
        assert len(set(note.blocks)) == len(note.blocks), path
        for link in note.links:
            assert not link.block or link.block in notes[link.path or path].blocks, (path, link)
        for value in _values(note.properties):
            for linked in re.findall(r"\[\[(.*?)\]\]", value):
                assert linked in notes, (path, value)
            assert not {*"`<"} & {*value}, value
    return notes


def _values(properties: Mapping[str, Any]) -> Iterator[str]:
    for value in properties.values():
        yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))


def texts_in(folder: Path) -> dict[str, str]:
    """Return the notes of a folder by their paths."""
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in folder.rglob("*.md")}
