"""The keys of a host: in a folder apart from the home, or in a program that signs."""

import os
import sys
from pathlib import Path

import pytest

from ledger.errors import Refused
from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import open_book
from ledger.tlog.note import make_skey, open_note, parse_vkey
from ledger.trust.key_program import KeyProgram
from terminal import Type

NAME = "campaign/road"

SIGNER = f"""#!{sys.executable}
import hashlib, os, pathlib, sys
from ledger.tlog.note import make_skey, parse_skey
folder = pathlib.Path(__file__).parent / "vault"
folder.mkdir(exist_ok=True)
verb, name = sys.argv[1:]
file = folder / hashlib.sha256(name.encode()).hexdigest()
if verb == "new":
    key = make_skey(name, os.urandom(32))
    (folder / hashlib.sha256(str(key.vkey).encode()).hexdigest()).write_text(str(key))
    print(key.vkey)
else:
    print(parse_skey(file.read_text()).sign(sys.stdin.read()), end="")
"""


def program(folder: Path, text: str) -> str:
    file = folder / "signer"
    file.write_text(text)
    file.chmod(0o700)
    return str(file)


def well(type_in: Type, *lines: str) -> str:
    shown = ""
    for line in lines:
        done = type_in(line)
        assert done.exit_code == 0, done.output
        shown = done.stdout
    return shown


@pytest.fixture
def signer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A program that keeps keys, which the environment names."""
    monkeypatch.chdir(tmp_path)
    keeper = program(tmp_path, SIGNER)
    monkeypatch.setenv("CAMPAIGN_KEYS", keeper)
    return keeper


def key_line() -> str:
    with open_book("the-road.campaign") as book:
        return str(book.mark(CAMPAIGN, KEY))


def test_a_folder_for_keys_has_a_private_file_for_each_campaign(
    tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "keys").mkdir()
    monkeypatch.setenv("CAMPAIGN_KEYS", str(tmp_path / "keys"))
    well(type_in, "-f one.campaign init One", "-f two.campaign init Two")
    files = sorted((tmp_path / "keys").iterdir())
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]
    assert not (Path(os.environ["CAMPAIGN_HOME"]) / "keys").exists()
    assert well(type_in, "-f two.campaign checkpoint")


def test_a_program_signs_and_no_private_key_is_stored_here(signer: str, tmp_path: Path, type_in: Type) -> None:
    well(type_in, 'init "The road"')
    assert open_note(well(type_in, "checkpoint"), [key_line()])
    assert not list(Path(os.environ["CAMPAIGN_HOME"]).rglob("*.key"))
    assert "The program in CAMPAIGN_KEYS signs the campaign." in type_in("key").stderr


def test_a_program_makes_the_new_key_of_a_rotation_and_signs_with_both(signer: str, type_in: Type) -> None:
    well(type_in, 'init "The road"')
    old = key_line()
    done = type_in("key rotate --why x")
    assert "The program in CAMPAIGN_KEYS has the new key." in done.stderr
    assert key_line() != old
    assert open_note(well(type_in, "checkpoint"), [key_line()])
    well(type_in, "verify")


def test_a_key_that_a_program_keeps_is_never_exported(signer: str, tmp_path: Path, type_in: Type) -> None:
    well(type_in, 'init "The road"')
    refused = type_in("key export stick.txt")
    assert refused.exit_code != 0
    assert "so the key cannot be exported" in refused.stderr
    assert not (tmp_path / "stick.txt").exists()
    assert "key export" not in type_in("backup copy.backup").stderr


def test_a_dry_run_and_a_repeated_command_make_no_key(signer: str, tmp_path: Path, type_in: Type) -> None:
    well(type_in, "init --dry-run Road")
    assert not (tmp_path / "vault").exists()
    well(type_in, "init --once 1 'The road'", "init --once 1 'The road'", "key rotate --dry-run")
    assert len(list((tmp_path / "vault").iterdir())) == 1


def test_a_program_without_the_key_leaves_a_session_closed_and_unsigned(
    signer: str, tmp_path: Path, type_in: Type
) -> None:
    well(type_in, 'init "The road"', "session open One")
    for file in (tmp_path / "vault").iterdir():
        file.unlink()
    closed = type_in("session close")
    assert closed.exit_code == 0
    assert "The program in CAMPAIGN_KEYS failed, or does not have the key of this campaign." in closed.stderr


@pytest.mark.parametrize("prints", ["", "not a key", "\\377", str(make_skey("campaign/other", bytes(32)).vkey)])
def test_a_program_that_makes_no_key_of_this_campaign_is_refused(tmp_path: Path, prints: str) -> None:
    with pytest.raises(Refused, match="The program in CAMPAIGN_KEYS"):
        KeyProgram(program=program(tmp_path, f"#!/bin/sh\nprintf '{prints}'\n")).make_key(NAME)


def test_a_signature_by_another_key_is_refused(tmp_path: Path) -> None:
    vkey, other = make_skey(NAME, bytes(32)).vkey, make_skey(NAME, b"o" * 32)
    keeper = KeyProgram(program=program(tmp_path, f"#!/bin/sh\nprintf '%s\\n' '{other.sign(f'x{chr(10)}').strip()}'\n"))
    with pytest.raises(Refused, match="a signature that is not valid"):
        keeper.key(str(vkey)).sign("x\n")
    assert parse_vkey(str(vkey)) == keeper.key(str(vkey)).vkey


def test_a_program_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot run: No such file or directory") as refused:
        KeyProgram(program=str(tmp_path / "nothing")).make_key(NAME)
    assert "CAMPAIGN_KEYS" in refused.value.hint
