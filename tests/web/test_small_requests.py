"""A small request never keeps the page busy: nobody can stop the page for everybody with one line."""

from time import process_time

import pytest

from at_page import Place

pytestmark = pytest.mark.usefixtures("unhurried")

A_MOMENT = 5
"""The seconds of the processor's time that a request may take here. The slow patterns needed 30."""

SPACES, LETTERS = " " * 59_000, "x" * 29_000
LONG_LINES = (f"care=no{SPACES}x", f"{SPACES[:29_000]}{LETTERS}=no", LETTERS, "'" * 18_000, '="' * 9_000)


@pytest.mark.parametrize("line", LONG_LINES, ids=range(len(LONG_LINES)))
def test_a_long_line_of_names_and_values_is_read_at_once(place: Place, line: str) -> None:
    began = process_time()
    assert place.say("spectator", "set", {"who": "mara", "values": line, "why": "x"}).status in {403, 404, 409}
    assert process_time() - began < A_MOMENT
