"""The entry point of the command line, for `campaign` and for `python -m cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. If Ctrl-C is pressed while modules are imported, exit with 130 and no traceback."""
    try:
        from cli.main import main as run  # takes a moment
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
