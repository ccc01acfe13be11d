"""Checks of roll-under for the audit: another table of levels never grades an old roll anew."""

from collections.abc import Iterator, Sequence

from ledger.rules import Entry, Stands, in_place


def graded_once(entries: Sequence[Entry], stands: Stands) -> Iterator[tuple[int, str]]:
    """Find rolls that were graded anew by another table than at first (ROL-07)."""
    first: dict[tuple[int, ...], object] = {}
    for entry in (each for each in entries if each.type == "move-played"):
        first.setdefault(tuple(entry.body["throws"]), entry.body["settings"].get("levels"))
    for entry in in_place(entries, stands):
        if entry.type == "move-played" and entry.body["settings"].get("levels") != first[tuple(entry.body["throws"])]:
            yield entry.seq, f"An old roll of {entry.body['who']} was graded anew by another table of levels (ROL-07)."


CHECKS = (graded_once,)
