"""Inputs: what people type is read, or refused in a sentence."""

import pytest

from ledger.errors import BadInput
from ledger.rules.inputs import MOST_NAMES, handles


def test_as_many_names_as_a_list_may_have_are_read_and_one_more_is_refused() -> None:
    names = tuple(f"name{number}" for number in range(MOST_NAMES + 1))
    assert handles(",".join(names[:-1])) == names[:-1]
    with pytest.raises(BadInput, match="That is 21 names; 20 are the most"):
        handles(",".join(names))
