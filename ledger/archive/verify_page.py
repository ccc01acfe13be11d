"""The page `verify.html`: one file that checks an export in a browser, without the program and without a network."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

CHECKER_SCRIPTS = ("noble-ed25519-3.2.0-hashes-2.4.0.min.js", "record.js", "pasted.js")
"""The scripts that check proofs, signatures and checkpoints. The program's web pages use them, too."""

PAGE_SCRIPTS = (*CHECKER_SCRIPTS, "zip.js", "export.js", "verify.js")
LICENSE = "noble-LICENSE.txt"
SCRIPTS_PLACEHOLDER = "<!-- scripts -->"


def browser_folder() -> Traversable:
    """Return the folder with the scripts and the page."""
    return files("ledger.archive").joinpath("browser")


def verify_page() -> bytes:
    """Return the page, with its scripts inside."""
    folder = browser_folder()
    texts = {name: folder.joinpath(name).read_bytes().decode() for name in ("verify.html", LICENSE, *PAGE_SCRIPTS)}
    scripts = "".join(f"<script>\n{texts[name]}</script>\n" for name in PAGE_SCRIPTS)
    return texts["verify.html"].replace(SCRIPTS_PLACEHOLDER, f"<!--\n{texts[LICENSE]}-->\n{scripts}").encode()
