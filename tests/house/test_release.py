"""A release: its metadata, its commit, and the start of the single file. The slow tests install all of it."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED

import pytest
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

import pythons
from cli import version as our_version
from cli.version import commit, version_line
from ledger import hints
from ledger.hints import install_hint
from paths import ROOT
from release.unpack import unpacked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("ledger", "projections", "cli", "web")
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture
def metadata() -> Mapping[str, Any]:
    """Return the metadata of the wheel."""
    read: Any = ProjectMetadata(str(ROOT), PluginManager())
    return {
        "readme": read.core.readme,
        "urls": read.core.urls,
        "home": read.hatch.metadata.hook_config["custom"]["home"],
    }


def test_all_extras_have_one_name() -> None:
    extras = PROJECT["optional-dependencies"]
    assert extras["all"] == [f"campaign-ledger[{','.join(sorted(extras.keys() - {'all'}))}]"]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_says_that_it_has_types(package: str) -> None:
    assert (ROOT / package / "py.typed").read_bytes() == b""


def test_every_link_of_the_description_works_outside_the_repository(metadata: Mapping[str, Any]) -> None:
    links = LINK.findall(metadata["readme"])
    own = [link for link in links if link.startswith(metadata["home"])]
    assert [link for link in links if "://" not in link] == []
    assert len(own) > 20
    for link in own:
        path = re.sub(r"^.*?/v[^/]+/|#.*$", "", link)
        assert (ROOT / path).exists(), link
        assert ("/raw/" in link) == path.endswith(".png"), link
        assert f"/v{PROJECT['version']}/" in link


def test_the_owner_s_address_stands_in_one_place(metadata: Mapping[str, Any]) -> None:
    listed = subprocess.run(
        ("git", "grep", "-lF", metadata["home"]), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert listed.stdout.split() == ["pyproject.toml"] or not (ROOT / ".git").exists()
    assert all(url.startswith(metadata["home"]) for url in metadata["urls"].values())


def test_a_checkout_asks_git_for_the_commit() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a checkout")
    head = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert head.startswith(commit().removesuffix("-dirty"))
    assert version_line() == f"campaign, version {version('campaign-ledger')} (commit {commit()})"


def test_a_built_program_has_the_commit_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "commit.txt").write_text("0123456789ab\n", encoding="ascii")
    monkeypatch.setattr(our_version, "COMMIT_FILE", tmp_path / "commit.txt")
    assert version_line().endswith(" (commit 0123456789ab)")


def test_a_repository_around_an_installed_program_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(our_version, "COMMIT_FILE", tmp_path / "site-packages" / "cli" / "commit.txt")
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    assert commit() == ""
    assert version_line() == f"campaign, version {version('campaign-ledger')}"


def test_without_git_there_is_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(our_version, "COMMIT_FILE", tmp_path / "cli" / "commit.txt")
    monkeypatch.setenv("PATH", "")
    assert commit() == ""


class _Installed:
    """An installed program that knows where it came from."""

    def __init__(self, origin: str | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        return self.origin if name == "direct_url.json" else None


@pytest.mark.parametrize(
    ("origin", "what"),
    [
        ('{"url": "file:///home/tom/my%20files/campaign_ledger-1.0.0-py3-none-any.whl"}', "'/home/tom/my files/campaign_ledger-1.0.0-py3-none-any.whl[all]'"),
        ('{"url": "file:///home/tom/ledger", "dir_info": {}}', "'/home/tom/ledger[all]'"),
        ('{"url": "https://example.com/x.whl"}', "'FILE[all]'"),
        (None, "'FILE[all]'"),
    ],
    ids=["a wheel", "a checkout", "another computer", "unknown"],
)  # fmt: skip
def test_a_missing_library_is_installed_from_where_the_program_came(
    monkeypatch: pytest.MonkeyPatch, origin: str | None, what: str
) -> None:
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: iter([_Installed(origin)]))
    monkeypatch.setattr(sys, "executable", "/opt/ledger/bin/python")
    assert hints.hint_text(install_hint()).endswith(f": /opt/ledger/bin/python -m pip install {what}")


@pytest.fixture
def single(tmp_path: Path) -> Path:
    """Return a folder that starts like the single file, but has modules for another Python only."""
    folder = tmp_path / "single"
    folder.mkdir()
    shutil.copy(ROOT / "release" / "start.py", folder / "__main__.py")
    (folder / "contents.py").write_text("GLIBC = (2, 28)\nHASHES = {'cpython-305-x': '', 'cpython-306-x': ''}\n")
    return folder


@pytest.mark.parametrize("python", ["this", "2.7", "3.6", "3.8"])
def test_on_another_python_the_single_file_says_what_it_needs(single: Path, python: str) -> None:
    program = sys.executable if python == "this" else pythons.find(python)
    if program is None:
        pytest.skip(f"Python {python} is not here")
    done = subprocess.run((program, str(single)), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("Error: This file needs CPython 3.05 or 3.06, on Linux with an x86_64 processor")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def packed_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a single file with two modules, and let it unpack itself into `tmp_path`."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1577836800")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    from release.build import packed  # needs `packaging`

    parts = {"common.zip": packed({"same.py": b"1"}), "abi.zip": packed({"own.py": b"2"})}
    file = tmp_path / "single.pyz"
    file.write_bytes(b"#!/usr/bin/env python3\n" + packed(parts, ZIP_STORED))
    return file


def test_the_single_file_unpacks_itself_once_into_a_private_folder(packed_file: Path) -> None:
    folder = Path(unpacked(str(packed_file), "abi", "5f" * 32))
    assert sorted(path.name for path in folder.iterdir()) == ["own.py", "same.py"]
    assert (folder.stat().st_mode & 0o777, folder.parent.stat().st_mode & 0o777) == (0o700, 0o700)
    packed_file.unlink()
    assert unpacked(str(packed_file), "abi", "5f" * 32) == str(folder)
    assert [*folder.parent.iterdir()] == [folder]


@pytest.mark.parametrize("loose", ["campaign-ledger", "campaign-ledger/abi-5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f"])
def test_modules_that_somebody_else_could_change_are_not_used(
    packed_file: Path, loose: str, capsys: pytest.CaptureFixture[str]
) -> None:
    unpacked(str(packed_file), "abi", "5f" * 32)
    (packed_file.parent / "cache" / loose).chmod(0o777)
    with pytest.raises(SystemExit) as ended:
        unpacked(str(packed_file), "abi", "5f" * 32)
    assert ended.value.code == 4
    assert "another user could change" in capsys.readouterr().err


def test_a_full_disk_leaves_no_half_unpacked_modules(
    packed_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(SystemExit) as ended:
        unpacked(str(packed_file), "abi", "5f" * 32)
    assert ended.value.code == 4
    assert "No space left on device" in capsys.readouterr().err
    assert [*(packed_file.parent / "cache" / "campaign-ledger").iterdir()] == []


def test_two_first_starts_at_once_share_the_modules(packed_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def slower(new: str, folder: Path) -> None:
        shutil.copytree(new, folder)  # the other start was faster
        rename(new, folder)

    monkeypatch.setattr(os, "rename", slower)
    folder = Path(unpacked(str(packed_file), "abi", "5f" * 32))
    assert [*folder.parent.iterdir()] == [folder]
