"""Builds the wheel: it contains the program of `OPENSTOREKIT_PROGRAM`, and the client of that program's control API.

`OPENSTOREKIT_NOTICES` names a file with the licences of the software in the program, for a wheel that is passed on.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any, cast

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # Hatchling reads the version in a namespace of its own.
    BuildHookInterface = cast(Any, object)


def program() -> str:
    """The path of the program."""
    path = os.environ.get("OPENSTOREKIT_PROGRAM", "")
    if not path or not os.access(path, os.X_OK):
        raise SystemExit(f"OPENSTOREKIT_PROGRAM must be the path of the program openstorekit; it is {path!r}.")
    return os.path.abspath(path)


def version() -> str:
    """The version of the program, as Python writes versions (PEP 440)."""
    text = subprocess.run([program(), "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return re.sub(r"-dev$", ".dev0", text)


def tag() -> str:
    """The tag of the wheel (PEP 600), with the oldest glibc on which the program runs: the newest of which it names a version."""
    content = pathlib.Path(program()).read_bytes()
    versions = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=\0)", content)]
    # The packed relocations of glibc 2.36. A script needs no glibc of its own.
    if b"\0GLIBC_ABI_DT_RELR\0" in content or not versions:
        versions.append(36)
    return f"py3-none-manylinux_2_{max(versions)}_x86_64"


class ProgramBuildHook(BuildHookInterface):
    """Adds what the source folder does not have: the program, and the generated module."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is written."""
        sys.path.insert(0, self.root)
        from generator import control_api

        self.folder = tempfile.TemporaryDirectory()
        module = pathlib.Path(self.folder.name) / "control_api.py"
        module.write_text(control_api.module(control_api.document(program())))
        build_data["tag"] = tag()
        build_data["pure_python"] = False
        build_data["force_include"] = {
            program(): "openstorekit/bin/openstorekit", str(module): "openstorekit/control_api.py"}
        notices = os.environ.get("OPENSTOREKIT_NOTICES")
        if notices:
            build_data["force_include"][notices] = "openstorekit/bin/THIRD-PARTY-NOTICES"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called after the wheel was written."""
        self.folder.cleanup()
