"""Where the tests find what they read."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
DATA = TESTS / "data"
GOLDEN = TESTS / "golden"
STORIES = TESTS / "stories"
