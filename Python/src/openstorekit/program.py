"""The program `openstorekit`, which this package contains."""

from __future__ import annotations

import os
import sys


def path() -> str:
    """The path of the program: of the one in this package, or the value of the environment variable `OPENSTOREKIT_PROGRAM`."""
    return os.environ.get("OPENSTOREKIT_PROGRAM") or os.path.join(os.path.dirname(__file__), "bin", "openstorekit")


def main() -> None:
    """The command `openstorekit`: becomes the program."""
    program = path()
    try:
        os.execv(program, ["openstorekit", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{program} cannot be run: {error.strerror}")
