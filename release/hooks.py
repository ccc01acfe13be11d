"""Hooks of the build: the links in the wheel's description, and the commit that `campaign --version` shows."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
"""A link or a picture in Markdown whose target is a file of the repository."""


class Addresses(MetadataHookInterface):
    """Put the URL of the owner's repository, given only in `pyproject.toml`, into the metadata and the description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the fields that `pyproject.toml` calls dynamic."""
        home, version = self.config["home"], metadata["version"]

        def address(path: str, kind: str = "page") -> str:
            return str(self.config[kind]).format(home=home, version=version, path=path)

        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        linked = LINK.sub(lambda m: f"{m[1]}[{m[2]}]({address(m[3], 'picture' if m[1] else 'page')})", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": linked}
        metadata["urls"] = {
            "Homepage": home,
            "Documentation": address("docs/guide.md"),
            "Changelog": address("CHANGELOG.md"),
            "Security": address("SECURITY.md"),
        }


class Commit(BuildHookInterface[Any]):
    """Store the commit in the wheel and in the sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add `cli/commit.txt`, unless this is an editable installation: that one asks git."""
        commit = run_path(str(Path(self.root, "cli", "version.py")))["commit"]()
        if commit and version != "editable":
            self._folder = TemporaryDirectory()  # deleted together with this hook
            stored = Path(self._folder.name, "commit.txt")
            stored.write_text(f"{commit}\n", encoding="ascii")
            build_data["force_include"][str(stored)] = "cli/commit.txt"
