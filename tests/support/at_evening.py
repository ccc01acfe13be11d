"""The command line with a clock that starts at the moment given first: the evening of the tests' campaigns.

By today's clock, real processes could not write into those campaigns for ever: the program refuses a clock that is more
than 400 days ahead of the last entry.
"""

import os
import sys
from datetime import datetime, timedelta
from functools import partial
from threading import RLock
from time import monotonic


def main() -> None:
    """Run the command line as `python -m cli` does. In `make test-all`, measure what it covers."""
    if "COVERAGE_AT_TERMINALS" in os.environ:
        import coverage

        # Set for this process alone: what others load and print is tested.
        os.environ["COVERAGE_PROCESS_START"] = os.environ["COVERAGE_AT_TERMINALS"]
        if measured := coverage.process_startup():
            # Ctrl-C may come while coverage holds its lock, and how the program ends is measured with the same lock.
            measured._collector.data_lock = RLock()  # type: ignore[union-attr]  # it has started
        del os.environ["COVERAGE_PROCESS_START"]
    import cli.main as program
    from cli.context import Invocation

    evening, started = datetime.fromisoformat(sys.argv.pop(1)), monotonic()
    invocation = Invocation(clock=lambda: evening + timedelta(seconds=monotonic() - started))
    program.campaign = partial(program.campaign, obj=invocation)  # type: ignore[assignment]  # main() calls it
    program.main()


if __name__ == "__main__":
    main()
