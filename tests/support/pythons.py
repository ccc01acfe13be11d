"""The Pythons on this computer. `python pythons.py 3.12` prints where one is; it fails if there is none."""

import subprocess
import sys
from pathlib import Path
from shutil import which


def find(version: str) -> str | None:
    """Return the path of a Python of this version, such as 3.12. It may be in the PATH, or installed by pyenv or uv."""
    home = Path.home()
    installed = (
        *home.glob(f".pyenv/versions/{version}.*/bin/python"),
        *home.glob(f".local/share/uv/python/cpython-{version}.*/bin/python"),
    )
    found = (_probed(path) for path in (which(f"python{version}"), *map(str, sorted(installed))) if path)
    return next((program for is_version, program in found if is_version == version), None)


def _probed(path: str) -> tuple[str, str]:
    """Return the version of a Python, and its own path. pyenv puts programs in the PATH that only say what is missing."""
    program = (
        "import os, sys; sys.stdout.write('%d.%d %s' % (sys.version_info[:2] + (os.path.realpath(sys.executable),)))"
    )
    said = subprocess.run((path, "-c", program), capture_output=True, text=True, check=False).stdout
    return (said.partition(" ")[0], said.partition(" ")[2])


if __name__ == "__main__":
    found = find(sys.argv[1])
    sys.stdout.write(f"{found or ''}\n")
    sys.exit(not found)
