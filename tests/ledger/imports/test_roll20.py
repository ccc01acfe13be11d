"""Roll20's chat page: each roll once, with the dice that the page shows, and whispers are private."""

import sys
from random import Random
from time import process_time
from typing import Any

import pytest

from ledger.errors import BadInput
from ledger.imports import roll20
from ledger.imports.log_records import ClaimedRoll
from ledger.imports.roll20 import Roll20Reader
from logs import records, roll20_id, roll20_inline, roll20_message, roll20_page, roll20_roll, rolls

READER = Roll20Reader()
TWO = roll20_roll("rolling 2d6+1", "7", ("d6", "4"), ("d6", "2"))
SNEAK = roll20_inline("2d20kh1 + 3[DEX]", "17", ("", "14"), ("dropped", "6"))


def one(content: str, kind: str = "rollresult", **more: Any) -> ClaimedRoll:
    (found,) = rolls(records(READER, roll20_page(roll20_message(content, kind, **more))))
    return found


def faces(found: ClaimedRoll) -> list[tuple[int, int, str | None]]:
    return [(die.sides, die.face, die.dropped) for die in found.dice]


def test_a_page_is_recognized_by_its_start() -> None:
    assert READER.recognizes(roll20_page().encode())
    assert READER.recognizes(b'\xef\xbb\xbf <html lang="en">')
    assert READER.recognizes(roll20_message().encode())
    assert not READER.recognizes(b'{"html": 1}')


def test_a_roll_has_the_time_of_its_id_and_the_dice_that_the_page_shows() -> None:
    found = one(TWO, by="Nessa Quill")
    assert (found.id, found.claimed_at, found.exact) == (
        f"roll20:{roll20_id(0)}:0",
        "2025-03-07T19:42:11.518Z",
        "ms",
    )
    assert (found.speaker, found.user, found.seen) == ("Nessa Quill", "-OAbCdEfGhIjKlMnOpQr", "all")
    assert (found.formula, found.total, found.comes_to, found.natural) == ("2d6+1", "7", "7", True)
    assert faces(found) == [(6, 4, None), (6, 2, None)]


@pytest.mark.parametrize("attribute", ["title", "original-title"])
def test_a_result_inside_a_message_has_its_dice_in_the_explanation(attribute: str) -> None:
    inline = roll20_inline("2d20kh1 + 3[DEX]", "17", ("", "14"), ("dropped", "6"), attribute=attribute)
    found = one(f"Sneaks: {inline}", "general")
    assert (found.formula, found.total, found.comes_to, found.what) == ("2d20kh1 + 3[DEX]", "17", "17", "")
    assert faces(found) == [(20, 14, None), (20, 6, "kh1")]


def test_several_results_in_a_message_are_several_rolls_and_plain_numbers_are_none() -> None:
    plain = '<span class="inlinerollresult" title="Rolling 3 = 3">3</span><span class="inlinerollresult">5</span>'
    found = rolls(records(READER, roll20_page(roll20_message(SNEAK + plain + SNEAK))))
    assert [roll.id[-2:] for roll in found] == [":0", ":1"]


def test_several_messages_are_read_also_over_the_ends_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    page = roll20_page(*(roll20_message(TWO, "rollresult", identity=roll20_id(number)) for number in range(5)))
    monkeypatch.setattr(roll20, "CHUNK_BYTES", 7)
    assert [record.place for record in records(READER, page)] == [f"message {number}" for number in range(1, 6)]


@pytest.mark.parametrize(
    "tag",
    [
        '<div data-messageid="{}" data-playerid="-OAb" class="message rollresult">',
        "<div class='you rollresult message' data-messageid=\"{}\">",
        '<div\n  data-messageid="{}"\n  class="message\n  rollresult">',
    ],
)
def test_the_attributes_of_a_message_may_come_in_any_order(tag: str) -> None:
    page = roll20_page(roll20_message(TWO, identity=roll20_id(0)), f"{tag.format(roll20_id(1))}{TWO}</div>")
    assert [roll.id for roll in rolls(records(READER, page))] == [f"roll20:{roll20_id(n)}:0" for n in (0, 1)]


def test_a_part_of_the_page_with_two_ids_is_wrong_so_that_no_message_is_lost_silently() -> None:
    unseen = f'<div title=">" class="message" data-messageid="{roll20_id(1)}">{TWO}</div>'
    (record,) = records(READER, roll20_page(roll20_message(TWO), unseen))
    assert record.wrong == "it has the ids of several messages"


def test_a_text_about_ids_is_only_text() -> None:
    assert one(f"data-messageid {TWO}").total == "7"


# Who


def speakers(*messages: tuple[str, str, str]) -> list[str]:
    page = roll20_page(
        *(
            roll20_message(SNEAK + content, kind, by=by, identity=roll20_id(number))
            for number, (kind, by, content) in enumerate(messages)
        )
    )
    return [roll.speaker for roll in rolls(records(READER, page))]


def test_a_part_of_the_page_that_looks_like_a_message_but_has_no_id_is_left_out() -> None:
    page = roll20_page(
        roll20_message(roll20_roll("rolling 1d6", "3", ("d6", "3"))), '<div class="message desc">x</div>'
    )
    assert [record.place for record in records(Roll20Reader(), page)] == ["message 1"]


def test_a_message_of_a_run_has_the_speaker_of_the_one_before() -> None:
    run = [("general", "Nessa", ""), ("general", "", ""), ("rollresult", "", ""), ("rollresult", "Orrin", "")]
    assert speakers(*run) == ["Nessa", "Nessa", "Nessa", "Orrin"]


@pytest.mark.parametrize("kind", ["rollresult private", "general whisper"])
def test_a_private_message_does_not_tell_who_speaks_next(kind: str) -> None:
    assert speakers((kind, "Nessa", ""), ("general", "", "")) == ["Nessa", ""]


@pytest.mark.parametrize("kind", ["emote", "desc", "private whisper"])
def test_other_messages_have_no_speaker_and_end_the_run(kind: str) -> None:
    assert speakers(("general", "Nessa", ""), (kind, "", ""), ("general", "", "")) == ["Nessa", "", ""]


def test_a_whisper_is_the_same_roll_in_the_pages_of_its_sender_and_its_receiver() -> None:
    sent, received = (one(TWO, "rollresult private whisper", by=by) for by in ("(To Ana)", "(From Tom)"))
    assert sent == received
    assert sent.speaker == ""


# Secrets


@pytest.mark.parametrize(
    ("kind", "seen"),
    [("rollresult", "all"), ("rollresult private", "whisper"), ("general whisper", "whisper"), ("general you", "all")],
)
def test_a_private_message_has_private_rolls(kind: str, seen: str) -> None:
    assert one(TWO, kind).seen == seen


def test_a_roll_to_the_gm_is_private() -> None:
    found = one(roll20_roll("(To GM)rolling 1d20", "8", ("d20", "8")))
    assert (found.seen, found.formula) == ("gm", "1d20")


# Dice


def test_exploded_dice_are_all_natural() -> None:
    found = one(roll20_roll("rolling 2d6!", "13", ("d6", "6"), ("d6", "4"), ("d6", "3")))
    assert (faces(found), found.comes_to) == ([(6, 6, None), (6, 4, None), (6, 3, None)], "13")


def test_dropped_dice_that_the_formula_does_not_tell_keep_the_word_of_the_page() -> None:
    found = one(roll20_roll("rolling 2d20k1", "14", ("d20", "14"), ("d20 dropped", "6")))
    assert (faces(found), found.comes_to) == ([(20, 14, None), (20, 6, "dropped")], None)
    assert (found.formula, found.what) == ("", "2d20k1")


NOT_NATURAL = {
    "2dF": (("d6", "+"), ("d6", "")),
    "3d6!!": (("d6", "11"), ("d6", "4"), ("d6", "2")),
    "2d8!p": (("d8", "8"), ("d8", "0"), ("d8", "3")),
    "1d6": (("d6", "7"),),
}


@pytest.mark.parametrize("formula", NOT_NATURAL)
def test_faces_that_are_not_natural_are_only_text(formula: str) -> None:
    found = one(roll20_roll(f"rolling {formula}", "5", *NOT_NATURAL[formula]))
    shown = " ".join(face or "0" for _, face in NOT_NATURAL[formula])
    assert (found.dice, found.natural, found.total, found.comes_to) == ((), False, "5", None)
    assert found.what == f"[{shown}]"


def test_a_division_is_not_worked_out_because_it_is_not_rounded_there() -> None:
    found = one(roll20_roll("rolling 1d6/2", "1.5", ("d6", "3")))
    assert (found.total, found.comes_to, faces(found)) == ("1.5", None, [(6, 3, None)])


def test_the_dice_of_an_explanation_have_the_sides_of_its_formula() -> None:
    mixed = one(roll20_inline("1d20+2d4+5[d3 of Ana]?", "12", ("", "3"), ("", "1"), ("", "3")), "general")
    assert [sides for sides, _, _ in faces(mixed)] == [20, 4, 4]
    exploded = one(roll20_inline("1d6!>5 + @{x}", "9", ("", "5"), ("", "4")), "general")
    assert [sides for sides, _, _ in faces(exploded)] == [6, 6]
    unknown = one(roll20_inline("1d6!>5 + 1d4", "9", ("", "5"), ("", "3"), ("", "1")), "general")
    assert (faces(unknown), unknown.what) == ([], "1d6!>5 + 1d4 [5 3 1]")


def test_a_formula_with_many_open_brackets_takes_little_time() -> None:
    before = process_time()
    assert one(roll20_inline("[" * 200_000, "3", ("", "3")), "general").total == "3"
    assert process_time() - before < 2


def test_a_rollable_table_is_no_roll() -> None:
    assert rolls(records(READER, roll20_page(roll20_message(roll20_roll("rolling 1t[loot]", "", ("", "")))))) == []


def test_a_missing_total_stays_missing_and_a_total_in_words_is_kept_as_words() -> None:
    assert one(roll20_roll("rolling 1d6", "", ("d6", "3"))).total is None
    found = one(roll20_roll("rolling 1d6", "many", ("d6", "3")))
    assert (found.total, found.what) == (None, "many")


def test_what_a_page_shows_is_read_back() -> None:
    random, messages, expected = Random(43), [], []  # noqa: S311  no secret
    for number in range(300):
        sides = random.choice((4, 6, 8, 20, 100))
        thrown = [random.randint(1, sides) for _ in range(random.randint(1, 4))]
        keeps = f"kh{random.randint(1, len(thrown))}"
        kept = sum(sorted(thrown)[-int(keeps[2:]) :])
        content = f"{len(thrown)}d{sides}{keeps}+2"
        dice = [(f"d{sides}", str(face)) for face in thrown]
        is_inline = random.random() < 0.5
        shown = (
            roll20_inline(content, str(kept + 2), *dice)
            if is_inline
            else roll20_roll(f"rolling {content}", str(kept + 2), *dice)
        )
        messages.append(roll20_message(shown, identity=roll20_id(number)))
        expected.append((content, thrown, str(kept + 2)))
    found = rolls(records(READER, roll20_page(*messages)))
    assert [(roll.formula, [die.face for die in roll.dice], roll.total) for roll in found] == expected
    assert all(roll.total == roll.comes_to for roll in found)


# Pages that cannot be read


def test_a_message_without_a_valid_id_is_wrong() -> None:
    (record,) = records(READER, roll20_page(roll20_message(TWO, identity="x")))
    assert record.wrong == "it has no valid id"


def test_a_message_that_is_cut_off_or_has_too_many_tags_is_wrong() -> None:
    page = roll20_page(
        roll20_message("<i>" * 10_001), roll20_message(SNEAK, by="Nessa"), roll20_message("").rstrip()[:30]
    )
    assert [record.wrong for record in records(READER, page + 'data-messageid="')] == [
        "it has more than 10,000 HTML tags", "", "it has no valid id",
    ]  # fmt: skip


@pytest.mark.parametrize("page", ["<html><body><div class='message'>x</div></body></html>", "<html></html>"])
def test_a_page_without_messages_is_refused_with_what_to_save(page: str) -> None:
    with pytest.raises(BadInput) as refused:
        records(READER, page)
    assert refused.value.sentence == "The page has no chat messages of Roll20."
    assert "Show on One Page" in str(refused.value.hint)


def test_a_page_in_another_encoding_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        records(READER, roll20_page(roll20_message("é")).encode("latin-1"))
    assert refused.value.sentence == "The file is not text in the UTF-8 format (HTML)."


def test_a_message_that_never_ends_is_refused_and_a_long_start_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll20, "LARGEST_RECORD", 1000)
    monkeypatch.setattr(roll20, "CHUNK_BYTES", 100)
    assert len(records(READER, "x" * 5000 + roll20_page(roll20_message(TWO)))) == 1
    with pytest.raises(BadInput) as refused:
        records(READER, roll20_page(roll20_message("x" * 5000)))
    assert refused.value.sentence == "Message 1 of the page is longer than 1,000 characters."


def test_without_its_library_a_page_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(BadInput) as refused:
        records(READER, roll20_page(roll20_message(TWO)))
    assert "selectolax, which is not installed here" in refused.value.sentence
    assert "pip install" in str(refused.value.hint)


KINDS = {
    "emote": roll20_message("rolls his eyes", "emote"),
    "no-roll": roll20_message("rolls his eyes"),
    "table": roll20_message(roll20_roll("rolling 1t[loot]", "", ("", "")), "rollresult"),
    "": roll20_message(TWO, "rollresult"),
}


def test_a_message_without_rolls_is_counted_by_its_kind() -> None:
    found = records(READER, roll20_page(*KINDS.values(), roll20_message("hello", "emote"), roll20_message("hello")))
    assert [record.left_out for record in found] == [*KINDS, "emote", "no-roll"]
