"""Restores: the restored file is whole, the old file is kept, and the lost entries are listed."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from errno import EIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from freezegun import freeze_time

from cli.context import Invocation
from cli.main import campaign
from engine import connection_of
from ledger.archive.restore import load_backup, plan_restore, restore
from ledger.audit.verify import verify
from ledger.commands.at_table import Note
from ledger.errors import Busy, Refused, WrongEntry
from ledger.journal import replacing
from ledger.journal.book import open_book
from ledger.tlog.note import COSIGNATURE, make_skey
from ledger.trust.home import Head
from table import scribe
from tampering import fields, fitted, rewritten, unguarded
from terminal import Type, rows

DAY, TYPED = "2026-11-25", "2026-11-20"
KEPT = f"road.campaign.before-restore-{DAY}"


@pytest.fixture
def played(tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a campaign with a backup of 5 entries, a signed head in it, and 3 more entries."""
    monkeypatch.chdir(tmp_path)
    for words in (
        "init Road --gm Tom",
        "join mara edge maximum=4 edge=4",
        "session open One",
        "session close",
        "backup stick.backup",
        "session open Two",
        'adjust mara edge=-1 --why "tonight"',
        'adjust mara edge=-1 --why "tonight again"',
    ):
        assert type_in(words).exit_code == 0
    return tmp_path / "road.campaign"


def entries(file: Path) -> list[str]:
    with open_book(str(file)) as book:
        verify(book)
        return [entry.type for entry in book.journal.entries(6)]


def kept_files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if "before-restore" in file.name)


def changed(file: Path, seq: int, **facts: object) -> None:
    """Change an entry of a file, and everything computed from it."""
    with open_book(str(file)) as book:
        rewritten(seq, fields(**facts))(connection_of(book))
        fitted(book)


def test_a_restore_shows_the_entries_that_the_backup_lacks(played: Path, type_in: Type) -> None:
    shown = type_in("restore stick.backup --dry-run").stderr
    assert "3 entries are lost: #6 to #8." in shown
    assert "#7    mara adjusted by hand: tonight" in shown
    assert kept_files(played.parent) == []


def test_after_a_restore_the_book_says_which_history_was_left_and_later_commands_need_no_fork(
    played: Path, type_in: Type
) -> None:
    done = type_in("restore stick.backup --yes")
    assert done.stdout == "road.campaign now has the 5 entries of stick.backup.\n"
    assert "a backup that ends at #5 replaced a history of 8 entries" in type_in("log").output
    assert type_in("note on").exit_code == 0
    assert type_in("checkpoint").exit_code == 0
    assert "Remark, #6: A backup up to #5 was restored here. It replaced a history of 8 entries." in (
        type_in("audit").stdout
    )


def test_the_old_file_is_kept_as_it_was_and_can_be_restored_in_turn(played: Path, type_in: Type) -> None:
    type_in("restore stick.backup --yes")
    (kept,) = kept_files(played.parent)
    assert entries(played.parent / kept) == ["session-opened", "score-adjusted", "score-adjusted"]
    assert type_in(f"restore {kept} --yes").exit_code == 0
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted", "history-forked"]
    assert len(kept_files(played.parent)) == 2


def test_the_restored_file_and_the_one_that_is_kept_have_the_mode_of_the_old_file(played: Path, type_in: Type) -> None:
    played.chmod(0o640)
    (played.parent / "stick.backup").chmod(0o600)
    type_in("restore stick.backup --yes")
    (kept,) = kept_files(played.parent)
    assert {oct(file.stat().st_mode & 0o777) for file in (played, played.parent / kept)} == {"0o640"}


def test_a_restore_of_all_that_the_file_has_loses_nothing_and_records_nothing(played: Path, type_in: Type) -> None:
    type_in("backup whole.backup")
    done = type_in("restore whole.backup --yes")
    assert "No entries are lost." in done.stderr
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_restore_that_is_typed_again_says_that_it_is_done(played: Path, type_in: Type) -> None:
    type_in("restore stick.backup --yes")
    again = type_in("restore stick.backup --yes")
    assert (again.exit_code, again.stderr) == (
        0,
        "road.campaign is already the same as this backup. Nothing was written.\n",
    )
    assert len(kept_files(played.parent)) == 1


def test_a_restore_tells_a_program_what_it_did(played: Path, type_in: Type) -> None:
    (told,) = rows(type_in("restore stick.backup --yes --json").stdout)
    assert (told["entries"], told["head"], told["lost"]) == (5, 6, [6, 8])
    assert Path(told["kept"]).name == kept_files(played.parent)[0]


def test_a_restore_tells_a_program_that_it_was_done_already(played: Path, type_in: Type) -> None:
    type_in("restore stick.backup --yes")
    (told,) = rows(type_in("restore stick.backup --yes --json").stdout)
    facts = {"file": str(played), "backup": "stick.backup", "entries": 5, "lost": None, "differs": None}
    assert told == {**facts, "kept": None, "head": 6}


@pytest.mark.usefixtures("played")
def test_a_dry_run_tells_a_program_what_would_be_lost(type_in: Type) -> None:
    (told,) = rows(type_in("restore stick.backup --dry-run --json").stdout)
    assert (told["lost"], told["kept"], told["head"]) == ([6, 8], None, 8)


@pytest.mark.parametrize(("here", "named"), [("sub", "full"), (".", "short")])
def test_where_the_old_file_is_now_is_said_with_its_folder_unless_that_is_this_one(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, here: str, named: str
) -> None:
    (played.parent / "sub").mkdir()
    monkeypatch.chdir(played.parent / here)
    told = type_in(f"restore {played.parent}/stick.backup --yes").stderr
    (kept,) = kept_files(played.parent)
    assert f"The old file is now {played.parent / kept if named == 'full' else kept}. Keep it" in told


def test_where_the_old_file_of_a_linked_campaign_is_now_is_said_with_its_folder(played: Path, type_in: Type) -> None:
    (real := played.parent / "real").mkdir()
    played.rename(real / played.name)
    played.symlink_to(real / played.name)
    told = type_in("restore stick.backup --yes").stderr
    assert f"The old file is now {real / kept_files(real)[0]}. Keep it" in told


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("restore stick.backup", "To restore, add --yes"),
        ("restore mara guild", "campaign byzantine restore mara guild"),
        ("restore stick.backup road.campaign", "campaign -f road.campaign restore stick.backup"),
        ("restore road.campaign stick.backup", "campaign -f stick.backup restore road.campaign"),
        ("restore new.campaign stick.backup", "campaign -f new.campaign restore stick.backup"),
        (
            "restore a.backup b.campaign",
            "Type only the name of the backup. The backup then replaces the campaign's file.",
        ),
        ("restore", "Name one backup file."),
        ("restore nothing", "There is no backup at nothing."),
        ("restore road.campaign --yes", "road.campaign is the campaign itself, not a backup of it."),
        ("restore note.txt --yes", "note.txt is not a campaign."),
    ],
)
def test_an_impossible_restore_is_refused(type_in: Type, words: str, says: str) -> None:
    Path("note.txt").write_text("words")
    done = type_in(words)
    assert done.exit_code != 0
    assert says in done.stderr
    assert kept_files(Path.cwd()) == []


def test_an_empty_file_is_called_empty_and_the_hint_says_what_to_do(played: Path, type_in: Type) -> None:
    (played.parent / "empty.backup").touch()
    hint = "Hint: Use another copy of it, or a backup: campaign restore BACKUP"
    assert type_in("restore empty.backup").stderr == f"Error: empty.backup is empty.\n{hint}\n"
    played.write_bytes(b"")
    assert type_in("log").stderr == f"Error: {played} is empty.\n{hint}\n"
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert entries(played) == ["history-forked"]


def test_after_a_restore_verify_shows_no_fault(played: Path, type_in: Type) -> None:
    type_in("session close")
    assert type_in("restore stick.backup --yes").exit_code == 0
    shown = type_in("verify")
    assert (shown.exit_code, "✗" in shown.output) == (0, False)
    assert (
        "Remark: the checkpoint that this computer saved: a checkpoint of 9 entries, signed by the campaign's key. It covers entries"
        in (shown.stdout)
    )


@pytest.fixture
def left(played: Path, type_in: Type) -> Path:
    """Return a signed head of 9 entries that a restore left; the file has 12 entries now, and a new signed head."""
    type_in("session close")
    head = played.parent / "checkpoint.txt"
    head.write_text(type_in("checkpoint").stdout)
    assert type_in("restore stick.backup --yes").exit_code == 0
    for _ in range(6):
        assert type_in("note on").exit_code == 0
    assert type_in("checkpoint").exit_code == 0
    return head


RESTORED = (
    f"Error: The GM restored a backup in #6 ({TYPED}). The checkpoint of 9 entries was made before the restore. It covers the lost"
    " entries #6 to #9.\nHint: Keep the checkpoint. Look at the entry with 'campaign show 6', and ask the GM about the restore. A witness who agrees to the restore can sign the file"
    " that 'campaign prove 6' writes.\n"
)


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize(
    "words",
    [
        "verify --checkpoint checkpoint.txt",
        "compare road.campaign checkpoint.txt",
        "compare checkpoint.txt road.campaign",
    ],
)
def test_a_head_that_a_restore_left_is_refused_with_the_restore_as_the_reason(type_in: Type, words: str) -> None:
    shown = type_in(words)
    assert (shown.exit_code, shown.stderr) == (6, RESTORED)


def test_a_head_that_covers_more_than_the_restored_file_names_the_restore_too(played: Path, type_in: Type) -> None:
    type_in("session close")
    (played.parent / "checkpoint.txt").write_text(type_in("checkpoint").stdout)
    type_in("restore stick.backup --yes")
    for words in ("verify --checkpoint checkpoint.txt", "compare road.campaign checkpoint.txt"):
        shown = type_in(words)
        assert (shown.exit_code, shown.stderr) == (6, RESTORED)


def test_the_kept_file_compared_with_the_restored_one_names_the_restore(
    left: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept,) = kept_files(left.parent)
    monkeypatch.setenv("CAMPAIGN_HOME", "elsewhere")
    shown = type_in(f"compare {kept} road.campaign")
    assert (shown.exit_code, shown.stderr) == (6, RESTORED)


def test_verify_calls_nothing_unchanged_if_a_head_contradicts_the_file(left: Path, type_in: Type) -> None:
    shown = type_in(f"verify --checkpoint {left}").stdout
    assert "Nothing up to" not in shown
    assert "Add --checkpoint" not in shown
    assert (
        f"\u2717 {left}: a checkpoint of 9 entries, signed by the campaign's key. It covers entries that are no longer in this file"
        in shown
    )


@pytest.mark.usefixtures("left")
def test_verify_names_the_head_since_which_nothing_has_changed(type_in: Type) -> None:
    assert "Up to #12, the file matches the checkpoint that this computer saved." in type_in("verify").stdout


def test_verify_of_a_backup_says_that_newer_heads_are_normal(played: Path, type_in: Type) -> None:
    (played.parent / "checkpoint.txt").write_text(type_in("checkpoint").stdout)
    shown = type_in("-f stick.backup verify --checkpoint checkpoint.txt")
    hint = "Hint: If the file is a backup, this is normal. To see what it lacks: campaign restore BACKUP --dry-run"
    assert (shown.exit_code, hint in shown.stderr) == (6, True)


@pytest.fixture
def witnessed(played: Path, type_in: Type) -> Path:
    """Return a campaign with a witness, a backup of 9 entries, and a signed head of 10 entries before the last entry."""
    key = type_in("witness init ana").stdout.strip()
    for words in (f"policy --witness ana={key}", "backup late.backup", "checkpoint", "session close", "note last"):
        assert type_in(words).exit_code == 0
    return played


@pytest.mark.usefixtures("witnessed")
def test_the_log_names_each_history_that_a_restore_replaced(type_in: Type) -> None:
    type_in("restore late.backup --yes")
    says = "a backup that ends at #9 replaced a history of 11 entries (#10) and another history of 10 entries (#11)"
    for words in ("log", "show 10", "show 11"):
        assert says in type_in(words).stdout


@pytest.mark.usefixtures("witnessed")
def test_a_restore_names_only_the_proofs_of_signed_heads_and_the_witness(type_in: Type) -> None:
    told = type_in("restore late.backup --yes").stderr
    assert told.count("campaign prove") == 1
    send = "If ana last signed when the campaign had 10 entries, type 'campaign prove 11'. Then send the new file to that witness."
    assert send in told
    assert "#10 records that this restore replaced a history of 11 entries. To see the entry: campaign show 10" in told
    assert "#11 records that this restore replaced a history of 10 entries. To see the entry: campaign show 11" in told


def test_a_restore_that_lost_no_signed_entry_asks_for_no_proof(witnessed: Path, type_in: Type) -> None:
    type_in("backup whole.backup")
    type_in("note lost")
    told = type_in("restore whole.backup --yes").stderr
    assert "#12 records that this restore replaced a history of 12 entries" in told
    assert "prove" not in told


@pytest.mark.usefixtures("witnessed")
def test_if_there_are_several_witnesses_the_proof_goes_to_the_one_who_signed(type_in: Type) -> None:
    ana, ben = (make_skey(name, name[:1].encode() * 32, COSIGNATURE).vkey for name in ("ana", "ben"))
    assert type_in(f"policy --witness ana={ana} --witness ben={ben}").exit_code == 0
    type_in("backup both.backup")
    type_in("session open Three")
    type_in("session close")
    told = type_in("restore both.backup --yes").stderr
    assert "If ana or ben last signed when the campaign had 14 entries, type 'campaign prove" in told


def test_lost_entries_that_do_not_fit_are_listed_by_the_kept_file_after_the_restore(
    played: Path, type_in: Type
) -> None:
    for number in range(22):
        type_in(f"note n{number}")
    assert "and 5 more actions. To see all actions: campaign log" in type_in("restore stick.backup --dry-run").stderr
    told = type_in("restore stick.backup --yes").stderr
    assert "and 5 more actions.\n" in told
    (kept,) = kept_files(played.parent)
    assert f"To see the lost entries, type: campaign -f {kept} log\n" in told
    assert "note: n21" in type_in(f"-f {kept} log").stdout


def test_an_older_copy_is_refused_and_the_hint_names_the_restore(played: Path, type_in: Type) -> None:
    shutil.copy("stick.backup", played)
    assert "To go back to a backup, type 'campaign restore BACKUP'." in type_in("note on").stderr
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert type_in("note on").exit_code == 0


def test_a_backup_of_another_campaign_is_refused(played: Path, type_in: Type) -> None:
    (played.parent / "other").mkdir()
    type_in("-f other/other.campaign init Other --gm Eva")
    done = type_in("restore other/other.campaign --yes")
    assert done.stderr.startswith("Error: This backup belongs to a different campaign.")
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_backup_that_is_not_whole_is_refused(played: Path, type_in: Type) -> None:
    changed(played.parent / "stick.backup", 3, since=2)
    assert type_in("restore stick.backup --yes").exit_code == 6
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_campaign_of_a_newer_program_is_not_replaced(played: Path, type_in: Type) -> None:
    connection = sqlite3.connect(played)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert type_in("restore stick.backup --yes").exit_code == 5
    assert kept_files(played.parent) == []


def test_a_read_only_campaign_is_not_replaced(played: Path, type_in: Type) -> None:
    played.chmod(0o444)
    done = type_in("restore stick.backup --yes")
    assert (done.exit_code, "is read-only. Nothing was written." in done.stderr) == (4, True)
    assert kept_files(played.parent) == []


def test_words_that_were_erased_since_the_backup_are_named_as_back(played: Path, type_in: Type) -> None:
    type_in("player Ana")
    type_in("backup with-ana.backup")
    type_in("erase --player Ana --yes")
    assert (
        "#10 erased some texts, but the backup brings them back." in type_in("restore with-ana.backup --dry-run").stderr
    )
    assert entries(played)


@pytest.fixture
def for_players(played: Path, type_in: Type) -> str:
    """Make a players' copy of a campaign with a secret."""
    type_in("roll mara d20 --seal")
    type_in("backup whole.backup")
    type_in("export out --for players")
    assert type_in("-f copy.campaign import out --yes").exit_code == 0
    return "copy.campaign"


def test_a_copy_for_players_does_not_take_the_place_of_the_gms_file(
    played: Path, type_in: Type, for_players: str
) -> None:
    done = type_in(f"restore -f road.campaign {for_players} --yes")
    assert (done.exit_code, done.stderr) == (
        3,
        "Error: This is a copy for players. It does not contain all of the GM's secrets.\n"
        "Hint: Restore a file that 'campaign backup' made.\n",
    )
    assert kept_files(played.parent) == []


def test_a_copy_for_players_is_restored_in_place_of_another_one(played: Path, type_in: Type, for_players: str) -> None:
    type_in("-f copy.campaign backup copy.backup")
    shutil.copyfile(for_players, played)
    assert type_in("restore -f road.campaign copy.backup --yes").exit_code == 0
    assert len(kept_files(played.parent)) == 1


def test_secrets_that_a_copy_for_players_does_not_have_are_named_as_missing(
    played: Path, type_in: Type, for_players: str
) -> None:
    played.unlink()
    told = type_in(f"restore -f road.campaign {for_players} --dry-run").stderr
    assert (
        "This backup lacks 3 secrets of the GM, as a copy for players does. The restored file will lack them, too."
        in told
    )


def test_a_restore_lists_the_first_of_many_lost_entries(played: Path, type_in: Type) -> None:
    with open_book(str(played)) as book:
        for number in range(30):
            scribe(book).write(Note(text=f"note {number}"))
    shown = type_in("restore stick.backup --dry-run").stderr
    assert "33 entries are lost: #6 to #38." in shown
    assert "and 13 more" in shown


# A file that cannot be read


def damage_header(file: Path) -> None:
    file.write_bytes(b"broken" + file.read_bytes()[6:])


def damage_entries(file: Path) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.executescript("DROP TRIGGER entries_remain; DELETE FROM entries WHERE seq = 4")
    connection.close()


def damage_tree(file: Path) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("DELETE FROM nodes")
    connection.close()


@pytest.mark.parametrize("damaged", [damage_header, damage_entries, damage_tree, Path.unlink])
def test_an_unreadable_file_is_replaced_and_the_known_losses_are_listed(
    played: Path, type_in: Type, damaged: Callable[[Path], None]
) -> None:
    type_in("session close")
    damaged(played)
    done = type_in("-f road.campaign restore stick.backup --yes")
    assert done.exit_code == 0, done.stderr
    assert "4 entries are lost: #6 to #9." in done.stderr
    assert entries(played) == ["history-forked"]
    assert len(kept_files(played.parent)) == played.exists() - (damaged is Path.unlink)


def test_a_restore_says_if_the_lost_entries_are_unknown(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_HOME", str(played.parent / "another-home"))
    damage_header(played)
    done = type_in("restore stick.backup --yes")
    assert "Entries may be lost" in done.stderr
    assert entries(played) == []


def test_a_broken_file_is_moved_also_where_the_disk_has_no_links(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: str) -> None:
        raise OSError

    monkeypatch.setattr(replacing, "link", no_links)
    damage_header(played)
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert entries(played) == ["history-forked"]
    assert len(kept_files(played.parent)) == 1


def test_a_log_that_is_left_over_never_stays_beside_the_restored_file(played: Path, type_in: Type) -> None:
    played.unlink()
    Path(f"{played}-wal").write_bytes(b"an old log")
    assert type_in("-f road.campaign restore stick.backup --yes").exit_code == 0
    assert entries(played) == ["history-forked"]
    (log,) = kept_files(played.parent)
    assert log.endswith("-wal")
    assert (played.parent / log).read_bytes() == b"an old log"


def test_a_restore_that_was_killed_while_it_moved_a_broken_file_is_finished_by_the_same_command(
    played: Path, type_in: Type
) -> None:
    damage_header(played)
    kept = played.parent / f"road.campaign.before-restore-{TYPED}"
    os.link(played, kept)
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert kept_files(played.parent) == [kept.name]


def test_a_file_that_is_whole_again_after_a_killed_restore_moved_its_log_is_kept_apart(
    played: Path, type_in: Type
) -> None:
    kept = played.parent / f"road.campaign.before-restore-{TYPED}"
    os.link(played, kept)
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert not kept.samefile(played)
    assert entries(kept) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_killed_move_is_finished_on_another_day_and_the_old_file_is_kept_once(played: Path, type_in: Type) -> None:
    damage_header(played)
    before = played.read_bytes()
    kept = played.parent / "road.campaign.before-restore-2026-11-19-2"
    os.link(played, kept)
    Path(f"{kept}-wal").write_bytes(b"its log")
    done = type_in("restore stick.backup --yes")
    assert f"The old file is now {kept.name}." in done.stderr
    assert kept_files(played.parent) == [kept.name, f"{kept.name}-wal"]
    assert kept.read_bytes() == before
    assert entries(played) == ["history-forked"]


def test_an_old_file_gets_its_second_name_before_its_log_so_that_a_kill_does_not_part_them(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: str) -> None:
        raise KeyboardInterrupt

    damage_header(played)
    with monkeypatch.context() as patch:
        patch.setattr(replacing, "rename", killed)
        assert type_in("restore stick.backup --yes").exit_code != 0
    kept = played.parent / f"road.campaign.before-restore-{TYPED}"
    assert kept.samefile(played)
    kept.rename(kept := played.parent / f"{KEPT}-9")
    assert type_in("restore stick.backup --yes").exit_code == 0
    assert kept_files(played.parent) == [kept.name]


def test_a_log_that_is_kept_without_its_file_is_never_put_beside_another_file(played: Path, type_in: Type) -> None:
    for number in range(2):
        played.unlink()
        Path(f"{played}-wal").write_bytes(b"log %d" % number)
        assert type_in("-f road.campaign restore stick.backup --yes").exit_code == 0
    logs = [(played.parent / name).read_bytes() for name in kept_files(played.parent)]
    assert logs == [b"log 1", b"log 0"]


def test_a_log_that_cannot_be_moved_away_stays_and_no_file_is_put_beside_it(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: str) -> None:
        raise OSError(EIO, "Input/output error")

    played.unlink()
    Path(f"{played}-wal").write_bytes(b"an old log")
    monkeypatch.setattr(replacing, "rename", fails)
    done = type_in("-f road.campaign restore stick.backup --yes")
    assert (done.exit_code, "cannot be created: Input/output error" in done.stderr) == (4, True)
    assert Path(f"{played}-wal").read_bytes() == b"an old log"


def test_a_file_that_cannot_be_made_is_refused(played: Path, type_in: Type) -> None:
    done = type_in("-f nowhere/road.campaign restore stick.backup --yes")
    assert done.exit_code == 4
    assert entries(played)


def test_without_a_campaign_here_the_hint_names_the_file(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_in("session close")
    (empty := played.parent / "empty").mkdir()
    played.unlink()
    monkeypatch.chdir(empty)
    done = type_in("restore ../stick.backup --yes")
    assert "campaign -f road.campaign restore BACKUP" in done.stderr
    assert type_in("-f road.campaign restore ../stick.backup --yes").exit_code == 0
    assert entries(empty / "road.campaign") == ["history-forked"]


# Beside others


def put_back(played: Path, known: tuple[Head, ...] = (), meanwhile: Callable[[], object] = lambda: None) -> str | None:
    with load_backup("stick.backup", str(played)) as copy:
        agreed = plan_restore(copy, str(played), known)
        meanwhile()
        return restore(copy, agreed, str(played), DAY, scribe(copy))


def test_an_entry_that_is_written_after_the_question_is_not_lost(played: Path) -> None:
    def write() -> None:
        with open_book(str(played)) as book:
            scribe(book).write(Note(text="meanwhile"))

    with pytest.raises(Refused, match="The campaign has changed since you looked"):
        put_back(played, meanwhile=write)
    assert entries(played)[-1] == "note-written"
    assert kept_files(played.parent) == []


def test_a_file_that_breaks_after_the_question_is_not_replaced_unseen(played: Path) -> None:
    with pytest.raises(Refused, match="The campaign has changed since you looked"):
        put_back(played, meanwhile=lambda: damage_header(played))


def test_a_restore_waits_for_a_writer_and_then_says_that_the_campaign_is_busy(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.journal.opening.BUSY_SECONDS", 0.1)
    with open_book(str(played)) as book, book.journal.writing(), pytest.raises(Busy):
        put_back(played)
    assert kept_files(played.parent) == []
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_reader_sees_the_old_file_until_its_look_ends(played: Path) -> None:
    with open_book(str(played)) as book:
        with book.journal.reading():
            assert put_back(played) == f"{played}.before-restore-{DAY}"
            assert book.head() == 8
        assert [entry.type for entry in book.journal.entries(6)] == ["history-forked"]


def test_a_file_whose_pages_have_another_size_is_not_replaced(played: Path) -> None:
    connection = sqlite3.connect(played, isolation_level=None)
    connection.executescript("PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM; PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(Refused, match=r"road.campaign and its backup are stored in different formats"):
        put_back(played)
    assert entries(played) == ["session-opened", "score-adjusted", "score-adjusted"]


def test_a_restore_that_was_killed_after_it_kept_the_old_file_does_not_keep_it_twice(played: Path) -> None:
    shutil.copy(played, f"{played}.before-restore-{DAY}")
    assert put_back(played) == f"{played}.before-restore-{DAY}"
    assert kept_files(played.parent) == [KEPT]


def test_a_restore_that_was_killed_on_another_day_does_not_keep_the_old_file_twice(played: Path) -> None:
    shutil.copy(played, "road.campaign.before-restore-2026-11-24")
    assert put_back(played) == f"{played}.before-restore-2026-11-24"
    assert kept_files(played.parent) == ["road.campaign.before-restore-2026-11-24"]


@pytest.mark.parametrize("lost", ["DELETE FROM words", "DELETE FROM checkpoints", "DROP TABLE words"])
def test_a_kept_file_without_the_words_or_signatures_of_the_old_file_does_not_replace_it(
    played: Path, lost: str
) -> None:
    shutil.copy(played, KEPT)
    with sqlite3.connect(KEPT) as connection:
        connection.execute(lost)
    connection.close()
    assert put_back(played) == f"{played}.before-restore-{DAY}-2"
    assert kept_files(played.parent) == [KEPT, f"{KEPT}-2"]


@pytest.mark.parametrize("there", [b"something else", b""])
def test_a_name_that_is_taken_is_left_alone(played: Path, there: bytes) -> None:
    (played.parent / KEPT).write_bytes(there)
    assert put_back(played) == f"{played}.before-restore-{DAY}-2"
    assert (played.parent / KEPT).read_bytes() == there


def test_each_signed_head_of_the_history_that_is_left_is_recorded(played: Path, type_in: Type) -> None:
    type_in("session close")
    type_in("note more")
    put_back(played)
    with open_book(str(played)) as book:
        sizes = [entry.raw["size"] for entry in book.journal.entries(6)]
    assert sizes == [10, 9]


def test_a_known_head_of_a_third_history_is_recorded_without_a_proof(played: Path) -> None:
    put_back(played, known=(Head(origin="", size=3, root=b"3" * 32, note=""),))
    with open_book(str(played)) as book:
        left = [(entry.raw["size"], entry.raw["shared"] is None) for entry in book.journal.entries(6)]
    assert left == [(8, False), (3, True)]


def test_a_damaged_tree_of_the_old_file_makes_no_false_proof_that_accuses_the_gm(played: Path, type_in: Type) -> None:
    with open_book(str(played)) as book:
        unguarded("UPDATE nodes SET hash = zeroblob(32) WHERE level = 1 AND place = 3")(connection_of(book))
    put_back(played)
    with open_book(str(played)) as book:
        assert [entry.raw["shared"] for entry in book.journal.entries(6)] == [None]
    assert type_in("audit").exit_code == 0


def test_an_entry_that_gives_its_backup_another_end_is_refused(played: Path) -> None:
    put_back(played)
    changed(played, 6, restored=4)
    with pytest.raises(WrongEntry, match="restores a backup that ends at #4, but this entry follows #5"):
        entries(played)


# The log of a killed reader

READS = """
import sys
from ledger.journal.book import open_book
with open_book(sys.argv[1]) as book, book.journal.reading():
    book.head()
    print("reads", flush=True)
    sys.stdin.readline()
"""


def test_a_backup_that_is_restored_as_the_guide_says_is_whole_after_a_kill_left_a_log(
    played: Path, type_in: Type
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READS, str(played)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        with open_book(str(played)) as book:
            for number in range(60):
                scribe(book).write(Note(text=f"note {number} " + "z" * 300))
        reader.send_signal(signal.SIGKILL)
    assert Path(f"{played}-wal").stat().st_size > 0
    shown = type_in("restore stick.backup --yes")
    assert "63 entries are lost: #6 to #68." in shown.stderr
    assert set(entries(played)) == {"history-forked"}
    assert len(entries(played.parent / kept_files(played.parent)[0])) == 63


def test_a_restore_with_a_wrong_clock_is_refused_unless_the_clock_is_right(
    played: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    with freeze_time("2026-01-01"):
        early = CliRunner().invoke(campaign, ["restore", "stick.backup", "--yes"], obj=Invocation())
        assert (early.exit_code, "--clock-ok" in early.stderr) == (3, True)
        assert kept_files(played.parent) == []
        right = CliRunner().invoke(campaign, ["restore", "stick.backup", "--yes", "--clock-ok"], obj=Invocation())
    assert right.exit_code == 0, right.stderr
    assert entries(played) == ["history-forked"]
