"""Documents of titles and lines, as text for a terminal, as Markdown, or as one printable HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from cli.render.terminal import colored, escaped, uncolored
from ledger.values import Struct
from projections.row_formats import LIST_OR_TITLE_START_PATTERN, html_start, html_text, markdown_text

STYLE = """\
body { font: 12pt/1.5 Georgia, serif; max-width: 42em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
h1, h2, h3 { line-height: 1.2; break-after: avoid }
h2 { border-bottom: 1px solid #bbb; padding-bottom: .2em; margin-top: 1.8em }
ul { padding-left: 1.2em }
li { break-inside: avoid; overflow-wrap: anywhere }
del, small { color: #666 }
@page { margin: 2cm }
@media print { body { font-size: 11pt; margin: 0; max-width: none } }"""


class DocumentLine(Struct):
    """A title or a line of a document.

    `level` is 1 for the document's title, 2 for a chapter, 3 for a scene, and 0 for a line. If the line was canceled,
    `struck` says how. The number of its `entry` is shown last.
    """

    level: int
    text: str
    struck: str = ""
    entry: int | None = None

    @property
    def note(self) -> str:
        """The number of the entry, such as `#17`; "" for a line without an entry."""
        return "" if self.entry is None else f"#{self.entry}"


def as_text(parts: Iterable[DocumentLine]) -> Iterator[str]:
    """Yield the lines for a terminal, indented under their titles."""
    for part in parts:
        if part.level == 2:  # noqa: PLR2004  a chapter
            yield ""
        text = colored(uncolored(part.text), "struck") if part.struck else part.text
        text = "  ".join(filter(None, (text, part.struck and f" {part.struck}", part.note)))
        yield {0: f"    {text}", 3: f"  {text}"}.get(part.level) or colored(text, "title")


def as_markdown(parts: Iterable[DocumentLine]) -> Iterator[str]:
    """Yield the lines of a Markdown file. Canceled lines are struck through."""
    before = 0
    for part in parts:
        if part.level != 1 and (part.level or before):
            yield ""
        before = part.level
        text, note = _marked(uncolored(part.text)), f" ({part.note})" if part.note else ""
        if part.level:
            yield f"{'#' * part.level} {text}"
        else:
            yield f"- ~~{text}~~ {_marked(part.struck)}{note}" if part.struck else f"- {text}{note}"


def as_html(parts: Iterable[DocumentLine]) -> Iterator[str]:
    """Yield the lines of one HTML file, without scripts and without links to other files.

    The first part has the title of the document.
    """
    rest = iter(parts)
    title = next(rest)
    yield from html_start(escaped(title.text), STYLE)
    listed = False
    for part in chain([title], rest):
        if listed != (part.level == 0):
            listed = not listed
            yield "<ul>" if listed else "</ul>"
        text = _html(uncolored(part.text))
        if part.level:
            yield f"<h{part.level}>{text}</h{part.level}>"
        else:
            line = f"<del>{text}</del> {_html(part.struck)}" if part.struck else text
            anchor = "" if part.entry is None else f' id="entry-{part.entry}"'
            yield f"<li{anchor}>{line}{f' <small>{_html(part.note)}</small>' if part.note else ''}</li>"
    yield f"{'</ul>' if listed else ''}</body></html>"


def _marked(text: str) -> str:
    return LIST_OR_TITLE_START_PATTERN.sub(r"\1\\\2", markdown_text(escaped(text)))


def _html(text: str) -> str:
    return html_text(escaped(text))
