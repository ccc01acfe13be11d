"""Records: the values that a storage engine takes and returns, besides the rows of the accounts."""

from __future__ import annotations

from typing import NamedTuple


class StoredEntry(NamedTuple):
    """A stored entry: its number, the bytes of its body, and its leaf hash of 32 bytes."""

    seq: int
    body: bytes
    leaf: bytes


class StoredWord(NamedTuple):
    """A text behind a commitment of an entry, with the field and a salt of 32 bytes."""

    seq: int
    field: str
    salt: bytes
    text: str


class StoredNode(NamedTuple):
    """An inner node of the tree: its level (from 1), its place within the level, and its hash of 32 bytes."""

    level: int
    place: int
    hash: bytes


class Stamp(NamedTuple):
    """The state of the campaign at an address.

    - `identity`: another campaign has another identity.
    - `version`: it changes if somebody writes.
    - `is_settled`: False if a later write might leave `version` unchanged.
    """

    identity: object
    version: object
    is_settled: bool


NUMBER_TOO_LARGE = "it has a number that is too large"
"""The reason in an error, if a sum in the derived tables is too large for the storage."""


class Backdated(NamedTuple):
    """A corrected score or mark, and the entry at which the correction takes effect."""

    who: str
    name: str
    since: int


class Limits(NamedTuple):
    """The limits that a host set for a campaign. None is no limit.

    - `entries`: the maximum number of entries. Corrections may use some more.
    - `writes`: the maximum number of writes a minute.
    - `streams`: the maximum number of open pages at each server.
    """

    entries: int | None = None
    writes: int | None = None
    streams: int | None = None


class CampaignHead(NamedTuple):
    """A campaign in a list: its name, the number of its last entry, and its limits."""

    name: str
    head: int
    limits: Limits = Limits()


class WatchedHead(NamedTuple):
    """The head of a campaign: the campaign's id, which another campaign of the same name does not have."""

    campaign: object
    head: int


class CampaignUse(NamedTuple):
    """The number of a campaign's last entry, its recent writes that count against the limit, and its limits."""

    head: int
    writes: int
    limits: Limits
