"""Canonical JSON, against the examples of RFC 8785 that our profile admits."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from ledger.errors import NotCanonical
from ledger.events.canonical import canonical_json, parse_json, read_canonical, substitute

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
    with pytest.raises(NotCanonical, match="too many lists inside lists"):
        canonical_json(nested)


def test_a_hundred_lists_may_stand_in_each_other_and_no_more() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    stored = canonical_json(deep)
    assert stored == b"[" * 100 + b"1" + b"]" * 100
    assert read_canonical(stored) == (deep, True)
    with pytest.raises(NotCanonical, match="too many lists inside lists"):
        canonical_json([deep])
    with pytest.raises(NotCanonical, match="too many lists inside lists"):
        read_canonical(b"[" + stored + b"]")


def test_a_number_of_more_than_forty_digits_is_refused() -> None:
    assert parse_json("9" * 40) == 10**40 - 1
    with pytest.raises(NotCanonical, match="is not a whole number"):
        parse_json("9" * 41)


def test_a_place_below_a_number_or_a_text_is_nowhere() -> None:
    assert substitute({"why": "rain", "steps": [1]}, {"why.0": "x", "steps.0.says": "x"}) == {
        "why": "rain",
        "steps": [1],
    }


NUMBERS = ["0", "-0", "1", "-1", "01", "1.5", "-1.5", "1.0", "1e5", "1e16", "1E5", "1e-7", "-2e300", "NaN", "Infinity"]
NUMBERS += [str(each) for each in (2**53 - 1, 2**53, -(2**53), 2**63, 2**64, 10**30, 10**50)]
TEXTS = [
    "",
    "x",
    "0.5",
    ",1.5",
    ":1e9",
    "é",
    "−",
    "\x1b",
    "\x7f",
    "\n",
    "\\",
    '"',
    "/",
    "\ud800",
    "\U0001f600",
    "\u2028",
]
TEXT = st.sampled_from(TEXTS) | st.text(max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


@st.composite
def stored_bytes(draw: Any) -> bytes:
    """JSON that is canonical, or nearly, or not at all."""
    escaping, spaced, ordered = draw(st.booleans()), draw(st.integers(0, 9)) == 0, draw(st.integers(0, 3)) > 0
    separators = (", ", ": ") if spaced else (",", ":")
    text = json.dumps(draw(VALUES), ensure_ascii=escaping, separators=separators, sort_keys=ordered)
    kind = draw(st.integers(0, 7))
    if kind == 0:
        text = f'{{"a":{draw(st.sampled_from(NUMBERS))},"b":[{draw(st.sampled_from(NUMBERS))}]}}'
    elif kind == 1:
        text = f'{{"a":{text},"{draw(st.sampled_from("aAb"))}":0}}'
    stored = text.encode(errors="surrogatepass")
    if kind == 2:
        place = draw(st.integers(0, len(stored)))
        stored = stored[:place] + draw(st.binary(max_size=2)) + stored[place + draw(st.integers(0, 2)) :]
    return stored


@examples(3000)
@given(stored=stored_bytes())
@example(stored=nested(101))
@example(stored=nested(102))
@example(stored=nested(5000))
@example(stored='{"é":1}'.encode())
@example(stored=b'{"a":1,"a":1}')
@example(stored=b'["\xed\xa0\x80"]')
@example(stored="[1]".encode("utf-16"))
@example(stored=b"\xef\xbb\xbf[1]")
@example(stored=b'["\\ud800"]')
def test_what_is_canonical_is_judged_as_the_two_steps_judge_it(stored: bytes) -> None:
    try:
        value = parse_json(stored)
        canonical = canonical_json(value)
    except NotCanonical:
        with pytest.raises(NotCanonical):
            read_canonical(stored)
    else:
        assert read_canonical(stored) == (value, canonical == stored)


@pytest.mark.parametrize(
    "stored", [b"0.5", b"[0.5]", b'{"a":1e21}', b'{"a":[-1.5]}', '{"🎲":1}'.encode(), '{"a":{"𐀀":1}}'.encode()]
)
def test_bytes_with_a_fraction_or_with_a_name_above_u_ffff_are_not_canonical(stored: bytes) -> None:
    with pytest.raises(NotCanonical):
        read_canonical(stored)


@pytest.mark.parametrize(
    "stored",
    [
        b'{"a":[1,{"b":"0.5e"}]}',
        b'{"dice":[],"why":{"word":"3e4"}}',
        '["−"]'.encode(),
        '{"é":"−"}'.encode(),
        '{"says":"🎲"}'.encode(),
    ],
)
def test_canonical_bytes_are_known_with_fractions_in_texts_and_other_letters(stored: bytes) -> None:
    assert read_canonical(stored) == (json.loads(stored), True)
