"""What people type about an attempt is put into a sentence only if its grammar is certain."""

import pytest

from projections.attempts import attempt, is_thing, question


@pytest.mark.parametrize(
    ("deed", "tried_to"),
    [
        ("climbs the wall", "climb the wall"),
        ("Climbs the wall.", "climb the wall"),
        ("swims", "swim"),
        ("carries Brak home", "carry Brak home"),
        ("catches it", "catch it"),
        ("to swim", "swim"),
        ("to swim and climb up the bank", "swim and climb up the bank"),
        ("tries to swim", "swim"),
        ("climb the wall", "climb the wall"),
        ("opens the door and looks at the river", "open the door and look at the river"),
        ("takes a sword and a shield", "take a sword and a shield"),
        ("talks his way past", "talk his way past"),
        ("traps the wolf", "trap the wolf"),
        ("climb", "climb"),
        ("conceal the rope", "conceal the rope"),
        ("pretends to be the doctor", "pretend to be the doctor"),
        ("carries Pip and Wren", "carry Pip and Wren"),
        ("climb up", "climb up"),
        ("swimming", "swim"),
        ("lying to the guard", "lie to the guard"),
        ("I climb the wall", "climb the wall"),
        ("see Mara climb", "see Mara climb"),
        ("jumps over the pit and runs", "jump over the pit and run"),
        ("keep watch", "keep watch"),
        ("land safely", "land safely"),
        ("brakes hard", "brake hard"),
        ("bakes the bread", "bake the bread"),
        ("parries the blow", "parry the blow"),
        ("douses a torch", "douse a torch"),
        ("smooches the frog", "smooch the frog"),
        ("always the same", None),
        ("across the river", None),
        ("rows to the island", "row to the island"),
        ("trying to find the trap", "find the trap"),
        ("shadows Mara", "shadow Mara"),
        ("guard Mara", "guard Mara"),
        ("sees who is there", "see who was there"),
        ("convinces the guard that he is the captain", "convince the guard that he was the captain"),
        ("hides, hoping that nobody looks or is there", None),
        ("hides, hoping that nobody is there", "hide, hoping that nobody was there"),
        ("hides, saying that Brak waits outside", "hide, saying that Brak would wait outside"),
        ("keep quiet while the lantern passes", "keep quiet while the lantern passes"),
        ("Climbs after him", "climb after him"),
        ("get up the slippery rocks before the tide", "get up the slippery rocks before the tide"),
        ("hides until the guard is gone", "hide until the guard was gone"),
        ("acts as if nothing happened", "act as if nothing happened"),
        ("waits, behind the door", "wait, behind the door"),
        ("hides, so that nobody can see him", "hide, so that nobody could see him"),
    ],
)
def test_a_deed_follows_tried_to_if_its_verbs_are_certain(deed: str, tried_to: str | None) -> None:
    assert attempt(deed) == tried_to


@pytest.mark.parametrize(
    "deed",
    [
        "",
        "I",
        "I draw my sword",
        "trap in the floor",
        "klettert über die Mauer",
        "游过河",
        "attempts it",
        "tries",
        "to",
        "to the wall",
        "steals maps and charts",
        "steals a map and",
        "traps in the floor",
        "shouts of joy",
        "climbs while Brak holds the rope and pulls",
        "climbs before I fall",
        "after the rain",
        "opens the door, quietly",
        "shadows mara",
        "waits, while Brak holds the rope",
        "waits, until Brak's friend arrives",
        "waits, saying Brak opens it",
        "climb check",
        "grabs the rope that hangs there",
        "recalls where we met",
        "the rope that hangs there",
    ],
)
def test_a_deed_in_any_other_form_stays_as_it_was_typed(deed: str) -> None:
    assert attempt(deed) is None


@pytest.mark.parametrize(
    ("deed", "asked"),
    [
        ("How long it takes.", "how long it would take"),
        ("whether the rope holds", "whether the rope would hold"),
        ("who falls asleep", "who would fall asleep"),
        ("how the lock works", "how the lock would work"),
        ("how many guards", "how many guards"),
        ("what the abbess wants", "what the abbess wanted"),
        ("whose coat it is", "whose coat it was"),
        ("what does he want", None),
        ("who opens the door?", None),
        ("why", None),
        ("the rope", None),
    ],
)
def test_a_deed_may_be_an_indirect_question(deed: str, asked: str | None) -> None:
    assert question(deed) == asked


@pytest.mark.parametrize(
    ("deed", "is_short_and_plain"),
    [("the beam", True), ("over the wall", True), ("Brak's beam", False), ("the beam that he saw", False)],
)
def test_a_deed_may_name_a_thing(deed: str, is_short_and_plain: bool) -> None:
    assert is_thing(deed) == is_short_and_plain
    assert not is_thing("the beam of the bridge over the river")
