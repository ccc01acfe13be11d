"""The page when somebody replaces its file by another campaign or an older copy."""

import shutil
from pathlib import Path
from time import sleep

import pytest

from engine import create_journal
from ledger.commands.at_table import Note, Open
from ledger.errors import OlderFile, OtherCampaign
from ledger.journal.book import Book, open_book
from ledger.trust.home import Home
from paths import GOLDEN
from table import scribe
from web.campaign import Campaign, WriteOptions
from web.people import Person

GM = Person(role="gm", seat="p1", visit="Tom")


def writes(campaign: Campaign, text: str) -> int:
    """Write a note, and wait until the page has closed the file, so that no log is left beside it."""
    (done,) = campaign.write(GM, lambda names: [(Note(text=text), None)], WriteOptions())
    while Path(f"{campaign.file}-wal").exists():
        sleep(0.05)
    return done.entries[0].seq


def test_the_page_writes_nothing_into_another_campaign_and_goes_on_once_its_own_is_back(
    file: Path, tmp_path: Path, other: Path
) -> None:
    page = Campaign(str(file), Home(str(tmp_path / "home")))
    first = writes(page, "one")
    shutil.copy(file, tmp_path / "kept")
    shutil.copy(other, tmp_path / "there")
    (tmp_path / "there").replace(file)
    with pytest.raises(OtherCampaign, match="now contains a different campaign"):
        writes(page, "two")
    with pytest.raises(OtherCampaign), page.snapshot():
        pass
    (tmp_path / "kept").replace(file)
    assert writes(page, "two") == first + 1


def test_the_page_does_not_continue_an_older_copy_silently(file: Path, tmp_path: Path) -> None:
    page = Campaign(str(file), Home(str(tmp_path / "home")))
    shutil.copy(file, tmp_path / "older")
    first = writes(page, "one")
    (tmp_path / "older").replace(file)
    with pytest.raises(OlderFile, match=f"This computer has already written #{first} of this campaign"):
        writes(page, "two")
    with open_book(str(file)) as book:
        assert book.head() == first - 1


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Make another campaign."""
    file = tmp_path / "other.campaign"
    with Book(create_journal(str(file))) as book:
        scribe(book).write(Open(title="Other", gm="Eva"))
    return file


def test_an_older_campaign_is_upgraded_before_the_first_player_writes(tmp_path: Path) -> None:
    file = shutil.copy(GOLDEN / "campaigns" / "v3.campaign", tmp_path / "road.campaign")
    campaign = Campaign(str(file), Home(str(tmp_path / "home")))
    assert campaign.upgrade().endswith("road.campaign.backup-format-3")
    assert campaign.upgrade() == ""


def test_an_older_campaign_that_cannot_be_changed_is_served_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "road.campaign"
    shutil.copy(GOLDEN / "campaigns" / "v3.campaign", file)
    file.chmod(0o444)
    assert Campaign(str(file), Home(str(tmp_path / "home"))).upgrade() == ""
    assert [path.name for path in tmp_path.iterdir()] == ["road.campaign"]
