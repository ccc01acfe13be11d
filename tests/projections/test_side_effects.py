"""What a correction does besides."""

from pathlib import Path

from terminal import Type, head


def test_a_rewind_keeps_what_a_cascade_amended_before_its_point(folder: Path, type_in: Type) -> None:
    assert type_in("adjust mara strength=+2 --why x").exit_code == 0
    first = head(folder)
    for words in (
        "edge damage mara --weapon 1 --melee --faces 3",
        f"amend {first} strength=+3 --cascade --why z --yes",
    ):
        done = type_in(words)
        assert done.exit_code == 0, done.output
    shown = type_in(f"rewind --to {first} --yes").stdout
    assert f"(in effect from #{first} on)" in shown, shown


def test_the_preview_of_a_rewind_lists_what_it_leaves_alone(folder: Path, type_in: Type) -> None:
    first = head(folder)
    for words in ("join sam edge", "adjust mara edge=-1 --why x", "note 'hello'", "note 'no'"):
        assert type_in(words).exit_code == 0, words
    assert type_in(f"void {first + 4} --why x --yes").exit_code == 0
    shown = type_in(f"rewind --to {first} --dry-run").stdout
    lines = [text.strip() for text in shown.splitlines() if text.strip().startswith("A rewind")]
    says = f"#{first + 1} (sam joins edge), #{first + 3} (note: hello)."
    assert lines == [f"A rewind does not cancel these entries: {says}"], shown


def test_a_rewind_past_many_notes_counts_what_it_does_not_list(folder: Path, type_in: Type) -> None:
    first = head(folder)
    for number in range(13):
        assert type_in(f"note {number}").exit_code == 0
    assert type_in("roll mara d20 --faces 3").exit_code == 0
    shown = type_in(f"rewind --to {first} --dry-run").stdout
    assert "(note: 11) and 1 more." in shown, shown


def test_a_day_that_is_voided_is_named_in_the_question_about_the_next_one(folder: Path, type_in: Type) -> None:
    type_in("join mara byzantine energy=30")
    first = head(folder) + 1
    for words in ("day next", "day next", f"void {first} --why x --yes"):
        done = type_in(words)
        assert done.exit_code == 0, done.output
    assert "used the table's day (then 2; now 1)" in type_in("questions").stdout
