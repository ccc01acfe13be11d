"""The sentences of the recap, the chronicle and the replay: each game words its own moves and verdicts."""

import json
from pathlib import Path

import pytest

from laid import laid_out
from ledger.journal.book import Book
from paths import GOLDEN
from projections import log
from projections.telling import Clause, clauses, story
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
    "set mara roll.axe-damage=d12 refill=hp",
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


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("edge check mara stealth --faces 9,9", "Mara rolled for stealth and clearly succeeded."),
        ("edge check mara --skill 4 --faces 2,3", "Mara rolled the dice and failed completely."),
        ("edge injure brak serious --why x", "Brak suffered one serious injury."),
        ("syscards card brak --kind ship", "The card Brak was described."),
        ("edge degrade brak --threshold 5 --why x", "Brak had worse armor from then on."),
        ("edge rest brak long", "Brak took a long rest."),
        ("edge wear mara vest", "Mara put on the vest."),
        ("edge grant mara advantage --why x", "Mara had advantage on the next check of any kind."),
        ("edge damage mara pistol --to brak --faces 5,4", "Mara rolled 13 damage."),
        ("multicheck test mara body --faces 99", "Mara rolled for body and failed."),
        ("multicheck test mara body --faces 56", "Mara rolled for body and failed, but not entirely."),
        ("multicheck save mara toughness --grade hard --faces 3", "Mara rolled the toughness save and failed badly."),
        ("multicheck afflict mara blind --charges 3 --why sand", "Mara got this condition: blind."),
        ("multicheck turn mara", "Mara felt one of the conditions weaken."),
        ("rollunder skill mara riding --faces 9", "Mara rolled for riding and succeeded."),
        ("rollunder plain mara cunning --faces 20", "Mara rolled for cunning and failed badly."),
        ("byzantine attempt mara wall --energy 2", "Mara attempted the task wall and failed."),
        ("byzantine invest mara 5 --project flying", "Mara invested five energy in the project flying."),
        ("byzantine withhold mara alms", "Mara withheld the connection alms."),
        ("byzantine contest duel --acting mara --against brak", "The contest duel began."),
        ("byzantine harm brak 3 --why x", "Brak lost three energy."),
        (
            "byzantine attack mara brak --energy 9 --take 2",
            "Mara attacked Brak and succeeded. Mara took two energy from Brak.",
        ),
        ("syscards rate mara 50", "Mara: needs 50 (Specialist)."),
        ("syscards rate mara 50 --throw --faces 60", "Mara rolled and succeeded."),
        ("syscards challenge mara --against brak --faces 70,60", "The challenge ended in this order: Mara, then Brak."),
        ("syscards mode deal", "The table changed to deal mode."),
        ("free check mara axe-damage --faces 5", "Mara rolled axe damage and got five."),
        ("free check mara d20 --vs 9 --faces 5", "Mara rolled d20 and failed."),
        ("free rest mara", "Mara rested."),
        ("coin flip mara --stake 1 --faces 1", "Mara rolled for flip. A choice is still open."),
        ("coin draw mara --number 40 --faces 73", "Mara rolled for draw and failed: miss."),
        ("coin give mara --to brak", "Mara played give."),
        ("roll mara d20 --faces 9", "Mara rolled d20 and got nine."),
        ("roll mara d20 --vs 5 --faces 9", "Mara rolled d20 and succeeded."),
        ("roll mara d20 --vs 15 --faces 9", "Mara rolled d20 and failed."),
        ("roll mara d6 --faces 5 --for 'throws the rope'", "Mara tried to throw the rope and rolled five."),
        ("roll mara d6 --faces 5 --for 'the rope'", "Mara rolled five: “the rope.”"),
        ("give mara brak free/gold=3 --why 'the rope'", "Mara gave Brak three gold: “the rope.”"),
        ("adjust mara free/gold=+20 free/hp=-2 --why loot", "Mara gained 20 gold and lost two hit points: “loot.”"),
        ("adjust mara free/hp.max=+1", "Mara's maximum hit points rose by one."),
        ("adjust mara free/hp.max=+1 --why luck", "Mara's maximum hit points rose by one: “luck.”"),
        ("adjust mara free/slots=-1 edge/edge=-1", "Mara lost one point of edge. Mara's slots fell by one."),
        ("adjust mara attack-dice=+1", "Mara's extra damage dice rose by one."),
        ("adjust mara free/gold=12", "The numbers of Mara stayed the same."),
        ("adjust mara free/slots=+2", "Mara gained two slots."),
        ("day next", "Mara: day 1: 5 energy."),
        ("note 'they cross'", "They cross."),
        ("edge check mara --skill 9 --edge --faces 5,6,7", "Mara rolled the dice. A choice is still open."),
        ("edge check mara --skill 9 --seal --faces 5,6", "A sealed roll was made. It is not revealed yet."),
    ],
)
def test_each_game_tells_its_moves_in_sentences(table: Type, line: str, told: str) -> None:
    assert last(table, line) == told


CHECK = "edge check mara --skill 11 --faces 7,6 --for"


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("climbs the wall", "Mara tried to climb the wall and barely succeeded."),
        ("stabs brak", "Mara tried to stab Brak and barely succeeded."),
        (
            "climbs the wall and looks at the river",
            "Mara tried to climb the wall and look at the river. The attempt barely succeeded.",
        ),
        ("ich klettere", "Mara attempted this: “ich klettere.” The attempt barely succeeded."),
        ("swimming!", "Mara attempted this: “swimming!” The attempt barely succeeded."),
    ],
)
def test_a_deed_is_told_in_a_form_that_is_right_for_any_text(table: Type, deed: str, told: str) -> None:
    assert last(table, f"{CHECK} '{deed}'") == told


def test_a_name_after_the_is_a_thing(table: Type) -> None:
    table("npc guard")
    assert last(table, f"{CHECK} 'talks past the guard'") == "Mara tried to talk past the guard and barely succeeded."


def test_the_deed_of_a_rate_is_told_with_its_roll(table: Type) -> None:
    table("syscards rate mara 50 --throw --faces 60 --for 'climbs the wall'")
    assert "Mara tried to climb the wall and succeeded." in table("recap").stdout


def test_the_gm_rules_instead_of_the_dice(table: Type, folder: Path) -> None:
    table(f"{CHECK} 'ich klettere'")
    table(f"override {head(folder)} 'she falls' --bad --why x --yes")
    assert "Mara attempted this: “ich klettere.” The GM ruled: “she falls.”\n" in table("recap").stdout


def test_an_attack_is_one_sentence_in_the_recap(table: Type) -> None:
    done = table("edge attack mara pistol brak --skill 15 --target 20 --faces 9,2,5,5,5")
    assert done.exit_code == 0, done.output
    assert "    Mara attacked Brak with the pistol and hit.\n" in table("recap").stdout


def clause(who: str, did: str = "rolled d6", *, outcome: str = "", deed: str = "", then: str = "") -> Clause:
    return Clause(who=who, did=did, outcome=outcome, deed=deed, then=then)


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        ([clause("Mara"), clause("Brak")], ["Mara and Brak rolled d6."]),
        ([clause("Mara"), clause("Mara"), clause("Mara")], ["Mara rolled d6 three times."]),
        ([clause("Mara", outcome="failed")] * 2, ["Mara rolled d6 twice and failed both times."]),
        ([clause("Mara", outcome="failed")] * 3, ["Mara rolled d6 three times and failed every time."]),
        (
            [clause("Mara", outcome="failed, but not entirely")] * 2,
            ["Mara rolled d6 twice. Both times, Mara failed, but not entirely."],
        ),
        (
            [clause("Mara", outcome="failed"), clause("Mara", outcome="succeeded")],
            ["Mara rolled d6 and failed, then rolled again and succeeded."],
        ),
        (
            [clause("Mara", outcome="failed"), clause("Mara", outcome="succeeded"), clause("Mara", outcome="failed")],
            ["Mara rolled d6 and failed.", "Mara rolled d6 again and succeeded.", "Mara rolled d6 again and failed."],
        ),
        (
            [clause("Mara", outcome="failed"), clause("Brak", outcome="succeeded")],
            ["Mara rolled d6 and failed.", "Brak rolled d6 and succeeded."],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed"), clause("Brak", "", deed="ich", outcome="failed")],
            ["Mara and Brak attempted this: “ich.” Both attempts failed."],
        ),
        (
            [clause(who, "", deed="ich", outcome="failed") for who in ("A", "B", "C")],
            ["A, B and C attempted this: “ich.” All attempts failed."],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed")] * 2,
            ["Mara attempted this twice: “ich.” Both attempts failed."],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed")] * 3,
            ["Mara attempted this three times: “ich.” All attempts failed."],
        ),
        (
            [clause("Mara", "", deed="ich", outcome="failed"), clause("Mara", "", deed="ich", outcome="succeeded")],
            ["Mara attempted this: “ich.” The attempt failed.", "Mara attempted this: “ich.” The attempt succeeded."],
        ),
        ([clause("Mara", "gave gold", deed="x")] * 2, ["Mara gave gold twice: “x.”"]),
        ([clause("Mara", "attacked and hit")] * 2, ["Mara attacked and hit.", "Mara attacked and hit."]),
        ([clause("Mara", then="It is open.")] * 2, ["Mara rolled d6. It is open.", "Mara rolled d6. It is open."]),
        ([clause("", "Day 1 began.")] * 2, ["Day 1 began.", "Day 1 began."]),
    ],
)
def test_equal_acts_are_joined(acts: list[Clause], told: list[str]) -> None:
    assert story(acts) == told


def test_what_several_gain_alike_is_told_of_each() -> None:
    gains = [Clause(who=who, did="gained 50 gold", each=True) for who in ("Mara", "Brak")]
    assert story(gains) == ["Mara and Brak each gained 50 gold."]


def recap(type_in: Type) -> list[str]:
    """The lines of the recap, without indents."""
    return [line.strip() for line in type_in("recap").stdout.splitlines() if line]


def test_notes_come_first_in_a_scene_and_bookkeeping_comes_last(table: Type) -> None:
    for line in (
        "scene 'The mill'",
        f"{CHECK} swims",
        "note 'it rains'",
        "day next --count 3",
        "adjust mara free/gold=+1",
    ):
        assert table(line).exit_code == 0
    lines = recap(table)
    assert lines[2:5] == ["The mill", "It rains.", "Mara tried to swim and barely succeeded."]
    appendix = lines.index("For the record")
    assert lines[appendix + 1 :] == ["Day 1 to day 3 passed.", "Mara gained one gold."]
    assert "Ana was there." in lines[:appendix]


def test_what_several_gained_alike_comes_before_what_each_gained(table: Type) -> None:
    table("adjust mara free/gold=+3 free/xp=+5 free/wits=+1 --new --why x")
    table("adjust brak free/xp=+5 free/wits=+1 --new --why x")
    lines = recap(table)
    gains = lines[lines.index("Gained and lost") + 1 : lines.index("Who was there")]
    assert gains == [
        "Brak and Mara each gained five experience points.",
        "Brak's wits rose by one.",
        "Mara gained three gold.",
        "Mara's wits rose by one.",
    ]


def test_gains_leave_out_what_only_the_rules_keep_track_of(table: Type) -> None:
    table("edge grant mara advantage --why x")
    table("edge grant brak advantage --why x")
    assert "Gained and lost" not in recap(table)


def test_a_single_day_and_a_death_are_told(table: Type) -> None:
    table("day next")
    assert "Day 1 began." in recap(table)
    table("byzantine harm brak 30 --why x --how dies")
    assert [line for line in recap(table) if line.startswith("Brak lost") and "died" in line]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (
            ["edge damage mara pistol --to brak --faces 5,4"],
            "Brak still has this to settle: incoming damage: 13 physical from mara, not yet checked against armor.",
        ),
        (
            ["note x", "assert mara edge=1"],
            "Mara's paper sheet and the record differ: edge: 1 on paper, 4 in the record. The GM has to decide.",
        ),
        (["edge check mara --skill 9 --seal --faces 5,6"], "A sealed roll is not revealed yet."),
        (
            ["edge check mara --skill 9 --edge --faces 5,6,7 --for 'climbs the wall'"],
            "Mara tried to climb the wall. A choice is still open.",
        ),
        (
            [f"{CHECK} swims", "dispute HEAD --player Ana --claim 'too dark'"],
            "Ana disputes this: Mara tried to swim and barely succeeded. The reason: “too dark.” The GM has to decide.",
        ),
        (
            [
                "adjust mara edge/skill.stealth=+1 --why x",
                "edge check mara stealth --faces 7,6",
                "void LOOT --why x --yes",
            ],
            "A correction changed a number behind this result: Mara rolled for stealth and barely succeeded. The GM has to decide.",
        ),
        (
            ["adjust mara multicheck/pk=+5", "adjust mara multicheck/pk=-5", "void LOOT --why x --yes"],
            "Mara's PK is −5, below 0. The GM has to decide.",
        ),
    ],
)
def test_what_is_open_is_told_in_sentences(table: Type, folder: Path, lines: list[str], told: str) -> None:
    first = head(folder)
    for line in lines:
        words = line.replace("HEAD", str(head(folder))).replace("LOOT", str(first + 1))
        done = table(words)
        assert done.exit_code == 0, done.output
    shown = table("recap").output
    assert f"{told}  #" in shown, shown


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
        "Mara rolled nine for initiative.",
        "In round 1, it was Mara's turn. Mara felt one of the conditions weaken.",
        "The turn order ended.",
        "Gob came to the table until the end of the session.",
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


def test_a_replay_tells_of_skipped_turns(table: Type) -> None:
    for typed in ("turns add mara 12", "turns add brak 8", "turns skip mara", "turns skip brak --always"):
        assert table(typed).exit_code == 0, typed
    told = table("replay --session 1").stdout
    assert "   In round 1, Mara's turn was skipped." in told
    assert "   Brak took no more turns.\n" in told


def test_a_full_chronicle_says_that_a_choice_was_made_and_a_roll_revealed(table: Type, folder: Path) -> None:
    table("edge check mara --skill 9 --edge --faces 5,6,7")
    table(f"choose {head(folder) - 1} --drop 5")
    table("edge check mara --skill 9 --seal --faces 5,6")
    table(f"reveal {head(folder)}")
    told = table("chronicle --all").stdout
    assert "Mara rolled the dice. The choice was made later." in told
    assert "A sealed roll was made. It was revealed later." in told
    assert "Tom reveals #" in told


def test_a_secret_note_and_erased_words_stay_hidden(table: Type, folder: Path) -> None:
    table("note 'the guide lies' --secret")
    assert "There is a secret note." in table("replay").stdout
    table("adjust mara free/gold=+1 --why 'a bribe'")
    table(f"erase {head(folder)} --yes")
    assert "Mara gained one gold." in recap(table)
    table("note 'the guide lies'")
    table(f"erase {head(folder)} --yes")
    assert "A note was erased." in recap(table)
