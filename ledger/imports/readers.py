"""The list of the readers, in the order in which they are tried."""

from __future__ import annotations

from ledger.imports.beyond import BeyondReader
from ledger.imports.csv_rows import CsvReader
from ledger.imports.discord import DiscordReader
from ledger.imports.foundry_folder import FoundryFolderReader
from ledger.imports.foundry_lines import FoundryLinesReader
from ledger.imports.foundry_list import FoundryListReader
from ledger.imports.log_records import Reader
from ledger.imports.roll20 import Roll20Reader

READERS: tuple[Reader, ...] = (
    FoundryListReader(),
    FoundryLinesReader(),
    FoundryFolderReader(),
    BeyondReader(),
    DiscordReader(),
    Roll20Reader(),
    CsvReader(),
)
