"""What an entry is called in a sentence: by what it says, or by its kind where nobody knows more."""

import json
from typing import Any

import pytest

from ledger.events.entry import Entry
from ledger.journal.book import Book
from paths import GOLDEN
from projections.phrases import describe_correction, tell


def entry_of(book: Book, body: dict[str, Any]) -> Entry:
    return book.journal.entry(1).replace(type=body["type"], raw=body)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("question-decided", "decision on #22"),
        ("limit-crossed", "mara's edge beyond its limits"),
        ("score-asserted", "mara's paper sheet"),
        ("roll-sealed", "sealed roll"),
        ("key-rotated", "new key"),
        ("policy-set", "policy"),
        ("policy-agreed", "agreement to the policy in #22"),
        ("history-forked", "fork"),
        ("words-erased", "erasure"),
    ],
)
def test_a_correction_is_named_in_a_few_words(book: Book, name: str, says: str) -> None:
    body = json.loads((GOLDEN / "events" / f"{name}.json").read_text(encoding="utf-8"))
    assert describe_correction(book, entry_of(book, body)) == says


def test_what_a_newer_program_wrote_is_told_by_its_kind(book: Book) -> None:
    assert tell(book, entry_of(book, {"type": "moon-risen", "postings": [], "marks": [], "phase": 3})) == "moon-risen"
