"""The Swift toolchain that builds a release: that of the variable SWIFT, by default the first in PATH."""
import functools
import json
import os
import pathlib
import re
import subprocess

SWIFT = os.environ.get("SWIFT", "swift")


@functools.cache
def _information():
    return json.loads(subprocess.run([SWIFT, "-print-target-info"], check=True, capture_output=True, text=True).stdout)


def version():
    return re.search(r"Swift version (\S+)", _information()["compilerVersion"])[1]


def folder():
    """The folder `usr` of the toolchain."""
    return pathlib.Path(_information()["paths"]["runtimeResourcePath"]).resolve().parent.parent


def clang():
    """The toolchain's compiler of C, which also runs the linker."""
    return folder() / "bin/clang"


def static_libraries():
    """The folder of Swift's static libraries, and of their headers."""
    return folder() / "lib/swift_static"
