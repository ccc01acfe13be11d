"""Shapes and their limits."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from ledger.values import Struct, Within


class Point(Struct):
    unit: ClassVar[str] = "inch"
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


@pytest.mark.parametrize(
    ("given", "says"),
    [({}, "Point needs 'x'"), ({"x": 1, "z": 2}, "Point has no field 'z'")],
    ids=["missing", "unknown"],
)
def test_a_shape_names_a_field_that_is_missing_or_unknown(given: dict[str, int], says: str) -> None:
    with pytest.raises(TypeError, match=f"^{says}$"):
        Point(**given)


def test_a_shape_describes_its_fields() -> None:
    described = Named.fields()
    assert Named.fields() is described
    assert described["x"].says == "across"
    assert described["kind"].choices == ("a", "b")
    assert [name for name, field in described.items() if field.required] == ["x"]
    assert [name for name, field in described.items() if field.many] == ["tail"]
    assert [name for name, field in described.items() if field.optional] == ["name"]
    assert (described["y"].default, described["y"].says, described["y"].choices) == (0, "", ())
    assert (described["tail"].kind, described["name"].kind) == (int, str)


class Prices(Struct):
    by_name: Annotated[Mapping[str, int], Within(0, 9), "what each costs", Point(x=1)]


def test_a_field_with_a_value_for_each_name_is_described_by_the_type_of_a_value() -> None:
    (field,) = Prices.fields().values()
    assert (field.keyed, field.many, field.optional, field.kind) == (True, False, False, int)
    assert (field.says, field.tags) == ("what each costs", (Point(x=1),))
    assert field.limit is not None
    assert (field.limit.least, field.limit.most) == (0, 9)
    assert not any(field.keyed for field in Named.fields().values())


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
