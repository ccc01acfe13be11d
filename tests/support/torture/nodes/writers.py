"""Eight writers on a node: python -m torture.nodes.writers NODE SEED FILE ADDRESS …

They write and read until their standard input ends, and note each call in the history FILE.
"""

import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from ledger.errors import LedgerError
from torture.nodes.history import READ, REFUSED, began, ended
from torture.nodes.moves import WRITERS, Writer, campaign_of

CAMPAIGNS_EACH, READS = 2, 0.2
RETRY_SECONDS = 0.2


def main() -> None:
    node, seed, file, *addresses = sys.argv[1:]
    stop, lock = threading.Event(), threading.Lock()
    with Path(file).open("w", encoding="utf-8") as out:

        def note(line: str) -> None:
            with lock:
                out.write(f"{line}\n")
                out.flush()

        threads = []
        for number in range(WRITERS):
            own = [addresses[(number + place) % len(addresses)] for place in range(CAMPAIGNS_EACH)]
            arguments = (f"{node}-{number + 1}", seed, own, note, stop)
            threads.append(threading.Thread(target=_play, args=arguments))
        for thread in threads:
            thread.start()
        sys.stdin.read()
        stop.set()
        for thread in threads:
            thread.join()


def _play(name: str, seed: str, addresses: Sequence[str], note: Callable[[str], None], stop: threading.Event) -> None:
    random = Random(f"{seed}/{name}")  # noqa: S311  on purpose
    writer, number = Writer(random), 0
    while not stop.is_set():
        number += 1
        id_, address = f"{name}-{number}", random.choice(addresses)
        note(began(id_, name, campaign_of(address), time.monotonic()))
        result, more = REFUSED, {}
        try:
            if random.random() < READS:
                seq, root = writer.read(address)
                result, more = READ, {"root": root}
            else:
                result, seq = writer.write(address, id_)
        except LedgerError:
            seq = 0
        except Exception as error:
            seq, more = 0, {"says": repr(error)}
        note(ended(id_, time.monotonic(), result, seq, **more))
        if result == REFUSED:
            writer.close(address)
            stop.wait(RETRY_SECONDS)
    for address in addresses:
        writer.close(address)


if __name__ == "__main__":
    main()
