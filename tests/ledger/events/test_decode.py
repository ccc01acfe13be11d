"""Decode: what was written comes back as it was; what pydantic refuses of the same classes is refused."""

import gc
import json
import weakref
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engine import connection_of
from entry_shapes import entry_shape, pydantic_reader
from evenings import evening
from examples import examples
from ledger.errors import WrongEntry
from ledger.events.canonical import substitute, walk
from ledger.events.commitments import CommittedText, Secret, open_secrets, with_known_texts
from ledger.events.compiled import reader
from ledger.events.decode import decode_sealed
from ledger.events.entry import Entry, jsonable, type_of
from ledger.events.facts import HEADER_FIELDS, Mark, Posting
from ledger.events.types import (
    EVENTS,
    ActionStruck,
    Consequence,
    Event,
    MarksSet,
    MovePlayed,
    NoteWritten,
    Unknown,
)
from ledger.journal.book import Book
from ledger.tlog.tree import leaf_hash
from paths import GOLDEN
from table import every_game

WRITTEN = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((GOLDEN / "events").glob("*.json"))
}


def entry_of(body: dict[str, Any]) -> Entry:
    stored = json.dumps(body, separators=(",", ":")).encode()
    place = {name: body[name] for name in ("seq", "since", "at", "by", "act", "cause", "type")}
    return Entry(**place, raw=body, stored=stored, leaf=leaf_hash(stored))


def as_written(event: Event) -> Any:
    """The facts of an event as its entry holds them, words as commitments."""
    facts = jsonable(event)
    facts = {name: held for name, held in facts.items() if name != "kind"}
    return substitute(
        facts, {path: {said.KEY: said.commitment} for path, said in walk(facts) if isinstance(said, CommittedText)}
    )


def test_a_correction_that_names_no_edition_of_the_book_s_rules_is_of_the_first() -> None:
    body, event = WRITTEN["action-struck"], entry_of(WRITTEN["action-struck"]).event
    assert isinstance(event, ActionStruck)
    assert ("edition" in body, event.edition) == (False, 1)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_event_that_was_ever_written_is_read_back_as_it_was(name: str) -> None:
    body = WRITTEN[name]
    event = entry_of(body).event
    assert type_of(event) == body["type"]
    facts = as_written(event)
    assert {each: facts[each] for each in body.keys() & facts.keys()} == {
        each: body[each] for each in body.keys() & facts.keys()
    }
    defaults = {each: held for each, held in facts.items() if each not in body}
    assert defaults == {each: jsonable(type(event)._defaults[each]) for each in defaults}


def bend(data: Any, body: dict[str, Any]) -> dict[str, Any]:
    """Change one value of a body, or leave a field out, or put one in."""
    path, held = data.draw(st.sampled_from([(path, held) for path, held in walk(body) if path]))
    other = data.draw(st.sampled_from([None, True, 0, 1, -1, 2**53, "", "x", "x" * 101, [], {}, [1], {"a": 1}, held]))
    bent: dict[str, Any] = substitute(body, {path: other})
    if data.draw(st.booleans()):
        bent.pop(
            data.draw(st.sampled_from([*EVENTS[body["type"]]._fields, "x"] if body["type"] in EVENTS else ["facts"])),
            None,
        )
    return bent | ({"more": 1} if data.draw(st.integers(0, 9)) == 0 else {})


@examples(3000)
@given(data=st.data())
def test_what_pydantic_refuses_of_the_same_classes_is_refused_and_nothing_else(data: Any) -> None:
    body = WRITTEN[data.draw(st.sampled_from(sorted(WRITTEN)))]
    bent = {**bend(data, body), **{name: body[name] for name in HEADER_FIELDS if name in body}}
    shape: type[Event] = EVENTS.get(body["type"], Consequence)
    refused = bent.get("format") is True  # pydantic alone takes true for the literal 1
    try:
        pydantic_reader(entry_shape(shape)).validate_json(json.dumps(bent))
    except ValidationError:
        refused = True
    if not refused:
        assert type_of(entry_of(bent).event) == body["type"]
    elif body["type"] in EVENTS:
        with pytest.raises(WrongEntry, match=f"is not a valid {body['type']} entry"):
            entry_of(bent).event  # noqa: B018  it is decoded when it is asked for


@pytest.mark.parametrize(("where", "field"), [("dice", "dropped"), ("steps", "numbers"), ("verdict", "margin")])
def test_a_die_a_line_of_working_and_a_verdict_say_all_that_they_can_say(where: str, field: str) -> None:
    body = json.loads(json.dumps(WRITTEN["move-played"]))
    assert entry_of(body).event
    part = body[where] if where == "verdict" else body[where][0]
    del part[field]
    with pytest.raises(WrongEntry, match="is not a valid move-played entry"):
        entry_of(body).event  # noqa: B018  it is decoded when it is asked for


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("inputs", 3, "inputs"),
        ("dice.1.face", "six", "dice.1.face"),
        ("dice.0.digits", [1], "dice.0.digits"),
        ("dice.0.digits", [1, "2"], "dice.0.digits.1"),
        ("looked.mara", None, "looked.mara"),
        ("verdict", {"says": "x", "good": True, "margin": 1, "more": 1}, "verdict.more"),
        ("verdict", {"says": "x", "good": True}, "verdict.margin"),
    ],
)
def test_a_refusal_names_the_first_part_that_does_not_fit(path: str, value: Any, fault: str) -> None:
    bent = substitute(WRITTEN["move-played"], {path: value})
    with pytest.raises(WrongEntry, match=rf"is not a valid move-played entry \(the problem is in {fault}\)"):
        entry_of(bent).event  # noqa: B018  it is decoded when it is asked for


@pytest.mark.parametrize("name", WRITTEN)
def test_a_whole_entry_is_read_by_its_compiled_function(name: str) -> None:
    event = entry_of(WRITTEN[name]).event
    facts = {
        each: fact for each, fact in jsonable(event).items() if each != "kind" or not isinstance(event, Consequence)
    }
    whole = {each: WRITTEN[name][each] for each in HEADER_FIELDS if each in WRITTEN[name]} | facts
    assert reader(cast(Any, type(event)), HEADER_FIELDS)(whole) == event


@examples(60)
@given(data=st.data())
def test_what_an_evening_wrote_is_read_back_as_it_was_said(data: Any) -> None:
    with every_game() as book:
        evening(data.draw, book, 5)
        for entry in book.journal.entries():
            event = entry.event
            assert as_written(event) == {name: entry.body[name] for name in as_written(event)}
            texts = book.words.texts_of(entry.seq)
            told = {
                path: said
                for path, said in walk(jsonable(book.entry(entry.seq, secrets=True).event))
                if isinstance(said, CommittedText)
            }
            assert {path: (said.text, said.state) for path, said in told.items()} == {
                path: (text, "open") for path, text in texts.items()
            }


def note(book: Book) -> Any:
    event = book.entry(8).event
    assert isinstance(event, NoteWritten)
    return event.text


def test_words_say_whether_they_are_open_closed_or_erased(book: Book) -> None:
    from ledger.commands.at_table import Note
    from ledger.commands.custody import Erase
    from table import scribe

    scribe(book).write(Note(text="the guide"))
    raw = book.journal.entry(8).event
    assert isinstance(raw, NoteWritten)
    assert (raw.text.text, raw.text.state) == (None, "closed")
    assert (note(book).text, note(book).state) == ("the guide", "open")
    scribe(book).write(Erase(entries=(8,)))
    assert (note(book).text, note(book).state) == (None, "erased")
    assert note(book).commitment == raw.text.commitment


def test_a_secret_says_whether_it_is_kept_told_or_in_another_copy(book: Book) -> None:
    from ledger.commands.play import PlayMove
    from ledger.systems.edge.moves_check import Check
    from table import scribe

    done = scribe(book).write(
        PlayMove(system="edge", move=Check(who="mara", skill=11, target=20, secret=True)), faces=(7, 6)
    )
    seq = done.entries[-1].seq

    def target(*, secrets: bool) -> Secret:
        event = book.entry(seq, secrets=secrets).event
        assert isinstance(event, MovePlayed)
        held = event.inputs["target"]
        assert isinstance(held, Secret)
        return held

    assert (target(secrets=False).value, target(secrets=False).state) == (None, "closed")
    assert (target(secrets=True).value, target(secrets=True).state) == (20, "open")
    connection_of(book).execute("DELETE FROM words WHERE seq = ?", (seq,))
    assert (target(secrets=True).value, target(secrets=True).state) == (None, "away")


HELD = {
    "type": "marks-set",
    "who": "mara",
    "values": {"edge/care": {"word": "since noon"}, "edge/mood": {"secret": '"grim"'}},
    "why": {"word": "a fall"},
    "postings": [],
    "marks": [],
}


@pytest.mark.parametrize("with_secrets", [True, False])
def test_what_a_sealed_roll_holds_is_read_with_its_words_open_and_its_secrets_as_they_are_told(
    with_secrets: bool,
) -> None:
    kept = Secret(text='"grim"') if with_secrets else Secret(state="closed")
    assert decode_sealed(12, HELD, with_secrets=with_secrets) == MarksSet(
        who="mara",
        values={"edge/care": CommittedText(text="since noon"), "edge/mood": kept},
        why=CommittedText(text="a fall"),
    )


def test_a_game_may_call_a_fact_of_a_sealed_roll_a_word() -> None:
    held = {"type": "spell-cast", "system": "x", "who": "mara", "facts": {"word": "fog"}, "postings": [], "marks": []}
    assert decode_sealed(12, held, with_secrets=True) == Consequence(
        kind="spell-cast", system="x", who="mara", facts={"word": "fog"}
    )


@pytest.mark.parametrize("path", ["inputs", "settings", "looked.mara"])
def test_a_game_may_call_an_input_a_setting_or_a_score_of_a_sealed_move_a_word(path: str) -> None:
    body = {name: fact for name, fact in WRITTEN["move-played"].items() if name not in HEADER_FIELDS}
    body |= {"type": "move-played", "deed": None}
    event = decode_sealed(12, substitute(body, {path: {"word": "fog"}}), with_secrets=True)
    assert dict(walk(jsonable(event)))[f"{path}.word"] == "fog"


@pytest.mark.parametrize("held", [None, [], {}, {"type": 3}, {"type": "marks-set"}, HELD | {"why": {"word": 1}}])
def test_what_a_sealed_roll_holds_and_is_no_event_is_refused(held: Any) -> None:
    with pytest.raises(WrongEntry, match=r"Entry 12 (contains no event|is not a valid marks-set)"):
        decode_sealed(12, held, with_secrets=True)


def test_what_is_no_commitment_stands_for_no_words() -> None:
    body = WRITTEN["move-played"]
    event = entry_of(substitute(body, {"inputs": {"why": {"word": "rain"}}})).event
    assert isinstance(event, MovePlayed)
    assert event.inputs == {"why": {"word": "rain"}}


def test_a_type_that_nobody_knows_is_a_case_of_its_own_unless_it_has_the_shape_of_a_consequence() -> None:
    place = {"seq": 1, "since": 1, "at": "2026-11-20T19:30:00Z", "by": "p1", "act": 1, "cause": None, "once": None}
    body = {**place, "type": "moon-risen", "postings": [], "marks": [], "phase": 3}
    assert entry_of(body).event == Unknown(kind="moon-risen", facts={"phase": 3})
    body = {**place, "type": "moon-risen", "postings": [], "marks": [], "system": "x", "who": "mara", "facts": {}}
    assert entry_of(body).event == Consequence(kind="moon-risen", system="x", who="mara", facts={})


def test_an_event_is_decoded_once() -> None:
    entry = entry_of(WRITTEN["note-written"])
    assert entry.event is entry.event
    assert entry == entry_of(WRITTEN["note-written"])


def test_reading_an_entry_keeps_nobody_alive_who_read_it() -> None:
    class Reader:
        """Whoever reads."""

    def read() -> "weakref.ref[Reader]":
        reader = Reader()
        assert entry_of(WRITTEN["move-played"]).event.marks is not None
        return weakref.ref(reader)

    gc.disable()
    try:
        assert read()() is None
    finally:
        gc.enable()


def test_an_entry_may_be_told_as_if_it_said_something_else() -> None:
    entry = entry_of(WRITTEN["note-written"])
    other = NoteWritten(text=CommittedText(text="another"))
    assert entry.with_event(other).event is other
    assert entry.with_event(other) == entry
    assert entry.event != other


def test_a_value_is_filled_in_as_far_as_its_words_and_secrets_are_here() -> None:
    gone = Secret(commitment="a" * 64, state="away")
    posted = Posting(who="mara", score="edge/edge", amount=1)
    value = (posted, Mark(who="mara", name="x", value=CommittedText(text="fog")), {"x": [Secret(text="[1,2]"), gone]})
    assert with_known_texts(value) == (
        posted,
        Mark(who="mara", name="x", value="fog"),
        {"x": [[1, 2], {"secret": "a" * 64}]},
    )


def test_a_secret_is_shown_as_what_it_hides_and_one_that_is_kept_elsewhere_as_nothing() -> None:
    kept = {"opened": Secret(text="[1]"), "elsewhere": [Secret(text=None)]}
    assert open_secrets(kept) == {"opened": [1], "elsewhere": [None]}


@pytest.mark.parametrize("kind", [CommittedText, Secret])
def test_what_stands_in_an_entry_is_closed_until_it_is_looked_up(kind: type[CommittedText]) -> None:
    read = pydantic_reader(kind).validate_python({kind.KEY: "0" * 64})
    assert (read.commitment, read.text, read.state) == ("0" * 64, None, "closed")
