"""The private key of a campaign, where tests look for it."""

import os
from pathlib import Path

from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import open_book
from ledger.trust.home import Home


def key_at_home(file: Path | str = "road.campaign", home: Path | str | None = None) -> Path:
    """Return the file in a home, by default this one, for the private key that now signs for a campaign."""
    with open_book(str(file)) as book:
        return Path(Home(str(home or os.environ["CAMPAIGN_HOME"])).key_file(str(book.mark(CAMPAIGN, KEY))))
