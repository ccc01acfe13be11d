"""Start the program from its single file: this is the file's `__main__`.

It must be valid for every Python, also Python 2, because it names the Pythons that can run the program.
"""

import sys
from sysconfig import get_platform

from contents import GLIBC, HASHES  # written by the build

try:
    from importlib.machinery import EXTENSION_SUFFIXES

    abi = EXTENSION_SUFFIXES[0].split(".")[1]  # such as cpython-313-x86_64-linux-gnu
except (ImportError, IndexError):
    abi = ""


def glibc():
    """Return the version of the C library as a pair of numbers. It is (0, 0) if this is not glibc."""
    import os

    try:
        name, version = os.confstr("CS_GNU_LIBC_VERSION").split()
        return tuple(map(int, version.split(".")[:2])) if name == "glibc" else (0, 0)
    except (AttributeError, OSError, TypeError, ValueError):
        return (0, 0)


if abi not in HASHES or glibc() < GLIBC:
    digits = sorted(name.split("-")[1] for name in HASHES)
    pythons = ["{0}.{1}".format(each[0], each[1:]) for each in digits]
    sys.stderr.write(
        "Error: This file needs CPython {0}, on Linux with an x86_64 processor and glibc {1}.{2} or later, but {3} is "
        "Python {4}.{5} on {6}.\n".format(
            " or ".join([", ".join(pythons[:-1]), pythons[-1]]),
            GLIBC[0],
            GLIBC[1],
            sys.executable,
            sys.version_info[0],
            sys.version_info[1],
            get_platform(),
        )
    )
    sys.exit(3)

from unpack import unpacked

sys.path[0] = unpacked(sys.path[0], abi, HASHES[abi])
from cli.__main__ import main

main()
