"""The peer `eventsourcing`, with its SQLite module: an aggregate of 1,000 events, and what is asked of it on stdin."""

from __future__ import annotations

import json
import os
import sys
import time

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

EVENTS = 1_000


class Character(Aggregate):
    """A character with one score, moved by events."""

    @event("Joined")
    def __init__(self) -> None:
        self.score = 0

    @event("Moved")
    def move(self, amount: int) -> None:
        """Move the score."""
        self.score += amount


def main() -> None:
    """Answer each line with the seconds that it took."""
    os.environ["PERSISTENCE_MODULE"] = "eventsourcing.sqlite"
    os.environ["SQLITE_DBNAME"] = sys.argv[1]
    table: Application = Application()
    character = Character()
    for _ in range(EVENTS - 1):
        character.move(1)
    table.save(character)
    for line in sys.stdin:
        wall, processor = time.perf_counter(), time.process_time()
        again: Character = table.repository.get(character.id)
        if line.strip() == "move":
            again.move(1)
            table.save(again)
            print(json.dumps(time.perf_counter() - wall), flush=True)
        else:  # replay: processor time of one event
            print(json.dumps((time.process_time() - processor) / EVENTS), flush=True)


if __name__ == "__main__":
    main()
