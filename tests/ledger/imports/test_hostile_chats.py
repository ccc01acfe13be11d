"""Chats and tables with wrong bytes: each is read or refused in one sentence, soon and with little memory."""

from io import BytesIO
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage

import pytest

from guided import changed, limited
from ledger.errors import BadInput
from ledger.imports.avrae_text import printed_rolls
from ledger.imports.beyond import BeyondReader
from ledger.imports.csv_rows import CsvReader
from ledger.imports.discord import DiscordReader
from ledger.imports.log_records import (
    LONGEST_ID,
    LONGEST_NUMBER,
    MOST_DICE,
    ClaimedRoll,
    LogRecord,
    Reader,
    ReadingOptions,
)
from ledger.imports.roll20 import Roll20Reader
from ledger.rules.inputs import LONGEST_TEXT, UNPRINTABLE
from logs import discord_export, discord_message, roll20_inline, roll20_message, roll20_page
from planted import planted

CASES = 10_000
MOST_MEGABYTES = 100
READERS: dict[Reader, tuple[str, ...]] = {
    BeyondReader(): ("beyond.json",),
    CsvReader(): ("rolls.csv",),
    DiscordReader(): ("direct.json", "spoiler.json"),
    Roll20Reader(): ("whisper.html", "gm.html"),
}


def check(record: LogRecord) -> None:
    """A record is wrong in one line, or has rolls that can be stored."""
    assert "\n" not in record.wrong + record.note
    for roll in record.rolls:
        assert len(roll.id) <= LONGEST_ID
        assert len(roll.dice) <= MOST_DICE
        assert max(len(each or "") for each in (roll.total, roll.comes_to)) <= LONGEST_NUMBER + 1
        for text in (roll.user, roll.speaker, roll.what):
            assert UNPRINTABLE.isdisjoint(text)
            assert len(text.encode()) <= 4 * LONGEST_TEXT


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.form)
def test_wrong_bytes_are_read_or_refused_in_one_sentence(reader: Reader, tmp_path: Path) -> None:
    seeds = [path.read_bytes() for path in planted(tmp_path) if path.name in READERS[reader]]
    random, before = Random(43), getrusage(RUSAGE_SELF).ru_maxrss  # noqa: S311  not for secrets
    refusals, rolls, wrong = set[str](), list[ClaimedRoll](), set[str]()
    for _ in range(CASES):
        data = changed(random.choice(seeds), random, seeds)
        reader.recognizes(data)
        try:
            with limited():
                for record in reader.records(BytesIO(data), ReadingOptions()):
                    check(record)
                    rolls += record.rolls
                    wrong.add(record.wrong)
        except BadInput as refused:
            refusals.add(refused.sentence)
    assert all("\n" not in sentence and len(sentence) < 200 for sentence in refusals)
    assert len(rolls) > CASES / 2
    assert min(len(refusals), len(wrong)) > 1
    assert getrusage(RUSAGE_SELF).ru_maxrss - before < MOST_MEGABYTES * 1024


LONG = {
    "parentheses": "(" * 9000 + "1d6 (3)" + ")" * 9000,
    "signs": "-" * 15_000 + "1d6 (3)",
    "sums": "1 + " * 3000 + "1d6 (3)",
    "products": "9999 * " * 2000 + "1d6 (3)",
    "strikes": "~~" * 5000 + "1d6 (3)",
    "starts": "1d6 ((((1 " * 1000 + "1d6 (3)",
    "large products": "1d6 (3)" + f" * {'9' * 40}" * 120,
    "faces": f"1d6 ({'3, ' * 400}3)",
}


@pytest.mark.parametrize("kind", LONG)
def test_a_long_text_is_read_soon(kind: str) -> None:
    with limited():
        for label, total, roll in printed_rolls(f"{LONG[kind]} = `7`"):
            assert (label, total) == ("", "7")
            assert len(roll.comes_to or "") <= LONGEST_NUMBER + 1


@pytest.mark.parametrize(
    "inside", ["<div>" * 9_000, "<div>" * 100_000, '<b title="' * 10_000, "&lt;" * 100_000, "<!--", "<script>"]
)
def test_a_page_with_much_or_open_html_is_read_soon(inside: str) -> None:
    last = roll20_message(roll20_inline("1d6", "3", ("", "3")))
    with limited():
        for record in Roll20Reader().records(
            BytesIO(roll20_page(roll20_message(inside), last).encode()), ReadingOptions()
        ):
            check(record)


def test_a_message_with_many_rolls_is_read_soon() -> None:
    text = "\n".join("1d6 (3) = `3`" for _ in range(900))
    (record,) = DiscordReader().records(BytesIO(discord_export(discord_message(text)).encode()), ReadingOptions())
    assert len(record.rolls) == 900
