"""The cookie with the names of the campaigns at which a browser has logged in, for the first page of a club.

The names are no secret and prove nothing: the first page shows a campaign only to a browser with a login there.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import Scope

from web.guard import cookie_name

COOKIE = "campaigns"

MOST_NAMES, LONGEST_COOKIE = 50, 3000
"""The maximum number of names in the cookie, and of its bytes. Browsers accept 4096 bytes."""


def visited(scope: Scope) -> list[str]:
    """Return the names of the campaigns that a browser has visited, the newest first."""
    cookies = cookie_parser(Headers(scope=scope).get("cookie", ""))
    typed = cookies.get(cookie_name(scope, COOKIE), "")[:LONGEST_COOKIE]
    return [*dict.fromkeys(unquote(name) for name in typed.split("/") if name)][:MOST_NAMES]


def add_visited(answer: Response, scope: Scope, name: str, seconds: int) -> None:
    """Add a name to the cookie, which stays for `seconds` seconds. If there are too many names, forget the oldest."""
    names = [name, *(other for other in visited(scope) if other != name)][:MOST_NAMES]
    text = "/".join(quote(each, safe="") for each in names)
    if len(text) > LONGEST_COOKIE:
        text = text[:LONGEST_COOKIE].rpartition("/")[0]
    answer.set_cookie(
        cookie_name(scope, COOKIE),
        text,
        max_age=seconds,
        httponly=True,
        samesite="lax",
        secure=scope["scheme"] == "https",
        path="/",
    )
