"""The pictures in docs/pictures show the page as it is."""

import pytest

from pictures_page import KEPT, POSES, differs, taken

pytestmark = pytest.mark.slow

LARGEST = 60_000
MOST_DIFFERS = 0.03
"""Another version of the browser or of its fonts moves an edge here and there."""


def test_the_kept_pictures_show_the_page_as_it_is() -> None:
    differ, other = {}, {}
    for name, seen, page in taken():
        differ[name] = differs(page, seen, (KEPT / f"{name}.png").read_bytes())
        other[name] = differs(page, seen, (KEPT / f"{'gm' if name == 'story' else 'story'}.png").read_bytes())
    assert max(differ.values()) <= MOST_DIFFERS, f"run make pictures: {differ}"
    assert min(other.values()) > MOST_DIFFERS, f"another page would pass for it: {other}"


def test_a_kept_picture_is_small() -> None:
    kept = {file.stem: file.stat().st_size for file in KEPT.iterdir()}
    assert set(kept) == set(POSES)
    assert max(kept.values()) <= LARGEST, kept
