"""The audit check of roll-under: a new table of success levels never changes the level of an old roll."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ledger.rules import Entry, GameCheck, events


class LevelsCheck(GameCheck):
    """A check for rolls that were ruled again with a different table (ROL-07)."""

    def check(self, entries: Sequence[Entry], struck: Sequence[Entry]) -> Iterator[tuple[int, str]]:
        first: dict[tuple[int, ...], object] = {}
        for entry in sorted((*entries, *struck), key=lambda entry: entry.seq):
            event = entry.event
            if isinstance(event, events.MovePlayed):
                first.setdefault(event.throws, event.settings.get("levels"))
        for entry in entries:
            event = entry.event
            if isinstance(event, events.MovePlayed) and event.settings.get("levels") != first[event.throws]:
                yield (
                    entry.seq,
                    (
                        f"{event.who} rolled once, but the result was computed again with a different table of"
                        " success levels (ROL-07)."
                    ),
                )


CHECKS = (LevelsCheck,)
