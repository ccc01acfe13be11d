"""Start the command line: `campaign`, and `python -m cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ctrl-C while it is being imported exits with 130, without a traceback."""
    try:
        from cli.main import main as run  # takes a moment
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
