"""The sentences of the recap, the chronicle and the replay: each game words its own moves and verdicts."""

import json
import re
from pathlib import Path

import pytest

from laid import laid_out
from ledger.journal.book import Book
from paths import GOLDEN
from projections import log
from projections.clauses import Clause, story
from projections.move_words import outcome_as_noun, task_in_words
from projections.questions import SHEET_QUESTION_TYPE, OpenQuestion
from projections.telling import clauses
from terminal import Type, head

SHEETS = (
    "adjust mara skill.stealth=+3 attribute.agility=+2 attribute.wits=+1",
    "set mara on.stealth=agility,wits weapon.pistol=2d6+4 armor.vest=15/30",
    "join mara rollunder characteristic.cunning=9 skill.riding=3",
    "set mara on.riding=cunning",
    "join mara multicheck attribute.body=40 attribute.luck=30 save.toughness=3 recovery=2 condition.fear=5",
    "join mara byzantine general=20 energy=20 ability.guile=3 output.alms=5",
    "join brak byzantine energy=9 general=9",
    "byzantine task wall --costs 5",
    "join mara syscards efficiency=40 core-points=20",
    "join brak syscards efficiency=40 core-points=20",
    "join mara free hp=5/9 gold=12 slots=2",
    "join brak free gold=5",
    "set mara roll.axe-damage=d12 roll.climb=d20 refill=hp",
    "session open 'The ford' --present Ana",
)


@pytest.fixture
def table(folder: Path, type_in: Type) -> Type:
    laid_out(folder, *SHEETS)
    return type_in


def last(type_in: Type, line: str) -> str:
    """Type a line; return the sentences of its last action in the chronicle."""
    done = type_in(line)
    assert done.exit_code == 0, done.output
    return type_in("chronicle").stdout.splitlines()[-1].strip().rpartition("  #")[0]


def test_a_sentence_that_starts_with_a_character_of_a_kind_has_a_capital_letter(table: Type) -> None:
    for line in ("npc spy-2", "join spy-2 byzantine general=9"):
        assert table(line).exit_code == 0, line
    told = last(table, "byzantine attack spy-2 brak --energy 9 --take 2")
    assert told == "Spy 2 attacked Brak and took two energy."


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (
            "smashes him into the bookcase",
            "Mara attacked Brak with the pistol, trying to smash him into the bookcase, and missed.",
        ),
        ("drives her back", "Mara attacked Brak with the pistol, trying to drive her back, and missed."),
        ("shouts him down", "Mara attacked Brak with the pistol, trying to shout him down, and missed."),
        ("shoots from the roof", "Mara attacked Brak with the pistol, shooting from the roof, and missed."),
    ],
)
def test_the_aim_of_an_attack_is_not_told_as_a_fact(table: Type, deed: str, told: str) -> None:
    table(f"edge attack mara pistol brak --skill 5 --faces 2,3 --for '{deed}'")
    assert told in recap(table)


def test_a_hope_about_others_is_not_told_as_a_fact(table: Type) -> None:
    told = last(table, "edge check mara stealth --faces 1,2 --for 'nobody checks the flour'")
    assert told == "Mara made a stealth roll (“nobody checks the flour”) and failed completely."


def test_a_full_name_with_a_title_is_not_shortened_to_the_title(table: Type) -> None:
    for line in ("npc captain --name 'Captain Grell'", "join captain free", "note x", "roll captain d20 --faces 1"):
        assert table(line).exit_code == 0
    table("leave captain --why 'hanged himself'")
    assert "Captain Grell hanged himself." in recap(table)


def test_a_question_about_a_total_is_asked_as_it_was_typed(table: Type) -> None:
    assert last(table, "roll mara d6 --faces 6 --for 'who is the captain'") == "Mara rolled 6: “Who is the captain?”"


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("to shake off the hound", "Mara spent one point of edge to shake off the hound."),
        ("lost it in the river", "Mara lost one point of edge in the river."),
        ("lost a bet", "Mara lost one point of edge after losing a bet."),
    ],
)
def test_a_loss_is_told_with_a_goal_or_with_more_about_the_loss(table: Type, why: str, told: str) -> None:
    assert last(table, f"adjust mara edge/edge=-1 --why '{why}'") == told


def test_a_task_that_is_a_thing_is_named_in_the_deed(table: Type) -> None:
    told = last(table, "byzantine attempt mara door --costs 9 --energy 1 --for 'break it down'")
    assert told == "Mara tried to break the door down, but failed."


def test_what_the_recap_leaves_out_is_in_the_past_tense_in_the_chronicle(table: Type) -> None:
    assert last(table, "syscards rate mara 50 --for 'swims'") == "Mara needed 50 (Specialist): “swims.”"
    assert "needed 50" not in table("recap --session 1").stdout
    table("edge attack mara pistol brak --skill 15 --target 20 --faces 9,2,5,5,5")
    assert " damage.  #" in table("chronicle").stdout.partition("Mara rolled ")[2]


def test_a_throw_is_told_with_the_deed_of_its_rate(table: Type) -> None:
    for line in ("syscards card brak --rejects", "syscards round begin", "syscards reject brak 50"):
        assert table(line).exit_code == 0, line
    assert last(table, "syscards throw mara --past brak --faces 60") == "Mara rolled against Brak and succeeded."
    assert table("syscards rate mara 90 --for 'swims ashore'").exit_code == 0
    assert last(table, "syscards throw mara --faces 12") == "Mara tried to swim ashore, but failed."
    assert last(table, "syscards throw mara --past brak --faces 60") == "Mara rolled against Brak and succeeded."


def test_a_character_of_a_kind_gets_no_second_the(table: Type) -> None:
    assert table("npc herald").exit_code == 0
    told = last(table, "edge check mara stealth --faces 9,9 --for 'catches the falling herald'")
    assert told == "Mara tried to catch the falling herald and clearly succeeded."


def test_a_task_whose_name_is_an_act_is_told_as_the_act(table: Type) -> None:
    assert table("byzantine task find-the-body --costs 9").exit_code == 0
    told = last(table, "byzantine know mara find-the-body --energy 1")
    assert told.startswith("Mara tried to find out how much energy it would take to find the body, but ")


@pytest.mark.parametrize(
    ("correction", "told"),
    [
        ("amend last --for dives --why x --yes", "Mara tried to dive and clearly succeeded."),
        ("override last failure --why x --yes", "Mara tried to hide. The GM ruled it a failure."),
    ],
)
def test_an_open_dispute_about_a_correction_is_told_with_the_new_result(
    table: Type, correction: str, told: str
) -> None:
    for line in ("edge check mara stealth --faces 9,9 --for hides", correction, "dispute last --player Ana --claim no"):
        assert table(line).exit_code == 0, line
    assert f"    {told} Ana objected to this: “no.” This is not decided yet.\n" in table("recap").stdout


def test_an_attack_is_told_with_its_result_before_the_plan(table: Type) -> None:
    attack = "edge attack mara pistol brak --ranks stealth --for 'shoots from behind the willow' --faces 9,9,1,1,1"
    assert table(attack).exit_code == 0
    assert (
        "    Mara attacked Brak with the pistol, shooting from behind the willow, and hit.\n" in table("recap").stdout
    )


def test_the_words_for_a_failure_are_told(table: Type) -> None:
    assert table("syscards rate mara 90 --throw --faces 60").exit_code == 0
    assert last(table, "syscards means mara --words 'the lamp goes out'") == "So this happened: “the lamp goes out.”"


def test_a_connection_that_is_taken_back_is_told_as_returned(table: Type) -> None:
    assert table("byzantine lend mara soup --output 2 --why x").exit_code == 0
    assert last(table, "byzantine reclaim mara soup") == "Mara returned the borrowed soup connection."


def test_an_act_that_the_gm_lets_pass_is_told_as_a_success(table: Type) -> None:
    told = last(table, "syscards act mara 90 --why 'nobody is near' --passes")
    assert told == "Mara acted without dice and succeeded: \u201cnobody is near.\u201d"


def test_an_override_says_that_it_is_a_success_and_why(table: Type) -> None:
    checked = "edge check mara stealth --faces 1,2 --for hides"
    table(checked)
    table("override last 'nobody looks' --good --why 'the guard is asleep' --yes")
    assert "Mara tried to hide. Because the guard was asleep, the GM ruled it a success: nobody looked." in recap(table)


def test_the_gm_may_rule_for_a_reason_that_must_be_quoted(table: Type) -> None:
    table("edge check mara stealth --faces 1,2 --for hides")
    table("override last 'nobody looks' --good --why 'we agreed before' --yes")
    told = "Mara tried to hide. The GM said “we agreed before” and ruled it a success: nobody looked."
    assert told in recap(table)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("edge check mara stealth --faces 9,9", "Mara made a stealth roll and clearly succeeded."),
        ("edge check mara --skill 4 --faces 2,3", "Mara made a roll without a stated purpose and failed completely."),
        ("edge injure brak serious --why x", "Brak suffered a serious injury."),
        ("syscards card brak --kind ship", "The card of Brak was described."),
        ("edge degrade brak --threshold 5 --why x", "Brak had worse armor from then on."),
        ("edge rest brak long", "Brak took a long rest."),
        ("edge wear mara vest", "Mara put on the vest."),
        ("edge grant mara advantage --why x", "Mara got advantage on the next roll."),
        ("edge damage mara pistol --to brak --faces 5,4", "Mara rolled 13 damage."),
        ("multicheck test mara body --faces 99", "Mara made a body roll and failed."),
        ("multicheck test mara body --faces 56", "Mara made a body roll and failed, although some good came of it."),
        ("multicheck save mara toughness --grade hard --faces 3", "Mara rolled a toughness save and failed badly."),
        ("multicheck afflict mara blind --charges 3 --why sand", "Mara became blind from sand."),
        ("multicheck turn mara", "Mara partly recovered from fear."),
        ("rollunder skill mara riding --faces 9", "Mara made a riding roll and succeeded."),
        ("rollunder plain mara cunning --faces 20", "Mara made a cunning roll and failed badly."),
        ("byzantine attempt mara wall --energy 2", "Mara worked on the wall, but failed."),
        ("byzantine attempt mara find-the-body --costs 1 --energy 2", "Mara found the body."),
        ("byzantine attempt mara escape --costs 1 --energy 2", "Mara escaped."),
        ("byzantine invest mara 5 --project flying", "Mara invested five energy in the flying project."),
        ("byzantine withhold mara alms", "Mara lost the use of the alms connection."),
        ("byzantine contest duel --acting mara --against brak", "The duel began: Mara against Brak."),
        ("byzantine harm brak 3 --why x", "Brak lost three energy."),
        (
            "byzantine attack mara brak --energy 9 --take 2",
            "Mara attacked Brak and took two energy.",
        ),
        (
            "byzantine attack mara brak --energy 9 --take 0",
            "Mara attacked Brak and took no energy.",
        ),
        ("syscards rate mara 50", "Mara needed 50 (Specialist)."),
        ("syscards rate mara 50 --throw --faces 60", "Mara rolled and succeeded."),
        ("syscards challenge mara --against brak --faces 70,60", "In the challenge, Mara beat Brak."),
        ("syscards mode deal", "From then on, everybody could spend core points."),
        ("free check mara axe-damage --faces 5", "Mara rolled 5 for axe damage."),
        ("free check mara d20 --vs 9 --faces 5", "Mara made a roll without a stated purpose and failed."),
        ("free rest mara", "Mara rested."),
        ("coin flip mara --stake 1 --faces 1", "Mara made a flip roll. Mara still has a choice to make."),
        ("coin draw mara --number 40 --faces 73", "Mara made a draw roll and failed: miss."),
        ("coin give mara --to brak", "Mara played give."),
        ("roll mara d20 --faces 9", "Mara rolled 9 on a d20."),
        ("roll mara 1d20 --faces 9", "Mara rolled 9 on a d20."),
        ("roll mara 2d6 --faces 4,5", "Mara rolled 9 on 2d6."),
        ("roll mara d20 --vs 5 --faces 9", "Mara made a roll without a stated purpose and succeeded."),
        ("roll mara d20 --vs 15 --faces 9", "Mara made a roll without a stated purpose and failed."),
        ("roll mara d6 --faces 5 --for 'throws the rope'", "Mara tried to throw the rope and rolled 5."),
        ("roll mara d6 --faces 5 --for 'the rope'", "Mara rolled 5 for the rope."),
        ("roll mara d6 --faces 5 --for 'over the wall'", "Mara tried to get over the wall and rolled 5."),
        ("roll mara d6 --faces 5 --for 'how long it takes'", "Mara rolled 5 to find out how long it would take."),
        ("roll mara d6 --faces 5 --for luck", "Mara made a luck roll and got 5."),
        (
            "roll mara d6 --faces 5 --for 'hides, hoping that nobody looks'",
            "Mara tried to hide, hoping that nobody would look, and rolled 5.",
        ),
        ("roll mara 2d20kh1 --faces 5,4", "Mara rolled 5."),
        ("roll mara d6 --faces 5 --for 'healing potion'", "Mara rolled 5 for a healing potion."),
        ("roll mara d6 --faces 5 --for 'second swing'", "Mara rolled 5 for “second swing.”"),
        ("roll mara d6 --faces 5 --for 'hops, klettert'", "Mara rolled 5: “hops, klettert.”"),
        ("free check mara axe-damage --faces 5 --for 'the door'", "Mara rolled 5 for the door."),
        ("free check mara climb --faces 5 --for 'up the wall'", "Mara tried to climb up the wall and rolled 5."),
        ("free check mara climb --faces 5", "Mara made a climb roll and got 5."),
        (
            "byzantine attempt mara search --costs 1 --energy 2 --for 'the desk'",
            "Mara searched the desk and succeeded.",
        ),
        ("edge rest mara short --for 'by the fire'", "Mara took a short rest by the fire."),
        ("edge rest mara short --for 'the last one'", "Mara took a short rest: “the last one.”"),
        (
            "edge injure brak serious --for 'a bullet in the shoulder'",
            "Brak suffered a serious injury from a bullet in the shoulder.",
        ),
        (
            "edge award brak --amount 1 --for 'he stood alone'",
            "Brak earned one point of edge, because he stood alone.",
        ),
        ("edge rest mara long --for 'binds her wounds'", "Mara took a long rest, binding her wounds."),
        (
            "edge rest mara long --for 'pretends to be dead'",
            "Mara took a long rest, pretending to be dead.",
        ),
        (
            "edge burn brak --against 'the fall from the mill'",
            "Brak burned edge for good and survived the fall from the mill.",
        ),
        (
            "multicheck save mara toughness --grade hard --faces 3 --for 'the spray of the sea'",
            "Mara rolled a toughness save against the spray of the sea and failed badly.",
        ),
        (
            "multicheck save mara toughness --grade hard --faces 3 --for vacuum",
            "Mara rolled a toughness save against vacuum and failed badly.",
        ),
        ("roll mara d20 --faces 9 --for 'never to sleep'", "Mara tried never to sleep and rolled 9."),
        (
            "edge check mara stealth --faces 9,9 --for 'not to laugh'",
            "Mara tried not to laugh and clearly succeeded.",
        ),
        (
            "edge check mara stealth --faces 9,9 --for 'catches the falling brak'",
            "Mara tried to catch the falling Brak and clearly succeeded.",
        ),
        ("give mara brak free/gold=3 --why 'the rope'", "Mara gave Brak three gold for the rope."),
        (
            "adjust mara free/gold=+20 free/hp=-2 --why loot",
            "Mara gained 20 gold and lost two hit points because of loot.",
        ),
        ("adjust mara free/hp.max=+1", "Mara's maximum hit points rose by one."),
        ("adjust mara free/hp.max=+1 --why 'her luck'", "Mara's maximum hit points rose by one because of her luck."),
        ("adjust mara free/slots=-1 edge/edge=-1", "Mara lost one point of edge and used one slot."),
        ("adjust mara free/hp.max=+1 --why 'she ran'", "Mara's maximum hit points rose by one, because she ran."),
        ("adjust mara damage.physical=+5 --why fall", "Mara took five physical damage from a fall."),
        (
            "edge award brak --amount 1 --why 'he covers for Mara'",
            "Brak earned one point of edge, because he covered for Mara.",
        ),
        ("byzantine night mara little", "Mara got little sleep."),
        (
            "byzantine night mara none --for 'up all night writing the song'",
            "Mara did not sleep: “up all night writing the song.”",
        ),
        ("multicheck throw mara 6 --count 2 --of x --faces 4,4", "Mara rolled 8 on the extra dice."),
        ("multicheck throw mara 6 --count 2 --of x --faces 4,4 --for damage", "Mara rolled 8 for damage."),
        ("byzantine invest mara 3", "Mara invested three energy in the general pool."),
        ("byzantine invest mara 5", "Mara invested five energy in the general pool."),
        ("adjust mara condition.fear=-2 --why x", "Mara lost two charges of the condition “fear.”"),
        ("adjust mara attack-dice=+1", "Mara's extra damage dice rose by one."),
        ("adjust mara free/gold=12", "The numbers of Mara stayed the same."),
        ("adjust mara free/slots=+2", "Mara gained two slots."),
        ("adjust mara free/rope=+1 --new", "Mara gained one rope."),
        ("adjust mara free/torch=+2 --new", "Mara gained two torches."),
        ("day next", "Mara had five energy for the day."),
        ("note 'they cross'", "“They cross.”"),
        (
            "edge check mara --skill 9 --edge --faces 5,6,7",
            "Mara made a roll without a stated purpose. Mara still has to choose which die to drop.",
        ),
        ("edge check mara --skill 9 --seal --faces 5,6", "A sealed roll was made. The result is not revealed yet."),
    ],
)
def test_each_game_tells_its_moves_in_sentences(table: Type, line: str, told: str) -> None:
    assert last(table, line) == told


CHECK = "edge check mara --skill 11 --faces 7,6 --for"


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("climbs the wall", "Mara tried to climb the wall and narrowly succeeded."),
        ("stabs brak", "Mara tried to stab Brak and narrowly succeeded."),
        (
            "climbs the wall and looks at the river",
            "Mara tried to climb the wall and look at the river, and narrowly succeeded.",
        ),
        ("ich klettere", "Mara rolled (“ich klettere”) and narrowly succeeded."),
        ("swimming!", "Mara tried to swim and narrowly succeeded."),
        ("the beam", "Mara rolled for the beam and narrowly succeeded."),
        (
            "hides behind the well, hoping that it helps",
            "Mara tried to hide behind the well, hoping that it would help, and narrowly succeeded.",
        ),
        ("what does the mayor know", "Mara wanted to know: “What does the mayor know?” The roll narrowly succeeded."),
        ("whether the rope holds", "Mara tried to find out whether the rope held, and narrowly succeeded."),
        ("the old lock with care", "Mara rolled for the old lock with care and narrowly succeeded."),
        ("pretends to be a priest", "Mara pretended to be a priest and narrowly succeeded."),
        ("see brak climb", "Mara tried to see Brak climb and narrowly succeeded."),
        ("is he near", "Mara wanted to know: “Is he near?” The roll narrowly succeeded."),
        ("stabs goblin-2", "Mara tried to stab goblin 2 and narrowly succeeded."),
        ("perception", "Mara made a perception roll and narrowly succeeded."),
        ("death save", "Mara rolled a death save and narrowly succeeded."),
        ("for brak", "Mara rolled for Brak and narrowly succeeded."),
        ("hides, waits", "Mara tried to hide and wait, and narrowly succeeded."),
        (
            "hides, waiting and running",
            "Mara tried to hide, waiting and running, and narrowly succeeded.",
        ),
        (
            "keep quiet while the lantern passes",
            "Mara tried to keep quiet while the lantern passed, and narrowly succeeded.",
        ),
        ("over the wall!", "Mara tried to get over the wall and narrowly succeeded."),
    ],
)
def test_a_deed_is_told_in_a_form_that_is_right_for_any_text(table: Type, deed: str, told: str) -> None:
    assert last(table, f"{CHECK} '{deed}'") == told


def test_a_deed_that_names_a_thing_follows_the_name_of_the_roll(table: Type) -> None:
    told = "Mara made a stealth roll for the back door and clearly succeeded."
    assert last(table, "edge check mara stealth --faces 9,9 --for 'the back door'") == told
    table("set mara roll.axe=d20")
    told = "Mara attacked the beam with the axe and hit."
    assert last(table, "free check mara 'axe adv' --vs 1 --faces 5,6 --for 'the beam'") == told


def test_a_place_follows_the_roll(table: Type) -> None:
    told = "Mara made a stealth roll at the back door and clearly succeeded."
    assert last(table, "edge check mara stealth --faces 9,9 --for 'at the back door'") == told


def test_a_reroll_of_a_named_roll_tells_what_the_roll_got(table: Type) -> None:
    table("adjust mara multicheck/pk=+1 --new")
    table("multicheck test mara body --faces 99")
    assert table("choose --reroll --faces 5").exit_code == 0
    told = "Mara made a body roll and got a failure. Mara then paid one karma point to roll again and got a success."
    assert told in recap(table)


def test_an_attempt_after_a_failure_is_told_with_again(table: Type) -> None:
    for faces in ("1,2", "9,8", "7,7"):
        table(f"edge check mara --skill 11 --faces {faces} --for 'climbs the rope'")
        table("adjust mara free/hp=-1 --why 'a stone'")
    assert [line for line in recap(table) if line.startswith("Mara")][:6] == [
        "Mara tried to climb the rope, but failed badly.",
        "Mara lost one hit point to a stone.",
        "Mara tried again to climb the rope and clearly succeeded.",
        "Mara lost one more hit point to a stone.",
        "Mara tried again to climb the rope and succeeded completely.",
        "Mara lost one more hit point to a stone.",
    ]


def test_a_deed_that_is_a_question_is_told_as_the_wish_to_find_out(table: Type, folder: Path) -> None:
    table("edge check mara --skill 9 --edge --faces 5,6,7 --for 'whether the rope holds'")
    question = "to find out whether the rope held."
    assert f"Mara tried {question} Mara still has to choose which die to drop." in recap(table)
    table("choose --drop 5")
    table("edge check mara --skill 11 --faces 7,6 --for 'whether the rope holds'")
    table(f"override {head(folder) - 1} 'it snaps' --bad --why x --yes")
    assert f"Mara tried again {question} The GM ruled it a failure: it snapped." in recap(table)
    told = last(table, "roll mara d20 vs 10 --faces 9 --for 'whether anyone follows us'")
    assert told == "Mara tried to find out whether anyone followed them, but failed."


def test_the_winner_of_a_contest_is_named(table: Type) -> None:
    for line in (
        "byzantine contest duel --acting mara --against brak --kind attack",
        "byzantine commit mara duel --energy 9",
        "byzantine commit brak duel --energy 1",
        "byzantine resolve duel --take 2",
    ):
        assert table(line).exit_code == 0, line
    lines = recap(table)
    assert "Mara and Brak each committed energy to the duel." in lines
    assert "In the duel, Mara won and took two energy from Brak." in lines


def test_a_name_after_the_is_a_thing(table: Type) -> None:
    table("npc guard")
    assert last(table, f"{CHECK} 'talks past the guard'") == "Mara tried to talk past the guard and narrowly succeeded."


def test_the_deed_of_a_rate_is_told_with_its_roll(table: Type) -> None:
    table("syscards rate mara 50 --throw --faces 60 --for 'climbs the wall'")
    assert "Mara climbed the wall." in table("recap").stdout


def test_the_gm_rules_instead_of_the_dice(table: Type, folder: Path) -> None:
    table(f"{CHECK} 'ich klettere'")
    table(f"override {head(folder)} 'she falls' --bad --why x --yes")
    assert "Mara rolled (“ich klettere”). The GM ruled it a failure: she fell.\n" in table("recap").stdout


def test_an_attack_is_one_sentence_in_the_recap(table: Type) -> None:
    done = table("edge attack mara pistol brak --skill 15 --target 20 --faces 9,2,5,5,5")
    assert done.exit_code == 0, done.output
    assert "    Mara attacked Brak with the pistol and hit.\n" in table("recap").stdout


FARED = [("Mara", "failed"), ("Brak", "succeeded"), ("Sil", "failed")]


def clause(who: str, did: str = "rolled d6", *, outcome: str = "", deed: str = "", then: str = "") -> Clause:
    return Clause(who=who, did=did, outcome=outcome, deed=deed, then=then)


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        ([clause("Mara"), clause("Brak")], ["Mara and Brak each rolled d6."]),
        ([clause("Mara"), clause("Mara"), clause("Mara")], ["Three times, Mara rolled d6."]),
        ([clause("Mara", outcome="failed")] * 2, ["Mara rolled d6 twice and failed both times."]),
        ([clause("Mara", outcome="failed")] * 3, ["Mara rolled d6 three times and failed every time."]),
        (
            [clause("Mara", outcome="failed: miss")] * 2,
            ["Mara rolled d6 and failed: miss.", "Mara rolled d6 again and failed: miss."],
        ),
        (
            [clause("Mara", "tried x", outcome="failed"), clause("Mara", "tried x", outcome="succeeded")],
            ["Mara tried x, but failed, then tried again and succeeded."],
        ),
        (
            [clause("Mara", "tried x", outcome=how) for how in ("failed", "succeeded", "failed")],
            ["Mara tried x, but failed.", "Mara tried x again and succeeded.", "Mara tried x again, but failed."],
        ),
        (
            [clause("Mara", "made a stealth roll", outcome=how) for how in ("narrowly failed", "clearly succeeded")],
            ["Mara made two stealth rolls: the first roll narrowly failed and the second clearly succeeded."],
        ),
        (
            [clause("Mara", "rolled a save", outcome=how) for how in ("failed", "succeeded", "failed")],
            ["Mara rolled three saves: two failed and one succeeded."],
        ),
        (
            [clause("Mara", "made an axe roll", outcome="failed")] * 2,
            ["Mara made two axe rolls and failed both times."],
        ),
        (
            [clause("Mara", "made an axe roll", outcome="failed")] * 3,
            ["Mara made three axe rolls and failed every time."],
        ),
        ([clause("Mara", "made an axe roll")] * 2, ["Mara made two axe rolls."]),
        (
            [clause(who, "made an axe roll", outcome="failed") for who in ("Mara", "Brak")],
            ["Mara and Brak each made an axe roll and failed."],
        ),
        (
            [clause(who, "tried x", outcome=how) for who, how in FARED],
            ["Mara, Brak and Sil tried x: Mara and Sil failed, and Brak succeeded."],
        ),
        (
            [clause(who, "made an axe roll", outcome=how) for who, how in FARED[:2]],
            ["Mara and Brak each made an axe roll: Mara failed and Brak succeeded."],
        ),
        (
            [clause(who, "tried x and y", outcome=how) for who, how in FARED[:2]],
            ["Mara and Brak tried x and y. Mara failed and Brak succeeded."],
        ),
        (
            [clause(f"goblin {place}", "made an axe roll", outcome=how) for place, (_, how) in enumerate(FARED)],
            ["Of the three goblins that made axe rolls, one succeeded."],
        ),
        (
            [clause(f"wolf {place}", "tried x", outcome="failed") for place in (1, 2)],
            ["Two wolves tried x, but failed."],
        ),
        (
            [clause(who, "tried x", outcome="failed") for who in ("wolf 1", "ogre 1")],
            ["Wolf 1 and ogre 1 tried x, but failed."],
        ),
        (
            [clause(who, f"rolled {total} for stealth") for who, total in (("Mara", 18), ("Brak", 7), ("Sil", 12))],
            ["For stealth, Mara rolled 18, Brak 7 and Sil 12."],
        ),
        (
            [clause(who, f"rolled {total} on a d20") for who, total in (("Mara", 18), ("Brak", 7))],
            ["On a d20, Mara rolled 18 and Brak 7."],
        ),
        (
            [clause("Mara", f"rolled {total} on a d20") for total in (18, 7)],
            ["Mara rolled a d20 twice and got 18 and 7."],
        ),
        (
            [clause(who, "attacked Sil with the bow", outcome="hit") for who in ("Mara", "Brak")],
            ["Mara and Brak each attacked Sil with a bow and hit."],
        ),
        (
            [clause("Mara", f"rolled {total} for {what}") for what in ("stealth",) for total in (18, 7)],
            ["Mara made two stealth rolls and got 18 and 7."],
        ),
        (
            [clause(who, f"rolled {total} to find out who leads") for who, total in (("Mara", 9), ("Brak", 7))],
            ["To find out who leads, Mara rolled 9 and Brak 7."],
        ),
        (
            [clause("Mara", "rolled 9 to find out who leads")] * 2,
            ["Mara rolled twice to find out who leads and got 9 and 9."],
        ),
        ([clause("Mara", "rolled 9 for axe damage")] * 2, ["Mara rolled for axe damage twice and got 9 and 9."]),
        (
            [clause(f"spy {place}", f"rolled {place} for guile") for place in (1, 2)],
            ["Two spies made guile rolls and got 1 and 2."],
        ),
        (
            [clause("Mara", outcome="failed"), clause("Brak", outcome="succeeded")],
            ["Mara and Brak each rolled d6: Mara failed and Brak succeeded."],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed"), clause("Brak", "", deed="ich", outcome="failed")],
            ["Mara and Brak tried this, but failed: “ich.”"],
        ),
        (
            [clause(who, "", deed="ich", outcome="failed") for who in ("A", "B", "C")],
            ["A, B and C tried this, but failed: “ich.”"],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed")] * 2,
            ["Mara tried this twice, but failed both times: “ich.”"],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed")] * 3,
            ["Mara tried this three times, but failed every time: “ich.”"],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed"), clause("Mara", "", deed="ich", outcome="succeeded")],
            [
                "Mara tried this, but failed: “ich.”",
                "Mara tried this and succeeded: “ich.”",
            ],
        ),
        ([clause("Mara", "gave gold", deed="x")] * 2, ["Twice, Mara gave gold: “x.”"]),
        (
            [clause("Mara", "tried to swim", outcome=f"failed{how}") for how in ("", " badly", "")],
            ["Mara tried three times to swim, but failed every time."],
        ),
        (
            [clause(who, "made a run roll", outcome="failed") for who in ("spy 1", "spy 2", "Mara")],
            ["Two spies made run rolls and failed.", "Mara made a run roll and failed."],
        ),
        (
            [clause(who, "attacked Sil with the claws") for who in ("Mara", "Brak")],
            ["Mara and Brak each attacked Sil with the claws."],
        ),
        (
            [clause(who, "attacked Sil with the axe") for who in ("Mara", "Brak")],
            ["Mara and Brak each attacked Sil with an axe."],
        ),
        (
            [clause(f"wolf {place}", "tried x", outcome=how) for place, how in enumerate(("failed", "fled", "failed"))],
            ["Of the three wolves that tried x, two failed and one fled."],
        ),
        (
            [clause(f"wolf {place}", "rolled jaws for the ham", outcome=how) for place, (_, how) in enumerate(FARED)],
            ["Of the three wolves that rolled jaws for the ham, one succeeded."],
        ),
        (
            [clause("Mara", "tried to swim", outcome="failed")] * 2
            + [clause("Brak", "dived")]
            + [clause("Mara", "tried to swim", outcome="failed")] * 2
            + [clause("Mara", "tried to swim", outcome="succeeded")],
            [
                "Mara tried twice to swim, but failed both times.",
                "Brak dived.",
                "Mara tried twice more to swim, but failed both times.",
                "Mara tried again to swim and succeeded.",
            ],
        ),
        (
            [clause("Mara", did) for did in ("made a stealth roll", "hid", "made a stealth roll and got a hit")],
            ["Mara made a stealth roll.", "Mara hid.", "Mara made another stealth roll and got a hit."],
        ),
        (
            [clause("Mara", did) for did in ("suffered a minor injury", "lost a hat", "suffered a minor injury")],
            ["Mara suffered a minor injury.", "Mara lost a hat.", "Mara suffered another minor injury."],
        ),
        (
            [clause("Mara", f"gave Brak {gift}") for gift in ("ten gold", "one key", "five gold for the rope")],
            ["Mara gave Brak ten gold.", "Mara gave Brak one key.", "Mara gave Brak five more gold for the rope."],
        ),
        (
            [clause("Mara", did, outcome="succeeded") for did in ("tried to hide", "tried to run", "tried to hide")],
            ["Mara hid.", "Mara ran.", "Mara hid again."],
        ),
        (
            [clause("Mara", did) for did in ("walked to the old mill", "hid", "walked to the old mill")],
            ["Mara walked to the old mill.", "Mara hid.", "Mara again walked to the old mill."],
        ),
        (
            [
                clause("Mara", did, outcome="failed")
                for did in ("tried to hide, waiting", "tried to run", "tried to hide, waiting")
            ],
            [
                "Mara tried to hide, waiting, but failed.",
                "Mara tried to run, but failed.",
                "Mara tried again to hide, waiting, but failed.",
            ],
        ),
        (
            [
                clause(who, "tried to find out who would lead", outcome=how)
                for who, how in (("Mara", "failed"), ("Brak", "succeeded"))
            ],
            ["Mara and Brak tried to find out who would lead. Mara failed and Brak succeeded."],
        ),
        ([Clause(who="", did="“It rains.”", kind="note")] * 2, ["“It rains.”"]),
        ([clause("Mara", "attacked and hit")] * 2, ["Twice, Mara attacked and hit."]),
        (
            [clause("Mara", then="It is open.")] * 2,
            ["Mara rolled d6. It is open.", "Mara rolled d6 again. It is open."],
        ),
        (
            [clause(who) for who in ("Mara", "Brak", "Mara")],
            ["Mara and Brak each rolled d6.", "Mara rolled d6 again."],
        ),
        (
            [clause("Mara", f"gave {to} two gold for the rope") for to in ("Brak", "Sam")],
            ["Mara gave Brak and Sam each two gold for the rope."],
        ),
        (
            [clause("Mara", f"gave {what}") for what in ("Brak two gold", "Sam one gold")],
            ["Mara gave Brak two gold.", "Mara gave Sam one gold."],
        ),
        ([clause("", "It rains.")] * 2, ["It rains.", "It rains."]),
        ([Clause(who="", did="1", kind="day")], ["Day 1 began."]),
        ([Clause(who="", did=day, kind="day") for day in ("1", "2")], ["Days 1 and 2 passed."]),
        ([Clause(who="", did=day, kind="day") for day in ("1", "2", "3")], ["Days 1 to 3 passed."]),
    ],
)
def test_equal_acts_are_joined(acts: list[Clause], told: list[str]) -> None:
    assert story(acts) == told


def test_what_several_gain_alike_is_told_of_each() -> None:
    gains = [Clause(who=who, did="gained 50 gold") for who in ("Mara", "Brak")]
    assert story(gains) == ["Mara and Brak each gained 50 gold."]


def recap(type_in: Type) -> list[str]:
    """The lines of the recap, without indents."""
    return [line.strip() for line in type_in("recap").stdout.splitlines() if line]


def test_notes_are_quotes_in_the_order_of_time_and_bookkeeping_comes_last(table: Type) -> None:
    for line in (
        "scene 'The mill'",
        "note 'the moon is up'",
        "note 'it rains'",
        f"{CHECK} swims",
        "note 'the sun rises'",
        "day next --count 3",
        "adjust mara free/gold=+1",
    ):
        assert table(line).exit_code == 0
    lines = recap(table)
    assert lines[1:10] == [
        "Who was there",
        "Tom was the GM. Ana played Mara.",
        "What happened",
        "The mill",
        "“The moon is up.”",
        "“It rains.”",
        "Mara tried to swim and narrowly succeeded.",
        "“The sun rises.”",
        "Gained and lost",
    ]
    assert lines[lines.index("For the record") + 1 :] == ["At the end, it was day 3."]


def test_a_session_opens_with_the_notes_before_its_first_scene(table: Type) -> None:
    table("note 'last time, they fled'")
    assert "“Last time, they fled.”" in recap(table)


def gains(type_in: Type) -> list[str]:
    """The net changes of the recap."""
    lines = recap(type_in)
    start = lines.index("Gained and lost")
    return lines[start + 1 : (lines + ["For the record"]).index("For the record")]


def test_gains_are_sorted_by_character_and_leave_out_non_player_characters(table: Type) -> None:
    table("npc gob")
    table("join gob free gold=3")
    table("adjust mara free/gold=+3 free/xp=+5 free/wits=+1 --new --why x")
    table("adjust brak free/xp=+5 --new --why x")
    table("adjust gob gold=-2")
    assert gains(table) == [
        "Brak gained five experience points.",
        "In all, Mara gained three gold and five experience points.",
        "Mara's wits rose by one.",
    ]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["edge injure mara minor --why x"], "Mara now has a minor injury."),
        (["adjust mara damage.physical=+5 --why x"], "Mara took five physical damage."),
        (["adjust mara multicheck/condition.blind=+2 --new --why x"], "Mara is still blind."),
        (["adjust mara multicheck/condition.bleeding=+2 --new --why x"], "Mara is still bleeding."),
        (
            ["adjust mara condition.fear=-2 --why x"],
            "Mara lost two charges of the condition “fear.”",
        ),
        (["adjust mara condition.fear=-5 --why x"], "Mara no longer suffers from fear."),
        (
            ["adjust mara byzantine/general=-5 --why x"],
            "Mara's general pool now has five energy less.",
        ),
        (["adjust mara byzantine/general=+5 --why x"], "Mara's general pool now has five energy more."),
        (
            ["byzantine connect mara soup-kitchen --input -2"],
            "Mara's soup kitchen connection cost two more energy a day.",
        ),
    ],
)
def test_injuries_and_conditions_are_told_as_states(table: Type, lines: list[str], told: str) -> None:
    for line in lines:
        assert table(line).exit_code == 0, line
    assert told in gains(table)


def test_a_shared_sheet_gains_and_loses_as_a_character_does(table: Type) -> None:
    table("join party free gold=9 torches=9 fame=1")
    table("adjust party gold=-4 torches=-3 xp=+2 fame=+1 --new --why x")
    assert gains(table) == [
        "In all, the party gained two experience points and lost four gold.",
        "The party has three fewer torches than before.",
        "The party's fame rose by one.",
    ]


def test_without_players_a_sheet_may_be_a_player_character(table: Type) -> None:
    for line in ("leave Ana", "adjust mara free/gold=-4 --why x"):
        assert table(line).exit_code == 0, line
    assert gains(table) == ["Mara lost four gold."]


def test_energy_in_a_project_is_told_as_invested_and_not_as_a_change_of_its_pool(table: Type) -> None:
    table("byzantine invest mara 5 --project flying-machine")
    assert recap(table)[-1] == "Mara invested five energy in the flying machine project."
    table("day next --count 2")
    assert not [line for line in recap(table) if "pool of the project" in line]
    for line in ("session close", "session open Two", "adjust mara byzantine/invested.flying-machine=-2 --why x"):
        assert table(line).exit_code == 0, line
    assert "Gained and lost" not in recap(table)


def test_players_who_did_not_act_are_named_with_all_their_characters(table: Type) -> None:
    for line in ("player Ana --plays brak", "join sam free", "player Ben --plays sam", "session present Ben"):
        assert table(line).exit_code == 0, line
    table(f"{CHECK} swims")
    assert "Tom was the GM. Ana played Mara and Ben played Sam." in recap(table)


def test_a_full_name_with_a_small_letter_has_a_capital_only_at_the_start_of_a_sentence(table: Type) -> None:
    table("npc guard --name 'the guard'")
    table("npc bear --name 'old bear'")
    for line in (
        "join guard free hp=9 gold=5",
        f"{CHECK} 'talks past the guard'",
        f"{CHECK} 'stabs guard'",
        f"{CHECK} 'stabs old bear'",
        *["roll guard d20 --vs 5 --faces 9 --for 'klettert über den Zaun bis zum Dach'"] * 2,
        "adjust guard hp=-2 --why x",
        "give guard mara gold=1",
        *["roll bear d20 --vs 5 --faces 9 --for dives", "roll bear d20 --vs 5 --faces 9 --for swims"],
    ):
        assert table(line).exit_code == 0, line
    lines = recap(table)
    assert lines[lines.index("What happened") + 1 : lines.index("Gained and lost")] == [
        "Mara tried to talk past the guard and narrowly succeeded.",
        "Mara tried to stab the guard and narrowly succeeded.",
        "Mara tried to stab old bear and narrowly succeeded.",
        "The guard tried this twice and succeeded both times: “klettert über den Zaun bis zum Dach.”",
        "The guard lost two hit points.",
        "Mara received one gold from the guard.",
        "Old bear dived.",
        "Old bear swam.",
    ]


def test_a_repeated_act_of_the_party_has_a_capital_letter() -> None:
    assert story([clause("the party", "rested"), clause("the cat", "rested")]) == ["The party and the cat rested."]


def test_losses_of_hit_points_are_told_in_the_story(table: Type) -> None:
    for line in (f"{CHECK} swims", "adjust mara hp=-2 --why arrow", "adjust mara free/gold=-2", f"{CHECK} dives"):
        table(line)
    lines = recap(table)
    swims = lines.index("Mara tried to swim and narrowly succeeded.")
    assert lines[swims + 1 : swims + 3] == [
        "Mara lost two hit points to an arrow.",
        "Mara tried to dive and narrowly succeeded.",
    ]
    assert lines[-1] == "In all, Mara lost two gold and two hit points."


def test_rolls_without_a_purpose_are_in_the_appendix(table: Type) -> None:
    for line in (
        "edge check mara --skill 9 --faces 5,6",
        "roll mara d20 --vs 5 --faces 9",
        "roll mara d20 --faces 9",
        "free check mara d20 --faces 5",
    ):
        assert table(line).exit_code == 0, line
    table("roll mara d20+wits --vs 5 --faces 9")
    lines = recap(table)
    start = lines.index("For the record")
    assert lines[start + 1 :] == [
        "Mara made two rolls without a stated purpose: the first roll narrowly succeeded and the second succeeded.",
        "Mara rolled a d20 twice and got 9 and 5.",
    ]
    assert "Mara made a d20+wits roll and succeeded." in lines[:start]


def test_a_full_name_is_shortened_after_its_first_mention(table: Type) -> None:
    table("rename mara 'Mara Vale'")
    table("rename brak 'The Old Bear'")
    for line in (
        f"{CHECK} swims",
        f"{CHECK} 'hides Mara Vale'",
        CHECK.replace("mara", "brak") + " swims",
        CHECK.replace("mara", "brak") + " dives",
        "scene Two",
        f"{CHECK} swims",
    ):
        assert table(line).exit_code == 0, line
    lines = recap(table)
    assert lines[lines.index("What happened") + 1 :][:6] == [
        "Mara tried to swim and narrowly succeeded.",
        "Mara tried to hide Mara and narrowly succeeded.",
        "The Old Bear tried to swim and narrowly succeeded.",
        "The Old Bear tried to dive and narrowly succeeded.",
        "Two",
        "Mara tried to swim and narrowly succeeded.",
    ]


def test_the_sheet_of_the_party_has_an_article_and_enemies_do_not_give(table: Type) -> None:
    for line in (
        "npc gob",
        "join gob free gold=3",
        "join party free gold=9",
        "give gob party gold=2 --why loot",
        "give party mara free/gold=1",
    ):
        assert table(line).exit_code == 0, line
    lines = recap(table)
    assert "The party received two gold from Gob as loot." in lines
    assert "Mara received one gold from the party." in lines


def test_gains_leave_out_what_only_the_rules_keep_track_of(table: Type) -> None:
    table("edge grant mara advantage --why x")
    table("edge grant brak advantage --why x")
    assert "Gained and lost" not in recap(table)


def test_a_single_day_and_a_death_are_told(table: Type) -> None:
    table("day next")
    assert "At the end, it was day 1." in recap(table)
    table("byzantine harm brak 30 --why x --how dies")
    assert [line for line in recap(table) if line.startswith("Brak lost") and "died" in line]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            ["edge damage mara pistol --to brak --faces 5,4"],
            "Brak still has to check 13 physical damage from Mara against the armor.",
        ),
        (
            ["edge attack mara pistol brak --skill 15 --target 20 --faces 9,2"],
            "Mara hit Brak with the pistol, but the damage has not been rolled yet.",
        ),
        (["syscards rate mara 50"], "Mara still has to roll."),
        (
            [
                "byzantine contest duel --acting mara --against brak --kind attack",
                "byzantine commit mara duel --energy 1",
            ],
            "Brak still has to commit energy to the duel.",
        ),
        (
            [
                "byzantine contest duel --acting mara --against brak --kind attack",
                "byzantine commit mara duel --energy 1",
                "byzantine commit brak duel --energy 1",
            ],
            "The duel is not decided yet, but everyone has committed.",
        ),
        (
            ["note x", "assert mara edge=1"],
            "Mara's paper sheet has one point of edge, but the record has four. The GM has to decide.",
        ),
        (
            ["adjust mara free/gold=-7", "assert mara free/gold=5", "amend LOOT free/gold=-17 --why x --yes"],
            "Mara's paper sheet has five gold, but the record has −5. The GM has to decide.",
        ),
        (["edge check mara --skill 9 --seal --faces 5,6"], "A sealed roll is not revealed yet."),
        (
            ["edge check mara --skill 9 --seal --faces 5,6", "dispute last --claim 'she looked'"],
            "A sealed roll was made. The result is not revealed yet. Tom objected to this: “she looked.”"
            " This is not decided yet.",
        ),
        (
            ["edge check mara --skill 9 --edge --faces 5,6,7 --for 'climbs the wall'"],
            "Mara tried to climb the wall. Mara still has to choose which die to drop.",
        ),
        (
            [f"{CHECK} swims", "dispute HEAD --player Ana --claim 'too dark'"],
            "Mara tried to swim and narrowly succeeded. Ana objected to this: “too dark.” This is not decided yet.",
        ),
        (
            [f"{CHECK} 'ich klettere'", "dispute HEAD --player Ana --claim 'too dark'"],
            "Mara rolled (“ich klettere”) and narrowly succeeded. Ana objected to this: “too dark.” This is not decided yet.",
        ),
        (
            ["edge check mara stealth --faces 9,9", "dispute HEAD --player Ana --claim 'too dark'"],
            "Mara made a stealth roll and clearly succeeded. Ana objected to this: “too dark.” This is not decided yet.",
        ),
        (
            ["edge rest mara short", "dispute HEAD --player Ana --claim 'no time'"],
            "Mara took a short rest. Ana objected to this: “no time.” This is not decided yet.",
        ),
        (
            ["edge check mara --skill 11 --faces 7,6", "dispute HEAD --player Ana --claim 'too dark'"],
            "One of Mara's rolls narrowly succeeded. Ana objected to this: “too dark.” This is not decided yet.",
        ),
        (
            ["roll mara d20 --faces 9", "dispute HEAD --player Ana --claim 'too dark'"],
            "Mara rolled 9 on a d20. Ana objected to this: “too dark.” This is not decided yet.",
        ),
        (
            ["edge attack mara pistol brak --skill 15 --edge --faces 9,2,5"],
            "Mara attacked Brak with the pistol. Mara still has to choose which die to drop.",
        ),
        (
            ["byzantine attack mara brak --energy 9"],
            "Mara attacked Brak. The winner still has to choose how much energy to take.",
        ),
        (
            [
                "byzantine contest duel --acting mara --against brak --kind attack",
                "byzantine commit mara duel --energy 3",
                "byzantine commit brak duel --energy 1",
                "byzantine resolve duel",
            ],
            "The GM ended the duel. The winner still has to choose how much energy to take.",
        ),
        (
            ["edge check mara --skill 9 --edge --faces 5,6,7"],
            "Mara still has to choose which die to drop.",
        ),
        (
            [
                "adjust mara edge/skill.stealth=+1 --why x",
                "edge check mara stealth --faces 7,6",
                "void LOOT --why x --yes",
            ],
            "A correction may change this result: Mara made a stealth roll and narrowly succeeded. The GM has to decide.",
        ),
        (
            ["adjust mara multicheck/pk=+5", "adjust mara multicheck/pk=-5", "void LOOT --why x --yes"],
            "Mara's PK is −5, but it cannot be below 0. The GM has to decide.",
        ),
        (
            [
                "adjust mara multicheck/pk=+5",
                "adjust mara multicheck/pk=-5",
                "void LOOT --why x --yes",
                "decide HEAD adjust --why x",
                "void VOID --why x --yes",
            ],
            "Because of a correction, an earlier change of Mara's PK is no longer needed. The GM has to decide.",
        ),
    ],
)
def test_what_is_open_is_told_in_sentences(table: Type, folder: Path, lines: list[str], told: str) -> None:
    first = head(folder)
    for line in lines:
        words = line.replace("HEAD", str(head(folder))).replace("LOOT", str(first + 1)).replace("VOID", str(first + 3))
        done = table(words)
        assert done.exit_code == 0, done.output
    shown = table("recap").output
    assert f"    {told}\n" in shown, shown


def test_several_names_in_an_input_are_joined(table: Type) -> None:
    table("join sam syscards efficiency=30")
    table("syscards challenge mara --against brak,sam --faces 70,60,50")
    assert "Mara challenged Brak and Sam." in recap(table)


def test_a_replay_tells_what_is_not_a_part_of_the_story(table: Type) -> None:
    for line in ("turns roll mara d20 --faces 9", "turns next", "turns end", "npc gob", "leave gob", "session close"):
        assert table(line).exit_code == 0, line
    told = table("replay --session 1").stdout
    for sentence in (
        "Session 1 began: The ford.",
        "Mara rolled 9 for initiative.",
        "In round 1, it was Mara's turn. Mara partly recovered from fear.",
        "The turn order ended.",
        "Gob came to the table, to stay until the end of the session.",
        "Gob left the table.",
        "Session 1 ended.",
    ):
        assert f"   {sentence}\n" in told, sentence


@pytest.mark.parametrize("path", sorted((GOLDEN / "events").iterdir()), ids=lambda path: path.stem)
def test_every_event_has_a_sentence_or_is_left_out(book: Book, path: Path) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))
    opening = book.entry(1)
    entry = opening.replace(type=body["type"], raw=body)
    assert len(clauses(book, [log.line(book, [opening]).replace(entries=(entry,))])) <= 1


def test_a_replay_tells_of_rounds_and_players(table: Type) -> None:
    for typed in (
        "settings campaign initiative=each-round",
        "player Ben",
        "session present Ben",
        "turns add mara 12",
        "turns add brak 8",
        "turns next",
        "turns delay mara",
        "turns next",
        "turns next",
        "turns next",
        "leave Ben",
        "settings campaign initiative=once",
    ):
        done = table(typed)
        assert done.exit_code == 0, (typed, done.output)
    told = table("replay --session 1").stdout
    for sentence in (
        "From then on, everybody rolled initiative in each round.",
        "Ben joined the session.",
        "In round 1, Mara's turn was delayed.",
        "Round 2 began with new initiative.",
        "Ben left the table.",
        "From then on, everybody rolled initiative only once.",
    ):
        assert f"   {sentence}\n" in told, (sentence, told)


@pytest.mark.parametrize(
    ("roll", "changes"),
    [(f"{CHECK} swims", "--skill 20"), ("roll mara d20 vs 12 --faces 3 --for swims", "--vs 2")],
)
def test_a_replay_tells_the_new_result_of_a_correction(table: Type, roll: str, changes: str) -> None:
    for line in (roll, f"amend last {changes} --why x --yes"):
        assert table(line).exit_code == 0, line
    told = table("replay --session 1").stdout
    assert re.search(r"Tom corrected this: Mara .*\. After the correction: Mara (tried to swim and .*|swam)\.\n", told)


def test_a_replay_tells_of_corrections_in_the_past(table: Type, folder: Path) -> None:
    table(f"{CHECK} swims")
    check = head(folder)
    table(f"amend {check} --for dives --why 'she dived' --yes")
    amended = head(folder)
    for typed in (
        f"override {amended} 'she floats' --good --why luck --yes",
        "edge rest mara short",
        f"void {amended + 2} --why x --yes",
        "undo --yes",
        "note x",
        f"dispute {amended} --player Ana --claim 'too dark'",
        "decide keep --why 'a torch'",
        f"rewind --to {amended} --yes",
        "assert mara edge=4",
    ):
        done = table(typed)
        assert done.exit_code == 0, (typed, done.output)
    told = table("replay --session 1").stdout
    for sentence in (
        "Tom corrected this: Mara tried to swim and narrowly succeeded. This was because she dived. After the correction: ",
        "The GM said “luck” and ruled it a success for Mara: she floated.\n",
        "Tom canceled this: Mara took a short rest.",
        "Tom undid this: Tom canceled this: Mara took a short rest.",
        "Mara tried to dive. The GM said “luck” and ruled it a success: she floated. Ana objected to this: “too dark.”",
        "Mara tried to dive. The GM said “luck” and ruled it a success: she floated. Ana had objected to this. The GM kept",
        "Tom went back to this: Mara tried to dive",
        "Mara has four points of edge on the paper sheet and in the record.",
    ):
        assert f"   {sentence}" in told, (sentence, told)


def test_a_replay_tells_of_skipped_turns(table: Type) -> None:
    for typed in ("turns add mara 12", "turns add brak 8", "turns skip mara", "turns skip brak --always"):
        assert table(typed).exit_code == 0, typed
    told = table("replay --session 1").stdout
    assert "   In round 1, Mara's turn was skipped." in told
    assert "   Brak left the turn order.\n" in told


def test_a_full_chronicle_says_that_a_choice_was_made_and_a_roll_revealed(table: Type, folder: Path) -> None:
    table("edge check mara --skill 9 --edge --faces 5,6,7")
    table(f"choose {head(folder) - 1} --drop 5")
    table("edge check mara --skill 9 --seal --faces 5,6")
    table(f"reveal {head(folder)}")
    told = table("chronicle --all").stdout
    assert "Mara made a roll without a stated purpose. The choice was made later." in told
    assert "A sealed roll was made. The result was revealed later." in told
    assert "Tom revealed a secret roll. The result: a narrow success." in told


def test_a_secret_note_and_erased_words_stay_hidden(table: Type, folder: Path) -> None:
    table("note 'the guide lies' --secret")
    secret = head(folder)
    assert "There is a secret note." in table("replay").stdout
    table(f"reveal {secret}")
    assert "A secret note was revealed: “The guide lies.”" in recap(table)
    assert "Tom revealed: “The guide lies.”" in table("replay").stdout
    table("adjust mara free/gold=+1 --why 'a bribe'")
    table(f"erase {head(folder)} --yes")
    assert "Mara gained one gold." in recap(table)
    table("note 'the guide lies'")
    table(f"erase {head(folder)} --yes")
    assert "A note was erased." in recap(table)


def test_a_reroll_tells_both_results(table: Type) -> None:
    table("adjust mara multicheck/pk=+1 --new")
    table("multicheck test mara body --faces 99 --for swims")
    done = table("choose --reroll --faces 5")
    assert done.exit_code == 0, done.output
    assert (
        "Mara tried to swim and rolled a failure. Mara then paid one karma point to roll again and got a success."
        in recap(table)
    )


def test_an_offer_that_changed_nothing_leaves_the_result_as_it_was(table: Type) -> None:
    table("edge check mara --skill 11 --advantage x --target 40 --faces 7,3,5 --for swims")
    done = table("choose --drop-instead 7")
    assert done.exit_code == 0, done.output
    first = "Mara tried to swim and rolled a complete failure."
    told = f"{first} Mara then paid one point of edge to drop a different die, but it was still a complete failure."
    assert told in recap(table)


def test_a_reroll_of_an_attempt_at_two_things_names_the_character(table: Type) -> None:
    table("adjust mara multicheck/pk=+1 --new")
    table("multicheck test mara body --faces 99 --for 'climbs the wall and looks around'")
    assert table("choose --reroll --faces 5").exit_code == 0
    told = "Mara tried to climb the wall and look around, and rolled a failure. Mara then paid one karma point to roll again and got a success."
    assert told in recap(table)


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("--for 'ich schwimme'", "Mara made a body roll (“ich schwimme”) and got a failure."),
        ("--for 'swims and dives'", "Mara tried to swim and dive, and rolled a failure."),
        ("--for 'ich schwimme, ja'", "Mara tried this: “ich schwimme, ja.” Mara rolled a failure."),
    ],
)
def test_a_reroll_of_a_quoted_attempt_or_of_two_names_the_character(table: Type, deed: str, told: str) -> None:
    table("adjust mara multicheck/pk=+1 --new")
    table(f"multicheck test mara body --faces 99 {deed}")
    assert table("choose --reroll --faces 5").exit_code == 0
    assert f"{told} Mara then paid one karma point to roll again and got a success." in recap(table)


def test_a_roll_without_a_purpose_begins_with_its_first_result(table: Type) -> None:
    table("edge check mara --skill 11 --advantage x --target 40 --faces 7,3,5")
    assert table("choose --drop-instead 7").exit_code == 0
    (told,) = (line for line in recap(table) if "complete failure" in line)
    assert told.startswith("Mara rolled a complete failure. Mara then paid one point of edge")


@pytest.mark.parametrize(
    ("outcome", "noun"),
    [
        ("narrowly failed", "a narrow failure"),
        ("failed with a limp", "a failure with a limp"),
        ("failed by five", "a failure by five"),
        ("hit", "a hit"),
        ("nobody won", "“nobody won”"),
    ],
)
def test_an_outcome_may_be_told_as_a_noun(outcome: str, noun: str) -> None:
    assert outcome_as_noun(outcome) == noun


def test_a_task_of_a_game_without_words_for_it_is_told_as_on_the_sheet(book: Book) -> None:
    task = OpenQuestion(seq=1, at="", type=SHEET_QUESTION_TYPE, who="", says="clock: runs out", system="coin")
    assert task_in_words(book, task) == "The table still has a task: clock: runs out."


def test_a_note_after_an_event_does_not_open_its_scene(table: Type) -> None:
    for line in ("scene 'The mill'", "adjust mara free/gold=+1", "note 'it rains'"):
        assert table(line).exit_code == 0, line
    lines = recap(table)
    assert lines[lines.index("The mill") + 1] == "“It rains.”"


def test_an_attack_tells_the_result_before_an_offer(table: Type) -> None:
    done = table("edge attack mara pistol brak --skill 15 --target 31 --advantage x --faces 6,6,9")
    assert done.exit_code == 0, done.output
    done = table("choose --drop-instead 9")
    assert done.exit_code == 0, done.output
    told = "rolled a miss. Mara then paid one point of edge to drop a different die, but it was still a miss."
    assert f"Mara attacked Brak with the pistol and {told}" in recap(table)


def test_a_reroll_without_words_for_it_tells_only_the_last_result(table: Type) -> None:
    table("adjust mara multicheck/pk=+1 --new")
    table("edge damage mara pistol --faces 5,4")
    done = table("choose --boost 1 --faces 6")
    assert done.exit_code == 0, done.output
    assert [line for line in recap(table) if "damage" in line] == ["Mara rolled 19 damage."]


def test_an_adjustment_of_what_only_the_rules_keep_track_of_is_left_out(table: Type) -> None:
    table("edge grant mara advantage --why x")
    table("adjust mara advantage.any=-1 --why 'back to 0'")
    assert not [line for line in recap(table) if "back to 0" in line]


@pytest.mark.parametrize(
    ("who", "name"),
    [
        ("guard", "The guard"),
        ("ghost-knight", "The ghost knight"),
        ("goblin-2", "Goblin 2"),
        ("goblin2", "Goblin 2"),
        ("lyra", "Lyra"),
        ("harpooner", "The harpooner"),
        ("tax-collector", "The tax collector"),
        ("robber", "The robber"),
        ("peter", "Peter"),
        ("walker", "Walker"),
        ("mary-ann", "Mary-Ann"),
    ],
)
def test_a_monster_without_a_full_name_has_an_article_or_a_number(table: Type, who: str, name: str) -> None:
    table(f"npc {who}")
    assert last(table, f"roll {who} d6 --faces 5") == f"{name} rolled 5 on a d6."


@pytest.mark.parametrize(
    ("why", "says"),
    [
        ("killed by brak", "The boss was killed by Brak."),
        ("Fled", "The boss fled."),
        ("the rope broke", "The boss left, because the rope broke."),
    ],
)
def test_the_story_tells_why_a_character_left(table: Type, why: str, says: str) -> None:
    for line in ("npc boss", f"leave boss --why '{why}'"):
        assert table(line).exit_code == 0, line
    assert table("chronicle").stdout.splitlines()[-1].strip().rpartition("  #")[0] == says
    assert f"    {says}\n" in table("recap").stdout


def test_a_character_who_left_without_a_reason_is_not_told(table: Type) -> None:
    for line in ("note x", "npc boss", "leave boss"):
        assert table(line).exit_code == 0, line
    assert "boss" not in table("recap").stdout


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("boss", "Mara rolled against the boss and succeeded."),
        ("The boss.", "Mara rolled against the boss and succeeded."),
        ("the old miller", "Mara rolled against the old miller and succeeded."),
        ("mara", "Mara rolled for Mara and succeeded."),
        ("healing potion", "Mara rolled for a healing potion and succeeded."),
        ("healing the guard", "Mara healed the guard."),
        ("old sword", "Mara rolled for an old sword and succeeded."),
        ("dragon fire", "Mara rolled for the dragon fire and succeeded."),
        ("!", "Mara tried this and succeeded: \u201c!\u201d"),
        ("herself free", "Mara rolled (\u201cherself free\u201d) and succeeded."),
    ],
)
def test_a_deed_that_is_only_a_name_or_a_thing_needs_no_quote(table: Type, deed: str, says: str) -> None:
    for line in ("npc boss", "npc miller --name 'the old miller'", "leave boss"):
        assert table(line).exit_code == 0, line
    assert last(table, f"free check mara d20 --vs 10 --faces 15 --for '{deed}'") == says


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        (
            "past the boss, who never sleeps",
            "Mara got past the boss, who never slept.",
        ),
        (
            "Down the rope and into the hall without waking the dog",
            "Mara got down the rope and into the hall without waking the dog.",
        ),
        ("after her", "Mara went after her."),
        ("back to the boat", "Mara got back to the boat."),
        ("after the boss", "Mara went after the boss."),
        ("after the long, long day", "Mara tried this and succeeded: \u201cafter the long, long day.\u201d"),
    ],
)
def test_a_deed_that_is_only_a_way_or_a_goal_gets_its_verb(table: Type, deed: str, says: str) -> None:
    table("npc boss")
    assert last(table, f"free check mara d20 --vs 10 --faces 15 --for '{deed}'") == says


@pytest.mark.parametrize(
    ("deed", "says"),
    [
        ("not be seen", "Mara managed not to be seen."),
        ("don\u2019t slip", "Mara managed not to slip."),
        ("never to look back", "Mara managed never to look back."),
        ("not the rope", "Mara rolled (\u201cnot the rope\u201d) and succeeded."),
    ],
)
def test_a_deed_may_be_something_to_avoid(table: Type, deed: str, says: str) -> None:
    assert last(table, f'free check mara d20 --vs 10 --faces 15 --for "{deed}"') == says


@pytest.mark.parametrize(
    ("roll", "says"),
    [
        (
            "check mara d20 --vs 10 --faces 15 --for '\"I am your niece.\"'",
            "said \u201cI am your niece\u201d and succeeded.",
        ),
        (
            "check mara d20 --vs 10 --faces 15 --for '\u201cstop, or I shoot!\u201d'",
            "shouted \u201cStop, or I shoot!\u201d and succeeded.",
        ),
        ("roll mara d20 --faces 14 --for '\"a light?\"'", "asked \u201cA light?\u201d and rolled 14."),
        ("roll mara d20 --faces 14 --for '\"is that it?\"'", "asked \u201cIs that it?\u201d and rolled 14."),
        ("roll mara d20 --faces 14 --for '\".\"'", "rolled 14: \u201c\u2018.\u2019\u201d"),
    ],
)
def test_a_deed_may_be_direct_speech(table: Type, roll: str, says: str) -> None:
    assert last(table, roll if roll.startswith("roll") else f"free {roll}") == f"Mara {says}"


@pytest.mark.parametrize(
    ("energy", "says"),
    [
        ("9", "In the debate, Mara and Brak beat the mayor."),
        ("1", "In the debate, Mara and Brak lost to the mayor."),
    ],
)
def test_a_contest_about_a_task_names_both_sides(table: Type, energy: str, says: str) -> None:
    for line in (
        "npc mayor",
        "join mayor byzantine general=20 energy=9",
        "byzantine contest debate --acting mara,brak --against mayor --kind task",
        f"byzantine commit mara debate {energy} --for 'make him look a fool'",
        "byzantine commit brak debate 1",
        "byzantine commit mayor debate 5",
    ):
        assert table(line).exit_code == 0, line
    assert last(table, "byzantine resolve debate") == says
    assert "The debate began: Mara and Brak against the mayor." in table("recap").stdout
    assert "Mara committed energy to the debate to make him look a fool." in table("recap").stdout


@pytest.mark.parametrize(
    ("deed", "against"), [("poison", "poison"), ("dragon fire", "dragon fire"), ("falling stone", "a falling stone")]
)
def test_a_save_is_made_against_its_cause(table: Type, deed: str, against: str) -> None:
    told = last(table, f"multicheck save mara toughness --grade hard --faces 3 --for '{deed}'")
    assert told == f"Mara rolled a toughness save against {against} and failed badly."


def test_a_deed_with_its_own_verb_is_told_in_the_past(table: Type) -> None:
    told = last(table, "multicheck save mara toughness --grade hard --faces 3 --for 'the ghouls start to sing'")
    assert told == "Mara rolled a toughness save when the ghouls started to sing, and failed badly."


def test_a_character_who_gets_lost_on_the_way_to_a_place_is_told_once(table: Type) -> None:
    for line in (
        "byzantine map canal --level streets --district harbor",
        "byzantine map market --level streets --district guilds",
        "byzantine go mara market --new --energy 4",
    ):
        assert table(line).exit_code == 0, line
    told = last(table, "byzantine go mara canal --new --energy 2 --for 'with the ledger'")
    assert told == "Mara reached the canal, but was lost there with the ledger."


@pytest.mark.parametrize(
    ("condition", "state"),
    [("poisoned", "was poisoned."), ("panic", "suffered from panic.")],
)
def test_a_condition_that_a_save_did_not_prevent_is_told(table: Type, condition: str, state: str) -> None:
    told = last(table, f"multicheck save mara toughness --condition {condition} --charges 4 --faces 3 --for poison")
    assert told.startswith("Mara rolled a toughness save against poison and failed")
    assert told.endswith(f". Mara {state}")


def test_a_condition_that_is_a_verb_has_a_cause(table: Type) -> None:
    told = last(table, "multicheck afflict mara bleeding --charges 3 --why 'a harpoon in the shoulder'")
    assert told == "Mara was bleeding from a harpoon in the shoulder."


def test_a_deed_with_a_pronoun_names_the_target(table: Type) -> None:
    assert table("npc harpooner").exit_code == 0
    assert table("join harpooner byzantine energy=9 general=9").exit_code == 0
    told = last(table, "byzantine attack mara harpooner --energy 9 --take 1 --for 'grabs him'")
    assert told == "Mara grabbed the harpooner. Mara took one energy from the harpooner."


def test_an_attack_names_its_target_once(table: Type) -> None:
    assert table("join guard-1 edge").exit_code == 0
    attack = "edge attack mara pistol guard-1 --ranks stealth --for 'shoots at the guard' --faces 9,9,1,1,1"
    assert table(attack).exit_code == 0
    assert "    Mara attacked guard 1 with the pistol and hit.\n" in table("recap").stdout


def test_an_open_choice_names_the_target_of_its_deed(table: Type) -> None:
    told = last(table, "byzantine attack mara brak --energy 9 --for 'grabs him'")
    assert told.startswith("Mara tried to grab Brak. The winner still has to choose how much energy to take")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "edge check mara stealth --bonus 1 --why rain --faces 9,9 --for hides",
            "Mara tried to hide with the help of the rain and succeeded completely.",
        ),
        (
            "edge check mara stealth --bonus=-1 --why 'wet boots' --faces 1,2 --for hides",
            "Mara tried to hide despite wet boots, but failed completely.",
        ),
        (
            "edge check mara stealth --bonus=-1 --why 'heavy rain' --faces 1,2 --for hides",
            "Mara tried to hide despite the heavy rain, but failed completely.",
        ),
        (
            "edge check mara stealth --bonus=-1 --why 'the guard is awake' --faces 9,9 --for hides",
            "Mara tried to hide and clearly succeeded, although the guard was awake.",
        ),
        (
            "edge check mara stealth --bonus=-1 --why 'the guard is awake' --faces 1,2 --for hides",
            "Mara tried to hide, but failed completely.",
        ),
        (
            "edge check mara stealth --bonus 1 --why 'the guard is asleep' --faces 9,9 --for hides",
            "Mara tried to hide and succeeded completely.",
        ),
        (
            "edge check mara stealth --bonus 1 --why 'from behind' --faces 9,9 --for hides",
            "Mara tried to hide and succeeded completely.",
        ),
        (
            "edge check mara stealth --disadvantage 'the crowd' --faces 9,9,8 --for 'climbs the wall and hides'",
            "Despite the crowd, Mara tried to climb the wall and hide, and narrowly succeeded.",
        ),
        (
            "edge check mara stealth --advantage 'a rope' --faces 9,9,1",
            "Mara made a stealth roll with the help of a rope and clearly succeeded.",
        ),
        (
            "rollunder skill mara riding --circumstance borrowed-mare=-2 --circumstance mud=-1 --faces 2 --for 'rides'",
            "Mara tried to ride despite the mud and clearly succeeded.",
        ),
    ],
)
def test_the_words_for_a_bonus_or_a_penalty_are_told(table: Type, line: str, told: str) -> None:
    assert last(table, line) == told


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("reads the chart", "Mara read the chart."),
        ("stops the cart", "Mara stopped the cart."),
        ("carries the core and a crate", "Mara carried the core and a crate."),
        ("reads the chart and sings", "Mara read the chart and sang."),
    ],
)
def test_an_act_that_cannot_fail_is_told_as_done(table: Type, deed: str, told: str) -> None:
    assert last(table, f"syscards act mara 1 --for '{deed}'") == told


def test_every_second_success_is_told_as_managed() -> None:
    acts = [Clause(who="Mara", did=f"tried to {act}", outcome="succeeded") for act in ("hide", "swim", "run")]
    failed = Clause(who="Brak", did="tried to dive", outcome="failed")
    assert story([acts[0], failed, *acts[1:]]) == [
        "Mara hid.",
        "Brak tried to dive, but failed.",
        "Mara swam.",
        "Mara ran.",
    ]


def test_a_task_that_names_a_thing_has_the(table: Type) -> None:
    assert (
        last(table, "byzantine task climb-tower --costs 9")
        == "The GM set how much energy it would take to climb the tower."
    )


def test_a_new_connection_is_told_with_what_it_gives(table: Type) -> None:
    assert table("byzantine lend mara soup --output 2 --why x").exit_code == 0
    assert "Mara got two more energy a day from the soup connection." in recap(table)


def test_a_deed_with_its_own_verb_is_told_after_the_roll_and_quoted_if_it_is_not_certain(table: Type) -> None:
    told = last(table, "multicheck save mara toughness --grade hard --faces 3 --for 'the ghouls start and sing'")
    assert told == "Mara rolled a toughness save when the ghouls started and sang, and failed badly."
    told = last(table, "multicheck save mara toughness --grade hard --faces 3 --for 'the ghouls I woke start to sing'")
    assert told == "Mara rolled a toughness save and failed badly: \u201cthe ghouls I woke start to sing.\u201d"


def test_a_reward_is_earned_for_an_act(table: Type) -> None:
    told = last(table, "edge award brak --amount 1 --for 'saving the mail car'")
    assert told == "Brak earned one point of edge for saving the mail car."


CLIMB = "climbs while the watch is asleep, so nobody sees the rope"
CLIMBED = "tried to climb while the watch was asleep, so nobody would see the rope, and narrowly succeeded."


def test_the_result_of_a_deed_with_a_clause_follows_after_a_comma(table: Type) -> None:
    assert last(table, f"{CHECK} '{CLIMB}'") == f"Mara {CLIMBED}"


def test_words_before_a_thing_are_no_second_verb() -> None:
    for did in ("tried to jump after her", "tried to hide as a monk", "tried to land before the storm"):
        assert story([clause("Mara", did, outcome="fled")]) == [f"Mara {did} and fled."]


def test_a_circumstance_comes_before_a_deed_with_a_clause(table: Type) -> None:
    table(f"edge check mara --skill 11 --faces 7,6 --bonus=-1 --why 'the rain' --for '{CLIMB}'")
    assert recap(table)[-1] == f"Despite the rain, Mara {CLIMBED}"


@pytest.mark.parametrize("deed", ["Mara climbs the wall", "mara climbs the wall", "she climbs the wall"])
def test_a_deed_may_start_with_the_character_who_acts(table: Type, deed: str) -> None:
    assert last(table, f"{CHECK} '{deed}'") == "Mara tried to climb the wall and narrowly succeeded."


def test_a_deed_that_only_happens_again_is_not_quoted(table: Type) -> None:
    assert (
        last(table, "edge check mara stealth --faces 7,6 --for again")
        == "Mara made a stealth roll and narrowly failed."
    )


def test_a_group_is_told_together_although_the_gm_ruled_for_one(table: Type, folder: Path) -> None:
    table("edge check mara,brak --skill 11 --faces '7,6;2,3' --for 'swims across'")
    table(f"override {head(folder)} 'clings to the rope' --good --why 'Mara held it' --yes")
    told = "Mara and Brak tried to swim across: Mara narrowly succeeded."
    assert f"{told} Because Mara held it, the GM ruled it a success: Brak clung to the rope." in recap(table)


def test_a_group_is_told_together_although_the_verdict_has_no_words_of_its_own(table: Type, folder: Path) -> None:
    table("edge check mara,brak --skill 11 --faces '7,6;2,3' --for 'swims across'")
    table(f"override {head(folder)} success --good --why x --yes")
    told = "Mara and Brak tried to swim across: Mara narrowly succeeded. The GM ruled it a success for Brak."
    assert told in recap(table)


def test_an_override_of_a_challenge_is_told(table: Type, folder: Path) -> None:
    table("syscards challenge mara --against brak --faces 83,22 --for 'cuts him off at the bridge'")
    clash = next(
        seq for seq in range(head(folder), 0, -1) if table(f"override {seq} x --good --why x --dry-run").exit_code == 0
    )
    table(f"override {clash} 'Brak has to wait' --good --why x --yes")
    told = recap(table)
    assert "Mara challenged Brak, trying to cut him off at the bridge." in told
    first = "In the challenge, Mara beat Brak."
    assert f"{first} The GM ruled it a success for Mara: Brak had to wait." in told


def test_a_spent_point_that_lessens_an_injury_is_told(table: Type) -> None:
    table("edge injure mara serious --why x")
    told = last(table, "edge lessen mara serious")
    assert told == "Mara spent one point of edge to turn a serious injury into a minor one."


def test_a_change_by_hand_with_a_reason_is_a_part_of_the_story(table: Type) -> None:
    table("adjust mara gold=-2 --why 'a lantern'")
    table("adjust mara gold=-1 --why x")
    told = recap(table)
    assert told[told.index("What happened") + 1] == "Mara paid two gold for a lantern."
    assert told[told.index("Gained and lost") + 1 :] == ["In all, Mara lost three gold."]


def test_a_change_without_a_reason_that_the_totals_do_not_tell_is_told_for_the_record(table: Type) -> None:
    for line in ("npc guard", "join guard free gold=5", "adjust guard gold=-1", "adjust mara gold=-2"):
        assert table(line).exit_code == 0, line
    told = recap(table)
    assert told[told.index("For the record") + 1 :] == ["The guard lost one gold."]


def test_points_for_a_card_are_told_as_a_rise(table: Type) -> None:
    for line in ("syscards mode deal", "syscards price efficiency 2"):
        assert table(line).exit_code == 0
    told = last(table, "syscards buy mara efficiency --points 2 --card mara")
    assert told == "Mara raised Mara's efficiency by two."


def test_several_characters_were_something() -> None:
    acts = [clause(who, "was switched off by Mara") for who in ("drone 1", "drone 2", "drone 3")]
    assert story(acts) == ["Three drones were switched off by Mara."]


def test_a_deed_may_be_a_reason(table: Type) -> None:
    told = last(table, "edge check mara stealth --faces 7,6 --for 'because nobody else can'")
    assert told == "Mara made a stealth roll, because nobody else could, and narrowly failed."


def test_the_same_change_of_a_score_of_several_characters_is_one_sentence() -> None:
    acts = [Clause(who="", did=f"{who}'s air fell by one because of smoke.") for who in ("Mara", "Brak")]
    assert story(acts) == ["Mara's and Brak's air fell by one because of smoke."]
    assert story([acts[0], acts[0]]) == [acts[0].did, acts[0].did]


def test_a_quoted_deed_of_a_group_may_go_differently() -> None:
    acts = [clause(who, "", deed="ich", outcome=how) for who, how in (("Mara", "failed"), ("Brak", "succeeded"))]
    assert story(acts) == ["Mara and Brak tried this: “ich.” Mara failed and Brak succeeded."]


@pytest.mark.parametrize(
    ("deed", "faces", "told"),
    [
        ("climbs the wall", 15, "Mara climbed the wall."),
        ("climbs the wall", 5, "Mara tried to climb the wall, but failed."),
        ("climbs up and grabs the rope", 15, "Mara climbed up and grabbed the rope."),
        ("helps Brak climb and hide", 15, "Mara managed to help Brak climb and hide."),
        ("gets him to sit and wait", 15, "Mara managed to get him to sit and wait."),
        ("climb and rest", 15, "Mara managed to climb and rest."),
        ("hides while the guard sleeps", 5, "Mara tried to hide while the guard slept, but failed."),
        ("searches the desk", 15, "Mara searched the desk and succeeded."),
        ("searches the desk", 5, "Mara searched the desk, but failed."),
    ],
)
def test_a_success_is_told_as_an_act_and_a_failure_as_an_attempt(table: Type, deed: str, faces: int, told: str) -> None:
    assert last(table, f"roll mara d20 --vs 10 --faces {faces} --for '{deed}'") == told


@pytest.mark.parametrize(
    ("deed", "faces", "told"),
    [
        ("swings at the guard", 15, "Mara swung at the guard and hit."),
        ("swings at the guard", 5, "Mara swung at the guard, but missed."),
        ("throws her knife at him", 5, "Mara threw her knife at him, but missed."),
        ("attacks the guard", 15, "Mara attacked the guard and hit."),
        ("stabs the guard", 15, "Mara stabbed the guard."),
        ("stabs the guard", 5, "Mara tried to stab the guard, but missed."),
    ],
)
def test_an_attack_without_rules_hits_or_misses(table: Type, deed: str, faces: int, told: str) -> None:
    assert last(table, f"roll mara d20 --vs 10 --faces {faces} --for '{deed}'") == told


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("tries hard to hold the door", "tried to hold the door"),
        ("makes an attempt to shoot the rope", "tried to shoot the rope"),
        ("makes a stealth roll to hide", "tried to hide"),
        ("rolls to hide", "tried to hide"),
        ("try and calm the horse", "tried to calm the horse"),
        ("tries climbing the wall", "tried to climb the wall"),
        ("tries to try the back door", "tried the back door"),
        ("rolls the barrel to the gate", "tried to roll the barrel to the gate"),
    ],
)
def test_an_attempt_is_not_tried_twice(table: Type, deed: str, told: str) -> None:
    assert last(table, f"edge check mara stealth --faces 9,9 --for '{deed}'") == f"Mara {told} and clearly succeeded."


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("to see the dead face", "rolled a toughness save to see the dead face"),
        ("seeing the dead face", "rolled a toughness save when seeing the dead face,"),
        ("stays on her feet", "rolled a toughness save to stay on her feet"),
        ("not to scream", "rolled a toughness save not to scream"),
        ("save vs poison", "rolled a toughness save against poison"),
        ("falling grain sacks", "rolled a toughness save against falling grain sacks"),
    ],
)
def test_a_save_stays_a_save_whatever_is_typed_about_it(table: Type, deed: str, told: str) -> None:
    line = f"multicheck save mara toughness --grade hard --faces 3 --for '{deed}'"
    assert last(table, line) == f"Mara {told} and failed badly."


@pytest.mark.parametrize(
    ("deed", "told"),
    [("wisdom save against fear", "a wisdom save against fear"), ("save vs poison", "a save against poison")],
)
def test_a_plain_roll_may_be_a_save(table: Type, deed: str, told: str) -> None:
    assert last(table, f"roll mara d20 --vs 10 --faces 5 --for '{deed}'") == f"Mara rolled {told} and failed."


@pytest.mark.parametrize(
    ("deed", "told"),
    [("to see who is inside", "who was inside"), ("sees if he's alive", "if he was alive")],
)
def test_a_plain_roll_to_see_something_finds_it_out(table: Type, deed: str, told: str) -> None:
    assert last(table, f'roll mara d20 --faces 14 --for "{deed}"') == f"Mara rolled 14 to find out {told}."


def test_a_condition_that_nobody_is_or_suffers_from_keeps_its_name(table: Type) -> None:
    table("multicheck afflict mara on-fire --charges 9 --why x")
    told = last(table, "multicheck turn mara")
    assert told == "Mara partly recovered from fear and the condition “on fire.”"


def test_a_gift_is_neither_a_gain_nor_a_loss(table: Type) -> None:
    table("give mara brak free/gold=2")
    assert recap(table)[-2:] == ["Brak has two gold more than before.", "Mara has two gold less than before."]


def test_a_single_change_is_no_sum(table: Type) -> None:
    table("adjust mara free/hp=-1 --why x")
    assert recap(table)[-1] == "Mara lost one hit point."
    table("adjust mara free/hp=-1 --why x")
    assert recap(table)[-1] == "In all, Mara lost two hit points."


def test_one_extra_die_is_not_called_dice(table: Type) -> None:
    table("multicheck test mara body --faces 35")
    assert last(table, "multicheck throw mara 6 --faces 4") == "Mara rolled 4 on the extra die."


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ("none", "poisoned, prone", "Mara was poisoned and became prone."),
        ("blind", "none", "Mara was no longer blind."),
        ("none", "level 2 curse", "Mara picked up the condition “level 2 curse.”"),
    ],
)
def test_the_conditions_on_a_free_sheet_are_told(table: Type, before: str, now: str, told: str) -> None:
    for words in (before, now):
        assert table(f"set mara free/conditions='{words}'").exit_code == 0
    assert told in recap(table)


def test_a_condition_is_told_with_its_reason(table: Type) -> None:
    table("set mara free/conditions=grappled --why 'the long tongue'")
    assert "Mara was grappled by the long tongue." in recap(table)
    table("set mara free/conditions=none --why 'the sharp knife'")
    assert "Mara was no longer grappled thanks to the sharp knife." in recap(table)


def test_other_words_on_a_sheet_are_told_in_the_replay_with_their_content(table: Type, folder: Path) -> None:
    table("set mara free/class=Rogue")
    table("set mara free/class=none")
    told = table(f"replay --from {head(folder) - 1}").stdout
    assert "The sheet of Mara changed: class: Rogue.\n" in told
    assert "The sheet of Mara changed: no class.\n" in told


def test_the_damage_that_a_save_did_not_prevent_is_told(table: Type) -> None:
    line = "multicheck save mara toughness --grade hard --faces 3 --effect damage=4 --for poison"
    assert last(table, line).endswith("and failed badly. Mara suffered six points of damage.")
    line = "multicheck save mara toughness --grade hard --faces 3 --effect fire=2 --to harm.fire"
    assert last(table, line).endswith("and failed badly. Mara took three fire.")


def test_a_ruling_against_the_dice_is_told_with_its_outcome(table: Type) -> None:
    table(f"{CHECK} hides")
    table("override last failure --why x --yes")
    assert table("replay --session 1").stdout.endswith("   The GM ruled it a failure for Mara.\n")


def test_several_canceled_actions_are_counted_in_the_replay(table: Type, folder: Path) -> None:
    first = head(folder) + 1
    for line in ("note one", "note two", f"void {first} {first + 1} --why x --yes"):
        assert table(line).exit_code == 0, line
    assert "   Tom canceled two actions.\n" in table("replay --session 1").stdout


def test_an_answer_to_a_question_that_is_no_dispute_is_told_in_the_replay(table: Type, folder: Path) -> None:
    for line in ("assert mara free/gold=3", "decide last stand --why x --yes"):
        assert table(line).exit_code == 0, line
    assert "   Tom settled an open question.\n" in table("replay --session 1").stdout


def test_an_attack_that_goes_on_is_told_in_the_past(table: Type) -> None:
    attack = "edge attack mara pistol brak --skill 15 --advantage surprise --faces 9,2,5"
    for line in ("adjust mara edge/edge=3", attack, "edge attack mara --go-on"):
        assert table(line).exit_code == 0, line
    assert "Mara continued the attack." in table("replay --session 1").stdout


@pytest.mark.parametrize(
    ("roll", "told"),
    [
        ("bow --vs 9 --faces 5", "Mara attacked with the bow, but missed."),
        ("bow adv --vs 9 --faces 5,15", "Mara attacked with the bow and hit."),
        ("attack --vs brak.ac --faces 15", "Mara attacked Brak and hit."),
        ("bow --vs brak.ac --faces 15", "Mara attacked Brak with the bow and hit."),
        ("bow --vs brak.ac --faces 15 --for 'stabs it'", "Mara stabbed Brak."),
        (
            "bow --vs brak.ac --faces 15 --for 'right there'",
            "Mara attacked Brak with the bow (“right there”) and hit.",
        ),
        ("climb --vs brak.ac --faces 15", "Mara made a climb roll against Brak and succeeded."),
    ],
)
def test_a_roll_that_is_named_after_a_weapon_is_an_attack(table: Type, roll: str, told: str) -> None:
    for line in ("set mara roll.bow=d20 roll.attack=d20", "adjust brak free/ac=12 --new"):
        assert table(line).exit_code == 0, line
    assert last(table, f"free check mara {roll}") == told


def test_a_task_that_names_a_person_is_told_with_an_article(table: Type) -> None:
    table("byzantine task find-witness --costs 9")
    assert (
        last(table, "byzantine attempt mara find-witness --energy 1") == "Mara tried to find the witness, but failed."
    )


def test_what_one_says_in_an_attempt_is_in_the_past(table: Type) -> None:
    told = last(table, 'edge check mara stealth --faces 9,9 --for "hides and says it\'s the cat"')
    assert told == "Mara tried to hide and say it was the cat, and clearly succeeded."


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("landed badly and twisted his ankle", "after landing badly and twisting his ankle"),
        ("fell and broke his arm", "after falling and breaking his arm"),
        ("bitten and clawed", "after being bitten and clawed"),
    ],
)
def test_both_verbs_of_a_reason_have_the_same_form(table: Type, why: str, told: str) -> None:
    assert last(table, f"edge injure brak minor --why '{why}'") == f"Brak suffered a minor injury {told}."


def test_a_reason_that_describes_the_thing_follows_it(table: Type) -> None:
    told = last(table, "give brak mara free/gold=2 --why 'left on the floor'")
    assert told == "Mara received two gold from Brak, left on the floor."


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("when the ghoul laughs", "Mara rolled a toughness save when the ghoul laughed, and failed badly."),
        ("how long it lasts", "Mara tried to find out how long it would last, but failed badly."),
    ],
)
def test_the_moment_of_a_save_is_not_a_question(table: Type, deed: str, told: str) -> None:
    assert last(table, f"multicheck save mara toughness --grade hard --faces 3 --for '{deed}'") == told


def test_an_adverb_before_a_deed_follows_it(table: Type) -> None:
    told = last(table, "edge check mara stealth --faces 9,9 --for 'quietly opens the door'")
    assert told == "Mara tried to open the door quietly and clearly succeeded."


def test_a_kind_of_person_with_an_adjective_is_nobody_in_particular(table: Type) -> None:
    for line in ("npc lady --name 'The lady in white'", "join lady free"):
        assert table(line).exit_code == 0, line
    assert last(table, "adjust mara free/gold=-5 --why 'a coffee for the old lady'") == (
        "Mara paid five gold for a coffee for the old lady."
    )


def test_an_attack_does_not_name_its_target_again(table: Type) -> None:
    table("edge attack mara pistol brak --skill 5 --faces 2,3 --for 'swings at him'")
    assert "Mara attacked Brak with the pistol and missed." in recap(table)


def test_a_verb_after_does_keeps_its_form(table: Type) -> None:
    told = last(table, "adjust mara free/gold=+5 --why 'he does have the belt'")
    assert told == "Mara gained five gold, because he did have the belt."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("+9 --why 'coins in the well'", "gained nine gold from coins in the well"),
        ("-3 --why stolen", "lost three gold to a thief"),
    ],
)
def test_things_in_a_place_and_a_theft_are_told_as_reasons(table: Type, change: str, told: str) -> None:
    assert last(table, f"adjust mara free/gold={change}") == f"Mara {told}."


def test_a_challenge_is_not_told_as_if_its_aim_had_happened(table: Type) -> None:
    table("syscards challenge mara --against brak --faces 83,22 --for 'slips between them'")
    assert "Mara challenged Brak, trying to slip between them." in recap(table)


def test_a_roll_that_names_what_it_is_about_is_told_with_it(table: Type) -> None:
    told = last(table, "roll mara d20 --vs 10 --faces 5 --for 'Insight on the watchman'")
    assert told == "Mara made an insight roll on the watchman and failed."


def test_a_thing_without_a_gender_is_named_after_at(table: Type) -> None:
    table("adjust brak free/ac=12 --new")
    told = last(table, "free check mara d20 brak.ac --faces 5 --for 'throws her knife at it'")
    assert told == "Mara threw her knife at Brak, but missed."


def test_a_canceled_project_is_no_investment(table: Type) -> None:
    for line in ("byzantine invest mara 5 --project flying", "byzantine cancel mara flying"):
        assert table(line).exit_code == 0, line
    assert not [line for line in recap(table) if "invested" in line and "In all" in line]


def test_a_roll_for_several_things_is_told_without_a_quote(table: Type) -> None:
    told = last(table, "edge check mara stealth --faces 9,9 --for footprints")
    assert told == "Mara made a stealth roll for footprints and clearly succeeded."


def test_the_healing_of_a_character_is_a_noun(table: Type) -> None:
    assert (
        last(table, 'adjust mara free/hp=+1 --why "Brak\'s healing"')
        == "Mara gained one hit point from Brak's healing."
    )


def test_a_question_about_the_place_of_a_thing_is_told(table: Type) -> None:
    told = last(table, 'roll mara d100 --faces 42 --for "what\'s in the crown"')
    assert told == "Mara rolled 42 to find out what was in the crown."


@pytest.mark.parametrize(
    ("condition", "told"), [("guilty", "guilty"), ("furious", "furious"), ("hopeless", "hopeless")]
)
def test_a_condition_may_be_a_mood(table: Type, condition: str, told: str) -> None:
    assert last(table, f"multicheck afflict mara {condition} --charges 3 --why x") == f"Mara became {told}."


def test_a_character_may_freeze_to_death(table: Type) -> None:
    for line in ("npc boy", "join boy free", "roll boy d20 --faces 1"):
        assert table(line).exit_code == 0, line
    table("leave boy --why 'froze to death'")
    assert "The boy froze to death." in recap(table)
