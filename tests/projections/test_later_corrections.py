"""Corrections in the recap: new results of earlier sessions, and decisions on disputes."""

from pathlib import Path

import pytest

from laid import laid_out
from terminal import Type, head, rows

CHECK = "edge check mara --skill 11 --faces 7,6 --for"
FIRST = (
    "session open One",
    f"{CHECK} swims",
    "note 'it rains'",
    "adjust mara injury.minor=+1 --why x",
    "session close",
)
CHECKED = 10
"""The entry of the check in `FIRST`."""


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    """A table at the start of the second session."""
    laid_out(folder, *FIRST, "session open Two", "edge rest mara short")
    return type_in


def told(type_in: Type, *lines: str, part: str = "corrections") -> list[str]:
    """Type lines; return these sentences of the recap."""
    for line in lines:
        done = type_in(line)
        assert done.exit_code == 0, (line, done.output)
    (facts,) = rows(type_in("recap --json").stdout)
    sentences: list[str] = facts[part]
    return sentences


SWAM = "Mara tried to swim and narrowly succeeded."


def test_an_amended_result_of_an_earlier_session_is_told_with_the_old_one(table: Type) -> None:
    amended = (
        "A correction to session 1: Mara tried to swim, but failed badly."
        " Before the correction, the record said: Mara narrowly succeeded."
    )
    assert told(table, f"amend {CHECKED} --target 30 --why x --yes") == [amended]
    assert f"    {amended}\n" in table("recap").stdout
    assert told(table, "undo --yes") == []
    assert told(table, "redo") == [amended]


def test_another_act_is_told_whole(table: Type) -> None:
    assert told(table, f"amend {CHECKED} --for dives --why x --yes") == [
        f"A correction to session 1: Mara tried to dive and narrowly succeeded. Before the correction, the record said: {SWAM}"
    ]


def test_a_voided_result_no_longer_counts_and_may_count_again(table: Type, folder: Path) -> None:
    voided = f"void {CHECKED} --why x --yes"
    assert told(table, voided) == [f"This event of session 1 no longer counts: {SWAM}"]
    voids = head(folder)
    assert told(table, "session close", "session open Three", "edge rest mara short") == []
    assert told(table, f"void {voids} --why x --yes") == [f"This event of session 1 counts again: {SWAM}"]


def test_an_override_of_an_earlier_session_is_told(table: Type) -> None:
    assert told(table, f"override {CHECKED} 'she sinks' --bad --why x --yes") == [
        f"A correction to session 1: Mara tried to swim. The GM ruled it a failure: she sank. Before the correction, the record said: {SWAM}"
    ]
    assert told(table, "undo --yes") == []


def test_a_correction_of_this_session_or_of_nothing_in_the_story_is_not_told(table: Type, folder: Path) -> None:
    assert told(table, f"{CHECK} dives", f"void {head(folder) + 2} --why x --yes") == []
    assert told(table, "void 7 --why x --yes") == []


def test_a_change_of_the_turn_order_is_not_told(folder: Path, type_in: Type) -> None:
    laid_out(folder, "session open One", "turns add mara 12", "session close", "session open Two")
    assert told(type_in, "edge rest mara short", "void 9 --why x --yes") == []


def test_many_canceled_events_are_counted(folder: Path, type_in: Type) -> None:
    notes = [f"note 'the bell rings {often}'" for often in "abcd"]
    laid_out(folder, "session open One", *notes, "session close", "session open Two", "edge rest mara short")
    assert told(type_in, "void 9-11 --why x --yes") == [
        f"This event of session 1 no longer counts: “The bell rings {which}.”" for which in "abc"
    ]
    assert told(type_in, "void 12 --why x --yes") == ["Four events of session 1 no longer count."]


def test_a_decision_on_a_dispute_is_told_with_the_result(table: Type, folder: Path) -> None:
    dispute = f"dispute {CHECKED} --player Ana --claim 'too dark'"
    told(table, dispute)
    asked = head(folder)
    assert told(table, f"decide {asked} keep --why x") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” The GM kept the result."
    ]


def test_a_decision_is_told_with_its_reason(table: Type) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    assert told(table, "decide keep --why 'the moon was full'") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” The GM kept the result, because the moon was full."
    ]


@pytest.mark.parametrize(
    ("decision", "why", "told_at_end"),
    [
        ("keep", "the mud", "The GM kept the result because of the mud."),
        ("keep", "we counted again", "The GM kept the result and said: “we counted again.”"),
        (
            "amend --faces 1,2",
            "we counted again",
            "After a correction, the attempt failed badly. The GM said: “we counted again.”",
        ),
        ("amend --faces 1,2", "the mud", "After a correction, the attempt failed badly, because of the mud."),
    ],
)
def test_a_reason_of_a_decision_is_joined_or_quoted(table: Type, decision: str, why: str, told_at_end: str) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    (sentences,) = told(table, f"decide {decision} --why '{why}' --yes")
    assert sentences.endswith(f" Ana objected to this: “too dark.” {told_at_end}")


def test_a_result_that_changed_after_a_dispute_in_the_same_session_was_so_at_first(table: Type) -> None:
    lines = (f"{CHECK} hides", "dispute last --player Ana --claim 'too dark'")
    assert told(table, *lines, "decide amend --faces 1,2 --why x --yes") == [
        "At first, Mara tried to hide and narrowly succeeded. Ana objected to this: “too dark.”"
        " After a correction, the attempt failed badly."
    ]


@pytest.mark.parametrize(("who", "name"), [("guard", "the guard"), ("wolf-2", "wolf 2"), ("lyra", "Lyra")])
def test_only_a_name_keeps_its_capital_letter_after_the_session(
    folder: Path, type_in: Type, who: str, name: str
) -> None:
    laid_out(folder, "session open One", f"npc {who}", f"roll {who} d6 --faces 5 --for 'the gate'")
    rolled = head(folder)
    told(
        type_in,
        "session close",
        "session open Two",
        "edge rest mara short",
        f"dispute {rolled} --player Ana --claim 'too dark'",
    )
    assert told(type_in, "decide keep --why x") == [
        f"In session 1, {name} rolled 5 for the gate. Ana objected to this: “too dark.” The GM kept the result."
    ]


def test_a_correction_that_changes_no_sentence_does_not_let_the_disputed_result_stand(table: Type) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    assert told(table, "decide amend --target 21 --why x --yes") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” The GM corrected the details."
    ]


def test_a_dispute_about_an_entry_without_a_sentence_names_the_player(table: Type, folder: Path) -> None:
    told(table, "set mara care=yes --why tired", f"dispute {head(folder) + 1} --player Ana --claim 'not tired'")
    assert told(table, "decide keep --why x") == ["Ana objected: “not tired.” The GM kept the result."]


def test_a_corrected_adjustment_is_told(table: Type, folder: Path) -> None:
    told(table, "adjust mara edge=-1 --why 'a bargain'")
    adjusted = head(folder)
    told(table, "session close", "session open Three", "edge rest mara short")
    assert told(table, f"void {adjusted} --why x --yes") == [
        "This event of session 2 no longer counts: Mara spent one point of edge on a bargain."
    ]


def test_a_decision_on_a_paper_sheet_is_not_told(table: Type, folder: Path) -> None:
    told(table, "assert mara edge=1")
    assert told(table, f"decide {head(folder)} keep --why x") == []


def test_a_dispute_that_was_settled_with_a_correction_tells_the_new_result(table: Type, folder: Path) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    asked, disputed = head(folder), f"In session 1, {SWAM} Ana objected to this: “too dark.”"
    assert told(table, f"amend {CHECKED} --target 30 --why x --yes", part="open") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” After a correction, the attempt failed badly."
        " This is not decided yet."
    ]
    assert told(table, f"decide {asked} keep --why x") == [f"{disputed} After a correction, the attempt failed badly."]


@pytest.mark.parametrize(
    ("why", "told_at_end"),
    [
        ("x", "The GM canceled the roll."),
        ("the mud", "The GM canceled the roll because of the mud."),
        ("half and half", "The GM canceled the roll and said: “half and half.”"),
    ],
)
def test_a_dispute_that_was_settled_by_voiding_says_that_the_gm_canceled_the_roll(
    table: Type, folder: Path, why: str, told_at_end: str
) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    assert told(table, f"decide {head(folder)} void --why '{why}' --yes") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” {told_at_end}"
    ]


def test_a_disputed_event_without_a_roll_was_canceled(table: Type) -> None:
    told(table, "adjust mara edge=-1 --why 'a bargain'", "dispute last --player Ana --claim 'no bargain'")
    (sentences,) = told(table, "decide void --why x --yes")
    assert sentences.endswith("Ana objected to this: “no bargain.” The GM canceled this.")


def test_a_disputed_result_that_was_canceled_before_the_decision_no_longer_counts(table: Type, folder: Path) -> None:
    told(table, f"dispute {CHECKED} --player Ana --claim 'too dark'")
    assert told(table, f"void {CHECKED} --why x --yes", part="open") == [
        f"In session 1, {SWAM} Ana objected to this: “too dark.” This no longer counts. This is not decided yet."
    ]


def test_an_objection_to_an_amended_result_is_told_with_the_result(table: Type) -> None:
    lines = (f"amend {CHECKED} --for dives --why x --yes", "dispute last --player Ana --claim 'too dark'")
    assert told(table, *lines, "decide last keep --why x") == [
        "Mara tried to dive and narrowly succeeded. Ana objected to this: “too dark.” The GM kept the result."
    ]


def test_a_ruling_after_the_decision_on_a_dispute_is_told_last(table: Type, folder: Path) -> None:
    check = f"{CHECK} swims"
    table(check)
    act = head(folder)
    table("dispute last --claim 'too dark' --player Ana")
    table("decide keep --why 'the moon is up'")
    assert told(table, f"override {act} 'she sinks' --bad --why x --yes") == [
        f"At first, {SWAM} Ana objected to this: “too dark.” The GM kept the result, because the moon was up."
        " Later, the GM ruled it a failure for Mara: she sank."
    ]


def test_another_act_after_a_decision_is_told_whole_with_the_reason(table: Type) -> None:
    table(f"{CHECK} swims")
    table("dispute last --claim 'too dark' --player Ana")
    assert told(table, "decide amend --for dives --why 'the mud' --yes") == [
        f"At first, {SWAM} Ana objected to this: “too dark.”"
        " After a correction: Mara tried to dive and narrowly succeeded. This was because of the mud."
    ]
