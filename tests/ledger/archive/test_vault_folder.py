"""The folder of a vault: it is refreshed, and nothing that a person wrote is ever lost, not even by a kill."""

import fcntl
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from stat import S_IMODE

import pytest

from engine import full_disk
from ledger.archive.vault_folder import MANIFEST, NoteName, Notes, VaultReport, refresh_vault
from ledger.errors import DiskRefused, NotMade, Refused
from ledger.journal.new_files import PART_FOLDER

FIRST = {"Campaign.md": "one\n", "Characters/mara.md": "mara\n", "Sessions/One.md": "s\n", "Sessions/Gone.md": "gone\n"}
SECOND = {
    "Campaign.md": "two\n",
    "Characters/mara.md": "mara\n",
    "Sessions/One.md": "s 2\n",
    "Sessions/New.md": "new\n",
}
NAMES = {"character mara": NoteName(file="mara", entry=0)}


def write(folder: Path, texts: Mapping[str, str], **changes: str) -> VaultReport:
    """Refresh a vault with these notes."""
    known = {"campaign": "c1", "whom": "gm"} | changes
    return refresh_vault(str(folder), make=lambda _: Notes(texts=texts, names=NAMES), private=False, **known)


def held(folder: Path) -> dict[str, str]:
    """The files of a folder, without the manifest."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.name != MANIFEST)
    return {str(file.relative_to(folder)): file.read_text(encoding="utf-8") for file in files}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A vault with the first notes."""
    write(tmp_path / "vault", FIRST)
    return tmp_path / "vault"


def test_a_refresh_writes_what_is_new_or_different_and_removes_what_is_gone(vault: Path) -> None:
    assert held(vault) == FIRST
    assert write(vault, SECOND) == VaultReport(written=3, unchanged=1, removed=1, changed=())
    assert held(vault) == SECOND


def test_a_refresh_without_news_touches_no_file(vault: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in vault.rglob("*") if file.is_file()}
    assert write(vault, FIRST) == VaultReport(written=0, unchanged=4, removed=0, changed=())
    assert {file: file.stat().st_mtime_ns for file in vault.rglob("*") if file.is_file()} == before


def test_the_names_of_earlier_notes_reach_the_maker_of_the_notes(vault: Path) -> None:
    names: list[Mapping[str, NoteName]] = []

    def make(known: Mapping[str, NoteName]) -> Notes:
        names.append(known)
        return Notes(texts=FIRST, names=known)

    refresh_vault(str(vault), "c1", "gm", make, private=False)
    assert names == [NAMES]


def test_a_note_that_a_person_changed_stays_until_it_is_deleted(vault: Path) -> None:
    (vault / "Campaign.md").write_text("mine")
    (vault / "Sessions" / "Gone.md").write_text("mine too")
    assert write(vault, SECOND) == VaultReport(
        written=2, unchanged=1, removed=0, changed=("Campaign.md", "Sessions/Gone.md")
    )
    assert held(vault) == {**SECOND, "Campaign.md": "mine", "Sessions/Gone.md": "mine too"}
    assert write(vault, SECOND).changed == ("Campaign.md",)
    (vault / "Campaign.md").unlink()
    assert write(vault, SECOND) == VaultReport(written=1, unchanged=3, removed=0, changed=())
    assert held(vault) == {**SECOND, "Sessions/Gone.md": "mine too"}


def test_a_note_that_a_person_changed_back_is_refreshed_again(vault: Path) -> None:
    (vault / "Campaign.md").write_text("mine")
    write(vault, SECOND)
    (vault / "Campaign.md").write_text("one\n")
    assert write(vault, SECOND).written == 1
    assert held(vault) == SECOND


def test_a_note_with_the_line_ends_of_windows_counts_as_unchanged(vault: Path) -> None:
    (vault / "Campaign.md").write_bytes(b"one\r\n")
    assert write(vault, FIRST) == VaultReport(written=0, unchanged=4, removed=0, changed=())
    assert write(vault, SECOND).changed == ()


def test_a_note_that_was_gone_already_needs_no_removal(vault: Path) -> None:
    (vault / "Sessions" / "Gone.md").unlink()
    assert write(vault, SECOND) == VaultReport(written=3, unchanged=1, removed=0, changed=())


def test_files_and_folders_that_people_added_are_never_touched(vault: Path) -> None:
    own = {".obsidian/app.json": "{}", "My notes.md": "mine", "Sessions/New.md": "my new", "Pictures/map.txt": "map"}
    for name, text in own.items():
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_text(text)
    assert write(vault, SECOND).changed == ("Sessions/New.md",)
    assert held(vault) == {**SECOND, **own}


# Folders that are something else


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda vault: (vault / MANIFEST).unlink(), "has files that are not from this command"),
        (lambda vault: (vault / MANIFEST).write_text("{}"), "cannot read the file"),
        (lambda vault: (vault / MANIFEST).write_text("[" * 100_000), "cannot read the file"),
        (lambda vault: (vault / MANIFEST).write_bytes(b"\xff"), "cannot read the file"),
        (lambda vault: bent(vault, format=2), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"../x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"/x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"a/../../x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"C:x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"..\\x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"x\0.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={".obsidian/x.md": []}), "cannot read the file"),
        (lambda vault: bent(vault, hashes={"x.txt": []}), "cannot read the file"),
        (lambda vault: bent(vault, names={"session 1": {"file": 3, "entry": 0}}), "cannot read the file"),
        (lambda vault: bent(vault, campaign="c2"), "is the vault of another campaign"),
        (lambda vault: bent(vault, whom="players"), "was made for other readers"),
        (lambda vault: linked(vault, MANIFEST), "cannot read the file"),
        (lambda vault: linked(vault, "Sessions"), "Sessions in .* is a link or a file"),
        (lambda vault: filed(vault, "Sessions"), "Sessions in .* is a link or a file"),
    ],
)
def test_a_folder_that_is_something_else_is_refused_and_stays_as_it_is(
    vault: Path, change: Callable[[Path], None], says: str
) -> None:
    change(vault)
    before = everything(vault.parent)
    with pytest.raises(Refused, match=says) as refused:
        write(vault, SECOND)
    assert refused.value.sentence.endswith("Nothing was written.")
    assert refused.value.hint == "Choose a new or empty folder."
    assert everything(vault.parent) == before


def bent(vault: Path, **fields: object) -> None:
    """Change fields of the manifest."""
    known = json.loads((vault / MANIFEST).read_text())
    (vault / MANIFEST).write_text(json.dumps(known | fields))


def linked(vault: Path, name: str) -> None:
    """Move a file or a folder out of the vault, and leave a link to it."""
    (vault / name).rename(vault.parent / "elsewhere")
    (vault / name).symlink_to(vault.parent / "elsewhere")


def filed(vault: Path, name: str) -> None:
    shutil.rmtree(vault / name)
    (vault / name).write_text("a file")


def everything(folder: Path) -> dict[str, bytes | str]:
    """All files and links in a folder."""
    return {
        str(each.relative_to(folder)): os.readlink(each) if each.is_symlink() else each.read_bytes()
        for each in folder.rglob("*")
        if each.is_symlink() or each.is_file()
    }


def test_a_file_is_not_a_vault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(Refused, match="is not a folder"):
        write(tmp_path / "file", FIRST)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_link_a_folder_or_a_pipe_in_place_of_a_note_is_left(vault: Path, kind: str) -> None:
    note, outside = vault / "Campaign.md", vault.parent / "outside.md"
    note.unlink()
    outside.write_text("one\n")
    if kind == "link":
        note.symlink_to(outside)
    elif kind == "folder":
        note.mkdir()
    else:
        os.mkfifo(note)
    assert write(vault, SECOND).changed == ("Campaign.md",)
    assert outside.read_text() == "one\n"
    assert not note.is_file() or note.is_symlink()


def test_the_vault_itself_may_be_behind_a_link(vault: Path) -> None:
    (vault.parent / "link").symlink_to(vault)
    assert write(vault.parent / "link", SECOND).written == 3
    assert held(vault) == SECOND


def test_an_empty_folder_becomes_a_vault_and_a_new_one_with_secrets_is_private(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write(tmp_path / "empty", FIRST).written == 4
    refresh_vault(str(tmp_path / "new"), "c1", "gm", lambda _: Notes(texts=FIRST, names={}), private=True)
    assert S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.parametrize("private", [True, False])
def test_only_the_owner_can_read_private_notes_in_a_folder_that_was_there(tmp_path: Path, private: bool) -> None:
    refresh_vault(str(tmp_path), "c1", "gm", lambda _: Notes(texts=FIRST, names={}), private=private)
    modes = {S_IMODE(each.stat().st_mode) & 0o044 for each in tmp_path.rglob("*")}
    assert modes == {0 if private else 0o044}


def test_the_notes_are_made_while_no_other_export_can_write(vault: Path) -> None:
    def make(names: Mapping[str, NoteName]) -> Notes:
        folder = os.open(vault, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(folder)
        return Notes(texts=SECOND, names=names)

    assert refresh_vault(str(vault), "c1", "gm", make, private=False).written == 3


def test_notes_that_cannot_be_made_leave_no_new_folder(tmp_path: Path) -> None:
    def make(_: Mapping[str, NoteName]) -> Notes:
        raise DiskRefused("The file is damaged.")

    with pytest.raises(DiskRefused):
        refresh_vault(str(tmp_path / "vault"), "c1", "gm", make, private=True)
    assert [*tmp_path.iterdir()] == []


def test_a_vault_in_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotMade, match="cannot be created") as refused:
        write(tmp_path / "no" / "vault", FIRST)
    assert refused.value.hint == "Make the folder first, or choose a different one."


def test_a_full_disk_leaves_a_vault_that_can_be_refreshed(vault: Path) -> None:
    with full_disk(5_000), pytest.raises(DiskRefused, match="is not complete: File too large"):
        write(vault, {**SECOND, "Sessions/Long.md": "x" * 100_000})
    assert not (vault / PART_FOLDER).exists()
    assert write(vault, SECOND).changed == ()
    assert held(vault) == SECOND


# Kills

CHANGES_ON_DISK = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree")


def killed_before(moment: int, vault: Path, texts: Mapping[str, str]) -> bool:
    """Refresh a vault in another process, which ends at once before its change of the disk with this number.

    Return False if it had fewer changes.
    """
    process = os.fork()
    if process == 0:
        left = [moment]

        def watch(event: str, args: tuple[object, ...]) -> None:
            if event in CHANGES_ON_DISK and (event != "open" or str(vault) in str(args[0])):
                left[0] -= 1
                if left[0] == 0:
                    os._exit(9)  # as a kill: nothing is cleaned up

        sys.addaudithook(watch)
        try:
            write(vault, texts)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "refreshed"])
def test_after_a_kill_at_any_moment_nothing_is_lost_and_the_next_export_is_complete(
    tmp_path: Path, is_new: bool
) -> None:
    moment, is_killed = 0, True
    while is_killed:
        moment += 1
        vault = tmp_path / str(moment)
        mine = {}
        if not is_new:
            write(vault, FIRST)
            mine = {"Characters/mara.md": "my mara", "My own.md": "mine", "Sessions/Gone.md": "my gone"}
            for name, text in mine.items():
                (vault / name).write_text(text)
        is_killed = killed_before(moment, vault, SECOND)
        now = held(vault) if vault.exists() else {}
        whole = {name: {FIRST.get(name), SECOND.get(name)} for name in {**FIRST, **SECOND}}
        assert {name: text for name, text in now.items() if name in mine} == mine
        notes = {name: text for name, text in now.items() if name not in mine and not name.startswith(PART_FOLDER)}
        assert all(text in whole[name] for name, text in notes.items())
        later = {**SECOND, "Campaign.md": "three\n"}
        if is_killed:
            assert {*write(vault, later).changed} <= mine.keys()
            assert held(vault) == {**later, **mine}
    assert moment > 20
