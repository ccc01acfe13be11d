"""Changed scores in sentences."""

import pytest

from projections.score_changes import changes_in_words, paper_in_words


@pytest.mark.parametrize(
    ("amounts", "told"),
    [
        ({"free/gold": 20, "free/hp": -5}, ["Mara gained 20 gold and lost five hit points"]),
        (
            {"free/gold": 20, "free/keys": 2, "free/hp": -5},
            ["Mara gained 20 gold and two keys, and lost five hit points"],
        ),
        ({"free/xp": 1, "free/key": 1}, ["Mara gained one experience point and one key"]),
        ({"free/hp": 2, "free/gp": 2}, ["Mara gained two hit points and two gold pieces"]),
        ({"free/silver": 2, "free/copper": 3}, ["Mara gained two silver and three copper"]),
        ({"free/strength": 1, "free/wits": -2}, ["Mara's strength rose by one", "Mara's wits fell by two"]),
        ({"rollunder/skill.signs": 1}, ["Mara's signs skill rose by one"]),
        ({"edge/skill.stealth": 1}, ["Mara's stealth skill rose by one"]),
        ({"edge/edge": -1, "edge/damage.stun": 3}, ["Mara lost one point of edge", "Mara took three stun damage"]),
        ({"edge/injury.minor": -2}, ["Mara recovered from two minor injuries"]),
        ({"multicheck/harm.damage": 9}, ["Mara took nine damage"]),
        ({"free/bruises": 2, "free/slots": -1}, ["Mara used one slot", "Mara took two bruises"]),
        ({"edge/injury.minor": 1}, ["Mara suffered a minor injury"]),
        ({"syscards/item.spare-part": 2}, ["Mara gained two spare parts"]),
        (
            {"multicheck/condition.blind": 2, "coin/debt.bank": 2},
            ["Mara became blind", "Mara's debt bank rose by two"],
        ),
    ],
)
def test_gains_come_before_losses_and_other_verbs_have_a_sentence_of_their_own(
    amounts: dict[str, int], told: list[str]
) -> None:
    assert changes_in_words("Mara", amounts) == told


def test_things_that_are_gone_at_the_end_may_have_been_given_away() -> None:
    lost = {"free/gold": -2, "free/arrows": -2, "free/torch": -1, "free/candles": -3}
    assert changes_in_words("Mara", lost, now=lost) == [
        "Mara lost two gold",
        "Mara has two fewer arrows, one torch less and three fewer candles than before",
    ]


def test_a_score_that_rose_and_fell_is_compared_with_the_start() -> None:
    changes = {"free/gold": 5, "edge/edge": -2, "free/arrows": 1, "free/silver": -3}
    assert changes_in_words("Mara", changes, now=changes, compared=changes) == [
        "Mara has five gold more, one arrow more, two fewer points of edge and three silver less than before"
    ]


@pytest.mark.parametrize(
    "thing", ["arrow", "bolt", "bullet", "coin", "gem", "key", "lantern", "potion", "ration", "rope", "scroll"]
)
def test_a_thing_is_counted(thing: str) -> None:
    assert changes_in_words("Mara", {f"free/{thing}": 2}) == [f"Mara gained two {thing}s"]


@pytest.mark.parametrize(
    ("full", "paper", "told"),
    [
        ("free/gold", 32, "Mara's paper sheet has 32 gold, but the record has two."),
        ("free/gold", 2, "Mara has two gold on the paper sheet and in the record."),
        ("edge/maximum", 4, "Mara's maximum edge is four on the paper sheet, but two in the record."),
        ("edge/maximum", 2, "Mara's maximum edge is two on the paper sheet and in the record."),
    ],
)
def test_a_paper_sheet_is_compared_with_the_record(full: str, paper: int, told: str) -> None:
    assert paper_in_words("Mara", {full: paper}, {full: 2}) == told
