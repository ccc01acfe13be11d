"""The properties of corrections hold in PostgreSQL, too. `test_properties.py` tries them more often, in memory."""

from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import table

if TYPE_CHECKING:
    from postgres_server import Server

PROPERTIES: dict[str, Any] = {
    name.removeprefix("test_"): tested.hypothesis.inner_test
    for name, tested in vars(import_module("test_properties")).items()
    if hasattr(tested, "hypothesis") and [*signature(tested.hypothesis.inner_test).parameters] == ["data"]
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROPERTIES)
def test_a_property_of_corrections_holds_in_a_database(
    name: str, postgres: "Server", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "in_engine", postgres.put)
    settings(max_examples=8)(given(data=st.data())(PROPERTIES[name]))()


def test_the_properties_are_found() -> None:
    assert len(PROPERTIES) >= 8
