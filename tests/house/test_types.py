"""A new event type needs no list of events: it says all about itself, and a test names what it forgot."""

import pytest

from ledger.events.types import EVENTS, Correction
from paths import ROOT

TOLD = (ROOT / "projections" / "phrases.py").read_text(encoding="utf-8")
"""The phrases that need more than a template."""


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_has_words_for_the_log(name: str) -> None:
    own_and_bases = (base.__name__ for base in EVENTS[name].__mro__)
    assert EVENTS[name].phrase or any(f"case events.{base}(" in TOLD for base in own_and_bases)


@pytest.mark.parametrize("name", [name for name, event in EVENTS.items() if issubclass(event, Correction)])
def test_every_correction_has_a_name_in_other_sentences(name: str) -> None:
    event = EVENTS[name]
    assert issubclass(event, Correction)
    assert name == "action-struck" or event.brief
