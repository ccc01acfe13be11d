"""Short names at the prompt: an additional short name works like the first, and so does a capital letter."""

from pathlib import Path

import pytest

from terminal import Type, command, typed_at_a_terminal


def test_a_second_short_name_or_a_capital_names_the_character(folder: Path, type_in: Type) -> None:
    typed = [
        ("Mara d20 = 7", "mara rolls d20"),
        ("iron d20 = 7", "mara rolls d20"),
        ("c dec iron = 7 3", "mara deception"),
        ("c dec Mara = 7 3", "mara deception"),
        ("iron c dec = 7 3", "mara deception"),
        ("-1 edge iron", "edge 4 → 3"),
        ("C dec mara = 7 3", "mara deception"),
        ("c Dec mara = 7 3", "mara deception"),
        ("Roll mara d20 = 7", "mara rolls d20"),
        ("Note The Bell", "note: The Bell"),
        ("--by Ana Note The Bell", "note: The Bell"),
        ("4dF @Mara = + + 0 -", "mara rolls 4dF"),
    ]
    assert type_in("rename mara --short iron").exit_code == 0
    assert type_in("set mara on.deception=cunning,strength --why x").exit_code == 0
    waits = ["> ", *(shows for _, shows in typed)]
    lines = [*(line for line, _ in typed), "quit"]
    screen = typed_at_a_terminal(
        command(folder / "road.campaign", "play"), [*zip(waits, lines, strict=True)], enter="\r"
    )
    assert screen.endswith("exit 0")


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("'Mara of the Hill' d20 = 7", "Mara of the Hill rolls d20"),
        ("Mara d20 = 7", "Mara of the Hill rolls d20"),
        ("Mara of the Hill d20 = 7", "Mara of the Hill rolls d20"),
        ("mara of the Hill c dec = 7 3", "Mara of the Hill deception"),
        ("c dec 'mara of the hill' = 7 3", "Mara of the Hill deception"),
        ("'Nobody at all' d20", "No such command 'nobody at all'."),
    ],
)
def test_a_full_name_names_the_character(folder: Path, type_in: Type, line: str, shows: str) -> None:
    assert type_in("rename mara 'Mara of the Hill'").exit_code == 0
    assert type_in("set mara on.deception=cunning,strength --why x").exit_code == 0
    assert shows in type_in("play", input=line).output
