"""`import` of another program's log: every roll once, marked as claimed by its file, and secrets stay secrets."""

import json
import tomllib
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
from click.testing import CliRunner

from cli.context import Invocation
from cli.main import campaign
from engine import connection_of
from ledger.audit.report import audit
from ledger.audit.verify import verify
from ledger.errors import BadInput, Refused, WrongEntry
from ledger.events.commitments import secret
from ledger.events.types import RollImported
from ledger.imports import plan
from ledger.imports.csv_rows import COLUMNS
from ledger.imports.foundry_list import FoundryListReader
from ledger.imports.log_records import ReadingOptions
from ledger.imports.mapping import PeopleMapping
from ledger.imports.sources import find_source
from ledger.journal.book import Book, open_book
from ledger.scribe import Scribe, requests_of
from level import batch, lay
from level import log as written
from logs import AVRAE, KEPT, die, discord_export, discord_message, embed, in_lines, message, roll
from table import EVENING
from tampering import fields, rewritten
from terminal import Type, command, head, rows, typed_at_a_terminal

MAPPING = """
zone = "Europe/Lisbon"
[users]
Ana = {player = "Ana", character = "mara"}
Tom = {player = "p1"}
[speakers]
"Nessa Quill" = "mara"
Orrin = "-"
Brak = "brak"
"""


@pytest.fixture
def table(folder: Path, type_in: Type) -> Iterator[Type]:
    """Type in the folder of a campaign, with two logs and a mapping."""
    for name in ("messages.json", "rolls.csv"):
        copy(KEPT / name, folder)
    (folder / "who.toml").write_text(MAPPING, encoding="utf-8")
    yield type_in
    assert type_in("verify").exit_code == 0


def imported(book: Book) -> set[str]:
    return {name for name in book.accounts.mark_names("#imported") if book.mark("#imported", name)}


def test_a_log_is_added_and_says_who_claims_it(table: Type) -> None:
    done = table("import messages.json --yes")
    assert "messages.json has added 3 rolls to the campaign (#8 to #11)." in done.stdout
    assert table("log -n 3").stdout.splitlines() == [
        "#8    3 rolls imported, claimed by messages.json (1 of them private)",
        "#9    2 rolls of 2025-03-07 (imported, claimed by messages.json)",
        "#11   Nessa Quill rolls floor((3d4 + 1) / 2): 3 [1 3 2]: Arrows (imported, claimed by messages.json)",
    ]
    assert "imported, claimed by messages.json" in table("show 8").stdout
    assert "imported, claimed by messages.json" in table("chronicle").stdout


def test_a_search_finds_a_roll_that_shares_an_evening_with_others(table: Type) -> None:
    table("import messages.json --yes")
    evening = "#9    2 rolls of 2025-03-07 (imported, claimed by messages.json)\n"
    assert table("search listen door").stdout.splitlines() == [
        evening.rstrip(),
        "      #9 Nessa Quill rolls 2d20kh + 3: 17 [6 14]: Listen at the door",
    ]
    assert table("search messages.json evening").stderr == "No line fits.\n"
    assert table("search 2025-03-07").stdout == evening, "the heading has the words"
    assert table("search guard wake").stderr == "No line fits.\n", "a private roll"
    assert "#10 private roll" in table("search guard wake --secrets").stdout


def test_show_shows_one_roll_of_an_evening_alone(table: Type) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    assert table("show 10").stdout.splitlines()[1:3] == [
        "      #10 Nessa Quill rolls d20: 5, but the dice come to 4 [4]: Climb (imported, claimed by rolls.csv)",
        "      The evening has 2 other rolls. To list all: campaign show 9",
    ]
    assert "#10 Nessa Quill" in table("show 9").stdout, "the number of the evening"


def test_a_search_shows_at_most_12_rolls_of_an_evening(table: Type, folder: Path) -> None:
    rows = [f"2025-03-07 20:{minute},Ana,Brak,d6,3,3,,Climb," for minute in range(10, 24)]
    (folder / "long.csv").write_text(
        "\n".join(["when,player,character,roll,dice,total,how,note,seen", *rows]), encoding="utf-8"
    )
    table("import long.csv --mapping who.toml --yes")
    found = table("search climb").stdout.splitlines()
    assert len(found) == 14
    assert found[-1] == "      … 2 more rolls. To list all: campaign show 9"


def test_a_file_that_is_cut_off_is_read_up_to_there_and_says_so(table: Type, folder: Path) -> None:
    (folder / "messages.db").write_bytes(in_lines(message(roll("1d20", 4, die(20, 4)))) + b'{"_id":"t2')
    done = table("import messages.db --yes")
    assert done.stdout.splitlines()[:3] == [
        "messages.db: 1 roll in 1 record (Foundry's chat messages as a NeDB file), 2025-03-07 to 2025-03-07.",
        "Rolls: 1 new.",
        "The file ends in the middle of line 2 (byte 444). Everything before it was read.",
    ]
    assert '"notes": ["The file ends' in table("import messages.db --dry-run --json").stdout


def test_a_foundry_world_is_imported_and_its_users_are_not_read(table: Type, folder: Path) -> None:
    data, chat = folder / "salt-road" / "data", json.loads((KEPT / "messages.json").read_bytes())
    users = [{"_id": "Ub4GmZ8yPd1HsKfA", "name": "Ana", "password": "hash"}]
    for kind, documents in (("messages", chat), ("users", users)):
        writes = [(f"!{kind}!{each['_id']}".encode(), json.dumps(each).encode()) for each in documents]
        lay(data / kind, {3: written(batch(1, *writes))})
    done = table("import salt-road --dry-run")
    assert "salt-road: 3 rolls in 4 records (Foundry's chat messages as a LevelDB folder)" in done.stdout
    assert (folder / "salt-road.mapping.toml").read_text(encoding="utf-8").splitlines()[6:9] == [
        "[users]",
        '# "Gm7KtX2wVs5LbNhE" = {player = "PLAYER"}  # 1 roll',
        '# "Ub4GmZ8yPd1HsKfA" = {player = "PLAYER"}  # 2 rolls, as Nessa Quill',
    ]
    assert "salt-road has added 3 rolls to the campaign" in table("import salt-road --yes").stdout
    assert "3 already imported" in table("import messages.json --yes").stdout


def test_messages_that_are_not_imported_are_counted_by_their_kind(table: Type, folder: Path) -> None:
    said = [message(_id=f"m{number}", type=3 if number < 2 else 1) for number in range(12)]
    (folder / "chat.json").write_text(json.dumps([message(roll("1d20", 4, die(20, 4))), *said]), encoding="utf-8")
    assert "Not imported: 10 messages without rolls, 2 emotes." in table("import chat.json --yes").stdout.splitlines()
    assert '"counts": {"changed": 0, "emote": 2,' in table("show 8 --json").stdout
    assert "Not imported" not in table("import rolls.csv --mapping who.toml --yes").stdout


def test_the_mapping_file_names_the_bots_whose_rolls_are_imported(table: Type, folder: Path) -> None:
    said = discord_message("1d20 (14) = `14`", author={**AVRAE, "name": "Bender"})
    (folder / "channel.json").write_text(discord_export(said), encoding="utf-8")
    line = table("import channel.json --dry-run").stdout.partition("add to the mapping: ")[2].splitlines()[0]
    (folder / "bots.toml").write_text(line, encoding="utf-8")
    assert "has added 1 roll" in table("import channel.json --mapping bots.toml --yes").stdout


def test_the_same_roll_of_two_programs_is_listed_and_kept(table: Type, folder: Path) -> None:
    listed = [
        message(roll("1d20", 4, die(20, 4)), _id=f"m{number}", timestamp=1741376531518 + number * 60_000)
        for number in range(12)
    ]
    (folder / "chat.json").write_text(json.dumps(listed), encoding="utf-8")
    start = listed[0]["timestamp"] - 1_420_070_400_000
    copies = [
        discord_message(
            id=str(start + number * 60_000 << 22),
            embeds=[embed("Nessa Quill makes a Stealth check!", "1d20 (4) = `4`")],
        )
        for number in range(12)
    ]
    (folder / "one.json").write_text(discord_export(copies[0]), encoding="utf-8")
    (folder / "all.json").write_text(discord_export(*copies), encoding="utf-8")
    table("import chat.json --yes")
    says = "Maybe the same roll (same character, dice and total within 10 seconds): message 1 and #9. Both are kept."
    assert says in table("import one.json --dry-run").stdout.splitlines()
    assert '"doubles": [{"other": "#9", "place": "message 1"}]' in table("import one.json --dry-run --json").stdout
    done = table("import all.json --yes").stdout
    assert "message 10 and #18 and 2 more. Both are kept." in done
    assert "has added 12 rolls" in done
    assert "Maybe" not in table("import all.json --dry-run").stdout


def test_a_private_copy_of_a_new_roll_forgets_its_double(table: Type, folder: Path) -> None:
    copies = message(roll("1d20", 4, die(20, 4))), message(roll("1d20", 4, die(20, 4)), blind=True)
    (folder / "chat.json").write_text(json.dumps(copies), encoding="utf-8")
    assert "Maybe" not in table("import chat.json --dry-run").stdout


def test_an_import_changes_no_score(table: Type) -> None:
    before = table("sheets --json").stdout
    table("import rolls.csv --mapping who.toml --yes")
    assert table("sheets --json").stdout == before


def test_a_dry_run_writes_a_mapping_file_and_nothing_else(table: Type, folder: Path) -> None:
    before = head(folder)
    done = table("import rolls.csv --dry-run")
    assert head(folder) == before
    assert "rolls.mapping.toml lists the names in the file." in done.stderr
    assert (folder / "rolls.mapping.toml").read_text(encoding="utf-8").splitlines()[6:] == [
        "[users]",
        '# "Ana" = {player = "Ana"}  # 2 rolls, as Nessa Quill',
        '# "Ben" = {player = "PLAYER"}  # 1 roll, as Brak',
        '# "Tom" = {player = "Tom"}  # 1 roll, as Orrin',
        "",
        "[speakers]",
        '# "Brak" = "brak"  # 1 roll',
        '# "Nessa Quill" = "CHARACTER"  # 2 rolls',
        '# "Orrin" = "CHARACTER"  # 1 roll',
    ]


def test_a_dry_run_keeps_a_mapping_file_that_exists(table: Type, folder: Path) -> None:
    done = table("import rolls.csv --dry-run --mapping who.toml")
    assert (folder / "who.toml").read_text(encoding="utf-8") == MAPPING
    assert "Not in the mapping" not in done.stdout
    assert "2025-03-07 19:42:00 UTC  Nessa Quill: 2d20kh1+3 = 17 [14 6]  Listen at the door" in done.stdout


def test_a_mapping_file_that_cannot_be_written_is_an_error(table: Type, folder: Path) -> None:
    (folder / "rolls.csv").rename(folder / f"{'r' * 250}.csv")
    refused = table(f"import {'r' * 250}.csv --dry-run")
    assert "rrr.mapping.toml cannot be created: File name too long." in refused.stderr


def test_a_dry_run_makes_no_mapping_file_with_a_name_that_was_typed(table: Type, folder: Path) -> None:
    refused = table("import rolls.csv --dry-run --mapping whoo.toml")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "Error: The mapping file 'whoo.toml' cannot be read: No such file or directory.\n"
        "Hint: A dry run without --mapping makes a mapping file.\n",
    )
    assert not (folder / "whoo.toml").exists()


@pytest.mark.parametrize("inside", ["", "logs"])
def test_a_file_name_that_is_not_text_is_refused_and_leaves_no_mapping_file(
    table: Type, folder: Path, inside: str
) -> None:
    (folder / "logs").mkdir()
    (folder / inside / "bad\udcff.json").write_bytes((folder / "messages.json").read_bytes())
    before = {*folder.iterdir()}
    for more in (["--dry-run"], ["--yes"]):
        refused = table(["import", inside or "bad\udcff.json", *more])
        assert refused.stderr == (
            "Error: The name 'bad\\udcff.json' is not text in the UTF-8 format.\nHint: Rename the file.\n"
        )
        assert ({*folder.iterdir()}, refused.exit_code) == (before, 2)


def test_a_file_name_with_invisible_characters_gets_a_mapping_file_that_can_be_read(table: Type, folder: Path) -> None:
    (folder / "messages.json").rename(folder / "a\nb\x7f.json")
    table(["import", "a\nb\x7f.json", "--dry-run"])
    (proposed,) = folder.glob("*.mapping.toml")
    assert tomllib.loads(proposed.read_text(encoding="utf-8")) == {"users": {}, "speakers": {}}


def test_a_dry_run_uses_the_mapping_file_that_it_made_before(table: Type, folder: Path) -> None:
    (folder / "rolls.mapping.toml").write_text(MAPPING, encoding="utf-8")
    done = table("import rolls.csv --dry-run")
    assert "Not in the mapping" not in done.stdout
    assert "The dry run uses rolls.mapping.toml." in done.stderr


def test_an_import_uses_the_mapping_file_that_the_dry_run_made(table: Type, folder: Path) -> None:
    (folder / "rolls.mapping.toml").write_text(MAPPING, encoding="utf-8")
    done = table("import rolls.csv --yes")
    assert done.stderr.startswith("The mapping file is rolls.mapping.toml.\n")
    assert rows(table("show 9 --json").stdout)[0]["who"] == "mara"
    assert table("import rolls.csv --check").exit_code == 0
    (folder / "rolls.mapping.toml").write_text(MAPPING.replace('"mara"\nO', '"brak"\nO'), encoding="utf-8")
    refused = table("import rolls.csv --yes").stderr
    assert "campaign import rolls.csv --mapping rolls.mapping.toml --remap\n" in refused
    assert table("import rolls.csv --remap --yes").exit_code == 0


def test_samples_are_public(table: Type) -> None:
    assert "Sneak past" not in table("import rolls.csv --dry-run").stdout


def test_many_unmapped_names_are_counted(table: Type, folder: Path) -> None:
    lines = [f"2025-03-07,,Name {number:02},d20,4,4,,,," for number in range(12)]
    (folder / "many.csv").write_text("\n".join([",".join(COLUMNS), *lines]), encoding="utf-8")
    assert "Name 09 and 2 more." in table("import many.csv --dry-run").stdout


def test_the_mapping_names_players_and_characters(table: Type, folder: Path) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    found = rows(table("show 9 --json").stdout)[0]
    assert (found["who"], found["player"], found["speaker"]) == ("mara", "p2", "Nessa Quill")


def test_names_of_the_mapping_that_are_not_in_the_file_are_listed(table: Type, folder: Path) -> None:
    users = 'users = {Anna = {player = "Ana"}, Ana = {character = "mara"}, Tim = {character = "mara"}}'
    (folder / "who.toml").write_text(
        f'zone = "Europe/Lisbon"\n{users}\nspeakers = {{Orin = "-", Orrin = "-"}}\n', encoding="utf-8"
    )
    done = table("import rolls.csv --mapping who.toml --dry-run").stdout.splitlines()
    assert "In the mapping, but not in this file: Anna, Orin, Tim." in done


def test_a_time_without_a_zone_is_refused(table: Type, folder: Path) -> None:
    before = head(folder)
    refused = table("import rolls.csv --yes")
    assert (refused.exit_code, head(folder)) == (2, before)
    assert "'rolls.csv' has times without a time zone.\nHint: Make a mapping file with " in refused.stderr


def test_repeating_an_import_writes_nothing(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    again = table("import messages.json --yes")
    assert again.stderr == (
        "messages.json is the same as in its import (#8), and the campaign still has all of its rolls."
        " Nothing was written.\n"
    )
    assert head(folder) == before


def test_repeating_an_import_with_other_bytes_compares_each_roll(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    with (folder / "messages.json").open("a", encoding="utf-8") as file:
        file.write("\n")
    again = table("import messages.json --yes")
    assert "Rolls: 3 already imported. Of these, 1 is private." in again.stdout
    assert "The file has no new rolls. Nothing was written." in again.stderr
    assert head(folder) == before


def test_repeating_an_import_finds_a_roll_that_was_canceled_meanwhile(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("void 9 --why test --yes")
    assert "2 new" in table("import messages.json --yes").stdout


def test_a_roll_that_another_import_has_added_since_is_refused(table: Type, folder: Path) -> None:
    source, reader = find_source(str(folder / "messages.json"), None)
    with open_book(str(folder / "road.campaign")) as book:
        planned = plan.plan_import(book, source, reader, PeopleMapping()).commands
        table("import messages.json --yes")
        with pytest.raises(Refused, match="Another import has added some of these rolls"):
            Scribe(book).write_all(requests_of((command, None) for command in planned))


def test_a_newer_export_adds_only_what_is_new(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    more = message(roll("1d6", 5, die(6, 5)), _id="zzz")
    (folder / "messages.json").write_text(json.dumps([*messages[1:], more, more]), encoding="utf-8")
    done = table("import messages.json --yes")
    assert (
        "Rolls: 1 new, 2 already imported. Of these, 1 is private.\nLeft out: 1 roll that the file repeats."
        in done.stdout
    )
    assert "1 earlier roll is missing from this file. The campaign keeps it." in done.stdout


def test_the_rolls_of_other_tables_are_not_missing(table: Type, folder: Path) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    (folder / "other.csv").write_text("when,total\n2025-03-07,4\n", encoding="utf-8")
    assert "missing" not in table("import other.csv --yes").stdout


def test_an_import_counts_only_its_own_private_rolls(table: Type, folder: Path) -> None:
    (folder / "more.csv").write_text("when,total,seen,id\n2025-03-07,4,gm,a\n", encoding="utf-8")
    table("import more.csv --yes")
    (folder / "more.csv").write_text(
        "when,total,seen,id\n2025-03-07,4,gm,a\n2025-03-07,5,gm,b\n2025-03-07,6,,c\n", encoding="utf-8"
    )
    assert "Rolls: 2 new, 1 already imported. Of these, 2 are private." in table("import more.csv --yes").stdout
    assert table("show 10").stdout.startswith("#10   2 rolls imported, claimed by more.csv (1 of them private)\n")


def test_an_import_without_private_rolls_of_its_own_still_hides_the_hash_of_a_file_that_has_one(
    table: Type, folder: Path
) -> None:
    (folder / "more.csv").write_text("when,total,seen,id\n2025-03-07,4,gm,a\n", encoding="utf-8")
    table("import more.csv --yes")
    (folder / "more.csv").write_text("when,total,seen,id\n2025-03-07,4,gm,a\n2025-03-07,6,,c\n", encoding="utf-8")
    table("import more.csv --yes")
    found = rows(table("show 10 --json").stdout)[0]
    assert (found["counts"]["private"], type(found["sha256"])) == (0, dict)


def test_the_days_of_a_file_include_times_without_a_zone(table: Type, folder: Path) -> None:
    lines = "when,total\n2025-03-08,4\n2025-03-09 20:00,5\n2025-03-06 19:00,6\n"
    (folder / "days.csv").write_text(lines, encoding="utf-8")
    assert "columns), 2025-03-06 to 2025-03-09.\n" in table("import days.csv --dry-run").stdout


def test_the_days_of_a_file_are_those_of_all_its_public_rolls(table: Type, folder: Path) -> None:
    rows_of = ["when,total,id,seen", "2025-03-07,4,a,", "2025-03-14,5,b,", "2025-03-21,6,c,gm"]
    for count in (2, 4):
        (folder / "days.csv").write_text("\n".join(rows_of[:count]), encoding="utf-8")
        done = table("import days.csv --yes")
    assert "columns), 2025-03-07 to 2025-03-14.\nRolls: 2 new, 1 already imported." in done.stdout


def test_an_import_says_how_many_rolls_have_nobodys_name(table: Type, folder: Path) -> None:
    (folder / "part.toml").write_text('zone = "UTC"\n[users]\nAna = {player = "Ana"}\n', encoding="utf-8")
    done = table("import rolls.csv --mapping part.toml --yes").stdout.splitlines()
    assert [line for line in done if "mapping" in line or "no player" in line] == [
        "Not in the mapping: Brak, Nessa Quill, Orrin.",
        "For this reason, 2 new rolls have no player and no character.",
    ]


def test_a_changed_record_is_listed_and_changes_nothing(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    text = (folder / "messages.json").read_text(encoding="utf-8")
    (folder / "edited.json").write_text(text.replace('\\"total\\":8', '\\"total\\":18'), encoding="utf-8")
    says = (
        "Changed: #10 (a private roll) differs from message 3. The entry stays as it is.\n"
        "To take over changed rolls, cancel the whole import, then import this file: campaign void 8 --why TEXT\n"
    )
    assert says in table("import edited.json --yes").stdout
    assert head(folder) == before


def test_check_compares_the_file_with_the_entries(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    agreed = table("import messages.json --check")
    assert (agreed.exit_code, agreed.stdout.splitlines()[-1]) == (
        0,
        "All rolls of messages.json are in the campaign, and agree with the file.",
    )
    text = (folder / "messages.json").read_text(encoding="utf-8")
    (folder / "edited.json").write_text(text.replace("Arrows", "Bolts"), encoding="utf-8")
    differs = table("import edited.json --check")
    assert (differs.exit_code, differs.stdout.splitlines()[-1]) == (
        7,
        "#11 (Nessa Quill rolls floor((3d4 + 1) / 2): 3 [1 3 2]: Arrows) differs from message 4:"
        " purpose Arrows here, Bolts in the file.",
    )
    assert "The file and the campaign differ in 1 roll." in differs.stderr


def test_check_shows_what_differs_in_each_public_roll(table: Type, folder: Path) -> None:
    (folder / "edited.csv").write_text(
        "when,character,roll,dice,total,how,id,seen\n"
        "2025-03-07 20:00Z,Orrin,1d20,3,10,physical,a,\n2025-03-07 20:10Z,Orrin,1d20,3,10,,b,gm\n",
        encoding="utf-8",
    )
    table("import edited.csv --yes")
    (folder / "edited.csv").write_text(
        "when,character,roll,dice,total,how,id,seen\n"
        "2025-03-07 20:01Z,,2d10,3 4,-2,computer,a,\n2025-03-07 20:10Z,Orrin,1d20,3,11,,b,gm\n",
        encoding="utf-8",
    )
    *_, public, private, _ = table("import edited.csv --check").stdout.splitlines()
    assert public == (
        "#9 (Orrin rolls 1d20: 10, but the dice come to 3 [3]) differs from line 2: time 2025-03-07 20:00:00 UTC here,"
        " 2025-03-07 20:01:00 UTC in the file; name Orrin here, none in the file; roll 1d20 here, 2d10 in the file;"
        " dice 3 here, 3 4 in the file; total 10 here, −2 in the file; rolled by hand here, computer in the file."
    )
    assert private == "#10 (a private roll) differs from line 3."
    found = rows(table("import edited.csv --dry-run --json").stdout)[0]["changed"]
    assert found[0]["fields"][4] == {"name": "total", "here": "10", "file": "−2"}
    assert found[1]["fields"] == []


def test_after_many_changed_rolls_the_rest_are_only_named(
    table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "MOST_SHOWN_CHANGES", 1)
    text = "when,total,id\n2025-03-07,1,a\n2025-03-07,2,b\n"
    (folder / "more.csv").write_text(text, encoding="utf-8")
    table("import more.csv --yes")
    (folder / "more.csv").write_text(text.replace(",1,", ",3,").replace(",2,", ",4,"), encoding="utf-8")
    assert table("import more.csv --check").stdout.splitlines()[-3:-1] == [
        "#9 (somebody rolls: 1) differs from line 2: total 1 here, 3 in the file.",
        "#10 differs from line 3.",
    ]


def test_check_says_once_that_a_file_is_not_imported(table: Type) -> None:
    checked = table("import messages.json --check")
    assert "The campaign does not have the roll" not in checked.stdout
    assert (checked.exit_code, checked.stderr) == (
        7,
        "Error: messages.json is not imported: the campaign has none of its rolls.\n",
    )


def test_check_names_the_records_that_were_added_or_removed(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    text = (folder / "messages.json").read_text(encoding="utf-8")
    (folder / "messages.json").write_text(text.replace("v9Bn3JxTc6Yf1QpD", "replaced"), encoding="utf-8")
    differs = table("import messages.json --check")
    assert differs.stdout.splitlines()[-3:] == [
        "The campaign does not have the roll of message 3.",
        "#10 is not in this file.",
        "The bytes of messages.json have changed since its import (#8).",
    ]
    assert "The file and the campaign differ in 2 rolls." in differs.stderr
    assert (differs.exit_code, head(folder)) == (7, before)


def test_check_finds_a_roll_that_was_deleted_from_the_file(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    (folder / "messages.json").write_text(json.dumps(messages[:-1]), encoding="utf-8")
    differs = table("import messages.json --check")
    assert "#11 is not in this file." in differs.stdout
    assert "The file and the campaign differ in 1 roll." in differs.stderr
    assert differs.exit_code == 7


def test_check_finds_a_file_that_was_emptied(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    (folder / "messages.json").write_text('[{"_id": "q7Rk2TnVb0Xw9LsE", "speaker": {}}]', encoding="utf-8")
    differs = table("import messages.json --check")
    assert "The file and the campaign differ in 3 rolls." in differs.stderr


def test_check_does_not_expect_the_rolls_of_other_files(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    saved(folder, json.loads((folder / "messages.json").read_text(encoding="utf-8"))[0])
    agrees = table("import copies.json --check")
    assert agrees.stdout.splitlines()[2:] == [
        "All rolls of copies.json are in the campaign, and agree with the file.",
    ]
    assert agrees.exit_code == 0


@pytest.mark.parametrize("name", ["messages.json", "rolls.csv"])
def test_check_compares_the_bytes_of_the_file(table: Type, folder: Path, name: str) -> None:
    (folder / "rolls.csv").write_text("when,total\n2025-03-07,4\n", encoding="utf-8")
    table(f"import {name} --yes")
    assert f"The bytes of {name} are the same as in its import (#8)." in table(f"import {name} --check").stdout
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
    changed = table(f"import {name} --check")
    assert f"The bytes of {name} have changed since its import (#8)." in changed.stdout
    assert changed.exit_code == 0


def test_check_knows_the_bytes_of_a_file_that_was_renamed(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    (folder / "messages.json").rename(folder / "renamed.json")
    assert (
        "The bytes of renamed.json are the same as in its import (#8)." in table("import renamed.json --check").stdout
    )


def test_check_leaves_out_canceled_imports(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("void 8 --why x --yes")
    assert "its import" not in table("import messages.json --check").stdout


NUMBERED = "when,total,id\n2025-03-0{day},4,1\n2025-03-0{day},5,2\n2025-03-0{day},6,{last}\n"


def test_another_table_with_the_same_ids_is_refused_until_it_has_a_name(table: Type, folder: Path) -> None:
    (folder / "one.csv").write_text(NUMBERED.format(day=1, last=3), encoding="utf-8")
    (folder / "two.csv").write_text(NUMBERED.format(day=2, last=4), encoding="utf-8")
    (folder / "two.toml").write_text('source = "two"', encoding="utf-8")
    table("import one.csv --yes")
    before = head(folder)
    refused = table("import two.csv --yes")
    assert (refused.exit_code, head(folder)) == (3, before)
    assert "The campaign has other rolls with the same ids, and none of them agrees with 'two.csv'." in refused.stderr
    assert 'write source = "NAME" into its mapping file' in refused.stderr
    table("import two.csv --mapping two.toml --yes")
    assert "Rolls: 3 already imported." in table("import two.csv --mapping two.toml --check").stdout
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == {"log", "csv:1", "csv:2", "csv:3", "csv:two:1", "csv:two:2", "csv:two:4"}


def import_by_an_older_version(table: Type, folder: Path, *changes: tuple[str, str]) -> None:
    """Import messages.json as version 1 of the reader would, if it had read some texts differently."""
    original = (folder / "messages.json").read_text(encoding="utf-8")
    text = original
    for now, before in changes:
        text = text.replace(now, before)
    assert text != original
    (folder / "messages.json").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FoundryListReader, "version", 1)
        table("import messages.json --yes")
    (folder / "messages.json").write_text(original, encoding="utf-8")


def test_rolls_that_an_older_version_read_differently_are_known(table: Type, folder: Path) -> None:
    import_by_an_older_version(table, folder, ('\\"total\\":8', '\\"total\\":18'), ("Arrows", "Bolts"))
    before = head(folder)
    again = table("import messages.json --yes")
    assert "Rolls: 3 already imported. Of these, 1 is private." in again.stdout
    assert "An older version of the program read 2 rolls differently. The entries stay as they are." in again.stdout
    assert (again.exit_code, head(folder)) == (0, before)
    shown = rows(table("import messages.json --dry-run --json").stdout)[0]
    assert (shown["changed"], [each["entry"] for each in shown["reread"]]) == ([], [10, 11])


def test_check_names_the_rolls_that_an_older_version_read_differently(table: Type, folder: Path) -> None:
    import_by_an_older_version(table, folder, ("Arrows", "Bolts"))
    agrees = table("import messages.json --check")
    says = "An older version of the program read message 4 differently (#11): purpose Bolts here, Arrows in the file."
    assert says in agrees.stdout
    assert (agrees.exit_code, agrees.stdout.splitlines()[-1]) == (0, "All rolls of messages.json are in the campaign.")


def test_a_roll_that_is_private_since_a_newer_version_is_named(table: Type, folder: Path) -> None:
    saved(folder, PUBLIC)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FoundryListReader, "version", 1)
        table("import copies.json --yes")
    saved(folder, PRIVATE)
    exposed = "The entry is public, but the file or the mapping makes the roll private."
    assert f"message 1 is #9. {exposed}" in table("import copies.json --yes").stdout
    assert f"differently (#9). {exposed}" in table("import copies.json --check").stdout


def test_a_private_copy_of_a_roll_that_an_older_version_read_differently_counts_instead(
    table: Type, folder: Path
) -> None:
    saved(folder, PRIVATE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FoundryListReader, "version", 1)
        table("import copies.json --yes")
    saved(folder, PUBLIC, PRIVATE)
    shown = rows(table("import copies.json --dry-run --json").stdout)[0]
    assert (shown["counts"]["known"], shown["reread"]) == (1, [])


def test_the_same_file_with_another_time_zone_is_not_another_table(table: Type, folder: Path) -> None:
    (folder / "rolls.csv").write_text("when,total,id\n2025-03-01 20:00,4,1\n2025-03-01 20:01,5,2\n", encoding="utf-8")
    (folder / "here.toml").write_text('zone = "Europe/Lisbon"', encoding="utf-8")
    (folder / "there.toml").write_text('zone = "Asia/Tokyo"', encoding="utf-8")
    table("import rolls.csv --mapping here.toml --yes")
    refused = table("import rolls.csv --mapping there.toml --yes")
    assert "'rolls.csv' was imported before (#8), but now its rolls are read differently." in refused.stderr
    assert "To use another one, first type: campaign void 8 --why TEXT" in refused.stderr
    assert (refused.exit_code, "source" in refused.stderr) == (3, False)


PUBLIC = message(roll("1d6", 5, die(6, 5)))
PRIVATE = message(roll("1d6", 5, die(6, 5), options={"rollMode": "gmroll"}))


def saved(folder: Path, *messages: object) -> None:
    (folder / "copies.json").write_text(json.dumps(messages), encoding="utf-8")


@pytest.mark.parametrize("copies", [(PUBLIC, PRIVATE), (PRIVATE, PUBLIC), (PUBLIC, PRIVATE, PRIVATE)])
def test_a_roll_with_a_private_copy_is_private(table: Type, folder: Path, copies: tuple[object, ...]) -> None:
    saved(folder, *copies)
    done = table("import copies.json --yes")
    assert "Rolls: 1 new. Of these, 1 is private.\n" in done.stdout
    assert "Nessa Quill" not in done.stdout.partition("Not in the mapping")[0]
    assert rows(table("show 9 --json").stdout)[0]["seen"] == "gm"


def test_a_private_copy_of_a_public_entry_is_a_change(table: Type, folder: Path) -> None:
    saved(folder, PUBLIC)
    table("import copies.json --yes")
    saved(folder, PUBLIC, PRIVATE)
    checked = table("import copies.json --check")
    assert "Rolls: 1 changed since. Of these, 1 is private." in checked.stdout
    assert (
        "#9 (Nessa Quill rolls 1d6: 5 [5]: Listen) differs from message 2."
        " The entry is public, but the file or the mapping makes the roll private." in checked.stdout
    )
    assert checked.exit_code == 7


def test_a_private_copy_that_was_imported_is_known(table: Type, folder: Path) -> None:
    saved(folder, PRIVATE)
    table("import copies.json --yes")
    saved(folder, PUBLIC, PRIVATE)
    assert table("import copies.json --check").exit_code == 0


def test_a_roll_that_the_mapping_makes_private_after_its_import_stays_readable(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    (folder / "gm.toml").write_text('seen = "gm"', encoding="utf-8")
    checked = table("import messages.json --mapping gm.toml --check").stdout
    assert (
        "Listen at the door) differs from message 1."
        " The entry is public, but the file or the mapping makes the roll private." in checked
    )
    table("void 8 --why x --yes")
    table("import messages.json --mapping gm.toml --yes")
    assert "Nessa Quill rolls 2d20kh + 3: 17" in table("show 9 --by Ana").stdout
    table("erase 9 --yes")
    assert "rolls 2d20kh + 3: 17 [6 14]" in table("show 9 --by Ana").stdout


def test_an_erased_name_fits_its_record(table: Type) -> None:
    table("import messages.json --yes")
    table("erase 9 --yes")
    assert table("import messages.json --check").exit_code == 0


@pytest.mark.parametrize(
    "mapping", ['[speakers]\n"Nessa Quill" = "mara"', '[users]\nUb4GmZ8yPd1HsKfA = {player = "Ana"}']
)
def test_an_erased_name_fits_its_record_if_the_mapping_and_the_number_are_others(
    table: Type, folder: Path, mapping: str
) -> None:
    table("import messages.json --yes")
    table("erase 9 --yes")
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    saved(folder, message(_id="one-more"), *messages)
    (folder / "other.toml").write_text(mapping, encoding="utf-8")
    checked = table("import copies.json --mapping other.toml --check").stdout
    assert "differ from those in the mapping" in checked
    assert "changed since" not in checked


def test_an_erased_name_does_not_hide_another_difference(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("erase 9 --yes")
    text = (folder / "messages.json").read_text(encoding="utf-8")
    (folder / "edited.json").write_text(text.replace('\\"total\\":17', '\\"total\\":18'), encoding="utf-8")
    assert ") differs from message 1:" in table("import edited.json --check").stdout


def test_a_void_of_the_import_takes_all_of_it_back(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    done = table("void 8 --why 'wrong world' --yes")
    assert "does not cancel the rest" not in done.stderr
    assert "cancels #9 (2 rolls of 2025-03-07 (imported, claimed by messages.json))" in done.stdout
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == set()
        assert audit(book, "2026-11-20").findings == ()
    assert "Rolls: 3 new. Of these, 1 is private." in table("import messages.json --yes").stdout


def test_one_roll_of_an_evening_cannot_be_canceled_alone_and_the_hint_tells_another_way(
    table: Type, folder: Path
) -> None:
    table("import messages.json --yes")
    before = head(folder)
    refused = table("void 10 --why x --yes")
    assert (refused.exit_code, refused.stderr, head(folder)) == (
        3,
        "Error: #10 is one of 2 rolls of an imported evening. You can cancel only the whole evening.\n"
        "Hint: Correct or delete the roll in the file, cancel the evening, and import the file again."
        " To cancel the evening: campaign void 9 --why TEXT\n",
        before,
    )
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    (folder / "messages.json").write_text(json.dumps([*messages[:2], messages[3]]), encoding="utf-8")
    assert table("void 9 10 --why x --yes").exit_code == 0
    assert "#9 was canceled by #12" in table("void 10 --why x --yes").stderr
    assert table("import messages.json --yes").exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        assert len(imported(book)) == len({"log"}) + 2


def test_a_void_of_one_evening_keeps_the_others(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("void 9 --why x --yes")
    table("void 8 --why x --yes")
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == set()


@pytest.mark.parametrize("entry", [8, 9, 11])
def test_an_import_cannot_be_amended(table: Type, entry: int) -> None:
    table("import messages.json --yes")
    refused = table(f"amend {entry} --why x")
    assert refused.exit_code == 3
    assert f"#{entry} comes from an import and cannot be amended." in refused.stderr


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (8, "To cancel it: campaign void 8"),
        (10, "To cancel all 2 rolls of its evening: campaign void 9"),
        (11, "To cancel it: campaign void 11"),
    ],
)
def test_a_refused_amendment_says_how_many_imported_rolls_a_void_cancels(table: Type, entry: int, says: str) -> None:
    table("import messages.json --yes")
    assert table(f"amend {entry} --why x").stderr.endswith(f"Hint: {says} --why TEXT\n")


def test_an_undo_takes_the_whole_import_back(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("undo --yes")
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == set()


def test_a_disputed_imported_roll_can_be_canceled(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    with open_book(str(folder / "road.campaign")) as book:
        before = len(imported(book))
    assert table("dispute last --claim 'never rolled' --player Ana").exit_code == 0
    assert table("decide last void --why agreed --yes").exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        assert len(imported(book)) < before
        assert audit(book, "2026-11-20").findings == ()


@pytest.mark.parametrize(
    ("cancel", "restore"), [("undo --yes", "redo"), ("void 8 --why x --yes", "void 12 --why y --yes")]
)
def test_a_canceled_import_comes_back_whole(table: Type, folder: Path, cancel: str, restore: str) -> None:
    table("import messages.json --yes")
    table(cancel)
    assert table(restore).exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        assert len(imported(book)) == 4
        assert audit(book, "2026-11-20").findings == ()


def test_rolls_that_were_imported_again_cannot_come_back(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    table("void 8 --why x --yes")
    table("import messages.json --yes")
    before = head(folder)
    refused = table("void 12 --why y --yes")
    assert (refused.exit_code, head(folder)) == (3, before)
    assert "Error: These rolls were imported again (#15). They would count twice." in refused.stderr
    assert "Hint: Void #15 first: campaign void 15 --why TEXT" in refused.stderr
    assert table("void 15 --why z --yes").exit_code == 0
    assert table("void 12 --why y --yes").exit_code == 0
    with open_book(str(folder / "road.campaign")) as book:
        assert len(imported(book)) == 4


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        ({"seen": "gm"}, "Entry 9 is wrong: a public roll has no secret, and a private roll needs one"),
        ({"log": 7}, "Entry 9 names #7 as its import, but #7 is not an import"),
    ],
)
def test_a_forged_imported_roll_is_found(
    table: Type, folder: Path, tmp_path: Path, forged: dict[str, object], says: str
) -> None:
    table("import messages.json --yes")
    table(f"backup {tmp_path / 'forged'}")
    with open_book(str(tmp_path / "forged")) as book:
        rewritten(9, fields(**forged))(connection_of(book))
        with pytest.raises(WrongEntry, match=says):
            verify(book)


def test_a_rewind_leaves_an_import_alone(table: Type, folder: Path) -> None:
    table("note before")
    table("roll mara d20")
    table("import messages.json --yes")
    table("rewind --to 9 --why x --yes")
    with open_book(str(folder / "road.campaign")) as book:
        assert len(imported(book)) == 4


def test_the_audit_counts_imported_rolls_and_finds_wrong_totals(table: Type) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    report = table("audit")
    assert "3 imported, claimed by rolls.csv, 1 imported, claimed by rolls.csv (private)" in report.stdout
    assert "Finding, #10: rolls.csv claims a total of 5, but the dice come to 4." in report.stdout
    assert "Are the imported rolls true and complete?" in report.stdout


def test_a_total_that_differs_is_counted_even_if_the_roll_is_private(table: Type, folder: Path) -> None:
    (folder / "two.csv").write_text(
        "when,roll,dice,total,seen\n,d20,4,5,gm\n,d20,4,4,gm\n,d20,4,5,\n", encoding="utf-8"
    )
    assert "2 rolls do not add up to the claimed total." in table("import two.csv --dry-run").stdout


def test_the_audit_tells_only_how_many_private_rolls_have_another_total(
    table: Type, folder: Path, tmp_path: Path
) -> None:
    (folder / "a.csv").write_text(
        "when,roll,dice,total,seen\n,d20,4,5,gm\n,d20,4,4,gm\n,d20,4,6,gm\n", encoding="utf-8"
    )
    (folder / "b.csv").write_text("when,roll,dice,total,seen\n,d20,9,8,gm\n,d20,9,9,gm\n", encoding="utf-8")
    table("import a.csv --yes")
    table("import b.csv --yes")
    report = table("audit").stdout
    assert [line for line in report.splitlines() if "Finding" in line] == [
        "✗ Finding, #8: 2 private rolls do not come to the totals that a.csv claims.",
        "✗ Finding, #12: 1 private roll does not come to the total that b.csv claims.",
    ]
    table("void 8 --why x --yes")
    assert "a.csv claims" not in table("audit").stdout
    table(f"export --for players {tmp_path / 'copy'}")
    mine = tmp_path / "mine" / "copy.campaign"
    mine.parent.mkdir()
    assert table(f"-f {mine} import {tmp_path / 'copy'} --yes").exit_code == 0
    report = table(f"-f {mine} audit").stdout
    assert "imported, claimed by b.csv (private)" in report
    assert "Finding" not in report


@pytest.mark.parametrize("content", [7, [], {}, {"total": "1"}])
def test_a_private_roll_with_a_strange_secret_has_no_other_total(content: Any) -> None:
    frame: dict[str, Any] = {"log": 1, "id": "x", "place": "x", "claimed_at": None, "exact": "none", "seen": "gm"}
    assert not RollImported(**frame, hidden=secret(content)).differs


def test_a_difference_is_shown_beside_the_claim(table: Type) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    assert "Nessa Quill rolls d20: 5, but the dice come to 4 [4]: Climb" in table("show 10").stdout


def test_a_file_with_a_private_roll_has_no_hash_that_confirms_a_guess(table: Type) -> None:
    table("import messages.json --yes")
    found = rows(table("show 8 --json").stdout)[0]
    assert [*map(type, (found["sha256"], found["size"]))] == [dict, dict]


def test_the_gm_can_read_a_private_roll(table: Type) -> None:
    table("import messages.json --yes")
    table("import rolls.csv --mapping who.toml --yes")
    assert (
        "#10 private roll: somebody rolls 1d20: 8 [8]: Does the guard wake? (imported"
        in table("show 9 --secrets").stdout
    )
    assert "#10 a private roll (imported" in table("show 9").stdout
    assert "private roll: Orrin rolls d20: 11 [11]: Sneak past" in table("show 13 --secrets").stdout


def test_a_reveal_of_one_private_roll_leaves_the_others_of_the_evening_secret(table: Type, folder: Path) -> None:
    (folder / "gm.toml").write_text('seen = "gm"', encoding="utf-8")
    table("import messages.json --mapping gm.toml --yes")
    revealed = table("reveal 10").stdout
    assert revealed.startswith("#12   reveals #10 (private roll: somebody rolls 1d20: 8 [8]: Does the guard wake? (")
    assert "#9 a private roll (imported" in table("show 9").stdout
    assert table("reveal 10").stderr == "Error: #10 has no secret.\n"


def test_a_reveal_of_the_first_roll_of_an_evening_names_this_roll(table: Type, folder: Path) -> None:
    (folder / "gm.toml").write_text('seen = "gm"', encoding="utf-8")
    table("import messages.json --mapping gm.toml --yes")
    assert table("reveal 9").stdout.startswith(
        "#12   reveals #9 (private roll: Nessa Quill rolls 2d20kh + 3: 17 [6 14]: Listen at the door (imported, claimed by"
    )


def player_copy(table: Type, folder: Path) -> str:
    """Make a player copy of the campaign, and return the option that names it."""
    (folder / "mine").mkdir()
    table("export --for players out")
    table("-f mine/copy.campaign import out --yes")
    return "-f mine/copy.campaign"


def test_check_in_a_player_copy_says_what_it_cannot_compare(table: Type, folder: Path) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    copied = player_copy(table, folder)
    checked = table(f"{copied} import rolls.csv --mapping who.toml --check")
    assert (checked.exit_code, checked.stdout.splitlines()[1:]) == (
        0,
        [
            "Rolls: 4 already imported. Of these, 1 is private.",
            "This copy of the campaign lacks secrets, so it cannot compare 1 private roll and the bytes of rolls.csv.",
            "All rolls of rolls.csv are in the campaign.",
        ],
    )
    again = table(f"{copied} import rolls.csv --mapping who.toml --yes")
    assert again.stderr == "The file has no new rolls. Nothing was written.\n", "none went to other people"


def test_check_in_a_player_copy_knows_bytes_that_are_public(table: Type, folder: Path) -> None:
    (folder / "one.csv").write_text("when,total\n2025-03-07,4\n", encoding="utf-8")
    table("import one.csv --yes")
    check = f"{player_copy(table, folder)} import one.csv --check"
    assert "The bytes of one.csv are the same as in its import (#8).\nAll rolls of one.csv" in table(check).stdout
    (folder / "one.csv").write_text("when;total\n2025-03-07;4\n", encoding="utf-8")
    assert "The bytes of one.csv have changed since its import (#8).\nAll rolls of one.csv" in table(check).stdout


def test_a_mapping_can_make_every_roll_private(table: Type, folder: Path) -> None:
    (folder / "gm.toml").write_text('seen = "gm"', encoding="utf-8")
    assert "3 are private" in table("import messages.json --mapping gm.toml --yes").stdout


def test_another_mapping_is_refused_and_names_the_command_that_applies_it(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    refused = table("import messages.json --mapping who.toml --yes")
    assert (refused.exit_code, head(folder)) == (3, before)
    assert "For 2 rolls, the players or characters in the campaign differ from those in the mapping." in refused.stdout
    assert "Error: In the campaign, 2 rolls of this file went to other players or characters." in refused.stderr
    assert "campaign import messages.json --mapping who.toml --remap" in refused.stderr


def test_another_mapping_cancels_the_rolls_and_adds_them_again(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    with open_book(str(folder / "road.campaign")) as book:
        before = imported(book)
    done = table("import messages.json --mapping who.toml --remap --yes")
    assert "\n3 rolls are canceled, and added again with this mapping: all rolls of the same evenings.\n" in done.stdout
    assert "To take all of them back: campaign undo" in done.stderr
    events = rows(table("log --json -n 3").stdout)
    assert [event["who"] for event in events if event["type"] == "roll-imported"] == ["mara", None, "mara"]
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == before
        assert audit(book, "2026-11-20").findings == ()
    assert table("import messages.json --mapping who.toml --check").exit_code == 0
    assert "no new rolls" in table("import messages.json --mapping who.toml --remap --yes").stderr
    table("undo --yes")
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == before
    assert rows(table("show 9 --json").stdout)[0]["who"] is None


def test_another_mapping_keeps_the_evenings_that_it_does_not_change(table: Type, folder: Path) -> None:
    (folder / "two.csv").write_text(
        "when,character,total\n2025-03-07,Brak,4\n2025-03-09,Nessa Quill,4\n", encoding="utf-8"
    )
    (folder / "brak.toml").write_text('[speakers]\nBrak = "brak"\n', encoding="utf-8")
    table("import two.csv --yes")
    done = table("import two.csv --mapping brak.toml --remap --yes")
    assert "Rolls: 1 to add again, 1 already imported." in done.stdout
    told = [line for line in table("log").stdout.splitlines() if "claimed by two.csv" in line and "voids" not in line]
    assert "2 rolls imported, claimed by two.csv (1 of them canceled since)" in told[0]
    assert "canceled since" in table("chronicle").stdout
    assert "canceled since" not in table("log --at 10").stdout
    assert "canceled since" not in table("log --at 9").stdout, "in the middle of the import"
    struck = ["voided by #11" in line for line in told]
    assert struck == [False, True, False, False, False]


def test_remap_counts_the_rolls_that_it_adds_again_apart_from_new_ones(table: Type, folder: Path) -> None:
    start = "when,character,total\n"
    (folder / "two.csv").write_text(start + "2025-03-07,Brak,4\n2025-03-09,Nessa Quill,4\n", encoding="utf-8")
    (folder / "brak.toml").write_text('[speakers]\nBrak = "brak"\n', encoding="utf-8")
    table("import two.csv --yes")
    (folder / "two.csv").write_text(start + "2025-03-07,Brak,4\n2025-03-11,Brak,5\n", encoding="utf-8")
    shown = table("import two.csv --mapping brak.toml --remap --dry-run").stdout
    assert "Rolls: 1 new, 1 to add again.\n" in shown
    assert "1 earlier roll is missing from this file. The campaign keeps it.\n" in shown


def test_a_void_says_which_import_has_the_rolls_that_were_remapped(table: Type, folder: Path) -> None:
    (folder / "two.csv").write_text(
        "when,character,total\n2025-03-07,Brak,4\n2025-03-09,Nessa Quill,4\n", encoding="utf-8"
    )
    (folder / "brak.toml").write_text('[speakers]\nBrak = "brak"\n', encoding="utf-8")
    table("import two.csv --yes")
    assert "now in import" not in table("void 8 --why x --dry-run").stderr
    table("import two.csv --mapping brak.toml --remap --yes")
    says = "1 roll of #8 is now in import #12. To cancel that import: campaign void 12 --why TEXT\n"
    assert says in table("void 8 --why x --dry-run").stderr
    assert "now in import" not in table("void 8 12 --why x --dry-run").stderr
    assert says in table("void 8 --why x --yes").stderr
    table("void 12 --why x --yes")
    with open_book(str(folder / "road.campaign")) as book:
        assert imported(book) == set()


def test_a_void_of_an_import_that_remap_replaced_says_which_import_has_its_rolls(table: Type) -> None:
    table("import messages.json --yes")
    table("import messages.json --mapping who.toml --remap --yes")
    refused = table("void 8 --why x --yes")
    assert "3 rolls of #8 are now in import #15. To cancel that import: campaign void 15 --why TEXT" in refused.stderr
    assert refused.exit_code == 3


def test_a_path_without_a_file_is_an_error(table: Type) -> None:
    refused = table("import nope.csv")
    assert (refused.exit_code, refused.stderr) == (3, "Error: There is no file or folder called 'nope.csv'.\n")
    assert "'nope.csv' cannot be read: No such file" in table("import nope.csv --format csv").stderr


def test_a_file_without_all_rolls_of_an_evening_cannot_remap_it(table: Type, folder: Path) -> None:
    table("import messages.json --yes")
    before = head(folder)
    messages = json.loads((folder / "messages.json").read_text(encoding="utf-8"))
    (folder / "less.json").write_text(json.dumps([messages[0], messages[3]]), encoding="utf-8")
    refused = table("import less.json --mapping who.toml --remap --yes")
    assert (refused.exit_code, head(folder)) == (3, before)
    assert refused.stderr == (
        "Error: Some rolls of #9 are missing from this file, or are different in it.\n"
        "Hint: Use the original file of the import. To import a newer file instead, first cancel the import:"
        " campaign void 8 --why TEXT\n"
    )
    table("void 8 --why newer --yes")
    assert table("import less.json --mapping who.toml --yes").exit_code == 0


def test_a_dry_run_names_the_command_with_the_same_options(table: Type) -> None:
    done = table("import rolls.csv --format csv --mapping who.toml --remap --update-sheets --dry-run")
    assert "\ncampaign import rolls.csv --mapping who.toml --format csv --remap --update-sheets\n" in done.stderr
    done = table("import rolls.csv --mapping who.toml --dry-run")
    assert "\ncampaign import rolls.csv --mapping who.toml\n" in done.stderr


def test_remap_needs_a_mapping(table: Type) -> None:
    refused = table("import messages.json --remap")
    assert (refused.exit_code, refused.stderr) == (2, "Error: --remap needs --mapping FILE.\n")


def test_luck_counts_public_imported_dice_without_a_verdict(table: Type) -> None:
    table("import messages.json --yes")
    table("import rolls.csv --mapping who.toml --yes")
    found = {
        (each["name"], each["who"], each["sides"]): each["rolls"]
        for each in rows(table("luck --source imported --json").stdout)
    }
    assert found == {
        ("Nessa Quill", None, 4): 3,
        ("Nessa Quill", None, 20): 2,
        ("mara", "mara", 20): 3,
        ("brak", "brak", 6): 2,
    }
    shown = table("luck mara --die d20 --source imported").stdout.splitlines()
    assert shown[0] == "mara: d20, imported: 3 rolls, mean 8.00; the mean of fair dice is 10.50"
    assert shown[-1] == "There is no verdict on imported rolls, because nobody knows which rolls are missing."
    assert table("luck --die d6 --source imported").stdout.startswith("brak: d6, imported: 2 rolls")
    assert "imported" not in table("luck").stdout


def test_luck_leaves_out_canceled_imports(table: Type) -> None:
    table("import messages.json --yes")
    table("void 8 --why x --yes")
    assert table("luck --source imported --json").stdout == ""
    assert table("luck --source imported").stdout == "There are no imported rolls.\n"


def test_imported_dice_without_a_name_are_somebodys(table: Type, folder: Path) -> None:
    (folder / "bare.csv").write_text("when,roll,dice,total\n2025-03-07,d6,4,4\n", encoding="utf-8")
    table("import bare.csv --yes")
    assert table("luck --source imported").stdout.startswith("somebody: d6, imported: 1 roll, mean 4.00")


def test_imported_rolls_do_not_belong_to_a_session(table: Type) -> None:
    refused = table("luck --source imported --session 1")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (
        2,
        "Error: Imported rolls do not belong to a session.",
    )


MINUTE = ("2025-03-07 19:42Z,4,gm", "2025-03-07 19:42Z,11,gm", "2025-03-07 19:42Z,4,gm", "2025-03-07 19:42Z,7,gm")


def test_private_rows_of_one_minute_are_known_by_their_content(table: Type, folder: Path) -> None:
    for name, rows_there in (("one.csv", MINUTE[:2]), ("longer.csv", MINUTE[::-1])):
        (folder / name).write_text("\n".join(["when,total,seen", *rows_there]), encoding="utf-8")
    table("import one.csv --yes")
    assert "Rolls: 2 new, 2 already imported. Of these, 4 are private." in table("import longer.csv --yes").stdout
    assert "Rolls: 2 already imported. Of these, 2 are private." in table("import one.csv --check").stdout
    assert table("import longer.csv --check").exit_code == 0


def test_private_rows_are_known_after_a_void(table: Type, folder: Path) -> None:
    for name, row in zip(("one.csv", "two.csv"), MINUTE[:2], strict=True):
        (folder / name).write_text(f"when,total,seen\n{row}", encoding="utf-8")
    table("import one.csv --yes")
    table("void 8 --why x --yes")
    table("import two.csv --yes")
    table("import one.csv --yes")
    assert "would count twice" in table("void 10 --why x --yes").stderr


def test_the_id_of_a_row_tells_nothing_if_the_mapping_makes_the_file_private(table: Type, folder: Path) -> None:
    ids = []
    for name, total in (("one.csv", 4), ("two.csv", 5)):
        (folder / name).write_text(f"when,total\n2025-03-07,{total}\n", encoding="utf-8")
        source, reader = find_source(str(folder / name), None)
        with source.open() as stream:
            ids += [record.rolls[0].id for record in reader.records(stream, ReadingOptions(all_private=True))]
    assert ids[0] == ids[1]


def test_a_file_with_a_wrong_record_has_no_hash_that_confirms_a_guess(table: Type, folder: Path) -> None:
    lines = ["when,total", *[f"2025-03-07,{number}" for number in range(30)], "2025-03-07,x"]
    (folder / "good.csv").write_text("\n".join(lines), encoding="utf-8")
    table("import good.csv --yes")
    assert isinstance(rows(table("show 8 --json").stdout)[0]["sha256"], dict)


def test_a_file_with_many_wrong_records_is_refused(table: Type, folder: Path) -> None:
    lines = ["when,total", "2025-03-07,x", "7.3.2025,4", *["2025-03-07,?"] * 3]
    (folder / "bad.csv").write_text("\n".join(lines), encoding="utf-8")
    refused = table("import bad.csv --yes")
    assert refused.exit_code == 2
    assert "In 'bad.csv', 5 of 5 records cannot be read: line 2: the total is not a number; line 3" in refused.stderr
    assert "and 2 more" in refused.stderr


def test_a_wrong_record_among_many_is_skipped_and_named(table: Type, folder: Path) -> None:
    lines = ["when,total", *[f"2025-03-07,{number}" for number in range(30)], "2025-03-07,x"]
    (folder / "good.csv").write_text("\n".join(lines), encoding="utf-8")
    done = table("import good.csv --yes")
    assert "Skipped: line 32: the total is not a number." in done.stdout
    assert "30 rolls to the campaign" in done.stdout


def test_after_many_wrong_records_the_rest_are_only_counted(
    table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "MOST_NAMED_RECORDS", 1)
    lines = ["when,total", *[f"2025-03-07,{number}" for number in range(60)], *["2025-03-07,x"] * 3]
    (folder / "good.csv").write_text("\n".join(lines), encoding="utf-8")
    done = table("import good.csv --dry-run")
    assert "Skipped: line 62: the total is not a number.\nSkipped: 2 more records.\n" in done.stdout


def test_wrong_records_without_end_do_not_fill_the_memory(table: Type, folder: Path) -> None:
    (folder / "bad.csv").write_text("when,total\n" + "x\n" * 20_000, encoding="utf-8")
    source, reader = find_source(str(folder / "bad.csv"), None)
    tracemalloc.start()
    with open_book(str(folder / "road.campaign")) as book, pytest.raises(BadInput, match=r"20,000 of 20,000 records"):
        plan.plan_import(book, source, reader, PeopleMapping())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 3_000_000


def test_a_roll_without_a_name_a_time_or_dice_is_shown(table: Type, folder: Path) -> None:
    (folder / "bare.csv").write_text("when,total\n,\n,7\n2025-03-07,4\n", encoding="utf-8")
    shown = table("import bare.csv --dry-run").stdout
    assert "no time  somebody: 7" in shown
    table("import bare.csv --yes")
    assert "somebody rolls: 7 (imported" in table("show 10").stdout


def test_evenings_are_separate_actions(table: Type, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_ROLLS", 2)
    times = ["2025-03-07 18:00Z", "2025-03-07 19:00Z", "2025-03-07 20:00Z", "2025-03-08 01:00Z", "2025-03-09", "", ""]
    (folder / "e.csv").write_text("\n".join(["when,total", *(f"{time},4" for time in times)]), encoding="utf-8")
    table("import e.csv --yes")
    shown = [line[6:] for line in table("log -n 5").stdout.splitlines()]
    assert [line.partition(" (")[0] for line in shown] == [
        "7 rolls imported, claimed by e.csv",
        "2 rolls of 2025-03-07",
        "somebody rolls: 4",
        "somebody rolls: 4",
        "somebody rolls: 4",
        "2 rolls",
    ][-5:]


def test_json_has_the_counts(table: Type) -> None:
    (facts,) = rows(table("import messages.json --json --yes").stdout)
    assert facts["counts"] == {
        "records": 4, "wrong": 0, "rolls": 3, "new": 3, "known": 0, "changed": 0, "twice": 0, "private": 1,
        "no-roll": 1,
    }  # fmt: skip


def test_the_numbers_of_an_import_have_commas(table: Type, folder: Path) -> None:
    (folder / "many.csv").write_text("when,total,seen\n" + ",7,gm\n" * 1000, encoding="utf-8")
    table("import many.csv --yes")
    assert "1,000 rolls imported, claimed by many.csv (1,000 of them private)" in table("log").stdout


def test_an_import_takes_the_flags_that_its_refusals_name(table: Type, folder: Path) -> None:
    table("backup old.backup")
    later = Invocation(clock=lambda: EVENING + timedelta(days=30))
    CliRunner().invoke(campaign, ["note", "from the future", "--clock-ok"], obj=later)
    line = "import messages.json --yes"
    assert "If the clock is right, add --clock-ok." in table(line).stderr
    assert table(f"{line} --clock-ok").exit_code == 0
    for name in folder.glob("road.campaign*"):
        name.unlink()
    (folder / "old.backup").rename(folder / "road.campaign")
    assert "add --fork" in " ".join(table(line).stderr.split())
    assert table(f"{line} --fork").exit_code == 0


def test_an_import_asks_before_it_writes(table: Type, folder: Path) -> None:
    before = head(folder)
    refused = table("import messages.json")
    assert (refused.exit_code, head(folder)) == (2, before)
    assert "--yes" in refused.stderr


def test_a_no_writes_nothing(table: Type, folder: Path) -> None:
    before = head(folder)
    words = command(folder / "road.campaign", "import", str(folder / "messages.json"))
    assert "exit 0" in typed_at_a_terminal(words, [("Add 3 rolls to the campaign?", "no")])
    assert head(folder) == before


MAPPINGS = {
    "[users": "cannot be read: ",
    "x" * 1_100_000: "cannot be read: it is too large.",
    "moon = 1": "has an unknown part: 'moon'.",
    'source = "My table"': 'needs 1 to 16 small letters, digits or "-" for "source".',
    "source = 1": 'needs 1 to 16 small letters, digits or "-" for "source".',
    "bots = 1": 'needs a list of names for "bots", such as ["Avrae"].',
    "bots = [1]": 'needs a list of names for "bots", such as ["Avrae"].',
    'seen = "me"': 'can set "seen" only to "all" or "gm".',
    "users = 1": "needs a section [users].",
    "[users]\na = 1": "needs {player = …, character = …} for 'a'.",
    '[users]\na = {player = "Zoe"}': "names the player 'Zoe', but this campaign has no such player.",
    '[users]\na = {character = "zoe"}': "names the character 'zoe', but this campaign has no such character.",
    "[speakers]\na = 1": "names the character '1', but this campaign has no such character.",
    'zone = "Moon/Base"': "has a time zone that is not known: Moon/Base.",
    "zone = 1": "has a time zone that is not known: 1.",
}


@pytest.mark.parametrize("content", MAPPINGS, ids=range(len(MAPPINGS)))
def test_a_wrong_mapping_is_refused(table: Type, folder: Path, content: str) -> None:
    (folder / "wrong.toml").write_text(content, encoding="utf-8")
    refused = table("import messages.json --mapping wrong.toml --yes")
    assert refused.exit_code == 2
    assert MAPPINGS[content] in refused.stderr


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ('zone = "berlin"', "Did you mean Europe/Berlin?"),
        ('zone = "Moon"', 'Type a name such as "Europe/Lisbon" or "America/New_York".'),
        ('[speakers]\na = "Mara"', "Did you mean mara?"),
        ('[speakers]\na = "marra"', "Did you mean mara?"),
        ('[speakers]\na = "Zoe"', "The characters are: "),
        ('[users]\na = {player = "Zoe"}', "The players are: "),
        ('[users]\nAna = "Ana"', 'For example: "Ana" = {player = "Ana"}'),
        ("[users]\nAna = 1", 'For example: "Ana" = {player = "PLAYER"}'),
    ],
)
def test_a_wrong_name_in_a_mapping_gets_a_hint(table: Type, folder: Path, content: str, hint: str) -> None:
    (folder / "wrong.toml").write_text(content, encoding="utf-8")
    assert f"\nHint: {hint}" in table("import messages.json --mapping wrong.toml --yes").stderr


def test_a_mapping_without_a_time_zone_is_named_in_the_hint(table: Type, folder: Path) -> None:
    (folder / "who.toml").write_text('seen = "all"\n', encoding="utf-8")
    refused = table("import rolls.csv --mapping who.toml --yes").stderr
    assert refused.endswith('Hint: Write the time zone into who.toml, such as: zone = "Europe/Lisbon"\n')


def test_a_mapping_with_a_part_of_a_players_name_suggests_the_name(table: Type, folder: Path) -> None:
    table("player 'Cleo Lee'")
    (folder / "wrong.toml").write_text('[users]\na = {player = "Cleo"}', encoding="utf-8")
    assert "Hint: Did you mean 'Cleo Lee'?" in table("import messages.json --mapping wrong.toml --yes").stderr


def test_a_mapping_that_is_missing_is_refused(table: Type) -> None:
    assert "The mapping file 'no.toml' cannot be read" in table("import messages.json --mapping no.toml --yes").stderr


def test_a_name_without_a_roll_of_its_own_uses_the_character_of_the_account(table: Type, folder: Path) -> None:
    (folder / "one.csv").write_text("when,player,total\n2025-03-07,Ana,4\n", encoding="utf-8")
    table("import one.csv --mapping who.toml --yes")
    assert rows(table("show 9 --json").stdout)[0]["who"] == "mara"


@pytest.mark.parametrize("who", ["mara", "Ana"])
def test_an_imported_roll_is_found_by_its_character_and_its_player(table: Type, folder: Path, who: str) -> None:
    table("import rolls.csv --mapping who.toml --yes")
    found = table(f"log --who {who}").stdout
    assert "#9    3 rolls of 2025-03-07" in found
    assert "#9 Nessa Quill rolls 2d20kh1+3: 17 [14 6]: Listen at the door" in found
    assert "#12" not in found, "Brak's roll"
    assert "#9 Nessa" not in table("log --who Tom").stdout, "Tom imported every roll"
    assert "Climb" not in table(f"search listen --who {who}").stdout
    assert table(f"search sneak --who {who}").stderr == "No line fits.\n"
