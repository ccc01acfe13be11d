"""The notes of an Obsidian vault: readable by other programs, with right links, and without what must not be in them."""

import datetime
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from at_page import played
from evenings import evening
from examples import examples
from laid import PLAYED, laid_out
from ledger.archive.vault_folder import NoteName, Notes
from ledger.commands.at_table import Note, OpenSession, SetScene
from ledger.commands.calendar import SetCalendar
from ledger.commands.naming import Rename
from ledger.corrections.seals import Reveal
from ledger.events.types import DisputeRaised, RollSealed
from ledger.journal.book import Book, open_book
from paths import TESTS
from projections.exports.note_text import (
    LONGEST_NAME_BYTES,
    file_name,
    front_matter,
    link_text,
    markdown,
    property_text,
    safe_name,
)
from projections.exports.vault import vault
from projections.log import lines
from projections.recap import recap
from projections.sheets import sheets
from table import every_game, scribe
from terminal import Type
from typed_evenings import OPENING
from vault_reader import read_note, read_vault

NASTY = (
    "**bold** _it_ ~~no~~ ==mark==",
    "<b onclick=x>html</b> &amp; <!-- gone -->",
    "[[Secret plan]] ![[Secret plan]] [text](https://example.org) [^1]",
    "#tag and ^entry-1",
    "`= this.x` `$= dv.pages()` <% tp.file.delete() %> {{date}}",
    "%%hidden%% $x^2$ a:: b [key:: value] (key:: value) :::",
    "- item",
    "1. item",
    "# title",
    "> quote",
    "---",
    "=== x",
    "    code",
    "| a | b |",
    "\\ and \\[ and \\\\",
    "obsidian://open?vault=x",
    "yes: no # \"quoted\" 'single'",
    "null",
    "2026-01-01",
    "emoji 🎲 and ünïcödé",
)
"""Texts with the markup of Markdown, HTML, Obsidian, Dataview, Templater and YAML."""

NASTY_CHARACTERS = "[]#^|\\/:*?\"<>`%~=$&{}_-+.!()' \u00e9e\u0301\u200bAa1🎲"


def notes_of(book: Book, **flags: Any) -> Notes:
    return vault(book, {}, **flags)


def shown(text: str) -> str:
    return " ".join(text.split())


def test_every_link_of_any_evening_leads_to_a_note_and_a_block() -> None:
    @examples(6)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        with every_game() as book:
            scribe(book).write(OpenSession(title="One", present=("p2",)))
            evening(data.draw, book, 12)
            notes = read_vault(notes_of(book).texts)
            logs = [note for note in notes.values() if note.properties["type"] in {"session", "log"}]
            blocks = [block for note in logs for block in note.blocks]
            assert {f"entry-{line.seq}" for line in lines(book, None)} <= {*blocks}
            assert len(blocks) == len({*blocks})
            for page in (each for who in book.cast() for each in sheets(book, [who])):
                properties = notes[f"Characters/{page.who}"].properties
                for score in page.scores:
                    assert score.value in {value for key, value in properties.items() if key.startswith(page.system)}

    check()


@pytest.mark.parametrize("text", NASTY)
def test_what_people_typed_stays_text_everywhere(text: str) -> None:
    with every_game() as book:
        for command in (
            OpenSession(title=text, present=()),
            SetScene(title=text),
            Note(text=text),
            Note(text=f"one\n{text}\n\nthree"),
            Rename(who="mara", name=f"M{text[:70]}"),
        ):
            scribe(book).write(command)
        notes = read_vault(notes_of(book).texts)
        session = next(note for note in notes.values() if note.properties["type"] == "session")
        assert isinstance(session.properties["title"], str)
        assert any(shown(text) in each for each in (shown(each) for each in session.shown)) or not text.isprintable()
        assert {note.properties["campaign"] for note in notes.values()} == {"The salt road"}


@given(text=st.text(st.sampled_from(NASTY_CHARACTERS + "\n\t\ud800\ufffe\u0085 x"), max_size=30) | st.text(max_size=30))
def test_any_text_is_shown_as_typed_in_markdown_and_in_yaml(text: str) -> None:
    note = "\n".join(
        [*front_matter({"type": property_text(text), "aliases": [property_text(text)]}), "", "- " + markdown(text), ""]
    )
    read = read_note(note)
    assert isinstance(read.properties["type"], str)
    assert read.properties["aliases"] == [read.properties["type"]]
    if text.isprintable() and text.strip():
        assert read.shown == (text.strip(),)


@given(names=st.lists(st.text(st.sampled_from(NASTY_CHARACTERS), max_size=90) | st.text(max_size=90), max_size=6))
def test_file_names_are_right_on_every_system_and_differ_on_every_system(names: list[str]) -> None:
    taken: set[str] = set()
    files = [
        file_name(name, "Character x", taken) for name in [*names, "CON", "com1.txt", "NUL", "Mara", "MARA", "mara."]
    ]
    assert len({re.sub(r"\W", "", file.casefold()) for file in files} | {*range(len(files))}) >= len(files)
    assert len({file.casefold() for file in files}) == len(files)
    for file in files:
        assert not {*'[]#^|\\/:*?"<>'} & {*file}
        assert file == file.strip(" .")
        assert file.isprintable()
        assert len(file.encode()) < LONGEST_NAME_BYTES + 40
        assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", file, re.IGNORECASE)


def test_a_link_shows_every_sign_that_is_not_markup() -> None:
    assert link_text('Zoë\'s =Iron & "Salt"? A/B: 50%') == 'Zoë\'s =Iron & "Salt"? A/B: 50%'
    assert link_text("a]]b|c ==d== %%e%% f::g &amp; *h* `i`") == "a b c d e f: g amp; h i"


def test_a_name_in_another_form_of_unicode_gets_another_file() -> None:
    taken: set[str] = set()
    assert [file_name(name, "x", taken) for name in ("Zo\u00eb", "Zoe\u0308", "ZO\u00cb")] == [
        "Zo\u00eb",
        "Zo\u00eb 2",
        "ZO\u00cb 3",
    ]
    assert safe_name("\u200b??") == ""


def test_the_notes_have_properties_of_the_right_types(tmp_path: Path) -> None:
    with open_book(str(laid_out(tmp_path, *PLAYED, "day next"))) as book:
        notes = read_vault(notes_of(book).texts)
    assert notes["Sessions/Session 1 - One"].properties == {
        "type": "session", "campaign": "The salt road", "session": 1, "title": "One", "aliases": ["Session 1", "One"],
        "date": datetime.date(2026, 11, 20), "day": 1, "players": ["Ana", "Tom"], "characters": ["[[Characters/mara]]"],
        "questions": 0,
    }  # fmt: skip
    mara = notes["Characters/mara"].properties
    assert (mara["type"], mara["player"], mara["playing"], mara["games"]) == (
        "character",
        "Ana",
        True,
        ["coin", "edge"],
    )
    assert (mara["edge_edge"], mara["edge_skill_deception"]) == (3, 4)
    assert mara["sessions"] == ["[[Sessions/Session 1 - One]]"]
    assert "player" not in notes["Characters/brak"].properties
    campaign = notes["Campaign"].properties
    assert (campaign["sessions"], campaign["entries"], campaign["questions"]) == (1, book_head(tmp_path), 0)


def book_head(folder: Path) -> int:
    with open_book(str(folder / "road.campaign")) as book:
        return book.head()


def test_a_session_tells_the_recap_and_links_each_action(tmp_path: Path) -> None:
    with open_book(str(laid_out(tmp_path, *PLAYED))) as book:
        note = read_vault(notes_of(book).texts)["Sessions/Session 1 - One"]
        told = recap(book, session=1)
    assert {*told.there, *told.gains, *told.appendix} <= {*note.shown}
    assert r"- \#11 [[Characters/mara|mara]] adjusted by hand: a bargain · edge 4 → 3 ^entry-11" in note.body
    assert "### At the gate" in note.body
    assert note.blocks[:3] == ("entry-8", "entry-10", "entry-11")


def test_progress_counts_each_entry_once(tmp_path: Path) -> None:
    counted: list[int] = []
    with open_book(
        str(laid_out(tmp_path, 'session open "One"', "session close", 'session open "Two"', "note x"))
    ) as book:
        notes_of(book, progress=counted.append)
        assert sum(counted) == book.head()
    assert len(counted) > 2


def test_sessions_link_to_the_sessions_before_and_after_them(tmp_path: Path) -> None:
    with open_book(str(laid_out(tmp_path, 'session open "One"', "session close", 'session open "Two: twins"'))) as book:
        notes = read_vault(notes_of(book).texts)
    assert "next: [[Sessions/Session 2 - Two twins|Session 2: Two: twins]]" in notes["Sessions/Session 1 - One"].body
    assert "previous: [[Sessions/Session 1 - One|Session 1: One]]" in notes["Sessions/Session 2 - Two twins"].body


def test_the_date_of_the_games_world_is_a_property(tmp_path: Path) -> None:
    (tmp_path / "valley.toml").write_text('months = {Frost = 3}\nfirst = {day = 1, month = "Frost", year = 1021}')
    file = laid_out(tmp_path, 'session open "One"', "day next")
    with open_book(str(file)) as book:
        scribe(book).write(SetCalendar(calendar=(tmp_path / "valley.toml").read_text()))
        assert "1 Frost 1021" in read_vault(notes_of(book).texts)["Campaign"].properties["gamedate"]


def test_a_renamed_character_and_session_keep_their_files(tmp_path: Path) -> None:
    with open_book(str(laid_out(tmp_path, "rename mara 'Mara Silver'", 'session open "One"'))) as book:
        first = notes_of(book)
        assert {"Characters/Mara Silver.md", "Sessions/Session 1 - One.md"} <= first.texts.keys()
        scribe(book).write(Rename(who="mara", name="Mara Gold"))
        again = vault(book, first.names)
        assert again.texts.keys() == first.texts.keys()
        assert again.names == first.names
        mara = read_vault(again.texts)["Characters/Mara Silver"]
        assert mara.properties["aliases"] == ["Mara Gold", "mara"]
        assert mara.shown[0] == "Mara Gold"
        assert "Characters/Mara Gold.md" in notes_of(book).texts


def test_a_session_whose_title_was_corrected_keeps_its_file(tmp_path: Path, type_in: Type) -> None:
    file = laid_out(tmp_path, 'session open "The old marekt"')
    with open_book(str(file)) as book:
        names = notes_of(book).names
    assert type_in(f"-f {file} amend 8 --title 'The old market' --why typo --yes").exit_code == 0
    with open_book(str(file)) as book:
        note = read_vault(vault(book, names).texts)["Sessions/Session 1 - The old marekt"]
    assert note.properties["aliases"] == ["Session 1", "The old market"]
    assert note.shown[0] == "Session 1: The old market"


@pytest.mark.parametrize(
    "file", sorted((TESTS / "golden" / "campaigns").glob("*.campaign")), ids=lambda file: file.stem
)
@pytest.mark.parametrize("players", [False, True])
def test_every_older_campaign_becomes_a_vault(tmp_path: Path, file: Path, players: bool) -> None:
    shutil.copy(file, tmp_path / "old.campaign")
    with open_book(str(tmp_path / "old.campaign")) as book:
        assert {"Campaign", "Characters/mara"} <= read_vault(notes_of(book, players=players).texts).keys()


def test_a_name_that_was_erased_leaves_the_names_of_the_files_too(tmp_path: Path, type_in: Type) -> None:
    file = laid_out(tmp_path, "rename mara 'Mara Silver'", 'session open "The traitor"')
    with open_book(str(file)) as book:
        names = notes_of(book).names
    for seq in (8, 9):
        assert type_in(f"-f {file} erase {seq} --yes").exit_code == 0
    with open_book(str(file)) as book:
        texts = vault(book, names).texts
        assert {"Characters/mara.md", "Sessions/Session 1.md"} <= texts.keys()
        assert "Silver" not in repr(texts)
        assert "traitor" not in repr(texts)
        assert read_vault(texts)["Sessions/Session 1"].properties["aliases"] == ["Session 1"]


@pytest.mark.parametrize("file", ["x]] <% run %>", "../../x", "", "CON", "a/b"])
def test_a_name_that_somebody_else_put_into_the_manifest_is_made_safe(tmp_path: Path, file: str) -> None:
    with open_book(str(laid_out(tmp_path))) as book:
        names = {"character mara": NoteName(file=file, entry=0), "character brak": NoteName(file="mara", entry=10**9)}
        texts = vault(book, names).texts
        read_vault(texts)
        assert "Characters/brak.md" in texts
        assert all(re.fullmatch(r"([A-Z][a-z]+/)?[\w .-]+\.md", path) for path in texts)
        assert ".." not in "".join(texts)


def test_characters_of_the_gm_have_no_notes_and_those_who_left_keep_theirs(tmp_path: Path) -> None:
    commands = ('session open "One"', "npc thug-1", "roll thug-1 d6 --faces 3", "leave brak")
    with open_book(str(laid_out(tmp_path, *commands))) as book:
        notes = read_vault(notes_of(book).texts)
    assert {path for path in notes if path.startswith("Characters")} == {"Characters/mara", "Characters/brak"}
    assert notes["Characters/brak"].properties["playing"] is False
    assert r"\#11 thug-1 rolls d6 = 3 \[3\] ^entry-11" in notes["Sessions/Session 1 - One"].body


def test_what_was_canceled_answered_or_overruled_links_to_the_entry_that_did_it(tmp_path: Path) -> None:
    commands = (
        *PLAYED,  # the last entry is 23
        "override 10 'complete success' --why 'as we agreed' --yes",
        "void 11 --why 'not at all' --yes",
        "edge check mara --skill 3 --target 20 --faces 7,6 --seal",
        "reveal 26",
        "dispute 18 --claim 'too dark' --player Ana",
        "roll mara d6 --faces 3 --by Ana",
        "adjust brak edge=+1 --why luck --by Ana",
    )
    with open_book(str(laid_out(tmp_path, *commands))) as book:
        body = read_vault(notes_of(book).texts)["Sessions/Session 1 - One"].body
        (dispute,) = (line.seq for line in lines(book, None) if isinstance(line.event, DisputeRaised))
    for text in (
        "(overruled by [[#^entry-24|#24]]: complete success)",
        "~~[[Characters/mara|mara]] adjusted by hand: a bargain~~ (voided by [[#^entry-25|#25]])",
        "(revealed by [[#^entry-27|#27]])",
        f"(disputed by [[#^entry-{dispute}|#{dispute}]])",
        "(entered by Ana)",
    ):
        assert text in body


def test_a_question_and_its_answer_link_to_each_other(tmp_path: Path) -> None:
    asked = "edge check mara --skill 3 --edge --faces 7,3,7"
    with open_book(str(laid_out(tmp_path, asked))) as book:
        campaign = read_vault(notes_of(book).texts)["Campaign"]
        assert campaign.links[-2:] == (
            ("Sessions/Before the first session", "entry-9", "#9"),
            ("Characters/mara", "", "mara"),
        )
    with open_book(str(laid_out(tmp_path, asked, "choose 9 --drop 3"))) as book:
        assert "(answered by [[#^entry-" in read_vault(notes_of(book).texts)["Sessions/Before the first session"].body


LINES = (
    'edge check mara --skill 11 --advantage "high ground" --target {target} --secret --for {deed} --faces 7,6,4',
    "note {kept} --secret",
    "edge check brak --skill 3 --target 20 --faces {faces} --for {deed} --seal",
    "edge check brak --skill 3 --target 20 --faces {faces} --for {deed} --seal --unseen",
    "byzantine contest duel --acting mara --against brak",
    "byzantine commit brak duel --energy {energy}",
    "byzantine task wall --costs {costs}",
    "note {kept} --only Ben --about 15",
    "note {kept} --secret --by Ben",
)
ONE = {"target": 5, "kept": "'the guide is a spy'", "faces": "7,6", "energy": 3, "costs": 5, "deed": "lies"}
OTHER = {
    "target": 6,
    "kept": "'the innkeeper is a ghost'",
    "faces": "1,2",
    "energy": 12,
    "costs": 17,
    "deed": "'climbs the wall'",
}


def with_secrets(folder: Path, secrets: dict[str, object]) -> Book:
    folder.mkdir()
    for name, data in played(tuple(line.format(**secrets) for line in LINES), OPENING).items():
        (folder / name).write_bytes(data)
    return open_book(str(folder / "road.campaign"))


def test_two_campaigns_that_differ_only_in_secrets_give_players_the_same_vault(tmp_path: Path) -> None:
    with with_secrets(tmp_path / "one", ONE) as one, with_secrets(tmp_path / "other", OTHER) as other:
        assert notes_of(one, players=True) == notes_of(other, players=True)
        read_vault(notes_of(one, players=True).texts)
        for book, secret in ((one, "the guide is a spy"), (other, "the innkeeper is a ghost")):
            assert secret in repr(notes_of(book).texts)
            assert secret not in repr(notes_of(book, players=True))
            assert secret in repr(notes_of(book, players=True, reader="p3"))
        assert notes_of(one, players=True, reader="p2") == notes_of(other, players=True, reader="p2")
        assert "24 against 5" in repr(notes_of(one).texts)
        read_vault(notes_of(one).texts)
        read_vault(notes_of(one, players=True, reader="p3").texts)


def test_players_do_not_see_a_roll_that_the_gm_made_unseen_before_it_is_revealed(tmp_path: Path) -> None:
    with with_secrets(tmp_path / "one", ONE) as book:
        (unseen,) = (line.seq for line in lines(book, None) if isinstance(line.event, RollSealed) and line.event.unseen)
        assert f"entry-{unseen}" not in repr(notes_of(book, players=True).texts)
        assert f"^entry-{unseen}" in repr(notes_of(book).texts)
        scribe(book).write(Reveal(entry=unseen))
        assert f"^entry-{unseen}" in repr(notes_of(book, players=True).texts)
