"""`import` of a Foundry world with `[sheets]` in the mapping: only the numbers that it names come over."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from ledger.audit.report import audit
from ledger.errors import Refused
from ledger.imports import sheets
from ledger.imports.mapping import read_mapping
from ledger.imports.sources import find_source
from ledger.journal.book import open_book
from ledger.scribe import Scribe, requests_of
from level import batch, lay
from level import log as written
from logs import die, in_lines, message, roll
from terminal import Type, command, head, rows, typed_at_a_terminal

NESSA: dict[str, Any] = {
    "_id": "hT5wQe0RjVn3CxMa",
    "name": "Nessa Quill",
    "system": {
        "attributes": {"hp": {"value": 9, "max": 12, "temp": 0}, "speed": 7.5, "a.b": 4},
        "currency": {"gp": 50},
        "is": {"awake": True, "deep": {"a": {"b": {"c": {"d": {"e": {"f": {"g": 3}}}}}}}},
    },
    "items": [{"name": "Rope", "system": {"weight": 5}}],
}
GUARD = {"_id": "mN2sYc7LdGq9XbTe", "name": "Guard", "system": {"attributes": {"hp": {"value": 11}}}}
CHAT = message(roll("1d20", 4, die(20, 4)))
MAPPING = """
[speakers]
"Nessa Quill" = "mara"
[sheets.mara]
hp = "system.attributes.hp.value"
"HP.max" = "system.attributes.hp.max"
"""


def world(folder: Path, *actors: Any, chat: Any = CHAT) -> Path:
    """A Foundry world with LevelDB folders."""
    data = folder / "ford" / "data"
    lay(data / "messages", {3: written(batch(1, (b"!messages!a", json.dumps(chat).encode())))})
    writes = [(f"!actors!{number}".encode(), json.dumps(each).encode()) for number, each in enumerate(actors)]
    more = [(b"!actors!broken", b"{"), (b"!actors.items!0.1", json.dumps(NESSA).encode())]
    lay(data / "actors", {3: written(batch(1, *writes, *more))})
    return data


def old_world(folder: Path, actors: bytes) -> None:
    """A Foundry world with NeDB files."""
    data = folder / "ford" / "data"
    data.mkdir(parents=True)
    (data / "messages.db").write_bytes(in_lines(CHAT))
    (data / "actors.db").write_bytes(actors)


def who(folder: Path, content: str = MAPPING) -> None:
    (folder / "who.toml").write_text(content, encoding="utf-8")


IMPORT = "import ford --mapping who.toml --yes"


@pytest.fixture
def table(folder: Path, type_in: Type) -> Iterator[Type]:
    """Type in the folder of a campaign, with a mapping file."""
    who(folder)
    yield type_in
    assert type_in("verify").exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        assert audit(book, "2026-11-20").findings == ()


def sheet(table: Type, name: str = "mara") -> dict[str, int]:
    """The scores on a character's free sheet."""
    return next((row["scores"] for row in rows(table(f"sheets {name} --json").stdout) if row["system"] == "free"), {})


def test_only_the_named_numbers_come_over_and_are_shown_first(table: Type, folder: Path) -> None:
    world(folder, NESSA, GUARD)
    before = head(folder)
    shown = table("import ford --mapping who.toml --dry-run").stdout
    assert shown.splitlines()[-2:] == [
        "Sheet: mara gets hp 9, from Nessa Quill.",
        "Sheet: mara gets hp.max 12, from Nessa Quill.",
    ]
    assert head(folder) == before
    done = table(IMPORT)
    assert done.stdout.splitlines()[-4:] == [
        "Sheet: mara gets hp 9, from Nessa Quill.",
        "Sheet: mara gets hp.max 12, from Nessa Quill.",
        "ford has added 1 roll to the campaign (#8 to #9).",
        "ford has set 2 numbers on free sheets (#10 to #11).",
    ]
    assert "To take all of this back: campaign void 8 --why TEXT" in done.stderr
    assert sheet(table) == {"hp": 9, "hp.max": 12}
    assert "imported, claimed by ford" in table("log -n 1").stdout


def test_the_scores_of_other_games_stay(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    before = [row for row in rows(table("sheets --json").stdout) if row["system"] != "free"]
    table(IMPORT)
    assert [row for row in rows(table("sheets --json").stdout) if row["system"] != "free"] == before


def test_an_id_with_an_invisible_character_can_be_proposed_and_used(table: Type, folder: Path) -> None:
    world(folder, {**NESSA, "_id": "a\x7fb"})
    table("import ford --dry-run")
    proposed = (folder / "ford.mapping.toml").read_text(encoding="utf-8")
    assert '# actor = "a\\u007fb"  # Nessa Quill' in proposed
    assert tomllib.loads(proposed.replace("# actor", "actor")) == {
        "users": {},
        "speakers": {"actor": "a\x7fb"},
    }


def test_a_sheet_that_exists_keeps_its_other_numbers(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table("join mara free gold=3")
    table(IMPORT)
    assert sheet(table) == {"gold": 3, "hp": 9, "hp.max": 12}


def test_a_dry_run_lists_the_numbers_of_those_who_speak_or_play_as_comments(table: Type, folder: Path) -> None:
    world(folder, NESSA, GUARD, {**GUARD, "_id": "b", "name": "brak"}, {"_id": "c", "name": 5}, {"name": "Brak"}, 7)
    table("import ford --dry-run")
    lines = (folder / "ford.mapping.toml").read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("#") or line in {"", "[users]", "[speakers]"} for line in lines)
    assert lines[lines.index("# [sheets.CHARACTER]") :] == [
        "# [sheets.CHARACTER]",
        '# actor = "hT5wQe0RjVn3CxMa"  # Nessa Quill',
        '# SCORE = "system.attributes.hp.value"  # 9',
        '# SCORE = "system.attributes.hp.max"  # 12',
        '# SCORE = "system.attributes.hp.temp"  # 0',
        '# SCORE = "system.currency.gp"  # 50',
        "# [sheets.brak]",
        '# actor = "b"  # brak',
        '# SCORE = "system.attributes.hp.value"  # 11',
    ]


def test_a_dry_run_lists_a_limited_number_of_actors_and_numbers(
    table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "MOST_LISTED", 1)
    monkeypatch.setattr(sheets, "MOST_NUMBERS", 2)
    world(folder, NESSA, {**NESSA, "_id": "b"})
    table("import ford --dry-run")
    text = (folder / "ford.mapping.toml").read_text(encoding="utf-8")
    assert (text.count("actor ="), text.count("SCORE =")) == (1, 2)


def test_a_world_with_damaged_actors_can_be_imported_without_them(table: Type, folder: Path) -> None:
    data = world(folder, NESSA)
    (data / "actors" / "CURRENT").write_bytes(b"")
    done = table("import ford --dry-run")
    assert "The characters of the world are not listed. The file 'CURRENT' is damaged at byte 0" in done.stderr
    assert "[speakers]" in (folder / "ford.mapping.toml").read_text(encoding="utf-8")
    assert "The file 'CURRENT' is damaged" in table(IMPORT).stderr
    assert "ford has added 1 roll" in table("import ford --yes").stdout


def test_many_actors_of_one_name_are_not_all_kept(table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_LISTED", 2)
    world(folder, *({**NESSA, "_id": letter} for letter in "cba"))
    assert "with one of these: b, c." in table(IMPORT).stderr


def test_a_second_import_writes_nothing(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    who(folder, MAPPING + 'temp = "system.attributes.hp.temp"\n')
    table(IMPORT)
    before = head(folder)
    assert "The file has no new rolls. Nothing was written." in table(IMPORT).stderr
    assert head(folder) == before


def test_a_number_that_changed_is_listed_and_only_changed_if_the_user_asks(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    table("adjust mara hp=-2")
    before = head(folder)
    kept = table(IMPORT).stdout
    assert kept.splitlines()[-2:] == [
        "Sheet: mara keeps hp 7. Nessa Quill has 9 in the file.",
        "To take over these numbers too: --update-sheets",
    ]
    assert head(folder) == before
    done = table(f"{IMPORT} --update-sheets")
    assert done.stdout.splitlines()[-2:] == [
        "Sheet: mara gets hp 9 instead of 7, from Nessa Quill.",
        f"ford has set 1 number on free sheets (#{before + 1}).",
    ]
    assert "To take this back: campaign undo" in done.stderr
    assert sheet(table) == {"hp": 9, "hp.max": 12}


def test_a_zero_that_came_over_is_not_changed_silently(table: Type, folder: Path) -> None:
    who(folder, MAPPING + 'temp = "system.attributes.hp.temp"\n')
    data = world(folder, NESSA)
    table(IMPORT)
    changed = json.loads(json.dumps(NESSA))
    changed["system"]["attributes"]["hp"]["temp"] = 5
    lay(data / "actors", {3: written(batch(1, (b"!actors!0", json.dumps(changed).encode())))})
    assert "Sheet: mara keeps temp 0. Nessa Quill has 5 in the file." in table(IMPORT).stdout


def test_update_sheets_needs_a_mapping(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    refused = table("import ford --update-sheets")
    assert (refused.exit_code, refused.stderr) == (2, "Error: --update-sheets needs --mapping FILE.\n")


def test_json_has_the_numbers(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table("join mara free hp=3")
    (facts,) = rows(table("import ford --mapping who.toml --json --yes").stdout)
    assert facts["sheets"] == [
        {"who": "mara", "score": "hp.max", "actor": "Nessa Quill", "value": 12, "was": None, "set": True},
        {"who": "mara", "score": "hp", "actor": "Nessa Quill", "value": 9, "was": 3, "set": False},
    ]


@pytest.mark.parametrize("rolls", [True, False])
def test_an_import_with_numbers_asks_before_it_writes(table: Type, folder: Path, *, rolls: bool) -> None:
    world(folder, NESSA)
    if not rolls:
        who(folder, '[speakers]\n"Nessa Quill" = "mara"\n')
        table(IMPORT)
        who(folder)
    before = head(folder)
    words = command(folder / "road.campaign", "import", str(folder / "ford"), "--mapping", str(folder / "who.toml"))
    question = "Add 1 roll to the campaign, and set 2 numbers on free sheets?" if rolls else "Set 2 numbers on free"
    assert "exit 0" in typed_at_a_terminal(words, [(question, "no")])
    assert head(folder) == before


def test_a_void_of_the_import_takes_the_numbers_back_too(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    done = table("void 8 --why x --yes")
    assert "cancels #10 (mara joins free)" in done.stdout
    assert "does not cancel the rest" not in done.stderr
    assert sheet(table) == {}
    table(IMPORT)
    assert sheet(table) == {"hp": 9, "hp.max": 12}


def test_a_voided_import_comes_back_with_its_numbers(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    table("void 8 --why x --yes")
    table("void 12 --why y --yes")
    assert sheet(table) == {"hp": 9, "hp.max": 12}


def test_an_undo_takes_the_rolls_and_the_numbers_back(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    table("undo --yes")
    assert sheet(table) == {}
    assert "Rolls: 1 new." in table(IMPORT).stdout
    assert sheet(table) == {"hp": 9, "hp.max": 12}


def test_numbers_whose_change_was_voided_come_over_again(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    table("void 11 --why x --yes")
    assert "mara gets hp 9, from Nessa Quill." in table(IMPORT).stdout


def test_another_mapping_keeps_the_numbers(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    who(folder, MAPPING.replace('= "mara"', '= "brak"'))
    refused = table(f"{IMPORT} --remap")
    assert (
        "'ford' has no actor with a name that [speakers] maps to mara, but [sheets.mara] needs one." in refused.stderr
    )
    who(folder, MAPPING.replace('= "mara"', '= "brak"') + 'actor = "hT5wQe0RjVn3CxMa"\n')
    table(f"{IMPORT} --remap")
    assert sheet(table) == {"hp": 9, "hp.max": 12}
    assert rows(table("show last --json").stdout)[0]["who"] == "brak"


def test_another_mapping_keeps_an_import_with_one_number(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    who(folder, MAPPING.replace('"HP.max" = "system.attributes.hp.max"\n', ""))
    table("join mara free")
    table(IMPORT)
    table("note x")
    who(folder, '[speakers]\n"Nessa Quill" = "brak"\n')
    table(f"{IMPORT} --remap")
    assert sheet(table) == {"hp": 9}


def test_the_actors_of_an_old_world_are_read_without_replaced_and_deleted_ones(table: Type, folder: Path) -> None:
    older = {**NESSA, "system": {"attributes": {"hp": {"value": 1, "max": 1}}}}
    gone = {**NESSA, "_id": "gone"}
    lines = in_lines(older, gone, {"$$indexCreated": {"fieldName": "name"}}, NESSA, {"$$deleted": True, "_id": "gone"})
    old_world(folder, lines + b'{"_id": "cut')
    table(IMPORT)
    assert sheet(table) == {"hp": 9, "hp.max": 12}


def test_a_number_that_an_old_world_lacks_is_missing_in_the_file_of_its_actors(table: Type, folder: Path) -> None:
    old_world(folder, in_lines(NESSA))
    who(folder, f'{MAPPING}gold = "system.gold"\n')
    assert "'Nessa Quill' has no whole number called 'system.gold' in 'actors.db'." in table(IMPORT).stderr


@pytest.mark.parametrize("old", [True, False])
def test_a_world_in_a_zip_file_has_actors(table: Type, folder: Path, *, old: bool) -> None:
    if old:
        old_world(folder, in_lines(NESSA))
    else:
        world(folder, NESSA)
    with ZipFile(folder / "world.zip", "w") as archive:
        for file in sorted((folder / "ford").rglob("*.*")) + sorted((folder / "ford").rglob("[CM]*")):
            archive.write(file, file.relative_to(folder))
    table("import world.zip --mapping who.toml --yes")
    assert sheet(table) == {"hp": 9, "hp.max": 12}


WITHOUT = "comes without sheets of characters, but the mapping file has a section [sheets]."


def test_a_file_without_actors_is_refused_in_one_sentence(table: Type, folder: Path) -> None:
    (folder / "messages.json").write_text(json.dumps([CHAT]), encoding="utf-8")
    data = world(folder, NESSA)
    before = head(folder)
    refused = table("import messages.json --mapping who.toml --yes")
    assert f"Error: 'messages.json' {WITHOUT}" in refused.stderr
    (data / "messages").rename(data / "chat")
    assert WITHOUT in table("import ford/data/chat --mapping who.toml --yes").stderr
    (data / "chat").rename(data / "messages")
    (data / "actors").rename(folder / "elsewhere")
    assert WITHOUT in table(IMPORT).stderr
    (data / "actors").symlink_to(folder / "elsewhere")
    assert WITHOUT in table(IMPORT).stderr
    with ZipFile(folder / "world.zip", "w") as archive:
        for file in (data / "messages").iterdir():
            archive.write(file, file.relative_to(folder))
    assert WITHOUT in table("import world.zip --mapping who.toml --yes").stderr
    assert head(folder) == before


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('actor = "none"', "'ford' has no actor with the id 'none', but [sheets.mara] needs one."),
        ("", "[sheets.mara] does not say which of 2 actors it means."),
        (
            'actor = "b"\ngold = "system.gold"',
            "'Nessa Quill' has no whole number called 'system.gold' in 'ford'.",
        ),
        ('actor = "b"\ngold = "system.attributes.speed"', "no whole number called 'system.attributes.speed'"),
        ('actor = "b"\ngold = "system.is.awake"', "no whole number called 'system.is.awake'"),
        ('actor = "b"\ngold = "system.currency.gp.more"', "no whole number called 'system.currency.gp.more'"),
        ('actor = "b"\nroll = "system.currency.gp"', "free has no score called 'roll'."),
        ('actor = "b"\ngold = "system.currency.gp"\n"gold.max" = "system.attributes.hp.max"', "cannot be above"),
    ],
)
def test_what_cannot_come_over_is_refused_before_the_question(table: Type, folder: Path, more: str, says: str) -> None:
    world(folder, NESSA, {**NESSA, "_id": "b"})
    who(folder, f"{MAPPING}{more}\n")
    for how in ("--yes", "--dry-run", ""):
        before = head(folder)
        refused = table(f"import ford --mapping who.toml {how}")
        assert says in refused.stderr
        assert (refused.exit_code in {2, 3}, head(folder)) == (True, before)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("sheets = 1", "needs a section [sheets]."),
        ('[sheets.mara]\nhp = "a.b"\nHP = "a.c"', "has two lines for 'hp' in [sheets.mara]."),
        ("[sheets]\nmara = 1", "needs a section [sheets.CHARACTER], not 'mara' in [sheets]."),
        ("[sheets.-]\nhp = 'a'", "needs a character in [sheets], not '-'."),
        ("[sheets.zoe]\nhp = 'a'", "names the character 'zoe', but this campaign has no such character."),
        ("[sheets.mara]\nhp = 9", "needs a text such as \"system.attributes.hp.value\" for 'hp'."),
        ("[sheets.mara]\nhp.max = 'a'", "needs a text such as \"system.attributes.hp.value\" for 'hp'."),
    ],
)
def test_a_wrong_section_is_refused(table: Type, folder: Path, content: str, says: str) -> None:
    world(folder, NESSA)
    who(folder, content)
    refused = table(IMPORT)
    assert (refused.exit_code, says in refused.stderr) == (2, True)


def test_check_leaves_the_sheets_out(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table(IMPORT)
    table("adjust mara hp=-2")
    checked = table("import ford --mapping who.toml --check")
    assert (checked.exit_code, "Sheet:" in checked.stdout) == (0, False)


def test_a_number_that_has_changed_since_it_was_shown_is_not_overwritten(table: Type, folder: Path) -> None:
    world(folder, NESSA)
    table("join mara free hp=3")
    source, reader = find_source(str(folder / "ford"), None)
    with open_book(str(folder / "road.campaign")) as book:
        mapping = read_mapping(str(folder / "who.toml"), book)
        planned = sheets.plan_sheets(book, source, reader.form, mapping, update=True).commands
        assert table("adjust mara hp=99 --why rest").exit_code == 0
        with pytest.raises(Refused, match="The score 'hp' of mara has changed"):
            Scribe(book).write_all(requests_of((command, None) for command in planned))
    assert sheet(table)["hp"] == 99
