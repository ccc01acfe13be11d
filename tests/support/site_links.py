"""The check of the built site: every link leads to a page and a place that exist, and a page loads nothing from elsewhere.

`python tests/support/site_links.py` checks the folder `site`. It lists the links to other websites, but does not open them.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from paths import ROOT

SITE = ROOT / "site"
ADDRESSES = {"href", "src", "action", "data", "poster", "formaction", "xlink:href"}
LOADED_BY_STYLE = re.compile(r"@import|url\(\s*[\"']?\s*(?!data:)(?:[a-z]+:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """The names in a page that can be linked, and the addresses that it names: those to follow, and those to load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names = set[str]()
        self.followed, self.loaded = list[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"id", "name"} and value:
                self.names.add(value)
            elif name in ADDRESSES and value:
                (self.followed if tag == "a" else self.loaded).append(value)
            elif name == "srcset" and value:
                self.loaded += [each.split()[0] for each in value.split(",")]
            elif name == "style" and LOADED_BY_STYLE.search(value or ""):
                self.loaded.append(value or "")


def check(site: Path) -> tuple[list[str], set[str]]:
    """Return what is wrong with a site, one sentence each, and the addresses of other websites that it links."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(site.rglob("*.html"))}
    outside = {each for page in pages.values() for each in page.followed if urlsplit(each).scheme}
    wrong = [
        f"{file.relative_to(site)}: {says}" for file, page in pages.items() for says in _wrong(site, file, page, pages)
    ]
    wrong += [
        f"{file.relative_to(site)}: loads something from elsewhere"
        for file in sorted(site.rglob("*.css"))
        if LOADED_BY_STYLE.search(file.read_text(encoding="utf-8"))
    ]
    return wrong, outside


def _wrong(site: Path, file: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    for address in page.loaded:
        if (urlsplit(address).scheme not in {"", "data"}) or urlsplit(address).netloc:
            yield f"loads {address}"
    for address in [*page.followed, *page.loaded]:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        base = site if parts.path.startswith("/") else file.parent
        target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
        target = target / "index.html" if target.is_dir() else target
        if not target.is_relative_to(site) or not target.is_file():
            yield f"links {address}, which does not exist"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].names:
            yield f"links {address}, but that page has no such place"


def main() -> None:
    """Print the links to other websites, and then what is wrong. End with 1 if anything is wrong."""
    wrong, outside = check(SITE.resolve())
    sys.stdout.write("\n".join(["Links to other websites, which were not opened:", *sorted(outside), "", *wrong, ""]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
