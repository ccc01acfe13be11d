"""A typed deed names its target if people type only a pronoun or nothing."""

import pytest

from projections.targets import with_target, with_task_thing, without_target


@pytest.mark.parametrize(
    ("deed", "target", "told"),
    [
        ("hits him with the boathook", "the captain", "hits the captain with the boathook"),
        ("grabs her", "Lena", "grabs Lena"),
        ("pushes her off the roof!", "Lena", "pushes Lena off the roof"),
        ("slashes back", "Oskar", "slashes back at Oskar"),
        ("Swings wildly.", "guard 2", "Swings wildly at guard 2"),
        ("attack", "guard 2", "attack guard 2"),
        ("tackling", "guard 2", "tackling guard 2"),
        ("goes for his throat", "the captain", "goes for the captain's throat"),
        ("swings her axe", "guard 2", "swings her axe"),
        ("cuts the strap of his satchel", "the captain", "cuts the strap of the captain's satchel"),
        ("snatches her key", "Lena", "snatches Lena's key"),
        ("cut his way out", "the captain", "cut his way out"),
        ("swings at the guard", "guard 2", "swings at the guard"),
        ("hides", "guard 2", "hides"),
        ("hits him", "", "hits him"),
        ("!", "Lena", "!"),
        ("klettert", "Lena", "klettert"),
    ],
)
def test_a_pronoun_or_a_missing_object_becomes_the_target(deed: str, target: str, told: str) -> None:
    assert with_target(deed, target) == told


@pytest.mark.parametrize(
    ("deed", "task", "told"),
    [
        ("break it down", "door", "break the door down"),
        ("Forces it", "door", "Forces the door"),
        ("hopes it holds", "haggle", "hopes it holds"),
        ("climbs over", "door", "climbs over"),
    ],
)
def test_a_task_that_is_a_thing_tells_what_it_is(deed: str, task: str, told: str) -> None:
    assert with_task_thing(deed, task) == told


@pytest.mark.parametrize(
    ("doing", "target", "told"),
    [
        ("swinging at the guard", "guard 1", ""),
        ("stabbing Lena", "Lena", ""),
        ("shooting from behind the willow", "Lena", "shooting from behind the willow"),
        ("jumping at guard 1", "guard 1", "jumping"),
        ("aiming for the captain's eye", "the captain", "aiming for the eye"),
    ],
)
def test_the_target_of_an_attack_is_named_once(doing: str, target: str, told: str) -> None:
    assert without_target(doing, target) == told
