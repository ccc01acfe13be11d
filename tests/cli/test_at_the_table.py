"""At the table: who plays, whose turn it is, how things stand, and the word about a session that is not open."""

from datetime import timedelta
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.context import Invocation
from cli.main import campaign
from ledger.events.entry import entry_json
from ledger.journal.book import open_book
from projections.status import moment
from table import EVENING
from terminal import Type, completed, head, rows


@pytest.fixture
def table(type_in: Type, folder: Path) -> Type:
    """A campaign with mara and brak, and its first session."""
    type_in("session open One --present Ana")
    return type_in


SAYS = "No session is open. To open one: campaign session open TITLE\n"


def test_a_range_of_names_seats_as_many_non_player_characters(table: Type) -> None:
    done = table("npc bandit-1..3 wolf,bear")
    assert done.stdout.endswith("bandit-1, bandit-2, bandit-3, wolf, bear join this session\n")
    assert table("npc crow").stdout.endswith("crow joins this session\n")
    assert completed("roll", "bandit") == ["bandit-1", "bandit-2", "bandit-3"]
    assert table("npc rat-08..10").stdout.endswith("rat-08, rat-09, rat-10 join this session\n")
    table("session close")
    assert completed("roll", "bandit") == []
    assert "Nobody called 'wolf'" in table("roll wolf d6").stderr


def test_the_end_of_a_session_names_the_attacks_that_were_left_unfinished(table: Type) -> None:
    table("set mara weapon.knife=1d6+2 --why sheet")
    table("npc wolf")
    table("join wolf edge maximum=1")
    table("edge attack mara knife wolf --skill 19 --target 10 --faces 7,8")
    goes_on = "To continue: campaign edge attack mara --go-on\n"
    dry = table("session close --dry-run").stderr
    assert dry.startswith("Dry run: nothing was written.\nThis is not finished: mara attack: ")
    assert dry.endswith(goes_on)
    closed = table("session close")
    assert "This is not finished: mara attack: " in closed.stderr
    assert f"{goes_on}To continue this session, first undo the command that closed it: campaign undo\n" in closed.stderr
    table("session open Two")
    assert "not finished" not in table("session close").stderr, "it was named at the end of its own session"


def test_the_end_of_a_session_names_five_unfinished_moves_and_counts_the_rest(table: Type) -> None:
    table("npc wolf-1..7")
    table("join wolf-1..7 edge maximum=1")
    table("edge damage wolf-1..7 --damage 3 --to mara")
    for number in range(1, 8):
        table(f"edge check wolf-{number} --skill 3 --edge --faces 7,3,7")
    table("edge check mara --skill 3 --edge --faces 7,3,7")
    said = table("session close").stderr
    assert said.count("This is not finished: ") == 5
    assert "Open questions: 8. To list them: campaign questions\n" in said


def test_a_session_left_open_is_mentioned_after_a_week_without_an_entry(folder: Path) -> None:
    def typed(words: str, days: int) -> Result:
        moment = Invocation(clock=lambda: EVENING + timedelta(days=days))
        return CliRunner().invoke(campaign, [*words.split(), *["--clock-ok"] * ("status" not in words)], obj=moment)

    says = (
        "Session 1 is still open, and nothing was entered for {} days. To close the session: campaign session close\n"
    )
    assert typed("session open One", 0).stderr == ""
    assert "still open" not in typed("status", 6).stderr + typed("note six", 6).stderr
    assert typed("status", 13).stderr == says.format(7)
    assert typed("status --at 3", 13).stderr == ""
    assert typed("note fourteen", 14).stderr == says.format(8)
    assert "still open" not in typed("note again", 14).stderr
    assert "still open" not in typed("session close", 40).stderr + typed("status", 50).stderr
    assert "still open" not in typed("session open Two", 60).stderr


def test_an_error_about_one_of_several_characters_says_that_nothing_was_written_for_any(table: Type) -> None:
    table("npc bandit-1..2")
    for_two = table("adjust bandit-1..2 luck=+1 --why x").stderr
    assert for_two.startswith("Error: bandit-1 has")
    assert "Nothing was written for any of the 2 characters.\n" in for_two
    for_one = table("adjust bandit-1..1 luck=+1 --why x").stderr
    assert for_one.startswith("Error: bandit-1 has")
    assert "Nothing was written" not in for_one


def test_non_player_characters_who_were_typed_wrong_are_amended_as_they_are_typed(table: Type) -> None:
    seated = table("npc bandit-1..3").stdout
    done = table(f"amend {seated.split()[0].removeprefix('#')} --names bandit-1,bandit-4..5 --why misheard --yes")
    assert (done.exit_code, done.stderr) == (0, "")
    assert completed("roll", "bandit") == ["bandit-1", "bandit-4", "bandit-5"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("npc", 2, "Missing argument"),
        ("npc bandit-4..1", 2, "'bandit-4..1' is not a range."),
        ("npc bandit-1..200", 2, "'bandit-1..200' is not a range."),
        ("npc wolf wolf", 2, "You named wolf twice"),
        ("npc wolf hp=7/7", 2, "'hp=7/7' is a score, not the name of a character."),
        ("npc wolf hp=7/7", 2, "Hint: To give characters scores: campaign join WHO GAME hp=7/7"),
        ("day next 3", 2, "To advance several days: day next --count 3"),
        ("npc wolf,,bear", 2, "A name in the list is empty. Check the commas."),
        ("npc mara", 3, "The name mara is already taken."),
        ("npc Wolf_1", 2, "cannot be the short name"),
        ("npc p4", 2, "reserved"),
        ("leave ghost", 3, "Nobody called 'ghost'"),
        ("join '\udcff'", 2, "cannot be the short name"),
        ("join Ghost", 3, "Nobody called 'ghost' plays in this campaign."),
        ("join ghost", 3, "Nobody called 'ghost' plays in this campaign."),
        ("turns next", 3, "The turn order is empty."),
        ("turns end", 3, "There is no turn order."),
        ("turns add ghost 3", 3, "Nobody called 'ghost'"),
        ("turns add mara x", 2, "'x' is not a whole number"),
        ("turns add mara --x", 2, "'--x' is not a whole number"),
        ("turns roll mara 3d", 2, "cannot be read"),
        ("turns roll Ana d20", 3, "Nobody called 'Ana'"),
        ("turns roll mara d20 --faces 21", 3, "cannot show"),
        ("turns turn", 2, "No such command"),
    ],
)
def test_what_cannot_be_is_refused_with_the_facts(table: Type, words: str, code: int, says: str) -> None:
    done = table(words)
    assert (done.exit_code, done.stdout) == (code, "")
    assert says in done.stderr


def test_who_leaves_comes_back_with_the_sheet(table: Type) -> None:
    sheet = table("sheets mara").stdout
    assert table("leave m").stdout.endswith("mara leaves the table\n")
    assert "mara" not in table("sheets").stdout
    assert "campaign join mara" in table("join mara edge").stderr
    assert table("join mara").stdout.endswith("mara returns to the table\n")
    assert table("sheets mara").stdout == sheet


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("join sam edge", "The sheet is empty. To add numbers: campaign adjust sam SCORE=N\n"),
        ("join sam free", "The sheet is empty. To add numbers: campaign adjust sam SCORE=N --new\n"),
        ("join rat-1..2 edge", "The sheet is empty. To add numbers: campaign adjust rat-1,rat-2 SCORE=N\n"),
        ("join sam edge maximum=4", ""),
        ("join sam edge --dry-run", "Dry run: nothing was written.\n"),
        ("join sam syscards", ""),
    ],
)
def test_an_empty_sheet_is_said_to_be_empty(line: str, says: str, table: Type) -> None:
    assert table(line).stderr == says


def test_a_players_character_needs_no_sheet_to_roll_and_to_take_turns(table: Type) -> None:
    table("player Ben --plays sam")
    assert table("roll sam d20 --faces 7").stdout.endswith("sam rolls d20 = 7   [7]\n#12   Ben is present\n")
    assert table("turns add sam 12").stdout.endswith("sam has initiative 12\n")
    assert table("turns next").stdout.endswith("round 1: sam's turn\n")
    assert "The name sam is already taken." in table("npc sam").stderr
    assert completed("roll", "sa") == ["sam"]
    assert "Sam rolled 7 on a d20." in table("recap").stdout
    assert table("verify").exit_code == table("audit").exit_code == 0


def test_a_roll_for_all_is_also_for_players_characters_without_a_sheet(table: Type) -> None:
    table("session close")
    table("player Ben --plays sam")
    assert [line.split()[1] for line in table("roll all d20").stdout.splitlines()] == ["mara", "sam"]


ALL = ["roll all d20", "turns roll all d20", "edge rest all short", "adjust all edge=+0 --why x"]


@pytest.mark.parametrize("line", ALL)
def test_a_line_for_all_names_the_characters_that_it_leaves_out(table: Type, line: str) -> None:
    table("player Eve --plays sera")
    table("join sera edge maximum=3")
    table("join kim free gold=1")
    done = table(line)
    others = ", kim (no player)" if "d20" in line else ""
    assert f"Not included: sera (Eve is absent), brak (no player){others}.\n" in done.stderr
    assert "Not included" not in table(f"{line} --json").stderr


def test_a_line_for_all_that_leaves_nobody_out_says_nothing_of_it(table: Type) -> None:
    table("player Ana --plays brak")
    table("npc gob")
    assert "Not included" not in table("roll all d20").stderr


def test_a_change_for_all_names_the_present_characters_that_lack_the_score(table: Type) -> None:
    table("player Ana --plays kim")
    table("join kim free gold=1")
    done = table("adjust all gold=+5 --why loot")
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["kim"]
    assert "Not included: mara (no gold).\n" in done.stderr


def test_the_same_number_for_a_range_in_the_turn_order_is_said_once(table: Type) -> None:
    table("npc gob-1..3")
    told = table("turns add gob-1..3 12").stderr
    assert told == (
        "gob-1, gob-2 and gob-3 have the same number, and act in this order. To change the order: "
        "campaign turns add gob-3 12 --before gob-1\n"
    )


def test_a_line_for_all_names_at_most_five_characters_that_it_leaves_out(table: Type) -> None:
    for number in range(6):
        table(f"join sam-{number} free gold=1")
    assert table("roll all d20").stderr.endswith("sam-2 (no player), sam-3 (no player), and 2 more.\n")


def test_a_change_for_all_of_a_score_that_only_others_have_is_refused_with_their_names(table: Type) -> None:
    table("join kim free gold=1")
    refused = table("adjust all gold=+1 --why loot")
    assert refused.exit_code == 3
    assert "Error: Nobody at the table has 'gold'. Not included: kim (no player).\n" in refused.stderr


def test_a_character_without_a_sheet_leaves_and_comes_back(table: Type) -> None:
    table("player Ben --plays sam")
    table("leave sam")
    assert "Nobody called 'sam'" in table("roll sam d20").stderr
    assert table("join sam").stdout.endswith("sam returns to the table\n")
    assert table("roll sam d20").exit_code == 0
    at = rows(table("note x --json").stdout)[0]["seq"]
    table("player Eva --plays kim")
    assert f"kim joined later, at #{at + 1}." in table(f"sheets kim --at {at}").stderr


def test_a_character_that_a_player_takes_over_from_the_gm_keeps_playing(table: Type) -> None:
    table("npc wolf")
    table("session close")
    table("player Ben --plays wolf")
    assert table("roll wolf d6").exit_code == 0
    assert "here     Tom (GM), Ana (mara), Ben (wolf)" in table("status").stdout
    table("join wolf edge maximum=2")
    assert table("leave wolf").exit_code == table("join wolf").exit_code == 0
    assert table("player Eva --plays wolf").exit_code == 0


def test_a_player_who_takes_a_character_over_is_told_whose_it_was(table: Type) -> None:
    done = table("player Ben --plays mara,sam")
    assert done.stdout.endswith("Ben is player p3 and plays mara (until now played by Ana), sam\n")
    assert table("player Ben --plays mara,kim").stdout.endswith("Ben is player p3 and plays mara, kim\n")
    table("erase --player Ana --yes")
    assert "plays mara (until now played by p2), sam" in table("log").stdout
    assert table("player Ben --plays mara --dry-run").exit_code == 3


def test_a_non_player_character_that_comes_back_lists_no_bookkeeping(table: Type) -> None:
    for who in ("thug-1", "mara"):
        table(f"npc {who}")
        assert table(f"join {who} byzantine output.stall=3").exit_code == 0
    assert table("byzantine contest duel --acting thug-1 --against mara").exit_code == 0
    table("session close")
    table("session open two")
    done = table("npc thug-1")
    assert done.stdout.endswith("thug-1 joins this session; thug-1 is back\n")
    assert done.stderr == (
        "This is not finished: thug-1 contest duel: no energy committed yet."
        " To continue: campaign byzantine commit thug-1 duel --energy N\n"
    )


def test_a_non_player_character_that_comes_back_hurt_says_so_and_may_start_over(table: Type) -> None:
    for words in ("npc thug-1,thug-2", "join thug-1 edge maximum=2", "edge soak thug-1 --damage 15", "session close"):
        table(words)
    table("session open two")
    back = table("npc thug-1,thug-2,orc")
    said = "thug-1, thug-2, orc join this session; thug-2 is back; thug-1 is back with physical damage 15\n"
    assert back.stdout.endswith(said)
    assert back.stderr == "To reset the scores: campaign npc thug-1 --fresh\n"
    table("session close")
    table("session open three")
    done = table("npc thug-1 --fresh --once a").stdout.splitlines()
    assert done[0].endswith("thug-1 joins this session; thug-1 is back with physical damage 15")
    assert done[1].endswith("thug-1 adjusted by hand: a fresh start   physical damage 15 → 0")
    assert table("npc thug-1 --fresh --once a").stdout.splitlines() == done
    table("session close")
    table("session open four")
    assert table("npc thug-1 --fresh").stdout.endswith("thug-1 joins this session; thug-1 is back\n")
    assert table("verify").exit_code == table("audit").exit_code == 0


def test_a_non_player_character_whose_first_seat_was_undone_is_new(table: Type) -> None:
    table("npc orc")
    table("undo")
    assert table("npc orc").stdout.endswith("orc joins this session\n")


def test_joining_a_character_that_did_not_leave_says_how_to_make_a_sheet(table: Type) -> None:
    refused = table("join mara")
    assert refused.stderr == (
        "Error: mara is already at the table.\nHint: To add a sheet for a game: campaign join mara GAME SCORE=N…\n"
    )


def test_the_turn_order_is_shown_and_kept(table: Type) -> None:
    assert table("turns").stderr == "There is no turn order.\n"
    assert rows(table("turns --json").stdout) == []
    table("npc wolf")
    table("turns add wolf -2")
    table("turns add mara 14")
    assert "mara has initiative 14" in table("log").stdout
    assert "brak rolls d20+2 = 15 for initiative   [13]" in table("turns roll brak d20+2 --faces 13").stdout
    assert table("turns").stdout == "turn order · before the first turn\n  brak  15\n  mara  14\n  wolf  −2\n"
    assert table("turns next").stdout.endswith("round 1: brak's turn\n")
    for _ in range(3):
        table("turns next")
    shown = "turn order · round 2\n  brak  15  has the turn\n  mara  14\n  wolf  −2\n"
    assert table("turns").stdout == shown
    assert rows(table("turns --json").stdout)[0] == {
        "who": "brak",
        "number": 15,
        "round": 2,
        "turn": True,
        "acted": True,
        "name": "brak",
    }
    head = rows(table("note x --json").stdout)[0]["seq"]
    assert "the turn order ends" in table("turns end").stdout
    assert table(f"turns --at {head}").stdout == shown
    assert table("verify").exit_code == table("audit").exit_code == 0


def test_a_difference_names_a_place_in_the_turn_order(table: Type) -> None:
    table("turns add mara 3")
    assert "mara\n  turn  – → 3  #9 turn added\n" in table("diff 8 9").stdout


def test_the_story_tells_a_turn_for_the_moves_that_came_with_it_alone(table: Type) -> None:
    table("join brak multicheck recovery=1 condition.fear=2")
    table("turns add mara 3")
    table("turns roll brak d20 --faces 12")
    table("turns next")
    table("turns next")
    table("turns end")
    told = table("chronicle --session 1").stdout
    assert "Brak partly recovered from fear." in told
    assert "turn of mara" not in told
    assert "turn order" not in told


def test_players_are_shown_with_whom_they_play(table: Type) -> None:
    table("player Ben --plays sam,brak")
    table("npc wolf")
    assert table("players").stdout == "p1   Tom  GM, plays wolf\np2   Ana  plays mara\np3   Ben  plays sam, brak\n"
    table("undo")
    table("undo")
    assert table("players").stdout == "p1   Tom        GM\np2   Ana        plays mara\n     no player  plays brak\n"
    table("leave mara")
    assert [seat["plays"] for seat in rows(table("players --json").stdout)] == [[], [], ["brak"]]
    assert "plays mara" in table("players --at 7").stdout
    table("player Ana --plays brak")
    table("undo")
    table("redo")
    assert "Ana  plays brak" in table("players").stdout


def test_the_status_is_one_screen(table: Type) -> None:
    table("scene 'At the gate'")
    table("day next")
    table("npc wolf")
    table("turns add wolf 3")
    table("edge check mara --skill 5 --edge --faces 3,4,5")
    table("edge check brak --skill 5 --seal --until session-end")
    (question,) = (row["seq"] for row in rows(table("status --json").stdout)[0]["waits"])
    lines = table("status").stdout.splitlines()
    assert lines[:6] == [
        "The salt road",
        "  session  1, One",
        "  scene    At the gate",
        "  day      1",
        "  here     Tom (GM: wolf), Ana (mara), no player (brak)",
        "  turns    nobody's turn yet: wolf 3",
    ]
    assert lines[6] == f"  open     #{question} mara check [3 4 5]: campaign choose {question} --drop N"
    assert lines[7].startswith("  sealed   #")
    assert "due at the end of the session: campaign reveal" in lines[7]
    table("turns next")
    assert "  turns    round 1, wolf: wolf 3" in table("status").stdout
    (found,) = rows(table("status --json").stdout)
    assert (found["session"], found["title"], found["scene"], found["day"], found["waiting"]) == (
        1,
        "One",
        "At the gate",
        1,
        1,
    )
    assert "session  1, One" in table("status --at 8").stdout
    assert "session  none is open" in table("status --at 7").stdout


def test_the_status_works_before_the_first_session_and_without_players(type_in: Type, folder: Path) -> None:
    type_in("-f new.campaign init 'New' --gm Tom")
    assert (
        type_in("-f new.campaign status").stdout
        == "New\n  session  none is open. To open one: campaign session open TITLE\n  here     Tom (GM)\n"
    )


def test_a_title_that_was_amended_or_brought_back_is_the_title(table: Type, file: Path) -> None:
    def title() -> str:
        with open_book(str(file)) as book:
            return moment(book).title

    table("amend 8 --title 'The ferry' --why x --yes")
    assert title() == "The ferry"
    table("undo")
    assert title() == "One"
    table("session close")
    assert title() == ""
    table("undo")
    assert title() == "One"


def test_of_many_questions_the_status_tells_the_first(table: Type) -> None:
    table("note x")
    for _ in range(7):
        table("dispute 9 --claim no --player Ana")
    lines = table("status").stdout.splitlines()
    assert sum(line.startswith("  open ") for line in lines) == 5
    assert lines[-1] == "  more     2 more questions and sealed rolls. To list all: campaign questions"


def test_a_roll_without_a_session_says_so_once(type_in: Type, folder: Path) -> None:
    assert type_in("join sam edge maximum=2").stderr == ""
    assert type_in("roll mara d6").stderr == SAYS
    assert type_in("roll mara d6").stderr == ""
    assert type_in("edge check mara --skill 5").stderr == ""
    type_in("session open One")
    assert type_in("roll mara d6").stderr == ""
    type_in("session close")
    type_in("note x")
    assert type_in("roll mara d6 --dry-run").stderr == "Dry run: nothing was written.\n"
    assert type_in("roll mara d6 --json").stderr == ""
    type_in("undo")
    assert type_in("roll mara d6").stderr == ""


def test_the_first_roll_after_a_session_says_that_none_is_open(table: Type) -> None:
    table("roll mara d6")
    table("session close")
    table("edge rest mara long")
    assert table("edge check mara --skill 5 --once a").stderr == SAYS
    assert SAYS not in table("edge check mara --skill 5 --once a").stderr
    assert table("edge check mara --skill 5 --seal").stderr == ""


def test_the_answer_says_which_of_several_sealed_rolls_is_whose(type_in: Type, folder: Path) -> None:
    type_in("session open One")
    type_in("npc gob-1..2")
    first = head(folder) + 1
    assert type_in("roll gob-1..2 d20 --seal --dry-run").stderr == "Dry run: nothing was written.\n"
    assert type_in("roll gob-1..2 d20 --seal").stderr == f"#{first} is gob-1's roll, #{first + 1} is gob-2's roll\n"


def test_a_sealed_roll_is_a_roll(type_in: Type, folder: Path) -> None:
    assert type_in("edge check mara --skill 5 --seal").stderr == SAYS
    assert type_in("roll mara d6").stderr == ""


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("Sir Galahad", "sir-galahad"),
        ("O'Malley", "omalley"),
        ("Bo & Co", "bo-co"),
    ],
)
def test_an_invalid_short_name_gets_a_valid_suggestion(table: Type, typed: str, offered: str) -> None:
    refused = table(["join", typed, "edge", "maximum=3"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    says = refused.stderr.splitlines()[-1]
    assert says == f"Hint: Type {offered}. To set the full name: campaign join {offered} GAME --name {quote(typed)}"
    seated = table(["player", "Ben", "--plays", typed]).stderr.splitlines()[-1]
    assert seated == f"Hint: Type {offered}. To set the full name: campaign rename {offered} {quote(typed)}"


@pytest.mark.parametrize("typed", ["王小明", "Тара", "7th", "x" * 33])
def test_a_name_without_latin_letters_gets_the_command_that_shows_it(table: Type, typed: str) -> None:
    refused = table(["join", typed, "edge", "maximum=3"])
    assert refused.exit_code == 2
    says = refused.stderr.splitlines()[-1]
    assert says == f"Hint: Choose a short name. To set the full name: campaign join SHORT GAME --name {quote(typed)}"


@pytest.mark.parametrize(("typed", "short"), [("Jonas", "jonas"), ("Zoë", "zoe"), ("ŁUKASZ", "lukasz")])
def test_capitals_and_accents_in_a_new_short_name_are_left_out(table: Type, typed: str, short: str) -> None:
    joined = table(["join", typed, "edge"])
    assert joined.stdout.endswith(f"{short} joins edge\n")
    names = f"The short name is {short}. To set the full name: campaign rename {short} {quote(typed)}\n"
    assert joined.stderr.startswith(names)
    assert table(["roll", typed.upper(), "d20", "=", "3"]).stdout.endswith(f"{short} rolls d20 = 3   [3]\n")


def test_the_chronicle_leaves_out_the_gms_changes_to_a_sheet(table: Type) -> None:
    table("set mara care=yes --why sheet")
    table("note hello")
    assert "care" not in table("chronicle").stdout
    assert "Hello." in table("chronicle").stdout


@pytest.fixture
def seated(type_in: Type, folder: Path) -> Type:
    """Make a campaign in which Ana plays mara and Ben plays brak, both in edge."""
    type_in("player Ben --plays brak")
    type_in("adjust brak edge=2 --why x")
    return type_in


@pytest.fixture
def older(seated: Type, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Type words whose entries name no line, as earlier versions of the program wrote them."""
    seated("player Cleo --plays kim")
    seated("session open One")

    def typed(*words: str, **how: Any) -> Result:
        with monkeypatch.context() as before:
            before.setattr("ledger.draft.entry_json", lambda *args: without_line(entry_json(*args)))
            return seated(*words, **how)

    return typed


def without_line(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "line"}


@pytest.mark.parametrize(
    "line", ["adjust all edge=-1 --why x", "adjust all edge=1 --why x", "roll all d20", "edge rest all short"]
)
def test_an_undo_takes_the_whole_line_for_all(seated: Type, file: Path, line: str) -> None:
    seated("session open One")
    before = head(file.parent)
    assert seated(line).exit_code == 0
    with open_book(str(file)) as book:
        acts = {book.entry(seq).act for seq in range(before + 1, book.head() + 1)}
    undone = seated("undo")
    assert undone.stderr == ""
    with open_book(str(file)) as book:
        assert len(acts) == 2
        assert all(map(book.is_struck, acts))


def test_an_undo_of_an_older_line_for_all_says_what_is_left(older: Type) -> None:
    older("adjust all edge=-1 --why x")
    first = older("undo").stderr
    assert (
        "The same command also changed mara. Those changes still count.\nTo undo those changes too: campaign undo 1\n"
        in first
    )
    assert "same command" not in older("undo").stderr


def test_an_undo_of_an_older_line_says_how_many_are_left(older: Type) -> None:
    older("roll all d20")
    told = older("undo").stderr
    assert (
        "The same command also changed mara, brak. Those changes still count.\nTo undo those changes too: campaign undo 2\n"
        in told
    )
    assert "same command" not in older("undo 2").stderr


def test_an_undo_of_an_older_line_counts_the_others_if_they_are_many(older: Type) -> None:
    older("player Cleo --plays one,two,three,four,five")
    older("roll all d20")
    assert (
        "The same command also changed 7 other characters. Those changes still count.\nTo undo those changes too: campaign undo 7\n"
        in (older("undo").stderr)
    )


def test_undoing_another_older_line_says_nothing_about_the_earlier_one(older: Type) -> None:
    for words in ("roll mara d20", "roll mara d20", "roll brak d6"):
        older(words)
    assert "same command" not in older("undo 2").stderr
    older("note x")
    assert "same command" not in older("undo").stderr


def test_a_new_number_in_the_turn_order_says_if_the_character_had_a_turn(seated: Type) -> None:
    for words in ("session open One", "turns add mara 20", "turns add brak 15", "turns next", "turns next"):
        seated(words)
    assert "mara's turn in round 1 is over.\n" in seated("turns add mara 10").stderr
    seated("npc wolf")
    assert seated("turns add wolf 3").stderr == ""


def test_the_turn_order_reports_equal_numbers(seated: Type) -> None:
    for words in ("session open One", "npc gob,hero", "turns add gob 12"):
        seated(words)
    said = "gob and hero have the same number, and act in this order. To change the order: campaign turns add hero 12"
    assert seated("turns add hero 12").stderr == f"{said} --before gob\n"
    assert seated("turns add hero 12 --before gob").stdout.endswith("hero has initiative 12, and acts before gob\n")


def test_the_suggested_first_move_names_its_game(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    assert "campaign coin flip brak …  play a move in coin\n" in type_in("").stdout


def test_a_character_without_a_sheet_rolls_takes_turns_and_can_leave(table: Type) -> None:
    assert table("player Ana --plays finn").stderr.startswith("finn can already roll dice. To play a game, finn needs")
    assert "finn has no sheet yet" in table("sheets finn").stderr
    assert table("roll finn d20 = 7").stdout.endswith("finn rolls d20 = 7   [7]\n")
    assert "finn rolls d6 = " in table("roll all d6").stdout
    assert table("turns add finn 12").stdout.endswith("finn has initiative 12\n")
    assert table("turns next").stdout.endswith("round 1: finn's turn\n")
    assert "The name finn is already taken." in table("npc finn").stderr
    assert "finn leaves the table" in table("leave finn").stdout
    assert "Nobody called 'finn'" in table("roll finn d20").stderr
    assert "finn returns to the table" in table("join finn").stdout
    assert "finn" in table("status").stdout


def test_a_non_player_character_gets_a_full_name_in_the_same_line(table: Type) -> None:
    done = table("npc wolf --name 'The Grey Wolf'").stdout
    assert "The Grey Wolf joins this session\n" in done
    assert done.endswith("wolf is now called The Grey Wolf\n")
    assert "The Grey Wolf rolls d6 = 4" in table("roll wolf d6 --faces 4").stdout


def test_a_non_player_character_that_plays_already_starts_over_on_the_spot(table: Type) -> None:
    for words in ("npc thug-1", "join thug-1 edge maximum=2", "edge soak thug-1 --damage 15"):
        table(words)
    refused = table("npc thug-1").stderr
    assert "thug-1 already plays in this session.\nHint: To reset the scores: campaign npc thug-1 --fresh\n" in refused
    done = table("npc thug-1,thug-2 --fresh").stdout.splitlines()
    assert done[0].endswith("thug-2 joins this session")
    assert done[1].endswith("thug-1 adjusted by hand: a fresh start   physical damage 15 → 0")
    assert (
        "Nothing to reset: all scores of thug-1 still have their starting values." in table("npc thug-1 --fresh").stderr
    )
    table("adjust thug-1 edge=-1")
    assert table("npc thug-1 --fresh").stdout.count("\n") == 1
    assert table("verify").exit_code == table("audit").exit_code == 0


def test_one_full_name_is_not_for_several_characters(table: Type) -> None:
    refused = table("npc wolf-1..3 --name Wolf")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "Hint: To name each character: campaign rename WHO NAME\n" in refused.stderr
    assert "You can use --name for one character only." in refused.stderr


def test_two_words_that_add_two_characters_say_so_and_how_to_add_one(folder: Path, type_in: Type) -> None:
    type_in("session open One")
    assert type_in("npc ghost knight").stderr == (
        "You added 2 characters. If you wanted only one, type 'campaign undo'."
        ' Then: campaign npc ghost-knight --name "ghost knight"\n'
    )
    assert type_in("npc wolf-1 wolf-2").stderr == type_in("npc bear").stderr == type_in("npc a b --json").stderr == ""


def test_a_plain_roll_takes_its_target_number_after_vs(folder: Path, type_in: Type) -> None:
    assert "✓ success against 15, margin +2" in type_in("roll mara d20 + 2 vs 15 --faces 15").stdout
    assert "✗ failure against 15, margin −3" in type_in("d20+2 vs 15 @mara --faces 10").stdout
    assert "cannot be read" in type_in("roll mara d20 vs jonas").stderr
    assert "against" not in type_in("roll mara 'd20 #' vs 15 --faces 10").stdout
    assert "cannot be read" in type_in("turns roll mara d20 vs 15").stderr
