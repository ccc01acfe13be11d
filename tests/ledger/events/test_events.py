"""What is written to disk: canonical bytes, and every shape that they can have."""

from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from entry_shapes import entry_shape, pydantic_reader
from ledger.errors import NotCanonical
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.events.commitments import CommittedText, Secret, commitments
from ledger.events.entry import entry_json, jsonable
from ledger.events.facts import Header
from ledger.events.types import EVENTS, Consequence
from ledger.values import MAX_STORED_NUMBER
from paths import GOLDEN

WRITTEN = sorted((GOLDEN / "events").glob("*.json"))

KEYS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_STORED_NUMBER, MAX_STORED_NUMBER)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_our_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@given(VALUES)
def test_canonical_bytes_are_read_back_as_they_were(value: Any) -> None:
    assert parse_json(canonical_json(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        1.0,
        MAX_STORED_NUMBER + 1,
        -MAX_STORED_NUMBER - 1,
        float("nan"),
        {"\U00010330": 1},
        {1: 2},
        b"bytes",
        {"a": {1}},
        "\ud800",
        [[1.5]],
    ],
    ids=repr,
)
def test_what_is_outside_the_profile_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical_json(value)


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a": 1, "a": 2}', "NaN", "Infinity", "1.5", "1e3", '{"a": [1.0]}', "[" * 100_000, b"\xff\xfe\xfa"],
)
def test_json_that_is_not_strict_is_refused(text: str | bytes) -> None:
    with pytest.raises(NotCanonical):
        parse_json(text)


def type_of(path: Path) -> str:
    """What is in a golden file; after a dot stands what came later, of a type that has two."""
    return path.stem.partition(".")[0]


def test_there_is_a_golden_file_of_every_event_type_and_of_consequences() -> None:
    names = {type_of(path) for path in WRITTEN}
    assert names >= set(EVENTS)
    assert names - set(EVENTS) == {"edge-burned", "damage-soaked"}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_a_shape_once_written_stays_readable_for_ever(path: Path) -> None:
    stored = path.read_bytes()
    body = parse_json(stored)
    assert canonical_json(body) == stored
    event = EVENTS.get(type_of(path), Consequence)
    read = pydantic_reader(entry_shape(event)).validate_json(stored).__dict__
    closed = {field: {kind: text} for field, kind, text in commitments(body)}
    place = Header(**{name: read.pop(name) for name in Header._fields})
    kind = read.pop("type")
    written = entry_json(event(**read, **({"kind": kind} if event is Consequence else {})), place)
    defaults = jsonable(event._defaults | Header._defaults)
    came_later = {name for name in set(written) - set(body) if defaults[name] == written[name]}
    written = {name: held for name, held in written.items() if name not in came_later}
    assert {field for field, held in walk(written) if isinstance(held, CommittedText)} <= set(closed)
    assert canonical_json(substitute(written, closed)) == stored


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_an_entry_with_a_field_more_or_less_is_refused(path: Path) -> None:
    body = parse_json(path.read_bytes())
    shape = pydantic_reader(entry_shape(EVENTS.get(type_of(path), Consequence)))
    with pytest.raises(ValidationError):
        shape.validate_json(canonical_json({**body, "more": 1}))
    for name in ("by", "act", "type"):
        with pytest.raises(ValidationError):
            shape.validate_json(canonical_json({key: held for key, held in body.items() if key != name}))


def test_a_secret_is_no_word() -> None:
    assert jsonable(Secret(text="5")) == Secret(text="5")
    with pytest.raises(ValidationError):
        pydantic_reader(Secret).validate_json(b'{"word":"' + b"0a" * 32 + b'"}')
