"""This computer's own writes: it notices an older copy of the file, and a bad home never blocks a write."""

import shutil
from pathlib import Path

import pytest

from ledger.commands.at_table import Note
from ledger.journal.book import open_book
from ledger.trust.home import Home
from table import scribe
from terminal import Type


@pytest.fixture
def begun(tmp_path: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a campaign of 5 entries with a backup, and 3 more entries that no head covers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home"))
    for words in ("init Road --gm Tom", "join mara edge maximum=4 edge=4", "session open One", "session close"):
        assert type_in(words).exit_code == 0
    shutil.copy("road.campaign", "stick.backup")
    for words in ("session open Two", "adjust mara edge=-1 --why tonight", "adjust mara edge=-1 --why again"):
        assert type_in(words).exit_code == 0
    return tmp_path / "road.campaign"


def head(file: Path) -> int:
    with open_book(str(file)) as book:
        return book.head()


def memory(home: Path) -> list[Path]:
    return list((home / "written").iterdir())


@pytest.mark.parametrize(
    "words", ["note on", "undo --yes", "checkpoint", "note on --dry-run", "roll mara 2d6", "session open Three"]
)
def test_an_older_copy_in_the_place_of_the_file_is_not_continued_silently(
    begun: Path, type_in: Type, words: str
) -> None:
    shutil.copy("stick.backup", begun)
    told = type_in(words)
    assert told.exit_code == 6
    assert "This computer has already written #8 of this campaign, but this file ends at #5. Nothing was written." in (
        told.stderr
    )
    assert head(begun) == 5


def test_another_history_of_the_same_length_is_noticed(
    begun: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy("stick.backup", begun)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CAMPAIGN_HOME", "elsewhere")
        for _ in range(3):
            assert type_in("note other").exit_code == 0
    told = type_in("note on")
    assert "This computer has already written #8 of this campaign, but this file has a different #8." in told.stderr


def test_with_fork_the_book_says_that_it_left_what_was_written(begun: Path, type_in: Type) -> None:
    shutil.copy("stick.backup", begun)
    assert type_in("note on --fork").exit_code == 0
    assert type_in("note and on").exit_code == 0
    assert "a different history of 8 entries" in type_in("log").stdout


def test_a_restore_names_what_this_computer_wrote(begun: Path, type_in: Type) -> None:
    shutil.copy("stick.backup", begun)
    told = type_in("restore stick.backup --yes")
    assert "3 entries are lost: #6 to #8." in told.stderr
    assert type_in("note on").exit_code == 0


def test_entries_that_others_wrote_are_continued(begun: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CAMPAIGN_HOME", "elsewhere")
        assert type_in("note from another computer").exit_code == 0
    assert type_in("note on").exit_code == 0


def test_a_copy_that_somebody_tries_things_on_does_not_accuse_the_file(begun: Path, type_in: Type) -> None:
    Path("trial").mkdir()
    shutil.copy(begun, "trial/road.campaign")
    assert type_in("-f trial/road.campaign note trial").exit_code == 0
    assert type_in("note on").exit_code == 0
    assert type_in("-f trial/road.campaign note again").exit_code == 0


def test_another_campaign_of_the_same_name_is_not_compared(begun: Path, type_in: Type) -> None:
    begun.unlink()
    assert type_in("init Road --gm Eva").exit_code == 0
    assert type_in("note on").exit_code == 0


@pytest.mark.parametrize("text", ["", "x", "0" * 64, f"{'0' * 64} 9 {'0' * 63}", "\xff"])
def test_a_torn_memory_is_ignored(begun: Path, type_in: Type, text: str) -> None:
    (file,) = memory(begun.parent / "home")
    file.write_text(text, encoding="latin-1")
    shutil.copy("stick.backup", begun)
    assert type_in("note on").exit_code == 0


@pytest.mark.parametrize("broken", ["file", "folder"])
def test_a_home_that_cannot_store_the_memory_does_not_block_writes(begun: Path, type_in: Type, broken: str) -> None:
    written = begun.parent / "home" / "written"
    (file,) = memory(begun.parent / "home")
    file.unlink()
    if broken == "file":
        file.mkdir()
    else:
        written.rmdir()
        written.write_text("")
    assert type_in("note on").exit_code == 0


def test_what_is_not_committed_is_not_remembered(begun: Path) -> None:
    last = Home("home").last_written(str(begun))
    with open_book(str(begun)) as book:
        first = book.entry(1).leaf
        before = last.read(first)

        class Fails(Note):
            """A note that fails after it is added."""

            def decide(self, draft: object) -> None:
                super().decide(draft)  # type: ignore[arg-type]  # as it comes
                raise KeyboardInterrupt

        hand = scribe(book, last_written=last)
        with pytest.raises(KeyboardInterrupt):
            hand.write(Fails(text="never"))
    assert last.read(first) == before


def test_a_correction_that_was_planned_is_remembered_too(begun: Path, type_in: Type) -> None:
    shutil.copy(begun, "before")
    assert type_in("undo --yes").exit_code == 0
    shutil.copy("before", begun)
    assert "This computer has already written #9 of this campaign" in type_in("note on").stderr


def test_a_repeat_under_an_id_leaves_the_memory_as_it_is(begun: Path, type_in: Type) -> None:
    assert type_in("note on --once a").exit_code == 0
    (file,) = memory(begun.parent / "home")
    before = file.read_bytes()
    assert type_in("note on --once a").exit_code == 0
    assert file.read_bytes() == before
