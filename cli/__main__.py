"""The same command as `campaign`, for `python -m cli`."""

from cli.main import main

main()
