"""What is typed and seen is what the transcripts, the README and the pages of documentation say."""

from pathlib import Path

import pytest

from paths import ROOT, STORIES
from transcript import blocks, replayed

PAGES = [ROOT / "README.md", *sorted(STORIES.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if list(blocks(page.read_text(encoding="utf-8")))], ids=lambda page: page.name
)
def test_what_is_typed_is_answered_as_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    text = page.read_text(encoding="utf-8")
    assert replayed(text) == text
