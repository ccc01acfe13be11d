"""The files that `make dist` builds, and the program as the README installs it: it plays, verifies and serves."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

import pythons
from paths import ROOT

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
SINGLE_FILE = "campaign-linux-x86_64.pyz"
INSTALLING = re.findall(
    r"^(?:install|uv tool install) .*?(?=\s+#)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)
"""The lines of the README that install the program."""

PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def run(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        words, cwd=cwd, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files that `make dist` builds, with checksums that the key beside their folder has signed."""
    folder = tmp_path_factory.mktemp("built")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "owner", cwd=folder)
    options = (f"BIN={BIN}", f"DIST={folder / 'dist'}", f"KEY={folder / 'owner'}")
    run("make", "-o", ".venv/dev", "dist", *options, cwd=ROOT)
    return folder / "dist"


@pytest.fixture
def empty(tmp_path: Path) -> dict[str, str]:
    """Return an environment with nothing but a new home, the system's programs, one Python and uv."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    python = pythons.find(f"{sys.version_info[0]}.{sys.version_info[1]}")
    assert python is not None
    (bin_folder / "python3").symlink_to(python)
    (bin_folder / "uv").symlink_to(BIN / "uv")
    cache = os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv"))
    path = f"{bin_folder}:/usr/bin:/bin"
    return {"HOME": str(tmp_path), "PATH": path, "LANG": "C.UTF-8", "UV_SYSTEM_CERTS": "1", "UV_CACHE_DIR": cache}


def plays_and_serves(program: tuple[str, ...], table: Path, env: dict[str, str]) -> None:
    """Open a campaign, roll, verify, and get an answer from the page."""
    table.mkdir()
    run(*program, "init", "Road", "--gm", "Tom", cwd=table, env=env)
    run(*program, "join", "mara", "edge", "maximum=4", cwd=table, env=env)
    rolled = run(*program, "edge", "check", "mara", "--skill", "9", "--faces", "9,9", cwd=table, env=env)
    assert "✓ complete success" in rolled
    assert "OK: 5 entries" in run(*program, "verify", cwd=table, env=env)
    refused = subprocess.run(
        (*program, "-f", "postgresql://127.0.0.1:1/club?campaign=x", "status"), cwd=table, env=env, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert "not installed" not in refused.stderr
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen((*program, "serve", "--port", str(port)), cwd=table, env=env) as page:
        try:
            assert "<html" in answer_of(f"http://127.0.0.1:{port}/", page)
        finally:
            page.send_signal(signal.SIGINT)
        assert page.wait(30) == 0


def answer_of(url: str, page: "subprocess.Popen[bytes]") -> str:
    """Return the page's answer as soon as it answers."""
    for _ in range(600):
        assert page.poll() is None
        try:
            with urlopen(url) as answer:  # noqa: S310  our own page
                return str(answer.read().decode())
        except HTTPError as refused:  # nobody has logged in
            return str(refused.read().decode())
        except URLError:
            time.sleep(0.1)
    raise AssertionError("the page did not answer within a minute")


def test_the_checksums_match_and_the_owner_has_signed_them(built: Path, tmp_path: Path) -> None:
    names = [line.split()[1] for line in (built / "SHA256SUMS").read_text(encoding="ascii").splitlines()]
    assert sorted(path.name for path in built.iterdir()) == sorted([*names, "SHA256SUMS", "SHA256SUMS.sig"])
    assert len(names) == 3
    run("sha256sum", "--check", "--ignore-missing", "SHA256SUMS", cwd=built)
    (tmp_path / "owner.txt").write_text("owner " + (built.parent / "owner.pub").read_text(encoding="ascii"))
    verify = "ssh-keygen -Y verify -f owner.txt -I owner -n file -s SHA256SUMS.sig < SHA256SUMS"
    assert verify in (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    for name in ("SHA256SUMS", "SHA256SUMS.sig"):
        shutil.copy(built / name, tmp_path)
    assert 'Good "file" signature for owner' in run("sh", "-c", verify, cwd=tmp_path)
    (tmp_path / "SHA256SUMS").write_text("")
    assert subprocess.run(("sh", "-c", verify), cwd=tmp_path, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("version", PYTHONS)
def test_the_single_file_plays_and_serves_on_each_python(
    built: Path, tmp_path: Path, empty: dict[str, str], version: str
) -> None:
    python = pythons.find(version)
    if python is None:
        pytest.skip(f"Python {version} is not here")
    plays_and_serves((python, str(built / SINGLE_FILE)), tmp_path / "table", empty)


def test_the_readme_names_three_ways_to_install() -> None:
    assert {line.split()[-1] for line in INSTALLING} == {"~/.local/bin/campaign", "'./WHEEL[all]'", "'.[all]'"}


@pytest.mark.parametrize("line", INSTALLING)
def test_the_program_plays_and_serves_as_the_readme_installs_it(
    built: Path, tmp_path: Path, empty: dict[str, str], line: str
) -> None:
    """The source package stands in for a checkout: it has the same files, without their history."""
    (wheel,) = built.glob("*.whl")
    folder = unpacked_source(built, tmp_path) if "'.[" in line else built
    run("sh", "-c", line.replace("WHEEL", wheel.name), cwd=folder, env=empty)
    program = str(tmp_path / ".local" / "bin" / "campaign")
    plays_and_serves((program,), tmp_path / "table", empty)
    if (ROOT / ".git").exists():
        head = run("git", "rev-parse", "--short=12", "HEAD", cwd=ROOT).strip()
        assert f"(commit {head}" in run(program, "--version", cwd=tmp_path, env=empty)


def unpacked_source(built: Path, folder: Path) -> Path:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def test_the_source_package_has_the_documents_and_tests_that_pass(built: Path, tmp_path: Path) -> None:
    source = unpacked_source(built, tmp_path)
    listed = run("git", "ls-files", cwd=ROOT).split() if (ROOT / ".git").exists() else []
    assert [name for name in listed if not (source / name).exists()] == []
    env = {**os.environ, "PYTHONPATH": str(source)}
    tests = ("tests/ledger/test_values.py", "tests/house/test_release.py")
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, cwd=source, env=env)
