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
    assert f"which takes effect from #{first}" in shown, shown
