"""Views as JSON: the same text from the terminal and from the page."""

from __future__ import annotations

import json
from operator import methodcaller
from typing import Any


def as_json(view: Any, *, in_ascii: bool = False) -> str:
    """Write a view, or several; each value in it says its own shape (`Struct.as_json`)."""
    return json.dumps(view, default=methodcaller("as_json"), ensure_ascii=in_ascii, sort_keys=True)
