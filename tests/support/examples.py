"""How often a property is tried: seldom while a newcomer waits for `make test`, in full in `make test-all`."""

from collections.abc import Sequence
from os import environ
from typing import TypeVar

from hypothesis import settings

THOROUGH = environ.get("THOROUGH") == "1"
SHARE = 12
"""Of so many examples one is tried in `make test`."""

FIRST = 4

T = TypeVar("T")


def tried(examples: int) -> int:
    """How many examples are tried now, of those that `make test-all` tries."""
    return examples if THOROUGH else max(2, examples // SHARE)


def some(everything: Sequence[T]) -> Sequence[T]:
    """All of them in `make test-all`; in `make test` the first few, the last, and a share of those between."""
    if THOROUGH:
        return everything
    return [each for at, each in enumerate(everything) if at < FIRST or at % SHARE == 0 or at == len(everything) - 1]


def examples(most: int) -> settings:
    """Try a property with so many examples in `make test-all`, and with a share of them in `make test`."""
    return settings(max_examples=tried(most))
