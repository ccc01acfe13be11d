"""Canonical JSON, against the examples of RFC 8785 that our profile admits."""

from typing import Any

import pytest

from ledger.errors import NotCanonical
from ledger.events.canonical import canonical_json, parse_json, substitute

SENT = r"""{
  "literals": [null, true, false],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"
}"""


def test_the_example_of_section_3_is_written_as_there() -> None:
    canonical = r"""{"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}"""
    assert canonical_json(parse_json(SENT)) == canonical.encode()


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (
            {
                "1": {"f": {"f": "hi", "F": 5}, "\n": 56},
                "10": {},
                "": "empty",
                "a": {},
                "111": [{"e": "yes", "E": "no"}],
                "A": {},
            },
            '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
        ),
        ([56, {"d": True, "10": None, "1": []}], '[56,{"1":[],"10":null,"d":true}]'),
        (
            {"string": "\b\t\n\f\r\x01\x1f\x7f\u2028\u20ac\U0001f600"},
            '{"string":"\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\u2028€😀"}',
        ),
        (0, "0"),
        (-1, "-1"),
        (2**53 - 1, "9007199254740991"),
        (1 - 2**53, "-9007199254740991"),
        ("A\u030a", '"A\u030a"'),
    ],
    ids=["structures", "arrays", "strings", "zero", "minus", "the largest", "the smallest", "no normal form"],
)
def test_known_values_have_known_bytes(value: Any, canonical: str) -> None:
    assert canonical_json(value) == canonical.encode()


def test_what_is_nested_without_end_is_refused() -> None:
    nested: list[Any] = []
    nested.append(nested)
    with pytest.raises(NotCanonical, match="nested so deep"):
        canonical_json(nested)


def test_a_place_below_a_number_or_a_text_is_nowhere() -> None:
    assert substitute({"why": "rain", "steps": [1]}, {"why.0": "x", "steps.0.says": "x"}) == {
        "why": "rain",
        "steps": [1],
    }
