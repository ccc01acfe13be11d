"""What a page shows, read as HTML: whose turn it is, long words, hints, and fields for numbers below 0."""

import ast
import re
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from at_page import Place
from evenings import evening
from examples import examples
from ledger.events.subjects import CAMPAIGN
from ledger.hints import TYPE_OR_USE, Either, Flag, Run
from ledger.journal.book import Book, open_book
from ledger.systems import BUILT_IN_GAMES, find
from messages import as_data
from paths import ROOT
from projections.log import lines
from projections.sheets import sheets, table_sheets
from table import every_game
from terminal import Type, head
from web.fragments import ENVIRONMENT, LONGEST_TEXT_SHOWN, MOST_CHARACTERS, MOST_LINES
from web.hints import PLACES_BY_COMMAND, on_the_page
from web.site import messages

pytestmark = pytest.mark.usefixtures("unhurried")


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (f"Make the choice: {Run('choose', 50)}", "Make the choice: #50 under “Open questions”."),
        (f"Do it with {Run('decide', 57, 'keep|amend', why='TEXT')}.", "Do it with #57 under “Open questions”."),
        (f"List the open questions with {Run('questions')}.", "List the open questions with “Open questions”."),
        (f"To undo #3, {TYPE_OR_USE} {Run('undo')}.", "To undo #3, use “Undo”."),
        (f"Say {Flag('on_found')} or {Flag('attributes')}.", "Say “on found” or “attributes”."),
        (
            f"Name a skill, or give the total bonus with {Flag('skill', 'N')}.",
            "Name a skill, or give the total bonus with “skill”.",
        ),
        (f"Use {Flag('scope', 'climbing')} instead.", "Use “scope” climbing instead."),
        (
            f"{Flag('not-related')} needs a reason: add {Flag('why', 'TEXT')}.",
            "“not related” needs a reason: add “why”.",
        ),
        (
            f"Set them on the sheet: {Run('set', 'rosa', 'edge/on.stealth=A,B', why='TEXT')}",
            "Set them on the sheet: edge/on.stealth=A,B for rosa under “Change values” on the GM page.",
        ),
        (
            f"Add it with {Run('adjust', 'mara', 'edge/edge=+N', why='TEXT')}.",
            "Add it with edge/edge=+N for mara under “Change scores” on the GM page.",
        ),
        (f"See the names {Either('with', 'on')} {Run('sheets', 'viktor')}.", "See the names on the sheet of viktor."),
        (
            f"It looks at the last 1,000 actions; for others: {Run('void', 'ENTRY', why='TEXT')}",
            "It looks at the last 1,000 actions; for others: “Void” on the line (only the GM).",
        ),
        (
            f"Do that first: {Run('edge soak', 'brak')}",
            "Do that first: “soak” (edge) under “All moves, gifts and notes”.",
        ),
        (
            f"To continue: {Run('edge attack', 'mara', go_on=True)}; or stop: {Run('set', 'mara', 'a=none', why='TEXT')}",
            "To continue: “attack” (edge) under “All moves, gifts and notes”, with “go on”; or stop: a=none for"
            " mara under “Change values” on the GM page.",
        ),
        (f"Enter the dice with {Flag('faces')}, or void it.", "Enter the dice with “dice”, or void it."),
        (f"Correct the name, or add {Flag('new')}.", "Correct the name, or add “this is a new name”."),
        (f"Add one: {Run('player', 'NAME', plays='WHO')}.", "Add one: “New player” on the GM page."),
        (
            f"See the campaign's key with {Run('key')}.",
            "See the campaign's key with 'campaign key'. The GM can type this command in a terminal.",
        ),
        (
            f"Start the page with: {Run('serve', lan=True, tls=True)}",
            "Start the page with: campaign serve --lan --tls. The GM can type this command in a terminal.",
        ),
        (f"Serve it with {Flag('tls-cert')}.", "Serve it with --tls-cert. The GM can type this command in a terminal."),
        (f"Write on with {Flag('fork')}.", "Write on with --fork. The GM can type this command in a terminal."),
        ("A note has \x02marks\x03.", "A note has \x02marks\x03."),
        ("This campaign was written by a newer program.", "This campaign was written by a newer program."),
        ("The cast is: brak, mara.", "The cast is: brak, mara."),
        ("", ""),
    ],
)
def test_a_sentence_names_the_place_on_the_page_or_says_that_it_is_typed_elsewhere(typed: str, shown: str) -> None:
    assert on_the_page(typed) == shown


@pytest.mark.parametrize("where", dict.fromkeys(PLACES_BY_COMMAND.values()))
def test_a_place_that_a_hint_names_is_on_the_page_of_the_person_who_may_use_it(where: str, place: Place) -> None:
    assert place.say("gm", "dispute", {"entry": 10, "claim": "x"}).status == 200
    address = (
        "/gm"
        if "GM page" in where
        else "/trust"
        if "Trust page" in where
        else "/entry/10"
        if "on {where}" in where
        else "/"
    )
    for label in re.findall("“(.+?)”", where):
        assert label in words(place.ask("gm", "GET", address).text)
        if "only the GM" in where:
            assert label not in words(place.ask("player", "GET", address).text)


def test_the_page_can_show_every_command_that_the_ledger_names() -> None:
    code = (ast.parse(path.read_text()) for path in (ROOT / "ledger").rglob("*.py"))
    commands = {data for tree in code for data in map(as_data, ast.walk(tree)) if isinstance(data, Run)}
    assert {on_the_page(f"Do it with {command}.")[-1] for command in commands} == {"."}


@pytest.mark.parametrize("game", BUILT_IN_GAMES)
def test_a_flag_that_a_game_names_is_a_field_of_one_of_its_forms(game: str) -> None:
    fields = {name.replace("_", "-") for move in find(game).rulebook().moves for name in move.fields()} | {"for"}
    code = (ast.parse(path.read_text()) for path in (ROOT / "ledger" / "systems" / game).glob("*.py"))
    flags = {data.words[0] for tree in code for data in map(as_data, ast.walk(tree)) if isinstance(data, Flag)}
    assert flags <= fields


def test_players_roll_for_initiative_on_the_page_of_their_character(place: Place) -> None:
    shown = place.ask("player", "GET", "/do/mara").text
    assert 'hx-post="say/turn"' in shown
    assert "Roll for initiative" in shown
    assert place.fills_in("player", "turn", {"who": "mara", "pool": "d20+2", "faces": "7"}).status == 200
    assert "Turns: mara 9" in words(place.ask("spectator", "GET", "/").text)


def test_everybody_sees_that_a_turn_comes_later(place: Place) -> None:
    for who, number in (("mara", 17), ("brak", 9)):
        assert place.fills_in("gm", "turn", {"who": who, "number": number, "before": ""}).status == 200
    assert place.fills_in("gm", "next-turn", {}).status == 200
    before = place.head()
    assert place.fills_in("gm", "delay-turn", {"who": "mara", "number": "", "after": ""}).status == 200
    assert "Turns, round 1: brak 9 , mara 9" in words(place.ask("player", "GET", "/").text)
    with open_book(str(place.file)) as book:
        assert b"Turns, round 1" in messages(book, before, "")[-1].data


def test_everybody_sees_whose_turn_it_is(place: Place) -> None:
    gm_page = place.ask("gm", "GET", "/gm").text
    assert "Add to the turn order" in gm_page
    assert "Next turn" not in gm_page, "there is no order yet"
    for who, number in (("mara", 17), ("brak", 9)):
        assert place.say("gm", "turn", {"who": who, "number": number}).status == 200
    assert "Turns: mara 17 , brak 9" in words(place.ask("spectator", "GET", "/").text)
    before = place.head()
    assert place.say("gm", "next-turn", {}).status == 200
    page = place.ask("player", "GET", "/").text
    assert "Turns, round 1: mara 17 , brak 9" in words(page)
    assert '<b class="who">mara</b> <small>17</small>' in page
    assert "Next turn" in place.ask("gm", "GET", "/gm").text
    with open_book(str(place.file)) as book:
        brought = messages(book, before, "")[-1].data
    assert b"Turns, round 1" in brought
    assert b"#evening" in brought
    assert "Turns: mara 17 , brak 9" in words(place.ask("player", "GET", f"/then?at={before}").text)


def test_a_long_note_is_cut_short_in_a_line_and_whole_behind_it(place: Place) -> None:
    text = " ".join(f"word{number}" for number in range(LONGEST_TEXT_SHOWN))
    assert place.say("gm", "note", {"text": text}).status == 200
    line = words(place.ask("player", "GET", "/").text)
    assert "word9 word10" in line
    assert " … " in line
    assert "word200" not in line
    assert text in words(place.ask("player", "GET", f"/entry/{place.head()}").text)


def test_the_keys_of_a_phone_can_type_what_may_be_below_0(place: Place) -> None:
    fields = {
        found[1]: "inputmode" in found[0]
        for game, move in (("edge", "check"), ("edge", "award"))
        for found in re.finditer(
            r'<input [^>]*name="inputs\.(\w+)"[^>]*pattern[^>]*>',
            place.ask("gm", "GET", f"/do/mara/{game}/{move}").text,
        )
    }
    assert fields["amount"], fields
    assert not fields["bonus"], fields


LINE = re.compile(r'<li id="a(\d+)".*?</li>', re.DOTALL)
SHEET = re.compile(r'<article class="sheet" id="sheet-([^"]+)".*?</article>', re.DOTALL)
PARTS = "{% import 'parts.html' as parts with context %}"
FEED = f"{PARTS}{{{{ parts.feed(lines) }}}}"
SHEETS = f"{PARTS}{{{{ parts.all_sheets(sheets, of_table, ['mara']) }}}}"


def page_of(book: Book) -> tuple[dict[str, str], dict[str, str]]:
    """The lines and the sheets of a page that is loaded now."""
    feed = ENVIRONMENT.from_string(FEED).render(lines=lines(book, None))
    pages = ENVIRONMENT.from_string(SHEETS).render(sheets=sheets(book, book.cast()), of_table=table_sheets(book))
    return found(LINE, feed), found(SHEET, pages)


def found(pattern: re.Pattern[str], html: str) -> dict[str, str]:
    """The parts of a page by their names, without the empty lines that no stream has."""
    return {match[1]: "\n".join(filter(None, match[0].splitlines())) for match in pattern.finditer(html)}


@given(data=st.data())
@examples(40)
def test_a_page_that_is_left_open_shows_what_one_shows_that_is_loaded_now(data: st.DataObject) -> None:
    with every_game() as book:
        evening(data.draw, book, 6)
        head, (line_by_act, sheet_by_name) = book.head(), page_of(book)
        evening(data.draw, book, 6)
        brought = [message.data.decode().replace("data: ", "") for message in messages(book, head, "")]
        fresh = page_of(book)
        for html in brought:
            line_by_act |= found(LINE, html)
            if 'id="of-table"' in html:
                sheet_by_name = {name: page for name, page in sheet_by_name.items() if not name.startswith(CAMPAIGN)}
                sheet_by_name |= {name: page for name, page in found(SHEET, html).items() if name.startswith(CAMPAIGN)}
            sheet_by_name |= {name: page for name, page in found(SHEET, html).items() if name in sheet_by_name}
            if "data-changed" in html:  # the page then loads all sheets anew
                sheet_by_name = fresh[1]
        assert (line_by_act, sheet_by_name) == fresh


def test_whoever_comes_and_goes_tells_open_pages_to_load_who_is_there(place: Place) -> None:
    for command, body in (
        ("join", {"who": "nina", "system": "edge", "scores": {"maximum": 4}}),
        ("undo", {}),
        ("redo", {}),
        ("player", {"name": "Max", "plays": "nina"}),
    ):
        before = place.head()
        assert place.say("gm", command, body).status == 200
        with open_book(str(place.file)) as book:
            assert b"data-changed" in messages(book, before, "")[-1].data, command
    before = place.head()
    assert place.say("gm", "note", {"text": "It rains."}).status == 200
    with open_book(str(place.file)) as book:
        assert b"data-changed" not in messages(book, before, "")[-1].data


@pytest.mark.parametrize(
    ("command", "form", "says"),
    [
        (
            "play",
            {"game": "edge", "move": "attack", "inputs.who": "mara"},
            "An attack needs a weapon and a target. Name both: “attack” (edge) under “All moves, gifts and notes”.",
        ),
        (
            "play",
            {"game": "syscards", "move": "throw", "inputs.who": "mara"},
            "mara has no declared rate. To declare a rate: “rate” (syscards) under “All moves, gifts and notes”.",
        ),
        ("set", {"who": "mara", "values": "presence", "why": "x"}, "'presence' is not a value like care=no."),
        ("adjust", {"who": "mara", "scores": "edge", "why": "x"}, "'edge' is not a score like edge=3."),
        (
            "play",
            {"game": "byzantine", "move": "attack", "inputs.who": "mara", "inputs.target": "brak", "inputs.energy": "1"}
            | {"inputs.against": "jonas"},
            "'jonas' is not a name and a value for “against”, like mara=2.",
        ),
    ],
)
def test_a_refusal_on_the_page_has_no_words_of_the_terminal(
    command: str, form: dict[str, str], says: str, place: Place
) -> None:
    refused = place.ask("gm", "POST", f"/say/{command}", form=form, headers={"hx-request": "true"})
    assert says in unescape(words(refused.text))
    assert not re.search(r"\b[A-Z]{3,}\b|--|campaign ", words(refused.text))


def test_who_plays_nobody_yet_is_told_so_and_may_still_write_a_note(place: Place) -> None:
    assert place.say("gm", "player", {"name": "Max"}).status == 200
    place.secrets["player"] = place.comes_in("player", "p4")
    page = place.ask("player", "GET", "/").text
    assert "You have no character yet." in page
    assert "Write a note" in page
    assert "You are Max." in page


def test_the_gm_of_an_empty_campaign_is_told_what_to_do_next(shm: Path) -> None:
    place = Place(shm, opening="-f road.campaign init 'The salt road' --gm Tom")
    page = words(place.ask("gm", "GET", "/").text)
    assert "Ask the GM" not in page
    assert "add each player under “New player”" in page
    assert place.fills_in("gm", "player", {"name": "Ana", "plays": ["mara"]}).status == 200
    assert place.fills_in("gm", "join", {"who": "mara", "system": "edge", "scores": {"maximum": 3}}).status == 200
    assert "There are no characters yet" not in place.ask("gm", "GET", "/").text


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("/", "Table · The salt road"),
        ("/then", "Earlier · The salt road"),
        ("/story", "Story · The salt road"),
        ("/trust", "Trust · The salt road"),
        ("/gm", "GM · The salt road"),
        ("/sheet/mara", "mara · The salt road"),
        ("/entry/15", "entry 15 · The salt road"),
        ("/do/mara/edge/check", "do mara edge check · The salt road"),
    ],
)
def test_each_title_names_its_page(path: str, title: str, shm: Path) -> None:
    place = Place(shm, ("note hello",))
    assert f"<title>{title}</title>" in place.ask("gm", "GET", path).text


def test_a_tap_on_a_number_of_back_then_says_why_it_was_that(place: Place) -> None:
    at = place.head()
    assert place.say("gm", "adjust", {"who": "mara", "scores": {"edge": "+1"}, "why": "a gift"}).status == 200
    link = re.search(r'href="(why/mara\?score=edge[^"]*)"', place.ask("player", "GET", f"/then?at={at}").text)
    assert link is not None
    then = words(place.ask("player", "GET", f"/{link[1]}".replace("&amp;", "&")).text)
    now = words(place.ask("player", "GET", "/why/mara?score=edge").text)
    assert f"mara · edge at #{at} was" in then
    assert ("a gift" in then, "a gift" in now) == (False, True)


def test_a_canceled_line_shows_its_number_once(place: Place) -> None:
    assert place.say("gm", "adjust", {"who": "mara", "scores": {"edge": "+1"}, "why": "a gift"}).status == 200
    gift = place.head()
    assert place.say("gm", "undo", {}).status == 200
    page = words(place.ask("gm", "GET", "/why/mara?score=edge").text)
    assert page.count(f"#{gift}") == 1, page


def test_a_weapon_reads_the_same_on_the_sheet_and_under_why(shm: Path) -> None:
    place = Place(shm, ("set mara weapon.bow=2d6+2 --why x",))
    page = words(place.ask("gm", "GET", "/why/mara?score=weapon.bow").text)
    assert "mara · weapon.bow is 2d6 + 2, physical" in page


def test_the_moves_of_a_free_sheet_have_their_own_heading(shm: Path) -> None:
    place = Place(shm, ("join mara free hp=3",))
    page = words(place.ask("gm", "GET", "/do/mara").text)
    assert ("mara edge" in page, "mara any dice" in page, "mara free" in page) == (True, True, True)


def test_the_feed_goes_back_to_the_first_line(place: Place) -> None:
    for number in range(MOST_LINES):
        assert place.say("gm", "note", {"text": f"note {number}"}).status == 200
    seen, address = list[int](), "/"
    while True:
        html = place.ask("spectator", "GET", address, headers={"hx-request": "true"}).text
        seen += map(int, found(LINE, html))
        more = re.search(r'href="(lines\?before=\d+)"', html)
        if more is None:
            break
        address = f"/{more[1]}"
    with open_book(str(place.file)) as book:
        assert seen == list(book.acts_backwards())


def test_an_invitation_that_no_phone_can_open_says_so(place: Place) -> None:
    made = place.ask("gm", "POST", "/invite", form={"seat": "p2", "uses": "1"}).text
    assert "Only this computer can open that address." in made
    place.site.address = lambda: "http://192.168.0.7:8000"
    made = place.ask("gm", "POST", "/invite", form={"seat": "p2", "uses": "1"}).text
    assert "Only this computer" not in made


def test_a_moment_on_the_page_names_its_zone_and_can_be_shown_in_that_of_the_reader(place: Place) -> None:
    moment = '<time datetime="2026-11-20T19:30:00Z">2026-11-20 19:30 UTC</time>'
    assert moment in place.ask("gm", "GET", "/gm").text
    assert moment in place.ask("gm", "GET", "/entry/7").text


CROWD = tuple(f"join npc-{number} edge maximum=4" for number in range(MOST_CHARACTERS + 10))


def test_the_first_page_stays_small_with_a_crowd(shm: Path) -> None:
    place = Place(shm, CROWD)
    page = place.ask("gm", "GET", "/").text
    assert page.count('class="sheet"') <= MOST_CHARACTERS * 2
    assert page.count('href="do/') == MOST_CHARACTERS
    assert "one of 12 more characters" in page


def test_a_character_of_a_crowd_is_found_by_name(shm: Path) -> None:
    place = Place(shm, CROWD)
    assert 'id="sheet-npc-39-edge"' in place.ask("spectator", "GET", "/sheet?who=npc-39").text
    assert '"do/npc-39/edge/check"' in place.ask("gm", "GET", "/do?who=npc-39").text
    assert place.ask("gm", "GET", "/do?who=").status == 404


def test_a_players_own_sheets_come_first_in_a_crowd(shm: Path) -> None:
    place = Place(shm, (*CROWD, "join zoe edge maximum=4", "player Ana --plays zoe"))
    page = place.ask("player", "GET", "/").text
    assert page.index('id="sheet-zoe-edge"') < page.index('id="sheet-npc-0-edge"')
    assert '"do/zoe"' in page
    assert "another character" not in page


@pytest.mark.parametrize("address", ["/", "/sheet/npc-39"])
def test_a_page_loads_its_own_sheets_if_more_change_than_it_shows(shm: Path, address: str) -> None:
    before = Place(shm, CROWD).head()
    place = Place(shm, (*CROWD, "adjust npc-0..39 edge=-1 --why x"))
    with open_book(str(place.file)) as book:
        brought = messages(book, before, "")[-1].data.decode()
    assert (brought.count('class="sheet"'), "data-changed" in brought) == (0, True)
    assert 'id="all-sheets" data-follows' in place.ask("gm", "GET", address).text


@pytest.mark.parametrize(("reader", "leads"), [("gm", True), ("player", True), ("spectator", False)])
def test_the_page_of_an_own_sheet_leads_to_its_rolls_on_the_table_page(place: Place, reader: str, leads: bool) -> None:
    link = re.search(r'href="\./#(sheet-mara-\w+)">Roll at the table<', place.ask(reader, "GET", "/sheet/mara").text)
    assert (link is not None) == leads
    assert link is None or f'id="{link[1]}"' in place.ask(reader, "GET", "/").text


def test_the_page_of_somebody_elses_sheet_leads_to_no_rolls(place: Place) -> None:
    assert "Roll at the table" not in place.ask("player", "GET", "/sheet/brak").text


def test_a_small_table_has_no_search(place: Place) -> None:
    assert 'id="find-' not in place.ask("gm", "GET", "/").text


def test_the_first_load_is_at_most_60_kilobytes(shm: Path) -> None:
    place, compressed = Place(shm, CROWD), {"accept-encoding": "gzip"}
    page = place.ask("gm", "GET", "/").text
    files = {path for path in re.findall(r'(?:href|src)="(static/[^"]+)"', page) if re.search(r"\.(?:css|js)\?", path)}
    assert len(files) == 9
    assert sum(len(place.ask("gm", "GET", f"/{path}", headers=compressed).body) for path in ("", *files)) <= 60_000


def links_to_sheets(place: Place, who: str) -> list[tuple[str, str]]:
    (links,) = re.findall(r'<nav class="jumps.*?</nav>', place.ask(who, "GET", "/").text)
    return re.findall(r'<a href="#([^"]+)">([^<]*)</a>', links)


def test_links_lead_to_each_sheet_of_a_player(shm: Path) -> None:
    place = Place(shm, ("join mara free dex=3",))
    games = [text for _, text in links_to_sheets(place, "player")]
    assert games[-1] == "All moves"
    assert {"edge", "free", "rollunder"} <= {*games}


def test_links_name_the_characters_if_there_are_many_sheets(shm: Path) -> None:
    links = links_to_sheets(Place(shm, CROWD), "gm")
    names = [text for _, text in links]
    assert len(names) == len({*names}) > 8
    assert all(each.split("-")[0] == "sheet" for each, _ in links[:-1])


def test_an_open_page_shows_how_many_rolls_of_an_import_were_canceled(folder: Path, type_in: Type) -> None:
    (folder / "two.csv").write_text("when,total\n2025-03-07 20:00Z,4\n2025-03-09 20:00Z,5\n", encoding="utf-8")
    assert type_in("import two.csv --yes").exit_code == 0
    before = head(folder)
    for line, shown in (("void last --why x", True), ("undo", False)):
        assert type_in(f"{line} --yes").exit_code == 0
        with open_book(str(folder / "road.campaign")) as book:
            brought = words(messages(book, before, "")[-1].data.decode())
        assert ("claimed by two.csv (1 of them canceled since)" in brought) == shown
        assert "2 rolls imported" in brought
        before = head(folder)
