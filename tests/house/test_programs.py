"""With real programs: the shells that complete, and a fresh checkout that sets itself up."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.audit.verify import verify
from ledger.journal.book import open_book
from paths import ROOT
from table import opened_book
from terminal import typed_at_a_terminal

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    opened_book(str(tmp_path / "road.campaign"), games=("edge",)).close()
    return tmp_path


def run(*words: str, cwd: Path) -> str:
    env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(
        words, cwd=cwd, env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_bash_completes_a_character(folder: Path) -> None:
    script = (
        'eval "$(campaign completion bash)"; COMP_WORDS=(campaign sheets m); COMP_CWORD=2;'
        ' _campaign_completion campaign; echo "${COMPREPLY[@]}"'
    )
    assert run("bash", "-c", script, cwd=folder) == "mara\n"


def test_fish_completes_a_score(folder: Path) -> None:
    script = 'campaign completion fish | source; complete -C "campaign register mara max"'
    assert run("fish", "--no-config", "-c", script, cwd=folder).split()[0] == "maximum"


def test_zsh_reads_its_completion_and_is_answered(folder: Path) -> None:
    script = 'autoload -U compinit; compinit -u -D; eval "$(campaign completion zsh)"; whence -w _campaign_completion'
    assert "function" in run("zsh", "-f", "-c", script, cwd=folder)
    answer = 'COMP_WORDS="campaign sheets b" COMP_CWORD=2 _CAMPAIGN_COMPLETE=zsh_complete campaign'
    assert "brak" in run("zsh", "-f", "-c", answer, cwd=folder)


@pytest.mark.parametrize(
    ("shell", "script", "answer"),
    [
        ("bash", ("-i", "-c", "complete -p campaign"), "-F _campaign_completion campaign"),
        ("fish", ("-c", 'complete -C "campaign register mara max"'), "maximum"),
        ("zsh", ("-i", "-c", "print $_comps[campaign]"), "_campaign_completion"),
    ],
)
def test_an_installed_completion_is_read_by_the_shell_as_it_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, shell: str, script: tuple[str, ...], answer: str
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    (folder / ".bashrc").write_text("export MINE=1\n", encoding="utf-8")
    (folder / ".zshrc").write_text("export MINE=1\n", encoding="utf-8")
    run("campaign", "completion", shell, "--install", cwd=folder)
    assert answer in run(shell, *script, cwd=folder)
    assert shell == "fish" or "1" in run(shell, "-i", "-c", "echo $MINE", cwd=folder)


def entries_of(file: Path) -> int:
    with open_book(str(file)) as book:
        return verify(book).entries


def test_the_demo_sets_itself_up_in_a_fresh_checkout_and_asks_before_it_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = tmp_path / "fresh"
    for name in run("git", "ls-files", cwd=ROOT).splitlines():
        (fresh / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, fresh / name)
    demo = ("make", "demo", f"PYTHON={sys.executable}")
    seen = run(*demo, cwd=fresh)
    assert "nothing missing or altered" in seen
    warnings = [line for line in seen.splitlines() if "WARNING" in line]
    assert [line for line in warnings if "Retrying" not in line] == []  # pip says so when the network was slow
    assert "nothing missing or altered" in run(*demo, cwd=fresh), "it begins again where nobody played on"
    file = fresh / "demo" / "the-salt-road.campaign"
    mine = fresh / "demo" / "notes.txt"
    mine.write_text("what I want to keep")
    kept = subprocess.run(demo, cwd=fresh, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (kept.returncode != 0, mine.exists()) == (True, True)
    mine.unlink()
    run("campaign", "-f", str(file), "note", "we play on", cwd=fresh)
    head = entries_of(file)
    refused = subprocess.run(demo, cwd=fresh, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert "You continued the campaign in demo/, or added files there. Move demo/" in refused.stderr
    assert (refused.returncode != 0, entries_of(file)) == (True, head)
    monkeypatch.chdir(fresh)
    (fresh / "demo" / "left-as").rename(fresh / "left-as")
    cut = subprocess.run(demo, cwd=fresh, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert "demo/ is not complete, or an older version made it. Move demo/" in cut.stderr
    (fresh / "left-as").rename(fresh / "demo" / "left-as")
    asked = typed_at_a_terminal([str(shutil.which("make")), *demo[1:]], [("delete everything in demo/?", "n")])
    assert ("Nothing was changed." in asked, entries_of(file)) == (True, head)
    again = typed_at_a_terminal([str(shutil.which("make")), *demo[1:]], [("delete everything in demo/?", "y")])
    assert "nothing missing or altered" in again
    assert entries_of(file) >= 108, "the computer rolls the sealed roll, which may bring something more"
