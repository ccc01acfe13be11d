"""Checked: what is wrong with what a program sent is said in plain words, the first fault of it."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from cli.try_rule import rule_outcome
from ledger.errors import Refused
from ledger.reading.validation import fault_of, sentence_of

FAULTS: list[tuple[Any, Any, str, str]] = [
    (dict[str, tuple[int, ...]], {"on": ["x"]}, "on.0", "must be a whole number"),
    (dict[str, tuple[int, ...]], {"on": 7}, "on", "must be a list"),
    (list[int], ["x", "y"], "0", "must be a whole number"),
    (dict[str, str], {"on": 7}, "on", "must be text"),
    (dict[str, Annotated[int, Field(ge=1)]], {"on": 0}, "on", "must be at least 1"),
    (dict[str, Annotated[int, Field(le=6)]], {"on": 7}, "on", "must be at most 6"),
    (dict[str, Literal["a", "b"]], {"on": "c"}, "on", "must be 'a' or 'b'"),
    (dict[str, Annotated[str, Field(min_length=2)]], {"on": "c"}, "on", "string should have at least 2 characters"),
]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"current": 1, "maximum": 2}, "edge.award: 'amount' is missing."),
        ({"maximum": 2}, "edge.award: 'amount' and 'current' are missing."),
        ({}, "edge.award: 'amount', 'current' and 'maximum' are missing."),
        ({"amount": "x"}, "edge.award: 'amount' must be a whole number."),
    ],
)
def test_everything_that_is_missing_is_named_at_once(given: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused) as refused:
        rule_outcome("edge.award", given)
    assert refused.value.sentence == says


@pytest.mark.parametrize(("kind", "value", "where", "fault"), FAULTS, ids=[row[3] for row in FAULTS])
def test_the_first_fault_is_told_with_its_place(kind: Any, value: Any, where: str, fault: str) -> None:
    with pytest.raises(ValidationError) as wrong:
        TypeAdapter(kind).validate_python(value)
    assert fault_of(wrong.value) == ([where], fault)
    assert sentence_of("edge.check", wrong.value) == f"edge.check: {where!r} {fault}."
