"""The page `verify.html`: one file that checks an export in a browser, without the program and without a network."""

from __future__ import annotations

from importlib.resources import files

CHECKER = ("noble-ed25519-3.2.0-hashes-2.4.0.min.js", "record.js")
"""The scripts that check proofs and signatures. The table's page uses them too."""

SCRIPTS = (*CHECKER, "zip.js", "export.js", "verify.js")
LICENSE = "noble-LICENSE.txt"
PLACE = "<!-- scripts -->"


def verify_page() -> bytes:
    """Return the page, with its scripts inside."""
    folder = files("ledger.archive").joinpath("browser")
    texts = {name: folder.joinpath(name).read_bytes().decode() for name in ("verify.html", LICENSE, *SCRIPTS)}
    scripts = "".join(f"<script>\n{texts[name]}</script>\n" for name in SCRIPTS)
    return texts["verify.html"].replace(PLACE, f"<!--\n{texts[LICENSE]}-->\n{scripts}").encode()
