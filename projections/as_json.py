"""Views as JSON text, for the terminal and the page."""

from __future__ import annotations

import json
from operator import methodcaller
from typing import Any


def as_json(view: Any, *, in_ascii: bool = False) -> str:
    """Return a view or a list of views as JSON text with sorted keys. A `Struct` is converted by `Struct.as_json`.

    With `in_ascii`, escape the characters outside ASCII.
    """
    return json.dumps(view, default=methodcaller("as_json"), ensure_ascii=in_ascii, sort_keys=True)
