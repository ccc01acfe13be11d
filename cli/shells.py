"""The installation of shell completion for bash, zsh and fish."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from os import environ, makedirs, path

from cli.render import terminal
from ledger.errors import NotMade, Run, Taken

WRITTEN_BY_US_LINE = "# Written by 'campaign completion --install', which may overwrite it."
"""A line in each script that this program writes. The program never replaces a file without this line."""

STARTUP_LINES: Mapping[str, str] = {
    "bash": "if [ -r {file} ]; then . {file}; fi",
    "zsh": "if [ -r {file} ]; then autoload -Uz compinit; (( $+functions[compdef] )) || compinit -i; . {file}; fi",
}
"""The line that loads the script, for each shell's startup file. The shell fish needs no such line."""


def install_completion(shell: str, script: str) -> None:
    """Write a completion script to the folder from which the shell loads it.

    Raise `Taken` if this program did not write the existing file. Raise `NotMade` if a file is not accessible.
    """
    file, reader = _script_and_startup_file(shell)
    if path.lexists(file) and WRITTEN_BY_US_LINE not in _text_of_file(file):
        raise Taken(file, f"Move that file away, or show the script with {Run('completion', shell)}.")
    _write(file, f"{script.rstrip()}\n{WRITTEN_BY_US_LINE}\n", "w")
    terminal.say(f"The script is in {file}.")
    if reader:
        line = STARTUP_LINES[shell].format(file=shlex.quote(file))
        if line not in _text_of_file(reader).splitlines():
            _write(reader, f"\n{line}\n", "a")
            terminal.say(f"{reader} now has a line that loads the script.")
    terminal.aside("Completion works in the next terminal window that you open.")


def _script_and_startup_file(shell: str) -> tuple[str, str | None]:
    """Return the path of the script, and of the startup file that must load it (`None` for fish)."""
    home = path.expanduser("~")
    data = environ.get("XDG_DATA_HOME") or path.join(home, ".local", "share")
    if shell == "fish":
        config = environ.get("XDG_CONFIG_HOME") or path.join(home, ".config")
        return path.join(config, "fish", "completions", "campaign.fish"), None
    if shell == "bash":
        return path.join(data, "bash-completion", "completions", "campaign"), path.join(home, ".bashrc")
    folder = environ.get("ZDOTDIR") or home
    return path.join(data, "zsh", "site-functions", "_campaign"), path.join(folder, ".zshrc")


def _text_of_file(file: str) -> str:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise NotMade(file, error) from None


def _write(file: str, text: str, mode: str) -> None:
    try:
        makedirs(path.dirname(file), exist_ok=True)
        with open(file, mode, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise NotMade(file, error) from None
