"""Shapes and their limits."""

from typing import Annotated, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from ledger.values import Struct, Within


class Point(Struct):
    x: Annotated[int, Within(0, 9), "across"]
    y: int = 0


class Named(Point):
    name: Annotated[str, Within(1, 3, length=True)] | None = None
    kind: Literal["a", "b"] = "a"
    tail: tuple[int, ...] = ()


def test_a_shape_takes_its_fields_by_name_and_keeps_their_defaults() -> None:
    assert Named(x=1).__dict__ == {"x": 1, "y": 0, "name": None, "kind": "a", "tail": ()}
    assert repr(Point(x=1)) == "Point(x=1, y=0)"
    assert Point(x=1).replace(y=2) == Point(x=1, y=2)


def test_a_shape_is_compared_by_what_it_holds() -> None:
    assert Point(x=1) == Point(x=1)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1)
    assert len({Point(x=1), Point(x=1), Point(x=2)}) == 2


def test_a_shape_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Point(x=1).x = 2  # type: ignore[misc]  # what is refused here at run time, mypy refuses too


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}], ids=["missing", "unknown"])
def test_a_shape_refuses_fields_missing_and_unknown(given: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Point(**given)


def test_a_shape_describes_its_fields() -> None:
    described = Named.fields()
    assert Named.fields() is described
    assert described["x"].says == "across"
    assert described["x"].required
    assert described["name"].optional
    assert described["kind"].choices == ("a", "b")
    assert described["tail"].many
    assert described["tail"].kind is int


def test_json_is_read_into_a_shape() -> None:
    assert TypeAdapter(Named).validate_json('{"x": 1, "tail": [2]}') == Named(x=1, tail=(2,))


@pytest.mark.parametrize(
    "text",
    ['{"x": 10}', '{"x": -1}', '{"x": "1"}', '{"x": 1.0}', '{"x": true}', "{}", '{"x": 1, "z": 1}', "[]"]
    + ['{"x": 1, "name": ""}', '{"x": 1, "name": "abcd"}', '{"x": 1, "kind": "c"}'],
)
def test_json_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Named).validate_json(text)
