"""Build what the owner publishes: the wheel, the sdist, the single file, checksums and a signature (`make dist`).

Everything is built twice. The build fails if the two results differ.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from hashlib import file_digest, sha256
from importlib.metadata import Distribution, PathDistribution
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
HERE = ROOT / "release"
SINGLE_FILE = "campaign-linux-x86_64.pyz"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
GLIBC = (2, 28)
CHECKSUMS = "SHA256SUMS"
ABOUT_INSTALLATION = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"}
"""Files in a `.dist-info` folder that describe how it was installed, which differs from build to build."""


USELESS = "pip"
"""A library that sqlite-utils needs only to install its plugins."""


def main(target: str, key: str = "") -> None:
    """Build everything into the folder `target`, and sign the checksums if `key` names an SSH key."""
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch())
    with TemporaryDirectory() as scratch:
        first, second, libraries = (Path(scratch, name) for name in ("first", "second", "libraries"))
        for built in (first, second):
            run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--target", "sdist", "-d", built)
        (wheel,) = first.glob("*.whl")
        for python in PYTHONS:
            download(wheel, python, libraries / abi(python))
        for built in (first, second):
            write_single_file(libraries, built / SINGLE_FILE)
            write_checksums(built)
        if (first / CHECKSUMS).read_bytes() != (second / CHECKSUMS).read_bytes():
            sys.exit("Two builds of the same source differ. Compare their checksums:\n" + difference(first, second))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(first, target)
    if key:
        run("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "file", Path(target, CHECKSUMS))
    sys.stdout.write(Path(target, CHECKSUMS).read_text(encoding="ascii"))


def run(*command: str | Path) -> None:
    """Run a command in the project's folder. Exit if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stderr}This command failed: {' '.join(map(str, command))}")


def epoch() -> int:
    """Return the time of the commit, which all built files have. An unpacked sdist has a fixed time."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    if not (ROOT / ".git").exists():
        return 1_577_836_800
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def abi(python: str) -> str:
    """Return the name that compiled modules have in a version of CPython."""
    return f"cpython-{python.replace('.', '')}-x86_64-linux-gnu"


def download(wheel: Path, python: str, folder: Path) -> None:
    """Install the wheel and its locked libraries into a folder, for a version of CPython that may not be here."""
    options = (
        *("--target", folder, "--python-version", python),
        *("--python-platform", f"x86_64-manylinux_{GLIBC[0]}_{GLIBC[1]}", "--only-binary", ":all:"),
    )
    install = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--system-certs", "--no-config", *options)
    run(*install, "--require-hashes", "-r", ROOT / "requirements.txt")
    run(*install, "--no-deps", wheel)


def needed(folder: Path) -> list[Distribution]:
    """Return the program and the libraries that it needs with all extras. Leave out the tools that build it."""
    installed = {canonicalize_name(each.name): each for each in map(PathDistribution, folder.glob("*.dist-info"))}
    waiting, found = [("campaign-ledger", "all")], dict[tuple[str, str], Distribution]()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in found or name not in installed or name == USELESS:
            continue
        found[name, extra] = installed[canonicalize_name(name)]
        for requirement in map(Requirement, found[name, extra].requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(requirement.name), each) for each in ("", *requirement.extras)]
    return [found[key] for key in sorted(found)]


def modules_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files to pack, by their paths in the folder."""
    for distribution in needed(folder):
        for file in distribution.files or ():
            path = folder / file
            if file.parts[0] not in {"..", "bin"} and file.name not in ABOUT_INSTALLATION and path.is_file():
                yield file.as_posix(), path.read_bytes()


def write_single_file(libraries: Path, target: Path) -> None:
    """Pack the libraries for each version of Python into one file. Pack a module once if all versions share it."""
    modules = {folder.name: dict(modules_of(folder)) for folder in sorted(libraries.iterdir())}
    first, *others = modules.values()
    common = {path: data for path, data in first.items() if all(other.get(path) == data for other in others)}
    shared = packed(common)
    parts = {
        name: packed({path: data for path, data in files.items() if path not in common})
        for name, files in modules.items()
    }
    hashes = {name: sha256(sha256(shared).digest() + sha256(part).digest()).hexdigest() for name, part in parts.items()}
    start = {
        "__main__.py": (HERE / "start.py").read_bytes(),
        "unpack.py": (HERE / "unpack.py").read_bytes(),
        "contents.py": f"GLIBC = {GLIBC!r}\nHASHES = {hashes!r}\n".encode(),
    }
    inner = {f"{name}.zip": part for name, part in {"common": shared, **parts}.items()}
    target.write_bytes(b"#!/usr/bin/env python3\n" + packed(start | inner, ZIP_STORED))
    target.chmod(0o755)


def packed(files: Mapping[str, bytes], compression: int = ZIP_DEFLATED) -> bytes:
    """Return a zip file that depends only on the names and contents of the files."""
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315_532_800))[:6]  # a zip file starts in 1980
    result = BytesIO()
    with ZipFile(result, "w", compression, compresslevel=9) as target:
        for name in sorted(files):
            entry = ZipInfo(name, when)
            entry.compress_type = compression
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            target.writestr(entry, files[name])
    return result.getvalue()


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of each built file, as `sha256sum` does."""
    lines = [f"{digest}  {name}\n" for name, digest in checksums(folder).items()]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="ascii")


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each built file."""
    found = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as opened:
            found[path.name] = file_digest(opened, "sha256").hexdigest()
    return found


def difference(first: Path, second: Path) -> str:
    """Return the checksums of two builds."""
    return "\n".join((folder / CHECKSUMS).read_text(encoding="ascii") for folder in (first, second))


if __name__ == "__main__":
    main(*sys.argv[1:])
