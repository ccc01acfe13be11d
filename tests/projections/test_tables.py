"""Tables: the file says what the views say, keeps secrets from players, and replaces only earlier tables."""

import gc
import json
import os
import signal
import stat
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlite_utils import Database

from engine import full_disk
from evenings import evening
from examples import examples
from exported import HIDDEN, signed_book
from ledger.commands.at_table import Note
from ledger.commands.custody import Erase
from ledger.commands.play import PlayMove
from ledger.commands.roll import Roll
from ledger.corrections.seals import Sealed
from ledger.errors import DiskRefused, Refused
from ledger.journal.accounts import NOW, AsOf
from ledger.journal.book import Book, open_book
from ledger.rules.spelling import folded
from ledger.systems.edge.moves_check import Check
from projections.exports.tables import NOT_DETAILS, make_tables
from projections.exports.tables_schema import TABLE_BY_NAME, TABLES, VIEWS
from projections.log import each_line
from projections.luck import luck
from projections.questions import questions
from projections.register import register_lines
from projections.search import Query, find_lines, line_text, search_words
from projections.sheets import sheets, table_sheets
from table import every_game, scribe
from terminal import Type, command, rows

Rows = Callable[[str], list[dict[str, Any]]]
LATER = AsOf(corrected=True)


def read(file: Path) -> Rows:
    """A function that reads the rows of a table, a view or a query."""

    def query(words: str) -> list[dict[str, Any]]:
        database = Database(str(file))
        try:
            return list(database.query(words if " " in words else f'SELECT * FROM "{words}"'))
        finally:
            database.close()

    return query


def tables_of(book: Book, folder: Path, *, players: bool = False) -> Rows:
    make_tables(book, str(folder / "tables.db"), players=players)
    return read(folder / "tables.db")


def full_name(row: dict[str, Any]) -> str:
    name: str = row.get("score") or row["name"]
    return f"{row['game']}/{name}" if row["game"] else name


@pytest.fixture
def table(evening: Type) -> Type:
    """A table at which an evening was played."""
    return evening


# The same values as the views


@examples(60)
@given(data=st.data(), players=st.booleans())
def test_the_tables_have_the_values_of_the_views(data: st.DataObject, players: bool) -> None:
    with every_game() as book, TemporaryDirectory() as folder:
        evening(data.draw, book, 12)
        query = tables_of(book, Path(folder), players=players)
        assert query("PRAGMA foreign_key_check") == []
        _compare_sheets(book, query)
        _compare_registers(book, query)
        _compare_log(book, query, secrets=not players)
        _compare_dice(book, query)
        asked = questions(book, facts=not players)
        assert [(row["entry"], row["title"]) for row in query("questions")] == [(each.seq, each.says) for each in asked]


def _compare_sheets(book: Book, query: Rows) -> None:
    pages = [*table_sheets(book), *sheets(book, book.cast())]
    shown = {page.who for page in pages}
    listed = [row for row in query("scores") if row["on_sheet"] and row["character"] in shown]
    assert sorted(
        (row["character"], row["game"], row["name"], row["value"], row["maximum"]) for row in listed
    ) == sorted((page.who, page.system, score.name, score.value, score.most) for page in pages for score in page.scores)
    marks = {(row["character"], row["game"], row["name"]): row["value"] for row in query("marks")}
    for page in pages:
        for name, value in page.marks:
            text = marks[page.who, page.system, name]
            if isinstance(value, dict) and "secret" in value:
                assert text is None
            else:
                assert (
                    text == value if isinstance(value, str) else json.loads(str(text)) == json.loads(json.dumps(value))
                )


def _compare_registers(book: Book, query: Rows) -> None:
    posted = query("register")
    accounts = sorted({(row["character"], full_name(row)) for row in posted})
    assert accounts == sorted({(row.who, row.score) for row in book.accounts.rows.postings()})
    for who, score in accounts:
        own = [row for row in posted if (row["character"], full_name(row)) == (who, score)]
        known = [(row["entry"], row["since"], row["amount"], row["balance"]) for row in own]
        assert known == [(row.seq, row.since, row.amount, row.balance) for row in register_lines(book, who, score)]
        corrected = sorted((row["since"], row["entry"], row["amount"], row["corrected_balance"]) for row in own)
        assert corrected == [
            (row.since, row.seq, row.amount, row.balance) for row in register_lines(book, who, score, LATER)
        ]


def test_the_register_adds_one_row_at_a_time_even_if_an_entry_changes_a_score_twice(tmp_path: Path) -> None:
    with signed_book() as book:
        query = tables_of(book, tmp_path)
    first = query("SELECT * FROM postings WHERE character = 'mara' AND amount > 0")[0]
    database = Database(str(tmp_path / "tables.db"))
    database.table("postings").insert({**first, "id": 9_999, "balance": 2 * first["balance"]})
    database.close()
    same = [
        row["corrected_balance"] - first["balance"]
        for row in query("register")
        if (row["entry"], row["score"], row["character"]) == (first["entry"], first["score"], "mara")
    ]
    assert same == [0, first["amount"]]


def _compare_log(book: Book, query: Rows, *, secrets: bool) -> None:
    lines = list(each_line(book, None))
    shown = query("log")
    assert [row["entry"] for row in shown] == [line.seq for line in lines]
    stored = {row["entry"]: row for row in query("entries")}
    for line in lines:
        row = stored[line.seq]
        assert (row["canceled_by"], row["canceled"]) == (
            (line.struck.by, line.struck.how) if line.struck else (None,) * 2
        )
        assert row["dice"] == (line.dice or None)
        for entry in line.entries if not secrets else book.action(line.act, secrets=True):
            _compare_entry(entry.as_json(), stored[entry.seq])
    for line in find_lines(book, Query(), secrets=secrets):
        assert set(folded(stored[line.seq]["words"]).split()) == set(line_text(line).split())


def _compare_entry(facts: dict[str, Any], row: dict[str, Any]) -> None:
    columns = {"entry": "seq", "action": "act", "since": "since", "cause": "cause", "type": "type", "at": "at"}
    assert {name: row[name] for name in columns} == {name: facts[field] for name, field in columns.items()}
    assert row["player"] == facts["by"]
    details = {name: value for name, value in facts.items() if name not in NOT_DETAILS}
    assert json.loads(row["details"]) == _hidden(json.loads(json.dumps(details)))


def _hidden(value: Any) -> Any:
    """The value with null in the place of each commitment."""
    if isinstance(value, dict):
        return None if value.keys() in ({"word"}, {"secret"}) else {name: _hidden(one) for name, one in value.items()}
    return [_hidden(one) for one in value] if isinstance(value, list) else value


def _compare_dice(book: Book, query: Rows) -> None:
    counted = Counter[tuple[str, int, str, int]]()
    for die in luck(book):
        for face, count in enumerate(die.faces, 1):
            counted[die.name, die.sides, die.source, face] += count
    found = Counter(
        {(row["player"], row["sides"], row["source"], row["face"]): row["rolled"] for row in query("dice_counts")}
    )
    assert +counted == found


def test_the_index_finds_words_as_the_search_does(table: Type, folder: Path) -> None:
    table("note 'Renée waits at the ford'")
    table("tables road.db")
    database = Database("road.db")
    found = [row["entry"] for row in database.table("entries").search("renee")]
    database.close()
    with open_book("road.campaign") as book:
        assert found == [line.seq for line in find_lines(book, Query(words=search_words("renee")), NOW)] != []


def test_the_rulings_have_verdicts_margins_and_what_overruled_them(table: Type, folder: Path) -> None:
    table("roll mara d20 --vs 15 --faces 17")  # 24 25
    table("override 10 failure --bad --why rope --yes")  # 26
    table("undo")
    table("override 10 failure --bad --why rope --yes")  # 28
    table("void 25 --why x --yes")
    table("tables road.db")
    rulings = {row["entry"]: row for row in read(folder / "road.db")("rulings")}
    assert (rulings[25]["total"], rulings[25]["margin"]) == (17, 2)
    assert (rulings[25]["counts"], rulings[10]["counts"]) == (0, 1)
    assert (rulings[10]["game"], rulings[10]["move"], rulings[10]["overruled_by"]) == ("edge", "check", 28)


def test_sessions_have_the_entries_that_opened_and_closed_them(table: Type, folder: Path) -> None:
    table("session close")  # 24
    table("note between")
    table("session open Two")
    table("tables road.db")
    query = read(folder / "road.db")
    found = [(row["number"], row["title"], row["opened"], row["closed"]) for row in query("sessions")]
    assert found == [(1, "One", 8, 24), (2, "Two", 26, None)]
    assert [row["session"] for row in query("entries")][6:] == [None, *[1] * 16, None, None, 2]
    assert query("campaign")[0]["session"] == 2


def test_a_player_who_left_and_a_roll_for_nobody_are_in_the_tables(table: Type, folder: Path) -> None:
    table("player Dan")
    table("roll Dan d6 --faces 4")
    table("leave Dan")
    table("tables road.db")
    query = read(folder / "road.db")
    dan = next(row for row in query("players") if row["name"] == "Dan")
    assert dan["at_table"] == 0
    assert [(row["character"], row["face"]) for row in query("dice") if row["player"] == dan["handle"]] == [(None, 4)]
    assert query("PRAGMA foreign_key_check") == []


def test_thousands_of_dice_are_all_in_the_tables(book: Book, tmp_path: Path) -> None:
    for _ in range(21):
        scribe(book).write(Roll(who="mara", notation="100d6"))
    query = tables_of(book, tmp_path)
    assert [row["id"] for row in query("dice")] == [*range(1, 2101)]
    assert sum(row["rolled"] for row in query("dice_counts")) == 2100


def test_imported_rolls_name_the_character_and_the_player_of_the_mapping(table: Type, folder: Path) -> None:
    (folder / "rolls.csv").write_text(
        "when,player,character,roll,dice,total,note\n2025-03-07,Ana,Nessa,d20+0.5,4,4.5,Climb\n", encoding="utf-8"
    )
    (folder / "who.toml").write_text(
        '[users]\nAna = {player = "Ana", character = "mara"}\n[speakers]\nNessa = "mara"\n', encoding="utf-8"
    )
    assert table("import rolls.csv --mapping who.toml --yes").exit_code == 0
    table("tables road.db")
    (roll,) = read(folder / "road.db")("imported_rolls")
    assert {name: roll[name] for name in ("character", "player", "purpose", "total", "claimed_at", "precision")} == {
        "character": "mara",
        "player": "p2",
        "purpose": "Climb",
        "total": 4.5,
        "claimed_at": "2025-03-07",
        "precision": "day",
    }
    (log,) = read(folder / "road.db")("imports")
    assert (log["entry"], log["title"], log["is_canceled"]) == (roll["import"], "rolls.csv", 0)


def test_erased_words_are_in_no_table_that_is_made_later(table: Type, folder: Path) -> None:
    table("note 'the secret of the ford'")
    with open_book("road.campaign") as book:
        scribe(book).write(Erase(entries=(book.head(),)))
    table("tables road.db")
    assert b"of the ford" not in (folder / "road.db").read_bytes()


@pytest.mark.parametrize("name", ["v1", "v2", "v3", "v4", "first-editions"])
def test_the_tables_of_a_campaign_of_an_earlier_version_are_complete(name: str, tmp_path: Path) -> None:
    from paths import GOLDEN

    file = tmp_path / f"{name}.campaign"
    file.write_bytes((GOLDEN / "campaigns" / file.name).read_bytes())
    with open_book(str(file)) as book:
        query = tables_of(book, tmp_path)
        assert query("PRAGMA foreign_key_check") == []
        assert len(query("entries")) == book.head()


# The file describes itself


def test_each_table_has_comments_types_and_labels_that_programs_read(book: Book, tmp_path: Path) -> None:
    query = tables_of(book, tmp_path)
    schema = {row["name"]: row["sql"] for row in query("SELECT name, sql FROM sqlite_schema")}
    described = {(row["table"], row["name"]): (row["type"], row["comment"]) for row in query("columns")}
    for table in TABLES:
        columns = query(f"PRAGMA table_info('{table.name}') ")
        assert [(row["name"], row["type"], bool(row["notnull"])) for row in columns] == [
            (column.name, column.kind, column.required) for column in table.columns
        ]
        for column in table.columns:
            assert f"-- {column.comment}\n" in schema[table.name]
            assert described[table.name, column.name] == (column.kind, column.comment)
    referred = {TABLE_BY_NAME[column.refers] for table in TABLES for column in table.columns if column.refers}
    assert [one.name for one in referred if not {"name", "title"} & {column.name for column in one.columns}] == []
    assert {view.name for view in VIEWS} <= schema.keys()


def test_no_column_has_a_value_that_is_not_of_its_type(book: Book, tmp_path: Path) -> None:
    scribe(book).write(PlayMove(system="edge", move=Check(who="mara", skill=11)))
    query = tables_of(book, tmp_path)
    kinds = {"INTEGER": {"integer"}, "REAL": {"real"}, "TEXT": {"text"}}
    for table in TABLES:
        for column in table.columns:
            found = query(f"""SELECT DISTINCT typeof("{column.name}") AS kind FROM "{table.name}" """)
            assert {row["kind"] for row in found} - {"null"} <= kinds[column.kind], (table.name, column.name)


# Secrets


def test_the_tables_for_players_have_no_secret_and_those_for_the_gm_have_it(tmp_path: Path) -> None:
    with signed_book() as book:
        scribe(book).write(Note(text="the guide is a spy", secret=True))
        hidden = Check(who="mara", skill=3, target=HIDDEN + 2)
        scribe(book).write(Sealed(command=PlayMove(system="edge", move=hidden), until=None, unseen=False))
        for_gm = make_tables(book, str(tmp_path / "gm.db"))
        for_players = make_tables(book, str(tmp_path / "players.db"), players=True)
    assert for_gm.secrets == for_players.secrets == 3
    told, kept = (tmp_path / "gm.db").read_bytes(), (tmp_path / "players.db").read_bytes()
    for secret in (b"the guide is a spy", str(HIDDEN).encode(), str(HIDDEN + 2).encode()):
        assert secret in told
        assert secret not in kept
    assert read(tmp_path / "players.db")("campaign")[0]["made_for"] == "players"


def test_the_parts_of_an_attack_have_the_words_of_the_moves(table: Type, folder: Path) -> None:
    table("set mara weapon.knife=1d6+2 --why x")
    table("join brak edge armor.threshold=5")
    table("adjust mara edge=-3 --why x")
    table("edge attack mara knife brak --skill 9 --target 9 --faces 7,6,3,2,1")
    table("tables")
    parts = read(folder / "road-tables.db")("SELECT title FROM entries WHERE type = 'move-played' AND is_main = 0")
    assert [row["title"].partition(" (")[0] for row in parts] == [
        "mara rolls the attack: complete success",
        "mara rolls damage: 8 damage",
        "brak is hit: armor stops the damage",
    ]


@pytest.mark.parametrize(
    ("reader", "warning"),
    [("players", ""), ("Ana", "These tables contain secret notes. For players, use: campaign tables --for players\n")],
)
def test_tables_of_a_player_copy_do_not_claim_to_be_the_gms(
    reader: str, warning: str, table: Type, folder: Path
) -> None:
    table("note the guide is a spy --secret")
    table("note 'trust nobody' --only Ana")
    table(f"export {folder / 'out'} --for {reader}")
    table(f"-f copy.campaign import {folder / 'out'} --yes")
    done = table("-f copy.campaign tables copy.db")
    assert done.stderr.partition("To look at")[0] == warning
    assert read(Path("copy.db"))("campaign")[0]["made_for"] == "players"
    assert rows(table("-f copy.campaign tables copy.db --json").stdout)[0]["for"] == "players"


def test_only_the_owner_can_open_tables_with_secrets(book: Book, tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        make_tables(book, str(tmp_path / "gm.db"))
        make_tables(book, str(tmp_path / "players.db"), players=True)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("gm.db", "players.db")]
    assert modes == [0o600, 0o644]


def test_a_player_can_make_only_tables_for_players(table: Type, folder: Path) -> None:
    refused = table("tables --by Ana")
    assert refused.exit_code == 3
    assert "Ana is not a GM. Only a GM can make tables with secrets." in refused.stderr
    assert "campaign tables --for players" in refused.stderr
    assert table("tables --by Ana --for players").exit_code == 0
    assert "The tables leave out the secrets of 1 entry." in table("tables --for players").stdout
    assert "These tables contain the GM's secrets." in table("tables").stderr


# The file


def test_the_tables_are_beside_the_campaign_and_replace_earlier_ones(
    table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert rows(table(f"-f {folder / 'road.campaign'} tables --json").stdout)[0]["entries"] == 23
    table(f"-f {folder / 'road.campaign'} note more")
    assert rows(table(f"-f {folder / 'road.campaign'} tables --json").stdout) == [
        {"file": str(folder / "road-tables.db"), "for": "gm", "entries": 24, "postings": 19, "dice": 10, "secrets": 1}
    ]
    assert not list(Path.cwd().iterdir())
    assert len(read(folder / "road-tables.db")("entries")) == 24


def test_a_link_to_tables_stays_a_link(book: Book, tmp_path: Path) -> None:
    make_tables(book, str(tmp_path / "a.db"))
    (tmp_path / "b.db").symlink_to("a.db")
    scribe(book).write(Note(text="more"))
    make_tables(book, str(tmp_path / "b.db"))
    assert (tmp_path / "b.db").is_symlink()
    assert len(read(tmp_path / "a.db")("entries")) == book.head()


@pytest.mark.parametrize("content", [b"", b"my notes", b"SQLite format 3\0" + bytes(200)])
def test_a_file_that_is_not_tables_is_never_replaced(content: bytes, table: Type, folder: Path) -> None:
    (folder / "road-tables.db").write_bytes(content)
    done = table("tables")
    assert (done.exit_code, (folder / "road-tables.db").read_bytes()) == (3, content)
    assert "already exists." in done.stderr
    assert "Only earlier tables are replaced." in done.stderr


def test_no_campaign_and_no_folder_is_replaced(table: Type, folder: Path) -> None:
    table("backup copy.campaign")
    before = (folder / "copy.campaign").read_bytes()
    for name, says in (
        ("road.campaign", "road.campaign is the campaign itself."),
        ("copy.campaign", "copy.campaign already exists."),
        (".", ". already exists."),
        ("x/", "'x/' is not a file name."),
    ):
        done = table(f"-f road.campaign tables {name}")
        assert done.exit_code in {2, 3}
        assert says in done.stderr
    assert (folder / "copy.campaign").read_bytes() == before


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_tables_that_another_program_is_writing_are_not_replaced(suffix: str, book: Book, tmp_path: Path) -> None:
    make_tables(book, str(tmp_path / "a.db"))
    before = (tmp_path / "a.db").read_bytes()
    (tmp_path / f"a.db{suffix}").write_bytes(b"x")
    with pytest.raises(Refused, match="Another program is writing to"):
        make_tables(book, str(tmp_path / "a.db"))
    assert (tmp_path / "a.db").read_bytes() == before


def test_a_full_disk_leaves_the_old_tables(book: Book, tmp_path: Path) -> None:
    make_tables(book, str(tmp_path / "a.db"))
    before = (tmp_path / "a.db").read_bytes()
    with full_disk(20_000), pytest.raises(DiskRefused):
        make_tables(book, str(tmp_path / "a.db"))
    assert (tmp_path / "a.db").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} >= {"a.db"}


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collection_is_as_before_when_the_tables_are_made(enabled: bool, book: Book, tmp_path: Path) -> None:
    seen = []
    (gc.enable if enabled else gc.disable)()
    try:
        make_tables(book, str(tmp_path / "a.db"), progress=lambda _: seen.append(gc.isenabled()))
        assert (gc.isenabled(), {*seen}) == (enabled, {False})
    finally:
        gc.enable()


def test_the_tables_show_one_moment_even_if_somebody_writes_meanwhile(file: Path, tmp_path: Path) -> None:
    with open_book(str(file)) as book:
        head = book.head()

        def write_meanwhile(_: int) -> None:
            if other is not None:
                scribe(other).write(Note(text="meanwhile"))

        with open_book(str(file)) as other:
            make_tables(book, str(tmp_path / "a.db"), progress=write_meanwhile)
        assert book.head() > head
    query = read(tmp_path / "a.db")
    assert (len(query("entries")), query("campaign")[0]["entries"]) == (head, head)


@pytest.mark.slow
def test_after_a_kill_there_are_the_old_tables_or_the_new_ones(type_in: Type, folder: Path) -> None:
    random = Random(44)  # noqa: S311  when to kill
    assert type_in("tables a.db").exit_code == 0
    type_in("note more")
    words = command(folder / "road.campaign", "tables", str(folder / "a.db"))
    began = time.monotonic()
    subprocess.run([*words[:-1], str(folder / "b.db")], check=True, capture_output=True)
    lasts = time.monotonic() - began
    for _ in range(8):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.random() * lasts)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(read(folder / "a.db")("entries")) in {7, 8}
        assert read(folder / "a.db")("PRAGMA integrity_check ") == [{"integrity_check": "ok"}]
    assert type_in("tables a.db").exit_code == 0
    assert {path.name for path in folder.iterdir()} >= {"a.db", "b.db"}
    assert not list(folder.glob("*.part"))
