"""The story as players may hear it: the chronicle without what was taken back, and the recap of a session."""

import re
from html.parser import HTMLParser

import pytest

from cli.render.document import DocumentLine, as_html, as_markdown
from paths import GOLDEN
from terminal import Type, rows


def told(type_in: Type, words: str) -> list[str]:
    """The lines of a view, without their indents."""
    done = type_in(words)
    assert done.exit_code == 0, done.output
    return [line.strip() for line in done.stdout.splitlines() if line]


def test_the_chronicle_leaves_out_what_was_struck_bookkeeping_and_joins(evening: Type) -> None:
    for words in (
        "note slip",
        "undo",
        "void 17 --why x --yes",
        "settings edge injuries=minor,deadly",
        "assert mara edge=3",
    ):
        assert evening(words).exit_code == 0
    lines = told(evening, "chronicle")
    assert lines[:2] == ["The salt road", "Session 1: One (2026-11-20, present: Ana)"]
    assert not [
        line for line in lines if re.search("got a sheet|player|computer|void|settings|paper", line, re.IGNORECASE)
    ]
    every = told(evening, "chronicle --all")
    for words in (
        "Mara got a sheet for the game Edge.",
        "Ana is player",
        "Mara rolled 7 on 2d6.   (voided by #26)",
        "Tom undid this: ",
        "Settings",
        "paper",
    ):
        assert [line for line in every if words in line], words


def test_what_was_amended_is_told_in_its_place_as_it_came_out(evening: Type) -> None:
    before = told(evening, "chronicle")
    evening("amend 10 --skill 16 --why so --yes")
    assert told(evening, "chronicle")[2] == "Mara made a roll without a stated purpose and clearly succeeded.  #26"
    rolls = "two rolls without a stated purpose: the first roll clearly succeeded and the second succeeded completely."
    assert f"Mara made {rolls}" in told(evening, "recap")
    assert told(evening, "chronicle --at 23") == before
    assert told(evening, "chronicle --at 23 --corrected")[2] == told(evening, "chronicle")[2]


def test_a_choice_that_was_made_is_one_line_with_its_cost(evening: Type) -> None:
    evening("edge check mara --skill 11 --edge")
    assert "Mara still has to choose which die to drop." in told(evening, "chronicle")[-1]
    recap = told(evening, "recap")
    assert recap[recap.index("Still open") + 1] == "Mara still has to choose which die to drop."
    evening("choose 25 --drop 2")
    *_, note, check = told(evening, "chronicle")
    assert note == "“The guide.”  #23"
    assert check == "Mara made a roll without a stated purpose and narrowly succeeded.  #27"
    assert "Still open" not in told(evening, "recap")


def test_against_the_dice_the_recap_tells_what_the_gm_decided(evening: Type) -> None:
    evening("override 10 'she falls' --bad --why x --yes")
    assert (
        told(evening, "recap")[4] == "Mara made a roll without a stated purpose. The GM ruled it a failure: she fell."
    )
    assert (
        told(evening, "chronicle")[2]
        == "Mara made a roll without a stated purpose. The GM ruled it a failure: she fell.  #10"
    )


def test_a_sealed_roll_is_open_until_it_is_told_and_an_unseen_one_is_not_there(evening: Type) -> None:
    evening("edge check mara --skill 11 --faces 7,6 --seal")
    evening("edge check mara --skill 11 --faces 7,6 --seal --unseen")
    assert told(evening, "chronicle")[-1] == "A sealed roll was made. The result is not revealed yet.  #24"
    recap = told(evening, "recap")
    assert recap[recap.index("Still open") + 1] == "A sealed roll is not revealed yet."
    evening("reveal 24")
    assert told(evening, "chronicle")[-1].startswith(
        "Mara made a roll without a stated purpose and narrowly succeeded."
    )
    assert "Still open" not in told(evening, "recap")


def test_the_recap_is_of_the_last_session_in_which_something_happened(evening: Type) -> None:
    first = told(evening, "recap")
    assert first[0] == "The salt road: session 1, One (2026-11-20)"
    evening("session close")
    evening("session open Two")
    evening("scene 'On the road'")
    assert told(evening, "recap") == first
    evening("edge rest brak short")
    second = told(evening, "recap")
    assert second == [
        "The salt road: session 2, Two (2026-11-20)",
        *("Who was there", "Tom was the GM."),
        *("What happened", "On the road", "Brak took a short rest."),
        *("Gained and lost", "Brak gained one point of edge."),
    ]
    assert told(evening, "recap --session 1") == first
    (facts,) = rows(evening("recap --json").stdout)
    assert facts["changed"] == [{"who": "brak", "score": "edge/edge", "amount": 1, "now": 2, "name": "brak"}]
    assert (facts["session"], facts["present"], facts["waiting"]) == (2, ["Tom"], [])
    assert facts["story"] == [{"title": "On the road", "notes": [], "deeds": ["Brak took a short rest."]}]
    assert (facts["gains"], facts["there"], facts["open"]) == (
        ["Brak gained one point of edge."],
        ["Tom was the GM."],
        [],
    )


def test_a_session_that_was_struck_has_no_recap(evening: Type) -> None:
    evening("session close")
    evening("session open Two")
    evening("undo")
    assert "never reached session 2" in evening("recap --session 2").stderr


def test_gains_are_what_is_left_of_them_and_what_one_joins_with_is_none(evening: Type) -> None:
    assert "Mara has one point of edge less than before." in told(evening, "recap")
    evening("edge award mara --amount 1 --why luck")
    assert "Gained and lost" not in told(evening, "recap")
    evening("join sam edge maximum=5")
    evening("adjust sam edge=-2 --why thirst")
    assert "Sam has two fewer points of edge than before." in told(evening, "recap")
    evening("session close")
    evening("adjust sam edge=+2 --why rest")
    assert "Sam has two fewer points of edge than before." in told(evening, "recap")
    evening("amend 11 edge=-2 --why 'it was two' --yes")
    assert "Mara has one point of edge less than before." in told(evening, "recap")


def test_open_is_what_was_asked_before_the_next_session(evening: Type) -> None:
    evening("session close")
    evening("dispute 10 --claim 'it was dark' --player Ana")
    evening("session open Two")
    evening("note hello")
    evening("dispute 14 --claim 'so was this' --player Ana")
    first, second = told(evening, "recap --session 1"), told(evening, "recap")
    dispute = "One of Mara's rolls narrowly succeeded. Ana objected to this: “it was dark.” This is not decided yet."
    assert dispute in first
    assert f"In session 1, one{dispute.removeprefix('One')}" in second
    assert not [line for line in first if "so was this" in line]
    assert [line for line in second if "so was this" in line]
    evening("decide 25 uphold --why x")
    assert dispute not in told(evening, "recap --session 1")


def play_long_session(evening: Type, *deeds: str) -> list[str]:
    """The recap of a session with 60 plain rolls, and with these deeds in the middle."""
    for number in range(60):
        evening(f"roll mara 1d6+{number} --faces 3 --for 'mile {number}'")
        for words in deeds if number == 30 else ():
            assert evening(words).exit_code == 0, words
    return told(evening, "recap")


def test_a_long_session_is_shortened_in_the_middle(evening: Type) -> None:
    lines = play_long_session(evening)
    assert [line for line in lines if "chronicle" in line] == [
        "23 smaller things happened, too; the chronicle has them."
    ]
    assert "Mara rolled 62 for “mile 59.”" in lines
    assert "Mara rolled 33 for “mile 30.”" not in lines
    assert len(lines) < 60


@pytest.mark.parametrize(
    ("deed", "told_as"),
    [
        ("note 'the milestone'", "“The milestone.”"),
        ("roll mara d20 vs 5 --faces 20 --for 'climb the hill'", "Mara climbed the hill."),
        ("roll mara d20 vs 5 --faces 1 --for 'climb the hill'", "Mara tried to climb the hill, but failed."),
        ("edge injure mara minor --why 'a thorn'", "Mara suffered a minor injury from a thorn."),
        (
            "edge check brak --skill 8 --faces 1,1 --for swims",
            "Brak tried to swim, but failed completely.",
        ),
    ],
)
def test_a_note_a_wound_or_an_extreme_result_is_never_left_out(evening: Type, deed: str, told_as: str) -> None:
    assert told_as in play_long_session(evening, deed)


def test_a_condition_and_a_gift_with_a_reason_are_told_before_plain_rolls(evening: Type) -> None:
    sheets = ("join mara multicheck attribute.body=40", "join mara free gold=5", "join brak free")
    acts = ("multicheck afflict mara blind --charges 2 --why sand", "give mara brak free/gold=2 --why 'the rope'")
    lines = play_long_session(evening, *sheets, *acts)
    assert {"Mara became blind from sand.", "Mara gave Brak two gold for the rope."} <= {*lines}


CLIMB = "edge check brak --skill 8 --faces 5,3 --for 'climb the hill'"


@pytest.mark.parametrize(
    ("correction", "told_as"),
    [
        ("dispute last --claim 'it was dark' --player Ana", "Brak tried to climb the hill, but narrowly failed."),
        ("amend last --skill 20 --why 'it was dark' --yes", "Brak tried to climb the hill and clearly succeeded."),
        (
            "override last 'she falls' --bad --why 'it was dark' --yes",
            "Brak tried to climb the hill. Because it was dark, the GM ruled it a failure: she fell.",
        ),
    ],
)
def test_a_disputed_corrected_or_overruled_result_is_never_left_out(
    evening: Type, correction: str, told_as: str
) -> None:
    assert told_as in play_long_session(evening, CLIMB, correction)
    assert "Brak tried to climb the hill, but narrowly failed." not in told(evening, "recap --at 60")


def test_a_scene_with_cuts_still_ends_with_the_new_day(evening: Type) -> None:
    play_long_session(evening, "roll brak d4 --faces 2 --for luck")
    for words in ("day next", "scene Dawn", "note 'Nobody sleeps.'"):
        assert evening(words).exit_code == 0
    lines = told(evening, "recap")
    assert lines[lines.index("Dawn") - 2 : lines.index("Dawn")] == [
        "25 smaller things happened, too; the chronicle has them.",
        "Day 1 began.",
    ]


@pytest.mark.parametrize(
    ("rolls", "sentence"),
    [
        (38, "One smaller thing happened, too; the chronicle has it."),
        (40, "A few smaller things happened, too; the chronicle has them."),
    ],
)
def test_few_cuts_are_told_without_their_number(evening: Type, rolls: int, sentence: str) -> None:
    for number in range(rolls):
        evening(f"roll mara 1d6+{number} --faces 3 --for 'mile {number}'")
    assert sentence in told(evening, "recap")


def test_who_did_it_again_at_once_is_told_as_often_as_it_came_out_alike(evening: Type) -> None:
    for faces in ("9,8", "2,3", "9,8", "9,8"):
        evening(f"edge check brak --skill 8 --simple --faces {faces} --for swims")
    assert [line for line in told(evening, "recap") if line.startswith("Brak")] == [
        "Brak swam.",
        "Brak tried again to swim, but failed.",
        "Brak tried twice more to swim and succeeded both times.",
    ]


PAGES = {
    "chronicle.md": "chronicle --markdown",
    "chronicle-all.md": "chronicle --all --markdown",
    "chronicle.html": "chronicle --html",
    "chronicle-all.html": "chronicle --all --html",
    "recap.md": "recap --markdown",
    "recap.html": "recap --html",
}


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_are_what_they_were(evening: Type, name: str) -> None:
    for words in (
        "note 'a <b>bold</b> *plan* & \"more\"'",
        "void 17 --why x --yes",
        "dispute 10 --claim 'dark' --player Ana",
    ):
        assert evening(words).exit_code == 0
    assert evening(PAGES[name]).stdout == (GOLDEN / "pages" / name).read_text(encoding="utf-8")


ALLOWED = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "ul", "li", "del", "small"}


class Tags(HTMLParser):
    """Checks that every tag is closed, and notes which there are and with what."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_in_html_is_whole_runs_nothing_and_brings_nothing_from_elsewhere(evening: Type) -> None:
    evening("note '<script src=http://x.example/a.js></script><img src=x onerror=alert(1)>'")
    for words in ("chronicle --all --html", "recap --html"):
        text = evening(words).stdout
        tags = Tags()
        tags.feed(text)
        tags.close()
        assert tags.open == []
        assert {tag for tag, _ in tags.met} <= ALLOWED
        assert not [attrs for _, attrs in tags.met if {"src", "href", "onerror", "onload"} & attrs.keys()]
        assert "url(" not in text
        assert "@import" not in text
        assert "&lt;script src=http" in text


def test_text_that_looks_like_markdown_stays_text() -> None:
    texts = ["# no title", "1. no list", "- no list", "<b>*a*_b_`c`</b> [d](e)", "~~f~~", "12 orcs"]
    marked = list(as_markdown([DocumentLine(level=0, text=text) for text in texts]))
    assert marked == [
        "- \\# no title",
        "- 1\\. no list",
        "- \\- no list",
        "- \\<b\\>\\*a\\*\\_b\\_\\`c\\`\\</b\\> \\[d\\](e)",
        "- \\~\\~f\\~\\~",
        "- 12 orcs",
    ]


def test_letters_that_would_turn_the_text_are_seen_in_html_too() -> None:
    text = "".join(as_html([DocumentLine(level=1, text="a\u202eb"), DocumentLine(level=0, text="ä\x1b[2J")]))
    assert "<h1>a\\u202eb</h1>" in text
    assert "<li>ä\\u001b[2J</li>" in text


@pytest.mark.parametrize("view", ["replay", "recap", "chronicle", "luck"])
def test_a_session_is_named_alike_in_every_view(evening: Type, view: str) -> None:
    with_flag = told(evening, f"{view} --session 1")
    assert told(evening, f"{view} session:1") == told(evening, f"{view} --session session:1") == with_flag


def test_a_session_is_named_once(evening: Type) -> None:
    assert told(evening, "recap 1") == told(evening, "recap session:1")
    refused = evening("recap session:1 --session 1")
    assert (refused.exit_code, "You named the session twice. Name it once." in refused.stderr) == (2, True)
    assert "'x' is not a whole number" in evening("replay session:x").stderr


@pytest.mark.parametrize("words", ["chronicle --json", "replay --corrected"])
def test_an_answer_brings_the_costs_of_its_question_however_few_entries_are_read_at_once(
    evening: Type, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    for line in (
        "edge check mara --skill 11 --target 20 --edge --faces 7,3,7",
        "note A door opens.",
        "choose drop 3",
        "edge check mara --skill 12 --target 20 --edge --faces 7,3,7",
    ):
        assert evening(line).exit_code == 0
    at_once = told(evening, words)
    assert "edge 4 → 3" in " ".join(at_once)
    monkeypatch.setattr("projections.replay.ENTRIES_AT_ONCE", 1)
    assert told(evening, words) == at_once
