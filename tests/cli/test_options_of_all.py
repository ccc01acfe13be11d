"""Every command accepts `-f`, `--by` and `-v` after its name as well as before it."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.main import campaign
from terminal import Type, head


@pytest.fixture
def elsewhere(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a campaign outside the current folder and its parents."""
    (tmp_path / "apart").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for part in tmp_path.glob("road.*"):
        part.rename(tmp_path / "apart" / part.name)
    return tmp_path / "apart" / file.name


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command without subcommands, for one game only."""
    if not isinstance(command, click.Group):
        yield " ".join(words)
        return
    ctx = click.Context(command)
    for name in command.list_commands(ctx):
        below = command.get_command(ctx, name)
        if below is not None and (words[:1] != ("odds",) or name == "edge"):
            yield from leaves(below, (*words, name))


@pytest.mark.parametrize("words", [*leaves(campaign)])
def test_every_command_takes_a_file_a_name_and_the_working_after_it(type_in: Type, words: str) -> None:
    done = type_in(f"{words} -f road.campaign --by Ana -v --help")
    assert (done.exit_code, done.stdout[:5]) == (0, "Usage"), done.stderr


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("log -n 1 -f {}", "#7"),
        ("log -n 1 --file {}", "#7"),
        ("log -n 1 --file={}", "#7"),
        ("note hi -f {}", "note: hi"),
        ("note -f {} hi -v", "note: hi"),
        ("sheets -f {}", "mara"),
        ("turns -f {}", "There is no turn order."),
        ("turns -f {} --json", ""),
        ("edge check mara --skill 9 -f {} --faces 7,3", "mara check"),
        ("check mara --skill 9 --faces 7,3 -f {}", "mara check"),
        ("roll mara d20 --faces 3 -f {}", "mara rolls d20 = 3"),
        ("amend 3 --name Bo --why x --dry-run -f {}", "would be"),
        ("session -f {} open One", "session 1 opened: One"),
        ("verify -f {}", "OK: 7 entries"),
        ("odds edge check mara --skill 9 -f {}", "success"),
    ],
)
def test_a_file_may_be_named_after_the_command(elsewhere: Path, type_in: Type, words: str, seen: str) -> None:
    done = type_in(words.format(elsewhere))
    assert seen in done.output
    assert "There is no campaign here" not in done.stderr
    assert "No such option" not in done.stderr


def test_common_options_may_come_before_the_entry_of_an_amendment(elsewhere: Path, type_in: Type) -> None:
    type_in(f"roll mara d20 --faces 3 -f {elsewhere}")
    done = type_in(f"amend --by Ana -f {elsewhere} 9 --for misheard --why x --yes")
    assert (done.exit_code, "misheard" in done.stdout) == (0, True)


@pytest.mark.parametrize("words", ["amend -v -v", "amend -f {} --by Tom"])
def test_common_options_without_an_entry_are_refused_at_once(elsewhere: Path, type_in: Type, words: str) -> None:
    done = type_in(words.format(elsewhere))
    assert done.exit_code == 2
    assert "ENTRY" in done.stderr


def test_the_hint_to_name_another_file_works_as_it_is_printed(elsewhere: Path, type_in: Type) -> None:
    assert type_in("init One").exit_code == 0
    assert "Choose a different file name with -f FILE." in type_in("init Two").stderr
    assert type_in("init Two -f two.campaign").exit_code == 0
    assert "Pick one with -f FILE." in type_in("log").stderr
    assert "campaign opened: Two" in type_in("log -f two.campaign").stdout


def test_two_files_are_refused_in_any_position(elsewhere: Path, type_in: Type) -> None:
    before = elsewhere.read_bytes()
    for words in (f"-f {elsewhere} note x -f {elsewhere}", f"note x -f {elsewhere} -f other.campaign"):
        assert "Option '-f' was given twice." in type_in(words).stderr
    assert elsewhere.read_bytes() == before


def test_the_working_option_works_before_and_after_a_view(folder: Path, type_in: Type) -> None:
    type_in("edge check mara --skill 9 --faces 7,3")
    assert type_in("log -n 1 -v").stdout == type_in("-v log -n 1").stdout


def test_a_text_after_two_dashes_may_look_like_these_options(folder: Path, type_in: Type) -> None:
    assert "note: -f x" in type_in("note -- -f x").stdout
    assert head(folder) == 8


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--by Ana --json sheets mara", "Type --json after the command."),
        ("-f road.campaign --json", "Type --json after the command."),
        ("--dry-run note hi", "Type --dry-run after the command."),
        ("--yes void 3 --why x", "Type --yes after the command."),
        ("session --json close", "Type --json after the command."),
        ("edge --dry-run rest mara short", "Type --dry-run after the command."),
        ("odds edge --json check mara --skill 3", "Type --json after the command."),
        ("turns --json next", "Put --json after 'next'."),
        ("turns --at 3 next", "You cannot use --at, --corrected or --format with 'turns next'."),
        ("sheets --color never", "Type --color before the command."),
        ("session --color never close", "Type --color before the command."),
        ("status --version", "Type --version before the command."),
        ("--by Ana note hi --by Tom", "Option '--by' was given twice."),
        ("day --by Ana next --by Tom", "Option '--by' was given twice."),
        ("day --by Ana --by Tom next", "Option '--by' was given twice."),
        ("--nothing sheets", "No such option '--nothing'."),
    ],
)
def test_an_option_in_a_wrong_place_is_refused_with_the_right_place(
    folder: Path, type_in: Type, words: str, says: str
) -> None:
    done = type_in(words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"Error: {says}" in done.stderr or f". {says}" in done.stderr
    assert head(folder) == 7


@pytest.mark.parametrize(
    "words",
    [
        "roll mara d20 -f{}",
        "set -f{} mara care=no --why x",
        "roll mara d20 -vf{}",
        "amend 3 --name Bo --why x -f{}",
        "roll mara d20 -f={}",
    ],
)
def test_a_file_that_is_not_a_word_of_its_own_is_refused(folder: Path, type_in: Type, words: str) -> None:
    done = type_in(words.format("other.campaign"))
    assert (done.exit_code, "Leave a space after -f: -f other.campaign" in done.stderr) == (2, True)
    assert head(folder) == 7
